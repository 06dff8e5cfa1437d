//! Sets of threads.

use crate::op::ThreadId;

/// A set of threads: one word for the first 64, more only for programs that have more.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct ThreadSet {
    low: u64,
    /// Threads 64 and up, 64 to a word; never ends in a zero word, so that equal sets are equal values.
    high: Vec<u64>,
}

impl ThreadSet {
    /// The empty set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a thread; says whether it was new.
    pub fn insert(&mut self, thread: ThreadId) -> bool {
        let (word, bit) = (thread.index() / 64, 1u64 << (thread.index() % 64));
        if word > self.high.len() {
            self.high.resize(word, 0);
        }
        let slot = if word == 0 { &mut self.low } else { &mut self.high[word - 1] };
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
        let slot = if word == 0 { &mut self.low } else { &mut self.high[word - 1] };
        *slot &= !bit;
        while self.high.last() == Some(&0) {
            self.high.pop();
        }
        true
    }

    /// Whether the thread is in the set.
    #[must_use]
    pub fn contains(&self, thread: ThreadId) -> bool {
        let (word, bit) = (thread.index() / 64, 1u64 << (thread.index() % 64));
        self.word(word) & bit != 0
    }

    /// Whether no thread is in the set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.low == 0 && self.high.is_empty()
    }

    /// How many threads are in the set.
    #[must_use]
    pub fn len(&self) -> usize {
        (self.low.count_ones() + self.high.iter().map(|word| word.count_ones()).sum::<u32>()) as usize
    }

    /// Empties the set, keeping its memory.
    pub fn clear(&mut self) {
        self.low = 0;
        self.high.clear();
    }

    /// The threads, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = ThreadId> + '_ {
        (0..=self.high.len()).flat_map(|word| Bits(self.word(word)).map(move |bit| ThreadId::from(word * 64 + bit)))
    }

    fn word(&self, index: usize) -> u64 {
        if index == 0 { self.low } else { self.high.get(index - 1).copied().unwrap_or(0) }
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
