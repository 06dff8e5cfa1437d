//! Tokens to syntax tree, by recursive descent.
//!
//! [`parse`] never fails: a statement, declaration or rule that cannot be read is reported and left out, and reading
//! goes on behind it. Inside, a function that gave up returns [`Reported`]; whoever can go on catches it.
//!
//! The grammar is the union of CMurphi's and Rumur's. Where they differ only in strictness (semicolons, where
//! declarations may stand, where a property's name goes), the lenient reading is taken. A rule or function body is
//! never left half read because of an error in the heading of a nested statement, so one typo gives one message.

mod blocks;
mod claim;
mod decl;
mod expr;
mod recover;
mod rule;
mod stmt;
mod types;

use std::collections::HashSet;

use burnside_diag::{Diagnostic, FileId, Span};

use crate::ast::{Ast, Item, Name};
use crate::codes;
use crate::lex::{Lexeme, Token, lex};
use blocks::OpenBlock;

/// Deepest nesting of expressions, statements, types and rulesets together. It keeps every later walk over the tree
/// within a thread's stack, and the IR below its own limit (`burnside_ir::MAX_DEPTH`), with room for what `lower` adds.
const MAX_DEPTH: u32 = 200;

/// Proof that a diagnostic was recorded, so that nobody reports the same problem twice.
#[derive(Debug)]
struct Reported;

type Parsed<T> = Result<T, Reported>;

/// Reads a model. Every problem found is in the second part; the tree holds all that could be read.
pub fn parse(file: FileId, text: &str) -> (Ast, Vec<Diagnostic>) {
    let mut parser = Parser::new(file, text);
    let items = parser.items();
    let Parser { rumur_syntax, lost_declarations, diagnostics, .. } = parser;
    let lost_text = diagnostics.iter().any(Diagnostic::is_error);
    (Ast { items, rumur_syntax, lost_text, lost_declarations }, diagnostics)
}

struct Parser<'a> {
    text: &'a str,
    /// Ends in `Eof`, which is never consumed.
    tokens: Vec<Lexeme>,
    at: usize,
    depth: u32,
    /// Constructs waiting for their `end`, outermost first.
    open: Vec<OpenBlock>,
    /// Words reserved by one dialect that this model declares as names, in lower case: they are names from then on.
    soft_words_declared: HashSet<String>,
    rumur_syntax: Option<Span>,
    /// Set when a declaration was left out: unknown names are then no news.
    lost_declarations: bool,
    /// Set when nesting is too deep: the rest is skipped and nothing more is reported.
    gave_up: bool,
    diagnostics: Vec<Diagnostic>,
}

/// Words with a meaning in one dialect only.
const SOFT_WORDS: [&str; 8] =
    ["choose", "assume", "cover", "liveness", "externfun", "externproc", "pctl", "multisetremovepred"];

pub(crate) use claim::parse_claims;

impl<'a> Parser<'a> {
    fn new(file: FileId, text: &'a str) -> Self {
        let lexed = lex(file, text);
        Self {
            text,
            tokens: lexed.tokens,
            at: 0,
            depth: 0,
            open: Vec::new(),
            soft_words_declared: HashSet::new(),
            rumur_syntax: lexed.rumur,
            lost_declarations: false,
            gave_up: false,
            diagnostics: lexed.diagnostics,
        }
    }
}

