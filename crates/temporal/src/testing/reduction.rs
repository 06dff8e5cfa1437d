//! Partial order with symmetry: the systems of the experiments, and random ones whose answers must stay the same.

use std::collections::BTreeMap;

use burnside_group::Permutation;
use fastrand::Rng;

use super::formulas::random_linear;
use super::n_cases;
use super::system::{rotations, symmetric};
use crate::automaton::{Automaton, Effort, Valuation};
use crate::formula::Formula;
use crate::ltl::Linear;
use crate::reduction::{Condition, Dependencies, Expansion, reduce, stubborn_set};
use crate::scc::components;

/// A guard `variable >= value`, `== value` or `!= value`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Test {
    AtLeast(i8),
    Is(i8),
    IsNot(i8),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    Set(i8),
    Add(i8),
}

/// One transition of one process.
#[derive(Clone, Debug)]
struct Transition {
    process: usize,
    from: i8,
    to: i8,
    guards: Vec<(usize, Test)>,
    effects: Vec<(usize, Effect)>,
}

/// Processes with locations and shared variables; `variable_of` says how permutations move variables.
struct Processes {
    n: usize,
    group: Vec<Permutation>,
    initial: Vec<i8>,
    transitions: Vec<Transition>,
    /// Variables `first..first + n` belong to the processes; the others to nobody.
    own_variables: usize,
}

type Place = (Vec<i8>, Vec<i8>);

impl Processes {
    fn is_enabled(&self, place: &Place, transition: &Transition) -> bool {
        let holds = |&(variable, test): &(usize, Test)| {
            let value = place.1[variable];
            match test {
                Test::AtLeast(least) => value >= least,
                Test::Is(own) => value == own,
                Test::IsNot(other) => value != other,
            }
        };
        place.0[transition.process] == transition.from && transition.guards.iter().all(holds)
    }

    fn fire(place: &Place, transition: &Transition) -> Place {
        let mut next = place.clone();
        next.0[transition.process] = transition.to;
        for &(variable, effect) in &transition.effects {
            match effect {
                Effect::Set(value) => next.1[variable] = value,
                Effect::Add(value) => next.1[variable] += value,
            }
        }
        next
    }

    fn renamed(&self, place: &Place, by: &Permutation) -> Place {
        let (own, shared) = place.1.split_at(self.own_variables);
        let own = if own.is_empty() { Vec::new() } else { by.permute(own) };
        (by.permute(&place.0), own.into_iter().chain(shared.iter().copied()).collect())
    }

    /// The reduced graph: places and targets.
    fn search(&self, how: &How) -> (Vec<Place>, Vec<Vec<u32>>) {
        let canonical = |place: Place| match how.is_symmetric {
            true => self.group.iter().map(|by| self.renamed(&place, by)).min().expect("the identity is there"),
            false => place,
        };
        let mut numbers: BTreeMap<Place, u32> = BTreeMap::new();
        let mut places: Vec<Place> = Vec::new();
        let mut number = |place: Place, places: &mut Vec<Place>| {
            let next = places.len() as u32;
            let own = *numbers.entry(place.clone()).or_insert(next);
            if own == next {
                places.push(place);
            }
            own
        };
        number(canonical((vec![0; self.n], self.initial.clone())), &mut places);
        let graph = reduce(&[0], how.condition, |node, everything| {
            let place = places[node as usize].clone();
            let mut at = At { processes: self, place: &place, visible: how.visible };
            let enabled: Vec<usize> = (0..self.transitions.len()).filter(|&t| at.is_enabled(t)).collect();
            let is_reduced = how.is_reduced && !everything;
            let fired = if is_reduced { stubborn_set(&mut at, &enabled) } else { enabled.clone() };
            let is_full = fired.len() == enabled.len();
            let fire = |&t: &usize| number(canonical(Self::fire(&place, &self.transitions[t])), &mut places);
            Expansion { targets: fired.iter().map(fire).collect(), is_full }
        });
        (places, graph.targets)
    }

    fn count(&self, how: &How) -> usize {
        self.search(how).0.len()
    }

    fn has_deadlock(&self, how: &How) -> bool {
        self.search(how).1.iter().any(Vec::is_empty)
    }
}

/// How a graph is made.
struct How<'a> {
    is_reduced: bool,
    is_symmetric: bool,
    condition: Condition,
    visible: &'a dyn Fn(&Transition) -> bool,
}

impl<'a> How<'a> {
    fn new(is_reduced: bool, is_symmetric: bool) -> Self {
        How { is_reduced, is_symmetric, condition: Condition::Nothing, visible: &|_| false }
    }

    fn live(is_reduced: bool, is_symmetric: bool, visible: &'a dyn Fn(&Transition) -> bool) -> Self {
        How { is_reduced, is_symmetric, condition: Condition::Cycles, visible }
    }
}

