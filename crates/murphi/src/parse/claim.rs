//! Temporal formulas: items `ltl "name" …;` and `ctl "name" …;` of a model, and texts of their own beside one.
//!
//! The operators and their precedence are those of `burnside_temporal::grammar`, one for every language. Conditions and
//! binders are read by this parser. What has no temporal operator in it becomes one condition, so that
//! `!isundefined(x) & x = 3` is evaluated as a whole.

use burnside_diag::{Diagnostic, FileId, Span};
use burnside_temporal::formula::{Binary, Formula, Quantity, Unary};
use burnside_temporal::grammar::{Expected, Level, Source, Symbol, parse_prefix};

use super::{Parsed, Parser, Reported};
use crate::ast::{self, BinaryOp, Claim, ClaimKind, Domain, Expr, ExprKind, Quantifier, TypeExpr, TypeKind, UnaryOp};
use crate::codes;
use crate::lex::Token;

type Tree = Formula<Expr, Vec<Quantifier>>;

/// Reads formulas from a text beside the model: one of this kind, or items if no kind is given. Single letters are
/// operators there, unless `is_declared` knows them as names.
pub(crate) fn parse_claims(
    (file, text): (FileId, &str),
    kind: Option<ClaimKind>,
    is_declared: &dyn Fn(&str) -> bool,
) -> (Vec<Claim>, Vec<Diagnostic>) {
    let mut parser = Parser::new(file, text);
    let letters = Letters::Operators(is_declared);
    let mut claims = Vec::new();
    if let Some(kind) = kind {
        let start = parser.span();
        if let Ok(formula) = parser.formula(kind, letters)
            && parser.expect(Token::Eof, "an operator or the end of the formula").is_ok()
        {
            let name = text.split_whitespace().collect::<Vec<_>>().join(" ");
            claims.push(Claim { kind, name: Some(name), formula, span: parser.since(start) });
        }
        return (claims, parser.diagnostics);
    }
    while parser.peek() != Token::Eof {
        if parser.eat(Token::Semicolon) {
            continue;
        }
        let item = if parser.at_claim() { parser.item_with(letters) } else { Err(parser.expected("`ltl` or `ctl`")) };
        match item {
            Ok(claim) => claims.push(claim),
            Err(Reported) => {
                parser.bump();
                while !parser.at_claim() && parser.peek() != Token::Eof {
                    parser.bump();
                }
            }
        }
    }
    (claims, parser.diagnostics)
}

/// Whether `G F X U W R` are operators, and `A E AX …` outside `ctl`.
#[derive(Clone, Copy)]
enum Letters<'d> {
    /// They are names.
    Names,
    /// They are operators, but for declared names.
    Operators(&'d dyn Fn(&str) -> bool),
}

impl Parser<'_> {
    /// Whether a temporal formula starts here: `ltl` and `ctl` are names everywhere else.
    pub(super) fn at_claim(&self) -> bool {
        use Token::*;
        let is_word = self.at_word("ltl") || self.at_word("ctl");
        let begins_formula = match self.nth(1) {
            Text | Ident | OpenParen | Bang | Forall | Exists | True | False | IsUndefined => true,
            // `[]` begins a formula, `ltl[…] := …` is an assignment.
            OpenBracket => self.nth(2) == CloseBracket,
            NotEqual => true,
            _ => false,
        };
        is_word && begins_formula
    }

    pub(super) fn claim(&mut self) -> Parsed<Claim> {
        self.item_with(Letters::Names)
    }

    fn item_with(&mut self, letters: Letters<'_>) -> Parsed<Claim> {
        let start = self.span();
        let kind = if self.at_word("ltl") { ClaimKind::Linear } else { ClaimKind::Branching };
        self.bump();
        let name = self.optional_text();
        let formula = self.formula(kind, letters)?;
        Ok(Claim { kind, name, formula, span: self.since(start) })
    }

    /// `p: Proc.`: elsewhere the stop behind the name of a type would select a field.
    fn stopped_quantifier(&mut self) -> Parsed<Option<Quantifier>> {
        use Token::{Colon, Dot, Ident};
        if [0, 1, 2, 3].map(|ahead| self.nth(ahead)) != [Ident, Colon, Ident, Dot] {
            return Ok(None);
        }
        let name = self.new_name()?;
        self.bump();
        let ty = self.name()?;
        let span = name.span.to(ty.span);
        let ty = TypeExpr { span: ty.span, kind: TypeKind::Named(ty) };
        Ok(Some(Quantifier { name, domain: Domain::Type(ty), span }))
    }

    fn formula(&mut self, kind: ClaimKind, letters: Letters<'_>) -> Parsed<Tree> {
        let mut source = FormulaSource::new(self, kind, letters);
        let formula = parse_prefix(&mut source);
        let notes = std::mem::take(&mut source.notes);
        self.diagnostics.extend(notes);
        match formula {
            Ok(formula) => Ok(whole(formula).into_tree()),
            Err(FormulaError::Reported) => Err(Reported),
            Err(FormulaError::Unexpected(finding)) => {
                self.report(*finding);
                Err(Reported)
            }
        }
    }
}

