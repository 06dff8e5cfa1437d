//! Questions that quotients without renamed colours and indices answer wrongly, with the right answers.

use burnside_driver::ClaimKind::{self, Branching, Linear};
use burnside_engine::{FairUnit, Fairness, Strength};

use crate::{Question, aside, configurations, holds};

/// The mutual exclusion of Wahl and Donaldson's survey, Figure 7.
pub(crate) const MUTEX: &str = "const N: 3;
type Proc: scalarset(N); Local: enum {Idle, Trying, Critical};
var sem: boolean; loc: array [Proc] of Local;
startstate begin sem := false; for p: Proc do loc[p] := Idle; end; end;
ruleset p: Proc do
  rule \"try\" loc[p] = Idle ==> begin loc[p] := Trying; end;
  rule \"enter\" loc[p] = Trying & !sem ==> begin loc[p] := Critical; sem := true; end;
  rule \"leave\" loc[p] = Critical ==> begin loc[p] := Idle; sem := false; end;
end;";

const RING: &str = "const N: 3;
type Proc: ringset(N); Local: enum {Idle, Trying, Critical};
var tok: Proc; loc: array [Proc] of Local;
ruleset k: Proc do startstate begin tok := k; for p: Proc do loc[p] := Idle; end; end; end;
ruleset p: Proc do
  rule \"try\" loc[p] = Idle ==> begin loc[p] := Trying; end;
  rule \"enter\" loc[p] = Trying & tok = p ==> begin loc[p] := Critical; end;
  rule \"leave\" loc[p] = Critical ==> begin loc[p] := Idle; tok := next(p); end;
end;";

const RELAY: &str = "const N: 3;
type Proc: scalarset(N);
var tok: Proc;
ruleset k: Proc do startstate begin tok := k; end; end;
ruleset p: Proc; q: Proc do rule \"give\" tok = p & p != q ==> begin tok := q; end; end;";

const CAROUSEL: &str = "const N: 3;
type Proc: ringset(N);
var tok: Proc;
ruleset k: Proc do startstate begin tok := k; end; end;
ruleset p: Proc do rule \"give\" tok = p ==> begin tok := next(p); end; end;";

const CRASH: &str = "const N: 3;
type Proc: ringset(N);
var tok: Proc; dead: boolean;
ruleset k: Proc do startstate begin tok := k; dead := false; end; end;
ruleset p: Proc do
  rule \"give\" !dead & tok = p ==> begin tok := next(p); end;
  rule \"end\" !dead & tok != p ==> begin dead := true; end;
end;";

const CRASHALL: &str = "const N: 3;
type Proc: scalarset(N);
var tok: Proc; dead: boolean;
ruleset k: Proc do startstate begin tok := k; dead := false; end; end;
ruleset p: Proc do
  ruleset q: Proc do rule \"give\" !dead & tok = p & q != p ==> begin tok := q; end; end;
  rule \"end\" !dead & tok != p ==> begin dead := true; end;
end;";

/// Two processes that write once each and end.
const ENDS: &str = "type Proc: scalarset(2);
var n: 0..1; done: array [Proc] of boolean;
startstate begin n := 0; for p: Proc do done[p] := false; end; end;
ruleset p: Proc do rule \"write\" !done[p] ==> begin n := 1 - n; done[p] := true; end; end;";

const FLIP: &str = "const N: 3;
type Proc: scalarset(N);
var bit: array [Proc] of boolean;
startstate begin for p: Proc do bit[p] := false; end; end;
ruleset p: Proc do rule \"flip\" true ==> begin bit[p] := !bit[p]; end; end;";

/// Answers without fairness, with weak and with strong fairness to processes.
fn check((model, n): (&str, i64), kind: ClaimKind, formula: &str, answers: [bool; 3]) {
    let define = if model.contains("const N") { vec![("N".to_owned(), n)] } else { Vec::new() };
    let question = Question { model, kind, formula, define };
    let strengths = [None, Some(Strength::Weak), Some(Strength::Strong)];
    aside(|| {
        let prepared = question.prepared();
        for (strength, expected) in strengths.into_iter().zip(answers) {
            for (name, settings) in configurations(Fairness { strength, unit: FairUnit::Process }) {
                assert_eq!(holds(&prepared, &settings), expected, "{formula}, {strength:?}, n = {n}, {name}");
            }
        }
    });
}

