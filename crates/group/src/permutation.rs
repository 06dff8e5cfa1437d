//! Permutations of the points `0..n`.
//!
//! A permutation is the list of its images. Products are read from left to right, as the word says: `a.then(&b)` first
//! moves by `a`, then by `b`. What stands at point `i` of a vector goes to point `image(i)`, so that
//! `a.then(&b).permute(v) == b.permute(a.permute(v))`. A paper that writes products from right to left, `βα`, means
//! `alpha.then(&beta)`.

use std::fmt;

use crate::Natural;

/// A permutation of the points `0..n`, where `n` is its degree.
///
/// Ordered by the list of images, so the identity is the least of its degree.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Permutation {
    /// Every number below the length occurs exactly once.
    images: Box<[u32]>,
}

impl Permutation {
    /// The permutation that moves nothing.
    ///
    /// # Panics
    /// If the degree does not fit 32 bits.
    pub fn identity(degree: usize) -> Self {
        let degree = u32::try_from(degree).expect("a degree fits 32 bits");
        Permutation { images: (0..degree).collect() }
    }

    /// The permutation with the given images of `0`, `1`, …, or `None` if they are not the numbers `0..n` in some order.
    pub fn from_images(images: &[usize]) -> Option<Self> {
        let mut taken = vec![false; images.len()];
        for &image in images {
            if std::mem::replace(taken.get_mut(image)?, true) {
                return None;
            }
        }
        Some(Permutation { images: images.iter().map(|&image| image as u32).collect() })
    }

    /// The permutation that takes each point of each cycle to the next one and the last to the first.
    ///
    /// # Panics
    /// If a point is not below the degree or occurs twice.
    pub fn from_cycles(degree: usize, cycles: &[&[usize]]) -> Self {
        let mut taken = vec![false; degree];
        let mut permutation = Self::identity(degree);
        for cycle in cycles {
            for (i, &point) in cycle.iter().enumerate() {
                assert!(!std::mem::replace(&mut taken[point], true), "point {point} occurs twice in the cycles");
                permutation.images[point] = cycle[(i + 1) % cycle.len()] as u32;
            }
        }
        permutation
    }

    /// The number of points, moved or not.
    pub fn degree(&self) -> usize {
        self.images.len()
    }

    /// Where `point` goes.
    pub fn image(&self, point: usize) -> usize {
        self.images[point] as usize
    }

    /// The images of `0`, `1`, ….
    pub fn images(&self) -> impl ExactSizeIterator<Item = usize> + '_ {
        self.images.iter().map(|&image| image as usize)
    }

    /// First this one, then `next`.
    ///
    /// # Panics
    /// If the degrees differ, as do all operations on two permutations.
    #[must_use]
    pub fn then(&self, next: &Self) -> Self {
        let mut product = self.clone();
        product.append(next);
        product
    }

    /// Turns this permutation into the product that moves by `next` afterwards.
    pub fn append(&mut self, next: &Self) {
        assert_eq!(self.degree(), next.degree(), "permutations of different degrees");
        for image in &mut self.images {
            *image = next.images[*image as usize];
        }
    }

    /// The permutation that takes everything back.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let mut images = vec![0; self.degree()].into_boxed_slice();
        for (point, &image) in self.images.iter().enumerate() {
            images[image as usize] = point as u32;
        }
        Permutation { images }
    }

    /// The product of `exponent` copies; of the inverse if negative.
    #[must_use]
    pub fn power(&self, exponent: i64) -> Self {
        let mut images = vec![0; self.degree()].into_boxed_slice();
        self.for_each_cycle(|cycle| {
            let shift = exponent.rem_euclid(cycle.len() as i64) as usize;
            for (i, &point) in cycle.iter().enumerate() {
                images[point] = cycle[(i + shift) % cycle.len()] as u32;
            }
        });
        Permutation { images }
    }

    /// `by⁻¹ · self · by`: the same permutation after every point was renamed by `by`.
    #[must_use]
    pub fn conjugate(&self, by: &Self) -> Self {
        by.inverse().then(self).then(by)
    }

    /// Whether nothing moves.
    pub fn is_identity(&self) -> bool {
        self.first_moved().is_none()
    }

    /// The least point that moves.
    pub fn first_moved(&self) -> Option<usize> {
        self.images.iter().enumerate().position(|(point, &image)| point as u32 != image)
    }

    /// The points that move, ascending.
    pub fn support(&self) -> impl Iterator<Item = usize> + '_ {
        self.images().enumerate().filter(|&(point, image)| point != image).map(|(point, _)| point)
    }

    /// The cycles of at least two points, each from its least point on, in the order of their least points.
    pub fn cycles(&self) -> Vec<Vec<usize>> {
        let mut cycles = Vec::new();
        self.for_each_cycle(|cycle| {
            if cycle.len() > 1 {
                cycles.push(cycle.to_vec());
            }
        });
        cycles
    }

    /// The least exponent above zero whose power is the identity.
    pub fn order(&self) -> Natural {
        let mut primes = std::collections::BTreeMap::new();
        self.for_each_cycle(|cycle| {
            for (prime, exponent) in factors(cycle.len()) {
                let greatest = primes.entry(prime).or_insert(0);
                *greatest = exponent.max(*greatest);
            }
        });
        primes.into_iter().fold(Natural::one(), |mut order, (prime, exponent)| {
            (0..exponent).for_each(|_| order *= prime);
            order
        })
    }

    /// Whether it is a product of an even number of transpositions.
    pub fn is_even(&self) -> bool {
        let mut n_transpositions = 0;
        self.for_each_cycle(|cycle| n_transpositions += cycle.len() - 1);
        n_transpositions.is_multiple_of(2)
    }

    /// The vector with each entry at the image of its old place.
    pub fn permute<T: Clone>(&self, entries: &[T]) -> Vec<T> {
        assert_eq!(self.degree(), entries.len(), "as many entries as points");
        self.inverse().images().map(|place| entries[place].clone()).collect()
    }

    /// Calls `visit` with every cycle, fixed points included, in the order of their least points.
    fn for_each_cycle(&self, mut visit: impl FnMut(&[usize])) {
        let mut seen = vec![false; self.degree()];
        let mut cycle = Vec::new();
        for start in 0..self.degree() {
            let mut point = start;
            while !std::mem::replace(&mut seen[point], true) {
                cycle.push(point);
                point = self.image(point);
            }
            if !cycle.is_empty() {
                visit(&cycle);
                cycle.clear();
            }
        }
    }
}

