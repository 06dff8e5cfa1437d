//! Which state is expanded next.

use std::collections::VecDeque;

use crate::visited::StateId;

/// A state to be expanded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pending {
    pub(crate) state: StateId,
    /// Steps from a start state on the way it was found.
    pub(crate) depth: u32,
}

/// States stored but not yet expanded.
pub(crate) trait Frontier: Default {
    fn push(&mut self, pending: Pending);
    fn pop(&mut self) -> Option<Pending>;
    fn len(&self) -> usize;
}

/// First in, first out: breadth-first search.
#[derive(Debug, Default)]
pub(crate) struct Queue(VecDeque<Pending>);

/// Last in, first out: depth-first search.
#[derive(Debug, Default)]
pub(crate) struct Stack(Vec<Pending>);

impl Frontier for Queue {
    fn push(&mut self, pending: Pending) {
        self.0.push_back(pending);
    }

    fn pop(&mut self) -> Option<Pending> {
        self.0.pop_front()
    }

    fn len(&self) -> usize {
        self.0.len()
    }
}

impl Frontier for Stack {
    fn push(&mut self, pending: Pending) {
        self.0.push(pending);
    }

    fn pop(&mut self) -> Option<Pending> {
        self.0.pop()
    }

    fn len(&self) -> usize {
        self.0.len()
    }
}
