//! Virtual time: it passes only where a thread sleeps or a deadline does.

use crate::runtime::now;
use std::ops::{Add, AddAssign, Sub};

pub use std::time::Duration;

/// A moment in a thread's virtual time; see [`std::time::Instant`]. A thread starts at its creator's time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Instant(Duration);

impl Instant {
    /// The current moment of this thread.
    #[must_use]
    pub fn now() -> Self {
        Self(now())
    }

    /// The time that has passed since.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        now().saturating_sub(self.0)
    }

    /// The time from an earlier moment to this one.
    #[must_use]
    pub fn duration_since(&self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }

    /// The moment this much later, if it can be represented.
    #[must_use]
    pub fn checked_add(&self, duration: Duration) -> Option<Self> {
        self.0.checked_add(duration).map(Self)
    }
}

impl Add<Duration> for Instant {
    type Output = Self;

    fn add(self, duration: Duration) -> Self {
        Self(self.0 + duration)
    }
}

impl AddAssign<Duration> for Instant {
    fn add_assign(&mut self, duration: Duration) {
        self.0 += duration;
    }
}

impl Sub for Instant {
    type Output = Duration;

    fn sub(self, earlier: Self) -> Duration {
        self.duration_since(earlier)
    }
}
