//! Searches over the executions of a program, and replays of one.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use burnside_stateless::{
    self as core, Bounds, Cursor, Cut, End, Explorer as _, Family, FaultKnown, Names, NotDeterministic, ObjId, Plan,
    Schedule, Search, Strategy, Subject, Symmetry, Trace, check, check_parallel, check_symmetry, fewest_switches,
};
use burnside_wire::{Ahead, Bytes, Executor, Options, Report, Setup};

use crate::executor::{ExecutorChoice, choose};
use crate::presentation;
use crate::process::{Failed, Process, Target};
use crate::saved::Begun;
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
    /// How many times each thread may wake from a condition without a signal.
    pub spurious_wakeups: u32,
    /// How long may a thread run without a visible operation?
    pub step_timeout: Duration,
    /// Go on after the first fault?
    pub keep_going: bool,
    /// How many processes explore side by side.
    pub n_jobs: usize,
    /// Asked before every execution: should the search be cut?
    pub interrupted: fn() -> bool,
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
    /// The search itself, if it was cut and can be gone on with.
    pub begun: Option<Box<Begun>>,
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
    go_on(config, None)
}

/// Goes on with a search that was cut, or begins one.
///
/// # Errors
///
/// As for [`search`].
pub fn go_on(config: &Config, begun: Option<Begun>) -> Result<Conclusion, Error> {
    let start = Instant::now();
    let (mut earlier, mut watched) = begun.map_or((None, Vec::new()), |begun| (Some(begun.search), begun.watched));
    let mut config = config.clone();
    let mut notes = Vec::new();
    loop {
        match attempt(&config, &watched, earlier.take(), start)? {
            Attempt::Concluded(mut conclusion) => {
                conclusion.notes.append(&mut notes);
                if !watched.is_empty() {
                    let n = watched.len();
                    conclusion.notes.push(format!("words on thread stacks that other threads use, too: {n}"));
                }
                return Ok(*conclusion);
            }
            Attempt::ToldApart(how) => {
                notes.push(format!("symmetry is not used: {how}"));
                config.symmetry = SymmetryOption::Off;
            }
            Attempt::Escaped(cells) => {
                watched.extend(cells);
                watched.sort_unstable();
                watched.dedup();
            }
        }
    }
}

/// What a search with some cells of stacks watched leads to.
enum Attempt {
    Concluded(Box<Conclusion>),
    /// These should have been watched too.
    Escaped(Vec<ObjId>),
    /// Threads that began alike can be told apart, and how.
    ToldApart(String),
}

fn attempt(config: &Config, watched: &[ObjId], earlier: Option<Search>, start: Instant) -> Result<Attempt, Error> {
    let options = config.options(watched);
    let (process, executor, mut notes) = choose(&config.target, &options, config.executor)?;
    let mut subject = ProgramSubject::new(process, executor, config, watched)?;
    let is_auto = config.symmetry.is_auto();
    if matches!(config.symmetry, SymmetryOption::Check(_)) {
        let n_compared = match subject.check_symmetry() {
            _ if !subject.escaped.is_empty() => return Ok(Attempt::Escaped(subject.escaped)),
            _ if is_auto && !subject.told_apart.is_empty() => return Ok(Attempt::ToldApart(subject.told_apart)),
            compared => compared?,
        };
        notes.push(format!("{n_compared} permuted executions agree with the symmetry"));
    }
    let max_time = config.max_time.unwrap_or(Duration::MAX);
    let mut stop = |_: &core::Stats| {
        if (config.interrupted)() {
            return Some("it was interrupted".to_owned());
        }
        (start.elapsed() >= max_time).then(|| format!("the time of {} s is over", max_time.as_secs_f64()))
    };
    let mut begun = None;
    let (mut report, families) = if config.n_jobs > 1 {
        drop(subject);
        let (report, told) = side_by_side(config, executor, watched, &mut stop)?;
        if !told.escaped.is_empty() {
            return Ok(Attempt::Escaped(told.escaped));
        }
        if is_auto && !told.told_apart.is_empty() {
            return Ok(Attempt::ToldApart(told.told_apart));
        }
        (report, told.families)
    } else {
        let core = config.core();
        let report = match &core.strategy {
            Strategy::Exhaustive(method) => {
                let mut search = earlier.unwrap_or_else(|| core.search(method));
                let report = core::go_on(&mut subject, &mut search, &core, &mut stop);
                if matches!(report.verdict, core::Verdict::Inconclusive(_)) {
                    begun = Some(Box::new(Begun { search, watched: watched.to_vec() }));
                }
                report
            }
            Strategy::Sample { .. } => check(&mut subject, &core, &mut stop),
        };
        subject.result()?;
        if !subject.escaped.is_empty() {
            return Ok(Attempt::Escaped(subject.escaped));
        }
        if is_auto && !subject.told_apart.is_empty() {
            return Ok(Attempt::ToldApart(subject.told_apart));
        }
        (report, subject.families)
    };
    let details = match report.fault.take() {
        Some(fault) => Some(examine(config, executor, &fault)?),
        None => None,
    };
    report.fault = details.as_ref().map(|details| details.trace.clone());
    let seconds = start.elapsed().as_secs_f64();
    Ok(Attempt::Concluded(Box::new(Conclusion { report, details, executor, notes, families, seconds, begun })))
}

