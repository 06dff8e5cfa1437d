//! Models on which explanations that leave something out go wrong. The verdict is that of the explicit search in every
//! mode, and what cannot be treated is declined with the reason.

use burnside_diag::FileId;
use burnside_engine::{AuditMode, Budget, DeadlockMode, Engine, Monitor, Question, Task, Verdict, replay};
use burnside_explicit::Explicit;
use burnside_interpolant::{Interpolant, Mode};
use burnside_ir::{Layout, Model};

const OFF: DeadlockMode = DeadlockMode::Off;
const STUCK: DeadlockMode = DeadlockMode::Stuck;
const STUTTERING: DeadlockMode = DeadlockMode::Stuttering;

fn load(text: &str) -> (Model, Layout) {
    let loaded = burnside_murphi::load(FileId(0), text, &burnside_murphi::Options::default());
    let model = loaded.model.unwrap_or_else(|| panic!("{text}\n{:?}", loaded.diagnostics));
    let layout = Layout::new(&model).expect("a layout");
    (model, layout)
}

/// Whether a model holds in every mode; the explicit search must agree.
#[track_caller]
fn holds(text: &str, deadlock: DeadlockMode) -> bool {
    let (model, layout) = load(text);
    let task = Task {
        native: false,
        audit: AuditMode::Off,
        ..Task::of(Question { deadlock, ..Question::new(&model, &layout) })
    };
    let verdict = |verdict: &Verdict| match verdict {
        Verdict::Holds(_) => true,
        Verdict::Violated(violation) => {
            replay(&task, violation).expect("it replays");
            false
        }
        Verdict::Unknown(shortfall) => panic!("{shortfall}"),
    };
    let expected =
        verdict(&Explicit::default().check(&task, &Monitor::default()).expect("without reduction it answers").verdict);
    for mode in Mode::ALL {
        let engine = Interpolant { mode, ..Interpolant::default() };
        engine.admit(&task).expect("the model is treated");
        let report = engine.check(&task, &Monitor::default()).expect("it may not decline");
        assert_eq!(verdict(&report.verdict), expected, "mode {}", mode.name());
    }
    expected
}

/// The reason why a model is declined.
fn declined(text: &str) -> String {
    let (model, layout) = load(text);
    Interpolant::default().admit(&Task::new(&model, &layout)).expect_err("it is declined").feature
}

/// Processes that go once each; `{}` is declared, started, done by the one who goes, and claimed.
fn once(declared: &str, started: &str, goes: &str, claimed: &str) -> String {
    format!(
        "type P: 1..3; var done: array [P] of boolean; {declared}
         startstate begin for p: P do done[p] := false; end; {started} end;
         ruleset p: P do rule \"go\" !done[p] ==> begin {goes} done[p] := true; end; end;
         {claimed}"
    )
}

#[test]
fn a_fault_behind_another_order_of_steps_is_found() {
    // Only where 3 goes before 1 is zero divided by.
    assert!(!holds(&once("x: 0..9;", "x := 3;", "if p = 1 then x := 6 / x; end; if p = 3 then x := 0; end;", ""), OFF));
    // The sum leaves its range in the end, whatever the order.
    assert!(!holds(&once("x: 0..5;", "x := 0;", "x := x + p;", ""), OFF));
    assert!(holds(&once("x: 0..6;", "x := 0;", "x := x + p;", ""), OFF));
    assert!(!holds(
        &once(
            "x: 0..2; a: array [P] of 0..9;",
            "x := 0; for q: P do a[q] := 0; end;",
            "a[x + 1] := p; if p != 2 then x := x + 1; elsif x = 2 then a[x + 2] := 1; end;",
            ""
        ),
        OFF
    ));
}

#[test]
fn an_assertion_that_one_order_breaks_is_found() {
    assert!(!holds(&once("last: 0..3;", "last := 0;", "assert p != 2 | last != 3; last := p;", ""), OFF));
    assert!(holds(&once("last: 0..3;", "last := 0;", "assert last != p; last := p;", ""), OFF));
}

