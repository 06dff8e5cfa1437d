//! Tokens of the text form.

use burnside_diag::{FileId, Span};

use super::TextError;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token<'a> {
    Open,
    Close,
    OpenBracket,
    CloseBracket,
    OpenBrace,
    CloseBrace,
    Colon,
    Dot,
    /// A keyword, operator or reference such as `g3`, without the name that may decorate it.
    Word(&'a str),
    Int(i64),
    /// A quoted string, with its escapes resolved.
    Text(String),
    /// A place in a source file, `@file:start-end`.
    Span(Span),
    End,
}

impl Token<'_> {
    /// What stands there, for error messages.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Open => "`(`".to_owned(),
            Self::Close => "`)`".to_owned(),
            Self::OpenBracket => "`[`".to_owned(),
            Self::CloseBracket => "`]`".to_owned(),
            Self::OpenBrace => "`{`".to_owned(),
            Self::CloseBrace => "`}`".to_owned(),
            Self::Colon => "`:`".to_owned(),
            Self::Dot => "`.`".to_owned(),
            Self::Word(word) => format!("`{word}`"),
            Self::Int(value) => format!("`{value}`"),
            Self::Text(_) => "a string".to_owned(),
            Self::Span(_) => "a span".to_owned(),
            Self::End => "the end of the text".to_owned(),
        }
    }
}

/// Whether a character may stand in the name that decorates a reference.
pub(super) fn is_name_char(char: char) -> bool {
    char.is_ascii_alphanumeric() || char == '_' || char == '$'
}

fn is_word_char(char: char) -> bool {
    char.is_ascii_alphanumeric() || "+-*/%=!<>_".contains(char)
}

pub(super) struct Lexer<'a> {
    text: &'a str,
    /// Byte offset of the next character.
    at: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// The next token and the byte where it starts.
    pub(super) fn next(&mut self) -> Result<(Token<'a>, usize), TextError> {
        self.skip_blanks();
        let start = self.at;
        let Some(char) = self.peek() else { return Ok((Token::End, start)) };
        let token = match char {
            '(' => self.single(Token::Open),
            ')' => self.single(Token::Close),
            '[' => self.single(Token::OpenBracket),
            ']' => self.single(Token::CloseBracket),
            '{' => self.single(Token::OpenBrace),
            '}' => self.single(Token::CloseBrace),
            ':' => self.single(Token::Colon),
            '.' => self.single(Token::Dot),
            '"' => self.string()?,
            '@' => self.span()?,
            _ if is_word_char(char) => self.word_or_number()?,
            _ => return self.fail(start, format!("unexpected character `{}`", char.escape_default())),
        };
        Ok((token, start))
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn single(&mut self, token: Token<'a>) -> Token<'a> {
        self.at += 1;
        token
    }

    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let taken = &rest[..rest.find(|char| !wanted(char)).unwrap_or(rest.len())];
        self.at += taken.len();
        taken
    }

    /// Skips white space and comments, which run from `;` to the end of the line.
    fn skip_blanks(&mut self) {
        loop {
            self.take_while(char::is_whitespace);
            if self.peek() != Some(';') {
                return;
            }
            self.take_while(|char| char != '\n');
        }
    }

    fn word_or_number(&mut self) -> Result<Token<'a>, TextError> {
        let start = self.at;
        let word = self.take_while(is_word_char);
        if self.peek() == Some('\'') {
            self.at += 1;
            self.take_while(is_name_char);
        }
        let digits = word.strip_prefix('-').unwrap_or(word);
        if !digits.starts_with(|char: char| char.is_ascii_digit()) {
            return Ok(Token::Word(word));
        }
        match word.parse() {
            Ok(value) => Ok(Token::Int(value)),
            Err(_) => self.fail(start, format!("`{word}` is not a 64-bit integer")),
        }
    }

    fn span(&mut self) -> Result<Token<'a>, TextError> {
        let start = self.at;
        self.at += 1;
        let file = self.span_number()?;
        self.span_separator(':')?;
        let from = self.span_number()?;
        self.span_separator('-')?;
        let to = self.span_number()?;
        if self.peek().is_some_and(is_word_char) {
            return self.fail(start, "a span is written `@file:start-end`");
        }
        Ok(Token::Span(Span { file: FileId(file), start: from, end: to }))
    }

    fn span_number(&mut self) -> Result<u32, TextError> {
        let start = self.at;
        let digits = self.take_while(|char| char.is_ascii_digit());
        digits.parse().or_else(|_| self.fail(start, "a span is written `@file:start-end`"))
    }

    fn span_separator(&mut self, separator: char) -> Result<(), TextError> {
        if self.peek() != Some(separator) {
            return self.fail(self.at, format!("expected `{separator}` in a span"));
        }
        self.at += 1;
        Ok(())
    }

    fn string(&mut self) -> Result<Token<'a>, TextError> {
        let start = self.at;
        self.at += 1;
        let mut text = String::new();
        loop {
            text.push_str(self.take_while(|char| char != '"' && char != '\\'));
            match self.peek() {
                Some('"') => {
                    self.at += 1;
                    return Ok(Token::Text(text));
                }
                Some(_) => text.push(self.escape()?),
                None => return self.fail(start, "the string has no end"),
            }
        }
    }

    /// The character that an escape at a backslash stands for.
    fn escape(&mut self) -> Result<char, TextError> {
        let start = self.at;
        let mut chars = self.rest().chars().skip(1);
        let simple = match chars.next() {
            Some('n') => '\n',
            Some('t') => '\t',
            Some('r') => '\r',
            Some('"') => '"',
            Some('\\') => '\\',
            Some('u') if chars.next() == Some('{') => {
                self.at += 3;
                let digits = self.take_while(|char| char.is_ascii_hexdigit());
                let char = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
                return match (char, self.peek()) {
                    (Some(char), Some('}')) => {
                        self.at += 1;
                        Ok(char)
                    }
                    _ => self.fail(start, "a character is escaped as `\\u{hexadecimal}`"),
                };
            }
            _ => return self.fail(start, "unknown escape in a string"),
        };
        self.at += 2;
        Ok(simple)
    }

    fn fail<T>(&self, offset: usize, message: impl Into<String>) -> Result<T, TextError> {
        Err(TextError { offset, message: message.into() })
    }
}

