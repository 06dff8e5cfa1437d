//! Values of expressions that depend on nothing but known locals and, at most, one slot of the state.
//!
//! Whatever is not understood has no value here; what has one has the value that the interpreter gives it.

use burnside_ir::{BinaryOp, Expr, ExprKind, LocalId, PlaceBase, Type, TypeId, Types, UNDEFINED, UnaryOp};

use super::walk::{Known, Walk};

/// What an expression comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Folded {
    Value(i64),
    /// Evaluating it is a fault.
    Fault,
    /// It depends on something else, or is not understood.
    Unknown,
}

use Folded::{Fault, Unknown, Value};

impl Folded {
    fn then(self, next: impl FnOnce(i64) -> Self) -> Self {
        if let Value(value) = self { next(value) } else { self }
    }

    pub(super) fn value(self) -> Option<i64> {
        if let Value(value) = self { Some(value) } else { None }
    }
}

fn checked(value: Option<i64>) -> Folded {
    value.filter(|&value| value != UNDEFINED).map_or(Fault, Value)
}

impl Walk<'_> {
    /// The value of an expression where a slot, if one is given, holds a value.
    pub(super) fn fold(&self, expr: &Expr, slot: Option<(u32, i64)>) -> Folded {
        match &expr.kind {
            &ExprKind::Const(value) => Value(value),
            ExprKind::Read(place) => match (&place.base, &place.path[..]) {
                (&PlaceBase::Local(local), []) if matches!(self.known(local), Known::Value(_)) => self.local(local),
                _ => match (self.exact_slot(place), slot) {
                    (Some(read), Some((at, value))) if read == at => {
                        if value == UNDEFINED {
                            Fault
                        } else {
                            Value(value)
                        }
                    }
                    _ => Unknown,
                },
            },
            ExprKind::IsUndefined(place) => match (self.exact_slot(place), slot) {
                (Some(read), Some((at, value))) if read == at => Value(i64::from(value == UNDEFINED)),
                _ => Unknown,
            },
            ExprKind::Unary(op, operand) => self.fold(operand, slot).then(|value| match op {
                UnaryOp::Not => Value(1 - value),
                UnaryOp::Neg => checked(value.checked_neg()),
                UnaryOp::BitNot => Unknown,
            }),
            ExprKind::Binary(op, left, right) => self.fold_binary(*op, left, right, slot),
            ExprKind::Conditional(condition, yes, no) => {
                self.fold(condition, slot).then(|holds| self.fold(if holds == 1 { yes } else { no }, slot))
            }
            ExprKind::Convert(operand) => {
                self.fold(operand, slot).then(|value| convert(&self.model.types, value, operand.ty, expr.ty))
            }
            ExprKind::SameAggregate(..)
            | ExprKind::IsMember(..)
            | ExprKind::Quantified(..)
            | ExprKind::Count(..)
            | ExprKind::SlotNumber(_)
            | ExprKind::Call(_) => Unknown,
        }
    }

    fn local(&self, local: LocalId) -> Folded {
        if let Known::Value(value) = *self.known(local) { Value(value) } else { Unknown }
    }

    fn fold_binary(&self, op: BinaryOp, left: &Expr, right: &Expr, slot: Option<(u32, i64)>) -> Folded {
        let decided = match op {
            BinaryOp::And => Some((0, 0)),
            BinaryOp::Or => Some((1, 1)),
            BinaryOp::Implies => Some((0, 1)),
            _ => None,
        };
        self.fold(left, slot).then(|a| match decided {
            Some((when, result)) if a == when => Value(result),
            Some(_) => self.fold(right, slot),
            None => self.fold(right, slot).then(|b| arithmetic(op, a, b)),
        })
    }
}

fn arithmetic(op: BinaryOp, a: i64, b: i64) -> Folded {
    let truth = |holds: bool| Value(i64::from(holds));
    match op {
        BinaryOp::Add => checked(a.checked_add(b)),
        BinaryOp::Sub => checked(a.checked_sub(b)),
        BinaryOp::Mul => checked(a.checked_mul(b)),
        BinaryOp::Div => checked(a.checked_div(b)),
        BinaryOp::Rem => checked(a.checked_rem(b)),
        BinaryOp::Eq => truth(a == b),
        BinaryOp::Ne => truth(a != b),
        BinaryOp::Lt => truth(a < b),
        BinaryOp::Le => truth(a <= b),
        BinaryOp::Gt => truth(a > b),
        BinaryOp::Ge => truth(a >= b),
        BinaryOp::BitAnd => Value(a & b),
        BinaryOp::BitOr | BinaryOp::BitXor | BinaryOp::Shl | BinaryOp::Shr => Unknown,
        BinaryOp::And | BinaryOp::Or | BinaryOp::Implies => Unknown,
    }
}

/// A value of one type as a value of another. Between unions and their members it is not followed.
fn convert(types: &Types, value: i64, from: TypeId, to: TypeId) -> Folded {
    let is_union = |ty: TypeId| matches!(types.get(ty), Type::Union { .. });
    if is_union(from) || is_union(to) {
        return Unknown;
    }
    if types.shape(to).admits(value) { Value(value) } else { Fault }
}
