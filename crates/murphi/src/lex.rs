//! Text to tokens: the union of what CMurphi and Rumur read.
//!
//! Only words that *both* dialects reserve are keyword tokens. A word reserved by one of them alone (`choose`, `cover`,
//! `in`, …) is an [`Token::Ident`], and the parser gives it a meaning where no identifier can stand.
//!
//! Nothing here fails: what is no token is reported and skipped.

use std::collections::HashSet;

use burnside_diag::{Diagnostic, FileId, Span};
use logos::{Lexer, Logos, Skip};

use crate::codes;

/// One kind of token.
#[derive(Logos, Debug, Clone, Copy, PartialEq, Eq)]
#[logos(skip r"[ \t\r\n\x0B\x0C\u{FEFF}]+")]
#[logos(skip r"--[^\n]*")]
#[logos(extras = Extras)]
pub(crate) enum Token {
    #[token("/*", skip_block_comment)]
    BlockComment,
    #[regex(r"[A-Za-z][A-Za-z0-9_]*")]
    Ident,
    /// Reported and then read as an identifier.
    #[regex(r"_[A-Za-z0-9_]*")]
    UnderscoreIdent,
    #[regex(r"[0-9]+")]
    Integer,
    #[regex(r"0[xX][0-9A-Fa-f]+")]
    Hex,
    #[regex(r"[0-9]+\.[0-9]+")]
    Real,
    #[token("\"", scan_string)]
    #[token("“", scan_curly_string)]
    Text,

    #[token("alias", ignore(ascii_case))]
    Alias,
    #[token("array", ignore(ascii_case))]
    Array,
    #[token("assert", ignore(ascii_case))]
    Assert,
    #[token("begin", ignore(ascii_case))]
    Begin,
    #[token("boolean", ignore(ascii_case))]
    Boolean,
    #[token("by", ignore(ascii_case))]
    By,
    #[token("case", ignore(ascii_case))]
    Case,
    #[token("clear", ignore(ascii_case))]
    Clear,
    #[token("const", ignore(ascii_case))]
    Const,
    #[token("do", ignore(ascii_case))]
    Do,
    #[token("else", ignore(ascii_case))]
    Else,
    #[token("elsif", ignore(ascii_case))]
    Elsif,
    #[token("end", ignore(ascii_case))]
    End,
    #[token("endalias", ignore(ascii_case))]
    EndAlias,
    #[token("endexists", ignore(ascii_case))]
    EndExists,
    #[token("endfor", ignore(ascii_case))]
    EndFor,
    #[token("endforall", ignore(ascii_case))]
    EndForall,
    #[token("endfunction", ignore(ascii_case))]
    EndFunction,
    #[token("endif", ignore(ascii_case))]
    EndIf,
    #[token("endprocedure", ignore(ascii_case))]
    EndProcedure,
    #[token("endrecord", ignore(ascii_case))]
    EndRecord,
    #[token("endrule", ignore(ascii_case))]
    EndRule,
    #[token("endruleset", ignore(ascii_case))]
    EndRuleset,
    #[token("endstartstate", ignore(ascii_case))]
    EndStartstate,
    #[token("endswitch", ignore(ascii_case))]
    EndSwitch,
    #[token("endwhile", ignore(ascii_case))]
    EndWhile,
    #[token("enum", ignore(ascii_case))]
    Enum,
    #[token("error", ignore(ascii_case))]
    Error,
    #[token("exists", ignore(ascii_case))]
    #[token("∃")]
    Exists,
    #[token("false", ignore(ascii_case))]
    False,
    #[token("for", ignore(ascii_case))]
    For,
    #[token("forall", ignore(ascii_case))]
    #[token("∀")]
    Forall,
    #[token("function", ignore(ascii_case))]
    Function,
    #[token("if", ignore(ascii_case))]
    If,
    #[token("invariant", ignore(ascii_case))]
    Invariant,
    #[token("isundefined", ignore(ascii_case))]
    IsUndefined,
    #[token("of", ignore(ascii_case))]
    Of,
    #[token("procedure", ignore(ascii_case))]
    Procedure,
    #[token("put", ignore(ascii_case))]
    Put,
    #[token("real", ignore(ascii_case))]
    RealType,
    #[token("record", ignore(ascii_case))]
    Record,
    #[token("return", ignore(ascii_case))]
    Return,
    #[token("rule", ignore(ascii_case))]
    Rule,
    #[token("ruleset", ignore(ascii_case))]
    Ruleset,
    #[token("scalarset", ignore(ascii_case))]
    Scalarset,
    #[token("startstate", ignore(ascii_case))]
    Startstate,
    #[token("switch", ignore(ascii_case))]
    Switch,
    #[token("then", ignore(ascii_case))]
    Then,
    #[token("to", ignore(ascii_case))]
    To,
    #[token("true", ignore(ascii_case))]
    True,
    #[token("type", ignore(ascii_case))]
    Type,
    #[token("undefine", ignore(ascii_case))]
    Undefine,
    #[token("union", ignore(ascii_case))]
    Union,
    #[token("var", ignore(ascii_case))]
    Var,
    #[token("while", ignore(ascii_case))]
    While,

