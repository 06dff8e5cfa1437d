//! One grammar of temporal operators for every language.
//!
//! In a model's text temporal operators mix with the language's own `! & | -> forall exists`, and only the language's
//! front end can read a condition such as `loc[p] = Trying`. So the grammar is a Pratt parser over a [`Source`]: the
//! front end says of each of its tokens which [`Symbol`] it is, and reads a condition or a quantifier's binder itself when
//! asked to. [`text`] is the source for strings of the command line, where both stay pieces of text with their places.
//!
//! From loose to tight: `<->`, `->`, `||`, `&&`, `|`, `&`, `until weakuntil release`, then `!`, the other temporal
//! operators and path quantifiers; conditions bind tightest, so `! a = b` denies `a = b`. Everything groups to the right.
//! `||` and `&&` are looser than `|` and `&` as in Murphi; a language without the difference gives one level for both.
//!
//! *What begins with a parenthesis* may be a condition, `(a + b) = 3`, or a formula, `([] p) -> q`. The parser looks ahead
//! to the closing one: with a temporal operator inside, it is a formula; without, a condition begins. The same is done for
//! `forall … do … end`. Nothing is read twice, so errors are those of the reading that was meant.

pub mod text;

use crate::formula::{Binary, Formula, Quantity, Unary};

/// How tightly an operator binds; later ones bind tighter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// `<->`, and where any formula may stand.
    Lowest,
    /// `->`
    Implies,
    /// `||`
    LooseOr,
    /// `&&`
    LooseAnd,
    /// `|`
    Or,
    /// `&`
    And,
    /// `until`, `weakuntil`, `release`
    Until,
    /// Operators on one formula.
    Unary,
}

impl Level {
    /// The next tighter level.
    pub(crate) fn tighter(self) -> Self {
        match self {
            Level::Lowest => Level::Implies,
            Level::Implies => Level::LooseOr,
            Level::LooseOr => Level::LooseAnd,
            Level::LooseAnd => Level::Or,
            Level::Or => Level::And,
            Level::And => Level::Until,
            Level::Until | Level::Unary => Level::Unary,
        }
    }
}

/// The level of an operator in a language with one kind of `and` and `or`.
pub fn level_of(op: Binary) -> Level {
    match op {
        Binary::Iff => Level::Lowest,
        Binary::Implies => Level::Implies,
        Binary::Or => Level::Or,
        Binary::And => Level::And,
        Binary::Until | Binary::WeakUntil | Binary::Release => Level::Until,
    }
}

/// What a token is to the grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symbol {
    /// An operator before its operand.
    Unary(Unary),
    /// A path quantifier and a temporal operator in one word, as `AG`.
    Both(Unary, Unary),
    /// An operator between its operands.
    Binary(Binary, Level),
    /// `true` or `false`.
    Constant(bool),
    /// `(`
    Open,
    /// `)`
    Close,
    /// `[`, which begins a formula after a path quantifier only.
    OpenBracket,
    /// `]`
    CloseBracket,
    /// The first word of a quantifier whose body reaches as far as it can: `forall p: Proc. f`.
    Prefix(Quantity),
    /// The first word of a quantifier whose body ends with a word: `forall p: Proc do f end`.
    Block(Quantity),
    /// That word.
    EndOfBlock,
    /// A token of a condition.
    Other,
    /// No token is left.
    End,
}

impl Symbol {
    /// Whether no condition has such a token.
    fn is_temporal(self) -> bool {
        match self {
            Symbol::Unary(op) => op.is_temporal() || op.is_path_quantifier(),
            // Conditions compare truth values with `=` or `==`.
            Symbol::Binary(op, _) => op.is_temporal() || op == Binary::Iff,
            Symbol::Both(..) | Symbol::Prefix(_) => true,
            _ => false,
        }
    }
}

/// What was expected where something else stood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// A formula.
    Formula,
    /// An operator between two formulas, or the end.
    Operator,
    /// This symbol.
    Symbol(Symbol),
    /// The binder of a quantifier, with what separates it from the body.
    Binder,
    /// Fewer formulas inside one another.
    Shallower,
}

/// The tokens of a formula in some language, with the front end's readings of conditions and binders.
pub trait Source {
    /// What a condition becomes.
    type Proposition;
    /// What the binder of a quantifier becomes.
    type Quantifier;
    /// What a syntax error becomes.
    type Error;

    /// The token that comes after `ahead` others.
    fn symbol(&self, ahead: usize) -> Symbol;
    /// Leaves the next token behind.
    fn advance(&mut self);
    /// Reads a condition that binds tighter than `!`, from the next token on.
    ///
    /// # Errors
    /// If there is none.
    fn proposition(&mut self) -> Result<Self::Proposition, Self::Error>;
    /// Reads a quantifier's first word, binder and the word or sign before its body.
    ///
    /// # Errors
    /// If that is not what comes next.
    fn quantifier(&mut self) -> Result<Self::Quantifier, Self::Error>;
    /// The error that the next token is not what was expected.
    fn unexpected(&self, expected: Expected) -> Self::Error;
}

