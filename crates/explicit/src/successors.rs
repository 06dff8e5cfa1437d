//! What follows a state, and whether a state is acceptable.

use std::ops::ControlFlow;

use burnside_engine::{Disagreement, Task};
use burnside_interp::{Condition, Interpreter, StepBuffer};
use burnside_ir::{Binder, Domain, Layout, Model, PropertyId, PropertyKind, Rule, RuleId, TypeId};
use burnside_jit::{Compiled, Context};
use burnside_symmetry::{Canonicaliser, Reduction, Twins};

use crate::passage::{Onward, Passage};

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

/// Computes with the rules and properties of one model. Each thread has its own.
pub(crate) trait Successors {
    /// Appends every start state up to the first that faults. The recorded rules mean nothing.
    fn starts(&mut self, steps: &mut StepBuffer);

    /// Appends a step for every enabled rule instance up to the first that faults. Under reduction, `weights` tells for
    /// each value of each strict type for how many values of a parameter it stands; without, there are none.
    fn expand(&mut self, state: &[u64], weights: &[u64], steps: &mut StepBuffer);

    /// Puts the representative of its orbit in place of a state.
    fn canonicalise(&mut self, state: &mut [u64]);

    /// Checks assumptions, then invariants, then notes covers.
    fn inspect(&mut self, state: &[u64]) -> Inspection;

    /// Whether an execution may end in a state.
    fn may_end(&mut self, state: &[u64]) -> bool;

    /// How often each rule fired in states that are not stored.
    fn fired_inside(&self) -> &[u64];

    /// What expanding a state may take of a thread's stack, beyond what every search needs.
    fn stack_bytes(&self) -> usize;

    /// The properties to be covered that no state or step has covered, in order.
    fn uncovered(&mut self) -> Vec<PropertyId>;

    /// How many states were looked at twice.
    fn audited(&self) -> u64;

    /// What differed when a state was looked at twice.
    fn take_disagreement(&mut self) -> Option<Box<Disagreement>>;
}

/// The properties that are looked at in every state or step.
struct Watched {
    assumptions: Vec<PropertyId>,
    invariants: Vec<PropertyId>,
    /// Covers of states, and whether each was met. They are evaluated in every state all the same: a fault in one
    /// must not depend on which states came before.
    covers: Vec<(PropertyId, bool)>,
    /// Cover points in rules.
    cover_points: Vec<PropertyId>,
    passing: Vec<PropertyId>,
    ending: Vec<PropertyId>,
}

impl Watched {
    fn new(task: &Task<'_>) -> Self {
        Self {
            assumptions: task.properties(PropertyKind::Assumption),
            invariants: task.properties(PropertyKind::Invariant),
            covers: task.properties(PropertyKind::Cover).into_iter().map(|cover| (cover, false)).collect(),
            cover_points: task.properties(PropertyKind::CoverPoint),
            passing: task.properties(PropertyKind::Passing),
            ending: task.properties(PropertyKind::Ending),
        }
    }

    /// Takes what steps lead to where some states are not stored.
    fn passage(&self, task: &Task<'_>) -> Option<Passage> {
        (!self.passing.is_empty()).then(|| Passage::new(task.layout.n_words(), task.model.rules.len()))
    }

    /// Judges a state, given how to evaluate a condition in it.
    fn inspect(&mut self, mut condition: impl FnMut(PropertyId) -> Condition) -> Inspection {
        for &assumption in &self.assumptions {
            match condition(assumption) {
                Condition::Holds => {}
                Condition::Fails => return Inspection::Drop,
                Condition::Faults => return Inspection::Breach,
            }
        }
        if self.invariants.iter().any(|&invariant| condition(invariant) != Condition::Holds) {
            return Inspection::Breach;
        }
        let mut faulted = false;
        for (cover, is_met) in &mut self.covers {
            match condition(*cover) {
                Condition::Holds => {}
                Condition::Fails => *is_met = true,
                Condition::Faults => faulted = true,
            }
        }
        if faulted { Inspection::Breach } else { Inspection::Keep }
    }

    fn uncovered(&self, mut is_covered: impl FnMut(PropertyId) -> bool) -> Vec<PropertyId> {
        let covers = self.covers.iter().filter(|(_, is_met)| !is_met).map(|(cover, _)| *cover);
        let points = self.cover_points.iter().copied().filter(|&point| !is_covered(point));
        let mut uncovered: Vec<PropertyId> = covers.chain(points).collect();
        uncovered.sort_unstable();
        uncovered
    }
}