    #[token(":=")]
    #[token("≔")]
    Assign,
    #[token("..")]
    DotDot,
    #[token(".")]
    Dot,
    #[token(",")]
    Comma,
    #[token(";")]
    Semicolon,
    #[token(":")]
    Colon,
    #[token("?")]
    Question,
    #[token("(")]
    OpenParen,
    #[token(")")]
    CloseParen,
    #[token("[")]
    OpenBracket,
    #[token("]")]
    CloseBracket,
    #[token("{")]
    OpenBrace,
    #[token("}")]
    CloseBrace,
    #[token("==>")]
    #[token("⇒")]
    Arrow,
    #[token("->")]
    #[token("→")]
    Implies,
    #[token("|")]
    #[token("∨")]
    Bar,
    #[token("||")]
    BarBar,
    #[token("&")]
    #[token("∧")]
    Amp,
    #[token("&&")]
    AmpAmp,
    #[token("^")]
    Caret,
    #[token("!")]
    #[token("¬")]
    Bang,
    #[token("~")]
    Tilde,
    #[token("=")]
    Equal,
    #[token("==")]
    EqualEqual,
    #[token("!=")]
    #[token("<>")]
    #[token("≠")]
    NotEqual,
    #[token("<")]
    Less,
    #[token("<=")]
    #[token("≤")]
    LessEqual,
    #[token(">")]
    Greater,
    #[token(">=")]
    #[token("≥")]
    GreaterEqual,
    #[token("<<")]
    ShiftLeft,
    #[token(">>")]
    ShiftRight,
    #[token("+")]
    Plus,
    #[token("-")]
    #[token("−")]
    Minus,
    #[token("*")]
    #[token("×")]
    Star,
    #[token("/")]
    #[token("÷")]
    #[token("∕")]
    Slash,
    #[token("%")]
    Percent,

    /// Always the last token.
    Eof,
}

impl Token {
    /// Whether only Rumur reads this token, whatever characters spell it.
    fn is_rumur_only(self) -> bool {
        use Token::*;
        matches!(self, Hex | EqualEqual | AmpAmp | BarBar | ShiftLeft | ShiftRight | Caret | Tilde)
    }
}

/// What the callbacks below found besides tokens.
#[derive(Debug, Default, Clone)]
pub(crate) struct Extras {
    unterminated_comment: Option<usize>,
    unterminated_strings: Vec<usize>,
}

/// A token and its bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lexeme {
    pub(crate) token: Token,
    pub(crate) span: Span,
}

/// Everything lexing yields.
pub(crate) struct Lexed {
    /// The tokens, ending in [`Token::Eof`].
    pub(crate) tokens: Vec<Lexeme>,
    /// The first place, if any, that only Rumur reads.
    pub(crate) rumur: Option<Span>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Names with a leading underscore; each is reported once.
    underscored: HashSet<String>,
}

