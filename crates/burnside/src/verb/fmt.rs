//! `burnside fmt`.

use std::path::Path;

use burnside_driver::format_murphi;

use crate::args::FmtArgs;
use crate::exit::Exit;
use crate::input::read_bytes;
use crate::output::{is_stdout, write_text};
use crate::terminal::Terminal;

pub(crate) fn run(args: &FmtArgs, terminal: &mut Terminal) -> Exit {
    let mut exit = Exit::Holds;
    for path in &args.models {
        match format(path, args.check, terminal) {
            Ok(true) if args.check && exit == Exit::Holds => exit = Exit::Violated,
            Ok(_) => {}
            Err(problem) => {
                Terminal::alarm(&problem);
                exit = Exit::Failed;
            }
        }
    }
    exit
}

/// Indents one model, and tells whether that changes it.
fn format(path: &Path, only_checks: bool, terminal: &mut Terminal) -> Result<bool, String> {
    let bytes = read_bytes(path, "the model").map_err(|diagnostic| diagnostic.message)?;
    let text =
        String::from_utf8(bytes).map_err(|_| format!("`{}` is not UTF-8 and is left as it is", path.display()))?;
    let formatted = format_murphi(&text).ok_or_else(|| format!("`{}` is left as it is", path.display()))?;
    let changes = formatted != text;
    if only_checks {
        if changes {
            terminal.say(&format!("{} would change", path.display()));
        }
    } else if is_stdout(path) || changes {
        write_text(path, &formatted)?;
    }
    Ok(changes)
}
