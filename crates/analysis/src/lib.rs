//! What can be known about a model without running it.
//!
//! `definedness` finds the parts of the state that never become undefined; `purity` the functions that change nothing
//! but their own variables. Both are conservative: what they claim holds in every execution.

mod definedness;
mod purity;

pub use definedness::{Definedness, Owner};
pub use purity::Purity;
