//! Values that must be known before the model runs: lengths, capacities, counts.

use burnside_diag::{Diagnostic, Span};

use super::Checker;
use super::scope::Symbol;
use crate::ast::{Expr, ExprKind, VarRef};
use crate::codes;
use crate::eval;
use crate::typed::InitValue;

impl Checker {
    /// The value of a constant expression; `what` says what it is for.
    pub(super) fn constant(&mut self, expr: &Expr, what: &str) -> Option<i32> {
        match &expr.kind {
            ExprKind::Number(value) => Some(*value),
            ExprKind::Var(var) => self.constant_var(var, what),
            ExprKind::Unary(operator, inner) => {
                let inner = self.constant(inner, what)?;
                Some(eval::unary(*operator, inner))
            }
            ExprKind::Binary(operator, left, right) => {
                let (left, right) = (self.constant(left, what), self.constant(right, what));
                let value = eval::binary(*operator, left?, right?);
                if value.is_none() {
                    let finding = Diagnostic::error(codes::DIVISION_BY_ZERO, "division by zero", expr.span);
                    self.report(finding.help("use another divisor"));
                }
                value
            }
            _ => self.not_constant(expr.span, what),
        }
    }

    /// The value of an `mtype` name, or the first value of a variable, which SPIN takes with a warning.
    fn constant_var(&mut self, var: &VarRef, what: &str) -> Option<i32> {
        let [part] = var.parts.as_slice() else { return self.not_constant(var.span, what) };
        let symbol = self.resolve(&part.name)?;
        let (frame, id) = match symbol {
            Symbol::Mtype(_, value) => return Some(value),
            Symbol::Global(id) => (Some(&self.program.globals), id),
            Symbol::Local(id) => (self.frame.as_ref(), id),
            Symbol::Struct(_) | Symbol::Broken => return self.not_constant(var.span, what),
        };
        let first = frame.and_then(|frame| {
            let slot = frame.vars[id.index()].slot;
            let init = frame.inits.iter().find(|init| init.slot == slot)?;
            match &init.value {
                InitValue::Expr(expr) => match expr.kind {
                    crate::typed::ExprKind::Const(value) => Some(value),
                    _ => None,
                },
                InitValue::NewChan(_) => None,
            }
        });
        match first {
            Some(value) if part.index.is_none() => {
                let message = format!("the variable `{}` stands for its first value {value} as {what}", part.name.text);
                let finding = Diagnostic::warning(codes::VARIABLE_AS_CONSTANT, message, var.span);
                self.report(finding.help("use `#define` for a constant"));
                Some(value)
            }
            _ => self.not_constant(var.span, what),
        }
    }

    fn not_constant(&mut self, span: Span, what: &str) -> Option<i32> {
        let finding = Diagnostic::error(codes::NOT_CONSTANT, format!("{what} must be a constant"), span);
        self.report(finding.help("use a number, or a name defined by `#define`"));
        None
    }

    pub(super) fn priority_in_range(&mut self, value: i32, span: Span) -> u8 {
        match u8::try_from(value) {
            Ok(value) if value > 0 => value,
            _ => {
                let message = format!("{value} is not a priority");
                let finding = Diagnostic::error(codes::PRIORITY_RANGE, message, span);
                self.report(finding.help("priorities go from 1 to 255"));
                1
            }
        }
    }
}
