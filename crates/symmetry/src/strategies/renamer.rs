//! Permutations applied to packed states.

use crate::action::{Action, Scratch};
use crate::facts::Facts;
use crate::picture::Picture;

/// Applies permutations to the state it has read last.
#[derive(Debug, Clone)]
pub(crate) struct Renamer<'a> {
    pub(crate) action: &'a Action,
    facts: &'a Facts,
    pub(crate) picture: Picture,
    scratch: Scratch,
}

impl<'a> Renamer<'a> {
    pub(crate) fn new(action: &'a Action, facts: &'a Facts) -> Self {
        Self { action, facts, picture: Picture::new(facts), scratch: Scratch::default() }
    }

    pub(crate) fn read(&mut self, state: &[u64]) {
        self.picture.read(self.facts, self.action, state);
    }

    /// Lists the edges of the state read last.
    pub(crate) fn draw(&mut self) {
        self.picture.draw(self.facts, self.action);
    }

    /// The image of the state read last when each vertex `v` is called `images[v]`.
    pub(crate) fn rename(&mut self, images: &[u32], to: &mut Vec<u64>) {
        self.picture.rename((self.facts, self.action), images, to, &mut self.scratch);
    }
}
