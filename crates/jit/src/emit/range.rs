//! Bounds on the values of expressions, known without running anything.

use std::collections::BTreeMap;

use burnside_ir::{BinaryOp, Domain, Expr, ExprKind, LocalId, Model, Place, PlaceBase, UnaryOp};

use super::Emitter;

/// What intervals follow from.
pub(super) struct Ranges<'a> {
    pub(super) model: &'a Model,
    /// Locals set by iteration and never assigned, with the values they can have.
    pub(super) iterated: BTreeMap<LocalId, (i128, i128)>,
}

impl Emitter<'_, '_> {
    pub(super) fn range(&self, expr: &Expr) -> (i128, i128) {
        self.ranges.of(expr)
    }
}

impl Ranges<'_> {
    /// An interval that holds every value the expression can have.
    pub(super) fn of(&self, expr: &Expr) -> (i128, i128) {
        let shape = self.model.types.shape(expr.ty);
        let by_type = (i128::from(shape.lo), i128::from(shape.hi));
        match &expr.kind {
            ExprKind::Const(value) => (i128::from(*value), i128::from(*value)),
            ExprKind::Read(place) => match place.base {
                PlaceBase::Local(local) if place.path.is_empty() => {
                    self.iterated.get(&local).copied().unwrap_or(by_type)
                }
                PlaceBase::Local(_) | PlaceBase::Global(_) | PlaceBase::Call(_) => by_type,
            },
            ExprKind::Unary(UnaryOp::Neg, operand) => {
                let (lo, hi) = self.of(operand);
                clip((-hi, -lo), by_type)
            }
            ExprKind::Unary(UnaryOp::BitNot, operand) => {
                let (lo, hi) = self.of(operand);
                (!hi, !lo)
            }
            ExprKind::Binary(op, left, right) => {
                self.binary_range(*op, left, right).map_or(by_type, |r| clip(r, by_type))
            }
            ExprKind::Conditional(_, yes, no) => {
                let (yes, no) = (self.of(yes), self.of(no));
                (yes.0.min(no.0), yes.1.max(no.1))
            }
            ExprKind::Count(_, multiset, _) => (0, i128::from(self.capacity(multiset))),
            ExprKind::SlotNumber(_) => (0, i128::from(u32::MAX)),
            ExprKind::Unary(UnaryOp::Not, _)
            | ExprKind::IsUndefined(_)
            | ExprKind::SameAggregate(..)
            | ExprKind::Convert(_)
            | ExprKind::IsMember(..)
            | ExprKind::Quantified(..)
            | ExprKind::Call(_) => by_type,
        }
    }

    fn binary_range(&self, op: BinaryOp, left: &Expr, right: &Expr) -> Option<(i128, i128)> {
        let (l, r) = (self.of(left), self.of(right));
        match op {
            BinaryOp::Add => Some((l.0 + r.0, l.1 + r.1)),
            BinaryOp::Sub => Some((l.0 - r.1, l.1 - r.0)),
            BinaryOp::Mul => {
                let products =
                    [l.0.checked_mul(r.0)?, l.0.checked_mul(r.1)?, l.1.checked_mul(r.0)?, l.1.checked_mul(r.1)?];
                Some((*products.iter().min()?, *products.iter().max()?))
            }
            BinaryOp::Div => {
                let most = l.0.abs().max(l.1.abs());
                Some(if l.0 >= 0 && r.0 > 0 { (0, l.1) } else { (-most, most) })
            }
            BinaryOp::Rem => {
                let most = r.0.abs().max(r.1.abs()).saturating_sub(1).min(l.0.abs().max(l.1.abs()));
                Some((if l.0 >= 0 { 0 } else { -most }, if l.1 <= 0 { 0 } else { most }))
            }
            BinaryOp::BitAnd if l.0 >= 0 && r.0 >= 0 => Some((0, l.1.min(r.1))),
            _ if op.is_predicate() => Some((0, 1)),
            _ => None,
        }
    }

    fn capacity(&self, multiset: &Place) -> u32 {
        self.model.types.get(multiset.ty).multiset().expect("verified: a multiset").0
    }

    /// An interval that holds every value of a domain.
    pub(super) fn of_domain(&self, domain: &Domain) -> (i128, i128) {
        match domain {
            Domain::Type(ty) => {
                let shape = self.model.types.shape(*ty);
                (i128::from(shape.lo), i128::from(shape.hi))
            }
            Domain::Range { from, to, .. } => {
                let (from, to) = (self.of(from), self.of(to));
                (from.0.min(to.0), from.1.max(to.1))
            }
            Domain::Slots(place) => (0, i128::from(self.capacity(place)) - 1),
        }
    }
}

/// Results outside the 64-bit integers are faults, so they never become values.
fn clip(range: (i128, i128), by_type: (i128, i128)) -> (i128, i128) {
    (range.0.max(by_type.0), range.1.min(by_type.1))
}
