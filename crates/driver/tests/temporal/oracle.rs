//! The slow answer: every state by the interpreter, a guess of every subformula's truth in every state, strongly connected
//! parts by mutual reachability, strong fairness by deleting states. Nothing of the checker is used but its formulas.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::ControlFlow;

use burnside_driver::Prepared;
use burnside_engine::{Fairness, Strength, UnitKey, Units};
use burnside_interp::{Interpreter, Limits, Outcome};
use burnside_ir::{Applied, Claim, ClaimFormula, Model, PropertyId, Quantity};
use burnside_temporal::formula::{Binary, Formula, Unary};

/// Beyond so many guesses the oracle says nothing.
const MOST_GUESSES: usize = 9;

/// A whole state space.
pub(crate) struct Space {
    states: Vec<Vec<i64>>,
    starts: Vec<usize>,
    /// By state: unit and target of each step; the step of nobody where nothing is enabled.
    steps: Vec<Vec<(Option<UnitKey>, usize)>>,
    values: Vec<HashMap<(PropertyId, Vec<i64>), bool>>,
}

impl Space {
    /// Nothing if there are more than `most` states.
    pub(crate) fn new(prepared: &Prepared, fairness: Fairness, most: usize) -> Option<Self> {
        let Prepared { model, layout, .. } = prepared;
        let mut interpreter = Interpreter::new(model, layout, Limits::default());
        let units = Units::new(model, fairness.unit);
        let mut space = Self { states: Vec::new(), starts: Vec::new(), steps: Vec::new(), values: Vec::new() };
        let mut numbers: HashMap<Vec<i64>, usize> = HashMap::new();
        let mut number = |states: &mut Vec<Vec<i64>>, values: &[i64]| {
            *numbers.entry(values.to_vec()).or_insert_with(|| {
                states.push(values.to_vec());
                states.len() - 1
            })
        };
        interpreter.starts(|_, _, outcome| {
            if let Outcome::Next(values) = outcome {
                space.starts.push(number(&mut space.states, values));
            }
            ControlFlow::Continue(())
        });
        let mut at = 0;
        while at < space.states.len() {
            if space.states.len() > most {
                return None;
            }
            let state = space.states[at].clone();
            let mut steps = Vec::new();
            interpreter.successors(&state, |rule, args, outcome| {
                if let Outcome::Next(values) = outcome {
                    steps.push((units.of_step(model, &[], (rule, args)).mover, number(&mut space.states, values)));
                }
                ControlFlow::Continue(())
            });
            if steps.is_empty() {
                steps.push((None, at));
            }
            space.steps.push(steps);
            let mut values = HashMap::new();
            for property in model.properties_of(burnside_ir::PropertyKind::Proposition) {
                let end = interpreter.instances(&state, property, |args, value| {
                    values.insert((property, args.to_vec()), value);
                });
                end.ok()?;
            }
            space.values.push(values);
            at += 1;
        }
        Some(space)
    }
}

enum Part {
    Constant(bool),
    Condition(PropertyId, Vec<i64>),
    Not(usize),
    And(usize, usize),
    /// Guessed.
    Next(usize),
    Until(usize, usize),
}

#[derive(Default)]
struct Closure(Vec<Part>);

impl Closure {
    fn add(&mut self, part: Part) -> usize {
        self.0.push(part);
        self.0.len() - 1
    }

    fn or(&mut self, f: usize, g: usize) -> usize {
        let (f, g) = (self.add(Part::Not(f)), self.add(Part::Not(g)));
        let both = self.add(Part::And(f, g));
        self.add(Part::Not(both))
    }

