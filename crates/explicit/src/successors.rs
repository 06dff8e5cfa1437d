//! What follows a state, and whether a state is acceptable.

use std::ops::ControlFlow;

use burnside_engine::Task;
use burnside_interp::{Interpreter, Outcome, Truth};
use burnside_ir::{Layout, PropertyId, PropertyKind, RuleId};

/// What an enabled rule instance leads to, in packed form. Details of a fault are found by replaying it.
pub(crate) enum Event<'a> {
    State(&'a [u64]),
    /// An assumption inside the rule failed.
    Pruned,
    Fault,
}

/// What is to be done with a state met for the first time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Inspection {
    /// Keep it and go on.
    Keep,
    /// An assumption excludes it.
    Drop,
    /// A property is violated here, or faults.
    Breach,
}

/// Computes with the rules and properties of one model.
pub(crate) trait Successors {
    /// Visits every start state.
    fn starts(&mut self, visit: impl FnMut(Event<'_>) -> ControlFlow<()>);

    /// Visits what every enabled rule instance leads to.
    fn successors(&mut self, state: &[u64], visit: impl FnMut(RuleId, Event<'_>) -> ControlFlow<()>);

    /// Checks assumptions, then invariants, then notes covers.
    fn inspect(&mut self, state: &[u64]) -> Inspection;

    /// The properties to be covered that no state or step has covered.
    fn uncovered(&mut self) -> Vec<PropertyId>;
}

/// Successors by the reference interpreter.
pub(crate) struct Interpreted<'m> {
    layout: &'m Layout,
    interpreter: Interpreter<'m>,
    assumptions: Vec<PropertyId>,
    invariants: Vec<PropertyId>,
    /// Covers of states not yet met.
    covers: Vec<PropertyId>,
    /// Cover points in rules not yet met.
    cover_points: Vec<PropertyId>,
    values: Vec<i64>,
    packed: Vec<u64>,
}

impl<'m> Interpreted<'m> {
    pub(crate) fn new(task: &Task<'m>) -> Self {
        Self {
            layout: task.layout,
            interpreter: Interpreter::new(task.model, task.layout, task.step_limits),
            assumptions: task.properties(PropertyKind::Assumption),
            invariants: task.properties(PropertyKind::Invariant),
            covers: task.properties(PropertyKind::Cover),
            cover_points: task.properties(PropertyKind::CoverPoint),
            values: vec![0; task.layout.slots().len()],
            packed: vec![0; task.layout.n_words()],
        }
    }

    fn all_hold(&mut self, kind: fn(&Self) -> &[PropertyId]) -> Option<bool> {
        for at in 0..kind(self).len() {
            let property = kind(self)[at];
            match self.interpreter.holds(&self.values, property) {
                Ok(Truth::Everywhere) => {}
                Ok(Truth::FailsFor(_)) => return Some(false),
                Err(_) => return None,
            }
        }
        Some(true)
    }
}

fn event<'a>(layout: &Layout, packed: &'a mut [u64], outcome: &Outcome<'_>) -> Event<'a> {
    match outcome {
        Outcome::Next(values) => {
            layout.pack(values, packed);
            Event::State(packed)
        }
        Outcome::Pruned => Event::Pruned,
        Outcome::Fault(..) => Event::Fault,
    }
}

impl Successors for Interpreted<'_> {
    fn starts(&mut self, mut visit: impl FnMut(Event<'_>) -> ControlFlow<()>) {
        let (layout, packed) = (self.layout, &mut self.packed);
        self.interpreter.starts(|_, _, outcome| visit(event(layout, packed, &outcome)));
    }

    fn successors(&mut self, state: &[u64], mut visit: impl FnMut(RuleId, Event<'_>) -> ControlFlow<()>) {
        self.layout.unpack(state, &mut self.values);
        let (layout, packed) = (self.layout, &mut self.packed);
        self.interpreter.successors(&self.values, |rule, _, outcome| visit(rule, event(layout, packed, &outcome)));
    }

    fn inspect(&mut self, state: &[u64]) -> Inspection {
        self.layout.unpack(state, &mut self.values);
        match self.all_hold(|it| &it.assumptions) {
            Some(true) => {}
            Some(false) => return Inspection::Drop,
            None => return Inspection::Breach,
        }
        if self.all_hold(|it| &it.invariants) != Some(true) {
            return Inspection::Breach;
        }
        let mut faulted = false;
        let (interpreter, values) = (&mut self.interpreter, &self.values);
        self.covers.retain(|&property| match interpreter.holds_somewhere(values, property) {
            Ok(met) => !met,
            Err(_) => {
                faulted = true;
                true
            }
        });
        if faulted { Inspection::Breach } else { Inspection::Keep }
    }

    fn uncovered(&mut self) -> Vec<PropertyId> {
        let met = self.interpreter.take_covered();
        self.cover_points.retain(|property| !met.contains(property));
        let mut uncovered = [&self.covers[..], &self.cover_points[..]].concat();
        uncovered.sort_unstable();
        uncovered
    }
}
