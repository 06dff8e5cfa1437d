//! Statements: what a rule, start state or function does.

use burnside_diag::Span;

use crate::{Call, Domain, Expr, LocalId, Operand, Place, PropertyId};

/// Statements executed one after another.
pub type Block = Vec<Stmt>;

/// A statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// Where it stands in the model's text.
    pub span: Span,
}

/// The forms of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StmtKind {
    /// Stores a value; a fault if a defined scalar is not admitted by the target's type.
    Assign {
        /// Where to.
        target: Place,
        /// What.
        source: Operand,
    },
    /// Sets every scalar to the least value of its type and empties every multiset.
    Clear(Place),
    /// Makes a reference local refer to a place; indices are evaluated now.
    Bind {
        /// A local with mode [`Reference`](crate::LocalMode::Reference).
        local: LocalId,
        /// What it refers to from now on.
        place: Place,
    },
    /// The block of the first arm whose condition is true, else the last one.
    If {
        /// Conditions and blocks in order.
        arms: Vec<(Expr, Block)>,
        /// What happens when none is true.
        otherwise: Block,
    },
    /// Repeats while the condition is true; a fault past the loop limit.
    While {
        /// Evaluated before each round.
        condition: Expr,
        /// One round.
        body: Block,
    },
    /// One round for each value of the domain; assigning the local does not change the iteration.
    For {
        /// The bound variable.
        local: LocalId,
        /// What it ranges over; evaluated once.
        domain: Domain,
        /// One round.
        body: Block,
    },
    /// Calls a function or procedure.
    Call {
        /// The call.
        call: Call,
        /// An owned local that takes the result as it is, undefined parts included; without one the result is dropped.
        result: Option<LocalId>,
    },
    /// A fault unless the condition is true.
    Assert {
        /// What must hold.
        condition: Expr,
        /// What to say if it does not.
        message: String,
    },
    /// Drops the whole step unless the condition is true.
    Assume(Expr),
    /// Marks a cover point as reached if the condition is true.
    Cover {
        /// A property of kind [`CoverPoint`](crate::PropertyKind::CoverPoint).
        property: PropertyId,
        /// When it counts.
        condition: Expr,
    },
    /// Always a fault.
    Error(String),
    /// Output for a person who follows an execution; no effect on the state.
    Put(Vec<PutItem>),
    /// Leaves the rule, start state or function.
    Return(Option<Operand>),
    /// Puts an element into a free slot of a multiset; a fault if there is none.
    Insert {
        /// The multiset.
        multiset: Place,
        /// The element.
        element: Operand,
    },
    /// Takes an element out of its multiset; a fault if it is not there. The last step of the place leads to it.
    Remove(Place),
    /// Takes out all elements that satisfy a condition, one after the other in the order of their positions.
    RemoveWhere {
        /// The multiset.
        multiset: Place,
        /// The slot local that names the element in the condition.
        local: LocalId,
        /// Which elements go.
        condition: Expr,
    },
}

/// A piece of output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PutItem {
    /// Literal text.
    Text(String),
    /// The value of an expression.
    Value(Expr),
    /// The contents of a place, with names.
    Place(Place),
}
