//! Models whose rules tell identities apart, with formulas that do not; and the sizes of products.

use burnside_driver::{ClaimKind, Outcome, Plan, Prepared, Settings, Strategy, SymmetryChoice};
use burnside_engine::{Asked, Breach, ClaimNote, DeadlockMode, Monitor, Reason, Verdict};

use crate::traps::MUTEX;
use crate::{Question, aside, holds};

const CONTROLLER: &str = include_str!("../../../../examples/resource-controller.m");
const SHARED_READING: &str = include_str!("../../../../examples/shared-reading.m");

fn run(prepared: &Prepared, settings: &Settings) -> (Outcome, Strategy) {
    let plan = Plan::new(prepared, settings).unwrap_or_else(|why| panic!("{}", why.message));
    let outcome = plan.run(&Monitor::default()).unwrap_or_else(|bug| panic!("{bug}"));
    let strategy = plan.taken(&outcome).strategy;
    (outcome, strategy)
}

/// A formula beside the controller of resources.
fn controller(formula: &str, (kind, processes, classes): (ClaimKind, i64, i64)) -> Prepared {
    let define = vec![("Processes".into(), processes), ("Classes".into(), classes), ("Small".into(), 2)];
    Question { model: CONTROLLER, kind, formula, define }.prepared()
}

const ASKED: &str = "(exists p: Process do phase[p] = Requesting end)";

#[test]
fn formulas_about_nobody_are_checked_up_to_virtual_symmetry() {
    aside(|| {
        let served = format!("[] ({ASKED} -> <> resource = InUse)");
        let next = format!("AG (resource = Free & {ASKED} -> EX resource = Granted)");
        for (kind, formula) in [(ClaimKind::Linear, &served), (ClaimKind::Branching, &next)] {
            for (processes, classes, states) in [(18, 9, 73), (80, 25, 321)] {
                let prepared = controller(formula, (kind, processes, classes));
                let (outcome, strategy) = run(&prepared, &Settings::default());
                assert!(matches!(outcome.report.verdict, Verdict::Holds(_)), "{formula}");
                assert_eq!((strategy, outcome.report.counts.states), (Strategy::Virtual, states), "{formula}");
            }
        }
    });
}

#[test]
fn what_is_false_up_to_virtual_symmetry_is_shown_by_an_execution() {
    aside(|| {
        let formulas = [
            (ClaimKind::Linear, "<> [] resource = Free"),
            (ClaimKind::Linear, "[] <> (forall p: Process do phase[p] != Requesting end)"),
            (ClaimKind::Linear, "nexttime nexttime nexttime resource != InUse"),
            (ClaimKind::Branching, "AG AF (forall p: Process do phase[p] = Idle end)"),
            (ClaimKind::Branching, "EG (forall p: Process do phase[p] = Idle end)"),
        ];
        for (kind, formula) in formulas {
            let prepared = controller(formula, (kind, 7, 3));
            // Whatever is violated was replayed.
            let (outcome, strategy) = run(&prepared, &Settings::default());
            assert_eq!(strategy, Strategy::Virtual, "{formula}");
            let Verdict::Violated(violation) = &outcome.report.verdict else { panic!("{formula}") };
            assert!(matches!(violation.breach, Breach::Temporal(..)));
            assert!(!holds(&prepared, &Settings { symmetry: SymmetryChoice::Off, ..Settings::default() }), "{formula}");
        }
    });
}

/// Sistla and Godefroid's guarded quotients: as many nodes as orbits of the symmetrised system.
#[test]
fn what_is_not_virtually_symmetric_is_tried_without_guards() {
    aside(|| {
        let (trying, inside) =
            ("(exists p: Process do phase[p] = Trying end)", "(exists p: Process do phase[p] = Inside end)");
        let holding = format!("[] ({trying} -> <> {inside})");
        let violated = format!("[] <> !{inside}");
        // Its invariant tells readers from writers.
        let model = SHARED_READING.split("\ninvariant").next().expect("there is a beginning");
        for (readers, writers, states) in [(2, 1, 9), (2, 2, 12), (3, 3, 22), (4, 2, 25)] {
            for (formula, holds) in [(&holding, true), (&violated, false)] {
                let define = vec![("Readers".into(), readers), ("Writers".into(), writers)];
                let prepared = Question { model, kind: ClaimKind::Linear, formula, define }.prepared();
                let (outcome, strategy) = run(&prepared, &Settings::default());
                assert!(matches!(outcome.declined, Some(Reason::NotVirtual(_))), "{:?}", outcome.declined);
                assert_eq!((strategy, outcome.report.counts.states), (Strategy::Guarded, states));
                assert_eq!(matches!(outcome.report.verdict, Verdict::Holds(_)), holds, "{formula}");
            }
        }
    });
}

