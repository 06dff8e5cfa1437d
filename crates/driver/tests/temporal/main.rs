//! Temporal properties of whole models: traps that a wrong quotient falls into, and random models against an oracle that
//! shares nothing with the checker.

mod cut;
mod near;
mod oracle;
mod possible;
mod promela;
mod random;
mod traps;

use std::num::NonZeroUsize;

use burnside_driver::{
    ClaimKind, ClaimSource, Language, LoadOptions, Plan, Prepared, Settings, SymmetryChoice, load, on_large_stack,
};
use burnside_engine::{Asked, DeadlockMode, Fairness, Monitor, SearchOrder, Verdict};
use burnside_symmetry::Strategy;

/// A model with one formula beside it.
pub(crate) struct Question<'a> {
    pub(crate) model: &'a str,
    pub(crate) kind: ClaimKind,
    pub(crate) formula: &'a str,
    pub(crate) define: Vec<(String, i64)>,
}

impl Question<'_> {
    pub(crate) fn prepared(&self) -> Prepared {
        let claim = ClaimSource { name: "formula".into(), text: self.formula.into(), kind: Some(self.kind) };
        let options = LoadOptions { overrides: self.define.clone(), claims: vec![claim], ..LoadOptions::default() };
        let loaded = load("m.m", self.model, Language::Murphi, &options);
        let found: Vec<String> = loaded.diagnostics.iter().map(|it| it.message.clone()).collect();
        loaded.prepared.unwrap_or_else(|| panic!("{}\n{}\n{found:?}", self.model, self.formula))
    }
}

/// Whether the formula holds; every counterexample is replayed on the way.
pub(crate) fn holds(prepared: &Prepared, settings: &Settings) -> bool {
    let settings = Settings { deadlock: DeadlockMode::Off, ..settings.clone() };
    let plan = Plan::new(prepared, &settings).unwrap_or_else(|why| panic!("{}", why.message));
    let outcome = plan.run(&Monitor::default()).unwrap_or_else(|bug| panic!("{bug}"));
    let temporal = plan.task().temporal_properties()[0];
    let answer = outcome.report.answers.iter().find(|it| it.asked == Asked::Property(temporal));
    let verdict = &answer.expect("one answer for each property").verdict;
    assert!(!matches!(verdict, Verdict::Unknown(_)), "there is an answer: {:?}", outcome.report.verdict);
    let holds = matches!(verdict, Verdict::Holds(_));
    assert_eq!(holds, matches!(outcome.report.verdict, Verdict::Holds(_)));
    holds
}

/// Ways to search that must agree: name and settings.
pub(crate) fn configurations(fairness: Fairness) -> Vec<(&'static str, Settings)> {
    let base = Settings { fairness, ..Settings::default() };
    let threads = |n| NonZeroUsize::new(n).expect("not zero");
    let with = |symmetry| Settings { symmetry, ..base.clone() };
    vec![
        ("off", with(SymmetryChoice::Off)),
        ("refine", with(SymmetryChoice::Use(Strategy::Refine))),
        ("auto", with(SymmetryChoice::Auto)),
        ("sort becomes refine", with(SymmetryChoice::Use(Strategy::Sort))),
        ("enumerate becomes refine", with(SymmetryChoice::Use(Strategy::Enumerate))),
        ("adaptive", with(SymmetryChoice::Adaptive)),
        ("cells", with(SymmetryChoice::Cells)),
        ("two threads", Settings { threads: threads(2), ..with(SymmetryChoice::Use(Strategy::Refine)) }),
        ("three threads", Settings { threads: threads(3), ..with(SymmetryChoice::Off) }),
        ("depth first", Settings { order: SearchOrder::DepthFirst, ..with(SymmetryChoice::Use(Strategy::Refine)) }),
        ("interpreted", Settings { native: false, ..with(SymmetryChoice::Use(Strategy::Refine)) }),
    ]
}

pub(crate) fn aside<R: Send>(run: impl FnOnce() -> R + Send) -> R {
    on_large_stack(run).unwrap_or_else(|failure| panic!("{failure}"))
}
