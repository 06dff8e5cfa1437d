//! The engine as others see it: which search fits the task.

use burnside_engine::{Engine, GaveUp, Monitor, Patience, Report, StoreMode, Task, Unsupported};
use burnside_ir::{Model, PropertyId, PropertyKind, TypeId};
use burnside_step::{Code, Interpreted, Native, Stacks, Stepper, Successors};
use burnside_store::{Compressed, Exact, Fingerprint};
use burnside_symmetry::Reduction;

use crate::claims;
use crate::expander::{Expander, Means, OfOrbits, Representatives, Themselves};
use crate::search::search;
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
        let code = compile(task, reduction.strict_types());
        check_reduced((task, monitor), code.as_ref(), (reduction, self.patience)).unwrap_or_else(|gave_up| {
            let code = code.filter(|it| !it.is_strict()).or_else(|| compile(task, &[]));
            Report { gave_up: Some(gave_up), ..check_plain((task, monitor), code.as_ref()) }
        })
    }
}

/// Whether a temporal property can be checked up to symmetry. If not, its quantifiers must be written out, which tells
/// identities apart.
pub fn keeps_symmetry(model: &Model, property: PropertyId) -> bool {
    claims::keeps_symmetry(model, property)
}

/// Native code, if it is wanted and possible; if not, the interpreter does its work.
fn compile(task: &Task<'_>, strict: &[TypeId]) -> Option<Code> {
    task.native.then(|| Code::new(task, strict, Stacks::AsNeeded)).flatten()
}

fn check_plain(asked: (&Task<'_>, &Monitor), code: Option<&Code>) -> Report {
    let task = asked.0;
    let means = Means { task, code, reduction: None };
    let interpreted = || Interpreted::new(task);
    let report = match code {
        Some(code) => check_stored(asked, None, || Expander::new(means, Native::new(code, interpreted()), Themselves)),
        None => check_stored(asked, None, || Expander::new(means, interpreted(), Themselves)),
    };
    report.unwrap_or_else(|why| panic!("without reduction there is nothing to give up: {why:?}"))
}

// SOUND: the search visits a member of every orbit (see `burnside_symmetry`). A violation that the model's own order of
// evaluation does not show in the member at hand is not reported; the search is then repeated without reduction.
fn check_reduced(
    asked: (&Task<'_>, &Monitor),
    code: Option<&Code>,
    (reduction, patience): (&Reduction, Patience),
) -> Result<Report, GaveUp> {
    let task = asked.0;
    let interpreted = || Interpreted::new(task);
    if patience == Patience::Limited {
        let is_promising = match code {
            Some(code) => trial::is_promising(reduction, Successors::new(task, Native::new(code, interpreted()))),
            None => trial::is_promising(reduction, Successors::new(task, interpreted())),
        };
        if !is_promising {
            return Err(GaveUp::LittleSymmetry);
        }
    }
    let means = Means { task, code, reduction: Some(reduction) };
    let (strict, given) = (reduction.strict_types(), Some((reduction, patience)));
    let interpreted = || Interpreted::new(task).strict(strict);
    match code {
        Some(code) => check_stored(asked, given, || {
            Expander::new(means, Native::new(code, interpreted()), OfOrbits::new(reduction))
        }),
        None => check_stored(asked, given, || Expander::new(means, interpreted(), OfOrbits::new(reduction))),
    }
}

fn check_stored<'m, S: Stepper, R: Representatives>(
    asked: (&Task<'_>, &Monitor),
    reduction: Option<(&Reduction, Patience)>,
    expander: impl Fn() -> Expander<'m, S, R> + Sync,
) -> Result<Report, GaveUp> {
    match asked.0.store {
        StoreMode::Exact => search::<Exact, S, R>(asked, reduction, expander),
        StoreMode::Compressed => search::<Compressed, S, R>(asked, reduction, expander),
        StoreMode::Fingerprint => search::<Fingerprint, S, R>(asked, reduction, expander),
    }
}

#[cfg(test)]
mod tests;
