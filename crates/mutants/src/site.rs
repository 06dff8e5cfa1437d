//! A place in a source file at which something can be changed.

use std::ops::Range;

/// What is changed, and into what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    /// A comparison: the operator, what calls stand for it, and what it becomes.
    Compare { operator: &'static str, call: &'static str, into: &'static [&'static str] },
    /// `&&` or `||` becomes the other.
    Connect { is_and: bool },
    /// `!` is taken away.
    Negation,
    /// `+` or `-` becomes the other.
    Sum { is_add: bool },
    /// `+=` or `-=` becomes the other.
    SumAssign { is_add: bool },
    /// A whole number is one more, or one less.
    Integer,
    /// A condition is negated.
    Condition,
    /// The guard of a match arm is true, or false.
    Guard,
    /// A statement is left out.
    Statement,
    /// A function returns these values at once.
    Return(&'static [&'static str]),
}

impl Change {
    /// The mutants of one place, in words.
    pub(crate) fn variants(self) -> Vec<String> {
        let arrow = |from: &str, to: &str| vec![format!("`{from}` to `{to}`")];
        match self {
            Self::Compare { operator, into, .. } => into.iter().map(|it| format!("`{operator}` to `{it}`")).collect(),
            Self::Connect { is_and: true } => arrow("&&", "||"),
            Self::Connect { is_and: false } => arrow("||", "&&"),
            Self::Negation => vec!["`!` removed".to_owned()],
            Self::Sum { is_add: true } => arrow("+", "-"),
            Self::Sum { is_add: false } => arrow("-", "+"),
            Self::SumAssign { is_add: true } => arrow("+=", "-="),
            Self::SumAssign { is_add: false } => arrow("-=", "+="),
            Self::Integer => vec!["one more".to_owned(), "one less".to_owned()],
            Self::Condition => vec!["condition negated".to_owned()],
            Self::Guard => vec!["guard `true`".to_owned(), "guard `false`".to_owned()],
            Self::Statement => vec!["statement removed".to_owned()],
            Self::Return(values) => values.iter().map(|it| format!("returns {it}")).collect(),
        }
    }
}

/// Where it is.
#[derive(Debug, Clone)]
pub(crate) struct Site {
    pub(crate) change: Change,
    /// What is replaced or wrapped, in bytes; for functions, the empty range behind the opening brace.
    pub(crate) range: Range<usize>,
    /// The operator between the operands, if there is one.
    pub(crate) operator: Option<Range<usize>>,
    /// From 1.
    pub(crate) line: usize,
    /// The function it stands in, with the type it belongs to.
    pub(crate) function: String,
}
