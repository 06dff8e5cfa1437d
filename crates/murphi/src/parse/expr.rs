//! Expressions, by precedence climbing.
//!
//! From loose to tight: `?:`, `->`, `||`, `&&`, `|`, `^`, `&`, `!`, comparisons, shifts, `+ -`, `* / %`, unary `- ~`.
//! `!a = b` therefore means `!(a = b)`. Comparisons, `->` and `?:` do not chain in either dialect.

use burnside_diag::{Diagnostic, Span};

use super::blocks::Construct;
use super::{Parsed, Parser, Reported};
use crate::ast::{BinaryOp, Expr, ExprKind, Quantity, UnaryOp};
use crate::codes;
use crate::lex::Token;

/// How tightly an operator binds; larger binds tighter.
type Level = u8;

const CONDITIONAL: Level = 0;
const IMPLIES: Level = 1;
const COMPARISON: Level = 8;
const UNARY: Level = 12;

fn binary_operator(token: Token) -> Option<(BinaryOp, Level)> {
    Some(match token {
        Token::Implies => (BinaryOp::Implies, IMPLIES),
        Token::BarBar => (BinaryOp::LogicalOr, 2),
        Token::AmpAmp => (BinaryOp::LogicalAnd, 3),
        Token::Bar => (BinaryOp::Or, 4),
        Token::Caret => (BinaryOp::Xor, 5),
        Token::Amp => (BinaryOp::And, 6),
        Token::Equal | Token::EqualEqual => (BinaryOp::Equal, COMPARISON),
        Token::NotEqual => (BinaryOp::NotEqual, COMPARISON),
        Token::Less => (BinaryOp::Less, COMPARISON),
        Token::LessEqual => (BinaryOp::LessEqual, COMPARISON),
        Token::Greater => (BinaryOp::Greater, COMPARISON),
        Token::GreaterEqual => (BinaryOp::GreaterEqual, COMPARISON),
        Token::ShiftLeft => (BinaryOp::ShiftLeft, 9),
        Token::ShiftRight => (BinaryOp::ShiftRight, 9),
        Token::Plus => (BinaryOp::Add, 10),
        Token::Minus => (BinaryOp::Subtract, 10),
        Token::Star => (BinaryOp::Multiply, 11),
        Token::Slash => (BinaryOp::Divide, 11),
        Token::Percent => (BinaryOp::Remainder, 11),
        _ => return None,
    })
}

/// Operators whose chains may be regrouped: `a & (b & c)` evaluates the same operands in the same order.
fn is_regroupable(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::LogicalAnd | BinaryOp::LogicalOr)
}

fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    let span = left.span.to(right.span);
    Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), span }
}

/// A tree of logarithmic depth over a chain, so that a generated conjunction of thousands is not a deep tree.
fn balanced(op: BinaryOp, mut operands: Vec<Expr>) -> Expr {
    if operands.len() <= 2 {
        let right = operands.pop().expect("a chain has operands");
        return match operands.pop() {
            Some(left) => binary(op, left, right),
            None => right,
        };
    }
    let right = operands.split_off(operands.len() / 2);
    binary(op, balanced(op, operands), balanced(op, right))
}

