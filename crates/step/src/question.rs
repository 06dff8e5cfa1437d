//! What is asked about a model.

use burnside_interp::{Interpreter, Limits};
use burnside_ir::{Layout, Model, PropertyId, PropertyKind};
use burnside_temporal::Strength;

/// A model and what is asked about it, whoever answers.
#[derive(Debug, Clone, Copy)]
pub struct Question<'m> {
    /// The verified model.
    pub model: &'m Model,
    /// Its layout.
    pub layout: &'m Layout,
    /// Which states count as deadlocks.
    pub deadlock: DeadlockMode,
    /// How long one step may take.
    pub step_limits: Limits,
    /// The only properties to check, or all.
    pub only: Option<&'m [PropertyId]>,
    /// Which executions temporal properties speak of.
    pub fairness: Fairness,
}

impl<'m> Question<'m> {
    /// Everything that the model claims, and deadlocks.
    pub fn new(model: &'m Model, layout: &'m Layout) -> Self {
        let (deadlock, step_limits) = (DeadlockMode::Stuttering, Limits::default());
        Self { model, layout, deadlock, step_limits, only: None, fairness: Fairness::default() }
    }

    /// The deadlocks that are looked for.
    pub fn deadlocks(&self) -> DeadlockMode {
        self.deadlock
    }

    /// Whether deadlocks are looked for.
    pub fn checks_deadlocks(&self) -> bool {
        self.deadlocks() != DeadlockMode::Off
    }

    /// The properties of a kind that are to be checked. Those that shape the state space always count.
    pub fn properties(&self, kind: PropertyKind) -> Vec<PropertyId> {
        let wanted = |id: &PropertyId| !kind.is_claim() || self.only.is_none_or(|only| only.contains(id));
        self.model.properties_of(kind).filter(wanted).collect()
    }

    /// The temporal properties that are to be checked: formulas of linear time, automata, formulas of branching time, each
    /// in the order of the text.
    pub fn temporal_properties(&self) -> Vec<PropertyId> {
        let kinds = [
            PropertyKind::Linear,
            PropertyKind::Never,
            PropertyKind::Acceptance,
            PropertyKind::NonProgress,
            PropertyKind::Branching,
        ];
        kinds.into_iter().flat_map(|kind| self.properties(kind)).collect()
    }

    /// An interpreter of the model.
    pub fn interpreter(&self) -> Interpreter<'m> {
        Interpreter::new(self.model, self.layout, self.step_limits)
    }
}

/// Which executions temporal properties speak of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Fairness {
    /// How executions are fair to each unit; without, every execution counts.
    pub strength: Option<Strength>,
    /// What the units are.
    pub unit: FairUnit,
}

/// How rule instances are put together to units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum FairUnit {
    /// One process: the owner of the steps where the model names it, otherwise the instances with the same first
    /// parameter. A rule with neither is a unit.
    #[default]
    Process,
    /// All instances of a rule.
    Rule,
    /// Every instance by itself.
    Instance,
}

/// Which states are reported as deadlocks. A state where executions may end is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DeadlockMode {
    /// None.
    Off,
    /// Those in which no rule is enabled.
    Stuck,
    /// Those from which no rule leads to another state.
    Stuttering,
}

impl DeadlockMode {
    /// Whether a step keeps the state it leaves from being a deadlock. It stays there if it leads back to that state or if
    /// an assumption in it fails; one that faults does not.
    #[inline]
    pub fn is_way_on(self, stays: bool) -> bool {
        match self {
            Self::Off | Self::Stuck => true,
            Self::Stuttering => !stays,
        }
    }

    /// Whether a state is a deadlock, given whether some step is a way on. Where executions may end is for others to say.
    #[inline]
    pub fn is_dead(self, leads_on: bool) -> bool {
        self != Self::Off && !leads_on
    }
}
