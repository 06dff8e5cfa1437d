//! Chains of steps inside an `atomic`, made into one rule where nothing can come in between.
//!
//! A process that goes on exclusively does its next step at once. Where what that step waits for does not depend on what the
//! steps before it wrote, the whole chain has one guard, and the states in between need not exist. If the process may block in
//! the middle, one more rule leads there.
//!
// SOUND: a chain s1; s2 fires where s1 is possible and, after s1, s2 is. The guard of s2 reads nothing that s1 writes, so it
// has the same value before and after s1. The chain does what s1 and then s2 do; it counts as one step, as every path
// through an `atomic` does; and where no s2 is possible, the process is left in the middle without its exclusive right, which
// is the state that is stored.

use std::collections::BTreeSet;

use burnside_diag::Span;
use burnside_ir::visit::{Visitor, walk_place, walk_stmt};
use burnside_ir::{Expr, GlobalId, Place, PlaceBase, Projection, Stmt, StmtKind};

use super::alike::contradict;
use super::build::{all, any, denied, not};
use super::exprs::{Body, Who};
use super::shapes::AT;
use crate::flow::{Action, Guard, Location};

/// Longest chain, and most chains from one place.
const MOST_STEPS: usize = 24;
const MOST_WAYS: usize = 64;

/// One way to go on from a place.
#[derive(Clone)]
pub(super) struct Way {
    pub(super) guard: Expr,
    pub(super) stmts: Vec<Stmt>,
    /// Where it ends.
    pub(super) to: Location,
    /// Whether the process goes on exclusively from there.
    pub(super) exclusive: bool,
    /// The statements.
    pub(super) spans: Vec<Span>,
}

/// A variable, or a field of the records it holds.
type Spot = (GlobalId, Option<u32>);

/// Variables that are written or read.
#[derive(Default, Clone)]
pub(super) struct Spots(BTreeSet<Spot>);

impl Spots {
    fn meets(&self, other: &Self) -> bool {
        self.0.iter().any(|(global, field)| {
            other
                .0
                .iter()
                .any(|(theirs, part)| global == theirs && (field == part || field.is_none() || part.is_none()))
        })
    }
}

fn spot(place: &Place) -> Option<Spot> {
    let PlaceBase::Global(global) = place.base else { return None };
    let field = place.path.iter().find_map(|step| match step {
        Projection::Field(field) => Some(*field),
        _ => None,
    });
    Some((global, field))
}

/// What is read in an expression.
fn read_in(expr: &Expr) -> Spots {
    struct Reads(Spots);
    impl Visitor for Reads {
        fn place(&mut self, place: &Place) {
            self.0.0.extend(spot(place));
            walk_place(self, place);
        }
    }
    let mut reads = Reads(Spots::default());
    reads.expr(expr);
    reads.0
}

/// What is written by statements.
fn written_by(stmts: &[Stmt], spots: &mut Spots) {
    struct Writes<'a>(&'a mut Spots);
    impl Visitor for Writes<'_> {
        fn stmt(&mut self, stmt: &Stmt) {
            if let StmtKind::Assign { target, .. } | StmtKind::Clear(target) = &stmt.kind {
                self.0.0.extend(spot(target));
            }
            walk_stmt(self, stmt);
        }
    }
    let mut writes = Writes(spots);
    stmts.iter().for_each(|stmt| writes.stmt(stmt));
}

impl Body<'_> {
    /// Continues a way that goes on exclusively, or with what nobody else notices, as far as it can be seen through from here.
    pub(super) fn extended(&mut self, who: Who, way: Way) -> Vec<Way> {
        let mut written = Spots::default();
        // Where the process stands, who moved last and how many there are differ in between.
        written.0.insert((self.processes(who.proc).global, Some(AT)));
        let counted = self.low.shapes.last.into_iter().chain(self.low.shapes.count);
        written.0.extend(counted.map(|(global, _)| (global, None)));
        let n_locals = self.locals.len();
        let asked = self.asked_timeout;
        let timeout = std::mem::replace(&mut self.timeout, false);
        let ways = self.chains(who, way.clone(), written, &mut Vec::new());
        self.timeout = timeout;
        match ways {
            Some(ways) if ways.len() <= MOST_WAYS => ways,
            _ => {
                self.locals.truncate(n_locals);
                self.asked_timeout = asked;
                vec![way]
            }
        }
    }

    fn chains(&mut self, who: Who, way: Way, mut written: Spots, path: &mut Vec<Location>) -> Option<Vec<Way>> {
        if !way.exclusive && !self.low.is_quiet(who.proc, way.to) {
            return Some(vec![way]);
        }
        let uses_more = self.low.program.uses_priority
            || self.low.program.procs[who.proc.index()].provided.is_some()
            // What is tried in the middle counts, too.
            || self.low.model.checks_promises();
        if path.contains(&way.to) || path.len() >= MOST_STEPS || uses_more {
            return Some(vec![way]);
        }
        written_by(&way.stmts, &mut written);
        let Some(nexts) = self.nexts(who, way.to, &written) else { return Some(vec![way]) };
        path.push(way.to);
        let span = way.guard.span;
        let mut found = Vec::new();
        let blocked = denied(any(nexts.iter().map(|next| next.guard.clone()).collect::<Vec<_>>(), span));
        if blocked.as_const() != Some(1) {
            for next in nexts {
                let joined = Way {
                    guard: all([way.guard.clone(), next.guard], span),
                    stmts: way.stmts.iter().cloned().chain(next.stmts).collect(),
                    spans: way.spans.iter().copied().chain(next.spans).collect(),
                    ..next
                };
                found.extend(self.chains(who, joined, written.clone(), path)?);
                if found.len() > MOST_WAYS {
                    return None;
                }
            }
        }
        if blocked.as_const() != Some(0) && !contradict(&way.guard, &blocked) {
            found.push(Way { guard: all([way.guard.clone(), blocked], span), exclusive: false, ..way });
        }
        path.pop();
        Some(found)
    }

    /// The steps from a place, if they can be told apart before the steps that lead there.
    fn nexts(&mut self, who: Who, at: Location, written: &Spots) -> Option<Vec<Way>> {
        let choice = self.choice(who, at);
        let mut found = Vec::new();
        for (index, step) in choice.moves.iter().enumerate() {
            let action = &choice.automaton.actions[step.action.index()];
            let span = action.span;
            let outer_else =
                matches!(&action.action, Action::DStep(d_step) if d_step.guards.contains(&Guard::OuterElse));
            if matches!(action.action, Action::Terminate) || outer_else {
                return None;
            }
            if !self.offers(who, &action.action).is_empty() {
                return None;
            }
            self.doing = Some((who.proc, step.action));
            let reached = self.reached(who, &choice, index);
            let cases = match &action.action {
                Action::Else => {
                    vec![super::channels::Case { guard: not(self.moved(who, &choice, index)), stmts: Vec::new() }]
                }
                other => self.cases(who, other, span),
            };
            for case in cases {
                let guard = all([reached.clone(), case.guard], span);
                if guard.as_const() == Some(0) {
                    continue;
                }
                let to = step.to?;
                found.push(Way { guard, stmts: case.stmts, to, exclusive: step.atomic, spans: vec![span] });
            }
            if self.asked_timeout || found.iter().any(|way| read_in(&way.guard).meets(written)) {
                return None;
            }
        }
        Some(found)
    }
}
