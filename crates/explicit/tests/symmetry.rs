//! Search up to symmetry against plain search: the same verdicts, and one state for each orbit.

use std::collections::HashSet;
use std::ops::ControlFlow;

use burnside_engine::{Budget, Engine, Monitor, Report, Task, Verdict, replay};
use burnside_explicit::Explicit;
use burnside_interp::{Interpreter, Limits};
use burnside_ir::{Layout, Model};
use burnside_symmetry::{Action, Reduction, Renaming, Symmetry};
use burnside_testkit::{Config, explore, random_model};

const MOST_STATES: usize = 3000;

const LIMITS: Limits = Limits { loop_rounds: 1000, call_depth: 200 };

fn run(model: &Model, layout: &Layout, reduction: Option<Reduction>, native: bool) -> Report {
    let task = Task { step_limits: LIMITS, native, ..Task::new(model, layout) };
    let monitor = Monitor::new(Budget { states: Some(20_000), ..Budget::default() });
    let report = Explicit { reduction }.check(&task, &monitor);
    if let Verdict::Violated(violation) = &report.verdict {
        replay(&task, violation).expect("every counterexample replays");
    }
    report
}

/// All renamings that keep classes.
fn renamings(action: &Action) -> Vec<Renaming> {
    let mut all: Vec<Vec<u32>> = vec![Vec::new()];
    for class in action.classes() {
        let members: Vec<u32> = class.collect();
        let orders = permutations(&members);
        all = all.iter().flat_map(|prefix| orders.iter().map(|order| [&prefix[..], order].concat())).collect();
    }
    all.into_iter().map(Renaming::new).collect()
}

fn permutations(members: &[u32]) -> Vec<Vec<u32>> {
    let Some((&first, rest)) = members.split_first() else { return vec![Vec::new()] };
    let shorter = permutations(rest);
    let insert = |order: &Vec<u32>, at: usize| [&order[..at], &[first], &order[at..]].concat();
    shorter.iter().flat_map(|order| (0..=order.len()).map(|at| insert(order, at)).collect::<Vec<_>>()).collect()
}

/// The number of orbits among some states, and how many rule instances are enabled in one state of each.
fn count_orbits(model: &Model, action: &Action, states: impl Iterator<Item = Vec<i64>>) -> (u64, u64) {
    let renamings = renamings(action);
    let mut interpreter = Interpreter::new(model, action.layout(), LIMITS);
    let mut image = vec![0; action.layout().slots().len()];
    let mut least = HashSet::new();
    let mut enabled = 0;
    for state in states {
        let images = renamings.iter().map(|renaming| {
            action.apply(renaming, &state, &mut image);
            image.clone()
        });
        if least.insert(images.min().expect("there is the identity")) {
            interpreter.successors(&state, |_, _, _| {
                enabled += 1;
                ControlFlow::Continue(())
            });
        }
    }
    (least.len() as u64, enabled)
}

#[test]
#[allow(clippy::print_stderr, reason = "the test says how much it covered")]
fn verdicts_equal_and_one_state_is_stored_for_each_orbit() {
    let seeds = std::env::var("BURNSIDE_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(600);
    let (mut reduced, mut counted, mut violated) = (0, 0, 0);
    for seed in 0..seeds {
        let model = random_model(seed, &Config::random(seed));
        let layout = Layout::new(&model).expect("random models fit");
        let symmetry = Symmetry::find(&model);
        if symmetry.classes.is_empty() {
            continue;
        }
        let plain = run(&model, &layout, None, true);
        let reduction = Reduction::new(&model, &layout, &symmetry);
        let quotient = run(&model, &layout, Some(reduction), true);
        match (&plain.verdict, &quotient.verdict) {
            (Verdict::Holds(_), Verdict::Holds(_)) => {
                reduced += 1;
                let exploration = explore(&model, MOST_STATES);
                let action = Action::new(&model, &layout, &symmetry);
                let few = symmetry.group_order().len() <= 3;
                if few && exploration.states.len() as u64 == plain.counts.states {
                    counted += 1;
                    let orbits = count_orbits(&model, &action, exploration.states.into_iter());
                    let found = (quotient.counts.states, quotient.counts.rules_fired);
                    assert_eq!(found, orbits, "orbits of seed {seed} and the rules fired in them");
                    let slow = run(&model, &layout, Some(Reduction::new(&model, &layout, &symmetry)), false);
                    assert_eq!(found, (slow.counts.states, slow.counts.rules_fired), "interpreted, seed {seed}");
                    assert_eq!(slow.fired, quotient.fired, "rules of seed {seed}");
                }
            }
            (Verdict::Violated(_), Verdict::Violated(_)) => violated += 1,
            (Verdict::Unknown(_), _) | (_, Verdict::Unknown(_)) => {}
            (plain, quotient) => panic!("seed {seed}: {plain:?} without, {quotient:?} with reduction"),
        }
    }
    eprintln!("{reduced} symmetric models hold, {violated} are violated, orbits counted in {counted}");
    assert!(reduced + violated > seeds / 10, "the generator makes symmetric models");
}
