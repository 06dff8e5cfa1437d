//! The worked examples of two papers, as far as they are about groups.
//!
//! Donaldson and Miller, *Extending symmetry reduction techniques to a realistic model of computation* (2007), write
//! products from right to left and let `α` move the contents of place `i` to place `α(i)`, as this crate does. Wahl and
//! Donaldson, *Replication and abstraction: symmetry in automated formal verification* (2010), let place `i` take the
//! contents of place `π(i)`; their `π` is the inverse of ours. Points count from 1 in the papers and in strings here.

use std::collections::BTreeSet;

use burnside_group::{Canoniser, Entry, Group, ImageSearch, Natural, Partition, Permutation, Records, Word};

fn permutation(degree: usize, cycles: &str) -> Permutation {
    Permutation::parse(degree, cycles).expect(cycles)
}

/// The paper's state `(l1, r1, l2, r2, …)`: a control state and one reference each, where 0 refers to nobody.
fn state(numbers: &[u64]) -> Records {
    let entry = |(i, &number): (usize, &u64)| match (i % 2, number) {
        (1, 1..) => Entry::Point(number as usize - 1),
        _ => Entry::Letter(number),
    };
    Records::new(numbers.len() / 2, numbers.iter().enumerate().map(entry).collect())
}

fn control(state: &Records) -> Vec<u64> {
    let letter = |entry: &Entry| if let Entry::Letter(letter) = *entry { letter } else { 0 };
    state.entries().iter().step_by(2).map(letter).collect()
}

fn references(state: &Records) -> Vec<usize> {
    let number = |entry: &Entry| if let Entry::Point(point) = *entry { point + 1 } else { 0 };
    state.entries().iter().skip(1).step_by(2).map(number).collect()
}

/// The order of definition 3.4: control states first, then references.
fn key(state: &Records) -> (Vec<u64>, Vec<usize>) {
    (control(state), references(state))
}

/// Algorithm 2: selection sort by swaps, for any order; with the number of permutations applied.
fn selection_sort<S, K: Ord>(
    degree: usize,
    start: &S,
    act: impl Fn(&Permutation, &S) -> S,
    key: impl Fn(&S) -> K,
) -> (Permutation, usize) {
    let mut total = Permutation::identity(degree);
    let mut n_applied = 0;
    for i in 0..degree - 1 {
        let current = act(&total, start);
        let mut best = Permutation::identity(degree);
        for j in i + 1..degree {
            let swap = Permutation::from_cycles(degree, &[&[i, j]]);
            n_applied += 1;
            if key(&act(&swap, &current)) < key(&act(&best, &current)) {
                best = swap;
            }
        }
        total = total.then(&best);
    }
    (total, n_applied)
}

fn sort_records<K: Ord>(start: &Records, key: impl Fn(&Records) -> K) -> (Permutation, usize) {
    selection_sort(start.entries().len() / 2, start, |g, s| s.permute(g), key)
}

/// Algorithm 3: minimise the control states by any exact means, then the references within the stabiliser of the
/// partition into equal control states.
fn segment(group: &Group, canoniser: &Canoniser, start: &Records) -> (Permutation, Group) {
    let beta = canoniser.canonise(&control(start));
    let sorted = start.permute(&beta);
    let stabiliser = group.partition_stabiliser(&Partition::from_keys(&control(&sorted)));
    let alpha = stabiliser.elements().min_by_key(|delta| key(&sorted.permute(delta))).expect("a group has elements");
    (beta.then(&alpha), stabiliser)
}

fn least_by_enumeration(group: &Group, start: &Records) -> Records {
    group.elements().map(|g| start.permute(&g)).min_by_key(key).expect("a group has elements")
}

#[test]
fn a_swap_moves_states_and_renames_references() {
    let s = state(&[1, 4, 2, 3, 0, 0, 0, 4]);
    assert_eq!(s.permute(&permutation(4, "(3 4)")), state(&[1, 3, 2, 4, 0, 3, 0, 0]));
}

