//! Searches over the executions of a program, and replays of one.

use std::fmt;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use burnside_stateless::{
    self as core, Bounds, Cursor, Cut, End, Explorer as _, Failure, FailureKind, Family, FaultKnown, Names,
    NotDeterministic, ObjId, Plan, Schedule, Search, Strategy, Subject, Symmetry, Trace, check, check_parallel,
    check_symmetry, compare_image, fewest_switches,
};
use burnside_wire::{Ahead, Bytes, Executor, Options, Race, Report, Setup};

use crate::executor::{ExecutorChoice, choose, difference, first_plan};
use crate::presentation;
use crate::process::{Failed, Limits, Process, Target};
use crate::saved::{self, Begun};
use crate::symbols::Symbols;
use crate::symmetry::{SymmetryError, SymmetryOption, families};
use crate::told::Told;

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
    /// How many bytes Burnside itself may use.
    pub max_memory: Option<u64>,
    /// Where the search is written to now and then.
    pub periodic: Option<Periodic>,
    /// How many times each thread may wake from a condition without a signal.
    pub spurious_wakeups: u32,
    /// How long may a thread run without a visible operation?
    pub step_timeout: Duration,
    /// Go on after the first fault?
    pub keep_going: bool,
    /// The status the program is expected to end with.
    pub expected_status: u8,
    /// Are threads that nobody has joined or detached at the end a fault?
    pub finds_leaks: bool,
    /// How many processes explore side by side.
    pub n_jobs: usize,
    /// Asked before every execution: should the search be cut?
    pub interrupted: fn() -> bool,
}

/// A search that is written down while it goes on, in case that it is ended with nothing said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Periodic {
    /// The file.
    pub file: PathBuf,
    /// How often.
    pub every: Duration,
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
    /// Does the program announce its memory accesses?
    pub watches_memory: bool,
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
    let watched = begun.as_ref().map_or(Vec::new(), |begun| begun.watched.clone());
    let mut earlier = begun;
    let mut seeing = Seeing { watched, visible_ends: false };
    let mut config = config.clone();
    let mut notes = Vec::new();
    loop {
        let attempt = match attempt(&config, &seeing, earlier.take(), start) {
            Err(Error::Failed(failed)) => match failed.inconclusive() {
                Some(why) => return Ok(Conclusion::inconclusive(&config, why, notes, start)),
                None => return Err(Error::Failed(failed)),
            },
            attempt => attempt?,
        };
        match attempt {
            Attempt::Concluded(mut conclusion) => {
                notes.append(&mut conclusion.notes);
                conclusion.notes = notes;
                if !seeing.watched.is_empty() {
                    let n = seeing.watched.len();
                    conclusion.notes.push(format!("words on thread stacks that other threads use, too: {n}"));
                }
                return Ok(*conclusion);
            }
            Attempt::Again(told) => {
                if !told.told_apart.is_empty() && config.symmetry.is_auto() {
                    notes.push(format!("symmetry is not used: {}", told.told_apart));
                    config.symmetry = SymmetryOption::Off;
                }
                seeing.visible_ends |= told.asks_for_ends;
                seeing.watched.extend(told.escaped);
                seeing.watched.sort_unstable();
                seeing.watched.dedup();
            }
        }
    }
}

/// What is visible in a search: found out by searches before it.
#[derive(Clone, Debug, Default)]
struct Seeing {
    /// Cells of stacks.
    watched: Vec<ObjId>,
    /// The ends of threads.
    visible_ends: bool,
}

/// What a search leads to.
enum Attempt {
    Concluded(Box<Conclusion>),
    /// To be begun anew, knowing what it told.
    Again(Box<Told>),
}

impl Conclusion {
    /// Nothing could be found out.
    fn inconclusive(config: &Config, why: String, notes: Vec<String>, start: Instant) -> Conclusion {
        let core = config.core();
        let report = core::Report {
            verdict: core::Verdict::Inconclusive(why),
            strategy: core.strategy.word(),
            symmetry: core.symmetry,
            stats: core::Stats::default(),
            fault: None,
        };
        let seconds = start.elapsed().as_secs_f64();
        let (executor, families) = (Executor::Threads, Vec::new());
        Conclusion { report, details: None, executor, notes, families, seconds, begun: None, watches_memory: false }
    }
}

