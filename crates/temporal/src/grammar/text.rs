//! The grammar on strings: `--ltl 'forall p: Proc. G (loc[p] = Trying -> F loc[p] = Critical)'`.
//!
//! Conditions and binders are pieces of the string, handed back by their places for a front end to read. Single letters
//! `G F X U W R A E` are operators unless the caller declares such a name; then the name wins and is reported in `notes`.

use std::ops::Range;

use super::{Expected, Level, Source, Symbol, parse};
use crate::formula::{Binary, Formula, Quantity, Unary};

/// A place in the string, in bytes.
pub type Place = Range<usize>;

/// A formula whose conditions and binders are places in the string.
pub type TextFormula = Formula<Place, Place>;

/// Why a string is no formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// The token that does not fit; empty at the end of the string.
    pub place: Place,
    /// What was expected there.
    pub expected: Expected,
}

/// A formula, and the names of one letter that were not taken as operators.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// The formula.
    pub formula: TextFormula,
    /// Where declared names stand that would be operators otherwise.
    pub notes: Vec<Place>,
}

/// Reads a formula; `is_declared` tells which names the model has.
///
/// # Errors
/// The first syntax error.
pub fn parse_text(text: &str, is_declared: impl Fn(&str) -> bool) -> Result<Text, SyntaxError> {
    let mut notes = Vec::new();
    let tokens = tokens(text, &mut |place: Place| {
        let declared = is_declared(&text[place.clone()]);
        if declared {
            notes.push(place);
        }
        declared
    });
    let mut source = Strings { tokens, next: 0, end: text.len() };
    let formula = parse(&mut source)?;
    Ok(Text { formula, notes })
}

struct Token {
    symbol: Symbol,
    place: Place,
    /// `.` or `do`, which stand between a binder and the body of its quantifier.
    ends_binder: bool,
}

struct Strings {
    tokens: Vec<Token>,
    next: usize,
    end: usize,
}

impl Strings {
    fn place(&self) -> Place {
        self.tokens.get(self.next).map_or(self.end..self.end, |token| token.place.clone())
    }

    /// A condition of the model's language that begins with a quantifier: up to its own end.
    fn block(&mut self) -> Result<Place, SyntaxError> {
        let start = self.place().start;
        let mut depth = 0_usize;
        while self.symbol(0) != Symbol::End {
            match self.symbol(0) {
                Symbol::Block(_) => depth += 1,
                Symbol::EndOfBlock => depth -= 1,
                _ => {}
            }
            let end = self.place().end;
            self.advance();
            if depth == 0 {
                return Ok(start..end);
            }
        }
        Err(self.unexpected(Expected::Symbol(Symbol::EndOfBlock)))
    }
}

impl Source for Strings {
    type Proposition = Place;
    type Quantifier = Place;
    type Error = SyntaxError;

    fn symbol(&self, ahead: usize) -> Symbol {
        self.tokens.get(self.next + ahead).map_or(Symbol::End, |token| token.symbol)
    }

    fn advance(&mut self) {
        self.next += 1;
    }

    fn proposition(&mut self) -> Result<Place, SyntaxError> {
        if matches!(self.symbol(0), Symbol::Block(_)) {
            return self.block();
        }
        let mut place = self.place();
        place.end = place.start;
        let mut depth = 0_usize;
        loop {
            match self.symbol(0) {
                Symbol::Open | Symbol::OpenBracket => depth += 1,
                Symbol::Close | Symbol::CloseBracket if depth > 0 => depth -= 1,
                Symbol::Other => {}
                Symbol::End => break,
                // Inside parentheses any token belongs to the condition.
                _ if depth > 0 => {}
                _ => break,
            }
            place.end = self.place().end;
            self.advance();
        }
        if place.is_empty() || depth > 0 { Err(self.unexpected(Expected::Formula)) } else { Ok(place) }
    }

    fn quantifier(&mut self) -> Result<Place, SyntaxError> {
        self.advance();
        let rest = &self.tokens[self.next..];
        match rest.iter().position(|token| token.ends_binder) {
            None | Some(0) => Err(self.unexpected(Expected::Binder)),
            Some(length) => {
                let place = rest[0].place.start..rest[length - 1].place.end;
                self.next += length + 1;
                Ok(place)
            }
        }
    }