#[test]
fn a_reference_as_bits_moves_like_any_word() {
    // A reference to 5 among 8 is a one in the place 5 from the right; renaming moves the one.
    let bits = |reference: usize| (1..=8).rev().map(|place| u64::from(place == reference)).collect::<Vec<u64>>();
    assert_eq!(bits(5), [0, 0, 0, 1, 0, 0, 0, 0]);
    let reversal = permutation(8, "(1 8)(2 7)(3 6)(4 5)");
    for (from, alpha) in [(5, "(2 5)(7 8)"), (1, "(1 8 3)"), (6, "(1 2)")] {
        let alpha = permutation(8, alpha);
        assert_eq!(alpha.conjugate(&reversal).permute(&bits(from)), bits(alpha.image(from - 1) + 1));
    }
}

#[test]
fn sorting_minimises_without_references() {
    let word: Vec<u64> = vec![5, 2, 4, 3];
    let (alpha, n_applied) = selection_sort(4, &word, |g, w| g.permute(w), Vec::clone);
    assert_eq!(alpha, permutation(4, "(1 4 2)"));
    assert_eq!(n_applied, 6);
    assert_eq!(alpha.permute(&word), [2, 3, 4, 5]);
    let found = ImageSearch::new(&Group::symmetric(4)).canonical(&Word(&word));
    assert_eq!(found.element.permute(&word), [2, 3, 4, 5]);
}

#[test]
fn sorting_does_not_minimise_with_references() {
    let s = state(&[1, 0, 0, 2, 0, 2]);
    let (swap_13, swap_23) = (permutation(3, "(1 3)"), permutation(3, "(2 3)"));
    assert_eq!(s.permute(&swap_13), state(&[0, 2, 0, 2, 1, 0]));
    assert_eq!(s.permute(&swap_23), state(&[1, 0, 0, 3, 0, 3]));
    // The paper's product (1 3)(2 3) moves by (2 3) first.
    let product = swap_23.then(&swap_13);
    assert_eq!(product, permutation(3, "(1 3 2)"));
    assert_eq!(s.permute(&product), state(&[0, 1, 0, 1, 1, 0]));
    assert_eq!(least_by_enumeration(&Group::symmetric(3), &s), s.permute(&product));
    assert_eq!(sort_records(&s, key).0, swap_13);
}

#[test]
fn longer_states_break_the_lemma_but_not_always_the_sort() {
    for n in 3..=6 {
        let mut numbers = vec![1, 0, 0, 2, 0, 2];
        numbers.resize(2 * n, 0);
        let s = state(&numbers);
        let (first, second) = (permutation(n, "(2 3)"), permutation(n, "(1 3)"));
        let smaller = |a: &Records, b: &Records| key(a) < key(b);
        assert!(smaller(&s.permute(&second), &s) && !smaller(&s.permute(&first), &s));
        assert!(smaller(&s.permute(&first.then(&second)), &s.permute(&second)));
        let sorted = s.permute(&sort_records(&s, key).0);
        let is_least = sorted == least_by_enumeration(&Group::symmetric(n), &s);
        assert_eq!(is_least, n > 3);
    }
}

#[test]
fn segmentation_of_section_5_3() {
    let group = Group::symmetric(4);
    let s = state(&[1, 2, 0, 1, 0, 1, 2, 1]);
    let (beta, n_applied) = selection_sort(4, &control(&s), |g, w: &Vec<u64>| g.permute(w), Vec::clone);
    assert_eq!((beta.clone(), n_applied), (permutation(4, "(1 3)"), 6));
    let t = s.permute(&beta);
    assert_eq!(t, state(&[0, 3, 0, 3, 1, 2, 2, 3]));
    // The paper prints seg(t) as {1,2},{2},{3}.
    let cells = Partition::from_keys(&control(&t));
    assert_eq!(cells.cells(), [vec![0, 1], vec![2], vec![3]]);
    let stabiliser = group.partition_stabiliser(&cells);
    assert_eq!(stabiliser, Group::new(4, vec![permutation(4, "(1 2)")]));
    let (element, _) = segment(&group, &Canoniser::new(&group), &s);
    assert_eq!(s.permute(&element), state(&[0, 3, 0, 3, 1, 1, 2, 3]));
}

