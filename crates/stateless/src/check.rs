//! A whole search: runs until the verdict is known.

use crate::cursor::Cursor;
use crate::explorer::{Bounds, Explorer, FaultKnown, NotDeterministic, Stats, Subject};
use crate::sampler::{Sampler, Sampling};
use crate::search::{Learnt, Method, Search, Symmetry};
use crate::symmetry::Family;
use crate::trace::{Cut, End, Trace};

/// What to search for and how.
#[derive(Clone, PartialEq, Debug)]
pub struct Config {
    /// Exhaustive or random.
    pub strategy: Strategy,
    /// Whether to prune by symmetry.
    pub symmetry: Symmetry,
    /// Symmetries known beforehand.
    pub families: Vec<Family>,
    /// Limits.
    pub bounds: Bounds,
    /// Whether to go on after a fault, to count all of them.
    pub keep_going: bool,
}

/// How runs are chosen.
#[derive(Clone, PartialEq, Debug)]
pub enum Strategy {
    /// All behaviours.
    Exhaustive(Method),
    /// A sample.
    Sample {
        /// How it is drawn.
        sampling: Sampling,
        /// How many runs.
        n_runs: u64,
        /// The seed.
        seed: u64,
    },
}

impl Strategy {
    /// The name in reports.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Exhaustive(method) => method.word(),
            Self::Sample { sampling: Sampling::RandomWalk, .. } => "random",
            Self::Sample { sampling: Sampling::Pct { .. }, .. } => "pct",
        }
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            strategy: Strategy::Exhaustive(Method::Optimal),
            symmetry: Symmetry::On,
            families: Vec::new(),
            bounds: Bounds::default(),
            keep_going: false,
        }
    }
}

impl Config {
    /// The explorer this configuration asks for.
    #[must_use]
    pub fn explorer(&self) -> Box<dyn Explorer + Send> {
        match &self.strategy {
            Strategy::Exhaustive(method) => Box::new(self.search(method)),
            Strategy::Sample { sampling, n_runs, seed } => {
                Box::new(Sampler::new(*sampling, *n_runs, *seed, self.bounds.clone()))
            }
        }
    }

    /// The exhaustive search this configuration asks for, by this method.
    ///
    /// A bound on preemptions or delays asks about schedules, not traces: two schedules of one trace may differ in what
    /// they cost. With a bound on preemptions the reductions become the one that knows of it; which threads delays are
    /// counted for depends on their numbers, so there every schedule is explored and no symmetry used.
    #[must_use]
    pub fn search(&self, method: &Method) -> Search {
        let Bounds { max_preemptions, max_delays, .. } = self.bounds;
        let (method, symmetry) = match method {
            _ if max_delays != u32::MAX => (Method::Plain, Symmetry::Off),
            method if max_preemptions == u32::MAX => (method.clone(), self.symmetry),
            Method::Source | Method::Optimal | Method::Bounded => (Method::Bounded, self.symmetry),
            Method::Plain | Method::Sleep | Method::Persistent(_) => (Method::Plain, self.symmetry),
        };
        Search::new(method, symmetry, self.bounds.clone()).with_families(&self.families)
    }

    /// As [`Config::search`], for a search that can be split.
    pub(crate) fn divisible_search(&self, method: &Method) -> Search {
        let is_bounded = self.bounds.max_preemptions != u32::MAX;
        self.search(if is_bounded { &Method::Plain } else { method })
    }
}

/// What a search concludes. Always under sequential consistency.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Every behaviour was covered and none is faulty.
    Holds,
    /// Some run is faulty.
    Violated,
    /// No fault was found, but something was not covered.
    Inconclusive(String),
    /// The program does not repeat itself, so nothing can be said: neither that it holds nor that it does not.
    Invalid(NotDeterministic),
}

impl Verdict {
    /// The word in reports.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Violated => "violated",
            Self::Inconclusive(_) | Self::Invalid(_) => "inconclusive",
        }
    }

    /// The exit code of the shell.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Holds => 0,
            Self::Violated => 1,
            Self::Inconclusive(_) | Self::Invalid(_) => 2,
        }
    }
}

/// The result of a search.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    /// The verdict.
    pub verdict: Verdict,
    /// How runs were chosen.
    pub strategy: &'static str,
    /// Whether symmetry was used.
    pub symmetry: Symmetry,
    /// The counts.
    pub stats: Stats,
    /// The first faulty run.
    pub fault: Option<Trace>,
}

