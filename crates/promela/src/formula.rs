//! Temporal formulas: linear temporal logic over state expressions.

use crate::typed::Expr;

/// A formula. SPIN checks that no run violates it.
#[derive(Debug, Clone)]
#[allow(missing_docs, reason = "the names are those of the operators")]
pub enum Formula {
    /// A condition on one state.
    State(Expr),
    Not(Box<Formula>),
    And(Box<Formula>, Box<Formula>),
    Or(Box<Formula>, Box<Formula>),
    Implies(Box<Formula>, Box<Formula>),
    Equivalent(Box<Formula>, Box<Formula>),
    Always(Box<Formula>),
    Eventually(Box<Formula>),
    Next(Box<Formula>),
    /// The second comes true, and the first holds until then.
    Until(Box<Formula>, Box<Formula>),
    /// The second holds up to and including where the first does, or for ever.
    Release(Box<Formula>, Box<Formula>),
    /// The first holds until the second does, or for ever.
    WeakUntil(Box<Formula>, Box<Formula>),
}

impl Formula {
    /// Whether `X` occurs: such a formula may tell runs apart that differ only in stuttering.
    pub fn uses_next(&self) -> bool {
        match self {
            Self::State(_) => false,
            Self::Next(_) => true,
            Self::Not(inner) | Self::Always(inner) | Self::Eventually(inner) => inner.uses_next(),
            Self::And(a, b)
            | Self::Or(a, b)
            | Self::Implies(a, b)
            | Self::Equivalent(a, b)
            | Self::Until(a, b)
            | Self::Release(a, b)
            | Self::WeakUntil(a, b) => a.uses_next() || b.uses_next(),
        }
    }
}
