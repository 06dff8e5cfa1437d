//! Which processes and channels can come into being, and with what arguments.
//!
//! Most models make all their processes in the beginning. Only the states in which some process may still make another
//! are visited: behind the last `run` nothing comes into being any more, however many states there are.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::explore::{Explorer, Limits};
use super::moves::{Successor, Turn};
use super::state::State;
use crate::flow::{Action, ActionId, Automaton, Location};
use crate::load::Model;
use crate::typed::{Basic, ChanTypeId, Expr, ExprKind, ProcId};

/// What comes into being.
#[derive(Debug, Clone, Default)]
pub struct Created {
    /// By process number: the types of processes that have it.
    pub procs: Vec<BTreeSet<ProcId>>,
    /// By index: the kinds of channels that have it.
    pub chans: Vec<BTreeSet<ChanTypeId>>,
    /// By statement: the numbers of the processes it starts.
    pub runs: BTreeMap<(ProcId, ActionId), BTreeSet<usize>>,
    /// By process type and slot: the values that parameters start with.
    pub args: BTreeMap<(ProcId, usize), BTreeSet<i32>>,
    /// By process type and slot: the channels made for it.
    pub made: BTreeMap<(Option<ProcId>, u32), BTreeSet<usize>>,
    /// What the only process of the first state does first, if that is certain.
    pub first: Option<First>,
    /// What there is after that step, or at the start.
    pub start: Option<State>,
    /// Whether this is all; otherwise it is what was seen within the limits.
    pub complete: bool,
}

/// The first step of a model in which one process makes all the others without a break.
#[derive(Debug, Clone)]
pub struct First {
    /// The state at the start.
    pub before: State,
    /// The state after the step; it is the only successor.
    pub after: State,
}

/// Longest first step.
const MAX_FIRST: u32 = 100_000;

/// Finds out what comes into being.
pub fn created(model: &Model, limits: Limits) -> Created {
    let mut explorer = Explorer::new(model, limits);
    explorer.created = Some(Created::default());
    let complete = explorer.run_creation().is_ok();
    let found = explorer.created.take().unwrap_or_default();
    let first = explorer.first_step().ok().flatten();
    let start = first.as_ref().map(|first| first.after.clone()).or_else(|| explorer.first_state().ok());
    Created { complete, first, start, ..found }
}

impl Explorer<'_> {
    /// The first step, if one process alone makes it in one way, and never stands where it began again.
    fn first_step(&mut self) -> Result<Option<First>, super::Stop> {
        let before = self.first_state()?;
        let [process] = before.procs.as_slice() else { return Ok(None) };
        let start = process.at;
        let automaton = &self.model.flow.procs[process.proc.index()];
        let comes_back = automaton.nodes.iter().any(|node| node.moves.iter().any(|step| step.to == Some(start)));
        let is_only = self.program.starts.len() == 1 && !comes_back && self.program.procs[process.proc.index()].is_init;
        let mut at = Successor { state: before.clone(), exclusive: Some(0) };
        for n_steps in 0..MAX_FIRST {
            let mut out = Vec::new();
            self.moves_of(&at.state, 0, Turn::default(), &mut out)?;
            let (true, Some(next), true) = (is_only, out.pop(), out.is_empty()) else { return Ok(None) };
            if !self.faults.is_empty() {
                return Ok(None);
            }
            if next.exclusive.is_none() {
                // A single statement is a rule like any other.
                let after = next.state;
                return Ok((n_steps > 0 && !after.procs.is_empty()).then_some(First { before, after }));
            }
            at = next;
        }
        Ok(None)
    }

    fn run_creation(&mut self) -> Result<(), super::Stop> {
        let may_run: Vec<Vec<bool>> = self.model.flow.procs.iter().map(may_run).collect();
        let still = |state: &State| state.procs.iter().any(|process| may_run[process.proc.index()][process.at.index()]);
        let mut pending = std::collections::VecDeque::from([Successor { state: self.first_state()?, exclusive: None }]);
        let mut seen: HashSet<(Box<[u8]>, Option<usize>)> = HashSet::new();
        let mut n_steps = 0;
        while let Some(next) = pending.pop_front() {
            if !still(&next.state) || !seen.insert((self.key(&next.state), next.exclusive)) {
                continue;
            }
            n_steps += 1;
            if seen.len() > self.limits.n_states || n_steps > self.limits.n_steps {
                return Err(super::Stop::Limit);
            }
            let mut out = Vec::new();
            if let Some(me) = next.exclusive {
                if !self.moves_of(&next.state, me, Turn::default(), &mut out)? {
                    out.push(Successor { state: next.state, exclusive: None });
                }
            } else {
                for timeout in [false, true] {
                    for me in 0..next.state.procs.len() {
                        self.moves_of(&next.state, me, Turn { offered: None, timeout }, &mut out)?;
                    }
                    if !out.is_empty() {
                        break;
                    }
                }
            }
            pending.extend(out);
        }
        Ok(())
    }
}

/// By location: whether a `run` can lie ahead.
fn may_run(automaton: &Automaton) -> Vec<bool> {
    let starts_one = |action: ActionId| match automaton.action(action) {
        Action::Basic(Basic::Condition(expr) | Basic::Assign(_, expr)) => holds_run(expr),
        _ => false,
    };
    let mut found: Vec<bool> =
        automaton.nodes.iter().map(|node| node.moves.iter().any(|step| starts_one(step.action))).collect();
    loop {
        let mut changed = false;
        for (index, node) in automaton.nodes.iter().enumerate() {
            let ahead = |to: Option<Location>| to.is_some_and(|to| found[to.index()]);
            if !found[index] && node.moves.iter().any(|step| ahead(step.to)) {
                found[index] = true;
                changed = true;
            }
        }
        if !changed {
            return found;
        }
    }
}

/// Whether a `run` stands in an expression.
pub(crate) fn holds_run(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Run(_) => true,
        ExprKind::Unary(_, inner) => holds_run(inner),
        ExprKind::Binary(_, left, right) => holds_run(left) || holds_run(right),
        ExprKind::Conditional(condition, yes, no) => [condition, yes, no].into_iter().any(|part| holds_run(part)),
        _ => false,
    }
}
