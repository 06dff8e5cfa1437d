//! The checked tree: every name resolved, every expression typed, every constant folded.
//!
//! Types are already those of the IR, so that a type means one thing from here on. Locals are numbered through the
//! whole program, because the rules of one ruleset share its parameters; `lower` renumbers them per rule and function.

use burnside_diag::Span;
use burnside_ir::{BinaryOp, FunctionId, Global, GlobalId, PropertyKind, Quantifier, TypeId, Types, UnaryOp};
use burnside_temporal::formula::Formula;

/// A whole checked model.
#[derive(Debug, Default)]
pub(crate) struct Program {
    pub(crate) types: Types,
    pub(crate) globals: Vec<Global>,
    pub(crate) locals: Vec<Local>,
    pub(crate) functions: Vec<Function>,
    pub(crate) starts: Vec<Start>,
    pub(crate) rules: Vec<Rule>,
    pub(crate) properties: Vec<Property>,
    pub(crate) claims: Vec<Claim>,
    pub(crate) cover_points: Vec<CoverPoint>,
}

/// A local variable, parameter or alias, by its place in [`Program::locals`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct VarId(pub(crate) u32);

impl VarId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Debug)]
pub(crate) struct Local {
    pub(crate) name: String,
    pub(crate) ty: TypeId,
    pub(crate) role: Role,
    pub(crate) span: Span,
}

/// Where a local comes from; it decides who may write it and what it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Declared with `var`.
    Variable,
    /// Bound by `for`, or by `forall` and `exists`. Assigning it changes this round's copy only.
    Loop,
    /// Bound by a ruleset.
    RuleParam,
    /// A read-only copy of the argument.
    ValueParam,
    /// The caller's variable.
    VarParam,
    /// Stands for a place chosen when the alias is entered.
    PlaceAlias(Access),
    /// Holds the value the alias had when it was entered.
    ValueAlias,
    /// Names an occupied slot of a multiset of this type.
    Slot(TypeId),
}

/// Whether what an alias stands for may be assigned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    ReadWrite,
    ReadOnly,
}

#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) params: Vec<VarId>,
    pub(crate) result: Option<TypeId>,
    pub(crate) body: Vec<Stmt>,
    pub(crate) span: Span,
}

/// What surrounds a rule, start state or property, outermost first.
#[derive(Debug, Clone)]
pub(crate) enum Binding {
    /// A ruleset or `choose` parameter.
    Param(VarId, Domain),
    Alias(VarId, AliasTarget),
}

#[derive(Debug, Clone)]
pub(crate) enum AliasTarget {
    Place(Place),
    Value(Expr),
}

#[derive(Debug)]
pub(crate) struct Start {
    pub(crate) name: String,
    pub(crate) bindings: Vec<Binding>,
    pub(crate) body: Vec<Stmt>,
    pub(crate) span: Span,
}

#[derive(Debug)]
pub(crate) struct Rule {
    pub(crate) name: String,
    pub(crate) bindings: Vec<Binding>,
    pub(crate) guard: Option<Expr>,
    pub(crate) body: Vec<Stmt>,
    pub(crate) priority: i64,
    pub(crate) span: Span,
}

#[derive(Debug)]
pub(crate) struct Property {
    pub(crate) name: String,
    pub(crate) kind: PropertyKind,
    pub(crate) bindings: Vec<Binding>,
    pub(crate) condition: Expr,
    pub(crate) span: Span,
}

/// The formula of a temporal property.
#[derive(Debug)]
pub(crate) struct Claim {
    /// Its place among the properties.
    pub(crate) property: usize,
    /// What its quantifiers bind, each once.
    pub(crate) variables: Vec<VarId>,
    pub(crate) formula: Formula<Applied, VarId>,
}

/// A condition of a formula.
#[derive(Debug)]
pub(crate) struct Applied {
    /// Its place among the properties.
    pub(crate) property: usize,
    /// The variables that its parameters are.
    pub(crate) arguments: Vec<VarId>,
}

/// A `cover` among statements.
#[derive(Debug)]
pub(crate) struct CoverPoint {
    pub(crate) name: String,
    pub(crate) span: Span,
}

