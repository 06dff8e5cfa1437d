//! Constants: their values, and those given on the command line.

use burnside_diag::{Diagnostic, Span};
use burnside_ir::{BinaryOp, TypeId, UnaryOp};

use super::Checker;
use super::scope::Symbol;
use crate::ast;
use crate::codes;
use crate::typed::Expr;

/// Values from outside for constants of the model.
pub(super) struct Overrides<'a> {
    values: &'a [(String, i64)],
    /// One flag per value: whether some constant took it.
    used: Vec<bool>,
    /// The names of constants that could take one.
    known: Vec<String>,
}

impl<'a> Overrides<'a> {
    pub(super) fn new(values: &'a [(String, i64)]) -> Self {
        Self { values, used: vec![false; values.len()], known: Vec::new() }
    }

    /// The last value given for a name wins.
    fn take(&mut self, name: &str) -> Option<i64> {
        self.known.push(name.to_owned());
        let mut taken = None;
        for (at, (candidate, value)) in self.values.iter().enumerate() {
            if candidate == name {
                self.used[at] = true;
                taken = Some(*value);
            }
        }
        taken
    }
}

/// Why constant arithmetic has no result.
enum Undefined {
    Overflow,
    DivisionByZero,
}

impl Checker<'_> {
    /// A value that must be known now.
    pub(super) fn constant(&mut self, expr: &ast::Expr, what: &str) -> Option<(TypeId, i64)> {
        let typed = self.expr(expr)?;
        match typed.as_const() {
            Some(value) => Some((typed.ty, value)),
            None => {
                let finding = Diagnostic::error(codes::NOT_CONSTANT, format!("{what} must be a constant"), expr.span)
                    .help("use numbers, constants and arithmetic on them");
                self.report(finding);
                None
            }
        }
    }

    /// An integer that must be known now.
    pub(super) fn constant_integer(&mut self, expr: &ast::Expr, what: &str) -> Option<i64> {
        let (ty, value) = self.constant(expr, what)?;
        if self.is_integer(ty) {
            return Some(value);
        }
        let message = format!("{what} must be a number, not {}", self.show(ty));
        self.report(Diagnostic::error(codes::TYPE_MISMATCH, message, expr.span).help("use an integer constant"));
        None
    }

    /// The symbol for a top-level constant, which the command line may override.
    pub(super) fn global_const(&mut self, name: &ast::Name, value: &ast::Expr) -> Symbol {
        let what = format!("`{}`", name.text);
        let Some((ty, declared)) = self.constant(value, &what) else { return Symbol::Broken };
        let Some(given) = self.overrides.take(&name.text) else { return Symbol::Const(ty, declared) };
        let fits = self.is_integer(ty) || (ty == TypeId::BOOL && (0..=1).contains(&given));
        if !fits {
            let message = format!("`{}` is of type {} and cannot be set to {given}", name.text, self.show(ty));
            let finding = Diagnostic::error(codes::OVERRIDE_TYPE, message, name.span)
                .label("declared here")
                .help("only integer constants, and boolean ones as 0 or 1, can be given values from outside");
            self.report(finding);
            return Symbol::Broken;
        }
        Symbol::Const(ty, given)
    }

    pub(super) fn report_unknown_overrides(&mut self) {
        // The mistake is on the command line, so no line of the model is shown.
        for (at, (name, _)) in self.overrides.values.iter().enumerate() {
            if !self.overrides.used[at] {
                let message = format!("the model has no constant `{name}`, to which `-D` gives a value");
                let finding = Diagnostic::error(codes::UNKNOWN_OVERRIDE, message, Span::NOWHERE)
                    .help(known_constants(&self.overrides.known));
                self.diagnostics.push(finding);
            }
        }
    }

    /// Folds an operator on a constant, or says why that is impossible.
    pub(super) fn fold_unary(&mut self, op: UnaryOp, operand: i64, ty: TypeId, span: Span) -> Option<Expr> {
        let value = match op {
            UnaryOp::Not => Some(1 - operand),
            UnaryOp::Neg => operand.checked_neg(),
            UnaryOp::BitNot => Some(!operand),
        };
        self.folded(value.ok_or(Undefined::Overflow), ty, span)
    }

    /// Folds an operator on two constants, or says why that is impossible.
    pub(super) fn fold_binary(&mut self, op: BinaryOp, (a, b): (i64, i64), ty: TypeId, span: Span) -> Option<Expr> {
        let result = match op {
            BinaryOp::Div | BinaryOp::Rem if b == 0 => Err(Undefined::DivisionByZero),
            _ => evaluate(op, a, b).ok_or(Undefined::Overflow),
        };
        self.folded(result, ty, span)
    }

    fn folded(&mut self, result: Result<i64, Undefined>, ty: TypeId, span: Span) -> Option<Expr> {
        let finding = match result {
            // The least 64-bit integer stands for "undefined" in states.
            Ok(value) if value != i64::MIN => return Some(Expr::constant(ty, value, span)),
            Ok(_) | Err(Undefined::Overflow) => {
                Diagnostic::error(codes::CONSTANT_OVERFLOW, "this constant does not fit in 64 bits", span)
                    .help("use smaller numbers")
            }
            Err(Undefined::DivisionByZero) => {
                Diagnostic::error(codes::DIVISION_BY_ZERO, "this constant divides by zero", span)
                    .help("change the divisor")
            }
        };
        self.report(finding);
        None
    }
}

