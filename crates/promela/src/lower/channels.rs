//! Channels: questions about them, sends and receives.
//!
//! A channel keeps its messages in order from position 0 on; positions behind the last message hold nothing, so that equal
//! contents are equal states. A rendezvous keeps nothing: its two halves are one rule (`handshake`).

use burnside_diag::Span;
use burnside_ir::{
    BinaryOp as Op, Call, Domain, Expr, ExprKind, LocalId, Place, Projection, Quantifier, Stmt, StmtKind, TypeId,
};

use super::PEEPED;
use super::build::{Val, all, any, assign, binary, copy, denied, element, equal, forget, int, not, part, stmt, when};
use super::exprs::{Body, Me, Who};
use super::numbers::choice;
use super::observe::Seen;
use super::paths::walk;
use super::receives::asks_channels;
use super::shapes::{Family, LENGTH, MESSAGES, Store};
use crate::ast::ChanOp;
use crate::typed::{self, Pattern};

/// What a statement can do in one case.
#[derive(Debug, Clone)]
pub(super) struct Case {
    pub(super) guard: Expr,
    pub(super) stmts: Vec<Stmt>,
}

/// A channel that a statement is about.
#[derive(Clone)]
pub(super) struct Named<'l> {
    pub(super) family: usize,
    pub(super) shape: &'l Family,
    /// Its number.
    pub(super) number: Val,
    /// Whether the number is one of this family.
    pub(super) is_it: Expr,
}

impl Named<'_> {
    pub(super) fn is_handshake(&self) -> bool {
        self.shape.store.is_none()
    }
}