/// The tokens of a formula as symbols of the grammar, some of which are two tokens.
struct FormulaSource<'p, 'a> {
    parser: &'p mut Parser<'a>,
    /// Each with the number of its first token, ascending.
    symbols: Vec<(Symbol, usize)>,
    notes: Vec<Diagnostic>,
}

impl<'p, 'a> FormulaSource<'p, 'a> {
    fn new(parser: &'p mut Parser<'a>, kind: ClaimKind, letters: Letters<'_>) -> Self {
        let mut source = Self { parser, symbols: Vec::new(), notes: Vec::new() };
        let mut at = source.parser.at;
        // Whether the binder of a quantifier is not over, where semicolons separate variables.
        let mut in_binder = false;
        loop {
            let (symbol, n_tokens) = source.symbol_at(at, kind, letters);
            in_binder = match source.token(at) {
                Token::Forall | Token::Exists => true,
                Token::Do | Token::Dot => false,
                _ => in_binder,
            };
            let symbol = if source.token(at) == Token::Semicolon && !in_binder { Symbol::End } else { symbol };
            source.symbols.push((symbol, at));
            if symbol == Symbol::End {
                return source;
            }
            at += n_tokens;
        }
    }

    fn token(&self, at: usize) -> Token {
        self.parser.tokens[at.min(self.parser.tokens.len() - 1)].token
    }

    /// What begins with a token, and of how many tokens it is.
    fn symbol_at(&mut self, at: usize, kind: ClaimKind, letters: Letters<'_>) -> (Symbol, usize) {
        use Token::{CloseBracket, Equal, EqualEqual, Implies, Less, NotEqual};
        let next = self.token(at + 1);
        let is_adjacent = |source: &Self| {
            let tokens = &source.parser.tokens;
            at + 1 < tokens.len() && tokens[at].span.end == tokens[at + 1].span.start
        };
        let symbol = match self.token(at) {
            Token::OpenBracket if next == CloseBracket => return (Symbol::Unary(Unary::Always), 2),
            Less if next == Implies && is_adjacent(self) => return (Symbol::Binary(Binary::Iff, Level::Lowest), 2),
            NotEqual if self.parser.slice(self.parser.tokens[at].span) == "<>" => Symbol::Unary(Unary::Eventually),
            Token::Bang => Symbol::Unary(Unary::Not),
            Implies => Symbol::Binary(Binary::Implies, Level::Implies),
            Token::BarBar => Symbol::Binary(Binary::Or, Level::LooseOr),
            Token::AmpAmp => Symbol::Binary(Binary::And, Level::LooseAnd),
            Token::Bar => Symbol::Binary(Binary::Or, Level::Or),
            Token::Amp => Symbol::Binary(Binary::And, Level::And),
            Token::True | Token::False if matches!(next, Equal | EqualEqual | NotEqual) => Symbol::Other,
            Token::True => Symbol::Constant(true),
            Token::False => Symbol::Constant(false),
            Token::OpenParen => Symbol::Open,
            Token::CloseParen => Symbol::Close,
            Token::OpenBracket => Symbol::OpenBracket,
            CloseBracket => Symbol::CloseBracket,
            Token::Forall => self.quantifier_at(at, Quantity::Forall),
            Token::Exists => self.quantifier_at(at, Quantity::Exists),
            Token::End | Token::EndForall | Token::EndExists => Symbol::EndOfBlock,
            Token::Ident => self.word_at(at, kind, letters),
            Token::Eof | Token::Rule | Token::Ruleset | Token::Startstate | Token::Invariant => Symbol::End,
            token if token.starts_section() => Symbol::End,
            _ => Symbol::Other,
        };
        (symbol, 1)
    }

