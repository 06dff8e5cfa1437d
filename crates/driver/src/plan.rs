//! Which engine searches, with which symmetry strategy, and why.

use std::num::NonZeroUsize;

use burnside_diag::Diagnostic;
use burnside_engine::{AuditMode, DeadlockMode, Fairness, Question, SearchOrder, StoreMode, Task};
use burnside_interp::Limits;
use burnside_interpolant::Mode;
use burnside_step::Code;
use burnside_symmetry::{Exactness, Symmetry};

use crate::propose::{Attempt, Situation, propose};
use crate::{Language, Outcome, Prepared, images, partial_order, temporal};

/// Statements of one `d_step` of a Promela model, and rounds of its other loops.
const PROMELA_LOOP_ROUNDS: u32 = 1_000_000;

/// Which engine the user wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EngineChoice {
    /// The one that fits the model.
    #[default]
    Auto,
    /// Explicit-state search.
    Explicit,
    /// The search over states annotated with partitions, whatever `--symmetry` says.
    Adaptive,
    /// The depth-first search that learns why states are safe, whatever `--symmetry` says.
    Interpolant(Mode),
}

/// Which symmetry strategy the user wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SymmetryChoice {
    /// The one that pays.
    #[default]
    Auto,
    /// No reduction.
    Off,
    /// This one.
    Use(burnside_symmetry::Strategy),
    /// One partition of the identities for all rules.
    Cells,
    /// A partition for each state, as fine as the rules on the way to it make it.
    Adaptive,
}

impl SymmetryChoice {
    /// All choices, in the order in which they are offered. Whoever lists strategies goes through these.
    pub const ALL: [Self; 12] = [
        Self::Auto,
        Self::Off,
        Self::Use(burnside_symmetry::Strategy::Refine),
        Self::Use(burnside_symmetry::Strategy::Enumerate),
        Self::Use(burnside_symmetry::Strategy::Sort),
        Self::Use(burnside_symmetry::Strategy::Segment),
        Self::Use(burnside_symmetry::Strategy::Local),
        Self::Use(burnside_symmetry::Strategy::First),
        Self::Use(burnside_symmetry::Strategy::Flood),
        Self::Use(burnside_symmetry::Strategy::Marker),
        Self::Cells,
        Self::Adaptive,
    ];

    /// The name used on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Off => Strategy::Off.name(),
            Self::Use(strategy) => strategy.name(),
            Self::Cells => Strategy::Cells.name(),
            Self::Adaptive => Strategy::Adaptive.name(),
        }
    }

    /// What it does, in one sentence.
    pub fn about(self) -> &'static str {
        match self {
            Self::Auto => "The strategy that pays",
            Self::Off => "Visit every state",
            Self::Use(strategy) => strategy.about(),
            Self::Cells => "One state for each orbit under the permutations that every rule respects",
            Self::Adaptive => {
                "A partition for each state: a rule that tells identities apart costs symmetry only where it fires"
            }
        }
    }
}

/// Whether the user wants steps put off that need not be taken now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PartialOrderChoice {
    /// No: every step of every state is taken.
    #[default]
    Off,
    /// Where it changes no answer.
    Auto,
    /// The same, and where it cannot be done the user is to be told why.
    On,
}

/// How symmetric states are brought together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    /// Not at all: every reachable state is visited.
    Off,
    /// Something stands for the states of each orbit.
    Reduce(burnside_symmetry::Strategy),
    /// One canonical state for each orbit of the permutations within one partition.
    Cells,
    /// States annotated with partitions, whose orbits may overlap.
    Adaptive,
    /// One state for each orbit of permutations that are no automorphisms, while orbits are bisimilar.
    Virtual,
    /// The same where they are not, with every step that some member of an orbit has.
    Guarded,
    /// Explanations of why states are safe cover others.
    Explained(Mode),
}

impl Strategy {
    /// The name used on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Reduce(strategy) => strategy.name(),
            Self::Cells => "cells",
            Self::Adaptive => "adaptive",
            Self::Virtual => "virtual",
            Self::Guarded => "guarded",
            Self::Explained(mode) => mode.name(),
        }
    }

    /// Whether exactly one state is stored per orbit of the group in use.
    pub fn is_exact(self) -> bool {
        match self {
            Self::Off | Self::Cells | Self::Virtual | Self::Guarded => true,
            Self::Adaptive => false,
            Self::Explained(mode) => matches!(mode, Mode::None | Mode::Rotations),
            Self::Reduce(strategy) => strategy.exactness() == Exactness::Exact,
        }
    }
}

/// The question and the wishes about how to answer it.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Which engine.
    pub engine: EngineChoice,
    /// Which symmetry strategy.
    pub symmetry: SymmetryChoice,
    /// Whether steps may be put off.
    pub partial_order: PartialOrderChoice,
    /// Whether to count the states that stored ones stand for, which needs one thread.
    pub orbits: bool,
    /// In which order states are expanded.
    pub order: SearchOrder,
    /// Which states count as deadlocks.
    pub deadlock: DeadlockMode,
    /// How long one step may take.
    pub step_limits: Limits,
    /// How many threads may search.
    pub threads: NonZeroUsize,
    /// What is kept of visited states.
    pub store: StoreMode,
    /// Whether rules may be compiled to native code.
    pub native: bool,
    /// Whether a certificate is wanted, so that stored states are handed back.
    pub certificate: bool,
    /// Whether a search that is cut short is to go on later.
    pub pauses: bool,
    /// Which states are looked at twice.
    pub audit: AuditMode,
    /// Which executions temporal properties speak of.
    pub fairness: Fairness,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            engine: EngineChoice::default(),
            symmetry: SymmetryChoice::default(),
            partial_order: PartialOrderChoice::default(),
            orbits: false,
            order: SearchOrder::BreadthFirst,
            deadlock: DeadlockMode::Stuttering,
            step_limits: Limits::default(),
            threads: NonZeroUsize::MIN,
            store: StoreMode::Exact,
            native: true,
            certificate: false,
            pauses: false,
            audit: AuditMode::default(),
            fairness: Fairness::default(),
        }
    }
}

