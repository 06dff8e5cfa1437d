//! Nearly symmetric systems: the numbers of the experiments, and random ones against plain answers.

use std::collections::{BTreeMap, BTreeSet};

use burnside_group::{Partition, Permutation};
use fastrand::Rng;

use super::branching::{Plain, flatten, random_branching};
use super::formulas::random_linear;
use super::models::{bridge, mutex, priority, readers_writers, resource, ring, swapper, twist};
use super::n_cases;
use super::oracle::is_violated;
use super::properties::property;
use super::system::{Condition, Fired, Rules, System, Units, Values, rotations, symmetric};
use crate::automaton::Effort;
use crate::branching::StateFormula;
use crate::formula::{Formula, Unary};
use crate::graph::{Point, State};
use crate::ltl::{Shape, holds_on_lasso};
use crate::near::{Acted, Bounds, Guarded, Similarities, Similarity, Unwound, check_lazily, virtual_witness};
use crate::observer::{Atom, Observer, PathFormula};

/// A system with all images of its states under a group.
struct Closed {
    states: Vec<Values>,
    acted: Acted,
}

impl Closed {
    fn new(system: &System, group: &[Permutation]) -> Self {
        let mut numbers: BTreeMap<Values, State> = BTreeMap::new();
        let mut states: Vec<Values> = Vec::new();
        let mut add = |values: &Values, states: &mut Vec<Values>| {
            for by in group {
                let image = values.renamed(by);
                let next = states.len() as State;
                if *numbers.entry(image.clone()).or_insert(next) == next {
                    states.push(image);
                }
            }
        };
        system.starts.iter().for_each(|start| add(start, &mut states));
        let mut at = 0;
        while at < states.len() {
            for fired in (system.rules)(&states[at].clone()) {
                add(&fired.target, &mut states);
            }
            at += 1;
        }
        let images =
            group.iter().map(|by| states.iter().map(|values| numbers[&values.renamed(by)]).collect()).collect();
        let fire = |values: &Values| -> Vec<(Point, State)> {
            (system.rules)(values).into_iter().map(|f| (f.process as Point, numbers[&f.target])).collect()
        };
        let steps = states.iter().map(fire).collect();
        let starts = system.starts.iter().map(|start| numbers[start]).collect();
        let acted = Acted::new(group.to_vec(), images, steps, starts);
        Closed { states, acted }
    }

    /// The orbit of each state, by its least member.
    fn orbits(&self) -> Vec<u32> {
        (0..self.states.len() as State).map(|state| self.acted.representative(state).0).collect()
    }
}

fn check_similarity(system: &System, group: &[Permutation], numbers: [usize; 3], expected: Option<Similarity>) {
    let closed = Closed::new(system, group);
    let name = &system.name;
    let reachable = system.reachable().len();
    let orbits = closed.orbits();
    let n_orbits = orbits.iter().collect::<BTreeSet<_>>().len();
    assert_eq!([reachable, n_orbits, closed.states.len() - reachable], numbers, "{name}");
    let similarities = Similarities::new(&closed.acted);
    assert_eq!(similarities.strongest(), expected, "{name}");
    let successors: Vec<Vec<State>> = (0..closed.states.len() as State)
        .map(|state| closed.acted.steps(state).iter().map(|&(_, to)| to).collect())
        .collect();
    assert_eq!(virtual_witness(&orbits, &successors).is_none(), similarities.virtual_.is_none(), "{name}");
}