#[test]
fn undefined_values_are_not_taken_for_values() {
    let one = "if p = 2 then undefine x; elsif p = 3 then y := x; end;";
    assert!(!holds(&once("x: 0..3; y: 0..3;", "x := 1; y := 0;", one, "invariant \"i\" y = y;"), OFF));
    let guarded = "if p = 2 then undefine x; elsif p = 3 & !isundefined(x) then y := x; end;";
    assert!(holds(&once("x: 0..3; y: 0..3;", "x := 1; y := 0;", guarded, "invariant \"i\" y < 2;"), OFF));
    assert!(!holds(&once("x: 0..3;", "x := 1;", "if p = 1 then undefine x; end;", "invariant \"i\" x = 1;"), OFF));
}

#[test]
fn assumptions_cut_the_same_executions() {
    let steps = "x := x + p; assume x != 3;";
    assert!(holds(&once("x: 0..9;", "x := 0;", steps, "invariant \"i\" x != 3;"), OFF));
    assert!(!holds(&once("x: 0..9;", "x := 0;", steps, "invariant \"i\" x < 6;"), OFF));
    let about_states = "assume \"a\" x != 3; invariant \"i\" x < 6 | done[1];";
    assert!(holds(&once("x: 0..9;", "x := 0;", "x := x + p;", about_states), OFF));
    let all = "assume \"a\" x <= 3; invariant \"i\" forall p: P do done[p] -> x <= 3 end;";
    assert!(holds(&once("x: 0..9;", "x := 0;", "x := x + p;", all), OFF));
    assert!(!holds(&once("x: 0..9;", "x := 0;", "x := x + p;", "assume \"a\" x != 4; invariant \"i\" x != 5;"), OFF));
}

#[test]
fn deadlocks_of_either_kind_are_found() {
    let stays = "type P: 1..3; var done: array [P] of boolean; x: 0..6;
        startstate begin x := 0; for p: P do done[p] := false; end; end;
        ruleset p: P do rule \"go\" !done[p] ==> begin x := x + p; done[p] := true; end; end;";
    assert!(!holds(stays, STUCK));
    assert!(!holds(stays, STUTTERING));
    let idle = format!("{stays} rule \"idle\" x = 6 ==> begin x := 6; end;");
    assert!(holds(&idle, STUCK));
    assert!(!holds(&idle, STUTTERING));
    let again = format!("{stays} rule \"again\" x = 6 ==> begin x := 0; for p: P do done[p] := false; end; end;");
    assert!(holds(&again, STUTTERING));
    // Stuck only if 3 went first.
    let locked = "type P: 1..3; var done: array [P] of boolean; first: 0..3;
        startstate begin first := 0; for p: P do done[p] := false; end; end;
        ruleset p: P do rule \"go\" !done[p] & (first != 3 | p = 1) ==> begin done[p] := true; if first = 0 then first := p; end; end; end;
        rule \"end\" forall p: P do done[p] end ==> begin for p: P do done[p] := false; end; first := 0; end;";
    assert!(!holds(locked, STUCK));
    assert!(holds(&locked.replace("first != 3", "first != 9"), STUCK));
}

#[test]
fn urgent_rules_keep_others_from_firing() {
    let urgent = "type P: 1..3; var x: 0..20; done: array [P] of boolean;
        startstate begin x := 0; for p: P do done[p] := false; end; end;
        rule 1 \"halve\" x > 3 ==> begin x := x / 2; end;
        ruleset p: P do rule 2 \"add\" !done[p] ==> begin x := x + p; done[p] := true; end; end;
        invariant \"i\" x < BOUND;";
    for bound in 3..9 {
        let text = urgent.replace("BOUND", &bound.to_string());
        assert_eq!(holds(&text, OFF), bound > 6, "{bound}");
    }
}

