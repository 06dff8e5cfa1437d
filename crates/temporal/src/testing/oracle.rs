//! The slow answer that shares nothing with the product: whole graph, tableau over all subsets of the closure, strong
//! fairness by deleting states one unit at a time.

use std::collections::BTreeMap;

use burnside_group::Permutation;

use super::system::{System, Units, Values};
use crate::formula::{Binary, Formula, Unary};
use crate::graph::{Point, Strength};
use crate::observer::{Atom, PathFormula, tuples};

/// A subformula for certain values of the variables; the numbers are places in the closure.
enum Part {
    Constant(bool),
    Atom(u32, Vec<Point>),
    Not(usize),
    And(usize, usize),
    Or(usize, usize),
    Iff(usize, usize),
    /// The truth of these is guessed: the number is the place of the guess.
    Next(usize, usize),
    Until(usize, usize, usize),
}

/// All subformulas of the formulas that must fail.
#[derive(Default)]
struct Closure {
    parts: Vec<Part>,
    roots: Vec<usize>,
    n_guesses: usize,
}

impl Closure {
    fn add(&mut self, part: Part) -> usize {
        self.parts.push(part);
        self.parts.len() - 1
    }

    fn not(&mut self, f: usize) -> usize {
        self.add(Part::Not(f))
    }

    fn until(&mut self, f: usize, g: usize) -> usize {
        self.n_guesses += 1;
        self.add(Part::Until(f, g, self.n_guesses - 1))
    }

    fn build(&mut self, formula: &Formula<Atom, ()>, values: &[Point]) -> usize {
        match formula {
            Formula::Constant(value) => self.add(Part::Constant(*value)),
            Formula::Proposition(atom) => {
                let arguments = atom.arguments.iter().map(|&variable| values[variable]).collect();
                self.add(Part::Atom(atom.proposition, arguments))
            }
            Formula::Unary(op, f) => {
                let f = self.build(f, values);
                match op {
                    Unary::Not => self.not(f),
                    Unary::Next => {
                        self.n_guesses += 1;
                        self.add(Part::Next(f, self.n_guesses - 1))
                    }
                    Unary::Eventually => {
                        let yes = self.add(Part::Constant(true));
                        self.until(yes, f)
                    }
                    Unary::Always => {
                        let (yes, no) = (self.add(Part::Constant(true)), self.not(f));
                        let ever = self.until(yes, no);
                        self.not(ever)
                    }
                    Unary::AllPaths | Unary::SomePath => panic!("not a formula about one path"),
                }
            }
            Formula::Binary(op, f, g) => {
                let (f, g) = (self.build(f, values), self.build(g, values));
                match op {
                    Binary::And => self.add(Part::And(f, g)),
                    Binary::Or => self.add(Part::Or(f, g)),
                    Binary::Iff => self.add(Part::Iff(f, g)),
                    Binary::Implies => {
                        let f = self.not(f);
                        self.add(Part::Or(f, g))
                    }
                    Binary::Until => self.until(f, g),
                    Binary::Release => {
                        let (f, g) = (self.not(f), self.not(g));
                        let until = self.until(f, g);
                        self.not(until)
                    }
                    // Either it never fails before g, or: not (not g until (not f and not g)).
                    Binary::WeakUntil => {
                        let (not_f, not_g) = (self.not(f), self.not(g));
                        let neither = self.add(Part::And(not_f, not_g));
                        let until = self.until(not_g, neither);
                        self.not(until)
                    }
                }
            }
            Formula::Quantified(..) => panic!("not a formula without quantifiers"),
        }
    }

    /// The truth of every part, given a state and the guesses.
    fn truth(&self, system: &System, values: &Values, guesses: u64) -> Vec<bool> {
        let mut truth: Vec<bool> = Vec::new();
        for part in &self.parts {
            truth.push(match part {
                Part::Constant(value) => *value,
                Part::Atom(condition, arguments) => system.holds(values, *condition, arguments),
                Part::Not(f) => !truth[*f],
                Part::And(f, g) => truth[*f] && truth[*g],
                Part::Or(f, g) => truth[*f] || truth[*g],
                Part::Iff(f, g) => truth[*f] == truth[*g],
                Part::Next(_, guess) | Part::Until(_, _, guess) => guesses >> guess & 1 == 1,
            });
        }
        truth
    }

