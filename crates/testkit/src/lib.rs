//! Random models, corrupted models and a shrinker: what the tests of every engine are fed with.
//!
//! [`random_model`] gives the same model for the same seed and [`Config`] on every machine. Such models verify without
//! defects and have small state spaces; when two engines disagree about one, [`shrink`] makes it small enough to read.
//! [`Header`] is what a model of the corpus says about itself.

mod config;
mod explore;
mod generate;
mod header;
mod permute;

pub use config::{Config, Symmetry};
pub use explore::{Exploration, explore};
pub use generate::random_model;
pub use header::{Expect, Header};
pub use permute::{Permutation, permute, transpositions};
