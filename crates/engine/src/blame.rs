//! What exactly is wrong where an engine noticed that something is, by the reference interpreter.

use std::ops::ControlFlow;

use burnside_interp::{Interpreter, Outcome, Truth};
use burnside_ir::{PropertyId, PropertyKind};

use crate::{Breach, DeadlockMode, Task, Trace};

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

/// The first property of states that is violated, or faults, in an unpacked state.
pub fn broken_property(task: &Task<'_>, interpreter: &mut Interpreter<'_>, state: &[i64]) -> Option<Breach> {
    let kinds = [PropertyKind::Assumption, PropertyKind::Invariant, PropertyKind::Cover];
    let properties: Vec<PropertyId> = kinds.iter().flat_map(|&kind| task.properties(kind)).collect();
    for property in properties {
        let fault = match task.model.property(property).kind {
            PropertyKind::Cover => interpreter.holds_somewhere(state, property).err(),
            kind => match interpreter.holds(state, property) {
                Ok(Truth::FailsFor(args)) if kind == PropertyKind::Invariant => {
                    return Some(Breach::Invariant(property, args));
                }
                truth => truth.err(),
            },
        };
        if let Some(fault) = fault {
            return Some(Breach::PropertyFault(property, fault));
        }
    }
    None
}

/// Whether a state is a deadlock by the task's mode; if not, why not.
pub fn is_deadlock(task: &Task<'_>, interpreter: &mut Interpreter<'_>, state: &[i64]) -> Result<(), String> {
    if interpreter.may_end(state) {
        return Err("an execution may end there".to_owned());
    }
    let mut way_out = None;
    interpreter.passages(state, |_, (rule, _), outcome, _| {
        let stays = match outcome {
            Outcome::Next(values) => values == state,
            Outcome::Pruned => true,
            Outcome::Fault(..) => false,
        };
        if stays && task.deadlock == DeadlockMode::Stuttering {
            return ControlFlow::Continue(());
        }
        way_out = Some(&task.model.rule(rule).name);
        ControlFlow::Break(())
    });
    way_out.map_or(Ok(()), |rule| Err(format!("rule `{rule}` leads out of the deadlock")))
}
