//! Representatives together with the permutations that lead to them.

use crate::action::Action;
use crate::combined::Combined;
use crate::refine::Refiner;

/// Brings states to the representatives of [`Strategy::Refine`](crate::Strategy::Refine) and tells where each vertex went.
/// Holds scratch memory; one per thread.
pub struct Tracker<'a> {
    action: &'a Action,
    refiner: Refiner<'a>,
    combined: Option<Combined<'a>>,
}

impl<'a> Tracker<'a> {
    pub(crate) fn new(action: &'a Action, refiner: Refiner<'a>, combined: Option<Combined<'a>>) -> Self {
        Self { action, refiner, combined }
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

    /// The image of a state when each vertex `v` is called `images[v]`.
    pub fn rename(&mut self, images: &[u32], state: &[u64], to: &mut Vec<u64>) {
        self.refiner.read(state);
        self.refiner.rename(images, to);
    }
}
