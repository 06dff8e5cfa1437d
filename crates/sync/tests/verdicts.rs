//! Every subject gets its verdict, by every method, and every failing schedule replays.

#[macro_use]
#[path = "support/subjects.rs"]
mod macros;

mod subjects {
    subjects!(burnside_sync);
}

use burnside_stateless::{End, Method, Report, Sampling, Schedule, Verdict, fewest_switches};
use burnside_sync::Checker;
use subjects::SUBJECTS;

fn word(report: &Report) -> &'static str {
    match (&report.verdict, &report.fault) {
        (Verdict::Holds, None) => "ok",
        (Verdict::Violated, Some(fault)) => fault.end.as_ref().map_or("", End::word),
        _ => "neither",
    }
}

#[test]
fn every_subject_gets_its_verdict() {
    for (name, expected, body) in SUBJECTS {
        for method in [Method::Optimal, Method::Source, Method::Sleep] {
            let report = Checker::new().method(method.clone()).run(*body);
            assert_eq!(word(&report), *expected, "{name} by {}: {report:?}", method.word());
        }
    }
}

#[test]
fn keeping_on_after_faults_finds_the_same_sort_of_fault() {
    for (name, expected, body) in SUBJECTS {
        let report = Checker::new().keep_going().run(*body);
        let faulty = report.stats.n_deadlocks + report.stats.n_failed > 0;
        assert_eq!(faulty, *expected != "ok", "{name}: {report:?}");
        assert!(report.stats.n_asleep <= report.stats.n_infeasible, "{name}: {:?}", report.stats);
    }
}

#[test]
fn failing_schedules_replay_a_hundred_times() {
    for (name, _, body) in SUBJECTS.iter().filter(|(_, expected, _)| *expected != "ok") {
        let checker = Checker::new();
        let fault = checker.run(*body).fault.expect("these fail");
        let file = Schedule::of(&fault).to_file(&[]);
        for _ in 0..100 {
            let again = checker.replay(&file, *body).unwrap_or_else(|error| panic!("{name}: {error:?}\n{file}"));
            assert_eq!(again.end.as_ref().map(End::word), fault.end.as_ref().map(End::word), "{name}");
            assert_eq!(again.events, fault.renumbered().events, "{name}");
        }
    }
}

#[test]
fn fewer_switches_lead_to_the_same_end() {
    for (name, _, body) in SUBJECTS.iter().filter(|(_, expected, _)| *expected != "ok") {
        // A poor schedule to begin with: the first failing one of a random walk.
        let checker = Checker::new().sample(Sampling::RandomWalk, 10_000, 1);
        let fault = checker.run(*body).fault.unwrap_or_else(|| panic!("{name}: not found at random"));
        let better = fewest_switches(&fault);
        let again = checker.replay(&better.to_file(&[]), *body).unwrap_or_else(|error| panic!("{name}: {error:?}"));
        assert!(again.n_switches() <= fault.n_switches(), "{name}");
    }
}

#[test]
fn a_different_program_is_reported_as_not_deterministic() {
    let bodies: Vec<_> = SUBJECTS.iter().filter(|(name, ..)| *name == "abba" || *name == "lost_update").collect();
    let fault = Checker::new().run(bodies[0].2).fault.expect("abba deadlocks");
    let error = Checker::new().replay(&Schedule::of(&fault).to_file(&[]), bodies[1].2).expect_err("another program");
    assert_eq!(error.step, 0);
    assert!(error.detail.contains("expected `lock"), "{}", error.detail);
}

#[test]
fn pct_finds_bugs_of_small_depth() {
    for (name, _, body) in SUBJECTS.iter().filter(|(_, expected, _)| *expected != "ok") {
        let report = Checker::new().sample(Sampling::Pct { depth: 6 }, 50_000, 7).run(*body);
        assert_eq!(report.verdict, Verdict::Violated, "{name}");
    }
}

#[test]
fn a_sample_without_faults_is_inconclusive() {
    let (_, _, body) = SUBJECTS.iter().find(|(name, ..)| *name == "phil3_ok").expect("listed");
    let report = Checker::new().sample(Sampling::RandomWalk, 50, 1).run(*body);
    assert!(matches!(report.verdict, Verdict::Inconclusive(_)), "{report:?}");
}
