//! What Burnside says about a model, in a form that can be compared.

use std::fmt;
use std::time::{Duration, Instant};

use burnside_driver::{Header, LoadOptions, Plan, Settings, SymmetryChoice, load, on_large_stack};
use burnside_engine::{Breach, Budget, DeadlockMode, Monitor, Shortfall, Task, Verdict, Violation};
use burnside_ir::PropertyKind;

use crate::files::language_of;

/// How a model is to be read and searched.
#[derive(Debug, Clone)]
pub(crate) struct Question {
    pub(crate) load: LoadOptions,
    pub(crate) deadlock: DeadlockMode,
    pub(crate) loop_limit: Option<u32>,
    /// How long the search may take.
    pub(crate) time: Duration,
}

impl Question {
    /// The usual question.
    pub(crate) fn new(time: Duration) -> Self {
        Self { load: LoadOptions::default(), deadlock: DeadlockMode::Stuttering, loop_limit: None, time }
    }

    /// The question that a model's header asks.
    pub(crate) fn of(header: &Header) -> Self {
        let deadlock = match header.deadlock.as_deref() {
            Some("off") => DeadlockMode::Off,
            Some("stuck") => DeadlockMode::Stuck,
            _ => DeadlockMode::Stuttering,
        };
        let load = LoadOptions {
            overrides: header.define.clone(),
            strict_undefined: header.strict_undefined,
            ..LoadOptions::default()
        };
        Self { load, deadlock, loop_limit: header.loop_limit, ..Self::new(Duration::from_secs(300)) }
    }

    /// A search for every state, whose traces are the shortest.
    pub(crate) fn settings(&self) -> Settings {
        let mut settings = Settings { deadlock: self.deadlock, symmetry: SymmetryChoice::Off, ..Settings::default() };
        if let Some(rounds) = self.loop_limit {
            settings.step_limits.loop_rounds = rounds;
        }
        settings
    }

    /// What is said about a model.
    pub(crate) fn answer(&self, name: &str, text: &str) -> Answer {
        ask(name, text, &self.load, &self.settings(), self.time)
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
    /// Whether the time was up before anything was known.
    pub(crate) fn is_late(&self) -> bool {
        matches!(self, Self::Searched(searched) if searched.conclusion == Conclusion::Late)
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
fn ask(name: &str, text: &str, load_options: &LoadOptions, settings: &Settings, time: Duration) -> Answer {
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