#[test]
fn similarities_are_those_of_the_experiments() {
    use Similarity::{Near, Rough, Symmetric, Virtual};
    let least = |n| priority(n, "prio-least", |trying, process| trying[0] == process);
    let all_try = |n| priority(n, "prio-allT", move |trying, process| trying.len() == n && process == 0);
    let first = priority(3, "prio-first-only", |_, process| process == 0);
    check_similarity(&mutex(3), &symmetric(3), [20, 7, 0], Some(Symmetric));
    check_similarity(&readers_writers(2, 1), &symmetric(3), [22, 9, 4], None);
    check_similarity(&readers_writers(2, 2), &symmetric(4), [52, 12, 20], None);
    check_similarity(&priority(3, "prio-all", |_, _| true), &symmetric(3), [20, 7, 0], Some(Symmetric));
    check_similarity(&least(3), &symmetric(3), [20, 7, 0], Some(Rough));
    check_similarity(&least(4), &symmetric(4), [48, 9, 0], Some(Rough));
    check_similarity(&all_try(3), &symmetric(3), [9, 5, 2], Some(Near));
    check_similarity(&all_try(4), &symmetric(4), [17, 6, 3], Some(Near));
    check_similarity(&first, &symmetric(3), [12, 7, 8], None);
    check_similarity(&swapper(), &symmetric(2), [2, 1, 0], Some(Virtual));
    check_similarity(&bridge(3), &symmetric(3), [28, 14, 12], None);
    check_similarity(&bridge(4), &symmetric(4), [64, 18, 32], None);
    check_similarity(&resource(&[1, 1, 1]), &symmetric(3), [29, 13, 15], Some(Rough));
    check_similarity(&resource(&[2, 1]), &symmetric(3), [35, 13, 9], Some(Rough));
    check_similarity(&resource(&[2, 2]), &symmetric(4), [76, 17, 36], Some(Rough));
    check_similarity(&ring(3, false), &symmetric(3), [36, 9, 0], None);
    check_similarity(&ring(3, false), &rotations(3), [36, 12, 0], Some(Symmetric));
}

#[test]
fn the_witness_is_like_that_of_the_survey() {
    let system = readers_writers(2, 1);
    let closed = Closed::new(&system, &symmetric(3));
    let witness = Similarities::new(&closed.acted).virtual_.unwrap();
    let critical = |state: State| closed.states[state as usize].locals.iter().filter(|&&local| local == 2).count();
    // As from T T C to C T C: a reader may enter beside a reader, and not beside a writer.
    assert_eq!((critical(witness.from), critical(witness.to)), (1, 2));
    let has_step = closed.acted.steps(witness.image).iter().any(|&(_, to)| critical(to) == 2);
    assert!(!has_step, "the image has no step like it");
}

/// Whole graph, nodes, steps, guarded ones, the same up to stabilisers, nodes when everything is told apart.
fn check_guarded(system: &System, blocks: &[usize], numbers: [usize; 7], n_bisimilar: usize) {
    let closed = Closed::new(system, &symmetric(system.n));
    let quotient = Guarded::new(&closed.acted);
    let nodes = 0..quotient.nodes().len() as u32;
    let steps: Vec<_> = nodes.clone().flat_map(|node| quotient.steps(node)).collect();
    let chosen: Vec<_> = nodes.flat_map(|node| quotient.steps_up_to_symmetry(node)).collect();
    let mut keys = Vec::new();
    blocks.iter().enumerate().for_each(|(block, &size)| keys.extend(vec![block; size]));
    let unwound = Unwound::new(&quotient, Partition::from_keys(&keys));
    assert!(unwound.is_exact(), "{}", system.name);
    let found = [
        system.reachable().len(),
        unwound.n_nodes(),
        quotient.nodes().len(),
        steps.len(),
        steps.iter().filter(|step| step.is_guarded()).count(),
        chosen.len(),
        chosen.iter().filter(|step| step.is_guarded()).count(),
    ];
    assert_eq!(found, numbers, "{}", system.name);
    assert_eq!(bisimulation_classes(system), n_bisimilar, "{}", system.name);
}

/// The classes of the coarsest bisimulation that keeps the numbers of processes in each local state.
fn bisimulation_classes(system: &System) -> usize {
    let states = system.reachable();
    let numbers: BTreeMap<&Values, usize> = states.iter().enumerate().map(|(at, values)| (values, at)).collect();
    let successors: Vec<Vec<usize>> = states
        .iter()
        .map(|values| (system.rules)(values).iter().map(|fired| numbers[&fired.target]).collect())
        .collect();
    let sorted = |values: &Values| {
        let mut locals = values.locals.clone();
        locals.sort_unstable();
        locals
    };
    let mut classes = ranked(&states.iter().map(sorted).collect::<Vec<_>>());
    loop {
        let key = |at: usize| (classes[at], successors[at].iter().map(|&to| classes[to]).collect::<BTreeSet<_>>());
        let finer = ranked(&(0..states.len()).map(key).collect::<Vec<_>>());
        if finer.iter().max() == classes.iter().max() {
            return finer.iter().max().map_or(0, |most| most + 1);
        }
        classes = finer;
    }
}

fn ranked<K: Ord>(keys: &[K]) -> Vec<usize> {
    let ranks: BTreeSet<&K> = keys.iter().collect();
    let ranks: BTreeMap<&K, usize> = ranks.into_iter().enumerate().map(|(rank, key)| (key, rank)).collect();
    keys.iter().map(|key| ranks[key]).collect()
}

