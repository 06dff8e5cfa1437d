//! `switch`. Labels need not be constants, as in Rumur.

use burnside_diag::Diagnostic;

use super::Checker;
use crate::ast;
use crate::codes;
use crate::typed::{Expr, Stmt, StmtKind, Switch};

type Case = (Vec<ast::Expr>, Vec<ast::Stmt>);

impl Checker<'_> {
    pub(super) fn switch(&mut self, subject: &ast::Expr, cases: &[Case], otherwise: &[ast::Stmt]) -> Option<StmtKind> {
        let subject = self.switch_subject(subject);
        let mut taken: Vec<(i64, Expr)> = Vec::new();
        let mut checked: Vec<(Vec<Expr>, Vec<Stmt>)> = Vec::new();
        let mut sound = true;
        for (labels, body) in cases {
            let typed: Vec<_> = labels.iter().map(|label| self.label(label, subject.as_ref())).collect();
            let body = self.block(body);
            match typed.into_iter().collect::<Option<Vec<_>>>() {
                Some(labels) => {
                    self.warn_duplicate_labels(&labels, &mut taken);
                    checked.push((labels, body));
                }
                None => sound = false,
            }
        }
        let otherwise = self.block(otherwise);
        let switch = Switch { subject: subject?, cases: checked, otherwise };
        sound.then_some(StmtKind::Switch(switch))
    }

    fn switch_subject(&mut self, subject: &ast::Expr) -> Option<Expr> {
        let typed = self.expr(subject)?;
        if self.is_scalar(typed.ty) {
            return Some(typed);
        }
        let message = format!("`switch` needs a simple value, not {}", self.show(typed.ty));
        self.report(Diagnostic::error(codes::OPERAND_TYPE, message, subject.span).help("switch on a field or element"));
        None
    }

    /// A label, brought to the subject's type.
    fn label(&mut self, label: &ast::Expr, subject: Option<&Expr>) -> Option<Expr> {
        let typed = self.expr(label)?;
        let subject = subject?;
        if self.is_integer(subject.ty) && self.is_integer(typed.ty) {
            return Some(typed);
        }
        if self.common_type(subject.ty, typed.ty) == Some(subject.ty) {
            return Some(self.brought_to(typed, subject.ty));
        }
        let (found, needed) = (self.show(typed.ty), self.show(subject.ty));
        let message = format!("a label of type {found} cannot match a value of type {needed}");
        let finding = Diagnostic::error(codes::TYPE_MISMATCH, message, label.span)
            .also(subject.span, format!("this is {needed}"))
            .help("use labels of the type that is switched on");
        self.report(finding);
        None
    }

    /// Only the first case that matches runs, so a repeated label is never reached.
    fn warn_duplicate_labels(&mut self, labels: &[Expr], taken: &mut Vec<(i64, Expr)>) {
        for label in labels {
            let Some(value) = label.as_const() else { continue };
            if let Some((_, earlier)) = taken.iter().find(|(earlier, _)| *earlier == value) {
                let finding = Diagnostic::warning(codes::DUPLICATE_LABEL, "this label never matches", label.span)
                    .also(earlier.span, "taken by this one")
                    .help("remove one of them");
                self.diagnostics.push(finding);
            } else {
                taken.push((value, label.clone()));
            }
        }
    }
}
