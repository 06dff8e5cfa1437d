//! Walks over rules that change what they see.

use burnside_diag::Span;
use burnside_ir::{
    Arg, Call, Domain, Expr, ExprKind, Operand, Place, PlaceBase, Projection, PutItem, Rule, Stmt, StmtKind,
};

/// Sees every constant of a rule, and every place in the text.
pub(super) trait Walker {
    fn constant(&mut self, expr: &mut Expr);
    fn span(&mut self, _span: &mut Span) {}
}

pub(super) fn walk_rule(rule: &mut Rule, walker: &mut impl Walker) {
    walk(&mut rule.guard, walker);
    walk_block(&mut rule.action, walker);
}

pub(super) fn walk(expr: &mut Expr, walker: &mut impl Walker) {
    walker.span(&mut expr.span);
    match &mut expr.kind {
        ExprKind::Const(_) => walker.constant(expr),
        ExprKind::SlotNumber(_) => {}
        ExprKind::Read(place) | ExprKind::IsUndefined(place) | ExprKind::IsMember(place, _) => {
            walk_place(place, walker)
        }
        ExprKind::Unary(_, inner) | ExprKind::Convert(inner) => walk(inner, walker),
        ExprKind::Binary(_, left, right) => {
            walk(left, walker);
            walk(right, walker);
        }
        ExprKind::SameAggregate(left, right) => {
            walk_place(left, walker);
            walk_place(right, walker);
        }
        ExprKind::Conditional(condition, yes, no) => {
            walk(condition, walker);
            walk(yes, walker);
            walk(no, walker);
        }
        ExprKind::Quantified(_, _, domain, body) => {
            walk_domain(domain, walker);
            walk(body, walker);
        }
        ExprKind::Count(_, multiset, condition) => {
            walk_place(multiset, walker);
            walk(condition, walker);
        }
        ExprKind::Call(call) => walk_call(call, walker),
    }
}

fn walk_domain(domain: &mut Domain, walker: &mut impl Walker) {
    match domain {
        Domain::Type(_) => {}
        Domain::Range { from, to, .. } => {
            walk(from, walker);
            walk(to, walker);
        }
        Domain::Slots(place) => walk_place(place, walker),
    }
}

fn walk_place(place: &mut Place, walker: &mut impl Walker) {
    walker.span(&mut place.span);
    if let PlaceBase::Call(call) = &mut place.base {
        walk_call(call, walker);
    }
    for step in &mut place.path {
        match step {
            Projection::Field(_) | Projection::Element(_) => {}
            Projection::Index(index) | Projection::Numbered(index) => walk(index, walker),
        }
    }
}

fn walk_call(call: &mut Call, walker: &mut impl Walker) {
    walker.span(&mut call.span);
    for arg in &mut call.args {
        match arg {
            Arg::Value(operand) => walk_operand(operand, walker),
            Arg::Reference(place) => walk_place(place, walker),
        }
    }
}

fn walk_operand(operand: &mut Operand, walker: &mut impl Walker) {
    match operand {
        Operand::Value(expr) => walk(expr, walker),
        Operand::Copy(place) => walk_place(place, walker),
        Operand::Undefined => {}
    }
}

fn walk_block(block: &mut [Stmt], walker: &mut impl Walker) {
    for stmt in block {
        walker.span(&mut stmt.span);
        match &mut stmt.kind {
            StmtKind::Assign { target, source } => {
                walk_place(target, walker);
                walk_operand(source, walker);
            }
            StmtKind::Clear(place) | StmtKind::Remove(place) | StmtKind::Bind { place, .. } => {
                walk_place(place, walker);
            }
            StmtKind::If { arms, otherwise } => {
                for (condition, block) in arms {
                    walk(condition, walker);
                    walk_block(block, walker);
                }
                walk_block(otherwise, walker);
            }
            StmtKind::While { condition, body } => {
                walk(condition, walker);
                walk_block(body, walker);
            }
            StmtKind::For { domain, body, .. } => {
                walk_domain(domain, walker);
                walk_block(body, walker);
            }
            StmtKind::Call { call, .. } => walk_call(call, walker),
            StmtKind::Assert { condition, .. } | StmtKind::Assume(condition) | StmtKind::Cover { condition, .. } => {
                walk(condition, walker);
            }
            StmtKind::Error(_) | StmtKind::Return(None) => {}
            StmtKind::Put(items) => items.iter_mut().for_each(|item| match item {
                PutItem::Text(_) => {}
                PutItem::Value(expr) => walk(expr, walker),
                PutItem::Place(place) => walk_place(place, walker),
            }),
            StmtKind::Return(Some(operand)) => walk_operand(operand, walker),
            StmtKind::Insert { multiset, element } => {
                walk_place(multiset, walker);
                walk_operand(element, walker);
            }
            StmtKind::RemoveWhere { multiset, condition, .. } => {
                walk_place(multiset, walker);
                walk(condition, walker);
            }
        }
    }
}
