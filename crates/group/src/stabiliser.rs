//! Partition stabilisers by backtracking over the stabiliser chain.
//!
//! The search fixes the images of the base points one after the other. A node is a coset: all `h · p` with `h` in the
//! subgroup `H` that fixes the base points chosen so far. For every orbit `O` of `H` each of them maps `O` to the same
//! set, `p(O)`; so unless `O` and `p(O)` have equally many points of every cell, no element below the node preserves the
//! partition. At the bottom `H` is trivial, its orbits are points, and the test is exact. This is Leon's refinement by
//! orbits (*Permutation group algorithms based on partitions*, 1991) with one fixed base.
//!
//! The subgroup grows from the bottom of the chain upwards, so that it is found with its own strong generators: at each
//! level one element per orbit of images of the base point suffices, and an image that fails excludes its orbit under
//! what is found already (Handbook of Computational Group Theory, section 4.6.1).

use crate::chain::Chain;
use crate::orbit::Transversal;
use crate::{Group, Natural, Partition, Permutation, orbits};

/// The elements of the group that map every cell to itself.
pub(crate) fn of_partition(group: &Group, partition: &Partition) -> Group {
    assert_eq!(group.degree(), partition.degree(), "a partition of another degree");
    let search = Search::new(group.chain(), partition);
    let mut found: Vec<Permutation> = Vec::new();
    let mut order = Natural::one();
    for level in (0..search.levels.len()).rev() {
        order *= search.find_level(level, &mut found);
    }
    Group::of_known_order(group.degree(), found, &order)
}

struct Search<'a> {
    partition: &'a Partition,
    levels: Vec<Level>,
    /// The test below the last level.
    bottom: Test,
}

struct Level {
    transversal: Transversal,
    test: Test,
}

/// The orbits of a level's group, and how many points of each cell every orbit holds.
struct Test {
    orbits: Partition,
    /// Pairs of an orbit and a cell, one for each point, sorted.
    counts: Vec<(usize, usize)>,
}

impl<'a> Search<'a> {
    fn new(chain: &Chain, partition: &'a Partition) -> Self {
        // Small cells first: their points have the fewest images.
        let sizes: Vec<usize> = partition.cells().iter().map(Vec::len).collect();
        let mut preference: Vec<usize> = (0..partition.degree()).collect();
        preference.sort_by_key(|&point| (sizes[partition.cell_of(point)], partition.cell_of(point)));
        let chain = chain.rebased(&preference);

        let test = |level| Test::new(&chain, level, partition);
        let levels =
            chain.transversals().into_iter().enumerate().map(|(i, transversal)| Level { transversal, test: test(i) });
        Search { partition, levels: levels.collect(), bottom: test(chain.n_levels()) }
    }

    /// Adds to `found` what the stabiliser has at this level beyond the next one; returns the size of its basic orbit.
    fn find_level(&self, level: usize, found: &mut Vec<Permutation>) -> usize {
        let transversal = &self.levels[level].transversal;
        let mut reached = orbits(self.partition.degree(), found);
        let mut failed: Vec<usize> = Vec::new();
        for (point, representative) in transversal.iter() {
            let cell = reached.cell_of(point);
            if cell == reached.cell_of(transversal.root()) || failed.iter().any(|&f| reached.cell_of(f) == cell) {
                continue;
            }
            match self.extend(level + 1, representative.clone()) {
                Some(element) => {
                    found.push(element);
                    reached = orbits(self.partition.degree(), found);
                }
                None => failed.push(point),
            }
        }
        transversal.orbit().filter(|&point| reached.cell_of(point) == reached.cell_of(transversal.root())).count()
    }

    /// An element of the stabiliser in the coset of `element` at `level`, if there is one.
    fn extend(&self, level: usize, element: Permutation) -> Option<Permutation> {
        let test = self.levels.get(level).map_or(&self.bottom, |level| &level.test);
        if !test.passes(&element, self.partition) {
            return None;
        }
        let Some(Level { transversal, .. }) = self.levels.get(level) else { return Some(element) };
        let cell = self.partition.cell_of(transversal.root());
        transversal
            .iter()
            .filter(|&(point, _)| self.partition.cell_of(element.image(point)) == cell)
            .find_map(|(_, representative)| self.extend(level + 1, representative.then(&element)))
    }
}

impl Test {
    fn new(chain: &Chain, level: usize, partition: &Partition) -> Self {
        let generators: Vec<Permutation> = chain.generators(level).cloned().collect();
        let orbits = orbits(partition.degree(), &generators);
        let mut counts: Vec<_> =
            (0..partition.degree()).map(|point| (orbits.cell_of(point), partition.cell_of(point))).collect();
        counts.sort_unstable();
        Test { orbits, counts }
    }

    fn passes(&self, element: &Permutation, partition: &Partition) -> bool {
        let pair = |(point, image)| (self.orbits.cell_of(point), partition.cell_of(image));
        let mut counts: Vec<_> = element.images().enumerate().map(pair).collect();
        counts.sort_unstable();
        counts == self.counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_the_symmetric_group_it_is_the_product_over_the_cells() {
        for keys in [vec![0, 1, 0, 2, 1, 0], vec![0; 6], vec![0, 1, 2, 3, 4, 5]] {
            let partition = Partition::from_keys(&keys);
            let stabiliser = Group::symmetric(6).partition_stabiliser(&partition);
            assert_eq!(*stabiliser.order(), partition.stabiliser_order());
            assert!(stabiliser.orbits().refines(&partition));
        }
    }

    #[test]
    fn a_large_symmetric_group_needs_no_search() {
        let keys: Vec<usize> = (0..40).map(|point| point % 3).collect();
        let partition = Partition::from_keys(&keys);
        assert_eq!(*Group::symmetric(40).partition_stabiliser(&partition).order(), partition.stabiliser_order());
    }

    #[test]
    fn in_a_ring_only_its_reflection_is_left() {
        let stabiliser = Group::dihedral(6).setwise_stabiliser(&[0, 1]);
        assert_eq!(stabiliser, Group::new(6, vec![Permutation::from_cycles(6, &[&[0, 1], &[2, 5], &[3, 4]])]));
    }
}
