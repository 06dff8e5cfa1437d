//! Conditions of the form "for every `q`" that look at one `q` at a time.

use burnside_ir::visit::{Visitor, walk_expr, walk_place};
use burnside_ir::{
    Binder, Call, Domain, Expr, ExprKind, LocalId, Place, PlaceBase, Projection, Quantifier, TypeId, UnaryOp,
};

use super::scan::Context;

/// A condition on every point of a class by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pointwise {
    /// The variable that ranges over the class.
    pub local: LocalId,
    /// The type it ranges over.
    pub ty: TypeId,
    /// Reads variables of no class, and those that belong to a parameter or to the variable; nothing else.
    pub body: Expr,
    /// What the body must be for every point.
    pub wanted: bool,
}

impl Pointwise {
    /// The condition in this form, if it has it.
    pub(super) fn of(context: &Context<'_>, condition: &Expr, binders: &[Binder]) -> Option<Self> {
        let (quantified, wanted) = match &condition.kind {
            ExprKind::Unary(UnaryOp::Not, inner) => (&**inner, false),
            _ => (condition, true),
        };
        let ExprKind::Quantified(quantifier, local, domain, body) = &quantified.kind else { return None };
        let Domain::Type(ty) = **domain else { return None };
        let fits = wanted == (*quantifier == Quantifier::Forall) && context.identities.class_of_type(ty).is_some();
        let known: Vec<LocalId> = burnside_ir::params(binders).chain([*local]).collect();
        let mut reads = Reads { context, known, fine: fits };
        reads.expr(body);
        reads.fine.then(|| Self { local: *local, ty, body: (**body).clone(), wanted })
    }
}

struct Reads<'a, 'm> {
    context: &'a Context<'m>,
    known: Vec<LocalId>,
    fine: bool,
}

impl Reads<'_, '_> {
    fn is_known(&self, index: &Expr) -> bool {
        let ExprKind::Read(place) = &index.kind else { return false };
        matches!(place.base, PlaceBase::Local(local) if place.path.is_empty() && self.known.contains(&local))
    }
}

impl Visitor for Reads<'_, '_> {
    fn expr(&mut self, expr: &Expr) {
        self.fine &= match expr.kind {
            ExprKind::Quantified(..) | ExprKind::Count(..) | ExprKind::SlotNumber(_) | ExprKind::SameAggregate(..) => {
                false
            }
            ExprKind::Const(_)
            | ExprKind::Read(_)
            | ExprKind::IsUndefined(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Conditional(..)
            | ExprKind::Convert(_)
            | ExprKind::IsMember(..)
            | ExprKind::Call(_) => true,
        };
        walk_expr(self, expr);
    }

    fn place(&mut self, place: &Place) {
        match &place.base {
            PlaceBase::Global(global) => {
                let types = &self.context.model.types;
                let mut ty = self.context.model.global(*global).ty;
                for projection in &place.path {
                    self.fine &= matches!(projection, Projection::Field(_) | Projection::Index(_));
                    if let (Projection::Index(index), burnside_ir::Type::Array { index: index_ty, .. }) =
                        (projection, types.get(ty))
                        && self.context.identities.acts_on(*index_ty)
                    {
                        self.fine &= self.is_known(index);
                    }
                    ty = projection.part_type(types, ty).unwrap_or(ty);
                }
            }
            PlaceBase::Local(local) => self.fine &= place.path.is_empty() && self.known.contains(local),
            PlaceBase::Call(_) => self.fine = false,
        }
        walk_place(self, place);
    }

    fn call(&mut self, call: &Call) {
        self.fine &= self.context.closed[call.function.index()];
        burnside_ir::visit::walk_call(self, call);
    }
}
