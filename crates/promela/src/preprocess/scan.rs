//! Text to preprocessing tokens: words, numbers, literals, punctuation. Comments and line continuations vanish here.

use std::rc::Rc;

use burnside_diag::{Diagnostic, FileId, Span};

use crate::codes;

/// What a token looks like, before keywords are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PpKind {
    Word,
    Number,
    /// `"…"`, quotes included.
    Text,
    /// `'c'`, quotes included.
    Char,
    /// A quote that is not closed on its line, with the rest of the line. Text that is skipped may well hold one.
    Unclosed,
    Punct,
}

/// One token. After expansion its span is the place in the user's text that stands for it.
#[derive(Debug, Clone)]
pub(crate) struct PpToken {
    pub(crate) kind: PpKind,
    pub(crate) text: Rc<str>,
    pub(crate) span: Span,
    /// Whether it is the first on its line; line breaks end statements.
    pub(crate) newline: bool,
    /// Whether white space stands before it; `#` needs to know.
    pub(crate) space: bool,
    /// Macros this token came out of, which must not expand it again.
    pub(super) hidden_from: Option<Rc<HideSet>>,
}

/// Macros by number, ascending.
pub(super) type HideSet = Vec<u32>;

impl PpToken {
    pub(super) fn is(&self, text: &str) -> bool {
        &*self.text == text
    }
}

/// Operators of more than one character, longest first.
const LONG: &[&str] =
    &["...", "::", "->", "--", "++", "<<", ">>", "<=", ">=", "==", "!=", "!!", "??", "&&", "||", "..", "##"];

/// Splits a file into tokens.
pub(super) fn scan(file: FileId, text: &str) -> (Vec<PpToken>, Vec<Diagnostic>) {
    let mut scanner =
        Scanner { file, text, at: 0, newline: true, space: false, tokens: Vec::new(), diagnostics: Vec::new() };
    scanner.run();
    (scanner.tokens, scanner.diagnostics)
}

struct Scanner<'a> {
    file: FileId,
    text: &'a str,
    at: usize,
    newline: bool,
    space: bool,
    tokens: Vec<PpToken>,
    diagnostics: Vec<Diagnostic>,
}

fn is_word_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

impl Scanner<'_> {
    fn run(&mut self) {
        while let Some(byte) = self.peek(0) {
            match byte {
                b'\n' => {
                    self.newline = true;
                    self.at += 1;
                }
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => {
                    self.space = true;
                    self.at += 1;
                }
                b'\\' if self.continuation().is_some() => {
                    self.at += self.continuation().expect("just seen");
                    self.space = true;
                }
                b'/' if self.peek(1) == Some(b'/') => self.line_comment(),
                b'/' if self.peek(1) == Some(b'*') => self.block_comment(),
                b'"' => self.quoted(b'"', PpKind::Text),
                b'\'' => self.quoted(b'\'', PpKind::Char),
                _ if is_word_start(byte) => self.run_of(is_word, PpKind::Word),
                _ if byte.is_ascii_digit() => self.run_of(|byte| byte.is_ascii_digit(), PpKind::Number),
                _ if byte.is_ascii() => self.punctuation(),
                _ => self.foreign_character(),
            }
        }
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    /// The length of a line continuation that starts here.
    fn continuation(&self) -> Option<usize> {
        let rest = &self.text.as_bytes()[self.at + 1..];
        let blanks = rest.iter().take_while(|&&byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
        (rest.get(blanks) == Some(&b'\n')).then_some(blanks + 2)
    }

    fn line_comment(&mut self) {
        self.space = true;
        while let Some(byte) = self.peek(0) {
            if byte == b'\\' && self.continuation().is_some() {
                self.at += self.continuation().expect("just seen");
            } else if byte == b'\n' {
                return;
            } else {
                self.at += 1;
            }
        }
    }

    fn block_comment(&mut self) {
        let start = self.at;
        self.space = true;
        match self.text[self.at + 2..].find("*/") {
            Some(length) => {
                self.newline |= self.text[self.at..self.at + 2 + length].contains('\n');
                self.at += length + 4;
            }
            None => {
                self.at = self.text.len();
                let finding = Diagnostic::error(
                    codes::UNTERMINATED_COMMENT,
                    "this comment is never closed",
                    Span::new(self.file, start, start + 2),
                );
                self.diagnostics.push(finding.help("close it with `*/`; nothing behind this place was read"));
            }
        }
    }

    fn quoted(&mut self, quote: u8, kind: PpKind) {
        let start = self.at;
        self.at += 1;
        while let Some(byte) = self.peek(0) {
            match byte {
                b'\n' => break,
                b'\\' if self.peek(1).is_some() && self.continuation().is_none() => {
                    // The escaped character may be longer than a byte.
                    self.at += 1 + self.text[self.at + 1..].chars().next().map_or(0, char::len_utf8);
                }
                b'\\' if self.continuation().is_some() => self.at += self.continuation().expect("just seen"),
                _ => {
                    self.at += 1;
                    if byte == quote {
                        self.push(kind, start);
                        return;
                    }
                }
            }
        }
        self.push(PpKind::Unclosed, start);
    }

    fn run_of(&mut self, belongs: impl Fn(u8) -> bool, kind: PpKind) {
        let start = self.at;
        while self.peek(0).is_some_and(&belongs) {
            self.at += 1;
        }
        self.push(kind, start);
    }

    fn punctuation(&mut self) {
        let start = self.at;
        let long = LONG.iter().find(|long| self.text[self.at..].starts_with(**long));
        self.at += long.map_or(1, |long| long.len());
        self.push(PpKind::Punct, start);
    }

    /// A character of another script: reported unless the preprocessor skips the line, which is why it is a token.
    fn foreign_character(&mut self) {
        let start = self.at;
        self.at += self.text[start..].chars().next().map_or(1, char::len_utf8);
        // A mark of the byte order is no text.
        if &self.text[start..self.at] != "\u{feff}" {
            self.push(PpKind::Punct, start);
        }
    }

    fn push(&mut self, kind: PpKind, start: usize) {
        let text = &self.text[start..self.at];
        let text: Rc<str> = if text.contains("\\\n") { text.replace("\\\n", "").into() } else { text.into() };
        let span = Span::new(self.file, start, self.at);
        self.tokens.push(PpToken { kind, text, span, newline: self.newline, space: self.space, hidden_from: None });
        self.newline = false;
        self.space = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        scan(FileId(0), text).0.iter().map(|token| token.text.to_string()).collect()
    }

    #[test]
    fn ranges_are_not_numbers_with_dots() {
        assert_eq!(texts("1..3"), ["1", "..", "3"]);
        assert_eq!(texts("a.b...c"), ["a", ".", "b", "...", "c"]);
    }

    #[test]
    fn comments_and_continuations_are_white_space() {
        let (tokens, _) = scan(FileId(0), "a/* x\n */b \\\n c // d \\\n e\nf");
        let flags: Vec<_> = tokens.iter().map(|token| (&*token.text, token.newline)).collect();
        assert_eq!(flags, [("a", true), ("b", true), ("c", false), ("f", true)]);
    }

    #[test]
    fn an_open_quote_ends_with_its_line() {
        let kinds: Vec<PpKind> = scan(FileId(0), "a \"b\nc '\\").0.iter().map(|token| token.kind).collect();
        assert_eq!(kinds, [PpKind::Word, PpKind::Unclosed, PpKind::Word, PpKind::Unclosed]);
    }
}
