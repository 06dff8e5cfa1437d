//! Groups of permutations of the points `0..n`.

use std::fmt;

use crate::chain::Chain;
use crate::elements::Elements;
use crate::{Natural, Partition, Permutation, orbits, stabiliser};

/// A group of permutations, known by generators and by a base with a strong generating set.
///
/// Two groups are equal if they have the same elements. The base is always the one that takes the least point which
/// moves when the points before it are fixed, so it and the basic orbits are the same for equal groups.
#[derive(Clone)]
pub struct Group {
    generators: Vec<Permutation>,
    /// Complete, finished, and made with the preference `0, 1, …`.
    chain: Chain,
    order: Natural,
}

impl Group {
    /// The group that the permutations generate, by random Schreier–Sims with verification.
    ///
    /// The choices are reproducible and the result is exact: only the running time depends on luck.
    ///
    /// # Panics
    /// If a permutation has another degree, as do all operations on groups or permutations of different degrees.
    pub fn new(degree: usize, generators: Vec<Permutation>) -> Self {
        let chain = Chain::randomised(&ascending(degree, &generators), &generators);
        Self::from_parts(generators, chain)
    }

    /// The same by deterministic Schreier–Sims: slower on large groups, and independent of the other.
    pub fn new_deterministic(degree: usize, generators: Vec<Permutation>) -> Self {
        let chain = Chain::deterministic(&ascending(degree, &generators), &generators);
        Self::from_parts(generators, chain)
    }

    /// The group that the permutations generate, whose order is known to be `order`. Faster, as nothing is left to prove.
    pub(crate) fn of_known_order(degree: usize, generators: Vec<Permutation>, order: &Natural) -> Self {
        let mut source = crate::build::RandomProducts::new(degree, &generators);
        let preference = ascending(degree, &generators);
        let chain = Chain::of_known_order(&preference, &generators, order, |_| source.next());
        Self::from_parts(generators, chain)
    }

    /// The group of the identity alone.
    pub fn trivial(degree: usize) -> Self {
        Self::new(degree, Vec::new())
    }

    /// From a finished chain with an ascending base; the generators of its first level become the generators.
    pub(crate) fn from_chain(chain: Chain) -> Self {
        Self::from_parts(chain.generators(0).cloned().collect(), chain)
    }

    fn from_parts(mut generators: Vec<Permutation>, chain: Chain) -> Self {
        generators.retain(|generator| !generator.is_identity());
        let order = chain.order();
        Group { generators, chain, order }
    }

    pub(crate) fn chain(&self) -> &Chain {
        &self.chain
    }

    /// The number of points, moved or not.
    pub fn degree(&self) -> usize {
        self.chain.degree()
    }

    /// Permutations that generate the group, none of them the identity.
    pub fn generators(&self) -> &[Permutation] {
        &self.generators
    }

    /// Generators among which, for every beginning of the base, those that fix it generate all elements that fix it.
    pub fn strong_generators(&self) -> impl Iterator<Item = &Permutation> {
        self.chain.strong_generators()
    }

    /// The points that only the identity fixes all, none of them fixed by what fixes the points before it.
    pub fn base(&self) -> Vec<usize> {
        self.chain.base().collect()
    }

    /// For each base point the size of its orbit under what fixes the points before it; their product is the order.
    pub fn basic_orbit_lengths(&self) -> Vec<usize> {
        self.chain.orbit_lengths().collect()
    }

    /// The number of elements.
    pub fn order(&self) -> &Natural {
        &self.order
    }

    /// Whether the identity is the only element.
    pub fn is_trivial(&self) -> bool {
        self.generators.is_empty()
    }

    /// Whether all elements commute.
    pub fn is_abelian(&self) -> bool {
        let commute = |a: &Permutation, b: &Permutation| a.then(b) == b.then(a);
        self.generators.iter().enumerate().all(|(i, a)| self.generators[..i].iter().all(|b| commute(a, b)))
    }

    /// Whether the permutation is an element.
    pub fn contains(&self, permutation: &Permutation) -> bool {
        assert_eq!(self.degree(), permutation.degree(), "a permutation of another degree");
        self.chain.contains(permutation)
    }

    /// Divides a permutation by orbit representatives along the chain, and returns what is left: the identity exactly
    /// for elements of the group.
    pub fn sift(&self, permutation: &Permutation) -> Permutation {
        self.chain.sift(permutation.clone(), 0).element
    }

