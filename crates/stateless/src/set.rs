//! Sets of threads.

use crate::op::ThreadId;

/// A set of threads: one word for the first 64, more only for programs that have more.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct ThreadSet {
    low: u64,
    /// Threads 64 and up, 64 to a word; never empty and never ends in a zero word, so that equal sets are equal values.
    // PERF: sets are copied at every transition, so the rare part takes one word.
    high: Option<Box<[u64]>>,
}

impl ThreadSet {
    /// The empty set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a thread; says whether it was new.
    #[inline]
    pub fn insert(&mut self, thread: ThreadId) -> bool {
        let (word, bit) = (thread.index() / 64, 1u64 << (thread.index() % 64));
        let slot = if word == 0 { &mut self.low } else { self.high_slot(word - 1) };
        let new = *slot & bit == 0;
        *slot |= bit;
        new
    }

    /// Takes a thread out; says whether it was there.
    pub fn remove(&mut self, thread: ThreadId) -> bool {
        if !self.contains(thread) {
            return false;
        }
        let (word, bit) = (thread.index() / 64, 1u64 << (thread.index() % 64));
        if word == 0 {
            self.low &= !bit;
            return true;
        }
        *self.high_slot(word - 1) &= !bit;
        let n_words = self.high().iter().rposition(|word| *word != 0).map_or(0, |last| last + 1);
        if n_words < self.high().len() {
            self.high = (n_words > 0).then(|| self.high()[..n_words].into());
        }
        true
    }

    /// Whether the thread is in the set.
    #[inline]
    #[must_use]
    pub fn contains(&self, thread: ThreadId) -> bool {
        let (word, bit) = (thread.index() / 64, 1u64 << (thread.index() % 64));
        let word = if word == 0 { self.low } else { self.high().get(word - 1).copied().unwrap_or(0) };
        word & bit != 0
    }

    /// Whether no thread is in the set.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.low == 0 && self.high.is_none()
    }

    /// How many threads are in the set.
    #[must_use]
    pub fn len(&self) -> usize {
        (self.low.count_ones() + self.high().iter().map(|word| word.count_ones()).sum::<u32>()) as usize
    }

    /// Empties the set.
    #[inline]
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// The threads, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = ThreadId> + '_ {
        let low = Bits(self.low).map(ThreadId::from);
        let high = self.high().iter().enumerate();
        low.chain(high.flat_map(|(at, word)| Bits(*word).map(move |bit| ThreadId::from((at + 1) * 64 + bit))))
    }

    fn high(&self) -> &[u64] {
        self.high.as_deref().unwrap_or(&[])
    }

    #[cold]
    fn high_slot(&mut self, index: usize) -> &mut u64 {
        if self.high().len() <= index {
            let mut high = self.high().to_vec();
            high.resize(index + 1, 0);
            self.high = Some(high.into());
        }
        &mut self.high.as_mut().expect("long enough")[index]
    }
}

impl FromIterator<ThreadId> for ThreadSet {
    fn from_iter<I: IntoIterator<Item = ThreadId>>(threads: I) -> Self {
        let mut set = Self::new();
        for thread in threads {
            set.insert(thread);
        }
        set
    }
}

struct Bits(u64);

impl Iterator for Bits {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let bit = self.0.trailing_zeros() as usize;
        self.0 &= self.0.wrapping_sub(1);
        (bit < 64).then_some(bit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_iterate_in_ascending_order_over_word_borders() {
        let set: ThreadSet = [200, 3, 64, 63].into_iter().map(ThreadId).collect();
        assert_eq!(set.iter().map(|thread| thread.0).collect::<Vec<_>>(), [3, 63, 64, 200]);
        assert_eq!(set.len(), 4);
    }

    #[test]
    fn removing_leaves_equal_sets_equal() {
        let mut set: ThreadSet = [1, 130].into_iter().map(ThreadId).collect();
        assert!(set.remove(ThreadId(130)));
        assert!(!set.remove(ThreadId(130)));
        assert_eq!(set, [ThreadId(1)].into_iter().collect());
    }
}