struct At<'a> {
    processes: &'a Processes,
    place: &'a Place,
    visible: &'a dyn Fn(&Transition) -> bool,
}

/// Whether an effect can make a test false or true other than from false to true.
fn disturbs(test: Test, effect: Effect) -> bool {
    !matches!((test, effect), (Test::AtLeast(_), Effect::Add(value)) if value >= 0)
}

impl At<'_> {
    fn accords(&self, a: usize, b: usize) -> bool {
        let (a, b) = (&self.processes.transitions[a], &self.processes.transitions[b]);
        let clash = |a: &Transition, b: &Transition| {
            b.effects.iter().any(|&(variable, effect)| {
                let reads = a.guards.iter().any(|&(own, test)| own == variable && disturbs(test, effect));
                let writes = a.effects.iter().any(|&(own, other)| {
                    own == variable && !matches!((effect, other), (Effect::Add(_), Effect::Add(_)))
                });
                reads || writes
            })
        };
        a.process != b.process && !clash(a, b) && !clash(b, a)
    }

    fn enabling(&self, instance: usize, out: &mut Vec<usize>) {
        let own = &self.processes.transitions[instance];
        let all = self.processes.transitions.iter().enumerate();
        if self.place.0[own.process] != own.from {
            out.extend(all.filter(|(_, other)| other.process == own.process && other.to == own.from).map(|(t, _)| t));
            return;
        }
        let fails = |&&(variable, test): &&(usize, Test)| {
            let alone = Transition { guards: vec![(variable, test)], ..own.clone() };
            !self.processes.is_enabled(self.place, &alone)
        };
        let (variable, test) = *own.guards.iter().find(fails).expect("something disables it");
        let helps = |other: &Transition| {
            other.effects.iter().any(|&(written, effect)| {
                written == variable && !matches!((test, effect), (Test::AtLeast(_), Effect::Add(value)) if value <= 0)
            })
        };
        out.extend(all.filter(|(_, other)| helps(other)).map(|(t, _)| t));
    }
}

impl Dependencies for At<'_> {
    fn n_instances(&self) -> usize {
        self.processes.transitions.len()
    }

    fn is_enabled(&self, instance: usize) -> bool {
        self.processes.is_enabled(self.place, &self.processes.transitions[instance])
    }

    fn add_conflicting(&mut self, instance: usize, set: &mut [u64]) {
        let conflicting = (0..self.n_instances()).filter(|&other| other != instance && !self.accords(instance, other));
        conflicting.for_each(|other| set[other / 64] |= 1 << (other % 64));
    }

    fn add_enabling(&mut self, instance: usize, set: &mut [u64]) {
        let mut enabling = Vec::new();
        self.enabling(instance, &mut enabling);
        enabling.into_iter().for_each(|other| set[other / 64] |= 1 << (other % 64));
    }

    fn is_visible(&self, instance: usize) -> bool {
        (self.visible)(&self.processes.transitions[instance])
    }
}

fn step(process: usize, from: i8, to: i8, guards: &[(usize, Test)], effects: &[(usize, Effect)]) -> Transition {
    Transition { process, from, to, guards: guards.to_vec(), effects: effects.to_vec() }
}

/// Two semaphores each, taken and given back one after the other; once, or again and again.
fn semaphores(n: usize, again: bool) -> Processes {
    let take = |variable: usize| ([(variable, Test::AtLeast(1))], [(variable, Effect::Add(-1))]);
    let mut transitions = Vec::new();
    for process in 0..n {
        let (left, right) = (process, (process + 1) % n);
        let ((left_guard, left_taken), (right_guard, right_taken)) = (take(left), take(right));
        transitions.push(step(process, 0, 1, &left_guard, &left_taken));
        transitions.push(step(process, 1, 2, &right_guard, &right_taken));
        transitions.push(step(process, 2, 3, &[], &[(left, Effect::Add(1))]));
        transitions.push(step(process, 3, if again { 0 } else { 4 }, &[], &[(right, Effect::Add(1))]));
    }
    Processes { n, group: rotations(n), initial: vec![1; n], transitions, own_variables: n }
}

/// Each process writes its own bit in each of `k` steps; `again`: one more step back to the beginning.
fn writers(n: usize, k: i8, again: bool) -> Processes {
    let mut transitions = Vec::new();
    for process in 0..n {
        for from in 0..k {
            transitions.push(step(process, from, from + 1, &[], &[(process, Effect::Set((from + 1) % 2))]));
        }
        if again {
            transitions.push(step(process, k, 0, &[], &[(process, Effect::Set(0))]));
        }
    }
    Processes { n, group: symmetric(n), initial: vec![0; n], transitions, own_variables: n }
}

