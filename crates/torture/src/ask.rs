//! The only file that talks to the assembled checker: a text to a model, a model and a configuration to an answer.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, Once, PoisonError};
use std::time::{Duration, Instant};

use burnside_driver::{Language, LoadOptions, Plan, Prepared, Settings, Strategy, SymmetryChoice, load};
use burnside_engine::{Breach, Budget, Monitor, SearchOrder, Shortfall, Trace, Verdict};
use burnside_interp::Limits;
use burnside_ir::TypeId;
use burnside_step::{Code, Question, Stacks};
use burnside_symmetry::{Exactness, Opinion, Symmetry, opinions};

/// What a text turned into.
pub(crate) enum Reading {
    /// Refused, with the codes of the errors.
    Invalid(Vec<&'static str>),
    Accepted(Box<Prepared>),
    /// The front end panicked.
    Panicked(String),
}

/// What a configuration said about a model.
#[derive(Debug, Clone)]
pub(crate) enum Answer {
    Holds(Extent),
    Violated(Wrong),
    /// No verdict, and that is no fault: the strategy or store promises none.
    Open,
    /// The configuration does not treat the model.
    Unsupported,
    /// No verdict though there should be one: the time was up, or worse.
    Nothing(String),
    /// A counterexample that does not replay.
    Bug(String),
    Panicked(String),
}

/// How much of the model a complete search saw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) states: u64,
    pub(crate) rules: u64,
    /// Whether exactly one state was stored for each orbit of the symmetric classes, and of no larger group.
    pub(crate) one_per_orbit: bool,
    /// Whether no symmetry was used.
    pub(crate) plain: bool,
}

/// A violation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wrong {
    pub(crate) breach: Key,
    /// How many steps before the state whose expansion shows it; see [`level`].
    pub(crate) level: Option<i64>,
    pub(crate) extent: Extent,
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Holds(Extent { states, rules, .. }) => write!(f, "holds {states} {rules}"),
            Self::Violated(Wrong { breach, level, .. }) => write!(f, "violated {breach:?} {level:?}"),
            Self::Open => f.write_str("open"),
            Self::Unsupported => f.write_str("unsupported"),
            Self::Nothing(why) => write!(f, "nothing: {why}"),
            Self::Bug(message) => write!(f, "bug: {message}"),
            Self::Panicked(message) => write!(f, "panic: {message}"),
        }
    }
}

