//! Representatives together with the permutations that lead to them.

use crate::action::Action;
use crate::combined::Combined;
use crate::refine::{Exchange, Refiner};

/// Brings states to the representatives of [`Strategy::Refine`](crate::Strategy::Refine) and tells where each vertex went.
/// Holds scratch memory; one per thread.
pub struct Tracker<'a> {
    action: &'a Action,
    refiner: Refiner<'a>,
    combined: Option<Combined<'a>>,
    exchange: Exchange,
}

impl<'a> Tracker<'a> {
    pub(crate) fn new(action: &'a Action, refiner: Refiner<'a>, combined: Option<Combined<'a>>) -> Self {
        let exchange = Exchange::new(action.n_vertices());
        Self { action, refiner, combined, exchange }
    }

    /// Puts the representative in place of a state; `images` gets, for each vertex, what it is called there.
    pub fn canonicalise(&mut self, state: &mut [u64], images: &mut Vec<u32>) {
        if let Some(combined) = &mut self.combined {
            return combined.arrange(state, images);
        }
        let (representative, found) = self.refiner.arrange(self.action.cells(), state);
        state.copy_from_slice(representative);
        images.clear();
        images.extend_from_slice(found);
    }

    /// The vertices that can be exchanged with one of its class so that a state stays as it is, the vertex itself among them,
    /// in order. Where groups of other permutations are in use, none are told.
    pub fn twins(&mut self, state: &[u64], vertex: u32) -> Vec<u32> {
        let mut cells = self.action.cells().iter();
        match cells.find(|cell| self.combined.is_none() && cell.contains(&vertex)) {
            Some(cell) => self.exchange.twins(&mut self.refiner, state, vertex, cell),
            None => Vec::new(),
        }
    }

    /// The image of a state when each vertex `v` is called `images[v]`.
    pub fn rename(&mut self, images: &[u32], state: &[u64], to: &mut Vec<u64>) {
        self.refiner.read(state);
        self.refiner.rename(images, to);
    }
}