    fn unexpected(&self, expected: Expected) -> SyntaxError {
        SyntaxError { place: self.place(), expected }
    }
}

fn tokens(text: &str, is_declared: &mut impl FnMut(Place) -> bool) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let place = at..at + length_of_token(&text[at..], first);
        at = place.end;
        let word = &text[place.clone()];
        let symbol = match symbol_of(word) {
            Some(_) if word.len() == 1 && first.is_alphabetic() && is_declared(place.clone()) => Symbol::Other,
            Some(symbol) => symbol,
            None => Symbol::Other,
        };
        tokens.push(Token { symbol, place, ends_binder: matches!(word, "." | "do") });
    }
    // A quantifier ends with a word if one of the model's language is meant, which `do` shows.
    for at in 0..tokens.len() {
        if let Symbol::Prefix(quantity) = tokens[at].symbol
            && let Some(end) = tokens[at..].iter().find(|token| token.ends_binder)
            && end.place.len() == 2
        {
            tokens[at].symbol = Symbol::Block(quantity);
        }
    }
    tokens
}

/// Signs that are one token although their parts are tokens too, longest first.
const SIGNS: [&str; 13] = ["<->", "[]", "<>", "->", "&&", "||", "!=", "==", "<=", ">=", "..", "<<", ">>"];

fn length_of_token(text: &str, first: char) -> usize {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    if is_word(first) {
        text.find(|c| !is_word(c)).unwrap_or(text.len())
    } else if first == '"' {
        // A name in quotes, as in `fired("rule")`.
        text[1..].find('"').map_or(text.len(), |end| end + 2)
    } else {
        SIGNS.iter().find(|sign| text.starts_with(**sign)).map_or(first.len_utf8(), |sign| sign.len())
    }
}

fn symbol_of(word: &str) -> Option<Symbol> {
    use Unary::{AllPaths, Always, Eventually, Next, SomePath};
    Some(match word {
        "!" | "not" => Symbol::Unary(Unary::Not),
        "[]" | "always" | "G" => Symbol::Unary(Always),
        "<>" | "eventually" | "F" => Symbol::Unary(Eventually),
        "nexttime" | "X" => Symbol::Unary(Next),
        "A" => Symbol::Unary(AllPaths),
        "E" => Symbol::Unary(SomePath),
        "AX" => Symbol::Both(AllPaths, Next),
        "AF" => Symbol::Both(AllPaths, Eventually),
        "AG" => Symbol::Both(AllPaths, Always),
        "EX" => Symbol::Both(SomePath, Next),
        "EF" => Symbol::Both(SomePath, Eventually),
        "EG" => Symbol::Both(SomePath, Always),
        "until" | "U" => Symbol::Binary(Binary::Until, Level::Until),
        "weakuntil" | "W" => Symbol::Binary(Binary::WeakUntil, Level::Until),
        "release" | "R" => Symbol::Binary(Binary::Release, Level::Until),
        "&" => Symbol::Binary(Binary::And, Level::And),
        "&&" => Symbol::Binary(Binary::And, Level::LooseAnd),
        "|" => Symbol::Binary(Binary::Or, Level::Or),
        "||" => Symbol::Binary(Binary::Or, Level::LooseOr),
        "->" => Symbol::Binary(Binary::Implies, Level::Implies),
        "<->" => Symbol::Binary(Binary::Iff, Level::Lowest),
        "true" => Symbol::Constant(true),
        "false" => Symbol::Constant(false),
        "(" => Symbol::Open,
        ")" => Symbol::Close,
        "[" => Symbol::OpenBracket,
        "]" => Symbol::CloseBracket,
        "forall" => Symbol::Prefix(Quantity::Forall),
        "exists" => Symbol::Prefix(Quantity::Exists),
        "end" | "endforall" | "endexists" => Symbol::EndOfBlock,
        _ => return None,
    })
}

/// A formula over the words themselves, for tests.
#[cfg(test)]
pub(crate) fn parse_words(text: &str) -> Formula<String, String> {
    let parsed = parse_text(text, |_| false).unwrap_or_else(|error| panic!("{text}: {error:?}")).formula;
    words(text, &parsed)
}

