//! Builds the crate `mutants` and runs it. It needs no speed: what takes time are the processes that it starts.

use std::process::Command;

use crate::shell::{cargo, must, target};

/// Runs `mutants` with these options.
pub(crate) fn run(options: &[&str]) -> Result<(), String> {
    must(cargo().args(["build", "--quiet", "--package", "burnside-mutants"]))?;
    must(Command::new(target().join("debug/mutants")).args(options))
}
