//! A concrete execution that leads to a member of a node's orbit.
//!
//! The way back from a member: the node was found by a step from a member of its parent's orbit, to a state of which our
//! member is a permutation ρ within the step's partition. The step is invariant under ρ, so an instance of the same group
//! leads from the permuted source to our member; and so on up to a start state. The execution is then run forward by the
//! interpreter as the model is, without strict quantifiers; if it does not show what was found, because a fault depends on
//! the order of evaluation, there is no explanation.

use std::ops::ControlFlow;

use burnside_analysis::{InstanceFamily, InstanceGroup};
use burnside_engine::{Breach, Step, Task, Trace, Violation};
use burnside_interp::{Interpreter, Outcome};
use burnside_ir::{RuleId, StartId};
use burnside_step::{Judge, faulty_start};

use crate::partitions::PartitionId;
use crate::search::Finding;
use crate::visited::{NodeId, Origin, Visited};
use crate::worker::Worker;

pub(crate) struct Explainer<'a, 'm> {
    task: &'a Task<'a>,
    worker: &'a mut Worker<'m>,
    visited: &'a Visited,
    interpreter: Interpreter<'a>,
}

impl<'a, 'm> Explainer<'a, 'm> {
    pub(crate) fn new(task: &'a Task<'a>, worker: &'a mut Worker<'m>, visited: &'a Visited) -> Self {
        let interpreter = Interpreter::new(task.model, task.layout, task.step_limits);
        Self { task, worker, visited, interpreter }
    }

    /// What is wrong and how to get there.
    pub(crate) fn explain(mut self, finding: &Finding) -> Option<Violation> {
        let (breach, trace) = match finding {
            Finding::StartFault => faulty_start(&mut self.interpreter)?,
            Finding::Property(node, member) => {
                let trace = self.trace_to(*node, member)?;
                let values = self.unpacked(member);
                (Judge::new(self.task).breach(&mut self.interpreter, &values)?, trace)
            }
            Finding::Deadlock(node, member) => (Breach::Deadlock, self.trace_to(*node, member)?),
            Finding::RuleFault(node, member) => {
                let mut trace = self.trace_to(*node, member)?;
                let (breach, step) = self.fault(member)?;
                trace.steps.push(step);
                (breach, trace)
            }
        };
        Some(Violation { breach, trace: Some(trace) })
    }

    /// The first instance that faults in a state.
    fn fault(&mut self, state: &[u64]) -> Option<(Breach, Step)> {
        let values = self.unpacked(state);
        let mut found = None;
        self.interpreter.successors(&values, |rule, args, outcome| match outcome {
            Outcome::Fault(site, fault) => {
                found = Some((Breach::Fault(fault), Step { rule, args: args.to_vec(), end: Err(site) }));
                ControlFlow::Break(())
            }
            _ => ControlFlow::Continue(()),
        });
        found
    }

    fn trace_to(&mut self, node: NodeId, member: &[u64]) -> Option<Trace> {
        let mut way = self.way_to(node, member)?;
        way.reverse();
        trace_along(self.task, way)
    }

    /// The states on a way to a member of a node's orbit, the last first.
    fn way_to(&mut self, mut node: NodeId, member: &[u64]) -> Option<Vec<Vec<u64>>> {
        let mut way = vec![member.to_vec()];
        loop {
            let origin = &self.visited.get(node).origin;
            let Some(parent) = origin.parent else { return Some(way) };
            let from = origin.from.as_ref().map_or_else(|| self.visited.state(parent), |from| from.to_vec());
            let images = self.permutation(origin, &from, way.last()?)?;
            let mut before = Vec::new();
            self.worker.arranger.rename(&images, &from, &mut before);
            way.push(before);
            node = parent;
        }
    }

