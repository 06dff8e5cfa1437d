//! Preprocessed tokens to Promela's tokens: keywords, operators, numbers, and the semicolons that line breaks imply.
//!
//! A line break ends a statement where the token before it can end one (SPIN 6.3 and later), inside the bodies of
//! processes, claims, inlines and typedefs and outside parentheses. `else` and `}` end one in any case. The parser then
//! only sees [`Token::Semi`]; [`Lexeme::implied`] tells which of them are not in the text, for messages.

use std::rc::Rc;

use burnside_diag::{Diagnostic, Span};

use crate::codes;
use crate::preprocess::{PpKind, PpToken};

macro_rules! tokens {
    (words { $($word:ident = $text:literal,)* } signs { $($sign:ident = $sign_text:literal,)* }) => {
        /// One kind of token.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Token {
            /// A name that is no keyword; `in` is one of these, and a keyword in the head of a `for`.
            Name,
            Number,
            Text,
            Char,
            Eof,
            $($word,)*
            $($sign,)*
        }

        fn keyword(text: &str) -> Option<Token> {
            Some(match text {
                $($text => Token::$word,)*
                _ => return None,
            })
        }

        fn sign(text: &str) -> Option<Token> {
            Some(match text {
                $($sign_text => Token::$sign,)*
                _ => return None,
            })
        }
    };
}

tokens! {
    words {
        Active = "active", Assert = "assert", Atomic = "atomic", Bit = "bit", Bool = "bool", Break = "break",
        Byte = "byte", CCode = "c_code", CDecl = "c_decl", CExpr = "c_expr", CState = "c_state", CTrack = "c_track",
        DProctype = "D_proctype", Do = "do", Chan = "chan", Else = "else", Empty = "empty", Enabled = "enabled",
        Eval = "eval", False = "false", Fi = "fi", For = "for", Full = "full", GetPriority = "get_priority",
        Goto = "goto", Hidden = "hidden", If = "if", Init = "init", Inline = "inline", Int = "int", Len = "len",
        Local = "local", Ltl = "ltl", Mtype = "mtype", Nempty = "nempty", Never = "never", Nfull = "nfull",
        Notrace = "notrace", Np = "np_", Od = "od", Of = "of", PcValue = "pc_value", Pid = "pid", Printf = "printf",
        Printm = "printm", Priority = "priority", Proctype = "proctype", Provided = "provided", Return = "return",
        Run = "run", DStep = "d_step", Select = "select", SetPriority = "set_priority", Short = "short",
        Skip = "skip", Timeout = "timeout", Trace = "trace", True = "true", Show = "show", Typedef = "typedef",
        Unless = "unless", Unsigned = "unsigned", Xr = "xr", Xs = "xs",
    }
    signs {
        OpenBrace = "{", CloseBrace = "}", OpenParen = "(", CloseParen = ")", OpenBracket = "[", CloseBracket = "]",
        Semi = ";", Arrow = "->", Comma = ",", Colon = ":", Separator = "::", Dot = ".", DotDot = "..", At = "@",
        Assign = "=", Increment = "++", Decrement = "--", Plus = "+", Minus = "-", Star = "*", Slash = "/",
        Percent = "%", Ampersand = "&", Caret = "^", Bar = "|", Tilde = "~", AndAnd = "&&", OrOr = "||", Equal = "==",
        NotEqual = "!=", Less = "<", LessEqual = "<=", Greater = ">", GreaterEqual = ">=", ShiftLeft = "<<",
        ShiftRight = ">>", Bang = "!", BangBang = "!!", Question = "?", QuestionQuestion = "??",
    }
}

impl Token {
    /// Whether a line break behind this token ends a statement.
    fn ends_statement(self) -> bool {
        use Token::*;
        matches!(self, CloseParen | CloseBracket | Od | Fi | Else | Break | Name | Number | Char | Increment)
            || matches!(self, Decrement | Skip | True | False | Timeout | CloseBrace)
    }

    /// Whether a statement that ends in `}` or `else` needs no separator before this token.
    fn closes_or_separates(self) -> bool {
        use Token::*;
        matches!(self, Semi | Arrow | Separator | Fi | Od | CloseBrace | Unless | Eof | Comma | CloseParen)
    }
}

/// A token in its place.
#[derive(Debug, Clone)]
pub(crate) struct Lexeme {
    pub(crate) token: Token,
    pub(crate) span: Span,
    /// Where it stands in the text that is read: at its parameter, if it belongs to an argument of an inline.
    pub(crate) place: Span,
    /// As written; empty for an implied semicolon.
    pub(crate) text: Rc<str>,
    /// A semicolon that only a line break, `else` or `}` stands for.
    pub(crate) implied: bool,
}

