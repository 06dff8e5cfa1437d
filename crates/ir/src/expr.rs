//! Expressions and places.
//!
//! An [`Expr`] is always scalar and always defined: evaluating one either gives a value or faults, and changes nothing.
//! Functions that change something are called by statements alone (the verifier holds to it), so that no order, and no
//! short cut, of evaluation makes a difference but for the fault that is met. Aggregates, and scalars that may be
//! undefined, are reached through a [`Place`] and moved by an [`Operand`].

use burnside_diag::Span;

use crate::{FunctionId, GlobalId, LocalId, Type, TypeId, Types};

/// How deep expressions, statements and calls may lie in each other. The text form and the verifier hold to it, so that
/// recursion over a verified model fits any thread's stack.
pub const MAX_DEPTH: usize = 500;

/// A scalar expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expr {
    /// What it computes.
    pub kind: ExprKind,
    /// The scalar type of its value.
    pub ty: TypeId,
    /// Where it stands in the model's text.
    pub span: Span,
}

/// The forms of an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExprKind {
    /// A value of the expression's type.
    Const(i64),
    /// The value stored at a scalar place; a fault if it is undefined.
    Read(Box<Place>),
    /// Whether a scalar place is undefined.
    IsUndefined(Box<Place>),
    /// An operator on one value.
    Unary(UnaryOp, Box<Expr>),
    /// An operator on two values, left before right; `And`, `Or` and `Implies` leave the right one out if they can.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// Whether two aggregates of one structure are equal slot by slot, undefined being equal to itself.
    SameAggregate(Box<Place>, Box<Place>),
    /// The second if the first is true, else the third; the other one is not evaluated.
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// The same value as the expression's type: a member of a union as the union, a union value as a member (a fault
    /// if it is of another), an identity or enumeration value as its ordinal, an integer as a narrower type (a fault
    /// if it does not fit).
    Convert(Box<Expr>),
    /// Whether the union value at a place is of the given member type; false if undefined.
    IsMember(Box<Place>, TypeId),
    /// Whether the body holds for all or for some values of a domain; stops at the first that decides.
    Quantified(Quantifier, LocalId, Box<Domain>, Box<Expr>),
    /// How many present elements of a multiset satisfy the condition; the local names the element looked at.
    Count(LocalId, Box<Place>, Box<Expr>),
    /// The position, counted from 0, of the element that a slot local names. Multisets are kept in an order of values,
    /// names of identities included, so this depends on all of them.
    SlotNumber(LocalId),
    /// The result of a function that changes nothing; a fault if it is undefined.
    Call(Box<Call>),
}

/// Operators on one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// Logical negation.
    Not,
    /// Arithmetic negation.
    Neg,
    /// Bitwise complement.
    BitNot,
}

/// Operators on two values. Arithmetic is on 64-bit integers; leaving them is a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Quotient, rounded toward zero; a fault for divisor zero.
    Div,
    /// Remainder with the dividend's sign; a fault for divisor zero.
    Rem,
    /// Bitwise and.
    BitAnd,
    /// Bitwise or.
    BitOr,
    /// Bitwise exclusive or.
    BitXor,
    /// Shift left; a negative distance shifts right.
    Shl,
    /// Arithmetic shift right; a negative distance shifts left.
    Shr,
    /// Equality of values of one type (or of integers).
    Eq,
    /// Inequality.
    Ne,
    /// Less.
    Lt,
    /// At most.
    Le,
    /// Greater.
    Gt,
    /// At least.
    Ge,
    /// Conjunction, left to right, short-circuit.
    And,
    /// Disjunction, left to right, short-circuit.
    Or,
    /// Implication, left to right, short-circuit.
    Implies,
}

/// Which quantifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Quantifier {
    /// For all.
    Forall,
    /// For some.
    Exists,
}

/// What a bound variable ranges over, in ascending order of evaluation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Domain {
    /// All values of a scalar type.
    Type(TypeId),
    /// `from`, `from + step`, … up to (or, for a negative step, down to) and including `to`; empty if `to` lies behind.
    Range {
        /// First value.
        from: Expr,
        /// Bound on the last value.
        to: Expr,
        /// Distance of consecutive values, not zero.
        step: i64,
    },
    /// The elements present in a multiset when iteration starts; the local is a slot local.
    Slots(Place),
}

