//! Systems that a group does not quite leave as they are.
//!
//! [`Acted`] is a set of states closed under a group that need not respect the steps. `similarity` says how much of the
//! symmetry is there: near, rough or virtual. `guarded` keeps one state of each orbit all the same, with a guard on each
//! step that says under which renamings it is a step of the system; `unwound` tells nodes apart by as much of the renaming
//! as a partition of the points shows; `refine` makes the partition finer only where a counterexample asks for it;
//! `bounds` decides full CTL* by what is possible and what is certain.
//!
//! The group is given by its elements, which is right for small groups and for tests. An engine finds guards by firing
//! rules in the parts of an orbit instead; `docs/internals/temporal.md` has the correspondence.

mod acted;
mod bounds;
mod guarded;
mod refine;
mod similarity;
mod unwound;

pub use acted::Acted;
pub use bounds::{Bound, Bounds};
pub use guarded::{Guarded, GuardedStep};
pub use refine::{LazyOutcome, check_lazily};
pub use similarity::{CountingWitness, Similarities, Similarity, SimilarityWitness, virtual_witness};
pub use unwound::{Side, Unwound, View};