impl Parser<'_> {
    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        self.expr_at(CONDITIONAL)
    }

    /// What `!` may stand before: a condition in which no logical operator is left open.
    pub(super) fn comparison(&mut self) -> Parsed<Expr> {
        self.expr_at(COMPARISON)
    }

    /// An expression whose operators bind at least as tightly as `least`.
    fn expr_at(&mut self, least: Level) -> Parsed<Expr> {
        self.nested(|parser| {
            let left = parser.prefix()?;
            let left = parser.infix(left, least)?;
            if least == CONDITIONAL && parser.peek() == Token::Question { parser.conditional(left) } else { Ok(left) }
        })
    }

    fn infix(&mut self, mut left: Expr, least: Level) -> Parsed<Expr> {
        let mut chain = 0;
        while let Some((op, level)) = binary_operator(self.peek())
            && level >= least
            && !self.at_equivalence()
        {
            chain += 1;
            self.check_chain(chain)?;
            self.refuse_short_arrow()?;
            let token = self.bump().token;
            let right = self.expr_at(level + 1)?;
            left = if is_regroupable(op) {
                self.chain(op, token, level, vec![left, right])?
            } else {
                binary(op, left, right)
            };
            if matches!(level, IMPLIES | COMPARISON) {
                self.refuse_chain(level, left.span)?;
            }
        }
        Ok(left)
    }

    /// Whether `<->` comes next, which formulas have and expressions do not.
    fn at_equivalence(&self) -> bool {
        self.peek() == Token::Less
            && self.nth(1) == Token::Implies
            && self.span().end == self.tokens[self.at + 1].span.start
    }

    fn chain(&mut self, op: BinaryOp, token: Token, level: Level, mut operands: Vec<Expr>) -> Parsed<Expr> {
        while self.eat(token) {
            operands.push(self.expr_at(level + 1)?);
        }
        Ok(balanced(op, operands))
    }

    /// `a = b = c` and `a -> b -> c` have no meaning in either dialect.
    fn refuse_chain(&mut self, level: Level, left: Span) -> Parsed<()> {
        if binary_operator(self.peek()).is_none_or(|(_, next)| next != level) {
            return Ok(());
        }
        let message = format!("{} cannot follow another operator of its kind", self.quote(self.span()));
        let finding = Diagnostic::error(codes::CHAINED_OPERATOR, message, self.span())
            .also(left, "this would be its left operand")
            .help("add parentheses to say what is meant");
        self.report(finding);
        Err(Reported)
    }

    /// `=>` is two operators that cannot follow each other, and most likely meant as one.
    fn refuse_short_arrow(&mut self) -> Parsed<()> {
        let adjacent = self.nth(1) == Token::Greater && self.tokens[self.at + 1].span.start == self.span().end;
        if self.peek() == Token::Equal && adjacent {
            return Err(self.expected_with_help("`==>`", "a guard ends in `==>`; an implication is written `->`"));
        }
        Ok(())
    }

    fn conditional(&mut self, condition: Expr) -> Parsed<Expr> {
        self.bump();
        let then = self.expr_at(CONDITIONAL)?;
        self.expect(Token::Colon, "`:`")?;
        let otherwise = self.expr_at(IMPLIES)?;
        if self.peek() == Token::Question {
            let finding = Diagnostic::error(
                codes::CHAINED_OPERATOR,
                "a conditional inside another needs parentheses",
                self.span(),
            )
            .also(otherwise.span, "condition of the inner one")
            .help("write `a ? b : (c ? d : e)`");
            self.report(finding);
            return Err(Reported);
        }
        let span = condition.span.to(otherwise.span);
        Ok(Expr { kind: ExprKind::Conditional(Box::new(condition), Box::new(then), Box::new(otherwise)), span })
    }

    fn prefix(&mut self) -> Parsed<Expr> {
        let (op, operand_level) = match self.peek() {
            Token::Bang => (UnaryOp::Not, COMPARISON),
            Token::Minus => (UnaryOp::Negate, UNARY),
            Token::Tilde => (UnaryOp::Complement, UNARY),
            Token::Plus => {
                self.bump();
                return self.expr_at(UNARY);
            }
            _ => return self.primary(),
        };
        let start = self.bump().span;
        let operand = self.expr_at(operand_level)?;
        let span = start.to(operand.span);
        Ok(Expr { kind: ExprKind::Unary(op, Box::new(operand)), span })
    }

    pub(super) fn primary(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let kind = match self.peek() {
            Token::Ident => return self.name_or_call(),
            Token::True | Token::False => ExprKind::Boolean(self.bump().token == Token::True),
            Token::Integer | Token::Hex => self.integer(),
            Token::Real => {
                self.bump();
                ExprKind::Real
            }
            Token::OpenParen => {
                self.bump();
                let inner = self.expr()?;
                self.expect(Token::CloseParen, "`)`")?;
                return Ok(inner);
            }
            Token::Forall | Token::Exists => self.quantified()?,
            Token::IsUndefined => self.is_undefined()?,
            Token::Text => {
                return Err(
                    self.expected_with_help("an expression", "a text has no value; only `put` and `error` use one")
                );
            }
            _ => return Err(self.expected("an expression")),
        };
        Ok(Expr { kind, span: self.since(start) })
    }

    fn integer(&mut self) -> ExprKind {
        let lexeme = self.bump();
        let digits = self.slice(lexeme.span);
        let value = match lexeme.token {
            Token::Hex => i64::from_str_radix(&digits[2..], 16),
            _ => digits.parse(),
        };
        let Ok(value) = value else {
            let message = format!("{} does not fit in 64 bits", self.quote(lexeme.span));
            let finding = Diagnostic::error(codes::INTEGER_TOO_LARGE, message, lexeme.span)
                .help(format!("use a number up to {}", i64::MAX));
            self.report(finding);
            return ExprKind::Error;
        };
        if lexeme.token == Token::Integer && digits.len() > 1 && digits.starts_with('0') {
            return ExprKind::LeadingZero { decimal: value, octal: i64::from_str_radix(digits, 8).ok() };
        }
        ExprKind::Integer(value)
    }

    fn name_or_call(&mut self) -> Parsed<Expr> {
        let start = self.span();
        if self.at_word("multisetcount") && self.at_matching() {
            self.bump();
            let kind = ExprKind::CountMatching(Box::new(self.matching()?));
            return Ok(Expr { kind, span: self.since(start) });
        }
        if self.nth(1) != Token::OpenParen {
            return self.designator();
        }
        let name = self.name()?;
        let args = self.arguments()?;
        let span = self.since(start);
        self.refuse_projection(span)?;
        Ok(Expr { kind: ExprKind::Call(name, args), span })
    }

    /// Neither dialect selects a part of a function's result.
    pub(super) fn refuse_projection(&mut self, call: Span) -> Parsed<()> {
        if !matches!(self.peek(), Token::Dot | Token::OpenBracket) {
            return Ok(());
        }
        let message = "a part of a function's result cannot be selected directly";
        let finding = Diagnostic::error(codes::CALL_PROJECTION, message, self.span())
            .also(call, "the result of this call")
            .help("assign the result to a local variable first");
        self.report(finding);
        Err(Reported)
    }

    pub(super) fn arguments(&mut self) -> Parsed<Vec<Expr>> {
        self.expect(Token::OpenParen, "`(`")?;
        let mut args = Vec::new();
        while self.peek() != Token::CloseParen {
            args.push(if self.peek() == Token::Enum { self.type_argument()? } else { self.expr()? });
            if !self.eat(Token::Comma) && self.peek() != Token::CloseParen {
                return Err(self.expected("`,` or `)`"));
            }
        }
        self.bump();
        Ok(args)
    }

    /// `enum { a, b }` as the argument of `ismember`.
    fn type_argument(&mut self) -> Parsed<Expr> {
        let ty = self.type_expr()?;
        let span = ty.span;
        Ok(Expr { kind: ExprKind::Type(Box::new(ty)), span })
    }

    /// A variable, or a part of one: `a.b[i]`.
    pub(super) fn designator(&mut self) -> Parsed<Expr> {
        let name = self.name()?;
        let mut expr = Expr { kind: ExprKind::Name(name.text), span: name.span };
        let mut chain = 0;
        loop {
            let kind = match self.peek() {
                Token::Dot => {
                    self.bump();
                    ExprKind::Field(Box::new(expr), self.name()?)
                }
                Token::OpenBracket => {
                    self.bump();
                    let index = self.expr()?;
                    if self.peek() == Token::Comma {
                        return Err(self.expected_with_help("`]`", "write `a[i][j]`: an array has one index"));
                    }
                    self.expect(Token::CloseBracket, "`]`")?;
                    ExprKind::Index(Box::new(expr), Box::new(index))
                }
                _ => return Ok(expr),
            };
            chain += 1;
            self.check_depth(chain)?;
            expr = Expr { kind, span: self.since(name.span) };
        }
    }

    fn quantified(&mut self) -> Parsed<ExprKind> {
        let keyword = self.bump();
        let (quantity, construct) = match keyword.token {
            Token::Forall => (Quantity::All, Construct::Forall),
            _ => (Quantity::Some, Construct::Exists),
        };
        let quantifiers = self.quantifiers()?;
        self.do_or_colon()?;
        let body = self.expr()?;
        self.open(construct, keyword.span);
        self.close();
        Ok(ExprKind::Quantified(quantity, quantifiers, Box::new(body)))
    }

    fn is_undefined(&mut self) -> Parsed<ExprKind> {
        self.bump();
        self.expect(Token::OpenParen, "`(`")?;
        let argument = self.expr()?;
        self.expect(Token::CloseParen, "`)`")?;
        Ok(ExprKind::IsUndefined(Box::new(argument)))
    }
}