fn attempt(config: &Config, seeing: &Seeing, earlier: Option<Begun>, start: Instant) -> Result<Attempt, Error> {
    let limits = config.limits(start);
    let (process, executor, mut notes) = choose(&config.target, &config.options(seeing), config.executor, &limits)?;
    let mut subject = ProgramSubject::new(process, executor, config, seeing)?;
    if matches!(config.symmetry, SymmetryOption::Check(_)) {
        let compared = subject.check_symmetry();
        if subject.told.wants_another(config) {
            return Ok(Attempt::Again(Box::new(subject.told)));
        }
        subject.told.n_permuted = compared?;
    }
    let mut stop = |_: &core::Stats| limits.exceeded();
    let mut begun = None;
    let (mut report, told) = if config.n_jobs > 1 {
        drop(subject);
        side_by_side(config, executor, seeing, start, &mut stop)?
    } else {
        let core = config.core();
        let report = match &core.strategy {
            Strategy::Exhaustive(method) => {
                let mut search = match earlier {
                    Some(mut begun) => {
                        subject.told.admit(&mut begun.uncontrolled, &mut begun.random);
                        begun.search
                    }
                    None => core.search(method),
                };
                let mut report = core::go_on(&mut subject, &mut search, &core, &mut stop);
                subject.settle(&mut report)?;
                if matches!(report.verdict, core::Verdict::Inconclusive(_)) {
                    search.abandon();
                    begun = Some(Box::new(subject.begun(search)));
                }
                report
            }
            Strategy::Sample { .. } => {
                let mut report = check(&mut subject, &core, &mut stop);
                subject.settle(&mut report)?;
                report
            }
        };
        (report, subject.told)
    };
    if told.wants_another(config) {
        return Ok(Attempt::Again(Box::new(told)));
    }
    if let (None, false, Some((race, trace))) =
        (&report.fault, matches!(report.verdict, core::Verdict::Invalid(_)), &told.race)
    {
        // A race is a fault of the program whatever else holds; what it leads to is the better example, if there is one.
        report.verdict = core::Verdict::Violated;
        report.fault = Some(up_to_race(trace, race));
    }
    let mut details = None;
    if let Some(fault) = report.fault.take() {
        match examine(config, executor, &fault, seeing.visible_ends) {
            Ok(examined) => details = Some(examined),
            Err(Error::OffSchedule(e)) => report.verdict = core::Verdict::Invalid(e),
            Err(Error::Failed(failed)) if failed.inconclusive().is_some() => {
                report.verdict = core::Verdict::Inconclusive(failed.inconclusive().unwrap_or_default());
            }
            Err(e) => return Err(e),
        }
    }
    report.fault = details.as_ref().map(|details| details.trace.clone());
    if report.verdict == core::Verdict::Holds {
        repeat(config, seeing, &report.stats, &limits)?;
    }
    told.qualify(config, &mut report, &mut details);
    told.comment(config, &report, &mut notes);
    let seconds = start.elapsed().as_secs_f64();
    let (families, watches_memory) = (told.families, told.watches_memory);
    let conclusion = Conclusion { report, details, executor, notes, families, seconds, begun, watches_memory };
    Ok(Attempt::Concluded(Box::new(conclusion)))
}

/// Executions of the same schedule that a program whose verdict is good has been through at least.
const N_REPEATED: u64 = 6;

/// Repeats the first schedule in processes of their own, if the search had few executions: a program that draws random
/// numbers might have been lucky.
fn repeat(config: &Config, seeing: &Seeing, stats: &core::Stats, limits: &Limits) -> Result<(), Failed> {
    let setup = Setup { executor: Executor::Threads, options: config.options(seeing) };
    let run = || Process::start(&config.target, &setup, limits)?.execute(&first_plan());
    if stats.n_executions >= N_REPEATED || limits.exceeded().is_some() {
        return Ok(());
    }
    let mut first = None;
    for _ in stats.n_executions..=N_REPEATED {
        let again = match run() {
            Ok(again) => again,
            // The search is over; there was no more time to doubt it.
            Err(Failed::Cut(_)) => return Ok(()),
            Err(e) => return Err(e),
        };
        let first = first.get_or_insert_with(|| again.clone());
        if let Some(step) = difference(first, &again) {
            return Err(Failed::Unsupported(format!(
                "the program is not deterministic: repeated by the same schedule it differs at transition {step}"
            )));
        }
    }
    Ok(())
}

