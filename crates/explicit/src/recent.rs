//! States that steps have led to lately.
//!
//! A state is met about as often as rules are enabled in one, and often again soon: two rules that do not concern each
//! other lead to one state in either order. Where such a state was met on the same thread a moment ago, neither its
//! representative nor its place in the visited set need be looked for. Every state has one row in a small table, where
//! the state met last is kept, whole. Without reduction it helps where states are large; small ones the visited set finds
//! as fast.
//!
// SOUND: a thread meets states in the order of the jobs that it expands, and every shard takes jobs in that order. So by
// the time at which the states of a job are inserted, what its thread met before was inserted, or is excluded by an
// assumption, or the search has come to its end. In each case the state leads nowhere new. This needs that nobody asks
// for the numbers of states met before, and that no depth bound leaves out a state that is met again less deep; see
// `job::Config::remembers`. Under reduction it also needs that a state has one representative whatever was met before.

use burnside_store::prefetch;

/// Bytes of the first table and of the largest.
const FIRST_BYTES: usize = if cfg!(test) { 1 << 8 } else { 1 << 14 };
const MOST_BYTES: usize = if cfg!(test) { 1 << 9 } else { 1 << 20 };

/// Without reduction, smaller states are not looked for.
// PERF: with 1 MB, newcache3 (10 words) takes 0.72 of the time; msi_n (6) and german (2) take as long as without.
const LARGE_WORDS: usize = if cfg!(test) { 1 } else { 8 };

/// After how many states it is judged whether they come back.
const TRIAL: u32 = 1 << 12;

/// With fewer of these known, looking does not pay.
const FRUITFUL: u32 = TRIAL / 16;

/// How many states are then not looked for.
const PAUSE: u32 = 16 * TRIAL;

/// The table of one thread.
#[derive(Debug)]
pub(crate) struct Recent {
    n_words: usize,
    /// In each row a hash, with its last bit set so that it is not that of a free row, and the state.
    rows: Vec<u64>,
    /// By how much a hash is shifted to give the number of its row.
    shift: u32,
    /// How many states were put into rows since the table was made.
    n_noted: usize,
    n_seen: u32,
    n_known: u32,
    n_skipped: u32,
}

impl Recent {
    /// Whether it pays for states of so many words.
    pub(crate) fn is_worthwhile(n_words: usize, reduces: bool) -> bool {
        reduces || n_words >= LARGE_WORDS
    }

    /// An empty table for states of so many words.
    pub(crate) fn new(n_words: usize) -> Self {
        let mut table = Self { n_words, rows: Vec::new(), shift: 0, n_noted: 0, n_seen: 0, n_known: 0, n_skipped: 0 };
        table.make(FIRST_BYTES);
        table
    }

    /// Forgets everything and has about so many bytes from now on.
    fn make(&mut self, bytes: usize) {
        let row_words = self.n_words + 1;
        let n_rows = (bytes / size_of::<u64>() / row_words).max(2).next_power_of_two();
        self.rows = vec![0; n_rows * row_words];
        self.shift = u64::BITS - n_rows.ilog2();
        self.n_noted = 0;
    }

    fn row(&self, hash: u64) -> usize {
        (hash >> self.shift) as usize * (self.n_words + 1)
    }

    /// Starts to load the row of a hash.
    #[inline]
    pub(crate) fn prefetch(&self, hash: u64) {
        prefetch(&raw const self.rows[self.row(hash)]);
    }

    /// Whether a state was met lately; from now on it was.
    #[inline]
    pub(crate) fn meet(&mut self, state: &[u64], hash: u64) -> bool {
        if !self.pays() {
            return false;
        }
        let at = self.row(hash);
        let row = &mut self.rows[at..=at + self.n_words];
        if row[0] == hash | 1 && row[1..] == *state {
            self.n_known += 1;
            return true;
        }
        row[0] = hash | 1;
        row[1..].copy_from_slice(state);
        self.n_noted += 1;
        // What is forgotten now comes back soon.
        if self.n_noted > self.rows.len() && self.rows.len() * size_of::<u64>() < MOST_BYTES {
            self.make(4 * self.rows.len() * size_of::<u64>());
        }
        false
    }

    /// Whether states come back often enough to be looked for.
    #[inline]
    fn pays(&mut self) -> bool {
        if self.n_skipped > 0 {
            self.n_skipped -= 1;
            return false;
        }
        self.n_seen += 1;
        if self.n_seen == TRIAL {
            self.n_skipped = if self.n_known < FRUITFUL { PAUSE } else { 0 };
            (self.n_seen, self.n_known) = (0, 0);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use burnside_store::hash;

    use super::*;

    fn meet(recent: &mut Recent, state: &[u64]) -> bool {
        recent.meet(state, hash(state))
    }

    #[test]
    fn a_state_is_known_once_it_was_met_and_no_other_is() {
        let mut recent = Recent::new(2);
        assert!(!meet(&mut recent, &[0, 0]), "free rows have no state");
        assert!(meet(&mut recent, &[0, 0]));
        assert!(!recent.meet(&[1, 0], hash(&[0, 0])), "hashes alone do not tell");
        assert!(!meet(&mut recent, &[0, 0]), "another state has its row");
    }

    #[test]
    fn what_is_claimed_to_be_known_was_met_before() {
        let mut recent = Recent::new(1);
        let mut met = std::collections::HashSet::new();
        let mut n_known = 0;
        for number in 0..20 * u64::from(TRIAL) {
            // Two in a row are the same, and come back late; every third never does.
            let state = [if number % 3 == 2 { hash(&[number]) } else { number / 3 % 500 }];
            let is_known = meet(&mut recent, &state);
            assert!(!is_known || met.contains(&state));
            met.insert(state);
            n_known += u32::from(is_known);
        }
        assert!(n_known > 0);
    }

    #[test]
    fn nothing_is_looked_for_where_nothing_comes_back() {
        let mut recent = Recent::new(1);
        (0..u64::from(TRIAL)).for_each(|number| assert!(!meet(&mut recent, &[number])));
        let last = [u64::from(TRIAL) - 1];
        assert!(!meet(&mut recent, &last), "in a pause");
        (0..u64::from(PAUSE)).for_each(|_| _ = meet(&mut recent, &last));
        assert!(meet(&mut recent, &last), "after it");
    }
}