const HOLDS: [bool; 3] = [true; 3];
const FAILS: [bool; 3] = [false; 3];

#[test]
fn a_fair_round_through_one_state_is_seen() {
    for n in 2..=3 {
        check((CRASH, n), Linear, "F dead", FAILS);
        check((CRASHALL, n), Linear, "F dead", FAILS);
    }
}

#[test]
fn copies_of_an_automaton_are_renamed() {
    check((CAROUSEL, 3), Linear, "exists i: Proc do F G (tok = i) end", FAILS);
    check((CAROUSEL, 3), Linear, "forall i: Proc. F G (tok = i)", FAILS);
    check((CAROUSEL, 3), Linear, "forall i: Proc. G F (tok = i)", HOLDS);
    check((MUTEX, 3), Linear, "exists i: Proc do G F (loc[i] = Critical) end", HOLDS);
}

#[test]
fn a_process_named_in_a_formula_stays_the_same() {
    let overtaking = "forall i: Proc. forall j: Proc. i != j -> \
                      G (loc[i] = Trying & loc[j] = Idle -> (loc[i] = Critical R loc[j] != Critical))";
    check((MUTEX, 2), Linear, overtaking, FAILS);
    check((MUTEX, 3), Linear, overtaking, FAILS);
    check((RELAY, 3), Linear, "forall i: Proc. G F (tok = i)", FAILS);
    check((RELAY, 2), Linear, "forall i: Proc. G F (tok = i)", HOLDS);
    check((RING, 3), Linear, "forall i: Proc. G (loc[i] = Trying -> F loc[i] = Critical)", HOLDS);
    check((RING, 3), Linear, "exists i: Proc do G loc[i] = Idle end", FAILS);
}

#[test]
fn strong_fairness_is_to_processes_and_not_to_positions() {
    for n in 2..=4 {
        let response = "forall i: Proc. G (loc[i] = Trying -> F loc[i] = Critical)";
        check((MUTEX, n), Linear, response, [false, false, true]);
        check((MUTEX, n), Linear, "forall i: Proc. G F loc[i] = Critical", [false, false, true]);
    }
    check((FLIP, 3), Linear, "forall i: Proc. G F bit[i]", [false, true, true]);
}

#[test]
fn indices_of_states_are_tracked() {
    check((RELAY, 3), Branching, "forall i: Proc. AG EF tok = i", HOLDS);
    check((MUTEX, 3), Branching, "forall i: Proc. AG (loc[i] = Trying -> EF loc[i] = Critical)", HOLDS);
    check((MUTEX, 3), Branching, "forall i: Proc. AG (loc[i] = Trying -> AF loc[i] = Critical)", [false, false, true]);
    check((MUTEX, 3), Branching, "exists i: Proc do AF loc[i] = Critical end", [false, false, true]);
    check((CAROUSEL, 3), Branching, "forall i: Proc. AG AF tok = i", HOLDS);
    check((RELAY, 3), Branching, "exists i: Proc do AG AF tok = i end", FAILS);
    check((RELAY, 3), Branching, "forall i: Proc. E (G F tok = i & F G tok != i)", FAILS);
}

#[test]
fn an_execution_that_ends_stays_at_its_end() {
    check((ENDS, 0), Linear, "F G (n = 1)", FAILS);
    check((ENDS, 0), Linear, "F G (n = 0)", HOLDS.map(|_| true));
    check((ENDS, 0), Linear, "F (n = 1)", [true; 3]);
    check((ENDS, 0), Linear, "G F forall p: Proc do done[p] end", HOLDS);
}

#[test]
fn quantifiers_anywhere_cost_symmetry_but_no_answer() {
    check((MUTEX, 3), Linear, "G F exists i: Proc do loc[i] = Idle & X (loc[i] = Trying) end", HOLDS);
    check((FLIP, 3), Linear, "G exists i: Proc do (X bit[i]) <-> !bit[i] end", HOLDS);
    check((FLIP, 2), Linear, "G exists i: Proc do G bit[i] | F !bit[i] end", HOLDS);
    check((RELAY, 3), Linear, "F exists i: Proc do forall j: Proc do i = j | G tok != j end end", FAILS);
}
