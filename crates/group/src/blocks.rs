//! Blocks of imprimitivity, and what they say about a group's order.
//!
//! A block system of a transitive group is a partition of its points whose cells every element maps to cells. The finest
//! one that joins two given points is found by merging images (Atkinson, *An algorithm for finding the blocks of a
//! permutation group*, 1975).

use std::collections::BTreeMap;

use crate::group::restrict_all;
use crate::orbit::orbits;
use crate::partition::DisjointSets;
use crate::{Natural, Partition, Permutation};

/// The finest partition with `a` and `b` in one cell whose cells the generators permute. Points that no merge reaches
/// stay alone.
pub fn block_system(degree: usize, generators: &[Permutation], a: usize, b: usize) -> Partition {
    let mut sets = DisjointSets::new(degree);
    sets.merge(a, b);
    let mut merged = vec![(a, b)];
    while let Some((a, b)) = merged.pop() {
        for generator in generators {
            let (a, b) = (generator.image(a), generator.image(b));
            if sets.merge(a, b) {
                merged.push((a, b));
            }
        }
    }
    sets.to_partition()
}

/// The finest block systems of the orbit `points`, single points excepted: those that are not coarser than another one.
/// Empty if the group acts primitively there, that is if the whole orbit is the only such block.
pub fn minimal_block_systems(degree: usize, generators: &[Permutation], points: &[usize]) -> Vec<Partition> {
    let Some((&first, others)) = points.split_first() else { return Vec::new() };
    let block_with = |other| {
        let system = block_system(degree, generators, first, other);
        let block: Vec<usize> =
            points.iter().copied().filter(|&point| system.cell_of(point) == system.cell_of(first)).collect();
        (block.len() < points.len()).then_some((other, block))
    };
    let blocks: BTreeMap<usize, Vec<usize>> = others.iter().filter_map(|&other| block_with(other)).collect();
    // A finer system would join `first` with some point of the block, and with fewer than all of them.
    let is_minimal =
        |block: &[usize]| block.iter().all(|point| blocks.get(point).is_none_or(|b| b.len() == block.len()));
    let is_first_mention = |other: usize, block: &[usize]| block.iter().all(|&point| point == first || point >= other);
    blocks
        .iter()
        .filter(|&(&other, block)| is_first_mention(other, block) && is_minimal(block))
        .map(|(&other, _)| block_system(degree, generators, first, other))
        .collect()
}

/// The action of the generators on the cells of a partition whose cells they permute, as permutations of the cells'
/// numbers.
pub(crate) fn action_on_cells(
    generators: &[Permutation],
    cells: &[Vec<usize>],
    system: &Partition,
) -> Vec<Permutation> {
    let number = |point| cells.iter().position(|cell| system.cell_of(cell[0]) == system.cell_of(point));
    let action = |generator: &Permutation| {
        let images: Option<Vec<usize>> = cells.iter().map(|cell| number(generator.image(cell[0]))).collect();
        images.and_then(|images| Permutation::from_images(&images)).expect("generators permute the cells")
    };
    generators.iter().map(action).collect()
}

/// An upper bound for the order of the generated group: on each orbit that of the symmetric or alternating group, or of
/// the wreath product of symmetric groups along a chain of block systems. It is sharp for the groups with the most
/// generators to check: symmetric and alternating groups, wreath products of symmetric ones, and products of all those
/// on disjoint sets.
pub(crate) fn order_bound(degree: usize, generators: &[Permutation]) -> Natural {
    let orbits = orbits(degree, generators).cells();
    orbits.iter().fold(Natural::one(), |bound, orbit| &bound * &transitive_order_bound(degree, generators, orbit))
}

fn transitive_order_bound(degree: usize, generators: &[Permutation], orbit: &[usize]) -> Natural {
    let Some(system) = minimal_block_systems(degree, generators, orbit).into_iter().next() else {
        let symmetric = Natural::factorial(orbit.len());
        let all_even = restrict_all(generators, orbit).iter().all(Permutation::is_even);
        return if all_even { symmetric.exact_quotient(2).unwrap_or(symmetric) } else { symmetric };
    };
    let blocks: Vec<Vec<usize>> = system.cells().into_iter().filter(|cell| orbit.contains(&cell[0])).collect();
    let on_blocks = action_on_cells(generators, &blocks, &system);
    let inside = Natural::factorial(blocks[0].len()).power(blocks.len());
    &inside * &order_bound(blocks.len(), &on_blocks)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring(n: usize) -> Permutation {
        Permutation::from_cycles(n, &[&(0..n).collect::<Vec<_>>()])
    }

    #[test]
    fn a_ring_has_blocks_for_its_prime_divisors() {
        let systems = minimal_block_systems(12, &[ring(12)], &(0..12).collect::<Vec<_>>());
        let sizes: Vec<usize> = systems.iter().map(|system| system.cells()[0].len()).collect();
        assert_eq!(sizes, [3, 2]);
        assert_eq!(systems[0].cells()[0], [0, 4, 8]);
        assert!(minimal_block_systems(7, &[ring(7)], &(0..7).collect::<Vec<_>>()).is_empty());
    }

    #[test]
    fn the_action_on_blocks_is_a_smaller_ring() {
        let system = block_system(12, &[ring(12)], 0, 4);
        assert_eq!(action_on_cells(&[ring(12)], &system.cells(), &system), [ring(4)]);
    }

    #[test]
    fn the_bound_is_sharp_for_nested_symmetric_groups() {
        let swap_inside = Permutation::from_cycles(8, &[&[0, 1]]);
        let swap_pairs = Permutation::from_cycles(8, &[&[0, 2], &[1, 3]]);
        let swap_halves = Permutation::from_cycles(8, &[&[0, 4], &[1, 5], &[2, 6], &[3, 7]]);
        assert_eq!(order_bound(8, &[swap_inside, swap_pairs, swap_halves]), Natural::from(128));
        assert_eq!(order_bound(4, &[Permutation::from_cycles(4, &[&[0, 1]])]), Natural::from(2));
    }
}
