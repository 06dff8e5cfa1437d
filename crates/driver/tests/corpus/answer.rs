//! What Burnside says about a model, in a form that can be compared.

use std::fmt;
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use burnside_driver::{LoadOptions, Plan, Settings, SymmetryChoice, load, on_large_stack};
use burnside_engine::{Breach, Budget, Monitor, Reason, SearchOrder, Shortfall, StoreMode, Task, Verdict, Violation};
use burnside_ir::PropertyKind;
use burnside_symmetry::Strategy;

use crate::files::language_of;

/// One way to run a search.
pub(crate) struct Configuration {
    pub(crate) name: &'static str,
    pub(crate) settings: Settings,
    /// What may differ from the usual answer.
    pub(crate) nature: Nature,
}

/// How much a configuration's answers tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Nature {
    /// Everything is the same.
    Exact,
    /// A search that finds nothing may have missed something.
    Lossy,
    /// Fewer states are stored and other traces of the same length found.
    Reduced,
    /// As reduced, but orbits may overlap, so that in small models there may be more of them than states.
    Annotated,
}

/// The configuration that all others are compared with: breadth-first search with native code, as users run it.
pub(crate) fn usual() -> Configuration {
    let settings = Settings { symmetry: SymmetryChoice::Off, ..Settings::default() };
    Configuration { name: "the usual configuration", settings, nature: Nature::Exact }
}

/// Every other configuration there is.
pub(crate) fn variations() -> Vec<Configuration> {
    let native = usual().settings;
    let interpreted = Settings { native: false, ..native.clone() };
    let reduced = Settings { symmetry: SymmetryChoice::Use(Strategy::Refine), ..native.clone() };
    let exact = |name, settings| Configuration { name, settings, nature: Nature::Exact };
    let lossy = |name, settings| Configuration { name, settings, nature: Nature::Lossy };
    let fewer = |name, settings| Configuration { name, settings, nature: Nature::Reduced };
    let annotated = |name, settings| Configuration { name, settings, nature: Nature::Annotated };
    let threads = NonZeroUsize::MIN.saturating_add(1);
    let (order, store) = (SearchOrder::DepthFirst, StoreMode::Compressed);
    vec![
        exact("the interpreter", interpreted.clone()),
        exact("the interpreter and two threads", Settings { threads, ..interpreted.clone() }),
        exact("the interpreter and depth-first search", Settings { order, ..interpreted }),
        exact("depth-first search", Settings { order, ..native.clone() }),
        exact("two threads", Settings { threads, ..native.clone() }),
        exact("the compressed store", Settings { store, ..native.clone() }),
        exact("the compressed store and two threads", Settings { store, threads, ..native.clone() }),
        lossy("fingerprints", Settings { store: StoreMode::Fingerprint, ..native }),
        fewer("symmetry", reduced.clone()),
        fewer("symmetry and two threads", Settings { threads, ..reduced.clone() }),
        fewer("symmetry and depth-first search", Settings { order, ..reduced.clone() }),
        fewer("symmetry on the interpreter", Settings { native: false, ..reduced.clone() }),
        annotated("adaptive symmetry", Settings { symmetry: SymmetryChoice::Adaptive, ..reduced.clone() }),
        annotated("symmetry within cells", Settings { symmetry: SymmetryChoice::Cells, ..reduced }),
    ]
}

impl Configuration {
    /// Whether traces are shortest, and so the same as in the usual configuration.
    pub(crate) fn is_breadth_first(&self) -> bool {
        self.settings.order == SearchOrder::BreadthFirst
    }
}

/// What was said.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// The codes of the errors, in order.
    Invalid(Vec<&'static str>),
    /// A search took place.
    Searched(Box<Searched>),
}

/// What a search concluded.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Searched {
    pub(crate) conclusion: Conclusion,
    pub(crate) states: u64,
    pub(crate) rules: u64,
}

/// A verdict.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Conclusion {
    Holds,
    Violated(Breached),
    Unknown(String),
    /// Time was up.
    Late,
}

/// A violation.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Breached {
    pub(crate) kind: &'static str,
    pub(crate) name: String,
    /// How many rules fire; `None` where there is no trace.
    pub(crate) depth: Option<u64>,
    /// All of it, to be compared between configurations.
    pub(crate) violation: Violation,
}

impl Breached {
    /// Whether only a complete search can tell, so that the counts mean something.
    pub(crate) fn is_about_all_states(&self) -> bool {
        matches!(self.violation.breach, Breach::Uncovered(_) | Breach::Liveness(..) | Breach::Temporal(..))
    }
}

