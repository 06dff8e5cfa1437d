//! What the reference interpreter says about one state of a single execution.

use std::ops::ControlFlow;

use burnside_engine::{Breach, DeadlockMode, Task};
use burnside_interp::{Fault, Interpreter, Outcome, Site, Truth};
use burnside_ir::{PropertyId, PropertyKind};

/// What an instance of a rule or start state leads to.
pub(crate) type End = Result<Vec<i64>, (Site, Box<Fault>)>;

/// The same as it stands in a trace, with what is wrong there.
pub(crate) struct Arrival {
    pub(crate) end: Result<Box<[u64]>, Site>,
    pub(crate) breach: Option<Breach>,
}

/// Evaluates properties on the states of an execution that another interpreter follows.
pub(crate) struct Judge<'m> {
    interpreter: Interpreter<'m>,
    deadlock: DeadlockMode,
    assumptions: Vec<PropertyId>,
    invariants: Vec<PropertyId>,
}

impl<'m> Judge<'m> {
    pub(crate) fn new(task: &Task<'m>) -> Self {
        Self {
            interpreter: Interpreter::new(task.model, task.layout, task.step_limits),
            // The question about a single property leaves deadlocks out, as in a search.
            deadlock: if task.only.is_some() { DeadlockMode::Off } else { task.deadlock },
            assumptions: task.properties(PropertyKind::Assumption),
            invariants: task.properties(PropertyKind::Invariant),
        }
    }

    /// The first assumption that excludes a state. One that faults does not: the fault is reported by `breach`.
    pub(crate) fn excludes(&mut self, state: &[i64]) -> Option<PropertyId> {
        let interpreter = &mut self.interpreter;
        self.assumptions.iter().copied().find(|&it| matches!(interpreter.holds(state, it), Ok(Truth::FailsFor(_))))
    }

    /// The first property that is violated, or faults, in a state.
    pub(crate) fn breach(&mut self, state: &[i64]) -> Option<Breach> {
        for &property in self.assumptions.iter().chain(&self.invariants) {
            match self.interpreter.holds(state, property) {
                Ok(Truth::Everywhere) => {}
                Ok(Truth::FailsFor(args)) => return Some(Breach::Invariant(property, args)),
                Err(fault) => return Some(Breach::PropertyFault(property, fault)),
            }
        }
        None
    }

    /// Whether a state is a deadlock.
    pub(crate) fn is_deadlock(&mut self, state: &[i64]) -> bool {
        let mode = self.deadlock;
        if mode == DeadlockMode::Off {
            return false;
        }
        let mut dead = true;
        self.interpreter.successors(state, |_, _, outcome| {
            let stays = matches!(outcome, Outcome::Next(values) if values == state);
            dead = stays && mode == DeadlockMode::Stuttering;
            if dead { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        dead
    }
}
