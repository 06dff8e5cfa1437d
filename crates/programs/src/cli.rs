//! The verbs of the command line: arguments, what they print, exit statuses.
//!
//! `run` explores, `replay` follows one schedule, `runtime` writes the library
//! and the header out for linking. The shell mounts them.

use std::ffi::OsString;
use std::fmt;
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use burnside_stateless::{Bounds, End, Method, Persistent, Sampling, Schedule, Strategy, html, lanes};
use burnside_wire::{Executor, REPLAY_VARIABLE};
use clap::{Args as ClapArgs, ValueEnum};

use crate::executor::ExecutorChoice;
use crate::presentation;
use crate::process::{Failed, Output, Target};
use crate::runtime;
use crate::saved::{self, SavedError};
use crate::search::{Conclusion, Config, Error, Periodic, go_on, replay};
use crate::symmetry::SymmetryOption;

/// Exit statuses of the design that the core's verdict does not give.
const HOLDS: u8 = 0;
const VIOLATED: u8 = 1;
const INCONCLUSIVE: u8 = 2;
const BAD_COMMAND_LINE: u8 = 3;
const ENVIRONMENT: u8 = 4;
/// How often a search is written down while it goes on.
const SAVED_EVERY: Duration = Duration::from_secs(60);
/// Runs of a sample when the command line does not say.
const N_SAMPLED: u64 = 10_000;

/// Explores the schedules of a program: `burnside run -- ./program args`.
#[derive(Clone, Debug, ClapArgs)]
pub struct Args {
    /// Which schedules are explored.
    #[arg(long, value_enum, default_value_t = ExplorerWord::Optimal)]
    pub explorer: ExplorerWord,
    /// Symmetry: auto, off, ring:SYMBOL:N, interchange:1,2,3 or interchange:FUNCTION; any but off after `check:`.
    #[arg(long, default_value = "auto", value_name = "SYMMETRY")]
    pub sym: SymmetryOption,
    /// How executions are carried out.
    #[arg(long, value_enum, default_value_t = ExecutorWord::Auto)]
    pub executor: ExecutorWord,
    /// Stop an execution before this many transitions.
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub depth: u32,
    /// Explore executions with at most this many preemptions only. They are explored one by one: the explorer becomes
    /// `plain`, since equivalent executions may differ in preemptions.
    #[arg(long, value_name = "N")]
    pub preemptions: Option<u32>,
    /// Stop after this many executions.
    #[arg(long, value_name = "N")]
    pub executions: Option<u64>,
    /// Stop after this time, such as 30s or 10m.
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub time: Option<Duration>,
    /// Stop when the search itself uses more memory than this, such as 500M or 2G.
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub memory: Option<u64>,
    /// Report a thread that runs this long without a visible operation.
    #[arg(long, value_name = "TIME", value_parser = parse_time, default_value = "10s")]
    pub step_timeout: Duration,
    /// Let every thread wake from condition variables without a signal, once or this many times.
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "1", require_equals = true, default_value_t = 0)]
    pub spurious: u32,
    /// The status the program should end with; any other is a fault.
    #[arg(long, value_name = "STATUS", default_value_t = 0)]
    pub expect_status: u8,
    /// Go on after the first fault.
    #[arg(long)]
    pub keep_going: bool,
    /// Explore in this many processes side by side.
    #[arg(short = 'j', long = "jobs", value_name = "N", default_value_t = 1)]
    pub jobs: usize,
    /// Seed of the random explorers.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Write the search to this file once a minute, and when it is cut by a limit or by Ctrl-C.
    #[arg(long, value_name = "FILE", conflicts_with = "jobs")]
    pub save: Option<PathBuf>,
    /// Go on with the search in this file.
    #[arg(long, value_name = "FILE", conflicts_with = "jobs")]
    pub resume: Option<PathBuf>,
    /// Write the schedule of a fault to this file, for `burnside replay`.
    #[arg(long, value_name = "FILE")]
    pub schedule: Option<PathBuf>,
    /// Write a report in JSON to this file, or to standard output (-).
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write a page for a browser to this file.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Print the verdict only.
    #[arg(short, long)]
    pub quiet: bool,
    /// The program and its arguments.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "PROGRAM")]
    pub command: Vec<OsString>,
}

