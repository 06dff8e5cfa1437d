//! `burnside run`, `burnside replay … -- PROGRAM` and `burnside runtime`: programs instead of models.

use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use std::{fmt, io};

use burnside_programs::{
    Conclusion, Config, Error, ExecutorChoice, Failed, Output, Periodic, SavedError, SymmetryOption, Target, describe,
    go_on, headline, html, install_runtime, read_search, replay, report, stacks, write_search,
};
use burnside_stateless::{Bounds, End, Method, Schedule, Strategy, lanes};
use burnside_wire::{Executor, REPLAY_VARIABLE};

use crate::args::{ColorWhen, ProgramReplay, RunArgs, RuntimeArgs};
use crate::command;
use crate::exit::Exit;
use crate::output::{self, is_stdout, words, write_json, write_text};
use crate::terminal::Terminal;

/// How long a thread of a replayed program may run without a visible operation.
const REPLAY_TIMEOUT: Duration = Duration::from_secs(10);

/// How often a search is written down while it goes on.
const SAVED_EVERY: Duration = Duration::from_secs(60);

/// Carries out `run`. `interrupted` is asked now and then whether to cut the search.
pub(crate) fn run(args: &RunArgs, color: ColorWhen, interrupted: fn() -> bool) -> Exit {
    let outputs = [
        ("--json", args.json.as_deref()),
        ("--html", args.html.as_deref()),
        ("--schedule", args.schedule.as_deref()),
        ("--save", args.save.as_deref()),
    ];
    // A search may be saved where it was resumed from.
    let program = PathBuf::from(&args.command[0]);
    if let Err(exit) = output::admit(&outputs, &[&program]) {
        return exit;
    }
    let on_stdout = outputs.iter().any(|(_, path)| path.is_some_and(is_stdout));
    let mut terminal = if on_stdout { Terminal::beside_report(color) } else { Terminal::new(color) };
    search(args, &mut terminal, interrupted).unwrap_or_else(|failure| failure.tell())
}

/// Carries out `replay`.
pub(crate) fn follow(args: &ProgramReplay) -> Exit {
    let mut terminal = Terminal::new(ColorWhen::Auto);
    follow_schedule(args, &mut terminal).unwrap_or_else(|failure| failure.tell())
}

/// Carries out `runtime`.
pub(crate) fn write_runtime(args: &RuntimeArgs, color: ColorWhen) -> Exit {
    match install_runtime(&args.directory) {
        Ok(library) => {
            Terminal::new(color).say(&library.display().to_string());
            Exit::Holds
        }
        Err(error) => {
            Terminal::alarm(&format!("cannot write to `{}`: {}", args.directory.display(), words(&error)));
            Exit::Failed
        }
    }
}

/// Why a verb could not be carried out.
enum Failure {
    Search(Error),
    Schedule(String),
    Saved(SavedError),
    Io(io::Error),
    /// It was told already.
    Told(Exit),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Search(error) => error.fmt(f),
            Self::Schedule(problem) => problem.fmt(f),
            Self::Saved(error) => error.fmt(f),
            Self::Io(error) => f.write_str(&words(error)),
            Self::Told(_) => Ok(()),
        }
    }
}

