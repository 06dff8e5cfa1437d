//! From steps into states that are not stored on to where they end: [`Interpreter::passages`] on packed states.
//!
//! [`Interpreter::passages`]: burnside_interp::Interpreter::passages

use std::collections::HashMap;
use std::ops::Range;

use burnside_interp::{RecordedStep, StepBuffer, StepEnd};
use burnside_ir::RuleId;

use crate::{Judge, Stepper};

/// What it takes to go on from a state.
pub(crate) struct Onward<'a, S> {
    pub(crate) stepper: &'a mut S,
    pub(crate) judge: &'a Judge,
}

impl<S: Stepper> Onward<'_, S> {
    /// Whether a step leads to a state that is passed through, if a rule is enabled there.
    fn leads_inside(&mut self, step: &RecordedStep<'_>) -> bool {
        step.end == StepEnd::Next && self.judge.is_passing(self.stepper, step.state)
    }
}

/// A stored state and all states in between that can be reached from it, in the order of their distance. Its memory is
/// used again for the next one.
pub(crate) struct Passage {
    /// The steps of all nodes, one node after the other; the stored state is the first.
    steps: StepBuffer,
    nodes: Vec<Node>,
    /// For each step, the node it leads to, if it is one.
    targets: Vec<Option<u32>>,
    /// The numbers of nodes by their state, once there are many.
    numbers: HashMap<Box<[u64]>, u32>,
    /// Nodes in an order in which every way to one comes before it.
    order: Vec<u32>,
    /// The rules that led to states that are not stored, and how often, since the last stored state was begun with.
    pub(crate) fired: Vec<(RuleId, u64)>,
}

struct Node {
    /// The step that found it; none for the stored state.
    found: Option<usize>,
    steps: Range<usize>,
    /// Whether it was looked at: not if something faulted before.
    is_known: bool,
    /// The number of ways that lead here, and how many steps to it have not been counted yet.
    n_ways: u64,
    n_open: u32,
}

impl Node {
    /// Whether no rule leads on.
    fn is_end(&self) -> bool {
        self.is_known && self.steps.is_empty()
    }
}

/// With so many nodes, looking at each takes longer than hashing.
const FEW_NODES: usize = 24;

impl Passage {
    pub(crate) fn new(n_words: usize) -> Self {
        Self {
            steps: StepBuffer::new(n_words),
            nodes: Vec::new(),
            targets: Vec::new(),
            numbers: HashMap::new(),
            order: Vec::new(),
            fired: Vec::new(),
        }
    }

    /// Puts what they lead to in place of the steps from number `begin` on.
    pub(crate) fn resolve(&mut self, steps: &mut StepBuffer, begin: usize, mut onward: Onward<'_, impl Stepper>) {
        self.fired.clear();
        let mut all = begin..steps.len();
        if !all.any(|at| onward.leads_inside(&steps.get(at))) {
            return;
        }
        self.explore(steps, begin, &mut onward);
        steps.truncate(begin);
        let goes_round = !self.count_ways();
        for node in &self.nodes {
            let n_ways = if goes_round { 1 } else { node.n_ways };
            for at in node.steps.clone() {
                let step = self.steps.get(at);
                let weight =
                    if goes_round { 1 } else { n_ways.saturating_mul(step.weight).min(StepBuffer::MOST_WEIGHT) };
                // The last steps are those that are handed on, and counted as such.
                match self.targets[at].is_none_or(|target| self.nodes[target as usize].is_end()) {
                    true => steps.push(step.rule, step.end, weight, step.state),
                    false => self.fired.push((step.rule, weight)),
                }
            }
        }
        if goes_round && steps.len().checked_sub(1).is_none_or(|last| steps.get(last).end != StepEnd::Fault) {
            let step = self.steps.get(0);
            steps.push(step.rule, StepEnd::Pruned, 1, step.state);
        }
    }

