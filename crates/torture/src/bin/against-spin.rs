//! `against-spin FIRST COUNT FOLDER CC`: see `cargo xtask spin`.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this is run by people, who want to read")]

use std::path::Path;
use std::process::ExitCode;

use burnside_torture::compare_with_spin;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [first, count, folder, cc] = words.as_slice() else {
        eprintln!("usage: against-spin FIRST COUNT FOLDER CC");
        return ExitCode::FAILURE;
    };
    let (Ok(first), Ok(count)) = (first.parse::<u64>(), count.parse::<u64>()) else {
        eprintln!("FIRST and COUNT are numbers");
        return ExitCode::FAILURE;
    };
    match compare_with_spin(first..first + count, Path::new(folder), cc) {
        Ok(compared) => {
            print!("{compared}");
            if compared.differences.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}
