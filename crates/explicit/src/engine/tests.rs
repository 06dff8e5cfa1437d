//! Every search against the plainest one: one rule after the other, a queue, a map.
//!
//! In tests, jobs are small and threads are woken for little, so that small models keep several threads busy.

mod oracle;

use std::num::NonZeroUsize;
use std::time::Instant;

use burnside_engine::{Budget, Counts, DeadlockMode, Question, SearchOrder, Shortfall, Verdict, replay};
use burnside_interp::Limits;
use burnside_ir::{Layout, Model, text};
use burnside_testkit::{Config, random_model};

use super::*;
use oracle::{End, Oracle};

/// As many random models as fit into a few seconds.
const SEEDS: std::ops::Range<u64> = 0..200;

const STORES: [StoreMode; 3] = [StoreMode::Exact, StoreMode::Compressed, StoreMode::Fingerprint];

/// Five counters up to 6, each of which can go up: 16,807 states.
const COUNTERS: &str = r#"(model
  (type t2 (range 1 5))
  (type t3 (range 0 6))
  (type t4 (array t2 t3))
  (global g0 "counters" t4)
  (start i0 "init"
    (do
      (clear g0)))
  (rule r0 "up"
    (local l0 "i" t2)
    (param l0 t2)
    (guard (< g0[l0] 6))
    (do
      (assign g0[l0] (+ g0[l0] 1)))))"#;

fn random_task_model(seed: u64) -> (Model, Layout) {
    let model = random_model(seed, &Config::random(seed));
    let layout = Layout::new(&model).expect("random models are small");
    (model, layout)
}

fn task<'m>(model: &'m Model, layout: &'m Layout, seed: u64) -> Task<'m> {
    let deadlock = [DeadlockMode::Off, DeadlockMode::Stuck, DeadlockMode::Stuttering][seed as usize % 3];
    let step_limits = Limits { loop_rounds: 50, call_depth: 50, call_slots: 1 << 20 };
    Task::of(Question { deadlock, step_limits, ..Question::new(model, layout) })
}

fn threads(n: usize) -> NonZeroUsize {
    NonZeroUsize::new(n).expect("at least one")
}

/// What must not depend on how the search was done.
fn essence(report: &Report) -> String {
    let Counts { states, rules_fired, depth, .. } = report.counts;
    format!("{:?}\n{states} states, {rules_fired} fired, depth {depth}\n{:?}", report.verdict, report.fired)
}

/// The same, except that fingerprints do not show that properties hold.
fn weaken(report: &mut Report) {
    let is_final =
        |violation: &burnside_engine::Violation| !matches!(violation.breach, burnside_engine::Breach::Uncovered(_));
    match &report.verdict {
        Verdict::Violated(violation) if is_final(violation) => {}
        Verdict::Unknown(shortfall) if !matches!(shortfall, Shortfall::Lossy { .. }) => {}
        _ => report.verdict = Verdict::Unknown(Shortfall::Cancelled),
    }
}

#[test]
fn one_thread_does_what_the_plainest_search_does() {
    for seed in SEEDS {
        let (model, layout) = random_task_model(seed);
        let task = task(&model, &layout, seed);
        let oracle = Oracle::search(&task);
        for native in [false, true] {
            let report = Explicit::default()
                .check(&Task { native, ..task }, &Monitor::default())
                .expect("without reduction it answers");
            let counts = (report.counts.states, report.counts.rules_fired, report.counts.depth);
            let shown = || format!("seed {seed}, native {native}\n{}", text::print(&model));
            assert_eq!(counts, (oracle.n_states, oracle.rules_fired, oracle.depth), "{}", shown());
            // Rules that fire inside steps are told in the report only.
            if model.properties_of(PropertyKind::Passing).next().is_none() {
                assert_eq!(report.fired, oracle.fired, "{}", shown());
            }
            let end = match &report.verdict {
                Verdict::Violated(violation) => {
                    assert_eq!(replay(&task, violation), Ok(()), "{}", shown());
                    End::of(violation)
                }
                Verdict::Holds(_) => End::Exhausted,
                Verdict::Unknown(shortfall) => panic!("{shortfall}: {}", shown()),
            };
            assert_eq!(end, oracle.end, "{}", shown());
        }
    }
}

