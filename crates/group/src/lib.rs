//! Permutation groups.
//!
mod blocks;
mod build;
mod chain;
mod cosets;
mod cycles;
mod elements;
mod families;
mod group;
mod image;
mod natural;
mod orbit;
mod partition;
mod permutation;
mod search;
mod stabiliser;

pub use blocks::{block_system, minimal_block_systems};
pub use cycles::CycleError;
pub use elements::Elements;
pub use group::Group;
pub use image::{Coset, Entry, Image, Records, Word};
pub use natural::Natural;
pub use orbit::{Labels, SchreierTree, Transversal, orbits};
pub use partition::{DisjointSets, Partition};
pub use permutation::Permutation;
pub use search::{CanonicalImage, ImageSearch};