/// What is wrong, in a form that does not depend on which identity it is wrong for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    /// A property does not hold.
    Property(u32),
    /// Evaluating a property faults.
    PropertyFault(u32, &'static str, u32),
    /// A rule or start state faults, at this offset of the text.
    Fault(&'static str, u32),
    /// A deadlock.
    Deadlock,
    /// No state from which the property can still be met.
    Liveness(u32),
    /// A cover was never met.
    Uncovered(u32),
    /// A temporal formula is false.
    Temporal(u32),
}

impl Key {
    pub(crate) fn new(breach: &Breach) -> Self {
        match breach {
            Breach::Invariant(property, _) => Self::Property(property.0),
            Breach::Fault(fault) => Self::Fault(fault.kind.name(), fault.span.start),
            Breach::PropertyFault(property, fault) => {
                Self::PropertyFault(property.0, fault.kind.name(), fault.span.start)
            }
            Breach::Deadlock => Self::Deadlock,
            Breach::Liveness(property, _) => Self::Liveness(property.0),
            Breach::Uncovered(property) => Self::Uncovered(property.0),
            Breach::Temporal(property, _) => Self::Temporal(property.0),
        }
    }
}

pub(crate) fn read(text: &str, strict_undefined: bool) -> Reading {
    let options = LoadOptions { strict_undefined, ..LoadOptions::default() };
    match quietly(|| load("torture.m", text, Language::Murphi, &options)) {
        Err(message) => Reading::Panicked(message),
        Ok(loaded) => match loaded.prepared {
            Some(prepared) => Reading::Accepted(Box::new(prepared)),
            None => {
                let errors = loaded.diagnostics.iter().filter(|diagnostic| diagnostic.is_error());
                Reading::Invalid(errors.map(|error| error.code.0).collect())
            }
        },
    }
}

/// What is proved about the symmetry of a model.
pub(crate) fn symmetry(prepared: &Prepared) -> Result<Symmetry, String> {
    quietly(|| Symmetry::find(&prepared.model))
}

/// What both proofs of symmetry say.
pub(crate) fn proofs(prepared: &Prepared) -> Result<Vec<Opinion>, String> {
    quietly(|| opinions(&prepared.model))
}

/// Native code of a model, without and with reduction. Most of the time for a small model goes into making it, so that is
/// done once for all configurations that it serves.
pub(crate) struct Codes {
    plain: Option<Code>,
    /// None of its own if no quantifier is evaluated in another way.
    strict: Option<Code>,
}

impl Codes {
    pub(crate) fn new(prepared: &Prepared, symmetry: &Symmetry, limits: Limits) -> Result<Self, String> {
        let Prepared { model, layout, .. } = prepared;
        let question = Question { step_limits: limits, ..Question::new(model, layout) };
        let make = |strict: &[TypeId]| quietly(|| Code::new(&question, strict, Stacks::AsNeeded));
        let strict = symmetry.strict_types(model);
        let reduced = if strict.is_empty() { None } else { make(&strict)? };
        Ok(Self { plain: make(&[])?, strict: reduced })
    }

    fn of(&self, settings: &Settings) -> Option<&Code> {
        match settings.symmetry {
            SymmetryChoice::Off => self.plain.as_ref(),
            _ => self.strict.as_ref().or(self.plain.as_ref()),
        }
    }
}

/// Checks a model in a configuration.
pub(crate) fn ask(prepared: &Prepared, settings: &Settings, codes: &Codes, time: Duration) -> Answer {
    quietly(|| ask_aloud(prepared, settings, codes, time)).unwrap_or_else(Answer::Panicked)
}

fn ask_aloud(prepared: &Prepared, settings: &Settings, codes: &Codes, time: Duration) -> Answer {
    let Ok(mut plan) = Plan::new(prepared, settings) else { return Answer::Unsupported };
    if let Some(code) = codes.of(settings) {
        plan = plan.with_code(code);
    }
    let budget = Budget { deadline: Some(Instant::now() + time), ..Budget::default() };
    let outcome = match plan.run(&Monitor::new(budget)) {
        Ok(outcome) => outcome,
        Err(bug) => return Answer::Bug(bug.to_string()),
    };
    let (way, report) = (plan.taken(&outcome), outcome.report);
    let plain = way.strategy == Strategy::Off;
    let exact = matches!(way.strategy, Strategy::Reduce(it) if it.exactness() == Exactness::Exact);
    let one_per_orbit = exact && plan.symmetry().joints.is_empty();
    let extent = Extent { states: report.counts.states, rules: report.counts.rules_fired, one_per_orbit, plain };
    match report.verdict {
        Verdict::Holds(_) => Answer::Holds(extent),
        Verdict::Unknown(Shortfall::Lossy { .. } | Shortfall::Approximate) => Answer::Open,
        Verdict::Unknown(shortfall) => Answer::Nothing(shortfall.to_string()),
        Verdict::Violated(violation) => {
            // A strategy that may take states for symmetric which are not may miss the shortest way.
            let may_miss = matches!(way.strategy, Strategy::Reduce(it) if it.exactness() == Exactness::Approximate);
            let is_explained = matches!(way.strategy, Strategy::Explained(_));
            let shortest = settings.order == SearchOrder::BreadthFirst && !may_miss && !is_explained;
            let level = violation.trace.as_ref().filter(|_| shortest).map(|trace| level(&violation.breach, trace));
            Answer::Violated(Wrong { breach: Key::new(&violation.breach), level, extent })
        }
    }
}

/// The number of steps before the state in whose expansion a breadth-first search meets a breach; -1 stands for what is
/// met in start states. Every correct breadth-first search stops at the least level there is.
fn level(breach: &Breach, trace: &Trace) -> i64 {
    let n_steps = trace.steps.len() as i64;
    match breach {
        Breach::Deadlock => n_steps,
        _ => n_steps - 1,
    }
}

/// Where the last panic was and what it said: the hook runs on the thread that panics, which may not be ours.
static LAST_PANIC: Mutex<String> = Mutex::new(String::new());

/// Runs something that may panic, without a word on standard error.
pub(crate) fn quietly<R>(work: impl FnOnce() -> R) -> Result<R, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        std::panic::set_hook(Box::new(|info| {
            let mut last = LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner);
            if last.is_empty() {
                *last = info.to_string().replace('\n', " ");
            }
        }));
    });
    LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner).clear();
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner).clone())
}