    fn build(&mut self, model: &Model, claim: &Claim, f: &ClaimFormula, bound: &mut BTreeMap<u32, i64>) -> usize {
        match f {
            Formula::Constant(value) => self.add(Part::Constant(*value)),
            Formula::Proposition(Applied { condition, arguments }) => {
                let args = arguments.iter().map(|variable| bound[variable]).collect();
                self.add(Part::Condition(*condition, args))
            }
            Formula::Unary(op, f) => {
                let f = self.build(model, claim, f, bound);
                match op {
                    Unary::Not => self.add(Part::Not(f)),
                    Unary::Next => self.add(Part::Next(f)),
                    Unary::Eventually => {
                        let yes = self.add(Part::Constant(true));
                        self.add(Part::Until(yes, f))
                    }
                    Unary::Always => {
                        let (yes, no) = (self.add(Part::Constant(true)), self.add(Part::Not(f)));
                        let ever = self.add(Part::Until(yes, no));
                        self.add(Part::Not(ever))
                    }
                    Unary::AllPaths | Unary::SomePath => panic!("not linear"),
                }
            }
            Formula::Binary(op, f, g) => {
                let (f, g) = (self.build(model, claim, f, bound), self.build(model, claim, g, bound));
                match op {
                    Binary::And => self.add(Part::And(f, g)),
                    Binary::Or => self.or(f, g),
                    Binary::Implies => {
                        let f = self.add(Part::Not(f));
                        self.or(f, g)
                    }
                    Binary::Iff => {
                        let (not_f, not_g) = (self.add(Part::Not(f)), self.add(Part::Not(g)));
                        let (both, none) = (self.add(Part::And(f, g)), self.add(Part::And(not_f, not_g)));
                        self.or(both, none)
                    }
                    Binary::Until => self.add(Part::Until(f, g)),
                    Binary::WeakUntil => {
                        let (not_f, not_g) = (self.add(Part::Not(f)), self.add(Part::Not(g)));
                        let neither = self.add(Part::And(not_f, not_g));
                        let until = self.add(Part::Until(not_g, neither));
                        self.add(Part::Not(until))
                    }
                    Binary::Release => {
                        let (not_f, not_g) = (self.add(Part::Not(f)), self.add(Part::Not(g)));
                        let until = self.add(Part::Until(not_f, not_g));
                        self.add(Part::Not(until))
                    }
                }
            }
            Formula::Quantified(quantity, variable, f) => {
                let shape = model.types.shape(claim.variables[*variable as usize].ty);
                let mut all = self.add(Part::Constant(*quantity == Quantity::Forall));
                for value in shape.lo..=shape.hi {
                    bound.insert(*variable, value);
                    let part = self.build(model, claim, f, bound);
                    all = match quantity {
                        Quantity::Forall => self.add(Part::And(all, part)),
                        Quantity::Exists => self.or(all, part),
                    };
                }
                bound.remove(variable);
                all
            }
        }
    }

    fn guesses(&self) -> Vec<usize> {
        let is_guessed = |part: &Part| matches!(part, Part::Next(_) | Part::Until(..));
        (0..self.0.len()).filter(|&at| is_guessed(&self.0[at])).collect()
    }

    fn truth(&self, values: &HashMap<(PropertyId, Vec<i64>), bool>, guesses: usize) -> Vec<bool> {
        let mut truth: Vec<bool> = Vec::new();
        let mut guess = 0;
        for part in &self.0 {
            let value = match part {
                Part::Constant(value) => *value,
                Part::Condition(condition, args) => values[&(*condition, args.clone())],
                Part::Not(f) => !truth[*f],
                Part::And(f, g) => truth[*f] && truth[*g],
                Part::Next(_) | Part::Until(..) => {
                    guess += 1;
                    guesses >> (guess - 1) & 1 == 1
                }
            };
            truth.push(value);
        }
        truth
    }

    /// Whether guesses at one position fit those at the next.
    fn fits(&self, now: &[bool], next: &[bool]) -> bool {
        self.0.iter().enumerate().all(|(at, part)| match part {
            Part::Next(f) => now[at] == next[*f],
            Part::Until(f, g) => now[at] == (now[*g] || (now[*f] && next[at])),
            _ => true,
        })
    }
}

