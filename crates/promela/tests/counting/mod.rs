//! Explores the IR of a model and compares with the reference explorer.

use std::collections::{HashSet, VecDeque};
use std::ops::ControlFlow;

use burnside_diag::FileId;
use burnside_interp::{Interpreter, Limits as StepLimits, Outcome};
use burnside_ir::{Layout, verify};
use burnside_promela::reference;
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
    let mut interpreter =
        Interpreter::new(model, &layout, StepLimits { loop_rounds: 1_000_000, ..StepLimits::default() });
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

fn no_includes(_: Include<'_>) -> Result<(FileId, String), String> {
    Err("tests include nothing".to_owned())
}

/// Compares the two explorations of a text: whether there was something to compare, or what differs, in words.
pub(crate) fn compare(text: &str, defines: &[String], max_states: u64) -> Result<bool, String> {
    let loaded = load(FileId(0), text, &Options { defines: defines.to_vec(), ..Options::default() }, &mut no_includes);
    let Some(model) = loaded.model else { return Ok(false) };
    let limits = reference::Limits { n_states: max_states as usize, n_steps: max_states * 200 };
    let expected = reference::explore(&model, limits);
    if expected.stopped == Some(reference::Stop::Limit) {
        return Ok(false);
    }
    let found = explore(&model.lower(), max_states as usize + 10);
    let expects_fault = !expected.faults.is_empty() || expected.stopped.is_some();
    match (&found.wrong, expects_fault) {
        (Some(_), true) => Ok(true),
        (Some(wrong), false) => Err(format!("unexpected: {wrong}")),
        (None, true) => Err(format!("{:?} {:?} not found", expected.faults, expected.stopped)),
        (None, false) if (found.n_states, found.n_transitions) == (expected.n_states, expected.n_transitions) => {
            Ok(true)
        }
        (None, false) => Err(format!(
            "{} states, {} transitions, not {} and {}",
            found.n_states, found.n_transitions, expected.n_states, expected.n_transitions
        )),
    }
}

/// Compares a model with what is left of it under `--slim`: the same goes wrong or
/// nothing does, and there are no more states. How many there are of each, if both were explored.
#[allow(dead_code, reason = "not every test compares this")]
pub(crate) fn compare_slim(text: &str, max_states: usize) -> Result<Option<[u64; 2]>, String> {
    let counted = |slim: bool| {
        let options = Options { slim, ..Options::default() };
        let model = load(FileId(0), text, &options, &mut no_includes).model?;
        Some(explore(&model.lower(), max_states)).filter(|it| !it.cut)
    };
    let (Some(plain), Some(slim)) = (counted(false), counted(true)) else { return Ok(None) };
    if plain.wrong.is_some() != slim.wrong.is_some() {
        return Err(format!("{:?} without, {:?} with variables forgotten", plain.wrong, slim.wrong));
    }
    if plain.wrong.is_none() && slim.n_states > plain.n_states {
        return Err(format!("{} states, {} where variables are forgotten", plain.n_states, slim.n_states));
    }
    Ok(plain.wrong.is_none().then_some([plain.n_states, slim.n_states]))
}
