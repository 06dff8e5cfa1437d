//! Changing a model in many places at once.

use burnside_ir::{
    Arg, Binder, Block, Call, Domain, Expr, ExprKind, LocalId, Locals, Model, Operand, Place, PlaceBase, Projection,
    PutItem, Stmt, StmtKind, TypeId,
};

/// Sees every node of a model, in the order of the text. A method that is replaced calls the function of the same name
/// below to go on to the parts of its node.
pub trait Visitor {
    /// An expression.
    fn expr(&mut self, expr: &mut Expr) {
        walk_expr(self, expr);
    }

    /// A place.
    fn place(&mut self, place: &mut Place) {
        walk_place(self, place);
    }

    /// An operand.
    fn operand(&mut self, operand: &mut Operand) {
        walk_operand(self, operand);
    }

    /// A call.
    fn call(&mut self, call: &mut Call) {
        walk_call(self, call);
    }

    /// A domain.
    fn domain(&mut self, domain: &mut Domain) {
        walk_domain(self, domain);
    }

    /// A block.
    fn block(&mut self, block: &mut Block) {
        walk_block(self, block);
    }

    /// A statement.
    fn stmt(&mut self, stmt: &mut Stmt) {
        walk_stmt(self, stmt);
    }

    /// The locals of a declaration, before the rest of it.
    fn locals(&mut self, locals: &mut Locals) {
        for local in locals {
            self.ty(&mut local.ty);
        }
    }

    /// The use of a local.
    fn local(&mut self, _local: &mut LocalId) {}

    /// The use of a type outside the definitions of types.
    fn ty(&mut self, _ty: &mut TypeId) {}
}

/// Visits the whole model.
pub fn walk_model<V: Visitor + ?Sized>(visitor: &mut V, model: &mut Model) {
    for global in &mut model.globals {
        visitor.ty(&mut global.ty);
    }
    for function in &mut model.functions {
        visitor.locals(&mut function.locals);
        function.result.iter_mut().for_each(|ty| visitor.ty(ty));
        visitor.block(&mut function.body);
    }
    for start in &mut model.starts {
        visitor.locals(&mut start.locals);
        walk_binders(visitor, &mut start.binders);
        visitor.block(&mut start.action);
    }
    for rule in &mut model.rules {
        visitor.locals(&mut rule.locals);
        walk_binders(visitor, &mut rule.binders);
        visitor.expr(&mut rule.guard);
        visitor.block(&mut rule.action);
    }
    for property in &mut model.properties {
        visitor.locals(&mut property.locals);
        walk_binders(visitor, &mut property.binders);
        visitor.expr(&mut property.condition);
    }
}

fn walk_binders<V: Visitor + ?Sized>(visitor: &mut V, binders: &mut [Binder]) {
    for binder in binders {
        match binder {
            Binder::Param { local, domain } => {
                visitor.local(local);
                visitor.domain(domain);
            }
            Binder::Value { local, source } => {
                visitor.local(local);
                visitor.operand(source);
            }
            Binder::Reference { local, place } => {
                visitor.local(local);
                visitor.place(place);
            }
        }
    }
}

/// Visits the parts of an expression.
pub fn walk_expr<V: Visitor + ?Sized>(visitor: &mut V, expr: &mut Expr) {
    visitor.ty(&mut expr.ty);
    match &mut expr.kind {
        ExprKind::Const(_) => {}
        ExprKind::Read(place) | ExprKind::IsUndefined(place) => visitor.place(place),
        ExprKind::Unary(_, operand) | ExprKind::Convert(operand) => visitor.expr(operand),
        ExprKind::Binary(_, left, right) => {
            visitor.expr(left);
            visitor.expr(right);
        }
        ExprKind::SameAggregate(left, right) => {
            visitor.place(left);
            visitor.place(right);
        }
        ExprKind::Conditional(condition, then, other) => {
            visitor.expr(condition);
            visitor.expr(then);
            visitor.expr(other);
        }
        ExprKind::IsMember(place, member) => {
            visitor.place(place);
            visitor.ty(member);
        }
        ExprKind::Quantified(_, local, domain, body) => {
            visitor.local(local);
            visitor.domain(domain);
            visitor.expr(body);
        }
        ExprKind::Count(local, multiset, condition) => {
            visitor.local(local);
            visitor.place(multiset);
            visitor.expr(condition);
        }
        ExprKind::SlotNumber(local) => visitor.local(local),
        ExprKind::Call(call) => visitor.call(call),
    }
}

