//! Random models: the verdict is that of the explicit search, and every state that was dropped was dropped rightly.
#![allow(clippy::print_stdout, reason = "how much was compared is worth knowing")]

mod mixed;
mod texts;

use std::collections::HashSet;
use std::ops::ControlFlow;

use burnside_diag::FileId;
use burnside_engine::{
    AuditMode, Budget, DeadlockMode, Declined, Engine, Monitor, Question, Reason, Report, Task, Verdict, replay,
};
use burnside_explicit::Explicit;
use burnside_interp::{Interpreter, Limits, Outcome};
use burnside_interpolant::{Interpolant, Mode};
use burnside_ir::{Layout, Model, PropertyKind};
use burnside_step::Judge;
use burnside_testkit::{Config, Symmetry, random_model};

const LIMITS: Limits = Limits { loop_rounds: 50, call_depth: 50, call_slots: 1 << 20 };

/// How many models are tried: `BURNSIDE_SEEDS`, or fewer.
fn n_seeds(usually: u64) -> u64 {
    std::env::var("BURNSIDE_SEEDS").ok().and_then(|it| it.parse().ok()).unwrap_or(usually)
}

/// What was compared.
#[derive(Debug, Default)]
struct Compared {
    models: u64,
    violated: u64,
    with_coverings: u64,
    coverings: u64,
    checked: u64,
    refused: u64,
}

fn task<'m>(model: &'m Model, layout: &'m Layout, seed: u64) -> Task<'m> {
    let deadlock = match seed % 8 {
        0 | 1 => DeadlockMode::Stuck,
        2 | 3 => DeadlockMode::Stuttering,
        _ => DeadlockMode::Off,
    };
    let task = Task {
        native: false,
        audit: AuditMode::Off,
        ..Task::of(Question { deadlock, step_limits: LIMITS, ..Question::new(model, layout) })
    };
    let unsafe_kinds = [PropertyKind::Liveness, PropertyKind::Cover, PropertyKind::CoverPoint];
    let has_others = unsafe_kinds.iter().any(|&kind| model.properties_of(kind).next().is_some());
    let only = if has_others { model.properties_of(PropertyKind::Invariant).next() } else { None };
    // One name for each random model is not worth a place to keep it.
    let only = only.map(|id| &*vec![id].leak());
    Task { question: Question { only, ..task.question }, ..task }
}

fn word(report: &Report) -> &'static str {
    match &report.verdict {
        Verdict::Holds(_) => "holds",
        Verdict::Violated(_) => "violated",
        Verdict::Unknown(_) => "unknown",
    }
}

/// Compares all modes with the explicit search, and looks at what was dropped.
fn compare(name: &str, model: &Model, seed: u64, compared: &mut Compared) {
    let layout = Layout::new(model).expect("small");
    let task = task(model, &layout, seed);
    if Interpolant::default().admit(&task).is_err() {
        compared.refused += 1;
        return;
    }
    let budget = || Monitor::new(Budget { states: Some(3_000), ..Budget::default() });
    let expected = Explicit::default().check(&task, &budget()).expect("without reduction it answers");
    if matches!(expected.verdict, Verdict::Unknown(_)) {
        return;
    }
    compared.models += 1;
    compared.violated += u64::from(word(&expected) == "violated");
    for mode in Mode::ALL {
        let engine = Interpolant { mode, examples: 400 };
        let report = match engine.check(&task, &Monitor::default()) {
            Ok(report) => report,
            // Up to symmetry, quantifiers are evaluated in full, which may meet a fault that the model does not show.
            Err(Declined { reason: Reason::Unexplained, .. }) if mode == Mode::Rotations => continue,
            Err(declined) => panic!("{name} in mode {}: {declined:?}", mode.name()),
        };
        assert_eq!(word(&report), word(&expected), "{name} in mode {}", mode.name());
        if let Verdict::Violated(violation) = &report.verdict {
            replay(&task, violation).unwrap_or_else(|why| panic!("{name} in mode {}: {why}", mode.name()));
        }
        let reasoning = report.reasoning.expect("the search counts");
        if mode == Mode::None && word(&expected) == "holds" {
            assert_eq!(report.counts.states, expected.counts.states, "{name}");
        }
        if mode == Mode::All {
            compared.coverings += reasoning.covered;
            compared.with_coverings += u64::from(reasoning.covered > 0);
        }
        for example in &reasoning.examples {
            compared.checked += 1;
            assert!(is_safe(&task, &example.state), "{name} in mode {}: {example:?}", mode.name());
        }
    }
}

