//! Breadth-first search as one would first write it down.

use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::ControlFlow;

use burnside_engine::{Breach, DeadlockMode, Task, Violation};
use burnside_interp::{Interpreter, Outcome, Truth};
use burnside_ir::{PropertyId, PropertyKind};

/// How a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Exhausted,
    Fault {
        trace_len: usize,
    },
    Property {
        trace_len: usize,
        property: PropertyId,
    },
    Deadlock {
        trace_len: usize,
    },
    Uncovered(PropertyId),
    /// Found after the search; the state is at this depth.
    Liveness {
        trace_len: usize,
        property: PropertyId,
    },
}

impl End {
    pub(crate) fn of(violation: &Violation) -> Self {
        let trace_len = violation.trace.as_ref().map_or(0, |trace| trace.steps.len());
        match violation.breach {
            Breach::Fault(_) => Self::Fault { trace_len },
            Breach::Invariant(property, _) | Breach::PropertyFault(property, _) => {
                Self::Property { trace_len, property }
            }
            Breach::Deadlock => Self::Deadlock { trace_len },
            Breach::Uncovered(property) => Self::Uncovered(property),
            Breach::Liveness(property, _) => Self::Liveness { trace_len, property },
            Breach::Temporal(..) => panic!("these models have no temporal properties"),
        }
    }
}

#[derive(Clone)]
struct Visited {
    state: Vec<i64>,
    depth: u64,
    /// More than the depth if the way goes through states inside steps.
    trace_len: usize,
}

/// What a step leads to: nothing for a fault, no state if it is pruned.
struct Step {
    rule: usize,
    n_rules: usize,
    n_ways: u64,
    end: Option<Option<Vec<i64>>>,
}

pub(crate) struct Oracle<'m> {
    task: &'m Task<'m>,
    interpreter: Interpreter<'m>,
    /// The visited states with their numbers.
    numbers: HashMap<Vec<i64>, usize>,
    states: Vec<Visited>,
    edges: Vec<(usize, usize)>,
    frontier: VecDeque<usize>,
    covered: HashSet<PropertyId>,
    pub(crate) fired: Vec<u64>,
    pub(crate) rules_fired: u64,
    pub(crate) n_states: u64,
    pub(crate) depth: u64,
    pub(crate) end: End,
}

impl<'m> Oracle<'m> {
    pub(crate) fn search(task: &'m Task<'m>) -> Self {
        let mut oracle = Self {
            task,
            interpreter: Interpreter::new(task.model, task.layout, task.step_limits),
            numbers: HashMap::new(),
            states: Vec::new(),
            edges: Vec::new(),
            frontier: VecDeque::new(),
            covered: HashSet::new(),
            fired: vec![0; task.model.rules.len()],
            rules_fired: 0,
            n_states: 0,
            depth: 0,
            end: End::Exhausted,
        };
        oracle.end = oracle.run().err().unwrap_or_else(|| oracle.judge());
        oracle
    }

    fn run(&mut self) -> Result<(), End> {
        let mut steps = Vec::new();
        self.interpreter.starts(|_, _, outcome| collect((0, 0, 1), &outcome, &mut steps));
        for step in steps {
            match step.end {
                Some(Some(state)) => self.reach(&state, None, 0)?,
                Some(None) => {}
                None => return Err(End::Fault { trace_len: 0 }),
            }
        }
        while let Some(from) = self.frontier.pop_front() {
            self.expand(from)?;
        }
        Ok(())
    }

    fn expand(&mut self, from: usize) -> Result<(), End> {
        let Visited { state, trace_len, .. } = self.states[from].clone();
        let mut steps = Vec::new();
        self.interpreter.passages(&state, |way, (rule, _), outcome, n_ways| {
            collect((rule.index(), way.len() + 1, n_ways), &outcome, &mut steps)
        });
        let is_stuck = steps.is_empty();
        let leads_on = steps.iter().any(|step| match &step.end {
            Some(next) => next.as_ref().is_some_and(|next| *next != state),
            None => true,
        });
        for Step { rule, n_rules, n_ways, end } in steps {
            let trace_len = trace_len + n_rules;
            let Some(next) = end else { return Err(End::Fault { trace_len }) };
            self.fired[rule] += n_ways;
            self.rules_fired += n_ways;
            if let Some(next) = next {
                self.reach(&next, Some(from), trace_len)?;
            }
        }
        let is_dead = match self.task.deadlock {
            DeadlockMode::Off => false,
            DeadlockMode::Stuck => is_stuck,
            DeadlockMode::Stuttering => !leads_on,
        };
        if is_dead && !self.interpreter.may_end(&state) { Err(End::Deadlock { trace_len }) } else { Ok(()) }
    }

