//! Statements as text.

use super::Printer;
use crate::text::lex::quote;
use crate::text::sexp::{Breaking, Sexp};
use crate::{Block, Expr, Place, PutItem, Stmt, StmtKind};

impl Printer<'_> {
    pub(super) fn stmt(self, stmt: &Stmt) -> Sexp {
        let place = |place: &Place| Sexp::Atom(self.place(place));
        let list = |word, items| self.stmt_list(stmt, word, items);
        match &stmt.kind {
            StmtKind::Assign { target, source } => list("assign", vec![place(target), self.operand(source)]),
            StmtKind::Clear(target) => list("clear", vec![place(target)]),
            StmtKind::Bind { local, place: bound } => list("bind", vec![self.local(*local), place(bound)]),
            StmtKind::If { arms, otherwise } => list("if", self.branches(arms, otherwise)),
            StmtKind::While { condition, body } => self.looped(stmt, "while", vec![self.expr(condition)], body),
            StmtKind::For { local, domain, body } => {
                self.looped(stmt, "for", vec![self.local(*local), self.domain(domain)], body)
            }
            StmtKind::Call { call, result: None } => list("call", self.call(call)),
            StmtKind::Call { call, result: Some(local) } => {
                let mut items = vec![self.local(*local)];
                items.extend(self.call(call));
                list("call-into", items)
            }
            StmtKind::Assert { condition, message } => {
                list("assert", vec![self.expr(condition), Sexp::Atom(quote(message))])
            }
            StmtKind::Assume(condition) => list("assume", vec![self.expr(condition)]),
            StmtKind::Cover { property, condition } => {
                list("cover", vec![Sexp::Atom(self.property_ref(*property)), self.expr(condition)])
            }
            StmtKind::Error(message) => list("error", vec![Sexp::Atom(quote(message))]),
            StmtKind::Put(items) => list("put", items.iter().map(|item| self.put_item(item)).collect()),
            StmtKind::Return(result) => list("return", result.iter().map(|result| self.operand(result)).collect()),
            StmtKind::Insert { multiset, element } => list("insert", vec![place(multiset), self.operand(element)]),
            StmtKind::Remove(element) => list("remove", vec![place(element)]),
            StmtKind::RemoveWhere { multiset, local, condition } => {
                list("remove-where", vec![place(multiset), self.local(*local), self.expr(condition)])
            }
        }
    }

    fn stmt_list(self, stmt: &Stmt, word: &str, operands: Vec<Sexp>) -> Sexp {
        let mut items = vec![self.head(word, stmt.span)];
        items.extend(operands);
        Sexp::list(items)
    }

    fn looped(self, stmt: &Stmt, word: &str, control: Vec<Sexp>, body: &Block) -> Sexp {
        let mut items = vec![self.head(word, stmt.span)];
        items.extend(control);
        let breaking = Breaking::After(items.len());
        items.extend(body.iter().map(|stmt| self.stmt(stmt)));
        Sexp::broken(items, breaking)
    }

    fn branches(self, arms: &[(Expr, Block)], otherwise: &Block) -> Vec<Sexp> {
        let mut branches: Vec<Sexp> = arms
            .iter()
            .map(|(condition, block)| {
                let mut items = vec![Sexp::atom("when"), self.expr(condition)];
                items.extend(block.iter().map(|stmt| self.stmt(stmt)));
                Sexp::broken(items, Breaking::After(2))
            })
            .collect();
        if !otherwise.is_empty() {
            let mut items = vec![Sexp::atom("else")];
            items.extend(otherwise.iter().map(|stmt| self.stmt(stmt)));
            branches.push(Sexp::broken(items, Breaking::After(1)));
        }
        branches
    }

    fn put_item(self, item: &PutItem) -> Sexp {
        match item {
            PutItem::Text(text) => Sexp::Atom(quote(text)),
            PutItem::Value(expr) => self.expr(expr),
            PutItem::Place(place) => Sexp::list(vec![Sexp::atom("show"), Sexp::Atom(self.place(place))]),
        }
    }
}
