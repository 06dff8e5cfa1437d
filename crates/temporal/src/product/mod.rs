//! The product of a graph with an observer, node by node as it is needed.
//!
//! A node is a representative together with what the observer remembers, in the representative's names. `sight` says which
//! colours the steps of a node see, `threads` which of them an execution can turn into one another by going round a
//! component, `accept` whether a component has a fair accepting execution, `lasso` makes a concrete one, `depth_first` decides while the graph is made.

mod accept;
mod depth_first;
mod lasso;
mod memory;
mod nodes;
mod region;
mod search;
mod sight;
mod threads;

pub use depth_first::{DepthFirst, search_depth_first};
pub use lasso::{Lasso, LassoStep};
pub use search::{Exploration, Finding, Outcome, Prefix, check, states_with_witness};
