//! Steps by native code.

use std::{fmt, thread};

use burnside_interp::{Condition, STACK_BYTES, StepBuffer, StepEnd};
use burnside_ir::{Binder, Domain, Model, PropertyId, PropertyKind, RuleId, TypeId};
use burnside_jit::{Compiled, Context};

use crate::{Interpreted, Question, Stepper};

/// The stacks that threads have on which native code runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stacks {
    /// Those that every search needs.
    Usual,
    /// As large as [`Stepper::stack_bytes`] says.
    AsNeeded,
}

/// Native code of a model, shared by all threads.
pub struct Code {
    compiled: Compiled,
    /// By rule and parameter the first and the last value, where the parameter goes through a type; none for code that
    /// fires all rules at once.
    widest: Option<Vec<Vec<[i64; 2]>>>,
    /// How many of the rules are the model's own.
    n_rules: usize,
    cover_points: Vec<PropertyId>,
    /// The types whose quantifiers look at every value.
    strict: Vec<TypeId>,
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Code")
            .field("n_rules", &self.n_rules)
            .field("is_strict", &self.is_strict())
            .finish_non_exhaustive()
    }
}

impl Code {
    /// Code that fires all rules at once, with quantifiers over the `strict` types evaluated for every value. There is none
    /// for what the compiler does not treat, and for what recurses beyond the stacks: the interpreter does that.
    pub fn new(question: &Question<'_>, strict: &[TypeId], stacks: Stacks) -> Option<Self> {
        let compiled = Compiled::new(question.model, question.layout, question.step_limits, strict).ok()?;
        Self::of(question, compiled, strict, stacks)
    }

    /// The same for one rule at a time. `extended` is the question's model with more rules behind its own.
    ///
    /// Rules of different priority are left to the interpreter: whether one may fire depends on the guards of all.
    pub fn windowed(question: &Question<'_>, extended: &Model, strict: &[TypeId], stacks: Stacks) -> Option<Self> {
        if extended.has_priorities() {
            return None;
        }
        let compiled = Compiled::windowed(extended, question.layout, question.step_limits, strict).ok()?;
        let widest = extended.rules.iter().map(|rule| widest(extended, &rule.binders)).collect();
        Some(Self { widest: Some(widest), ..Self::of(question, compiled, strict, stacks)? })
    }

    /// Code for a second look at states: in place of a weight each step has the number of its instance (see
    /// [`args`](Self::args)), and [`Native::truth`] evaluates propositions.
    pub fn numbered(question: &Question<'_>, strict: &[TypeId]) -> Option<Self> {
        let compiled = Compiled::numbered(question.model, question.layout, question.step_limits, strict).ok()?;
        Self::of(question, compiled, strict, Stacks::Usual)
    }

    /// The parameters of the instance with a number, in code that gives numbers; those that go neither through a type nor
    /// through a constant range are zero.
    pub fn args(&self, rule: RuleId, number: u64) -> Vec<i64> {
        self.compiled.args(rule, number)
    }

    fn of(question: &Question<'_>, compiled: Compiled, strict: &[TypeId], stacks: Stacks) -> Option<Self> {
        let (model, bytes) = (question.model, compiled.stack_bytes() as usize);
        let can_be_had =
            || thread::Builder::new().stack_size(STACK_BYTES + bytes).spawn(|| ()).is_ok_and(|it| it.join().is_ok());
        let has_room = bytes <= STACK_BYTES / 2 || (stacks == Stacks::AsNeeded && can_be_had());
        let cover_points = model.properties_of(PropertyKind::CoverPoint).collect();
        let (n_rules, strict) = (model.rules.len(), strict.to_vec());
        has_room.then(|| Self { compiled, widest: None, n_rules, cover_points, strict })
    }

    /// Whether some quantifier looks at every value because its type is strict. If not, the code is as good without.
    pub fn is_strict(&self) -> bool {
        self.compiled.is_strict()
    }

    /// Whether code for these strict types would be the same, or none of them makes a difference in this one.
    pub fn serves(&self, strict: &[TypeId]) -> bool {
        self.strict == strict || (strict.is_empty() && !self.is_strict())
    }

