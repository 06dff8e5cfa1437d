//! Sequences of statements.

use burnside_diag::{Diagnostic, Span};

use super::{Parsed, Parser, Reported};
use crate::ast::{Branch, Expr, ExprKind, Name, RecvArg, Step, StepKind, VarRef};
use crate::codes;
use crate::lex::Token;

impl Parser {
    /// Statements up to what closes them, which is left. `open` is what they stand in.
    pub(super) fn sequence(&mut self, open: Span) -> Vec<Step> {
        let mut steps = Vec::new();
        let n_findings = self.diagnostics.len();
        loop {
            while matches!(self.peek(), Token::Semi | Token::Arrow) {
                self.bump();
            }
            if self.at_sequence_end() {
                break;
            }
            let before = self.at;
            match self.step() {
                Ok(step) => steps.push(step),
                Err(Reported) => {
                    self.skip_statement();
                    if self.at == before {
                        self.bump();
                    }
                    continue;
                }
            }
            if !matches!(self.peek(), Token::Semi | Token::Arrow) && !self.at_sequence_end() {
                self.missing_separator();
                self.skip_statement();
            }
        }
        if steps.is_empty() && self.diagnostics.len() == n_findings {
            let finding = Diagnostic::error(codes::EMPTY_SEQUENCE, "this holds no statement", join_here(self, open));
            self.report(finding.help("write `skip` where nothing is to be done"));
        }
        steps
    }

    fn missing_separator(&mut self) {
        let help = match self.peek() {
            Token::Assign => "a line break or another statement ends here; `==` compares, `=` assigns to a variable",
            Token::OpenParen => "declare an `inline` of this name before this place, or write `;` between statements",
            _ => "write `;` or `->` between statements, or begin a new line",
        };
        self.expected_with_help("`;` or an operator", help);
    }

    fn at_sequence_end(&self) -> bool {
        use Token::*;
        matches!(self.peek(), CloseBrace | Fi | Od | Separator | Eof) || self.peek().starts_unit()
    }

    fn step(&mut self) -> Parsed<Step> {
        self.nested(|parser| {
            let step = parser.labelled()?;
            if parser.peek() != Token::Unless {
                return Ok(step);
            }
            parser.bump();
            let escape = parser.labelled()?;
            let span = parser.join(step.span, escape.span);
            Ok(Step { labels: Vec::new(), kind: StepKind::Unless(Box::new(step), Box::new(escape)), span })
        })
    }

    fn labelled(&mut self) -> Parsed<Step> {
        let mut labels = Vec::new();
        while self.peek() == Token::Name && self.nth(1) == Token::Colon && !self.at_remote_reference() {
            labels.push(self.name()?);
            self.bump();
        }
        if let Some(label) = labels.last() {
            self.check_label(label.clone())?;
            if matches!(self.peek(), Token::Semi | Token::Arrow) || self.at_sequence_end() {
                let span = labels[0].span;
                let skip = Expr { kind: ExprKind::Number(1), span };
                return Ok(Step { labels, kind: StepKind::Expr(skip), span });
            }
        }
        let start = self.lexeme().place;
        let kind = self.statement()?;
        Ok(Step { labels, kind, span: self.since(start) })
    }

    fn check_label(&mut self, label: Name) -> Parsed<()> {
        if self.at_declaration() || matches!(self.peek(), Token::Xr | Token::Xs) {
            let message = format!("the label `{}` stands on a declaration", label.text);
            let finding = Diagnostic::error(codes::LABEL_ON_DECLARATION, message, label.span);
            self.report(finding.help("put the label on the statement behind the declaration"));
            return Err(Reported);
        }
        Ok(())
    }

    fn statement(&mut self) -> Parsed<StepKind> {
        let start = self.span();
        match self.peek() {
            Token::If => Ok(StepKind::If(self.branches(Token::Fi, "`fi`")?)),
            Token::Do => Ok(StepKind::Do(self.branches(Token::Od, "`od`")?)),
            Token::For => self.for_loop(),
            Token::Select => self.select(),
            Token::Break => self.word(StepKind::Break),
            Token::Else => self.word(StepKind::Else),
            Token::Goto => {
                self.bump();
                Ok(StepKind::Goto(self.name_called("a label")?))
            }
            Token::Atomic => {
                self.bump();
                Ok(StepKind::Atomic(self.block()?))
            }
            Token::DStep => {
                self.bump();
                Ok(StepKind::DStep(self.block()?))
            }
            Token::OpenBrace => Ok(StepKind::Block(self.block()?)),
            Token::Printf => self.printf(),
            Token::Printm => {
                self.bump();
                Ok(StepKind::Printm(self.parenthesised()?))
            }
            Token::Assert => {
                self.bump();
                Ok(StepKind::Assert(self.expr()?))
            }
            Token::SetPriority => self.set_priority(),
            Token::Xr | Token::Xs => self.exclusive(),
            Token::Return => self.return_value(),
            Token::CCode | Token::CDecl | Token::CState | Token::CTrack => {
                self.embedded_c();
                Ok(StepKind::Expr(Expr { kind: ExprKind::Number(1), span: start }))
            }
            _ if self.at_declaration() => self.local_declaration(),
            _ if self.at_inline_call() => self.inline_call(None),
            Token::Name if !self.at_remote_reference() => self.variable_statement(),
            _ => Ok(StepKind::Expr(self.expr()?)),
        }
    }

