//! Checks of statements, and of which references are bound where.

use burnside_diag::Span;

use super::slots::Scope;
use super::{Checker, DefectKind, Table};
use crate::{
    Block, Call, Expr, LocalId, LocalMode, Operand, Place, Projection, PropertyId, PropertyKind, PutItem, Stmt,
    StmtKind,
};

impl Checker<'_> {
    pub(super) fn block(&mut self, block: &Block) {
        for stmt in block {
            self.nested(stmt.span, |checker| checker.stmt(stmt));
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Assign { target, source } => {
                self.writable(target);
                self.operand(source);
                self.storable(target.ty, source, span);
            }
            StmtKind::Clear(target) => self.writable(target),
            StmtKind::Bind { local, place } => self.bind_reference(*local, place, span),
            StmtKind::If { arms, otherwise } => self.branches(arms, otherwise),
            StmtKind::While { condition, body } => {
                self.condition(condition);
                self.round(body);
            }
            StmtKind::For { local, domain, body } => {
                self.bind_each(*local, domain, Scope::Block(body), span);
                self.round(body);
                self.close_slot(*local);
            }
            StmtKind::Call { call, result } => self.called(call, *result, span),
            StmtKind::Assert { condition, .. } | StmtKind::Assume(condition) => self.condition(condition),
            StmtKind::Cover { property, condition } => {
                self.cover_point(*property, span);
                self.condition(condition);
            }
            StmtKind::Error(_) => self.bound.fill(true),
            StmtKind::Put(items) => items.iter().for_each(|item| self.put_item(item)),
            StmtKind::Return(result) => self.returned(result.as_ref(), span),
            StmtKind::Insert { multiset, element } => {
                self.writable_multiset(multiset);
                self.operand(element);
                if let Some(wanted) = self.element_type(multiset.ty) {
                    self.storable(wanted, element, span);
                }
            }
            StmtKind::Remove(element) => {
                self.writable(element);
                let fits = matches!(element.path.last(), Some(Projection::Element(_) | Projection::Numbered(_)));
                self.require(fits, element.span, DefectKind::NotElement);
            }
            StmtKind::RemoveWhere { multiset, local, condition } => {
                self.writable_multiset(multiset);
                self.open_slot(*local, multiset, Scope::Removal(condition), span);
                self.condition(condition);
                self.close_slot(*local);
            }
        }
    }

    fn writable_multiset(&mut self, multiset: &Place) {
        self.writable(multiset);
        self.multiset(multiset.ty, multiset.span);
    }

    /// A call as a statement, and where its result goes.
    fn called(&mut self, call: &Call, result: Option<LocalId>, span: Span) {
        let Some(local) = result else { return self.call(call) };
        let found = self.call_type(call);
        let target = self.bindable(local, LocalMode::Owned, span);
        if let (Some(target), Some(found)) = (target, found) {
            self.require(self.alike(target, found), span, DefectKind::Mismatch(target, found));
        }
    }

    /// After branches only those references are bound that all of them bind; a branch that does not reach its end
    /// counts as binding everything.
    fn branches(&mut self, arms: &[(Expr, Block)], otherwise: &Block) {
        let before = self.bound.clone();
        let mut after = vec![true; before.len()];
        let mut branch = |checker: &mut Self, block: &Block| {
            checker.bound.clone_from(&before);
            checker.block(block);
            for (after, bound) in after.iter_mut().zip(&checker.bound) {
                *after &= bound;
            }
        };
        for (condition, block) in arms {
            self.bound.clone_from(&before);
            self.condition(condition);
            branch(self, block);
        }
        branch(self, otherwise);
        self.bound = after;
    }

    /// The body of a loop, which may be left out altogether.
    fn round(&mut self, body: &Block) {
        let before = self.bound.clone();
        self.block(body);
        self.bound = before;
    }

    fn cover_point(&mut self, property: PropertyId, span: Span) {
        match self.model.properties.get(property.index()) {
            None => self.report(span, DefectKind::NoSuch(Table::Properties, property.0)),
            Some(found) => {
                let fits = found.kind == PropertyKind::CoverPoint;
                self.require(fits, span, DefectKind::NotCoverPoint(property));
            }
        }
    }

    fn put_item(&mut self, item: &PutItem) {
        match item {
            PutItem::Text(_) => {}
            PutItem::Value(expr) => self.expr(expr),
            PutItem::Place(place) => self.place(place),
        }
    }

    fn returned(&mut self, result: Option<&Operand>, span: Span) {
        match (self.result, result) {
            (Some(wanted), Some(operand)) => {
                self.operand(operand);
                self.storable(wanted, operand, span);
            }
            (Some(_), None) => self.report(span, DefectKind::ResultMissing),
            (None, Some(_)) => self.report(span, DefectKind::ResultUnwanted),
            (None, None) => {}
        }
        self.bound.fill(true);
    }
}
