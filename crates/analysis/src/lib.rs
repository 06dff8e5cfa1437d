//! What can be known about a model without running it.
//!
//! `definedness` finds the parts of the state that never become undefined; `positions` where the order of elements in
//! multisets is seen; `partition` the permutations of identities under which a rule is invariant; `independence` which rule instances
//! accord and what must come before one that is not enabled. All are conservative:
//! what they claim holds in every execution.

mod definedness;
mod independence;
pub mod numbers;
mod partition;
mod positions;

pub use definedness::{Definedness, Owner};
pub use independence::{Independence, Slots, TooLarge, leaves_steps_out};
pub use partition::{
    Conjunct, Identities, IdentityClass, InstanceFamily, InstanceGroup, Invariance, Param, Pointwise, Tables, coarsest,
};
pub use positions::{Positions, Seen};
