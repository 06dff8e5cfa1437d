//! Equality of scalars, where CMurphi takes "undefined" for one more member of a scalarset or union.
//!
//! In CMurphi's own run-time system only ranges, enumerations and booleans check that a value read is defined; members
//! of scalarsets and unions are compared as they are. Protocols rely on it to ask whether an owner, if there is one, is
//! a given process.

use burnside_diag::Span;
use burnside_ir::{BinaryOp, Expr, ExprKind, Place, Type, TypeId, UnaryOp};

use super::Undefined;
use super::frame::Frame;
use super::stmts::is_plain_read;
use crate::typed::{self, Base, Role};

/// One side of a comparison.
#[derive(Clone)]
pub(super) struct Comparand {
    pub(super) value: Expr,
    /// The place it is read from, if being undefined there is one more value.
    pub(super) undefinable: Option<Place>,
}

impl Frame<'_> {
    /// `left = right` or `left != right`.
    pub(super) fn equality(&mut self, op: BinaryOp, left: &typed::Expr, right: &typed::Expr, span: Span) -> Expr {
        let mut first = self.comparand(left);
        if self.has_effects(right) {
            first = self.kept_comparand(first);
        }
        let (left, right) = (first, self.comparand(right));
        if left.undefinable.is_none() && right.undefinable.is_none() {
            return binary(op, left.value, right.value, span);
        }
        let equal = self.equal(left, right, span);
        if op == BinaryOp::Eq { equal } else { not(equal) }
    }

    /// Whether two values are equal, "undefined" to itself alone.
    pub(super) fn equal(&mut self, left: Comparand, right: Comparand, span: Span) -> Expr {
        let equal = binary(BinaryOp::Eq, left.value, right.value, span);
        match (left.undefinable, right.undefinable) {
            (None, None) => equal,
            (Some(place), None) | (None, Some(place)) => binary(BinaryOp::And, not(is_undefined(place)), equal, span),
            (Some(left), Some(right)) => {
                let either = binary(BinaryOp::Or, is_undefined(left.clone()), is_undefined(right.clone()), span);
                let both = binary(BinaryOp::And, is_undefined(left), is_undefined(right), span);
                let kind = ExprKind::Conditional(Box::new(either), Box::new(both), Box::new(equal));
                Expr { kind, ty: TypeId::BOOL, span }
            }
        }
    }

    /// One side, looked at now and kept, "undefined" included.
    fn kept_comparand(&mut self, side: Comparand) -> Comparand {
        let Some(place) = side.undefinable else {
            return Comparand { value: self.kept(side.value), undefinable: None };
        };
        let kept = self.kept_copy(place);
        let read = Expr::read(kept.clone());
        // Beside a plain read there is only the conversion of one.
        let value = match side.value.kind {
            ExprKind::Convert(_) => Expr { kind: ExprKind::Convert(Box::new(read)), ..side.value },
            _ => read,
        };
        Comparand { value, undefinable: Some(kept) }
    }

    pub(super) fn comparand(&mut self, expr: &typed::Expr) -> Comparand {
        let undefinable = self.undefinable(expr).map(|place| self.place(place));
        Comparand { value: self.expr(expr), undefinable }
    }

    /// The place a member of a scalarset or union is read from, if it may be undefined there and looking twice does no
    /// harm.
    fn undefinable<'e>(&self, expr: &'e typed::Expr) -> Option<&'e typed::Place> {
        let read = match &expr.kind {
            typed::ExprKind::Convert(inner) if self.is_member_type(expr.ty) => inner,
            _ => expr,
        };
        let typed::ExprKind::Read(place) = &read.kind else { return None };
        let tolerated = self.lowering.undefined == Undefined::Tolerated && self.is_member_type(place.ty);
        (tolerated && !self.is_always_defined(place) && is_plain_read(read)).then_some(place)
    }

    fn is_member_type(&self, ty: TypeId) -> bool {
        matches!(self.lowering.program.types.get(ty), Type::Id(_) | Type::Union { .. })
    }

    fn is_always_defined(&self, place: &typed::Place) -> bool {
        let Base::Local(var) = place.base else { return false };
        let role = self.lowering.program.local(var).role;
        place.path.is_empty() && matches!(role, Role::RuleParam | Role::Loop | Role::ValueAlias)
    }
}

pub(super) fn binary(op: BinaryOp, left: Expr, right: Expr, span: Span) -> Expr {
    Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), ty: TypeId::BOOL, span }
}

fn not(operand: Expr) -> Expr {
    let span = operand.span;
    Expr { kind: ExprKind::Unary(UnaryOp::Not, Box::new(operand)), ty: TypeId::BOOL, span }
}

fn is_undefined(place: Place) -> Expr {
    let span = place.span;
    Expr { kind: ExprKind::IsUndefined(Box::new(place)), ty: TypeId::BOOL, span }
}
