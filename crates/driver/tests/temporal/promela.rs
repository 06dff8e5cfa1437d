//! Fairness to the processes of a Promela model. The answers without and with weak fairness are SPIN's; those with strong
//! fairness, which SPIN does not have, follow by hand.

use burnside_driver::{ClaimKind, ClaimSource, Labels, Language, LoadOptions, Prepared, load};
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

/// Answers of the only automaton that is asked for, without fairness, with weak and with strong fairness.
fn check_automaton(model: &str, options: &LoadOptions, answers: [bool; 3]) {
    aside(|| {
        let loaded = load("m.pml", model, Language::Promela, options);
        let prepared = loaded.prepared.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
        assert_eq!(prepared.model.automata.len(), 1, "{model}");
        let strengths = [None, Some(Strength::Weak), Some(Strength::Strong)];
        for (strength, expected) in strengths.into_iter().zip(answers) {
            for (name, settings) in configurations(Fairness { strength, unit: FairUnit::Process }) {
                assert_eq!(holds(&prepared, &settings), expected, "{model}\n{strength:?}, {name}");
            }
        }
    });
}

fn check_never(model: &str, claim: &str, answers: [bool; 3]) {
    let options = LoadOptions { asked: vec!["never_0".into()], ..LoadOptions::default() };
    check_automaton(&format!("{model}\nnever {{ {claim} }}"), &options, answers);
}

const COUNTER: &str = "byte x; active proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }";

#[test]
fn a_claim_that_comes_to_its_end_is_violated() {
    check_never(COUNTER, "do :: x == 2 -> break :: true od", [false; 3]);
    check_never(COUNTER, "do :: x == 4 -> break :: true od", [true; 3]);
    // It moves first, in the first state.
    check_never(COUNTER, "x == 0", [false; 3]);
    check_never(COUNTER, "x == 1", [true; 3]);
    // A guard is a step.
    check_never(COUNTER, "x == 0; x == 0; x == 1; x == 1; x == 2", [false; 3]);
    check_never(COUNTER, "x == 0; x == 1; x == 2", [true; 3]);
}

#[test]
fn a_claim_accepts_what_comes_to_its_label_again_and_again() {
    check_never(COUNTER, "do :: x == 2 -> accept: skip :: true od", [false; 3]);
    check_never(COUNTER, "T: do :: x == 1 -> break :: true od; accept: do :: x != 1 od", [true; 3]);
    check_never(COUNTER, "accept: do :: x < 4 od", [false; 3]);
}

#[test]
fn an_alternative_is_open_where_no_option_is() {
    check_never(COUNTER, "do :: x == 0 -> skip :: x == 1 :: else -> break od", [false; 3]);
    check_never(COUNTER, "do :: x <= 1 :: x > 1 :: else -> break od", [true; 3]);
    check_never(COUNTER, "do :: true :: else -> break od", [true; 3]);
}

#[test]
fn an_atomic_sequence_of_a_claim_is_about_one_state() {
    check_never(COUNTER, "do :: atomic { x == 1 -> x == 2 -> break } :: true od", [true; 3]);
    check_never(COUNTER, "do :: x == 1 -> x == 2 -> break :: true od", [false; 3]);
    check_never(COUNTER, "do :: atomic { x == 2 -> assert(x != 2) } :: true od", [false; 3]);
    check_never(COUNTER, "do :: atomic { x == 2 -> assert(x == 2) } :: true od", [true; 3]);
}

#[test]
fn a_claim_goes_on_where_no_process_can() {
    let model = "byte x; active proctype P() { x = 1 }";
    check_never(model, "do :: true :: x == 1 -> break od; accept: do :: x == 1 od", [false; 3]);
    check_never(model, "do :: true :: x == 0 -> break od; accept: do :: x == 0 od", [true; 3]);
}

#[test]
fn processes_make_a_claim_accept_too() {
    let model = "bit x; active proctype P() { do :: x = 1; accept: x = 0 od }";
    check_never(model, "do :: true od", [false; 3]);
    check_never(model, "do :: x == 0 od", [true; 3]);
}

#[test]
fn progress_is_asked_for_in_claims() {
    let model = "bit x; active proctype P() { do :: x = 1 :: x = 0; progress: x = 1 od }";
    check_never(model, "do :: true :: np_ -> break od; accept: do :: np_ od", [false; 3]);
    check_never(model, "do :: true :: !np_ -> break od; accept: do :: !np_ od", [true; 3]);
}

fn check_labels(model: &str, labels: Labels, answers: [bool; 3]) {
    check_automaton(model, &LoadOptions { labels, ..LoadOptions::default() }, answers);
}

#[test]
fn cycles_through_accept_labels_are_found() {
    let acceptance = Labels { acceptance: true, ..Labels::default() };
    check_labels("bit x; active proctype P() { do :: x = 1 - x od; accept: x = 0 }", acceptance, [true; 3]);
    check_labels("bit x; active proctype P() { do :: x = 1; accept: x = 0 od }", acceptance, [false; 3]);
    // A process that stays at its label while others move is there again and again; weak fairness makes it leave.
    let stays = "bit x; active proctype P() { accept: x = 1 } active proctype Q() { bit y; do :: y = 1 - y od }";
    check_labels(stays, acceptance, [false, true, true]);
    // An execution that ends at a label stays there.
    check_labels("bit x; active proctype P() { x = 1; accept: x == 0 }", acceptance, [false; 3]);
    let three = "bit x; active [3] proctype P() { do :: x = 1 :: x = 0; accept: x = 1; x = 0 od }";
    check_labels(three, acceptance, [false; 3]);
}

#[test]
fn cycles_without_progress_are_found() {
    let non_progress = Labels { non_progress: true, ..Labels::default() };
    check_labels("bit x; active proctype P() { do :: x = 1; progress: x = 0 od }", non_progress, [true; 3]);
    check_labels("bit x; active proctype P() { do :: x = 1 :: x = 0; progress: x = 0 od }", non_progress, [false; 3]);
    let two = "bit x; active proctype P() { do :: x = 1; progress: x = 0 od }
        active proctype Q() { bit y; do :: y = 1 - y od }";
    check_labels(two, non_progress, [false, true, true]);
    // An execution that ends is not without progress.
    check_labels("bit x; active proctype P() { x = 1; x == 0; progress: skip }", non_progress, [true; 3]);
    let three = "bit x[3]; active [3] proctype P() { do :: x[_pid] = 1; x[_pid] = 0; progress: x[_pid] = 0 od }";
    check_labels(three, non_progress, [true; 3]);
}

#[test]
fn what_a_claim_cannot_ask_is_refused() {
    for claim in ["timeout", "_pid == 1", "x = 1", "d_step { x == 1; x == 2 }"] {
        let options = LoadOptions { all_claims: true, ..LoadOptions::default() };
        let model = format!("byte x; active proctype P() {{ x = 1 }}\nnever {{ {claim} }}");
        let loaded = load("m.pml", &model, Language::Promela, &options);
        assert!(loaded.prepared.is_none(), "{claim}");
    }
}