/// Successors by the reference interpreter.
pub(crate) struct Interpreted<'m> {
    model: &'m Model,
    layout: &'m Layout,
    interpreter: Interpreter<'m>,
    watched: Watched,
    passage: Option<Passage>,
    /// For each rule, which parameter has weights, where these begin, and what its least value is.
    weighed: Vec<Option<(usize, usize, i64)>>,
    values: Vec<i64>,
}

impl<'m> Interpreted<'m> {
    pub(crate) fn new(task: &Task<'m>) -> Self {
        let watched = Watched::new(task);
        Self {
            model: task.model,
            layout: task.layout,
            interpreter: Interpreter::new(task.model, task.layout, task.step_limits),
            passage: watched.passage(task),
            watched,
            weighed: vec![None; task.model.rules.len()],
            values: vec![0; task.layout.slots().len()],
        }
    }

    /// Evaluates quantifiers over these types for every value, and expects weights for their values.
    pub(crate) fn strict(mut self, types: &[TypeId]) -> Self {
        self.interpreter = self.interpreter.strict(types);
        self.weighed = self.model.rules.iter().map(|rule| weighed_parameter(self.model, rule, types)).collect();
        self
    }
}

/// The first parameter of a rule that goes through all values of a strict type.
fn weighed_parameter(model: &Model, rule: &Rule, strict: &[TypeId]) -> Option<(usize, usize, i64)> {
    let domains = rule.binders.iter().filter_map(|binder| match binder {
        Binder::Param { domain, .. } => Some(domain),
        Binder::Value { .. } | Binder::Reference { .. } => None,
    });
    let types = domains.enumerate().filter_map(|(at, domain)| match domain {
        Domain::Type(ty) => Some((at, *ty)),
        Domain::Range { .. } | Domain::Slots(_) => None,
    });
    types.filter_map(|(at, ty)| Some((at, ty, strict.iter().position(|&it| it == ty)?))).next().map(
        |(at, ty, number)| {
            let before = strict[..number].iter().map(|&ty| model.types.shape(ty).cardinality() as usize);
            (at, before.sum(), model.types.shape(ty).lo)
        },
    )
}

impl Successors for Interpreted<'_> {
    fn starts(&mut self, steps: &mut StepBuffer) {
        let layout = self.layout;
        self.interpreter.starts(|_, _, outcome| steps.record(layout, (RuleId(0), 1), &outcome));
    }

    fn expand(&mut self, state: &[u64], weights: &[u64], steps: &mut StepBuffer) {
        let begin = steps.len();
        self.fire(state, weights, steps);
        if let Some(mut passage) = self.passage.take() {
            passage.resolve(steps, begin, self);
            self.passage = Some(passage);
        }
    }

    fn may_end(&mut self, state: &[u64]) -> bool {
        self.layout.unpack(state, &mut self.values);
        self.interpreter.may_end(&self.values)
    }

    fn fired_inside(&self) -> &[u64] {
        self.passage.as_ref().map_or(&[], |passage| &passage.fired)
    }

    fn canonicalise(&mut self, _state: &mut [u64]) {}

    fn inspect(&mut self, state: &[u64]) -> Inspection {
        self.layout.unpack(state, &mut self.values);
        let (interpreter, values) = (&mut self.interpreter, &self.values);
        self.watched.inspect(|property| interpreter.condition(values, property))
    }

    fn stack_bytes(&self) -> usize {
        0
    }

    fn uncovered(&mut self) -> Vec<PropertyId> {
        let met = self.interpreter.take_covered();
        self.watched.uncovered(|point| met.contains(&point))
    }

    fn audited(&self) -> u64 {
        0
    }

    fn take_disagreement(&mut self) -> Option<Box<Disagreement>> {
        None
    }
}

impl Onward for Interpreted<'_> {
    fn fire(&mut self, state: &[u64], weights: &[u64], steps: &mut StepBuffer) {
        self.layout.unpack(state, &mut self.values);
        let (layout, weighed) = (self.layout, &self.weighed);
        self.interpreter.successors(&self.values, |rule, args, outcome| {
            let weight = match weighed[rule.index()].filter(|_| !weights.is_empty()) {
                // A fault while parameters are bound leaves the rest of them out.
                Some((at, first, lo)) => args.get(at).map_or(1, |value| weights[first + (value - lo) as usize]),
                None => 1,
            };
            if weight == 0 { ControlFlow::Continue(()) } else { steps.record(layout, (rule, weight), &outcome) }
        });
    }

    fn passes(&mut self, state: &[u64]) -> bool {
        self.layout.unpack(state, &mut self.values);
        self.interpreter.is_passing(&self.values)
    }
}

/// Successors by native code.
pub(crate) struct Native<'m> {
    compiled: &'m Compiled,
    context: Context,
    watched: Watched,
    passage: Option<Passage>,
    starts: Interpreted<'m>,
    /// For a search without reduction, if the code expects some.
    weights: Vec<u64>,
}

