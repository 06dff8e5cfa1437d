//! Pieces of IR, with the bounds of integers kept at hand so that nothing is cut off that cannot overflow.

use burnside_diag::Span;
use burnside_ir::{
    BinaryOp, Block, Expr, ExprKind, Operand, Place, Projection, Stmt, StmtKind, Type, TypeId, Types, UnaryOp,
};

use super::shapes::bounds;
use crate::typed::Scalar;

/// An integer and what is known about it.
#[derive(Debug, Clone)]
pub(super) struct Val {
    pub(super) expr: Expr,
    pub(super) lo: i64,
    pub(super) hi: i64,
}

const INT: (i64, i64) = (i32::MIN as i64, i32::MAX as i64);

impl Val {
    pub(super) fn constant(value: i64, span: Span) -> Self {
        Self { expr: int(value, span), lo: value, hi: value }
    }

    pub(super) fn as_const(&self) -> Option<i64> {
        (self.lo == self.hi && matches!(self.expr.kind, ExprKind::Const(_))).then_some(self.lo)
    }

    /// What a place holds.
    pub(super) fn read(types: &Types, place: Place) -> Self {
        let shape = types.shape(place.ty);
        Self { expr: Expr::read(place), lo: shape.lo, hi: shape.hi }
    }

    /// A truth value as 0 or 1.
    pub(super) fn truth(condition: Expr) -> Self {
        let span = condition.span;
        if let Some(value) = condition.as_const() {
            return Self::constant(value, span);
        }
        let (yes, no) = (Box::new(int(1, span)), Box::new(int(0, span)));
        let kind = ExprKind::Conditional(Box::new(condition), yes, no);
        Self { expr: Expr { kind, ty: TypeId::INT, span }, lo: 0, hi: 1 }
    }

    /// An expression of an integer type that is within bounds.
    pub(super) fn within(expr: Expr, lo: i64, hi: i64) -> Self {
        match expr.as_const() {
            Some(value) => Self { expr, lo: value, hi: value },
            None => Self { expr, lo, hi },
        }
    }

    /// What C makes of a result that need not fit 32 bits.
    pub(super) fn wrapped(self) -> Self {
        let (lo, hi) = INT;
        if self.lo >= lo && self.hi <= hi {
            return self;
        }
        let span = self.expr.span;
        let lifted = binary(BinaryOp::Add, self.expr, int(1 << 31, span));
        let cut = binary(BinaryOp::BitAnd, lifted, int(0xffff_ffff, span));
        Self { expr: binary(BinaryOp::Sub, cut, int(1 << 31, span)), lo, hi }
    }

    /// What a slot keeps of it.
    pub(super) fn cut(self, scalar: Scalar) -> Self {
        let (lo, hi) = bounds(scalar);
        if self.lo >= lo && self.hi <= hi {
            return self;
        }
        let span = self.expr.span;
        if let Some(value) = self.as_const() {
            return Self::constant(i64::from(scalar.store(value as i32)), span);
        }
        let expr = match scalar {
            Scalar::Short => {
                let lifted = binary(BinaryOp::Add, self.expr, int(1 << 15, span));
                let cut = binary(BinaryOp::BitAnd, lifted, int(0xffff, span));
                binary(BinaryOp::Sub, cut, int(1 << 15, span))
            }
            Scalar::Int => return self.wrapped(),
            _ => binary(BinaryOp::BitAnd, self.expr, int(hi, span)),
        };
        Self { expr, lo, hi }
    }

    /// As a plain number.
    pub(super) fn number(self, types: &Types) -> Self {
        Self { expr: number(types, self.expr), ..self }
    }
}

/// A member of an enumeration as its number.
pub(super) fn number(types: &Types, expr: Expr) -> Expr {
    match (types.get(expr.ty), expr.as_const()) {
        (Type::Int, _) => expr,
        (_, Some(value)) => int(value, expr.span),
        (Type::Enum { .. }, None) => {
            let span = expr.span;
            Expr { kind: ExprKind::Convert(Box::new(expr)), ty: TypeId::INT, span }
        }
        _ => expr,
    }
}

/// The same value as one of another type.
pub(super) fn convert(types: &Types, expr: Expr, ty: TypeId) -> Expr {
    let span = expr.span;
    match expr.as_const() {
        _ if expr.ty == ty => expr,
        Some(value) if types.shape(ty).admits(value) => Expr::constant(ty, value, span),
        _ => Expr { kind: ExprKind::Convert(Box::new(expr)), ty, span },
    }
}

pub(super) fn int(value: i64, span: Span) -> Expr {
    Expr::constant(TypeId::INT, value, span)
}

pub(super) fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    let ty = if op.is_predicate() { TypeId::BOOL } else { TypeId::INT };
    let span = left.span;
    Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), ty, span }
}

