//! Expressions, places and operands.

use super::{Parsed, Parser};
use crate::text::lex::Token;
use crate::text::words::Worded;
use crate::text::{Scope, implied_type};
use crate::{
    Arg, BinaryOp, Call, Domain, Expr, ExprKind, FunctionId, GlobalId, LocalId, Operand, Place, PlaceBase, Projection,
    Quantifier, TypeId, UnaryOp,
};

impl<'a> Parser<'a> {
    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        self.nested(|parser| match parser.token {
            Token::Int(value) => parser.number(value),
            Token::Word("true") => parser.truth(true),
            Token::Word("false") => parser.truth(false),
            Token::Word(_) => Ok(Expr::read(parser.place()?)),
            Token::Open => {
                parser.advance()?;
                let head = parser.word()?;
                parser.list_expr(head)
            }
            _ => parser.unexpected("an expression"),
        })
    }

    /// An expression inside a list whose opening parenthesis and head have been read.
    pub(super) fn expr_from(&mut self, head: &'a str) -> Parsed<Expr> {
        self.nested(|parser| parser.list_expr(head))
    }

    fn number(&mut self, value: i64) -> Parsed<Expr> {
        self.advance()?;
        let ty = self.type_suffix()?.unwrap_or(TypeId::INT);
        Ok(Expr::constant(ty, value, self.span()?))
    }

    fn truth(&mut self, value: bool) -> Parsed<Expr> {
        self.advance()?;
        Ok(Expr::boolean(value, self.span()?))
    }

    /// The rest of an expression of which the opening parenthesis and the head have been read.
    fn list_expr(&mut self, head: &'a str) -> Parsed<Expr> {
        if head == "result" {
            let base = PlaceBase::Call(Box::new(self.call()?));
            return Ok(Expr::read(self.place_from(base)?));
        }
        let ty = self.type_suffix()?;
        let span = self.span()?;
        let kind = self.expr_kind(head)?;
        match ty.or_else(|| implied_type(&kind)) {
            Some(ty) => Ok(Expr { kind, ty, span }),
            None => self.fail(format!("the type of a `{head}` must be written")),
        }
    }

    fn expr_kind(&mut self, head: &'a str) -> Parsed<ExprKind> {
        let kind = match head {
            "read" => ExprKind::Read(self.boxed_place()?),
            "is-undefined" => ExprKind::IsUndefined(self.boxed_place()?),
            "same" => ExprKind::SameAggregate(self.boxed_place()?, self.boxed_place()?),
            "select" => ExprKind::Conditional(self.boxed_expr()?, self.boxed_expr()?, self.boxed_expr()?),
            "convert" => ExprKind::Convert(self.boxed_expr()?),
            "is-member" => ExprKind::IsMember(self.boxed_place()?, self.ty()?),
            "count" => ExprKind::Count(self.local_id()?, self.boxed_place()?, self.boxed_expr()?),
            "slot-number" => ExprKind::SlotNumber(self.local_id()?),
            "call" => return Ok(ExprKind::Call(Box::new(self.call()?))),
            _ => self.operation(head)?,
        };
        self.expect(&Token::Close)?;
        Ok(kind)
    }

    fn operation(&mut self, head: &'a str) -> Parsed<ExprKind> {
        if let Some(op) = UnaryOp::from_word(head) {
            return Ok(ExprKind::Unary(op, self.boxed_expr()?));
        }
        if let Some(op) = BinaryOp::from_word(head) {
            return Ok(ExprKind::Binary(op, self.boxed_expr()?, self.boxed_expr()?));
        }
        if let Some(quantifier) = Quantifier::from_word(head) {
            let (local, domain) = (self.local_id()?, Box::new(self.domain()?));
            return Ok(ExprKind::Quantified(quantifier, local, domain, self.boxed_expr()?));
        }
        self.fail(format!("`{head}` is not an expression"))
    }

    fn boxed_expr(&mut self) -> Parsed<Box<Expr>> {
        self.expr().map(Box::new)
    }

    fn boxed_place(&mut self) -> Parsed<Box<Place>> {
        self.place().map(Box::new)
    }

    pub(super) fn domain(&mut self) -> Parsed<Domain> {
        if !self.accept(&Token::Open)? {
            return self.ty().map(Domain::Type);
        }
        let domain = match self.word()? {
            "range" => Domain::Range { from: self.expr()?, to: self.expr()?, step: self.int()? },
            "slots" => Domain::Slots(self.place()?),
            word => return self.fail(format!("`{word}` is not a domain")),
        };
        self.expect(&Token::Close)?;
        Ok(domain)
    }

    pub(super) fn place(&mut self) -> Parsed<Place> {
        let base = if let Some(at) = self.peek_id('g') {
            self.advance()?;
            PlaceBase::Global(GlobalId(at))
        } else if let Some(at) = self.peek_id('l') {
            self.advance()?;
            PlaceBase::Local(LocalId(at))
        } else if self.accept(&Token::Open)? {
            self.expect(&Token::Word("result"))?;
            PlaceBase::Call(Box::new(self.call()?))
        } else {
            return self.unexpected("a place");
        };
        self.place_from(base)
    }

    /// The rest of a place behind its base.
    fn place_from(&mut self, base: PlaceBase) -> Parsed<Place> {
        let mut path = Vec::new();
        loop {
            path.push(match self.token {
                Token::Dot => {
                    self.advance()?;
                    Projection::Field(self.count()?)
                }
                Token::OpenBracket => Projection::Index(self.enclosed(&Token::CloseBracket)?),
                Token::OpenBrace => self.element()?,
                _ => break,
            });
        }
        let scope = Scope { types: &self.model.types, globals: &self.model.globals, locals: &self.locals };
        let implied = scope.implied_place_type(&base, &path);
        match self.type_suffix()?.or(implied) {
            Some(ty) => Ok(Place { base, path, ty, span: self.span()? }),
            None => self.fail("the type of this place must be written"),
        }
    }

    /// An element of a multiset, by slot local or by number.
    fn element(&mut self) -> Parsed<Projection> {
        self.advance()?;
        let step = if self.accept(&Token::Word("slot"))? {
            Projection::Element(self.local_id()?)
        } else {
            Projection::Numbered(self.boxed_expr()?)
        };
        self.expect(&Token::CloseBrace)?;
        Ok(step)
    }

    fn enclosed(&mut self, close: &Token<'a>) -> Parsed<Box<Expr>> {
        self.advance()?;
        let expr = self.boxed_expr()?;
        self.expect(close)?;
        Ok(expr)
    }

    pub(super) fn operand(&mut self) -> Parsed<Operand> {
        match self.arg()? {
            Arg::Value(operand) => Ok(operand),
            Arg::Reference(_) => self.fail("a reference is passed to functions only"),
        }
    }

    fn arg(&mut self) -> Parsed<Arg> {
        if self.accept(&Token::Word("undefined"))? {
            return Ok(Arg::Value(Operand::Undefined));
        }
        if self.token != Token::Open {
            return Ok(Arg::Value(Operand::Value(self.expr()?)));
        }
        self.advance()?;
        let arg = match self.word()? {
            "copy" => Arg::Value(Operand::Copy(self.place()?)),
            "ref" => Arg::Reference(self.place()?),
            head => return Ok(Arg::Value(Operand::Value(self.expr_from(head)?))),
        };
        self.expect(&Token::Close)?;
        Ok(arg)
    }

    /// The callee and the arguments up to the closing parenthesis.
    pub(super) fn call(&mut self) -> Parsed<Call> {
        self.nested(|parser| {
            let function = parser.id('f', FunctionId)?;
            let span = parser.span()?;
            Ok(Call { function, args: parser.until_close(Self::arg)?, span })
        })
    }
}