    fn word(&mut self, kind: StepKind) -> Parsed<StepKind> {
        self.bump();
        Ok(kind)
    }

    fn local_declaration(&mut self) -> Parsed<StepKind> {
        if self.at_mtype_names() {
            let names = self.mtype_names()?;
            let finding =
                Diagnostic::error(codes::LOCAL_MTYPE, "`mtype` names are declared inside a process", names.span);
            self.report(finding.help("move the declaration to the top level"));
            return Err(Reported);
        }
        match self.declaration() {
            Ok(decl) => Ok(StepKind::Decl(decl)),
            Err(reported) => {
                self.lost_declarations = true;
                Err(reported)
            }
        }
    }

    /// Statements that begin with a variable; any other expression is read again from its start.
    fn variable_statement(&mut self) -> Parsed<StepKind> {
        let start = self.at;
        let var = self.var_ref()?;
        match self.peek() {
            Token::Assign => {
                self.bump();
                if self.at_inline_call() {
                    return self.inline_call(Some(var));
                }
                Ok(StepKind::Assign(var, self.expr()?))
            }
            Token::Increment => self.word(StepKind::Increment(var)),
            Token::Decrement => self.word(StepKind::Decrement(var)),
            Token::Bang | Token::BangBang => {
                let sorted = self.bump().token == Token::BangBang;
                Ok(StepKind::Send { chan: var, args: self.message()?, sorted })
            }
            Token::Question | Token::QuestionQuestion if self.nth(1) != Token::OpenBracket => self.receive(var),
            _ => {
                self.at = start;
                Ok(StepKind::Expr(self.expr()?))
            }
        }
    }

    /// `a, b` or `a(b, c)`.
    fn message(&mut self) -> Parsed<Vec<Expr>> {
        let mut args = vec![self.expr()?];
        if self.eat(Token::OpenParen) {
            args.extend(self.exprs()?);
            self.expect(Token::CloseParen, "`)`")?;
            return Ok(args);
        }
        while self.eat(Token::Comma) {
            args.push(self.expr()?);
        }
        Ok(args)
    }

    fn receive(&mut self, chan: VarRef) -> Parsed<StepKind> {
        let random = self.bump().token == Token::QuestionQuestion;
        let keep = self.eat(Token::Less);
        let args = self.pattern()?;
        if keep {
            self.expect(Token::Greater, "`>`")?;
        }
        Ok(StepKind::Receive { chan, args, random, keep })
    }

    /// The fields of a receive or poll.
    pub(super) fn pattern(&mut self) -> Parsed<Vec<RecvArg>> {
        self.nested(|parser| {
            if parser.eat(Token::OpenParen) {
                let args = parser.pattern()?;
                parser.expect(Token::CloseParen, "`)`")?;
                return Ok(args);
            }
            let mut args = vec![parser.pattern_field()?];
            if parser.eat(Token::OpenParen) {
                args.extend(parser.pattern()?);
                parser.expect(Token::CloseParen, "`)`")?;
            } else if parser.eat(Token::Comma) {
                args.extend(parser.pattern()?);
            }
            Ok(args)
        })
    }

    fn pattern_field(&mut self) -> Parsed<RecvArg> {
        match self.peek() {
            Token::Name => Ok(RecvArg::Var(self.var_ref()?)),
            Token::Eval => {
                self.bump();
                Ok(RecvArg::Value(self.parenthesised()?))
            }
            Token::Number | Token::Char | Token::True | Token::False | Token::Skip => {
                Ok(RecvArg::Value(self.primary()?))
            }
            Token::Minus => Ok(RecvArg::Value(self.unary()?)),
            _ => Err(self.expected_with_help(
                "a variable, a constant or `eval(…)`",
                "match the value of an expression with `eval(…)`",
            )),
        }
    }