/// Visits the parts of a place.
pub fn walk_place<V: Visitor + ?Sized>(visitor: &mut V, place: &mut Place) {
    match &mut place.base {
        PlaceBase::Global(_) => {}
        PlaceBase::Local(local) => visitor.local(local),
        PlaceBase::Call(call) => visitor.call(call),
    }
    for step in &mut place.path {
        match step {
            Projection::Field(_) => {}
            Projection::Index(expr) | Projection::Numbered(expr) => visitor.expr(expr),
            Projection::Element(local) => visitor.local(local),
        }
    }
    visitor.ty(&mut place.ty);
}

/// Visits the parts of an operand.
pub fn walk_operand<V: Visitor + ?Sized>(visitor: &mut V, operand: &mut Operand) {
    match operand {
        Operand::Value(expr) => visitor.expr(expr),
        Operand::Copy(place) => visitor.place(place),
        Operand::Undefined => {}
    }
}

/// Visits the arguments of a call.
pub fn walk_call<V: Visitor + ?Sized>(visitor: &mut V, call: &mut Call) {
    for arg in &mut call.args {
        match arg {
            Arg::Value(operand) => visitor.operand(operand),
            Arg::Reference(place) => visitor.place(place),
        }
    }
}

/// Visits the parts of a domain.
pub fn walk_domain<V: Visitor + ?Sized>(visitor: &mut V, domain: &mut Domain) {
    match domain {
        Domain::Type(ty) => visitor.ty(ty),
        Domain::Range { from, to, .. } => {
            visitor.expr(from);
            visitor.expr(to);
        }
        Domain::Slots(multiset) => visitor.place(multiset),
    }
}

/// Visits the statements of a block.
pub fn walk_block<V: Visitor + ?Sized>(visitor: &mut V, block: &mut Block) {
    for stmt in block {
        visitor.stmt(stmt);
    }
}

/// Visits the parts of a statement.
pub fn walk_stmt<V: Visitor + ?Sized>(visitor: &mut V, stmt: &mut Stmt) {
    match &mut stmt.kind {
        StmtKind::Assign { target, source } => {
            visitor.place(target);
            visitor.operand(source);
        }
        StmtKind::Clear(target) | StmtKind::Remove(target) => visitor.place(target),
        StmtKind::Bind { local, place } => {
            visitor.local(local);
            visitor.place(place);
        }
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
        StmtKind::For { local, domain, body } => {
            visitor.local(local);
            visitor.domain(domain);
            visitor.block(body);
        }
        StmtKind::Call { call, result } => {
            visitor.call(call);
            if let Some(local) = result {
                visitor.local(local);
            }
        }
        StmtKind::Assert { condition, .. } | StmtKind::Assume(condition) | StmtKind::Cover { condition, .. } => {
            visitor.expr(condition);
        }
        StmtKind::Error(_) | StmtKind::Return(None) => {}
        StmtKind::Put(items) => items.iter_mut().for_each(|item| match item {
            PutItem::Text(_) => {}
            PutItem::Value(expr) => visitor.expr(expr),
            PutItem::Place(place) => visitor.place(place),
        }),
        StmtKind::Return(Some(operand)) => visitor.operand(operand),
        StmtKind::Insert { multiset, element } => {
            visitor.place(multiset);
            visitor.operand(element);
        }
        StmtKind::RemoveWhere { multiset, local, condition } => {
            visitor.place(multiset);
            visitor.local(local);
            visitor.expr(condition);
        }
    }
}
