//! The verb `run` on its own, for trying it out: `burnside-run -- ./program`.

use std::process::ExitCode;

use burnside_programs::cli::{Args, run};
use clap::Parser;

#[derive(Parser)]
struct Command {
    #[command(flatten)]
    args: Args,
}

fn main() -> ExitCode {
    ExitCode::from(run(&Command::parse().args))
}
