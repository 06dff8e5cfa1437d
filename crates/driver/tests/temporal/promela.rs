//! Fairness to the processes of a Promela model. The answers without and with weak fairness are SPIN's; those with strong
//! fairness, which SPIN does not have, follow by hand.

use burnside_driver::{ClaimKind, ClaimSource, Language, LoadOptions, Prepared, load};
use burnside_engine::{FairUnit, Fairness, Strength};

use crate::{aside, configurations, holds};

fn prepared(model: &str, formula: &str) -> Prepared {
    let claim = ClaimSource { name: "p".into(), text: formula.into(), kind: Some(ClaimKind::Linear) };
    let loaded =
        load("m.pml", model, Language::Promela, &LoadOptions { claims: vec![claim], ..LoadOptions::default() });
    loaded.prepared.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics))
}

/// Answers without fairness, with weak and with strong fairness.
fn check(model: &str, formula: &str, answers: [bool; 3]) {
    aside(|| {
        let prepared = prepared(model, formula);
        let strengths = [None, Some(Strength::Weak), Some(Strength::Strong)];
        for (strength, expected) in strengths.into_iter().zip(answers) {
            for (name, settings) in configurations(Fairness { strength, unit: FairUnit::Process }) {
                assert_eq!(holds(&prepared, &settings), expected, "{model}\n{formula}, {strength:?}, {name}");
            }
        }
    });
}

#[test]
fn nobody_is_fair_to_the_options_of_one_process() {
    let model = "bool y; byte x; active proctype P() { do :: x = 0 :: x = 1; y = true od }";
    check(model, "<> y", [false, false, false]);
}

#[test]
fn a_receiver_cannot_move_by_itself() {
    let model = "chan c = [0] of { byte }; bit x; bool y;
        active proctype S() { do :: c!0 :: x = 1 - x od }
        active proctype R() { byte v; c?v; y = true; do :: x = 1 - x od }";
    check(model, "<> y", [false, false, false]);
}

#[test]
fn a_receiver_of_the_only_step_takes_part_in_it() {
    let model = "chan c = [0] of { byte }; bool y;
        active proctype S() { do :: c!0 od }
        active proctype R() { byte v; do :: c?v :: y = true od }";
    check(model, "<> y", [false, false, false]);
}

#[test]
fn joining_an_atomic_sequence_is_not_moving() {
    let model = "chan c = [0] of { byte }; bit x; bool y;
        active proctype P() { do :: atomic { c!0; x = 0 } :: x = 1 - x od }
        active proctype Q() { byte v; do :: c?v; y = true od }";
    check(model, "<> y", [false, false, false]);
}

#[test]
fn alike_processes_all_get_their_turn() {
    let model = "bit x[3]; active [3] proctype P() { do :: x[_pid] = 1; x[_pid] = 0 od }";
    check(model, "<> (x[1] == 1)", [false, true, true]);
    check(model, "[] <> (x[0] == 1 || x[1] == 1)", [false, true, true]);
}

#[test]
fn a_lock_starves_the_weak() {
    let model = "bit lock, inside[2];
        active [2] proctype P() {
          do :: atomic { lock == 0 -> lock = 1; inside[_pid] = 1 }; atomic { inside[_pid] = 0; lock = 0 } od
        }";
    check(model, "[] <> (inside[0] == 1)", [false, false, true]);
    check(model, "[] <> (inside[0] == 1 || inside[1] == 1)", [true, true, true]);
}

#[test]
fn processes_of_different_types_are_different_units() {
    let model = "bit x, y;
        active proctype P() { do :: x = 1 - x od }
        active proctype Q() { do :: y = 1 - y od }";
    check(model, "[] <> (x == 1) && [] <> (y == 1)", [false, true, true]);
}

#[test]
fn an_execution_that_ends_is_fair() {
    let model = "byte n; active proctype P() { n = 1 } active proctype Q() { n = 2 }";
    check(model, "<> [] (n == 1)", [false, false, false]);
}
