//! What can be known about a model without running it.
//!
//! `definedness` finds the parts of the state that never become undefined; `positions` where the order of elements in
//! multisets is seen; `partition` the permutations of identities under which a rule is invariant. All are conservative:
//! what they claim holds in every execution.

mod definedness;
mod partition;
mod positions;

pub use definedness::{Definedness, Owner};
pub use partition::{
    Conjunct, Identities, IdentityClass, InstanceFamily, InstanceGroup, Invariance, Param, Pointwise, Tables, coarsest,
};
pub use positions::{Positions, Seen};
