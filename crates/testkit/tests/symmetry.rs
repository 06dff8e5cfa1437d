//! Symmetric random models really are: every permutation of a sort is an automorphism.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use burnside_interp::{FaultKind, Interpreter, Limits, Outcome};
use burnside_ir::{Layout, Model, RuleId, text};
use burnside_testkit::{Config, Symmetry, explore, permute, random_model, transpositions};
use proptest::prelude::*;

/// What can happen next in a state: the states after it and the faults, without regard to rule parameters.
type Future = BTreeSet<Result<Vec<i64>, (RuleId, FaultKind)>>;

fn future(interpreter: &mut Interpreter<'_>, state: &[i64], image: impl Fn(&[i64]) -> Vec<i64>) -> Future {
    let mut future = Future::new();
    interpreter.successors(state, |rule, _, outcome| {
        match outcome {
            Outcome::Next(next) => _ = future.insert(Ok(image(next))),
            Outcome::Pruned => {}
            Outcome::Fault(_, fault) => _ = future.insert(Err((rule, fault.kind))),
        }
        ControlFlow::Continue(())
    });
    future
}

/// A state from which the images of the next states are not the next states of the image.
fn asymmetric_state(model: &Model, max_states: usize) -> Option<Vec<i64>> {
    let layout = Layout::new(model).expect("random models are small");
    let mut interpreter =
        Interpreter::new(model, &layout, Limits { loop_rounds: 50, call_depth: 50, call_slots: 1 << 20 });
    let states: BTreeSet<Vec<i64>> = explore(model, max_states).states.into_iter().collect();
    let permutations = transpositions(model);
    states.into_iter().find(|state| {
        permutations.iter().any(|permutation| {
            let act = |state: &[i64]| permute(model, &layout, permutation, state);
            let images = future(&mut interpreter, state, act);
            images != future(&mut interpreter, &act(state), <[i64]>::to_vec)
        })
    })
}

fn symmetric(seed: u64) -> Config {
    Config { symmetry: Symmetry::Full, commuting_loops: true, ..Config::random(seed) }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn permutations_are_automorphisms_of_symmetric_models(seed: u64) {
        let model = random_model(seed, &symmetric(seed));
        let found = asymmetric_state(&model, 100);
        prop_assert!(found.is_none(), "in {:?} of\n{}", found, text::print_brief(&model));
    }
}

/// How many of the models of 200 seeds are asymmetric.
fn n_asymmetric(config: impl Fn(Config) -> Config) -> usize {
    let models = (0..200).map(|seed| random_model(seed, &config(symmetric(seed))));
    models.filter(|model| asymmetric_state(model, 100).is_some()).count()
}

#[test]
fn nearly_symmetric_models_are_sometimes_asymmetric() {
    let n_asymmetric = n_asymmetric(|config| Config { symmetry: Symmetry::Nearly, ..config });
    assert!((20..180).contains(&n_asymmetric), "{n_asymmetric} of 200");
}

#[test]
fn the_order_of_loops_sometimes_breaks_symmetry() {
    let n_asymmetric = n_asymmetric(|config| Config { commuting_loops: false, ..config });
    assert!((5..150).contains(&n_asymmetric), "{n_asymmetric} of 200");
}
