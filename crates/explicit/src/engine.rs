//! The engine as others see it: which search fits the task.

use burnside_engine::{Engine, Monitor, Report, StoreMode, Task, Unsupported};
use burnside_ir::PropertyKind;
use burnside_jit::Compiled;
use burnside_store::{Compressed, Exact, Fingerprint};
use burnside_symmetry::Reduction;

use crate::search::{Unexplained, search};
use crate::successors::{Interpreted, Native, Reduced, Successors};

/// The explicit-state engine.
#[derive(Debug, Clone, Default)]
pub struct Explicit {
    /// How states of one orbit are brought together, if they are.
    pub reduction: Option<Reduction>,
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
        if let Some(reduction) = &self.reduction {
            match check_reduced(task, monitor, reduction) {
                Ok(report) => return report,
                Err(Unexplained) => reduction.give_up(),
            }
        }
        let compiled = task.native.then(|| Compiled::new(task.model, task.layout, task.step_limits, &[]));
        let report = match compiled {
            Some(Ok(compiled)) => check_with(task, monitor, None, || Native::new(task, &compiled)),
            // What the compiler does not treat, the interpreter does.
            Some(Err(_)) | None => check_with(task, monitor, None, || Interpreted::new(task)),
        };
        report.unwrap_or_else(|Unexplained| panic!("without reduction every violation has a trace"))
    }
}

// SOUND: the search visits a member of every orbit (see `burnside_symmetry`). A violation that the model's own order of
// evaluation does not show in the member at hand is not reported; the search is then repeated without reduction.
fn check_reduced(task: &Task<'_>, monitor: &Monitor, reduction: &Reduction) -> Result<Report, Unexplained> {
    reduction.forget();
    let strict = reduction.strict_types();
    let compiled = task.native.then(|| Compiled::new(task.model, task.layout, task.step_limits, strict));
    match compiled {
        Some(Ok(compiled)) => check_with(task, monitor, Some(reduction), || {
            Reduced::new(Native::new(task, &compiled).strict(strict), reduction)
        }),
        Some(Err(_)) | None => check_with(task, monitor, Some(reduction), || {
            Reduced::new(Interpreted::new(task).strict(strict), reduction)
        }),
    }
}

fn check_with<S: Successors>(
    task: &Task<'_>,
    monitor: &Monitor,
    reduction: Option<&Reduction>,
    successors: impl Fn() -> S + Sync,
) -> Result<Report, Unexplained> {
    match task.store {
        StoreMode::Exact => search::<Exact, S>(task, monitor, reduction, successors),
        StoreMode::Compressed => search::<Compressed, S>(task, monitor, reduction, successors),
        StoreMode::Fingerprint => search::<Fingerprint, S>(task, monitor, reduction, successors),
    }
}

#[cfg(test)]
mod tests;
