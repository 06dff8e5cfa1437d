//! Steps by the reference interpreter.

use std::ops::ControlFlow;

use burnside_interp::{Condition, Interpreter, Limits, StepBuffer};
use burnside_ir::{Binder, Domain, Layout, Model, PropertyId, Rule, RuleId, TypeId};

use crate::{Question, Stepper};

/// Steps by the reference interpreter.
pub struct Interpreted<'m> {
    model: &'m Model,
    layout: &'m Layout,
    pub(crate) interpreter: Interpreter<'m>,
    /// For each rule the parameter that has weights, if one has.
    weighed: Vec<Option<Weighed>>,
    /// The state looked at.
    values: Vec<i64>,
    /// Cover points that steps met.
    met: Vec<PropertyId>,
}

/// A parameter whose values have weights.
#[derive(Debug, Clone, Copy)]
struct Weighed {
    /// Its number among the parameters of its rule.
    param: usize,
    /// Where the weights of its type begin.
    first: usize,
    /// The value that the first of them belongs to.
    least: i64,
}

impl<'m> Interpreted<'m> {
    /// Steps of a question's model.
    pub fn new(question: &Question<'m>) -> Self {
        Self::of(question.model, question.layout, question.step_limits)
    }

    /// Steps of a model.
    pub fn of(model: &'m Model, layout: &'m Layout, limits: Limits) -> Self {
        Self {
            model,
            layout,
            interpreter: Interpreter::new(model, layout, limits),
            weighed: vec![None; model.rules.len()],
            values: vec![0; layout.slots().len()],
            met: Vec::new(),
        }
    }

    /// Evaluates quantifiers over these types for every value, and expects weights for their values.
    pub fn strict(mut self, types: &[TypeId]) -> Self {
        self.interpreter = self.interpreter.strict(types);
        self.weighed = self.model.rules.iter().map(|rule| weighed_parameter(self.model, rule, types)).collect();
        self
    }
}

/// The first parameter of a rule that goes through all values of a strict type.
fn weighed_parameter(model: &Model, rule: &Rule, strict: &[TypeId]) -> Option<Weighed> {
    let domains = rule.binders.iter().filter_map(|binder| match binder {
        Binder::Param { domain, .. } => Some(domain),
        Binder::Value { .. } | Binder::Reference { .. } => None,
    });
    domains.enumerate().find_map(|(param, domain)| {
        let Domain::Type(ty) = domain else { return None };
        let number = strict.iter().position(|it| it == ty)?;
        let before = strict[..number].iter().map(|&ty| model.types.shape(ty).cardinality() as usize);
        Some(Weighed { param, first: before.sum(), least: model.types.shape(*ty).lo })
    })
}

impl Stepper for Interpreted<'_> {
    fn starts(&mut self, steps: &mut StepBuffer, mut goes_on: impl FnMut(&mut StepBuffer) -> bool) {
        let layout = self.layout;
        self.interpreter.starts(|_, _, outcome| {
            steps.record(layout, RuleId(0), 1, &outcome)?;
            if goes_on(steps) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
    }

    fn fire_all(&mut self, state: &[u64], weights: &[u64], steps: &mut StepBuffer) {
        self.look_at(state);
        let (layout, weighed) = (self.layout, &self.weighed);
        self.interpreter.successors(&self.values, |rule, args, outcome| {
            let weight = match weighed[rule.index()].filter(|_| !weights.is_empty()) {
                // A fault while parameters are bound leaves the rest of them out.
                Some(it) => args.get(it.param).map_or(1, |value| weights[it.first + (value - it.least) as usize]),
                None => 1,
            };
            if weight == 0 { ControlFlow::Continue(()) } else { steps.record(layout, rule, weight, &outcome) }
        });
    }

    fn fire_some(&mut self, state: &[u64], rule: RuleId, args: &[Option<i64>], steps: &mut StepBuffer) {
        self.look_at(state);
        let layout = self.layout;
        self.interpreter.fire_matching(&self.values, rule, args, |_, outcome| steps.record(layout, rule, 1, &outcome));
    }

    fn look_at(&mut self, state: &[u64]) {
        self.layout.unpack(state, &mut self.values);
    }

    fn condition(&mut self, property: PropertyId) -> Condition {
        self.interpreter.condition(&self.values, property)
    }

    fn met(&mut self, points: &[PropertyId]) -> Vec<PropertyId> {
        self.met.extend(self.interpreter.take_covered());
        points.iter().copied().filter(|point| self.met.contains(point)).collect()
    }

    fn stack_bytes(&self) -> usize {
        0
    }
}
