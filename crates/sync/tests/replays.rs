//! A failing test tells how to repeat its schedule, and the environment variable it names does so.
//!
//! The variable belongs to the whole process, so this file has one test.

#![allow(unsafe_code, reason = "the environment is changed")]

use burnside_stateless::Verdict;
use burnside_sync::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use burnside_sync::sync::{Arc, Mutex};
use burnside_sync::{Checker, thread};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc as RealArc;
use std::sync::atomic::AtomicU32;

fn lost_update() {
    let counter = Arc::new(AtomicUsize::new(0));
    let bump = |counter: Arc<AtomicUsize>| move || counter.store(counter.load(SeqCst) + 1, SeqCst);
    let worker = thread::spawn(bump(Arc::clone(&counter)));
    bump(Arc::clone(&counter))();
    worker.join().unwrap();
    assert_eq!(counter.load(SeqCst), 2);
}

/// Looks at a count, so that clones and drops are part of the schedule.
fn counted() {
    let first = Arc::new(Mutex::new(0));
    let second = Arc::clone(&first);
    let worker = thread::spawn(move || drop(second));
    assert_eq!(Arc::strong_count(&first), 2);
    worker.join().unwrap();
}

fn failure(body: impl Fn() + Send + Sync + 'static) -> String {
    let result = catch_unwind(AssertUnwindSafe(|| Checker::new().check(body)));
    result.expect_err("this fails").downcast_ref::<String>().expect("a message").clone()
}

fn advised(text: &str) -> String {
    let line = text.lines().find(|line| line.starts_with("replay: ")).unwrap_or_else(|| panic!("no advice in\n{text}"));
    line.split('\'').nth(1).expect("quoted").to_owned()
}

fn set(value: Option<&str>) {
    // SAFETY: the only test of this process, which has no other thread at work.
    unsafe {
        match value {
            Some(value) => std::env::set_var("BURNSIDE_REPLAY", value),
            None => std::env::remove_var("BURNSIDE_REPLAY"),
        }
    }
}

#[test]
fn a_printed_schedule_repeats_the_failure() {
    set(None);
    for (body, prefix) in [(lost_update as fn(), ""), (counted as fn(), "refs:")] {
        let n_runs = RealArc::new(AtomicU32::new(0));
        let text = failure(body);
        let value = advised(&text);
        let schedule = value.strip_prefix("a_printed_schedule_repeats_the_failure=").expect("the test's name");
        assert_eq!(schedule.starts_with("refs:"), prefix == "refs:", "{value}");
        for part in ["schedule: ", "t0 main", "replays.rs:", "PANIC"] {
            assert!(text.contains(part), "`{part}` missing in\n{text}");
        }
        set(Some(&value));
        let counter = RealArc::clone(&n_runs);
        let again = failure(move || {
            counter.fetch_add(1, SeqCst);
            body();
        });
        assert_eq!(advised(&again), value);
        assert!(again.contains("1 execution") && again.contains("method replay"), "{again}");
        // Once to repeat it, and once or twice to show it.
        assert!(n_runs.load(SeqCst) <= 3, "{n_runs:?}");
        // Another test searches as ever, and one that the schedule does not fit says so.
        set(Some(&value.replace("a_printed", "another")));
        assert!(failure(body).contains("method optimal"));
        set(Some("99"));
        assert!(failure(body).contains("not deterministic"));
        set(None);
    }
    // A schedule that does not fail proves nothing about the others.
    set(Some("0"));
    let report = Checker::new().check(|| drop(Mutex::new(0).lock()));
    assert!(
        matches!(&report.verdict, Verdict::Inconclusive(open) if open.contains("every schedule but `0`")),
        "{report:?}"
    );
    set(None);
}
