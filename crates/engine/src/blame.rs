//! What exactly is wrong where an engine noticed that something is, by the reference interpreter.

use std::ops::ControlFlow;

use burnside_interp::{Interpreter, Outcome, Truth};
use burnside_ir::{PropertyId, PropertyKind};

use crate::{Breach, Task, Trace};

/// The first start state that faults.
pub fn faulty_start(interpreter: &mut Interpreter<'_>) -> Option<(Breach, Trace)> {
    let mut found = None;
    interpreter.starts(|start, args, outcome| {
        let Outcome::Fault(_, fault) = outcome else { return ControlFlow::Continue(()) };
        let trace = Trace { start, start_args: args.to_vec(), first: None, steps: Vec::new() };
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
