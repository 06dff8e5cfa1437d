//! Temporal logic under symmetry, apart from models and engines.

pub mod formula;
pub mod grammar;
