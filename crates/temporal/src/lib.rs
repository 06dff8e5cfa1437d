//! Temporal logic under symmetry, apart from models and engines.

mod automaton;
mod branching;
mod colours;
pub mod formula;
mod frames;
pub mod grammar;
mod graph;
mod growing;
mod ltl;
mod mutant;
mod observer;
mod product;
mod scc;
#[cfg(test)]
mod testing;

pub use automaton::{
    Automaton, AutomatonEdge, Colours, Effort, Kind, Label, MAX_COLOURS, MAX_PROPOSITIONS, TooLarge, Valuation,
};
pub use branching::{
    Action, BranchingError, Fixpoint, Labeller, Labels, Modality, Mu, MuEvaluator, Quantifier, StateFormula,
};
pub use graph::{Fairness, Point, Quotient, RenamingId, Start, State, Step, Strength, Unit};
pub use growing::{Doubling, Expanded};
pub use ltl::{Linear, LinearId, Node, NotLinear, Shape, holds_on_lasso};
pub use observer::{Atom, Domain, Observer, ObserverError, PathFormula};
pub use product::{
    DepthFirst, Finding, Lasso, LassoStep, Outcome, Prefix, check, search_depth_first, states_with_witness,
};
