//! The canonicaliser `enumerate`: exact, and factorial in the sizes of classes.
//!
//! Applies every permutation and keeps the least image, as Murphi's exhaustive canonicalisation (Ip and Dill, *Better
//! verification through symmetry*) and TopSPIN's option of this name (Donaldson and Miller, *Extending symmetry
//! reduction techniques to a realistic model of computation*, section 7) do.
//!
// SOUND: the least image under a whole group is the same for all states of an orbit.

use std::ops::ControlFlow;

use burnside_group::Group;

use super::{Renamer, Stabilisers};
use crate::action::Action;
use crate::facts::Facts;
use crate::strategy::Canonicaliser;

#[derive(Debug, Clone)]
pub(crate) struct Enumerator<'a> {
    renamer: Renamer<'a>,
    stabilisers: Stabilisers,
    /// The sizes of symmetric classes, and a one for each other vertex.
    lengths: Vec<u32>,
    /// Permutations of the other vertices.
    elements: Elements,
    state: Vec<u64>,
    moved: Vec<u64>,
    image: Vec<u64>,
}

/// All elements of a group.
#[derive(Debug, Clone)]
enum Elements {
    Listed(Vec<Vec<u32>>),
    /// Too many to keep.
    Made(Group),
}

/// How many elements are kept.
const MOST_LISTED: u128 = 50_000;

impl Elements {
    fn new(group: &Group) -> Self {
        match group.order().to_u128() {
            Some(order) if order <= MOST_LISTED => Self::Listed(images(group).collect()),
            _ => Self::Made(group.clone()),
        }
    }

    fn visit(&self, mut visit: impl FnMut(&[u32])) {
        match self {
            Self::Listed(elements) => elements.iter().for_each(|element| visit(element)),
            Self::Made(group) => images(group).for_each(|element| visit(&element)),
        }
    }
}

fn images(group: &Group) -> impl Iterator<Item = Vec<u32>> {
    group.elements().map(|element| element.images().map(|image| image as u32).collect())
}

impl<'a> Enumerator<'a> {
    pub(crate) fn new(action: &'a Action, facts: &'a Facts, joints: &Group) -> Self {
        let is_joint = |vertex: u32| joints.support().contains(&(vertex as usize));
        let lengths = action.classes().flat_map(|class| match class.clone().any(is_joint) {
            true => vec![1; class.len()],
            false => vec![class.len() as u32],
        });
        Self {
            renamer: Renamer::new(action, facts),
            stabilisers: Stabilisers::default(),
            lengths: lengths.collect(),
            elements: Elements::new(joints),
            state: Vec::new(),
            moved: Vec::new(),
            image: Vec::new(),
        }
    }
}

impl Canonicaliser for Enumerator<'_> {
    fn canonicalise(&mut self, state: &mut [u64]) {
        let Self { renamer, stabilisers, lengths, elements, state: original, moved, image } = self;
        original.clear();
        original.extend_from_slice(state);
        elements.visit(|element| {
            renamer.read(original);
            renamer.rename(element, moved);
            renamer.read(moved);
            stabilisers.visit(lengths, |images| {
                renamer.rename(images, image);
                if image[..] < *state {
                    state.copy_from_slice(image);
                }
                ControlFlow::Continue(())
            });
        });
    }
}
