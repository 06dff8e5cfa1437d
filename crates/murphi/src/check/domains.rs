//! What quantified variables range over.

use burnside_diag::{Diagnostic, Span};
use burnside_ir::TypeId;

use super::Checker;
use super::coerce::Purpose;
use super::numbers::number_of;
use super::scope::Symbol;
use crate::ast::{self, Quantifier};
use crate::codes;
use crate::typed::{Domain, Expr, Role, VarId};

impl Checker<'_> {
    /// Declares the variables of a `for`, `forall` or `exists`; `None` if one of them is wrong.
    pub(super) fn loop_quantifiers(&mut self, quantifiers: &[Quantifier]) -> Option<Vec<(VarId, Domain)>> {
        let mut bound = Some(Vec::new());
        for quantifier in quantifiers {
            let symbol = match self.domain(&quantifier.domain) {
                Some((domain, ty)) => {
                    let var = self.add_local(&quantifier.name.text, ty, Role::Loop, quantifier.name.span);
                    if let Some(bound) = &mut bound {
                        bound.push((var, domain));
                    }
                    Symbol::Local(var)
                }
                None => {
                    bound = None;
                    Symbol::Broken
                }
            };
            self.declare(&quantifier.name, symbol);
        }
        bound
    }

    /// The values of a quantified variable, and its type.
    pub(super) fn domain(&mut self, domain: &ast::Domain) -> Option<(Domain, TypeId)> {
        match domain {
            ast::Domain::Type(ty) => {
                let span = ty.span;
                let ty = self.type_expr(ty, None)?;
                if self.is_scalar(ty) {
                    return Some((Domain::Type(ty), ty));
                }
                let message = format!("{} has no values to go through one by one", self.show(ty));
                let finding = Diagnostic::error(codes::TYPE_MISMATCH, message, span)
                    .help("use a range, enumeration, scalarset, union or boolean");
                self.report(finding);
                None
            }
            ast::Domain::Steps { from, to, by } => {
                let first = self.bound(from);
                let last = self.bound(to);
                let step = match by {
                    Some(by) => self.step(by),
                    None => Some(1),
                };
                Some(self.steps(first?, last?, step?, from.span.to(to.span)))
            }
        }
    }

    /// Rumur lets a loop run between members of a scalarset, by position.
    fn bound(&mut self, expr: &ast::Expr) -> Option<Expr> {
        let typed = self.expr(expr)?;
        if self.is_identity(typed.ty) {
            let message = format!("the loop runs over the numbers of members of {}", self.show(typed.ty));
            let finding = Diagnostic::warning(codes::SCALARSET_POSITION, message, expr.span)
                .help("this breaks symmetry; loop over the scalarset itself");
            self.report(finding);
            return Some(number_of(typed));
        }
        self.coerce(typed, TypeId::INT, &Purpose { what: "the bound of a loop", declared: None })
    }

    fn step(&mut self, by: &ast::Expr) -> Option<i64> {
        let step = self.constant_integer(by, "the step of a loop")?;
        if step == 0 {
            let finding = Diagnostic::error(codes::STEP_ZERO, "a loop with step 0 never ends", by.span)
                .help("use a positive or negative step");
            self.report(finding);
            return None;
        }
        Some(step)
    }

    /// Constant bounds give the variable a range; others leave it an integer of any size.
    fn steps(&mut self, from: Expr, to: Expr, step: i64, span: Span) -> (Domain, TypeId) {
        let (Some(first), Some(last)) = (from.as_const(), to.as_const()) else {
            return (Domain::Steps { from: Box::new(from), to: Box::new(to), step }, TypeId::INT);
        };
        let empty = if step > 0 { first > last } else { first < last };
        if empty {
            let message = format!("a loop from {first} to {last} by {step} runs no round");
            let finding = Diagnostic::warning(codes::EMPTY_LOOP, message, span)
                .help("exchange the bounds, or change the sign of the step");
            self.report(finding);
        }
        let ty = self.range(first.min(last), first.max(last), span);
        if step == 1 && !empty {
            return (Domain::Type(ty), ty);
        }
        (Domain::Steps { from: Box::new(from), to: Box::new(to), step }, ty)
    }
}
