//! Enumeration of the elements of a group.

use crate::Permutation;
use crate::chain::Chain;
use crate::orbit::Transversal;

/// All elements of a group in ascending order, made one at a time.
///
/// An element is determined by the images of the base points. Those are chosen from the first base point on, always the
/// least not yet tried, which gives the elements in the order of their lists of images because the base is ascending
/// and the points between two base points are fixed with the first of them.
#[derive(Debug, Clone)]
pub struct Elements {
    transversals: Vec<Transversal>,
    /// For each level on the current way the choices still to be tried, the least one last. `None` before the start.
    pending: Option<Vec<Vec<Permutation>>>,
    degree: usize,
}

impl Elements {
    pub(crate) fn new(chain: &Chain) -> Self {
        Elements { transversals: chain.transversals(), pending: None, degree: chain.degree() }
    }

    /// Goes down from an element that has chosen the images of the first base points, one per pending list, to the
    /// least full element.
    fn descend(&mut self, mut element: Permutation) -> Permutation {
        let pending = self.pending.get_or_insert_default();
        while let Some(transversal) = self.transversals.get(pending.len()) {
            let mut choices: Vec<Permutation> =
                transversal.iter().map(|(_, representative)| representative.then(&element)).collect();
            choices.sort_unstable_by_key(|choice| std::cmp::Reverse(choice.image(transversal.root())));
            element = choices.pop().expect("an orbit holds its root");
            pending.push(choices);
        }
        element
    }
}

impl Iterator for Elements {
    type Item = Permutation;

    fn next(&mut self) -> Option<Permutation> {
        let Some(pending) = &mut self.pending else {
            return Some(self.descend(Permutation::identity(self.degree)));
        };
        while let Some(choices) = pending.last_mut() {
            if let Some(choice) = choices.pop() {
                return Some(self.descend(choice));
            }
            pending.pop();
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use crate::{Group, Permutation};

    #[test]
    fn elements_come_once_each_in_ascending_order() {
        let group = Group::symmetric(5);
        let elements: Vec<Permutation> = group.elements().collect();
        assert_eq!(elements.len(), 120);
        assert!(elements.is_sorted_by(|a, b| a < b));
        assert_eq!(Group::trivial(3).elements().collect::<Vec<_>>(), [Permutation::identity(3)]);
        assert_eq!(Group::trivial(0).elements().count(), 1);
    }

    #[test]
    fn the_first_elements_of_a_huge_group_come_at_once() {
        let group = Group::symmetric(60);
        assert!(group.elements().take(1000).all(|element| (0..50).all(|point| element.image(point) == point)));
    }
}
