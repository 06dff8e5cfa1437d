//! Random models keep what they promise.

use burnside_ir::{text, verify};
use burnside_testkit::{Config, explore, random_model};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_models_have_no_defects(seed: u64) {
        let model = random_model(seed, &Config::random(seed));
        prop_assert_eq!(verify(&model), []);
    }

    #[test]
    fn printing_and_parsing_gives_the_same_model(seed: u64) {
        let model = random_model(seed, &Config::random(seed));
        prop_assert_eq!(text::parse(&text::print(&model)), Ok(model));
    }

    #[test]
    fn models_without_faults_never_fault(seed: u64) {
        let model = random_model(seed, &Config { faults: false, ..Config::random(seed) });
        let faults = explore(&model, 300).faults;
        prop_assert!(faults.is_empty(), "{:?}\n{}", faults, text::print(&model));
    }
}
