//! Expressions that certainly evaluate without a fault.

use std::collections::BTreeSet;

use burnside_ir::{BinaryOp, Domain, Expr, ExprKind, LocalId, Place, PlaceBase, Projection, Type, TypeId, UnaryOp};

use super::Emitter;

impl Emitter<'_, '_> {
    /// Whether evaluating the expression cannot fault, given that the locals in `bound` hold
    /// values of their types (or of the ranges known for them).
    pub(super) fn cannot_fault(&self, expr: &Expr, bound: &BTreeSet<LocalId>) -> bool {
        let both = |left: &Expr, right: &Expr| self.cannot_fault(left, bound) && self.cannot_fault(right, bound);
        match &expr.kind {
            ExprKind::Const(_) | ExprKind::SlotNumber(_) => true,
            ExprKind::Read(place) => self.reaches(place, bound) && self.is_defined(place, bound),
            ExprKind::IsUndefined(place) | ExprKind::IsMember(place, _) => self.reaches(place, bound),
            ExprKind::Unary(UnaryOp::Not, operand) => self.cannot_fault(operand, bound),
            ExprKind::Binary(op, left, right) if op.is_predicate() => both(left, right),
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, left, right) => {
                both(left, right) && self.is_small(left) && self.is_small(right)
            }
            ExprKind::Binary(BinaryOp::Div | BinaryOp::Rem, left, right) => {
                both(left, right) && right.as_const().is_some_and(|divisor| divisor != 0)
            }
            ExprKind::SameAggregate(left, right) => self.reaches(left, bound) && self.reaches(right, bound),
            ExprKind::Conditional(condition, yes, no) => self.cannot_fault(condition, bound) && both(yes, no),
            ExprKind::Convert(inner) => {
                let types = &self.shared.model.types;
                self.cannot_fault(inner, bound) && types.union_offset(expr.ty, inner.ty).is_some()
            }
            ExprKind::Quantified(_, local, domain, body) => match **domain {
                Domain::Type(ty) if self.type_covers(self.locals[local.index()].ty, ty) => {
                    let mut bound = bound.clone();
                    bound.insert(*local);
                    self.cannot_fault(body, &bound)
                }
                Domain::Type(_) | Domain::Range { .. } | Domain::Slots(_) => false,
            },
            ExprKind::Unary(..) | ExprKind::Binary(..) | ExprKind::Count(..) | ExprKind::Call(_) => false,
        }
    }

    /// Small enough that sums and products of two stay in 64 bits.
    fn is_small(&self, expr: &Expr) -> bool {
        let (lo, hi) = self.range(expr);
        lo.abs().max(hi.abs()) < 1 << 31
    }

    fn is_defined(&self, place: &Place, bound: &BTreeSet<LocalId>) -> bool {
        match place.base {
            PlaceBase::Local(local) if place.path.is_empty() && bound.contains(&local) => {
                !self.uses.assigned.contains(&local)
            }
            PlaceBase::Local(_) | PlaceBase::Global(_) | PlaceBase::Call(_) => self.always_defined(place),
        }
    }

    /// Whether finding the place cannot fault.
    pub(super) fn reaches(&self, place: &Place, bound: &BTreeSet<LocalId>) -> bool {
        let mut ty = match &place.base {
            PlaceBase::Global(global) => self.shared.model.global(*global).ty,
            PlaceBase::Local(local) => self.locals[local.index()].ty,
            PlaceBase::Call(_) => return false,
        };
        for projection in &place.path {
            ty = match (projection, self.shared.model.types.get(ty)) {
                (Projection::Field(field), Type::Record { fields }) => fields[*field as usize].ty,
                (Projection::Index(index), &Type::Array { index: index_ty, element }) => {
                    let shape = self.shared.model.types.shape(index_ty);
                    let (lo, hi) = self.bound_range(index, bound);
                    if !self.cannot_fault(index, bound) || lo < i128::from(shape.lo) || hi > i128::from(shape.hi) {
                        return false;
                    }
                    element
                }
                _ => return false,
            };
        }
        true
    }

    /// Like [`Emitter::range`], which knows only the locals of loops that are being emitted.
    fn bound_range(&self, expr: &Expr, bound: &BTreeSet<LocalId>) -> (i128, i128) {
        if let ExprKind::Read(place) = &expr.kind
            && let PlaceBase::Local(local) = place.base
            && place.path.is_empty()
            && bound.contains(&local)
            && !self.ranges.iterated.contains_key(&local)
        {
            let shape = self.shared.model.types.shape(place.ty);
            return (i128::from(shape.lo), i128::from(shape.hi));
        }
        self.range(expr)
    }

    pub(super) fn type_covers(&self, outer: TypeId, inner: TypeId) -> bool {
        let (outer, inner) = (self.shared.model.types.shape(outer), self.shared.model.types.shape(inner));
        outer.lo <= inner.lo && inner.hi <= outer.hi
    }
}
