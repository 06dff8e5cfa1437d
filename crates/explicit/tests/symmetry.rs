//! Search up to symmetry against plain search: the same verdicts, and one state for each orbit.

use std::collections::HashSet;
use std::ops::ControlFlow;

use burnside_diag::FileId;
use burnside_engine::{
    Breach, Budget, Declined, Engine, Monitor, Question, Report, Shortfall, Task, Verdict, Violation, replay,
};
use burnside_explicit::Explicit;
use burnside_interp::{Interpreter, Limits};
use burnside_ir::{Layout, Model};
use burnside_symmetry::{Action, Exactness, Reduction, Renaming, Strategy, Symmetry};
use burnside_testkit::{Config, explore, random_model, random_ring_model};

const MOST_STATES: usize = 3000;

const LIMITS: Limits = Limits { loop_rounds: 1000, call_depth: 200, call_slots: 1 << 20 };

fn run(model: &Model, layout: &Layout, reduction: Option<Reduction>, native: bool) -> Result<Report, Declined> {
    let task = Task { native, ..Task::of(Question { step_limits: LIMITS, ..Question::new(model, layout) }) };
    let monitor = Monitor::new(Budget { states: Some(20_000), ..Budget::default() });
    let report = Explicit { reduction, ..Explicit::default() }.check(&task, &monitor)?;
    if let Verdict::Violated(violation) = &report.verdict {
        replay(&task, violation).expect("every counterexample replays");
    }
    Ok(report)
}

/// All renamings that are proved, one by one.
fn renamings(symmetry: &Symmetry) -> Vec<Renaming> {
    let mut all: Vec<Vec<u32>> = vec![Vec::new()];
    let mut extend = |orders: Vec<Vec<u32>>| {
        let first = all[0].len() as u32;
        let shifted = |order: &Vec<u32>| order.iter().map(|image| first + image).collect::<Vec<u32>>();
        let orders: Vec<Vec<u32>> = orders.iter().map(shifted).collect();
        all = all.iter().flat_map(|prefix| orders.iter().map(|order| [&prefix[..], order].concat())).collect();
    };
    for class in &symmetry.classes {
        extend(permutations(&(0..class.size).collect::<Vec<u32>>()));
    }
    for joint in &symmetry.joints {
        extend(joint.group.elements().map(|it| it.images().map(|image| image as u32).collect()).collect());
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
fn count_orbits(
    model: &Model,
    (action, symmetry): (&Action, &Symmetry),
    states: impl Iterator<Item = Vec<i64>>,
) -> (u64, u64) {
    let renamings = renamings(symmetry);
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
            interpreter.passages(&state, |_, _, _, n_ways| {
                enabled += n_ways;
                ControlFlow::Continue(())
            });
        }
    }
    (least.len() as u64, enabled)
}

/// A model's answers without reduction.
struct Plain<'m> {
    model: &'m Model,
    layout: &'m Layout,
    symmetry: Symmetry,
    report: Report,
    /// The number of orbits and of rule instances enabled in them, where they can be counted.
    orbits: Option<(u64, u64)>,
}

/// At which distance from the start states a search that goes breadth first meets a violation: a deadlock shows when a
/// state is left, everything else in the step to a state. None if only a complete search can tell.
fn level(violation: &Violation) -> Option<usize> {
    let is_late = usize::from(violation.breach == Breach::Deadlock);
    let is_about_all = matches!(violation.breach, Breach::Uncovered(_) | Breach::Liveness(..) | Breach::Temporal(..));
    violation.trace.as_ref().filter(|_| !is_about_all).map(|trace| trace.steps.len() + is_late)
}

impl<'m> Plain<'m> {
    fn new(model: &'m Model, layout: &'m Layout) -> Self {
        let symmetry = Symmetry::find(model);
        let report = run(model, layout, None, true).expect("without reduction there is nothing to decline");
        let is_countable = symmetry.group_order().len() <= 3 && matches!(report.verdict, Verdict::Holds(_));
        let states = if is_countable { explore(model, MOST_STATES).states } else { HashSet::new() };
        let orbits = (is_countable && states.len() as u64 == report.counts.states)
            .then(|| count_orbits(model, (&Action::new(model, layout, &symmetry), &symmetry), states.into_iter()));
        Self { model, layout, symmetry, report, orbits }
    }