impl<'l> Body<'l> {
    /// The families that a channel may be of.
    pub(super) fn named(&mut self, who: Option<Who>, chan: &typed::Place) -> Vec<Named<'l>> {
        let number = self.read(who, chan);
        let low = self.low;
        let cell = walk(low.program, who.map(|who| who.proc), chan).1;
        let mut families: Vec<usize> =
            low.cells.chans(cell).filter_map(|kind| low.shapes.family_of[kind.index()]).collect();
        families.sort_unstable();
        families.dedup();
        if let Some(number) = number.as_const() {
            families.retain(|&family| low.shapes.families[family].numbers.contains(&number));
        }
        // A variable that holds nothing but channels of one family needs no question.
        let values = low.cells.values(cell);
        let only = |shape: &Family| {
            values.as_ref().is_some_and(|values| values.iter().all(|&it| shape.numbers.contains(&i64::from(it))))
        };
        let named = |family: usize| {
            let shape = &low.shapes.families[family];
            let is_it = match number.as_const().is_some() || only(shape) {
                true => Expr::boolean(true, chan.span),
                false => self.is_of(shape, &number, chan.span),
            };
            Named { family, shape, number: number.clone(), is_it: self.exists(shape, &number, is_it, chan.span) }
        };
        families.into_iter().map(named).collect()
    }

    fn is_of(&self, shape: &Family, number: &Val, span: Span) -> Expr {
        let (Some(&lo), Some(&hi)) = (shape.numbers.first(), shape.numbers.last()) else {
            return Expr::boolean(false, span);
        };
        let plain = number.clone().number(self.types());
        if lo < hi && hi - lo + 1 == shape.numbers.len() as i64 {
            let above = binary(Op::Ge, plain.expr.clone(), int(lo, span));
            return all([above, binary(Op::Le, plain.expr, int(hi, span))], span);
        }
        any(shape.numbers.iter().map(|&it| equal(self.types(), number, &Val::constant(it, span))), span)
    }

    /// Where numbers are used again, a channel is there if it has a length.
    fn exists(&self, shape: &Family, number: &Val, is_it: Expr, span: Span) -> Expr {
        match shape.store.filter(|_| shape.is_shared) {
            Some(store) => {
                let length = self.length_place(store, number, span);
                let gone = ExprKind::IsUndefined(Box::new(length));
                all([is_it, not(Expr { kind: gone, ty: TypeId::BOOL, span })], span)
            }
            None => is_it,
        }
    }

    /// The record of a channel.
    pub(super) fn channel(&self, store: Store, number: &Val, span: Span) -> Place {
        let whole = Place::global(store.global, self.low.shapes.globals[store.global.index()].ty, span);
        match store.index {
            Some(_) => element(self.types(), whole, number.expr.clone()),
            None => whole,
        }
    }

    pub(super) fn length_place(&self, store: Store, number: &Val, span: Span) -> Place {
        part(self.types(), self.channel(store, number, span), Projection::Field(LENGTH))
    }

    pub(super) fn length(&self, store: Store, number: &Val, span: Span) -> Val {
        Val::read(self.types(), self.length_place(store, number, span))
    }

    pub(super) fn message(&self, store: Store, number: &Val, at: Expr, span: Span) -> Place {
        let messages = part(self.types(), self.channel(store, number, span), Projection::Field(MESSAGES));
        element(self.types(), messages, at)
    }

    pub(super) fn channel_question(&mut self, who: Option<Who>, op: ChanOp, chan: &typed::Place) -> Val {
        let span = chan.span;
        let mut answer: Option<Val> = None;
        for named in self.named(who, chan).into_iter().rev() {
            let value = match named.shape.store {
                // Nobody sees a rendezvous between its two halves.
                None => Val::constant(i64::from(matches!(op, ChanOp::NotFull | ChanOp::Empty)), span),
                Some(store) => self.answer(op, store, &named, span),
            };
            answer = Some(match answer {
                Some(other) => choice(self.types(), named.is_it, value, other),
                None => value,
            });
        }
        answer.unwrap_or_else(|| Val::constant(0, span))
    }

    fn answer(&mut self, op: ChanOp, store: Store, named: &Named<'_>, span: Span) -> Val {
        let length = self.length(store, &named.number, span);
        let is = |value: i64| equal(self.types(), &length, &Val::constant(value, span));
        match op {
            ChanOp::Len => length,
            ChanOp::Full => Val::truth(is(named.shape.capacity)),
            ChanOp::NotFull => Val::truth(denied(is(named.shape.capacity))),
            ChanOp::Empty => Val::truth(is(0)),
            ChanOp::NotEmpty => Val::truth(denied(is(0))),
        }
    }

    /// Whether a message fits a pattern.
    pub(super) fn fits(&mut self, who: Option<Who>, message: &Place, pattern: &[Pattern], n_fields: usize) -> Expr {
        let span = message.span;
        let mut parts = Vec::new();
        for (at, field) in pattern.iter().enumerate() {
            let Pattern::Match(expr) = field else { continue };
            let wanted = self.value(who, expr);
            let found = match at < n_fields {
                true => Val::read(self.types(), part(self.types(), message.clone(), Projection::Field(at as u32))),
                false => Val::constant(0, span),
            };
            parts.push(equal(self.types(), &found, &wanted));
        }
        all(parts, span)
    }

    /// `q?[…]`.
    pub(super) fn poll(&mut self, who: Option<Who>, chan: &typed::Place, pattern: &[Pattern], random: bool) -> Expr {
        let span = chan.span;
        let mut found = Vec::new();
        for named in self.named(who, chan) {
            let some = match named.shape.store {
                Some(store) => self.some_message(who, store, &named, (pattern, random), span),
                None => {
                    let call = Call { function: PEEPED, args: Vec::new(), span };
                    Expr { kind: ExprKind::Call(Box::new(call)), ty: TypeId::BOOL, span }
                }
            };
            found.push(all([named.is_it, some], span));
        }
        any(found, span)
    }

    /// Whether there is a message that a pattern takes.
    pub(super) fn some_message(
        &mut self,
        who: Option<Who>,
        store: Store,
        named: &Named<'_>,
        (pattern, random): (&[Pattern], bool),
        span: Span,
    ) -> Expr {
        let length = self.length(store, &named.number, span);
        let n_fields = named.shape.fields.len();
        let matches = pattern.iter().any(|field| matches!(field, Pattern::Match(_)));
        if !random || !matches || named.shape.capacity == 1 {
            let first = self.message(store, &named.number, int(0, span), span);
            let some = denied(equal(self.types(), &length, &Val::constant(0, span)));
            return all([some, self.fits(who, &first, pattern, n_fields)], span);
        }
        let at = self.local("at", store.position, span);
        let position = Expr::read(Place::local(at, store.position, span));
        let here = self.message(store, &named.number, position.clone(), span);
        let fits = self.fits(who, &here, pattern, n_fields);
        let body = all([binary(Op::Lt, position, length.expr), fits], span);
        let kind = ExprKind::Quantified(Quantifier::Exists, at, Box::new(Domain::Type(store.position)), Box::new(body));
        Expr { kind, ty: TypeId::BOOL, span }
    }

    /// The cases of a send to channels that keep messages.
    pub(super) fn send(&mut self, who: Who, chan: &typed::Place, args: &[typed::Expr], sorted: bool) -> Vec<Case> {
        let span = chan.span;
        let mut cases = Vec::new();
        for named in self.named(Some(who), chan) {
            let Some(store) = named.shape.store else { continue };
            let length = self.length(store, &named.number, span);
            let room = denied(equal(self.types(), &length, &Val::constant(named.shape.capacity, span)));
            let mut stmts = Vec::new();
            let values: Vec<Val> = args.iter().map(|arg| self.argument(who, arg, sorted, &mut stmts)).collect();
            if args.len() != named.shape.fields.len() {
                stmts.push(stmt(StmtKind::Error(wrong_number(named.shape, args.len())), span));
            }
            let at = match sorted {
                false => length.expr.clone(),
                true => self.make_room(store, &named, &values, span, &mut stmts),
            };
            for (number, (&ty, &scalar)) in named.shape.fields.iter().zip(&named.shape.scalars).enumerate() {
                let value = values.get(number).cloned().unwrap_or_else(|| Val::constant(0, span));
                let message = self.message(store, &named.number, at.clone(), span);
                let field = part(self.types(), message, Projection::Field(number as u32));
                stmts.push(assign(field, self.fit_type(value, ty, scalar)));
            }
            let seen = Seen { send: true, number: &named.number, values: &self.kept(named.shape, &values, span) };
            self.observe(&seen, span, &mut stmts);
            let longer = binary(Op::Add, length.expr, int(1, span));
            stmts.push(assign(self.length_place(store, &named.number, span), longer));
            let guard = all([named.is_it, room], span);
            cases.push(Case { guard, stmts });
        }
        self.nowhere(who, chan, &mut cases);
        cases
    }

    /// What is sent. Where messages are moved first, what is asked about them is asked before.
    fn argument(&mut self, who: Who, arg: &typed::Expr, sorted: bool, out: &mut Vec<Stmt>) -> Val {
        let value = self.value(Some(who), arg);
        if !sorted || !asks_channels(arg) {
            return value;
        }
        let value = value.number(self.types());
        let local = self.local("given", TypeId::INT, arg.span);
        let place = Place::local(local, TypeId::INT, arg.span);
        out.push(assign(place.clone(), value.expr));
        Val::within(Expr::read(place), value.lo, value.hi)
    }

    /// A message as a channel keeps it.
    fn kept(&self, shape: &Family, values: &[Val], span: Span) -> Vec<Val> {
        let kept = |(at, (&ty, &scalar)): (usize, (&TypeId, &typed::Scalar))| {
            let value = values.get(at).cloned().unwrap_or_else(|| Val::constant(0, span));
            let cut = value.clone().number(self.types()).cut(scalar);
            Val::within(self.fit_type(value, ty, scalar), cut.lo, cut.hi)
        };
        shape.fields.iter().zip(&shape.scalars).enumerate().map(kept).collect()
    }

    /// The case of a variable that names no channel.
    pub(super) fn nowhere(&mut self, who: Who, chan: &typed::Place, cases: &mut Vec<Case>) {
        let span = chan.span;
        let cell = walk(self.low.program, Some(who.proc), chan).1;
        let families = &self.low.shapes.families;
        let is_channel = |number: &i32| families.iter().any(|family| family.numbers.contains(&i64::from(*number)));
        let named = self.named(Some(who), chan);
        if self.low.cells.values(cell).is_some_and(|values| values.iter().all(is_channel)) && !named.is_empty() {
            return;
        }
        let guard = not(any(named.into_iter().map(|named| named.is_it).collect::<Vec<_>>(), span));
        if guard.as_const() != Some(0) {
            let error = StmtKind::Error("no channel: it was never made, or is gone".to_owned());
            cases.push(Case { guard, stmts: vec![stmt(error, span)] });
        }
    }

    /// Moves the messages that a sorted send stands before; the position it takes.
    fn make_room(&mut self, store: Store, named: &Named<'_>, values: &[Val], span: Span, out: &mut Vec<Stmt>) -> Expr {
        let length = self.length(store, &named.number, span);
        let place = self.local("place", TypeId::INT, span);
        let found = Place::local(place, TypeId::INT, span);
        out.push(assign(found.clone(), length.expr.clone()));
        let (at, here) = self.position("at", span);
        let before = self.comes_before(store, named, values, here.clone(), span);
        let body = vec![when(before, vec![assign(found.clone(), here)], Vec::new())];
        let last = binary(Op::Sub, length.expr.clone(), int(1, span));
        out.push(counting(at, last, int(0, span), -1, body, span));
        let (at, here) = self.position("to", span);
        let to = self.message(store, &named.number, here.clone(), span);
        let from = self.message(store, &named.number, binary(Op::Sub, here, int(1, span)), span);
        let first = binary(Op::Add, Expr::read(found.clone()), int(1, span));
        out.push(counting(at, length.expr, first, -1, vec![copy(to, from)], span));
        Expr::read(found)
    }

    pub(super) fn position(&mut self, name: &str, span: Span) -> (LocalId, Expr) {
        let local = self.local(name, TypeId::INT, span);
        (local, Expr::read(Place::local(local, TypeId::INT, span)))
    }

    /// Whether a message comes before the one at a position, field by field.
    fn comes_before(&mut self, store: Store, named: &Named<'_>, values: &[Val], at: Expr, span: Span) -> Expr {
        let mut less = Expr::boolean(false, span);
        for (number, value) in values.iter().enumerate().take(named.shape.fields.len()).rev() {
            let message = self.message(store, &named.number, at.clone(), span);
            let field = part(self.types(), message, Projection::Field(number as u32));
            let other = Val::read(self.types(), field);
            let same = equal(self.types(), value, &other);
            let (one, other) = (value.clone().number(self.types()), other.number(self.types()));
            let smaller = binary(Op::Lt, one.expr, other.expr);
            less = any([smaller, all([same, less], span)], span);
        }
        less
    }

    /// Makes an empty channel; with `gone`, none.
    pub(super) fn reset_channel(&mut self, shape: &Family, number: &Val, gone: bool, span: Span, out: &mut Vec<Stmt>) {
        let Some(store) = shape.store else { return };
        let messages = part(self.types(), self.channel(store, number, span), Projection::Field(MESSAGES));
        out.push(forget(messages));
        let length = self.length_place(store, number, span);
        out.push(match gone {
            true => forget(length),
            false => {
                let ty = length.ty;
                assign(length, Expr::constant(ty, 0, span))
            }
        });
    }

    /// Whether two processes are different.
    pub(super) fn differ(&self, one: Me, other: Me, span: Span) -> Expr {
        not(equal(self.types(), &self.pid(one, span), &self.pid(other, span)))
    }
}

pub(super) fn wrong_number(shape: &Family, given: usize) -> String {
    format!("a message of {given} fields for a channel of {}", shape.fields.len())
}

pub(super) fn counting(local: LocalId, from: Expr, to: Expr, step: i64, body: Vec<Stmt>, span: Span) -> Stmt {
    stmt(StmtKind::For { local, domain: Domain::Range { from, to, step }, body }, span)
}
