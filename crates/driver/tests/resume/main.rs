//! A search that is cut short, written down and continued comes to what it would have come to without interruption.

mod files;

use std::io::Cursor;
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use burnside_driver::{
    ClaimKind, ClaimSource, Language, LoadOptions, Outcome, Plan, Prepared, SavedSearch, Settings, SymmetryChoice,
    load, on_large_stack,
};
use burnside_engine::{Budget, DeadlockMode, Monitor, Report, SearchOrder, StoreMode, Verdict};
use burnside_symmetry::Strategy;

/// Nodes that pass messages: some thousand states, 24 times fewer up to symmetry.
pub(crate) const MAILER: &str = "
    type P: scalarset(4); L: enum { idle, asks, owns };
    var loc: array [P] of L; box: multiset [3] of P; last: P; n: 0..3;
    startstate begin for p: P do loc[p] := idle; end; undefine box; undefine last; n := 0; end;
    ruleset p: P do
      rule \"ask\" loc[p] = idle & multisetcount(i: box, true) < 3 ==> begin loc[p] := asks; multisetadd(p, box); end;
      rule \"leave\" loc[p] = owns ==> begin loc[p] := idle; last := p; n := (n + 1) % 4; end;
    end;
    choose i: box do
      rule \"grant\" forall p: P do loc[p] != owns end ==> begin loc[box[i]] := owns; multisetremove(i, box); end;
    end;
    cover \"second\" n = 2;
    invariant \"one owner\" forall p: P do forall q: P do loc[p] = owns & loc[q] = owns -> p = q end end;";

/// The same with something wrong deep inside.
fn wrong(property: &str) -> String {
    format!("{MAILER} {property}")
}

const ATOMIC: &str = "
    byte x, y; bool done;
    proctype P(byte me) {
      byte i;
      do
      :: i < 4 -> atomic { x = x + 1; y = y + me; i++ }
      :: i < 4 -> i++; atomic { if :: x > 0 -> x--; y = y ^ me :: else -> skip fi }
      :: else -> break
      od
    }
    init { atomic { run P(1); run P(2); run P(2) } }";

fn prepared(language: Language, text: &str, formula: Option<&str>) -> Prepared {
    let claim =
        |formula: &str| ClaimSource { name: "f".to_owned(), text: formula.to_owned(), kind: Some(ClaimKind::Linear) };
    let options = LoadOptions { claims: formula.map(claim).into_iter().collect(), ..LoadOptions::default() };
    let name = if language == Language::Promela { "m.pml" } else { "m.m" };
    let loaded = load(name, text, language, &options);
    let said: Vec<String> = loaded.diagnostics.iter().map(|it| it.message.clone()).collect();
    loaded.prepared.unwrap_or_else(|| panic!("{text}\n{said:?}"))
}

/// Ways to search that can go on.
fn ways(language: Language) -> Vec<(&'static str, Settings)> {
    let base = Settings { pauses: true, ..Settings::of(language) };
    let two = NonZeroUsize::new(2).expect("not zero");
    let with = |symmetry| Settings { symmetry, ..base.clone() };
    let refine = with(SymmetryChoice::Use(Strategy::Refine));
    vec![
        ("breadth first", with(SymmetryChoice::Off)),
        ("depth first", Settings { order: SearchOrder::DepthFirst, ..with(SymmetryChoice::Off) }),
        ("two threads", Settings { threads: two, ..with(SymmetryChoice::Off) }),
        ("compressed", Settings { store: StoreMode::Compressed, ..with(SymmetryChoice::Off) }),
        ("compressed, two threads", Settings { store: StoreMode::Compressed, threads: two, ..refine.clone() }),
        ("depth first, refined", Settings { order: SearchOrder::DepthFirst, ..refine.clone() }),
        ("interpreted, sorted", Settings { native: false, ..with(SymmetryChoice::Use(Strategy::Sort)) }),
        ("refined, with a certificate", Settings { certificate: true, ..refine }),
        ("auto", base),
    ]
}

pub(crate) fn plan<'m>(prepared: &'m Prepared, settings: &Settings) -> Plan<'m> {
    Plan::new(prepared, settings).unwrap_or_else(|diagnostic| panic!("{}", diagnostic.message))
}

pub(crate) fn run(plan: &Plan<'_>, budget: Budget) -> Outcome {
    plan.run(&Monitor::new(budget)).unwrap_or_else(|bug| panic!("{bug}"))
}

pub(crate) fn written(plan: &Plan<'_>, outcome: &Outcome) -> Vec<u8> {
    let mut file = Vec::new();
    plan.write_search(outcome, None, &["check".to_owned()], &mut file).expect("memory takes everything");
    file
}

/// What must not depend on interruptions.
fn essence(outcome: &Outcome) -> String {
    let Report { verdict, answers, counts, fired, stored, .. } = &outcome.report;
    let counts = (counts.states, counts.rules_fired, counts.depth, counts.frontier);
    format!("{verdict:?}\n{answers:?}\n{counts:?}\n{fired:?}\n{stored:?}")
}

