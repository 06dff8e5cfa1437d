//! A plain breadth-first exploration by the reference evaluator, in the model's own order of evaluation: what every
//! configuration must agree with.

use std::collections::{BTreeSet, HashMap};
use std::ops::ControlFlow;

use burnside_engine::{Breach, DeadlockMode};
use burnside_interp::{Interpreter, Limits, Outcome, Truth};
use burnside_ir::{Layout, Model, PropertyId, PropertyKind};

use crate::ask::Key;

/// How much is explored before a model counts as too large.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// States.
    pub states: usize,
    /// Steps.
    pub steps: u64,
}

/// A reachable state.
#[derive(Debug)]
pub(crate) struct Reached {
    pub(crate) values: Vec<i64>,
    /// How many rule instances fire in it.
    pub(crate) fired: u64,
    level: i64,
    successors: Vec<usize>,
}

/// What exploring a model brought to light.
#[derive(Debug, Default)]
pub struct Exploration {
    /// All states that can be reached, also beyond violations, in breadth-first order.
    pub(crate) states: Vec<Reached>,
    pub(crate) index: HashMap<Vec<i64>, usize>,
    /// The least level at which something is wrong, and everything that is wrong there.
    pub(crate) first: Option<(i64, BTreeSet<Key>)>,
    /// What is wrong and shows only when all states are known.
    pub(crate) overall: BTreeSet<Key>,
    /// Whether some evaluation faulted anywhere.
    pub(crate) faulted: bool,
    /// Whether there is more than the bounds allow.
    pub(crate) cut: bool,
    /// All steps taken.
    pub(crate) rules: u64,
}

impl Exploration {
    /// The states that start states lead to.
    pub(crate) fn starts(&self) -> impl Iterator<Item = &[i64]> {
        self.states.iter().filter(|state| state.level == 0).map(|state| &state.values[..])
    }

    /// Whether every property holds.
    pub fn holds(&self) -> bool {
        self.first.is_none() && self.overall.is_empty()
    }

    fn blame(&mut self, level: i64, key: Key) {
        match &mut self.first {
            Some((least, keys)) if *least == level => {
                keys.insert(key);
            }
            Some((least, _)) if *least < level => {}
            first => *first = Some((level, BTreeSet::from([key]))),
        }
    }
}

/// What is explored, and how.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'m> {
    /// The model.
    pub model: &'m Model,
    /// Its layout.
    pub layout: &'m Layout,
    /// How long one step may take.
    pub limits: Limits,
    /// Which states count as deadlocks.
    pub deadlock: DeadlockMode,
    /// How much there may be.
    pub bounds: Bounds,
}

/// Explores a model from its start states and from some more.
pub fn explore(subject: &Subject<'_>, more: &[Vec<i64>]) -> Exploration {
    let &Subject { model, layout, limits, deadlock, bounds } = subject;
    let mut explorer = Explorer {
        stepper: Interpreter::new(model, layout, limits),
        judge: Interpreter::new(model, layout, limits),
        model,
        uncovered: [PropertyKind::Cover, PropertyKind::CoverPoint]
            .into_iter()
            .flat_map(|it| model.properties_of(it))
            .collect(),
        explored: Exploration::default(),
    };
    explorer.start();
    for state in more {
        explorer.arrive(End::State(state.clone()), -1);
    }
    let mut next = 0;
    while next < explorer.explored.states.len() && !explorer.explored.cut {
        explorer.expand(next, deadlock);
        next += 1;
        let explored = &mut explorer.explored;
        explored.cut = explored.states.len() > bounds.states || explored.rules > bounds.steps;
    }
    if !explorer.explored.cut {
        explorer.conclude();
    }
    explorer.explored
}

struct Explorer<'m> {
    stepper: Interpreter<'m>,
    judge: Interpreter<'m>,
    model: &'m Model,
    uncovered: BTreeSet<PropertyId>,
    explored: Exploration,
}

/// What a step led to.
enum End {
    State(Vec<i64>),
    Nowhere,
    Fault(Key),
}

