//! Everything that must pass before a change is good.

use std::process::Command;
use std::time::{Duration, Instant};

use crate::shell::{cargo, is_there, must, words};
use crate::{fuzz, races, tidy};

/// How long the fuzz target runs.
const FUZZ_SECONDS: &str = "20";

/// Runs every step, the quick ones first, stops at the first that fails, and says where the minutes went.
pub(crate) fn run() -> Result<(), String> {
    let mut clock = Clock::default();
    let outcome = run_steps(&mut clock);
    clock.tell();
    outcome
}

fn run_steps(clock: &mut Clock) -> Result<(), String> {
    clock.step("tidy", tidy::run)?;
    for mut command in commands() {
        clock.step(&words(&command), || must(&mut command))?;
    }
    clock.step("races", races::run)?;
    clock.step("fuzz", || fuzz::run(FUZZ_SECONDS, fuzz::Targets::Quick))
}

/// What each step took.
#[derive(Default)]
struct Clock {
    taken: Vec<(String, Duration)>,
}

impl Clock {
    fn step(&mut self, name: &str, work: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
        println!("── {name}");
        let begun = Instant::now();
        let outcome = work();
        self.taken.push((name.to_owned(), begun.elapsed()));
        outcome
    }

    /// The steps, the longest first.
    fn tell(&mut self) {
        let all: Duration = self.taken.iter().map(|(_, taken)| *taken).sum();
        self.taken.sort_by_key(|(_, taken)| std::cmp::Reverse(*taken));
        println!("── {:.1} min in all", all.as_secs_f64() / 60.0);
        for (name, taken) in &self.taken {
            println!("   {:5.1} min  {name}", taken.as_secs_f64() / 60.0);
        }
    }
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
