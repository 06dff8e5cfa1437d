//! From a lasso of the quotient to an execution of the model.

use std::ops::ControlFlow;

use burnside_engine::{Step, Task, Trace, UnitKey, Units};
use burnside_interp::{Interpreter, Outcome};
use burnside_temporal::{Finding, LassoStep};

use super::graph::{ENDED, StateGraph};
use crate::explain::hops;

/// The execution that a finding stands for; nothing if the interpreter cannot follow it.
pub(crate) fn trace(task: &Task<'_>, graph: &StateGraph<'_>, finding: &Finding) -> Option<Trace> {
    let (start, steps, end, loop_start) = match finding {
        Finding::Prefix(prefix) => {
            let (state, frame) = &prefix.end;
            (prefix.start, prefix.steps.iter().collect::<Vec<_>>(), graph.concrete(*state, frame), None)
        }
        Finding::Lasso(lasso) => {
            let steps: Vec<&LassoStep> = lasso.stem.iter().chain(&lasso.cycle).collect();
            let first = &lasso.cycle[0];
            (lasso.start, steps, graph.concrete(first.state, &first.frame), Some(lasso.stem.len()))
        }
    };
    let origin = &graph.origins[start];
    let mut follower = Follower::new(task, graph);
    let mut made: Vec<Step> = Vec::new();
    // Where the steps of the lasso begin: one of them may be several rule instances.
    let mut begins = Vec::new();
    for (at, step) in steps.iter().enumerate().filter(|(_, step)| step.label != ENDED) {
        begins.push(made.len());
        let next = steps.get(at + 1).map_or_else(|| end.clone(), |next| graph.concrete(next.state, &next.frame));
        made.extend(follower.step(step, next)?);
    }
    // In a loop of the step that changes nothing the execution has ended.
    let loop_start = loop_start.map(|start: usize| begins.get(start).copied().unwrap_or(made.len()));
    Some(Trace {
        start: origin.start,
        start_args: origin.args.clone(),
        first: Some(origin.state.clone()),
        steps: made,
        loop_start,
    })
}

/// Finds the rule instances of a lasso's steps.
struct Follower<'a, 'g> {
    task: &'a Task<'a>,
    graph: &'a StateGraph<'g>,
    interpreter: Interpreter<'a>,
    units: Units,
}

impl<'a, 'g> Follower<'a, 'g> {
    fn new(task: &'a Task<'a>, graph: &'a StateGraph<'g>) -> Self {
        let interpreter = Interpreter::new(task.model, task.layout, task.step_limits);
        Self { task, graph, interpreter, units: Units::new(task.model, task.fairness.unit) }
    }

    /// An instance of the step's rule and unit that leads to the state in question. Which one of several makes no
    /// difference to states or fairness.
    fn step(&mut self, step: &LassoStep, next: Box<[u64]>) -> Option<Vec<Step>> {
        let (task, graph) = (self.task, self.graph);
        let rule = graph.instances[step.label as usize].rule;
        let mut taken: Vec<&UnitKey> = step.taken.iter().map(|&unit| &graph.units[unit as usize]).collect();
        taken.sort_unstable();
        let mut values = vec![0; task.layout.slots().len()];
        task.layout.unpack(&graph.concrete(step.state, &step.frame), &mut values);
        let mut words = vec![0; task.layout.n_words()];
        let mut found = None;
        self.interpreter.passages(&values, |way, (own, args), outcome, _| {
            let Outcome::Next(values) = outcome else { return ControlFlow::Continue(()) };
            let takers = self.units.of_step(task.model, way, (own, args));
            if own != rule || !takers.all.iter().eq(taken.iter().copied()) {
                return ControlFlow::Continue(());
            }
            task.layout.pack(values, &mut words);
            if words != *next {
                return ControlFlow::Continue(());
            }
            let mut steps = hops(task, way);
            steps.push(Step { rule, args: args.to_vec(), end: Ok(next.clone()) });
            found = Some(steps);
            ControlFlow::Break(())
        });
        found
    }
}