impl Settings {
    /// What is usual for models of a language.
    #[must_use]
    pub fn of(language: Language) -> Self {
        let usual = Self::default();
        match language {
            Language::Murphi | Language::Ir => usual,
            Language::Promela => {
                let step_limits = Limits { loop_rounds: PROMELA_LOOP_ROUNDS, ..usual.step_limits };
                Self { deadlock: DeadlockMode::Stuck, step_limits, ..usual }
            }
        }
    }
}

/// How a question is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approach {
    /// The engine's name.
    pub engine: &'static str,
    /// The symmetry strategy.
    pub strategy: Strategy,
    /// The size of the group in use, in decimal: it may exceed every integer type.
    pub group_order: String,
    /// Whether steps that need not be taken now are put off.
    pub partial_order: bool,
}

impl Approach {
    pub(crate) fn new(engine: &'static str, strategy: Strategy, symmetry: &Symmetry) -> Self {
        let group_order = match strategy {
            Strategy::Off | Strategy::Explained(_) => "1".to_owned(),
            // What is proved of all rules together; single states may have more.
            Strategy::Reduce(_) | Strategy::Cells | Strategy::Adaptive | Strategy::Virtual | Strategy::Guarded => {
                symmetry.group_order()
            }
        };
        Self { engine, strategy, group_order, partial_order: false }
    }
}

/// A question with the means to answer it.
pub struct Plan<'m> {
    pub(crate) task: Task<'m>,
    /// The engines to be asked, one after the other until one answers.
    pub(crate) attempts: Vec<Attempt>,
    /// The number of the one to be asked first: a search that goes on is past those before.
    pub(crate) first_attempt: usize,
    symmetry: Symmetry,
    reasons: Vec<String>,
    notes: Vec<Diagnostic>,
}

impl<'m> Plan<'m> {
    /// Picks engines and strategies, or says what stands against every choice.
    pub fn new(prepared: &'m Prepared, settings: &Settings) -> Result<Self, Box<Diagnostic>> {
        let question = Question {
            deadlock: if prepared.deadlocks { settings.deadlock } else { DeadlockMode::Off },
            step_limits: settings.step_limits,
            only: prepared.only.as_deref(),
            fairness: settings.fairness,
            ..Question::new(&prepared.model, &prepared.layout)
        };
        let task = Task {
            order: settings.order,
            threads: settings.threads,
            store: settings.store,
            native: settings.native,
            counts_orbits: settings.orbits,
            keeps_states: settings.certificate,
            pauses: settings.pauses,
            audit: settings.audit,
            ..Task::of(question)
        };
        let (settings, mut notes) = temporal::adapted(&task, settings);
        let mut reasons = Vec::new();
        let symmetry = Symmetry::find(&prepared.model);
        let symmetry = match settings.symmetry {
            SymmetryChoice::Use(strategy) if !strategy.treats_joints() => symmetry.without_joints(),
            SymmetryChoice::Auto if !symmetry.joints.is_empty() && !images::occur_early(&task, &symmetry) => {
                reasons.push("rings and graphs are left alone: start states tell their members apart".to_owned());
                symmetry.without_joints()
            }
            _ => symmetry,
        };
        let partial_order = partial_order::find(&task, &settings, &symmetry, &mut reasons, &mut notes);
        let partial_order = partial_order.as_ref();
        let situation = Situation { task: &task, settings: &settings, symmetry: &symmetry, partial_order };
        let attempts = propose(situation, &mut reasons)?;
        Ok(Self { task, attempts, first_attempt: 0, symmetry, reasons, notes })
    }

    /// The same, with native code that was made for the same question: whoever asks it in many ways need not make it again
    /// and again. Engines use it where it serves them.
    #[must_use]
    pub fn with_code(mut self, code: &'m Code) -> Self {
        self.task.code = self.task.native.then_some(code);
        self
    }

    /// What was not done as asked for, or costs symmetry, because of temporal properties.
    pub fn notes(&self) -> &[Diagnostic] {
        &self.notes
    }

    /// The question.
    pub fn task(&self) -> &Task<'m> {
        &self.task
    }

    /// What is tried first.
    pub fn planned(&self) -> &Approach {
        &self.attempts[self.first_attempt].way
    }

    /// What led to an outcome: what was tried first, or what was left when that was declined.
    pub fn taken(&self, outcome: &Outcome) -> &Approach {
        &self.attempts[outcome.attempt].way
    }

    /// What was found out about the model's symmetry, used or not.
    pub fn symmetry(&self) -> &Symmetry {
        &self.symmetry
    }

    /// Why this engine and this strategy, one line each; what the user asked for needs no reason.
    pub fn reasons(&self) -> &[String] {
        &self.reasons
    }
}
