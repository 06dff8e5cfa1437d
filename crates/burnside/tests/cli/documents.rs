//! The console sessions in the documentation, run again.

use crate::harness::{burnside, without_measurements};

/// Runs every block that begins with `$ burnside …` and compares what follows.
#[track_caller]
fn sessions_are_true(document: &str) {
    let sessions = document.split("```console\n$ burnside ").skip(1);
    let mut n_sessions = 0;
    for session in sessions {
        let block = session.split("```").next().unwrap_or_default();
        let (args, expected) = block.split_once('\n').expect("a command and its output");
        let run = burnside(args);
        assert_eq!(without_measurements(&(run.out + &run.err)), without_measurements(expected), "burnside {args}");
        n_sessions += 1;
    }
    assert!(n_sessions > 0, "there are sessions");
}

#[test]
fn the_user_guide_is_true() {
    sessions_are_true(include_str!("../../../../docs/user-guide.md"));
}

#[test]
fn the_readme_is_true() {
    sessions_are_true(include_str!("../../../../README.md"));
}
