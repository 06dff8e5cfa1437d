//! Builds the crate `torture` in release and runs it: searches in millions of small models need every bit of speed.

use std::process::Command;

use crate::shell::{cargo, must, target};

/// Runs `torture` with these options.
pub(crate) fn run(options: &[&str]) -> Result<(), String> {
    must(cargo().args(["build", "--release", "--quiet", "--package", "burnside-torture"]))?;
    let out = target().join("torture");
    let mut command = Command::new(target().join("release/torture"));
    must(command.arg("--out").arg(out).args(options))
}