#[test]
fn two_names_for_one_process_are_not_two_processes() {
    let text = "type P: 1..3; var peer: array [P] of P; n: array [P] of 0..3; done: array [P] of boolean;
        startstate begin for p: P do peer[p] := (p % 3) + 1; n[p] := 0; done[p] := false; end; end;
        ruleset p: P; q: P do
          rule \"point\" !done[p] & p != q ==> begin peer[p] := q; n[peer[q]] := n[q] + 1; done[p] := true; end;
        end;
        invariant \"i\" forall p: P do n[p] < BOUND end;";
    for bound in 1..4 {
        holds(&text.replace("BOUND", &bound.to_string()), OFF);
    }
    assert!(!holds(&text.replace("BOUND", "2"), OFF));
}

/// The first start state is safe because of the element that is written in it, the second writes the other one.
#[test]
fn which_element_was_written_is_part_of_the_reason() {
    let text = "type C: 1..2; P: 1..2; var slot: array [P] of C; box: array [C] of 0..1; done: array [P] of boolean;
        ruleset c: C do startstate begin
          for p: P do slot[p] := c; done[p] := false; end; for d: C do box[d] := 0; end;
        end; end;
        ruleset p: P do rule \"put\" !done[p] ==> begin box[slot[p]] := 1; done[p] := true; end; end;
        invariant \"i\" CLAIM;";
    assert!(!holds(&text.replace("CLAIM", "done[1] -> box[1] = 1"), OFF));
    assert!(!holds(&text.replace("CLAIM", "done[1] -> box[2] = 0"), OFF));
    assert!(holds(&text.replace("CLAIM", "done[1] -> box[1] + box[2] = 1"), OFF));
}

#[test]
fn a_state_explains_no_other_before_its_component_is_done() {
    // Away from home nothing happens but that one comes back; what happens at home is not known while home is explored.
    let marked = "var home: boolean; x: 0..1; bad: boolean;
        startstate begin home := true; x := 0; bad := false; end;
        rule \"go\" home ==> begin home := false; end;
        rule \"back\" !home ==> begin home := true; end;
        rule \"mark\" home & x = 0 ==> begin x := 1; home := false; end;
        rule \"fall\" home & x = 1 ==> begin bad := true; end;
        invariant \"i\" !bad;";
    assert!(!holds(marked, OFF));
    let text = "type P: 1..2; Point: enum { A, B, C }; var at: array [P] of Point; x: 0..3;
        startstate begin for p: P do at[p] := A; end; x := 0; end;
        ruleset p: P do
          rule \"ab\" at[p] = A ==> begin at[p] := B; end;
          rule \"ba\" at[p] = B ==> begin at[p] := A; if x < 3 then x := x + 1; end; end;
          rule \"ac\" at[p] = A & x >= p ==> begin at[p] := C; end;
        end;
        invariant \"i\" !(at[2] = C & x = BOUND);";
    for bound in 0..4 {
        assert_eq!(holds(&text.replace("BOUND", &bound.to_string()), OFF), bound < 2, "{bound}");
    }
}

/// A process picks a number of a large range; `goes` is done with it.
fn wide(goes: &str, claimed: &str) -> String {
    format!(
        "type P: 1..2; V: 0..200; W: 0..100; var done: array [P] of boolean; x: -500..1000; hit: boolean;
         startstate begin for p: P do done[p] := false; end; x := 0; hit := false; end;
         ruleset p: P; v: V do rule \"pick\" !done[p] ==> begin {goes} done[p] := true; end; end;
         {claimed}"
    )
}

#[test]
fn one_bad_value_among_many_is_found() {
    let never = "invariant \"never\" !hit;";
    for bad in [
        "v = 137",
        "v * v = 10000",
        "v % 67 = 66",
        "v > 199",
        "v < 1",
        "v != 3 & v < 5 & v > 2",
        "p = 2 & v = 90",
        "x = 150 & v = 3",
        "x + v = 399",
        "x - v = 199",
        "2 * v = x + 1",
    ] {
        assert!(!holds(&wide(&format!("if {bad} then hit := true; end; x := x + v;"), never), OFF), "{bad}");
    }
    for good in ["v > 200", "v * v = 10001", "x + v > 400", "v + v = 401", "v % 67 = 67"] {
        assert!(holds(&wide(&format!("if {good} then hit := true; end; x := x + v;"), never), OFF), "{good}");
    }
}

