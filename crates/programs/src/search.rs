//! Searches over the executions of a program, and replays of one.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use burnside_stateless::{
    self as core, Bounds, Cursor, Cut, End, Family, Names, NotDeterministic, Plan, Schedule, Strategy, Subject,
    Symmetry, Trace, check, check_parallel, check_symmetry, fewest_switches,
};
use burnside_wire::{Executor, Options, Report, Setup};

use crate::executor::{ExecutorChoice, choose};
use crate::presentation;
use crate::process::{Failed, Process, Target};
use crate::symbols::Symbols;
use crate::symmetry::{SymmetryError, SymmetryOption, families};

/// Runs sampled by `--sym check`.
const N_CHECKED: u64 = 32;

/// What to search, and how.
#[derive(Clone, Debug)]
pub struct Config {
    /// The program.
    pub target: Target,
    /// How executions are carried out.
    pub executor: ExecutorChoice,
    /// Which executions there are.
    pub strategy: Strategy,
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
    /// How many processes explore side by side.
    pub n_jobs: usize,
}

/// What a search leaves behind.
#[derive(Debug)]
pub struct Conclusion {
    /// Verdict, counts and the faulty run, if there is one.
    pub report: core::Report,
    /// More about the faulty run.
    pub details: Option<Details>,
    /// How executions were carried out.
    pub executor: Executor,
    /// What the user should know about the way it went.
    pub notes: Vec<String>,
    /// The symmetries that were found or declared.
    pub families: Vec<Family>,
    /// Wall time.
    pub seconds: f64,
}

/// One execution, for people.
#[derive(Clone, Debug)]
pub struct Details {
    /// What happened.
    pub trace: Trace,
    /// How to get there again.
    pub schedule: Schedule,
    /// Names of threads and objects, and source lines.
    pub names: Names,
    /// Where each thread is at the end: its name and its frames, innermost first.
    pub stacks: Vec<(String, Vec<String>)>,
}

/// Why a search could not be carried out.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The program could not be executed.
    Failed(Failed),
    /// The declared symmetry does not fit the program.
    Symmetry(SymmetryError),
    /// A permuted run refutes the symmetry, and where.
    Refuted(String),
    /// The program does not follow the schedule.
    OffSchedule(NotDeterministic),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Failed(e) => e.fmt(f),
            Error::Symmetry(e) => e.fmt(f),
            Error::Refuted(where_) => write!(f, "the program does not have this symmetry: {where_}"),
            Error::OffSchedule(e) => write!(f, "the program is not deterministic at step {}: {}", e.step, e.detail),
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
/// When the program cannot be executed, or does not have the symmetry that was
/// declared for it.
pub fn search(config: &Config) -> Result<Conclusion, Error> {
    let begun = Instant::now();
    let (process, executor, mut notes) = choose(&config.target, &config.options(), config.executor)?;
    let mut subject = ProgramSubject::new(process, &config.target, config.symmetry.clone())?;
    if matches!(config.symmetry, SymmetryOption::Check(_)) {
        let n_compared = subject.check_symmetry()?;
        notes.push(format!("{n_compared} permuted executions agree with the symmetry"));
    }
    let max_time = config.max_time.unwrap_or(Duration::MAX);
    let mut stop = |_: &core::Stats| {
        (begun.elapsed() >= max_time).then(|| format!("the time of {} s is over", max_time.as_secs_f64()))
    };
    let (mut report, families) = if config.n_jobs > 1 {
        drop(subject);
        side_by_side(config, executor, &mut stop)?
    } else {
        let report = check(&mut subject, &config.core(), &mut stop);
        subject.result()?;
        (report, subject.families)
    };
    let details = match report.fault.take() {
        Some(fault) => Some(examine(config, executor, &fault)?),
        None => None,
    };
    report.fault = details.as_ref().map(|details| details.trace.clone());
    Ok(Conclusion { report, details, executor, notes, families, seconds: begun.elapsed().as_secs_f64() })
}

type Stop<'a> = &'a mut dyn FnMut(&core::Stats) -> Option<String>;

/// A search in several processes of the program, each with its part of it.
fn side_by_side(config: &Config, executor: Executor, stop: Stop<'_>) -> Result<(core::Report, Vec<Family>), Error> {
    let shared = Mutex::new((Vec::new(), None));
    let setup = Setup { executor, options: config.options() };
    let start = || {
        let subject = Process::start(&config.target, &setup)
            .and_then(|process| ProgramSubject::new(process, &config.target, config.symmetry.clone()));
        match subject {
            Ok(subject) => PartSubject { subject: Some(subject), shared: &shared },
            Err(e) => {
                lock(&shared).1 = Some(e.into());
                PartSubject { subject: None, shared: &shared }
            }
        }
    };
    let report = check_parallel(&start, &config.core(), config.n_jobs, stop);
    let (families, failed) = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
    failed.map_or(Ok((report, families)), Err)
}

/// What the parts of a search have to tell: symmetries found, and a failure.
type Shared = Mutex<(Vec<Family>, Option<Error>)>;

