//! Searches that are cut short: what they find is a violation all the same, and nothing else is.

use burnside_driver::{ClaimKind, Plan, Settings, SymmetryChoice};
use burnside_engine::{Budget, DeadlockMode, FairUnit, Fairness, Monitor, SearchOrder, Strength, Verdict};
use burnside_symmetry::Strategy;

use crate::{Question, aside};

/// A counter that goes far, beside processes that go round.
const COUNTER: &str = "type Proc: scalarset(3);
var x: 0..100000; bit: array [Proc] of boolean;
startstate begin x := 0; for p: Proc do bit[p] := false; end; end;
rule \"count\" x < 100000 ==> begin x := x + 1; end;
ruleset p: Proc do rule \"flip\" true ==> begin bit[p] := !bit[p]; end; end;";

fn verdict(formula: &str, strength: Option<Strength>, budget: Budget, settings: &Settings) -> Verdict {
    let question = Question { model: COUNTER, kind: ClaimKind::Linear, formula, define: Vec::new() };
    let fairness = Fairness { strength, unit: FairUnit::Process };
    let settings = Settings { fairness, deadlock: DeadlockMode::Off, ..settings.clone() };
    let prepared = question.prepared();
    let plan = Plan::new(&prepared, &settings).unwrap_or_else(|why| panic!("{}", why.message));
    let outcome = plan.run(&Monitor::new(budget)).unwrap_or_else(|bug| panic!("{bug}"));
    outcome.report.verdict
}

fn settings() -> Vec<Settings> {
    let with = |symmetry| Settings { symmetry, ..Settings::default() };
    vec![
        with(SymmetryChoice::Off),
        with(SymmetryChoice::Use(Strategy::Refine)),
        Settings { native: false, ..with(SymmetryChoice::Use(Strategy::Refine)) },
        Settings { order: SearchOrder::DepthFirst, ..with(SymmetryChoice::Off) },
    ]
}

#[test]
fn a_loop_among_the_states_found_is_a_violation() {
    let budgets = [Budget { depth: Some(3), ..Budget::default() }, Budget { states: Some(300), ..Budget::default() }];
    aside(|| {
        for (settings, budget) in settings().iter().flat_map(|settings| budgets.map(|budget| (settings, budget))) {
            let answer = verdict("F (x = 7)", None, budget, settings);
            assert!(matches!(answer, Verdict::Violated(_)), "{settings:?} {budget:?} {answer:?}");
        }
    });
}

/// Counting is enabled in every state, also where it leads to a state that was not found.
#[test]
fn steps_to_states_that_were_not_found_are_possible() {
    let budget = Budget { depth: Some(3), ..Budget::default() };
    aside(|| {
        for settings in settings() {
            let answer = verdict("F (x = 7)", Some(Strength::Weak), budget, &settings);
            assert!(matches!(answer, Verdict::Unknown(_)), "{settings:?} {answer:?}");
            let answer = verdict("forall p: Proc. F G bit[p]", Some(Strength::Strong), budget, &settings);
            assert!(matches!(answer, Verdict::Unknown(_)), "{settings:?} {answer:?}");
        }
    });
}

/// What follows a prefix may fault, so a loop is needed where not everything is known.
#[test]
fn a_prefix_alone_is_no_violation_of_a_part() {
    let up = "var x: 0..1000000; startstate begin x := 0; end; \
              rule \"up\" x < 1000000 ==> begin x := x + 1; end;";
    let question = Question { model: up, kind: ClaimKind::Linear, formula: "G (x != 40)", define: Vec::new() };
    let budget = Budget { states: Some(100), ..Budget::default() };
    aside(|| {
        let prepared = question.prepared();
        let settings = Settings { deadlock: DeadlockMode::Off, ..Settings::default() };
        let plan = Plan::new(&prepared, &settings).unwrap_or_else(|why| panic!("{}", why.message));
        let outcome = plan.run(&Monitor::new(budget)).unwrap_or_else(|bug| panic!("{bug}"));
        assert!(matches!(outcome.report.verdict, Verdict::Unknown(_)), "{:?}", outcome.report.verdict);
    });
}

/// The whole model has some millions of states; the loop is among the first.
#[test]
fn a_violation_in_a_large_model_is_found_early() {
    aside(|| {
        let question =
            Question { model: COUNTER, kind: ClaimKind::Linear, formula: "F (x = 99999)", define: Vec::new() };
        let prepared = question.prepared();
        let settings = Settings { symmetry: SymmetryChoice::Off, deadlock: DeadlockMode::Off, ..Settings::default() };
        let plan = Plan::new(&prepared, &settings).unwrap_or_else(|why| panic!("{}", why.message));
        let outcome = plan.run(&Monitor::default()).unwrap_or_else(|bug| panic!("{bug}"));
        assert!(matches!(outcome.report.verdict, Verdict::Violated(_)), "{:?}", outcome.report.verdict);
        assert!(outcome.report.counts.states < 800_008, "{}", outcome.report.counts.states);
    });
}
