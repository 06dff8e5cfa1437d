//! How many states those that were stored stand for.

use std::collections::BTreeMap;

use crate::reduction::Reduction;
use crate::refine::Refiner;

/// The sizes of orbits, each with the number of states met whose orbits have it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Census {
    /// How many states have an orbit of each size.
    pub sizes: BTreeMap<u128, u64>,
}

impl Census {
    /// How many states lie in the orbits, if those are different. These are the reachable states if the start states
    /// are symmetric too, which a reduction does not need.
    pub fn n_states(&self) -> u128 {
        self.sizes.iter().map(|(size, &number)| size * u128::from(number)).sum()
    }
}

/// Counts the states in orbits.
pub struct OrbitCounter<'a> {
    refiner: Refiner<'a>,
    group_order: u128,
    census: Census,
}

impl<'a> OrbitCounter<'a> {
    /// Nothing counted; `None` if the group is too large for numbers of 128 bits.
    pub fn new(reduction: &'a Reduction) -> Option<Self> {
        let refiner = reduction.refiner();
        let mut factors = reduction.action().classes().flat_map(|class| 2..=class.len() as u128);
        let group_order = factors.try_fold(1u128, u128::checked_mul)?;
        Some(Self { refiner, group_order, census: Census::default() })
    }

    /// Notes the orbit of a packed state. By the orbit-stabiliser theorem its size is the order of the group divided by
    /// the number of permutations that leave the state as it is.
    pub fn note(&mut self, state: &[u64]) {
        let size = self.group_order / self.refiner.n_automorphisms(state);
        *self.census.sizes.entry(size).or_default() += 1;
    }

    /// What was counted.
    pub fn finish(self) -> Census {
        self.census
    }
}
