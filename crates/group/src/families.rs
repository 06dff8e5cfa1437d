//! Well-known groups, and products of groups.

use crate::{Group, Natural, Permutation};

impl Group {
    /// All permutations of `0..degree`.
    pub fn symmetric(degree: usize) -> Self {
        let mut generators = Vec::new();
        if degree > 1 {
            generators.push(Permutation::from_cycles(degree, &[&[0, 1]]));
        }
        if degree > 2 {
            generators.push(rotation(degree));
        }
        Self::of_known_order(degree, generators, &Natural::factorial(degree))
    }

    /// All even permutations of `0..degree`.
    pub fn alternating(degree: usize) -> Self {
        let generators = (2..degree).map(|point| Permutation::from_cycles(degree, &[&[0, 1, point]])).collect();
        let order = Natural::factorial(degree).exact_quotient(2).unwrap_or_else(Natural::one);
        Self::of_known_order(degree, generators, &order)
    }

    /// The rotations of the ring `0, 1, …, degree - 1`.
    pub fn cyclic(degree: usize) -> Self {
        let generators = if degree > 1 { vec![rotation(degree)] } else { Vec::new() };
        Self::of_known_order(degree, generators, &Natural::from(degree.max(1) as u128))
    }

    /// The rotations and reflections of the ring `0, 1, …, degree - 1`, taken as permutations: for fewer than three
    /// points a reflection is a rotation.
    pub fn dihedral(degree: usize) -> Self {
        if degree < 3 {
            return Self::cyclic(degree);
        }
        let images: Vec<usize> = (0..degree).rev().collect();
        let reflection = Permutation::from_images(&images).expect("a reversal is a bijection");
        Self::of_known_order(degree, vec![rotation(degree), reflection], &Natural::from(2 * degree as u128))
    }

    /// The direct product on disjoint points: first those of this group, then those of `other`.
    #[must_use]
    pub fn direct_product(&self, other: &Group) -> Group {
        let degree = self.degree() + other.degree();
        let first: Vec<usize> = (0..self.degree()).collect();
        let second: Vec<usize> = (self.degree()..degree).collect();
        let mut generators = embed(degree, &first, self.generators());
        generators.extend(embed(degree, &second, other.generators()));
        Self::of_known_order(degree, generators, &(self.order() * other.order()))
    }

    /// The product with a group that moves none of the points that this one moves.
    ///
    /// # Panics
    /// If both groups move some point.
    #[must_use]
    pub fn disjoint_product(&self, other: &Group) -> Group {
        assert!(self.support().iter().all(|point| !other.support().contains(point)), "both groups move a point");
        let generators = self.generators().iter().chain(other.generators()).cloned().collect();
        Self::of_known_order(self.degree(), generators, &(self.order() * other.order()))
    }

    /// The wreath product: as many copies of this group as `outer` has points, side by side, and `outer` moving the
    /// copies. Point `i` of copy `b` is `b * self.degree() + i`.
    #[must_use]
    pub fn wreath_product(&self, outer: &Group) -> Group {
        let size = self.degree();
        let degree = size * outer.degree();
        let block = |b: usize| (b * size..(b + 1) * size).collect::<Vec<usize>>();
        let orbits = outer.orbits();
        let mut generators: Vec<Permutation> =
            orbits.cells().iter().flat_map(|cell| embed(degree, &block(cell[0]), self.generators())).collect();
        generators.extend(outer.generators().iter().map(|generator| {
            let images: Vec<usize> = (0..degree).map(|p| generator.image(p / size) * size + p % size).collect();
            Permutation::from_images(&images).expect("blocks move as wholes")
        }));
        Self::of_known_order(degree, generators, &(&self.order().power(outer.degree()) * outer.order()))
    }
}

/// Permutations of `0..points.len()` as permutations of the points listed, among `0..degree`.
pub(crate) fn embed(degree: usize, points: &[usize], generators: &[Permutation]) -> Vec<Permutation> {
    let embed_one = |generator: &Permutation| {
        let mut images: Vec<usize> = (0..degree).collect();
        for (i, &point) in points.iter().enumerate() {
            images[point] = points[generator.image(i)];
        }
        Permutation::from_images(&images).expect("distinct points stay distinct")
    };
    generators.iter().map(embed_one).collect()
}

fn rotation(degree: usize) -> Permutation {
    Permutation::from_cycles(degree, &[&(0..degree).collect::<Vec<_>>()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_generated_by_their_generators() {
        for group in
            (0..8).flat_map(|n| [Group::symmetric(n), Group::alternating(n), Group::cyclic(n), Group::dihedral(n)])
        {
            assert_eq!(Group::new_deterministic(group.degree(), group.generators().to_vec()), group);
        }
    }

    #[test]
    fn products_have_the_orders_of_their_factors() {
        let (s3, c4) = (Group::symmetric(3), Group::cyclic(4));
        assert_eq!(*s3.direct_product(&c4).order(), Natural::from(24));
        assert_eq!(*s3.wreath_product(&c4).order(), Natural::from(6 * 6 * 6 * 6 * 4));
        assert_eq!(*c4.wreath_product(&s3).order(), Natural::from(4 * 4 * 4 * 6));
        assert_eq!(s3.direct_product(&c4).restrict(&[3, 4, 5, 6]), c4);
    }

    #[test]
    fn an_intransitive_top_still_moves_all_copies_of_each_orbit() {
        let top = Group::cyclic(2).direct_product(&Group::trivial(1));
        assert_eq!(*Group::cyclic(3).wreath_product(&top).order(), Natural::from(27 * 2));
    }
}
