//! Variables of loops that are read outside of their loops.
//!
//! A loop leaves its variable at the last value, or undefined if there was no round. Whoever reads it there sees what
//! other rounds of an outer loop, or the order of rounds, left behind.

use std::collections::BTreeSet;

use burnside_diag::Span;
use burnside_ir::visit::{Visitor, walk_domain, walk_expr, walk_place, walk_stmt};
use burnside_ir::{Expr, ExprKind, Function, LocalId, Part, Place, PlaceBase, Rule, Stmt, StmtKind};

/// The first such place in a function.
pub(super) fn in_function(function: &Function) -> Option<Span> {
    let mut search = Search::default();
    search.bound.block(&function.body);
    search.block(&function.body);
    search.found
}

/// The first such place in a rule.
pub(super) fn in_rule(rule: &Rule) -> Option<Span> {
    let mut search = Search::default();
    Part::rule(rule).walk(&mut search.bound);
    Part::rule(rule).walk(&mut search);
    search.found
}

/// Locals that some loop binds.
#[derive(Default)]
struct Bound(BTreeSet<LocalId>);

impl Visitor for Bound {
    fn stmt(&mut self, stmt: &Stmt) {
        if let StmtKind::For { local, .. } = &stmt.kind {
            self.0.insert(*local);
        }
        walk_stmt(self, stmt);
    }
}

#[derive(Default)]
struct Search {
    bound: Bound,
    /// The loops, quantifiers and counts that the present place is in.
    open: Vec<LocalId>,
    found: Option<Span>,
}

impl Visitor for Search {
    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Quantified(_, local, domain, body) => {
                walk_domain(self, domain);
                self.open.push(*local);
                self.expr(body);
                self.open.pop();
            }
            ExprKind::Count(local, multiset, condition) => {
                self.place(multiset);
                self.open.push(*local);
                self.expr(condition);
                self.open.pop();
            }
            ExprKind::Const(_)
            | ExprKind::Read(_)
            | ExprKind::IsUndefined(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::SameAggregate(..)
            | ExprKind::Conditional(..)
            | ExprKind::Convert(_)
            | ExprKind::IsMember(..)
            | ExprKind::SlotNumber(_)
            | ExprKind::Call(_) => walk_expr(self, expr),
        }
    }

    fn place(&mut self, place: &Place) {
        if let PlaceBase::Local(local) = place.base
            && self.bound.0.contains(&local)
            && !self.open.contains(&local)
        {
            self.found.get_or_insert(place.span);
        }
        walk_place(self, place);
    }

    fn stmt(&mut self, stmt: &Stmt) {
        if let StmtKind::For { local, domain, body } = &stmt.kind {
            walk_domain(self, domain);
            self.open.push(*local);
            self.block(body);
            self.open.pop();
        } else {
            walk_stmt(self, stmt);
        }
    }
}
