//! Permutation groups.
//!
//! A [`Group`] is a base with strong generators (Schreier–Sims), from which order, membership, cosets, stabilisers and
//! enumeration follow. [`Structure`] recognises symmetric, alternating, cyclic, dihedral groups and their disjoint and
//! wreath products; [`ImageSearch`] finds the canonical image of an object under any group by backtracking. Nothing
//! here knows of models or states.

mod blocks;
mod build;
mod canonise;
mod chain;
mod cosets;
mod cycles;
mod elements;
mod factors;
mod families;
mod group;
mod hash;
mod image;
mod natural;
mod orbit;
mod partition;
mod permutation;
mod search;
mod stabiliser;
mod structure;
mod wreath;

pub use blocks::{block_system, minimal_block_systems};
pub use canonise::Canoniser;
pub use cycles::CycleError;
pub use elements::Elements;
pub use group::Group;
pub use hash::mix;
pub use image::{Coset, Entry, Image, Records, Word};
pub use natural::Natural;
pub use orbit::{Labels, SchreierTree, Transversal, orbits};
pub use partition::{DisjointSets, Partition};
pub use permutation::Permutation;
pub use search::{CanonicalImage, ImageSearch};
pub use structure::Structure;
