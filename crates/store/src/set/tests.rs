//! The same facts for every codec.

use std::collections::HashMap;
use std::sync::mpsc;

use proptest::prelude::*;

use super::*;
use crate::{Compressed, Exact, Fingerprint};

fn open<C: Codec>(n_bits: u32, n_shards: usize) -> (Set<C>, Vec<Shard<C>>) {
    Set::open(Config { n_bits, n_shards, limit: None }).expect("memory")
}

fn request(state: &[u64], parent: Option<StateId>) -> Request<'_> {
    Request { state, hash: hash(state), parent }
}

fn read<C: Codec>(set: &Set<C>, id: StateId, n_words: usize) -> Vec<u64> {
    let mut state = vec![0; n_words];
    set.read(id, &mut state);
    state
}

/// Inserts the states in order, in one batch after the first `n_single`, and compares with a map from the library. New
/// states get rising numbers, without gaps where cells have one shape.
fn insert_like_a_map<C: Codec>(n_bits: u32, states: &[Vec<u64>], n_single: usize) {
    let (set, mut shards) = open::<C>(n_bits, 1);
    let shard = &mut shards[0];
    let parent_of = |at: usize| (at > 0).then_some(StateId(at as u32 / 2));
    let mut insertions: Vec<Insertion> = Vec::new();
    let (single, batch) = states.split_at(n_single.min(states.len()));
    for (at, state) in single.iter().enumerate() {
        assert_eq!(shard.find(state, hash(state)).is_some(), single[..at].contains(state));
        insertions.push(shard.insert(&request(state, parent_of(at))));
    }
    let batch_request = |at: usize| request(&batch[at], parent_of(at + single.len()));
    let hashes: Vec<u64> = batch.iter().map(|state| hash(state)).collect();
    shard.insert_all(&hashes, batch_request, |insertion| insertions.push(insertion));

    let mut numbers: HashMap<&[u64], StateId> = HashMap::new();
    let mut last = None;
    for (at, state) in states.iter().enumerate() {
        match (numbers.get(&state[..]), insertions[at]) {
            (Some(&id), insertion) => assert_eq!(insertion, Insertion::Old(id)),
            (None, Insertion::New(id)) => {
                assert!(last.is_none_or(|last| last < id));
                assert!(C::CHANGES_SHAPE || id.index() == numbers.len());
                numbers.insert(state, id);
                last = Some(id);
                assert_eq!(set.parent(id), parent_of(at));
            }
            (None, insertion) => panic!("{insertion:?} for a new state"),
        }
        assert_eq!(shard.find(state, hash(state)), Some(numbers[&state[..]]));
        if C::IS_EXACT {
            assert_eq!(read(&set, numbers[&state[..]], state.len()), *state);
        }
    }
}

fn insert_like_a_map_in_every_mode(n_bits: u32, states: &[Vec<u64>], n_single: usize) {
    insert_like_a_map::<Exact>(n_bits, states, n_single);
    insert_like_a_map::<Compressed>(n_bits, states, n_single);
    insert_like_a_map::<Fingerprint>(n_bits, states, n_single);
}

#[test]
fn all_short_orders_of_insertion_are_right() {
    let length = if cfg!(miri) { 3 } else { 5 };
    let alphabet = [vec![0, 0], vec![0, 1], vec![1, 0], vec![1, 1]];
    for code in 0..alphabet.len().pow(length) {
        let states: Vec<_> =
            (0..length).map(|at| alphabet[code / alphabet.len().pow(at) % alphabet.len()].clone()).collect();
        insert_like_a_map_in_every_mode(65, &states, length as usize / 2);
    }
}