#[derive(Debug, Clone)]
pub(crate) struct Stmt {
    pub(crate) kind: StmtKind,
    pub(crate) span: Span,
}

#[derive(Debug, Clone)]
pub(crate) enum StmtKind {
    Assign(Place, Source),
    Clear(Place),
    /// Arms in order, and what happens when none applies.
    If(Vec<(Expr, Vec<Stmt>)>, Vec<Stmt>),
    Switch(Switch),
    /// Loops from the outermost in.
    For(Vec<(VarId, Domain)>, Vec<Stmt>),
    While(Expr, Vec<Stmt>),
    Alias(Vec<(VarId, AliasTarget)>, Vec<Stmt>),
    Call(Call),
    Return(Option<Expr>),
    Assert(Expr, String),
    Assume(Expr),
    /// By the place of the cover point in [`Program::cover_points`].
    Cover(usize, Expr),
    Error(String),
    PutText(String),
    Put(Expr),
    MultisetAdd(Place, Expr),
    /// The multiset, and the slot that is emptied.
    MultisetRemove(Place, Expr),
    /// The multiset, the slot looked at, and when it is emptied.
    MultisetRemoveWhere(Place, VarId, Expr),
}

/// The labels have the subject's type.
#[derive(Debug, Clone)]
pub(crate) struct Switch {
    pub(crate) subject: Expr,
    pub(crate) cases: Vec<(Vec<Expr>, Vec<Stmt>)>,
    pub(crate) otherwise: Vec<Stmt>,
}

/// What is assigned or passed.
#[derive(Debug, Clone)]
pub(crate) enum Source {
    Value(Expr),
    /// The literal `undefined`.
    Undefined,
}

/// The type is the expression's own: a union conversion is an explicit [`ExprKind::Convert`], and integers of any range
/// mix freely.
#[derive(Debug, Clone)]
pub(crate) struct Expr {
    pub(crate) kind: ExprKind,
    pub(crate) ty: TypeId,
    pub(crate) span: Span,
}

#[derive(Debug, Clone)]
pub(crate) enum ExprKind {
    /// In the numbering of the type.
    Const(i64),
    Read(Place),
    Unary(UnaryOp, Box<Expr>),
    /// Both sides have one type, or both are integers.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// Equality of aggregates, each a `Read` or a `Call`.
    Same(Box<Expr>, Box<Expr>),
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    Quantified(Quantifier, Vec<(VarId, Domain)>, Box<Expr>),
    Call(Call),
    IsUndefined(Place),
    IsMember(Place, TypeId),
    /// The slot looked at, the multiset, and when an element counts.
    Count(VarId, Place, Box<Expr>),
    Convert(Box<Expr>),
}

#[derive(Debug, Clone)]
pub(crate) enum Domain {
    Type(TypeId),
    Steps {
        from: Box<Expr>,
        to: Box<Expr>,
        step: i64,
    },
    /// The occupied slots of a multiset.
    Slots(Place),
}

#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) function: FunctionId,
    pub(crate) args: Vec<Argument>,
    pub(crate) span: Span,
}

#[derive(Debug, Clone)]
pub(crate) enum Argument {
    Value(Source),
    Reference(Place),
}

/// A variable or a part of one.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) base: Base,
    pub(crate) path: Vec<Projection>,
    pub(crate) ty: TypeId,
    pub(crate) span: Span,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Base {
    Global(GlobalId),
    Local(VarId),
}

#[derive(Debug, Clone)]
pub(crate) enum Projection {
    Field(u32),
    Index(Box<Expr>),
    /// A slot of a multiset.
    Element(Box<Expr>),
}

impl Program {
    pub(crate) fn local(&self, var: VarId) -> &Local {
        &self.locals[var.index()]
    }
}

impl Expr {
    pub(crate) fn constant(ty: TypeId, value: i64, span: Span) -> Self {
        Self { kind: ExprKind::Const(value), ty, span }
    }

    pub(crate) fn as_const(&self) -> Option<i64> {
        match self.kind {
            ExprKind::Const(value) => Some(value),
            _ => None,
        }
    }
}
