//! Which engine searches, with which symmetry strategy, and why.

use std::num::NonZeroUsize;

use burnside_diag::{Code, Diagnostic, FileId, Span};
use burnside_engine::{
    AuditMode, DeadlockMode, Engine, Fairness, Patience, Question, Report, SearchOrder, StoreMode, Task,
};
use burnside_explicit::Explicit;
use burnside_interp::Limits;
use burnside_interpolant::{Interpolant, Mode};
use burnside_ir::{Model, PropertyId, PropertyKind};
use burnside_symmetry::{Census, Exactness, Reduction, Symmetry};

use crate::{Prepared, near, temporal, worth};

const UNSUPPORTED: Code = Code("unsupported");
/// `flood` keeps all images of a state at once; a group of this order or a greater one has too many.
const FLOOD_LIMIT: usize = 1_000_000;
/// How many states that were dropped are kept to be shown.
const EXAMPLES: usize = 2;
const UNKNOWN_PROPERTY: Code = Code("unknown-property");
const AMBIGUOUS_PROPERTY: Code = Code("ambiguous-property");

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
            Self::Explained(mode) => mode.name(),
        }
    }

    /// Whether exactly one state is stored per orbit of the group in use.
    pub fn is_exact(self) -> bool {
        match self {
            Self::Off | Self::Cells => true,
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
    /// Whether to count the states that stored ones stand for, which needs one thread.
    pub orbits: bool,
    /// In which order states are expanded.
    pub order: SearchOrder,
    /// Which states count as deadlocks.
    pub deadlock: DeadlockMode,
    /// How long one step may take.
    pub step_limits: Limits,
    /// The name of the only property to check.
    pub only: Option<String>,
    /// How many threads may search.
    pub threads: NonZeroUsize,
    /// What is kept of visited states.
    pub store: StoreMode,
    /// Whether rules may be compiled to native code.
    pub native: bool,
    /// Whether a certificate is wanted, so that stored states are handed back.
    pub certificate: bool,
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
            orbits: false,
            order: SearchOrder::BreadthFirst,
            deadlock: DeadlockMode::Stuttering,
            step_limits: Limits::default(),
            only: None,
            threads: NonZeroUsize::MIN,
            store: StoreMode::Exact,
            native: true,
            certificate: false,
            audit: AuditMode::default(),
            fairness: Fairness::default(),
        }
    }
}

/// How a question is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Way {
    /// The engine's name.
    pub engine: &'static str,
    /// The symmetry strategy.
    pub strategy: Strategy,
    /// The size of the group in use, in decimal: it may exceed every integer type.
    pub group_order: String,
}

impl Way {
    fn new(engine: &'static str, strategy: Strategy, symmetry: &Symmetry) -> Self {
        let group_order = match strategy {
            Strategy::Off | Strategy::Explained(_) => "1".to_owned(),
            // What is proved of all rules together; single states may have more.
            Strategy::Reduce(_) | Strategy::Cells | Strategy::Adaptive => symmetry.group_order(),
        };
        Self { engine, strategy, group_order }
    }
}

/// A question with the means to answer it.
pub struct Plan<'m> {
    pub(crate) task: Task<'m>,
    pub(crate) engine: Box<dyn Engine + Sync>,
    planned: Way,
    /// What is left if the search gives up the symmetry it was planned with.
    fallback: Way,
    /// What is tried before that.
    explained: Way,
    reduction: Option<Reduction>,
    symmetry: Symmetry,
    reasons: Vec<String>,
    notes: Vec<Diagnostic>,
}

