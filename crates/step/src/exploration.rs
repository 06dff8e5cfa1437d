//! The first states of a model, breadth first and without reduction.

use burnside_interp::{StepBuffer, StepEnd};
use rustc_hash::FxHashSet;

use crate::{Stepper, Successors};

/// The first states of a model, in the order in which they are met: enough to tell what searching the rest would be like.
/// Properties, assumptions among them, are not looked at.
pub struct Exploration<S> {
    successors: Successors<S>,
    steps: StepBuffer,
    met: Met,
    /// How many of them were expanded.
    n_expanded: usize,
    /// How many states there were when their depth was complete.
    level_end: usize,
}

/// States met, in their order.
struct Met {
    states: Vec<Box<[u64]>>,
    known: FxHashSet<Box<[u64]>>,
    /// How many are met at most.
    most: usize,
}

/// A start state or a rule faults, so that a search would end here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Faulted;

impl<S: Stepper> Exploration<S> {
    /// Meets the start states, packed in so many words, and no more than `most` of them.
    pub fn begin(mut successors: Successors<S>, n_words: usize, most: usize) -> Result<Self, Faulted> {
        let mut steps = StepBuffer::new(n_words);
        let mut met = Met { states: Vec::new(), known: FxHashSet::default(), most };
        successors.starts(&mut steps, |steps| {
            let noted = met.note(steps);
            steps.clear();
            noted.is_ok() && !met.is_full()
        });
        // What is left is a fault.
        met.note(&steps)?;
        let level_end = met.states.len();
        Ok(Self { successors, steps, met, n_expanded: 0, level_end })
    }

    /// Meets at most so many states from now on.
    pub fn stop_at(&mut self, most: usize) {
        self.met.most = most;
    }

    /// Meets what follows the next state; false if there is none or enough were met.
    pub fn go_on(&mut self) -> Result<bool, Faulted> {
        if self.met.is_full() || self.n_expanded >= self.met.states.len() {
            return Ok(false);
        }
        if self.n_expanded == self.level_end {
            self.level_end = self.met.states.len();
        }
        self.steps.clear();
        self.successors.expand(&self.met.states[self.n_expanded], &[], &mut self.steps);
        self.n_expanded += 1;
        self.met.note(&self.steps)?;
        Ok(true)
    }

    /// The states met.
    pub fn states(&self) -> &[Box<[u64]>] {
        &self.met.states
    }

    /// Those of them at a depth that is complete.
    pub fn complete(&self) -> &[Box<[u64]>] {
        &self.met.states[..self.level_end]
    }
}

impl Met {
    fn is_full(&self) -> bool {
        self.states.len() >= self.most
    }

    fn note(&mut self, steps: &StepBuffer) -> Result<(), Faulted> {
        for step in (0..steps.len()).map(|at| steps.get(at)) {
            match step.end {
                StepEnd::Fault => return Err(Faulted),
                StepEnd::Next if !self.is_full() && !self.known.contains(step.state) => {
                    self.known.insert(step.state.into());
                    self.states.push(step.state.into());
                }
                StepEnd::Next | StepEnd::Pruned => {}
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use burnside_ir::{Layout, text};

    use super::*;
    use crate::{Interpreted, Question};

    /// Two bits that can be set: one state, then two, then one; and a fault behind it if that is wanted.
    fn model(fault: &str) -> burnside_ir::Model {
        let text = format!(
            r#"(model
                (global g0 "a" t0)
                (global g1 "b" t0)
                (start i0 "init" (do (assign g0 false) (assign g1 false)))
                (rule r0 "a" (guard (not g0)) (do (assign g0 true)))
                (rule r1 "b" (guard (not g1)) (do (assign g1 true)))
                (rule r2 "both" (guard (and g0 g1)) (do {fault})))"#
        );
        text::parse(&text).unwrap_or_else(|problem| panic!("{problem:?}"))
    }

    /// How many states are known and how many of them are of a complete depth, step by step.
    fn sizes(fault: &str, most: usize) -> Result<Vec<(usize, usize)>, Faulted> {
        let model = model(fault);
        let layout = Layout::new(&model).expect("it fits");
        let question = Question::new(&model, &layout);
        let successors = Successors::new(&question, Interpreted::new(&question));
        let mut met = Exploration::begin(successors, layout.n_words(), most)?;
        let mut sizes = vec![(met.states().len(), met.complete().len())];
        while met.go_on()? {
            sizes.push((met.states().len(), met.complete().len()));
        }
        Ok(sizes)
    }

    #[test]
    fn states_are_met_breadth_first_until_there_are_enough() {
        assert_eq!(sizes("(clear g0)", 9), Ok(vec![(1, 1), (3, 1), (4, 3), (4, 3), (4, 4)]));
        assert_eq!(sizes("(clear g0)", 2), Ok(vec![(1, 1), (2, 1)]));
    }

    #[test]
    fn a_fault_ends_it() {
        assert_eq!(sizes("(error \"no\")", 9), Err(Faulted));
    }
}
