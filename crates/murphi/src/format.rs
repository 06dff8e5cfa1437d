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
    /// A ruleset, loop, branch or record, up to its `end`.
    Block,
    /// A rule or function, with declarations of its own before its `begin`.
    Item,
    /// `switch`, whose cases lie between it and their statements.
    Switch,
    /// `forall` or `exists` up to `do`, or up to the dot in temporal formulas, which have no `end` for it.
    Binder,
    /// `forall` or `exists` behind `do`.
    Quantifier,
}

/// Something open, with where lines inside it begin.
#[derive(Debug, Clone, Copy)]
struct Frame {
    open: Open,
    /// The indentation of the line on which it began, for what ends it.
    outside: usize,
    inside: usize,
}

/// The text with every line indented by what is open there; nothing if that would change what is read, which is a
/// mistake of ours.
pub fn format(text: &str) -> Option<String> {
    let file = FileId(0);
    let tokens = lex(file, text).tokens;
    let mut formatter = Formatter::new(text, &tokens);
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
            formatter.line = (start, 0);
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
            let indent = formatter.indent((start, end), old);
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
    open: Vec<Frame>,
    /// How many parentheses are open: what is declared between them are parameters.
    n_parentheses: usize,
    /// Whether the last line ended in the middle of a statement or declaration.
    is_open_line: bool,
    /// The old and new indentation of the line on which it began.
    base: (usize, usize),
    /// Where the present line begins, its old blanks apart, and its new indentation.
    line: (usize, usize),
}

impl<'t> Formatter<'t> {
    fn new(text: &'t str, tokens: &'t [Lexeme]) -> Self {
        let (open, next, n_parentheses, is_open_line) = (Vec::new(), 0, 0, false);
        Self { text, tokens, next, open, n_parentheses, is_open_line, base: (0, 0), line: (0, 0) }
    }

    /// The indentation of a line between `start` and `end` that was indented by `old`.
    fn indent(&mut self, (start, end): (usize, usize), old: usize) -> usize {
        let first = self.tokens[self.next];
        let is_code = (first.span.start as usize) < end && first.token != Token::Eof;
        let token = if is_code { first.token } else { Token::Semicolon };
        let stands_out = ends_block(token) || matches!(token, Token::Begin | Token::Arrow | Token::Then);
        // In Rumur's dialect nothing need end the line above.
        let stands_out = stands_out || starts_item(token) && self.n_parentheses == 0;
        let indent = if self.is_open_line && !stands_out {
            // As far behind its first line as it was.
            self.base.1 + old.saturating_sub(self.base.0).max(INDENT)
        } else {
            let indent = self.depth_at(token);
            self.base = (old, indent);
            indent
        };
        self.line = (start + old, indent);
        indent
    }

    /// Where a line that begins with a token begins.
    fn depth_at(&self, first: Token) -> usize {
        let open = match self.open.split_last() {
            Some((last, rest)) if last.open == Open::Section && self.leaves_section(first) => rest,
            _ => &self.open,
        };
        let Some(last) = open.last() else { return 0 };
        match (last.open, first) {
            (_, first) if ends_block(first) => last.outside,
            (Open::Switch, Token::Case | Token::Else) => last.outside + INDENT,
            (Open::Block, Token::Then | Token::Else | Token::Elsif) => last.outside,
            (Open::Item, Token::Begin | Token::Arrow | Token::Const | Token::Type | Token::Var) => last.outside,
            _ => last.inside,
        }
    }

    /// Whether the next token, of this kind, ends declarations: what begins otherwise than one.
    fn leaves_section(&self, token: Token) -> bool {
        let at = |number: usize| self.tokens.get(number).map(|it| it.token);
        let is_declared = matches!(at(self.next + 1), Some(Token::Colon | Token::Comma));
        let is_property = token == Token::Ident && at(self.next - 1) == Some(Token::Semicolon) && !is_declared;
        starts_item(token) || token == Token::Begin || ends_block(token) || is_property
    }

