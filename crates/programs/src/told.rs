//! What executions tell besides their traces, and what follows for the verdict.

use std::path::Path;

use burnside_stateless::{self as core, Family, ObjId, Trace, Verdict};
use burnside_wire::{Race, Report, Start};

use crate::atomics::{self, Atomics};
use crate::inspect;
use crate::presentation;
use crate::search::{Config, Details, Error};
use crate::symbols::{Frame, Symbols};

/// How to build a program so that its memory accesses are seen.
const REBUILD: &str = "burnside runtime rt && gcc -g -fsanitize=thread -pthread FILES -Lrt -Wl,-rpath,$PWD/rt";

/// What the executions of a search, or of a part of it, have told.
#[derive(Debug, Default)]
pub(crate) struct Told {
    /// Symmetries found.
    pub(crate) families: Vec<Family>,
    /// Cells of stacks that should have been watched.
    pub(crate) escaped: Vec<ObjId>,
    /// The ends of threads should have been visible.
    pub(crate) asks_for_ends: bool,
    /// How threads that began alike can be told apart.
    pub(crate) told_apart: String,
    /// Images of executions that were executed and are what the symmetry asks for.
    pub(crate) n_permuted: u64,
    /// Why threads with the same routine did not begin alike.
    unlike: String,
    /// What is not controlled.
    uncontrolled: Vec<String>,
    /// What is different each time.
    random: Vec<String>,
    /// Does the program announce its memory accesses?
    pub(crate) watches_memory: bool,
    /// Has any execution had more than one thread?
    has_threads: bool,
    /// The first execution with a data race, and the two transitions.
    pub(crate) race: Option<(Race, Trace)>,
    /// Why the last run gave no trace; that run then answers an empty one.
    pub(crate) failed: Option<Error>,
}

impl Told {
    /// Takes note of an execution.
    pub(crate) fn note(&mut self, report: &mut Report, symbols: &Symbols) {
        self.escaped.append(&mut report.escaped);
        self.asks_for_ends |= report.asks_for_ends;
        self.watches_memory |= report.watches_memory;
        self.has_threads |= report.starts.len() > 1;
        if self.unlike.is_empty() && !report.unlike.is_empty() {
            self.unlike = std::mem::take(&mut report.unlike);
            if report.unlike_at != 0 {
                let place = symbols.object(ObjId::at(report.unlike_at), 8);
                self.unlike = format!("{} {place}", self.unlike);
            }
            self.unlike.push_str(&origin(report, symbols));
        }
        self.admit(&mut report.uncontrolled, &mut report.random);
    }

    /// Takes note of what was not controlled.
    pub(crate) fn admit(&mut self, uncontrolled: &mut Vec<String>, random: &mut Vec<String>) {
        add(&mut self.uncontrolled, uncontrolled);
        add(&mut self.random, random);
    }

    /// What was not controlled, and what is different each time.
    pub(crate) fn admitted(&self) -> (Vec<String>, Vec<String>) {
        (self.uncontrolled.clone(), self.random.clone())
    }

    /// Takes over what a part of a search tells.
    pub(crate) fn take(&mut self, part: &mut Told) {
        add(&mut self.escaped, &mut part.escaped);
        add(&mut self.families, &mut part.families.clone());
        self.admit(&mut part.uncontrolled, &mut part.random);
        self.asks_for_ends |= part.asks_for_ends;
        self.watches_memory |= part.watches_memory;
        self.has_threads |= part.has_threads;
        self.n_permuted += std::mem::take(&mut part.n_permuted);
        if self.told_apart.is_empty() {
            self.told_apart.clone_from(&part.told_apart);
        }
        if self.unlike.is_empty() {
            self.unlike.clone_from(&part.unlike);
        }
        self.race = self.race.take().or(part.race.take());
        self.failed = self.failed.take().or(part.failed.take());
    }

    /// Should the search begin anew, seeing more or without symmetry?
    pub(crate) fn wants_another(&self, config: &Config) -> bool {
        let told_apart = config.symmetry.is_auto() && !self.told_apart.is_empty();
        !self.escaped.is_empty() || self.asks_for_ends || told_apart
    }

