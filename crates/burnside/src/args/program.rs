//! The command line of the verbs that run programs instead of models.

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use burnside_programs::{ExecutorChoice, SymmetryOption};
use burnside_stateless::{Method, Persistent, Sampling, Strategy};
use burnside_wire::Executor;
use clap::{Args, Parser, ValueEnum, ValueHint};

use crate::quantity::{parse_bytes, parse_duration, parse_number, parse_threads};

/// Runs of a sample when the command line does not say.
const N_SAMPLED: u64 = 10_000;

/// Explores the schedules of a program: `burnside run -- ./program args`.
#[derive(Debug, Args)]
#[command(
    override_usage = "burnside run [OPTIONS] -- PROGRAM [ARGUMENTS]...",
    after_help = "See `--help` for examples.",
    after_long_help = "\
Examples:
  cc -g -pthread philosophers.c -o philosophers
  burnside run -- ./philosophers
  burnside run --time 10m --json report.json -- ./philosophers
  burnside run --schedule s.txt -- ./philosophers ; burnside replay s.txt -- ./philosophers
  burnside run --explorer random --executions 1000 --seed 7 -- ./philosophers
  burnside run --time 10s --save half.txt -- ./philosophers

Exit codes:
  0  holds          no schedule leads to a deadlock, crash, race or wrong status
  1  violated       one does, and it was run again
  2  inconclusive   a limit or an interrupt ended the search, or it was a sample
  3  invalid        the command line is wrong, or the program cannot be started
  4  failed         a file could not be written, or Burnside itself is at fault"
)]
pub(crate) struct RunArgs {
    /// Which schedules are explored.
    #[arg(long, value_enum, default_value_t = ExplorerWord::Optimal, help_heading = "Search")]
    pub(crate) explorer: ExplorerWord,
    /// Symmetry: auto, off, ring:SYMBOL:N, interchange:1,2,3 or interchange:FUNCTION[:ARRAY…]; any but off after `check:`.
    #[arg(long, default_value = "auto", value_name = "SYMMETRY", help_heading = "Search")]
    pub(crate) sym: SymmetryOption,
    /// How executions are carried out.
    #[arg(long, value_enum, default_value_t = ExecutorWord::Auto, help_heading = "Search")]
    pub(crate) executor: ExecutorWord,
    /// Let every thread wake from condition variables without a signal, once or this many times.
    #[arg(long, value_name = "N", value_parser = parse_number::<u32>, num_args = 0..=1, default_missing_value = "1", require_equals = true, default_value_t = 0, help_heading = "Search")]
    pub(crate) spurious: u32,
    /// The status the program should end with; any other is a fault.
    #[arg(long, value_name = "STATUS", default_value_t = 0, help_heading = "Search")]
    pub(crate) expect_status: u8,
    /// Threads that nobody has joined or detached when the program ends are a fault.
    #[arg(long, help_heading = "Search")]
    pub(crate) leaks: bool,
    /// Go on after the first fault.
    #[arg(long, help_heading = "Search")]
    pub(crate) keep_going: bool,
    /// Explore in this many processes side by side.
    #[arg(short = 'j', long = "jobs", value_name = "N", default_value = "1", value_parser = parse_threads, help_heading = "Search")]
    pub(crate) jobs: NonZeroUsize,
    /// Seed of the random explorers.
    #[arg(long, value_name = "N", value_parser = parse_number::<u64>, default_value_t = 0, help_heading = "Search")]
    pub(crate) seed: u64,
    /// Go on with the search in this file.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "jobs", help_heading = "Search")]
    pub(crate) resume: Option<PathBuf>,
    /// Stop an execution before this many transitions.
    #[arg(long, value_name = "N", value_parser = parse_number::<u32>, default_value_t = 100_000, help_heading = "Limits")]
    pub(crate) depth: u32,
    /// Explore executions with at most this many preemptions only: switches away from a thread that could go on and did
    /// not yield or sleep.
    #[arg(long, value_name = "N", value_parser = parse_number::<u32>, help_heading = "Limits")]
    pub(crate) preemptions: Option<u32>,
    /// Explore executions with at most this many delays only: how often a thread is passed over in the order in which a
    /// scheduler that goes round would take them. All of them are explored, one by one.
    #[arg(long, value_name = "N", value_parser = parse_number::<u32>, help_heading = "Limits")]
    pub(crate) delays: Option<u32>,
    /// Stop after this many executions.
    #[arg(long, value_name = "N", value_parser = parse_number::<u64>, help_heading = "Limits")]
    pub(crate) executions: Option<u64>,
    /// Stop after this long, such as `90s`, `10m`, `1h30m`.
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, help_heading = "Limits")]
    pub(crate) time: Option<Duration>,
    /// Stop when the search itself uses more memory than this, such as `500M` or `2G`.
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, help_heading = "Limits")]
    pub(crate) memory: Option<u64>,
    /// Report a thread that runs this long without a visible operation.
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, default_value = "10s", help_heading = "Limits")]
    pub(crate) step_timeout: Duration,
    /// Write the search to this file once a minute, and when it is cut by a limit or by Ctrl-C.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "jobs", help_heading = "Output")]
    pub(crate) save: Option<PathBuf>,
    /// Write the schedule of a fault to this file, for `burnside replay`.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(crate) schedule: Option<PathBuf>,
    /// Write a report in JSON; with `-` it goes to standard output and all other text to standard error.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(crate) json: Option<PathBuf>,
    /// Write a page for a browser to this file.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(crate) html: Option<PathBuf>,
    /// Print the verdict only.
    #[arg(short, long, help_heading = "Output")]
    pub(crate) quiet: bool,
    /// The program and its arguments.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "PROGRAM")]
    pub(crate) command: Vec<OsString>,
}

