//! What can be wrong with a model.

use std::fmt;

use burnside_diag::Span;

use crate::{FunctionId, GlobalId, LocalId, Owner, PropertyId, RuleId, SortId, StartId, TypeId};

/// One thing that is wrong with a model: a mistake of whatever made the model, not of its author.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Defect {
    /// The declaration it is in.
    pub subject: Subject,
    /// What is wrong.
    pub kind: DefectKind,
    /// The nearest place in the source.
    pub span: Span,
}

/// A declaration of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Subject {
    /// The model as a whole.
    Model,
    /// A sort.
    Sort(SortId),
    /// A type.
    Type(TypeId),
    /// A global variable.
    Global(GlobalId),
    /// A function.
    Function(FunctionId),
    /// A start state.
    Start(StartId),
    /// A rule.
    Rule(RuleId),
    /// A property.
    Property(PropertyId),
}

/// The table that an id points into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Table {
    /// The types of the model.
    Types,
    /// Its global variables.
    Globals,
    /// The locals of the declaration.
    Locals,
    /// The functions of the model.
    Functions,
    /// Its properties.
    Properties,
    /// The variables of a formula that are in scope.
    Variables,
    /// States of automata.
    AutomatonStates,
}

/// What is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum DefectKind {
    /// An id points past the end of its table.
    NoSuch(Table, u32),
    /// Something nests deeper than [`MAX_DEPTH`](crate::MAX_DEPTH).
    TooDeep,
    /// There is no start state.
    NoStart,

    /// A type or sort has no values.
    NoValues,
    /// A range holds the number that stands for "undefined".
    ReservedValue,
    /// A member of a union is neither an enumeration nor an identity type, or occurs twice.
    UnionMember(TypeId),
    /// An index type is not a scalar with finitely many values.
    IndexType(TypeId),
    /// The elements of a multiset hold multisets.
    NestedMultiset,
    /// Two fields of a record have the same name.
    DuplicateField(String),
    /// A global variable holds an unbounded integer.
    StoredInt,

    /// A step of a place does not fit the type it starts from.
    BadStep(TypeId),
    /// The type noted on a place or expression is not the one it has.
    NotedType {
        /// The type it has.
        actual: TypeId,
        /// The type it claims.
        noted: TypeId,
    },
    /// A reference local may be used before it refers to anything.
    UnboundReference(LocalId),
    /// What is taken out of a multiset is not an element of one.
    NotElement,
    /// The result of a call is written, or something is made to refer to it.
    CallWritten,

    /// A scalar is needed.
    NotScalar(TypeId),
    /// An aggregate is needed.
    NotAggregate(TypeId),
    /// A truth value is needed.
    NotBoolean(TypeId),
    /// An integer is needed.
    NotInteger(TypeId),
    /// A multiset is needed.
    NotMultiset(TypeId),
    /// A constant is not a value of its type.
    BadConstant(i64, TypeId),
    /// The two types do not go together in a comparison, assignment, choice or reference.
    Mismatch(TypeId, TypeId),
    /// There is no conversion from the first type to the second.
    Conversion(TypeId, TypeId),
    /// The first type is not a union that has the second as a member.
    NotMember(TypeId, TypeId),
    /// A domain has no end.
    InfiniteDomain(TypeId),
    /// The step of a domain is zero.
    ZeroStep,

    /// A local is bound as a value although it is a reference, or the other way round.
    WrongMode(LocalId),
    /// Two binders set the same local.
    BoundTwice(LocalId),
    /// A rule belongs to what is neither a variable nor the element that a parameter through all indices names.
    Owner(Owner),
    /// A function has more parameters than locals.
    TooManyParams,
    /// A call has the wrong number of arguments.
    ArgCount {
        /// Parameters of the function.
        expected: u32,
        /// Arguments of the call.
        found: u32,
    },
    /// An argument is passed by value for a reference parameter, or the other way round.
    ArgMode(LocalId),
    /// The result of a function is used although it has none.
    NoResult(FunctionId),
    /// A function with a result returns without one.
    ResultMissing,
    /// Something that has no result returns one.
    ResultUnwanted,

    /// An expression, place or operand calls a function that changes something, makes an assumption or marks a cover
    /// point.
    EffectInExpression(FunctionId),
    /// The variable of a quantifier is used outside of the quantifier, or set by something else.
    QuantifiedElsewhere(LocalId),
    /// A slot local is used as something else, passed, returned, or bound by anything but going through a multiset of
    /// its type.
    MisusedSlot(LocalId),
    /// A slot local is used outside of what its binder encloses.
    SlotOutOfScope(LocalId),
    /// A slot local names an element of another multiset than the one its binder goes through.
    ForeignSlot(LocalId),
    /// The multiset that a slot local's binder goes through is not fixed while the local is in use.
    UnsteadyMultiset(LocalId),

    /// A `Cover` statement names a property that is not a cover point.
    NotCoverPoint(PropertyId),
    /// A cover point or a property with a formula has binders or a condition of its own.
    CoverPointCondition,

    /// A temporal property has this many formulas or automata.
    ClaimCount(usize),
    /// A property with a formula or an automaton is of another kind.
    NotTemporal(PropertyId),
    /// A formula speaks of a property that is no proposition.
    NotProposition(PropertyId),
    /// A parameter of a proposition does not go through a type.
    PropositionDomain,
    /// Two quantifiers of a formula bind the same variable.
    VariableBoundTwice(u32),
    /// A formula about one path has a path quantifier.
    PathQuantifier,
    /// A formula about states has a temporal operator outside path quantifiers.
    PathFormula,
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.subject, self.kind)
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Model => write!(f, "model"),
            Self::Sort(id) => write!(f, "sort s{}", id.0),
            Self::Type(id) => write!(f, "type t{}", id.0),
            Self::Global(id) => write!(f, "global g{}", id.0),
            Self::Function(id) => write!(f, "function f{}", id.0),
            Self::Start(id) => write!(f, "start i{}", id.0),
            Self::Rule(id) => write!(f, "rule r{}", id.0),
            Self::Property(id) => write!(f, "property p{}", id.0),
        }
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Types => "type",
            Self::Globals => "global",
            Self::Locals => "local",
            Self::Functions => "function",
            Self::Properties => "property",
            Self::Variables => "variable",
            Self::AutomatonStates => "state of the automaton",
        })
    }
}