/// Names of explorers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ExplorerWord {
    /// Every interleaving.
    Plain,
    /// Sleep sets.
    Sleep,
    /// Persistent sets and sleep sets, for programs whose semaphores are used as locks.
    Persistent,
    /// Source sets.
    Source,
    /// Wakeup trees: every Mazurkiewicz trace once.
    Optimal,
    /// A sample: at every transition any thread, with equal chances.
    Random,
    /// A sample: random priorities that change twice.
    Pct,
}

/// Follows one schedule: `burnside replay 0,1*2 -- ./program args`.
#[derive(Clone, Debug, ClapArgs)]
pub struct ReplayArgs {
    /// A schedule such as 0*3,1,2 or the file that `run --schedule` wrote.
    pub schedule: String,
    /// How the execution is carried out.
    #[arg(long, value_enum, default_value_t = ExecutorWord::Threads)]
    pub executor: ExecutorWord,
    /// Let condition variables wake without a signal, as in the search.
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "1", require_equals = true, default_value_t = 0)]
    pub spurious: u32,
    /// The status the program should end with, as in the search.
    #[arg(long, value_name = "STATUS", default_value_t = 0)]
    pub expect_status: u8,
    /// Follow the schedule under gdb, which stops where it ends.
    #[arg(long)]
    pub gdb: bool,
    /// The program and its arguments.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "PROGRAM")]
    pub command: Vec<OsString>,
}

/// Writes the library and the header that programs are built with.
#[derive(Clone, Debug, ClapArgs)]
pub struct RuntimeArgs {
    /// The directory to write to.
    pub directory: PathBuf,
}

/// Names of executors.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ExecutorWord {
    /// The fastest that can be trusted.
    Auto,
    /// User-level threads, memory put back.
    Snap,
    /// User-level threads, a process for each execution.
    Fork,
    /// Kernel threads, a process for each execution.
    Threads,
}

/// Carries out `run` and answers the exit status. `interrupted` is asked now
/// and then whether to cut the search.
#[must_use]
pub fn run(args: &Args, interrupted: fn() -> bool) -> u8 {
    finish(run_search(args, interrupted))
}

/// Carries out `replay` and answers the exit status.
#[must_use]
pub fn run_replay(args: &ReplayArgs) -> u8 {
    finish(follow(args))
}

/// Carries out `runtime` and answers the exit status.
#[must_use]
pub fn run_runtime(args: &RuntimeArgs) -> u8 {
    finish(write_runtime(&args.directory))
}

fn finish(result: Result<u8, RunError>) -> u8 {
    match result {
        Ok(status) => status,
        Err(RunError::Io(e)) if e.kind() == io::ErrorKind::BrokenPipe => ENVIRONMENT,
        Err(e) => {
            let _ = writeln!(io::stderr(), "error: {e}");
            e.status()
        }
    }
}

/// Why a verb could not be carried out.
#[derive(Debug)]
enum RunError {
    Search(Error),
    Schedule(String),
    Saved(SavedError),
    Io(io::Error),
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunError::Search(e) => e.fmt(f),
            RunError::Schedule(e) => e.fmt(f),
            RunError::Saved(e) => e.fmt(f),
            RunError::Io(e) => e.fmt(f),
        }
    }
}

impl RunError {
    fn status(&self) -> u8 {
        match self {
            RunError::Search(Error::Symmetry(_) | Error::Refuted(_) | Error::OffSchedule(_)) => BAD_COMMAND_LINE,
            RunError::Search(Error::Failed(Failed::Start(..))) | RunError::Schedule(_) => BAD_COMMAND_LINE,
            RunError::Saved(_) => BAD_COMMAND_LINE,
            RunError::Search(Error::Failed(_)) | RunError::Io(_) => ENVIRONMENT,
        }
    }
}

impl From<Error> for RunError {
    fn from(e: Error) -> RunError {
        RunError::Search(e)
    }
}

