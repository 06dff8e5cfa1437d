//! Searches over the executions of a program, and replays of one.

use std::fmt;
use std::time::{Duration, Instant};

use burnside_stateless::{
    Bounds, Cursor, Cut, End, Event, Explorer, Family, Method, NotDeterministic, Pick, Plan, Search, Stats, Subject,
    Symmetry, Trace,
};
use burnside_wire::{Executor, Options, Report, Setup};

use crate::executor::{ExecutorChoice, choose};
use crate::process::{Failed, Output, Process, Target};
use crate::symbols::Symbols;
use crate::symmetry::{SymmetryError, SymmetryOption, families};

/// What to search, and how.
#[derive(Clone, Debug)]
pub struct Config {
    /// The program.
    pub target: Target,
    /// How executions are carried out.
    pub executor: ExecutorChoice,
    /// Which executions there are.
    pub method: Method,
    /// Which of them are the same but for names.
    pub symmetry: SymmetryOption,
    /// Where to stop.
    pub bounds: Bounds,
    /// When to stop.
    pub max_time: Option<Duration>,
    /// May condition variables wake without a signal?
    pub spurious_wakeups: bool,
    /// How long may a thread run without a visible operation?
    pub step_timeout: Duration,
    /// Go on after the first fault?
    pub keep_going: bool,
}

/// What a search concludes, under sequential consistency.
#[derive(Debug)]
pub enum Verdict {
    /// No execution has a fault.
    Holds,
    /// This one has.
    Violated(Box<Found>),
    /// None was found, but not everything was seen, and why.
    Inconclusive(String),
}

/// An execution with a fault.
#[derive(Debug)]
pub struct Found {
    /// Who went when.
    pub schedule: Vec<Pick>,
    /// What happened, with stacks and call sites.
    pub report: Report,
}

/// What a search leaves behind.
#[derive(Debug)]
pub struct Conclusion {
    /// Its verdict.
    pub verdict: Verdict,
    /// Its counts.
    pub stats: Stats,
    /// How executions were carried out.
    pub executor: Executor,
    /// What the user should know about the way it went.
    pub notes: Vec<String>,
    /// The symmetries that were used.
    pub families: Vec<Family>,
    /// Wall time.
    pub seconds: f64,
}

/// Why a search could not be carried out.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The program could not be executed.
    Failed(Failed),
    /// The declared symmetry does not fit the program.
    Symmetry(SymmetryError),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Failed(e) => e.fmt(f),
            Error::Symmetry(e) => e.fmt(f),
        }
    }
}

impl std::error::Error for Error {}

impl From<Failed> for Error {
    fn from(e: Failed) -> Error {
        Error::Failed(e)
    }
}

impl From<SymmetryError> for Error {
    fn from(e: SymmetryError) -> Error {
        Error::Symmetry(e)
    }
}

/// Explores the executions of a program.
///
/// # Errors
///
/// When the program cannot be executed, or the symmetry declared for it makes
/// no sense.
pub fn search(config: &Config) -> Result<(Conclusion, Symbols), Error> {
    let begun = Instant::now();
    let options = config.options();
    let (process, executor, notes) = choose(&config.target, &options, config.executor)?;
    let symbols = Symbols::of_process(process.id()).map_err(|e| Failed::Start(config.target.program.clone(), e))?;
    let subject = ProgramSubject::new(process, config.symmetry.clone(), symbols);
    let mut loop_ = Loop { config, begun, subject, notes, fault: None };
    let (stats, shortfall) = loop_.run()?;
    let Loop { subject, notes, fault, .. } = loop_;
    let verdict = match (fault, shortfall) {
        (Some(trace), _) => Verdict::Violated(Box::new(examine(config, executor, &trace)?)),
        (None, Some(why)) => Verdict::Inconclusive(why),
        (None, None) => Verdict::Holds,
    };
    let seconds = begun.elapsed().as_secs_f64();
    let conclusion = Conclusion { verdict, stats, executor, notes, families: subject.families, seconds };
    Ok((conclusion, subject.symbols))
}

impl Config {
    fn options(&self) -> Options {
        Options {
            spurious_wakeups: self.spurious_wakeups,
            details: false,
            step_timeout_ms: self.step_timeout.as_millis() as u64,
        }
    }
}

/// One search under way.
struct Loop<'a> {
    config: &'a Config,
    begun: Instant,
    subject: ProgramSubject,
    notes: Vec<String>,
    /// The first execution with a fault.
    fault: Option<Trace>,
}

