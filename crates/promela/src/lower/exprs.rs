//! Expressions: integers as C computes them, and truth values.

use burnside_diag::Span;
use burnside_ir::{
    BinaryOp as Op, Domain, Expr, ExprKind, Local, LocalId, LocalMode, Place, Projection, Quantifier, Stmt, TypeId,
    UnaryOp as Unary,
};

use super::Lowering;
use super::build::{Val, all, any, assign, binary, convert, denied, element, equal, int, not, number, part};
use super::numbers::{arithmetic, choice, compare, is_predicate, nonzero};
use super::paths::{Cell, Step, walk};
use super::shapes::{AT, Home, Processes};
use crate::ast::{BinaryOp, UnaryOp};
use crate::typed::{self, Builtin, ProcId, Scope, Target};

/// A process that executes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Who {
    pub(super) proc: ProcId,
    pub(super) me: Me,
}

/// The number of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Me {
    /// Known.
    Fixed(i64),
    /// The value of a local.
    Local(LocalId, TypeId),
    /// The process that a `run` has just made.
    New(LocalId),
}

/// Where a value is.
pub(super) enum Loc {
    Stored(Place),
    Known(Val),
}

/// A rule, start state or function in the making.
pub(super) struct Body<'l> {
    pub(super) low: &'l Lowering<'l>,
    pub(super) locals: Vec<Local>,
    /// Whether nothing else can happen.
    pub(super) timeout: bool,
    /// Whether it matters that nothing else can happen.
    pub(super) asked_timeout: bool,
    /// The statement that is executed.
    pub(super) doing: Option<(ProcId, crate::flow::ActionId)>,
    /// The number of the process that was started in it, and its greatest value.
    pub(super) started: Option<(LocalId, i64)>,
    /// Whether it is about the last state of an execution.
    pub(super) ended: Ended,
}

/// Whether a state is the last one of an execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    No,
    Yes,
}

impl<'l> Body<'l> {
    pub(super) fn new(low: &'l Lowering<'l>, timeout: bool) -> Self {
        Self { low, locals: Vec::new(), timeout, asked_timeout: false, doing: None, started: None, ended: Ended::No }
    }

    pub(super) fn local(&mut self, name: &str, ty: TypeId, span: Span) -> LocalId {
        self.locals.push(Local { name: name.to_owned(), ty, mode: LocalMode::Owned, span });
        LocalId(self.locals.len() as u32 - 1)
    }