impl Explorer<'_> {
    fn start(&mut self) {
        let mut ends = Vec::new();
        self.stepper.starts(|_, _, outcome| {
            ends.push(end(outcome));
            ControlFlow::Continue(())
        });
        self.note_covered();
        for end in ends {
            self.arrive(end, -1);
        }
    }

    fn expand(&mut self, at: usize, deadlock: DeadlockMode) {
        let state = std::mem::take(&mut self.explored.states[at].values);
        let level = self.explored.states[at].level;
        let mut ends = Vec::new();
        self.stepper.successors(&state, |_, _, outcome| {
            ends.push(end(outcome));
            ControlFlow::Continue(())
        });
        self.note_covered();
        let leads_on = ends.iter().any(|end| match end {
            End::State(next) => *next != state,
            End::Nowhere => false,
            End::Fault(_) => true,
        });
        let is_dead = match deadlock {
            DeadlockMode::Off => false,
            DeadlockMode::Stuck => ends.is_empty(),
            DeadlockMode::Stuttering => !leads_on,
        };
        if is_dead {
            self.explored.blame(level, Key::Deadlock);
        }
        self.explored.states[at].values = state;
        let fired = ends.iter().filter(|end| !matches!(end, End::Fault(_))).count() as u64;
        self.explored.states[at].fired = fired;
        self.explored.rules += fired;
        let successors = ends.into_iter().filter_map(|end| self.arrive(end, level)).collect();
        self.explored.states[at].successors = successors;
    }

    fn note_covered(&mut self) {
        for property in self.stepper.take_covered() {
            self.uncovered.remove(&property);
        }
    }

    /// Takes note of what a step led to.
    fn arrive(&mut self, end: End, level: i64) -> Option<usize> {
        let values = match end {
            End::Nowhere => return None,
            End::Fault(key) => {
                self.explored.faulted = true;
                self.explored.blame(level, key);
                return None;
            }
            End::State(values) => values,
        };
        if let Some(&known) = self.explored.index.get(&values) {
            return Some(known);
        }
        if self.is_excluded(&values, level) {
            return None;
        }
        self.judge_state(&values, level);
        let at = self.explored.states.len();
        self.explored.index.insert(values.clone(), at);
        self.explored.states.push(Reached { values, fired: 0, level: level + 1, successors: Vec::new() });
        Some(at)
    }

    /// Whether an assumption is false. The first one that is false, or faults, decides.
    fn is_excluded(&mut self, values: &[i64], level: i64) -> bool {
        for property in self.model.properties_of(PropertyKind::Assumption) {
            match self.judge.holds(values, property) {
                Ok(Truth::Everywhere) => {}
                Ok(Truth::FailsFor(_)) => return true,
                Err(fault) => {
                    self.explored.faulted = true;
                    self.explored.blame(level, Key::new(&Breach::PropertyFault(property, fault)));
                    return false;
                }
            }
        }
        false
    }

    fn judge_state(&mut self, values: &[i64], level: i64) {
        for property in self.model.properties_of(PropertyKind::Invariant) {
            match self.judge.holds(values, property) {
                Ok(Truth::Everywhere) => {}
                Ok(Truth::FailsFor(_)) => self.explored.blame(level, Key::Property(property.0)),
                Err(fault) => {
                    self.explored.faulted = true;
                    self.explored.blame(level, Key::new(&Breach::PropertyFault(property, fault)));
                }
            }
        }
        for property in self.model.properties_of(PropertyKind::Cover) {
            match self.judge.holds_somewhere(values, property) {
                Ok(true) => {
                    self.uncovered.remove(&property);
                }
                Ok(false) => {}
                Err(fault) => {
                    self.explored.faulted = true;
                    self.explored.blame(level, Key::new(&Breach::PropertyFault(property, fault)));
                }
            }
        }
    }

    fn conclude(&mut self) {
        self.explored.overall.extend(self.uncovered.iter().map(|property| Key::Uncovered(property.0)));
        let liveness: Vec<PropertyId> = self.model.properties_of(PropertyKind::Liveness).collect();
        for property in liveness {
            self.check_liveness(property);
        }
    }

    /// From every state one can be reached in which the condition holds, for every instance.
    fn check_liveness(&mut self, property: PropertyId) {
        let n_states = self.explored.states.len();
        let mut instances: Vec<Vec<bool>> = Vec::new();
        for at in 0..n_states {
            let mut number = 0;
            let end = self.judge.instances(&self.explored.states[at].values, property, |_, holds| {
                if number == instances.len() {
                    instances.push(vec![false; n_states]);
                }
                instances[number][at] = holds;
                number += 1;
            });
            if let Err(fault) = end {
                self.explored.faulted = true;
                self.explored.overall.insert(Key::new(&Breach::PropertyFault(property, fault)));
                return;
            }
        }
        if instances.iter().any(|reaching| !self.can_always_reach(reaching.clone())) {
            self.explored.overall.insert(Key::Liveness(property.0));
        }
    }

    fn can_always_reach(&self, mut reaching: Vec<bool>) -> bool {
        let states = &self.explored.states;
        loop {
            let mut changed = false;
            for at in (0..states.len()).rev() {
                if !reaching[at] && states[at].successors.iter().any(|&next| reaching[next]) {
                    reaching[at] = true;
                    changed = true;
                }
            }
            if !changed {
                return reaching.iter().all(|&it| it);
            }
        }
    }
}

fn end(outcome: Outcome<'_>) -> End {
    match outcome {
        Outcome::Next(values) => End::State(values.to_vec()),
        Outcome::Pruned => End::Nowhere,
        Outcome::Fault(_, fault) => End::Fault(Key::new(&Breach::Fault(fault))),
    }
}
