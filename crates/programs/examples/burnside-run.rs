//! The verbs of this crate on their own, for trying them out and for the tests
//! of the command line: `burnside-run run -- ./program`.

use std::process::ExitCode;

use burnside_programs::cli::{Args, ReplayArgs, RuntimeArgs, run, run_replay, run_runtime};
use clap::Parser;

#[derive(Parser)]
enum Verb {
    /// Explores the schedules of a program.
    Run(Box<Args>),
    /// Follows one schedule.
    Replay(ReplayArgs),
    /// Writes the library and the header that programs are built with.
    Runtime(RuntimeArgs),
}

fn main() -> ExitCode {
    ExitCode::from(match Verb::parse() {
        Verb::Run(args) => run(&args, || false),
        Verb::Replay(args) => run_replay(&args),
        Verb::Runtime(args) => run_runtime(&args),
    })
}
