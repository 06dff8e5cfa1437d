//! What an engine is asked to do.

use std::num::NonZeroUsize;

use burnside_diag::Span;
use burnside_interp::Limits;
use burnside_ir::{Layout, Model, PropertyId, PropertyKind};

use crate::{AuditMode, Fairness, Monitor, Report};

/// A way to find out whether a model's properties hold.
pub trait Engine {
    /// The name used on the command line and in reports.
    fn name(&self) -> &'static str;

    /// Everything this engine cannot treat, found before any search begins.
    fn admit(&self, task: &Task<'_>) -> Result<(), Unsupported>;

    /// Searches until the verdict is known or `monitor` says to stop.
    fn check(&self, task: &Task<'_>, monitor: &Monitor) -> Report;
}

/// A model and the question about it.
#[derive(Debug, Clone, Copy)]
pub struct Task<'m> {
    /// The verified model.
    pub model: &'m Model,
    /// Its layout.
    pub layout: &'m Layout,
    /// Which states count as deadlocks.
    pub deadlock: DeadlockMode,
    /// In which order states are expanded.
    pub order: SearchOrder,
    /// How long one step may take.
    pub step_limits: Limits,
    /// The only property to check, or all (deadlock included).
    pub only: Option<PropertyId>,
    /// How many threads may search. What is found, and what is counted, does not depend on it.
    pub threads: NonZeroUsize,
    /// What is kept of visited states.
    pub store: StoreMode,
    /// Whether rules are compiled to native code, where the compiler treats the model.
    pub native: bool,
    /// Whether the stored states are to be handed back if everything holds.
    pub keeps_states: bool,
    /// Which states are looked at twice.
    pub audit: AuditMode,
    /// Which executions temporal properties speak of.
    pub fairness: Fairness,
}

impl<'m> Task<'m> {
    /// The question with the usual settings.
    pub fn new(model: &'m Model, layout: &'m Layout) -> Self {
        Self {
            model,
            layout,
            deadlock: DeadlockMode::Stuttering,
            order: SearchOrder::BreadthFirst,
            step_limits: Limits::default(),
            only: None,
            threads: NonZeroUsize::MIN,
            store: StoreMode::Exact,
            native: true,
            keeps_states: false,
            audit: AuditMode::default(),
            fairness: Fairness::default(),
        }
    }

    /// Whether deadlocks are looked for: where one property is asked for, nothing else is.
    pub fn checks_deadlocks(&self) -> bool {
        self.only.is_none() && self.deadlock != DeadlockMode::Off
    }

    /// The properties of a kind that are to be checked. Those that shape the state space always count.
    pub fn properties(&self, kind: PropertyKind) -> Vec<PropertyId> {
        let wanted = |id: &PropertyId| !kind.is_claim() || self.only.is_none_or(|only| only == *id);
        self.model.properties_of(kind).filter(wanted).collect()
    }

    /// The temporal properties that are to be checked, in the order of the text but for those of branching time, which
    /// come last.
    pub fn temporal_properties(&self) -> Vec<PropertyId> {
        let kinds = [PropertyKind::Linear, PropertyKind::Branching];
        kinds.into_iter().flat_map(|kind| self.properties(kind)).collect()
    }
}

/// Which states are reported as deadlocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DeadlockMode {
    /// None.
    Off,
    /// Those in which no rule is enabled.
    Stuck,
    /// Those from which no rule leads to another state.
    Stuttering,
}

/// Which state is expanded next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SearchOrder {
    /// The one found first; traces are shortest.
    BreadthFirst,
    /// The one found last.
    DepthFirst,
}

/// What is kept of visited states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StoreMode {
    /// Everything, as it is.
    Exact,
    /// Everything, with parts that occur in several states stored once: slower, less memory for large states.
    Compressed,
    /// 64 bits of hash: a search that finds nothing is inconclusive.
    Fingerprint,
}

/// Something an engine cannot treat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsupported {
    /// What it is.
    pub feature: String,
    /// Where the model uses it.
    pub span: Span,
}
