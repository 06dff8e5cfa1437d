//! The words of the text form that printer and parser share.

use burnside_temporal::formula::{Binary, Quantity, Unary};

use crate::{BinaryOp, PropertyKind, Quantifier, SortKind, UnaryOp};

/// The words for the members of a small enumeration.
pub(super) trait Worded: Copy + 'static {
    /// Every member.
    const ALL: &'static [Self];

    /// How it is written.
    fn word(self) -> &'static str;

    /// The member written so.
    fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|member| member.word() == word)
    }
}

impl Worded for SortKind {
    const ALL: &'static [Self] = &[Self::Full, Self::Ring, Self::Plain];

    fn word(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Ring => "ring",
            Self::Plain => "plain",
        }
    }
}

impl Worded for PropertyKind {
    const ALL: &'static [Self] = &[
        Self::Invariant,
        Self::Assumption,
        Self::Cover,
        Self::CoverPoint,
        Self::Liveness,
        Self::Passing,
        Self::Ending,
        Self::Linear,
        Self::Branching,
        Self::Never,
        Self::Acceptance,
        Self::NonProgress,
        Self::Proposition,
    ];

    fn word(self) -> &'static str {
        match self {
            Self::Invariant => "invariant",
            Self::Assumption => "assumption",
            Self::Cover => "cover",
            Self::CoverPoint => "cover-point",
            Self::Liveness => "liveness",
            Self::Passing => "passing",
            Self::Ending => "ending",
            Self::Linear => "linear",
            Self::Branching => "branching",
            Self::Never => "never",
            Self::Acceptance => "acceptance",
            Self::NonProgress => "non-progress",
            Self::Proposition => "proposition",
        }
    }
}

impl Worded for Unary {
    const ALL: &'static [Self] =
        &[Self::Not, Self::Next, Self::Always, Self::Eventually, Self::AllPaths, Self::SomePath];

    fn word(self) -> &'static str {
        match self {
            Self::Not => "not",
            Self::Next => "next",
            Self::Always => "always",
            Self::Eventually => "eventually",
            Self::AllPaths => "all-paths",
            Self::SomePath => "some-path",
        }
    }
}

impl Worded for Binary {
    const ALL: &'static [Self] =
        &[Self::And, Self::Or, Self::Implies, Self::Iff, Self::Until, Self::WeakUntil, Self::Release];

    fn word(self) -> &'static str {
        match self {
            Self::And => "and",
            Self::Or => "or",
            Self::Implies => "implies",
            Self::Iff => "iff",
            Self::Until => "until",
            Self::WeakUntil => "weak-until",
            Self::Release => "release",
        }
    }
}

impl Worded for Quantity {
    const ALL: &'static [Self] = &[Self::Forall, Self::Exists];

    fn word(self) -> &'static str {
        match self {
            Self::Forall => "forall",
            Self::Exists => "exists",
        }
    }
}

impl Worded for Quantifier {
    const ALL: &'static [Self] = &[Self::Forall, Self::Exists];

    fn word(self) -> &'static str {
        match self {
            Self::Forall => "forall",
            Self::Exists => "exists",
        }
    }
}

impl Worded for UnaryOp {
    const ALL: &'static [Self] = &[Self::Not, Self::Neg, Self::BitNot];

    fn word(self) -> &'static str {
        match self {
            Self::Not => "not",
            Self::Neg => "neg",
            Self::BitNot => "bit-not",
        }
    }
}

impl Worded for BinaryOp {
    const ALL: &'static [Self] = &Self::ALL;

    fn word(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Sub => "-",
            Self::Mul => "*",
            Self::Div => "/",
            Self::Rem => "%",
            Self::BitAnd => "bit-and",
            Self::BitOr => "bit-or",
            Self::BitXor => "bit-xor",
            Self::Shl => "<<",
            Self::Shr => ">>",
            Self::Eq => "=",
            Self::Ne => "!=",
            Self::Lt => "<",
            Self::Le => "<=",
            Self::Gt => ">",
            Self::Ge => ">=",
            Self::And => "and",
            Self::Or => "or",
            Self::Implies => "implies",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operator_is_read_back() {
        for op in BinaryOp::ALL {
            assert_eq!(BinaryOp::from_word(op.word()), Some(op));
        }
    }
}
