//! Conditions that pick the elements of a multiset that hold the loop's variable.
//!
//! In `MultisetCount(i: sharers, sharers[i] = n)` and `MultisetRemovePred(i: sharers, sharers[i] = n)` each round of a
//! loop over `n` is about elements of its own, though all rounds go through the same multiset.
//!
// SOUND: let a condition be *keyed* if it is true only for elements in which certain fields hold the loop's variable,
// and if on other elements it looks at nothing but those fields and the variable. Rounds have different values of the variable, so the
// elements that satisfy the conditions of two rounds are different ones, and whether one round has removed its own
// makes no difference to the other: for elements not its own the other's condition is false, or faults because the
// fields are undefined. An element with undefined fields satisfies no keyed condition, so no round removes it, and
// every round that meets it faults, in every order. Whatever else changes elements overlaps with `Part::Keyed` and is
// found as a conflict.

use burnside_ir::{BinaryOp, Expr, ExprKind, LocalId, Place, Projection, UnaryOp};

use super::round::{Held, Round};
use super::spot::Spot;

/// A multiset that is being gone through under a keyed condition.
#[derive(Debug, Clone)]
pub(super) struct KeyedSlot {
    /// The slot local.
    local: LocalId,
    multiset: Spot,
    pub(super) fields: Vec<u32>,
    /// Whether what is being looked at is evaluated for the round's own elements alone.
    pub(super) own: bool,
}

impl Round<'_> {
    /// The slots of a multiset under a condition, if that is keyed.
    pub(super) fn keyed_slot(&self, local: LocalId, multiset: &Place, condition: &Expr) -> Option<KeyedSlot> {
        let multiset = self.spot(multiset).filter(Spot::is_exact)?;
        let mut slot = KeyedSlot { local, multiset, fields: Vec::new(), own: false };
        slot.fields = self.find_key(&slot, condition)?;
        (self.implies_key(&slot, condition) && self.reads_only_key(&slot, condition)).then_some(slot)
    }

    /// Whether, on elements that are not the round's own, evaluating a condition looks at nothing but the key and the
    /// loop's variable.
    fn reads_only_key(&self, slot: &KeyedSlot, condition: &Expr) -> bool {
        let fine = |part: &Expr| self.reads_only_key(slot, part);
        match &condition.kind {
            ExprKind::Const(_) => true,
            ExprKind::Read(place) | ExprKind::IsUndefined(place) => {
                self.holds_variable(place) || self.fields_of(slot, place).as_ref() == Some(&slot.fields)
            }
            ExprKind::Binary(BinaryOp::And, left, right) => fine(left) && (self.implies_key(slot, left) || fine(right)),
            ExprKind::Binary(BinaryOp::Eq | BinaryOp::Or, left, right) => fine(left) && fine(right),
            ExprKind::Unary(UnaryOp::Not, operand) => fine(operand),
            ExprKind::Conditional(condition, yes, no) => fine(condition) && fine(yes) && fine(no),
            ExprKind::Convert(inner) => self.model.types.union_offset(condition.ty, inner.ty).is_some() && fine(inner),
            ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::SameAggregate(..)
            | ExprKind::IsMember(..)
            | ExprKind::Quantified(..)
            | ExprKind::Count(..)
            | ExprKind::SlotNumber(_)
            | ExprKind::Call(_) => false,
        }
    }

    /// The fields that some part of a condition compares with the loop's variable.
    fn find_key(&self, slot: &KeyedSlot, condition: &Expr) -> Option<Vec<u32>> {
        match &condition.kind {
            ExprKind::Binary(BinaryOp::And, left, right) => {
                self.find_key(slot, left).or_else(|| self.find_key(slot, right))
            }
            ExprKind::Conditional(_, yes, no) => self.find_key(slot, yes).or_else(|| self.find_key(slot, no)),
            ExprKind::Binary(BinaryOp::Eq, left, right) => {
                let compared =
                    |one, other| self.element_fields(slot, one).filter(|_| self.holds(other) == Held::Variable);
                compared(left, right).or_else(|| compared(right, left))
            }
            ExprKind::Const(_)
            | ExprKind::Read(_)
            | ExprKind::IsUndefined(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::SameAggregate(..)
            | ExprKind::Convert(_)
            | ExprKind::IsMember(..)
            | ExprKind::Quantified(..)
            | ExprKind::Count(..)
            | ExprKind::SlotNumber(_)
            | ExprKind::Call(_) => None,
        }
    }

    /// Whether a condition is true only for the round's own elements.
    pub(super) fn implies_key(&self, slot: &KeyedSlot, condition: &Expr) -> bool {
        match &condition.kind {
            ExprKind::Binary(BinaryOp::And, left, right) => {
                self.implies_key(slot, left) || self.implies_key(slot, right)
            }
            ExprKind::Conditional(_, yes, no) => self.implies_key(slot, yes) && self.implies_key(slot, no),
            ExprKind::Binary(BinaryOp::Eq, ..) => self.find_key(slot, condition).as_ref() == Some(&slot.fields),
            // The loop's variable is always defined.
            ExprKind::IsUndefined(place) => self.holds_variable(place),
            ExprKind::Const(value) => *value == 0,
            ExprKind::Read(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::SameAggregate(..)
            | ExprKind::Convert(_)
            | ExprKind::IsMember(..)
            | ExprKind::Quantified(..)
            | ExprKind::Count(..)
            | ExprKind::SlotNumber(_)
            | ExprKind::Call(_) => false,
        }
    }

    /// The fields of an element that an expression reads, if it reads nothing else.
    fn element_fields(&self, slot: &KeyedSlot, expr: &Expr) -> Option<Vec<u32>> {
        match &expr.kind {
            ExprKind::Read(place) => self.fields_of(slot, place),
            ExprKind::Convert(inner) if self.model.types.union_offset(expr.ty, inner.ty).is_some() => {
                self.element_fields(slot, inner)
            }
            ExprKind::Const(_)
            | ExprKind::IsUndefined(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::SameAggregate(..)
            | ExprKind::Conditional(..)
            | ExprKind::Convert(_)
            | ExprKind::IsMember(..)
            | ExprKind::Quantified(..)
            | ExprKind::Count(..)
            | ExprKind::SlotNumber(_)
            | ExprKind::Call(_) => None,
        }
    }

    fn fields_of(&self, slot: &KeyedSlot, place: &Place) -> Option<Vec<u32>> {
        let at = place.path.iter().position(|projection| matches!(projection, Projection::Element(_)))?;
        if !self.is_element(slot, place, at) {
            return None;
        }
        let field = |projection: &Projection| match projection {
            Projection::Field(field) => Some(*field),
            Projection::Index(_) | Projection::Element(_) | Projection::Numbered(_) => None,
        };
        place.path[at + 1..].iter().map(field).collect()
    }

    /// Whether the first projections of a place, up to and including that at `at`, lead to the element in a slot.
    fn is_element(&self, slot: &KeyedSlot, place: &Place, at: usize) -> bool {
        place.path[at] == Projection::Element(slot.local)
            && self.spot_of(&place.base, &place.path[..at]).as_ref() == Some(&slot.multiset)
    }

    /// The slots that the projection at `at` names an element of.
    pub(super) fn slot_of(&self, place: &Place, at: usize) -> Option<&KeyedSlot> {
        self.keyed.iter().find(|slot| self.is_element(slot, place, at))
    }

    /// Whether a place is just the fields that tell whose an element is.
    pub(super) fn is_key(&self, place: &Place) -> bool {
        self.keyed.iter().any(|slot| self.fields_of(slot, place).as_ref() == Some(&slot.fields))
    }
}
