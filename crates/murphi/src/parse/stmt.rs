//! Statements.

use burnside_diag::{Diagnostic, Span};

use super::blocks::Construct;
use super::{Parsed, Parser, Reported};
use crate::ast::{AliasBinding, Domain, Expr, ExprKind, Matching, Quantifier, Stmt, StmtKind};
use crate::codes;
use crate::lex::{Token, unquote};

impl Parser<'_> {
    /// Statements up to a word that cannot start one. A bad statement is left out.
    pub(super) fn statements(&mut self) -> Vec<Stmt> {
        let mut statements = Vec::new();
        loop {
            if self.eat(Token::Semicolon) {
                continue;
            }
            if self.peek().stops_statements() {
                return statements;
            }
            let n_open = self.open.len();
            match self.statement() {
                Ok(statement) => statements.push(statement),
                Err(Reported) => {
                    self.abandon_blocks(n_open);
                    self.skip_statement();
                }
            }
        }
    }

    fn statement(&mut self) -> Parsed<Stmt> {
        let start = self.span();
        let kind = self.nested(Self::statement_kind)?;
        Ok(Stmt { kind, span: self.since(start) })
    }

    fn statement_kind(&mut self) -> Parsed<StmtKind> {
        match self.peek() {
            Token::If => self.if_statement(),
            Token::Switch => self.switch(),
            Token::For => self.for_loop(),
            Token::While => self.while_loop(),
            Token::Alias => self.alias_statement(),
            Token::Clear => {
                self.bump();
                Ok(StmtKind::Clear(self.designator()?))
            }
            Token::Undefine => {
                self.bump();
                Ok(StmtKind::Undefine(self.designator()?))
            }
            Token::Return => self.return_statement(),
            Token::Assert | Token::Invariant => self.property_statement(),
            Token::Error => self.error_statement(),
            Token::Put => self.put(),
            Token::Ident => self.statement_from_name(),
            Token::Var => {
                let help = "declare variables before `begin`";
                Err(self.expected_with_help("a statement", help))
            }
            _ => Err(self.expected("a statement")),
        }
    }

    fn if_statement(&mut self) -> Parsed<StmtKind> {
        let keyword = self.span();
        let mut branches = Vec::new();
        self.open(Construct::If, keyword);
        loop {
            self.bump();
            let condition = self.heading(Token::Then);
            if !self.eat(Token::Then) {
                self.expected("`then`");
            }
            branches.push((condition, self.statements()));
            if self.peek() != Token::Elsif {
                break;
            }
        }
        let otherwise = if self.eat(Token::Else) { self.statements() } else { Vec::new() };
        self.close();
        Ok(StmtKind::If { branches, otherwise })
    }

    /// The expression of a heading that ends in `last`. If it cannot be read the body still is.
    fn heading(&mut self, last: Token) -> Expr {
        let start = self.span();
        self.expr().unwrap_or_else(|Reported| {
            self.skip_heading(last);
            Expr { kind: ExprKind::Error, span: start }
        })
    }

    fn switch(&mut self) -> Parsed<StmtKind> {
        let keyword = self.bump().span;
        let subject = self.heading(Token::Case);
        self.open(Construct::Switch, keyword);
        let mut cases = Vec::new();
        while self.eat(Token::Case) {
            cases.push((self.case_labels(), self.statements()));
        }
        let otherwise = if self.eat(Token::Else) {
            self.eat(Token::Colon);
            self.statements()
        } else {
            Vec::new()
        };
        self.close();
        Ok(StmtKind::Switch { subject, cases, otherwise })
    }

    /// `a, b:`
    fn case_labels(&mut self) -> Vec<Expr> {
        let mut labels = vec![self.heading(Token::Colon)];
        while self.eat(Token::Comma) && self.peek() != Token::Colon {
            labels.push(self.heading(Token::Colon));
        }
        if !self.eat(Token::Colon) {
            self.expected("`:` after the label");
        }
        labels
    }

    fn for_loop(&mut self) -> Parsed<StmtKind> {
        let keyword = self.bump().span;
        let quantifiers = match self.quantifiers() {
            Ok(quantifiers) => quantifiers,
            Err(Reported) => {
                self.lost_declarations = true;
                self.skip_heading(Token::Do);
                Vec::new()
            }
        };
        let body = self.loop_body(Construct::For, keyword);
        Ok(StmtKind::For(quantifiers, body))
    }

    fn while_loop(&mut self) -> Parsed<StmtKind> {
        let keyword = self.bump().span;
        let condition = self.heading(Token::Do);
        let body = self.loop_body(Construct::While, keyword);
        Ok(StmtKind::While(condition, body))
    }

    fn loop_body(&mut self, construct: Construct, keyword: Span) -> Vec<Stmt> {
        // A missing `do` is reported; the body is read all the same.
        let _ = self.do_or_colon();
        self.open(construct, keyword);
        let body = self.statements();
        self.close();
        body
    }

    /// CMurphi takes `:` for `do` everywhere.
    pub(super) fn do_or_colon(&mut self) -> Parsed<()> {
        if self.eat(Token::Do) || self.eat(Token::Colon) { Ok(()) } else { Err(self.expected("`do`")) }
    }

    fn alias_statement(&mut self) -> Parsed<StmtKind> {
        let keyword = self.bump().span;
        let bindings = match self.alias_bindings() {
            Ok(bindings) => bindings,
            Err(Reported) => {
                self.lost_declarations = true;
                self.skip_heading(Token::Do);
                Vec::new()
            }
        };
        let body = self.loop_body(Construct::Alias, keyword);
        Ok(StmtKind::Alias(bindings, body))
    }

    pub(super) fn alias_bindings(&mut self) -> Parsed<Vec<AliasBinding>> {
        let mut bindings = Vec::new();
        while self.peek() == Token::Ident {
            let name = self.new_name()?;
            self.expect(Token::Colon, "`:`")?;
            let target = self.expr()?;
            bindings.push(AliasBinding { name, target });
            if self.peek() == Token::Comma {
                return Err(self.expected_with_help("`;` or `do`", "aliases are separated by `;`"));
            }
            while self.eat(Token::Semicolon) {}
        }
        if bindings.is_empty() { Err(self.expected("a name")) } else { Ok(bindings) }
    }

    /// `i: T; j := 0 to 3 by 2; …`
    pub(super) fn quantifiers(&mut self) -> Parsed<Vec<Quantifier>> {
        let mut quantifiers = vec![self.quantifier()?];
        while self.eat(Token::Semicolon) {
            if self.peek() == Token::Ident {
                quantifiers.push(self.quantifier()?);
            }
        }
        Ok(quantifiers)
    }

    fn quantifier(&mut self) -> Parsed<Quantifier> {
        let name = self.new_name()?;
        let domain = if self.eat(Token::Assign) {
            let from = self.expr()?;
            self.expect(Token::To, "`to`")?;
            let to = self.expr()?;
            let by = if self.eat(Token::By) { Some(self.expr()?) } else { None };
            Domain::Steps { from, to, by }
        } else if self.eat(Token::Colon) {
            Domain::Type(self.type_expr()?)
        } else {
            return Err(self.expected("`:` or `:=`"));
        };
        let span = self.since(name.span);
        Ok(Quantifier { name, domain, span })
    }

    fn return_statement(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let ends = self.peek() == Token::Semicolon || self.peek().stops_statements();
        Ok(StmtKind::Return(if ends { None } else { Some(self.expr()?) }))
    }

    fn property_statement(&mut self) -> Parsed<StmtKind> {
        let kind = self.property_keyword();
        let (message, condition) = self.named_condition()?;
        let message = message.unwrap_or_else(|| {
            let words: Vec<&str> = self.slice(condition.span).split_whitespace().collect();
            words.join(" ")
        });
        Ok(StmtKind::Property(kind, condition, message))
    }

    fn error_statement(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let span = self.expect(Token::Text, "a message in quotes")?;
        Ok(StmtKind::Error(unquote(self.slice(span))))
    }

    fn put(&mut self) -> Parsed<StmtKind> {
        self.bump();
        match self.optional_text() {
            Some(text) => Ok(StmtKind::PutText(text)),
            None => Ok(StmtKind::Put(self.expr()?)),
        }
    }

    /// An assignment, a call, or a statement whose first word is reserved in one dialect only.
    fn statement_from_name(&mut self) -> Parsed<StmtKind> {
        if self.at_soft_property() {
            return self.property_statement();
        }
        if self.at_word("multisetremovepred") && self.at_matching() {
            self.bump();
            return Ok(StmtKind::RemoveMatching(Box::new(self.matching()?)));
        }
        if self.nth(1) == Token::OpenParen {
            let name = self.name()?;
            let args = self.arguments()?;
            self.refuse_projection(name.span)?;
            return Ok(StmtKind::Call(name, args));
        }
        if self.at_word("default") && self.nth(1) == Token::Colon {
            self.bump();
            return Err(self.expected("`:=`"));
        }
        let target = self.designator()?;
        if self.eat(Token::Assign) {
            return Ok(StmtKind::Assign(target, self.expr()?));
        }
        if matches!(self.peek(), Token::Equal | Token::EqualEqual) {
            let finding =
                Diagnostic::error(codes::EQUALS_FOR_ASSIGNMENT, "`=` compares, it does not assign", self.span())
                    .help("write `:=`");
            self.report(finding);
            self.bump();
            return Ok(StmtKind::Assign(target, self.expr()?));
        }
        Err(self.expected_with_help("`:=`", "a call needs parentheses, `p()`; an assignment is written `x := e`"))
    }

    /// `assume x < 4`, but not `assume := 4` nor a call of a procedure declared under that name.
    fn at_soft_property(&self) -> bool {
        let word = self.slice(self.span()).to_ascii_lowercase();
        ["assume", "cover", "liveness"].contains(&word.as_str())
            && !self.soft_words_declared.contains(&word)
            && !matches!(self.nth(1), Token::Assign | Token::Dot | Token::OpenBracket)
    }

    /// Whether `word(name:` stands here, which no call looks like.
    pub(super) fn at_matching(&self) -> bool {
        self.nth(1) == Token::OpenParen && self.nth(2) == Token::Ident && self.nth(3) == Token::Colon
    }

    /// `(i: set, condition)`
    pub(super) fn matching(&mut self) -> Parsed<Matching> {
        self.expect(Token::OpenParen, "`(`")?;
        let index = self.new_name()?;
        self.expect(Token::Colon, "`:`")?;
        let set = self.designator()?;
        self.expect(Token::Comma, "`,`")?;
        let condition = self.expr()?;
        self.expect(Token::CloseParen, "`)`")?;
        Ok(Matching { index, set, condition })
    }
}
