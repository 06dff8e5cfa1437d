//! The two sides of a search: programs that can be run, and explorers that decide what to run.

use crate::cursor::Cursor;
use crate::search::Search;
use crate::trace::{Cut, End, Trace};

/// A program that can be run from its initial state any number of times.
pub trait Subject {
    /// Executes one run as `cursor` says and returns its trace (see [`Cursor::finish`]).
    ///
    /// The subject must be deterministic: the same picks lead to the same labels.
    fn run(&mut self, cursor: Cursor) -> Trace;

    /// Carries out up to `limit` of the next runs of `search` by itself, where that is faster than being asked for one
    /// at a time. A run that ends in a fault is left for [`Subject::run`], unless `fault` says that one is known. Most
    /// subjects have no such way.
    fn run_ahead(&mut self, _search: &mut Search, _limit: u64, _fault: FaultKnown) {}
}

/// Whether a faulty run has been found already.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FaultKnown {
    /// The first one is still to be found.
    No,
    /// Further ones are only counted.
    Yes,
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

    /// Counts so far.
    fn stats(&self) -> &Stats;

    /// The exhaustive search this is, if it is one.
    fn as_search(&mut self) -> Option<&mut Search>;

    /// What the end of this exploration will leave open even if no bound is met, such as a sampler's omissions.
    fn omission(&self) -> Option<String>;
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
    /// Preemptions in a run: switches away from a thread that could go on and did not offer the processor.
    pub max_preemptions: u32,
    /// Delays in a run: how often a thread is passed over in the order in which a scheduler that goes round would take
    /// them.
    pub max_delays: u32,
    /// Runs.
    pub max_executions: u64,
}

impl Bounds {
    /// Whether some schedules cost too much.
    pub(crate) fn price_schedules(&self) -> bool {
        self.max_preemptions != u32::MAX || self.max_delays != u32::MAX
    }
}

impl Default for Bounds {
    fn default() -> Self {
        Self { max_depth: 100_000, max_preemptions: u32::MAX, max_delays: u32::MAX, max_executions: u64::MAX }
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
    /// Length of the longest run.
    pub max_depth: u32,
}

impl Stats {
    /// Counts one run, of which the first `n_replayed` transitions had been executed before.
    pub(crate) fn count(&mut self, trace: &Trace, n_replayed: usize) {
        self.n_executions += 1;
        self.n_transitions += (trace.events.len() - n_replayed) as u64;
        self.n_replayed += n_replayed as u64;
        self.max_depth = self.max_depth.max(trace.events.len() as u32);
        self.n_infeasible += u64::from(trace.left_script_at.is_some());
        match &trace.end {
            Some(End::Completed) => self.n_completed += 1,
            Some(End::Deadlock) => self.n_deadlocks += 1,
            Some(End::Failed(_) | End::Divergence(_)) => self.n_failed += 1,
            Some(End::Cut(Cut::Asleep)) => self.n_asleep += 1,
            Some(End::Cut(Cut::Depth | Cut::Preemptions)) => self.n_bounded += 1,
            Some(End::Cut(Cut::OffScript(_))) | None => {}
        }
    }

    /// Adds the counts of another part of the same search.
    pub fn merge(&mut self, other: &Self) {
        self.n_executions += other.n_executions;
        self.n_completed += other.n_completed;
        self.n_deadlocks += other.n_deadlocks;
        self.n_failed += other.n_failed;
        self.n_asleep += other.n_asleep;
        self.n_bounded += other.n_bounded;
        self.n_infeasible += other.n_infeasible;
        self.n_transitions += other.n_transitions;
        self.n_replayed += other.n_replayed;
        self.n_symmetric += other.n_symmetric;
        self.max_depth = self.max_depth.max(other.max_depth);
    }

    /// Mazurkiewicz traces seen to their end.
    #[must_use]
    pub fn n_traces(&self) -> u64 {
        self.n_completed + self.n_deadlocks + self.n_failed
    }
}