impl Loop<'_> {
    /// Runs the search; answers its counts and, if it ended early, why.
    fn run(&mut self) -> Result<(Stats, Option<String>), Error> {
        let symmetry = match self.config.symmetry {
            SymmetryOption::Off => Symmetry::Off,
            _ => Symmetry::On,
        };
        let mut search = Search::new(self.config.method.clone(), symmetry, self.config.bounds.clone());
        let mut shortfall = None;
        while let Some(cursor) = search.cursor() {
            let trace = self.subject.run(cursor);
            if let Some(e) = self.subject.failed.take() {
                return Err(e);
            }
            if let Err(e) = search.done(&trace) {
                return Ok((*search.stats(), Some(not_deterministic(&e))));
            }
            if self.is_over(&trace) {
                break;
            }
            shortfall = self.limit(search.stats());
            if shortfall.is_some() {
                break;
            }
        }
        let stats = *search.stats();
        if shortfall.is_none() && stats.n_bounded > 0 {
            shortfall = Some(format!("{} executions were cut by a bound", stats.n_bounded));
        }
        Ok((stats, shortfall))
    }

    /// Notes a fault; is it the end of the search?
    fn is_over(&mut self, trace: &Trace) -> bool {
        let is_fault = trace.end.as_ref().is_some_and(End::is_fault);
        if is_fault && self.fault.is_none() {
            self.fault = Some(trace.clone());
        }
        is_fault && !self.config.keep_going
    }

    fn limit(&self, stats: &Stats) -> Option<String> {
        if stats.n_executions >= self.config.bounds.max_executions {
            return Some(format!("stopped after {} executions", stats.n_executions));
        }
        let max_time = self.config.max_time?;
        (self.begun.elapsed() >= max_time).then(|| format!("stopped after {} seconds", max_time.as_secs_f64()))
    }
}

fn not_deterministic(e: &NotDeterministic) -> String {
    format!("the program is not deterministic at transition {}: {}", e.step, e.detail)
}

/// Executes a faulty run again, with stacks and call sites.
fn examine(config: &Config, executor: Executor, trace: &Trace) -> Result<Found, Error> {
    let labels = trace.events.iter().map(|event| event.op).collect();
    let schedule: Vec<Pick> = trace.events.iter().map(Event::pick).collect();
    let births = trace.births.clone();
    let plan = Plan { n_known: schedule.len() as u32, script: schedule.clone(), labels, births, ..Plan::default() };
    let options = Options { details: true, ..config.options() };
    let mut process = Process::start(&config.target, &Setup { executor, options })?;
    let mut report = process.execute(&plan)?;
    if report.trace.end.as_ref().map(End::word) != trace.end.as_ref().map(End::word) {
        report.trace.end = Some(End::Cut(Cut::OffScript(report.trace.events.len() as u32)));
    }
    Ok(Found { schedule, report })
}

/// Executes `schedule` once and strictly, with stacks and call sites, and lets
/// the program's output through.
///
/// # Errors
///
/// When the program cannot be executed.
pub fn replay(config: &Config, executor: Executor, schedule: &[Pick]) -> Result<(Report, Symbols), Error> {
    let n_known = schedule.len() as u32;
    let plan = Plan { n_known, script: schedule.to_vec(), ..Plan::default() };
    let options = Options { details: true, ..config.options() };
    let target = Target { output: Output::Shown, ..config.target.clone() };
    let mut process = Process::start(&target, &Setup { executor, options })?;
    let symbols = Symbols::of_process(process.id()).map_err(|e| Failed::Start(target.program.clone(), e))?;
    Ok((process.execute(&plan)?, symbols))
}

/// A program as the core sees it.
pub struct ProgramSubject {
    process: Process,
    symmetry: SymmetryOption,
    symbols: Symbols,
    /// The symmetries found so far.
    families: Vec<Family>,
    /// Why the last run gave no trace; that run then answers an empty one.
    failed: Option<Error>,
}

impl ProgramSubject {
    /// A program that is executed by `process`.
    #[must_use]
    pub fn new(process: Process, symmetry: SymmetryOption, symbols: Symbols) -> ProgramSubject {
        ProgramSubject { process, symmetry, symbols, families: Vec::new(), failed: None }
    }

    fn execute(&mut self, plan: &Plan) -> Result<Trace, Error> {
        let report = self.process.execute(plan)?;
        let families = families(&self.symmetry, &report, &self.symbols)?;
        let mut trace = report.trace;
        for family in families {
            if !self.families.contains(&family) {
                self.families.push(family.clone());
            }
            trace.families.push(family);
        }
        Ok(trace)
    }
}

impl Subject for ProgramSubject {
    fn run(&mut self, cursor: Cursor) -> Trace {
        match self.execute(cursor.plan()) {
            Ok(trace) => trace,
            Err(e) => {
                self.failed = Some(e);
                Trace { end: Some(End::Cut(Cut::OffScript(0))), ..Trace::default() }
            }
        }
    }
}