    /// Visits every way to take one of these steps on to where it ends: the rules and weights of the steps, the last one
    /// last, how it ends and the state it leads to. As [`Interpreter::passages`], those up to the last state in between are
    /// those of the first way there.
    ///
    /// [`Interpreter::passages`]: burnside_interp::Interpreter::passages
    pub(crate) fn for_each_way(
        &mut self,
        steps: &StepBuffer,
        mut onward: Onward<'_, impl Stepper>,
        mut visit: impl FnMut(&[(RuleId, u64)], StepEnd, &[u64]),
    ) {
        if !(0..steps.len()).any(|at| onward.leads_inside(&steps.get(at))) {
            for step in (0..steps.len()).map(|at| steps.get(at)) {
                visit(&[(step.rule, step.weight)], step.end, step.state);
            }
            return;
        }
        self.explore(steps, 0, &mut onward);
        let mut way = Vec::new();
        for node in &self.nodes {
            for at in node.steps.clone() {
                let step = self.steps.get(at);
                if self.targets[at].is_none_or(|target| self.nodes[target as usize].is_end()) {
                    self.way_to(at, &mut way);
                    visit(&way, step.end, step.state);
                }
            }
        }
        let has_fault = self.steps.len().checked_sub(1).is_some_and(|last| self.steps.get(last).end == StepEnd::Fault);
        if !self.count_ways() && !has_fault {
            let step = self.steps.get(0);
            visit(&[(step.rule, step.weight)], StepEnd::Pruned, step.state);
        }
    }

    /// The rules and weights of the first way to the source of a step, then of the step.
    fn way_to(&self, step: usize, way: &mut Vec<(RuleId, u64)>) {
        way.clear();
        let mut at = Some(step);
        while let Some(step) = at {
            let RecordedStep { rule, weight, .. } = self.steps.get(step);
            way.push((rule, weight));
            let source = self.nodes.iter().find(|node| node.steps.contains(&step));
            at = source.and_then(|node| node.found);
        }
        way.reverse();
    }

    fn explore(&mut self, steps: &StepBuffer, begin: usize, onward: &mut Onward<'_, impl Stepper>) {
        self.steps.clear();
        self.nodes.clear();
        self.targets.clear();
        self.numbers.clear();
        (begin..steps.len()).for_each(|at| self.steps.push_step(&steps.get(at)));
        self.nodes.push(Node { found: None, steps: 0..self.steps.len(), is_known: true, n_ways: 1, n_open: 0 });
        let mut at = 0;
        let mut state = Vec::new();
        while at < self.nodes.len() {
            if let Some(found) = self.nodes[at].found {
                state.clear();
                state.extend_from_slice(self.steps.get(found).state);
                let first = self.steps.len();
                onward.stepper.fire_all(&state, &[], &mut self.steps);
                self.nodes[at].steps = first..self.steps.len();
                self.nodes[at].is_known = true;
            }
            for step in self.nodes[at].steps.clone() {
                let target = onward.leads_inside(&self.steps.get(step)).then(|| self.node_of(step));
                self.targets.push(target);
            }
            let last = self.nodes[at].steps.clone().next_back();
            if last.is_some_and(|last| self.steps.get(last).end == StepEnd::Fault) {
                break;
            }
            at += 1;
        }
    }

    /// The node that a step leads to.
    fn node_of(&mut self, step: usize) -> u32 {
        let Self { steps, nodes, numbers, .. } = self;
        let state = steps.get(step).state;
        let known = if nodes.len() < FEW_NODES {
            let is_same = |node: &Node| node.found.is_some_and(|found| steps.get(found).state == state);
            nodes.iter().position(is_same).map(|number| number as u32)
        } else {
            if numbers.is_empty() {
                let found = nodes.iter().enumerate().filter_map(|(number, node)| Some((number, node.found?)));
                numbers.extend(found.map(|(number, found)| (steps.get(found).state.into(), number as u32)));
            }
            numbers.get(state).copied()
        };
        let number = known.unwrap_or_else(|| {
            let number = nodes.len() as u32;
            if !numbers.is_empty() {
                numbers.insert(state.into(), number);
            }
            nodes.push(Node { found: Some(step), steps: 0..0, is_known: false, n_ways: 0, n_open: 0 });
            number
        });
        nodes[number as usize].n_open += 1;
        number
    }

    /// Counts the ways to each node; false if some go round in circles.
    fn count_ways(&mut self) -> bool {
        self.order.clear();
        self.order.push(0);
        let mut next = 0;
        while let Some(&at) = self.order.get(next) {
            let node = &self.nodes[at as usize];
            let (steps, n_ways) = (node.steps.clone(), node.n_ways);
            for step in steps {
                let Some(target) = self.targets[step] else { continue };
                let n_more = n_ways.saturating_mul(self.steps.get(step).weight);
                let node = &mut self.nodes[target as usize];
                node.n_ways = node.n_ways.saturating_add(n_more).min(StepBuffer::MOST_WEIGHT);
                node.n_open -= 1;
                if node.n_open == 0 {
                    self.order.push(target);
                }
            }
            next += 1;
        }
        self.order.len() == self.nodes.len()
    }
}
