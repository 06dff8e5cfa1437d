//! Bounds on schedules: what the reduction sees within a bound is what all schedules within it show.

mod support;

use burnside_stateless::{Bounds, Method, Search, Symmetry};
use std::collections::BTreeSet;
use support::{Form, Seen, asked, explore, generate, listing, representative};

const MAX_INTERLEAVINGS: u64 = 4_000;

/// How many programs per form; `BURNSIDE_FUZZ` asks for more, `BURNSIDE_SEED` for others.
fn n_programs() -> u64 {
    asked("BURNSIDE_FUZZ", 60)
}

fn preemptions(max_preemptions: u32) -> Bounds {
    Bounds { max_preemptions, ..Bounds::default() }
}

fn delays(max_delays: u32) -> Bounds {
    Bounds { max_delays, ..Bounds::default() }
}

/// Programs of one form with all that can be seen of them.
fn programs(form: Form, first_seed: u64) -> impl Iterator<Item = (u64, support::Generated, Seen)> {
    let all = move |seed| {
        let generated = generate(seed, form);
        let full = explore(
            &generated.program,
            Search::new(Method::Plain, Symmetry::Off, Bounds::default()),
            MAX_INTERLEAVINGS,
        )?;
        Some((seed, generated, full))
    };
    (first_seed + asked("BURNSIDE_SEED", 0)..).filter_map(all).take(n_programs() as usize)
}

fn compare(form: Form, first_seed: u64) {
    let (mut n_plain, mut n_reduced, mut n_traces) = (0, 0, 0);
    for (seed, generated, _) in programs(form, first_seed) {
        for bound in 0..4 {
            let run = |method, symmetry| {
                let mut search = Search::new(method, symmetry, preemptions(bound));
                if symmetry == Symmetry::On {
                    search = search.with_families(generated.family.as_slice());
                }
                explore(&generated.program, search, u64::MAX).expect("no limit")
            };
            let (plain, reduced) = (run(Method::Plain, Symmetry::Off), run(Method::Bounded, Symmetry::Off));
            let context = || format!("{form:?}, seed {seed}, {bound} preemptions:\n{}", listing(&generated.program));
            assert_eq!(plain.outcomes, reduced.outcomes, "{}", context());
            let modulo = |seen: &Seen| -> BTreeSet<_> {
                seen.outcomes.iter().map(|outcome| representative(outcome, form)).collect()
            };
            for method in [Method::Plain, Method::Bounded] {
                let word = method.word();
                let seen = run(method, Symmetry::On);
                assert_eq!(modulo(&plain), modulo(&seen), "{word}, {}", context());
            }
            n_traces += reduced.traces.len() as u64;
            n_plain += plain.stats.n_executions;
            n_reduced += reduced.stats.n_executions;
        }
    }
    assert!(n_traces <= n_reduced && n_reduced < n_plain, "{n_reduced} executions instead of {n_plain}");
}

#[test]
fn a_bound_on_preemptions_keeps_every_outcome_within_it() {
    compare(Form::Asymmetric, 10_000_000);
}

#[test]
fn so_it_does_with_interchangeable_threads() {
    compare(Form::Interchange, 11_000_000);
}

#[test]
fn so_it_does_in_rings() {
    compare(Form::Ring, 12_000_000);
}

#[test]
fn delays_add_schedules_until_all_are_there() {
    for (seed, generated, full) in programs(Form::Asymmetric, 13_000_000) {
        let run = |bounds| explore(&generated.program, Search::new(Method::Plain, Symmetry::Off, bounds), u64::MAX);
        let mut before: Option<Seen> = None;
        for bound in [0, 1, 2, 3, 1_000] {
            let seen = run(delays(bound)).expect("no limit");
            if let Some(before) = before {
                assert!(before.outcomes.is_subset(&seen.outcomes), "seed {seed}, {bound} delays");
                assert!(before.stats.n_executions <= seen.stats.n_executions, "seed {seed}, {bound} delays");
            }
            before = Some(seen);
        }
        let last = before.expect("five bounds");
        assert_eq!((last.outcomes, last.stats.n_executions), (full.outcomes, full.stats.n_executions), "seed {seed}");
    }
}
