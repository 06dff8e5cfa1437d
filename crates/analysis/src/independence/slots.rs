//! Sets of small numbers: slots of the state, or rule instances.

/// A set of numbers below a bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slots(Vec<u64>);

impl Slots {
    /// The empty set of numbers below `n`.
    pub fn new(n: usize) -> Self {
        Self(vec![0; n.div_ceil(64)])
    }

    /// All numbers below `n`.
    pub fn all(n: usize) -> Self {
        let mut all = Self::new(n);
        (0..n).for_each(|at| all.insert(at));
        all
    }

    /// Adds a number.
    #[inline]
    pub fn insert(&mut self, at: usize) {
        self.0[at / 64] |= 1 << (at % 64);
    }

    /// Takes a number out.
    pub fn remove(&mut self, at: usize) {
        self.0[at / 64] &= !(1 << (at % 64));
    }

    /// Whether a number is a member.
    #[inline]
    pub fn contains(&self, at: usize) -> bool {
        self.0[at / 64] >> (at % 64) & 1 == 1
    }

    /// Removes all.
    pub fn clear(&mut self) {
        self.0.fill(0);
    }

    /// Adds all members of another set.
    pub fn add(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(own, other)| *own |= other);
    }

    /// Whether there is no member.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    /// How many members there are.
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether the sets have a common member.
    pub fn meets(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).any(|(own, other)| own & other != 0)
    }

    /// How many members of the set are not in either of two others.
    pub fn n_beyond(&self, one: &Self) -> usize {
        self.0.iter().zip(&one.0).map(|(own, other)| (own & !other).count_ones() as usize).sum()
    }

    /// The words that hold the set, 64 numbers each.
    pub fn words(&self) -> &[u64] {
        &self.0
    }

    /// The same, to be changed.
    pub fn words_mut(&mut self) -> &mut [u64] {
        &mut self.0
    }

    /// The members in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(at, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                if rest == 0 {
                    return None;
                }
                let bit = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                Some(at * 64 + bit)
            })
        })
    }
}
