//! What the reference interpreter says about one state of a single execution.

use burnside_engine::{Breach, Task};
use burnside_interp::{Fault, Interpreter, Site};
use burnside_ir::{PropertyId, PropertyKind};
use burnside_step::{Judge, is_deadlock};

/// What an instance of a rule or start state leads to.
pub(crate) type End = Result<Vec<i64>, (Site, Box<Fault>)>;

/// The same as it stands in a trace, with what is wrong there.
pub(crate) struct Arrival {
    pub(crate) end: Result<Box<[u64]>, Site>,
    pub(crate) breach: Option<Breach>,
}

/// What led to a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Via {
    Start,
    Rule,
}

impl Via {
    /// What led to the last state of an execution of so many steps.
    pub(crate) fn after(n_steps: usize) -> Self {
        if n_steps == 0 { Self::Start } else { Self::Rule }
    }
}

/// Judges the states of an execution that another interpreter follows.
pub(crate) struct Referee<'m> {
    task: Task<'m>,
    judge: Judge,
    interpreter: Interpreter<'m>,
}

impl<'m> Referee<'m> {
    pub(crate) fn new(task: &Task<'m>) -> Self {
        Self { task: *task, judge: Judge::new(task), interpreter: task.interpreter() }
    }

    /// The assumption that excludes a state, if one does.
    pub(crate) fn excludes(&mut self, state: &[i64], via: Via) -> Option<PropertyId> {
        if self.is_inside(state, via) { None } else { self.judge.excludes(&mut self.interpreter, state) }
    }

    /// The first property that is violated, or faults, in a state.
    pub(crate) fn breach(&mut self, state: &[i64], via: Via) -> Option<Breach> {
        if self.is_inside(state, via) { None } else { self.judge.breach(&mut self.interpreter, state) }
    }

    /// Whether a state is a deadlock.
    pub(crate) fn is_deadlock(&mut self, state: &[i64], via: Via) -> bool {
        self.task.checks_deadlocks()
            && !self.is_inside(state, via)
            && is_deadlock(&self.task, &mut self.interpreter, state).is_ok()
    }

    /// What is wrong with a liveness condition in a state: a search looks at these once all states are known.
    pub(crate) fn liveness_fault(&mut self, state: &[i64], via: Via) -> Option<Breach> {
        if self.is_inside(state, via) {
            return None;
        }
        let mut properties = self.task.properties(PropertyKind::Liveness).into_iter();
        properties.find_map(|property| {
            let fault = self.interpreter.instances(state, property, |_, _| ()).err()?;
            Some(Breach::PropertyFault(property, fault))
        })
    }

    /// Whether a state lies inside a step, where nothing is claimed.
    fn is_inside(&mut self, state: &[i64], via: Via) -> bool {
        via == Via::Rule && self.interpreter.is_inside(state)
    }
}
