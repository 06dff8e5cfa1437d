//! Type expressions.

use burnside_diag::Span;

use super::blocks::Construct;
use super::{Parsed, Parser, Reported};
use crate::ast::{Expr, ExprKind, Field, Name, TypeExpr, TypeKind};
use crate::lex::Token;

impl Parser<'_> {
    pub(super) fn type_expr(&mut self) -> Parsed<TypeExpr> {
        self.nested(Self::type_here)
    }

    fn type_here(&mut self) -> Parsed<TypeExpr> {
        let start = self.span();
        let kind = match self.peek() {
            Token::Boolean => {
                self.bump();
                TypeKind::Boolean
            }
            Token::Enum => self.enum_type()?,
            Token::Record => self.record_type()?,
            Token::Array => self.array_type()?,
            Token::Scalarset => TypeKind::Scalarset(self.set_size()?),
            Token::Union => self.union_type()?,
            Token::RealType => self.real_type(),
            Token::Ident if self.at_word("multiset") && self.nth(1) == Token::OpenBracket => self.multiset_type()?,
            // No reserved word: a type's name is never followed by a parenthesis.
            Token::Ident if self.at_word("ringset") && self.nth(1) == Token::OpenParen => {
                TypeKind::Ringset(self.set_size()?)
            }
            _ => self.range_or_name()?,
        };
        Ok(TypeExpr { kind, span: self.since(start) })
    }

    /// From `start` to the token just consumed.
    pub(super) fn since(&self, start: Span) -> Span {
        start.to(self.previous_span())
    }

    fn enum_type(&mut self) -> Parsed<TypeKind> {
        self.bump();
        self.expect(Token::OpenBrace, "`{`")?;
        let mut members: Vec<Name> = Vec::new();
        while self.peek() != Token::CloseBrace {
            members.push(self.new_name()?);
            if !self.eat(Token::Comma) && self.peek() != Token::CloseBrace {
                return Err(self.expected("`,` or `}`"));
            }
        }
        self.bump();
        Ok(TypeKind::Enum(members))
    }

    fn record_type(&mut self) -> Parsed<TypeKind> {
        let opener = self.bump().span;
        self.open(Construct::Record, opener);
        let mut fields = Vec::new();
        while self.peek() == Token::Ident {
            match self.field() {
                Ok(field) => fields.push(field),
                Err(Reported) => self.skip_declaration(),
            }
            while self.eat(Token::Semicolon) {}
        }
        self.close();
        Ok(TypeKind::Record(fields))
    }

    /// Field names follow a dot, so they never clash with words of the language.
    fn field(&mut self) -> Parsed<Field> {
        let mut names = vec![self.name()?];
        while self.eat(Token::Comma) {
            names.push(self.name()?);
        }
        self.colon_after_names()?;
        Ok(Field { names, ty: self.type_expr()? })
    }

    fn array_type(&mut self) -> Parsed<TypeKind> {
        self.bump();
        self.expect(Token::OpenBracket, "`[`")?;
        let index = self.type_expr()?;
        if self.peek() == Token::Comma {
            let help = "an array has one index; write `array [A] of array [B] of …`";
            return Err(self.expected_with_help("`]`", help));
        }
        self.expect(Token::CloseBracket, "`]`")?;
        self.expect(Token::Of, "`of`")?;
        Ok(TypeKind::Array(Box::new(index), Box::new(self.type_expr()?)))
    }

    fn multiset_type(&mut self) -> Parsed<TypeKind> {
        self.bump();
        self.expect(Token::OpenBracket, "`[`")?;
        let capacity = self.expr()?;
        self.expect(Token::CloseBracket, "`]`")?;
        self.expect(Token::Of, "`of`")?;
        Ok(TypeKind::Multiset(Box::new(capacity), Box::new(self.type_expr()?)))
    }

    /// What comes behind `scalarset` or `ringset`.
    fn set_size(&mut self) -> Parsed<Box<Expr>> {
        self.bump();
        self.expect(Token::OpenParen, "`(`")?;
        let size = self.expr()?;
        self.expect(Token::CloseParen, "`)`")?;
        Ok(Box::new(size))
    }

    fn union_type(&mut self) -> Parsed<TypeKind> {
        self.bump();
        self.expect(Token::OpenBrace, "`{`")?;
        let mut members = Vec::new();
        while self.peek() != Token::CloseBrace {
            members.push(self.type_expr()?);
            if !self.eat(Token::Comma) && self.peek() != Token::CloseBrace {
                return Err(self.expected("`,` or `}`"));
            }
        }
        self.bump();
        Ok(TypeKind::Union(members))
    }

    /// `real (digits, exponent)`; the numbers do not matter, `check` refuses the type.
    fn real_type(&mut self) -> TypeKind {
        self.bump();
        if self.eat(Token::OpenParen) {
            while !matches!(self.peek(), Token::CloseParen | Token::Semicolon | Token::Eof) {
                self.bump();
            }
            self.eat(Token::CloseParen);
        }
        TypeKind::Real
    }

    fn range_or_name(&mut self) -> Parsed<TypeKind> {
        let starts_type = matches!(
            self.peek(),
            Token::Ident | Token::Integer | Token::Hex | Token::Minus | Token::OpenParen | Token::Tilde | Token::Real
        );
        if !starts_type {
            return Err(self.expected("a type"));
        }
        let low = self.expr()?;
        if self.eat(Token::DotDot) {
            return Ok(TypeKind::Range(Box::new(low), Box::new(self.expr()?)));
        }
        match low.kind {
            ExprKind::Name(text) => Ok(TypeKind::Named(Name { text, span: low.span })),
            _ => Err(self.expected_with_help("`..`", "a range type is written `low..high`")),
        }
    }
}
