//! Sizes and kinds known from hand-built systems, and random models against plain search.
#![allow(clippy::print_stdout, reason = "how much was compared is worth knowing")]

use burnside_diag::FileId;
use burnside_engine::{Breach, DeadlockMode, Declined, Engine, Monitor, Question, Reason, Task, Verdict, replay};
use burnside_explicit::Explicit;
use burnside_ir::{Layout, Model};
use fastrand::Rng;

use super::similarity::{Similar, Similarity, similarity};
use super::*;
use crate::engine::Adaptive;
use crate::families::Families;

fn load(text: &str, constants: &[(&str, i64)]) -> (Model, Layout) {
    let overrides = constants.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
    let options = burnside_murphi::Options { overrides, ..burnside_murphi::Options::default() };
    let loaded = burnside_murphi::load(FileId(0), text, &options);
    let model = loaded.model.unwrap_or_else(|| panic!("{text}\n{:?}", loaded.diagnostics));
    let layout = Layout::new(&model).expect("a layout");
    (model, layout)
}

const SHARED_READING: &str = include_str!("../../../../examples/shared-reading.m");
const SERVICE: &str = include_str!("../../../../examples/resource-service.m");

/// How many orbits a model has whose formulas all hold.
fn n_orbits(text: &str, constants: &[(&str, i64)]) -> u64 {
    let (model, layout) = load(text, constants);
    let engine = Virtual::new(&model, &layout).unwrap_or_else(|why| panic!("{why}"));
    let task = Task { may_decline: true, ..Task::new(&model, &layout) };
    engine.admit(&task).unwrap_or_else(|why| panic!("{}", why.feature));
    let report = engine.check(&task, &Monitor::default()).unwrap_or_else(|why| panic!("{why:?}"));
    assert!(matches!(report.verdict, Verdict::Holds(_)), "{:?}", report.verdict);
    // A rule may fire in members alone that are not reached, so nothing is said of single rules.
    assert!(report.fired.is_empty());
    report.counts.states
}

