//! What can be known about a model without running it.
//!
//! `definedness` finds the parts of the state that never become undefined; `purity` the functions that change nothing
//! but their own variables; `partition` the permutations of identities under which a rule is invariant. All are
//! conservative: what they claim holds in every execution.

mod definedness;
mod partition;
mod purity;

pub use definedness::{Definedness, Owner};
pub use partition::{Conjunct, Each, Family, Group, Identities, IdentityClass, Invariance, Param, Tables, coarsest};
pub use purity::Purity;
