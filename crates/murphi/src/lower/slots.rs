//! Names of elements of multisets.
//!
//! In the IR a slot local names an element of the multiset that its binder goes through, and that multiset is written in
//! the same words wherever the local is used. Murphi lets the name stand as a number, and as an index of another multiset
//! of the same type: both become an explicit use of the element's position.

use std::collections::HashMap;

use burnside_ir::{Binder, Expr, ExprKind, LocalId, LocalMode, Place, PlaceBase, Projection, TypeId};

use super::frame::Frame;
use crate::typed::{self, Base, Role, VarId};

/// The multisets that slot locals belong to.
#[derive(Default)]
pub(super) struct Homes {
    homes: HashMap<LocalId, Place>,
    /// What aliases stand for, if that never changes.
    aliases: HashMap<LocalId, Place>,
}

impl Homes {
    /// A place with aliases replaced by what they stand for.
    fn expanded(&self, place: &Place) -> Place {
        match place.base {
            PlaceBase::Local(local) => match self.aliases.get(&local) {
                Some(whole) => {
                    let path = whole.path.iter().chain(&place.path).cloned().collect();
                    Place { base: whole.base.clone(), path, ..place.clone() }
                }
                None => place.clone(),
            },
            PlaceBase::Global(_) | PlaceBase::Call(_) => place.clone(),
        }
    }
}

impl Frame<'_> {
    /// Gives a slot local its number.
    pub(super) fn bind_slot(&mut self, var: VarId, multiset: &Place) -> LocalId {
        let local = self.bind(var, LocalMode::Slot);
        self.set_type(local, multiset.ty);
        self.homes.homes.insert(local, multiset.clone());
        local
    }

    /// The multiset of a `choose`, in words that mean the same throughout the rule.
    pub(super) fn steady_set(&mut self, set: &typed::Place, binders: &mut Vec<Binder>) -> Place {
        let place = self.place(set);
        if self.is_steady(&place) {
            return place;
        }
        let local = self.temporary("set", place.ty, LocalMode::Reference, set.span);
        let (ty, span) = (place.ty, place.span);
        binders.push(Binder::Reference { local, place });
        Place::local(local, ty, span)
    }

    /// Notes what an alias around a rule stands for.
    pub(super) fn note_alias(&mut self, local: LocalId, place: &Place) {
        let place = self.homes.expanded(place);
        if self.is_steady(&place) {
            self.homes.aliases.insert(local, place);
        }
    }

    /// Whether all indices are constants or parameters of the rule.
    fn is_steady(&self, place: &Place) -> bool {
        place.path.iter().all(|step| match step {
            Projection::Field(_) => true,
            Projection::Index(index) => self.is_fixed(index),
            Projection::Element(_) | Projection::Numbered(_) => false,
        })
    }

    fn is_fixed(&self, index: &Expr) -> bool {
        match &index.kind {
            ExprKind::Const(_) => true,
            ExprKind::Read(read) => match read.base {
                PlaceBase::Local(local) => read.path.is_empty() && self.params.contains(&local),
                PlaceBase::Global(_) | PlaceBase::Call(_) => false,
            },
            ExprKind::Convert(inner) => self.is_fixed(inner),
            _ => false,
        }
    }

    /// The slot local that a place is, if it is nothing but one.
    pub(super) fn slot_named(&mut self, place: &typed::Place) -> Option<LocalId> {
        let Base::Local(var) = place.base else { return None };
        let is_slot = place.path.is_empty() && matches!(self.lowering.program.local(var).role, Role::Slot(_));
        is_slot.then(|| self.local(var))
    }

    /// The step to the element that an index names, from a multiset.
    pub(super) fn element(&mut self, multiset: &mut Place, slot: &typed::Expr) -> Projection {
        let typed::ExprKind::Read(place) = &slot.kind else { unreachable!("checking lets only names index multisets") };
        let local = self.slot_named(place).expect("checking lets only slots index multisets");
        let home = &self.homes.homes[&local];
        if same_place(&self.homes.expanded(home), &self.homes.expanded(multiset)) {
            let home = Place { span: multiset.span, ..home.clone() };
            *multiset = home;
            return Projection::Element(local);
        }
        let kind = ExprKind::SlotNumber(local);
        Projection::Numbered(Box::new(Expr { kind, ty: TypeId::INT, span: slot.span }))
    }
}

/// Whether two places are written alike.
fn same_place(one: &Place, other: &Place) -> bool {
    let same_step = |(one, other): (&Projection, &Projection)| match (one, other) {
        (Projection::Field(one), Projection::Field(other)) => one == other,
        (Projection::Index(one), Projection::Index(other)) => same_expr(one, other),
        (Projection::Element(one), Projection::Element(other)) => one == other,
        (Projection::Numbered(one), Projection::Numbered(other)) => same_expr(one, other),
        _ => false,
    };
    one.base == other.base && one.path.len() == other.path.len() && one.path.iter().zip(&other.path).all(same_step)
}

fn same_expr(one: &Expr, other: &Expr) -> bool {
    match (&one.kind, &other.kind) {
        (ExprKind::Const(one), ExprKind::Const(other)) => one == other,
        (ExprKind::Read(one), ExprKind::Read(other)) => same_place(one, other),
        (ExprKind::Convert(one_inner), ExprKind::Convert(other_inner)) => {
            one.ty == other.ty && same_expr(one_inner, other_inner)
        }
        (ExprKind::Unary(one_op, one), ExprKind::Unary(other_op, other)) => one_op == other_op && same_expr(one, other),
        (ExprKind::Binary(one_op, a, b), ExprKind::Binary(other_op, c, d)) => {
            one_op == other_op && same_expr(a, c) && same_expr(b, d)
        }
        _ => false,
    }
}
