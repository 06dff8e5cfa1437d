//! Checks of expressions.

use super::slots::Scope;
use super::{Checker, DefectKind};
use crate::{BinaryOp, Expr, ExprKind, Place, Type, TypeId, UnaryOp};

impl Checker<'_> {
    pub(super) fn expr(&mut self, expr: &Expr) {
        self.nested(expr.span, |checker| {
            if checker.known_type(expr.ty, expr.span) {
                checker.scalar(expr.ty, expr.span);
            }
            checker.expr_kind(expr);
        });
    }

    fn expr_kind(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Const(value) => self.constant(*value, expr),
            ExprKind::Read(place) => {
                self.scalar_place(place);
                self.has_type(expr, place.ty);
            }
            ExprKind::IsUndefined(place) => {
                self.scalar_place(place);
                self.has_type(expr, TypeId::BOOL);
            }
            ExprKind::Unary(op, operand) => self.unary(*op, operand, expr),
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right, expr),
            ExprKind::SameAggregate(left, right) => self.same_aggregate(left, right, expr),
            ExprKind::Conditional(condition, then, other) => {
                self.condition(condition);
                self.choice(then, expr);
                self.choice(other, expr);
            }
            ExprKind::Convert(operand) => {
                self.expr(operand);
                let fits = self.converts(operand.ty, expr.ty);
                self.require(fits, expr.span, DefectKind::Conversion(operand.ty, expr.ty));
            }
            ExprKind::IsMember(place, member) => self.is_member(place, *member, expr),
            ExprKind::Quantified(_, local, domain, body) => {
                self.bind_each(*local, domain, Scope::Expr(body), expr.span);
                self.condition(body);
                self.close_slot(*local);
                self.has_type(expr, TypeId::BOOL);
            }
            ExprKind::Count(local, multiset, condition) => {
                self.multiset_place(multiset);
                self.open_slot(*local, multiset, Scope::Expr(condition), expr.span);
                self.condition(condition);
                self.close_slot(*local);
                self.has_type(expr, TypeId::INT);
            }
            ExprKind::SlotNumber(local) => {
                self.slot_in_use(*local, expr.span);
                self.has_type(expr, TypeId::INT);
            }
            ExprKind::Call(call) => {
                if let Some(result) = self.pure_call_type(call) {
                    self.has_type(expr, result);
                }
            }
        }
    }

    fn has_type(&mut self, expr: &Expr, actual: TypeId) {
        self.require(expr.ty == actual, expr.span, DefectKind::NotedType { actual, noted: expr.ty });
    }

    fn constant(&mut self, value: i64, expr: &Expr) {
        if self.known_structure(expr.ty).is_some() {
            let fits = self.model.types.shape(expr.ty).admits(value);
            self.require(fits, expr.span, DefectKind::BadConstant(value, expr.ty));
        }
    }

    fn scalar_place(&mut self, place: &Place) {
        self.place(place);
        self.scalar(place.ty, place.span);
    }

    fn unary(&mut self, op: UnaryOp, operand: &Expr, expr: &Expr) {
        self.expr(operand);
        match op {
            UnaryOp::Not => {
                self.boolean(operand.ty, operand.span);
                self.has_type(expr, TypeId::BOOL);
            }
            UnaryOp::Neg | UnaryOp::BitNot => {
                self.integer(operand.ty, operand.span);
                self.has_type(expr, TypeId::INT);
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr, expr: &Expr) {
        for operand in [left, right] {
            self.expr(operand);
            if op.is_logical() {
                self.boolean(operand.ty, operand.span);
            } else if !matches!(op, BinaryOp::Eq | BinaryOp::Ne) {
                self.integer(operand.ty, operand.span);
            }
        }
        if matches!(op, BinaryOp::Eq | BinaryOp::Ne) {
            let fits = self.go_together(left.ty, right.ty);
            self.require(fits, expr.span, DefectKind::Mismatch(left.ty, right.ty));
        }
        self.has_type(expr, if op.is_predicate() { TypeId::BOOL } else { TypeId::INT });
    }

    fn same_aggregate(&mut self, left: &Place, right: &Place, expr: &Expr) {
        for place in [left, right] {
            self.place(place);
            let fits = self.known_structure(place.ty).is_none() || !self.model.types.shape(place.ty).scalar;
            self.require(fits, place.span, DefectKind::NotAggregate(place.ty));
        }
        self.require(self.go_together(left.ty, right.ty), expr.span, DefectKind::Mismatch(left.ty, right.ty));
        self.has_type(expr, TypeId::BOOL);
    }

    /// One of the two values that a conditional expression may have.
    fn choice(&mut self, value: &Expr, expr: &Expr) {
        self.expr(value);
        self.require(self.widens(value.ty, expr.ty), value.span, DefectKind::Mismatch(expr.ty, value.ty));
    }

    fn is_member(&mut self, place: &Place, member: TypeId, expr: &Expr) {
        self.place(place);
        if self.known_structure(place.ty).is_some() {
            let fits = self.model.types.union_offset(place.ty, member).is_some();
            self.require(fits, expr.span, DefectKind::NotMember(place.ty, member));
        }
        self.has_type(expr, TypeId::BOOL);
    }

    /// Whether `Convert` leads from one type to another.
    fn converts(&self, from: TypeId, to: TypeId) -> bool {
        let (Some(source), Some(target)) = (self.known_structure(from), self.known_structure(to)) else { return true };
        match (source, target) {
            (Type::Union { members }, _) if members.contains(&to) => true,
            (_, Type::Union { members }) if members.contains(&from) => true,
            (Type::Int | Type::Range { .. }, Type::Enum { .. } | Type::Id(_)) => true,
            (Type::Enum { .. } | Type::Id(_), Type::Int | Type::Range { .. }) => true,
            _ => self.go_together(from, to),
        }
    }
}
