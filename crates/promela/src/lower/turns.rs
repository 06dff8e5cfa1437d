//! Whose turn it is, and what every step does besides its statement.

use burnside_diag::Span;
use burnside_ir::{BinaryOp as Op, Expr, ExprKind, Place, Quantifier, Stmt, TypeId};

use super::actions::Choice;
use super::build::{Val, all, any, assign, binary, convert, equal, forget, not};
use super::exprs::{Body, Who};
use super::handshake::Site;
use super::shapes::AT;
use crate::flow::Location;
use crate::typed::ProcId;

impl Body<'_> {
    /// What must hold for a process to try a move at a place, the move itself aside.
    pub(super) fn before(&mut self, who: Who, site: Site, choice: &Choice<'_>, span: Span) -> Expr {
        let place = self.processes(who.proc).places[&site.at];
        let stands = self.stands(who, place, span);
        let turn = self.has_turn(who, site.at, span);
        let free = self.may_move(who, span);
        let reached = self.reached(who, choice, site.step);
        all([stands, turn, free, reached], span)
    }

    /// Whether nobody else has the exclusive right to move.
    fn has_turn(&mut self, who: Who, at: Location, span: Span) -> Expr {
        let Some((exclusive, ty)) = self.low.shapes.exclusive else { return Expr::boolean(true, span) };
        let place = Place::global(exclusive, ty, span);
        let nobody = Expr { kind: ExprKind::IsUndefined(Box::new(place.clone())), ty: TypeId::BOOL, span };
        if !self.low.exclusive_places.contains(&(who.proc, at)) {
            return nobody;
        }
        let mine = equal(self.types(), &Val::read(self.types(), place), &self.pid(who.me, span));
        any([nobody, mine], span)
    }

    /// Whether a process may move at all: what `provided` says, and priorities.
    pub(super) fn may_move(&mut self, who: Who, span: Span) -> Expr {
        let provided = self.provided(who, span);
        let low = self.low;
        if !low.program.uses_priority {
            return provided;
        }
        let own = self.priority_of(who, span);
        let mut parts = vec![provided];
        for index in 0..low.shapes.procs.len() {
            if low.shapes.procs[index].is_none() {
                continue;
            }
            let own = own.clone();
            parts.push(self.some_process(ProcId(index as u32), span, Quantifier::Forall, |body, other| {
                let alive = not(body.stands(other, 0, span));
                let differ = body.differ(who.me, other.me, span);
                let theirs = body.priority_of(other, span);
                let higher = all([alive, differ, binary(Op::Gt, theirs.expr, own.expr)], span);
                let provided = body.provided(other, span);
                let able = body.can_move(other, span);
                not(all([higher, provided, able], span))
            }));
        }
        all(parts, span)
    }

    fn provided(&mut self, who: Who, span: Span) -> Expr {
        match &self.low.program.procs[who.proc.index()].provided {
            Some(condition) => self.cond(Some(who), condition),
            None => Expr::boolean(true, span),
        }
    }

    /// Moves a process along a move.
    pub(super) fn go_along(&mut self, who: Who, site: Site, out: &mut Vec<Stmt>, span: Span) {
        if let Some(to) = self.low.flow.procs[site.proc.index()].moves(site.at)[site.step].to {
            self.go(who, site.at, to, out, span);
        }
    }

    /// Moves a process on.
    pub(super) fn go(&mut self, who: Who, from: Location, to: Location, out: &mut Vec<Stmt>, span: Span) {
        if to != from {
            let processes = self.processes(who.proc);
            out.push(assign(self.field(who, AT, span), Expr::constant(processes.at, processes.places[&to], span)));
        }
    }

    /// What every step does: it says who has the exclusive right now, and who moved last.
    pub(super) fn after(
        &mut self,
        mover: Who,
        from: (ProcId, Location),
        exclusive: Option<Who>,
        out: &mut Vec<Stmt>,
        span: Span,
    ) {
        if let Some((global, ty)) = self.low.shapes.exclusive {
            let place = Place::global(global, ty, span);
            match exclusive {
                Some(who) => {
                    let pid = self.pid(who.me, span);
                    let pid = convert(self.types(), pid.expr, ty);
                    out.push(assign(place, pid));
                }
                None if self.low.exclusive_places.contains(&from) => out.push(forget(place)),
                None => {}
            }
        }
        if let Some((global, ty)) = self.low.shapes.last {
            let pid = convert(self.types(), self.pid(mover.me, span).expr, ty);
            out.push(assign(Place::global(global, ty, span), pid));
        }
        if exclusive.is_none() {
            self.reset_hidden(out, span);
        }
    }

    /// Hidden variables are no part of a state that is kept: what they hold is gone after the step.
    pub(super) fn reset_hidden(&mut self, out: &mut Vec<Stmt>, span: Span) {
        for &(global, ty) in &self.low.hidden {
            self.zero(Place::global(global, ty, span), out);
        }
    }
}