/// Something with a location: a variable or a part of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The whole.
    pub base: PlaceBase,
    /// The way from the whole to the part.
    pub path: Vec<Projection>,
    /// The type of the part.
    pub ty: TypeId,
    /// Where it stands in the model's text.
    pub span: Span,
}

/// Where a place starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlaceBase {
    /// A global variable.
    Global(GlobalId),
    /// A local variable, or what a reference local refers to.
    Local(LocalId),
    /// The result of a call that changes nothing; it can be read but not written.
    Call(Box<Call>),
}

/// One step from a whole to a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Projection {
    /// Field of a record, by number.
    Field(u32),
    /// Element of an array; a fault if the index is not a value of the index type.
    Index(Box<Expr>),
    /// The element of a multiset that a slot local names; a fault if it is not there any more. The multiset is the one
    /// that the local's binder goes through.
    Element(LocalId),
    /// Element of a multiset by position; a fault if none is present there. See [`ExprKind::SlotNumber`].
    Numbered(Box<Expr>),
}

/// A value to be stored, passed or returned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operand {
    /// A defined scalar.
    Value(Expr),
    /// A scalar or aggregate as it is, undefined parts included.
    Copy(Place),
    /// No value at all.
    Undefined,
}

/// An argument of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Arg {
    /// Passed by value: the callee has its own copy.
    Value(Operand),
    /// Passed by reference: the callee reads and writes the caller's place.
    Reference(Place),
}

/// A call of a function or procedure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The callee.
    pub function: FunctionId,
    /// One argument per parameter.
    pub args: Vec<Arg>,
    /// Where the call stands in the model's text.
    pub span: Span,
}

impl Expr {
    /// A constant.
    pub fn constant(ty: TypeId, value: i64, span: Span) -> Self {
        Self { kind: ExprKind::Const(value), ty, span }
    }

    /// A truth value.
    pub fn boolean(value: bool, span: Span) -> Self {
        Self::constant(TypeId::BOOL, i64::from(value), span)
    }

    /// The value at a scalar place.
    pub fn read(place: Place) -> Self {
        Self { ty: place.ty, span: place.span, kind: ExprKind::Read(Box::new(place)) }
    }

    /// The constant's value, if this is one.
    pub fn as_const(&self) -> Option<i64> {
        match self.kind {
            ExprKind::Const(value) => Some(value),
            _ => None,
        }
    }
}

impl Place {
    /// A whole global variable.
    pub fn global(global: GlobalId, ty: TypeId, span: Span) -> Self {
        Self { base: PlaceBase::Global(global), path: Vec::new(), ty, span }
    }

    /// A whole local variable.
    pub fn local(local: LocalId, ty: TypeId, span: Span) -> Self {
        Self { base: PlaceBase::Local(local), path: Vec::new(), ty, span }
    }
}

impl Projection {
    /// The type of the part that this step leads to from a whole of type `whole`, if there is such a part.
    pub fn part_type(&self, types: &Types, whole: TypeId) -> Option<TypeId> {
        match (self, &types.try_def(whole)?.ty) {
            (Self::Field(field), Type::Record { fields }) => fields.get(*field as usize).map(|field| field.ty),
            (Self::Index(_), Type::Array { element, .. }) => Some(*element),
            (Self::Element(_) | Self::Numbered(_), Type::Multiset { element, .. }) => Some(*element),
            (Self::Field(_) | Self::Index(_) | Self::Element(_) | Self::Numbered(_), _) => None,
        }
    }
}

impl BinaryOp {
    /// All operators, in the order of declaration.
    pub const ALL: [Self; 19] = [
        Self::Add,
        Self::Sub,
        Self::Mul,
        Self::Div,
        Self::Rem,
        Self::BitAnd,
        Self::BitOr,
        Self::BitXor,
        Self::Shl,
        Self::Shr,
        Self::Eq,
        Self::Ne,
        Self::Lt,
        Self::Le,
        Self::Gt,
        Self::Ge,
        Self::And,
        Self::Or,
        Self::Implies,
    ];

    /// Whether the result is a truth value.
    pub fn is_predicate(self) -> bool {
        self.is_comparison() || self.is_logical()
    }

    /// Whether this compares two values.
    pub fn is_comparison(self) -> bool {
        matches!(self, Self::Eq | Self::Ne | Self::Lt | Self::Le | Self::Gt | Self::Ge)
    }

    /// Whether this combines two truth values.
    pub fn is_logical(self) -> bool {
        matches!(self, Self::And | Self::Or | Self::Implies)
    }
}
