//! Walks over expressions, places and statements, for analyses that look for something anywhere inside.

use crate::{
    Arg, Binder, Block, Call, Domain, Expr, ExprKind, Operand, Place, PlaceBase, Projection, PutItem, Stmt, StmtKind,
};

/// Sees every node of what it is sent over. A method that does not call the matching `walk_…` function leaves out what
/// is inside the node.
pub trait Visitor {
    /// An expression.
    fn expr(&mut self, expr: &Expr) {
        walk_expr(self, expr);
    }

    /// A place, wherever it stands.
    fn place(&mut self, place: &Place) {
        walk_place(self, place);
    }

    /// A statement.
    fn stmt(&mut self, stmt: &Stmt) {
        walk_stmt(self, stmt);
    }

    /// A call, in an expression, a place or a statement.
    fn call(&mut self, call: &Call) {
        walk_call(self, call);
    }

    /// A binder of a rule, start state or property.
    fn binder(&mut self, binder: &Binder) {
        walk_binder(self, binder);
    }

    /// A block.
    fn block(&mut self, block: &Block) {
        for stmt in block {
            self.stmt(stmt);
        }
    }
}

/// Visits what an expression consists of.
pub fn walk_expr<V: Visitor + ?Sized>(visitor: &mut V, expr: &Expr) {
    match &expr.kind {
        ExprKind::Const(_) | ExprKind::SlotNumber(_) => {}
        ExprKind::Read(place) | ExprKind::IsUndefined(place) | ExprKind::IsMember(place, _) => visitor.place(place),
        ExprKind::Unary(_, operand) | ExprKind::Convert(operand) => visitor.expr(operand),
        ExprKind::Binary(_, left, right) => {
            visitor.expr(left);
            visitor.expr(right);
        }
        ExprKind::SameAggregate(left, right) => {
            visitor.place(left);
            visitor.place(right);
        }
        ExprKind::Conditional(condition, yes, no) => {
            visitor.expr(condition);
            visitor.expr(yes);
            visitor.expr(no);
        }
        ExprKind::Quantified(_, _, domain, body) => {
            walk_domain(visitor, domain);
            visitor.expr(body);
        }
        ExprKind::Count(_, multiset, condition) => {
            visitor.place(multiset);
            visitor.expr(condition);
        }
        ExprKind::Call(call) => visitor.call(call),
    }
}

/// Visits what a place consists of.
pub fn walk_place<V: Visitor + ?Sized>(visitor: &mut V, place: &Place) {
    if let PlaceBase::Call(call) = &place.base {
        visitor.call(call);
    }
    for projection in &place.path {
        match projection {
            Projection::Field(_) | Projection::Element(_) => {}
            Projection::Index(index) | Projection::Numbered(index) => visitor.expr(index),
        }
    }
}

/// Visits what a call consists of.
pub fn walk_call<V: Visitor + ?Sized>(visitor: &mut V, call: &Call) {
    for arg in &call.args {
        match arg {
            Arg::Value(operand) => walk_operand(visitor, operand),
            Arg::Reference(place) => visitor.place(place),
        }
    }
}

/// Visits what an operand consists of.
pub fn walk_operand<V: Visitor + ?Sized>(visitor: &mut V, operand: &Operand) {
    match operand {
        Operand::Value(expr) => visitor.expr(expr),
        Operand::Copy(place) => visitor.place(place),
        Operand::Undefined => {}
    }
}

/// Visits what a domain consists of.
pub fn walk_domain<V: Visitor + ?Sized>(visitor: &mut V, domain: &Domain) {
    match domain {
        Domain::Type(_) => {}
        Domain::Range { from, to, .. } => {
            visitor.expr(from);
            visitor.expr(to);
        }
        Domain::Slots(place) => visitor.place(place),
    }
}

/// Visits what a binder consists of.
pub fn walk_binder<V: Visitor + ?Sized>(visitor: &mut V, binder: &Binder) {
    match binder {
        Binder::Param { domain, .. } => walk_domain(visitor, domain),
        Binder::Value { source, .. } => walk_operand(visitor, source),
        Binder::Reference { place, .. } => visitor.place(place),
    }
}

/// Visits what a statement consists of.
pub fn walk_stmt<V: Visitor + ?Sized>(visitor: &mut V, stmt: &Stmt) {
    match &stmt.kind {
        StmtKind::Assign { target, source } | StmtKind::Insert { multiset: target, element: source } => {
            visitor.place(target);
            walk_operand(visitor, source);
        }
        StmtKind::Clear(place) | StmtKind::Bind { place, .. } | StmtKind::Remove(place) => visitor.place(place),
        StmtKind::If { arms, otherwise } => {
            for (condition, block) in arms {
                visitor.expr(condition);
                visitor.block(block);
            }
            visitor.block(otherwise);
        }
        StmtKind::While { condition, body } => {
            visitor.expr(condition);
            visitor.block(body);
        }
        StmtKind::For { domain, body, .. } => {
            walk_domain(visitor, domain);
            visitor.block(body);
        }
        StmtKind::Call { call, .. } => visitor.call(call),
        StmtKind::Assert { condition, .. } | StmtKind::Assume(condition) | StmtKind::Cover { condition, .. } => {
            visitor.expr(condition);
        }
        StmtKind::Error(_) | StmtKind::Return(None) => {}
        StmtKind::Put(items) => {
            for item in items {
                match item {
                    PutItem::Text(_) => {}
                    PutItem::Value(expr) => visitor.expr(expr),
                    PutItem::Place(place) => visitor.place(place),
                }
            }
        }
        StmtKind::Return(Some(operand)) => walk_operand(visitor, operand),
        StmtKind::RemoveWhere { multiset, condition, .. } => {
            visitor.place(multiset);
            visitor.expr(condition);
        }
    }
}
