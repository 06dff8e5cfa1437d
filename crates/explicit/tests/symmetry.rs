//! Search up to symmetry against plain search: the same verdicts, and one state for each orbit.

use std::collections::HashSet;

use burnside_engine::{Budget, Engine, Monitor, Report, Task, Verdict, replay};
use burnside_explicit::Explicit;
use burnside_interp::Limits;
use burnside_ir::{Layout, Model};
use burnside_symmetry::{Action, Reduction, Renaming, Symmetry};
use burnside_testkit::{Config, explore, random_model};

const MOST_STATES: usize = 3000;

fn run(model: &Model, layout: &Layout, reduction: Option<Reduction>) -> Report {
    let limits = Limits { loop_rounds: 1000, call_depth: 200 };
    let task = Task { step_limits: limits, ..Task::new(model, layout) };
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

fn count_orbits(action: &Action, states: impl Iterator<Item = Vec<i64>>) -> usize {
    let renamings = renamings(action);
    let mut image = vec![0; action.layout().slots().len()];
    let mut least = HashSet::new();
    for state in states {
        let images = renamings.iter().map(|renaming| {
            action.apply(renaming, &state, &mut image);
            image.clone()
        });
        least.insert(images.min().expect("there is the identity"));
    }
    least.len()
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
        let plain = run(&model, &layout, None);
        let reduction = Reduction::new(&model, &layout, &symmetry);
        let quotient = run(&model, &layout, Some(reduction));
        match (&plain.verdict, &quotient.verdict) {
            (Verdict::Holds(_), Verdict::Holds(_)) => {
                reduced += 1;
                let exploration = explore(&model, MOST_STATES);
                let action = Action::new(&model, &layout, &symmetry);
                let few = symmetry.group_order().len() <= 3;
                if few && exploration.states.len() as u64 == plain.counts.states {
                    counted += 1;
                    let orbits = count_orbits(&action, exploration.states.into_iter());
                    assert_eq!(quotient.counts.states, orbits as u64, "orbits of seed {seed}");
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
