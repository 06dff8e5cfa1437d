//! Counts known from the literature, and random models against plain search.
#![allow(clippy::print_stdout, reason = "how much was compared is worth knowing")]

use std::collections::{BTreeSet, HashSet};

use burnside_diag::FileId;
use burnside_engine::{Breach, Budget, DeadlockMode, Question, Reason, Verdict, Violation, replay};
use burnside_interp::Limits;
use burnside_testkit::{Config, Symmetry, explore, random_model};

use super::*;

fn load(text: &str, constants: &[(&str, i64)]) -> (Model, Layout) {
    let overrides = constants.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
    let options = burnside_murphi::Options { overrides, ..burnside_murphi::Options::default() };
    let loaded = burnside_murphi::load(FileId(0), text, &options);
    let model = loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
    let layout = Layout::new(&model).expect("a layout");
    (model, layout)
}

/// The number of stored states of a model that holds.
fn count(adaptive: &Adaptive, (model, layout): &(Model, Layout), may_decline: bool) -> u64 {
    let report = adaptive.check(&Task { may_decline, ..Task::new(model, layout) }, &Monitor::new(Budget::default()));
    let report = report.unwrap_or_else(|why| panic!("{why:?}"));
    assert!(matches!(report.verdict, Verdict::Holds(_)), "{:?}", report.verdict);
    report.counts.states
}

fn adaptive_count(text: &str, constants: &[(&str, i64)]) -> u64 {
    let loaded = load(text, constants);
    let adaptive = Adaptive::new(&loaded.0, &loaded.1).unwrap_or_else(|why| panic!("{why}"));
    count(&adaptive, &loaded, true)
}

const SHARED_READING: &str = include_str!("../../../../examples/shared-reading.m");
const CONTROLLER: &str = include_str!("../../../../examples/resource-controller.m");

#[test]
fn readers_and_writers_have_the_published_counts() {
    let counts = [(2, 1), (4, 2), (6, 3), (8, 4), (10, 5)]
        .map(|(readers, writers)| adaptive_count(SHARED_READING, &[("Readers", readers), ("Writers", writers)]));
    assert_eq!(counts, [9, 31, 79, 165, 301]);
}