impl Parser<'_> {
    fn items(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        while self.peek() != Token::Eof {
            if !self.eat(Token::Semicolon) && self.item(&mut items).is_err() {
                self.skip_to_item();
            }
        }
        items
    }

    fn item(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        match self.peek() {
            Token::Const | Token::Type | Token::Var => items.extend(self.section()?.into_iter().map(Item::Decl)),
            Token::Function | Token::Procedure => items.push(Item::Function(self.function()?)),
            Token::Ident if self.at_refused_item() => self.refused_item(),
            token if token.ends_block() => {
                let span = self.bump().span;
                let message = format!("{} closes nothing", self.quote(span));
                self.report(
                    Diagnostic::error(codes::MISMATCHED_END, message, span)
                        .help("remove it, or look for an `end` too many above"),
                );
            }
            _ if self.at_rule_item() => items.push(Item::Rule(self.rule_item()?)),
            _ => return Err(self.expected("a declaration, a function or a rule")),
        }
        Ok(())
    }

    /// Whether a part of CMurphi that lies outside finite, closed models starts here.
    fn at_refused_item(&self) -> bool {
        ["externfun", "externproc", "pctl"].iter().any(|word| self.at_word(word))
    }

    fn refused_item(&mut self) {
        let span = self.bump().span;
        let (code, what, help) = match self.slice(span).to_ascii_lowercase().as_str() {
            "externfun" => (codes::UNSUPPORTED_EXTERNFUN, "functions written in C", "write the function in Murphi"),
            "externproc" => (codes::UNSUPPORTED_EXTERNPROC, "procedures written in C", "write the procedure in Murphi"),
            _ => (codes::UNSUPPORTED_PCTL, "probabilistic formulas", "remove the formula to check the rest"),
        };
        self.report(Diagnostic::error(code, format!("{what} are not supported"), span).help(help));
        self.lost_declarations = true;
        self.skip_refused_item();
    }
}

/// Moving over the tokens.
impl Parser<'_> {
    fn peek(&self) -> Token {
        self.nth(0)
    }

    fn nth(&self, ahead: usize) -> Token {
        self.tokens[(self.at + ahead).min(self.tokens.len() - 1)].token
    }

    fn span(&self) -> Span {
        self.tokens[self.at].span
    }

    /// The span of the token just consumed.
    fn previous_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    fn bump(&mut self) -> Lexeme {
        let lexeme = self.tokens[self.at];
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

    fn slice(&self, span: Span) -> &str {
        &self.text[span.start as usize..span.end as usize]
    }

    /// Whether the next token is this word of one dialect, in any case.
    fn at_word(&self, word: &str) -> bool {
        self.peek() == Token::Ident && self.slice(self.span()).eq_ignore_ascii_case(word)
    }

    fn name(&mut self) -> Parsed<Name> {
        let span = self.expect(Token::Ident, "a name")?;
        Ok(Name { text: self.slice(span).to_owned(), span })
    }

    /// A name that is being declared.
    fn new_name(&mut self) -> Parsed<Name> {
        let name = self.name()?;
        let word = name.text.to_ascii_lowercase();
        if SOFT_WORDS.contains(&word.as_str()) {
            self.soft_words_declared.insert(word);
        }
        Ok(name)
    }

    fn new_names(&mut self) -> Parsed<Vec<Name>> {
        let mut names = vec![self.new_name()?];
        while self.eat(Token::Comma) {
            names.push(self.new_name()?);
        }
        Ok(names)
    }

    /// Runs `inner` one level deeper, or gives up on the whole file where the tree would become too deep to walk.
    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.check_depth(0)?;
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// Fails if a tree `extra` levels deeper than the current one would be too deep.
    fn check_depth(&mut self, extra: u32) -> Parsed<()> {
        let help = "split it, for example into functions; nothing behind this place was read";
        self.refuse_deeper(extra, &format!("nested more than {MAX_DEPTH} levels deep"), help)
    }

    /// The same for the operators of one level, each of which has all before it for its left operand.
    fn check_chain(&mut self, n_operators: u32) -> Parsed<()> {
        let help = "put parentheses around each half; nothing behind this place was read";
        let message = format!("too many operators in a row: {n_operators}, {} levels deep", self.depth);
        self.refuse_deeper(n_operators, &message, help)
    }

    fn refuse_deeper(&mut self, extra: u32, message: &str, help: &str) -> Parsed<()> {
        if self.depth + extra < MAX_DEPTH {
            return Ok(());
        }
        let finding = Diagnostic::error(codes::NESTING_TOO_DEEP, message, self.span()).help(help);
        self.report(finding);
        self.gave_up = true;
        self.lost_declarations = true;
        self.at = self.tokens.len() - 1;
        Err(Reported)
    }
}

#[cfg(test)]
mod tests;
