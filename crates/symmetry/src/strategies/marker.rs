//! The strategy `marker`: approximate; states with equal markers are taken for one.
//!
//! ProB's symmetry markers (Leuschel and Massart, *Efficient approximate verification of B and Z models via symmetry
//! markers*; the survey's section 4.4): each identity is replaced by how it occurs in the state, and the hash of what
//! that gives is the state's marker. States of one orbit have one marker; the converse holds often, but not always, so
//! states may be left out and a search that finds nothing has proved nothing.
//!
// SOUND: what is visited was met as it is, so a violation found is one. `Exactness::Approximate` makes the search claim
// nothing else.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Mutex, PoisonError};

use super::{Renamer, Signature};
use crate::action::Action;
use crate::facts::Facts;
use crate::strategy::Canonicaliser;

/// The state met first with each marker.
#[derive(Debug, Default)]
pub(crate) struct Marked {
    first: HashMap<u64, Box<[u64]>>,
}

impl Marked {
    pub(crate) fn bytes(&self) -> u64 {
        let words = self.first.values().next().map_or(0, |state| size_of_val(&**state));
        (self.first.len() * (words + size_of::<(u64, Box<[u64]>)>())) as u64
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Marker<'a> {
    marked: &'a Mutex<Marked>,
    renamer: Renamer<'a>,
    signature: Signature,
}

impl<'a> Marker<'a> {
    pub(crate) fn new(action: &'a Action, facts: &'a Facts, marked: &'a Mutex<Marked>) -> Self {
        Self { marked, renamer: Renamer::new(action, facts), signature: Signature::new(action) }
    }
}

impl Canonicaliser for Marker<'_> {
    fn canonicalise(&mut self, state: &mut [u64]) {
        self.renamer.read(state);
        self.renamer.draw();
        let marker = self.signature.of(&self.renamer, state);
        let mut marked = self.marked.lock().unwrap_or_else(PoisonError::into_inner);
        match marked.first.entry(marker) {
            Entry::Occupied(occupied) => state.copy_from_slice(occupied.get()),
            Entry::Vacant(vacant) => {
                vacant.insert((&*state).into());
            }
        }
    }
}