type Stop<'a> = &'a mut dyn FnMut(&core::Stats) -> Option<String>;

/// A search in several processes of the program, each with its part of it.
fn side_by_side(
    config: &Config,
    executor: Executor,
    seeing: &Seeing,
    begin: Instant,
    stop: Stop<'_>,
) -> Result<(core::Report, Told), Error> {
    let shared = Mutex::new(Told::default());
    let setup = Setup { executor, options: config.options(seeing) };
    let start = || {
        let subject = Process::start(&config.target, &setup, &config.limits(begin))
            .and_then(|process| ProgramSubject::new(process, executor, config, seeing));
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
    match told.failed.take() {
        Some(e) if !told.wants_another(config) => Err(e),
        _ => Ok((report, told)),
    }
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
        lock(self.shared).take(&mut subject.told);
        trace
    }
}

/// What a run that did not take place answers: it stops every explorer.
fn no_trace() -> Trace {
    Trace { end: Some(End::Cut(Cut::OffScript(0))), ..Trace::default() }
}

impl Config {
    fn options(&self, seeing: &Seeing) -> Options {
        Options {
            spurious_wakeups: self.spurious_wakeups,
            details: false,
            step_timeout_ms: self.step_timeout.as_millis() as u64,
            watched: seeing.watched.clone(),
            expected_status: self.expected_status.into(),
            finds_leaks: self.finds_leaks,
            visible_ends: seeing.visible_ends,
            stops_at_races: false,
        }
    }

