//! How many states those that were stored stand for.

use std::collections::BTreeMap;

use crate::combined::Combined;
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
    /// For what is no symmetric group, if there is such a part.
    combined: Option<Combined<'a>>,
    /// The number of permutations within cells.
    group_order: u128,
    census: Census,
}

impl<'a> OrbitCounter<'a> {
    /// Nothing counted; `None` if the group is too large for numbers of 128 bits.
    pub fn new(reduction: &'a Reduction) -> Option<Self> {
        let refiner = reduction.refiner();
        let mut factors = reduction.action().cells().lengths().flat_map(|length| 2..=u128::from(length));
        let combined = reduction.combined();
        if combined.as_ref().is_some_and(|combined| combined.order() == u128::MAX) {
            return None;
        }
        let group_order = factors.try_fold(1u128, u128::checked_mul)?;
        Some(Self { refiner, combined, group_order, census: Census::default() })
    }

    pub(crate) fn group_order(&self) -> u128 {
        self.combined.as_ref().map_or(1, Combined::order).saturating_mul(self.group_order)
    }

    /// Notes the orbit of a packed state. By the orbit-stabiliser theorem its size under permutations within cells is the
    /// number of those divided by the number of those that leave the state as it is. All other permutations commute with
    /// them, so the orbit consists of as many of these orbits as there are, and all have the same size.
    pub fn note(&mut self, state: &[u64]) {
        let n_parts = self.combined.as_mut().map_or(1, |combined| combined.n_images(state));
        let size = n_parts * (self.group_order / self.refiner.n_automorphisms(state));
        *self.census.sizes.entry(size).or_default() += 1;
    }

    /// What was counted.
    pub fn finish(self) -> Census {
        self.census
    }
}