fn controller(processes: i64, classes: i64, small: i64) -> [(&'static str, i64); 3] {
    [("Processes", processes), ("Classes", classes), ("Small", small)]
}

#[test]
fn the_controller_with_18_processes_has_the_published_counts() {
    assert_eq!(adaptive_count(CONTROLLER, &controller(18, 9, 2)), 505);
    assert_eq!(adaptive_count(CONTROLLER, &controller(18, 2, 9)), 316);
    for (classes, small, states) in [(9, 2, 78_729), (2, 9, 397)] {
        let loaded = load(CONTROLLER, &controller(18, classes, small));
        let standard = Adaptive::standard(&loaded.0, &loaded.1).unwrap_or_else(|why| panic!("{why}"));
        assert_eq!(count(&standard, &loaded, false), states);
    }
}

#[test]
fn the_controller_with_80_processes_has_the_published_counts() {
    let published = [
        (2, 558, 789),
        (3, 792, 1245),
        (5, 1251, 2121),
        (7, 1698, 2949),
        (10, 2346, 4101),
        (15, 3366, 5781),
        (20, 4311, 7161),
        (25, 5181, 8241),
    ];
    for (classes, ones, twos) in published {
        assert_eq!(adaptive_count(CONTROLLER, &controller(80, classes, 1)), ones, "{classes} classes");
        assert_eq!(adaptive_count(CONTROLLER, &controller(80, classes, 2)), twos, "{classes} classes");
    }
}

/// What random models look like: nearly symmetric, and small.
fn nearly(seed: u64) -> Config {
    let mut config = Config::random(seed);
    config.symmetry = Symmetry::Nearly;
    config.state_bits = config.state_bits.min(11);
    config
}

/// How many seeds are tried: a sample, or as many as `BURNSIDE_SEEDS` says.
fn n_seeds(sample: u64) -> u64 {
    std::env::var("BURNSIDE_SEEDS").ok().and_then(|value| value.parse().ok()).unwrap_or(sample)
}

fn limits() -> Limits {
    Limits { loop_rounds: 50, call_depth: 50, call_slots: 1 << 20 }
}

/// The models with identities among some seeds.
fn random_models(seeds: std::ops::Range<u64>) -> impl Iterator<Item = (u64, Model, Layout, Adaptive)> {
    seeds.filter_map(|seed| {
        let model = random_model(seed, &nearly(seed));
        let layout = Layout::new(&model).ok()?;
        let adaptive = Adaptive::new(&model, &layout).ok()?;
        Some((seed, model, layout, adaptive))
    })
}

/// What a plain search by the interpreter says; nothing if the model is too large.
fn plain(task: &Task<'_>) -> Option<Option<Violation>> {
    let explicit = burnside_explicit::Explicit::default();
    let budget = Budget { states: Some(20_000), ..Budget::default() };
    let report = explicit.check(task, &Monitor::new(budget)).expect("without reduction it answers");
    match report.verdict {
        Verdict::Holds(_) => Some(None),
        Verdict::Violated(violation) => Some(Some(*violation)),
        Verdict::Unknown(_) => None,
    }
}

/// Whether two searches found the same wrong, or one that another order of looking may find first: a deadlock is
/// noticed when its state is expanded, everything else one step earlier.
fn agree(one: &Violation, other: &Violation) -> bool {
    let n_steps = |it: &Violation| it.trace.as_ref().map(|trace| trace.steps.len());
    let is_deadlock = |it: &Violation| it.breach == Breach::Deadlock;
    match (n_steps(one), n_steps(other)) {
        (Some(a), Some(b)) if is_deadlock(one) == is_deadlock(other) => a == b,
        (Some(a), Some(b)) => a.abs_diff(b) == 1 && (a < b) == is_deadlock(one),
        (a, b) => a == b,
    }
}

#[test]
fn random_models_get_the_verdict_of_plain_search() {
    let n_seeds = n_seeds(1000);
    let (mut compared, mut violated, mut asymmetric) = (0, 0, 0);
    for (seed, model, layout, adaptive) in random_models(0..n_seeds) {
        let task =
            Task { native: false, ..Task::of(Question { step_limits: limits(), ..Question::new(&model, &layout) }) };
        let Some(expected) = plain(&task) else { continue };
        // Compiling is most of the work for small models; a third of them is enough.
        let task = Task { native: seed.is_multiple_of(3), ..task };
        let report = match adaptive.check(&task, &Monitor::new(Budget::default())) {
            Ok(report) => report,
            Err(Declined { reason: Reason::Unexplained, .. }) => continue,
            Err(declined) => panic!("seed {seed}: {declined:?}"),
        };
        let found = match &report.verdict {
            Verdict::Holds(_) => None,
            Verdict::Violated(violation) => {
                replay(&task, violation).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
                Some(&**violation)
            }
            Verdict::Unknown(shortfall) => panic!("seed {seed}: {shortfall}"),
        };
        let same = match (found, &expected) {
            (None, None) => true,
            (Some(found), Some(expected)) => agree(found, expected),
            _ => false,
        };
        assert!(same, "seed {seed}: {found:?}, {expected:?}");
        compared += 1;
        violated += u64::from(found.is_some());
        asymmetric += u64::from(!adaptive.is_symmetric());
    }
    let counts = format!("{n_seeds} seeds: {compared} compared, {violated} violated, {asymmetric} asymmetric");
    assert!(compared > n_seeds / 3 && violated > n_seeds / 30 && asymmetric > n_seeds / 12, "{counts}");
    println!("{counts}");
}

/// All states that annotated states stand for.
fn union_of_orbits(adaptive: &Adaptive, task: &Task<'_>) -> Option<BTreeSet<Vec<i64>>> {
    let monitor = Monitor::default();
    let Setup { extended, strict, .. } = &adaptive.setup;
    let code = task.native.then(|| Code::windowed(task, extended, strict, Stacks::Usual)).flatten();
    let search = Search::new((task, &monitor), &adaptive.setup, code.as_ref())?;
    let nodes = search.into_nodes()?;
    let mut arranger = adaptive.setup.orbits.arranger();
    let n_points = adaptive.setup.identities.n_points() as u32;
    let mut union = BTreeSet::new();
    for (state, cells) in nodes {
        let mut pending = vec![state.clone()];
        let mut orbit: HashSet<Vec<u64>> = HashSet::from([state]);
        while let Some(member) = pending.pop() {
            for pair in cells.iter().flat_map(|cell| cell.windows(2)) {
                let mut images: Vec<u32> = (0..n_points).collect();
                images.swap(pair[0] as usize, pair[1] as usize);
                let mut image = Vec::new();
                arranger.rename(&images, &member, &mut image);
                if orbit.insert(image.clone()) {
                    pending.push(image);
                }
            }
        }
        union.extend(orbit.into_iter().map(|member| {
            let mut values = vec![0; task.layout.slots().len()];
            task.layout.unpack(&member, &mut values);
            values
        }));
    }
    Some(union)
}

#[test]
fn orbits_of_random_models_are_the_reachable_states() {
    let n_seeds = n_seeds(600);
    let mut compared = 0;
    for (seed, mut model, layout, _) in random_models(0..n_seeds) {
        let is_assumption = |it: &burnside_ir::Property| it.kind == PropertyKind::Assumption;
        if model.properties.iter().any(is_assumption) {
            continue;
        }
        for property in &mut model.properties {
            property.kind = PropertyKind::CoverPoint;
        }
        let explored = explore(&model, 5000);
        if explored.cut || !explored.faults.is_empty() {
            continue;
        }
        let Ok(adaptive) = Adaptive::new(&model, &layout) else { continue };
        let task =
            Task::of(Question { deadlock: DeadlockMode::Off, step_limits: limits(), ..Question::new(&model, &layout) });
        let Some(union) = union_of_orbits(&adaptive, &task) else { continue };
        let mut reachable: Vec<Vec<i64>> = explored.states.into_iter().collect();
        reachable.sort_unstable();
        assert!(union.into_iter().eq(reachable), "seed {seed}");
        compared += 1;
    }
    assert!(compared > n_seeds / 6, "{n_seeds} seeds: {compared} compared");
    println!("{n_seeds} seeds: {compared} compared");
}

/// What a search finds, in a form that can be compared.
fn outcome(adaptive: &Adaptive, task: &Task<'_>) -> String {
    let budget = Budget { states: Some(5000), ..Budget::default() };
    match adaptive.check(&Task { may_decline: true, ..*task }, &Monitor::new(budget)) {
        Ok(Report { verdict, counts, fired, .. }) => {
            format!("{verdict:?} {} {} {} {fired:?}", counts.states, counts.rules_fired, counts.depth)
        }
        Err(why) => format!("{why:?}"),
    }
}

#[test]
fn every_number_of_threads_finds_the_same() {
    let models =
        random_models(0..n_seeds(300)).map(|(seed, model, layout, adaptive)| (seed, (model, layout), adaptive));
    let controller = load(CONTROLLER, &controller(18, 9, 2));
    let readers = load(SHARED_READING, &[("Readers", 12), ("Writers", 6)]);
    let standard = Adaptive::standard(&controller.0, &controller.1).unwrap_or_else(|why| panic!("{why}"));
    let adaptive = Adaptive::new(&readers.0, &readers.1).unwrap_or_else(|why| panic!("{why}"));
    for (seed, (model, layout), adaptive) in models.chain([(0, controller, standard), (1, readers, adaptive)]) {
        let task = Task {
            native: seed.is_multiple_of(4),
            ..Task::of(Question { step_limits: limits(), ..Question::new(&model, &layout) })
        };
        let expected = outcome(&adaptive, &task);
        for threads in [2, 3] {
            let threads = threads.try_into().expect("not zero");
            assert_eq!(outcome(&adaptive, &Task { threads, ..task }), expected, "seed {seed}, {threads} threads");
        }
    }
}