#[test]
fn faults_at_one_value_among_many_are_found() {
    assert!(!holds(&wide("x := 100 / (v - 77);", ""), OFF));
    assert!(!holds(&wide("x := x + 3 * v;", ""), OFF));
    assert!(holds(&wide("x := x + 2 * v;", ""), OFF));
    assert!(!holds(&wide("x := x - v - v; assert x > -800;", ""), OFF));
    assert!(!holds(&wide("if v = 5 then undefine x; elsif p = 2 then x := x + 1; end;", ""), OFF));
    assert!(!holds(&wide("assert v != 101 | p = 1;", ""), OFF));
}

#[test]
fn large_parameters_and_deadlocks_go_together() {
    let text = "type P: 1..2; V: 0..100; var done: array [P] of boolean; x: 0..200;
        startstate begin for p: P do done[p] := false; end; x := 0; end;
        ruleset p: P; v: V do rule \"pick\" !done[p] & GUARD ==> begin x := x + v; done[p] := true; end; end;
        rule \"end\" done[1] & done[2] ==> begin done[1] := false; done[2] := false; x := 0; end;";
    for deadlock in [STUCK, STUTTERING] {
        assert!(holds(&text.replace("GUARD", "true"), deadlock));
        assert!(holds(&text.replace("GUARD", "v >= x"), deadlock));
        assert!(!holds(&text.replace("GUARD", "v > x"), deadlock));
        assert!(!holds(&text.replace("GUARD", "v = x + 60"), deadlock));
    }
}

#[test]
fn two_large_parameters_of_one_rule_are_treated() {
    let text = "type V: 0..99; W: 0..80; var x: 0..200; done: boolean;
        startstate begin x := 0; done := false; end;
        ruleset v: V; w: W do rule \"pick\" !done & GUARD ==> begin x := v + w; done := true; end; end;
        invariant \"i\" x <= BOUND;";
    let with = |guard: &str, bound: &str| text.replace("GUARD", guard).replace("BOUND", bound);
    assert!(holds(&with("true", "179"), OFF));
    assert!(!holds(&with("true", "178"), OFF));
    assert!(holds(&with("v + w <= 100", "100"), OFF));
    assert!(!holds(&with("v + w <= 100", "99"), OFF));
    assert!(holds(&with("v < w", "159"), OFF));
    assert!(!holds(&with("v < w", "158"), OFF));
}

/// Customers who each pay or draw one amount of a million: no search that goes through amounts ends.
#[test]
fn amounts_up_to_a_million_take_few_states() {
    let (model, layout) = load(include_str!("numbers/payments.m"));
    let task = Task::of(Question { deadlock: OFF, ..Question::new(&model, &layout) });
    let report = Interpolant::default().check(&task, &Monitor::default()).expect("it may not decline");
    assert!(matches!(report.verdict, Verdict::Holds(_)), "{:?}", report.verdict);
    assert!(report.counts.states < 100, "{}", report.counts.states);
    let budget = Budget { states: Some(100_000), ..Budget::default() };
    let explicit = Explicit::default().check(&task, &Monitor::new(budget)).expect("without reduction it answers");
    assert!(matches!(explicit.verdict, Verdict::Unknown(_)), "{:?}", explicit.verdict);
}

#[test]
fn what_is_not_about_safety_is_declined_with_the_reason() {
    assert!(declined(&once("x: 0..3;", "x := 0;", "x := p;", "liveness \"l\" x = 3;")).contains("liveness"));
    assert!(declined(&once("x: 0..3;", "x := 0;", "x := p;", "cover \"c\" x = 3;")).contains("cover property"));
    assert!(declined(&once("x: 0..3;", "x := 0;", "x := p; cover x = 3;", "")).contains("cover point"));
    let multiset = "m: multiset [3] of P;";
    assert!(declined(&once(multiset, "undefine m;", "multisetadd(p, m);", "")).contains("multiset"));
}