/// After the first step process 1 may go from 1 to 2, and process 2 from 2 to 1; but nobody goes both ways.
const TWIST: &str = "type Proc: scalarset(4); var at: array [Proc] of 0..2;
    startstate for p: Proc do at[p] := 0; end; end;
    ruleset p: Proc do
      rule \"one\" forall q: Proc do at[q] = 0 end ==> begin at[p] := 1; end;
      rule \"two\" forall q: Proc do at[q] = 0 end ==> begin at[p] := 2; end;
      rule \"up\" p = 1 & at[p] = 1 ==> begin at[p] := 2; end;
      rule \"down\" p = 2 & at[p] = 2 ==> begin at[p] := 1; end;
    end;";

#[test]
fn a_loop_of_steps_of_different_processes_is_none() {
    aside(|| {
        let one = "<> [] (exists p: Proc do at[p] = 1 end)";
        let formula = &format!("({one} | {})", one.replace("= 1", "= 2"));
        let prepared = Question { model: TWIST, kind: ClaimKind::Linear, formula, define: Vec::new() }.prepared();
        let settings =
            Settings { symmetry: SymmetryChoice::Adaptive, deadlock: DeadlockMode::Off, ..Settings::default() };
        let (outcome, strategy) = run(&prepared, &settings);
        assert_eq!((outcome.declined, strategy), (Some(Reason::NoExecution), Strategy::Cells));
        assert!(matches!(outcome.report.verdict, Verdict::Holds(_)));
        // Each half of it is violated, by an execution that ends.
        let prepared = Question { model: TWIST, kind: ClaimKind::Linear, formula: one, define: Vec::new() }.prepared();
        assert!(matches!(run(&prepared, &settings).0.report.verdict, Verdict::Violated(_)));
    });
}

/// TEMPORAL.md 3.6, for readers and writers and for the controller: what holds and what does not.
#[test]
fn annotated_states_decide_formulas_about_executions() {
    aside(|| {
        let (trying, inside) =
            ("(exists p: Process do phase[p] = Trying end)", "(exists p: Process do phase[p] = Inside end)");
        let owned = "(exists p: Process do phase[p] = Owner end)";
        let readers = |formula: String, holds| {
            (SHARED_READING, vec![("Readers".into(), 4), ("Writers".into(), 2)], formula, holds)
        };
        let six = || vec![("Processes".into(), 6), ("Classes".into(), 3), ("Small".into(), 2)];
        let cases = [
            readers(format!("[] ({trying} -> <> {inside})"), true),
            readers(format!("[] <> {inside}"), true),
            readers(format!("[] <> !{inside}"), false),
            (CONTROLLER, six(), format!("[] <> {owned}"), true),
            (CONTROLLER, six(), format!("[] <> !{owned}"), true),
            (CONTROLLER, six(), format!("<> [] {owned}"), false),
        ];
        for (model, define, formula, expected) in cases {
            let prepared = Question { model, kind: ClaimKind::Linear, formula: &formula, define }.prepared();
            for (choice, strategy) in
                [(SymmetryChoice::Adaptive, Strategy::Adaptive), (SymmetryChoice::Cells, Strategy::Cells)]
            {
                let (outcome, taken) = run(&prepared, &Settings { symmetry: choice, ..Settings::default() });
                assert_eq!((taken, outcome.declined), (strategy, None), "{formula}");
                assert_eq!(matches!(outcome.report.verdict, Verdict::Holds(_)), expected, "{formula}");
            }
        }
    });
}

/// The number of nodes of the product, by the note on it.
fn n_nodes(outcome: &Outcome, asked: Asked) -> u64 {
    let answer = outcome.report.answers.iter().find(|answer| answer.asked == asked).expect("it was asked");
    let nodes = answer.notes.iter().find_map(|note| match note {
        ClaimNote::Explored(nodes) => Some(*nodes),
        _ => None,
    });
    nodes.expect("there is a product")
}

#[test]
fn a_tracked_process_costs_as_many_nodes_as_pairs_have_orbits() {
    aside(|| {
        // An automaton with one state as long as nothing is wrong.
        let formula = "forall p: Proc. [] !(loc[p] = Idle & loc[p] = Critical)";
        let nodes = [2, 3, 4, 5, 6].map(|n| {
            let define = vec![("N".into(), n)];
            let prepared = Question { model: MUTEX, kind: ClaimKind::Linear, formula, define }.prepared();
            let settings =
                Settings { symmetry: SymmetryChoice::Use(burnside_symmetry::Strategy::Refine), ..Settings::default() };
            let (outcome, _) = run(&prepared, &settings);
            assert_eq!(outcome.report.counts.states, 2 * n as u64 + 1);
            let asked = Asked::Property(prepared.model.claims[0].property);
            n_nodes(&outcome, asked)
        });
        assert_eq!(nodes, [8, 13, 18, 23, 28]);
    });
}