    /// A quantifier whose binder is followed by a stop reaches as far as it can; after `do` it ends with `end`.
    fn quantifier_at(&self, at: usize, quantity: Quantity) -> Symbol {
        let after = (at..self.parser.tokens.len()).map(|at| self.token(at));
        match after.into_iter().find(|token| matches!(token, Token::Do | Token::Dot)) {
            Some(Token::Dot) => Symbol::Prefix(quantity),
            _ => Symbol::Block(quantity),
        }
    }

    fn word_at(&mut self, at: usize, kind: ClaimKind, letters: Letters<'_>) -> Symbol {
        let span = self.parser.tokens[at].span;
        let word = self.parser.slice(span);
        if let Some(symbol) = long_word(word) {
            return symbol;
        }
        let Some(symbol) = short_word(word) else { return Symbol::Other };
        let is_path_quantifier = matches!(symbol, Symbol::Both(..) | Symbol::Unary(Unary::AllPaths | Unary::SomePath));
        match letters {
            Letters::Names if is_path_quantifier && kind == ClaimKind::Branching => symbol,
            Letters::Names => Symbol::Other,
            Letters::Operators(is_declared) if is_declared(word) => {
                let message = format!("`{word}` is a name of the model here, not an operator");
                let help = "write operators as words: `[]`, `<>`, `nexttime`, `until`, `weakuntil`, `release`";
                self.notes.push(Diagnostic::note(codes::LETTER_IS_NAME, message, span).help(help));
                Symbol::Other
            }
            Letters::Operators(_) => symbol,
        }
    }

    /// The place of the next token among the symbols.
    fn next(&self) -> usize {
        self.symbols.partition_point(|&(_, at)| at < self.parser.at)
    }
}

/// Why there is no formula.
enum FormulaError {
    Reported,
    /// Not reported yet.
    Unexpected(Box<Diagnostic>),
}

impl From<Reported> for FormulaError {
    fn from(_: Reported) -> Self {
        Self::Reported
    }
}

impl Source for FormulaSource<'_, '_> {
    type Proposition = Expr;
    type Quantifier = Vec<Quantifier>;
    type Error = FormulaError;

    fn symbol(&self, ahead: usize) -> Symbol {
        self.symbols.get(self.next() + ahead).map_or(Symbol::End, |&(symbol, _)| symbol)
    }

    fn advance(&mut self) {
        let after = self.symbols.get(self.next() + 1).map_or(self.parser.at, |&(_, at)| at);
        self.parser.at = after;
    }

    fn proposition(&mut self) -> Result<Expr, FormulaError> {
        Ok(self.parser.comparison()?)
    }

    fn quantifier(&mut self) -> Result<Vec<Quantifier>, FormulaError> {
        self.parser.bump();
        let quantifiers = match self.parser.stopped_quantifier()? {
            Some(quantifier) => vec![quantifier],
            None => self.parser.quantifiers()?,
        };
        if self.parser.eat(Token::Do) || self.parser.eat(Token::Dot) {
            return Ok(quantifiers);
        }
        Err(self.parser.expected("`do` or `.` after the variable of a quantifier").into())
    }

    fn unexpected(&self, expected: Expected) -> FormulaError {
        let what = match expected {
            Expected::Formula => "a formula",
            Expected::Operator => "an operator or the end of the formula",
            Expected::Binder => "a variable and its type",
            Expected::Shallower => "fewer formulas inside one another",
            Expected::Symbol(Symbol::Close) => "`)`",
            Expected::Symbol(Symbol::CloseBracket) => "`]`",
            Expected::Symbol(_) => "`end`",
        };
        let finding = self.parser.expected_message(what);
        FormulaError::Unexpected(Box::new(match expected {
            Expected::Formula | Expected::Operator => finding.help(
                "the operators are `[]` or `always`, `<>` or `eventually`, `nexttime`, `until`, `weakuntil`, `release`, \
                 `! & | -> <->`, and in `ctl` also `A E AX EX AF EF AG EG`",
            ),
            _ => finding,
        }))
    }
}

