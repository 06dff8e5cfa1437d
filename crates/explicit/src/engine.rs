//! The engine as others see it: which search fits the task.

use burnside_engine::{Engine, Monitor, Report, StoreMode, Task, Unsupported};
use burnside_ir::PropertyKind;
use burnside_jit::Compiled;
use burnside_store::{Compressed, Exact, Fingerprint};

use crate::search::search;
use crate::successors::{Interpreted, Native, Successors};

/// The explicit-state engine.
#[derive(Debug, Clone, Copy, Default)]
pub struct Explicit;

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
        let compiled = task.native.then(|| Compiled::new(task.model, task.layout, task.step_limits));
        match compiled {
            Some(Ok(compiled)) => check_with(task, monitor, || Native::new(task, &compiled)),
            // What the compiler does not treat, the interpreter does.
            Some(Err(_)) | None => check_with(task, monitor, || Interpreted::new(task)),
        }
    }
}

fn check_with<S: Successors>(task: &Task<'_>, monitor: &Monitor, successors: impl Fn() -> S + Sync) -> Report {
    match task.store {
        StoreMode::Exact => search::<Exact, S>(task, monitor, successors),
        StoreMode::Compressed => search::<Compressed, S>(task, monitor, successors),
        StoreMode::Fingerprint => search::<Fingerprint, S>(task, monitor, successors),
    }
}
