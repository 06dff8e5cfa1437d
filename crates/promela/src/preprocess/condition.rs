//! The conditions of `#if` and `#elif`: C constant expressions in which unknown words are 0.

use burnside_diag::{Diagnostic, Span};

use super::macros::Macros;
use super::scan::{PpKind, PpToken};
use crate::codes;

/// The value of a condition; a faulty one is reported and false.
pub(super) fn holds(tokens: &[PpToken], place: Span, macros: &mut Macros, diagnostics: &mut Vec<Diagnostic>) -> bool {
    let resolved = resolve_defined(tokens, macros);
    let expanded = macros.expand(resolved, diagnostics);
    let mut parser = Parser { tokens: &expanded, at: 0, depth: 0 };
    match parser.conditional() {
        Some(value) if parser.at == expanded.len() => value != 0,
        _ => {
            let span = expanded.get(parser.at).map_or(place, |token| token.span);
            let finding = Diagnostic::error(codes::BAD_CONDITION, "this condition cannot be evaluated", span);
            diagnostics.push(finding.help("use integers, macros, `defined(NAME)` and the operators of C"));
            false
        }
    }
}

/// Replaces `defined X` and `defined(X)` by 0 or 1, before macros are expanded.
fn resolve_defined(tokens: &[PpToken], macros: &Macros) -> Vec<PpToken> {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        at += 1;
        if !token.is("defined") {
            out.push(token.clone());
            continue;
        }
        let open = tokens.get(at).is_some_and(|next| next.is("("));
        let Some(name) = tokens.get(at + usize::from(open)) else {
            out.push(token.clone());
            continue;
        };
        at += 1 + 2 * usize::from(open);
        let text = if macros.is_defined(&name.text) { "1" } else { "0" };
        out.push(PpToken { kind: PpKind::Number, text: text.into(), ..token.clone() });
    }
    out
}

struct Parser<'a> {
    tokens: &'a [PpToken],
    at: usize,
    depth: u32,
}

/// Binary operators by precedence, loosest first.
const LEVELS: &[&[&str]] = &[
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<", "<=", ">", ">="],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

impl Parser<'_> {
    fn eat(&mut self, text: &str) -> bool {
        let found = self.tokens.get(self.at).is_some_and(|token| token.is(text));
        self.at += usize::from(found);
        found
    }

    fn conditional(&mut self) -> Option<i64> {
        self.depth += 1;
        if self.depth > 100 {
            return None;
        }
        let condition = self.binary(0)?;
        let value = if self.eat("?") {
            let yes = self.conditional()?;
            if !self.eat(":") {
                return None;
            }
            let no = self.conditional()?;
            if condition != 0 { yes } else { no }
        } else {
            condition
        };
        self.depth -= 1;
        Some(value)
    }

    fn binary(&mut self, level: usize) -> Option<i64> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        while let Some(operator) = operators.iter().find(|operator| self.eat(operator)) {
            let right = self.binary(level + 1)?;
            left = apply(operator, left, right)?;
        }
        Some(left)
    }

    fn unary(&mut self) -> Option<i64> {
        let mut signs = Vec::new();
        while let Some(sign) = ["!", "~", "-", "+", "--", "!!"].into_iter().find(|sign| self.eat(sign)) {
            signs.push(sign);
        }
        let mut value = self.primary()?;
        for sign in signs.into_iter().rev() {
            value = match sign {
                "!" => i64::from(value == 0),
                "!!" => i64::from(value != 0),
                "~" => !value,
                "-" => value.wrapping_neg(),
                _ => value,
            };
        }
        Some(value)
    }

    fn primary(&mut self) -> Option<i64> {
        if self.eat("(") {
            let value = self.conditional()?;
            return self.eat(")").then_some(value);
        }
        let token = self.tokens.get(self.at)?;
        self.at += 1;
        match token.kind {
            PpKind::Number => Some(token.text.parse().unwrap_or(i64::MAX)),
            PpKind::Word => Some(0),
            PpKind::Char => Some(token.text.chars().nth(1).map_or(0, |c| i64::from(c as u32))),
            PpKind::Text | PpKind::Unclosed | PpKind::Punct => {
                self.at -= 1;
                None
            }
        }
    }
}

fn apply(operator: &str, left: i64, right: i64) -> Option<i64> {
    let shift = u32::try_from(right).ok().filter(|&shift| shift < 64);
    Some(match operator {
        "||" => i64::from(left != 0 || right != 0),
        "&&" => i64::from(left != 0 && right != 0),
        "|" => left | right,
        "^" => left ^ right,
        "&" => left & right,
        "==" => i64::from(left == right),
        "!=" => i64::from(left != right),
        "<" => i64::from(left < right),
        "<=" => i64::from(left <= right),
        ">" => i64::from(left > right),
        ">=" => i64::from(left >= right),
        "<<" => left.wrapping_shl(shift?),
        ">>" => left.wrapping_shr(shift?),
        "+" => left.wrapping_add(right),
        "-" => left.wrapping_sub(right),
        "*" => left.wrapping_mul(right),
        "/" => left.checked_div(right)?,
        _ => left.checked_rem(right)?,
    })
}
