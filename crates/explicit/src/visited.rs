//! The set of visited states: every packed state in full, numbered in the order of insertion, with its parent.

use std::hash::Hasher as _;

use rustc_hash::FxHasher;

/// The number of a stored state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct StateId(pub(crate) u32);

/// What became of an insertion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Insertion {
    New(StateId),
    Old(StateId),
    /// There is no memory, or there are no numbers, left.
    Full,
}

/// An exact set of states in an open-addressing table over one array of words.
pub(crate) struct Visited {
    n_words: usize,
    /// State `i` lies at `i * n_words`.
    words: Vec<u64>,
    /// The predecessor each state was found from, or itself for a start state.
    parents: Vec<StateId>,
    /// State number plus 1, or 0 where free. The length is a power of two, at most two thirds in use.
    table: Vec<u32>,
}

impl Visited {
    pub(crate) fn new(n_words: usize) -> Self {
        Self { n_words, words: Vec::new(), parents: Vec::new(), table: vec![0; 1 << 10] }
    }

    pub(crate) fn len(&self) -> usize {
        self.parents.len()
    }

    pub(crate) fn bytes(&self) -> u64 {
        let words = self.words.capacity() * size_of::<u64>();
        let rest = self.parents.capacity() * size_of::<StateId>() + self.table.capacity() * size_of::<u32>();
        (words + rest) as u64
    }

    pub(crate) fn get(&self, state: StateId) -> &[u64] {
        let at = state.0 as usize * self.n_words;
        &self.words[at..at + self.n_words]
    }

    /// The predecessor, or `None` for a start state.
    pub(crate) fn parent(&self, state: StateId) -> Option<StateId> {
        let parent = self.parents[state.0 as usize];
        (parent != state).then_some(parent)
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = StateId> + use<> {
        (0..self.len() as u32).map(StateId)
    }

    pub(crate) fn find(&self, state: &[u64]) -> Option<StateId> {
        self.probe(state).ok()
    }

    /// Adds a state; without a parent it is a start state.
    pub(crate) fn insert(&mut self, state: &[u64], parent: Option<StateId>) -> Insertion {
        let free = match self.probe(state) {
            Ok(old) => return Insertion::Old(old),
            Err(free) => free,
        };
        let id = StateId(self.len() as u32);
        if self.len() >= u32::MAX as usize - 1 || self.reserve().is_err() {
            return Insertion::Full;
        }
        self.words.extend_from_slice(state);
        self.parents.push(parent.unwrap_or(id));
        self.table[free] = id.0 + 1;
        if self.len() * 3 > self.table.len() * 2 && self.grow().is_err() {
            return Insertion::Full;
        }
        Insertion::New(id)
    }

    fn reserve(&mut self) -> Result<(), std::collections::TryReserveError> {
        self.words.try_reserve(self.n_words)?;
        self.parents.try_reserve(1)
    }

    /// Where the state is, or else the free cell where it belongs.
    fn probe(&self, state: &[u64]) -> Result<StateId, usize> {
        let mask = self.table.len() - 1;
        let mut cell = hash(state) as usize & mask;
        loop {
            match self.table[cell].checked_sub(1) {
                None => return Err(cell),
                Some(id) if self.get(StateId(id)) == state => return Ok(StateId(id)),
                Some(_) => cell = (cell + 1) & mask,
            }
        }
    }

    fn grow(&mut self) -> Result<(), std::collections::TryReserveError> {
        let size = self.table.len() * 2;
        let mut table = Vec::new();
        table.try_reserve_exact(size)?;
        table.resize(size, 0);
        self.table = table;
        for id in self.ids() {
            let cell = self.probe(self.get(id)).expect_err("stored states differ");
            self.table[cell] = id.0 + 1;
        }
        Ok(())
    }
}

fn hash(state: &[u64]) -> u64 {
    let mut hasher = FxHasher::default();
    for &word in state {
        hasher.write_u64(word);
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_is_new_once_and_keeps_its_number() {
        let mut visited = Visited::new(2);
        for round in 0..2 {
            for word in 0..5000_u64 {
                let parent = (word > 0).then(|| StateId(word as u32 - 1));
                let id = StateId(word as u32);
                let expected = if round == 0 { Insertion::New(id) } else { Insertion::Old(id) };
                assert_eq!(visited.insert(&[word << 40, word], parent), expected);
            }
        }
        assert_eq!(visited.len(), 5000);
        assert_eq!(visited.find(&[1 << 40, 1]), Some(StateId(1)));
        assert_eq!(visited.find(&[1, 1]), None);
        assert_eq!(visited.parent(StateId(7)), Some(StateId(6)));
        assert_eq!(visited.parent(StateId(0)), None);
    }
}
