//! Partitions of the points `0..n` into cells.
//!
//! A [`Partition`] has no order among its cells beyond that of their least points, so two partitions are equal when they
//! have the same cells. [`DisjointSets`] grows one by merging cells.

use std::collections::BTreeMap;

use crate::{Natural, Permutation};

/// A partition of the points `0..n`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Partition {
    /// The number of each point's cell. Cells are numbered in the order of their least points, without gaps.
    cell_of: Box<[u32]>,
}

impl Partition {
    /// The partition into single points.
    pub fn discrete(degree: usize) -> Self {
        Self::from_keys(&(0..degree).collect::<Vec<_>>())
    }

    /// The partition into one cell, or none if there are no points.
    pub fn unit(degree: usize) -> Self {
        Self::from_keys(&vec![(); degree])
    }

    /// Puts the points with equal keys into one cell.
    pub fn from_keys<K: Ord>(keys: &[K]) -> Self {
        let mut numbers = BTreeMap::new();
        let cell_of = keys
            .iter()
            .map(|key| {
                let next = numbers.len() as u32;
                *numbers.entry(key).or_insert(next)
            })
            .collect();
        Partition { cell_of }
    }

    /// The partition with the given cells and every other point alone.
    ///
    /// # Panics
    /// If a point is not below the degree or occurs in two cells.
    pub fn from_cells(degree: usize, cells: &[&[usize]]) -> Self {
        let mut keys: Vec<(bool, usize)> = (0..degree).map(|point| (false, point)).collect();
        for (number, cell) in cells.iter().enumerate() {
            for &point in *cell {
                assert!(!keys[point].0, "point {point} occurs in two cells");
                keys[point] = (true, number);
            }
        }
        Self::from_keys(&keys)
    }

    /// The number of points.
    pub fn degree(&self) -> usize {
        self.cell_of.len()
    }

    /// The number of cells.
    pub fn n_cells(&self) -> usize {
        self.cell_of.iter().max().map_or(0, |&last| last as usize + 1)
    }

    /// The number of the cell that holds `point`; cells are numbered in the order of their least points.
    pub fn cell_of(&self, point: usize) -> usize {
        self.cell_of[point] as usize
    }

    /// The cells in the order of their least points, each ascending.
    pub fn cells(&self) -> Vec<Vec<usize>> {
        let mut cells = vec![Vec::new(); self.n_cells()];
        for point in 0..self.degree() {
            cells[self.cell_of(point)].push(point);
        }
        cells
    }

    /// Whether every cell is a single point.
    pub fn is_discrete(&self) -> bool {
        self.n_cells() == self.degree()
    }

    /// The coarsest partition finer than both: its cells are the intersections of a cell of each.
    #[must_use]
    pub fn meet(&self, other: &Self) -> Self {
        assert_eq!(self.degree(), other.degree(), "partitions of different degrees");
        Self::from_keys(&self.cell_of.iter().zip(&other.cell_of).collect::<Vec<_>>())
    }

    /// Whether every cell of this partition lies within a cell of `coarser`.
    pub fn refines(&self, coarser: &Self) -> bool {
        self.meet(coarser) == *self
    }

    /// The partition after every point moved.
    #[must_use]
    pub fn permute(&self, by: &Permutation) -> Self {
        Self::from_keys(&by.permute(&self.cell_of))
    }

    /// The number of permutations that map every cell to itself: the product of the factorials of the cells' sizes.
    pub fn stabiliser_order(&self) -> Natural {
        self.cells().iter().fold(Natural::one(), |order, cell| &order * &Natural::factorial(cell.len()))
    }
}

/// Cells of points that can only be merged: union by size with path halving (Tarjan, *Efficiency of a good but not
/// linear set union algorithm*, 1975).
#[derive(Debug, Clone)]
pub struct DisjointSets {
    /// The parent of each point in its tree, itself at the root.
    parent: Vec<u32>,
    /// The size of the tree, at its root.
    size: Vec<u32>,
}

impl DisjointSets {
    /// Every point alone.
    pub fn new(degree: usize) -> Self {
        DisjointSets { parent: (0..degree as u32).collect(), size: vec![1; degree] }
    }

    /// A point of the cell that holds `point`, the same for all of them until the next merge.
    pub fn find(&mut self, point: usize) -> usize {
        let mut point = point;
        while self.parent[point] as usize != point {
            let up = self.parent[point] as usize;
            self.parent[point] = self.parent[up];
            point = up;
        }
        point
    }

    /// Merges the cells of two points; whether they were different.
    pub fn merge(&mut self, a: usize, b: usize) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        if a == b {
            return false;
        }
        let (small, large) = if self.size[a] < self.size[b] { (a, b) } else { (b, a) };
        self.parent[small] = large as u32;
        self.size[large] += self.size[small];
        true
    }

    /// Merges every point with its image.
    pub fn close_under(&mut self, permutation: &Permutation) {
        for (point, image) in permutation.images().enumerate() {
            self.merge(point, image);
        }
    }

    /// The partition reached.
    pub fn to_partition(&mut self) -> Partition {
        let roots: Vec<usize> = (0..self.parent.len()).map(|point| self.find(point)).collect();
        Partition::from_keys(&roots)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_numbered_by_their_least_points() {
        let partition = Partition::from_keys(&['b', 'a', 'b', 'c', 'a']);
        assert_eq!(partition.cells(), [vec![0, 2], vec![1, 4], vec![3]]);
        assert_eq!(partition, Partition::from_cells(5, &[&[4, 1], &[0, 2]]));
        assert_eq!(partition.stabiliser_order(), Natural::from(4));
    }

    #[test]
    fn the_meet_refines_both_and_nothing_coarser_does() {
        let a = Partition::from_keys(&[0, 0, 0, 1, 1, 1]);
        let b = Partition::from_keys(&[0, 0, 1, 1, 2, 2]);
        let meet = a.meet(&b);
        assert_eq!(meet.cells(), [vec![0, 1], vec![2], vec![3], vec![4, 5]]);
        assert!(meet.refines(&a) && meet.refines(&b));
        assert!(!a.refines(&b) && !b.refines(&a));
        assert!(Partition::discrete(6).refines(&meet) && meet.refines(&Partition::unit(6)));
    }

    #[test]
    fn a_partition_moves_with_its_points() {
        let partition = Partition::from_cells(4, &[&[0, 1]]);
        let by = Permutation::from_cycles(4, &[&[0, 2]]);
        assert_eq!(partition.permute(&by), Partition::from_cells(4, &[&[1, 2]]));
    }

    #[test]
    fn merging_joins_cells() {
        let mut sets = DisjointSets::new(6);
        assert!(sets.merge(0, 3));
        assert!(sets.merge(3, 5));
        assert!(!sets.merge(5, 0));
        assert_eq!(sets.to_partition(), Partition::from_cells(6, &[&[0, 3, 5]]));
    }
}