impl<'m> Native<'m> {
    pub(crate) fn new(task: &Task<'m>, compiled: &'m Compiled) -> Self {
        let (context, watched) = (compiled.context(), Watched::new(task));
        let (passage, weights) = (watched.passage(task), vec![1; compiled.n_weights()]);
        Self { compiled, context, watched, passage, starts: Interpreted::new(task), weights }
    }

    /// Evaluates quantifiers over these types for every value; the code must have been compiled for that.
    pub(crate) fn strict(mut self, types: &[TypeId]) -> Self {
        self.starts = self.starts.strict(types);
        self
    }
}

impl Successors for Native<'_> {
    fn starts(&mut self, steps: &mut StepBuffer) {
        self.starts.starts(steps);
    }

    fn expand(&mut self, state: &[u64], weights: &[u64], steps: &mut StepBuffer) {
        let begin = steps.len();
        self.fire(state, weights, steps);
        if let Some(mut passage) = self.passage.take() {
            passage.resolve(steps, begin, self);
            self.passage = Some(passage);
        }
    }

    fn may_end(&mut self, state: &[u64]) -> bool {
        let (compiled, context) = (self.compiled, &mut self.context);
        compiled.look_at(state, context);
        self.watched.ending.iter().any(|&property| holds(compiled, context, property))
    }

    fn fired_inside(&self) -> &[u64] {
        self.passage.as_ref().map_or(&[], |passage| &passage.fired)
    }

    fn canonicalise(&mut self, _state: &mut [u64]) {}

    fn inspect(&mut self, state: &[u64]) -> Inspection {
        let (compiled, context) = (self.compiled, &mut self.context);
        compiled.look_at(state, context);
        self.watched.inspect(|property| {
            let condition = compiled.condition(property, context);
            condition.expect("assumptions, invariants and covers have native code")
        })
    }

    fn stack_bytes(&self) -> usize {
        self.compiled.stack_bytes() as usize
    }

    fn uncovered(&mut self) -> Vec<PropertyId> {
        let met_at_start = self.starts.interpreter.take_covered();
        let context = &self.context;
        self.watched.uncovered(|point| context.is_covered(point) || met_at_start.contains(&point))
    }

    fn audited(&self) -> u64 {
        0
    }

    fn take_disagreement(&mut self) -> Option<Box<Disagreement>> {
        None
    }
}

impl Onward for Native<'_> {
    fn fire(&mut self, state: &[u64], weights: &[u64], steps: &mut StepBuffer) {
        let weights = if weights.is_empty() { &self.weights } else { weights };
        self.compiled.expand(state, weights, &mut self.context, steps);
    }

    fn passes(&mut self, state: &[u64]) -> bool {
        let (compiled, context) = (self.compiled, &mut self.context);
        compiled.look_at(state, context);
        self.watched.passing.iter().any(|&property| holds(compiled, context, property))
    }
}

fn holds(compiled: &Compiled, context: &mut Context, property: PropertyId) -> bool {
    compiled.condition(property, context) == Some(Condition::Holds)
}

/// Successors up to symmetry.
pub(crate) struct Reduced<'m, S> {
    inner: S,
    twins: Twins<'m>,
    canonicaliser: Box<dyn Canonicaliser + 'm>,
}

impl<'m, S: Successors> Reduced<'m, S> {
    pub(crate) fn new(inner: S, reduction: &'m Reduction) -> Self {
        Self { inner, twins: reduction.twins(), canonicaliser: reduction.canonicaliser() }
    }
}

impl<S: Successors> Successors for Reduced<'_, S> {
    fn starts(&mut self, steps: &mut StepBuffer) {
        self.inner.starts(steps);
    }

    fn expand(&mut self, state: &[u64], _weights: &[u64], steps: &mut StepBuffer) {
        self.inner.expand(state, self.twins.weigh(state), steps);
    }

    fn canonicalise(&mut self, state: &mut [u64]) {
        self.canonicaliser.canonicalise(state);
    }

    fn inspect(&mut self, state: &[u64]) -> Inspection {
        self.inner.inspect(state)
    }

    fn may_end(&mut self, state: &[u64]) -> bool {
        self.inner.may_end(state)
    }

    fn fired_inside(&self) -> &[u64] {
        self.inner.fired_inside()
    }

    fn stack_bytes(&self) -> usize {
        self.inner.stack_bytes()
    }

    fn uncovered(&mut self) -> Vec<PropertyId> {
        self.inner.uncovered()
    }

    fn audited(&self) -> u64 {
        self.inner.audited()
    }

    fn take_disagreement(&mut self) -> Option<Box<Disagreement>> {
        self.inner.take_disagreement()
    }
}
