//! A model's own run-time errors.

use std::fmt;

use burnside_diag::Span;

/// What a model did wrong while it ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Which rule of the language was broken.
    pub kind: FaultKind,
    /// Where in the model's text.
    pub span: Span,
    /// One line for people: lower case, names in backticks.
    pub message: String,
}

/// The kinds of run-time errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FaultKind {
    /// A value was needed where there is none.
    UndefinedRead,
    /// A value does not fit the type it is stored as, passed to or returned from.
    ValueOutOfRange,
    /// An array was indexed outside its index type.
    IndexOutOfRange,
    /// Division or remainder by zero.
    DivisionByZero,
    /// An intermediate result left the 64-bit integers.
    Overflow,
    /// A `while` loop took more rounds than allowed.
    LoopLimit,
    /// Calls were nested deeper than allowed.
    CallLimit,
    /// An assertion does not hold.
    Assertion,
    /// An error statement was reached.
    Error,
    /// A function ended without a result.
    NoResult,
    /// An element was added to a full multiset.
    MultisetFull,
    /// A multiset slot was used that holds no element.
    EmptySlot,
}

impl FaultKind {
    /// The stable name used in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::UndefinedRead => "undefined-read",
            Self::ValueOutOfRange => "value-out-of-range",
            Self::IndexOutOfRange => "index-out-of-range",
            Self::DivisionByZero => "division-by-zero",
            Self::Overflow => "overflow",
            Self::LoopLimit => "loop-limit",
            Self::CallLimit => "call-limit",
            Self::Assertion => "assertion",
            Self::Error => "error",
            Self::NoResult => "no-result",
            Self::MultisetFull => "multiset-full",
            Self::EmptySlot => "empty-slot",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