    /// Takes note of all tokens before `end`.
    fn pass(&mut self, end: usize) {
        while let Some(lexeme) = self.tokens.get(self.next).filter(|it| (it.span.start as usize) < end) {
            let token = lexeme.token;
            if token == Token::Eof {
                return;
            }
            if starts_item(token) && token != Token::Var {
                // Whatever a broken text has left open.
                self.n_parentheses = 0;
            }
            // An expression may go on behind a quantifier.
            let ends_quantifier = ends_block(token) && self.open.last().is_some_and(|it| it.open == Open::Quantifier);
            match token {
                Token::OpenParen => self.n_parentheses += 1,
                Token::CloseParen => self.n_parentheses = self.n_parentheses.saturating_sub(1),
                _ if self.n_parentheses > 0 && token == Token::Var => {}
                _ => self.take(token, end),
            }
            self.is_open_line = self.n_parentheses > 0 || ends_quantifier || !closes_line(token);
            self.next += 1;
        }
    }

    fn take(&mut self, token: Token, end: usize) {
        if starts_item(token) {
            // No item is inside a formula, whatever that has left open.
            self.open.truncate(self.open.iter().position(|it| it.open == Open::Binder).unwrap_or(self.open.len()));
        }
        let last = self.open.last().map(|it| it.open);
        if last == Some(Open::Section) && self.leaves_section(token) {
            self.open.pop();
        }
        match token {
            Token::Const | Token::Type | Token::Var => self.push_section(end),
            Token::Rule | Token::Startstate | Token::Function | Token::Procedure => self.push(Open::Item),
            Token::Ruleset | Token::For | Token::While | Token::If | Token::Record | Token::Alias => {
                self.push(Open::Block);
            }
            Token::Switch => self.push(Open::Switch),
            Token::Forall | Token::Exists => self.push(Open::Binder),
            Token::Ident if self.is_choose() => self.push(Open::Block),
            Token::Do => {
                if let Some(binder) = self.open.last_mut().filter(|it| it.open == Open::Binder) {
                    binder.open = Open::Quantifier;
                }
            }
            Token::Dot if last == Some(Open::Binder) => _ = self.open.pop(),
            token if ends_block(token) => _ = self.open.pop(),
            _ => {}
        }
    }

    fn push(&mut self, open: Open) {
        let outside = self.line.1;
        let inside = outside + if open == Open::Switch { 2 * INDENT } else { INDENT };
        self.open.push(Frame { open, outside, inside });
    }

    /// Declarations stand below the first one if that is on the line of the keyword.
    fn push_section(&mut self, end: usize) {
        self.push(Open::Section);
        let (start, indent) = self.line;
        let first = self.tokens.get(self.next + 1).map(|it| it.span.start as usize);
        if let (Some(frame), Some(first)) = (self.open.last_mut(), first.filter(|it| *it < end && start <= *it)) {
            frame.inside = indent + self.text[start..first].chars().count();
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
             x := p;\n  end;\nend;\nruleset p: P do\n  rule \"r\"\n    x = p\n  ==>\n  begin\n    if x = p then\n      undefine x;\n    else\n      x := p;\n    \
             end;\n  end;\nend;\ninvariant \"i\" forall q: P do\n  q = q\nend;\n",
        );
    }

    #[test]
    fn lines_stand_below_what_they_belong_to() {
        check(
            "type P: scalarset(2);\n  Q: 0..1;\nvar a: P;\nb: Q;\ncover \"c\" b = 1;\nfunction f(var x: P;\n           y: Q): Q;\n\
             var z: Q;\nbegin\nswitch y\ncase 0:\nreturn 1;\nelse\nreturn 0;\nend;\nend;\n",
            "type P: scalarset(2);\n     Q: 0..1;\nvar a: P;\n    b: Q;\ncover \"c\" b = 1;\nfunction f(var x: P;\n           y: Q): Q;\n\
             var z: Q;\nbegin\n  switch y\n    case 0:\n      return 1;\n    else\n      return 0;\n  end;\nend;\n",
        );
        check(
            "const N: 2\n  startstate\n  var x: 0..N;\nbegin if forall p: P do a = p end\n    & b = 1\nthen b := 0; end; end\nrule b = 1 ==> end\n",
            "const N: 2\nstartstate\nvar x: 0..N;\nbegin if forall p: P do a = p end\n    & b = 1\nthen b := 0; end; end\nrule b = 1 ==> end\n",
        );
        check(
            "invariant \"i\"\n  forall p: P do a = p ->\n    b = 1\n  end;\nltl \"l\" forall p: P. [] <> (a = p);\n  rule a = b ==> begin end;\n",
            "invariant \"i\"\n  forall p: P do a = p ->\n    b = 1\n  end;\nltl \"l\" forall p: P. [] <> (a = p);\nrule a = b ==> begin end;\n",
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