/// Whether nothing bad is reachable from a state, by plain exploration. A model that is violated elsewhere is no excuse.
fn is_safe(task: &Task<'_>, state: &[u64]) -> bool {
    let mut interpreter = Interpreter::new(task.model, task.layout, task.step_limits);
    let mut first = vec![0; task.layout.slots().len()];
    task.layout.unpack(state, &mut first);
    let mut judge = Judge::new(task);
    let (mut known, mut frontier) = (HashSet::from([first.clone()]), vec![first]);
    while let Some(state) = frontier.pop() {
        if judge.excludes(&mut interpreter, &state).is_some() {
            continue;
        }
        if judge.breach(&mut interpreter, &state).is_some() {
            return false;
        }
        let (mut is_stuck, mut leads_on, mut faults) = (true, false, false);
        interpreter.successors(&state, |_, _, outcome| {
            is_stuck = false;
            match outcome {
                Outcome::Next(next) => {
                    leads_on |= next != state;
                    if known.insert(next.to_vec()) {
                        frontier.push(next.to_vec());
                    }
                }
                Outcome::Pruned => {}
                Outcome::Fault(..) => faults = true,
            }
            ControlFlow::Continue(())
        });
        let is_dead = match task.deadlock {
            DeadlockMode::Off => false,
            DeadlockMode::Stuck => is_stuck,
            DeadlockMode::Stuttering => !leads_on,
        };
        if faults || (is_dead && task.checks_deadlocks() && !interpreter.may_end(&state)) {
            return false;
        }
    }
    true
}

#[test]
fn verdicts_on_random_models_are_those_of_the_explicit_search() {
    let mut compared = Compared::default();
    for seed in 0..n_seeds(300) {
        let symmetry = [Symmetry::Free, Symmetry::Nearly, Symmetry::Full][(seed % 3) as usize];
        let config = Config {
            symmetry,
            multisets: false,
            n_properties: 2,
            state_bits: 6 + (seed % 5) as u32,
            ..Config::random(seed)
        };
        compare(&format!("random model {seed}"), &random_model(seed, &config), seed, &mut compared);
    }
    println!("{compared:?}");
    assert!(compared.models > 0 && compared.violated > 0 && compared.coverings > 0, "{compared:?}");
}

#[test]
fn verdicts_on_models_with_arithmetic_on_identities_are_those_of_the_explicit_search() {
    let mut compared = Compared::default();
    for seed in 0..n_seeds(600) {
        let text = texts::random_text(seed);
        let loaded = burnside_murphi::load(FileId(0), &text, &burnside_murphi::Options::default());
        let model = loaded.model.unwrap_or_else(|| panic!("{text}\n{:?}", loaded.diagnostics));
        compare(&format!("seed {seed}:\n{text}\n"), &model, seed, &mut compared);
    }
    println!("{compared:?}");
    assert!(compared.violated * 10 > compared.models && compared.with_coverings * 4 > compared.models, "{compared:?}");
}

#[test]
fn verdicts_on_models_with_several_sorts_and_references_are_those_of_the_explicit_search() {
    let mut compared = Compared::default();
    for seed in 0..n_seeds(60) {
        let text = mixed::random_mixed(seed);
        let loaded = burnside_murphi::load(FileId(0), &text, &burnside_murphi::Options::default());
        let model = loaded.model.unwrap_or_else(|| panic!("{text}\n{:?}", loaded.diagnostics));
        compare(&format!("seed {seed}:\n{text}\n"), &model, seed, &mut compared);
    }
    println!("{compared:?}");
    assert!(compared.violated * 10 > compared.models && compared.with_coverings * 4 > compared.models, "{compared:?}");
}
