//! What may happen next: all ways on from a state, for those who choose among them.

use std::ops::ControlFlow;

use burnside_engine::{Breach, Task};
use burnside_interp::{Interpreter, Outcome, Site};
use burnside_ir::{RuleId, StartId, UNDEFINED};

use crate::referee::{Referee, Via};

/// What fires.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A start state with its parameters.
    Start(StartId, Vec<i64>),
    /// A rule with its parameters.
    Rule(RuleId, Vec<i64>),
}

/// One way on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// What fires.
    pub event: Event,
    /// The packed state it leads to, or where it faults instead.
    pub end: Result<Box<[u64]>, Site>,
    /// What is wrong there.
    pub breach: Option<Breach>,
}

/// Knows all ways on from every state of a model, by the reference interpreter.
pub struct Guide<'m> {
    task: Task<'m>,
    interpreter: Interpreter<'m>,
    referee: Referee<'m>,
}

impl<'m> Guide<'m> {
    /// A guide to the states of a model.
    pub fn new(task: &Task<'m>) -> Self {
        let interpreter = Interpreter::new(task.model, task.layout, task.step_limits);
        Self { task: *task, interpreter, referee: Referee::new(task) }
    }

    /// The start states, in the order of the text. What assumptions exclude is left out.
    pub fn starts(&mut self) -> Vec<Choice> {
        let mut found = Vec::new();
        self.interpreter.starts(|start, args, outcome| {
            found.extend(end_of(outcome).map(|end| (Event::Start(start, args.to_vec()), end)));
            ControlFlow::Continue(())
        });
        found.into_iter().filter_map(|(event, end)| self.choice(event, end, Via::Start)).collect()
    }

    /// The enabled rule instances of a state, in the order of the text. What assumptions exclude is left out.
    pub fn choices(&mut self, state: &[u64]) -> Vec<Choice> {
        let values = self.unpack(state);
        let mut found = Vec::new();
        self.interpreter.successors(&values, |rule, args, outcome| {
            found.extend(end_of(outcome).map(|end| (Event::Rule(rule, args.to_vec()), end)));
            ControlFlow::Continue(())
        });
        found.into_iter().filter_map(|(event, end)| self.choice(event, end, Via::Rule)).collect()
    }

    /// What comes of one rule instance in a state; nothing if it may not fire there or an assumption excludes its end.
    pub(crate) fn fire(&mut self, state: &[u64], rule: RuleId, args: &[i64]) -> Option<Choice> {
        let values = self.unpack(state);
        let end = self.interpreter.fire(&values, rule, args, end_of)??;
        self.choice(Event::Rule(rule, args.to_vec()), end, Via::Rule)
    }

    /// Whether a state that so many steps led to is a deadlock.
    pub fn is_deadlock(&mut self, state: &[u64], n_steps: usize) -> bool {
        let values = self.unpack(state);
        self.referee.is_deadlock(&values, Via::after(n_steps))
    }

    fn choice(&mut self, event: Event, end: Reached, via: Via) -> Option<Choice> {
        match end {
            Ok(values) if self.referee.excludes(&values, via).is_some() => None,
            Ok(values) => {
                let breach = self.referee.breach(&values, via);
                let mut words = vec![0; self.task.layout.n_words()];
                self.task.layout.pack(&values, &mut words);
                Some(Choice { event, end: Ok(words.into()), breach })
            }
            Err((site, breach)) => Some(Choice { event, end: Err(site), breach: Some(breach) }),
        }
    }

    fn unpack(&self, state: &[u64]) -> Vec<i64> {
        let mut values = vec![UNDEFINED; self.task.layout.slots().len()];
        self.task.layout.unpack(state, &mut values);
        values
    }
}

type Reached = Result<Vec<i64>, (Site, Breach)>;

fn end_of(outcome: Outcome<'_>) -> Option<Reached> {
    match outcome {
        Outcome::Next(values) => Some(Ok(values.to_vec())),
        Outcome::Fault(site, fault) => Some(Err((site, Breach::Fault(fault)))),
        Outcome::Pruned => None,
    }
}