/// Searches with these limits one after the other, each from where the last one stopped, and then to the end. The number
/// of interruptions is the second answer.
fn in_pieces(prepared: &Prepared, settings: &Settings, limits: impl Iterator<Item = Budget>) -> (Outcome, usize) {
    let mut file: Option<Vec<u8>> = None;
    for (n_interruptions, budget) in limits.chain([Budget::default()]).enumerate() {
        let saved = file.take().map(|file| SavedSearch::read(Cursor::new(file)).expect("what was written can be read"));
        let plan = plan(prepared, settings);
        let plan = match &saved {
            Some(saved) => plan.resuming(saved, None).unwrap_or_else(|problem| panic!("{problem}")),
            None => plan,
        };
        let outcome = run(&plan, budget);
        if outcome.report.paused.is_none() {
            return (outcome, n_interruptions);
        }
        file = Some(written(&plan, &outcome));
    }
    panic!("the last search has no limits")
}

/// Compares searches in pieces with whole ones; the number of interruptions is the answer.
fn compare(prepared: &Prepared, language: Language) -> usize {
    let mut n_interruptions = 0;
    for (name, settings) in ways(language) {
        let whole = run(&plan(prepared, &settings), Budget::default());
        let n_states = whole.report.counts.states;
        let of_states = |states: u64| Budget { states: Some(states), ..Budget::default() };
        let few = [1, 2, 7, n_states / 3, n_states / 2, n_states.saturating_sub(1)].map(of_states);
        let (pieces, n) = in_pieces(prepared, &settings, few.into_iter());
        assert_eq!(essence(&pieces), essence(&whole), "{name}");
        n_interruptions += n;
        let soon = (1..20).map(|at| {
            let deadline = Instant::now().checked_add(Duration::from_micros(300 * at));
            Budget { deadline, ..Budget::default() }
        });
        let (pieces, n) = in_pieces(prepared, &settings, soon);
        assert_eq!(essence(&pieces), essence(&whole), "{name}, by time");
        n_interruptions += n;
    }
    n_interruptions
}

fn check(language: Language, text: &str, formula: Option<&str>) {
    let prepared = prepared(language, text, formula);
    let n_interruptions = on_large_stack(|| compare(&prepared, language)).unwrap_or_else(|failure| panic!("{failure}"));
    assert!(n_interruptions >= 5 * ways(language).len(), "there were {n_interruptions} interruptions only");
}

#[test]
fn a_complete_search_in_pieces_is_the_whole_one() {
    check(Language::Murphi, MAILER, None);
}

#[test]
fn counterexamples_are_those_of_one_search() {
    check(Language::Murphi, &wrong("invariant \"never three\" n < 3;"), None);
    check(Language::Murphi, &wrong("rule n = 3 & loc[last] = owns ==> begin assert false \"deep\"; end;"), None);
    check(Language::Murphi, &wrong("cover \"never\" n = 3 & isundefined(last);"), None);
}

#[test]
fn liveness_and_formulas_are_judged_on_all_pieces() {
    check(Language::Murphi, &wrong("liveness \"home\" forall p: P do loc[p] = idle end;"), None);
    check(
        Language::Murphi,
        &wrong("liveness \"stays\" n = 3 & loc[last] = owns & multisetcount(i: box, true) = 0;"),
        None,
    );
    check(Language::Murphi, MAILER, Some("[] <> n = 0"));
    check(Language::Murphi, MAILER, Some("<> n = 2 | [] n < 2"));
}

#[test]
fn rules_that_fire_inside_steps_are_counted_once() {
    check(Language::Promela, ATOMIC, None);
}

#[test]
fn engines_and_strategies_that_cannot_go_on_say_so() {
    let refused = |text: &str, settings: Settings| {
        let prepared = prepared(Language::Murphi, text, None);
        let settings = Settings { pauses: true, ..settings };
        let diagnostic = Plan::new(&prepared, &settings).err().expect("it is refused");
        assert!(diagnostic.message.contains("go on later"), "{}", diagnostic.message);
    };
    refused(MAILER, Settings { store: StoreMode::Fingerprint, ..Settings::default() });
    for strategy in Strategy::ALL.into_iter().filter(|strategy| strategy.has_memory()) {
        refused(MAILER, Settings { symmetry: SymmetryChoice::Use(strategy), ..Settings::default() });
    }
    let interpolant = burnside_driver::EngineChoice::Interpolant(burnside_driver::Mode::default());
    let without_covers = "var x: 0..3; startstate x := 0; end; rule x < 3 ==> begin x := x + 1; end;";
    refused(without_covers, Settings { engine: interpolant, ..Settings::default() });
}

#[test]
fn a_search_that_is_not_to_go_on_keeps_nothing() {
    let prepared = prepared(Language::Murphi, MAILER, None);
    let settings = Settings { deadlock: DeadlockMode::Off, ..Settings::default() };
    let outcome = run(&plan(&prepared, &settings), Budget { states: Some(10), ..Budget::default() });
    assert!(matches!(outcome.report.verdict, Verdict::Unknown(_)));
    assert!(outcome.report.paused.is_none());
}
