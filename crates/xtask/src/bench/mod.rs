//! The same models, several checkers, one run: medians and ratios.
//!
//! `models` says which, `tools` builds and runs each checker, `measure` takes time and memory, `table` renders. Ratios
//! compare CPU seconds of whole checker processes without symmetry, on one thread; what it takes to build a checker is a
//! column of its own.

pub(crate) mod measure;
mod models;
mod table;
mod tools;

use std::fs;
use std::path::PathBuf;

use crate::shell::{cargo, must, target};
use measure::Run;
use models::Subject;
use table::Row;
use tools::{Checker, Tool};

/// What was asked for.
pub(super) struct Options {
    quick: bool,
    repeat: usize,
    only: Option<String>,
    most_states: u64,
    threads: usize,
    out: PathBuf,
}

impl Options {
    fn parse(words: &[&str]) -> Result<Self, String> {
        let out = target().join("bench");
        let mut options = Self { quick: false, repeat: 3, only: None, most_states: u64::MAX, threads: 2, out };
        let mut words = words.iter();
        while let Some(&word) = words.next() {
            if word == "--quick" {
                options = Self { quick: true, repeat: 1, ..options };
                continue;
            }
            let value = *words.next().ok_or_else(|| format!("`{word}` is unknown or needs a value"))?;
            match word {
                "--repeat" => options.repeat = number::<usize>(value)?.max(1),
                "--only" => options.only = Some(value.to_owned()),
                "--most-states" => options.most_states = number(value)?,
                "--threads" => options.threads = number::<usize>(value)?.max(1),
                "--out" => options.out = PathBuf::from(value),
                _ => return Err(format!("`{word}` is unknown; see `cargo xtask`")),
            }
        }
        Ok(options)
    }
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("`{text}` is no number"))
}

/// Builds what is needed, measures, prints the table and writes it as JSON and Markdown.
pub(crate) fn run(words: &[&str]) -> Result<(), String> {
    let options = Options::parse(words)?;
    must(cargo().args(["build", "--release", "--quiet", "--package", "burnside"]))?;
    let subjects = models::subjects(&options)?;
    if subjects.is_empty() {
        return Err("no model fits the options".to_owned());
    }
    fs::create_dir_all(&options.out).map_err(|error| format!("{}: {error}", options.out.display()))?;
    let mut rows = Vec::new();
    for (subject, n) in subjects.iter().zip(1..) {
        eprintln!("{n}/{}: {}", subjects.len(), subject.name);
        rows.push(compare(subject, &options)?);
    }
    let report = table::Report::new(rows, options.threads);
    println!("{}", report.text());
    for (name, text) in [("bench.json", report.json()), ("bench.md", report.markdown())] {
        let path = options.out.join(name);
        fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        eprintln!("wrote {}", path.display());
    }
    Ok(())
}

/// Everything measured on one model.
pub(super) struct Measured {
    runs: Vec<(Tool, Vec<Run>)>,
    builds: Vec<(Tool, f64)>,
    /// Burnside on several threads.
    parallel: Vec<Run>,
    /// Burnside with the compressed store.
    compressed: Run,
    packed_bytes: Option<f64>,
}

/// Runs all checkers on one model, taking turns.
fn compare(subject: &Subject, options: &Options) -> Result<Row, String> {
    let folder = options.out.join("checkers").join(&subject.name);
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let tools = [Tool::Burnside, Tool::Rumur, Tool::CMurphi];
    let mut checkers: Vec<Checker> = Vec::new();
    for tool in tools {
        match tool.build(subject, &folder) {
            Ok(checker) => checkers.push(checker),
            Err(reason) => eprintln!("  without {}: {reason}", tool.name()),
        }
    }
    let mut runs: Vec<(Tool, Vec<Run>)> = checkers.iter().map(|checker| (checker.tool, Vec::new())).collect();
    let mut parallel = Vec::new();
    for _ in 0..options.repeat {
        for (checker, (_, runs)) in checkers.iter().zip(&mut runs) {
            runs.push(checker.run()?);
        }
        if options.threads > 1 {
            parallel.push(tools::burnside(subject, &folder, &["--threads", &options.threads.to_string()])?.run()?);
        }
    }
    let compressed = tools::burnside(subject, &folder, &["--store", "compressed"])?.run()?;
    let builds = checkers.iter().map(|checker| (checker.tool, checker.build_seconds)).collect();
    let packed_bytes = tools::packed_bytes(subject, &folder);
    Ok(Row::new(subject, &Measured { runs, builds, parallel, compressed, packed_bytes }))
}
