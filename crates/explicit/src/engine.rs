//! The engine as others see it: which search fits the task.

use burnside_engine::{Engine, GaveUp, Monitor, Patience, Report, StoreMode, Task, Unsupported};
use burnside_ir::PropertyKind;
use burnside_jit::Compiled;
use burnside_store::{Compressed, Exact, Fingerprint};
use burnside_symmetry::Reduction;

use crate::search::search;
use crate::successors::{Interpreted, Native, Reduced, Successors};

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
        match task.properties(PropertyKind::Liveness).first() {
            Some(&property) if task.store == StoreMode::Fingerprint => Err(Unsupported {
                feature: "a liveness property with fingerprints in place of states".to_owned(),
                span: task.model.property(property).span,
            }),
            _ => Ok(()),
        }
    }

    fn check(&self, task: &Task<'_>, monitor: &Monitor) -> Report {
        let gave_up = match self.reduction.as_ref().map(|it| check_reduced(task, monitor, it, self.patience)) {
            Some(Ok(report)) => return report,
            Some(Err(gave_up)) => Some(gave_up),
            None => None,
        };
        let compiled = task.native.then(|| Compiled::new(task.model, task.layout, task.step_limits, &[]));
        let report = match compiled {
            Some(Ok(compiled)) => check_with((task, monitor), None, || Native::new(task, &compiled)),
            // What the compiler does not treat, the interpreter does.
            Some(Err(_)) | None => check_with((task, monitor), None, || Interpreted::new(task)),
        };
        let report = report.unwrap_or_else(|why| panic!("without reduction there is nothing to give up: {why:?}"));
        Report { gave_up, ..report }
    }
}

// SOUND: the search visits a member of every orbit (see `burnside_symmetry`). A violation that the model's own order of
// evaluation does not show in the member at hand is not reported; the search is then repeated without reduction.
fn check_reduced(
    task: &Task<'_>,
    monitor: &Monitor,
    reduction: &Reduction,
    patience: Patience,
) -> Result<Report, GaveUp> {
    reduction.forget();
    let strict = reduction.strict_types();
    let compiled = task.native.then(|| Compiled::new(task.model, task.layout, task.step_limits, strict));
    match compiled {
        Some(Ok(compiled)) => check_with((task, monitor), Some((reduction, patience)), || {
            Reduced::new(Native::new(task, &compiled).strict(strict), reduction)
        }),
        Some(Err(_)) | None => check_with((task, monitor), Some((reduction, patience)), || {
            Reduced::new(Interpreted::new(task).strict(strict), reduction)
        }),
    }
}

fn check_with<S: Successors>(
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