#[test]
fn segmentation_is_exact_and_sorting_is_not() {
    let group = Group::symmetric(3);
    let (canoniser, search) = (Canoniser::new(&group), ImageSearch::new(&group));
    let (mut n_states, mut n_sort_fails) = (0, 0);
    let [mut least, mut segmented, mut sorted, mut searched] = [const { BTreeSet::new() }; 4];
    for number in 0..12u64.pow(3) {
        let s =
            state(&(0..3).flat_map(|i| [number / 12u64.pow(i) % 3, number / 12u64.pow(i) / 3 % 4]).collect::<Vec<_>>());
        let minimum = least_by_enumeration(&group, &s);
        let by_sort = s.permute(&sort_records(&s, key).0);
        assert_eq!(s.permute(&segment(&group, &canoniser, &s).0), minimum);
        n_states += 1;
        n_sort_fails += usize::from(by_sort != minimum);
        segmented.insert(s.permute(&segment(&group, &canoniser, &s).0));
        searched.insert(s.permute(&search.canonical(&s).element));
        sorted.insert(by_sort);
        least.insert(minimum);
    }
    assert_eq!((n_states, n_sort_fails), (1728, 117));
    assert_eq!([least.len(), segmented.len(), searched.len(), sorted.len()], [328, 328, 328, 421]);
}

/// The left shift of the survey, where place `i` takes the contents of place `i + 1`.
fn left_shift(n: usize) -> Permutation {
    Permutation::from_cycles(n, &[&(0..n).rev().collect::<Vec<_>>()])
}

/// Local states `A`, `B`, … with one reference each, as in section 4.3.
fn pairs(pairs: &[(char, u64)]) -> Records {
    state(&pairs.iter().flat_map(|&(letter, reference)| [letter as u64, reference]).collect::<Vec<_>>())
}

/// Local states after one shared variable that names a process: the variable is the record of one more, fixed point.
fn with_token(token: usize, local: &str) -> Records {
    let locals = local.chars().map(|letter| Entry::Letter(letter as u64));
    Records::new(local.len() + 1, locals.chain([Entry::Point(token - 1)]).collect())
}

#[test]
fn shifts_and_swaps_of_section_2() {
    assert_eq!(left_shift(3).permute(&['A', 'B', 'C']), ['B', 'C', 'A']);
    let shift = permutation(4, "(1 3 2)");
    assert_eq!(with_token(3, "NTC").permute(&shift), with_token(2, "TCN"));
    assert_eq!(with_token(1, "TNC").permute(&shift), with_token(3, "NCT"));
    assert_eq!(with_token(2, "TNN").permute(&shift), with_token(1, "NNT"));
    let swap = permutation(4, "(1 2)");
    assert_eq!(with_token(1, "TNC").permute(&swap), with_token(2, "NTC"));
    assert_eq!(with_token(2, "TNN").permute(&swap), with_token(1, "NTN"));
}

/// All words of the given length over an alphabet, as text.
fn words(length: usize, alphabet: &str) -> Vec<String> {
    (0..length).fold(vec![String::new()], |words, _| {
        words.iter().flat_map(|word| alphabet.chars().map(move |letter| format!("{word}{letter}"))).collect()
    })
}

/// The least image of a word under all permutations.
fn least_word(word: &str) -> String {
    let letters: Vec<u64> = word.bytes().map(u64::from).collect();
    let found = ImageSearch::new(&Group::symmetric(letters.len())).canonical(&Word(&letters));
    found.element.permute(&letters).iter().map(|&letter| letter as u8 as char).collect()
}

#[test]
fn full_symmetry_leaves_multisets_of_local_states() {
    let representatives = |n| words(n, "NTC").iter().map(|word| least_word(word)).collect::<BTreeSet<String>>();
    assert_eq!(words(2, "NTC").len(), 9);
    assert!(representatives(2).iter().eq(["CC", "CN", "CT", "NN", "NT", "TT"]));
    // Property 6: C(n + l - 1, n).
    assert_eq!([3, 4, 5].map(|n| representatives(n).len()), [10, 15, 21]);
}

#[test]
fn a_least_first_process_is_not_yet_canonical() {
    let all = words(3, "NTC");
    let with_least_first = |word: &&String| word.chars().all(|letter| word.chars().next() <= Some(letter));
    let candidates: Vec<&String> = all.iter().filter(with_least_first).collect();
    let canonical = candidates.iter().filter(|word| least_word(word) == ***word);
    assert_eq!((all.len(), candidates.len(), canonical.count()), (27, 14, 10));
    assert!(candidates.iter().any(|word| *word == "CTN") && least_word("CTN") == "CNT");
}