    /// The processes that somebody is one of.
    pub(super) fn processes(&self, proc: ProcId) -> &'l Processes {
        self.low.shapes.procs[proc.index()].as_ref().expect("only process types that are started execute")
    }

    /// The number of a process.
    pub(super) fn pid(&self, me: Me, span: Span) -> Val {
        match me {
            Me::Fixed(pid) => Val::constant(pid, span),
            Me::Local(local, ty) => Val::read(self.types(), Place::local(local, ty, span)),
            Me::New(local) => {
                let hi = self.low.most_processes();
                Val { expr: Expr::read(Place::local(local, TypeId::INT, span)), lo: 0, hi }
            }
        }
    }

    pub(super) fn types(&self) -> &'l burnside_ir::Types {
        &self.low.shapes.types
    }

    /// The record of a process.
    pub(super) fn record(&self, who: Who, span: Span) -> Place {
        let processes = self.processes(who.proc);
        let ty = self.low.shapes.globals[processes.global.index()].ty;
        let whole = Place::global(processes.global, ty, span);
        match processes.index {
            Some(_) => element(self.types(), whole, self.pid(who.me, span).expr),
            None => whole,
        }
    }

    pub(super) fn field(&self, who: Who, field: u32, span: Span) -> Place {
        part(self.types(), self.record(who, span), Projection::Field(field))
    }

    /// Whether a process stands at a place of its type; 0 means that it is not there.
    pub(super) fn stands(&self, who: Who, place: i64, span: Span) -> Expr {
        let at = self.field(who, AT, span);
        let ty = at.ty;
        binary(Op::Eq, Expr::read(at), Expr::constant(ty, place, span))
    }

    /// Where a place of the model is.
    pub(super) fn place(&mut self, who: Option<Who>, place: &typed::Place) -> Loc {
        let proc = who.map(|who| who.proc);
        let (steps, _) = walk(self.low.program, proc, place);
        self.reach(who, (place.scope, place.var), &steps, place.span)
    }

    /// The part of a variable that some steps lead to.
    pub(super) fn reach(
        &mut self,
        who: Option<Who>,
        (scope, var): (Scope, typed::VarId),
        steps: &[Step<'_>],
        span: Span,
    ) -> Loc {
        let home = match (scope, who) {
            (Scope::Local, Some(who)) => &self.processes(who.proc).vars[var.index()],
            _ => &self.low.shapes.vars[var.index()],
        };
        let mut reached = match home {
            Home::Constant(values, index) => return Loc::Known(self.constant(who, values, *index, steps, span)),
            Home::Global(global, ty) => Place::global(*global, *ty, span),
            Home::Field(field) => {
                let who = who.expect("only processes have variables of their own");
                self.field(who, *field, span)
            }
        };
        for step in steps {
            reached = match step {
                Step::Field(field) => part(self.types(), reached, Projection::Field(*field as u32)),
                Step::Element(number) => element(self.types(), reached, int(i64::from(*number), span)),
                Step::Index(index) => {
                    let value = self.value(who, &index.expr);
                    element(self.types(), reached, value.expr)
                }
            };
        }
        Loc::Stored(reached)
    }

    /// The value of an element of an array that never changes.
    fn constant(&mut self, who: Option<Who>, values: &[i64], index: TypeId, steps: &[Step<'_>], span: Span) -> Val {
        let at = match steps.first() {
            Some(Step::Index(index)) => self.value(who, &index.expr),
            Some(Step::Element(number)) => Val::constant(i64::from(*number), span),
            _ => Val::constant(0, span),
        };
        if let Some(value) = at.as_const().and_then(|at| values.get(usize::try_from(at).ok()?)) {
            return Val::constant(*value, span);
        }
        let at = number(self.types(), at.expr);
        let at = Expr { kind: ExprKind::Convert(Box::new(at)), ty: index, span };
        let (lo, hi) = (*values.iter().min().unwrap_or(&0), *values.iter().max().unwrap_or(&0));
        let step = values.get(1).map_or(0, |second| second - values[0]);
        let steady = values.iter().enumerate().all(|(at, value)| *value == values[0] + at as i64 * step);
        if steady && step == 1 {
            return Val { expr: binary(Op::Add, at, int(values[0], span)), lo, hi };
        }
        let mut expr = int(*values.last().unwrap_or(&0), span);
        for (number, &value) in values.iter().enumerate().rev().skip(1) {
            let here = binary(Op::Eq, at.clone(), Expr::constant(index, number as i64, span));
            let kind = ExprKind::Conditional(Box::new(here), Box::new(int(value, span)), Box::new(expr));
            expr = Expr { kind, ty: TypeId::INT, span };
        }
        Val { expr, lo, hi }
    }

    /// What is stored at a place.
    pub(super) fn read(&mut self, who: Option<Who>, place: &typed::Place) -> Val {
        match self.place(who, place) {
            Loc::Stored(place) => Val::read(self.types(), place),
            Loc::Known(value) => value,
        }
    }

    /// The value of an expression.
    pub(super) fn value(&mut self, who: Option<Who>, expr: &typed::Expr) -> Val {
        use typed::ExprKind as Kind;
        let span = expr.span;
        let types = self.types();
        match &expr.kind {
            Kind::Const(value) => Val::constant(i64::from(*value), span),
            Kind::Read(place) => self.read(who, place),
            Kind::Builtin(builtin) => self.builtin(who, *builtin, span),
            Kind::Unary(UnaryOp::Minus, inner) => {
                let inner = self.value(who, inner).number(types);
                let (lo, hi) = (-inner.hi, -inner.lo);
                let kind = ExprKind::Unary(Unary::Neg, Box::new(inner.expr));
                Val { expr: Expr { kind, ty: TypeId::INT, span }, lo, hi }.folded().wrapped()
            }
            Kind::Unary(UnaryOp::Complement, inner) => {
                let inner = self.value(who, inner).number(types);
                let (lo, hi) = (!inner.hi, !inner.lo);
                let kind = ExprKind::Unary(Unary::BitNot, Box::new(inner.expr));
                Val { expr: Expr { kind, ty: TypeId::INT, span }, lo, hi }.folded()
            }
            Kind::Binary(op, left, right) if !is_predicate(*op) => {
                let (left, right) = (self.value(who, left).number(types), self.value(who, right).number(types));
                arithmetic(*op, left, right)
            }
            Kind::Conditional(condition, yes, no) => {
                let condition = self.cond(who, condition);
                let (yes, no) = (self.value(who, yes), self.value(who, no));
                choice(types, condition, yes, no)
            }
            Kind::Run(_) => self.next_pid(span),
            Kind::Chan(op, place) => self.channel_question(who, *op, place),
            Kind::PcValue(pid) => {
                let pid = self.value(who, pid).number(types);
                self.of_process(&pid, span, |body, who| body.spin_state(who, span))
            }
            Kind::GetPriority(pid) => {
                let pid = self.value(who, pid).number(types);
                self.of_process(&pid, span, |body, who| body.priority_of(who, span))
            }
            Kind::RemoteVar { proc, pid, place } => {
                let (proc, place) = (*proc, place.as_ref());
                self.remote(who, proc, pid.as_deref(), span, |body, there| body.read(Some(there), place))
            }
            Kind::Unary(UnaryOp::Not, _)
            | Kind::Binary(..)
            | Kind::Poll { .. }
            | Kind::Timeout
            | Kind::NonProgress
            | Kind::Enabled(_)
            | Kind::RemoteLabel { .. } => Val::truth(self.cond(who, expr)),
        }
    }

    /// Whether an expression is not zero.
    pub(super) fn cond(&mut self, who: Option<Who>, expr: &typed::Expr) -> Expr {
        use typed::ExprKind as Kind;
        let span = expr.span;
        let types = self.types();
        match &expr.kind {
            Kind::Const(value) => Expr::boolean(*value != 0, span),
            Kind::Unary(UnaryOp::Not, inner) => not(self.cond(who, inner)),
            Kind::Binary(BinaryOp::And, left, right) => all([self.cond(who, left), self.cond(who, right)], span),
            Kind::Binary(BinaryOp::Or, left, right) => any([self.cond(who, left), self.cond(who, right)], span),
            Kind::Binary(op @ (BinaryOp::Equal | BinaryOp::NotEqual), left, right) => {
                let (left, right) = (self.value(who, left), self.value(who, right));
                let same = equal(types, &left, &right);
                if *op == BinaryOp::Equal { same } else { denied(same) }
            }
            Kind::Binary(op, left, right) if is_predicate(*op) => {
                let (left, right) = (self.value(who, left).number(types), self.value(who, right).number(types));
                compare(*op, left, right)
            }
            Kind::Conditional(condition, yes, no) => {
                let (condition, yes, no) = (self.cond(who, condition), self.cond(who, yes), self.cond(who, no));
                let kind = ExprKind::Conditional(Box::new(condition), Box::new(yes), Box::new(no));
                Expr { kind, ty: TypeId::BOOL, span }
            }
            // A new process never has the number 0: who starts it is older.
            Kind::Run(_) => Expr::boolean(true, span),
            Kind::Poll { chan, pattern, random } => self.poll(who, chan, pattern, *random),
            Kind::Timeout => {
                self.asked_timeout = true;
                Expr::boolean(self.timeout, span)
            }
            // Only claims may ask.
            Kind::NonProgress => self.non_progress(span),
            Kind::Enabled(pid) => {
                let pid = self.value(who, pid).number(types);
                let found = self.of_process(&pid, span, |body, who| Val::truth(body.can_move(who, span)));
                nonzero(types, found)
            }
            Kind::RemoteLabel { proc, pid, label } => {
                let location = self.low.flow.procs[proc.index()].label(*label);
                let Some(processes) = &self.low.shapes.procs[proc.index()] else { return Expr::boolean(false, span) };
                let Some(&place) = processes.places.get(&location) else { return Expr::boolean(false, span) };
                let proc = *proc;
                let found = self
                    .remote(who, proc, pid.as_deref(), span, |body, there| Val::truth(body.stands(there, place, span)));
                nonzero(types, found)
            }
            _ => {
                let value = self.value(who, expr);
                nonzero(types, value)
            }
        }
    }

    fn builtin(&mut self, who: Option<Who>, builtin: Builtin, span: Span) -> Val {
        let global = |found: Option<(burnside_ir::GlobalId, TypeId)>| match found {
            Some((global, ty)) => Val::read(self.types(), Place::global(global, ty, span)),
            None => Val::constant(0, span),
        };
        match builtin {
            Builtin::Pid => match who {
                Some(who) => match self.processes(who.proc).own_pid {
                    Some((field, _)) => Val::read(self.types(), self.field(who, field, span)),
                    None => self.pid(who.me, span),
                },
                None => Val::constant(0, span),
            },
            Builtin::NrPr => global(self.low.shapes.count),
            Builtin::Last => global(self.low.shapes.last),
            Builtin::Priority => match who {
                Some(who) => self.priority_of(who, span),
                None => Val::constant(0, span),
            },
        }
    }

    /// Gives a value to a target.
    pub(super) fn store(&mut self, who: Who, target: &Target, value: Val, out: &mut Vec<Stmt>) {
        match target {
            Target::Place(place) => {
                let (_, cell) = walk(self.low.program, Some(who.proc), place);
                if let Loc::Stored(target) = self.place(Some(who), place) {
                    let value = self.fit(value, cell, place.scalar);
                    out.push(assign(target, value));
                }
            }
            Target::Discard => {}
            Target::Pid => {
                if let Some((field, _)) = self.processes(who.proc).own_pid {
                    let value = value.number(self.types()).cut(typed::Scalar::Byte);
                    let span = value.expr.span;
                    out.push(assign(self.field(who, field, span), value.expr));
                }
            }
            Target::Priority => {
                if let Some((field, ty)) = self.processes(who.proc).priority {
                    let value = value.number(self.types()).cut(typed::Scalar::Byte);
                    let span = value.expr.span;
                    out.push(assign(self.field(who, field, span), convert(self.types(), value.expr, ty)));
                }
            }
        }
    }

    /// What a cell keeps of a value.
    pub(super) fn fit(&self, value: Val, cell: Cell, scalar: typed::Scalar) -> Expr {
        self.fit_type(value, self.low.shapes.cells[&cell], scalar)
    }

    pub(super) fn fit_type(&self, value: Val, ty: TypeId, scalar: typed::Scalar) -> Expr {
        let (lo, hi) = super::shapes::bounds(scalar);
        if value.expr.ty == ty && value.lo >= lo && value.hi <= hi {
            return value.expr;
        }
        let value = value.number(self.types()).cut(scalar);
        let shape = self.types().shape(ty);
        let is_enum = matches!(self.types().get(ty), burnside_ir::Type::Enum { .. });
        match value.as_const() {
            Some(number) if shape.admits(number) => Expr::constant(ty, number, value.expr.span),
            // Between two types of few values the conversion is written down, so that it is seen what flows where.
            _ if is_enum || value.expr.ty != TypeId::INT => convert(self.types(), value.expr, ty),
            _ => value.expr,
        }
    }

    /// Whether a condition holds for some process of a type, or for the only one there is.
    pub(super) fn some_process(
        &mut self,
        proc: ProcId,
        span: Span,
        quantifier: Quantifier,
        ask: impl FnOnce(&mut Self, Who) -> Expr,
    ) -> Expr {
        let processes = self.processes(proc);
        match processes.index {
            None => {
                let pid = *processes.pids.first().expect("a process type that is started has a number");
                ask(self, Who { proc, me: Me::Fixed(pid) })
            }
            Some(ty) => {
                let local = self.local("pid", ty, span);
                let body = ask(self, Who { proc, me: Me::Local(local, ty) });
                if body.as_const().is_some() {
                    return body;
                }
                let kind = ExprKind::Quantified(quantifier, local, Box::new(Domain::Type(ty)), Box::new(body));
                Expr { kind, ty: TypeId::BOOL, span }
            }
        }
    }
}