fn controller(processes: i64, classes: i64, small: i64) -> [(&'static str, i64); 3] {
    [("Processes", processes), ("Classes", classes), ("Small", small)]
}

#[test]
fn the_controller_has_four_orbits_for_each_process_and_one_more() {
    assert_eq!(n_orbits(SERVICE, &controller(18, 9, 2)), 73);
    assert_eq!(n_orbits(SERVICE, &controller(18, 2, 9)), 73);
    for classes in [2, 10, 25] {
        for small in [1, 2] {
            assert_eq!(n_orbits(SERVICE, &controller(80, classes, small)), 321, "{classes} classes");
        }
    }
}

#[test]
fn the_last_class_may_come_first() {
    let reversed = SERVICE.replace("class(q) < class(p)", "class(q) > class(p)");
    assert_ne!(reversed, SERVICE);
    assert_eq!(n_orbits(&reversed, &controller(40, 12, 2)), 161);
}

/// Mutual exclusion; who may enter depends on names.
fn entering(enter: &str) -> String {
    format!(
        "const N: 3; type Proc: scalarset(N); var loc: array [Proc] of enum {{I, T, C}};
         startstate for p: Proc do loc[p] := I; end; end;
         ruleset p: Proc do
           rule \"try\" loc[p] = I ==> begin loc[p] := T; end;
           rule \"enter\" loc[p] = T & forall q: Proc do loc[q] != C end & {enter} ==> begin loc[p] := C; end;
           rule \"leave\" loc[p] = C ==> begin loc[p] := I; end;
         end;"
    )
}

const BRIDGE: &str = "const N: 3; type Proc: scalarset(N);
    var side: 0..1; loc: array [Proc] of enum {Away, Waits, On};
    startstate side := 0; for p: Proc do loc[p] := Away; end; end;
    ruleset p: Proc do
      rule \"come\" loc[p] = Away ==> begin loc[p] := Waits; end;
      rule \"enter\" loc[p] = Waits & forall q: Proc do loc[q] != On end
        & (side = (p - 1) % 2 | forall q: Proc do (q - 1) % 2 = (p - 1) % 2 | loc[q] != Waits end) ==>
      begin loc[p] := On; side := 1 - (p - 1) % 2; end;
      rule \"leave\" loc[p] = On ==> begin loc[p] := Away; end;
    end;";

/// The token goes round by arithmetic, so nothing says that it is a ring.
const RING: &str = "const N: 3; type Proc: scalarset(N);
    var tok: 0..2; loc: array [Proc] of enum {I, T, C};
    ruleset k: 0..2 do startstate tok := k; for p: Proc do loc[p] := I; end; end; end;
    ruleset p: Proc do
      rule \"try\" loc[p] = I ==> begin loc[p] := T; end;
      rule \"enter\" loc[p] = T & tok = p - 1 ==> begin loc[p] := C; end;
      rule \"leave\" loc[p] = C ==> begin loc[p] := I; tok := p % 3; end;
      rule \"rest\" false ==> begin end;
      rule \"rest more\" false ==> begin end;
    end;";

/// (A, B) stays as it is, (B, A) becomes (A, B).
const SWAPPER: &str = "type Proc: scalarset(2); var loc: array [Proc] of enum {A, B};
    ruleset k: Proc do startstate for p: Proc do loc[p] := p = k ? A : B; end; end; end;
    ruleset p: Proc do
      rule \"stay\" p = 1 & loc[p] = A ==> begin end;
      rule \"swap\" p = 1 & loc[p] = B ==> begin for q: Proc do loc[q] := q = p ? A : B; end; end;
      rule \"rest\" false ==> begin end;
      rule \"rest more\" false ==> begin end;
    end;";

/// Kind and number of orbits; nothing where permutations are no virtual symmetry.
fn kind(text: &str, constants: &[(&str, i64)]) -> Option<(Similar, usize)> {
    let (model, layout) = load(text, constants);
    match similarity(&Task::new(&model, &layout), &Families::new(&model), 4096) {
        Some(Similarity::Is { kind, is_exact: true, n_orbits }) => Some((kind, n_orbits)),
        Some(Similarity::Not(_)) => None,
        found => panic!("{found:?}\n{text}"),
    }
}

#[test]
fn kinds_are_those_of_the_definitions() {
    let least = entering("forall q: Proc do q < p -> loc[q] != T end");
    let all = entering("p = 1 & forall q: Proc do loc[q] = T end");
    let (near, rough) = (|n| Some((Similar::Near, n)), |n| Some((Similar::Rough, n)));
    assert_eq!([kind(&least, &[]), kind(&least, &[("N", 4)])], [rough(7), rough(9)]);
    assert_eq!([kind(&all, &[]), kind(&all, &[("N", 4)])], [near(5), near(6)]);
    assert_eq!(kind(&entering("p = 1"), &[]), None);
    assert_eq!(kind(SWAPPER, &[]), Some((Similar::Virtual, 1)));
    assert_eq!([kind(BRIDGE, &[]), kind(BRIDGE, &[("N", 4)])], [None, None]);
    assert_eq!(kind(RING, &[]), None);
    for (sizes, orbits) in [((3, 3, 1), 13), ((3, 2, 2), 13), ((4, 2, 2), 17)] {
        assert_eq!(kind(SERVICE, &controller(sizes.0, sizes.1, sizes.2)), rough(orbits));
    }
    for (readers, writers) in [(2, 1), (2, 2)] {
        assert_eq!(kind(SHARED_READING, &[("Readers", readers), ("Writers", writers)]), None);
    }
}

#[test]
fn what_no_rule_tells_apart_is_not_asked_about() {
    let (model, layout) = load(&entering("true"), &[]);
    assert_eq!(similarity(&Task::new(&model, &layout), &Families::new(&model), 4096), None);
}

#[test]
fn a_reader_beside_a_reader_is_no_reader_beside_a_writer() {
    let (model, layout) = load(SHARED_READING, &[("Readers", 2), ("Writers", 1)]);
    let found = similarity(&Task::new(&model, &layout), &Families::new(&model), 4096);
    let Some(Similarity::Not(witness)) = found else { panic!("{found:?}") };
    assert!(model.rule(witness.rule).name.contains("read"), "{}", model.rule(witness.rule).name);
}

/// What is reached in an orbit need not be reached in each of its members.
#[test]
fn properties_of_single_identities_are_refused() {
    let all = entering("p = 1 & forall q: Proc do loc[q] = T end");
    let cases = [
        ("ctl \"two\" !EF loc[2] = C;", "tells identities apart"),
        ("ruleset p: Proc do ctl \"each\" !EF loc[p] = C end;", "quantifier"),
        ("invariant \"two\" loc[2] != C;", "tells identities apart"),
        ("cover \"two\" loc[2] = C;", "tells identities apart"),
        ("assume loc[2] != C;", "another kind"),
        ("liveness \"l\" loc[1] = I;", "another kind"),
    ];
    for (property, why) in cases {
        let (model, layout) = load(&format!("{all} {property}"), &[]);
        let engine = Virtual::new(&model, &layout).unwrap_or_else(|why| panic!("{why}"));
        let refused = engine.admit(&Task::new(&model, &layout)).expect_err(property);
        assert!(refused.feature.contains(why), "{property}: {}", refused.feature);
    }
}

/// Writes models in which a few rules look at names, with a formula that does not.
struct Writer(Rng);

impl Writer {
    fn one_of<'s>(&mut self, words: &[&'s str]) -> &'s str {
        words[self.0.usize(..words.len())]
    }

    fn guard(&mut self) -> &'static str {
        self.one_of(&[
            "true",
            "b",
            "!b",
            "exists q: P do a[q] = 2 end",
            "forall q: P do a[q] != 2 end",
            "forall q: P do q < p -> a[q] != 1 end",
            "forall q: P do q > p -> a[q] != a[p] end",
            "p = 1",
            "p <= 2",
            "(p <= 2 | forall q: P do q <= 2 -> a[q] != 1 end)",
            "(p > 1 | forall q: P do a[q] >= 1 end)",
        ])
    }

    fn condition(&mut self) -> String {
        let value = self.0.u8(0..3);
        match self.0.u8(0..4) {
            0 => "b".to_owned(),
            1 => format!("(exists q: P do a[q] = {value} end)"),
            2 => format!("(forall q: P do a[q] != {value} end)"),
            _ => format!("(exists q: P do exists o: P do q != o & a[q] = {value} & a[o] = {value} end end)"),
        }
    }

    fn formula(&mut self, depth: u8, is_branching: bool) -> String {
        if depth == 0 || self.0.u8(0..6) == 0 {
            return self.condition();
        }
        let own = self.formula(depth - 1, is_branching);
        match self.0.u8(0..8) {
            0 => format!("([] <> {own})"),
            1 => format!("(<> [] {own})"),
            2 if is_branching => format!("({} {own})", self.one_of(&["AX", "EX", "AF", "EF", "AG", "EG", "A", "E"])),
            3 if is_branching => format!("(E ({} until {own}))", self.condition()),
            2 | 3 => format!("(nexttime {own})"),
            4 => format!("(!{own})"),
            5 => format!("({own} until {})", self.formula(depth - 1, is_branching)),
            6 => format!("({own} -> {})", self.formula(depth - 1, is_branching)),
            _ => format!("([] ({} -> <> {own}))", self.condition()),
        }
    }

    fn model(&mut self) -> String {
        let n = self.0.u8(2..5);
        let start = self.one_of(&[
            "startstate b := false; for p: P do a[p] := 0; end; end;",
            "startstate b := true; for p: P do a[p] := 0; end; a[1] := 1; end;",
            "ruleset k: P do startstate b := false; for p: P do a[p] := p = k ? 2 : 0; end; end; end;",
        ]);
        let rules: String = (0..self.0.u8(2..5))
            .map(|at| {
                let (from, to) = (self.0.u8(0..3), self.0.u8(0..3));
                let (guard, more) = (self.guard(), self.one_of(&["", "", "b := !b;", "b := true;"]));
                format!("  rule \"r{at}\" a[p] = {from} & {guard} ==> begin a[p] := {to}; {more} end;\n")
            })
            .collect();
        let formula = self.formula(3, false);
        let state = self.formula(3, true);
        let quantifier = self.one_of(&["A", "E"]);
        format!(
            "type P: scalarset({n});\nvar a: array [P] of 0..2; b: boolean;\n{start}\nruleset p: P do\n{rules}\
             rule \"rest\" false ==> begin end;\nrule \"rest more\" false ==> begin end;\nend;\n\
             ltl \"l\" {formula};\nctl \"c\" {quantifier} {state};\ninvariant \"i\" {};\n",
            self.one_of(&["true", "true", "b | !b", "exists q: P do a[q] != 2 end"]),
        )
    }
}

