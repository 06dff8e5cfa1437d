//! Claims about whole executions: formulas of temporal logic over conditions of the model.

use burnside_diag::Span;
use burnside_temporal::formula::Formula;

use crate::{PropertyId, TypeId};

pub use burnside_temporal::formula::Quantity;

/// The formula of a temporal property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The property: its name, its place, and whether it is about paths ([`Linear`](crate::PropertyKind::Linear)) or
    /// about states ([`Branching`](crate::PropertyKind::Branching)).
    pub property: PropertyId,
    /// What quantifiers in the formula bind. No two of them bind the same.
    pub variables: Vec<ClaimVariable>,
    /// What is claimed.
    pub formula: ClaimFormula,
}

/// A variable of a formula: all values of its type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimVariable {
    /// Its name.
    pub name: String,
    /// Its type, a scalar one with finitely many values.
    pub ty: TypeId,
    /// Where it is bound.
    pub span: Span,
}

/// A formula over conditions; quantifiers bind variables by number.
pub type ClaimFormula = Formula<Applied, u32>;

/// A condition applied to variables.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Applied {
    /// A property of kind [`Proposition`](crate::PropertyKind::Proposition).
    pub condition: PropertyId,
    /// For each of its parameters, the number of a variable of the same type.
    pub arguments: Vec<u32>,
}

impl Claim {
    /// Calls `visit` with every condition, from left to right.
    pub fn for_each_condition<'a>(&'a self, mut visit: impl FnMut(&'a Applied)) {
        self.formula.for_each_proposition(&mut visit);
    }
}