#[test]
fn sorted_local_states_of_section_4_2() {
    let canoniser = Canoniser::new(&Group::symmetric(4));
    for word in ["ACAB", "BAAC"] {
        assert_eq!(least_word(word), "AABC");
        let letters: Vec<char> = word.chars().collect();
        let codes: Vec<u64> = word.bytes().map(u64::from).collect();
        assert_eq!(canoniser.canonise(&codes).permute(&letters), ['A', 'A', 'B', 'C']);
    }
}

#[test]
fn shared_references_of_section_4_2() {
    // Three shared variables: the record of a fixed point; the other records are padded.
    let state = |shared: [usize; 3], local: &str| {
        let locals = local.chars().flat_map(|letter| [letter as u64, 0, 0].map(Entry::Letter));
        Records::new(5, locals.chain(shared.map(|id| Entry::Point(id - 1))).collect())
    };
    let group = Group::symmetric(4).direct_product(&Group::trivial(1));
    let (s, t) = (state([1, 2, 3], "ACAB"), state([3, 4, 2], "BAAC"));
    let expected = state([1, 4, 2], "AABC");
    let least = |state: &Records| group.elements().map(|g| state.permute(&g)).min().expect("a group has elements");
    for state in [&s, &t] {
        assert_eq!(least(state), expected);
    }
    let search = ImageSearch::new(&group);
    assert_eq!(s.permute(&search.canonical(&s).element), t.permute(&search.canonical(&t).element));
}

/// Selection sort by local states alone: each place in turn is swapped with the first of the least ones from there on.
fn swap_least_forward(start: &Records) -> (Vec<String>, Records) {
    let mut sorted = start.clone();
    let mut swaps = Vec::new();
    let n = control(start).len();
    for i in 0..n {
        let local = control(&sorted);
        let least = (i..n).min_by_key(|&j| local[j]).expect("there is a place");
        if least != i {
            let swap = Permutation::from_cycles(n, &[&[i, least]]);
            sorted = sorted.permute(&swap);
            swaps.push(swap.to_string());
        }
    }
    (swaps, sorted)
}

#[test]
fn local_references_of_section_4_3() {
    let leaders = pairs(&[('A', 2), ('B', 2), ('C', 1)]);
    assert_eq!(leaders.permute(&permutation(3, "(1 2)")), pairs(&[('B', 1), ('A', 1), ('C', 2)]));

    let t = pairs(&[('A', 4), ('B', 2), ('A', 2), ('C', 4)]);
    let s = pairs(&[('B', 1), ('A', 1), ('C', 3), ('A', 3)]);
    assert_eq!(t.permute(&left_shift(4)), s);

    let (swaps_s, sorted_s) = swap_least_forward(&s);
    let (swaps_t, sorted_t) = swap_least_forward(&t);
    assert_eq!(swaps_s, ["(1 2)", "(2 4)", "(3 4)"]);
    assert_eq!(swaps_t, ["(2 3)"]);
    assert_eq!(sorted_s, pairs(&[('A', 3), ('A', 4), ('B', 3), ('C', 4)]));
    assert_eq!(sorted_t, pairs(&[('A', 4), ('A', 3), ('B', 3), ('C', 4)]));

    let group = Group::symmetric(4);
    let stabiliser = group.partition_stabiliser(&Partition::from_keys(&control(&sorted_s)));
    assert_eq!(*stabiliser.order(), Natural::from(2));
    // The paper prints (1 2)s' as ((A,4),(A,3),(C,3),(B,4)); it is t'.
    assert_eq!(sorted_s.permute(&permutation(4, "(1 2)")), sorted_t);
    let canoniser = Canoniser::new(&group);
    for state in [&s, &t] {
        assert_eq!(state.permute(&segment(&group, &canoniser, state).0), sorted_s);
    }
}

#[test]
fn under_rotations_counters_do_not_determine_the_orbit() {
    let orbit: BTreeSet<Vec<char>> = Group::cyclic(3).elements().map(|g| g.permute(&['A', 'B', 'C'])).collect();
    assert_eq!(orbit.len(), 3);
    assert!(!orbit.contains(&vec!['C', 'B', 'A']));
}
