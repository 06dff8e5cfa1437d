//! The two sides of a search: programs that can be run, and explorers that decide what to run.

use crate::cursor::Cursor;
use crate::trace::Trace;

/// A program that can be run from its initial state any number of times.
pub trait Subject {
    /// Executes one run as `cursor` says and returns its trace (see [`Cursor::finish`]).
    ///
    /// The subject must be deterministic: the same picks lead to the same labels.
    fn run(&mut self, cursor: Cursor) -> Trace;
}

/// Decides which runs a search consists of.
pub trait Explorer {
    /// The cursor of the next run, or `None` when there is nothing left to explore. The trace of one cursor must come
    /// back through [`Explorer::done`] before the next is asked for.
    fn cursor(&mut self) -> Option<Cursor>;

    /// Learns from a finished run.
    ///
    /// # Errors
    ///
    /// If the run did not follow its cursor, the program is not deterministic and nothing more can be said about it.
    fn done(&mut self, trace: &Trace) -> Result<(), NotDeterministic>;
}

/// The program did something else when its schedule was repeated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotDeterministic {
    /// The transition at which it differed.
    pub step: usize,
    /// What was seen and what was expected.
    pub detail: String,
}

/// Limits of a search. A search that meets one ends inconclusive.
#[derive(Clone, PartialEq, Debug)]
pub struct Bounds {
    /// Transitions in a run.
    pub max_depth: u32,
    /// Preemptions in a run.
    pub max_preemptions: u32,
    /// Runs.
    pub max_executions: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { max_depth: 100_000, max_preemptions: u32::MAX, max_executions: u64::MAX }
    }
}

/// Counts of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// Runs.
    pub n_executions: u64,
    /// Runs in which every thread finished.
    pub n_completed: u64,
    /// Runs that ended in a deadlock.
    pub n_deadlocks: u64,
    /// Runs in which a check failed.
    pub n_failed: u64,
    /// Runs given up because everything enabled was asleep.
    pub n_asleep: u64,
    /// Runs stopped by a bound.
    pub n_bounded: u64,
    /// Runs that left their script because a reversal turned out to be impossible.
    pub n_infeasible: u64,
    /// Transitions, each counted once however often it was replayed.
    pub n_transitions: u64,
    /// Transitions executed again to get back to a branching point.
    pub n_replayed: u64,
    /// Branches pruned by symmetry.
    pub n_symmetric: u64,
    /// Races whose earlier event lies in the part of the run that another search owns.
    pub n_escaped: u64,
    /// Length of the longest run.
    pub max_depth: u32,
}

impl Stats {
    /// Mazurkiewicz traces seen to their end.
    #[must_use]
    pub fn n_traces(&self) -> u64 {
        self.n_completed + self.n_deadlocks + self.n_failed
    }
}