impl Answer {
    /// What the search concluded, if there was one.
    pub(crate) fn searched(&self) -> Option<&Searched> {
        match self {
            Self::Invalid(_) => None,
            Self::Searched(searched) => Some(searched),
        }
    }

    /// Whether the time was up before anything was known.
    pub(crate) fn is_late(&self) -> bool {
        self.searched().is_some_and(|searched| searched.conclusion == Conclusion::Late)
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(codes) => write!(f, "invalid {}", codes.join(" ")),
            Self::Searched(searched) => searched.fmt(f),
        }
    }
}

impl fmt::Display for Searched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { conclusion, states, rules } = self;
        match conclusion {
            Conclusion::Holds => write!(f, "holds states {states} rules {rules}"),
            Conclusion::Unknown(why) => write!(f, "inconclusive: {why}"),
            Conclusion::Late => write!(f, "inconclusive: the time limit was reached"),
            Conclusion::Violated(breached) => {
                write!(f, "violated {} \"{}\"", breached.kind, breached.name)?;
                if let Some(depth) = breached.depth {
                    write!(f, " depth {depth}")?;
                }
                if breached.is_about_all_states() {
                    write!(f, " states {states} rules {rules}")?;
                }
                Ok(())
            }
        }
    }
}

/// Loads and checks a model within a time.
pub(crate) fn ask(name: &str, text: &str, load_options: &LoadOptions, settings: &Settings, time: Duration) -> Answer {
    on_large_stack(|| {
        let loaded = load(name, text, language_of(name), load_options);
        let Some(prepared) = loaded.prepared else {
            let errors = loaded.diagnostics.iter().filter(|diagnostic| diagnostic.is_error());
            return Answer::Invalid(errors.map(|error| error.code.0).collect());
        };
        let plan = match Plan::new(&prepared, settings) {
            Ok(plan) => plan,
            Err(diagnostic) => return Answer::Invalid(vec![diagnostic.code.0]),
        };
        let budget = Budget { deadline: Some(Instant::now() + time), ..Budget::default() };
        let outcome = plan.run(&Monitor::new(budget)).unwrap_or_else(|bug| panic!("{name}: {bug}"));
        // This may happen, but it costs the reduction and is worth a look.
        let is_explained = outcome.declined != Some(Reason::Unexplained);
        assert!(is_explained, "{name}: a violation showed in a permuted state only, {settings:?}");
        let counts = outcome.report.counts;
        let conclusion = conclude(plan.task(), outcome.report.verdict);
        Answer::Searched(Box::new(Searched { conclusion, states: counts.states, rules: counts.rules_fired }))
    })
    .unwrap_or_else(|failure| panic!("{name}: {failure}"))
}

fn conclude(task: &Task<'_>, verdict: Verdict) -> Conclusion {
    let violation = match verdict {
        Verdict::Holds(_) => return Conclusion::Holds,
        Verdict::Unknown(Shortfall::Time) => return Conclusion::Late,
        Verdict::Unknown(shortfall) => return Conclusion::Unknown(shortfall.to_string()),
        Verdict::Violated(violation) => *violation,
    };
    let named = |property| task.model.property(property).name.clone();
    let (kind, name) = match &violation.breach {
        Breach::Invariant(property, _) => ("invariant", named(*property)),
        Breach::Liveness(property, _) => ("liveness", named(*property)),
        Breach::Uncovered(property) => ("cover", named(*property)),
        Breach::Temporal(property, _) => {
            let kind = match task.model.property(*property).kind {
                PropertyKind::Linear => "ltl",
                PropertyKind::Never => "never",
                PropertyKind::Acceptance => "acceptance",
                PropertyKind::NonProgress => "nonprogress",
                _ => "ctl",
            };
            (kind, named(*property))
        }
        Breach::Deadlock => ("deadlock", "deadlock".to_owned()),
        Breach::Fault(fault) | Breach::PropertyFault(_, fault) => (fault.kind.name(), fault.message.clone()),
    };
    // Loops need not be shortest, and are not the same up to symmetry.
    let is_temporal = matches!(violation.breach, Breach::Temporal(..));
    let depth = violation.trace.as_ref().filter(|_| !is_temporal).map(|trace| trace.n_fired() as u64);
    Conclusion::Violated(Breached { kind, name, depth, violation })
}
