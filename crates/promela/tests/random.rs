//! Random models: the IR of each has the states, transitions and faults that the reference explorer finds.
//!
//! `$RANDOM_MODELS` says how many are tried, `$RANDOM_SEED` where to begin.

mod counting;

use burnside_testkit::random_promela;

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().and_then(|value| value.parse().ok()).unwrap_or(otherwise)
}

#[test]
fn random_models_have_the_reference_counts() {
    let (first, n_models) = (number("RANDOM_SEED", 1), number("RANDOM_MODELS", 300));
    let mut n_compared = 0;
    for seed in first..first + n_models {
        let text = random_promela(seed);
        match counting::compare(&text, &[], 3000) {
            Ok(compared) => n_compared += u64::from(compared),
            Err(problem) => panic!("seed {seed}: {problem}\n{text}"),
        }
    }
    assert!(n_compared * 3 > n_models, "only {n_compared} of {n_models} models were small enough to compare");
}

/// Fails if something is forgotten that is still read (which is a fault), or if forgetting makes states different.
#[test]
fn forgetting_variables_spares_states_and_changes_no_verdict() {
    let (first, n_models) = (number("RANDOM_SEED", 1), number("RANDOM_MODELS", 300));
    let mut spared = 0;
    for seed in first..first + n_models {
        let text = random_promela(seed);
        match counting::compare_slim(&text, 3000) {
            Ok(counts) => spared += counts.map_or(0, |[plain, slim]| plain - slim),
            Err(problem) => panic!("seed {seed}: {problem}\n{text}"),
        }
    }
    assert!(spared > 0, "nothing was spared");
}
