//! Random models, oracles and a shrinker: what the tests of every engine are fed with.
//!
//! [`random_model`] gives the same model for the same seed and [`Config`] on every machine. Such models verify without
//! defects and have small state spaces; [`explore`] says what there is to find in one, and when an engine disagrees,
//! [`shrink`] makes the model small enough to read. [`torture`] does the same for texts in Murphi, [`random_promela`] writes texts in Promela.

mod beyond;
mod config;
mod corrupt;
mod explore;
mod generate;
mod permute;
mod promela;
mod rings;
mod shrink;
pub mod torture;
mod visit;

pub use beyond::{missing, shared_corpus};
pub use config::{Config, Symmetry};
pub use corrupt::corrupt;
pub use explore::{Exploration, explore};
pub use generate::random_model;
pub use permute::{Permutation, permute, transpositions};
pub use promela::{random_promela, random_promela_formula, random_promela_never};
pub use rings::random_ring_model;
pub use shrink::shrink;
pub use visit::{
    Visitor, walk_block, walk_call, walk_domain, walk_expr, walk_model, walk_operand, walk_place, walk_stmt,
};
