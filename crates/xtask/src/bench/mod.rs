//! The same models, several checkers, one run: medians and ratios.
//!
//! `models` says which, `tools` builds and runs each checker, `measure` takes time and memory, `table` renders. Ratios
//! compare CPU seconds of whole checker processes without symmetry, on one thread; what it takes to build a checker is a
//! column of its own. `race` compares with symmetry, for `symmetric` and for `cargo xtask sizes`.

pub(crate) mod measure;
pub(crate) mod models;
pub(crate) mod race;
mod symmetric;
mod table;
pub(crate) mod tools;

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use crate::shell::{cargo, must, target};
use measure::Run;
use models::Subject;
use table::Row;
use tools::{Checker, Symmetry, Tool};

/// What was asked for.
pub(super) struct Options {
    quick: bool,
    symmetric: bool,
    repeat: usize,
    only: Option<String>,
    most_states: u64,
    threads: usize,
    cap_seconds: u64,
    out: PathBuf,
}

impl Options {
    fn parse(words: &[&str]) -> Result<Self, String> {
        let out = target().join("bench");
        let mut options = Self {
            quick: false,
            symmetric: false,
            repeat: 3,
            only: None,
            most_states: u64::MAX,
            threads: 2,
            cap_seconds: 60,
            out,
        };
        let mut words = words.iter();
        while let Some(&word) = words.next() {
            if word == "--quick" {
                options = Self { quick: true, repeat: 1, ..options };
                continue;
            }
            if word == "--symmetric" {
                options.symmetric = true;
                continue;
            }
            let value = *words.next().ok_or_else(|| format!("`{word}` is unknown or needs a value"))?;
            match word {
                "--repeat" => options.repeat = number::<usize>(value)?.max(1),
                "--only" => options.only = Some(value.to_owned()),
                "--most-states" => options.most_states = number(value)?,
                "--threads" => options.threads = number::<usize>(value)?.max(1),
                "--cap" => options.cap_seconds = number(value)?,
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
    if options.symmetric {
        return symmetric::run(&options);
    }
    let subjects = models::subjects(&options)?;
    if subjects.is_empty() {
        return Err("no model fits the options".to_owned());
    }
    fs::create_dir_all(&options.out).map_err(|error| format!("{}: {error}", options.out.display()))?;
    let mut rows = Vec::new();
    for (subject, n) in subjects.iter().zip(1..) {
        eprintln!("{n}/{}: {}", subjects.len(), subject.name);
        rows.push(compare(subject, &options)?);
        // After each model, so that a run that is broken off leaves something.
        write(&table::Report::new(&rows, &options), &options)?;
    }
    println!("{}", table::Report::new(&rows, &options).text());
    eprintln!("wrote bench.json and bench.md to {}", options.out.display());
    Ok(())
}

fn write(report: &table::Report<'_>, options: &Options) -> Result<(), String> {
    for (name, text) in [("bench.json", report.json()), ("bench.md", report.markdown())] {
        let path = options.out.join(name);
        fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
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
}

/// No run of ours takes longer than this.
const MOST: Duration = Duration::from_secs(600);

/// Runs all checkers on one model, taking turns. A checker that was cut once is not tried again.
fn compare(subject: &Subject, options: &Options) -> Result<Row, String> {
    let folder = options.out.join("checkers").join(&subject.name);
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut checkers: Vec<Checker> = Vec::new();
    for tool in [Tool::Burnside, Tool::Rumur, Tool::CMurphi] {
        match tool.build(subject, Symmetry::Off, &folder) {
            Ok(checker) => checkers.push(checker),
            Err(reason) => eprintln!("  without {}: {reason}", tool.name()),
        }
    }
    let mut runs: Vec<(Tool, Vec<Run>)> = checkers.iter().map(|checker| (checker.tool, Vec::new())).collect();
    let mut parallel = Vec::new();
    for _ in 0..options.repeat {
        for (checker, (tool, runs)) in checkers.iter().zip(&mut runs) {
            let most = Duration::from_secs(options.cap_seconds);
            if !runs.iter().any(|run: &Run| run.is_cut) {
                runs.push(if *tool == Tool::Burnside { to_its_end(checker)? } else { checker.run(most)? });
            }
        }
        if options.threads > 1 {
            let threads = options.threads.to_string();
            let further = ["--symmetry", "off", "--threads", &threads];
            parallel.push(to_its_end(&tools::burnside(subject, &folder, &further)?)?);
        }
    }
    let further = ["--symmetry", "off", "--store", "compressed"];
    let compressed = to_its_end(&tools::burnside(subject, &folder, &further)?)?;
    let builds = checkers.iter().map(|checker| (checker.tool, checker.build_seconds)).collect();
    Ok(Row::new(subject, &Measured { runs, builds, parallel, compressed }))
}

/// One of our own runs, which must finish.
fn to_its_end(checker: &Checker) -> Result<Run, String> {
    let run = checker.run(MOST)?;
    if run.is_cut { Err(format!("our own checker takes more than {} s", MOST.as_secs())) } else { Ok(run) }
}