type Stop<'a> = &'a mut dyn FnMut(&core::Stats) -> Option<String>;

/// A search in several processes of the program, each with its part of it.
fn side_by_side(
    config: &Config,
    executor: Executor,
    watched: &[ObjId],
    stop: Stop<'_>,
) -> Result<(core::Report, Told), Error> {
    let shared = Mutex::new(Told::default());
    let setup = Setup { executor, options: config.options(watched) };
    let start = || {
        let subject = Process::start(&config.target, &setup)
            .and_then(|process| ProgramSubject::new(process, executor, config, watched));
        match subject {
            Ok(subject) => PartSubject { subject: Some(subject), shared: &shared },
            Err(e) => {
                lock(&shared).failed = Some(e.into());
                PartSubject { subject: None, shared: &shared }
            }
        }
    };
    let report = check_parallel(&start, &config.core(), config.n_jobs, stop);
    let mut told = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
    told.failed.take().map_or(Ok((report, told)), Err)
}

/// What the parts of a search have to tell.
#[derive(Debug, Default)]
struct Told {
    /// Symmetries found.
    families: Vec<Family>,
    /// Cells of stacks that should have been watched.
    escaped: Vec<ObjId>,
    /// How threads that began alike can be told apart.
    told_apart: String,
    failed: Option<Error>,
}

fn lock(shared: &Mutex<Told>) -> MutexGuard<'_, Told> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The program of one part of a search; `None` if it could not be started.
struct PartSubject<'a> {
    subject: Option<ProgramSubject>,
    shared: &'a Mutex<Told>,
}

