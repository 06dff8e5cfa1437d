//! What exactly is wrong where somebody noticed that something is, by the reference interpreter.

use std::ops::ControlFlow;

use burnside_interp::{Fault, Interpreter, Outcome, Truth};
use burnside_ir::{PropertyId, PropertyKind};

use crate::{Question, Trace};

/// What is wrong at the end of a trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Breach {
    /// An invariant is false in the last state, for these parameters.
    Invariant(PropertyId, Vec<i64>),
    /// The last step faulted.
    Fault(Box<Fault>),
    /// Evaluating a property in the last state faulted.
    PropertyFault(PropertyId, Box<Fault>),
    /// The last state is a deadlock.
    Deadlock,
    /// From the last state no state can be reached that satisfies the property, for these parameters.
    Liveness(PropertyId, Vec<i64>),
    /// No reachable state satisfies the property.
    Uncovered(PropertyId),
    /// A formula is false of the execution, for these values of the variables before it, which are given by number; or in
    /// the first state if it is about states.
    Temporal(PropertyId, Vec<(u32, i64)>),
}

impl Breach {
    /// The declared property that is violated, if it is one.
    pub fn property(&self) -> Option<PropertyId> {
        match self {
            Self::Invariant(property, _)
            | Self::PropertyFault(property, _)
            | Self::Liveness(property, _)
            | Self::Uncovered(property)
            | Self::Temporal(property, _) => Some(*property),
            Self::Fault(_) | Self::Deadlock => None,
        }
    }

    /// What is wrong with a property in a state, if it is one that is looked at in every state and something is.
    pub fn of_property(interpreter: &mut Interpreter<'_>, state: &[i64], property: PropertyId) -> Option<Self> {
        let kind = interpreter.model().property(property).kind;
        let fault = match kind {
            PropertyKind::Cover => interpreter.holds_somewhere(state, property).err(),
            _ => match interpreter.holds(state, property) {
                Ok(Truth::FailsFor(args)) if kind == PropertyKind::Invariant => {
                    return Some(Self::Invariant(property, args));
                }
                truth => truth.err(),
            },
        };
        fault.map(|fault| Self::PropertyFault(property, fault))
    }
}

/// The first start state that faults.
pub fn faulty_start(interpreter: &mut Interpreter<'_>) -> Option<(Breach, Trace)> {
    let mut found = None;
    interpreter.starts(|start, args, outcome| {
        let Outcome::Fault(_, fault) = outcome else { return ControlFlow::Continue(()) };
        let trace = Trace { start, start_args: args.to_vec(), first: None, steps: Vec::new(), loop_start: None };
        found = Some((Breach::Fault(fault), trace));
        ControlFlow::Break(())
    });
    found
}

/// Whether a state is a deadlock by the question's mode; if not, why not.
pub fn is_deadlock(question: &Question<'_>, interpreter: &mut Interpreter<'_>, state: &[i64]) -> Result<(), String> {
    if interpreter.may_end(state) {
        return Err("an execution may end there".to_owned());
    }
    let mut way_on = None;
    interpreter.passages(state, |_, (rule, _), outcome, _| {
        if !question.deadlock.is_way_on(outcome.stays_in(state)) {
            return ControlFlow::Continue(());
        }
        way_on = Some(&question.model.rule(rule).name);
        ControlFlow::Break(())
    });
    way_on.map_or(Ok(()), |rule| Err(format!("rule `{rule}` leads out of the deadlock")))
}
