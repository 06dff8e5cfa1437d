//! The engine as others see it: which search fits the task.

use burnside_diag::Span;
use burnside_engine::{
    Declined, Engine, Monitor, Reason, Report, SearchOrder, Shortfall, StoreMode, Task, Unsupported, Verdict,
};
use burnside_ir::{Model, PropertyId, PropertyKind, TypeId};
use burnside_step::{Code, Interpreted, Native, Stacks, Stepper, Successors};
use burnside_store::{Compressed, Exact, Fingerprint};
use burnside_symmetry::{Memory, Reduction, Strategy};

use crate::claims;
use crate::expander::{Expander, Means, OfOrbits, Quotient, Representatives, Themselves};
use crate::partial::{Partial, PartialOrder};
use crate::search::search;
use crate::trial;

/// The explicit-state engine.
#[derive(Debug, Clone, Default)]
pub struct Explicit {
    /// How states of one orbit are brought together, if they are. Without, the engine never declines.
    pub reduction: Option<Reduction>,
    /// How steps that need not be taken now are put off, if they are.
    pub partial_order: Option<PartialOrder>,
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
        if let Some(feature) = self.cannot_pause(task) {
            return Err(Unsupported { feature, span: Span::NOWHERE });
        }
        if let Some(property) = self.reduction.as_ref().and_then(|reduction| not_followed(task, reduction)) {
            let feature = NOT_FOLLOWED.to_owned();
            return Err(Unsupported { feature, span: task.model.property(property).span });
        }
        let (liveness, temporal) = (task.properties(PropertyKind::Liveness), task.temporal_properties());
        match (liveness.first(), temporal.first()) {
            _ if task.store != StoreMode::Fingerprint => Ok(()),
            (Some(&property), _) => refused(property, "liveness"),
            (None, Some(&property)) => refused(property, "temporal"),
            (None, None) => Ok(()),
        }
    }

    /// With linear properties the search is made in stages, each with so many states more that all before cost little: a
    /// violation among few states of a huge model is found early.
    fn check(&self, task: &Task<'_>, monitor: &Monitor) -> Result<Report, Declined> {
        let mut stage = match task.order {
            SearchOrder::BreadthFirst => FIRST_STAGE,
            SearchOrder::DepthFirst => FIRST_STAGE_DEPTH_FIRST,
        };
        let has_more = |stage| monitor.budget().states.is_none_or(|limit| limit > stage);
        // A search that goes on has passed the stages that it has more states than.
        while task.resumed.is_some_and(|saved| stage <= saved.n_states()) {
            stage *= STAGE_FACTOR;
        }
        let mut task = *task;
        while is_staged(&task) && has_more(stage) {
            monitor.set_stage(Some(stage));
            let report = self.search(&task, monitor);
            monitor.set_stage(None);
            match report {
                Ok(Report { verdict: Verdict::Unknown(Shortfall::States(_)), .. }) => stage *= STAGE_FACTOR,
                report => return report,
            }
            task.resumed = None;
        }
        self.search(&task, monitor)
    }
}

/// After how many states the first look is taken: what takes a fraction of a second needs none.
const FIRST_STAGE: u64 = 1 << 17;
/// Depth first, loops come early.
const FIRST_STAGE_DEPTH_FIRST: u64 = 1 << 12;
const STAGE_FACTOR: u64 = 8;

const NOT_FOLLOWED: &str = "a liveness property whose parameters this symmetry strategy does not follow";

/// A liveness property whose parameters cannot be followed along the steps of the quotient: `refine` alone tells what
/// becomes of names, and only for parameters that go through types.
fn not_followed(task: &Task<'_>, reduction: &Reduction) -> Option<PropertyId> {
    let with_parameters = |property: &PropertyId| !task.model.property(*property).binders.is_empty();
    let is_followed =
        |property: PropertyId| reduction.strategy() == Strategy::Refine && tracks_parameters(task.model, property);
    let mut liveness = task.properties(PropertyKind::Liveness).into_iter().filter(with_parameters);
    liveness.find(|&property| !is_followed(property))
}

/// Whether a look at some of the states can tell something.
fn is_staged(task: &Task<'_>) -> bool {
    let is_linear = |&property: &PropertyId| claims::can_be_violated_by_part(task.model, property);
    task.store != StoreMode::Fingerprint
        && !claims::has_assumptions(task.model)
        && task.temporal_properties().iter().any(is_linear)
}

