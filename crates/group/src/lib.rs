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
mod natural;
mod orbit;
mod partition;
mod permutation;
mod stabiliser;

pub use blocks::{block_system, minimal_block_systems};
pub use cycles::CycleError;
pub use elements::Elements;
pub use group::Group;
pub use natural::Natural;
pub use orbit::{Labels, SchreierTree, Transversal, orbits};
pub use partition::{DisjointSets, Partition};
pub use permutation::Permutation;
