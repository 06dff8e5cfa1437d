//! Vector clocks of any width.

use super::Name;
use burnside_stateless::ThreadId;

/// How many events of each thread; threads it does not mention have none.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct Clock(Vec<u32>);

impl Clock {
    /// Counts one more event of `thread`; says which it is.
    pub(super) fn tick(&mut self, thread: ThreadId) -> u32 {
        if self.0.len() <= thread.index() {
            self.0.resize(thread.index() + 1, 0);
        }
        self.0[thread.index()] += 1;
        self.0[thread.index()]
    }

    pub(super) fn join(&mut self, other: &Self) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (slot, value) in self.0.iter_mut().zip(&other.0) {
            *slot = (*slot).max(*value);
        }
    }

    pub(super) fn includes(&self, event: Name) -> bool {
        self.0.get(event.thread.index()).is_some_and(|number| *number >= event.number)
    }

    /// Whether everything in `other` is in this one.
    pub(super) fn covers(&self, other: &Self) -> bool {
        other.0.iter().enumerate().all(|(at, value)| self.0.get(at).copied().unwrap_or(0) >= *value)
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}
