//! Cosets of a subgroup.

use std::collections::BTreeSet;

use crate::{Group, Natural, Permutation};

impl Group {
    /// The number of cosets of `subgroup`, or `None` if it is not a subgroup of this group.
    pub fn index_of(&self, subgroup: &Group) -> Option<Natural> {
        if !subgroup.is_subgroup_of(self) {
            return None;
        }
        let lengths = subgroup.basic_orbit_lengths();
        lengths.into_iter().try_fold(self.order().clone(), |index, length| index.exact_quotient(length))
    }

    /// The same element for all members `h · element` of a coset of this group, and one of them: the one with the least
    /// images of the base points.
    pub fn coset_representative(&self, element: &Permutation) -> Permutation {
        let chain = self.chain();
        let mut least = element.clone();
        for level in 0..chain.n_levels() {
            let orbit = chain.tree(level).orbit();
            let best = orbit.min_by_key(|&point| least.image(point)).expect("an orbit holds its root");
            least = chain.representative(level, best).then(&least);
        }
        least
    }

    /// One element of each coset `subgroup · g`, ascending; there are as many as the index.
    ///
    /// # Panics
    /// If `subgroup` is not a subgroup of this group.
    pub fn coset_representatives(&self, subgroup: &Group) -> Vec<Permutation> {
        assert!(subgroup.is_subgroup_of(self), "cosets of a group that is no subgroup");
        let first = subgroup.coset_representative(&Permutation::identity(self.degree()));
        let mut frontier = vec![first.clone()];
        let mut reached = BTreeSet::from([first]);
        while let Some(element) = frontier.pop() {
            for generator in self.generators() {
                let next = subgroup.coset_representative(&element.then(generator));
                if reached.insert(next.clone()) {
                    frontier.push(next);
                }
            }
        }
        reached.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cosets_cover_the_group_without_overlap() {
        let group = Group::symmetric(5);
        let subgroup = Group::dihedral(5);
        let representatives = group.coset_representatives(&subgroup);
        assert_eq!(Some(Natural::from(representatives.len() as u128)), group.index_of(&subgroup));
        let members: BTreeSet<Permutation> =
            representatives.iter().flat_map(|g| subgroup.elements().map(move |h| h.then(g))).collect();
        assert_eq!(members.len(), 120);
    }

    #[test]
    fn all_members_of_a_coset_have_one_representative() {
        let subgroup = Group::alternating(4);
        let element = Permutation::from_cycles(4, &[&[0, 3, 2, 1]]);
        let representative = subgroup.coset_representative(&element);
        for h in subgroup.elements() {
            assert_eq!(subgroup.coset_representative(&h.then(&element)), representative);
        }
        assert_eq!(Group::cyclic(4).index_of(&subgroup), None);
    }
}