pub(super) fn not(expr: Expr) -> Expr {
    if let Some(value) = expr.as_const() {
        return Expr::boolean(value == 0, expr.span);
    }
    let span = expr.span;
    match expr.kind {
        ExprKind::Unary(UnaryOp::Not, inner) => *inner,
        kind => {
            let inner = Expr { kind, ..expr };
            Expr { kind: ExprKind::Unary(UnaryOp::Not, Box::new(inner)), ty: TypeId::BOOL, span }
        }
    }
}

/// The opposite of a condition, without a `not` where there is another way to say it.
pub(super) fn denied(expr: Expr) -> Expr {
    let span = expr.span;
    match expr.kind {
        ExprKind::Binary(BinaryOp::Eq, left, right) => binary(BinaryOp::Ne, *left, *right),
        ExprKind::Binary(BinaryOp::Ne, left, right) => binary(BinaryOp::Eq, *left, *right),
        ExprKind::Binary(BinaryOp::Or, left, right) => all([denied(*left), denied(*right)], span),
        kind => not(Expr { kind, ..expr }),
    }
}

/// Whether all are true; what is constant is left out.
pub(super) fn all(parts: impl IntoIterator<Item = Expr>, span: Span) -> Expr {
    joined(BinaryOp::And, 1, parts, span)
}

/// Whether any is true.
pub(super) fn any(parts: impl IntoIterator<Item = Expr>, span: Span) -> Expr {
    joined(BinaryOp::Or, 0, parts, span)
}

/// A balanced tree, since nesting is limited; `neutral` parts are left out and the opposite decides. Parts behind the one
/// that decides are never evaluated, those before it stay: they may fault.
fn joined(op: BinaryOp, neutral: i64, parts: impl IntoIterator<Item = Expr>, span: Span) -> Expr {
    let mut kept: Vec<Expr> = Vec::new();
    for part in parts {
        match part.as_const() {
            Some(value) if value == neutral => {}
            Some(value) if kept.is_empty() => return Expr::boolean(value != 0, span),
            decides => {
                kept.push(part);
                if decides.is_some() {
                    break;
                }
            }
        }
    }
    fn tree(op: BinaryOp, parts: &mut Vec<Expr>, from: usize) -> Option<Expr> {
        match parts.len() - from {
            0 => None,
            1 => parts.pop(),
            n => {
                let right = tree(op, parts, from + n / 2)?;
                let left = tree(op, parts, from)?;
                Some(binary(op, left, right))
            }
        }
    }
    tree(op, &mut kept, 0).unwrap_or_else(|| Expr::boolean(neutral != 0, span))
}

/// Whether two values are equal.
pub(super) fn equal(types: &Types, left: &Val, right: &Val) -> Expr {
    let span = left.expr.span;
    if let (Some(left), Some(right)) = (left.as_const(), right.as_const()) {
        return Expr::boolean(left == right, span);
    }
    if left.hi < right.lo || right.hi < left.lo {
        return Expr::boolean(false, span);
    }
    let same_type = |value: &Val, other: &Val| match value.as_const() {
        Some(number) if types.shape(other.expr.ty).admits(number) => Expr::constant(other.expr.ty, number, span),
        _ => value.expr.clone(),
    };
    let (one, other) = (same_type(left, right), same_type(right, left));
    if one.ty == other.ty {
        return binary(BinaryOp::Eq, one, other);
    }
    binary(BinaryOp::Eq, number(types, one), number(types, other))
}

/// A part of a place.
pub(super) fn part(types: &Types, mut whole: Place, step: Projection) -> Place {
    whole.ty = match (&step, types.get(whole.ty)) {
        (Projection::Field(field), Type::Record { fields }) => fields[*field as usize].ty,
        (Projection::Index(_), Type::Array { element, .. }) => *element,
        (_, other) => unreachable!("no such part of {other:?}"),
    };
    whole.path.push(step);
    whole
}

/// The element of an array.
pub(super) fn element(types: &Types, whole: Place, index: Expr) -> Place {
    let wanted = match types.get(whole.ty) {
        &Type::Array { index, .. } => index,
        other => unreachable!("{other:?} is no array"),
    };
    let index = match index.as_const() {
        Some(value) if types.shape(wanted).admits(value) => Expr::constant(wanted, value, index.span),
        _ => number(types, index),
    };
    part(types, whole, Projection::Index(Box::new(index)))
}

pub(super) fn stmt(kind: StmtKind, span: Span) -> Stmt {
    Stmt { kind, span }
}

pub(super) fn assign(target: Place, value: Expr) -> Stmt {
    let span = value.span;
    stmt(StmtKind::Assign { target, source: Operand::Value(value) }, span)
}

pub(super) fn copy(target: Place, source: Place) -> Stmt {
    let span = target.span;
    stmt(StmtKind::Assign { target, source: Operand::Copy(source) }, span)
}

pub(super) fn forget(target: Place) -> Stmt {
    let span = target.span;
    stmt(StmtKind::Assign { target, source: Operand::Undefined }, span)
}

pub(super) fn when(condition: Expr, then: Block, otherwise: Block) -> Stmt {
    let span = condition.span;
    stmt(StmtKind::If { arms: vec![(condition, then)], otherwise }, span)
}
