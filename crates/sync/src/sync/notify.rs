//! Notifications that are kept for whoever waits next, which `std` lacks.

use super::{Condvar, Mutex};
use std::sync::PoisonError;

/// Notifications that do not pile up: any number of them before a wait let one wait through.
#[derive(Debug, Default)]
pub struct Notify {
    notified: Mutex<bool>,
    changed: Condvar,
}

impl Notify {
    /// No notification yet. To be called inside a run.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Lets one wait through, now or when there is one.
    #[track_caller]
    pub fn notify(&self) {
        *self.notified.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.changed.notify_one();
    }

    /// Waits for a notification and uses it up.
    #[track_caller]
    pub fn wait(&self) {
        let mut notified = self.notified.lock().unwrap_or_else(PoisonError::into_inner);
        while !*notified {
            notified = self.changed.wait(notified).unwrap_or_else(PoisonError::into_inner);
        }
        *notified = false;
    }
}