/// Splits `text` into tokens.
pub(crate) fn lex(file: FileId, text: &str) -> Lexed {
    let mut out = Lexed {
        tokens: Vec::with_capacity(text.len() / 4),
        rumur: None,
        diagnostics: Vec::new(),
        underscored: HashSet::new(),
    };
    let mut lexer = Token::lexer(text);
    let mut stray: Option<Span> = None;
    while let Some(result) = lexer.next() {
        let range = lexer.span();
        let span = Span::new(file, range.start, range.end);
        match result {
            Ok(token) => out.push(token, span, &text[range]),
            // Adjacent strange characters are one finding.
            Err(()) => match &mut stray {
                Some(run) if run.end == span.start => run.end = span.end,
                _ => {
                    report_stray(&mut out.diagnostics, text, stray.take());
                    stray = Some(span);
                }
            },
        }
    }
    report_stray(&mut out.diagnostics, text, stray);
    report_unterminated(&mut out.diagnostics, file, &lexer.extras);
    out.tokens.push(Lexeme { token: Token::Eof, span: Span::new(file, text.len(), text.len()) });
    out
}

impl Lexed {
    fn push(&mut self, token: Token, span: Span, slice: &str) {
        if self.rumur.is_none() && (token.is_rumur_only() || (token != Token::Text && !slice.is_ascii())) {
            self.rumur = Some(span);
        }
        if token == Token::UnderscoreIdent && self.underscored.insert(slice.to_owned()) {
            let message = format!("`{slice}` begins with an underscore");
            let finding = Diagnostic::error(codes::LEADING_UNDERSCORE, message, span)
                .label("names begin with a letter")
                .help(format!("rename it, for example to `{}`", suggested_name(slice)));
            self.diagnostics.push(finding);
        }
        let token = if token == Token::UnderscoreIdent { Token::Ident } else { token };
        self.tokens.push(Lexeme { token, span });
    }
}

fn suggested_name(slice: &str) -> String {
    let bare = slice.trim_start_matches('_');
    if bare.starts_with(|c: char| c.is_ascii_alphabetic()) { bare.to_owned() } else { format!("v{slice}") }
}

fn report_stray(diagnostics: &mut Vec<Diagnostic>, text: &str, run: Option<Span>) {
    let Some(span) = run else { return };
    let found = &text[span.start as usize..span.end as usize];
    let shown: String = found.chars().map(|c| if c.is_control() { '\u{FFFD}' } else { c }).collect();
    let message = format!("`{shown}` is not part of the Murphi language");
    let finding = Diagnostic::error(codes::UNEXPECTED_CHARACTER, message, span)
        .help("remove it; outside strings and comments only Murphi's own symbols are read");
    diagnostics.push(finding);
}

fn report_unterminated(diagnostics: &mut Vec<Diagnostic>, file: FileId, extras: &Extras) {
    for &start in &extras.unterminated_strings {
        let finding =
            Diagnostic::error(codes::UNTERMINATED_STRING, "this string has no end", Span::new(file, start, start + 1))
                .label("opened here")
                .help("close it with `\"`");
        diagnostics.push(finding);
    }
    if let Some(start) = extras.unterminated_comment {
        let message = "this comment has no end, so the rest of the file is ignored";
        let finding = Diagnostic::warning(codes::UNTERMINATED_COMMENT, message, Span::new(file, start, start + 2))
            .label("opened here")
            .help("close it with `*/`");
        diagnostics.push(finding);
    }
}

/// Comments do not nest; one that never ends swallows the file, as in both tools.
fn skip_block_comment(lexer: &mut Lexer<'_, Token>) -> Skip {
    match lexer.remainder().find("*/") {
        Some(length) => lexer.bump(length + 2),
        None => {
            lexer.extras.unterminated_comment = Some(lexer.span().start);
            lexer.bump(lexer.remainder().len());
        }
    }
    Skip
}