/// Whether everything that was asked has an answer.
fn is_decided(report: &burnside_engine::Report) -> bool {
    report.answers.iter().all(|answer| !matches!(answer.verdict, Verdict::Unknown(_)))
}

/// The answers to all that was asked.
fn answers(report: &burnside_engine::Report) -> Vec<bool> {
    report.answers.iter().map(|answer| matches!(answer.verdict, Verdict::Holds(_))).collect()
}

#[test]
fn random_models_get_the_answers_of_plain_search() {
    let n_seeds: u64 = std::env::var("BURNSIDE_SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(1500);
    let (mut compared, mut asymmetric, mut violated, mut lassos, mut differing) = (0, 0, 0, 0, 0);
    for seed in 0..n_seeds {
        let text = Writer(Rng::with_seed(seed)).model();
        let (model, layout) = load(&text, &[]);
        let Ok(engine) = Virtual::new(&model, &layout) else { continue };
        let deadlock = if seed.is_multiple_of(4) { DeadlockMode::Stuttering } else { DeadlockMode::Off };
        let question = Question { deadlock, ..Question::new(&model, &layout) };
        let task = Task { native: seed.is_multiple_of(3), ..Task::of(question) };
        engine.admit(&task).unwrap_or_else(|why| panic!("seed {seed}: {}\n{text}", why.feature));
        let report = match engine.check(&task, &Monitor::default()) {
            Ok(report) => report,
            Err(Declined { reason: Reason::NotVirtual(_), .. }) => {
                differing += 1;
                continue;
            }
            // Only some members may be deadlocks, and none that is reached.
            Err(Declined { reason: Reason::Unexplained, .. }) if deadlock == DeadlockMode::Stuttering => continue,
            Err(declined) => panic!("seed {seed}: {declined:?}\n{text}"),
        };
        for violation in report.violations() {
            replay(&task, violation).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
            lassos += u64::from(matches!(violation.breach, Breach::Temporal(..)));
        }
        let plain = Explicit::default().check(&task, &Monitor::default());
        let plain = plain.unwrap_or_else(|why| panic!("seed {seed}: {why:?}"));
        // What ends a search says nothing about what comes later.
        if is_decided(&report) && is_decided(&plain) {
            assert_eq!(answers(&report), answers(&plain), "seed {seed}\n{text}");
        }
        assert_eq!(
            matches!(report.verdict, Verdict::Holds(_)),
            matches!(plain.verdict, Verdict::Holds(_)),
            "seed {seed}\n{text}"
        );
        compared += 1;
        asymmetric += u64::from(!engine.is_symmetric());
        violated += u64::from(matches!(report.verdict, Verdict::Violated(_)));
    }
    let counts = format!(
        "{n_seeds} seeds: {compared} compared, {asymmetric} of them virtually symmetric only, {violated} violated, {lassos} \
         counterexamples; {differing} not virtually symmetric"
    );
    assert!(asymmetric * 40 > n_seeds && differing * 10 > n_seeds && violated * 10 > compared, "{counts}");
    println!("{counts}");
}

#[test]
fn formulas_on_nodes_with_more_executions_get_the_answers_of_plain_search() {
    let n_seeds: u64 = std::env::var("BURNSIDE_SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(1500);
    let (mut compared, mut violated, mut spurious) = (0, 0, 0);
    for seed in 0..n_seeds {
        let text = Writer(Rng::with_seed(seed)).model();
        let text: String =
            text.lines().filter(|line| !line.starts_with("ctl")).map(|line| format!("{line}\n")).collect();
        let (model, layout) = load(&text, &[]);
        let made = match seed % 5 {
            0 => Adaptive::standard(&model, &layout).map(|it| Box::new(it) as Box<dyn Engine>),
            1 | 2 => Virtual::new(&model, &layout).map(|it| Box::new(it.without_guards()) as Box<dyn Engine>),
            _ => Adaptive::new(&model, &layout).map(|it| Box::new(it) as Box<dyn Engine>),
        };
        let Ok(engine) = made else { continue };
        let question = Question { deadlock: DeadlockMode::Off, ..Question::new(&model, &layout) };
        let task = Task { native: seed.is_multiple_of(3), ..Task::of(question) };
        if engine.admit(&task).is_err() {
            continue;
        }
        let report = match engine.check(&task, &Monitor::default()) {
            Ok(report) => report,
            Err(Declined { reason: Reason::NoExecution, .. }) => {
                assert!(!seed.is_multiple_of(5), "seed {seed}: automorphisms lose nothing\n{text}");
                spurious += 1;
                continue;
            }
            Err(declined) => panic!("seed {seed}: {declined:?}\n{text}"),
        };
        for violation in report.violations() {
            replay(&task, violation).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        }
        let plain = Explicit::default().check(&task, &Monitor::default());
        let plain = plain.unwrap_or_else(|why| panic!("seed {seed}: {why:?}"));
        assert_eq!(answers(&report), answers(&plain), "seed {seed}\n{text}");
        compared += 1;
        violated += u64::from(matches!(report.verdict, Verdict::Violated(_)));
    }
    let counts = format!("{n_seeds} seeds: {compared} compared, {violated} violated, {spurious} without an answer");
    assert!(compared * 3 > n_seeds && violated * 10 > compared && spurious * 5 < compared, "{counts}");
    println!("{counts}");
}
