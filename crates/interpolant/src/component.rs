//! Explanations of states that lie on cycles, all of a strongly connected component at once.
//!
// SOUND: the facts of a component are a solution of "what every step of it needs is a fact before that step", reached by
// adding facts until nothing is missing. So the argument by induction over the length of an execution goes through
// although explanations depend on each other: were there a shortest execution to something bad from a covered state, its
// first step would lead to a covered state with a shorter one. Nothing is used before the solution is complete.

use std::rc::Rc;

use burnside_ir::RuleId;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::explain::{Draft, Edge, Reasons, Scene, explain};
use crate::facts::{MOST_FACTS, Reason, reduce};
use crate::setup::{Author, Setup};
use crate::term::{Term, Terms};
use crate::trace::Tracer;
use crate::wide::Settled;

/// Components with more states explain nothing but themselves.
const MOST_STATES: usize = 128;
/// How often facts are taken back through a step before the same is said of a component.
const MOST_PULLS: usize = 10_000;

/// A state of a component.
pub(crate) struct Member {
    pub(crate) node: u32,
    pub(crate) state: Vec<i64>,
    pub(crate) edges: Vec<Edge>,
    pub(crate) settled: Settled,
}

/// The reasons of all states of a component, in order.
pub(crate) fn solve(setup: &Setup<'_>, terms: &mut Terms, members: &[Member], reasons: &dyn Reasons) -> Vec<Reason> {
    let solved = if members.len() > MOST_STATES { None } else { try_solve(setup, terms, members, reasons) };
    match solved {
        Some(facts) => facts.into_iter().map(|facts| finish(terms, facts)).collect(),
        None => members.iter().map(|_| Reason::Exact).collect(),
    }
}

fn finish(terms: &Terms, facts: Vec<Term>) -> Reason {
    let facts = reduce(terms, facts);
    if facts.len() > MOST_FACTS { Reason::Exact } else { Reason::Facts(Rc::from(facts)) }
}

/// The facts of each member; none if there is no end to them.
fn try_solve(
    setup: &Setup<'_>,
    terms: &mut Terms,
    members: &[Member],
    reasons: &dyn Reasons,
) -> Option<Vec<Vec<Term>>> {
    let mut growing: Vec<Growing> = Vec::with_capacity(members.len());
    for member in members {
        let scene = Scene { state: &member.state, edges: &member.edges, settled: &member.settled };
        let draft = explain(setup, terms, scene, reasons).ok()?;
        growing.push(Growing::new(draft));
    }
    let numbers: FxHashMap<u32, usize> = members.iter().enumerate().map(|(at, it)| (it.node, at)).collect();
    let mut n_pulls = 0;
    let mut changed = true;
    while changed {
        changed = false;
        for at in 0..members.len() {
            for step in 0..growing[at].draft.internal.len() {
                let target = numbers[&growing[at].draft.internal[step].0];
                let (from, to) = (growing[at].seen[step], growing[target].facts.len());
                if from == to {
                    continue;
                }
                let news = growing[target].facts[from..to].to_vec();
                growing[at].seen[step] = to;
                n_pulls += news.len();
                let mut tracer = Tracer::new(setup, terms, &members[at].state, Author::Rule(RuleId(0)));
                tracer.log = growing[at].draft.internal[step].1.clone();
                tracer.pull(&news, &setup.identity).ok()?;
                let facts = std::mem::take(&mut tracer.facts);
                changed |= growing[at].add(facts);
                if n_pulls > MOST_PULLS || growing[at].facts.len() > MOST_FACTS {
                    return None;
                }
            }
        }
    }
    Some(growing.into_iter().map(|it| it.facts).collect())
}

/// The facts of a member as they become more.
struct Growing {
    draft: Draft,
    facts: Vec<Term>,
    known: FxHashSet<Term>,
    /// By internal step, how many facts of its target were taken back.
    seen: Vec<usize>,
}

impl Growing {
    fn new(mut draft: Draft) -> Self {
        let first = std::mem::take(&mut draft.facts);
        let seen = vec![0; draft.internal.len()];
        let mut growing = Self { draft, facts: Vec::new(), known: FxHashSet::default(), seen };
        growing.add(first);
        growing
    }

    fn add(&mut self, facts: Vec<Term>) -> bool {
        let before = self.facts.len();
        self.facts.extend(facts.into_iter().filter(|&fact| self.known.insert(fact)));
        self.facts.len() > before
    }
}
