//! What stands at the top level: processes, claims, types, inlines, formulas.

use burnside_diag::{Diagnostic, Span};

use super::{Parsed, Parser, Reported};
use crate::ast::{Active, Item, Ltl, Name, Never, Proc, Step, Trace, Typedef};
use crate::codes;
use crate::lex::Token;

/// A body in braces with the place of its closing one.
struct Body {
    steps: Vec<Step>,
    end: Span,
}

impl Parser {
    pub(super) fn items(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        while self.peek() != Token::Eof {
            if self.eat(Token::Semi) || self.eat(Token::Arrow) {
                continue;
            }
            let before = self.at;
            if self.item(&mut items).is_err() {
                self.skip_to_unit();
                if self.at == before {
                    self.bump();
                }
            }
        }
        items
    }

    fn item(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        match self.peek() {
            Token::Active | Token::Proctype | Token::DProctype => items.push(Item::Proc(Box::new(self.proctype()?))),
            Token::Init => items.push(Item::Proc(Box::new(self.init()?))),
            Token::Never => items.push(Item::Never(self.never()?)),
            Token::Trace | Token::Notrace => items.push(Item::Trace(self.trace()?)),
            Token::Ltl => items.push(Item::Ltl(self.ltl()?)),
            Token::Typedef => items.push(Item::Typedef(self.typedef()?)),
            Token::Inline => self.inline_definition()?,
            Token::CCode | Token::CDecl | Token::CExpr | Token::CState | Token::CTrack => self.embedded_c(),
            _ if self.at_declaration() => self.global_declaration(items)?,
            _ => return Err(self.unknown_unit()),
        }
        Ok(())
    }

    fn unknown_unit(&mut self) -> Reported {
        let what = "a declaration, a `proctype`, `init` or a claim";
        if self.peek() == Token::CloseBrace {
            return self.expected_with_help(what, "remove it, or look for a `}` too many above");
        }
        self.expected_with_help(what, "statements stand in the body of a `proctype` or `init`")
    }

    fn proctype(&mut self) -> Parsed<Proc> {
        let start = self.span();
        let active = self.active()?;
        let deterministic = self.peek() == Token::DProctype;
        if !self.eat(Token::DProctype) {
            self.expect(Token::Proctype, "`proctype`")?;
        }
        let name = self.name_called("the name of the process type")?;
        self.expect(Token::OpenParen, "`(`")?;
        let params = self.params()?;
        self.expect(Token::CloseParen, "`)`")?;
        let priority = self.priority()?;
        let provided = if self.eat(Token::Provided) {
            self.expect(Token::OpenParen, "`(`")?;
            let condition = self.expr()?;
            self.expect(Token::CloseParen, "`)`")?;
            Some(condition)
        } else {
            None
        };
        let heading = self.since(start);
        let body = self.body()?;
        Ok(Proc {
            name,
            is_init: false,
            active,
            params,
            priority,
            provided,
            deterministic,
            body: body.steps,
            span: heading,
            end: body.end,
        })
    }

    fn active(&mut self) -> Parsed<Option<Active>> {
        if self.peek() != Token::Active {
            return Ok(None);
        }
        let span = self.bump().span;
        let count = if self.eat(Token::OpenBracket) {
            let count = self.expr()?;
            self.expect(Token::CloseBracket, "`]`")?;
            Some(count)
        } else {
            None
        };
        Ok(Some(Active { count, span }))
    }

    fn params(&mut self) -> Parsed<Vec<crate::ast::Decl>> {
        let mut params = Vec::new();
        while self.peek() != Token::CloseParen {
            params.push(self.declaration()?);
            if !self.eat(Token::Semi) {
                break;
            }
        }
        Ok(params)
    }

    pub(super) fn priority(&mut self) -> Parsed<Option<crate::ast::Expr>> {
        Ok(if self.eat(Token::Priority) { Some(self.primary()?) } else { None })
    }

    fn init(&mut self) -> Parsed<Proc> {
        let span = self.bump().span;
        let priority = self.priority()?;
        let body = self.body()?;
        Ok(Proc {
            name: Name { text: "init".to_owned(), span },
            is_init: true,
            active: Some(Active { count: None, span }),
            params: Vec::new(),
            priority,
            provided: None,
            deterministic: false,
            body: body.steps,
            span,
            end: body.end,
        })
    }

    fn never(&mut self) -> Parsed<Never> {
        let span = self.bump().span;
        let name = if self.peek() == Token::Name { Some(self.name()?) } else { None };
        let body = self.body()?;
        Ok(Never { name, body: body.steps, span, end: body.end })
    }

    fn trace(&mut self) -> Parsed<Trace> {
        let word = self.bump();
        let body = self.body()?;
        Ok(Trace { negated: word.token == Token::Notrace, body: body.steps, span: word.span, end: body.end })
    }

    /// A body in braces. Errors inside it are its own affair.
    fn body(&mut self) -> Parsed<Body> {
        let open = self.expect(Token::OpenBrace, "`{`")?;
        let steps = self.sequence(open);
        let end = self.expect(Token::CloseBrace, "`}`")?;
        Ok(Body { steps, end })
    }

    fn ltl(&mut self) -> Parsed<Ltl> {
        let span = self.bump().span;
        let name = if self.peek() == Token::Name { Some(self.name()?) } else { None };
        self.expect(Token::OpenBrace, "`{`")?;
        self.in_formula = true;
        let formula = self.expr();
        self.in_formula = false;
        let formula = formula?;
        while self.eat(Token::Semi) {}
        self.expect(Token::CloseBrace, "`}` or an operator")?;
        Ok(Ltl { name, formula, span })
    }

    fn typedef(&mut self) -> Parsed<Typedef> {
        self.bump();
        let name = self.name_called("the name of the type")?;
        self.expect(Token::OpenBrace, "`{`")?;
        let mut fields = Vec::new();
        loop {
            while self.eat(Token::Semi) {}
            if self.peek() == Token::CloseBrace {
                break;
            }
            fields.push(self.declaration()?);
            if !matches!(self.peek(), Token::Semi | Token::CloseBrace) {
                return Err(self.expected("`;` or `}`"));
            }
        }
        self.bump();
        Ok(Typedef { name, fields })
    }

    /// C inside the model, which only SPIN's own verifier could run.
    pub(super) fn embedded_c(&mut self) {
        let word = self.bump();
        let finding = Diagnostic::error(
            codes::EMBEDDED_C,
            format!("`{}` is C inside the model and cannot be checked", word.text),
            word.span,
        )
        .label("C starts here")
        .help("express it in Promela: variables for C data, statements for C code");
        self.report(finding);
        self.lost_declarations = true;
        while matches!(self.peek(), Token::Text) {
            self.bump();
        }
        if self.eat(Token::OpenBracket) {
            while !matches!(self.peek(), Token::CloseBracket | Token::Eof) {
                self.bump();
            }
            self.eat(Token::CloseBracket);
        }
        self.skip_braces();
    }
}
