//! Everything that must pass before a change is good.

use std::process::Command;
use std::time::Instant;

use crate::shell::{cargo, is_there, must, words};
use crate::{fuzz, races, tidy};

/// How long the fuzz target runs.
const FUZZ_SECONDS: &str = "20";

/// Runs every step, the quick ones first, and stops at the first that fails.
pub(crate) fn run() -> Result<(), String> {
    step("tidy", tidy::run)?;
    for mut command in commands() {
        step(&words(&command), || must(&mut command))?;
    }
    step("races", races::run)?;
    step("fuzz", || fuzz::run(FUZZ_SECONDS))
}

fn step(name: &str, work: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
    println!("── {name}");
    let begun = Instant::now();
    work()?;
    println!("── {name}: {:.0} s", begun.elapsed().as_secs_f64());
    Ok(())
}

fn commands() -> Vec<Command> {
    let mut format = cargo();
    format.args(["fmt", "--all", "--check"]);
    let mut lints = cargo();
    lints.args(["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"]);
    let mut docs = cargo();
    // A crate's story may name its private modules: it is told to those who open the code.
    docs.args(["doc", "--workspace", "--no-deps", "--quiet"])
        .env("RUSTDOCFLAGS", "-D warnings -A rustdoc::private-intra-doc-links");
    let mut doc_tests = cargo();
    doc_tests.args(["test", "--workspace", "--doc", "--quiet"]);
    // Debug runs find overflows and failed debug assertions. In release only what runs real searches is repeated:
    // there the optimiser could change something, and there it pays.
    let mut release = tests();
    release.args(["--release", "--package", "burnside-driver", "--package", "burnside-explicit"]);
    let mut debug = tests();
    debug.arg("--workspace");
    vec![format, lints, docs, debug, doc_tests, release]
}

/// The test runner: `cargo nextest` where it is installed, `cargo test` elsewhere.
fn tests() -> Command {
    let mut command = cargo();
    if is_there("cargo", &["nextest", "--version"]) {
        command.args(["nextest", "run", "--no-fail-fast"]);
    } else {
        command.args(["test", "--lib", "--bins", "--tests", "--no-fail-fast"]);
    }
    command
}
