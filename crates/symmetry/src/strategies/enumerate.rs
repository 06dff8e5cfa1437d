//! The canonicaliser `enumerate`: exact, and factorial in the sizes of classes.
//!
//! Applies every permutation and keeps the least image, as Murphi's exhaustive canonicalisation (Ip and Dill, *Better
//! verification through symmetry*) and TopSPIN's option of this name (Donaldson and Miller, *Extending symmetry
//! reduction techniques to a realistic model of computation*, section 7) do.
//!
// SOUND: the least image under a whole group is the same for all states of an orbit.

use std::ops::ControlFlow;

use super::{Renamer, Stabilisers};
use crate::action::Action;
use crate::picture::Facts;
use crate::strategy::Canonicaliser;

#[derive(Debug, Clone)]
pub(crate) struct Enumerator<'a> {
    renamer: Renamer<'a>,
    stabilisers: Stabilisers,
    /// The sizes of classes.
    lengths: Vec<u32>,
    image: Vec<u64>,
}

impl<'a> Enumerator<'a> {
    pub(crate) fn new(action: &'a Action, facts: &'a Facts) -> Self {
        let lengths = action.classes().map(|class| class.len() as u32).collect();
        Self { renamer: Renamer::new(action, facts), stabilisers: Stabilisers::default(), lengths, image: Vec::new() }
    }
}

impl Canonicaliser for Enumerator<'_> {
    fn canonicalise(&mut self, state: &mut [u64]) {
        let Self { renamer, stabilisers, lengths, image } = self;
        renamer.read(state);
        stabilisers.visit(lengths, |images| {
            renamer.rename(images, image);
            if image[..] < *state {
                state.copy_from_slice(image);
            }
            ControlFlow::Continue(())
        });
    }
}
