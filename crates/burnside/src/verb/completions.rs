//! `burnside completions`.

use std::path::Path;

use clap::CommandFactory as _;

use crate::args::{Cli, CompletionsArgs};
use crate::exit::Exit;
use crate::output::write_text;
use crate::terminal::Terminal;

pub(crate) fn run(args: &CompletionsArgs) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "burnside", &mut script);
    match write_text(Path::new("-"), &String::from_utf8_lossy(&script)) {
        Ok(()) => Exit::Holds,
        Err(problem) => {
            Terminal::alarm(&problem);
            Exit::Failed
        }
    }
}