    /// Whether what holds now fits what holds after one step.
    fn fits(&self, now: &[bool], next: &[bool]) -> bool {
        self.parts.iter().enumerate().all(|(at, part)| match part {
            Part::Next(f, _) => now[at] == next[*f],
            Part::Until(f, g, _) => now[at] == (now[*g] || (now[*f] && next[at])),
            _ => true,
        })
    }

    /// Which untils are not waiting.
    fn fulfilled(&self, truth: &[bool]) -> Vec<bool> {
        let untils = self.parts.iter().enumerate().filter_map(|(at, part)| match part {
            Part::Until(_, g, _) => Some(!truth[at] || truth[*g]),
            _ => None,
        });
        untils.collect()
    }
}

/// A node of the whole product.
struct Node {
    fulfilled: Vec<bool>,
    enabled: Vec<u32>,
    /// Targets with the unit that takes the step.
    edges: Vec<(usize, Option<u32>)>,
}

/// Whether `forall outer: A exists inner: formula` is violated; `None` if the tableau would be too large.
pub(crate) fn is_violated(
    system: &System,
    property: &PathFormula,
    units: Units,
    strength: Option<Strength>,
) -> Option<bool> {
    let outer = tuples(&property.outer, property.distinct);
    let inner = tuples(&property.inner, property.distinct);
    for arguments in &outer {
        let mut closure = Closure::default();
        for tuple in &inner {
            let values: Vec<Point> = arguments.iter().chain(tuple.iter()).copied().collect();
            let root = closure.build(&property.formula, &values);
            closure.roots.push(root);
        }
        if closure.n_guesses > 8 {
            return None;
        }
        let nodes = product(system, &closure, units)?;
        if has_fair_cycle(&nodes, &(0..nodes.len()).collect::<Vec<_>>(), units.count(system.n), strength) {
            return Some(true);
        }
    }
    Some(false)
}

/// Everything that a path on which all roots fail can reach.
fn product(system: &System, closure: &Closure, units: Units) -> Option<Vec<Node>> {
    type Key = (Values, u64);
    let mut numbers: BTreeMap<Key, usize> = BTreeMap::new();
    let mut keys: Vec<Key> = Vec::new();
    let mut add = |key: Key, keys: &mut Vec<Key>| {
        let next = keys.len();
        let number = *numbers.entry(key.clone()).or_insert(next);
        if number == next {
            keys.push(key);
        }
        number
    };
    let all_guesses = 0..1_u64 << closure.n_guesses;
    for start in &system.starts {
        for guesses in all_guesses.clone() {
            let truth = closure.truth(system, start, guesses);
            if closure.roots.iter().all(|&root| !truth[root]) {
                add((start.clone(), guesses), &mut keys);
            }
        }
    }
    let mut nodes: Vec<Node> = Vec::new();
    while nodes.len() < keys.len() {
        if keys.len() > 20_000 {
            return None;
        }
        let (values, guesses) = keys[nodes.len()].clone();
        let now = closure.truth(system, &values, guesses);
        let fired = (system.rules)(&values);
        let mut enabled: Vec<u32> = fired.iter().map(|f| units.of(system.n, f.rule, f.process)).collect();
        let mut successors: Vec<(Values, Option<u32>)> =
            fired.into_iter().zip(&enabled).map(|(f, &unit)| (f.target, Some(unit))).collect();
        if successors.is_empty() {
            successors.push((values.clone(), None));
        }
        let mut edges = Vec::new();
        for (target, unit) in successors {
            for guesses in all_guesses.clone() {
                let next = closure.truth(system, &target, guesses);
                if closure.fits(&now, &next) {
                    edges.push((add((target.clone(), guesses), &mut keys), unit));
                }
            }
        }
        enabled.sort_unstable();
        enabled.dedup();
        nodes.push(Node { fulfilled: closure.fulfilled(&now), enabled, edges });
    }
    Some(nodes)
}

