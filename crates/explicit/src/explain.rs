//! From "something is wrong here" to what it is and how to get there, by the reference interpreter.

use std::ops::ControlFlow;

use burnside_engine::{Breach, Step, Task, Trace, Violation};
use burnside_interp::{Fault, Interpreter, Outcome, Truth};
use burnside_ir::{PropertyId, PropertyKind};

use crate::search::Finding;
use crate::visited::{StateId, Visited};

pub(crate) struct Explainer<'a> {
    task: &'a Task<'a>,
    visited: &'a Visited,
    interpreter: Interpreter<'a>,
}

impl<'a> Explainer<'a> {
    pub(crate) fn new(task: &'a Task<'a>, visited: &'a Visited) -> Self {
        let interpreter = Interpreter::new(task.model, task.layout, task.step_limits);
        Self { task, visited, interpreter }
    }

    pub(crate) fn explain(mut self, finding: Finding) -> Violation {
        let (breach, trace) = match finding {
            Finding::StartFault => self.start_fault(),
            Finding::RuleFault(state) => self.rule_fault(state),
            Finding::Property(state) => (self.broken_property(state), self.trace_to(state)),
            Finding::Deadlock(state) => (Breach::Deadlock, self.trace_to(state)),
        };
        Violation { breach, trace: Some(trace) }
    }

    /// The way by which a state was found.
    pub(crate) fn trace_to(&mut self, state: StateId) -> Trace {
        let mut way = vec![state];
        while let Some(parent) = self.visited.parent(*way.last().expect("not empty")) {
            way.push(parent);
        }
        way.reverse();
        let mut trace = self.start_of(way[0]);
        trace.steps = way.windows(2).map(|pair| self.step_between(pair[0], pair[1])).collect();
        trace
    }

    fn start_of(&mut self, state: StateId) -> Trace {
        let expected = self.visited.get(state);
        let mut packed = vec![0; expected.len()];
        let mut found = None;
        self.interpreter.starts(|start, args, outcome| {
            let Outcome::Next(values) = outcome else { return ControlFlow::Continue(()) };
            self.task.layout.pack(values, &mut packed);
            if packed != expected {
                return ControlFlow::Continue(());
            }
            let first = Some(expected.into());
            found = Some(Trace { start, start_args: args.to_vec(), first, steps: Vec::new() });
            ControlFlow::Break(())
        });
        found.expect("a state without parent is a start state")
    }

    fn step_between(&mut self, from: StateId, to: StateId) -> Step {
        let values = self.values(from);
        let expected = self.visited.get(to);
        let mut packed = vec![0; expected.len()];
        let mut found = None;
        self.interpreter.successors(&values, |rule, args, outcome| {
            let Outcome::Next(values) = outcome else { return ControlFlow::Continue(()) };
            self.task.layout.pack(values, &mut packed);
            if packed != expected {
                return ControlFlow::Continue(());
            }
            found = Some(Step { rule, args: args.to_vec(), end: Ok(expected.into()) });
            ControlFlow::Break(())
        });
        found.expect("a state is a successor of its parent")
    }

    fn start_fault(&mut self) -> (Breach, Trace) {
        let mut found = None;
        self.interpreter.starts(|start, args, outcome| {
            let Outcome::Fault(_, fault) = outcome else { return ControlFlow::Continue(()) };
            let trace = Trace { start, start_args: args.to_vec(), first: None, steps: Vec::new() };
            found = Some((Breach::Fault(fault), trace));
            ControlFlow::Break(())
        });
        found.expect("some start state faults")
    }

    fn rule_fault(&mut self, state: StateId) -> (Breach, Trace) {
        let values = self.values(state);
        let mut found = None;
        self.interpreter.successors(&values, |rule, args, outcome| {
            let Outcome::Fault(site, fault) = outcome else { return ControlFlow::Continue(()) };
            found = Some((Breach::Fault(fault), Step { rule, args: args.to_vec(), end: Err(site) }));
            ControlFlow::Break(())
        });
        let (breach, step) = found.expect("some rule faults");
        let mut trace = self.trace_to(state);
        trace.steps.push(step);
        (breach, trace)
    }

    fn broken_property(&mut self, state: StateId) -> Breach {
        let values = self.values(state);
        let kinds = [PropertyKind::Assumption, PropertyKind::Invariant, PropertyKind::Cover];
        let properties: Vec<PropertyId> = kinds.iter().flat_map(|&kind| self.task.properties(kind)).collect();
        for property in properties {
            let kind = self.task.model.property(property).kind;
            let fault: Box<Fault> = match (self.interpreter.holds(&values, property), kind) {
                (Ok(Truth::FailsFor(args)), PropertyKind::Invariant) => return Breach::Invariant(property, args),
                (Ok(_), _) => continue,
                (Err(fault), _) => fault,
            };
            return Breach::PropertyFault(property, fault);
        }
        panic!("some property is violated in the state");
    }

    fn values(&self, state: StateId) -> Vec<i64> {
        let mut values = vec![0; self.task.layout.slots().len()];
        self.task.layout.unpack(self.visited.get(state), &mut values);
        values
    }
}
