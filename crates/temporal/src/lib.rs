//! Temporal logic under symmetry, apart from models and engines.
//!
//! *From text to automata.* [`grammar`] reads the operators of LTL, CTL and CTL*; conditions and binders are read by the
//! language they are written in. [`formula`] has the trees. [`Linear`] is the negation normal form of formulas about one
//! path, [`Automaton`] its translation, [`holds_on_lasso`] its meaning without either.
//!
//! *From graphs to answers.* Whoever has states up to symmetry implements [`Quotient`]: steps with their renamings, and
//! which fair units are enabled and take them. An [`Observer`] follows paths with the automaton of a formula and the
//! identities it speaks of. [`check`] looks for an accepted fair path on a stored graph, [`search_depth_first`] while the
//! graph is made, [`Expanded`] and [`Doubling`] serve a check now and then while threads search. What is found is a
//! concrete [`Lasso`], or a [`Prefix`] if what follows makes no difference. [`Labeller`] decides CTL and CTL*,
//! [`MuEvaluator`] the mu-calculus. [`near`] treats systems that a group does not quite leave as they are.
//!
//! *Borders.* Nothing here makes states, evaluates conditions, reads files or prints. Propositions, rules, units and states
//! are numbers that the caller gives meaning to; identities of all sorts are points `0..degree`. A lasso names the caller's
//! steps by label, with the permutation to apply to each; replaying it is the caller's part, with [`holds_on_lasso`].
//! `docs/internals/temporal.md` has the arguments and says who is to provide what.

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
pub mod near;
mod observer;
mod product;
pub mod reduction;
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
    DepthFirst, Exploration, Finding, Lasso, LassoStep, Outcome, Prefix, check, search_depth_first, states_with_witness,
};