impl<'m> Plan<'m> {
    /// Picks engine and strategy, or says what stands against every choice.
    pub fn new(prepared: &'m Prepared, settings: &Settings) -> Result<Self, Box<Diagnostic>> {
        let only = settings.only.as_deref().map(|name| find_property(&prepared.model, name)).transpose()?;
        let question = Question {
            deadlock: settings.deadlock,
            step_limits: settings.step_limits,
            only,
            ..Question::new(&prepared.model, &prepared.layout)
        };
        let task = Task {
            order: settings.order,
            threads: settings.threads,
            store: settings.store,
            native: settings.native,
            keeps_states: settings.certificate,
            audit: settings.audit,
            fairness: settings.fairness,
            ..Task::of(question)
        };
        let (settings, notes) = temporal::adapted(&task, settings);
        let settings = &settings;
        let mut reasons = Vec::new();
        let symmetry = Symmetry::find(&prepared.model);
        let symmetry = match settings.symmetry {
            SymmetryChoice::Use(strategy) if !strategy.treats_joints() => symmetry.without_joints(),
            SymmetryChoice::Auto if !symmetry.joints.is_empty() && !worth::pays(&task, &symmetry) => {
                reasons.push("rings and graphs are left alone: start states tell their members apart".to_owned());
                symmetry.without_joints()
            }
            _ => symmetry,
        };
        let (mut strategy, reason) = choose_strategy(&task, settings.symmetry, &symmetry);
        let near = near::choose(&task, settings, &symmetry, &mut reasons);
        match &near {
            Some((chosen, _)) => strategy = *chosen,
            None if matches!(settings.engine, EngineChoice::Interpolant(_)) => {}
            None => {
                if settings.engine == EngineChoice::Auto {
                    reasons.push("engine explicit: it treats every model".to_owned());
                }
                reasons.extend(reason);
            }
        }
        if let EngineChoice::Interpolant(mode) = settings.engine {
            strategy = Strategy::Explained(mode);
        }
        admit_strategy(strategy, &symmetry)?;
        let reduction = match strategy {
            Strategy::Reduce(strategy) => Some(Reduction::new(&prepared.model, &prepared.layout, &symmetry, strategy)),
            Strategy::Off | Strategy::Cells | Strategy::Adaptive | Strategy::Explained(_) => None,
        };
        let reduction = if settings.orbits { reduction.map(Reduction::counting_orbits) } else { reduction };
        let fallback = near.as_ref().map_or(Strategy::Off, |(_, near)| near.fallback());
        let engine: Box<dyn Engine + Sync> = match (near, strategy) {
            (_, Strategy::Explained(mode)) => Box::new(Interpolant { mode, examples: EXAMPLES, patience: None }),
            (Some((_, near)), _) => Box::new(near),
            (None, _) => {
                let may_give_up = settings.symmetry == SymmetryChoice::Auto && !settings.orbits;
                let patience = if may_give_up { Patience::Limited } else { Patience::Endless };
                Box::new(Explicit { reduction: reduction.clone(), patience })
            }
        };
        engine.admit(&task).map_err(|unsupported| {
            let message = format!("engine {} cannot treat {}", engine.name(), unsupported.feature);
            let diagnostic = Diagnostic::error(UNSUPPORTED, message, unsupported.span);
            Box::new(diagnostic.help("choose another `--engine` or `--store`"))
        })?;
        let planned = Way::new(engine.name(), strategy, &symmetry);
        let fallback = Way::new(Explicit::default().name(), fallback, &symmetry);
        let explained = Way::new(Interpolant::default().name(), Strategy::Explained(Mode::default()), &symmetry);
        Ok(Self { task, engine, planned, fallback, explained, reduction, symmetry, reasons, notes })
    }

    /// What was not done as asked for, or costs symmetry, because of temporal properties.
    pub fn notes(&self) -> &[Diagnostic] {
        &self.notes
    }