#[test]
fn guarded_quotients_are_those_of_the_experiments() {
    check_guarded(&readers_writers(2, 1), &[2, 1], [22, 15, 9, 26, 3, 16, 2], 15);
    check_guarded(&readers_writers(2, 2), &[2, 2], [52, 24, 12, 45, 6, 23, 3], 24);
    check_guarded(&resource(&[1, 1]), &[1, 1], [13, 13, 9, 12, 2, 10, 1], 9);
    check_guarded(&resource(&[2, 2]), &[2, 2], [76, 33, 17, 32, 9, 20, 3], 17);
    if n_cases(0) > 0 {
        check_guarded(&readers_writers(3, 3), &[3, 3], [312, 52, 22, 126, 25, 48, 9], 52);
        check_guarded(&readers_writers(4, 2), &[4, 2], [388, 55, 25, 147, 31, 56, 12], 55);
        check_guarded(&resource(&[3, 3]), &[3, 3], [388, 61, 25, 60, 20, 30, 5], 25);
        check_guarded(&resource(&[2, 2, 2]), &[2, 2, 2], [316, 105, 25, 60, 20, 30, 5], 25);
        check_guarded(&resource(&[1, 1, 4]), &[1, 1, 4], [304, 77, 25, 60, 20, 30, 5], 25);
    }
}

/// Random rules about cells of a partition: everybody, the first and the rest, or two halves.
fn random_near_system(rng: &mut Rng) -> System {
    let n = [3, 3, 4][rng.usize(..3)];
    let n_locals = 2 + rng.i8(0..2);
    let cut = [0, 0, 0, 1, 2];
    let mut rules = Vec::new();
    for number in 0..2 + rng.u32(..4) {
        let cut = cut[rng.usize(..cut.len())];
        let cells: Vec<_> = [0..cut, cut..n].into_iter().filter(|cell| !cell.is_empty()).collect();
        let who = cells[rng.usize(..cells.len())].clone();
        let (from, to) = (rng.i8(0..n_locals), rng.i8(0..n_locals));
        let conditions: Vec<_> = (0..rng.usize(..3))
            .map(|_| (cells[rng.usize(..cells.len())].clone(), rng.i8(0..n_locals), rng.bool()))
            .collect();
        rules.push((number, who, from, to, conditions));
    }
    let fire: Rules = Box::new(move |values| {
        let mut fired = Vec::new();
        for (rule, who, from, to, conditions) in &rules {
            let holds = |(cell, local, some): &(std::ops::Range<usize>, i8, bool)| {
                values.locals[cell.clone()].contains(local) == *some
            };
            if conditions.iter().all(holds) {
                let movers = who.clone().filter(|&process| values.locals[process] == *from);
                fired.extend(movers.map(|process| Fired { process, rule: *rule, target: values.with(process, *to) }));
            }
        }
        fired
    });
    let count = |least: usize| -> Condition {
        Box::new(move |values, _| values.locals.iter().filter(|&&local| local == 1).count() >= least)
    };
    System {
        name: "near".into(),
        n,
        group: vec![Permutation::identity(n)],
        starts: vec![Values::new(&[], &[], &vec![0; n])],
        rules: fire,
        conditions: vec![
            ("all0", Box::new(|values, _| values.locals.iter().all(|&local| local == 0))),
            ("some1", count(1)),
            ("two1", count(2)),
        ],
    }
}

fn atoms(system: &System) -> Vec<Atom> {
    let n = system.conditions.len() as u32;
    (0..n).map(|proposition| Atom { proposition, arguments: Vec::new() }).collect()
}

/// Checks lazily; a lasso must be one of the system and violate the formula.
fn check_lasso(system: &System, closed: &Closed, formula: &PathFormula) -> Option<bool> {
    let observer = Observer::of_violations(formula, Effort::Reduced).ok()?;
    let quotient = Guarded::new(&closed.acted);
    let holds = |state: State, proposition: u32| system.holds(&closed.states[state as usize], proposition, &[]);
    let outcome = check_lazily(&quotient, &observer, holds);
    if let Some((states, start)) = &outcome.lasso {
        assert!(closed.acted.starts().contains(&states[0]));
        for (at, &state) in states.iter().enumerate() {
            let next = if at + 1 < states.len() { states[at + 1] } else { states[*start] };
            let steps = closed.acted.steps(state);
            assert!(steps.iter().any(|&(_, to)| to == next) || (steps.is_empty() && state == next));
        }
        let shape = Shape::new(*start, states.len() - start);
        let value = &mut |at: usize, atom: &Atom| holds(states[at], atom.proposition);
        assert_eq!(holds_on_lasso(&formula.formula, shape, value), Ok(false));
    }
    Some(outcome.lasso.is_some())
}

