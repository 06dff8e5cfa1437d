//! Symmetry: found, proved, and acted with on states.
//!
//! `infer` finds classes of interchangeable identities and proves them by how their values are used; `order` proves
//! that loops over identities do not depend on their order; [`Symmetry`] is the outcome for a model. `action` derives
//! from the layout how permutations of identities act on states; the canonicalisers pick one state of each orbit.
//! A [`Certificate`] says why; [`recheck`] tries what was proved, on states, without looking at the proof.

mod action;
mod bits;
mod certificate;
mod infer;
mod order;
mod partition;
mod picture;
mod recheck;
mod refine;
mod strategy;
mod symmetry;

pub use action::{Action, Renaming};
pub use certificate::{Certificate, Ground, Obligation};
pub use infer::{Break, Class};
pub use order::Argument;
pub use recheck::{Part, Rechecked, Refuted, recheck};
pub use strategy::Canonicaliser;
pub use symmetry::{Reduction, SymmetricClass, Symmetry};