impl Subject for PartSubject<'_> {
    fn run(&mut self, cursor: Cursor) -> Trace {
        let Some(subject) = &mut self.subject else { return no_trace() };
        let trace = subject.run(cursor);
        if let Err(e) = subject.result() {
            lock(self.shared).failed = Some(e);
        }
        if !subject.escaped.is_empty() {
            lock(self.shared).escaped.append(&mut subject.escaped);
        }
        if !subject.told_apart.is_empty() {
            lock(self.shared).told_apart.clone_from(&subject.told_apart);
        }
        for family in &trace.families {
            let families = &mut lock(self.shared).families;
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
    fn options(&self, watched: &[ObjId]) -> Options {
        Options {
            spurious_wakeups: self.spurious_wakeups,
            details: false,
            step_timeout_ms: self.step_timeout.as_millis() as u64,
            watched: watched.to_vec(),
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
    let mut watched = schedule.watched.clone();
    watched.sort_unstable();
    let options = Options { details: true, ..config.options(&watched) };
    let process = Process::start(&config.target, &Setup { executor, options })?;
    let plain = Config { symmetry: SymmetryOption::Off, ..config.clone() };
    let mut subject =
        ProgramSubject { stops_at_escapes: false, ..ProgramSubject::new(process, executor, &plain, &watched)? };
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
struct ProgramSubject {
    process: Process,
    symmetry: SymmetryOption,
    symbols: Symbols,
    /// The symmetries found so far.
    families: Vec<Family>,
    /// Cells of stacks that are watched.
    watched: Vec<ObjId>,
    /// Those that should have been; the run that showed it answered an empty
    /// trace, which ends the search.
    escaped: Vec<ObjId>,
    stops_at_escapes: bool,
    /// How threads that began alike can be told apart, when symmetry rests on
    /// their beginnings; empty if they cannot.
    told_apart: String,
    executor: Executor,
    pace: Pace,
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
    fn new(process: Process, executor: Executor, config: &Config, watched: &[ObjId]) -> Result<ProgramSubject, Failed> {
        let symbols = Symbols::of_process(process.id()).map_err(|e| Failed::Start(config.target.program.clone(), e))?;
        Ok(ProgramSubject {
            process,
            symmetry: config.symmetry.clone(),
            symbols,
            families: Vec::new(),
            watched: watched.to_vec(),
            escaped: Vec::new(),
            stops_at_escapes: true,
            told_apart: String::new(),
            executor,
            pace: Pace::default(),
            last: None,
            failed: None,
        })
    }

    /// Whether all runs so far gave a trace.
    ///
    /// # Errors
    ///
    /// With what prevented one.
    fn result(&mut self) -> Result<(), Error> {
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
        trace.watched.clone_from(&self.watched);
        if self.stops_at_escapes && !report.escaped.is_empty() {
            self.escaped.append(&mut report.escaped);
            return Ok(no_trace());
        }
        let families_or_known = !families.is_empty() || !self.families.is_empty();
        if self.symmetry.is_auto() && families_or_known && !report.told_apart.is_empty() {
            self.told_apart = std::mem::take(&mut report.told_apart);
            return Ok(no_trace());
        }
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

/// How many executions are asked for at a time.
#[derive(Debug)]
struct Pace {
    n_ahead: u64,
    /// Executions to be asked for one by one: among them is one that ends the
    /// process.
    n_alone: u64,
}

impl Default for Pace {
    fn default() -> Pace {
        Pace { n_ahead: 64, n_alone: 0 }
    }
}

impl Pace {
    const MAX_AHEAD: u64 = 1 << 14;
    /// Long enough to make messages cheap, short enough to stop in time.
    const WANTED: Duration = Duration::from_millis(50);

    fn took(&mut self, time: Duration) {
        self.n_ahead = match time < Self::WANTED {
            true => (self.n_ahead * 2).min(Self::MAX_AHEAD),
            false => (self.n_ahead / 2).max(1),
        };
    }
}

impl ProgramSubject {
    /// Searches can be gone on with inside the program where nothing has to be
    /// found out about an execution here: declared symmetries are looked up in
    /// each report, found ones are known after the first.
    fn can_go_ahead(&self, search: &Search) -> bool {
        let symmetry = self.symmetry == SymmetryOption::Off || self.symmetry.is_auto();
        self.executor == Executor::Snap && symmetry && search.stats().n_executions > 0
    }
}

impl Subject for ProgramSubject {
    fn run_ahead(&mut self, search: &mut Search, limit: u64, fault: FaultKnown) {
        if !self.can_go_ahead(search) || self.failed.is_some() {
            return;
        }
        if self.pace.n_alone > 0 {
            self.pace.n_alone -= 1;
            return;
        }
        let ahead = Ahead {
            search: Bytes(search.save()),
            limit: limit.min(self.pace.n_ahead),
            stops_at_faults: fault == FaultKnown::No,
            stops_when_told_apart: !self.families.is_empty(),
        };
        let start = Instant::now();
        let asked = ahead.limit;
        match self.process.go_ahead(ahead) {
            Ok(Some(further)) => *search = further,
            Ok(None) => self.pace.n_alone = asked,
            Err(e) => self.failed = Some(e.into()),
        }
        self.pace.took(start.elapsed());
    }

    fn run(&mut self, cursor: Cursor) -> Trace {
        if self.failed.is_some() {
            return no_trace();
        }
        match self.execute(cursor.plan()) {
            Ok(trace) => trace,
            Err(e) => {
                self.failed = Some(e);
                no_trace()
            }
        }
    }
}