/// A step of one's own, the lock, another step of one's own, the lock given back, again and again.
fn locks(n: usize) -> Processes {
    let mut transitions = Vec::new();
    for process in 0..n {
        transitions.push(step(process, 0, 1, &[], &[(process, Effect::Set(1))]));
        transitions.push(step(process, 1, 2, &[(n, Test::AtLeast(1))], &[(n, Effect::Add(-1))]));
        transitions.push(step(process, 2, 3, &[], &[(process, Effect::Set(0))]));
        transitions.push(step(process, 3, 0, &[], &[(n, Effect::Add(1))]));
    }
    let initial = std::iter::repeat_n(0, n).chain([1]).collect();
    Processes { n, group: symmetric(n), initial, transitions, own_variables: n }
}

/// States without reduction, with symmetry, with partial order, with both; then both ways with location 2 visible.
fn check(processes: &Processes, numbers: [usize; 4], live: [usize; 2]) {
    let ways = [(false, false), (false, true), (true, false), (true, true)];
    let found = ways.map(|(reduced, symmetric)| processes.count(&How::new(reduced, symmetric)));
    assert_eq!(found[..2], numbers[..2]);
    assert!(found[2] <= numbers[2] && found[3] <= numbers[3], "{found:?} against {numbers:?}");
    let deadlocks = ways.map(|(reduced, symmetric)| processes.has_deadlock(&How::new(reduced, symmetric)));
    assert!(deadlocks.iter().all(|own| *own == deadlocks[0]));
    let visible = |transition: &Transition| transition.from == 2 || transition.to == 2;
    let found = [false, true].map(|symmetric| processes.count(&How::live(true, symmetric, &visible)));
    assert!(found[0] <= live[0] && found[1] <= live[1], "{found:?} against {live:?}");
}

#[test]
fn reduced_graphs_are_no_larger_than_those_of_the_experiments() {
    check(&semaphores(3, false), [75, 27, 63, 24], [57, 21]);
    check(&semaphores(4, false), [321, 86, 172, 47], [215, 58]);
    check(&semaphores(3, true), [26, 10, 20, 8], [20, 8]);
    check(&semaphores(4, true), [80, 23, 38, 11], [54, 16]);
    check(&semaphores(5, true), [242, 50, 62, 14], [142, 30]);
    check(&writers(3, 3, false), [64, 20, 10, 10], [30, 13]);
    check(&writers(4, 3, false), [256, 35, 13, 13], [85, 19]);
    check(&writers(3, 2, true), [27, 10, 3, 8], [22, 9]);
    check(&writers(4, 2, true), [81, 15, 3, 10], [51, 12]);
    check(&locks(3), [32, 10, 12, 6], [12, 6]);
    check(&locks(4), [80, 13, 16, 7], [16, 7]);
}

/// Without the condition on cycles the second writer is put off for ever.
#[test]
fn the_condition_on_cycles_is_needed() {
    let processes = writers(2, 2, true);
    let second = |transition: &Transition| transition.process == 1;
    let reaches = |condition: Condition| {
        let how = How { is_reduced: true, is_symmetric: false, condition, visible: &second };
        processes.search(&how).0.iter().any(|(_, variables)| variables[1] == 1)
    };
    assert!(reaches(Condition::Cycles));
    assert!(reaches(Condition::BottomComponents));
    assert!(!reaches(Condition::Nothing), "the mistake is noticed");
}

fn random_processes(rng: &mut Rng) -> Processes {
    let n = [2, 2, 3][rng.usize(..3)];
    let n_locations = 2 + rng.i8(0..3);
    let is_ring = rng.f64() < 0.4;
    let (shared, counter) = (n, n + 1);
    let mut code = Vec::new();
    for _ in 0..n_locations + rng.i8(0..4) {
        // Variables by role: 0 own, 1 neighbour's, 2 shared, 3 counter.
        let roles: &[usize] = if is_ring { &[0, 1, 2, 3] } else { &[0, 2, 3] };
        let mut guards: Vec<(usize, Test)> = Vec::new();
        for _ in 0..rng.usize(..3) {
            let role = roles[rng.usize(..roles.len())];
            guards.push((role, if role == 3 { Test::AtLeast(1) } else { Test::Is(rng.i8(0..2)) }));
        }
        let mut effects: Vec<(usize, Effect)> = Vec::new();
        for _ in 0..rng.usize(..3) {
            let role = roles[rng.usize(..roles.len())];
            if effects.iter().any(|&(own, _)| own == role) {
                continue;
            }
            if role == 3 {
                let up = rng.bool();
                guards.push((3, if up { Test::IsNot(2) } else { Test::AtLeast(1) }));
                effects.push((3, Effect::Add(if up { 1 } else { -1 })));
            } else {
                effects.push((role, Effect::Set(rng.i8(0..2))));
            }
        }
        code.push((rng.i8(0..n_locations), rng.i8(0..n_locations), guards, effects));
    }
    let mut transitions = Vec::new();
    for process in 0..n {
        let variable = |role: usize| [process, (process + 1) % n, shared, counter][role];
        for (from, to, guards, effects) in &code {
            let guards: Vec<_> = guards.iter().map(|&(role, test)| (variable(role), test)).collect();
            let effects: Vec<_> = effects.iter().map(|&(role, effect)| (variable(role), effect)).collect();
            transitions.push(step(process, *from, *to, &guards, &effects));
        }
    }
    let group = if is_ring { rotations(n) } else { symmetric(n) };
    let initial = std::iter::repeat_n(0, n).chain([0, 1]).collect();
    Processes { n, group, initial, transitions, own_variables: n }
}

