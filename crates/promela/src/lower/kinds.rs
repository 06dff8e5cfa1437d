//! Which types have something to do with each other: those between which rules move values.

use burnside_ir::visit::{Visitor, walk_expr, walk_place, walk_stmt};
use burnside_ir::{
    BinaryOp, Expr, ExprKind, Global, Local, Operand, Place, PlaceBase, Projection, Rule, Stmt, StmtKind, Type, TypeId,
    Types,
};

/// For each type, one that stands for all types between which rules convert, compare or copy values, or index.
pub(super) fn kinds(rules: &[Rule], types: &Types, globals: &[Global]) -> Vec<TypeId> {
    let n_types = types.iter().len() as u32;
    let mut kinds = Kinds { types, globals, locals: &[], leaders: (0..n_types).map(TypeId).collect() };
    for rule in rules {
        kinds.locals = &rule.locals;
        kinds.expr(&rule.guard);
        kinds.block(&rule.action);
    }
    (0..n_types).map(|ty| kinds.leader(TypeId(ty))).collect()
}

struct Kinds<'a> {
    types: &'a Types,
    globals: &'a [Global],
    locals: &'a [Local],
    leaders: Vec<TypeId>,
}

impl Kinds<'_> {
    fn leader(&self, mut ty: TypeId) -> TypeId {
        while self.leaders[ty.index()] != ty {
            ty = self.leaders[ty.index()];
        }
        ty
    }

    fn link(&mut self, one: TypeId, other: TypeId) {
        if [one, other].iter().all(|&ty| matches!(self.types.get(ty), Type::Range { .. } | Type::Enum { .. })) {
            let (one, other) = (self.leader(one), self.leader(other));
            self.leaders[one.max(other).index()] = one.min(other);
        }
    }

    /// A value of a type is computed from what an expression reads.
    fn flow(&mut self, expr: &Expr, to: TypeId) {
        struct Leaves(Vec<TypeId>);
        impl Visitor for Leaves {
            fn place(&mut self, place: &Place) {
                self.0.push(place.ty);
            }
        }
        let mut leaves = Leaves(vec![expr.ty]);
        leaves.expr(expr);
        leaves.0.into_iter().for_each(|leaf| self.link(to, leaf));
    }
}

impl Visitor for Kinds<'_> {
    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Convert(inner) => self.flow(inner, expr.ty),
            ExprKind::Binary(BinaryOp::Eq | BinaryOp::Ne, left, right) => self.link(left.ty, right.ty),
            _ => {}
        }
        walk_expr(self, expr);
    }

    fn place(&mut self, place: &Place) {
        let mut ty = match &place.base {
            PlaceBase::Global(global) => Some(self.globals[global.index()].ty),
            PlaceBase::Local(local) => self.locals.get(local.index()).map(|local| local.ty),
            PlaceBase::Call(_) => None,
        };
        for step in &place.path {
            if let (Some(whole), Projection::Index(index)) = (ty, step)
                && let &Type::Array { index: wanted, .. } = self.types.get(whole)
            {
                self.flow(index, wanted);
            }
            ty = ty.and_then(|whole| step.part_type(self.types, whole));
        }
        walk_place(self, place);
    }

    fn stmt(&mut self, stmt: &Stmt) {
        if let StmtKind::Assign { target, source: Operand::Value(value) } = &stmt.kind {
            self.flow(value, target.ty);
        }
        walk_stmt(self, stmt);
    }
}