    /// Appends the steps of all instances of the model's own rules up to the first that faults, and tells which cover
    /// points they meet. For the audit, which must know what a single state does.
    pub fn expand_once(&self, state: &[u64], steps: &mut StepBuffer) -> Vec<PropertyId> {
        let mut context = self.compiled.context();
        self.fire_all(state, &vec![1; self.compiled.n_weights()], &mut context, steps);
        self.cover_points.iter().copied().filter(|&point| context.is_covered(point)).collect()
    }

    /// The value of a property's condition in a state, if there is code for it.
    pub fn evaluate_once(&self, state: &[u64], property: PropertyId) -> Option<Condition> {
        let mut context = self.compiled.context();
        self.compiled.look_at(state, &mut context);
        self.compiled.condition(property, &mut context)
    }

    #[inline]
    fn fire_all(&self, state: &[u64], weights: &[u64], context: &mut Context, steps: &mut StepBuffer) {
        let Some(widest) = &self.widest else { return self.compiled.expand(state, weights, context, steps) };
        for (rule, windows) in (0..).map(RuleId).zip(&widest[..self.n_rules]) {
            self.compiled.fire_within(rule, windows, state, context, steps);
            if steps.len().checked_sub(1).is_some_and(|last| steps.get(last).end == StepEnd::Fault) {
                break;
            }
        }
    }
}

fn widest(model: &Model, binders: &[Binder]) -> Vec<[i64; 2]> {
    let windows = binders.iter().filter_map(|binder| match binder {
        Binder::Param { domain: Domain::Type(ty), .. } => {
            let shape = model.types.shape(*ty);
            Some([shape.lo, shape.hi])
        }
        Binder::Param { .. } => Some([0, 0]),
        Binder::Value { .. } | Binder::Reference { .. } => None,
    });
    windows.collect()
}

/// Steps by native code. Start states are left to the interpreter.
pub struct Native<'m> {
    code: &'m Code,
    context: Context,
    pub(crate) interpreted: Interpreted<'m>,
    /// For a search without reduction, if the code expects some.
    weights: Vec<u64>,
    windows: Vec<[i64; 2]>,
}

impl<'m> Native<'m> {
    /// Steps by code that was made with the same strict types as `interpreted`, or needs none.
    pub fn new(code: &'m Code, interpreted: Interpreted<'m>) -> Self {
        let (context, weights) = (code.compiled.context(), vec![1; code.compiled.n_weights()]);
        Self { code, context, interpreted, weights, windows: Vec::new() }
    }

    /// Appends for each instance of a proposition, in the state looked at, 1 if it is true, otherwise 0. `None` at a fault,
    /// or if the code was not made for that.
    pub fn truth(&mut self, property: PropertyId, out: &mut Vec<u8>) -> Option<()> {
        self.code.compiled.truth(property, &mut self.context, out)
    }
}

impl Stepper for Native<'_> {
    fn starts(&mut self, steps: &mut StepBuffer, goes_on: impl FnMut(&mut StepBuffer) -> bool) {
        self.interpreted.starts(steps, goes_on);
    }

    #[inline]
    fn fire_all(&mut self, state: &[u64], weights: &[u64], steps: &mut StepBuffer) {
        let weights = if weights.is_empty() { &self.weights } else { weights };
        self.code.fire_all(state, weights, &mut self.context, steps);
    }

    fn fire_some(&mut self, state: &[u64], rule: RuleId, args: &[Option<i64>], steps: &mut StepBuffer) {
        let widest = self.code.widest.as_ref().expect("the code was made for one rule at a time");
        self.windows.clone_from(&widest[rule.index()]);
        for (window, arg) in self.windows.iter_mut().zip(args) {
            if let Some(value) = arg {
                *window = [*value; 2];
            }
        }
        self.code.compiled.fire_within(rule, &self.windows, state, &mut self.context, steps);
    }

    #[inline]
    fn look_at(&mut self, state: &[u64]) {
        self.code.compiled.look_at(state, &mut self.context);
    }

    #[inline]
    fn condition(&mut self, property: PropertyId) -> Condition {
        let condition = self.code.compiled.condition(property, &mut self.context);
        condition.expect("what is evaluated in every state has native code")
    }

    fn met(&mut self, points: &[PropertyId]) -> Vec<PropertyId> {
        let at_start = self.interpreted.met(points);
        points.iter().copied().filter(|&it| self.context.is_covered(it) || at_start.contains(&it)).collect()
    }

    fn stack_bytes(&self) -> usize {
        self.code.compiled.stack_bytes() as usize
    }
}
