//! The engine as others see it.

use burnside_diag::Span;
use burnside_engine::{Declined, Engine, Monitor, Reason, Report, SearchOrder, StoreMode, Task, Unsupported};
use burnside_ir::{Layout, Model, PropertyKind};
use burnside_step::{Code, Stacks};

use super::claims::{TELLS_APART, names_somebody};
use super::search::{Guards, Search};
use crate::engine::NotAdaptive;
use crate::families::Families;
use crate::setup::Setup;

/// The search of one model up to permutations that may be a virtual symmetry. It declines if they are none.
#[derive(Debug, Clone)]
pub struct Virtual {
    setup: Setup,
    guards: Guards,
}

impl Virtual {
    /// Prepares the search of a verified model.
    ///
    /// # Errors
    /// If the model has no identities that might be alike, or its states are not all stored.
    pub fn new(model: &Model, layout: &Layout) -> Result<Self, NotAdaptive> {
        Ok(Self { setup: Setup::new(model, layout, Families::new(model))?, guards: Guards::Compared })
    }

    /// The search of the guarded quotient (Sistla and Godefroid, TOPLAS 2004) with all guards ignored: whatever holds of all
    /// its executions holds of the model's. It declines if that is not enough.
    #[must_use]
    pub fn without_guards(self) -> Self {
        Self { guards: Guards::Ignored, ..self }
    }

    /// How many members the largest class has.
    pub fn n_alike(&self) -> usize {
        self.setup.n_alike()
    }

    /// How many rules tell no identities apart.
    pub fn n_symmetric_rules(&self) -> usize {
        self.setup.n_symmetric_rules()
    }

    /// Whether nothing tells identities apart, so that permutations are automorphisms.
    pub fn is_symmetric(&self) -> bool {
        self.setup.is_symmetric()
    }

    /// What virtual symmetry does not keep, if it is asked for.
    fn stumbling_block(&self, task: &Task<'_>) -> Option<(&'static str, Span)> {
        let (model, all) = (task.model, burnside_analysis::coarsest(&self.setup.identities));
        let mut other_kinds = vec![PropertyKind::Assumption, PropertyKind::Liveness, PropertyKind::CoverPoint];
        if self.guards == Guards::Ignored {
            other_kinds.extend([PropertyKind::Cover, PropertyKind::Branching]);
        }
        if let Some(property) = other_kinds.into_iter().flat_map(|kind| task.properties(kind)).next() {
            return Some(("a property of another kind", model.property(property).span));
        }
        let of_states = [PropertyKind::Invariant, PropertyKind::Cover].into_iter();
        let mut of_states = of_states.flat_map(|kind| task.properties(kind));
        let named = of_states.find(|property| self.setup.properties[property.index()] != all);
        let named = named.map(|property| (TELLS_APART, model.property(property).span));
        named.or_else(|| names_somebody(task, &self.setup))
    }
}

impl Engine for Virtual {
    fn name(&self) -> &'static str {
        match self.guards {
            Guards::Compared => "virtual",
            Guards::Ignored => "guarded",
        }
    }

    fn admit(&self, task: &Task<'_>) -> Result<(), Unsupported> {
        let fits = task.order == SearchOrder::BreadthFirst && task.store == StoreMode::Exact;
        let (feature, span) = match self.stumbling_block(task) {
            Some(found) => found,
            None if !fits => {
                ("a search that does not go breadth first or does not store states exactly", Span::NOWHERE)
            }
            None if task.pauses => ("a search that can go on later", Span::NOWHERE),
            None if task.keeps_states || task.counts_orbits => ("an account of the states stood for", Span::NOWHERE),
            None => return Ok(()),
        };
        Err(Unsupported { feature: feature.to_owned(), span })
    }

    fn check(&self, task: &Task<'_>, monitor: &Monitor) -> Result<Report, Declined> {
        // Of a search that is cut short, loops are looked for among the states found; the explicit engine does that.
        let budget = monitor.budget();
        if !task.temporal_properties().is_empty() && (budget.depth.is_some() || budget.states.is_some()) {
            return Err(Reason::Undecided.into());
        }
        let Setup { extended, strict, .. } = &self.setup;
        let code = task.native.then(|| Code::windowed(task, extended, strict, Stacks::Usual)).flatten();
        Ok(Search::new((task, monitor), (&self.setup, self.guards), code.as_ref()).run()?)
    }
}