fn lock(shared: &Shared) -> MutexGuard<'_, (Vec<Family>, Option<Error>)> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The program of one part of a search; `None` if it could not be started.
struct PartSubject<'a> {
    subject: Option<ProgramSubject>,
    shared: &'a Shared,
}

impl Subject for PartSubject<'_> {
    fn run(&mut self, cursor: Cursor) -> Trace {
        let Some(subject) = &mut self.subject else { return no_trace() };
        let trace = subject.run(cursor);
        if let Err(e) = subject.result() {
            lock(self.shared).1 = Some(e);
        }
        for family in &trace.families {
            let families = &mut lock(self.shared).0;
            if !families.contains(family) {
                families.push(family.clone());
            }
        }
        trace
    }
}

/// What a run that did not take place answers: it stops every explorer.
fn no_trace() -> Trace {
    Trace { end: Some(End::Cut(Cut::OffScript(0))), ..Trace::default() }
}

impl Config {
    fn options(&self) -> Options {
        Options {
            spurious_wakeups: self.spurious_wakeups,
            details: false,
            step_timeout_ms: self.step_timeout.as_millis() as u64,
        }
    }

    fn core(&self) -> core::Config {
        let symmetry = if self.symmetry == SymmetryOption::Off { Symmetry::Off } else { Symmetry::On };
        core::Config {
            strategy: self.strategy.clone(),
            symmetry,
            families: Vec::new(),
            bounds: self.bounds.clone(),
            keep_going: self.keep_going,
        }
    }
}

/// Executes a faulty run again, with stacks and call sites, in the order with
/// the fewest context switches that still shows the fault.
fn examine(config: &Config, executor: Executor, fault: &Trace) -> Result<Details, Error> {
    match replay(config, executor, &fewest_switches(fault)) {
        Ok(details) if details.schedule.end == Schedule::of(fault).end => Ok(details),
        _ => replay(config, executor, &Schedule::of(fault)),
    }
}

/// Executes `schedule` once and strictly, with stacks and call sites.
///
/// # Errors
///
/// When the program cannot be executed or does not follow the schedule.
pub fn replay(config: &Config, executor: Executor, schedule: &Schedule) -> Result<Details, Error> {
    let options = Options { details: true, ..config.options() };
    let process = Process::start(&config.target, &Setup { executor, options })?;
    let mut subject = ProgramSubject::new(process, &config.target, SymmetryOption::Off)?;
    let replayed = core::replay(&mut subject, schedule);
    subject.result()?;
    let trace = replayed.map_err(Error::OffSchedule)?;
    let report = subject.last.take().unwrap_or_default();
    let names = presentation::names(&trace, &report, &subject.symbols);
    let stacks = presentation::stacks(&trace, &report, &names, &subject.symbols);
    let header = vec![("program".to_owned(), config.target.program.to_string_lossy().into_owned())];
    let schedule = Schedule { header, ..Schedule::of(&trace) };
    Ok(Details { trace, schedule, names, stacks })
}

/// A program as the core sees it.
pub struct ProgramSubject {
    process: Process,
    symmetry: SymmetryOption,
    symbols: Symbols,
    /// The symmetries found so far.
    families: Vec<Family>,
    /// The last execution, trace excepted.
    last: Option<Report>,
    /// Why the last run gave no trace; that run then answers an empty one.
    failed: Option<Error>,
}

impl ProgramSubject {
    /// A program that is executed by `process`.
    ///
    /// # Errors
    ///
    /// When the process is gone.
    pub fn new(process: Process, target: &Target, symmetry: SymmetryOption) -> Result<ProgramSubject, Failed> {
        let symbols = Symbols::of_process(process.id()).map_err(|e| Failed::Start(target.program.clone(), e))?;
        Ok(ProgramSubject { process, symmetry, symbols, families: Vec::new(), last: None, failed: None })
    }

    /// Whether all runs so far gave a trace.
    ///
    /// # Errors
    ///
    /// With what prevented one.
    pub fn result(&mut self) -> Result<(), Error> {
        self.failed.take().map_or(Ok(()), Err)
    }

    fn check_symmetry(&mut self) -> Result<u64, Error> {
        let checked = check_symmetry(self, &[], N_CHECKED, 0);
        self.result()?;
        checked.map_err(Error::Refuted)
    }

    fn execute(&mut self, plan: &Plan) -> Result<Trace, Error> {
        let mut report = self.process.execute(plan)?;
        let families = families(&self.symmetry, &report, &self.symbols)?;
        let mut trace = std::mem::take(&mut report.trace);
        for family in families {
            if !self.families.contains(&family) {
                self.families.push(family.clone());
            }
            trace.families.push(family);
        }
        self.last = Some(report);
        Ok(trace)
    }
}

impl Subject for ProgramSubject {
    fn run(&mut self, cursor: Cursor) -> Trace {
        match self.execute(cursor.plan()) {
            Ok(trace) => trace,
            Err(e) => {
                self.failed = Some(e);
                no_trace()
            }
        }
    }
}
