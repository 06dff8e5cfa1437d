//! The canonicaliser `segment`: exact, and factorial in the number of members that own equal values.
//!
//! SymmSpin's "segmented" strategy (Bošnački, Dams and Holenderski, *Symmetric Spin*; Wahl and Donaldson's survey,
//! section 4.3), which Donaldson and Miller extend to other groups with partition stabilisers that are kept (*Extending
//! symmetry reduction techniques to a realistic model of computation*, sections 5 and 6): members are sorted by their
//! own values as by `sort`; of all images that are sorted, the least is taken. These images are reached by permuting
//! members of equal values.
//!
// SOUND: the images of a state whose members are sorted by their own values are the same for all states of an orbit,
// since permutations move these values and do not change them. Hence so is the least of them.

use std::ops::ControlFlow;

use super::{Keys, Renamer, Stabilisers};
use crate::action::Action;
use crate::facts::Facts;
use crate::partition::Partition;
use crate::strategy::Canonicaliser;

#[derive(Debug, Clone)]
pub(crate) struct Segmenter<'a> {
    renamer: Renamer<'a>,
    keys: Keys,
    stabilisers: Stabilisers,
    partition: Partition,
    lengths: Vec<u32>,
    images: Vec<u32>,
    image: Vec<u64>,
    best: Vec<u64>,
}

impl<'a> Segmenter<'a> {
    pub(crate) fn new(action: &'a Action, facts: &'a Facts) -> Self {
        Self {
            renamer: Renamer::new(action, facts),
            keys: Keys::new(action),
            stabilisers: Stabilisers::default(),
            partition: Partition::default(),
            lengths: Vec::new(),
            images: vec![0; action.n_vertices()],
            image: Vec::new(),
            best: Vec::new(),
        }
    }
}

impl Canonicaliser for Segmenter<'_> {
    fn canonicalise(&mut self, state: &mut [u64]) {
        let Self { renamer, keys, stabilisers, partition, lengths, images, image, best } = self;
        keys.sort(renamer.action, state, partition);
        lengths.clear();
        lengths.extend(partition.lengths());
        renamer.read(state);
        best.clear();
        stabilisers.visit(lengths, |permutation| {
            for (&vertex, &to) in partition.order().iter().zip(permutation) {
                images[vertex as usize] = to;
            }
            renamer.rename(images, image);
            if best.is_empty() || image < best {
                std::mem::swap(image, best);
            }
            ControlFlow::Continue(())
        });
        state.copy_from_slice(best);
    }
}