#[test]
fn lazy_refinement_agrees_with_the_oracle() {
    for seed in 0..n_cases(150) {
        let mut rng = Rng::with_seed(seed);
        let system = random_near_system(&mut rng);
        let depth = rng.usize(1..4);
        let formula = random_linear(&mut rng, depth, &atoms(&system), true);
        let property = PathFormula { outer: vec![], inner: vec![], distinct: false, formula };
        let Some(expected) = is_violated(&system, &property, Units::Processes, None) else { continue };
        let closed = Closed::new(&system, &symmetric(system.n));
        if let Some(found) = check_lasso(&system, &closed, &property) {
            assert_eq!(found, expected, "seed {seed}, {property:?}");
        }
    }
}

#[test]
fn bounds_agree_with_a_plain_evaluation() {
    for seed in 0..n_cases(100) {
        let mut rng = Rng::with_seed(seed);
        let system = random_near_system(&mut rng);
        let formula = random_branching(&mut rng, 4, &system, None);
        let expected = Plain::new(&system).holds(&formula);
        let closed = Closed::new(&system, &symmetric(system.n));
        let quotient = Guarded::new(&closed.acted);
        let holds = |state: State, proposition: u32| system.holds(&closed.states[state as usize], proposition, &[]);
        let bounds = Bounds::decide(&quotient, &formula, &holds).unwrap();
        assert_eq!(bounds.holds, expected, "seed {seed}, {formula:?}");
    }
}

/// Path formulas that are not of CTL: with everything told apart as answer.
#[test]
fn bounds_of_nested_path_formulas_agree_with_the_exact_graph() {
    for seed in 0..n_cases(60) {
        let mut rng = Rng::with_seed(seed);
        let system = random_near_system(&mut rng);
        let parts: Vec<StateFormula> = (0..2).map(|_| random_branching(&mut rng, 2, &system, None)).collect();
        let path = flatten(&random_linear(&mut rng, 2, &parts, true));
        let formula = Formula::unary(Unary::SomePath, path);
        let whole = Closed::new(&system, &[Permutation::identity(system.n)]);
        let closed = Closed::new(&system, &symmetric(system.n));
        let decide = |closed: &Closed| {
            let holds = |state: State, p: u32| system.holds(&closed.states[state as usize], p, &[]);
            Bounds::decide(&Guarded::new(&closed.acted), &formula, &holds).map(|bounds| bounds.holds)
        };
        assert_eq!(decide(&closed), decide(&whole), "seed {seed}, {formula:?}");
    }
}

#[test]
fn a_cycle_made_of_different_processes_is_none() {
    let system = twist(3);
    let closed = Closed::new(&system, &symmetric(3));
    let property = property(&system, "", "", "F G one | F G two");
    assert_eq!(check_lasso(&system, &closed, &property), Some(false));
    assert_eq!(is_violated(&system, &property, Units::Processes, None), Some(false));
    // Nothing told apart: the candidate is there.
    let observer = Observer::of_violations(&property, Effort::Reduced).unwrap();
    let quotient = Guarded::new(&closed.acted);
    let holds = |state: State, p: u32| system.holds(&closed.states[state as usize], p, &[]);
    assert!(check_lazily(&quotient, &observer, holds).n_refinements > 0);
}

#[test]
fn virtual_symmetry_needs_nothing_told_apart() {
    let system = resource(&[2, 2]);
    let closed = Closed::new(&system, &symmetric(4));
    let quotient = Guarded::new(&closed.acted);
    let property = property(&system, "", "", "G F someO");
    let observer = Observer::of_violations(&property, Effort::Reduced).unwrap();
    let holds = |state: State, p: u32| system.holds(&closed.states[state as usize], p, &[]);
    let outcome = check_lazily(&quotient, &observer, holds);
    assert_eq!((outcome.lasso, outcome.n_nodes, outcome.n_refinements), (None, 17, 0));
}