/// Names of explorers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum ExplorerWord {
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

impl RunArgs {
    /// Which schedules are explored, and how.
    pub(crate) fn strategy(&self) -> Strategy {
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
}

/// The other `replay`: a schedule instead of a trace, a program instead of a model.
#[derive(Debug, Parser)]
#[command(
    name = "burnside replay",
    override_usage = super::REPLAY_USAGE,
    after_long_help = "\
Examples:
  burnside run --schedule s.txt -- ./philosophers
  burnside replay s.txt -- ./philosophers
  burnside replay s.txt --gdb -- ./philosophers

Exit codes:
  0  the schedule was followed and the program ended as it should
  1  the schedule was followed and leads to a fault
  2  the schedule ends before the program does
  3  the schedule is wrong or one of another program, or the command line is wrong
  4  the environment or Burnside itself is at fault"
)]
pub(crate) struct ProgramReplay {
    /// A schedule such as 0*3,1,2 or the file that `run --schedule` wrote.
    pub(crate) schedule: String,
    /// How the execution is carried out.
    #[arg(long, value_enum, default_value_t = ExecutorWord::Threads)]
    pub(crate) executor: ExecutorWord,
    /// Let condition variables wake without a signal, as in the search.
    #[arg(long, value_name = "N", value_parser = parse_number::<u32>, num_args = 0..=1, default_missing_value = "1", require_equals = true, default_value_t = 0)]
    pub(crate) spurious: u32,
    /// The status the program should end with, as in the search.
    #[arg(long, value_name = "STATUS", default_value_t = 0)]
    pub(crate) expect_status: u8,
    /// Look for threads that nobody has joined or detached, as in the search.
    #[arg(long)]
    pub(crate) leaks: bool,
    /// Follow the schedule under gdb, which stops where it ends.
    #[arg(long)]
    pub(crate) gdb: bool,
    /// The program and its arguments.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "PROGRAM")]
    pub(crate) command: Vec<OsString>,
}

impl ProgramReplay {
    /// Whether this is what the words of a command line ask for: `replay … -- PROGRAM`.
    pub(crate) fn is_meant(words: &[OsString]) -> bool {
        words.get(1).is_some_and(|verb| verb == "replay") && words.iter().any(|word| word == "--")
    }
}

/// Writes the library and the header that programs are built with.
#[derive(Debug, Args)]
pub(crate) struct RuntimeArgs {
    /// The directory to write to.
    #[arg(value_hint = ValueHint::DirPath)]
    pub(crate) directory: PathBuf,
}

/// Names of executors.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum ExecutorWord {
    /// The fastest that can be trusted.
    Auto,
    /// User-level threads, memory put back.
    Snap,
    /// User-level threads, a process for each execution.
    Fork,
    /// Kernel threads, a process for each execution.
    Threads,
}

impl ExecutorWord {
    pub(crate) fn choice(self) -> ExecutorChoice {
        match self {
            ExecutorWord::Auto => ExecutorChoice::Auto,
            ExecutorWord::Snap => ExecutorChoice::Only(Executor::Snap),
            ExecutorWord::Fork => ExecutorChoice::Only(Executor::Fork),
            ExecutorWord::Threads => ExecutorChoice::Only(Executor::Threads),
        }
    }
}
