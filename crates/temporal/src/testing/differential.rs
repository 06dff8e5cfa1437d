//! Random systems and formulas: every way to check them against the oracle.

use burnside_group::Permutation;
use fastrand::Rng;

use super::formulas::random_linear;
use super::n_cases;
use super::oracle::{is_symmetric, is_violated};
use super::random::random_system;
use super::replay::{Claim, replay, replay_lasso};
use super::system::{Making, System, TestGraph, Units};
use crate::automaton::Effort;
use crate::graph::{Fairness, Quotient, Strength};
use crate::growing::{Doubling, Expanded};
use crate::observer::{Atom, Observer, PathFormula};
use crate::product::{Finding, check, search_depth_first};

pub(crate) const STRENGTHS: [Option<Strength>; 3] = [None, Some(Strength::Weak), Some(Strength::Strong)];

/// A third without variable, most with one outside, some with one inside.
fn random_property(rng: &mut Rng, system: &System) -> PathFormula {
    let everybody: Vec<u32> = (0..system.n as u32).collect();
    let (outer, inner) = match rng.f64() {
        x if x < 0.3 => (vec![], vec![]),
        x if x < 0.75 => (vec![everybody], vec![]),
        _ => (vec![], vec![everybody]),
    };
    let mut atoms = vec![Atom { proposition: 0, arguments: vec![] }, Atom { proposition: 1, arguments: vec![] }];
    if !(outer.is_empty() && inner.is_empty()) {
        let indexed = 2..system.conditions.len() as u32;
        atoms.extend(indexed.chain([3]).map(|proposition| Atom { proposition, arguments: vec![0] }));
    }
    let depth = if inner.is_empty() { rng.usize(1..4) } else { rng.usize(1..3) };
    PathFormula { outer, inner, distinct: false, formula: random_linear(rng, depth, &atoms, true) }
}

/// The ways to make a graph that all must give the same answer.
fn makings(rng: &mut Rng, system: &System, units: Units) -> Vec<Making> {
    // Several representatives of an orbit: the least of some images only.
    let mut some: Vec<Permutation> = system.group.iter().filter(|_| rng.bool()).cloned().collect();
    some.push(Permutation::identity(system.n));
    let several = Making { images: some, ..Making::whole(system) };
    let all =
        [Making::whole(system), Making::quotient(system), Making::merged(system), Making::pruned(system), several];
    all.into_iter().map(|making| Making { units, ..making }).collect()
}

#[derive(Default)]
struct Tally {
    cases: u64,
    violated: u64,
    lassos: u64,
    rounds: usize,
}

fn run_seed(seed: u64, tally: &mut Tally) {
    let mut rng = Rng::with_seed(seed);
    let system = random_system(&mut rng);
    if system.reachable().len() > 120 {
        return;
    }
    debug_assert!(system.group.iter().all(|by| is_symmetric(&system, by)), "seed {seed}");
    let property = random_property(&mut rng, &system);
    let units = [Units::Processes, Units::Processes, Units::Rules, Units::Instances][rng.usize(..4)];
    let effort = if rng.bool() { Effort::Plain } else { Effort::Reduced };
    let Ok(observer) = Observer::of_violations(&property, effort) else { return };
    let n_states = observer.automaton().n_states();
    if n_states > 12 || (!property.inner.is_empty() && n_states.pow(system.n as u32) > 300) {
        return;
    }
    let makings = makings(&mut rng, &system, units);
    for strength in STRENGTHS {
        let Some(expected) = is_violated(&system, &property, units, strength) else { return };
        tally.cases += 1;
        tally.violated += u64::from(expected);
        for making in &makings {
            let graph = TestGraph::new(&system, making.clone());
            let fairness = Fairness::uniform(graph.n_units(), strength);
            let claim = Claim { property: &property, units, strength };
            let outcome = check(&graph, &observer, &fairness);
            let name = format!("seed {seed}, {strength:?}, {making:?}, {property:?}");
            assert_eq!(outcome.finding.is_some(), expected, "{name}");
            if let Some(finding) = &outcome.finding {
                replay(&graph, &claim, finding).unwrap_or_else(|error| panic!("{name}: {error}"));
                tally.lassos += 1;
                if let Finding::Lasso(lasso) = finding {
                    tally.rounds = tally.rounds.max(lasso.rounds);
                }
            }
            let depth_first = search_depth_first(&graph, &observer, &fairness);
            assert_eq!(depth_first.finding.is_some(), expected, "depth first, {name}");
            if let Some(lasso) = &depth_first.finding {
                replay_lasso(&graph, &claim, lasso).unwrap_or_else(|error| panic!("depth first, {name}: {error}"));
                tally.lassos += 1;
                tally.rounds = tally.rounds.max(lasso.rounds);
            }
            check_growing(&graph, &observer, &fairness, expected, &name);
        }
    }
}

/// What is found on a part of the graph is found on the whole; on the whole everything is.
fn check_growing(graph: &TestGraph<'_>, observer: &Observer, fairness: &Fairness, expected: bool, name: &str) {
    let mut doubling = Doubling::new(2);
    for n_expanded in 1..=graph.n_states() {
        if doubling.is_due(n_expanded) {
            let part = Expanded::new(graph, n_expanded as u32);
            let found = check(&part, observer, fairness).finding.is_some();
            assert!(!found || expected, "{n_expanded} states, {name}");
            assert!(found == expected || n_expanded < graph.n_states(), "{n_expanded} states, {name}");
        }
    }
}

#[test]
fn every_way_agrees_with_the_oracle() {
    let mut tally = Tally::default();
    let wanted = n_cases(300);
    let mut seed = 0;
    while tally.cases < wanted {
        run_seed(seed, &mut tally);
        seed += 1;
    }
    assert!(tally.violated * 4 > tally.cases, "many are violated: {} of {}", tally.violated, tally.cases);
    assert!(tally.violated < tally.cases * 9 / 10, "some hold: {} of {}", tally.violated, tally.cases);
    eprintln_tally(&tally, seed);
}

/// What was run, for whoever asked for more cases than usual.
#[expect(clippy::print_stderr, reason = "shown by the test runner only when it is asked to")]
fn eprintln_tally(tally: &Tally, n_seeds: u64) {
    eprintln!(
        "{} cases of {n_seeds} seeds, {} violated, {} lassos replayed, up to {} rounds",
        tally.cases, tally.violated, tally.lassos, tally.rounds
    );
}