    fn limits(&self, start: Instant) -> Limits {
        let until = self.max_time.and_then(|time| Some((start.checked_add(time)?, time)));
        Limits { until, max_memory: self.max_memory, interrupted: self.interrupted }
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

/// The part of an execution up to the later access of a race.
fn up_to_race(trace: &Trace, race: &Race) -> Trace {
    let mut trace = trace.clone();
    let n_events = race.second as usize + 1;
    let thread = trace.events[race.second as usize].thread;
    trace.events.truncate(n_events);
    trace.enabled.truncate(n_events);
    trace.surplus.truncate(n_events);
    trace.end = Some(End::Failed(Failure { kind: FailureKind::Race, thread, message: String::new() }));
    trace
}

/// Executes a faulty run again, with stacks and call sites, in the order with
/// the fewest context switches that still shows the fault.
fn examine(config: &Config, executor: Executor, fault: &Trace, visible_ends: bool) -> Result<Details, Error> {
    // In another order of the same transitions another race may come first.
    if matches!(&fault.end, Some(End::Failed(failure)) if failure.kind == FailureKind::Race) {
        return follow(config, executor, &Schedule::of(fault), visible_ends).map(|(details, _)| details);
    }
    match follow(config, executor, &fewest_switches(fault), visible_ends) {
        Ok((details, _)) if details.schedule.end == Schedule::of(fault).end => Ok(details),
        _ => follow(config, executor, &Schedule::of(fault), visible_ends).map(|(details, _)| details),
    }
}

/// How long one execution may take in a replay.
const REPLAY_TIME: Duration = Duration::from_secs(60);

/// Executes `schedule` once and strictly, with stacks and call sites.
///
/// # Errors
///
/// When the program cannot be executed or does not follow the schedule.
pub fn replay(config: &Config, executor: Executor, schedule: &Schedule) -> Result<Details, Error> {
    // Where somebody asks whether a thread has ended, ends were visible when the schedule was found.
    match follow(config, executor, schedule, false) {
        Ok((details, false)) => Ok(details),
        Err(e @ Error::Failed(_)) => Err(e),
        _ => follow(config, executor, schedule, true).map(|(details, _)| details),
    }
}

/// One execution by `schedule`, and whether ends of threads should have been visible.
fn follow(
    config: &Config,
    executor: Executor,
    schedule: &Schedule,
    visible_ends: bool,
) -> Result<(Details, bool), Error> {
    let mut watched = schedule.watched.clone();
    watched.sort_unstable();
    let seeing = Seeing { watched, visible_ends };
    let stops_at_races = schedule.end == FailureKind::Race.word();
    let options = Options { details: true, stops_at_races, ..config.options(&seeing) };
    // A replay takes as long as it takes, but not for ever.
    let limits =
        Limits { until: Instant::now().checked_add(REPLAY_TIME).map(|until| (until, REPLAY_TIME)), ..Limits::NONE };
    let process = Process::start(&config.target, &Setup { executor, options }, &limits)?;
    let plain = Config { symmetry: SymmetryOption::Off, ..config.clone() };
    let mut subject =
        ProgramSubject { stops_at_escapes: false, ..ProgramSubject::new(process, executor, &plain, &seeing)? };
    let replayed = core::replay(&mut subject, schedule);
    if let Some(e) = subject.told.failed.take() {
        return Err(e);
    }
    let mut trace = replayed.map_err(Error::OffSchedule)?;
    let report = subject.last.take().unwrap_or_default();
    let names = presentation::names(&trace, &report, &subject.symbols);
    presentation::tell_race(&mut trace, &report, &names);
    let stacks = presentation::stacks(&trace, &report, &names, &subject.symbols);
    let header = vec![("program".to_owned(), config.target.program.to_string_lossy().into_owned())];
    let schedule = Schedule { header, ..Schedule::of(&trace) };
    Ok((Details { trace, schedule, names, stacks }, subject.told.asks_for_ends))
}

/// A program as the core sees it.
struct ProgramSubject {
    process: Process,
    symmetry: SymmetryOption,
    symbols: Symbols,
    /// Cells of stacks that are watched.
    watched: Vec<ObjId>,
    /// Does a run that saw too little answer an empty trace, which ends the search?
    stops_at_escapes: bool,
    executor: Executor,
    pace: Pace,
    told: Told,
    /// The last execution, trace excepted.
    last: Option<Report>,
    /// Is the image of an execution under way, whose own images are not asked for?
    is_permuting: bool,
    /// What is searched, when it is to be written down now and then, and when that was last done.
    periodic: Option<(Config, Instant)>,
}

impl ProgramSubject {
    /// A program that is executed by `process`.
    ///
    /// # Errors
    ///
    /// When the process is gone.
    fn new(process: Process, executor: Executor, config: &Config, seeing: &Seeing) -> Result<ProgramSubject, Failed> {
        let symbols = Symbols::of_process(process.id()).map_err(|e| Failed::Start(config.target.program.clone(), e))?;
        Ok(ProgramSubject {
            process,
            symmetry: config.symmetry.clone(),
            symbols,
            watched: seeing.watched.clone(),
            stops_at_escapes: true,
            executor,
            pace: Pace::default(),
            told: Told::default(),
            last: None,
            is_permuting: false,
            periodic: config.periodic.as_ref().map(|_| (config.clone(), Instant::now())),
        })
    }

    /// The search with what has been told so far.
    fn begun(&self, search: Search) -> Begun {
        let (uncontrolled, random) = self.told.admitted();
        Begun { search, watched: self.watched.clone(), uncontrolled, random }
    }

    /// Writes the search down if it is time.
    fn save_now_and_then(&mut self, search: &Search) {
        let Some((config, last)) = &self.periodic else { return };
        let Some(periodic) = config.periodic.as_ref().filter(|periodic| last.elapsed() >= periodic.every) else {
            return;
        };
        // Who cannot write now says so at the end, where the search is written again.
        let _ = saved::write(&periodic.file, config, &self.begun(search.clone()));
        if let Some((_, last)) = &mut self.periodic {
            *last = Instant::now();
        }
    }

    /// Executes the images of an execution, if that is what is asked for.
    ///
    /// # Errors
    ///
    /// With the place at which one of them is not what the symmetry asks for.
    fn permute(&mut self, trace: &Trace) -> Result<(), Error> {
        if self.is_permuting || !matches!(self.symmetry, SymmetryOption::Check(_)) {
            return Ok(());
        }
        self.is_permuting = true;
        let families = self.told.families.clone();
        let permutations: Vec<_> = families.iter().flat_map(Family::permutations).collect();
        let compared: Result<(), String> =
            permutations.iter().try_for_each(|permutation| compare_image(self, trace, permutation));
        self.is_permuting = false;
        self.told.n_permuted += permutations.len() as u64;
        // An image that went wrong otherwise, or after which the search begins anew, says nothing about the symmetry.
        let is_to_begin_anew =
            !self.told.escaped.is_empty() || self.told.asks_for_ends || !self.told.told_apart.is_empty();
        match self.told.failed.take() {
            Some(e) => Err(e),
            None if is_to_begin_anew => Ok(()),
            None => compared.map_err(Error::Refuted),
        }
    }

    /// Turns what ended the search from outside into its verdict.
    ///
    /// # Errors
    ///
    /// With what is no verdict.
    fn settle(&mut self, report: &mut core::Report) -> Result<(), Error> {
        match self.told.failed.take() {
            None => Ok(()),
            Some(Error::Failed(failed)) => match failed.inconclusive() {
                Some(why) if report.fault.is_none() => {
                    report.verdict = core::Verdict::Inconclusive(why);
                    Ok(())
                }
                Some(_) => {
                    report.verdict = core::Verdict::Violated;
                    Ok(())
                }
                None => Err(Error::Failed(failed)),
            },
            Some(e) => Err(e),
        }
    }

    fn check_symmetry(&mut self) -> Result<u64, Error> {
        self.is_permuting = true;
        let checked = check_symmetry(self, &[], N_CHECKED, 0);
        self.is_permuting = false;
        match self.told.failed.take() {
            Some(e) => Err(e),
            None => checked.map_err(Error::Refuted),
        }
    }

    fn execute(&mut self, plan: &Plan) -> Result<Trace, Error> {
        let mut report = self.process.execute(plan)?;
        let families = families(&self.symmetry, &report, &self.symbols)?;
        let mut trace = std::mem::take(&mut report.trace);
        trace.watched.clone_from(&self.watched);
        self.told.note(&mut report, &self.symbols);
        if let (Some(race), None) = (report.race, &self.told.race) {
            self.told.race = Some((race, trace.clone()));
        }
        if self.stops_at_escapes && (!self.told.escaped.is_empty() || self.told.asks_for_ends) {
            return Ok(no_trace());
        }
        let families_or_known = !families.is_empty() || !self.told.families.is_empty();
        if self.symmetry.is_auto() && families_or_known && !report.told_apart.is_empty() {
            self.told.told_apart = std::mem::take(&mut report.told_apart);
            return Ok(no_trace());
        }
        for family in families {
            if !self.told.families.contains(&family) {
                self.told.families.push(family.clone());
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
        let symmetry = matches!(self.symmetry, SymmetryOption::Off | SymmetryOption::Auto);
        self.executor == Executor::Snap && symmetry && search.stats().n_executions > 0
    }
}

impl Subject for ProgramSubject {
    fn run_ahead(&mut self, search: &mut Search, limit: u64, fault: FaultKnown) {
        self.save_now_and_then(search);
        if !self.can_go_ahead(search) || self.told.failed.is_some() {
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
            stops_when_told_apart: !self.told.families.is_empty(),
            stops_at_races: self.told.race.is_none(),
        };
        let start = Instant::now();
        let asked = ahead.limit;
        match self.process.go_ahead(ahead) {
            Ok(Some((gone_on, mut further))) => {
                *search = gone_on;
                self.told.admit(&mut further.uncontrolled, &mut further.random);
            }
            Ok(None) => self.pace.n_alone = asked,
            Err(e) => self.told.failed = Some(e.into()),
        }
        self.pace.took(start.elapsed());
    }

    fn run(&mut self, cursor: Cursor) -> Trace {
        if self.told.failed.is_some() {
            return no_trace();
        }
        let executed = self.execute(cursor.plan()).and_then(|trace| self.permute(&trace).map(|()| trace));
        match executed {
            Ok(trace) => trace,
            Err(e) => {
                self.told.failed = Some(e);
                no_trace()
            }
        }
    }
}
