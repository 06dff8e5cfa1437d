//! The canonicaliser `flood`: exact; all images of a state are remembered when it is met.
//!
//! ProB's permutation flooding (Leuschel, Butler, Spermann and Turner, *Symmetry reduction for B by permutation
//! flooding*; the survey's section 4.4). It saves no memory, since every state is kept here though the search stores one
//! for each orbit; what it saves is the work of expanding and checking the others.
//!
// SOUND: the state is replaced only by one whose image it is.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use super::{Renamer, Stabilisers};
use crate::action::Action;
use crate::facts::Facts;
use crate::strategy::Canonicaliser;

/// All images of the states met so far.
#[derive(Debug, Default)]
pub(crate) struct Flooded {
    /// With the number of the representative.
    images: HashMap<Box<[u64]>, u32>,
    representatives: Vec<Box<[u64]>>,
    bytes: u64,
}

impl Flooded {
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Flooder<'a> {
    flooded: &'a Mutex<Flooded>,
    renamer: Renamer<'a>,
    stabilisers: Stabilisers,
    /// The sizes of classes.
    lengths: Vec<u32>,
    image: Vec<u64>,
}

impl<'a> Flooder<'a> {
    pub(crate) fn new(action: &'a Action, facts: &'a Facts, flooded: &'a Mutex<Flooded>) -> Self {
        let lengths = action.classes().map(|class| class.len() as u32).collect();
        let (renamer, stabilisers) = (Renamer::new(action, facts), Stabilisers::default());
        Self { flooded, renamer, stabilisers, lengths, image: Vec::new() }
    }
}

impl Canonicaliser for Flooder<'_> {
    fn canonicalise(&mut self, state: &mut [u64]) {
        let Self { flooded, renamer, stabilisers, lengths, image } = self;
        let mut flooded = flooded.lock().unwrap_or_else(PoisonError::into_inner);
        let Flooded { images, representatives, bytes } = &mut *flooded;
        if let Some(&number) = images.get(&*state) {
            state.copy_from_slice(&representatives[number as usize]);
            return;
        }
        let number = representatives.len() as u32;
        let n_before = images.len();
        renamer.read(state);
        stabilisers.visit(lengths, |permutation| {
            renamer.rename(permutation, image);
            if let Entry::Vacant(vacant) = images.entry(image[..].into()) {
                vacant.insert(number);
            }
            ControlFlow::Continue(())
        });
        representatives.push((&*state).into());
        let n_kept = (images.len() - n_before + 1) * (size_of_val(state) + size_of::<(Box<[u64]>, u64)>());
        *bytes += n_kept as u64;
    }
}
