//! The canonicaliser `local`: hill climbing; more than one state for some orbits.
//!
//! As long as the exchange of two members of a class makes the state less, they are exchanged (Donaldson and Miller,
//! *Exact and approximate strategies for symmetry reduction in model checking*; TopSPIN's option "hillclimbing"). The
//! result is a local minimum, which need not be the least image.
//!
// SOUND: the result is the image of the state under a permutation, so a member of each orbit met is visited. It ends:
// each exchange makes the state less.

use super::Renamer;
use crate::action::Action;
use crate::facts::Facts;
use crate::strategy::Canonicaliser;

#[derive(Debug, Clone)]
pub(crate) struct Climber<'a> {
    renamer: Renamer<'a>,
    /// Pairs of members of a class.
    exchanges: Vec<[u32; 2]>,
    images: Vec<u32>,
    image: Vec<u64>,
}

impl<'a> Climber<'a> {
    pub(crate) fn new(action: &'a Action, facts: &'a Facts) -> Self {
        let pairs = |class: std::ops::Range<u32>| {
            class.clone().flat_map(move |one| (one + 1..class.end).map(move |other| [one, other]))
        };
        Self {
            renamer: Renamer::new(action, facts),
            exchanges: action.classes().flat_map(pairs).collect(),
            images: (0..action.n_vertices() as u32).collect(),
            image: Vec::new(),
        }
    }
}

impl Canonicaliser for Climber<'_> {
    fn canonicalise(&mut self, state: &mut [u64]) {
        let Self { renamer, exchanges, images, image } = self;
        let mut is_lower = true;
        while is_lower {
            is_lower = false;
            for &[one, other] in exchanges.iter() {
                renamer.read(state);
                images.swap(one as usize, other as usize);
                renamer.rename(images, image);
                images.swap(one as usize, other as usize);
                if image[..] < *state {
                    state.copy_from_slice(image);
                    is_lower = true;
                }
            }
        }
    }
}
