//! Reporting syntax errors, and where to go on after one.

use burnside_diag::Diagnostic;

use super::{Parser, Reported};
use crate::codes;
use crate::lex::{Lexeme, Token};

impl Token {
    /// Whether this word always starts something at the top level.
    pub(super) fn starts_unit(self) -> bool {
        use Token::*;
        matches!(self, Active | Proctype | DProctype | Init | Never | Trace | Notrace | Typedef | Inline | Ltl)
    }

    /// Whether this may operate between two expressions.
    fn continues_expression(self) -> bool {
        use Token::*;
        matches!(self, Plus | Star | Slash | Percent | Ampersand | Caret | Bar | AndAnd | OrOr | Equal | NotEqual)
            || matches!(self, Less | LessEqual | Greater | GreaterEqual | ShiftLeft | ShiftRight | Question | Comma)
    }
}

impl Parser {
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
        let mut finding = self.expected_message(what);
        finding.help = finding.help.or_else(|| Some(help.to_owned()));
        self.report(finding);
        Reported
    }

    fn expected_message(&self, what: &str) -> Diagnostic {
        let found = self.lexeme();
        let shown = match found.token {
            Token::Eof if self.calls.is_empty() => "the end of the file".to_owned(),
            Token::Eof => "the end of the inline".to_owned(),
            Token::Semi if found.implied => "a line break that ends the statement".to_owned(),
            _ => quote(found),
        };
        let mut finding = Diagnostic::error(codes::SYNTAX, format!("expected {what}, found {shown}"), found.span)
            .label(format!("expected {what}"));
        let after_break = self.at > 0 && self.tokens[self.at - 1].implied && found.token.continues_expression();
        if after_break {
            finding =
                finding.help("a line break ends a statement here: move the operator to the end of the line above");
        }
        if let Some(call) = self.calls.first() {
            finding = finding.also(call.name.span, format!("in this call of the inline `{}`", call.name.text));
        }
        finding
    }

    /// Skips to where something at the top level may start.
    pub(super) fn skip_to_unit(&mut self) {
        self.lost_declarations = true;
        let mut depth = 0_u32;
        loop {
            match self.peek() {
                Token::Eof => return,
                token if token.starts_unit() => return,
                Token::OpenBrace => depth += 1,
                Token::CloseBrace => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        self.bump();
                        return;
                    }
                }
                Token::Semi if depth == 0 => return,
                _ => {}
            }
            self.bump();
        }
    }

    /// Skips the rest of a statement, past what its braces, `if` and `do` hold.
    pub(super) fn skip_statement(&mut self) {
        let mut depth = 0_u32;
        loop {
            match self.peek() {
                Token::Eof => return,
                token if token.starts_unit() => return,
                Token::Semi | Token::Arrow | Token::Separator if depth == 0 => return,
                Token::OpenBrace | Token::If | Token::Do => depth += 1,
                Token::CloseBrace | Token::Fi | Token::Od => {
                    if depth == 0 {
                        return;
                    }
                    depth -= 1;
                }
                _ => {}
            }
            self.bump();
        }
    }

    /// Skips a text in braces, if one starts here.
    pub(super) fn skip_braces(&mut self) {
        let mut depth = 0_u32;
        loop {
            match self.peek() {
                Token::Eof => return,
                Token::OpenBrace => depth += 1,
                Token::CloseBrace => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 && self.peek() != Token::CloseBrace {
                return;
            }
            self.bump();
            if depth == 0 {
                return;
            }
        }
    }
}

/// The text of a token for a message, cut if it is long.
pub(super) fn quote(lexeme: &Lexeme) -> String {
    let short: String = lexeme.text.chars().take(24).take_while(|&c| c != '\n').collect();
    if short.len() < lexeme.text.len() { format!("`{short}…`") } else { format!("`{short}`") }
}