impl Failure {
    fn tell(&self) -> Exit {
        if let Self::Told(exit) = self {
            return *exit;
        }
        Terminal::alarm(&self.to_string());
        match self {
            Self::Search(Error::Failed(Failed::Start(..))) => Exit::Invalid,
            Self::Search(Error::Symmetry(_) | Error::Refuted(_) | Error::OffSchedule(_)) => Exit::Invalid,
            Self::Schedule(_) | Self::Saved(_) => Exit::Invalid,
            Self::Search(_) | Self::Io(_) | Self::Told(_) => Exit::Failed,
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Search(error)
    }
}

fn search(args: &RunArgs, terminal: &mut Terminal, interrupted: fn() -> bool) -> Result<Exit, Failure> {
    let config = Config { interrupted, ..config(args) };
    let begun = args.resume.as_ref().map(|file| read_search(file, &config)).transpose().map_err(Failure::Saved)?;
    let conclusion = go_on(&config, begun)?;
    if let (Some(file), Some(begun)) = (&args.save, &conclusion.begun) {
        write_search(file, &config, begun).map_err(Failure::Saved)?;
    }
    let program = args.command[0].to_string_lossy();
    match args.quiet {
        true => terminal.say(&headline(&program, &conclusion)),
        false => terminal.write(&describe(&program, &conclusion)),
    }
    let exit = Exit::from_code(conclusion.report.verdict.exit_code());
    write_files(args, &program, &conclusion, exit)
}

fn write_files(args: &RunArgs, program: &str, conclusion: &Conclusion, exit: Exit) -> Result<Exit, Failure> {
    let written = |path: &Path, text: &str| {
        write_text(path, text).map_err(|problem| {
            Terminal::alarm(&problem);
            Failure::Told(Exit::Failed)
        })
    };
    if let (Some(file), Some(details)) = (&args.schedule, &conclusion.details) {
        written(file, &details.schedule.to_file(&details.names.places))?;
    }
    if let Some(file) = &args.html {
        written(file, &html(program, &command::given(), conclusion))?;
    }
    Ok(match &args.json {
        Some(file) => write_json(file, &report(program, conclusion), exit),
        None => exit,
    })
}

fn follow_schedule(args: &ProgramReplay, terminal: &mut Terminal) -> Result<Exit, Failure> {
    let schedule = read_schedule(&args.schedule).map_err(Failure::Schedule)?;
    if args.gdb {
        return Err(Failure::Io(under_gdb(&args.command, &schedule)));
    }
    let executor = match args.executor.choice() {
        ExecutorChoice::Only(executor) => executor,
        ExecutorChoice::Auto => Executor::Threads,
    };
    let details = match replay(&replay_config(args), executor, &schedule) {
        Err(Error::OffSchedule(at)) => {
            let why = format!("at step {}: {}", at.step, at.detail);
            return Err(Failure::Schedule(does_not_fit(&args.command[0], &schedule, &why)));
        }
        replayed => replayed?,
    };
    let end = details.trace.end.as_ref();
    terminal.say(&format!("{}: {}", args.command[0].display(), end.map_or("no end", End::word)));
    terminal.write(&format!("{}\n{}", lanes(&details.trace, &details.names), stacks(&details)));
    Ok(match end {
        Some(end) if end.is_fault() => Exit::Violated,
        Some(End::Completed) => Exit::Holds,
        _ => Exit::Inconclusive,
    })
}

/// What to say of a schedule that a program does not follow.
fn does_not_fit(program: &OsString, schedule: &Schedule, why: &str) -> String {
    let program = program.to_string_lossy();
    let recorded = schedule.header.iter().find(|(key, _)| key == "program").map(|(_, name)| name);
    match recorded.filter(|recorded| **recorded != program) {
        Some(recorded) => format!("this schedule is one of `{recorded}`, and `{program}` does not follow it {why}"),
        None => format!(
            "`{program}` does not follow this schedule {why}\nIt belongs to another program, to other arguments or \
             options, or the program is not deterministic."
        ),
    }
}

/// The schedule given, or the one in the file of that name.
fn read_schedule(text: &str) -> Result<Schedule, String> {
    match std::fs::read_to_string(text) {
        Ok(file) => Schedule::from_file(&file).map_err(|problem| format!("`{text}` is not a schedule: {problem}")),
        Err(error) => Schedule::from_short(text).map_err(|problem| {
            let cause = words(&error);
            format!("`{text}` is neither a file ({cause}) nor a schedule such as `0*3,1,2`: {problem}")
        }),
    }
}

/// Becomes gdb; answers only if that fails.
fn under_gdb(command: &[OsString], schedule: &Schedule) -> io::Error {
    let directory = std::env::temp_dir().join(format!("burnside-{}", std::process::id()));
    let library = match install_runtime(&directory) {
        Ok(library) => library,
        Err(error) => return error,
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

fn config(args: &RunArgs) -> Config {
    Config {
        target: target(&args.command, Output::Discarded),
        executor: args.executor.choice(),
        strategy: args.strategy(),
        symmetry: args.sym.clone(),
        bounds: Bounds {
            max_depth: args.depth,
            max_preemptions: args.preemptions.unwrap_or(u32::MAX),
            max_delays: args.delays.unwrap_or(u32::MAX),
            max_executions: args.executions.unwrap_or(u64::MAX),
        },
        max_time: args.time,
        max_memory: args.memory,
        periodic: args.save.clone().map(|file| Periodic { file, every: SAVED_EVERY }),
        spurious_wakeups: args.spurious,
        step_timeout: args.step_timeout,
        expected_status: args.expect_status,
        finds_leaks: args.leaks,
        keep_going: args.keep_going,
        n_jobs: args.jobs.get(),
        interrupted: || false,
    }
}

fn replay_config(args: &ProgramReplay) -> Config {
    Config {
        target: target(&args.command, Output::Shown),
        executor: args.executor.choice(),
        strategy: Strategy::Exhaustive(Method::Optimal),
        symmetry: SymmetryOption::Off,
        bounds: Bounds::default(),
        max_time: None,
        max_memory: None,
        periodic: None,
        spurious_wakeups: args.spurious,
        step_timeout: REPLAY_TIMEOUT,
        expected_status: args.expect_status,
        finds_leaks: args.leaks,
        keep_going: false,
        n_jobs: 1,
        interrupted: || false,
    }
}

fn target(command: &[OsString], output: Output) -> Target {
    Target { program: command[0].clone(), arguments: command[1..].to_vec(), output }
}
