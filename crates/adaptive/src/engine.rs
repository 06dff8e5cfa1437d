//! The engine as others see it.

use std::fmt;

use burnside_analysis::IdentityClass;
use burnside_diag::Span;
use burnside_engine::{
    Counts, Declined, Engine, Monitor, Reason, Report, SearchOrder, Shortfall, StoreMode, Task, Unsupported, Verdict,
};
use burnside_ir::{Layout, Model, PropertyKind};
use burnside_step::{Code, Stacks};
use burnside_symmetry::Symmetry;

use crate::families::Families;
use crate::linear;
use crate::search::Search;
use crate::setup::Setup;

/// The adaptive search of one model.
#[derive(Debug, Clone)]
pub struct Adaptive {
    setup: Setup,
}

/// Why a model is not for this search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotAdaptive {
    /// No class of identities is left some freedom by most rules.
    NoIdentities,
    /// A liveness property needs more than reachability.
    Liveness(Span),
    /// The model says that some states are passed through, or where executions may end, here.
    Shaped(Span),
}

impl fmt::Display for NotAdaptive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoIdentities => "no identities are alike for most of the rules",
            Self::Liveness(_) => "there is a liveness property",
            Self::Shaped(_) => "some states lie inside steps or may be the last",
        })
    }
}

impl Adaptive {
    /// Prepares the search of a verified model.
    pub fn new(model: &Model, layout: &Layout) -> Result<Self, NotAdaptive> {
        Self::of(model, layout, Families::new(model))
    }

    fn of(model: &Model, layout: &Layout, families: Families) -> Result<Self, NotAdaptive> {
        if let Some(property) = model.properties_of(PropertyKind::Liveness).next() {
            return Err(NotAdaptive::Liveness(model.property(property).span));
        }
        Ok(Self { setup: Setup::new(model, layout, families)? })
    }

    /// The same with one partition for all rules and properties from the start: what symmetry reduction does that knows
    /// only permutations which are automorphisms of the whole model. Here for comparison.
    pub fn standard(model: &Model, layout: &Layout) -> Result<Self, NotAdaptive> {
        let mut families = Families::new(model);
        families.share();
        let mut made = Self::of(model, layout, families)?;
        made.setup.coarsens = false;
        Ok(made)
    }

    /// How many members the largest class has.
    pub fn n_alike(&self) -> usize {
        self.setup.n_alike()
    }

    /// How many rules tell no identities apart.
    pub fn n_symmetric_rules(&self) -> usize {
        self.setup.n_symmetric_rules()
    }

    /// Whether nothing tells identities apart.
    pub fn is_symmetric(&self) -> bool {
        self.setup.is_symmetric()
    }

    /// Whether all classes that take part were proved: no rule or property tells their members apart then, every
    /// annotated state has the coarsest partition, and the search is that over representatives of orbits.
    pub fn is_full_reduction(&self, symmetry: &Symmetry) -> bool {
        let is_proved = |class: &IdentityClass| symmetry.classes.iter().any(|proved| proved.types == class.types);
        self.setup.identities.classes().iter().all(is_proved)
    }
}

impl Engine for Adaptive {
    fn name(&self) -> &'static str {
        "adaptive"
    }

    /// Liveness was looked for when the search was prepared.
    fn admit(&self, task: &Task<'_>) -> Result<(), Unsupported> {
        if let Some((feature, span)) = linear::stumbling_block(task, &self.setup) {
            return Err(Unsupported { feature: feature.to_owned(), span });
        }
        let fits = task.order == SearchOrder::BreadthFirst && task.store == StoreMode::Exact;
        let feature = match (fits, task.pauses) {
            (true, false) => return Ok(()),
            (true, true) => "a search that can go on later",
            (false, _) => "a search that does not go breadth first or does not store states exactly",
        };
        Err(Unsupported { feature: feature.to_owned(), span: Span::NOWHERE })
    }

    fn check(&self, task: &Task<'_>, monitor: &Monitor) -> Result<Report, Declined> {
        // Of a search that is cut short, loops are looked for among the states found; the explicit engine does that.
        let budget = monitor.budget();
        if !task.temporal_properties().is_empty() && (budget.depth.is_some() || budget.states.is_some()) {
            return Err(Reason::Undecided.into());
        }
        let Setup { extended, strict, .. } = &self.setup;
        let code = task.native.then(|| Code::windowed(task, extended, strict, Stacks::Usual)).flatten();
        match Search::new((task, monitor), &self.setup, code.as_ref()) {
            Some(search) => Ok(search.run()?),
            None => Ok(Report::new(task, Verdict::Unknown(Shortfall::Memory), Counts::default())),
        }
    }
}

#[cfg(test)]
mod tests;
