//! The fuzz targets, built with coverage feedback and run for a bounded time.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use crate::shell::{cargo, must, root, target};

/// What `cargo fuzz` would set: coverage feedback, checks on. These are stable compiler options.
const FLAGS: &str = "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1 -Cdebug-assertions";

/// Each target, with the folders of texts that it starts from. The last two take minutes to build.
const TARGETS: [(&str, &[&str]); 5] = [
    ("murphi", &["corpus/murphi", "corpus/regress", "examples", "crates/murphi/tests/golden"]),
    ("ir", &["corpus/ir"]),
    ("schedule", &["fuzz/seeds/schedule"]),
    ("itf", &["fuzz/seeds/itf"]),
    ("native", &["corpus/ir"]),
];

/// Which targets are run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Targets {
    All,
    /// Those that are built within a minute.
    Quick,
}

/// The host, so that build scripts are compiled without the flags above.
fn host() -> String {
    format!("{}-unknown-linux-gnu", env::consts::ARCH)
}

/// Builds the targets and runs them for some seconds in all, on what they found before and on our own models.
pub(crate) fn run(seconds: &str, wanted: Targets) -> Result<(), String> {
    let seconds = seconds.parse::<usize>().map_err(|_| format!("`{seconds}` is no number of seconds"))?;
    if !cfg!(target_os = "linux") {
        println!("fuzzing is only set up for Linux: skipped");
        return Ok(());
    }
    let build = target().join("fuzz");
    let mut command = cargo();
    command.args(["build", "--release", "--quiet", "--manifest-path", "fuzz/Cargo.toml", "--target", &host()]);
    let targets = match wanted {
        Targets::All => &TARGETS[..],
        Targets::Quick => &TARGETS[..3],
    };
    if wanted == Targets::All {
        command.args(["--features", "native"]);
    }
    must(command.env("RUSTFLAGS", FLAGS).env("CARGO_TARGET_DIR", &build))?;
    targets.iter().try_for_each(|target| fuzz(&build, target, seconds.div_ceil(targets.len())))
}

fn fuzz(build: &Path, (name, folders): &(&str, &[&str]), seconds: usize) -> Result<(), String> {
    // What was found is kept from run to run, outside the repository.
    let found = build.join("found").join(name);
    fs::create_dir_all(&found).map_err(|error| format!("{}: {error}", found.display()))?;
    let seeds: Vec<PathBuf> = folders.iter().map(|folder| root().join(folder)).collect();
    let mut command = Command::new(build.join(host()).join("release").join(name));
    command.current_dir(build).arg(&found).args(seeds);
    command.args([format!("-max_total_time={seconds}"), "-max_len=8192".to_owned(), "-timeout=10".to_owned()]);
    command.args(["-rss_limit_mb=4096", "-verbosity=0", "-print_final_stats=1"]);
    // The fuzzer is talkative; what it says matters only if it finds something.
    let said = build.join(format!("{name}.log"));
    let log = fs::File::create(&said).map_err(|error| format!("{}: {error}", said.display()))?;
    let outcome = must(command.stderr(log));
    let text = fs::read_to_string(&said).unwrap_or_default();
    let executed = text.lines().find_map(|line| line.strip_prefix("stat::number_of_executed_units:"));
    println!("{name}: {} inputs in {seconds} s", executed.unwrap_or(" unknown number of").trim());
    outcome.map_err(|problem| {
        let tail: Vec<&str> = text.lines().filter(|line| !line.contains("# Uses:")).collect();
        format!("{}\n{problem}\nthe input is in {}", tail[tail.len().saturating_sub(40)..].join("\n"), build.display())
    })
}
