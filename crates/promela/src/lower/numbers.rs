//! Arithmetic as C does it on 32-bit integers, cut back only where a result may leave them.

use burnside_ir::{BinaryOp as Op, Expr, ExprKind, TypeId, Types};

use super::build::{Val, binary, convert, denied, equal, int, number};
use crate::ast::BinaryOp;

impl Val {
    /// A constant, where it is one.
    pub(super) fn folded(self) -> Self {
        if self.lo == self.hi { Self::constant(self.lo, self.expr.span) } else { self }
    }
}

pub(super) fn nonzero(types: &Types, value: Val) -> Expr {
    let span = value.expr.span;
    // A truth value as a number is a truth value again.
    if let ExprKind::Conditional(condition, yes, no) = &value.expr.kind
        && (yes.as_const(), no.as_const()) == (Some(1), Some(0))
    {
        return condition.as_ref().clone();
    }
    denied(equal(types, &value, &Val::constant(0, span)))
}

pub(super) fn choice(types: &Types, condition: Expr, yes: Val, no: Val) -> Val {
    match condition.as_const() {
        Some(0) => return no,
        Some(_) => return yes,
        None => {}
    }
    let span = condition.span;
    let (lo, hi) = (yes.lo.min(no.lo), yes.hi.max(no.hi));
    let admits = |value: &Val, ty: TypeId| value.as_const().is_some_and(|value| types.shape(ty).admits(value));
    let ty = if yes.expr.ty == no.expr.ty || admits(&no, yes.expr.ty) {
        yes.expr.ty
    } else if admits(&yes, no.expr.ty) {
        no.expr.ty
    } else {
        TypeId::INT
    };
    let of_type = |value: Val| match value.as_const() {
        Some(constant) => Expr::constant(ty, constant, value.expr.span),
        None if value.expr.ty == ty => value.expr,
        None => convert(types, number(types, value.expr), ty),
    };
    let kind = ExprKind::Conditional(Box::new(condition), Box::new(of_type(yes)), Box::new(of_type(no)));
    Val { expr: Expr { kind, ty, span }, lo, hi }
}

pub(super) fn is_predicate(op: BinaryOp) -> bool {
    use BinaryOp::{And, Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual, Or};
    matches!(op, And | Or | Equal | NotEqual | Greater | GreaterEqual | Less | LessEqual)
}

pub(super) fn compare(op: BinaryOp, left: Val, right: Val) -> Expr {
    let span = left.expr.span;
    let (op, certain, never) = match op {
        BinaryOp::Less => (Op::Lt, left.hi < right.lo, left.lo >= right.hi),
        BinaryOp::LessEqual => (Op::Le, left.hi <= right.lo, left.lo > right.hi),
        BinaryOp::Greater => (Op::Gt, left.lo > right.hi, left.hi <= right.lo),
        _ => (Op::Ge, left.lo >= right.hi, left.hi < right.lo),
    };
    let constant = left.as_const().is_some() && right.as_const().is_some();
    if constant && (certain || never) {
        return Expr::boolean(certain, span);
    }
    binary(op, left.expr, right.expr)
}

pub(super) fn arithmetic(op: BinaryOp, left: Val, right: Val) -> Val {
    let span = left.expr.span;
    if let (Some(one), Some(other)) = (left.as_const(), right.as_const())
        && let Some(value) = crate::eval::binary(op, one as i32, other as i32)
    {
        return Val::constant(i64::from(value), span);
    }
    let int = (i64::from(i32::MIN), i64::from(i32::MAX));
    let products = [left.lo * right.lo, left.lo * right.hi, left.hi * right.lo, left.hi * right.hi];
    let natural = left.lo >= 0 && right.lo >= 0;
    let ones = |value: i64| (1_i64 << (64 - value.leading_zeros())) - 1;
    let magnitude = left.lo.abs().max(left.hi.abs());
    let ((lo, hi), op) = match op {
        BinaryOp::Add => ((left.lo + right.lo, left.hi + right.hi), Op::Add),
        BinaryOp::Subtract => ((left.lo - right.hi, left.hi - right.lo), Op::Sub),
        BinaryOp::Multiply => {
            ((products.into_iter().min().unwrap_or(0), products.into_iter().max().unwrap_or(0)), Op::Mul)
        }
        BinaryOp::Divide => ((if natural { 0 } else { -magnitude }, magnitude), Op::Div),
        BinaryOp::Remainder => {
            let most = (right.lo.abs().max(right.hi.abs()) - 1).max(0).min(magnitude);
            ((if left.lo >= 0 { 0 } else { -most }, most), Op::Rem)
        }
        BinaryOp::BitAnd if natural => ((0, left.hi.min(right.hi)), Op::BitAnd),
        BinaryOp::BitAnd => (int, Op::BitAnd),
        BinaryOp::BitOr if natural => ((0, ones(left.hi | right.hi)), Op::BitOr),
        BinaryOp::BitOr => (int, Op::BitOr),
        BinaryOp::BitXor if natural => ((0, ones(left.hi | right.hi)), Op::BitXor),
        BinaryOp::BitXor => (int, Op::BitXor),
        // The processor takes a shift by its width and more modulo that width.
        BinaryOp::ShiftLeft => return shift(Op::Shl, left, right),
        _ => return shift(Op::Shr, left, right),
    };
    Val { expr: binary(op, left.expr, right.expr), lo, hi }.wrapped()
}

fn shift(op: Op, left: Val, right: Val) -> Val {
    let span = left.expr.span;
    let right = match right.lo >= 0 && right.hi <= 31 {
        true => right,
        false => Val::within(binary(Op::BitAnd, right.expr, int(31, span)), 0, 31),
    };
    let ends = |value: i64| match op {
        Op::Shl => [value << right.lo, value << right.hi],
        _ => [value >> right.lo, value >> right.hi],
    };
    let ends = [ends(left.lo), ends(left.hi)].concat();
    let (lo, hi) = (ends.iter().copied().min().unwrap_or(0), ends.iter().copied().max().unwrap_or(0));
    Val { expr: binary(op, left.expr, right.expr), lo, hi }.wrapped()
}
