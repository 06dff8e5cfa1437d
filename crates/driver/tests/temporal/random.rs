//! Random models with random formulas: up to symmetry, without it and by the oracle the answers are the same.

use burnside_driver::{ClaimKind, Settings};
use burnside_engine::{FairUnit, Fairness, Strength};
use fastrand::Rng;

use crate::oracle::{self, Space};
use crate::{Question, aside, configurations, holds};

/// More are looked at if this variable says so.
const CASES: &str = "BURNSIDE_TEMPORAL_MODELS";

/// Writes models and formulas.
pub(crate) struct Writer {
    rng: Rng,
    is_ring: bool,
}

impl Writer {
    pub(crate) fn new(seed: u64) -> Self {
        Self { rng: Rng::with_seed(seed), is_ring: seed.is_multiple_of(3) }
    }

    fn one_of<'s>(&mut self, words: &[&'s str]) -> &'s str {
        words[self.rng.usize(..words.len())]
    }

    /// A condition about process `p`, or about nobody.
    pub(crate) fn condition(&mut self, p: Option<&str>) -> String {
        let value = self.rng.u8(0..3);
        let own = |p: &str, choice: u8| match choice {
            0 => format!("a[{p}] = {value}"),
            1 => format!("t = {p}"),
            _ => format!("a[{p}] != {value}"),
        };
        match (p, self.rng.u8(0..8)) {
            (Some(p), choice @ 0..4) => own(p, choice),
            (Some(p), 4) if self.is_ring => format!("a[next({p})] = {value}"),
            (_, 5) => "b".to_owned(),
            (_, 6) => format!("exists q: P do a[q] = {value} end"),
            _ => format!("forall q: P do a[q] != {value} end"),
        }
    }

    fn action(&mut self) -> String {
        let value = self.rng.u8(0..3);
        match self.rng.u8(0..6) {
            0..3 => format!("a[p] := {value};"),
            3 => "b := !b;".to_owned(),
            4 if self.is_ring => "t := next(t);".to_owned(),
            4 => "t := p;".to_owned(),
            _ => format!("a[p] := {value}; t := p;"),
        }
    }

    pub(crate) fn model(&mut self) -> String {
        let n = self.rng.u8(2..4);
        let set = if self.is_ring { "ringset" } else { "scalarset" };
        let start = match self.rng.u8(0..3) {
            0 => {
                "ruleset k: P do startstate begin b := false; t := k; for p: P do a[p] := 0; end; end; end;".to_owned()
            }
            1 => "ruleset k: P do startstate begin b := true; t := k; for p: P do a[p] := 0; end; a[k] := 1; end; end;"
                .to_owned(),
            // Start states that no permutation leaves as they are.
            _ => "startstate begin b := false; for p: P do t := p; a[p] := 0; end; a[t] := 2; end;".to_owned(),
        };
        let rules: String = (0..self.rng.u8(1..4))
            .map(|at| {
                let (one, two) = (self.condition(Some("p")), self.condition(Some("p")));
                let action = self.action();
                format!("  rule \"r{at}\" ({one}) & ({two}) ==> begin {action} end;\n")
            })
            .collect();
        format!(
            "type P: {set}({n});\nvar a: array [P] of 0..2; t: P; b: boolean;\n{start}\nruleset p: P do\n{rules}end;\n"
        )
    }

    fn formula(&mut self, p: Option<&str>, depth: u8) -> String {
        if depth == 0 || self.rng.u8(0..6) == 0 {
            return format!("({})", self.condition(p));
        }
        match self.rng.u8(0..10) {
            0 => format!("G F {}", self.formula(p, depth - 1)),
            1 => format!("F G {}", self.formula(p, depth - 1)),
            2 => format!("G ({} -> F {})", self.formula(p, 0), self.formula(p, depth - 1)),
            3..6 => {
                let op = self.one_of(&["!", "G", "F", "X"]);
                format!("{op} {}", self.formula(p, depth - 1))
            }
            _ => {
                let op = self.one_of(&["&", "|", "->", "U", "W", "R", "<->"]);
                format!("({} {op} {})", self.formula(p, depth - 1), self.formula(p, depth - 1))
            }
        }
    }

    fn claim(&mut self) -> String {
        let depth = self.rng.u8(1..4);
        match self.rng.u8(0..20) {
            0..6 => self.formula(None, depth),
            6..14 => format!("forall i: P. {}", self.formula(Some("i"), depth)),
            14..18 => format!("exists i: P do G F X {} end", self.formula(Some("i"), depth - 1)),
            _ => format!("F {} | G exists i: P do F G {} end", self.formula(None, 0), self.formula(Some("i"), 0)),
        }
    }
}

fn examine(seed: u64) -> Option<bool> {
    let mut writer = Writer::new(seed);
    let (model, formula) = (writer.model(), writer.claim());
    let strength = [None, Some(Strength::Weak), Some(Strength::Strong)][writer.rng.usize(..3)];
    let unit = [FairUnit::Process, FairUnit::Process, FairUnit::Rule, FairUnit::Instance][writer.rng.usize(..4)];
    let fairness = Fairness { strength, unit };
    let question = Question { model: &model, kind: ClaimKind::Linear, formula: &formula, define: Vec::new() };
    let prepared = question.prepared();
    let space = Space::new(&prepared, fairness, 400)?;
    let expected = oracle::holds(&prepared, &space, fairness)?;
    // Without reduction, with it, and in one more way, another for each seed.
    let all = configurations(fairness);
    let third = 2 + seed as usize / 2 % (all.len() - 2);
    for (name, settings) in [&all[0], &all[1], &all[third]] {
        let settings = Settings { native: settings.native && seed.is_multiple_of(2), ..settings.clone() };
        let found = holds(&prepared, &settings);
        assert_eq!(found, expected, "seed {seed}, {name}, {fairness:?}\n{model}\n{formula}");
    }
    Some(expected)
}

#[test]
fn the_quotient_says_what_the_whole_graph_says() {
    let n_cases = std::env::var(CASES).ok().and_then(|text| text.parse().ok()).unwrap_or(300);
    aside(move || {
        let answers: Vec<bool> = (0..n_cases).filter_map(examine).collect();
        let n_holding = answers.iter().filter(|&&holds| holds).count();
        // Otherwise the generator makes nothing worth a look.
        assert!(answers.len() as u64 * 3 > n_cases, "{} of {n_cases} are decided", answers.len());
        assert!(n_holding * 10 > answers.len() && n_holding * 10 < answers.len() * 9, "{n_holding} hold");
    });
}