/// How many constants are listed for someone who named another.
const SHOWN_CONSTANTS: usize = 12;

/// What could have been meant.
fn known_constants(known: &[String]) -> String {
    let names: Vec<String> = known.iter().take(SHOWN_CONSTANTS).map(|name| format!("`{name}`")).collect();
    match (known.len() - names.len(), &names[..]) {
        (_, []) => "it declares no constants, so leave out `-D`".to_owned(),
        (_, [only]) => format!("its only constant is {only}; case matters"),
        (0, _) => format!("its constants are {}; case matters", names.join(", ")),
        (rest, _) => format!("its constants are {} and {rest} more; case matters", names.join(", ")),
    }
}

/// The value of an operator, `None` where it overflows. Division truncates toward zero, as in both dialects.
fn evaluate(op: BinaryOp, a: i64, b: i64) -> Option<i64> {
    let truth = |value: bool| Some(i64::from(value));
    match op {
        BinaryOp::Add => a.checked_add(b),
        BinaryOp::Sub => a.checked_sub(b),
        BinaryOp::Mul => a.checked_mul(b),
        BinaryOp::Div => a.checked_div(b),
        BinaryOp::Rem => a.checked_rem(b),
        BinaryOp::BitAnd => Some(a & b),
        BinaryOp::BitOr => Some(a | b),
        BinaryOp::BitXor => Some(a ^ b),
        BinaryOp::Shl => shift_left(a, b),
        BinaryOp::Shr => shift_left(a, b.checked_neg()?),
        BinaryOp::Eq => truth(a == b),
        BinaryOp::Ne => truth(a != b),
        BinaryOp::Lt => truth(a < b),
        BinaryOp::Le => truth(a <= b),
        BinaryOp::Gt => truth(a > b),
        BinaryOp::Ge => truth(a >= b),
        BinaryOp::And => truth(a != 0 && b != 0),
        BinaryOp::Or => truth(a != 0 || b != 0),
        BinaryOp::Implies => truth(a == 0 || b != 0),
    }
}

/// A negative distance shifts right.
fn shift_left(a: i64, distance: i64) -> Option<i64> {
    match distance {
        0.. => {
            let factor = if distance < 63 { 1i64.checked_shl(distance as u32) } else { None };
            if a == 0 { Some(0) } else { factor.and_then(|factor| a.checked_mul(factor)) }
        }
        _ => Some(a >> distance.unsigned_abs().min(63)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_truncates_toward_zero() {
        assert_eq!(evaluate(BinaryOp::Div, -3, 2), Some(-1));
        assert_eq!(evaluate(BinaryOp::Rem, -3, 2), Some(-1));
    }

    #[test]
    fn shifts_go_both_ways_and_overflow() {
        assert_eq!(shift_left(3, 2), Some(12));
        assert_eq!(shift_left(12, -2), Some(3));
        assert_eq!(shift_left(-1, -100), Some(-1));
        assert_eq!(shift_left(1, 64), None);
        assert_eq!(evaluate(BinaryOp::Add, i64::MAX, 1), None);
    }
}