/// The formula of a source.
pub type ParsedFormula<S> = Formula<<S as Source>::Proposition, <S as Source>::Quantifier>;

type Parsed<S> = Result<ParsedFormula<S>, <S as Source>::Error>;

/// How deep formulas may lie inside one another: far beyond what anybody reads, and safe for the stack.
const DEPTH: usize = 256;

/// Reads one formula that ends where the source does.
///
/// # Errors
/// The first syntax error.
pub fn parse<S: Source>(source: &mut S) -> Parsed<S> {
    let formula = parse_prefix(source)?;
    match source.symbol(0) {
        Symbol::End => Ok(formula),
        _ => Err(source.unexpected(Expected::Operator)),
    }
}

/// Reads one formula as far as it goes and leaves the rest to the caller.
///
/// # Errors
/// The first syntax error.
pub fn parse_prefix<S: Source>(source: &mut S) -> Parsed<S> {
    Parser { source, depth: 0 }.formula(Level::Lowest)
}

struct Parser<'a, S> {
    source: &'a mut S,
    depth: usize,
}

impl<S: Source> Parser<'_, S> {
    /// A formula whose outermost operators bind at least as tightly as `least`.
    fn formula(&mut self, least: Level) -> Parsed<S> {
        if self.depth == DEPTH {
            return Err(self.source.unexpected(Expected::Shallower));
        }
        self.depth += 1;
        let mut left = self.operand()?;
        while let Symbol::Binary(op, level) = self.source.symbol(0)
            && level >= least
        {
            self.source.advance();
            left = Formula::binary(op, left, self.formula(level)?);
        }
        self.depth -= 1;
        Ok(left)
    }

    fn operand(&mut self) -> Parsed<S> {
        match self.source.symbol(0) {
            Symbol::Unary(op) => {
                self.source.advance();
                if op.is_path_quantifier() && self.source.symbol(0) == Symbol::OpenBracket {
                    let f = self.group(Symbol::CloseBracket)?;
                    return Ok(Formula::unary(op, f));
                }
                Ok(Formula::unary(op, self.formula(Level::Unary)?))
            }
            Symbol::Both(path, op) => {
                self.source.advance();
                Ok(Formula::unary(path, Formula::unary(op, self.formula(Level::Unary)?)))
            }
            Symbol::Constant(value) => {
                self.source.advance();
                Ok(Formula::Constant(value))
            }
            Symbol::Open if self.is_temporal_up_to(Symbol::Close) => self.group(Symbol::Close),
            Symbol::Prefix(quantity) => self.quantified(quantity, None),
            Symbol::Block(quantity) if self.is_temporal_up_to(Symbol::EndOfBlock) => {
                self.quantified(quantity, Some(Symbol::EndOfBlock))
            }
            Symbol::Other | Symbol::Open | Symbol::Block(_) => Ok(Formula::Proposition(self.source.proposition()?)),
            _ => Err(self.source.unexpected(Expected::Formula)),
        }
    }

    /// A formula in parentheses or brackets.
    fn group(&mut self, close: Symbol) -> Parsed<S> {
        self.source.advance();
        let f = self.formula(Level::Lowest)?;
        self.close(close)?;
        Ok(f)
    }

    fn quantified(&mut self, quantity: Quantity, end: Option<Symbol>) -> Parsed<S> {
        let binder = self.source.quantifier()?;
        let body = self.formula(Level::Lowest)?;
        if let Some(end) = end {
            self.close(end)?;
        }
        Ok(Formula::Quantified(quantity, binder, Box::new(body)))
    }

    fn close(&mut self, symbol: Symbol) -> Result<(), S::Error> {
        if self.source.symbol(0) != symbol {
            return Err(self.source.unexpected(Expected::Symbol(symbol)));
        }
        self.source.advance();
        Ok(())
    }

    /// Whether a temporal operator comes before the token that closes what the next token opens.
    fn is_temporal_up_to(&self, close: Symbol) -> bool {
        let is_open = |symbol| match close {
            Symbol::Close => symbol == Symbol::Open,
            _ => matches!(symbol, Symbol::Block(_)),
        };
        let mut depth = 0_usize;
        for ahead in 0.. {
            match self.source.symbol(ahead) {
                Symbol::End => return false,
                symbol if symbol.is_temporal() => return true,
                symbol if is_open(symbol) => depth += 1,
                symbol if symbol == close => {
                    depth -= 1;
                    if depth == 0 {
                        return false;
                    }
                }
                _ => {}
            }
        }
        false
    }
}
