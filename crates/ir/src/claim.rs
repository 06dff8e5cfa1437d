//! Claims about whole executions: formulas of temporal logic and automata over conditions of the model.

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

/// A Büchi automaton that no fair execution may be accepted by, started in state 0.
///
/// It reads an execution state by state: an edge may be taken in a state that satisfies its literals. An execution is
/// accepted if some run takes accepting edges again and again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Automaton {
    /// The property: its name and its place.
    pub property: PropertyId,
    /// The edges of each state.
    pub states: Vec<Vec<AutomatonEdge>>,
}

/// An edge of an [`Automaton`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AutomatonEdge {
    /// What must be so where it is taken.
    pub when: Vec<Literal>,
    /// The state it leads to.
    pub target: u32,
    /// Whether it is one of those that are to be taken again and again.
    pub accepting: bool,
}

/// A condition or its negation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Literal {
    /// What is looked at.
    pub what: Condition,
    /// Whether it must hold, or must not.
    pub holds: bool,
}

/// What an automaton looks at in a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Condition {
    /// A property of kind [`Proposition`](crate::PropertyKind::Proposition) without parameters.
    Property(PropertyId),
    /// No rule is enabled: the execution has ended, and the state stays for ever.
    Ended,
}

impl Automaton {
    /// Calls `visit` with the condition of every literal, in order.
    pub fn for_each_condition(&self, mut visit: impl FnMut(Condition)) {
        let literals = self.states.iter().flatten().flat_map(|edge| &edge.when);
        literals.for_each(|literal| visit(literal.what));
    }
}