/// Searches until the verdict is known or `stop` says so; it is asked before every run and answers with what was
/// not covered, such as the time that ran out.
pub fn check(subject: &mut dyn Subject, config: &Config, stop: &mut dyn FnMut(&Stats) -> Option<String>) -> Report {
    let mut explorer = config.explorer();
    let (verdict, fault) = drive(subject, explorer.as_mut(), config, stop);
    Report { verdict, strategy: config.strategy.word(), symmetry: config.symmetry, stats: *explorer.stats(), fault }
}

/// Transitions that most runs of small tests have room in.
const USUAL_LENGTH: usize = 32;

/// As [`check`], with a search that may have begun before. Unless the verdict is final it can be gone on with later.
pub fn go_on(
    subject: &mut dyn Subject,
    search: &mut Search,
    config: &Config,
    stop: &mut dyn FnMut(&Stats) -> Option<String>,
) -> Report {
    let (verdict, fault) = drive(subject, search, config, stop);
    Report { verdict, strategy: config.strategy.word(), symmetry: config.symmetry, stats: *search.stats(), fault }
}

fn drive(
    subject: &mut dyn Subject,
    explorer: &mut dyn Explorer,
    config: &Config,
    stop: &mut dyn FnMut(&Stats) -> Option<String>,
) -> (Verdict, Option<Trace>) {
    let mut fault: Option<Trace> = None;
    let mut memory = Trace::with_room(USUAL_LENGTH);
    let open = loop {
        if explorer.stats().n_executions >= config.bounds.max_executions {
            break Some(allowed(config.bounds.max_executions));
        }
        if let Some(reason) = stop(explorer.stats()) {
            break Some(reason);
        }
        let n_before = explorer.stats().n_executions;
        let known = if fault.is_some() { FaultKnown::Yes } else { FaultKnown::No };
        if let Some(search) = explorer.as_search() {
            subject.run_ahead(search, config.bounds.max_executions - n_before, known);
        }
        if explorer.stats().n_executions > n_before {
            continue;
        }
        let Some(mut cursor) = explorer.cursor() else { break None };
        cursor.record_into(std::mem::take(&mut memory));
        let trace = match step(subject, explorer, cursor, stop) {
            Ok(Ok(trace)) => trace,
            Ok(Err(reason)) => break Some(reason),
            Err(error) => return (Verdict::Invalid(error), fault),
        };
        if fault.is_none() && trace.end.as_ref().is_some_and(End::is_fault) {
            fault = Some(trace);
            if !config.keep_going {
                break None;
            }
        } else {
            memory = trace;
        }
    };
    (conclude(fault.is_some(), open, explorer, config), fault)
}

/// One run, or why it was not looked at to its end.
fn step(
    subject: &mut dyn Subject,
    explorer: &mut dyn Explorer,
    cursor: Cursor,
    stop: &mut dyn FnMut(&Stats) -> Option<String>,
) -> Result<Result<Trace, String>, NotDeterministic> {
    let trace = subject.run(cursor);
    if let Some(End::Cut(Cut::OffScript(step))) = trace.end {
        let detail = "a thread that had run here before cannot".to_owned();
        return Err(NotDeterministic { step: step as usize, detail });
    }
    let stats = *explorer.stats();
    let mut reason = None;
    match explorer.as_search() {
        Some(search) => {
            let learnt = search.learn(&trace, &mut || {
                reason = stop(&stats);
                reason.is_some()
            })?;
            debug_assert_eq!(learnt == Learnt::Nothing, reason.is_some(), "a reason and nothing learnt go together");
        }
        None => explorer.done(&trace)?,
    }
    // A fault is a verdict whether or not there was time to learn from its run.
    let faulty = trace.end.as_ref().is_some_and(End::is_fault);
    Ok(reason.filter(|_| !faulty).map_or(Ok(trace), Err))
}

/// What a limit on executions leaves open.
pub(crate) fn allowed(n_executions: u64) -> String {
    match n_executions {
        1 => "only one execution was allowed".to_owned(),
        _ => format!("only {n_executions} executions were allowed"),
    }
}

pub(crate) fn conclude(faulty: bool, open: Option<String>, explorer: &dyn Explorer, config: &Config) -> Verdict {
    if faulty {
        return Verdict::Violated;
    }
    if let Some(reason) = open.or_else(|| explorer.omission()) {
        return Verdict::Inconclusive(reason);
    }
    match explorer.stats().n_bounded {
        0 => Verdict::Holds,
        n => Verdict::Inconclusive(format!("{n} runs were cut at depth {}", config.bounds.max_depth)),
    }
}