impl Explicit {
    /// Why a search cannot go on later, if that is wanted.
    fn cannot_pause(&self, task: &Task<'_>) -> Option<String> {
        let has_memory = |reduction: &Reduction| reduction.strategy().has_memory();
        match &self.reduction {
            _ if !task.pauses => None,
            _ if task.store == StoreMode::Fingerprint => {
                Some("a search that can go on later with fingerprints in place of states".to_owned())
            }
            Some(reduction) if has_memory(reduction) => {
                let name = reduction.strategy().name();
                Some(format!("a search that can go on later with symmetry {name}, which remembers more than states"))
            }
            _ => None,
        }
    }

    fn search(&self, task: &Task<'_>, monitor: &Monitor) -> Result<Report, Declined> {
        // SOUND: what cannot be followed is decided without reduction.
        let reduction = self.reduction.as_ref().filter(|reduction| not_followed(task, reduction).is_none());
        let strict = reduction.map_or(&[][..], Reduction::strict_types);
        let handed_on = task.code.filter(|code| code.serves(strict));
        let made = if handed_on.is_none() { compile(task, strict) } else { None };
        let code = handed_on.or(made.as_ref());
        let numbered = self.partial_order.as_ref().and_then(|_| claims::compile(task, strict));
        let numbered = numbered.as_ref();
        let partial = self.partial_order.as_ref().map(|order| Partial { order, numbered });
        let report = match reduction {
            None => check_plain(Means { task, code, quotient: None, partial }, monitor),
            Some(reduction) => check_reduced(Means { task, code, quotient: None, partial }, monitor, reduction),
        };
        report.map_err(|reason| Declined { reason, code: made.filter(|code| !code.is_strict()).map(Box::new) })
    }
}

/// Whether a temporal property can be checked up to symmetry. If not, its quantifiers must be written out, which tells
/// identities apart.
pub fn keeps_symmetry(model: &Model, property: PropertyId) -> bool {
    claims::keeps_symmetry(model, property)
}

/// Whether the parameters of a liveness property can be tracked, so that it can be checked up to symmetry.
pub fn tracks_parameters(model: &Model, property: PropertyId) -> bool {
    claims::tracks_parameters(model, property)
}

/// Native code, if it is wanted and possible; if not, the interpreter does its work.
fn compile(task: &Task<'_>, strict: &[TypeId]) -> Option<Code> {
    task.native.then(|| Code::new(task, strict, Stacks::AsNeeded)).flatten()
}

fn check_plain(means: Means<'_>, monitor: &Monitor) -> Result<Report, Reason> {
    let Means { task, code, .. } = means;
    let interpreted = || Interpreted::new(task);
    match code {
        Some(code) => {
            check_stored(means, monitor, || Expander::new(means, Native::new(code, interpreted()), Themselves))
        }
        None => check_stored(means, monitor, || Expander::new(means, interpreted(), Themselves)),
    }
}

// SOUND: the search visits a member of every orbit (see `burnside_symmetry`). A violation that the model's own order of
// evaluation does not show in the member at hand is not reported; the engine then declines.
fn check_reduced(means: Means<'_>, monitor: &Monitor, reduction: &Reduction) -> Result<Report, Reason> {
    let Means { task, code, .. } = means;
    let interpreted = || Interpreted::new(task);
    if task.may_decline && task.resumed.is_none() {
        let is_promising = match code {
            Some(code) => trial::is_promising(reduction, Successors::new(task, Native::new(code, interpreted()))),
            None => trial::is_promising(reduction, Successors::new(task, interpreted())),
        };
        if !is_promising {
            return Err(Reason::LittleSymmetry);
        }
    }
    let memory = Memory::default();
    let quotient = Quotient { reduction, memory: &memory };
    let means = Means { quotient: Some(quotient), ..means };
    let interpreted = || Interpreted::new(task).strict(reduction.strict_types());
    match code {
        Some(code) => check_stored(means, monitor, || {
            Expander::new(means, Native::new(code, interpreted()), OfOrbits::new(quotient))
        }),
        None => check_stored(means, monitor, || Expander::new(means, interpreted(), OfOrbits::new(quotient))),
    }
}

fn check_stored<'m, S: Stepper, R: Representatives>(
    means: Means<'m>,
    monitor: &Monitor,
    expander: impl Fn() -> Expander<'m, S, R> + Sync,
) -> Result<Report, Reason> {
    match means.task.store {
        StoreMode::Exact => search::<Exact, S, R>(means, monitor, expander),
        StoreMode::Compressed => search::<Compressed, S, R>(means, monitor, expander),
        StoreMode::Fingerprint => search::<Fingerprint, S, R>(means, monitor, expander),
    }
}

#[cfg(test)]
mod tests;
