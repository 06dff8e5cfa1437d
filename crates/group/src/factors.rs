//! The finest splitting of a group into factors that move disjoint sets of points.
//!
//! A group is the product of its restrictions to two unions of orbits exactly if its order is the product of theirs.
//! Testing all unions would take exponentially many orders; instead, orbits are taken in one by one, and when one
//! depends on those before it, a smallest set on which it depends is merged with it. Members of such a set lie in one
//! factor of every splitting, so the result is the finest one:
//!
//! Let `A` be a smallest set of independent parts on which part `p` depends, and assume a splitting that separates them
//! into `P` with `p`, and `Q`. Then `|G on A ∪ p| = |G on P| · |G on Q|`. All of `P` but `p` is less than `A`, so `p` is
//! independent of it and `|G on P| = |G on P \ p| · |G on p|`. Together `p` is independent of `A`, a contradiction.

use crate::group::restrict_all;
use crate::partition::DisjointSets;
use crate::{Group, Natural, Permutation};

impl Group {
    /// The supports of the factors in the finest splitting of the group into a product of groups that move disjoint sets
    /// of points; each ascending, in the order of their least points. Points that nothing moves are in none.
    pub fn disjoint_factors(&self) -> Vec<Vec<usize>> {
        let mut factors: Vec<Vec<usize>> =
            self.generator_components().into_iter().flat_map(|orbits| split(self.generators(), orbits)).collect();
        factors.iter_mut().for_each(|points| points.sort_unstable());
        factors.sort_unstable();
        factors
    }

    /// Orbits of at least two points, grouped by the generators that move several of them: a first, coarse splitting.
    fn generator_components(&self) -> Vec<Vec<Vec<usize>>> {
        let mut joined = DisjointSets::new(self.degree());
        for generator in self.generators() {
            let mut support = generator.support();
            let first = support.next().expect("generators move points");
            support.for_each(|point| {
                joined.merge(first, point);
            });
        }
        let components = joined.to_partition();
        let orbits = self.orbits().cells();
        components
            .cells()
            .iter()
            .map(|points| {
                orbits.iter().filter(|orbit| orbit.len() > 1 && points.contains(&orbit[0])).cloned().collect()
            })
            .filter(|orbits: &Vec<Vec<usize>>| !orbits.is_empty())
            .collect()
    }
}

/// A set of points that no splitting separates, and the order of the group's restriction to it.
struct Part {
    points: Vec<usize>,
    order: Natural,
}

fn split(generators: &[Permutation], orbits: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
    if orbits.len() == 1 {
        return orbits;
    }
    let order = |points: &[usize]| Group::new(points.len(), restrict_all(generators, points)).order().clone();
    let mut independent: Vec<Part> = Vec::new();
    for points in orbits {
        let mut part = Part { order: order(&points), points };
        while depends(&part, independent.iter().collect(), &order) {
            let circuit = smallest_circuit(&part, &independent, &order);
            for i in circuit.into_iter().rev() {
                part.points.extend(independent.remove(i).points);
            }
            part.order = order(&part.points);
        }
        independent.push(part);
    }
    independent.into_iter().map(|part| part.points).collect()
}

/// Whether the group is not the product of its restrictions to the part and to the others, which are independent of each
/// other.
fn depends(part: &Part, others: Vec<&Part>, order: &impl Fn(&[usize]) -> Natural) -> bool {
    let mut points = part.points.clone();
    points.extend(others.iter().flat_map(|other| &other.points));
    let product = others.iter().fold(part.order.clone(), |product, other| &product * &other.order);
    order(&points) != product
}

/// The numbers, ascending, of parts on which `part` depends and of which none can be left out.
fn smallest_circuit(part: &Part, independent: &[Part], order: &impl Fn(&[usize]) -> Natural) -> Vec<usize> {
    let mut kept: Vec<usize> = (0..independent.len()).collect();
    for i in 0..independent.len() {
        let without: Vec<usize> = kept.iter().copied().filter(|&other| other != i).collect();
        if depends(part, without.iter().map(|&other| &independent[other]).collect(), order) {
            kept = without;
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(degree: usize, generators: &[&str], factors: &[&[usize]]) {
        let generators = generators.iter().map(|text| Permutation::parse(degree, text).expect(text)).collect();
        assert_eq!(Group::new(degree, generators).disjoint_factors(), factors);
    }

    #[test]
    fn generators_with_disjoint_supports_split() {
        check(6, &["(1 2)", "(4 5 6)"], &[&[0, 1], &[3, 4, 5]]);
        check(3, &[], &[]);
    }

    #[test]
    fn factors_hidden_in_common_generators_are_found() {
        // Orders 2 and 3 are coprime, so the powers of one element act alone.
        check(5, &["(1 2)(3 4 5)"], &[&[0, 1], &[2, 3, 4]]);
        check(4, &["(1 2)(3 4)", "(1 2)"], &[&[0, 1], &[2, 3]]);
    }

    #[test]
    fn dependent_orbits_stay_together() {
        check(6, &["(1 2 3)(4 5 6)", "(1 2)(4 5)"], &[&[0, 1, 2, 3, 4, 5]]);
        check(8, &["(1 2)(5 6)", "(3 4)(7 8)"], &[&[0, 1, 4, 5], &[2, 3, 6, 7]]);
    }

    #[test]
    fn orbits_that_depend_only_jointly_stay_together() {
        // Even numbers of swaps among three pairs: any two pairs are independent, all three are not.
        check(8, &["(1 2)(3 4)", "(3 4)(5 6)", "(7 8)"], &[&[0, 1, 2, 3, 4, 5], &[6, 7]]);
        check(8, &["(1 2)(3 4)(7 8)", "(3 4)(5 6)", "(7 8)"], &[&[0, 1, 2, 3, 4, 5], &[6, 7]]);
    }
}
