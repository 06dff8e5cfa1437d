//! What the emitter must know about the locals of one rule, property or function before it emits anything.

use std::collections::BTreeSet;

use burnside_ir::visit::{Visitor, walk_binder, walk_call, walk_expr, walk_place, walk_stmt};
use burnside_ir::{Arg, Binder, Call, Expr, ExprKind, LocalId, Place, PlaceBase, Projection, Stmt, StmtKind};

/// How locals are used.
#[derive(Debug, Default)]
pub(crate) struct LocalUse {
    /// A reference to it may exist, so it needs an address.
    pub(crate) referenced: BTreeSet<LocalId>,
    /// Assigned by a statement (or through a reference).
    pub(crate) assigned: BTreeSet<LocalId>,
}

impl LocalUse {
    fn refer(&mut self, place: &Place) {
        if let PlaceBase::Local(local) = place.base {
            self.referenced.insert(local);
            self.assigned.insert(local);
        }
    }

    fn assign(&mut self, place: &Place) {
        if let PlaceBase::Local(local) = place.base {
            self.assigned.insert(local);
        }
    }
}

impl Visitor for LocalUse {
    fn binder(&mut self, binder: &Binder) {
        match binder {
            Binder::Reference { place, .. } => self.refer(place),
            Binder::Param { .. } | Binder::Value { .. } => {}
        }
        walk_binder(self, binder);
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Bind { place, .. } => self.refer(place),
            StmtKind::Assign { target, .. } | StmtKind::Clear(target) => self.assign(target),
            StmtKind::Insert { multiset: place, .. }
            | StmtKind::Remove(place)
            | StmtKind::RemoveWhere { multiset: place, .. } => self.assign(place),
            StmtKind::Call { result: Some(local), .. } => _ = self.assigned.insert(*local),
            StmtKind::Call { result: None, .. }
            | StmtKind::If { .. }
            | StmtKind::While { .. }
            | StmtKind::For { .. }
            | StmtKind::Assert { .. }
            | StmtKind::Assume(_)
            | StmtKind::Cover { .. }
            | StmtKind::Error(_)
            | StmtKind::Put(_)
            | StmtKind::Return(_) => {}
        }
        walk_stmt(self, stmt);
    }

    fn call(&mut self, call: &Call) {
        for arg in &call.args {
            if let Arg::Reference(place) = arg {
                self.refer(place);
            }
        }
        walk_call(self, call);
    }
}

/// The locals an expression reads, those bound inside it included.
pub(crate) fn locals_read(expr: &Expr) -> BTreeSet<LocalId> {
    struct Reads(BTreeSet<LocalId>);
    impl Visitor for Reads {
        fn place(&mut self, place: &Place) {
            if let PlaceBase::Local(local) = place.base {
                self.0.insert(local);
            }
            for step in &place.path {
                if let Projection::Element(slot) = step {
                    self.0.insert(*slot);
                }
            }
            walk_place(self, place);
        }

        fn expr(&mut self, expr: &Expr) {
            if let ExprKind::SlotNumber(slot) = &expr.kind {
                self.0.insert(*slot);
            }
            walk_expr(self, expr);
        }
    }
    let mut reads = Reads(BTreeSet::new());
    reads.expr(expr);
    reads.0
}

/// A rough count of the work an expression takes.
pub(crate) fn cost(expr: &Expr) -> u32 {
    struct Cost(u32);
    impl Visitor for Cost {
        fn expr(&mut self, expr: &Expr) {
            self.0 += match &expr.kind {
                ExprKind::Call(_) => 50,
                ExprKind::Quantified(..) | ExprKind::Count(..) => 20,
                ExprKind::Const(_)
                | ExprKind::Read(_)
                | ExprKind::IsUndefined(_)
                | ExprKind::Unary(..)
                | ExprKind::Binary(..)
                | ExprKind::SameAggregate(..)
                | ExprKind::Conditional(..)
                | ExprKind::Convert(_)
                | ExprKind::IsMember(..)
                | ExprKind::SlotNumber(_) => 1,
            };
            walk_expr(self, expr);
        }
    }
    let mut cost = Cost(0);
    cost.expr(expr);
    cost.0
}