    fn branches(&mut self, close: Token, what: &str) -> Parsed<Vec<Branch>> {
        let open = self.bump().span;
        let mut branches = Vec::new();
        while matches!(self.peek(), Token::Semi | Token::Arrow) {
            self.bump();
        }
        while self.peek() == Token::Separator {
            let span = self.bump().span;
            let body = self.sequence(span);
            branches.push(Branch { body, span });
        }
        if branches.is_empty() {
            return Err(self.expected_with_help("`::`", "an `if` or `do` holds options, each introduced by `::`"));
        }
        if self.peek() != close {
            let mut help = format!("close the one that begins at this place with {what}");
            if matches!(self.peek(), Token::Fi | Token::Od) {
                help = format!("this closes the other kind of selection; write {what}");
            }
            let reported = self.expected_with_help(what, &help);
            if let Some(finding) = self.diagnostics.last_mut() {
                finding.secondary.push(burnside_diag::Label { span: open, text: "opened here".to_owned() });
            }
            if !matches!(self.peek(), Token::Fi | Token::Od) {
                return Err(reported);
            }
        }
        self.bump();
        Ok(branches)
    }

    pub(super) fn block(&mut self) -> Parsed<Vec<Step>> {
        let open = self.expect(Token::OpenBrace, "`{`")?;
        let steps = self.sequence(open);
        self.expect(Token::CloseBrace, "`}`")?;
        Ok(steps)
    }

    fn for_loop(&mut self) -> Parsed<StepKind> {
        self.bump();
        self.expect(Token::OpenParen, "`(`")?;
        let var = self.var_ref()?;
        if self.at_word("in") {
            self.bump();
            let domain = self.var_ref()?;
            self.expect(Token::CloseParen, "`)`")?;
            self.eat(Token::Semi);
            return Ok(StepKind::ForIn { var, domain, body: self.block()? });
        }
        self.expect(Token::Colon, "`:` or `in`")?;
        let from = self.expr()?;
        self.expect(Token::DotDot, "`..`")?;
        let to = self.expr()?;
        self.expect(Token::CloseParen, "`)`")?;
        self.eat(Token::Semi);
        Ok(StepKind::ForRange { var, from, to, body: self.block()? })
    }

    fn select(&mut self) -> Parsed<StepKind> {
        self.bump();
        self.expect(Token::OpenParen, "`(`")?;
        let first = self.at;
        let var = self.var_ref()?;
        let plain = self.at == first + 1 && var.parts[0].name.text.bytes().all(|byte| byte.is_ascii_alphanumeric());
        self.expect(Token::Colon, "`:`")?;
        let literal_from = self.peek() == Token::Number && self.nth(1) == Token::DotDot;
        let from = self.expr()?;
        self.expect(Token::DotDot, "`..`")?;
        let literal_to = self.peek() == Token::Number && self.nth(1) == Token::CloseParen;
        let to = self.expr()?;
        self.expect(Token::CloseParen, "`)`")?;
        let literal = plain && literal_from && literal_to && self.calls.is_empty();
        Ok(StepKind::Select { var, from, to, literal })
    }

    fn printf(&mut self) -> Parsed<StepKind> {
        self.bump();
        self.expect(Token::OpenParen, "`(`")?;
        if self.peek() != Token::Text {
            return Err(self.expected("a text in quotes"));
        }
        let format = self.bump();
        let mut args = Vec::new();
        while self.eat(Token::Comma) {
            args.push(self.expr()?);
        }
        self.expect(Token::CloseParen, "`)` or `,`")?;
        Ok(StepKind::Printf { format: Name { text: format.text.to_string(), span: format.span }, args })
    }

    fn parenthesised(&mut self) -> Parsed<Expr> {
        self.expect(Token::OpenParen, "`(`")?;
        let inner = self.expr()?;
        self.expect(Token::CloseParen, "`)`")?;
        Ok(inner)
    }

    fn set_priority(&mut self) -> Parsed<StepKind> {
        self.bump();
        self.expect(Token::OpenParen, "`(`")?;
        let pid = self.expr()?;
        self.expect(Token::Comma, "`,`")?;
        let priority = self.expr()?;
        self.expect(Token::CloseParen, "`)`")?;
        Ok(StepKind::SetPriority(pid, priority))
    }

    fn exclusive(&mut self) -> Parsed<StepKind> {
        let send = self.bump().token == Token::Xs;
        let mut chans = vec![self.var_ref()?];
        while self.eat(Token::Comma) {
            chans.push(self.var_ref()?);
        }
        Ok(StepKind::Exclusive { send, chans })
    }

    /// `return e` in an inline whose call is the right side of an assignment.
    fn return_value(&mut self) -> Parsed<StepKind> {
        let span = self.bump().span;
        let value = self.expr()?;
        if let Some(Some(result)) = self.calls.last().map(|call| call.result.clone()) {
            return Ok(StepKind::Assign(result, value));
        }
        let finding = Diagnostic::error(codes::STRAY_RETURN, "`return` has no variable to give its value to", span)
            .help("use it in an inline, and call that as `x = name(…)`");
        self.report(finding);
        Err(Reported)
    }
}

/// What stands around an empty sequence, for its message.
fn join_here(parser: &Parser, open: Span) -> Span {
    if parser.peek() == Token::Eof { open } else { parser.since(open) }
}
