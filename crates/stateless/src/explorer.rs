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
