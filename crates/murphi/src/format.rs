//! Indentation by structure, for `burnside fmt`.
//!
//! Only blanks at the beginning and end of lines change, and empty lines in a row become one. What stands on a line, and
//! all comments, stay as they are, so the model stays the same; that is checked once more before a text is handed back.

use burnside_diag::FileId;

use crate::lex::{Lexeme, Token, lex};

const INDENT: usize = 2;

/// What is open at some place of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    /// Declarations behind `const`, `type` or `var`.
    Section,
    /// A rule, function, loop, branch or record, up to its `end`.
    Block,
    /// `forall` or `exists`, which goes on within an expression.
    Quantifier,
}

/// The text with every line indented by what is open there; nothing if that would change what is read, which is a
/// mistake of ours.
pub fn format(text: &str) -> Option<String> {
    let file = FileId(0);
    let tokens = lex(file, text).tokens;
    let mut formatter =
        Formatter { text, tokens: &tokens, next: 0, open: Vec::new(), is_open_line: false, base: (0, 0) };
    let mut out = String::with_capacity(text.len());
    let mut start = 0;
    let mut n_blank = 0;
    let inside = inside(text);
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let goes_on = inside.get(number + 1).is_some_and(|it| *it);
        let end = start + line.len();
        if inside[number] {
            // The rest of a comment or string that began above: its blanks may matter to people.
            out += line;
            formatter.pass(end);
            (start, n_blank) = (end, 0);
            continue;
        }
        let bare = line.trim();
        if bare.is_empty() {
            n_blank += 1;
        } else {
            if n_blank > 0 && !out.is_empty() {
                out.push('\n');
            }
            n_blank = 0;
            let old = line.len() - line.trim_start().len();
            let indent = formatter.indent(end, old);
            out.extend(std::iter::repeat_n(' ', indent));
            // A comment that goes on below keeps its end as it is.
            out += if goes_on { line.trim_start().trim_end_matches(['\n', '\r']) } else { bare };
            out.push('\n');
        }
        formatter.pass(end);
        start = end;
    }
    is_same(text, &out).then_some(out)
}

struct Formatter<'t> {
    text: &'t str,
    tokens: &'t [Lexeme],
    /// The first token that was not passed.
    next: usize,
    open: Vec<Open>,
    /// Whether the last line ended in the middle of a statement or declaration.
    is_open_line: bool,
    /// The old and new indentation of the line on which it began.
    base: (usize, usize),
}

impl Formatter<'_> {
    /// The indentation of a line that ends at `end` and was indented by `old`.
    fn indent(&mut self, end: usize, old: usize) -> usize {
        let first = self.tokens[self.next];
        let is_code = (first.span.start as usize) < end && first.token != Token::Eof;
        if self.is_open_line && !(is_code && (ends_block(first.token) || first.token == Token::Begin)) {
            // As far behind its first line as it was.
            return self.base.1 + old.saturating_sub(self.base.0).max(INDENT);
        }
        let depth = self.depth_at(if is_code { first.token } else { Token::Semicolon });
        self.base = (old, depth * INDENT);
        self.base.1
    }

    /// How deep a line that begins with a token lies.
    fn depth_at(&self, first: Token) -> usize {
        let mut open = self.open.clone();
        let leaves_section = starts_item(first) || first == Token::Begin || ends_block(first);
        if leaves_section && open.last() == Some(&Open::Section) {
            open.pop();
        }
        let depth = open.len();
        let is_outside = ends_block(first) || matches!(first, Token::Begin | Token::Else | Token::Elsif | Token::Case);
        if is_outside { depth.saturating_sub(1) } else { depth }
    }

    /// Takes note of all tokens before `end`.
    fn pass(&mut self, end: usize) {
        while let Some(lexeme) = self.tokens.get(self.next).filter(|it| (it.span.start as usize) < end) {
            let token = lexeme.token;
            if token == Token::Eof {
                return;
            }
            let is_item = starts_item(token) && self.open.iter().all(|it| *it != Open::Quantifier);
            if (is_item || token == Token::Begin || ends_block(token)) && self.open.last() == Some(&Open::Section) {
                self.open.pop();
            }
            match token {
                Token::Const | Token::Type | Token::Var => self.open.push(Open::Section),
                Token::Rule | Token::Startstate | Token::Ruleset | Token::Function | Token::Procedure => {
                    self.open.push(Open::Block);
                }
                Token::For | Token::While | Token::If | Token::Switch | Token::Record | Token::Alias => {
                    self.open.push(Open::Block);
                }
                Token::Forall | Token::Exists => self.open.push(Open::Quantifier),
                Token::Ident if self.is_choose() => self.open.push(Open::Block),
                token if ends_block(token) => _ = self.open.pop(),
                _ => {}
            }
            self.is_open_line = !closes_line(token);
            self.next += 1;
        }
    }

    /// `choose i: net do`, but no variable of that name.
    fn is_choose(&self) -> bool {
        let span = self.tokens[self.next].span;
        let word = &self.text[span.start as usize..span.end as usize];
        let following = |ahead: usize| self.tokens.get(self.next + ahead).map(|it| it.token);
        word.eq_ignore_ascii_case("choose") && following(1) == Some(Token::Ident) && following(2) == Some(Token::Colon)
    }
}

