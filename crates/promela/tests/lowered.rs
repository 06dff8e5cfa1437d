//! The IR of a model against the reference explorer: the same states, transitions and faults.

use std::collections::{HashSet, VecDeque};
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use burnside_diag::FileId;
use burnside_interp::{Interpreter, Limits as StepLimits, Outcome};
use burnside_ir::{Layout, UNDEFINED, verify};
use burnside_promela::reference::{self, Fault};
use burnside_promela::{Include, Options, load};

struct Counted {
    n_states: u64,
    n_transitions: u64,
    /// What went wrong first, if anything did.
    wrong: Option<String>,
    cut: bool,
}

/// Visits the states of a lowered model breadth first, up to the first fault or deadlock.
fn explore(model: &burnside_ir::Model, max_states: usize) -> Counted {
    let defects = verify(model);
    assert!(defects.is_empty(), "{defects:?}");
    let layout = Layout::new(model).expect("the state is small");
    let mut interpreter = Interpreter::new(model, &layout, StepLimits { loop_rounds: 1_000_000, ..StepLimits::default() });
    let mut counted = Counted { n_states: 0, n_transitions: 0, wrong: None, cut: false };
    let mut seen: HashSet<Vec<i64>> = HashSet::new();
    let mut pending: VecDeque<Vec<i64>> = VecDeque::new();
    interpreter.starts(|_, _, outcome| {
        match outcome {
            Outcome::Next(state) => pending.push_back(state.to_vec()),
            Outcome::Fault(_, fault) => counted.wrong = Some(fault.to_string()),
            Outcome::Pruned => {}
        }
        ControlFlow::Continue(())
    });
    counted.n_transitions = pending.len() as u64;
    seen.extend(pending.iter().cloned());
    assert!(seen.iter().all(|state| state.len() == layout.slots().len() && state.iter().any(|&it| it != UNDEFINED)));
    while let Some(state) = pending.pop_front() {
        if counted.wrong.is_some() {
            break;
        }
        if seen.len() > max_states {
            counted.cut = true;
            break;
        }
        let mut moved = false;
        interpreter.passages(&state, |_, (rule, args), outcome, n_ways| {
            moved = true;
            match outcome {
                Outcome::Next(next) => {
                    counted.n_transitions += n_ways;
                    if seen.insert(next.to_vec()) {
                        pending.push_back(next.to_vec());
                    }
                    ControlFlow::Continue(())
                }
                Outcome::Pruned => ControlFlow::Continue(()),
                Outcome::Fault(_, fault) => {
                    counted.wrong = Some(format!("{fault} in {} {args:?}", model.rule(rule).name));
                    ControlFlow::Break(())
                }
            }
        });
        if !moved && !interpreter.may_end(&state) {
            counted.wrong = Some("invalid end state".to_owned());
        }
    }
    counted.n_states = seen.len() as u64;
    counted
}

fn corpus_dir() -> Option<PathBuf> {
    let shared = match std::env::var_os("BURNSIDE_SHARED") {
        Some(dir) => PathBuf::from(dir),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
    };
    Some(shared.join("corpus")).filter(|dir| dir.is_dir())
}

fn no_includes(_: Include<'_>) -> Result<(FileId, String), String> {
    Err("tests include nothing".to_owned())
}

/// Compares the two explorations of a text; what differs, in words.
fn compare(name: &str, text: &str, defines: &[String], max_states: u64) -> Option<String> {
    let loaded = load(FileId(0), text, &Options { defines: defines.to_vec() }, &mut no_includes);
    let model = loaded.model?;
    let limits = reference::Limits { n_states: max_states as usize, n_steps: max_states * 200 };
    let expected = reference::explore(&model, limits);
    if expected.stopped == Some(reference::Stop::Limit) {
        return None;
    }
    let found = explore(&model.lower(), max_states as usize + 10);
    let expects_fault = !expected.faults.is_empty() || expected.stopped.is_some();
    let problem = match (&found.wrong, expects_fault) {
        (Some(_), true) => return None,
        (Some(wrong), false) => format!("unexpected: {wrong}"),
        (None, true) => format!("{:?} {:?} not found", expected.faults, expected.stopped),
        (None, false) if (found.n_states, found.n_transitions) == (expected.n_states, expected.n_transitions) => {
            return None;
        }
        (None, false) => format!(
            "{} states, {} transitions, not {} and {}",
            found.n_states, found.n_transitions, expected.n_states, expected.n_transitions
        ),
    };
    let _ = Fault::Assertion;
    Some(format!("{name}: {problem}"))
}

fn texts(folder: &Path) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = fs::read_dir(folder)
        .expect("the corpus has this folder")
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|it| it == "pml" || it == "prom" || it == "promela"))
        .map(|path| {
            let text = String::from_utf8_lossy(&fs::read(&path).expect("it can be read")).into_owned();
            (path.file_name().unwrap_or_default().to_string_lossy().into_owned(), text)
        })
        .collect();
    found.sort();
    found
}

fn bound() -> u64 {
    std::env::var("CORPUS_STATES").ok().and_then(|value| value.parse().ok()).unwrap_or(2000)
}

#[test]
#[allow(clippy::print_stderr, reason = "a skipped test says so")]
fn corpus_models_have_the_reference_counts() {
    let Some(corpus) = corpus_dir() else {
        eprintln!("skipped: no corpus; set BURNSIDE_SHARED to the folder that holds it");
        return;
    };
    let mut problems = Vec::new();
    for folder in ["promela-dialect", "promela/models", "promela/families"] {
        for (name, text) in texts(&corpus.join(folder)) {
            if std::env::var("ONLY").is_ok_and(|only| !name.contains(&only)) {
                continue;
            }
            problems.extend(compare(&name, &text, &[], bound()));
        }
    }
    assert!(problems.is_empty(), "{} problems\n{}", problems.len(), problems.join("\n"));
}