/// Classifies the tokens of a model; ends in `Eof`.
pub(crate) fn lex(tokens: &[PpToken], end: Span) -> (Vec<Lexeme>, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let mut lexer = Lexer {
        out: Vec::with_capacity(tokens.len() + 1),
        brace_depth: 0,
        paren_depth: 0,
        pending: false,
        in_body: false,
    };
    for token in tokens {
        match classify(token) {
            Some(kind) => lexer.push(token, kind),
            None if token.kind == PpKind::Unclosed => {
                let quote = Span { end: token.span.start + 1, ..token.span };
                let finding =
                    Diagnostic::error(codes::UNTERMINATED_TEXT, "this quote is not closed on its line", quote);
                diagnostics.push(finding.help("close it, or write `\\n` for a line break inside a text"));
            }
            None => {
                let message = format!("`{}` means nothing here", token.text);
                let finding = Diagnostic::error(codes::UNEXPECTED_CHARACTER, message, token.span);
                diagnostics.push(finding.help("remove it"));
            }
        }
    }
    lexer.imply_semicolon(Token::Eof, false, end);
    let mut out = lexer.out;
    out.push(Lexeme { token: Token::Eof, span: end, place: end, text: "".into(), implied: false });
    (out, diagnostics)
}

fn classify(token: &PpToken) -> Option<Token> {
    Some(match token.kind {
        PpKind::Word => keyword(&token.text).unwrap_or(Token::Name),
        PpKind::Number => Token::Number,
        PpKind::Text => Token::Text,
        PpKind::Char => Token::Char,
        PpKind::Unclosed => return None,
        PpKind::Punct => return sign(&token.text),
    })
}

struct Lexer {
    out: Vec<Lexeme>,
    brace_depth: u32,
    paren_depth: u32,
    /// A word that introduces a body was seen at the top level.
    pending: bool,
    in_body: bool,
}

impl Lexer {
    fn push(&mut self, token: &PpToken, kind: Token) {
        self.imply_semicolon(kind, token.newline, token.span);
        match kind {
            Token::OpenBrace => {
                self.in_body |= self.brace_depth == 0 && self.pending;
                self.brace_depth += 1;
            }
            Token::CloseBrace => {
                self.brace_depth = self.brace_depth.saturating_sub(1);
                if self.brace_depth == 0 {
                    self.in_body = false;
                    self.pending = false;
                    self.paren_depth = 0;
                }
            }
            Token::OpenParen => self.paren_depth += 1,
            Token::CloseParen => self.paren_depth = self.paren_depth.saturating_sub(1),
            Token::Proctype
            | Token::DProctype
            | Token::Init
            | Token::Never
            | Token::Trace
            | Token::Notrace
            | Token::Inline
            | Token::Typedef
                if self.brace_depth == 0 =>
            {
                self.pending = true;
            }
            _ => {}
        }
        let text = Rc::clone(&token.text);
        self.out.push(Lexeme { token: kind, span: token.span, place: token.span, text, implied: false });
    }

    fn imply_semicolon(&mut self, next: Token, newline: bool, place: Span) {
        let Some(last) = self.out.last() else { return };
        let implied = match last.token {
            Token::Else => self.in_body && !matches!(next, Token::Semi | Token::Arrow | Token::Fi),
            Token::CloseBrace => !next.closes_or_separates(),
            token => newline && self.in_body && self.paren_depth == 0 && token.ends_statement(),
        };
        if implied && !matches!(next, Token::Semi | Token::Arrow | Token::CloseBrace) {
            let span = if place.file == last.span.file { last.span.after() } else { place };
            self.out.push(Lexeme { token: Token::Semi, span, place: span, text: "".into(), implied: true });
        }
    }
}

#[cfg(test)]
mod tests {
    use burnside_diag::FileId;

    use super::*;
    use crate::preprocess::preprocess;

    fn shown(text: &str) -> String {
        let done = preprocess(FileId(0), text, &[], &mut |_| Err(String::new()));
        let (lexemes, _) = lex(&done.tokens, done.end);
        let show = |lexeme: &Lexeme| if lexeme.implied { "¶".to_owned() } else { lexeme.text.to_string() };
        lexemes.iter().map(show).collect::<Vec<_>>().join(" ").trim_end().to_owned()
    }

    #[test]
    fn line_breaks_end_statements_only_in_bodies() {
        assert_eq!(shown("byte x\nbyte y"), "byte x byte y");
        assert_eq!(shown("init { x = 1\ny = 2\n}"), "init { x = 1 ¶ y = 2 }");
        assert_eq!(shown("init { x = (1 +\n2)\n}"), "init { x = ( 1 + 2 ) }");
        assert_eq!(shown("init { s ? q\n(q == 1) }"), "init { s ? q ¶ ( q == 1 ) }");
    }

    #[test]
    fn else_and_braces_need_no_separator() {
        assert_eq!(shown("init { if :: else x = 1 fi }"), "init { if :: else ¶ x = 1 fi }");
        assert_eq!(shown("init { { x = 1 } y = 2 }"), "init { { x = 1 } ¶ y = 2 }");
        assert_eq!(shown("init { { x = 1 }\nunless { y } }"), "init { { x = 1 } unless { y } }");
        assert_eq!(shown("init { x == 1\n-> y }"), "init { x == 1 -> y }");
    }
}