/// Conditions in parentheses are taken apart as well.
#[cfg(test)]
fn words(text: &str, formula: &TextFormula) -> Formula<String, String> {
    match formula {
        Formula::Constant(value) => Formula::Constant(*value),
        Formula::Proposition(place) => match text[place.clone()].strip_prefix('(').and_then(|t| t.strip_suffix(')')) {
            Some(inside) => parse_words(inside),
            None => Formula::Proposition(text[place.clone()].to_owned()),
        },
        Formula::Unary(op, f) => Formula::unary(*op, words(text, f)),
        Formula::Binary(op, f, g) => Formula::binary(*op, words(text, f), words(text, g)),
        Formula::Quantified(quantity, place, f) => {
            Formula::Quantified(*quantity, text[place.clone()].to_owned(), Box::new(words(text, f)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Prints what was read.
    fn check(text: &str, printed: &str) {
        assert_eq!(parse_words(text).to_string(), printed, "{text}");
    }

    fn check_error(text: &str, place: Place, expected: Expected) {
        assert_eq!(parse_text(text, |_| false), Err(SyntaxError { place, expected }), "{text}");
    }

    #[test]
    fn conditions_are_read_as_far_as_they_go() {
        check("[] (loc[p] = Trying -> <> loc[p] = Critical)", "G (loc[p] = Trying -> F loc[p] = Critical)");
        check("(a + b) = 3 & c != d", "(a + b) = 3 & c != d");
        check("! a = b", "!a = b");
        check("f(a & b) = 1 until x", "f(a & b) = 1 U x");
        check("fired(\"a -> b\") -> true", "fired(\"a -> b\") -> true");
    }

    #[test]
    fn binary_temporal_operators_bind_tighter_than_connectives() {
        check("a & b U c | d -> e", "a & b U c | d -> e");
        check("((a & (b U c)) | d) -> e", "a & b U c | d -> e");
        check("(a & b) U c", "(a & b) U c");
        check("a U b R c", "a U b R c");
        check("(G a U b) R c", "(G a U b) R c");
        check("a | b && c | d", "(a | b) & (c | d)");
        check("(a -> X b) -> c <-> d", "(a -> X b) -> c <-> d");
    }

    #[test]
    fn path_quantifiers_take_brackets() {
        check("A[p until q]", "A (p U q)");
        check("AG EF (p & q)", "A G E F (p & q)");
        check("E [] p", "E G p");
        check("E[ [] p & <> q ]", "E (G p & F q)");
    }

    #[test]
    fn quantifiers_are_formulas_or_parts_of_conditions() {
        check("forall p: Proc. G T[p] -> F C[p]", "(forall p: Proc. G T[p] -> F C[p])");
        check("exists p: Proc do [] <> C[p] end & q", "(exists p: Proc. G F C[p]) & q");
        check("[] exists p: Proc do C[p] & T[p] end", "G exists p: Proc do C[p] & T[p] end");
        check("forall i: 0..3. F a[i]", "(forall i: 0..3. F a[i])");
    }

    #[test]
    fn declared_letters_are_names() {
        let text = parse_text("G = 1 -> F X", |name| name == "G" || name == "X").unwrap();
        assert_eq!(text.notes, [0..1, 11..12]);
        assert_eq!(text.formula.fragment(), crate::formula::Fragment::Linear);
    }

    #[test]
    fn errors_name_the_place() {
        check_error("[] (p -> F q", 12..12, Expected::Symbol(Symbol::Close));
        check_error("p U", 3..3, Expected::Formula);
        check_error("p )", 2..3, Expected::Operator);
        check_error("G G", 3..3, Expected::Formula);
        check_error("forall p G q", 7..8, Expected::Binder);
        check_error("exists p: P do F q", 18..18, Expected::Symbol(Symbol::EndOfBlock));
        check_error("", 0..0, Expected::Formula);
        let deep = "X ".repeat(300) + "p";
        assert_eq!(parse_text(&deep, |_| false).unwrap_err().expected, Expected::Shallower);
    }
}
