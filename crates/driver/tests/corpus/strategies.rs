//! Every symmetry strategy on models written by others: the verdicts of plain search, and one number of orbits.

use std::time::{Duration, Instant};

use burnside_driver::{Language, LoadOptions, Plan, Settings, Strategy, SymmetryChoice, load, on_large_stack};
use burnside_engine::{Budget, Monitor, Reason, Verdict};
use burnside_symmetry::Exactness;

use crate::files::models_in;
use burnside_testkit::shared_corpus;

/// Larger models take too long with strategies that try permutations.
const MOST_STATES: u64 = 20_000;
/// What a strategy that tries permutations is given: more would take too long for one state.
const MOST_PERMUTATIONS: u64 = 5040;

/// Whether a complete search found nothing, and how many states it stored; `None` if a limit ended it.
pub(crate) struct Answer {
    pub(crate) violated_after: Option<Option<usize>>,
    is_complete: bool,
    pub(crate) states: u64,
    strategy: Strategy,
    pub(crate) group_order: String,
}

pub(crate) fn ask(name: &str, text: &str, symmetry: SymmetryChoice) -> Option<Answer> {
    on_large_stack(|| {
        let prepared = load(name, text, Language::Murphi, &LoadOptions::default()).prepared?;
        let plan = Plan::new(&prepared, &Settings { symmetry, ..Settings::default() }).ok()?;
        let deadline = Some(Instant::now() + Duration::from_secs(20));
        let budget = Budget { deadline, states: Some(MOST_STATES), ..Budget::default() };
        let outcome = plan.run(&Monitor::new(budget)).unwrap_or_else(|bug| panic!("{name}: {bug}"));
        let (report, is_explained) = (&outcome.report, outcome.declined != Some(Reason::Unexplained));
        assert!(is_explained, "{name}: a violation showed in a permuted state only, {symmetry:?}");
        let violated_after = match &report.verdict {
            Verdict::Violated(violation) => Some(violation.trace.as_ref().map(|trace| trace.n_fired())),
            Verdict::Holds(_) | Verdict::Unknown(_) => None,
        };
        let is_complete = matches!(report.verdict, Verdict::Holds(_));
        let (strategy, group_order) = (plan.planned().strategy, plan.planned().group_order.clone());
        Some(Answer { violated_after, is_complete, states: report.counts.states, strategy, group_order })
    })
    .unwrap_or_else(|failure| panic!("{name}: {failure}"))
}

/// What is wrong with an answer, given those of `off` and of `refine`.
fn problem(answer: &Answer, off: &Answer, refine: &Answer) -> Option<String> {
    if answer.group_order != refine.group_order {
        return problem_with_less(answer, off, refine);
    }
    let Strategy::Reduce(strategy) = answer.strategy else { return Some("no reduction took place".to_owned()) };
    let is_right = match strategy.exactness() {
        Exactness::Approximate => !answer.is_complete && (answer.violated_after.is_none() || !off.is_complete),
        _ if off.violated_after.is_some() => answer.violated_after == off.violated_after,
        Exactness::Exact => answer.is_complete && answer.states == refine.states,
        Exactness::Redundant => answer.is_complete && answer.states >= refine.states,
    };
    let text = || format!("{strategy:?} stores {} states, refine {}, off {}", answer.states, refine.states, off.states);
    (!is_right).then(text)
}

/// The same for a strategy that leaves part of the group out of account.
fn problem_with_less(answer: &Answer, off: &Answer, refine: &Answer) -> Option<String> {
    let exactness = match answer.strategy {
        Strategy::Reduce(strategy) => strategy.exactness(),
        _ => Exactness::Exact,
    };
    let is_right = exactness == Exactness::Approximate
        || answer.violated_after == off.violated_after
            && answer.is_complete == off.is_complete
            && (answer.states >= refine.states || !off.is_complete);
    (!is_right).then(|| format!("{:?} stores {} states, refine {}", answer.strategy, answer.states, refine.states))
}

