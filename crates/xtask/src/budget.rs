//! Instructions that our checker takes on a few small models, compared with the last that were accepted.
//!
//! Seconds depend on what else the machine does; instructions, counted by callgrind, hardly do: three runs differ by less
//! than one in ten thousand. They do depend on the compiler, on the C library's choice of routines and on what the
//! processor offers to native code. So `bench/budget.tsv` has a row for each such surroundings, and only the row of the
//! surroundings at hand is compared with; where there is none, there is nothing to fall behind, and that is said.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::shell::{cargo, is_there, must, output, root, target};

/// By how much more than was accepted a run may take.
const MOST_MORE_PERCENT: u64 = 2;

/// What is run: a name, a model and further arguments. Reduced and plain searches, multisets, and little but setup.
const RUNS: [(&str, &str, &[&str]); 6] = [
    ("directory, reduced", "examples/cache-directory.m", &["--symmetry", "auto"]),
    ("directory, plain", "examples/cache-directory.m", &["--symmetry", "off"]),
    ("filter lock, reduced", "examples/filter-lock.m", &["--symmetry", "auto"]),
    ("filter lock, plain", "examples/filter-lock.m", &["--symmetry", "off"]),
    ("peterson, setup", "examples/peterson.m", &["--symmetry", "auto"]),
    ("messages, setup", "corpus/murphi/directory-multiset.m", &["--symmetry", "auto"]),
];

/// Whether counts can be made here.
fn is_possible() -> bool {
    is_there("valgrind", &["--version"])
}

/// Counts, and compares with what was accepted or accepts it.
pub(crate) fn run(words: &[&str]) -> Result<(), String> {
    let accepts = match words {
        [] => false,
        ["--accept"] => true,
        _ => return Err("usage: cargo xtask budget [--accept]".to_owned()),
    };
    if !is_possible() {
        return Err("valgrind, which counts instructions, is not installed".to_owned());
    }
    must(cargo().args(["build", "--release", "--quiet", "--package", "burnside"]))?;
    let surroundings = surroundings()?;
    let path = root().join("bench/budget.tsv");
    let mut accepted = parse(&fs::read_to_string(&path).unwrap_or_default())?;
    let mut counted = BTreeMap::new();
    for (name, model, further) in RUNS {
        counted.insert(name.to_owned(), count(model, further)?);
    }
    let verdict = compare(&counted, accepted.get(&surroundings));
    println!("{}", verdict.text);
    if accepts {
        accepted.insert(surroundings, counted);
        return fs::write(&path, print(&accepted)).map_err(|error| format!("{}: {error}", path.display()));
    }
    if verdict.is_within { Ok(()) } else { Err(format!("more than {MOST_MORE_PERCENT} % over budget")) }
}

/// Instructions by the name of the run.
type Counts = BTreeMap<String, u64>;

/// What counts depend on, beside the code.
fn surroundings() -> Result<String, String> {
    let first_line = |text: String| text.lines().next().unwrap_or_default().trim().to_owned();
    let rustc = first_line(output(Command::new("rustc").arg("--version"))?);
    let valgrind = first_line(output(Command::new("valgrind").arg("--version"))?);
    let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu
        .lines()
        .find_map(|line| line.strip_prefix("model name"))
        .map(|rest| rest.trim_start_matches([' ', '\t', ':']));
    Ok(format!("{rustc}; {valgrind}; {}", model.unwrap_or("unknown processor")))
}

/// Instructions of one run on one thread, without the audit, which goes by the clock.
fn count(model: &str, further: &[&str]) -> Result<u64, String> {
    let program: PathBuf = target().join("release/burnside");
    let mut command = Command::new("valgrind");
    command.current_dir(root()).args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(program);
    command.args(["check", model, "--audit", "off", "--threads", "1", "--quiet"]).args(further);
    let said = command.output().map_err(|error| format!("valgrind: {error}"))?;
    let text = String::from_utf8_lossy(&said.stderr);
    match (said.status.code(), collected(&text)) {
        (Some(0 | 1), Some(count)) => Ok(count),
        _ => Err(format!("{model} was not counted: {}", text.lines().last().unwrap_or_default())),
    }
}

/// From the line `==17== Collected : 11539808`.
fn collected(text: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.contains("Collected : "))?;
    line.rsplit(' ').next()?.parse().ok()
}

struct Verdict {
    text: String,
    is_within: bool,
}

fn compare(counted: &Counts, accepted: Option<&Counts>) -> Verdict {
    let mut text = String::from("instructions by callgrind:\n");
    let mut is_within = true;
    for (name, &count) in counted {
        let _ = write!(text, "{name:>22} {count:>14}");
        if let Some(&before) = accepted.and_then(|accepted| accepted.get(name)) {
            let more = count as f64 / before as f64 - 1.0;
            let is_over = count * 100 > before * (100 + MOST_MORE_PERCENT);
            is_within &= !is_over;
            let _ = write!(text, "  {:+.2} %{}", more * 100.0, if is_over { "  over budget" } else { "" });
        }
        text.push('\n');
    }
    if accepted.is_none() {
        text.push_str(
            "nothing was accepted on a machine and by a compiler like these: `cargo xtask budget --accept`\n",
        );
    }
    Verdict { text, is_within }
}

fn parse(text: &str) -> Result<BTreeMap<String, Counts>, String> {
    let mut all: BTreeMap<String, Counts> = BTreeMap::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [surroundings, name, count] = cells[..] else { return Err(format!("bench/budget.tsv: `{line}`")) };
        let count = count.parse().map_err(|_| format!("bench/budget.tsv: `{count}` is no number"))?;
        all.entry(surroundings.to_owned()).or_default().insert(name.to_owned(), count);
    }
    Ok(all)
}

fn print(all: &BTreeMap<String, Counts>) -> String {
    let mut text = "# Written by `cargo xtask budget --accept`: surroundings, run, instructions.\n".to_owned();
    for (surroundings, counts) in all {
        for (name, count) in counts {
            let _ = writeln!(text, "{surroundings}\t{name}\t{count}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(pairs: &[(&str, u64)]) -> Counts {
        pairs.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
    }

    #[test]
    fn more_than_a_fiftieth_is_over_budget() {
        let accepted = counts(&[("one", 1000), ("two", 1000)]);
        assert!(compare(&counts(&[("one", 1020), ("two", 500)]), Some(&accepted)).is_within);
        assert!(!compare(&counts(&[("one", 1021), ("two", 500)]), Some(&accepted)).is_within);
        assert!(compare(&counts(&[("one", 9000)]), None).is_within, "nothing to compare with");
    }

    #[test]
    fn what_is_printed_is_parsed() {
        let all = BTreeMap::from([("here".to_owned(), counts(&[("one", 1), ("two", 2)]))]);
        assert_eq!(parse(&print(&all)), Ok(all));
        assert!(parse("here\tone\n").is_err());
    }

    #[test]
    fn the_count_is_found() {
        assert_eq!(collected("==17== Events    : Ir\n==17== Collected : 11539808\n==17==\n"), Some(11_539_808));
        assert_eq!(collected("==17== no such tool"), None);
    }
}
