//! Temporal logic under symmetry, apart from models and engines.

mod automaton;
pub mod formula;
pub mod grammar;
mod ltl;
mod scc;
#[cfg(test)]
mod testing;

pub use automaton::{
    Automaton, AutomatonEdge, Colours, Effort, Kind, Label, MAX_COLOURS, MAX_PROPOSITIONS, TooLarge, Valuation,
};
pub use ltl::{Linear, LinearId, Node, NotLinear, Shape, holds_on_lasso};
