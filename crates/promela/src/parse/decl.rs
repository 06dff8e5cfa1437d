//! Declarations of variables, channels and `mtype` names.

use super::{Parsed, Parser};
use crate::ast::{ChanInit, Decl, DeclVar, Init, Item, MtypeDecl, TypeName, Visibility};
use crate::lex::Token;

impl Parser {
    /// Whether a declaration starts here.
    pub(super) fn at_declaration(&self) -> bool {
        use Token::*;
        match self.peek() {
            Hidden | Show | Local | Bit | Bool | Byte | Pid | Short | Int | Unsigned | Mtype | Chan => true,
            Name => self.typedefs.contains(&*self.lexeme().text) && self.nth(1) == Name,
            _ => false,
        }
    }

    pub(super) fn global_declaration(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        if self.at_mtype_names() {
            items.push(Item::Mtype(self.mtype_names()?));
        } else {
            items.push(Item::Decl(self.declaration()?));
        }
        if !matches!(self.peek(), Token::Semi | Token::Arrow | Token::Eof)
            && !self.peek().starts_unit()
            && !self.at_declaration()
        {
            return Err(self.expected("`;`"));
        }
        Ok(())
    }

    /// Whether `mtype` introduces names and not variables.
    pub(super) fn at_mtype_names(&self) -> bool {
        if self.peek() != Token::Mtype {
            return false;
        }
        let after = if self.nth(1) == Token::Colon { 3 } else { 1 };
        match self.nth(after) {
            Token::OpenBrace => true,
            Token::Assign => self.nth(after + 1) == Token::OpenBrace,
            _ => false,
        }
    }

    pub(super) fn mtype_names(&mut self) -> Parsed<MtypeDecl> {
        let start = self.bump().span;
        let subtype = if self.eat(Token::Colon) { Some(self.name()?) } else { None };
        self.eat(Token::Assign);
        self.expect(Token::OpenBrace, "`{`")?;
        let mut names = Vec::new();
        loop {
            while self.eat(Token::Comma) {}
            if self.eat(Token::CloseBrace) {
                break;
            }
            names.push(self.name_called("a name or `}`")?);
        }
        Ok(MtypeDecl { subtype, names, span: self.since(start) })
    }

    /// Variables of one type, without what separates them from the next.
    pub(super) fn declaration(&mut self) -> Parsed<Decl> {
        let visibility = match self.peek() {
            Token::Hidden => Some(Visibility::Hidden),
            Token::Show => Some(Visibility::Show),
            Token::Local => Some(Visibility::Local),
            _ => None,
        };
        let visibility = visibility.map(|visibility| (visibility, self.bump().span));
        let ty_span = self.span();
        let ty = self.type_name()?;
        let ty_span = self.since(ty_span);
        let mut vars = vec![self.declared_var()?];
        while self.eat(Token::Comma) {
            vars.push(self.declared_var()?);
        }
        Ok(Decl { visibility, ty, ty_span, vars })
    }

    fn type_name(&mut self) -> Parsed<TypeName> {
        let ty = match self.peek() {
            Token::Bit => TypeName::Bit,
            Token::Bool => TypeName::Bool,
            Token::Byte => TypeName::Byte,
            Token::Pid => TypeName::Pid,
            Token::Short => TypeName::Short,
            Token::Int => TypeName::Int,
            Token::Unsigned => TypeName::Unsigned,
            Token::Chan => TypeName::Chan,
            Token::Mtype => {
                self.bump();
                let subtype = if self.eat(Token::Colon) { Some(self.name()?) } else { None };
                return Ok(TypeName::Mtype(subtype));
            }
            Token::Name if self.at_name_in(&self.typedefs) => return Ok(TypeName::User(self.name()?)),
            Token::Name => {
                return Err(self.expected_with_help("a type", "declare the type with `typedef` before this place"));
            }
            _ => return Err(self.expected("a type")),
        };
        self.bump();
        Ok(ty)
    }

    fn declared_var(&mut self) -> Parsed<DeclVar> {
        let name = self.name_called("the name of a variable")?;
        let width = if self.eat(Token::Colon) { Some(self.primary()?) } else { None };
        let length = if self.eat(Token::OpenBracket) {
            let length = self.expr()?;
            self.expect(Token::CloseBracket, "`]`")?;
            Some(length)
        } else {
            None
        };
        let init = if self.eat(Token::Assign) { Some(self.initialiser()?) } else { None };
        Ok(DeclVar { name, width, length, init })
    }

    fn initialiser(&mut self) -> Parsed<Init> {
        let start = self.span();
        match self.peek() {
            Token::OpenBracket => Ok(Init::Chan(self.chan_init()?)),
            Token::OpenBrace => {
                self.bump();
                let mut values = Vec::new();
                while self.peek() != Token::CloseBrace {
                    values.push(self.expr()?);
                    if !self.eat(Token::Comma) {
                        break;
                    }
                }
                self.expect(Token::CloseBrace, "`}` or `,`")?;
                Ok(Init::List(values, self.since(start)))
            }
            _ => Ok(Init::Expr(self.expr()?)),
        }
    }

    fn chan_init(&mut self) -> Parsed<ChanInit> {
        let start = self.bump().span;
        let capacity = self.expr()?;
        self.expect(Token::CloseBracket, "`]`")?;
        self.expect(Token::Of, "`of`")?;
        self.expect(Token::OpenBrace, "`{`")?;
        let mut fields = Vec::new();
        loop {
            let span = self.span();
            let ty = self.type_name()?;
            fields.push((ty, self.since(span)));
            if !self.eat(Token::Comma) {
                break;
            }
        }
        self.expect(Token::CloseBrace, "`}` or `,`")?;
        Ok(ChanInit { capacity, fields, span: self.since(start) })
    }
}