/// A string in quotes, with the escapes that [`Lexer`] resolves.
pub(super) fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for char in text.chars() {
        match char {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            _ if char.is_control() => out.extend(char.escape_unicode()),
            _ => out.push(char),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Result<Vec<Token<'_>>, TextError> {
        let mut lexer = Lexer::new(text);
        let mut tokens = Vec::new();
        loop {
            match lexer.next()?.0 {
                Token::End => return Ok(tokens),
                token => tokens.push(token),
            }
        }
    }

    #[test]
    fn strings_survive_quoting() {
        for text in ["", "a b", "\"\\\n\t\r", "\u{1}\u{7f}\u{85}", "größe", "🦀'"] {
            assert_eq!(tokens(&quote(text)), Ok(vec![Token::Text(text.to_owned())]));
        }
    }

    #[test]
    fn decorations_are_dropped() {
        assert_eq!(tokens("g0'turn -5'x"), Ok(vec![Token::Word("g0"), Token::Int(-5)]));
    }

    #[test]
    fn a_minus_alone_is_an_operator() {
        assert_eq!(tokens("- -1"), Ok(vec![Token::Word("-"), Token::Int(-1)]));
    }

    #[test]
    fn spans_are_one_token() {
        let span = Span { file: FileId(1), start: 20, end: 4_294_967_295 };
        assert_eq!(tokens("@1:20-4294967295 ; comment"), Ok(vec![Token::Span(span)]));
    }

    #[test]
    fn mistakes_are_located() {
        for (text, offset) in [("  \"abc", 2), ("a ?", 2), ("99999999999999999999", 0), ("@1:2", 4), ("\"\\q\"", 1)] {
            assert_eq!(tokens(text).map_err(|error| error.offset), Err(offset), "{text}");
        }
    }
}
