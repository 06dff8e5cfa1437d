//! Symmetry: found, proved, and acted with on states.
//!
//! `infer` finds classes of interchangeable identities and proves them by how their values are used; `order` proves
//! that loops over identities do not depend on their order; [`Symmetry`] is the outcome for a model. `action` derives
//! from the layout how permutations of identities act on states; the canonicalisers pick one state of each orbit.

mod action;
mod infer;
mod order;
mod refine;
mod symmetry;

pub use action::{Action, Renaming};
pub use infer::{Break, Class};
pub use order::{OrderedLoop, ordered_loops};
pub use refine::Refiner;
pub use symmetry::{Reduction, SymmetricClass, Symmetry};
