//! What a state costs, at sizes at which the parts of a set have their real proportions.

use burnside_store::{Codec, Compressed, Config, Exact, Fingerprint, Insertion, Request, Set, hash, shard_of};

/// Fills a set and calls `check` with the number of states and the most bytes held so far, every few states.
fn fill<C: Codec>(n_bytes: u32, n_shards: usize, n_states: u64, mut check: impl FnMut(u64, u64)) {
    let config = Config { n_bits: n_bytes * 8, n_shards, limit: None };
    let (set, mut shards) = Set::<C>::open(config).expect("memory");
    let n_words = n_bytes.div_ceil(8) as usize;
    let mut state = vec![0; n_words];
    for code in 0..n_states {
        write_state(code, n_bytes, &mut state);
        let hash = hash(&state);
        let request = Request { state: &state, hash, parent: None };
        let insertion = shards[shard_of(hash, n_shards)].insert(&request);
        assert!(matches!(insertion, Insertion::New(_)));
        if code % 1000 == 999 {
            check(code + 1, set.peak_bytes());
        }
    }
}

/// Changes few words from one state to the next, as the steps of a model do.
fn write_state(code: u64, n_bytes: u32, state: &mut [u64]) {
    if let [only] = state {
        *only = code;
        return;
    }
    let bits = (24_u32.div_ceil(state.len() as u32)).min(n_bytes * 8 / state.len() as u32);
    for (at, word) in state.iter_mut().enumerate() {
        *word = code >> (at as u32 * bits).min(63) & ((1 << bits) - 1);
    }
}

#[test]
fn an_exact_set_takes_at_most_half_more_than_the_states_and_16_bytes_each() {
    for (n_bytes, n_shards) in [(4, 1), (8, 1), (9, 1), (16, 2), (24, 1), (37, 1), (64, 2), (200, 1)] {
        fill::<Exact>(n_bytes, n_shards, 400_000, |n_states, bytes| {
            // Shards take memory in steps of up to 2 MB.
            let bound = n_states * (3 * u64::from(n_bytes) / 2 + 16) + ((n_shards as u64) << 21);
            assert!(bytes <= bound, "{n_bytes} bytes, {n_states} states: {bytes} > {bound}");
        });
    }
}

/// The most bytes a set of these states ever held.
fn peak<C: Codec>(n_bytes: u32, n_shards: usize, n_states: u64) -> u64 {
    let mut peak = 0;
    fill::<C>(n_bytes, n_shards, n_states, |_, bytes| peak = bytes);
    peak
}

#[test]
fn a_compressed_set_takes_at_most_half_of_an_exact_one_for_states_of_more_than_32_bytes() {
    for (n_bytes, n_shards) in [(33, 1), (40, 2), (48, 1), (200, 2)] {
        let exact = peak::<Exact>(n_bytes, n_shards, 400_000);
        let compressed = peak::<Compressed>(n_bytes, n_shards, 400_000);
        assert!(compressed <= exact / 2, "{n_bytes} bytes, {n_shards} shards: {compressed} and {exact}");
    }
}

#[test]
fn a_compressed_set_is_hardly_larger_than_an_exact_one_where_every_column_is_full_of_values() {
    let n_states = 300_000;
    for n_bytes in [4, 8, 13, 40_u32] {
        let fill = |set_bytes: &dyn Fn(&[Vec<u64>]) -> u64| {
            let n_words = n_bytes.div_ceil(8) as usize;
            let unused = n_words as u32 * 64 - n_bytes * 8;
            let state = |code: u64| {
                let mut state: Vec<u64> = (0..n_words as u64).map(|at| hash(&[code, at])).collect();
                state[n_words - 1] = state[n_words - 1] << unused >> unused;
                state
            };
            set_bytes(&(0..n_states).map(state).collect::<Vec<_>>())
        };
        let exact = fill(&|states| peak_of_states::<Exact>(n_bytes, states));
        let compressed = fill(&|states| peak_of_states::<Compressed>(n_bytes, states));
        // Each column's tables are given up once they have this many bytes and have not paid; steps of 2 MB remain.
        let tables = u64::from(n_bytes.div_ceil(4)) * (32 << 10);
        assert!(compressed <= exact + tables, "{n_bytes} bytes: {compressed} and {exact}");
    }
}

fn peak_of_states<C: Codec>(n_bytes: u32, states: &[Vec<u64>]) -> u64 {
    let config = Config { n_bits: n_bytes * 8, n_shards: 1, limit: None };
    let (set, mut shards) = Set::<C>::open(config).expect("memory");
    for state in states {
        shards[0].insert(&Request { state, hash: hash(state), parent: None });
    }
    set.peak_bytes()
}

#[test]
fn a_fingerprint_takes_at_most_22_bytes_whatever_the_state() {
    for n_bytes in [8, 200] {
        fill::<Fingerprint>(n_bytes, 1, 400_000, |n_states, bytes| {
            assert!(bytes <= n_states * 22 + (1 << 21), "{n_bytes} bytes, {n_states} states: {bytes}");
        });
    }
}

#[test]
fn an_empty_set_is_small() {
    let (set, _shards) = Set::<Exact>::open(Config { n_bits: 100, n_shards: 4, limit: None }).expect("memory");
    assert!(set.bytes() <= 4 << 13, "{} bytes", set.bytes());
}
