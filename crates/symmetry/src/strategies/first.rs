//! The canonicaliser `first`: exact; the member of an orbit met first stands for it.
//!
//! As in SMC (Sistla, Gyuris and Emerson, *SMC: a symmetry-based model checker*; the survey's section 4.4): a hash that
//! is equal for all states of an orbit leads to the representatives met so far, and each is tested for being in the
//! orbit of the state at hand. SMC's test is randomised and may miss; this one tries all permutations between vertices
//! that occur alike in both states, and stops at the first that leads from one to the other.
//!
// SOUND: the state is replaced only by one that is its image under a permutation.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use super::{Renamer, Signature, Stabilisers};
use crate::action::Action;
use crate::facts::Facts;
use crate::partition::Partition;
use crate::strategy::Canonicaliser;

/// The representatives met so far, by their symmetric hash.
#[derive(Debug, Default)]
pub(crate) struct Representatives {
    by_hash: HashMap<u64, Vec<Representative>>,
    bytes: u64,
}

#[derive(Debug)]
struct Representative {
    state: Box<[u64]>,
    /// Its vertices, cell by cell of those that occur alike.
    order: Box<[u32]>,
}

impl Representatives {
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }
}

#[derive(Debug, Clone)]
pub(crate) struct FirstMet<'a> {
    representatives: &'a Mutex<Representatives>,
    renamer: Renamer<'a>,
    signature: Signature,
    stabilisers: Stabilisers,
    partition: Partition,
    lengths: Vec<u32>,
    images: Vec<u32>,
    image: Vec<u64>,
}

impl<'a> FirstMet<'a> {
    pub(crate) fn new(action: &'a Action, facts: &'a Facts, representatives: &'a Mutex<Representatives>) -> Self {
        Self {
            representatives,
            renamer: Renamer::new(action, facts),
            signature: Signature::new(action),
            stabilisers: Stabilisers::default(),
            partition: Partition::default(),
            lengths: Vec::new(),
            images: vec![0; action.n_vertices()],
            image: Vec::new(),
        }
    }

    /// Whether some permutation leads from the state at hand to the representative.
    fn leads_to(&mut self, representative: &Representative) -> bool {
        let Self { renamer, stabilisers, partition, lengths, images, image, .. } = self;
        let mut is_found = false;
        stabilisers.visit(lengths, |permutation| {
            for (&vertex, &at) in partition.order().iter().zip(permutation) {
                images[vertex as usize] = representative.order[at as usize];
            }
            renamer.rename(images, image);
            is_found = image[..] == *representative.state;
            if is_found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        is_found
    }
}

impl Canonicaliser for FirstMet<'_> {
    fn canonicalise(&mut self, state: &mut [u64]) {
        self.renamer.read(state);
        self.renamer.draw();
        let hash = self.signature.of(&self.renamer, state);
        self.partition.reset(self.renamer.action.firsts());
        self.partition.split(self.signature.occurrences());
        self.lengths.clear();
        self.lengths.extend(self.partition.lengths());
        let representatives = self.representatives;
        let mut representatives = representatives.lock().unwrap_or_else(PoisonError::into_inner);
        let Representatives { by_hash, bytes } = &mut *representatives;
        let alike = by_hash.entry(hash).or_default();
        if let Some(found) = alike.iter().find(|it| self.leads_to(it)) {
            state.copy_from_slice(&found.state);
            return;
        }
        let order = self.partition.order();
        *bytes +=
            (size_of_val(state) + size_of_val(order) + size_of::<(u64, Vec<Representative>, Representative)>()) as u64;
        alike.push(Representative { state: (&*state).into(), order: order.into() });
    }
}