fn long_word(word: &str) -> Option<Symbol> {
    Some(match word.to_ascii_lowercase().as_str() {
        "always" => Symbol::Unary(Unary::Always),
        "eventually" => Symbol::Unary(Unary::Eventually),
        "nexttime" => Symbol::Unary(Unary::Next),
        "until" => Symbol::Binary(Binary::Until, Level::Until),
        "weakuntil" => Symbol::Binary(Binary::WeakUntil, Level::Until),
        "release" => Symbol::Binary(Binary::Release, Level::Until),
        _ => return None,
    })
}

fn short_word(word: &str) -> Option<Symbol> {
    use Unary::{AllPaths, Always, Eventually, Next, SomePath};
    Some(match word {
        "G" => Symbol::Unary(Always),
        "F" => Symbol::Unary(Eventually),
        "X" => Symbol::Unary(Next),
        "U" => Symbol::Binary(Binary::Until, Level::Until),
        "W" => Symbol::Binary(Binary::WeakUntil, Level::Until),
        "R" => Symbol::Binary(Binary::Release, Level::Until),
        "A" => Symbol::Unary(AllPaths),
        "E" => Symbol::Unary(SomePath),
        "AX" => Symbol::Both(AllPaths, Next),
        "AF" => Symbol::Both(AllPaths, Eventually),
        "AG" => Symbol::Both(AllPaths, Always),
        "EX" => Symbol::Both(SomePath, Next),
        "EF" => Symbol::Both(SomePath, Eventually),
        "EG" => Symbol::Both(SomePath, Always),
        _ => return None,
    })
}

/// A formula, or a condition if there is nothing temporal in it.
enum Piece {
    Condition(Expr),
    Temporal(Tree),
}

impl Piece {
    fn into_tree(self) -> Tree {
        match self {
            Self::Condition(condition) => atom(condition),
            Self::Temporal(tree) => tree,
        }
    }
}

fn atom(condition: Expr) -> Tree {
    match condition.kind {
        ExprKind::Boolean(value) => Formula::Constant(value),
        _ => Formula::Proposition(condition),
    }
}

/// Makes each largest part without temporal operators one condition.
fn whole(tree: Tree) -> Piece {
    use Piece::{Condition, Temporal};
    match tree {
        Formula::Constant(value) => Condition(Expr { kind: ExprKind::Boolean(value), span: Span::NOWHERE }),
        Formula::Proposition(condition) => Condition(condition),
        Formula::Unary(op, f) => match (op, whole(*f)) {
            (Unary::Not, Condition(operand)) => {
                let span = operand.span;
                Condition(Expr { kind: ExprKind::Unary(UnaryOp::Not, Box::new(operand)), span })
            }
            (_, f) => Temporal(Formula::unary(op, f.into_tree())),
        },
        Formula::Binary(op, f, g) => match (operator(op), whole(*f), whole(*g)) {
            (Some(op), Condition(f), Condition(g)) => {
                let span = join(f.span, g.span);
                Condition(Expr { kind: ExprKind::Binary(op, Box::new(f), Box::new(g)), span })
            }
            (_, f, g) => Temporal(Formula::binary(op, f.into_tree(), g.into_tree())),
        },
        Formula::Quantified(quantity, binder, f) => match whole(*f) {
            Condition(body) => {
                let span = binder.first().map_or(body.span, |first| first.span.to(body.span));
                let quantity = match quantity {
                    Quantity::Forall => ast::Quantity::All,
                    Quantity::Exists => ast::Quantity::Some,
                };
                Condition(Expr { kind: ExprKind::Quantified(quantity, binder, Box::new(body)), span })
            }
            Temporal(body) => Temporal(Formula::Quantified(quantity, binder, Box::new(body))),
        },
    }
}

/// The span of both; constants have none.
fn join(left: Span, right: Span) -> Span {
    match (left == Span::NOWHERE, right == Span::NOWHERE) {
        (true, _) => right,
        (_, true) => left,
        _ => left.to(right),
    }
}

/// The operator of conditions that means the same.
fn operator(op: Binary) -> Option<BinaryOp> {
    Some(match op {
        Binary::And => BinaryOp::And,
        Binary::Or => BinaryOp::Or,
        Binary::Implies => BinaryOp::Implies,
        Binary::Iff => BinaryOp::Equal,
        Binary::Until | Binary::WeakUntil | Binary::Release => return None,
    })
}