    /// A permutation within a step's partition that takes what the step leads to to a given state.
    fn permutation(&mut self, origin: &Origin, from: &[u64], to: &[u64]) -> Option<Vec<u32>> {
        let target_form = self.canonical(to, origin.partition);
        for target in self.targets(origin, from) {
            if self.canonical(&target, origin.partition) != target_form {
                continue;
            }
            let cells = self.worker.partitions.get(origin.partition);
            let there = self.worker.arranger.images(&cells.cells, &target).to_vec();
            let back = self.worker.arranger.images(&cells.cells, to);
            let mut inverse = vec![0; back.len()];
            for (point, &image) in back.iter().enumerate() {
                inverse[image as usize] = point as u32;
            }
            return Some(there.iter().map(|&image| inverse[image as usize]).collect());
        }
        None
    }

    /// Where the instances of the step's group lead.
    fn targets(&mut self, origin: &Origin, from: &[u64]) -> Vec<Vec<u64>> {
        let (rule, group) = (RuleId(origin.source.0), origin.source.1 as usize);
        let family = &self.worker.setup.rules[rule.index()].instances.family;
        let mut targets = Vec::new();
        let values = self.unpacked(from);
        let (layout, worker) = (self.task.layout, &*self.worker);
        self.interpreter.successors(&values, |fired, args, outcome| {
            if let Outcome::Next(next) = outcome
                && fired == rule
                && is_in_group(worker, family, &family.groups[group], args)
            {
                let mut packed = vec![0; layout.n_words()];
                layout.pack(next, &mut packed);
                targets.push(packed);
            }
            ControlFlow::Continue(())
        });
        targets
    }

    fn canonical(&mut self, state: &[u64], partition: PartitionId) -> Vec<u64> {
        let cells = self.worker.partitions.get(partition);
        let mut state = state.to_vec();
        self.worker.arranger.canonicalise(&cells.cells, &mut state);
        state
    }

    fn unpacked(&self, state: &[u64]) -> Vec<i64> {
        unpacked(self.task, state)
    }
}

/// The execution through these states.
pub(crate) fn trace_along(task: &Task<'_>, way: Vec<Vec<u64>>) -> Option<Trace> {
    let mut interpreter = task.interpreter();
    let mut way = way.into_iter();
    let first = way.next()?;
    let (start, start_args) = start_at(&mut interpreter, &unpacked(task, &first))?;
    let mut steps = Vec::new();
    let mut from = unpacked(task, &first);
    for to in way {
        let values = unpacked(task, &to);
        let (rule, args) = step_between(&mut interpreter, &from, &values)?;
        steps.push(Step { rule, args, end: Ok(to.into()) });
        from = values;
    }
    Some(Trace { start, start_args, first: Some(first.into()), steps, loop_start: None })
}

/// A start state that is this one.
fn start_at(interpreter: &mut Interpreter<'_>, state: &[i64]) -> Option<(StartId, Vec<i64>)> {
    let mut found = None;
    interpreter.starts(|start, args, outcome| match outcome {
        Outcome::Next(next) if next == state => {
            found = Some((start, args.to_vec()));
            ControlFlow::Break(())
        }
        _ => ControlFlow::Continue(()),
    });
    found
}

/// A rule instance that leads from one state to another.
fn step_between(interpreter: &mut Interpreter<'_>, from: &[i64], to: &[i64]) -> Option<(RuleId, Vec<i64>)> {
    let mut found = None;
    interpreter.successors(from, |rule, args, outcome| match outcome {
        Outcome::Next(next) if next == to => {
            found = Some((rule, args.to_vec()));
            ControlFlow::Break(())
        }
        _ => ControlFlow::Continue(()),
    });
    found
}

fn unpacked(task: &Task<'_>, state: &[u64]) -> Vec<i64> {
    let mut values = vec![0; task.layout.slots().len()];
    task.layout.unpack(state, &mut values);
    values
}

fn is_in_group(worker: &Worker<'_>, family: &InstanceFamily, group: &InstanceGroup, args: &[i64]) -> bool {
    let identities = &worker.setup.identities;
    let points: Option<Vec<usize>> =
        family.params.iter().map(|param| identities.point(param.ty, *args.get(param.at)?)).collect();
    points.is_some_and(|points| family.contains(group, &points))
}
