//! Receives from channels that keep messages.

use burnside_diag::Span;
use burnside_ir::{BinaryOp as Op, Expr, Place, Projection, Stmt, StmtKind, TypeId};

use super::build::{Val, all, assign, binary, copy, forget, int, part, stmt, when};
use super::channels::{Case, Named, counting, wrong_number};
use super::exprs::{Body, Who};
use super::observe::Seen;
use super::paths::walk;
use super::shapes::Store;
use crate::typed::{self, ExprKind as Typed, Pattern, Target};

/// Channels up to this capacity are shifted without a loop.
const MOST_UNROLLED: i64 = 8;

/// A receive's parts.
pub(super) struct Receive<'a> {
    pub(super) chan: &'a typed::Place,
    pub(super) pattern: &'a [Pattern],
    pub(super) random: bool,
    pub(super) keep: bool,
}

impl Body<'_> {
    /// The cases of a receive from channels that keep messages.
    pub(super) fn receive(&mut self, who: Who, receive: &Receive<'_>) -> Vec<Case> {
        let span = receive.chan.span;
        let mut cases = Vec::new();
        for named in self.named(Some(who), receive.chan) {
            let Some(store) = named.shape.store else {
                if receive.keep {
                    let error = StmtKind::Error("error to poll rendezvous channel".to_owned());
                    cases.push(Case { guard: named.is_it, stmts: vec![stmt(error, span)] });
                }
                continue;
            };
            let some = self.some_message(Some(who), store, &named, (receive.pattern, receive.random), span);
            let guard = all([named.is_it.clone(), some], span);
            let mut stmts = Vec::new();
            if receive.pattern.len() != named.shape.fields.len() {
                stmts.push(stmt(StmtKind::Error(wrong_number(named.shape, receive.pattern.len())), span));
            }
            let matches = receive.pattern.iter().any(|field| matches!(field, Pattern::Match(_)));
            let searched = receive.random && matches && named.shape.capacity > 1;
            let at = match searched {
                true => self.find(who, (store, &named), receive.pattern, span, &mut stmts),
                false => int(0, span),
            };
            if !receive.keep {
                let first = self.message(store, &named.number, int(0, span), span);
                let values: Vec<Val> = (0..named.shape.fields.len() as u32)
                    .map(|at| Val::read(self.types(), part(self.types(), first.clone(), Projection::Field(at))))
                    .collect();
                self.observe(&Seen { send: false, number: &named.number, values: &values }, span, &mut stmts);
            }
            self.take(who, (store, &named), receive, at, &mut stmts);
            cases.push(Case { guard, stmts });
        }
        self.nowhere(who, receive.chan, &mut cases);
        cases
    }

    /// The position of the oldest message that fits.
    fn find(
        &mut self,
        who: Who,
        (store, named): (Store, &Named<'_>),
        pattern: &[Pattern],
        span: Span,
        out: &mut Vec<Stmt>,
    ) -> Expr {
        let length = self.length(store, &named.number, span);
        let place = self.local("place", TypeId::INT, span);
        let found = Place::local(place, TypeId::INT, span);
        out.push(assign(found.clone(), int(0, span)));
        let (at, here) = self.position("at", span);
        let message = self.message(store, &named.number, here.clone(), span);
        let fits = self.fits(Some(who), &message, pattern, named.shape.fields.len());
        let body = vec![when(fits, vec![assign(found.clone(), here)], Vec::new())];
        let last = binary(Op::Sub, length.expr, int(1, span));
        out.push(counting(at, last, int(0, span), -1, body, span));
        Expr::read(found)
    }

    /// Stores the fields of a message, and takes it out unless it is to be kept.
    fn take(
        &mut self,
        who: Who,
        (store, named): (Store, &Named<'_>),
        receive: &Receive<'_>,
        at: Expr,
        out: &mut Vec<Stmt>,
    ) {
        let span = receive.chan.span;
        let mut message = self.message(store, &named.number, at.clone(), span);
        let targets = receive.pattern.iter().filter_map(|field| match field {
            Pattern::Store(Target::Place(place)) => Some(place),
            _ => None,
        });
        // What is stored must neither move the channel nor ask about it: then it is taken out first.
        let stays = named.number.as_const().is_some() || receive.chan.indices.is_empty();
        let own = walk(self.low.program, Some(who.proc), receive.chan).1;
        let moved = !stays
            || targets.clone().any(|place| {
                place.indices.iter().any(|index| asks_channels(&index.expr))
                    || walk(self.low.program, Some(who.proc), place).1 == own
            });
        if moved && !receive.keep {
            let local = self.local("message", store.message, span);
            let taken = Place::local(local, store.message, span);
            out.push(copy(taken.clone(), message));
            self.remove(store, named, at.clone(), span, out);
            message = taken;
        }
        for (number, field) in receive.pattern.iter().enumerate() {
            let Pattern::Store(target) = field else { continue };
            let value = match number < named.shape.fields.len() {
                true => Val::read(self.types(), part(self.types(), message.clone(), Projection::Field(number as u32))),
                false => Val::constant(0, span),
            };
            self.store(who, target, value, out);
        }
        if !moved && !receive.keep {
            self.remove(store, named, at, span, out);
        }
    }

    /// Moves up what stands behind a position.
    fn remove(&mut self, store: Store, named: &Named<'_>, at: Expr, span: Span, out: &mut Vec<Stmt>) {
        let capacity = named.shape.capacity;
        let length = self.length(store, &named.number, span);
        let unrolled = at.as_const() == Some(0) && capacity <= MOST_UNROLLED;
        if unrolled {
            for position in 0..capacity - 1 {
                let to = self.message(store, &named.number, int(position, span), span);
                let from = self.message(store, &named.number, int(position + 1, span), span);
                out.push(copy(to, from));
            }
        } else {
            let (local, here) = self.position("to", span);
            let to = self.message(store, &named.number, here.clone(), span);
            let from = self.message(store, &named.number, binary(Op::Add, here, int(1, span)), span);
            let last = binary(Op::Sub, length.expr.clone(), int(2, span));
            out.push(counting(local, at, last, 1, vec![copy(to, from)], span));
        }
        let shorter = binary(Op::Sub, length.expr, int(1, span));
        let last = if unrolled { int(capacity - 1, span) } else { shorter.clone() };
        out.push(forget(self.message(store, &named.number, last, span)));
        out.push(assign(self.length_place(store, &named.number, span), shorter));
    }
}

/// Whether the value of an expression depends on what channels hold.
pub(super) fn asks_channels(expr: &typed::Expr) -> bool {
    match &expr.kind {
        Typed::Const(_) | Typed::Builtin(_) => false,
        Typed::Read(place) => place.indices.iter().any(|index| asks_channels(&index.expr)),
        Typed::Unary(_, inner) => asks_channels(inner),
        Typed::Binary(_, left, right) => asks_channels(left) || asks_channels(right),
        Typed::Conditional(condition, yes, no) => [condition, yes, no].into_iter().any(|part| asks_channels(part)),
        _ => true,
    }
}