    fn reach(&mut self, state: &[i64], from: Option<usize>, trace_len: usize) -> Result<(), End> {
        if let Some(&number) = self.numbers.get(state) {
            self.edges.extend(from.map(|from| (from, number)));
            return Ok(());
        }
        let depth = from.map_or(0, |from| self.states[from].depth + 1);
        let end = |property| End::Property { trace_len, property };
        let mut breach = None;
        for property in self.task.properties(PropertyKind::Assumption) {
            match self.interpreter.holds(state, property) {
                Ok(Truth::Everywhere) => {}
                Ok(Truth::FailsFor(_)) => return Ok(()),
                Err(_) => {
                    breach = Some(end(property));
                    break;
                }
            }
        }
        let number = self.states.len();
        self.numbers.insert(state.to_vec(), number);
        self.states.push(Visited { state: state.to_vec(), depth, trace_len });
        self.frontier.push_back(number);
        self.edges.extend(from.map(|from| (from, number)));
        self.n_states += 1;
        self.depth = self.depth.max(depth);
        if let Some(breach) = breach {
            return Err(breach);
        }
        for property in self.task.properties(PropertyKind::Invariant) {
            if self.interpreter.holds(state, property) != Ok(Truth::Everywhere) {
                return Err(end(property));
            }
        }
        for property in self.task.properties(PropertyKind::Cover) {
            if self.covered.contains(&property) {
                continue;
            }
            match self.interpreter.holds_somewhere(state, property) {
                Ok(true) => drop(self.covered.insert(property)),
                Ok(false) => {}
                Err(_) => return Err(end(property)),
            }
        }
        Ok(())
    }

    /// What is known once all states were visited.
    fn judge(&mut self) -> End {
        self.covered.extend(self.interpreter.take_covered());
        let mut covers = self.task.properties(PropertyKind::Cover);
        covers.extend(self.task.properties(PropertyKind::CoverPoint));
        covers.sort_unstable();
        if let Some(property) = covers.into_iter().find(|property| !self.covered.contains(property)) {
            return End::Uncovered(property);
        }
        let liveness = self.task.properties(PropertyKind::Liveness);
        liveness.into_iter().find_map(|property| self.unsatisfied(property)).unwrap_or(End::Exhausted)
    }

    fn unsatisfied(&mut self, property: PropertyId) -> Option<End> {
        let mut instances: Vec<Vec<bool>> = Vec::new();
        for number in 0..self.states.len() {
            let Visited { state, trace_len, .. } = &self.states[number];
            let mut values = Vec::new();
            if self.interpreter.instances(state, property, |_, holds| values.push(holds)).is_err() {
                return Some(End::Property { trace_len: *trace_len, property });
            }
            instances.resize(instances.len().max(values.len()), vec![false; self.states.len()]);
            for (instance, value) in instances.iter_mut().zip(values) {
                instance[number] = value;
            }
        }
        instances.into_iter().find_map(|mut reaching| {
            let mut changed = true;
            while std::mem::take(&mut changed) {
                for &(from, to) in self.edges.iter().rev() {
                    changed |= reaching[to] && !reaching[from];
                    reaching[from] |= reaching[to];
                }
            }
            let state = reaching.iter().position(|reaches| !reaches)?;
            Some(End::Liveness { trace_len: self.states[state].trace_len, property })
        })
    }
}

fn collect(
    (rule, n_rules, n_ways): (usize, usize, u64),
    outcome: &Outcome<'_>,
    steps: &mut Vec<Step>,
) -> ControlFlow<()> {
    let end = match outcome {
        Outcome::Next(values) => Some(Some(values.to_vec())),
        Outcome::Pruned => Some(None),
        Outcome::Fault(..) => None,
    };
    let is_fault = end.is_none();
    steps.push(Step { rule, n_rules, n_ways, end });
    if is_fault { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}
