//! Text to models: the token stream and nesting here, declarations, expressions and statements in the modules below.
//!
//! The parser checks only what it needs to build a [`Model`] at all: that types refer to earlier types and that
//! declared numbers count up. Everything else is left to the verifier.

mod claim;
mod decl;
mod expr;
mod stmt;

use burnside_diag::Span;

use super::TextError;
use super::lex::{Lexer, Token};
use super::words::Worded;
use crate::{Local, LocalId, MAX_DEPTH, Model, TypeId};

/// Reads the text form of a model.
pub fn parse(text: &str) -> Result<Model, TextError> {
    let mut parser = Parser::new(text)?;
    parser.model()?;
    Ok(parser.model)
}

type Parsed<T> = Result<T, TextError>;

struct Parser<'a> {
    lexer: Lexer<'a>,
    /// The next token and where it starts.
    token: Token<'a>,
    offset: usize,
    /// How many expressions, places and statements enclose the next token.
    depth: usize,
    /// What has been read so far.
    model: Model,
    /// The locals of the declaration that is being read.
    locals: Vec<Local>,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Parsed<Self> {
        let mut lexer = Lexer::new(text);
        let (token, offset) = lexer.next()?;
        Ok(Self { lexer, token, offset, depth: 0, model: Model::default(), locals: Vec::new() })
    }

    fn fail<T>(&self, message: impl Into<String>) -> Parsed<T> {
        Err(TextError { offset: self.offset, message: message.into() })
    }

    fn unexpected<T>(&self, wanted: &str) -> Parsed<T> {
        self.fail(format!("expected {wanted}, found {}", self.token.describe()))
    }

    fn advance(&mut self) -> Parsed<Token<'a>> {
        let (token, offset) = self.lexer.next()?;
        self.offset = offset;
        Ok(std::mem::replace(&mut self.token, token))
    }

    fn expect(&mut self, token: &Token<'a>) -> Parsed<()> {
        if self.token != *token {
            return self.unexpected(&token.describe());
        }
        self.advance()?;
        Ok(())
    }

    /// Takes the next token if it is this one.
    fn accept(&mut self, token: &Token<'a>) -> Parsed<bool> {
        let found = self.token == *token;
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    fn word(&mut self) -> Parsed<&'a str> {
        let Token::Word(word) = self.token else { return self.unexpected("a word") };
        self.advance()?;
        Ok(word)
    }

    fn worded<T: Worded>(&mut self, wanted: &str) -> Parsed<T> {
        match self.token {
            Token::Word(word) if let Some(member) = T::from_word(word) => {
                self.advance()?;
                Ok(member)
            }
            _ => self.unexpected(wanted),
        }
    }

    fn string(&mut self) -> Parsed<String> {
        match &mut self.token {
            Token::Text(text) => {
                let text = std::mem::take(text);
                self.advance()?;
                Ok(text)
            }
            _ => self.unexpected("a string"),
        }
    }

    fn int(&mut self) -> Parsed<i64> {
        let Token::Int(value) = self.token else { return self.unexpected("a number") };
        self.advance()?;
        Ok(value)
    }

    fn count(&mut self) -> Parsed<u32> {
        match self.token {
            Token::Int(value) if let Ok(value) = u32::try_from(value) => {
                self.advance()?;
                Ok(value)
            }
            _ => self.unexpected("a number from 0 to 4294967295"),
        }
    }

    /// The number in the next token, if that is a reference with this letter.
    fn peek_id(&self, letter: char) -> Option<u32> {
        let Token::Word(word) = self.token else { return None };
        let digits = word.strip_prefix(letter)?;
        let numeric = digits.bytes().all(|byte| byte.is_ascii_digit());
        if numeric { digits.parse().ok() } else { None }
    }

    fn id<T>(&mut self, letter: char, make: fn(u32) -> T) -> Parsed<T> {
        let Some(at) = self.peek_id(letter) else {
            return self.unexpected(&format!("`{letter}` and a number"));
        };
        self.advance()?;
        Ok(make(at))
    }

    fn ty(&mut self) -> Parsed<TypeId> {
        self.id('t', TypeId)
    }

    fn local_id(&mut self) -> Parsed<LocalId> {
        self.id('l', LocalId)
    }

    /// The number under which something is declared, which must be the next one.
    fn declared(&mut self, letter: char, n_before: usize) -> Parsed<()> {
        if self.peek_id(letter).is_none_or(|at| at as usize != n_before) {
            return self.unexpected(&format!("`{letter}{n_before}`"));
        }
        self.advance()?;
        Ok(())
    }

    /// A span, or the default one if there is none.
    fn span(&mut self) -> Parsed<Span> {
        let Token::Span(span) = self.token else { return Ok(Span::NOWHERE) };
        self.advance()?;
        Ok(span)
    }

    /// `:t3`, if it is there.
    fn type_suffix(&mut self) -> Parsed<Option<TypeId>> {
        if self.accept(&Token::Colon)? { self.ty().map(Some) } else { Ok(None) }
    }

    /// Items until the closing parenthesis, which is taken too.
    fn until_close<T>(&mut self, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = Vec::new();
        while !self.accept(&Token::Close)? {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// Reads something that may contain things of its own kind.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth == MAX_DEPTH {
            return self.fail(format!("nested more than {MAX_DEPTH} deep"));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }
}

#[cfg(test)]
mod tests;