/// Whether a path among these nodes fulfils all untils and is fair.
fn has_fair_cycle(nodes: &[Node], among: &[usize], n_units: usize, strength: Option<Strength>) -> bool {
    let mut is_in = vec![false; nodes.len()];
    among.iter().for_each(|&node| is_in[node] = true);
    for component in strong_components(nodes, &is_in) {
        let mut inside = vec![false; nodes.len()];
        component.iter().for_each(|&node| inside[node] = true);
        let edges = || component.iter().flat_map(|&node| nodes[node].edges.iter()).filter(|(to, _)| inside[*to]);
        if edges().next().is_none() {
            continue;
        }
        let n_untils = nodes[component[0]].fulfilled.len();
        if !(0..n_untils).all(|until| component.iter().any(|&node| nodes[node].fulfilled[until])) {
            continue;
        }
        let taken = |unit: u32| edges().any(|(_, by)| *by == Some(unit));
        let enabled = |node: usize, unit: u32| nodes[node].enabled.contains(&unit);
        let starved = (0..n_units as u32).find(|&unit| match strength {
            None => false,
            Some(Strength::Weak) => !taken(unit) && component.iter().all(|&node| enabled(node, unit)),
            Some(Strength::Strong) => !taken(unit) && component.iter().any(|&node| enabled(node, unit)),
        });
        match (starved, strength) {
            (None, _) => return true,
            (Some(unit), Some(Strength::Strong)) => {
                let rest: Vec<usize> = component.iter().copied().filter(|&node| !enabled(node, unit)).collect();
                if has_fair_cycle(nodes, &rest, n_units, strength) {
                    return true;
                }
            }
            (Some(_), _) => {}
        }
    }
    false
}

/// Kosaraju's algorithm: an order of finishing, then the reversed graph.
fn strong_components(nodes: &[Node], is_in: &[bool]) -> Vec<Vec<usize>> {
    let mut order = Vec::new();
    let mut met = vec![false; nodes.len()];
    let mut reversed: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    for root in (0..nodes.len()).filter(|&node| is_in[node]) {
        if met[root] {
            continue;
        }
        met[root] = true;
        let mut path = vec![(root, 0)];
        while let Some((node, at)) = path.last_mut() {
            match nodes[*node].edges.get(*at) {
                None => {
                    order.push(*node);
                    path.pop();
                }
                Some(&(to, _)) => {
                    *at += 1;
                    if is_in[to] {
                        reversed[to].push(*node);
                        if !met[to] {
                            met[to] = true;
                            path.push((to, 0));
                        }
                    }
                }
            }
        }
    }
    let mut components = Vec::new();
    let mut is_placed = vec![false; nodes.len()];
    for &root in order.iter().rev() {
        if is_placed[root] {
            continue;
        }
        is_placed[root] = true;
        let mut component = vec![root];
        let mut at = 0;
        while at < component.len() {
            for &node in &reversed[component[at]] {
                if !is_placed[node] {
                    is_placed[node] = true;
                    component.push(node);
                }
            }
            at += 1;
        }
        components.push(component);
    }
    components
}

/// Whether the group's permutations are automorphisms: rules and conditions move with them.
pub(crate) fn is_symmetric(system: &System, by: &Permutation) -> bool {
    system.reachable().iter().all(|values| {
        let mut moved: Vec<_> =
            (system.rules)(values).into_iter().map(|f| (by.image(f.process), f.rule, f.target.renamed(by))).collect();
        let mut own: Vec<_> =
            (system.rules)(&values.renamed(by)).into_iter().map(|f| (f.process, f.rule, f.target)).collect();
        moved.sort_unstable();
        own.sort_unstable();
        moved == own
    })
}