    /// Whether every element of this group is one of `other`.
    pub fn is_subgroup_of(&self, other: &Group) -> bool {
        self.generators.iter().all(|generator| other.contains(generator))
    }

    /// An element, each with equal chances.
    pub fn random(&self, rng: &mut fastrand::Rng) -> Permutation {
        self.chain.random(rng)
    }

    /// All elements in ascending order, the identity first. Takes memory for one representative per point of the basic
    /// orbits, and none per element.
    pub fn elements(&self) -> Elements {
        Elements::new(&self.chain)
    }

    /// The partition of the points into orbits.
    pub fn orbits(&self) -> Partition {
        orbits(self.degree(), &self.generators)
    }

    /// The orbit of a point, ascending.
    pub fn orbit(&self, point: usize) -> Vec<usize> {
        let orbits = self.orbits();
        (0..self.degree()).filter(|&other| orbits.cell_of(other) == orbits.cell_of(point)).collect()
    }

    /// The points that some element moves, ascending.
    pub fn support(&self) -> Vec<usize> {
        let moves = |point: usize| self.generators.iter().any(|generator| generator.image(point) != point);
        (0..self.degree()).filter(|&point| moves(point)).collect()
    }

    /// The subgroup of the elements that fix each of the points.
    #[must_use]
    pub fn pointwise_stabiliser(&self, points: &[usize]) -> Group {
        let mut preference = points.to_vec();
        preference.extend((0..self.degree()).filter(|point| !points.contains(point)));
        let rebased = self.chain.rebased(&preference);
        let n_above = rebased.base().take_while(|point| points.contains(point)).count();
        Self::from_chain(rebased.tail(n_above))
    }

    /// The subgroup of the elements that map the set of the points to itself.
    #[must_use]
    pub fn setwise_stabiliser(&self, points: &[usize]) -> Group {
        let keys: Vec<bool> = (0..self.degree()).map(|point| points.contains(&point)).collect();
        self.partition_stabiliser(&Partition::from_keys(&keys))
    }

    /// The subgroup of the elements that map each cell to itself (Donaldson and Miller, *Extending symmetry reduction
    /// techniques to a realistic model of computation*, definition 5.1).
    #[must_use]
    pub fn partition_stabiliser(&self, partition: &Partition) -> Group {
        stabiliser::of_partition(self, partition)
    }

    /// The group after every point was renamed by `by`: all `by⁻¹ · g · by`.
    #[must_use]
    pub fn conjugate(&self, by: &Permutation) -> Group {
        let generators = self.generators.iter().map(|generator| generator.conjugate(by)).collect();
        Self::of_known_order(self.degree(), generators, &self.order)
    }

    /// The action on a union of orbits: point `i` of the result is `points[i]`.
    ///
    /// # Panics
    /// If the group does not map the set of the points to itself.
    #[must_use]
    pub fn restrict(&self, points: &[usize]) -> Group {
        Self::new(points.len(), restrict_all(&self.generators, points))
    }

    /// Generators of which none can be left out, found by dropping one after the other.
    pub fn irredundant_generators(&self) -> Vec<Permutation> {
        let mut kept = self.generators.clone();
        let mut i = kept.len();
        while i > 0 {
            i -= 1;
            let dropped = kept.remove(i);
            if Group::new(self.degree(), kept.clone()).order != self.order {
                kept.insert(i, dropped);
            }
        }
        kept
    }
}

impl PartialEq for Group {
    fn eq(&self, other: &Self) -> bool {
        self.degree() == other.degree() && self.order == other.order && self.is_subgroup_of(other)
    }
}

impl Eq for Group {}

impl fmt::Debug for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "group of degree {} and order {} generated by {:?}", self.degree(), self.order, self.generators)
    }
}

/// The permutations that the given ones induce on points they permute among themselves.
pub(crate) fn restrict_all(generators: &[Permutation], points: &[usize]) -> Vec<Permutation> {
    let place = |point| points.iter().position(|&other| other == point);
    let restrict = |generator: &Permutation| {
        let images: Option<Vec<usize>> = points.iter().map(|&point| place(generator.image(point))).collect();
        images.and_then(|images| Permutation::from_images(&images)).expect("the points are a union of orbits")
    };
    generators.iter().map(restrict).collect()
}

fn ascending(degree: usize, generators: &[Permutation]) -> Vec<usize> {
    assert!(generators.iter().all(|generator| generator.degree() == degree), "generators of another degree");
    (0..degree).collect()
}