/// States that share words with each other, as those of a model do.
fn related_states() -> impl Strategy<Value = (u32, Vec<Vec<u64>>)> {
    let n_states = if cfg!(miri) { 40 } else { 400 };
    (1_u32..=450).prop_flat_map(move |n_bits| {
        let n_words = n_bits.div_ceil(64) as usize;
        let last_mask = u64::MAX >> (n_words as u32 * 64 - n_bits);
        let word = prop_oneof![0_u64..4, any::<u64>()];
        let state = prop::collection::vec(word, n_words).prop_map(move |mut state| {
            *state.last_mut().expect("not empty") &= last_mask;
            state
        });
        (Just(n_bits), prop::collection::vec(state, 0..n_states))
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 2 } else { 200 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn sets_agree_with_a_map((n_bits, states) in related_states(), n_single in 0_usize..100) {
        insert_like_a_map_in_every_mode(n_bits, &states, n_single);
    }
}

/// Two owners insert and two readers read back what they hear of, all at once.
fn read_while_inserting<C: Codec>() {
    let n_states: u64 = if cfg!(miri) { 100 } else { 30_000 };
    let (set, shards) = open::<C>(5 * 64, 2);
    let n_shards = shards.len();
    let state = |code: u64| [code, code >> 3, code >> 6, code << 60, 7];
    std::thread::scope(|scope| {
        let mut tellers = Vec::new();
        for _ in 0..2 {
            let (teller, hearer) = mpsc::channel::<(u64, StateId)>();
            tellers.push(teller);
            let set = &set;
            scope.spawn(move || {
                for (code, id) in hearer {
                    assert_eq!(read(set, id, 5), state(code));
                    assert_eq!(set.parent(id), (code > 0).then_some(StateId(code as u32 / 2)));
                }
            });
        }
        for (number, mut shard) in shards.into_iter().enumerate() {
            let tellers = tellers.clone();
            scope.spawn(move || {
                let mine: Vec<u64> =
                    (0..n_states).filter(|&code| shard_of(hash(&state(code)), n_shards) == number).collect();
                for codes in mine.chunks(23) {
                    let states: Vec<_> = codes.iter().map(|&code| state(code)).collect();
                    let parent = |at: usize| (codes[at] > 0).then(|| StateId(codes[at] as u32 / 2));
                    let mut insertions = Vec::new();
                    let hashes: Vec<u64> = states.iter().map(|state| hash(state)).collect();
                    shard.insert_all(
                        &hashes,
                        |at| request(&states[at], parent(at)),
                        |insertion| insertions.push(insertion),
                    );
                    for (code, insertion) in codes.iter().zip(insertions) {
                        let Insertion::New(id) = insertion else { panic!("{insertion:?}") };
                        tellers.iter().for_each(|teller| teller.send((*code, id)).expect("the reader is there"));
                    }
                }
            });
        }
    });
}

#[test]
fn states_can_be_read_while_others_are_inserted() {
    read_while_inserting::<Exact>();
    read_while_inserting::<Compressed>();
}

#[test]
fn a_full_set_still_finds_what_it_holds() {
    fn check<C: Codec>() {
        let limit = if cfg!(miri) { 1 << 16 } else { 1 << 19 };
        let (set, mut shards) =
            Set::<C>::open(Config { n_bits: 192, n_shards: 1, limit: Some(limit) }).expect("memory");
        let state = |code: u64| [code, code % 7, code % 5];
        let codes = 0..100_000;
        let mut insert = |code| shards[0].insert(&request(&state(code), None));
        let inserted: Vec<Insertion> = codes.map(&mut insert).take_while(|&end| end != Insertion::Full).collect();
        assert!(inserted.len() > 100, "{} states", inserted.len());
        assert!(set.bytes() <= limit && set.peak_bytes() <= limit);
        for (code, insertion) in (0..).zip(inserted) {
            let Insertion::New(id) = insertion else { panic!("{insertion:?}") };
            assert_eq!(insert(code), Insertion::Old(id));
        }
    }
    check::<Exact>();
    check::<Compressed>();
    check::<Fingerprint>();
}

#[test]
fn shards_share_the_hashes_evenly() {
    let mut sizes = [0_u32; 3];
    for code in 0..3000 {
        sizes[shard_of(hash(&[code]), 3)] += 1;
    }
    assert!(sizes.iter().all(|&size| size.abs_diff(1000) < 100), "{sizes:?}");
}