/// Propositions: the shared variable, the counter, somebody at location 1.
fn valuation(processes: &Processes, place: &Place) -> Valuation {
    let shared = place.1[processes.n] == 1;
    let empty = place.1[processes.n + 1] == 0;
    Valuation::from(shared) | Valuation::from(empty) << 1 | Valuation::from(place.0.contains(&1)) << 2
}

/// Whether some path of a graph is accepted.
fn is_accepted(processes: &Processes, automaton: &Automaton, (places, targets): &(Vec<Place>, Vec<Vec<u32>>)) -> bool {
    let n_states = automaton.n_states() as u32;
    let moves = |at: u32| {
        let (node, state) = (at / n_states, at % n_states);
        let valuation = valuation(processes, &places[node as usize]);
        let ends = targets[node as usize].is_empty().then_some(node);
        let successors: Vec<u32> = targets[node as usize].iter().copied().chain(ends).collect();
        let edges = automaton.edges(state).iter().filter(move |edge| edge.label.admits(valuation));
        edges
            .flat_map(|edge| {
                successors.iter().map(|to| (to * n_states + edge.target, edge.colours)).collect::<Vec<_>>()
            })
            .collect::<Vec<_>>()
    };
    let graph = |at: u32, out: &mut Vec<u32>| out.extend(moves(at).into_iter().map(|(to, _)| to));
    components(&[0], graph).iter().filter(|component| component.has_cycle).any(|component| {
        let inner = component.nodes.iter().flat_map(|&at| moves(at));
        let seen = inner.filter(|(to, _)| component.nodes.contains(to)).fold(0, |seen, (_, colours)| seen | colours);
        seen.count_ones() == automaton.n_colours()
    })
}

#[test]
fn reduction_keeps_the_answers_of_formulas_without_next() {
    let mut n_reduced = 0;
    for seed in 0..n_cases(150) {
        let mut rng = Rng::with_seed(seed);
        let processes = random_processes(&mut rng);
        let whole = processes.search(&How::new(false, false));
        if whole.0.len() > 300 {
            continue;
        }
        let depth = rng.usize(1..4);
        let formula: Formula<u32, ()> = random_linear(&mut rng, depth, &[0, 1, 2], false);
        let mut used = [false; 3];
        formula.for_each_proposition(&mut |&p| used[p as usize] = true);
        let (n, counter) = (processes.n, processes.n + 1);
        let visible = move |t: &Transition| {
            used[0] && t.effects.iter().any(|&(variable, _)| variable == n)
                || used[1] && t.effects.iter().any(|&(variable, _)| variable == counter)
                || used[2] && (t.from == 1 || t.to == 1)
        };
        let mut store = Linear::new();
        let id = store.normal_form(&formula, false, &mut |p| *p).unwrap();
        let automaton = Automaton::new(&mut store, id, Effort::Reduced).unwrap();
        let expected = is_accepted(&processes, &automaton, &whole);
        for symmetric in [false, true] {
            let reduced = processes.search(&How::live(true, symmetric, &visible));
            assert_eq!(is_accepted(&processes, &automaton, &reduced), expected, "seed {seed}, {formula:?}");
            n_reduced += usize::from(reduced.0.len() < whole.0.len());
        }
        // What is reached: each proposition and its negation.
        for p in 0..3_u32 {
            let visible = move |t: &Transition| match p {
                0 => t.effects.iter().any(|&(variable, _)| variable == n),
                1 => t.effects.iter().any(|&(variable, _)| variable == counter),
                _ => t.from == 1 || t.to == 1,
            };
            let values = |places: &[Place]| {
                let mut seen = [false; 2];
                places.iter().for_each(|place| seen[(valuation(&processes, place) >> p & 1) as usize] = true);
                seen
            };
            for is_symmetric in [false, true] {
                let condition = Condition::BottomComponents;
                let how = How { is_reduced: true, is_symmetric, condition, visible: &visible };
                assert_eq!(values(&processes.search(&how).0), values(&whole.0), "seed {seed}, proposition {p}");
            }
        }
    }
    assert!(n_reduced > 50, "some graphs are smaller");
}
