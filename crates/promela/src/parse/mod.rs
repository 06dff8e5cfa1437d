//! Tokens to syntax tree, by recursive descent.
//!
//! [`parse`] never fails: what cannot be read is reported and left out, and reading goes on behind it. Inside, a function
//! that gave up returns [`Reported`]; whoever can go on catches it. Calls of inlines are expanded here, token by token as
//! SPIN does, so an argument may be any text that is an expression where it lands.

mod decl;
mod expr;
mod inline;
mod recover;
mod stmt;
mod unit;

use std::collections::{HashMap, HashSet};

use burnside_diag::{Diagnostic, Span};

use crate::ast::{Ast, Mentions, Name};
use crate::codes;
use crate::lex::{Lexeme, Token};
use inline::InlineDef;

/// Deepest nesting of expressions and statements together, inline calls included. It keeps every later walk over the
/// tree within a thread's stack.
const MAX_DEPTH: u32 = 200;

/// Proof that a diagnostic was recorded, so that nobody reports the same problem twice.
#[derive(Debug)]
struct Reported;

type Parsed<T> = Result<T, Reported>;

/// Reads a model. Every problem found is in the second part; the tree holds all that could be read.
pub(crate) fn parse(tokens: Vec<Lexeme>) -> (Ast, Vec<Diagnostic>) {
    let proctypes = names_after(&tokens, &[Token::Proctype, Token::DProctype]);
    let typedefs = names_after(&tokens, &[Token::Typedef]);
    let mentions = mentions(&tokens);
    let mut parser = Parser {
        tokens,
        at: 0,
        depth: 0,
        proctypes,
        typedefs,
        inlines: HashMap::new(),
        calls: Vec::new(),
        n_expanded: 0,
        inline_text: None,
        in_formula: false,
        lost_declarations: false,
        gave_up: false,
        diagnostics: Vec::new(),
    };
    let items = parser.items();
    (Ast { items, mentions, lost_declarations: parser.lost_declarations }, parser.diagnostics)
}

fn names_after(tokens: &[Lexeme], words: &[Token]) -> HashSet<String> {
    let pairs = tokens.windows(2).filter(|pair| words.contains(&pair[0].token) && pair[1].token == Token::Name);
    pairs.map(|pair| pair[1].text.to_string()).collect()
}

fn mentions(tokens: &[Lexeme]) -> Mentions {
    let priority = tokens.iter().find(|lexeme| {
        matches!(lexeme.token, Token::Priority | Token::GetPriority | Token::SetPriority)
            || &*lexeme.text == "_priority"
    });
    Mentions {
        last: tokens.iter().any(|lexeme| &*lexeme.text == "_last"),
        priority: priority.map(|lexeme| lexeme.span),
    }
}

struct Parser {
    /// The model, or the body of the inline being expanded; ends in `Eof`, which is never consumed.
    tokens: Vec<Lexeme>,
    at: usize,
    depth: u32,
    /// All names behind `proctype`, wherever they stand: `P[i]@L` is told from an array by them.
    proctypes: HashSet<String>,
    /// All names behind `typedef`.
    typedefs: HashSet<String>,
    inlines: HashMap<String, InlineDef>,
    /// Inline calls around the current place, outermost first.
    calls: Vec<Call>,
    /// Tokens read in inline calls so far.
    n_expanded: usize,
    /// The body of the inline that is being read, braces included.
    inline_text: Option<Span>,
    /// Whether temporal operators are understood.
    in_formula: bool,
    /// Set when a declaration was left out: unknown names are then no news.
    lost_declarations: bool,
    /// Set when nesting is too deep: the rest is skipped and nothing more is reported.
    gave_up: bool,
    diagnostics: Vec<Diagnostic>,
}

/// An inline call being expanded.
struct Call {
    name: Name,
    /// Where `return` puts its value.
    result: Option<crate::ast::VarRef>,
}

/// The smallest span that holds both, or the first if they lie in different files.
pub(crate) fn join(a: Span, b: Span) -> Span {
    if a.file == b.file { a.to(b) } else { a }
}

/// Moving over the tokens.
impl Parser {
    fn peek(&self) -> Token {
        self.nth(0)
    }

    fn nth(&self, ahead: usize) -> Token {
        self.tokens[(self.at + ahead).min(self.tokens.len() - 1)].token
    }

    fn lexeme(&self) -> &Lexeme {
        &self.tokens[self.at]
    }

    fn span(&self) -> Span {
        self.lexeme().span
    }

    /// From a place seen earlier to the token just consumed.
    fn since(&self, start: Span) -> Span {
        let previous = &self.tokens[self.at.saturating_sub(1)];
        let starts_inside = self.inline_text.is_some_and(|text| text.contains(start));
        self.join(start, if starts_inside { previous.place } else { previous.span })
    }

    /// From the first to the second, unless one of them is an argument of an inline and the other is not: what lies
    /// between them in the file has nothing to do with either.
    fn join(&self, a: Span, b: Span) -> Span {
        let Some(text) = self.inline_text else { return join(a, b) };
        match (text.contains(a), text.contains(b)) {
            (true, false) => a,
            (false, true) => b,
            (true, true) | (false, false) => join(a, b),
        }
    }

    fn bump(&mut self) -> Lexeme {
        let lexeme = self.tokens[self.at].clone();
        if lexeme.token != Token::Eof {
            self.at += 1;
        }
        lexeme
    }

    fn eat(&mut self, token: Token) -> bool {
        let found = self.peek() == token;
        if found {
            self.bump();
        }
        found
    }

    fn expect(&mut self, token: Token, what: &str) -> Parsed<Span> {
        if self.peek() == token { Ok(self.bump().span) } else { Err(self.expected(what)) }
    }

    fn name(&mut self) -> Parsed<Name> {
        self.name_called("a name")
    }

    fn name_called(&mut self, what: &str) -> Parsed<Name> {
        if self.peek() != Token::Name {
            return Err(self.expected(what));
        }
        let lexeme = self.bump();
        Ok(Name { text: lexeme.text.to_string(), span: lexeme.span })
    }

    /// Whether the next token is this name.
    fn at_word(&self, word: &str) -> bool {
        self.peek() == Token::Name && &*self.lexeme().text == word
    }

    fn at_name_in(&self, names: &HashSet<String>) -> bool {
        self.peek() == Token::Name && names.contains(&*self.lexeme().text)
    }

    /// Runs `inner` one level deeper, or gives up on the whole file where the tree would become too deep to walk.
    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            return Err(self.give_up());
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    fn give_up(&mut self) -> Reported {
        let message = format!("nested more than {MAX_DEPTH} levels deep");
        let finding = Diagnostic::error(codes::NESTING_TOO_DEEP, message, self.span())
            .help("split it, for example into inlines; nothing behind this place was read");
        self.report(finding);
        self.gave_up = true;
        self.lost_declarations = true;
        self.at = self.tokens.len() - 1;
        Reported
    }
}

#[cfg(test)]
mod tests;