impl From<io::Error> for RunError {
    fn from(e: io::Error) -> RunError {
        RunError::Io(e)
    }
}

fn run_search(args: &Args, interrupted: fn() -> bool) -> Result<u8, RunError> {
    let config = Config { interrupted, ..args.config() };
    let begun = args.resume.as_ref().map(|file| saved::read(file, &config)).transpose().map_err(RunError::Saved)?;
    let conclusion = go_on(&config, begun)?;
    if let (Some(file), Some(begun)) = (&args.save, &conclusion.begun) {
        saved::write(file, &config, begun).map_err(RunError::Saved)?;
    }
    let program = args.program();
    let text = match args.quiet {
        true => presentation::headline(&program, &conclusion),
        false => presentation::text(&program, &conclusion),
    };
    // With JSON on standard output the text for people goes to standard error.
    let json_on_stdout = args.json.as_ref().is_some_and(|file| file.as_os_str() == "-");
    match json_on_stdout {
        true => io::stderr().write_all(text.as_bytes())?,
        false => io::stdout().write_all(text.as_bytes())?,
    }
    write_files(args, &program, &conclusion)?;
    Ok(conclusion.report.verdict.exit_code())
}

fn write_files(args: &Args, program: &str, conclusion: &Conclusion) -> Result<(), RunError> {
    if let Some(file) = &args.json {
        let json = serde_json::to_string_pretty(&presentation::json(program, conclusion)).map_err(io::Error::other)?;
        match file.as_os_str() == "-" {
            true => writeln!(io::stdout(), "{json}")?,
            false => std::fs::write(file, json + "\n")?,
        }
    }
    if let (Some(file), Some(details)) = (&args.schedule, &conclusion.details) {
        std::fs::write(file, details.schedule.to_file(&details.names.places))?;
    }
    if let Some(file) = &args.html {
        let names = conclusion.details.as_ref().map(|details| details.names.clone()).unwrap_or_default();
        std::fs::write(file, presentation::honest(html(&conclusion.report, &names), conclusion))?;
    }
    Ok(())
}

fn follow(args: &ReplayArgs) -> Result<u8, RunError> {
    let schedule = read_schedule(&args.schedule).map_err(RunError::Schedule)?;
    if args.gdb {
        return Err(under_gdb(&args.command, &schedule).into());
    }
    let executor = match args.executor.choice() {
        ExecutorChoice::Only(executor) => executor,
        ExecutorChoice::Auto => Executor::Threads,
    };
    let details = replay(&args.config(), executor, &schedule)?;
    let mut out = io::stdout();
    let end = details.trace.end.as_ref();
    writeln!(out, "{}: {}", args.command[0].display(), end.map_or("no end", End::word))?;
    write!(out, "{}\n{}", lanes(&details.trace, &details.names), presentation::stacks_text(&details))?;
    Ok(match end {
        Some(end) if end.is_fault() => VIOLATED,
        Some(End::Completed) => HOLDS,
        _ => INCONCLUSIVE,
    })
}

/// The schedule given, or the one in the file of that name.
fn read_schedule(text: &str) -> Result<Schedule, String> {
    match std::fs::read_to_string(text) {
        Ok(file) => Schedule::from_file(&file),
        Err(_) => Schedule::from_short(text),
    }
}

/// Becomes gdb; answers only if that fails.
fn under_gdb(command: &[OsString], schedule: &Schedule) -> io::Error {
    let directory = std::env::temp_dir().join(format!("burnside-{}", std::process::id()));
    let library = match runtime::install(&directory) {
        Ok(library) => library,
        Err(e) => return e,
    };
    Command::new("gdb")
        // A shell between gdb and the program would be controlled too.
        .args(["-ex", "set startup-with-shell off"])
        .args(["-ex", &format!("set environment LD_PRELOAD {}", library.display())])
        .args(["-ex", &format!("set environment {REPLAY_VARIABLE} {}", schedule.short())])
        .arg("--args")
        .args(command)
        .exec()
}

fn write_runtime(directory: &Path) -> Result<u8, RunError> {
    let library = runtime::install(directory)?;
    writeln!(io::stdout(), "{}", library.display())?;
    Ok(HOLDS)
}

