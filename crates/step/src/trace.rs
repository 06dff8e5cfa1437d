//! Executions: a start state and the steps from it.

use burnside_interp::Site;
use burnside_ir::{RuleId, StartId};

/// An execution of a model, states in packed form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    /// The start state's definition.
    pub start: StartId,
    /// Its parameters.
    pub start_args: Vec<i64>,
    /// The first state; `None` if the start state itself faulted.
    pub first: Option<Box<[u64]>>,
    /// What follows.
    pub steps: Vec<Step>,
    /// If the execution goes on for ever: the number of the state that comes again at the end. With that of the last
    /// state the execution has ended, and nothing more happens in it.
    pub loop_start: Option<usize>,
}

/// One rule firing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The rule.
    pub rule: RuleId,
    /// Its parameters.
    pub args: Vec<i64>,
    /// The state it leads to, or where it faulted instead (only in the last step).
    pub end: Result<Box<[u64]>, Site>,
}

impl Trace {
    /// The last state that was reached.
    pub fn last_state(&self) -> Option<&[u64]> {
        let reached = self.steps.iter().rev().find_map(|step| step.end.as_deref().ok());
        reached.or(self.first.as_deref())
    }

    /// How many rules fired: a fault in an action counts, one in a guard does not.
    pub fn n_fired(&self) -> usize {
        self.steps.iter().filter(|step| !matches!(step.end, Err(Site::Guard))).count()
    }
}
