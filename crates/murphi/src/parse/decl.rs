//! Declarations: constants, types, variables, functions and procedures.

use burnside_diag::Diagnostic;

use super::blocks::Construct;
use super::{Parsed, Parser, Reported, SOFT_WORDS};
use crate::ast::{Decl, Function, Param, Passing};
use crate::codes;
use crate::lex::Token;

impl Parser<'_> {
    /// `const`, `type` or `var` and all declarations behind it. A bad one is left out.
    pub(super) fn section(&mut self) -> Parsed<Vec<Decl>> {
        let keyword = self.bump().token;
        let mut decls = Vec::new();
        while self.at_declaration() {
            match self.declaration(keyword) {
                Ok(decl) => decls.push(decl),
                Err(Reported) => self.skip_declaration(),
            }
            while self.eat(Token::Semicolon) {}
        }
        Ok(decls)
    }

    /// Whether a name stands here that can only be declared; `cover x = 1` after a section is a property.
    fn at_declaration(&self) -> bool {
        if self.peek() != Token::Ident {
            return false;
        }
        let soft = SOFT_WORDS.iter().any(|word| self.at_word(word));
        !soft || matches!(self.nth(1), Token::Colon | Token::Comma)
    }

    fn declaration(&mut self, keyword: Token) -> Parsed<Decl> {
        let names = self.new_names()?;
        self.colon_after_names()?;
        Ok(match keyword {
            Token::Const => Decl::Const { names, value: self.expr()? },
            Token::Type => Decl::Type { names, ty: self.type_expr()? },
            _ => Decl::Var { names, ty: self.type_expr()? },
        })
    }

    pub(super) fn colon_after_names(&mut self) -> Parsed<()> {
        if self.eat(Token::Colon) {
            return Ok(());
        }
        let help = match self.peek() {
            Token::Equal => "a declaration is written `name: type` or `name: value`, with a colon",
            Token::Assign => "a declaration gives a type or constant, `name: …`; assign variables in statements",
            _ => "a declaration is written `name: type` or, for constants, `name: value`",
        };
        Err(self.expected_with_help("`:`", help))
    }

    /// Declarations at the head of a function, rule or start state.
    pub(super) fn local_decls(&mut self) -> Parsed<Vec<Decl>> {
        let mut decls = Vec::new();
        loop {
            match self.peek() {
                Token::Const | Token::Type | Token::Var => decls.extend(self.section()?),
                Token::Semicolon if !decls.is_empty() => {
                    self.bump();
                }
                _ => return Ok(decls),
            }
        }
    }

    pub(super) fn function(&mut self) -> Parsed<Function> {
        let keyword = self.bump();
        let construct = if keyword.token == Token::Function { Construct::Function } else { Construct::Procedure };
        let name = self.new_name()?;
        let params = self.params()?;
        // Rumur reads a function without a result as a procedure.
        let result = if self.eat(Token::Colon) { Some(self.type_expr()?) } else { None };
        if construct == Construct::Procedure
            && let Some(result) = &result
        {
            let finding = Diagnostic::error(codes::SYNTAX, "a procedure returns nothing", result.span)
                .label("type of a result")
                .help("make it a `function`, or remove the type");
            self.report(finding);
        }
        self.eat(Token::Semicolon);
        let decls = self.local_decls()?;
        self.eat(Token::Begin);
        self.open(construct, keyword.span);
        let body = self.statements();
        let end = self.close();
        Ok(Function { name, params, result, decls, body, end })
    }

    fn params(&mut self) -> Parsed<Vec<Param>> {
        let help = "the parameter list is needed even when it is empty: `()`";
        if self.peek() != Token::OpenParen {
            return Err(self.expected_with_help("`(`", help));
        }
        self.bump();
        let mut params = Vec::new();
        while self.peek() != Token::CloseParen {
            let passing = if self.eat(Token::Var) { Passing::Reference } else { Passing::Value };
            let names = self.new_names()?;
            self.colon_after_names()?;
            params.push(Param { passing, names, ty: self.type_expr()? });
            while self.eat(Token::Semicolon) {}
            if self.peek() == Token::Comma {
                let help = "parameters of different types are separated by `;`";
                return Err(self.expected_with_help("`;` or `)`", help));
            }
        }
        self.bump();
        Ok(params)
    }
}
