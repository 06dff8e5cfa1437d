//! Mutation testing with all mutants in one build: see `cargo xtask mutants` and `docs/internals/mutants.md`.
//!
//! [`find`] lists the places of a source file at which something can be changed, [`rewrite`] puts every change behind a
//! number that is chosen at run time, [`scratch`] builds a copy of the workspace made that way, and [`campaign`] tries
//! each number on the models that execute its place.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this is run by people, who want to read")]

mod campaign;
mod find;
mod options;
mod pool;
mod process;
mod report;
mod rewrite;
mod scratch;
mod site;
mod suite;
mod texts;
mod trial;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use options::Options;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let root = root.canonicalize().unwrap_or(root);
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let result = Options::parse(&words).and_then(|options| campaign::run(&root, &target, &options));
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}
