//! The permutations that keep each cell of an ordered partition where it is.

use std::collections::HashMap;
use std::ops::ControlFlow;

/// Longer lists are made anew each time.
const MOST_KEPT: usize = 1 << 18;

/// Lists permutations, and keeps lists it has made: few partitions occur in the states of a model (Donaldson and
/// Miller, *Extending symmetry reduction techniques to a realistic model of computation*, section 6 and the column
/// "ptns" of table 1).
#[derive(Debug, Clone, Default)]
pub(super) struct Stabilisers {
    /// By the lengths of cells: all permutations one after the other.
    lists: HashMap<Vec<u32>, Vec<u32>>,
    permutation: Vec<u32>,
}

impl Stabilisers {
    /// Visits all permutations of positions that keep the cells of the given lengths, the identity first; each tells
    /// where every position goes.
    pub(super) fn visit(&mut self, lengths: &[u32], mut visit: impl FnMut(&[u32]) -> ControlFlow<()>) {
        let n_points = lengths.iter().sum::<u32>();
        let most = MOST_KEPT.checked_div(n_points as usize).unwrap_or(0);
        let is_short = n_permutations(lengths).is_some_and(|n| n <= most);
        if is_short && !self.lists.contains_key(lengths) {
            let mut list = Vec::new();
            self.generate(lengths, |permutation| {
                list.extend_from_slice(permutation);
                ControlFlow::Continue(())
            });
            self.lists.insert(lengths.to_vec(), list);
        }
        match self.lists.get(lengths) {
            Some(list) => {
                let _ = list.chunks(n_points as usize).try_for_each(visit);
            }
            None => self.generate(lengths, &mut visit),
        }
    }

    fn generate(&mut self, lengths: &[u32], mut visit: impl FnMut(&[u32]) -> ControlFlow<()>) {
        let permutation = &mut self.permutation;
        permutation.clear();
        permutation.extend(0..lengths.iter().sum::<u32>());
        while visit(permutation).is_continue() {
            let mut begin = 0;
            // Like the digits of a number: a cell that starts over moves the next one on.
            let has_more = lengths.iter().any(|&length| {
                let cell = &mut permutation[begin..begin + length as usize];
                begin += length as usize;
                advance(cell)
            });
            if !has_more {
                return;
            }
        }
    }
}

/// How many permutations keep the cells, if that is not too large a number.
fn n_permutations(lengths: &[u32]) -> Option<usize> {
    let mut factors = lengths.iter().flat_map(|&length| 2..=length as usize);
    factors.try_fold(1usize, usize::checked_mul)
}

/// The next order of the elements in lexicographic order; false if it is the first again.
fn advance(order: &mut [u32]) -> bool {
    let Some(at) = order.windows(2).rposition(|pair| pair[0] < pair[1]) else {
        order.reverse();
        return false;
    };
    let other = order.iter().rposition(|&element| element > order[at]).expect("the next element is greater");
    order.swap(at, other);
    order[at + 1..].reverse();
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(stabilisers: &mut Stabilisers, lengths: &[u32]) -> Vec<Vec<u32>> {
        let mut all = Vec::new();
        stabilisers.visit(lengths, |permutation| {
            all.push(permutation.to_vec());
            ControlFlow::Continue(())
        });
        all
    }

    #[test]
    fn every_permutation_within_cells_comes_once() {
        let mut stabilisers = Stabilisers::default();
        for _ in 0..2 {
            let mut all = list(&mut stabilisers, &[2, 1, 3]);
            assert_eq!(all[0], [0, 1, 2, 3, 4, 5], "the identity is first");
            assert!(all.iter().all(|it| it[..2].iter().all(|&to| to < 2) && it[2] == 2));
            all.sort();
            all.dedup();
            assert_eq!(all.len(), 12);
        }
        assert_eq!(list(&mut stabilisers, &[]), [[0; 0]]);
    }

    #[test]
    fn long_lists_are_not_kept() {
        let mut stabilisers = Stabilisers::default();
        let mut n_seen = 0;
        stabilisers.visit(&[20], |_| {
            n_seen += 1;
            if n_seen < 1000 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        assert_eq!(n_seen, 1000);
        assert!(stabilisers.lists.is_empty());
    }
}
