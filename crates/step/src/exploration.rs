//! The first states of a model, breadth first and without reduction.

use burnside_interp::{StepBuffer, StepEnd};
use rustc_hash::FxHashSet;

use crate::{Stepper, Successors};

/// The first states of a model, in the order in which they are met: enough to tell what searching the rest would be like.
/// Properties, assumptions among them, are not looked at.
pub struct Exploration<S> {
    successors: Successors<S>,
    steps: StepBuffer,
    states: Vec<Box<[u64]>>,
    known: FxHashSet<Box<[u64]>>,
    /// How many are met at most.
    most: usize,
    /// How many of them were expanded.
    n_expanded: usize,
    /// How many states there were when their depth was complete.
    level_end: usize,
}

/// A start state or a rule faults, so that a search would end here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Faulted;

impl<S: Stepper> Exploration<S> {
    /// Meets the start states, packed in so many words, and no more than `most` of them.
    pub fn begin(mut successors: Successors<S>, n_words: usize, most: usize) -> Result<Self, Faulted> {
        let mut steps = StepBuffer::new(n_words);
        successors.starts(&mut steps);
        let (states, known) = (Vec::new(), FxHashSet::default());
        let mut begun = Self { successors, steps, states, known, most, n_expanded: 0, level_end: 0 };
        begun.note()?;
        begun.level_end = begun.states.len();
        Ok(begun)
    }

    /// Meets at most so many states from now on.
    pub fn stop_at(&mut self, most: usize) {
        self.most = most;
    }

    /// Meets what follows the next state; false if there is none or enough were met.
    pub fn go_on(&mut self) -> Result<bool, Faulted> {
        if self.states.len() >= self.most || self.n_expanded >= self.states.len() {
            return Ok(false);
        }
        if self.n_expanded == self.level_end {
            self.level_end = self.states.len();
        }
        self.steps.clear();
        self.successors.expand(&self.states[self.n_expanded], &[], &mut self.steps);
        self.n_expanded += 1;
        self.note()?;
        Ok(true)
    }

    /// The states met.
    pub fn states(&self) -> &[Box<[u64]>] {
        &self.states
    }

    /// Those of them at a depth that is complete.
    pub fn complete(&self) -> &[Box<[u64]>] {
        &self.states[..self.level_end]
    }

    fn note(&mut self) -> Result<(), Faulted> {
        for step in (0..self.steps.len()).map(|at| self.steps.get(at)) {
            match step.end {
                StepEnd::Fault => return Err(Faulted),
                StepEnd::Next if self.states.len() < self.most && !self.known.contains(step.state) => {
                    self.known.insert(step.state.into());
                    self.states.push(step.state.into());
                }
                StepEnd::Next | StepEnd::Pruned => {}
            }
        }
        Ok(())
    }
}