#[test]
fn threads_and_stores_do_not_matter() {
    for seed in SEEDS {
        let (model, layout) = random_task_model(seed);
        let task = task(&model, &layout, seed);
        let reference = Explicit::default().check(&task, &Monitor::default()).expect("without reduction it answers");
        for (at, store) in STORES.into_iter().enumerate() {
            for n_threads in 1..=4 {
                let native = (seed as usize + at + n_threads).is_multiple_of(2);
                let task = Task { store, threads: threads(n_threads), native, ..task };
                if Explicit::default().admit(&task).is_err() {
                    continue;
                }
                let mut report =
                    Explicit::default().check(&task, &Monitor::default()).expect("without reduction it answers");
                let mut reference = reference.clone();
                if store == StoreMode::Fingerprint {
                    weaken(&mut report);
                    weaken(&mut reference);
                }
                let shown = || format!("seed {seed}, {store:?}, {n_threads} threads\n{}", text::print(&model));
                assert_eq!(essence(&report), essence(&reference), "{}", shown());
            }
        }
    }
}

#[test]
fn limits_on_states_and_depth_do_not_depend_on_threads() {
    for seed in SEEDS {
        let (model, layout) = random_task_model(seed);
        let task = task(&model, &layout, seed);
        let full = Explicit::default().check(&task, &Monitor::default()).expect("without reduction it answers");
        let states = (full.counts.states / 2).max(1);
        let depth = full.counts.depth as u32 / 2;
        let budgets = [
            Budget { states: Some(states), ..Budget::default() },
            Budget { depth: Some(depth), ..Budget::default() },
            Budget { depth: Some(full.counts.depth as u32), ..Budget::default() },
        ];
        for budget in budgets {
            let reference =
                Explicit::default().check(&task, &Monitor::new(budget)).expect("without reduction it answers");
            assert!(budget.states.is_none_or(|limit| reference.counts.states <= limit));
            assert!(budget.depth.is_none_or(|bound| reference.counts.depth <= u64::from(bound)));
            if budget.depth == Some(full.counts.depth as u32) {
                assert_eq!(essence(&reference), essence(&full), "seed {seed}: the bound leaves out nothing");
            }
            for n_threads in 2..=4 {
                let report = Explicit::default()
                    .check(&Task { threads: threads(n_threads), ..task }, &Monitor::new(budget))
                    .expect("without reduction it answers");
                assert_eq!(essence(&report), essence(&reference), "seed {seed}, {n_threads} threads");
            }
        }
    }
}

#[test]
fn depth_first_search_visits_the_same_states() {
    for seed in SEEDS {
        let (model, layout) = random_task_model(seed);
        let task = task(&model, &layout, seed);
        let breadth = Explicit::default().check(&task, &Monitor::default()).expect("without reduction it answers");
        for store in STORES {
            let task = Task { order: SearchOrder::DepthFirst, threads: threads(3), store, ..task };
            if Explicit::default().admit(&task).is_err() {
                continue;
            }
            let report = Explicit::default().check(&task, &Monitor::default()).expect("without reduction it answers");
            match (&breadth.verdict, &report.verdict) {
                (Verdict::Violated(_), Verdict::Violated(violation)) => assert_eq!(replay(&task, violation), Ok(())),
                (Verdict::Holds(_), Verdict::Holds(_)) | (_, Verdict::Unknown(Shortfall::Lossy { .. })) => {
                    assert_eq!(report.counts.states, breadth.counts.states);
                    assert_eq!(report.fired, breadth.fired);
                }
                verdicts => panic!("seed {seed}: {verdicts:?}"),
            }
        }
    }
}

#[test]
fn a_search_ends_at_its_limits_and_never_by_force() {
    let model = text::parse(COUNTERS).expect("the text is a model");
    let layout = Layout::new(&model).expect("small");
    for (store, n_threads) in STORES.into_iter().flat_map(|store| (1..4).map(move |n| (store, n))) {
        let threads = threads(n_threads);
        let task = Task {
            store,
            threads,
            ..Task::of(Question { deadlock: DeadlockMode::Off, ..Question::new(&model, &layout) })
        };
        let end = |budget| {
            Explicit::default().check(&task, &Monitor::new(budget)).expect("without reduction it answers").verdict
        };
        for bytes in [0, 10_000, 100_000] {
            let verdict = end(Budget { bytes: Some(bytes), ..Budget::default() });
            assert!(matches!(verdict, Verdict::Unknown(Shortfall::Memory)), "{verdict:?} with {bytes} bytes");
        }
        let verdict = end(Budget { deadline: Some(Instant::now()), ..Budget::default() });
        assert!(matches!(verdict, Verdict::Unknown(Shortfall::Time)), "{verdict:?}");
        let monitor = Monitor::default();
        monitor.cancel();
        let verdict = Explicit::default().check(&task, &monitor).expect("without reduction it answers").verdict;
        assert!(matches!(verdict, Verdict::Unknown(Shortfall::Cancelled)), "{verdict:?}");
    }
}
