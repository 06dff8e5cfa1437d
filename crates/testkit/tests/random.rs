//! Random models keep what they promise.

use std::collections::BTreeMap;

use burnside_ir::{text, verify};
use burnside_testkit::{Config, corrupt, explore, random_model};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_models_have_no_defects(seed: u64) {
        let model = random_model(seed, &Config::random(seed));
        prop_assert_eq!(verify(&model), []);
    }

    #[test]
    fn corrupted_models_have_defects(seed: u64) {
        let model = corrupt(&random_model(seed, &Config::random(seed)), seed);
        prop_assert_ne!(verify(&model), []);
    }

    #[test]
    fn the_same_seed_gives_the_same_model(seed: u64) {
        let config = Config::random(seed);
        prop_assert_eq!(random_model(seed, &config), random_model(seed, &config));
    }

    #[test]
    fn models_without_faults_never_fault(seed: u64) {
        let model = random_model(seed, &Config { faults: false, ..Config::random(seed) });
        let faults = explore(&model, 300).faults;
        prop_assert!(faults.is_empty(), "{:?}\n{}", faults, text::print(&model));
    }
}

/// Every word that opens a list in the text form, and every mark of a place or operand.
#[rustfmt::skip]
const CONSTRUCTS: &[&str] = &[
    "(sort ", " ring ", " plain ", "(range ", "(enum ", "(id ", "(union ", "(array ", "(record ", "(multiset ",
    "(function ", "(result t", "(start ", "(rule ", "(priority ", "(local ", " ref)", "(param ", "(value ", "(ref ",
    " invariant", " assumption", " cover\n", " cover-point", " liveness", "(slots ", "{", "[", ".0'", "(result f",
    "(copy ", " undefined", "(is-undefined ", "(is-member ", "(same ", "(not ", "(neg ", "(bit-not ", "(select ",
    "(convert:", "(forall ", "(exists ", "(count ", "(call:", "(+ ", "(- ", "(* ", "(/ ", "(% ", "(bit-and ",
    "(bit-or ", "(bit-xor ", "(<< ", "(>> ", "(= ", "(!= ", "(< ", "(<= ", "(> ", "(>= ", "(and ", "(or ",
    "(implies ", "(assign ", "(clear ", "(bind ", "(if\n", "(when ", "(else\n", "(while ", "(for ", "(call f",
    "(assert ", "(assume ", "(cover p", "(error ", "(put ", "(show ", "(return", "(insert ", "(remove ",
    "(remove-where ", "(call-into ", " slot)", "{slot ", "(slot-number ",
];

#[test]
fn every_construct_occurs_in_many_models() {
    let mut n_models: BTreeMap<&str, u32> = BTreeMap::new();
    for seed in 0..1000 {
        let text = text::print_brief(&random_model(seed, &Config::default()));
        for &construct in CONSTRUCTS {
            *n_models.entry(construct).or_default() += u32::from(text.contains(construct));
        }
    }
    let rare: Vec<_> = n_models.iter().filter(|&(_, &n)| n < 12).collect();
    assert!(rare.is_empty(), "{rare:?}");
}

#[test]
fn most_models_have_a_reasonable_number_of_states_and_some_fault() {
    let explorations = (0..200).map(|seed| explore(&random_model(seed, &Config::default()), 5001));
    let (mut n_reasonable, mut n_faulty) = (0, 0);
    for exploration in explorations {
        n_reasonable += usize::from((10..=5000).contains(&exploration.states.len()));
        n_faulty += usize::from(!exploration.faults.is_empty());
    }
    assert!(n_reasonable > 140, "{n_reasonable} of 200");
    assert!((20..120).contains(&n_faulty), "{n_faulty} of 200");
}
