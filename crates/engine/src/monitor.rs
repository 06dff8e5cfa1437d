//! Between a running engine and whoever waits for it: counts flow out, the wish to stop flows in.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use crate::Shortfall;

/// What a search may use up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Budget {
    /// When to stop.
    pub deadline: Option<Instant>,
    /// How many states to store.
    pub states: Option<u64>,
    /// How much memory to hold for states and bookkeeping.
    pub bytes: Option<u64>,
    /// How many steps to go from a start state.
    pub depth: Option<u32>,
}

/// How far a search has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// States stored.
    pub states: u64,
    /// Enabled rule instances executed.
    pub rules_fired: u64,
    /// States stored but not yet expanded.
    pub frontier: u64,
    /// Steps from a start state to the states reached last.
    pub depth: u64,
    /// Memory held for states and bookkeeping.
    pub bytes: u64,
}

/// Shared by an engine and its observer. The engine publishes; anyone may read or cancel.
#[derive(Debug, Default)]
pub struct Monitor {
    budget: Budget,
    /// How many states to store before an engine looks at what it has; none if it is zero.
    stage: AtomicU64,
    cancelled: AtomicBool,
    states: AtomicU64,
    rules_fired: AtomicU64,
    frontier: AtomicU64,
    depth: AtomicU64,
    bytes: AtomicU64,
}

impl Monitor {
    /// A monitor that says "stop" when the budget is used up.
    pub fn new(budget: Budget) -> Self {
        Self { budget, ..Self::default() }
    }

    /// The budget.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// How many states to store.
    pub fn state_limit(&self) -> Option<u64> {
        let stage = Some(self.stage.load(Ordering::Relaxed)).filter(|&stage| stage > 0);
        stage.into_iter().chain(self.budget.states).min()
    }

    /// Lets an engine stop by itself after so many states, to look at what it has.
    pub fn set_stage(&self, states: Option<u64>) {
        self.stage.store(states.unwrap_or(0), Ordering::Relaxed);
    }

    /// Asks the engine to stop soon.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Publishes counts and answers whether to stop, and why. Engines call this every few hundred states, so a budget
    /// may be overdrawn by that much. The depth bound is the engine's own business.
    pub fn publish(&self, counts: Counts) -> Option<Shortfall> {
        self.states.store(counts.states, Ordering::Relaxed);
        self.rules_fired.store(counts.rules_fired, Ordering::Relaxed);
        self.frontier.store(counts.frontier, Ordering::Relaxed);
        self.depth.store(counts.depth, Ordering::Relaxed);
        self.bytes.store(counts.bytes, Ordering::Relaxed);
        if self.cancelled.load(Ordering::Relaxed) {
            return Some(Shortfall::Cancelled);
        }
        if self.state_limit().is_some_and(|limit| counts.states >= limit) {
            return Some(Shortfall::States(counts.states));
        }
        if self.budget.bytes.is_some_and(|limit| counts.bytes >= limit) {
            return Some(Shortfall::Memory);
        }
        if self.budget.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Some(Shortfall::Time);
        }
        None
    }

    /// The counts published last.
    pub fn counts(&self) -> Counts {
        Counts {
            states: self.states.load(Ordering::Relaxed),
            rules_fired: self.rules_fired.load(Ordering::Relaxed),
            frontier: self.frontier.load(Ordering::Relaxed),
            depth: self.depth.load(Ordering::Relaxed),
            bytes: self.bytes.load(Ordering::Relaxed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_reason_to_stop_is_given() {
        let monitor = Monitor::new(Budget { states: Some(10), ..Budget::default() });
        assert_eq!(monitor.publish(Counts { states: 9, ..Counts::default() }), None);
        assert_eq!(monitor.publish(Counts { states: 10, ..Counts::default() }), Some(Shortfall::States(10)));
        monitor.cancel();
        assert_eq!(monitor.publish(Counts::default()), Some(Shortfall::Cancelled));
    }
}
