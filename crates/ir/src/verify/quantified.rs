//! Checks of the variables of quantifiers: each is known inside of its quantifier and nowhere else.
//!
// SOUND: evaluating a quantifier sets its variable. What it leaves there depends on where evaluation stopped: at the
// first value that decides, or, where identities are interchangeable, behind the last. An expression changes nothing
// only if nobody sees that.

use std::collections::{BTreeMap, BTreeSet};

use burnside_diag::Span;

use crate::visit::{Visitor, walk_binder, walk_domain, walk_expr, walk_place, walk_stmt};
use crate::{Binder, Expr, ExprKind, LocalId, Place, PlaceBase, Stmt, StmtKind};

/// The locals that quantifiers bind.
#[derive(Default)]
pub(super) struct Quantified(BTreeSet<LocalId>);

impl Visitor for Quantified {
    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::Quantified(_, local, ..) = &expr.kind {
            self.0.insert(*local);
        }
        walk_expr(self, expr);
    }
}

/// Where a variable of a quantifier is used outside of it, or set by something else.
pub(super) struct Escapes {
    quantified: BTreeSet<LocalId>,
    /// The quantifiers around the present place.
    open: Vec<LocalId>,
    /// The first such place for each variable.
    pub(super) found: BTreeMap<LocalId, Span>,
}

impl Escapes {
    pub(super) fn new(Quantified(quantified): Quantified) -> Self {
        Self { quantified, open: Vec::new(), found: BTreeMap::new() }
    }

    fn set_elsewhere(&mut self, local: LocalId, span: Span) {
        if self.quantified.contains(&local) {
            self.found.entry(local).or_insert(span);
        }
    }
}

impl Visitor for Escapes {
    fn binder(&mut self, binder: &Binder) {
        self.set_elsewhere(binder.local(), Span::NOWHERE);
        walk_binder(self, binder);
    }

    fn expr(&mut self, expr: &Expr) {
        let ExprKind::Quantified(_, local, domain, body) = &expr.kind else { return walk_expr(self, expr) };
        if self.open.contains(local) {
            self.set_elsewhere(*local, expr.span);
        }
        walk_domain(self, domain);
        self.open.push(*local);
        self.expr(body);
        self.open.pop();
    }

    fn place(&mut self, place: &Place) {
        if let PlaceBase::Local(local) = place.base
            && !self.open.contains(&local)
        {
            self.set_elsewhere(local, place.span);
        }
        walk_place(self, place);
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::For { local, .. } | StmtKind::Bind { local, .. } | StmtKind::Call { result: Some(local), .. } => {
                self.set_elsewhere(*local, stmt.span);
            }
            // Slot locals are nobody else's anyway, and all other statements name what they set by a place.
            StmtKind::RemoveWhere { .. }
            | StmtKind::Assign { .. }
            | StmtKind::Clear(_)
            | StmtKind::Insert { .. }
            | StmtKind::Remove(_)
            | StmtKind::If { .. }
            | StmtKind::While { .. }
            | StmtKind::Call { result: None, .. }
            | StmtKind::Assert { .. }
            | StmtKind::Assume(_)
            | StmtKind::Cover { .. }
            | StmtKind::Error(_)
            | StmtKind::Put(_)
            | StmtKind::Return(_) => {}
        }
        walk_stmt(self, stmt);
    }
}
