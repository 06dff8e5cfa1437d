//! Properties of states: CTL, CTL* and the mu-calculus, with indices tracked.
//!
//! A formula with free variables is true or false at a representative *and* values for the variables, in the
//! representative's names. Along a step the values are renamed. Each subformula is labelled with as many variables as it
//! has free, the innermost first, so the cost is the sum over subformulas, not that of all variables together.

mod label;
mod labels;
mod mu;
mod threaded;

pub use label::{BranchingError, Labeller, Quantifier, StateFormula};
pub use labels::Labels;
pub use mu::{Action, Fixpoint, Modality, Mu, MuEvaluator};
