//! What follows a state, where some states are not stored.

use burnside_interp::{StepBuffer, StepEnd};
use burnside_ir::{PropertyId, RuleId};

use crate::passage::{Onward, Passage};
use crate::{Inspection, Judge, Question, Stepper};

/// The stored states that follow a stored state, and whether a state is acceptable. Each thread has its own.
pub struct Successors<S> {
    stepper: S,
    judge: Judge,
    /// Where some states are not stored.
    passage: Option<Passage>,
}

impl<S: Stepper> Successors<S> {
    /// The successors that a question is about.
    pub fn new(question: &Question<'_>, stepper: S) -> Self {
        let judge = Judge::new(question);
        let n_words = question.layout.n_words();
        let passage = judge.has_passing().then(|| Passage::new(n_words));
        Self { stepper, judge, passage }
    }

    /// Appends start states as [`Stepper::starts`] does.
    pub fn starts(&mut self, steps: &mut StepBuffer, goes_on: impl FnMut(&mut StepBuffer) -> bool) {
        self.stepper.starts(steps, goes_on);
    }

    /// Appends the steps from a state to stored ones up to the first that faults; `weights` as for
    /// [`Stepper::fire_all`].
    #[inline]
    pub fn expand(&mut self, state: &[u64], weights: &[u64], steps: &mut StepBuffer) {
        let begin = steps.len();
        self.stepper.fire_all(state, weights, steps);
        self.go_on(steps, begin);
    }

    /// Puts the stored states that they lead to in place of the steps from number `begin` on, which were made elsewhere.
    pub fn go_on(&mut self, steps: &mut StepBuffer, begin: usize) {
        if let Some(passage) = &mut self.passage {
            passage.resolve(steps, begin, Onward { stepper: &mut self.stepper, judge: &self.judge });
        }
    }

    /// Visits every way to take one step from a state: the rules and weights of the rule instances, the last one last, how
    /// it ends and the state it leads to.
    pub fn for_each_way(
        &mut self,
        state: &[u64],
        steps: &mut StepBuffer,
        mut visit: impl FnMut(&[(RuleId, u64)], StepEnd, &[u64]),
    ) {
        steps.clear();
        self.stepper.fire_all(state, &[], steps);
        match &mut self.passage {
            Some(passage) => {
                passage.for_each_way(steps, Onward { stepper: &mut self.stepper, judge: &self.judge }, visit);
            }
            None => (0..steps.len()).for_each(|at| {
                let step = steps.get(at);
                visit(&[(step.rule, step.weight)], step.end, step.state);
            }),
        }
    }

    /// What fires the rules.
    pub fn stepper(&mut self) -> &mut S {
        &mut self.stepper
    }

    /// Judges a state met for the first time.
    #[inline]
    pub fn inspect(&mut self, state: &[u64]) -> Inspection {
        let stepper = &mut self.stepper;
        stepper.look_at(state);
        self.judge.inspect(|property| stepper.condition(property))
    }

    /// Whether an execution may end in a state.
    pub fn may_end(&mut self, state: &[u64]) -> bool {
        self.judge.may_end(&mut self.stepper, state)
    }

    /// The rules that led to states that are not stored, and how often, after the state that was expanded last.
    pub fn fired_inside(&self) -> &[(RuleId, u64)] {
        self.passage.as_ref().map_or(&[], |passage| &passage.fired)
    }

    /// What expanding a state may take of a thread's stack, beyond what every search needs.
    pub fn stack_bytes(&self) -> usize {
        self.stepper.stack_bytes()
    }

    /// The properties to be covered that no state or step has covered, in order.
    pub fn uncovered(&mut self) -> Vec<PropertyId> {
        let met = self.stepper.met(self.judge.cover_points());
        self.judge.uncovered(&met)
    }
}
