//! Reporting syntax errors, and where to go on after one.

use burnside_diag::{Diagnostic, Span};

use super::{Parser, Reported};
use crate::codes;
use crate::lex::Token;

impl Token {
    /// Whether a declaration section or function starts here.
    pub(super) fn starts_section(self) -> bool {
        matches!(self, Self::Const | Self::Type | Self::Var | Self::Function | Self::Procedure)
    }

    /// Whether this word always starts a statement.
    pub(super) fn starts_statement(self) -> bool {
        use Token::*;
        matches!(self, Alias | Assert | Clear | Error | For | If | Invariant | Put | Return | Switch | Undefine | While)
    }

    /// Whether a list of statements stops here, complete or not.
    pub(super) fn stops_statements(self) -> bool {
        use Token::*;
        self.ends_block()
            || matches!(self, Eof | Else | Elsif | Case | Rule | Ruleset | Startstate | Function | Procedure | Const)
            || matches!(self, Type)
    }
}

impl Parser<'_> {
    /// Records a finding, unless one about the same place is there already.
    pub(super) fn report(&mut self, finding: Diagnostic) {
        let repeats = self.diagnostics.last().is_some_and(|last| {
            last.is_error() && finding.is_error() && last.primary.span.start == finding.primary.span.start
        });
        if !repeats && !self.gave_up {
            self.diagnostics.push(finding);
        }
    }

    /// Reports that something else was expected here.
    pub(super) fn expected(&mut self, what: &str) -> Reported {
        let finding = self.expected_message(what);
        self.report(finding);
        Reported
    }

    /// As [`expected`](Self::expected), with advice.
    pub(super) fn expected_with_help(&mut self, what: &str, help: &str) -> Reported {
        let finding = self.expected_message(what).help(help);
        self.report(finding);
        Reported
    }

    pub(super) fn expected_message(&self, what: &str) -> Diagnostic {
        let found = match self.peek() {
            Token::Eof => "the end of the file".to_owned(),
            _ => self.quote(self.span()),
        };
        let finding = Diagnostic::error(codes::SYNTAX, format!("expected {what}, found {found}"), self.span())
            .label(format!("expected {what}"));
        match self.foreign_word() {
            Some(help) => finding.help(help),
            None => finding,
        }
    }

    /// What to write for a word or sign of another language that stands here or just before.
    fn foreign_word(&self) -> Option<&'static str> {
        let here = self.slice(self.span()).to_ascii_lowercase();
        let before = self.slice(self.previous_span()).to_ascii_lowercase();
        match (&before[..], &here[..]) {
            (_, "and") | ("and", _) => Some("\"and\" is written `&`"),
            (_, "or") | ("or", _) => Some("\"or\" is written `|`"),
            (_, "not") | ("not", _) => Some("\"not\" is written `!`"),
            ("default", ":") => Some("the branch for all other values is `else`"),
            (_, "{") => Some("an enumeration is written `enum { a, b }`; blocks end in `end`"),
            _ => None,
        }
    }

    /// The text of a token for a message, cut if it is long.
    pub(super) fn quote(&self, span: Span) -> String {
        let slice = self.slice(span);
        let short: String = slice.chars().take(24).take_while(|&c| c != '\n').collect();
        if short.len() < slice.len() { format!("`{short}…`") } else { format!("`{slice}`") }
    }

    /// Skips to where a declaration, function or rule may start.
    pub(super) fn skip_to_item(&mut self) {
        self.lost_declarations = true;
        self.abandon_blocks(0);
        while !self.at_section_or_rule() && self.peek() != Token::Eof {
            self.bump();
        }
    }

    /// Skips to the semicolon that ends an item of unknown syntax, past those in parentheses.
    pub(super) fn skip_refused_item(&mut self) {
        let mut n_open = 0_u32;
        loop {
            match self.peek() {
                Token::OpenParen | Token::OpenBracket => n_open += 1,
                Token::CloseParen | Token::CloseBracket => n_open = n_open.saturating_sub(1),
                Token::Semicolon if n_open == 0 => return,
                Token::Eof | Token::Rule | Token::Startstate | Token::Ruleset | Token::Function => return,
                _ => {}
            }
            self.bump();
        }
    }

    /// Skips the rest of a statement.
    pub(super) fn skip_statement(&mut self) {
        loop {
            match self.peek() {
                Token::Semicolon => {
                    self.bump();
                    return;
                }
                token if token.stops_statements() || token.starts_statement() => return,
                _ => self.bump(),
            };
        }
    }

    /// Skips the rest of a declaration.
    pub(super) fn skip_declaration(&mut self) {
        self.lost_declarations = true;
        loop {
            match self.peek() {
                Token::Semicolon => {
                    self.bump();
                    return;
                }
                Token::Eof | Token::Begin => return,
                token if token.ends_block() => return,
                _ if self.at_section_or_rule() => return,
                _ => self.bump(),
            };
        }
    }

    /// Skips the rest of a construct's heading, up to the word that ends it or to the end of what may be a statement.
    pub(super) fn skip_heading(&mut self, last: Token) {
        while self.peek() != last && self.peek() != Token::Semicolon {
            if self.peek().stops_statements() || self.peek().starts_statement() {
                return;
            }
            self.bump();
        }
    }

    pub(super) fn at_section_or_rule(&self) -> bool {
        self.peek().starts_section() || self.at_rule_item() || (self.peek() == Token::Ident && self.at_refused_item())
    }
}
