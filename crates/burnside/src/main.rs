//! The command `burnside`: arguments, files, terminal, exit codes.
//!
//! `args` says what can be asked for, `verb` has one module for each thing that can be done, `burnside-view` turns
//! results into words and JSON. Everything that is computed is computed by `burnside-driver`.

mod args;
mod child;
mod command;
mod deadline;
mod exit;
mod input;
mod interrupt;
mod output;
mod progress;
mod quantity;
mod terminal;
mod verb;

use std::ffi::OsString;
use std::process::ExitCode;
use std::time::Instant;

use args::{Cli, ProgramReplay, Verb};
use clap::Parser as _;
use exit::Exit;
use terminal::Terminal;

fn main() -> ExitCode {
    let started = Instant::now();
    child::follow_parent();
    let words: Vec<OsString> = std::env::args_os().collect();
    if ProgramReplay::is_meant(&words) {
        return match ProgramReplay::try_parse_from(&words[1..]) {
            Ok(replay) => Terminal::settled(verb::program::follow(&replay)).into(),
            Err(error) => stop_at_arguments(&error),
        };
    }
    let cli = match Cli::try_parse_from(&words) {
        Ok(cli) => cli.noting(&words),
        Err(error) => return stop_at_arguments(&error),
    };
    std::panic::set_hook(Box::new(|panic| {
        Terminal::alarm(&format!(
            "internal error: {panic}\nThis is a bug in Burnside, not in the model; please report it."
        ));
    }));
    match burnside_driver::on_large_stack(|| run(cli, started)) {
        Ok(exit) => Terminal::settled(exit).into(),
        Err(burnside_driver::StackFailure::Panicked(_)) => Exit::Failed.into(),
        Err(failure) => {
            Terminal::alarm(&failure.to_string());
            Exit::Failed.into()
        }
    }
}

fn run(cli: Cli, started: Instant) -> Exit {
    match cli.verb {
        Verb::Check(args) => verb::check::run(&args, cli.color, started),
        Verb::Resume(args) => verb::resume::run(&args, cli.color, started),
        Verb::Audit(args) => verb::audit::run(&args, cli.color),
        Verb::Symmetry(args) => verb::symmetry::run(&args, cli.color),
        Verb::Compare(args) => verb::compare::run(&args, cli.color),
        Verb::Test(args) => verb::test::run(&args, &mut Terminal::new(cli.color)),
        Verb::Simulate(args) => verb::simulate::run(&args, cli.color),
        Verb::Step(args) => verb::step::run(&args, &mut Terminal::new(cli.color)),
        Verb::Graph(args) => verb::graph::run(&args, cli.color),
        Verb::New(args) => verb::new::run(&args, &mut Terminal::new(cli.color)),
        Verb::Explain(args) => verb::explain::run(&args, &mut Terminal::new(cli.color)),
        Verb::Replay(args) => verb::replay::run(&args, &mut Terminal::new(cli.color)),
        Verb::Run(args) => verb::program::run(&args, cli.color, interrupt::noted()),
        Verb::Runtime(args) => verb::program::write_runtime(&args, cli.color),
        Verb::Fmt(args) => verb::fmt::run(&args, &mut Terminal::new(cli.color)),
        Verb::Man(args) => verb::man::run(&args, &mut Terminal::new(cli.color)),
        Verb::Completions(args) => verb::completions::run(&args),
    }
}

/// Help and version are no errors; whatever else ends the reading of arguments is.
fn stop_at_arguments(error: &clap::Error) -> ExitCode {
    // A reader that went away does not need to be told.
    let _ = error.print();
    if error.exit_code() == 0 { ExitCode::SUCCESS } else { Exit::Invalid.into() }
}
