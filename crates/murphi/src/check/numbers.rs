//! Members of scalarsets as numbers, and numbers as members; neighbours in ringsets.
//!
//! Murphi's own rules forbid both, so that any exchange of members is a symmetry. Here they are allowed: the members
//! are numbered from 1, as their printed names are, and whoever uses a number tells members apart. What symmetry is left
//! is found later; a note says where it was given up.

use burnside_diag::{Code, Diagnostic, Span};
use burnside_ir::{BinaryOp, SortKind, Type, TypeId};

use super::Checker;
use crate::ast;
use crate::codes;
use crate::typed::{Expr, ExprKind};

impl Checker<'_> {
    /// A member of a scalarset as its number.
    pub(super) fn number(&mut self, member: Expr) -> Expr {
        let message = format!("{} uses the numbers of members of {}", self.within, self.show(member.ty));
        self.note_numbers(codes::SCALARSET_ARITHMETIC, message, member.span);
        number_of(member)
    }

    /// The member of a scalarset that has the given number.
    pub(super) fn member(&mut self, number: Expr, scalarset: TypeId) -> Option<Expr> {
        let (span, shown) = (number.span, self.show(scalarset));
        let size = self.types().shape(scalarset).cardinality() as i64;
        if let Some(value) = number.as_const() {
            if !(1..=size).contains(&value) {
                let message = format!("{value} is not the number of a member of {shown}");
                let finding = Diagnostic::error(codes::SCALARSET_LITERAL, message, span)
                    .help(format!("its members are numbered from 1 to {size}"));
                self.report(finding);
                return None;
            }
            let message = format!("{} names member {value} of {shown}", self.within);
            self.note_numbers(codes::SCALARSET_LITERAL, message, span);
            return Some(Expr::constant(scalarset, value - 1, span));
        }
        let message = format!("{} takes a number for a member of {shown}", self.within);
        self.note_numbers(codes::SCALARSET_LITERAL, message, span);
        let one = Expr::constant(TypeId::INT, 1, span);
        let kind = ExprKind::Binary(BinaryOp::Sub, Box::new(number), Box::new(one));
        let ordinal = Expr { kind, ty: TypeId::INT, span };
        Some(Expr { kind: ExprKind::Convert(Box::new(ordinal)), ty: scalarset, span })
    }

    pub(super) fn has_ringset(&self) -> bool {
        self.types().sorts().any(|(_, sort)| sort.kind == SortKind::Ring)
    }

    /// The member of a ringset behind or before another one.
    pub(super) fn neighbour(&mut self, word: &str, arg: &ast::Expr, span: Span) -> Option<Expr> {
        let member = self.expr(arg)?;
        let ring = member.ty;
        let is_ring =
            matches!(*self.types().get(ring), Type::Id(sort) if self.types().sort(sort).kind == SortKind::Ring);
        if !is_ring {
            let message = format!("`{word}` needs a member of a ringset, not {}", self.show(ring));
            let finding = Diagnostic::error(codes::RINGSET_NEIGHBOUR, message, member.span)
                .help(format!("declare the type as a ringset, or declare a function `{word}`"));
            self.report(finding);
            return None;
        }
        let size = self.types().shape(ring).cardinality() as i64;
        let integer = |value| Expr::constant(TypeId::INT, value, span);
        let binary = |op, left: Expr, right: Expr| Expr {
            kind: ExprKind::Binary(op, Box::new(left), Box::new(right)),
            ty: TypeId::INT,
            span,
        };
        let ordinal = Expr { kind: ExprKind::Convert(Box::new(member)), ty: TypeId::INT, span };
        let moved = binary(BinaryOp::Add, ordinal, integer(if word == "next" { 1 } else { size - 1 }));
        let moved = binary(BinaryOp::Rem, moved, integer(size));
        Some(Expr { kind: ExprKind::Convert(Box::new(moved)), ty: ring, span })
    }

    /// Says once that a rule tells members apart in this way.
    fn note_numbers(&mut self, code: Code, message: String, span: Span) {
        let known = |finding: &Diagnostic| finding.code == code && finding.message == message;
        if !self.diagnostics.iter().any(known) {
            let help = "its members are interchangeable only as far as this allows";
            self.report(Diagnostic::note(code, message, span).help(help));
        }
    }
}

/// A member of a scalarset as its number.
pub(super) fn number_of(member: Expr) -> Expr {
    let span = member.span;
    if let Some(value) = member.as_const() {
        return Expr::constant(TypeId::INT, value + 1, span);
    }
    let ordinal = Expr { kind: ExprKind::Convert(Box::new(member)), ty: TypeId::INT, span };
    let one = Expr::constant(TypeId::INT, 1, span);
    Expr { kind: ExprKind::Binary(BinaryOp::Add, Box::new(ordinal), Box::new(one)), ty: TypeId::INT, span }
}
