//! Search up to permutations that need not be automorphisms: as long as orbits are bisimilar, one state of each will do.
//!
//! Permutations are a *virtual symmetry* (Emerson, Havlicek, Trefler, LICS 2000) if from whatever member of an orbit steps
//! lead into the same orbits. Then states of one orbit satisfy the same formulas of CTL*, as far as conditions tell no
//! identities apart, and the graph of orbits has the answer. [`followers`](crate::worker::Worker::followers) decides it
//! orbit by orbit; `search` goes through the orbits, and stops with a [`Witness`](burnside_engine::Witness) at the first one
//! whose members differ; `claims` evaluates formulas; `concrete` finds an execution of the model among those that a path of
//! orbits stands for. Where members differ, `possible` does what can be done with the steps that some member has. Fairness and properties of single identities are not treated: they are not kept.

pub(crate) mod claims;
pub(crate) mod concrete;
mod engine;
pub(crate) mod followers;
pub(crate) mod graph;
mod possible;
pub(crate) mod search;
mod similarity;
#[cfg(test)]
mod tests;

pub use engine::Virtual;
pub use similarity::{Similar, Similarity, similarity};
