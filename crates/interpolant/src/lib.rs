//! Symmetry that only the safety question sees (Chu and Jaffar, *A complete method for symmetry reduction in safety
//! verification*, CAV 2012).
//!
//! The search goes depth first. When everything behind a state was looked at, it writes down why all of it is safe:
//! facts about the state, in which identities occur as names. A later state is dropped if the facts hold in it under
//! some renaming, whether that is a symmetry of the model or not.

mod build;
mod component;
mod control;
mod engine;
mod eval;
mod explain;
mod expr;
mod facts;
mod interval;
mod matching;
mod memo;
mod memory;
mod names;
mod products;
mod pull;
mod regions;
mod runs;
mod search;
mod setup;
mod stmt;
mod term;
mod trace;
mod why;
mod wide;
mod words;

pub use engine::{Interpolant, Mode, n_configurations};