#[test]
#[allow(clippy::print_stderr, reason = "the test says how much it covered")]
fn every_strategy_gives_the_verdict_of_plain_search() {
    let Some(corpus) = shared_corpus() else { return };
    let (mut n_models, mut n_searches, mut n_left_out) = (0, 0, 0);
    let mut problems = Vec::new();
    for (name, text) in models_in(&corpus.join("murphi/models")) {
        let Some(off) = ask(&name, &text, SymmetryChoice::Off) else { continue };
        let choice = |strategy| SymmetryChoice::Use(strategy);
        let Some(refine) = ask(&name, &text, choice(burnside_symmetry::Strategy::Refine)) else { continue };
        let is_known = off.is_complete || off.violated_after.is_some();
        if refine.strategy == Strategy::Off || !is_known {
            continue;
        }
        n_models += 1;
        let is_small = refine.group_order.parse::<u64>().is_ok_and(|order| order <= MOST_PERMUTATIONS);
        for strategy in burnside_symmetry::Strategy::ALL {
            use burnside_symmetry::Strategy::{Enumerate, First, Flood, Segment};
            if !is_small && matches!(strategy, Enumerate | First | Flood | Segment) {
                n_left_out += 1;
                continue;
            }
            n_searches += 1;
            let answer = ask(&name, &text, choice(strategy)).expect("the model was searched before");
            problems.extend(problem(&answer, &off, &refine).map(|it| format!("{name}: {it}")));
        }
    }
    eprintln!("{n_models} symmetric models, {n_searches} searches, {n_left_out} left out for the order of the group");
    assert!(n_models > 10, "the corpus has symmetric models");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Wahl and Donaldson's survey, figure 7, with the semaphore given back on leaving.
const SEMAPHORE: &str = "
    const N: 3;
    type Process: scalarset(N); Local: enum {idle, trying, critical};
    var local: array [Process] of Local; taken: boolean;
    startstate begin for p: Process do local[p] := idle; end; taken := false; end;
    ruleset p: Process do
      rule local[p] = idle ==> begin local[p] := trying; end;
      rule local[p] = trying & !taken ==> begin local[p] := critical; taken := true; end;
      rule local[p] = critical ==> begin local[p] := idle; taken := false; end;
    end;";

/// The survey's section 8: readers may join readers; a writer enters alone.
const READERS_WRITERS: &str = "
    type Reader: scalarset(2); Writer: scalarset(1); Local: enum {idle, trying, critical};
    var reader: array [Reader] of Local; writer: array [Writer] of Local;
    startstate begin
      for r: Reader do reader[r] := idle; end;
      for w: Writer do writer[w] := idle; end;
    end;
    ruleset r: Reader do
      rule reader[r] = idle ==> begin reader[r] := trying; end;
      rule reader[r] = trying & forall w: Writer do writer[w] != critical end ==> begin reader[r] := critical; end;
      rule reader[r] = critical ==> begin reader[r] := idle; end;
    end;
    ruleset w: Writer do
      rule writer[w] = idle ==> begin writer[w] := trying; end;
      rule writer[w] = trying & (forall v: Writer do writer[v] != critical end)
           & forall r: Reader do reader[r] != critical end ==> begin writer[w] := critical; end;
      rule writer[w] = critical ==> begin writer[w] := idle; end;
    end;";

#[test]
fn the_survey_s_models_have_the_printed_numbers_of_states() {
    let states = |text: &str, choice| ask("survey.m", text, choice).expect("a good model").states;
    for n in 2..=5_u32 {
        let text = SEMAPHORE.replace("N: 3", &format!("N: {n}"));
        let concrete = 2_u64.pow(n) + u64::from(n) * 2_u64.pow(n - 1);
        assert_eq!(states(&text, SymmetryChoice::Off), concrete);
        for strategy in burnside_symmetry::Strategy::ALL {
            let counted = states(&text, SymmetryChoice::Use(strategy));
            // Nobody refers to anybody, so that sorting and climbing are exact too.
            assert_eq!(counted, u64::from(2 * n + 1), "{strategy:?}");
        }
    }
    assert_eq!(states(READERS_WRITERS, SymmetryChoice::Off), 22);
}
