//! Symmetry: found, proved, and acted with on states.
//!
//! `infer` finds classes of interchangeable identities and proves them by how their values are used; `order` proves
//! that loops over identities do not depend on their order; [`Symmetry`] is the outcome for a model. `action` derives
//! from the layout how permutations of identities act on states. A [`Reduction`] makes the canonicalisers that pick one
//! state of each orbit: `refine` is ours, `strategies` has those of others.
//! A [`Certificate`] says why; [`recheck`] tries what was proved, on states, without looking at the proof.

mod action;
mod bits;
mod blocks;
mod cells;
mod census;
mod certificate;
mod combined;
mod facts;
mod infer;
mod joint;
mod known;
mod opinions;
mod orbits;
mod order;
mod partition;
mod picture;
mod recheck;
mod reduction;
mod refine;
mod shuffle;
mod strategies;
mod strategy;
mod symmetry;
mod tracker;
mod twins;
mod words;

pub use action::{Action, Renaming};
pub use cells::Cells;
pub use census::{Census, OrbitCounter};
pub use certificate::{Certificate, Ground, Obligation};
pub use infer::{Break, Class};
pub use joint::{Culprit, Joint};
pub use opinions::{Opinion, opinions};
pub use orbits::{Arranger, Orbits};
pub use order::{Argument, Ordered, ordered_in_part};
pub use recheck::{Claim, Move, Part, Rechecked, Refuted, recheck, recheck_claims};
pub use reduction::{Memory, Reduction};
pub use strategy::{Canonicaliser, Exactness, Strategy};
pub use symmetry::{Permutations, SymmetricClass, Symmetry, index_types};
pub use tracker::Tracker;
pub use twins::Twins;
