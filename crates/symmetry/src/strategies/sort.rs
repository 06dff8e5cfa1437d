//! The canonicaliser `sort`: cheap, and more than one state for some orbits.
//!
//! SymmSpin's "sorted" strategy (Bošnački, Dams and Holenderski, *Symmetric Spin*; Wahl and Donaldson's survey, section
//! 4.3), TopSPIN's option "fast" where the group is a product of full symmetric groups: the members of each class are
//! sorted by their own values, references left out; members with equal values stay in the order they have. Where no
//! member refers to another and no variable to a member, the result is canonical.
//!
// SOUND: the result is the image of the state under a permutation, so a member of each orbit met is visited.

use super::{Keys, Renamer};
use crate::action::Action;
use crate::facts::Facts;
use crate::partition::Partition;
use crate::strategy::Canonicaliser;

#[derive(Debug, Clone)]
pub(crate) struct Sorter<'a> {
    renamer: Renamer<'a>,
    keys: Keys,
    partition: Partition,
    images: Vec<u32>,
    image: Vec<u64>,
}

impl<'a> Sorter<'a> {
    pub(crate) fn new(action: &'a Action, facts: &'a Facts) -> Self {
        Self {
            renamer: Renamer::new(action, facts),
            keys: Keys::new(action),
            partition: Partition::default(),
            images: vec![0; action.n_vertices()],
            image: Vec::new(),
        }
    }
}

impl Canonicaliser for Sorter<'_> {
    fn canonicalise(&mut self, state: &mut [u64]) {
        self.keys.sort(self.renamer.action, state, &mut self.partition);
        for (to, &vertex) in (0..).zip(self.partition.order()) {
            self.images[vertex as usize] = to;
        }
        self.renamer.read(state);
        self.renamer.rename(&self.images, &mut self.image);
        state.copy_from_slice(&self.image);
    }
}
