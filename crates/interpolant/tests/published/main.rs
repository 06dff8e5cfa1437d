//! The tables of Chu and Jaffar, *A complete method for symmetry reduction in safety verification* (CAV 2012).

use std::num::NonZeroUsize;

use burnside_diag::FileId;
use burnside_engine::{DeadlockMode, Engine, Monitor, Reasoning, Task, Verdict};
use burnside_interpolant::{Interpolant, Mode};
use burnside_ir::{Layout, Model};

const PHILOSOPHERS: &str = include_str!("philosophers.m");
const READERS_WRITERS: &str = include_str!("readers-writers.m");
const SUM_OF_IDS: &str = include_str!("../../../../examples/sum-of-ids.m");

fn load(text: &str, constants: &[(&str, i64)]) -> (Model, Layout) {
    let overrides = constants.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
    let options = burnside_murphi::Options { overrides, ..burnside_murphi::Options::default() };
    let loaded = burnside_murphi::load(FileId(0), text, &options);
    let model = loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
    let layout = Layout::new(&model).expect("a layout");
    (model, layout)
}

/// Visited and subsumed states of a model that holds.
fn run(text: &str, constants: &[(&str, i64)], mode: Mode) -> Reasoning {
    let (model, layout) = load(text, constants);
    let task = Task { deadlock: DeadlockMode::Off, threads: NonZeroUsize::MIN, ..Task::new(&model, &layout) };
    let engine = Interpolant { mode, ..Interpolant::default() };
    engine.admit(&task).expect("the model is treated");
    let report = engine.check(&task, &Monitor::default());
    assert!(matches!(report.verdict, Verdict::Holds(_)), "{:?}", report.verdict);
    *report.reasoning.expect("the search counts")
}

/// The same with one more state visited: where variables have to be set, the paper counts doing so as a step.
fn with_first_step(text: &str, n: i64, mode: Mode) -> (u64, u64) {
    let reasoning = run(text, &[("N", n)], mode);
    (reasoning.visited + 1, reasoning.subsumed)
}

#[test]
fn philosophers_without_symmetry_are_as_published() {
    let counts = [3, 4, 5].map(|n| with_first_step(PHILOSOPHERS, n, Mode::None));
    assert_eq!(counts, [(191, 79), (1246, 702), (7517, 4893)]);
}

#[test]
fn philosophers_under_rotation_are_as_published() {
    let counts = [3, 4, 5].map(|n| with_first_step(PHILOSOPHERS, n, Mode::Rotations));
    assert_eq!(counts, [(67, 27), (328, 184), (1509, 981)]);
}

#[test]
fn philosophers_under_one_renaming_have_the_sound_figures() {
    let counts = [3, 4, 5].map(|n| with_first_step(PHILOSOPHERS, n, Mode::One));
    assert_eq!(counts, [(78, 34), (436, 254), (2360, 1586)]);
}

#[test]
fn philosophers_under_all_renamings_have_the_sound_figures() {
    let counts = [3, 4, 5].map(|n| with_first_step(PHILOSOPHERS, n, Mode::All));
    assert_eq!(counts, [(64, 26), (292, 165), (1211, 792)]);
}

#[test]
fn readers_and_writers_are_as_published() {
    let counts = [(2, 1), (4, 2), (6, 3), (8, 4), (10, 5)].map(|(readers, writers)| {
        let reasoning = run(READERS_WRITERS, &[("Readers", readers), ("Writers", writers)], Mode::One);
        (reasoning.visited, reasoning.subsumed)
    });
    assert_eq!(counts, [(35, 20), (226, 175), (779, 658), (1987, 1750), (4231, 3820)]);
}

#[test]
fn the_sum_of_ids_is_as_published() {
    let counts = [10, 20, 40, 60].map(|n| with_first_step(SUM_OF_IDS, n, Mode::One));
    assert_eq!(counts, [(57, 45), (212, 190), (822, 780), (1832, 1770)]);
}
