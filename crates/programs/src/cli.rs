//! The verb `run` of the command line: its arguments, what it prints, its exit status.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use burnside_stateless::{Bounds, End, Method, Persistent};
use burnside_wire::Executor;
use clap::{Args as ClapArgs, ValueEnum};

use crate::executor::ExecutorChoice;
use crate::presentation;
use crate::process::{Output, Target};
use crate::schedule::{parse_schedule, print_schedule};
use crate::search::{Config, Error, Verdict, replay, search};
use crate::symmetry::SymmetryOption;

/// Exit statuses of the design.
const HOLDS: u8 = 0;
const VIOLATED: u8 = 1;
const INCONCLUSIVE: u8 = 2;
const BAD_COMMAND_LINE: u8 = 3;
const ENVIRONMENT: u8 = 4;

/// Explores the schedules of a program: `burnside run -- ./program args`.
#[derive(Clone, Debug, ClapArgs)]
pub struct Args {
    /// Which schedules are explored.
    #[arg(long, value_enum, default_value_t = ExplorerWord::Optimal)]
    pub explorer: ExplorerWord,
    /// Symmetry: auto, off, check, ring:SYMBOL:N, interchange:1,2,3 or interchange:FUNCTION.
    #[arg(long, default_value = "auto", value_name = "SYMMETRY")]
    pub sym: SymmetryOption,
    /// How executions are carried out.
    #[arg(long, value_enum, default_value_t = ExecutorWord::Auto)]
    pub executor: ExecutorWord,
    /// Stop an execution before this many transitions.
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub depth: u32,
    /// Explore executions with at most this many preemptions only.
    #[arg(long, value_name = "N")]
    pub preemptions: Option<u32>,
    /// Stop after this many executions.
    #[arg(long, value_name = "N")]
    pub executions: Option<u64>,
    /// Stop after this time, such as 30s or 10m.
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub time: Option<Duration>,
    /// Report a thread that runs this long without a visible operation.
    #[arg(long, value_name = "TIME", value_parser = parse_time, default_value = "10s")]
    pub step_timeout: Duration,
    /// Let condition variables wake without a signal.
    #[arg(long)]
    pub spurious: bool,
    /// Go on after the first fault.
    #[arg(long)]
    pub keep_going: bool,
    /// Follow this schedule instead of exploring, and show the program's output.
    #[arg(long, value_name = "SCHEDULE")]
    pub replay: Option<String>,
    /// Write a report in JSON to this file, or to standard output (-).
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
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

/// Carries out the verb and answers the exit status.
#[must_use]
pub fn run(args: &Args) -> u8 {
    // With JSON on standard output the text for people goes to standard error.
    let json_on_stdout = args.json.as_ref().is_some_and(|file| file.as_os_str() == "-");
    let mut out: Box<dyn Write> = if json_on_stdout { Box::new(io::stderr()) } else { Box::new(io::stdout()) };
    let result = match &args.replay {
        Some(schedule) => run_replay(args, schedule, &mut out),
        None => run_search(args, &mut out),
    };
    match result {
        Ok(status) => status,
        Err(RunError::Io(e)) if e.kind() == io::ErrorKind::BrokenPipe => ENVIRONMENT,
        Err(e) => {
            let _ = writeln!(io::stderr(), "error: {e}");
            e.status()
        }
    }
}

/// Why the verb could not be carried out.
#[derive(Debug)]
enum RunError {
    Search(Error),
    Schedule(crate::schedule::ScheduleError),
    Io(io::Error),
}

impl std::fmt::Display for RunError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            RunError::Search(e) => e.fmt(f),
            RunError::Schedule(e) => e.fmt(f),
            RunError::Io(e) => e.fmt(f),
        }
    }
}

impl RunError {
    fn status(&self) -> u8 {
        match self {
            RunError::Search(Error::Symmetry(_)) | RunError::Schedule(_) => BAD_COMMAND_LINE,
            RunError::Search(Error::Failed(crate::process::Failed::Start(..))) => BAD_COMMAND_LINE,
            RunError::Search(_) | RunError::Io(_) => ENVIRONMENT,
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

fn run_search(args: &Args, out: &mut dyn Write) -> Result<u8, RunError> {
    let (conclusion, symbols) = search(&args.config())?;
    let program = args.program();
    for note in &conclusion.notes {
        writeln!(out, "note: {note}")?;
    }
    writeln!(out, "{}", presentation::headline(&program, &conclusion))?;
    if !args.quiet {
        if let Verdict::Violated(found) = &conclusion.verdict {
            let schedule = print_schedule(&found.schedule);
            write!(out, "{}", presentation::execution(&found.report, &schedule, &symbols))?;
        }
        writeln!(out, "{}", presentation::statistics(&conclusion))?;
    }
    if let Some(file) = &args.json {
        let text = serde_json::to_string_pretty(&presentation::json(&program, &conclusion, &symbols))
            .map_err(io::Error::other)?;
        if file.as_os_str() == "-" {
            writeln!(io::stdout(), "{text}")?;
        } else {
            std::fs::write(file, text + "\n")?;
        }
    }
    Ok(match conclusion.verdict {
        Verdict::Holds => HOLDS,
        Verdict::Violated(_) => VIOLATED,
        Verdict::Inconclusive(_) => INCONCLUSIVE,
    })
}

fn run_replay(args: &Args, schedule: &str, out: &mut dyn Write) -> Result<u8, RunError> {
    let picks = parse_schedule(schedule).map_err(RunError::Schedule)?;
    let executor = match args.executor.choice() {
        ExecutorChoice::Only(executor) => executor,
        ExecutorChoice::Auto => Executor::Threads,
    };
    let (report, symbols) = replay(&args.config(), executor, &picks)?;
    writeln!(out, "{}: {}", args.program(), presentation::fault(&report))?;
    if !args.quiet {
        write!(out, "{}", presentation::execution(&report, schedule, &symbols))?;
    }
    Ok(match &report.trace.end {
        Some(end) if end.is_fault() => VIOLATED,
        Some(End::Completed) => HOLDS,
        _ => INCONCLUSIVE,
    })
}

impl Args {
    fn program(&self) -> String {
        self.command[0].to_string_lossy().into_owned()
    }

    fn config(&self) -> Config {
        Config {
            target: Target {
                program: self.command[0].clone(),
                arguments: self.command[1..].to_vec(),
                output: Output::Discarded,
            },
            executor: self.executor.choice(),
            method: self.explorer.method(),
            symmetry: self.sym.clone(),
            bounds: Bounds {
                max_depth: self.depth,
                max_preemptions: self.preemptions.unwrap_or(u32::MAX),
                max_executions: self.executions.unwrap_or(u64::MAX),
            },
            max_time: self.time,
            spurious_wakeups: self.spurious,
            step_timeout: self.step_timeout,
            keep_going: self.keep_going,
        }
    }
}

impl ExplorerWord {
    fn method(self) -> Method {
        match self {
            ExplorerWord::Plain => Method::Plain,
            ExplorerWord::Sleep => Method::Sleep,
            ExplorerWord::Persistent => Method::Persistent(Persistent::Releases),
            ExplorerWord::Source => Method::Source,
            ExplorerWord::Optimal => Method::Optimal,
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
