//! Expressions and formulas, by precedence climbing.
//!
//! A formula has the temporal operators among the others, with the precedences of SPIN's grammar: `U`, `V` and `W` bind
//! tighter than `&&`, and `[]`, `<>`, `X` as tight as `!`.

use super::{Parsed, Parser};
use crate::ast::{BinaryOp, ChanOp, Expr, ExprKind, Name, TemporalOp, UnaryOp, VarPart, VarRef};
use crate::lex::{Lexeme, Token};

/// What joins two operands.
#[derive(Clone, Copy)]
enum Operator {
    Plain(BinaryOp),
    Temporal(TemporalOp),
}

/// Precedence of each operator, loosest first.
const PREFIX_LEVEL: u32 = 12;

impl Parser {
    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        self.nested(|parser| parser.binary(0))
    }

    pub(super) fn exprs(&mut self) -> Parsed<Vec<Expr>> {
        let mut exprs = vec![self.expr()?];
        while self.eat(Token::Comma) {
            exprs.push(self.expr()?);
        }
        Ok(exprs)
    }

    fn binary(&mut self, lowest: u32) -> Parsed<Expr> {
        let mut left = self.unary()?;
        let mut n_chained = 0_u32;
        while let Some((operator, level, n_tokens)) = self.operator().filter(|(_, level, _)| *level >= lowest) {
            for _ in 0..n_tokens {
                self.bump();
            }
            // A chain of left-associative operators nests to the left without recursion here, but later walks recurse.
            n_chained += 1;
            if self.depth + n_chained >= super::MAX_DEPTH {
                return Err(self.give_up());
            }
            let right = self.nested(|parser| parser.binary(level + 1))?;
            let span = self.join(left.span, right.span);
            let kind = match operator {
                Operator::Plain(operator) => ExprKind::Binary(operator, Box::new(left), Box::new(right)),
                Operator::Temporal(operator) => ExprKind::Temporal(operator, Box::new(left), Some(Box::new(right))),
            };
            left = Expr { kind, span };
        }
        Ok(left)
    }

    /// The operator here, its precedence and how many tokens it has.
    fn operator(&self) -> Option<(Operator, u32, usize)> {
        if self.in_formula
            && let Some(found) = self.temporal_operator()
        {
            return Some(found);
        }
        use BinaryOp::*;
        let (operator, level) = match self.peek() {
            Token::OrOr => (Or, 1),
            Token::AndAnd => (And, 2),
            Token::Bar => (BitOr, 4),
            Token::Caret => (BitXor, 5),
            Token::Ampersand => (BitAnd, 6),
            Token::Equal => (Equal, 7),
            Token::NotEqual => (NotEqual, 7),
            // `q?<x>` closes with `>`, but patterns hold no operators.
            Token::Greater => (Greater, 8),
            Token::Less => (Less, 8),
            Token::GreaterEqual => (GreaterEqual, 8),
            Token::LessEqual => (LessEqual, 8),
            Token::ShiftLeft => (ShiftLeft, 9),
            Token::ShiftRight => (ShiftRight, 9),
            Token::Plus => (Add, 10),
            Token::Minus => (Subtract, 10),
            Token::Star => (Multiply, 11),
            Token::Slash => (Divide, 11),
            Token::Percent => (Remainder, 11),
            _ => return None,
        };
        Some((Operator::Plain(operator), level, 1))
    }

    fn temporal_operator(&self) -> Option<(Operator, u32, usize)> {
        use TemporalOp::*;
        let (operator, level, n_tokens) = match self.peek() {
            Token::Arrow => (Implies, 0, 1),
            Token::Less if self.nth(1) == Token::Arrow => (Equivalent, 0, 2),
            Token::Name => match &*self.lexeme().text {
                "implies" => (Implies, 0, 1),
                "equivalent" => (Equivalent, 0, 1),
                "U" | "until" | "stronguntil" => (Until, 3, 1),
                "V" | "release" => (Release, 3, 1),
                "W" | "weakuntil" => (WeakUntil, 3, 1),
                _ => return None,
            },
            _ => return None,
        };
        Some((Operator::Temporal(operator), level, n_tokens))
    }

    fn temporal_prefix(&self) -> Option<(TemporalOp, usize)> {
        match self.peek() {
            Token::OpenBracket if self.nth(1) == Token::CloseBracket => Some((TemporalOp::Always, 2)),
            Token::Less if self.nth(1) == Token::Greater => Some((TemporalOp::Eventually, 2)),
            Token::Name => match &*self.lexeme().text {
                "always" => Some((TemporalOp::Always, 1)),
                "eventually" => Some((TemporalOp::Eventually, 1)),
                "X" | "next" => Some((TemporalOp::Next, 1)),
                _ => None,
            },
            _ => None,
        }
    }

    pub(super) fn unary(&mut self) -> Parsed<Expr> {
        let start = self.span();
        if self.in_formula
            && let Some((operator, n_tokens)) = self.temporal_prefix()
        {
            for _ in 0..n_tokens {
                self.bump();
            }
            let inner = self.nested(Self::unary)?;
            let span = self.join(start, inner.span);
            return Ok(Expr { kind: ExprKind::Temporal(operator, Box::new(inner), None), span });
        }
        let operators: &[UnaryOp] = match self.peek() {
            Token::Bang => &[UnaryOp::Not],
            // `!!x` is one token for the lexer: it is a sorted send elsewhere.
            Token::BangBang => &[UnaryOp::Not, UnaryOp::Not],
            Token::Minus => &[UnaryOp::Minus],
            Token::Decrement => &[UnaryOp::Minus, UnaryOp::Minus],
            Token::Tilde => &[UnaryOp::Complement],
            _ => return self.primary(),
        };
        self.bump();
        let inner = self.nested(|parser| parser.binary(PREFIX_LEVEL))?;
        let span = self.join(start, inner.span);
        let wrap = |inner, operator: &UnaryOp| Expr { kind: ExprKind::Unary(*operator, Box::new(inner)), span };
        Ok(operators.iter().fold(inner, wrap))
    }

    pub(super) fn primary(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let kind = match self.peek() {
            Token::OpenParen => return self.nested(Self::parenthesised_or_conditional),
            Token::Number => ExprKind::Number(number(&self.bump())),
            Token::Char => ExprKind::Number(character(&self.bump())),
            Token::True | Token::Skip => self.constant(1),
            Token::False => self.constant(0),
            Token::Timeout => {
                self.bump();
                ExprKind::Timeout
            }
            Token::Np => {
                self.bump();
                ExprKind::NonProgress
            }
            Token::Run => self.run()?,
            Token::Len => self.about_channel(ChanOp::Len)?,
            Token::Full => self.about_channel(ChanOp::Full)?,
            Token::Empty => self.about_channel(ChanOp::Empty)?,
            Token::Nfull => self.about_channel(ChanOp::NotFull)?,
            Token::Nempty => self.about_channel(ChanOp::NotEmpty)?,
            Token::Enabled => ExprKind::Enabled(self.argument()?),
            Token::PcValue => ExprKind::PcValue(self.argument()?),
            Token::GetPriority => ExprKind::GetPriority(self.argument()?),
            Token::CExpr => {
                self.embedded_c();
                ExprKind::Number(1)
            }
            Token::Name if self.at_remote_reference() => self.remote_reference()?,
            Token::Name => self.variable_or_poll()?,
            _ => return Err(self.expected("an expression")),
        };
        Ok(Expr { kind, span: self.since(start) })
    }

    fn constant(&mut self, value: i32) -> ExprKind {
        self.bump();
        ExprKind::Number(value)
    }

    fn parenthesised_or_conditional(&mut self) -> Parsed<Expr> {
        let start = self.bump().span;
        let first = self.expr()?;
        if self.eat(Token::Arrow) {
            let yes = self.expr()?;
            self.expect(Token::Colon, "`:`")?;
            let no = self.expr()?;
            self.expect(Token::CloseParen, "`)`")?;
            let kind = ExprKind::Conditional(Box::new(first), Box::new(yes), Box::new(no));
            return Ok(Expr { kind, span: self.since(start) });
        }
        self.expect(Token::CloseParen, "`)` or an operator")?;
        Ok(Expr { kind: first.kind, span: self.since(start) })
    }

    fn argument(&mut self) -> Parsed<Box<Expr>> {
        self.bump();
        self.expect(Token::OpenParen, "`(`")?;
        let argument = self.expr()?;
        self.expect(Token::CloseParen, "`)`")?;
        Ok(Box::new(argument))
    }

    fn about_channel(&mut self, operator: ChanOp) -> Parsed<ExprKind> {
        self.bump();
        self.expect(Token::OpenParen, "`(`")?;
        let chan = self.var_ref()?;
        self.expect(Token::CloseParen, "`)`")?;
        Ok(ExprKind::Chan(operator, chan))
    }

    fn run(&mut self) -> Parsed<ExprKind> {
        self.bump();
        let proc = self.name_called("the name of a process type")?;
        self.expect(Token::OpenParen, "`(`")?;
        let args = if self.peek() == Token::CloseParen { Vec::new() } else { self.exprs()? };
        self.expect(Token::CloseParen, "`)` or `,`")?;
        let priority = self.priority()?.map(Box::new);
        Ok(ExprKind::Run { proc, args, priority })
    }

    /// Whether a process type is named here for what one of its instances does.
    pub(super) fn at_remote_reference(&self) -> bool {
        self.at_name_in(&self.proctypes) && matches!(self.nth(1), Token::At | Token::OpenBracket | Token::Colon)
    }

    fn remote_reference(&mut self) -> Parsed<ExprKind> {
        let proc = self.name()?;
        let pid = if self.eat(Token::OpenBracket) {
            let pid = self.expr()?;
            self.expect(Token::CloseBracket, "`]`")?;
            Some(Box::new(pid))
        } else {
            None
        };
        if self.eat(Token::At) {
            return Ok(ExprKind::RemoteLabel { proc, pid, label: self.name_called("a label")? });
        }
        self.expect(Token::Colon, "`@` or `:`")?;
        Ok(ExprKind::RemoteVar { proc, pid, var: self.var_ref()? })
    }

    fn variable_or_poll(&mut self) -> Parsed<ExprKind> {
        let var = self.var_ref()?;
        let polls = matches!(self.peek(), Token::Question | Token::QuestionQuestion);
        if !polls || self.nth(1) != Token::OpenBracket {
            return Ok(ExprKind::Var(var));
        }
        let random = self.bump().token == Token::QuestionQuestion;
        self.bump();
        let args = self.pattern()?;
        self.expect(Token::CloseBracket, "`]`")?;
        Ok(ExprKind::Poll { chan: var, args, random })
    }

    pub(super) fn var_ref(&mut self) -> Parsed<VarRef> {
        let start = self.span();
        let mut parts = Vec::new();
        loop {
            let name: Name = self.name_called("a variable")?;
            let index = if self.peek() == Token::OpenBracket && !(self.in_formula && self.nth(1) == Token::CloseBracket)
            {
                self.bump();
                let formula = std::mem::replace(&mut self.in_formula, false);
                let index = self.expr();
                self.in_formula = formula;
                let index = index?;
                self.expect(Token::CloseBracket, "`]`")?;
                Some(Box::new(index))
            } else {
                None
            };
            parts.push(VarPart { name, index });
            if parts.len() as u32 >= super::MAX_DEPTH {
                return Err(self.give_up());
            }
            if !self.eat(Token::Dot) {
                break;
            }
        }
        Ok(VarRef { parts, span: self.since(start) })
    }
}

/// A literal; beyond 32 bits it wraps as in C.
fn number(lexeme: &Lexeme) -> i32 {
    lexeme.text.parse::<i64>().unwrap_or(i64::MAX) as i32
}

fn character(lexeme: &Lexeme) -> i32 {
    let mut inner = lexeme.text.trim_start_matches('\'').chars();
    let value = match inner.next() {
        Some('\\') => match inner.next() {
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('f') => '\u{c}',
            Some('0') => '\0',
            Some(other) => other,
            None => '\0',
        },
        Some(plain) => plain,
        None => '\0',
    };
    value as i32
}
