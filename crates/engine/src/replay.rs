//! The independent check of a counterexample: every step is executed again by the reference interpreter.

use std::fmt;
use std::ops::ControlFlow;

use burnside_interp::{Fault, Interpreter, Outcome};
use burnside_ir::UNDEFINED;
use burnside_step::{Breach, Step, Trace, is_deadlock};

use crate::{Task, Violation, refute};

/// Why a trace is not an execution that ends as claimed. Always our bug, never the model's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplayError {
    /// How many steps were right.
    pub steps: usize,
    /// What is wrong with the next one, or with the end.
    pub problem: String,
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "after {} steps: {}", self.steps, self.problem)
    }
}

/// Executes a violation's trace and checks that it ends as claimed.
///
/// That *no* state can be reached which satisfies a liveness property, or covers one, is a claim about all executions
/// and not checked here; the trace to the state in question is.
pub fn replay(task: &Task<'_>, violation: &Violation) -> Result<(), ReplayError> {
    let Some(trace) = &violation.trace else { return Ok(()) };
    let mut replay =
        Replay { task, interpreter: task.interpreter(), state: vec![UNDEFINED; task.layout.slots().len()], done: 0 };
    match replay.run(trace, &violation.breach) {
        Ok(()) => Ok(()),
        Err(problem) => Err(ReplayError { steps: replay.done, problem }),
    }
}

struct Replay<'m> {
    task: &'m Task<'m>,
    interpreter: Interpreter<'m>,
    state: Vec<i64>,
    done: usize,
}

impl Replay<'_> {
    fn run(&mut self, trace: &Trace, breach: &Breach) -> Result<(), String> {
        self.start(trace, breach)?;
        for step in &trace.steps {
            self.step(step, breach)?;
            self.done += 1;
        }
        if trace.first.is_none() { Ok(()) } else { self.end(trace, breach) }
    }

    fn start(&mut self, trace: &Trace, breach: &Breach) -> Result<(), String> {
        let mut result = Err("the start state does not exist".to_owned());
        let layout = self.task.layout;
        let state = &mut self.state;
        self.interpreter.starts(|start, args, outcome| {
            if (start, args) != (trace.start, &trace.start_args[..]) {
                return ControlFlow::Continue(());
            }
            result = match (outcome, &trace.first) {
                (Outcome::Next(values), Some(expected)) => {
                    state.copy_from_slice(values);
                    same_state(layout, values, expected)
                }
                (Outcome::Fault(_, fault), None) => same_fault(&fault, breach),
                (outcome, _) => Err(format!("the start state ended as {outcome:?}")),
            };
            ControlFlow::Break(())
        });
        result
    }

    fn step(&mut self, step: &Step, breach: &Breach) -> Result<(), String> {
        let mut next = vec![0; self.state.len()];
        let layout = self.task.layout;
        let fired = self.interpreter.fire(&self.state, step.rule, &step.args, |outcome| match (outcome, &step.end) {
            (Outcome::Next(values), Ok(expected)) => {
                next.copy_from_slice(values);
                same_state(layout, values, expected)
            }
            (Outcome::Fault(site, fault), Err(expected)) if site == *expected => same_fault(&fault, breach),
            (outcome, _) => Err(format!("rule `{}` ended as {outcome:?}", self.task.model.rule(step.rule).name)),
        });
        if step.end.is_ok() {
            self.state = next;
        }
        fired.unwrap_or_else(|| Err(format!("rule `{}` is not enabled", self.task.model.rule(step.rule).name)))
    }

    fn end(&mut self, trace: &Trace, breach: &Breach) -> Result<(), String> {
        let may_be_inside = self.done == 0 || matches!(breach, Breach::Fault(_));
        if !may_be_inside && self.interpreter.is_inside(&self.state) {
            return Err("the last state lies inside a step".to_owned());
        }
        match breach {
            Breach::Invariant(property, _) | Breach::PropertyFault(property, _) => {
                match Breach::of_property(&mut self.interpreter, &self.state, *property) {
                    Some(found) if found == *breach => Ok(()),
                    other => Err(format!("what is wrong with the property is {other:?}")),
                }
            }
            Breach::Deadlock => is_deadlock(self.task, &mut self.interpreter, &self.state),
            Breach::Temporal(property, _) => refute(self.task, *property, trace),
            Breach::Fault(_) | Breach::Liveness(..) | Breach::Uncovered(_) => Ok(()),
        }
    }
}

fn same_state(layout: &burnside_ir::Layout, values: &[i64], expected: &[u64]) -> Result<(), String> {
    let mut words = vec![0; layout.n_words()];
    layout.pack(values, &mut words);
    if words == expected { Ok(()) } else { Err("the state differs".to_owned()) }
}

fn same_fault(fault: &Fault, breach: &Breach) -> Result<(), String> {
    match breach {
        Breach::Fault(expected) if **expected == *fault => Ok(()),
        _ => Err(format!("the step faulted: {fault}")),
    }
}