/// Whether a declaration, rule or property begins with this word at the top of a file.
fn starts_item(token: Token) -> bool {
    use Token::*;
    matches!(token, Const | Type | Var | Rule | Startstate | Ruleset | Function | Procedure | Invariant | Alias)
}

fn ends_block(token: Token) -> bool {
    token.ends_block()
}

/// Whether what follows on the next line is something new.
fn closes_line(token: Token) -> bool {
    use Token::*;
    matches!(token, Semicolon | Begin | Do | Then | Else | Arrow | Colon | Const | Type | Var | Record)
        || ends_block(token)
}

/// For each line, whether it begins inside a block comment or a string.
fn inside(text: &str) -> Vec<bool> {
    let mut starts = vec![false];
    scan(text, |at, state| {
        if text.as_bytes()[at] == b'\n' {
            starts.push(matches!(state, State::Comment | State::Text));
        }
    });
    starts
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Code,
    Line,
    Comment,
    Text,
}

/// Goes over the bytes of a text and tells the state behind each.
fn scan(text: &str, mut visit: impl FnMut(usize, State)) {
    let bytes = text.as_bytes();
    let mut state = State::Code;
    let mut begun = 0;
    for at in 0..bytes.len() {
        let pair = [at.checked_sub(1).map_or(0, |before| bytes[before]), bytes[at]];
        state = match (state, pair) {
            (State::Code, [b'-', b'-']) => State::Line,
            (State::Code, [b'/', b'*']) => {
                begun = at;
                State::Comment
            }
            (State::Code, [_, b'"']) => State::Text,
            (State::Line, [_, b'\n']) => State::Code,
            // The star that begins a comment does not end it.
            (State::Comment, [b'*', b'/']) if at > begun + 1 => State::Code,
            (State::Text, [before, b'"']) if before != b'\\' => State::Code,
            (state, _) => state,
        };
        visit(at, state);
    }
}

/// Whether two texts have the same tokens and the same comments, blanks at the edges of lines apart.
fn is_same(one: &str, other: &str) -> bool {
    let tokens = |text: &str| -> Vec<(Token, String)> {
        let lexed = lex(FileId(0), text);
        lexed
            .tokens
            .iter()
            .map(|it| (it.token, text[it.span.start as usize..it.span.end as usize].to_owned()))
            .collect()
    };
    let lines = |text: &str| -> Vec<String> {
        text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
    };
    tokens(one) == tokens(other) && lines(one) == lines(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let formatted = format(text).expect("nothing changes");
        assert_eq!(formatted, expected);
        assert_eq!(format(&formatted).as_deref(), Some(expected), "twice is once");
    }

    #[test]
    fn lines_are_indented_by_what_is_open() {
        check(
            "const N: 2;\ntype\nP: scalarset(N);\nR: record\na: P;\nend;\n\n\n\nvar\n x: P;\nstartstate\nbegin\nfor p: P do\n\
             x := p;\nend;\nend;\nruleset p: P do\nrule \"r\"\nx = p\n==>\nbegin\nif x = p then\nundefine x;\nelse\nx := p;\n\
             end;\nend;\nend;\ninvariant \"i\" forall q: P do\n    q = q\n  end;\n",
            "const N: 2;\ntype\n  P: scalarset(N);\n  R: record\n    a: P;\n  end;\n\nvar\n  x: P;\nstartstate\nbegin\n  for p: P do\n    \
             x := p;\n  end;\nend;\nruleset p: P do\n  rule \"r\"\n    x = p\n    ==>\n  begin\n    if x = p then\n      undefine x;\n    else\n      x := p;\n    \
             end;\n  end;\nend;\ninvariant \"i\" forall q: P do\n  q = q\nend;\n",
        );
    }

    #[test]
    fn comments_stay_as_they_are() {
        check(
            "  -- top\n/* a\n     b */\nvar x: boolean; -- end  \n",
            "-- top\n/* a\n     b */\nvar x: boolean; -- end\n",
        );
    }
}