/// Whether the model's only formula holds; nothing if it is too large for this.
pub(crate) fn holds(prepared: &Prepared, space: &Space, fairness: Fairness) -> Option<bool> {
    let (model, claim) = (&prepared.model, &prepared.model.claims[0]);
    let mut closure = Closure::default();
    let root = closure.build(model, claim, &claim.formula, &mut BTreeMap::new());
    let guesses = closure.guesses();
    if guesses.len() > MOST_GUESSES || space.states.len() << guesses.len() > 60_000 {
        return None;
    }
    let n_guesses = 1 << guesses.len();
    let truth: Vec<Vec<bool>> = (0..space.states.len() * n_guesses)
        .map(|node| closure.truth(&space.values[node / n_guesses], node % n_guesses))
        .collect();
    let edges: Vec<Vec<(Option<UnitKey>, usize)>> = (0..truth.len())
        .map(|node| {
            let steps = space.steps[node / n_guesses].iter();
            let fitting = steps.flat_map(|(unit, target)| {
                (0..n_guesses).map(move |next| target * n_guesses + next).map(move |next| (unit.clone(), next))
            });
            fitting.filter(|(_, next)| closure.fits(&truth[node], &truth[*next])).collect()
        })
        .collect();
    let starts = space.starts.iter().flat_map(|start| (0..n_guesses).map(move |guess| start * n_guesses + guess));
    let starts: Vec<usize> = starts.filter(|&node| !truth[node][root]).collect();
    let reached = reach(&starts, &edges, &|_| true);
    let fair = Fair { closure: &closure, truth: &truth, edges: &edges, space, n_guesses, fairness };
    Some(!fair.somewhere(reached))
}

fn reach(from: &[usize], edges: &[Vec<(Option<UnitKey>, usize)>], may: &dyn Fn(usize) -> bool) -> BTreeSet<usize> {
    let mut reached: BTreeSet<usize> = from.iter().copied().filter(|&node| may(node)).collect();
    let mut pending: Vec<usize> = reached.iter().copied().collect();
    while let Some(node) = pending.pop() {
        for &(_, next) in edges[node].iter().filter(|(_, next)| may(*next)) {
            if reached.insert(next) {
                pending.push(next);
            }
        }
    }
    reached
}

struct Fair<'a> {
    closure: &'a Closure,
    truth: &'a [Vec<bool>],
    edges: &'a [Vec<(Option<UnitKey>, usize)>],
    space: &'a Space,
    n_guesses: usize,
    fairness: Fairness,
}

impl Fair<'_> {
    /// Whether a fair path that keeps all promises can stay in some part of these nodes.
    fn somewhere(&self, mut nodes: BTreeSet<usize>) -> bool {
        while let Some(&first) = nodes.iter().next() {
            let forward = reach(&[first], self.edges, &|node| nodes.contains(&node));
            let component: BTreeSet<usize> = forward
                .iter()
                .copied()
                .filter(|&node| reach(&[node], self.edges, &|at| forward.contains(&at)).contains(&first))
                .collect();
            // What is behind the component is a part of its own, and is looked at later.
            for node in &component {
                nodes.remove(node);
            }
            if self.is_good(&component) {
                return true;
            }
        }
        false
    }

    fn enabled(&self, node: usize) -> BTreeSet<&UnitKey> {
        self.space.steps[node / self.n_guesses].iter().filter_map(|(unit, _)| unit.as_ref()).collect()
    }

    fn is_good(&self, component: &BTreeSet<usize>) -> bool {
        let inside = || {
            component.iter().flat_map(|&node| {
                self.edges[node].iter().filter(|(_, next)| component.contains(next)).map(move |(unit, _)| (node, unit))
            })
        };
        if inside().next().is_none() {
            return false;
        }
        let keeps = |(at, part): (usize, &Part)| match part {
            Part::Until(_, g) => component.iter().any(|&node| !self.truth[node][at] || self.truth[node][*g]),
            _ => true,
        };
        if !self.closure.0.iter().enumerate().all(keeps) {
            return false;
        }
        let taken: BTreeSet<&UnitKey> = inside().filter_map(|(_, unit)| unit.as_ref()).collect();
        let sometimes: BTreeSet<&UnitKey> = component.iter().flat_map(|&node| self.enabled(node)).collect();
        match self.fairness.strength {
            None => true,
            Some(Strength::Weak) => sometimes
                .iter()
                .all(|unit| taken.contains(unit) || component.iter().any(|&node| !self.enabled(node).contains(unit))),
            Some(Strength::Strong) => match sometimes.iter().find(|unit| !taken.contains(*unit)) {
                None => true,
                Some(starved) => {
                    let rest = component.iter().copied().filter(|&node| !self.enabled(node).contains(starved));
                    self.somewhere(rest.collect())
                }
            },
        }
    }
}