impl ReplayArgs {
    fn config(&self) -> Config {
        Config {
            target: target(&self.command, Output::Shown),
            executor: self.executor.choice(),
            strategy: Strategy::Exhaustive(Method::Optimal),
            symmetry: SymmetryOption::Off,
            bounds: Bounds::default(),
            max_time: None,
            max_memory: None,
            periodic: None,
            spurious_wakeups: self.spurious,
            step_timeout: Duration::from_secs(10),
            expected_status: self.expect_status,
            keep_going: false,
            n_jobs: 1,
            interrupted: never,
        }
    }
}

fn never() -> bool {
    false
}

fn target(command: &[OsString], output: Output) -> Target {
    Target { program: command[0].clone(), arguments: command[1..].to_vec(), output }
}

impl Args {
    fn program(&self) -> String {
        self.command[0].to_string_lossy().into_owned()
    }

    fn strategy(&self) -> Strategy {
        let sample =
            |sampling| Strategy::Sample { sampling, n_runs: self.executions.unwrap_or(N_SAMPLED), seed: self.seed };
        match self.explorer {
            ExplorerWord::Plain => Strategy::Exhaustive(Method::Plain),
            ExplorerWord::Sleep => Strategy::Exhaustive(Method::Sleep),
            ExplorerWord::Persistent => Strategy::Exhaustive(Method::Persistent(Persistent::Releases)),
            ExplorerWord::Source => Strategy::Exhaustive(Method::Source),
            ExplorerWord::Optimal => Strategy::Exhaustive(Method::Optimal),
            ExplorerWord::Random => sample(Sampling::RandomWalk),
            ExplorerWord::Pct => sample(Sampling::Pct { depth: 3 }),
        }
    }

    fn config(&self) -> Config {
        Config {
            target: target(&self.command, Output::Discarded),
            executor: self.executor.choice(),
            strategy: self.strategy(),
            symmetry: self.sym.clone(),
            bounds: Bounds {
                max_depth: self.depth,
                max_preemptions: self.preemptions.unwrap_or(u32::MAX),
                max_executions: self.executions.unwrap_or(u64::MAX),
            },
            max_time: self.time,
            max_memory: self.memory,
            periodic: self.save.clone().map(|file| Periodic { file, every: SAVED_EVERY }),
            spurious_wakeups: self.spurious,
            step_timeout: self.step_timeout,
            expected_status: self.expect_status,
            keep_going: self.keep_going,
            n_jobs: self.jobs,
            interrupted: never,
        }
    }
}

impl ExecutorWord {
    fn choice(self) -> ExecutorChoice {
        match self {
            ExecutorWord::Auto => ExecutorChoice::Auto,
            ExecutorWord::Snap => ExecutorChoice::Only(Executor::Snap),
            ExecutorWord::Fork => ExecutorChoice::Only(Executor::Fork),
            ExecutorWord::Threads => ExecutorChoice::Only(Executor::Threads),
        }
    }
}

/// `4000000`, `500k`, `500M` or `2G`.
fn parse_size(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let number: u64 = digits.parse().map_err(|_| format!("`{text}` is no size such as 500M or 2G"))?;
    let factor = match &text[digits.len()..] {
        "" => 1,
        "k" | "K" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        unit => return Err(format!("`{unit}` is none of k, M, G")),
    };
    number.checked_mul(factor).ok_or_else(|| format!("`{text}` is too large"))
}

/// `90`, `90s`, `10m`, `2h` or `500ms`.
fn parse_time(text: &str) -> Result<Duration, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let number: f64 = digits.parse().map_err(|_| format!("`{text}` is no time such as 30s or 10m"))?;
    let seconds = match &text[digits.len()..] {
        "" | "s" => number,
        "ms" => number / 1000.0,
        "m" => number * 60.0,
        "h" => number * 3600.0,
        unit => return Err(format!("`{unit}` is none of ms, s, m, h")),
    };
    Duration::try_from_secs_f64(seconds).map_err(|e| e.to_string())
}