/// Rumur reads backslash escapes and line breaks in strings, CMurphi neither: there `"a\"` is a whole string. A string
/// that does not close on its line when read Rumur's way, but would when read CMurphi's, is therefore CMurphi's.
fn scan_string(lexer: &mut Lexer<'_, Token>) {
    let rest = lexer.remainder();
    let line_end = rest.find('\n').unwrap_or(rest.len());
    let length = match closing_quote(rest) {
        Some(close) if close < line_end => close + 1,
        close => match (rest[..line_end].rfind('"'), close) {
            (Some(escaped), _) => escaped + 1,
            (None, Some(close)) => close + 1,
            (None, None) => {
                lexer.extras.unterminated_strings.push(lexer.span().start);
                line_end
            }
        },
    };
    lexer.bump(length);
}

/// The first quote not behind a backslash.
fn closing_quote(rest: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, byte) in rest.bytes().enumerate() {
        match byte {
            b'"' if !escaped => return Some(at),
            _ => escaped = byte == b'\\' && !escaped,
        }
    }
    None
}

fn scan_curly_string(lexer: &mut Lexer<'_, Token>) {
    let rest = lexer.remainder();
    let length = match rest.find('”') {
        Some(close) => close + '”'.len_utf8(),
        None => {
            lexer.extras.unterminated_strings.push(lexer.span().start);
            rest.find('\n').unwrap_or(rest.len())
        }
    };
    lexer.bump(length);
}

/// The characters a string token stands for.
pub(crate) fn unquote(slice: &str) -> String {
    let inner = slice.trim_start_matches(['"', '“']);
    let inner = inner.strip_suffix(['"', '”']).unwrap_or(inner);
    let mut out = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some('r') => out.push('\r'),
                Some(other) => out.push(other),
                None => out.push('\\'),
            },
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<Token> {
        let lexed = lex(FileId(0), text);
        lexed.tokens.iter().map(|lexeme| lexeme.token).filter(|&token| token != Token::Eof).collect()
    }

    fn strings(text: &str) -> Vec<String> {
        let lexed = lex(FileId(0), text);
        let texts = lexed.tokens.iter().filter(|lexeme| lexeme.token == Token::Text);
        texts.map(|lexeme| unquote(&text[lexeme.span.start as usize..lexeme.span.end as usize])).collect()
    }

    #[test]
    fn a_range_is_not_a_real_number() {
        use Token::*;
        assert_eq!(tokens("0..5 1.5 0x1F 10"), [Integer, DotDot, Integer, Real, Hex, Integer]);
    }

    #[test]
    fn keywords_ignore_case_and_bind_whole_words() {
        use Token::*;
        assert_eq!(tokens("BeGiN endRule ruleset rules form for"), [Begin, EndRule, Ruleset, Ident, Ident, For]);
    }

    #[test]
    fn words_of_one_dialect_are_identifiers() {
        assert_eq!(tokens("choose cover in multiset undefined ismember"), [Token::Ident; 6]);
    }

    #[test]
    fn comments_of_both_kinds_vanish() {
        assert_eq!(tokens("a -- b\n /* c /* d */ e"), [Token::Ident, Token::Ident]);
        assert_eq!(tokens("a - -b"), [Token::Ident, Token::Minus, Token::Minus, Token::Ident]);
    }

    #[test]
    fn strings_of_both_dialects() {
        assert_eq!(strings(r#""a\"b" "c\n""#), ["a\"b", "c\n"]);
        assert_eq!(strings("\"two\nlines\""), ["two\nlines"]);
        assert_eq!(strings("\"path\\\"\nx := 1;"), ["path\\"]);
        assert_eq!(strings("“curly”"), ["curly"]);
    }

    #[test]
    fn rumur_only_syntax_is_noticed() {
        assert!(lex(FileId(0), "x == y").rumur.is_some());
        assert!(lex(FileId(0), "x ≤ y").rumur.is_some());
        assert!(lex(FileId(0), "x = \"ü\"").rumur.is_none());
    }

    #[test]
    fn strange_characters_are_one_finding_per_run() {
        let lexed = lex(FileId(0), "x @@ y #");
        assert_eq!(lexed.diagnostics.len(), 2);
        assert_eq!(lexed.tokens.len(), 3);
    }
}
