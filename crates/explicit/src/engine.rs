//! The engine as others see it: which search fits the task.

use std::thread;

use burnside_engine::{AuditMode, Engine, GaveUp, Monitor, Patience, Report, StoreMode, Task, Unsupported};
use burnside_interp::STACK_BYTES;
use burnside_ir::{Model, PropertyId, PropertyKind, TypeId};
use burnside_jit::Compiled;
use burnside_store::{Compressed, Exact, Fingerprint};
use burnside_symmetry::Reduction;

use crate::audited::Audited;
use crate::claims;
use crate::search::search;
use crate::successors::{Interpreted, Native, Reduced, Successors};
use crate::trial;

/// The explicit-state engine.
#[derive(Debug, Clone, Default)]
pub struct Explicit {
    /// How states of one orbit are brought together, if they are.
    pub reduction: Option<Reduction>,
    /// What happens if that does not pay.
    pub patience: Patience,
}

impl Engine for Explicit {
    fn name(&self) -> &'static str {
        "explicit"
    }

    /// Liveness is decided by going back over stored states, which fingerprints do not keep.
    fn admit(&self, task: &Task<'_>) -> Result<(), Unsupported> {
        let refused = |property: PropertyId, what: &str| {
            let span = task.model.property(property).span;
            Err(Unsupported { feature: format!("a {what} property with fingerprints in place of states"), span })
        };
        let (liveness, temporal) = (task.properties(PropertyKind::Liveness), task.temporal_properties());
        match (liveness.first(), temporal.first()) {
            _ if task.store != StoreMode::Fingerprint => Ok(()),
            (Some(&property), _) => refused(property, "liveness"),
            (None, Some(&property)) => refused(property, "temporal"),
            (None, None) => Ok(()),
        }
    }

    fn check(&self, task: &Task<'_>, monitor: &Monitor) -> Report {
        let Some(reduction) = &self.reduction else { return check_plain((task, monitor), compile(task, &[]).as_ref()) };
        reduction.forget();
        let compiled = compile(task, reduction.strict_types());
        check_reduced((task, monitor), compiled.as_ref(), (reduction, self.patience)).unwrap_or_else(|gave_up| {
            let compiled = compiled.filter(|it| !it.is_strict()).or_else(|| compile(task, &[]));
            Report { gave_up: Some(gave_up), ..check_plain((task, monitor), compiled.as_ref()) }
        })
    }
}

/// Whether a temporal property can be checked up to symmetry. If not, its quantifiers must be written out, which tells
/// identities apart.
pub fn keeps_symmetry(model: &Model, property: PropertyId) -> bool {
    claims::keeps_symmetry(model, property)
}

/// Native code, if it is wanted; what the compiler does not treat, the interpreter does. So it does where no thread can
/// have the stack that native code wants.
fn compile(task: &Task<'_>, strict: &[TypeId]) -> Option<Compiled> {
    let compiled =
        task.native.then(|| Compiled::new(task.model, task.layout, task.step_limits, strict).ok()).flatten()?;
    let stack_bytes = STACK_BYTES + compiled.stack_bytes() as usize;
    let has_room = compiled.stack_bytes() <= STACK_BYTES as u64 / 2
        || thread::Builder::new().stack_size(stack_bytes).spawn(|| ()).is_ok_and(|thread| thread.join().is_ok());
    has_room.then_some(compiled)
}

fn check_plain(asked: (&Task<'_>, &Monitor), compiled: Option<&Compiled>) -> Report {
    let report = match compiled {
        Some(code) => check_with(asked, compiled, None, || Native::new(asked.0, code)),
        None => check_with(asked, None, None, || Interpreted::new(asked.0)),
    };
    report.unwrap_or_else(|why| panic!("without reduction there is nothing to give up: {why:?}"))
}

// SOUND: the search visits a member of every orbit (see `burnside_symmetry`). A violation that the model's own order of
// evaluation does not show in the member at hand is not reported; the search is then repeated without reduction.
fn check_reduced(
    asked: (&Task<'_>, &Monitor),
    compiled: Option<&Compiled>,
    (reduction, patience): (&Reduction, Patience),
) -> Result<Report, GaveUp> {
    let task = asked.0;
    if patience == Patience::Limited {
        let is_promising = match compiled {
            Some(compiled) => trial::is_promising(reduction, Native::new(task, compiled)),
            None => trial::is_promising(reduction, Interpreted::new(task)),
        };
        if !is_promising {
            return Err(GaveUp::LittleSymmetry);
        }
    }
    let strict = reduction.strict_types();
    match compiled {
        Some(code) => check_with(asked, compiled, Some((reduction, patience)), || {
            Reduced::new(Native::new(task, code).strict(strict), reduction)
        }),
        None => check_with(asked, None, Some((reduction, patience)), || {
            Reduced::new(Interpreted::new(task).strict(strict), reduction)
        }),
    }
}

fn check_with<S: Successors>(
    asked: (&Task<'_>, &Monitor),
    compiled: Option<&Compiled>,
    reduction: Option<(&Reduction, Patience)>,
    successors: impl Fn() -> S + Sync,
) -> Result<Report, GaveUp> {
    if asked.0.audit == AuditMode::Off {
        return check_stored(asked, reduction, successors);
    }
    let audited = || Audited::new(successors(), asked.0, compiled, reduction.map(|(reduction, _)| reduction));
    check_stored(asked, reduction, audited)
}

fn check_stored<S: Successors>(
    asked: (&Task<'_>, &Monitor),
    reduction: Option<(&Reduction, Patience)>,
    successors: impl Fn() -> S + Sync,
) -> Result<Report, GaveUp> {
    match asked.0.store {
        StoreMode::Exact => search::<Exact, S>(asked, reduction, successors),
        StoreMode::Compressed => search::<Compressed, S>(asked, reduction, successors),
        StoreMode::Fingerprint => search::<Fingerprint, S>(asked, reduction, successors),
    }
}

#[cfg(test)]
mod tests;
