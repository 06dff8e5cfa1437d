//! From a path of orbits to an execution of the model.
//!
// SOUND: from every member of an orbit a step leads into each orbit that follows it, so a path of orbits can be followed from
// whatever start state its first one has. A loop of orbits is followed until a concrete state comes back where the loop
// begins; the execution found has the same orbits at the same positions as the loop of orbits gone round again and again.

use std::ops::ControlFlow;

use burnside_engine::{Step, Task, Trace};
use burnside_interp::{Interpreter, Outcome};
use burnside_ir::StartId;
use burnside_temporal::{Finding, LassoStep, State};

use super::graph::ENDED;
use crate::partitions::PartitionId;
use crate::worker::Worker;

/// Executions longer than this are not looked for.
const MOST_STEPS: usize = 100_000;

/// A start state.
#[derive(Debug, Clone)]
pub(crate) struct Beginning {
    pub(crate) start: StartId,
    pub(crate) args: Vec<i64>,
    pub(crate) state: Vec<u64>,
}

impl Beginning {
    /// The execution that only begins.
    pub(crate) fn trace(&self) -> Trace {
        Trace {
            start: self.start,
            start_args: self.args.clone(),
            first: Some(self.state.as_slice().into()),
            steps: Vec::new(),
            loop_start: None,
        }
    }
}

/// Goes along orbits step by step.
pub(crate) struct Walker<'a, 'm> {
    pub(crate) task: &'a Task<'a>,
    pub(crate) worker: &'a mut Worker<'m>,
    /// The partition of the orbits.
    pub(crate) all: PartitionId,
    /// By number, the representatives.
    pub(crate) states: &'a [Vec<u64>],
}

impl Walker<'_, '_> {
    /// An execution through the orbits that a finding goes through; nothing if the interpreter shows none.
    pub(crate) fn follow(&mut self, beginnings: &[Beginning], finding: &Finding) -> Option<Trace> {
        match finding {
            Finding::Prefix(prefix) => {
                let end = prefix.end.0;
                self.path(&beginnings[prefix.start], &targets(&prefix.steps, end))
            }
            Finding::Lasso(lasso) => {
                let first = lasso.cycle.first()?.state;
                let trace = self.path(&beginnings[lasso.start], &targets(&lasso.stem, first))?;
                if lasso.cycle[0].label == ENDED {
                    let loop_start = Some(trace.steps.len());
                    return Some(Trace { loop_start, ..trace });
                }
                self.go_round(trace, &targets(&lasso.cycle, first))
            }
        }
    }

    /// An execution through these orbits.
    pub(crate) fn path(&mut self, beginning: &Beginning, orbits: &[State]) -> Option<Trace> {
        let mut trace = beginning.trace();
        for &orbit in orbits {
            let step = self.step(last(&trace), orbit, None)?;
            trace.steps.push(step);
        }
        Some(trace)
    }

    /// The same execution with a loop through these orbits, the last of which is the one it ends in.
    fn go_round(&mut self, mut trace: Trace, orbits: &[State]) -> Option<Trace> {
        let mut passed: Vec<(Vec<u64>, usize)> = Vec::new();
        while trace.steps.len() < MOST_STEPS {
            let here = last(&trace).to_vec();
            if let Some((_, begin)) = passed.iter().find(|(state, _)| *state == here) {
                return Some(Trace { loop_start: Some(*begin), ..trace });
            }
            passed.push((here, trace.steps.len()));
            let known: Vec<&[u64]> = passed.iter().map(|(state, _)| state.as_slice()).collect();
            for (at, &orbit) in orbits.iter().enumerate() {
                // The last step closes the loop if it can.
                let wanted = (at + 1 == orbits.len()).then_some(known.as_slice());
                let step = self.step(last(&trace), orbit, wanted)?;
                trace.steps.push(step);
            }
        }
        None
    }

    /// The first step from a state into an orbit, or the first that leads to one of the states wanted.
    fn step(&mut self, from: &[u64], orbit: State, wanted: Option<&[&[u64]]>) -> Option<Step> {
        let (task, states) = (self.task, self.states);
        let mut values = vec![0; task.layout.slots().len()];
        task.layout.unpack(from, &mut values);
        let mut found = None;
        let mut interpreter = Interpreter::new(task.model, task.layout, task.step_limits);
        interpreter.successors(&values, |rule, args, outcome| {
            let Outcome::Next(values) = outcome else { return ControlFlow::Continue(()) };
            let mut packed = vec![0; task.layout.n_words()];
            task.layout.pack(values, &mut packed);
            let is_wanted = wanted.is_none_or(|wanted| wanted.contains(&packed.as_slice()));
            if found.is_some() && !is_wanted {
                return ControlFlow::Continue(());
            }
            if self.worker.representative(packed.clone(), self.all) == states[orbit as usize] {
                found = Some(Step { rule, args: args.to_vec(), end: Ok(packed.into()) });
                if is_wanted {
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        });
        found
    }
}

/// The orbits that steps lead to, the last of them to `end`. Steps of executions that have ended are left out.
fn targets(steps: &[LassoStep], end: State) -> Vec<State> {
    let next = steps.iter().skip(1).map(|step| step.state).chain([end]);
    steps.iter().zip(next).filter(|(step, _)| step.label != ENDED).map(|(_, next)| next).collect()
}

/// The state that an execution ends in.
fn last(trace: &Trace) -> &[u64] {
    match trace.steps.last() {
        Some(step) => step.end.as_ref().expect("its steps lead somewhere"),
        None => trace.first.as_ref().expect("it begins"),
    }
}
