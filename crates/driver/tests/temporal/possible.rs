//! `liveness` with parameters: tracked along the steps of the quotient, the answer is that of the whole graph.

use std::collections::{HashSet, VecDeque};
use std::ops::ControlFlow;

use burnside_driver::{Language, LoadOptions, Plan, Prepared, Settings, SymmetryChoice, load};
use burnside_engine::{Breach, DeadlockMode, Monitor, Trace, Verdict};
use burnside_interp::{Interpreter, Limits, Outcome};
use burnside_ir::PropertyId;
use burnside_symmetry::Strategy;

use crate::aside;
use crate::random::Writer;

fn prepared(text: &str) -> Prepared {
    let loaded = load("m.m", text, Language::Murphi, &LoadOptions::default());
    let found: Vec<String> = loaded.diagnostics.iter().map(|it| it.message.clone()).collect();
    loaded.prepared.unwrap_or_else(|| panic!("{text}\n{found:?}"))
}

fn run(prepared: &Prepared, symmetry: SymmetryChoice) -> (Verdict, u64) {
    let settings = Settings { symmetry, deadlock: DeadlockMode::Off, ..Settings::default() };
    let plan = Plan::new(prepared, &settings).unwrap_or_else(|why| panic!("{}", why.message));
    let outcome = plan.run(&Monitor::default()).unwrap_or_else(|bug| panic!("{bug}"));
    (outcome.report.verdict, outcome.report.counts.states)
}

/// Whether from the end of a trace no state can be reached where the instance holds, by the interpreter alone.
fn is_hopeless(prepared: &Prepared, property: PropertyId, args: &[i64], trace: &Trace) -> bool {
    let (model, layout) = (&prepared.model, &prepared.layout);
    let mut interpreter = Interpreter::new(model, layout, Limits::default());
    let last = trace.steps.last().map_or_else(|| trace.first.clone(), |step| step.end.clone().ok());
    let mut first = vec![0; layout.slots().len()];
    layout.unpack(&last.expect("a trace ends in a state"), &mut first);
    let (mut known, mut todo) = (HashSet::from([first.clone()]), VecDeque::from([first]));
    while let Some(state) = todo.pop_front() {
        let mut holds = false;
        interpreter.instances(&state, property, |own, value| holds |= own == args && value).expect("no fault");
        if holds {
            return false;
        }
        interpreter.successors(&state, |_, _, outcome| {
            if let Outcome::Next(next) = outcome
                && known.insert(next.to_vec())
            {
                todo.push_back(next.to_vec());
            }
            ControlFlow::Continue(())
        });
    }
    true
}

fn examine(seed: u64) -> bool {
    let mut writer = Writer::new(seed);
    let (model, condition) = (writer.model(), writer.condition(Some("i")));
    let other = writer.condition(Some("j"));
    let text = match seed % 3 {
        0 => format!("{model}ruleset i: P; j: P do liveness \"l\" ({condition}) & ({other}) end;"),
        _ => format!("{model}ruleset i: P do liveness \"l\" {condition} end;"),
    };
    let prepared = prepared(&text);
    let (expected, n_all) = run(&prepared, SymmetryChoice::Off);
    let (found, n_reduced) = run(&prepared, SymmetryChoice::Use(Strategy::Refine));
    assert!(n_reduced <= n_all, "seed {seed}\n{text}");
    let holds = matches!(expected, Verdict::Holds(_));
    assert_eq!(matches!(found, Verdict::Holds(_)), holds, "seed {seed}\n{text}\n{expected:?}\n{found:?}");
    if let Verdict::Violated(violation) = &found {
        let Breach::Liveness(property, args) = &violation.breach else { panic!("{violation:?}\n{text}") };
        let trace = violation.trace.as_ref().expect("it is explained");
        assert!(is_hopeless(&prepared, *property, args, trace), "seed {seed}\n{text}\n{violation:?}");
    }
    holds
}

#[test]
fn tracked_parameters_answer_as_the_whole_graph() {
    aside(|| {
        let n_holding = (0..200).map(examine).filter(|holds| *holds).count();
        assert!((20..180).contains(&n_holding), "{n_holding} of 200 hold");
    });
}

/// One orbit in which one identity has the token: whether it comes to everybody is not seen without names.
#[test]
fn a_token_that_comes_to_all_is_told_from_one_that_stays() {
    let model = |rule: &str| {
        format!(
            "type P: scalarset(4); var tok: P; ruleset k: P do startstate begin tok := k; end; end; {rule} \
             ruleset i: P do liveness \"comes\" tok = i; end;"
        )
    };
    aside(|| {
        let gives = prepared(&model("ruleset p: P; q: P do rule tok = p & p != q ==> begin tok := q; end; end;"));
        let keeps = prepared(&model("ruleset p: P do rule tok = p ==> begin tok := p; end; end;"));
        let refine = SymmetryChoice::Use(Strategy::Refine);
        assert!(matches!(run(&gives, refine), (Verdict::Holds(_), 1)));
        assert!(matches!(run(&keeps, refine), (Verdict::Violated(_), 1)));
        assert!(matches!(run(&gives, SymmetryChoice::Off), (Verdict::Holds(_), 4)));
        assert!(matches!(run(&keeps, SymmetryChoice::Off), (Verdict::Violated(_), 4)));
    });
}