    /// What is wrong with the answer under a strategy. One of them is tried by the interpreter.
    fn compare(&self, strategy: Strategy) -> Result<(), String> {
        let reduction = Reduction::new(self.model, self.layout, &self.symmetry, strategy);
        let native = strategy != Strategy::Segment;
        // Parameters of liveness properties are not followed by every strategy.
        let engine = Explicit { reduction: Some(reduction.clone()), ..Explicit::default() };
        if engine.admit(&Task::new(self.model, self.layout)).is_err() {
            return Ok(());
        }
        let Ok(quotient) = run(self.model, self.layout, Some(reduction), native) else {
            return Err(format!("with {strategy:?}, a violation does not show in the model's own order of evaluation"));
        };
        let (n_plain, n_stored) = (self.report.counts.states, quotient.counts.states);
        let n_fired = quotient.counts.rules_fired;
        let (orbits, fired) = self.orbits.unwrap_or((n_stored, n_fired));
        let is_right = match (&self.report.verdict, &quotient.verdict, strategy.exactness()) {
            (Verdict::Holds(_), Verdict::Holds(_), Exactness::Exact) => {
                (n_stored, n_fired) == (orbits, fired) && n_stored <= n_plain
            }
            // More than without reduction is possible: start states may name members, so that not all images of a
            // reachable state are reachable.
            (Verdict::Holds(_), Verdict::Holds(_), Exactness::Redundant) => n_stored >= orbits,
            (Verdict::Holds(_), Verdict::Unknown(Shortfall::Approximate), Exactness::Approximate) => {
                n_stored <= self.orbits.map_or(n_plain, |(orbits, _)| orbits)
            }
            (_, Verdict::Holds(_), Exactness::Approximate) => false,
            (Verdict::Violated(plain), Verdict::Violated(found), Exactness::Approximate) => {
                level(plain) <= level(found)
            }
            (Verdict::Violated(plain), Verdict::Violated(found), _) => level(plain) == level(found),
            // Lossy: it may miss what is there.
            (Verdict::Violated(_), Verdict::Unknown(Shortfall::Approximate), exactness) => {
                exactness == Exactness::Approximate
            }
            (Verdict::Unknown(Shortfall::States(_)), _, _) | (_, Verdict::Unknown(Shortfall::States(_)), _) => true,
            _ => false,
        };
        let (plain, reduced) = (&self.report.verdict, &quotient.verdict);
        let problem = || {
            format!("{n_plain} states, {orbits} orbits, {plain:?}; with {strategy:?} {n_stored} states, {reduced:?}")
        };
        if is_right { Ok(()) } else { Err(problem()) }
    }
}

/// All strategies on the random models of some seeds.
#[allow(clippy::print_stderr, reason = "the test says how much it covered")]
fn all_strategies_agree(seeds: std::ops::Range<u64>) {
    let n_seeds = seeds.end - seeds.start;
    let (mut symmetric, mut joint, mut counted, mut violated) = (0, 0, 0, 0);
    for seed in seeds {
        let model = random_model(seed, &Config::random(seed));
        let layout = Layout::new(&model).expect("random models fit");
        let symmetry = Symmetry::find(&model);
        if symmetry.is_trivial() {
            continue;
        }
        joint += u32::from(!symmetry.joints.is_empty());
        let plain = Plain::new(&model, &layout);
        for strategy in Strategy::ALL.into_iter().filter(|it| symmetry.joints.is_empty() || it.treats_joints()) {
            if let Err(problem) = plain.compare(strategy) {
                panic!("seed {seed}: {problem}");
            }
        }
        symmetric += 1;
        counted += u32::from(plain.orbits.is_some());
        violated += u32::from(matches!(plain.report.verdict, Verdict::Violated(_)));
    }
    eprintln!(
        "{symmetric} symmetric models, {joint} of them with other groups, {violated} of them violated, orbits counted in {counted}"
    );
    assert!(symmetric > n_seeds / 10 && counted > 0 && violated > 0, "the generator makes symmetric models");
}

/// `refine` and `enumerate` on random models over rings and graphs.
#[test]
#[allow(clippy::print_stderr, reason = "the test says how much it covered")]
fn rings_and_graphs_tell_the_same() {
    let (mut joint, mut counted, mut violated) = (0, 0, 0);
    for seed in 0..2 * n_seeds() {
        let text = random_ring_model(seed);
        let loaded = burnside_murphi::load(FileId(0), &text, &burnside_murphi::Options::default());
        let model = loaded.model.unwrap_or_else(|| panic!("seed {seed}: {:?}", loaded.diagnostics));
        let layout = Layout::new(&model).expect("random models fit");
        let plain = Plain::new(&model, &layout);
        if plain.symmetry.joints.is_empty() {
            continue;
        }
        for strategy in Strategy::ALL.into_iter().filter(|strategy| strategy.treats_joints()) {
            if let Err(problem) = plain.compare(strategy) {
                panic!("seed {seed}: {problem}\n{text}");
            }
        }
        joint += 1;
        counted += u32::from(plain.orbits.is_some());
        violated += u32::from(matches!(plain.report.verdict, Verdict::Violated(_)));
    }
    eprintln!("{joint} models with other groups, {violated} of them violated, orbits counted in {counted}");
    assert!(joint > n_seeds() / 2 && counted > 0 && violated > 0, "the generator makes rings and graphs");
}

/// How many seeds each test takes.
fn n_seeds() -> u64 {
    std::env::var("BURNSIDE_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(300)
}

#[test]
fn verdicts_equal_and_exact_strategies_store_one_state_for_each_orbit() {
    all_strategies_agree(0..n_seeds());
}

#[test]
fn more_random_models_tell_the_same() {
    all_strategies_agree(n_seeds()..2 * n_seeds());
}
