//! Partial-order reduction on graphs whose steps are instances of rules, together with symmetry or without.
//!
//! `stubborn` picks which instances to fire in a state; `cycles` makes the condition on cycles true after the search, for
//! any order of searching and any number of threads, so that the product comes afterwards on a stored graph.
//!
//! SOUND (Theorem 3 in `docs/internals/temporal.md`): if in every representative the fired set is nonempty where something
//! is enabled, stubborn, without visible instances unless it is everything, and every cycle has a node in which everything
//! was fired, then properties without `nexttime` that the group leaves invariant have the same answers.

mod cycles;
mod stubborn;

pub use cycles::{Condition, Expansion, Reduced, reduce};
pub use stubborn::{Dependencies, stubborn_set};
