//! A concrete execution that leads to a member of a node's orbit.
//!
//! The way back from a member: the node was found by a step from `from`, a member of its parent's orbit, to a state of
//! which our member is a permutation ρ within the step's partition. The step is invariant under ρ, so the permuted
//! instance leads from the permuted `from` to our member; and so on up to a start state. The execution is then run
//! forward by the interpreter as the model is, without strict quantifiers; if it does not show what was found, because
//! a fault depends on the order of evaluation, there is no explanation.

use burnside_analysis::Family;
use burnside_engine::{Breach, Step, Task, Trace, Violation, broken_property, faulty_start};
use burnside_interp::{Interpreter, Outcome};
use burnside_ir::{RuleId, StartId};

use crate::canon::canonicalise;
use crate::partitions::{PartitionId, Partitions};
use crate::search::Finding;
use crate::setup::Setup;
use crate::visited::{NodeId, Visited};

pub(crate) struct Explainer<'a> {
    task: &'a Task<'a>,
    setup: &'a Setup,
    partitions: &'a Partitions,
    visited: &'a Visited,
    interpreter: Interpreter<'a>,
    /// The last state of the trace told so far.
    values: Vec<i64>,
}

/// A rule or start state to fire, by number and parameters.
struct Call {
    source: u32,
    args: Vec<i64>,
}

impl<'a> Explainer<'a> {
    pub(crate) fn new(task: &'a Task<'a>, setup: &'a Setup, partitions: &'a Partitions, visited: &'a Visited) -> Self {
        let interpreter = Interpreter::new(task.model, task.layout, task.step_limits);
        Self { task, setup, partitions, visited, interpreter, values: Vec::new() }
    }

    /// What is wrong and how to get there.
    pub(crate) fn explain(mut self, finding: &Finding) -> Option<Violation> {
        let (breach, trace) = match finding {
            Finding::StartFault => faulty_start(&mut self.interpreter)?,
            Finding::Property(node, member) => {
                let trace = self.trace_to(*node, member)?;
                (broken_property(self.task, &mut self.interpreter, &self.values)?, trace)
            }
            Finding::Deadlock(node, member) => (Breach::Deadlock, self.trace_to(*node, member)?),
            Finding::RuleFault(node, member, rule, args) => {
                let mut trace = self.trace_to(*node, member)?;
                let (breach, step) = self.interpreter.fire(&self.values, *rule, args, |outcome| match outcome {
                    Outcome::Fault(site, fault) => {
                        Some((Breach::Fault(fault), Step { rule: *rule, args: args.clone(), end: Err(site) }))
                    }
                    _ => None,
                })??;
                trace.steps.push(step);
                (breach, trace)
            }
        };
        Some(Violation { breach, trace: Some(trace) })
    }

    fn trace_to(&mut self, node: NodeId, member: &[i64]) -> Option<Trace> {
        let mut calls = self.way_to(node, member)?.into_iter().rev();
        let first = calls.next()?;
        let start = StartId(first.source);
        self.values = self.interpreter.begin(start, &first.args, |outcome| next_state(&outcome))??;
        let packed = Some(self.packed());
        let mut trace = Trace { start, start_args: first.args, first: packed, steps: Vec::new() };
        for call in calls {
            let rule = RuleId(call.source);
            self.values = self.interpreter.fire(&self.values, rule, &call.args, |outcome| next_state(&outcome))??;
            trace.steps.push(Step { rule, args: call.args, end: Ok(self.packed()) });
        }
        (self.values == member).then_some(trace)
    }

    /// What to fire to get to a member of a node's orbit, the last first.
    fn way_to(&mut self, mut node: NodeId, member: &[i64]) -> Option<Vec<Call>> {
        let mut member = member.to_vec();
        let mut calls = Vec::new();
        loop {
            let origin = &self.visited.get(node).origin;
            let source = origin.source.0;
            let target = match origin.parent {
                Some(_) => self.interpreter.fire(&origin.from, RuleId(source), &origin.args, |it| next_state(&it)),
                None => self.interpreter.begin(StartId(source), &origin.args, |it| next_state(&it)),
            };
            let images = self.permutation(&target??, &member, origin.partition)?;
            let family = match origin.parent {
                Some(_) => &self.setup.rules[source as usize].instances.family,
                None => &self.setup.starts[source as usize].family,
            };
            calls.push(Call { source, args: self.rename_args(family, &origin.args, &images, source, origin.parent) });
            match origin.parent {
                None => return Some(calls),
                Some(parent) => {
                    let from = origin.from.clone();
                    self.setup.action.apply(&images, &from, &mut member);
                    node = parent;
                }
            }
        }
    }

    /// A permutation within a partition that takes one state to another.
    fn permutation(&self, from: &[i64], to: &[i64], partition: PartitionId) -> Option<Vec<u32>> {
        let cells = self.partitions.cells(partition);
        let (from, to) = (canonicalise(&self.setup.action, cells, from), canonicalise(&self.setup.action, cells, to));
        if from.state != to.state {
            return None;
        }
        let mut back = vec![0; to.images.len()];
        for (point, &image) in to.images.iter().enumerate() {
            back[image as usize] = point as u32;
        }
        Some(from.images.iter().map(|&image| back[image as usize]).collect())
    }

    /// Parameters move with the points that they are.
    fn rename_args(
        &self,
        family: &Family,
        args: &[i64],
        images: &[u32],
        source: u32,
        parent: Option<NodeId>,
    ) -> Vec<i64> {
        let model = self.task.model;
        let binders = match parent {
            Some(_) => &model.rule(RuleId(source)).binders,
            None => &model.start(StartId(source)).binders,
        };
        let locals = match parent {
            Some(_) => &model.rule(RuleId(source)).locals,
            None => &model.start(StartId(source)).locals,
        };
        debug_assert!(family.params.len() <= args.len(), "every parameter over points is a parameter");
        let types = burnside_ir::params(binders).map(|local| locals[local.index()].ty);
        let identities = &self.setup.action.identities;
        args.iter().zip(types).map(|(&value, ty)| identities.rename(ty, value, images)).collect()
    }

    fn packed(&self) -> Box<[u64]> {
        let mut words = vec![0; self.task.layout.n_words()];
        self.task.layout.pack(&self.values, &mut words);
        words.into()
    }
}

fn next_state(outcome: &Outcome<'_>) -> Option<Vec<i64>> {
    match outcome {
        Outcome::Next(state) => Some(state.to_vec()),
        Outcome::Pruned | Outcome::Fault(..) => None,
    }
}