    /// The question.
    pub fn task(&self) -> &Task<'m> {
        &self.task
    }

    /// What was chosen.
    pub fn planned(&self) -> &Way {
        &self.planned
    }

    /// What led to a report: what was chosen, or what was left when that was given up.
    pub fn taken(&self, report: &Report) -> &Way {
        match (report.gave_up, &report.reasoning) {
            (None, _) => &self.planned,
            (Some(_), Some(_)) => &self.explained,
            (Some(_), None) => &self.fallback,
        }
    }

    /// How many states those stored stand for, after a complete search that was asked to count them.
    pub fn census(&self) -> Option<Census> {
        self.reduction.as_ref().and_then(Reduction::census).filter(|census| !census.sizes.is_empty())
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

/// The strategy, and why, unless the user asked for it.
fn choose_strategy(task: &Task<'_>, choice: SymmetryChoice, symmetry: &Symmetry) -> (Strategy, Option<String>) {
    if choice == SymmetryChoice::Off {
        return (Strategy::Off, None);
    }
    if symmetry.is_trivial() {
        return (Strategy::Off, Some("symmetry off: no interchangeable identities were found".to_owned()));
    }
    if asks_of_one_identity(task) {
        return (Strategy::Off, Some("symmetry off: a liveness property has parameters".to_owned()));
    }
    let names: Vec<String> =
        symmetry.classes.iter().map(|class| format!("the {} members of `{}`", class.size, class.name)).collect();
    let joints = symmetry.joints.iter().map(|joint| {
        let names: Vec<String> = joint.classes.iter().map(|class| format!("`{}`", class.name)).collect();
        format!("permutations of {} change nothing: {}", names.join(" and "), joint.words())
    });
    let strategy = match choice {
        SymmetryChoice::Use(strategy) => strategy,
        _ => burnside_symmetry::Strategy::Refine,
    };
    let interchangeable = (!names.is_empty()).then(|| format!("{} are interchangeable", names.join(" and ")));
    let proved: Vec<String> = interchangeable.into_iter().chain(joints).collect();
    let reason = format!("symmetry {}: {}", strategy.name(), proved.join("; "));
    (Strategy::Reduce(strategy), Some(reason))
}

/// Whether a liveness property has parameters. An instance of it is about one identity; orbits forget which.
pub(crate) fn asks_of_one_identity(task: &Task<'_>) -> bool {
    let liveness = task.properties(PropertyKind::Liveness);
    liveness.iter().any(|&property| !task.model.property(property).binders.is_empty())
}

/// Refuses what would fill the memory with a single state.
fn admit_strategy(strategy: Strategy, symmetry: &Symmetry) -> Result<(), Box<Diagnostic>> {
    let order = symmetry.group_order();
    let is_small = order.parse::<usize>().is_ok_and(|order| order < FLOOD_LIMIT);
    if strategy != Strategy::Reduce(burnside_symmetry::Strategy::Flood) || is_small {
        return Ok(());
    }
    let nowhere = Span { file: FileId(u32::MAX), ..Span::default() };
    let message = format!("symmetry flood cannot treat a group of order {order}: a state has too many images");
    Err(Box::new(
        Diagnostic::error(UNSUPPORTED, message, nowhere).help("choose another `--symmetry`, such as `refine`"),
    ))
}

fn find_property(model: &Model, name: &str) -> Result<PropertyId, Box<Diagnostic>> {
    let named: Vec<PropertyId> = (0..)
        .map(PropertyId)
        .zip(&model.properties)
        .filter(|(_, it)| it.name == name && it.kind.is_claim())
        .map(|(id, _)| id)
        .collect();
    match named[..] {
        [only] => Ok(only),
        [] => {
            let nowhere = Span { file: FileId(u32::MAX), ..Span::default() };
            let message = format!("the model has no property called `{name}`");
            let diagnostic = Diagnostic::error(UNKNOWN_PROPERTY, message, nowhere);
            let names: Vec<String> =
                model.properties.iter().filter(|it| it.kind.is_claim()).map(|it| format!("`{}`", it.name)).collect();
            Err(Box::new(match &names[..] {
                [] => diagnostic.help("leave out `--property`: the model has no named properties"),
                names => diagnostic.help(format!("its properties are {}", names.join(", "))),
            }))
        }
        [first, second, ..] => {
            let message = format!("several properties are called `{name}`");
            let diagnostic = Diagnostic::error(AMBIGUOUS_PROPERTY, message, model.property(first).span);
            let diagnostic = diagnostic.also(model.property(second).span, "also here");
            Err(Box::new(diagnostic.help("give them different names")))
        }
    }
}