impl fmt::Debug for Permutation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The prime factors of `n` with their exponents.
fn factors(mut n: usize) -> Vec<(usize, u32)> {
    let mut factors = Vec::new();
    let mut prime = 2;
    while n > 1 {
        if prime * prime > n {
            prime = n;
        }
        let mut exponent = 0;
        while n.is_multiple_of(prime) {
            n /= prime;
            exponent += 1;
        }
        if exponent > 0 {
            factors.push((prime, exponent));
        }
        prime += 1;
    }
    factors
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cycle(points: &[usize]) -> Permutation {
        Permutation::from_cycles(5, &[points])
    }

    #[test]
    fn products_are_read_from_left_to_right() {
        let (a, b) = (cycle(&[0, 1]), cycle(&[1, 2]));
        assert_eq!(a.then(&b), cycle(&[0, 2, 1]));
        assert_eq!(a.then(&b).image(0), b.image(a.image(0)));
        let word = ['a', 'b', 'c', 'd', 'e'];
        assert_eq!(a.then(&b).permute(&word), b.permute(&a.permute(&word)));
    }

    #[test]
    fn an_entry_goes_where_its_point_goes() {
        assert_eq!(cycle(&[0, 1, 2]).permute(&['a', 'b', 'c', 'd', 'e']), ['c', 'a', 'b', 'd', 'e']);
    }

    #[test]
    fn images_must_be_a_bijection() {
        assert_eq!(Permutation::from_images(&[1, 0, 2]), Some(Permutation::from_cycles(3, &[&[0, 1]])));
        assert_eq!(Permutation::from_images(&[1, 1, 2]), None);
        assert_eq!(Permutation::from_images(&[1, 3, 2]), None);
    }

    #[test]
    fn powers_repeat_the_product() {
        let p = Permutation::from_cycles(8, &[&[0, 3, 5], &[1, 2], &[4, 7]]);
        let mut product = Permutation::identity(8);
        for exponent in 0..8 {
            assert_eq!(p.power(exponent), product);
            assert_eq!(p.power(-exponent), product.inverse());
            product.append(&p);
        }
        assert_eq!(p.order(), Natural::from(6));
    }

    #[test]
    fn the_order_is_the_least_common_multiple_of_the_cycles() {
        let cycles: [&[usize]; 3] = [&[0, 1, 2, 3], &[4, 5, 6, 7, 8, 9], &[10, 11, 12, 13, 14, 15, 16, 17, 18]];
        assert_eq!(Permutation::from_cycles(20, &cycles).order(), Natural::from(36));
        assert_eq!(Permutation::identity(20).order(), Natural::one());
    }

    #[test]
    fn parity_counts_transpositions() {
        assert!(Permutation::identity(5).is_even());
        assert!(!cycle(&[0, 4]).is_even());
        assert!(cycle(&[0, 4, 2]).is_even());
    }

    #[test]
    fn conjugation_renames_the_cycles() {
        let by = cycle(&[0, 3, 4]);
        assert_eq!(cycle(&[0, 1, 2]).conjugate(&by), cycle(&[3, 1, 2]));
    }

    #[test]
    fn support_and_cycles_leave_fixed_points_out() {
        let p = Permutation::from_cycles(6, &[&[4, 2], &[5, 1]]);
        assert_eq!(p.support().collect::<Vec<_>>(), [1, 2, 4, 5]);
        assert_eq!(p.cycles(), [vec![1, 5], vec![2, 4]]);
        assert_eq!(p.first_moved(), Some(1));
    }
}
