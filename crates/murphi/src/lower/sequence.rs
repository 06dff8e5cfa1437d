//! Calls with effects as statements, in the order in which the text has them.
//!
//! Murphi leaves the order of evaluation within an expression to the C compiler behind it; here it is from left to right.
//! What stands to the left of a call with effects is evaluated before it and kept in a temporary variable.

use burnside_ir::{
    Arg, BinaryOp, Block, Expr, ExprKind, LocalId, LocalMode, Operand, Place, PlaceBase, Projection, Stmt, StmtKind,
    TypeId, UnaryOp,
};

use super::frame::Frame;
use crate::typed::{self, Argument, Source};

impl Frame<'_> {
    pub(super) fn has_effects(&self, expr: &typed::Expr) -> bool {
        self.lowering.effects.in_expr(expr).is_some()
    }

    fn arg_has_effects(&self, arg: &Argument) -> bool {
        match arg {
            Argument::Value(Source::Value(value)) => self.has_effects(value),
            Argument::Value(Source::Undefined) => false,
            Argument::Reference(place) => self.place_has_effects(place),
        }
    }

    pub(super) fn place_has_effects(&self, place: &typed::Place) -> bool {
        self.lowering.effects.in_place(place).is_some()
    }

    /// Lowers something with a prelude of its own, which is returned with it.
    pub(super) fn with_prelude<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> (Block, T) {
        let outer = std::mem::take(&mut self.prelude);
        let lowered = lower(self);
        (std::mem::replace(&mut self.prelude, outer), lowered)
    }

    /// The value of an expression, evaluated now and kept.
    pub(super) fn kept(&mut self, expr: Expr) -> Expr {
        if expr.as_const().is_some() {
            return expr;
        }
        let (ty, span) = (expr.ty, expr.span);
        let local = self.temporary("value", ty, LocalMode::Owned, span);
        self.set(local, expr);
        Expr::read(Place::local(local, ty, span))
    }

    fn set(&mut self, local: LocalId, value: Expr) {
        let ty = value.ty;
        self.set_as(local, ty, value);
    }

    /// Stores a value in a local of another type that has it.
    fn set_as(&mut self, local: LocalId, ty: TypeId, value: Expr) {
        let span = value.span;
        let kind = StmtKind::Assign { target: Place::local(local, ty, span), source: Operand::Value(value) };
        self.prelude.push(Stmt { kind, span });
    }

    /// What a place holds now, possibly undefined, in a place of its own.
    pub(super) fn kept_copy(&mut self, place: Place) -> Place {
        let (ty, span) = (place.ty, place.span);
        let local = self.temporary("copy", ty, LocalMode::Owned, span);
        let target = Place::local(local, ty, span);
        self.prelude.push(Stmt { kind: StmtKind::Assign { target, source: Operand::Copy(place) }, span });
        Place::local(local, ty, span)
    }

    /// The indices of a place, evaluated now and kept.
    fn kept_place(&mut self, mut place: Place) -> Place {
        for step in &mut place.path {
            if let Projection::Index(index) | Projection::Numbered(index) = step {
                **index = self.kept((**index).clone());
            }
        }
        place
    }

    /// An operand, evaluated now and kept.
    pub(super) fn kept_operand(&mut self, operand: Operand) -> Operand {
        match operand {
            Operand::Value(expr) => Operand::Value(self.kept(expr)),
            Operand::Copy(place) => Operand::Copy(self.kept_copy(place)),
            Operand::Undefined => Operand::Undefined,
        }
    }

    /// Two operands of an operator that evaluates both.
    pub(super) fn both(&mut self, left: &typed::Expr, right: &typed::Expr) -> (Expr, Expr) {
        let mut first = self.expr(left);
        if self.has_effects(right) {
            first = self.kept(first);
        }
        (first, self.expr(right))
    }

    /// `&`, `|` or `->` whose right side has effects, which happen only if it is evaluated.
    pub(super) fn logical(&mut self, op: BinaryOp, left: &typed::Expr, right: &typed::Expr) -> Expr {
        let span = left.span.to(right.span);
        let result = self.temporary("condition", TypeId::BOOL, LocalMode::Owned, span);
        let read = || Expr::read(Place::local(result, TypeId::BOOL, span));
        let not =
            |operand: Expr| Expr { kind: ExprKind::Unary(UnaryOp::Not, Box::new(operand)), ty: TypeId::BOOL, span };
        let left = self.expr(left);
        // An implication holds if its left side does not.
        self.set(result, if op == BinaryOp::Implies { not(left) } else { left });
        let (right, ()) = self.with_prelude(|frame| {
            let right = frame.expr(right);
            frame.set(result, right);
        });
        let goes_on = if op == BinaryOp::And { read() } else { not(read()) };
        self.prelude.push(Stmt { kind: StmtKind::If { arms: vec![(goes_on, right)], otherwise: Vec::new() }, span });
        read()
    }

    /// `c ? a : b` where `a` or `b` has effects.
    pub(super) fn conditional(&mut self, parts: [&typed::Expr; 3], ty: TypeId) -> Expr {
        let [condition, yes, no] = parts;
        let span = condition.span.to(no.span);
        let condition = self.expr(condition);
        let result = self.temporary("choice", ty, LocalMode::Owned, span);
        let [yes, no] = [yes, no].map(|branch| {
            let (block, ()) = self.with_prelude(|frame| {
                let value = frame.expr(branch);
                frame.set_as(result, ty, value);
            });
            block
        });
        self.prelude.push(Stmt { kind: StmtKind::If { arms: vec![(condition, yes)], otherwise: no }, span });
        Expr::read(Place::local(result, ty, span))
    }

    /// The result of a call with effects, as a place.
    pub(super) fn called(&mut self, call: &typed::Call) -> Place {
        let function = &self.lowering.program.functions[call.function.index()];
        let ty = function.result.expect("a call used as a value has a result");
        let lowered = self.call(call);
        let local = self.named_temporary(format!("result of {}", function.name), ty, call.span);
        self.prelude.push(Stmt { kind: StmtKind::Call { call: lowered, result: Some(local) }, span: call.span });
        Place::local(local, ty, call.span)
    }

    /// Arguments from left to right.
    pub(super) fn args(&mut self, args: &[Argument]) -> Vec<Arg> {
        let mut lowered = Vec::with_capacity(args.len());
        for (at, arg) in args.iter().enumerate() {
            let keep = args[at + 1..].iter().any(|later| self.arg_has_effects(later));
            lowered.push(match arg {
                Argument::Value(source) => {
                    let operand = match source {
                        Source::Value(value) => self.lenient_operand(value),
                        Source::Undefined => Operand::Undefined,
                    };
                    Arg::Value(if keep { self.kept_operand(operand) } else { operand })
                }
                Argument::Reference(place) => {
                    let place = self.place(place);
                    Arg::Reference(if keep { self.kept_place(place) } else { place })
                }
            });
        }
        lowered
    }

    /// The steps of a place from left to right.
    pub(super) fn steps(&mut self, base: PlaceBase, place: &typed::Place) -> Place {
        let mut lowered = Place { base, path: Vec::new(), ty: place.ty, span: place.span };
        for (at, step) in place.path.iter().enumerate() {
            let step = match step {
                typed::Projection::Field(field) => Projection::Field(*field),
                typed::Projection::Index(index) => {
                    let index = self.expr(index);
                    let later = |step: &typed::Projection| match step {
                        typed::Projection::Field(_) | typed::Projection::Element(_) => false,
                        typed::Projection::Index(index) => self.has_effects(index),
                    };
                    let keep = place.path[at + 1..].iter().any(later);
                    Projection::Index(Box::new(if keep { self.kept(index) } else { index }))
                }
                typed::Projection::Element(slot) => self.element(&mut lowered, slot),
            };
            lowered.path.push(step);
        }
        Place { ty: place.ty, span: place.span, ..lowered }
    }
}