impl fmt::Display for DefectKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuch(table, at) => write!(f, "there is no {table} number {at}"),
            Self::TooDeep => write!(f, "nested too deeply"),
            Self::NoStart => write!(f, "no start state"),
            Self::NoValues => write!(f, "no values"),
            Self::ReservedValue => write!(f, "the least 64-bit integer stands for \"undefined\""),
            Self::UnionMember(ty) => write!(f, "`t{}` cannot be a member of this union", ty.0),
            Self::IndexType(ty) => write!(f, "`t{}` cannot index an array", ty.0),
            Self::NestedMultiset => write!(f, "a multiset inside a multiset"),
            Self::DuplicateField(name) => write!(f, "two fields are called `{name}`"),
            Self::StoredInt => write!(f, "an unbounded integer in the state"),
            Self::BadStep(ty) => write!(f, "`t{}` has no such part", ty.0),
            Self::NotedType { actual, noted } => write!(f, "type `t{}` is noted for `t{}`", noted.0, actual.0),
            Self::UnboundReference(local) => write!(f, "`l{}` may not refer to anything yet", local.0),
            Self::NotElement => write!(f, "what is removed is not an element of a multiset"),
            Self::CallWritten => write!(f, "the result of a call has no place to write to"),
            Self::NotScalar(ty) => write!(f, "`t{}` is not scalar", ty.0),
            Self::NotAggregate(ty) => write!(f, "`t{}` is scalar", ty.0),
            Self::NotBoolean(ty) => write!(f, "`t{}` is not boolean", ty.0),
            Self::NotInteger(ty) => write!(f, "`t{}` is not an integer type", ty.0),
            Self::NotMultiset(ty) => write!(f, "`t{}` is not a multiset", ty.0),
            Self::BadConstant(value, ty) => write!(f, "{value} is not a value of `t{}`", ty.0),
            Self::Mismatch(left, right) => write!(f, "`t{}` and `t{}` do not go together", left.0, right.0),
            Self::Conversion(from, to) => write!(f, "no conversion from `t{}` to `t{}`", from.0, to.0),
            Self::NotMember(union, member) => write!(f, "`t{}` is not a union with member `t{}`", union.0, member.0),
            Self::InfiniteDomain(ty) => write!(f, "`t{}` has no end", ty.0),
            Self::ZeroStep => write!(f, "a domain with step 0"),
            Self::WrongMode(local) => write!(f, "`l{}` has the wrong mode for this binding", local.0),
            Self::Owner(owner) => write!(f, "`g{}` is not a process of this rule", owner.global.0),
            Self::BoundTwice(local) => write!(f, "`l{}` is bound twice", local.0),
            Self::TooManyParams => write!(f, "more parameters than locals"),
            Self::ArgCount { expected, found } => write!(f, "{found} arguments for {expected} parameters"),
            Self::ArgMode(param) => write!(f, "wrong way to pass an argument for `l{}`", param.0),
            Self::NoResult(function) => write!(f, "`f{}` has no result", function.0),
            Self::ResultMissing => write!(f, "a return without the result"),
            Self::ResultUnwanted => write!(f, "a return with a result that nobody wants"),
            Self::EffectInExpression(function) => {
                write!(f, "`f{}` is called in an expression, but it has effects", function.0)
            }
            Self::QuantifiedElsewhere(local) => write!(f, "`l{}` is used outside of its quantifier", local.0),
            Self::MisusedSlot(local) => write!(f, "`l{}` names an element and nothing else", local.0),
            Self::SlotOutOfScope(local) => write!(f, "`l{}` names no element here", local.0),
            Self::ForeignSlot(local) => write!(f, "`l{}` names an element of another multiset", local.0),
            Self::UnsteadyMultiset(local) => {
                write!(f, "which multiset `l{}` names an element of may change while it is in use", local.0)
            }
            Self::NotCoverPoint(property) => write!(f, "`p{}` is not a cover point", property.0),
            Self::CoverPointCondition => write!(f, "a cover point or formula with a condition of its own"),
            Self::ClaimCount(found) => write!(f, "{found} formulas or automata for one property"),
            Self::NotTemporal(property) => {
                write!(f, "`p{}` has a formula or automaton, but is of another kind", property.0)
            }
            Self::NotProposition(property) => {
                write!(f, "a formula speaks of `p{}`, which is not a proposition", property.0)
            }
            Self::PropositionDomain => write!(f, "a proposition whose parameters do not go through types"),
            Self::VariableBoundTwice(variable) => write!(f, "variable {variable} is bound twice"),
            Self::PathQuantifier => write!(f, "a path quantifier in a formula about one path"),
            Self::PathFormula => write!(f, "a temporal operator that is under no path quantifier"),
        }
    }
}