    /// Makes a verdict as weak as it has to be.
    pub(crate) fn qualify(&self, config: &Config, report: &mut core::Report, details: &mut Option<Details>) {
        if !self.random.is_empty() && !matches!(report.verdict, Verdict::Invalid(_)) {
            report.verdict = Verdict::Inconclusive(self.random.join("; "));
            report.fault = None;
            *details = None;
        } else if !self.uncontrolled.is_empty() && report.verdict == Verdict::Holds {
            report.verdict = Verdict::Inconclusive(self.uncontrolled.join("; "));
        }
        if report.verdict == Verdict::Holds && self.has_threads && !self.watches_memory {
            let atomics = inspect::find(Path::new(&config.target.program)).and_then(|path| atomics::find(&path));
            if let Some(Atomics { n, function }) = atomics {
                report.verdict = Verdict::Inconclusive(format!(
                    "memory accesses were not watched, and the program has {n} atomic instructions of its own, the first \
                     in `{function}`; to watch them build with: {REBUILD}"
                ));
            }
        }
    }

    /// Says what a reader of the verdict should know.
    pub(crate) fn comment(&self, config: &Config, report: &core::Report, notes: &mut Vec<String>) {
        if config.symmetry.is_auto() && !self.unlike.is_empty() {
            let how_far =
                if self.families.is_empty() { "no symmetry is used" } else { "not all threads are symmetric" };
            notes.push(format!("{how_far}: {}", self.unlike));
        }
        if self.n_permuted > 0 {
            notes.push(format!("{} permuted executions agree with the symmetry", self.n_permuted));
        }
        if self.has_threads && !self.watches_memory && report.verdict != Verdict::Violated {
            let path = Path::new(&config.target.program);
            let n_atomics = inspect::find(path).and_then(|path| atomics::find(&path)).map_or(0, |atomics| atomics.n);
            let seen = match inspect::n_variables(path) {
                Some(n) => format!("{n_atomics} atomic instructions and {n} writable variables of the program seen"),
                None => format!("{n_atomics} atomic instructions seen"),
            };
            notes.push(format!("memory accesses were not watched; {seen}; to watch them build with: {REBUILD}"));
        }
        if !self.has_threads {
            notes.push("the program created no thread".to_owned());
        }
    }
}

/// Which line creates the threads that are unlike, where they begin, and what to do about it if they differ in what they
/// are given.
fn origin(report: &Report, symbols: &Symbols) -> String {
    let created_at = presentation::place(&report.unlike_from, symbols);
    let created = if created_at.is_empty() { String::new() } else { format!("created at {created_at}") };
    let (routine, advice) = numbered(report, symbols).unwrap_or_default();
    let places: Vec<String> = [created, routine].into_iter().filter(|text| !text.is_empty()).collect();
    if places.is_empty() { advice } else { format!(" ({}){advice}", places.join(", ")) }
}

/// Where threads begin that have the same routine and other arguments, and what to do about it.
fn numbered(report: &Report, symbols: &Symbols) -> Option<(String, String)> {
    let differs = |(at, start): &(usize, &Start)| {
        let is_other = |other: &Start| other.routine == start.routine && other.argument != start.argument;
        start.routine != 0 && report.starts[at + 1..].iter().any(is_other)
    };
    let (_, start) = report.starts.iter().enumerate().find(differs)?;
    // Frames are looked up by the instruction before the address.
    let frames = symbols.frames(start.routine + 1);
    let Some(Frame { function, place: Some((file, line)) }) = frames.last() else { return None };
    let file = file.rsplit('/').next().unwrap_or(file);
    let advice = match symbols.function(function) {
        Some(_) => format!("; if it treats its arguments alike, declare that by --sym check:interchange:{function}"),
        None => String::new(),
    };
    Some((format!("to run `{function}`, {file}:{line}"), advice))
}

fn add<T: PartialEq>(all: &mut Vec<T>, more: &mut Vec<T>) {
    for one in more.drain(..) {
        if !all.contains(&one) {
            all.push(one);
        }
    }
}
