//! Symmetry: found, proved, and acted with on states.
//!
//! `infer` finds classes of interchangeable identities and proves them by how their values are used; `order` proves
//! that loops over identities do not depend on their order; [`Symmetry`] is the outcome for a model. `action` derives
//! from the layout how permutations of identities act on states. A [`Reduction`] makes the canonicalisers that pick one
//! state of each orbit: `refine` is ours, `strategies` has those of others.

mod action;
mod bits;
mod census;
mod infer;
mod order;
mod partition;
mod picture;
mod reduction;
mod refine;
mod strategies;
mod strategy;
mod symmetry;

pub use action::{Action, Renaming};
pub use census::{Census, OrbitCounter};
pub use infer::{Break, Class};
pub use reduction::Reduction;
pub use strategy::{Canonicaliser, Exactness, Strategy};
pub use symmetry::{SymmetricClass, Symmetry};
