//! The syntax tree: what was written, with spans, and nothing about what it means.
//!
//! Names are unresolved, numbers unfolded. A word that is a built-in of one dialect and an identifier of the other
//! (`undefined`, `ismember`, `multisetadd`) is left as the name or call it looks like; `check` knows what is declared.

use burnside_diag::Span;
use burnside_temporal::formula::Formula;

/// A whole model.
#[derive(Debug, Default)]
pub struct Ast {
    /// Declarations and rules in file order.
    pub items: Vec<Item>,
    /// The first place that only Rumur reads; it decides whether a leading zero means octal.
    pub rumur_syntax: Option<Span>,
    /// Whether something could not be read, so that what looks unused may be used there.
    pub lost_text: bool,
    /// Whether it was a declaration, so that unknown names are no news.
    pub lost_declarations: bool,
}

/// A name where it occurs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// Its letters; case matters.
    pub text: String,
    /// Where.
    pub span: Span,
}

/// One thing at the top level of a file.
#[derive(Debug)]
pub enum Item {
    /// A constant, type or variable.
    Decl(Decl),
    /// A function or procedure.
    Function(Function),
    /// A rule, start state, property or a group of them.
    Rule(RuleItem),
}

/// A declaration; also at the head of functions, rules and start states.
#[derive(Debug)]
pub enum Decl {
    /// `N: 3`
    Const {
        /// The constants, usually one.
        names: Vec<Name>,
        /// Their value.
        value: Expr,
    },
    /// `A, B: 0..1`
    Type {
        /// The types.
        names: Vec<Name>,
        /// What they are.
        ty: TypeExpr,
    },
    /// `x, y: T`
    Var {
        /// The variables.
        names: Vec<Name>,
        /// Their type.
        ty: TypeExpr,
    },
}

/// A type as written.
#[derive(Debug)]
pub struct TypeExpr {
    /// Which.
    pub kind: TypeKind,
    /// Where.
    pub span: Span,
}

/// The forms of a type.
#[derive(Debug)]
pub enum TypeKind {
    /// `boolean`
    Boolean,
    /// A declared type.
    Named(Name),
    /// `low .. high`
    Range(Box<Expr>, Box<Expr>),
    /// `enum { … }`
    Enum(Vec<Name>),
    /// `scalarset (size)`
    Scalarset(Box<Expr>),
    /// `ringset (size)`
    Ringset(Box<Expr>),
    /// `union { … }`
    Union(Vec<TypeExpr>),
    /// `array [index] of element`
    Array(Box<TypeExpr>, Box<TypeExpr>),
    /// `record … end`
    Record(Vec<Field>),
    /// `multiset [capacity] of element`
    Multiset(Box<Expr>, Box<TypeExpr>),
    /// `real (digits, exponent)`, which is refused when checked.
    Real,
}

/// Record fields that share a type.
#[derive(Debug)]
pub struct Field {
    /// The fields.
    pub names: Vec<Name>,
    /// Their type.
    pub ty: TypeExpr,
}

/// A function, or a procedure when nothing is returned.
#[derive(Debug)]
pub struct Function {
    /// What it is called.
    pub name: Name,
    /// Formal parameters.
    pub params: Vec<Param>,
    /// The type of the result.
    pub result: Option<TypeExpr>,
    /// Local declarations.
    pub decls: Vec<Decl>,
    /// Statements.
    pub body: Vec<Stmt>,
    /// The closing `end`.
    pub end: Span,
}

/// Formal parameters that share a type.
#[derive(Debug)]
pub struct Param {
    /// Whether the callee may change the caller's variable.
    pub passing: Passing,
    /// The parameters.
    pub names: Vec<Name>,
    /// Their type.
    pub ty: TypeExpr,
}

/// How an argument reaches the callee.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Passing {
    /// A read-only copy.
    Value,
    /// `var`: the caller's own variable.
    Reference,
}

/// Something between `rule` level keywords.
#[derive(Debug)]
pub enum RuleItem {
    /// `rule "name" guard ==> … end`
    Rule(Rule),
    /// `startstate "name" … end`
    Start(Block),
    /// `invariant "name" …` and its relatives.
    Property(Property),
    /// `ltl "name" …`, `ctl "name" …`
    Claim(Claim),
    /// `ruleset … do … end`
    Ruleset {
        /// Parameters.
        quantifiers: Vec<Quantifier>,
        /// What they range over.
        items: Vec<RuleItem>,
    },
    /// `alias … do … end` around rules.
    Alias {
        /// The new names.
        bindings: Vec<AliasBinding>,
        /// Where they hold.
        items: Vec<RuleItem>,
    },
    /// `choose i: net do … end`
    Choose {
        /// Names an occupied slot.
        index: Name,
        /// The multiset.
        set: Expr,
        /// What is done with it.
        items: Vec<RuleItem>,
    },
}

/// A guarded command.
#[derive(Debug)]
pub struct Rule {
    /// Smaller numbers go first.
    pub priority: Option<Expr>,
    /// When it may fire; always, if absent.
    pub guard: Option<Expr>,
    /// What it does.
    pub block: Block,
}

/// A named body with local declarations.
#[derive(Debug)]
pub struct Block {
    /// The name in quotes.
    pub name: Option<String>,
    /// Keyword, and name if there is one.
    pub head: Span,
    /// Local declarations.
    pub decls: Vec<Decl>,
    /// Statements.
    pub body: Vec<Stmt>,
}

/// A claim about all states.
#[derive(Debug)]
pub struct Property {
    /// Which claim.
    pub kind: PropertyKind,
    /// The name in quotes.
    pub name: Option<String>,
    /// The formula.
    pub condition: Expr,
    /// The whole item.
    pub span: Span,
}

/// The claims.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PropertyKind {
    /// True in every reachable state (`invariant`, `assert`).
    Invariant,
    /// States where it is false are not considered.
    Assume,
    /// True in some reachable state.
    Cover,
    /// From every reachable state, true in some later one.
    Liveness,
}

/// A claim about whole executions.
#[derive(Debug)]
pub struct Claim {
    /// Of which kind.
    pub kind: ClaimKind,
    /// The name in quotes.
    pub name: Option<String>,
    /// The formula. What has no temporal operator in it is one condition.
    pub formula: Formula<Expr, Vec<Quantifier>>,
    /// The whole item.
    pub span: Span,
}

/// The logics of claims.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClaimKind {
    /// About every execution: LTL.
    Linear,
    /// About states, with quantifiers over executions: CTL and CTL*.
    Branching,
}

/// A variable that ranges over values.
#[derive(Debug)]
pub struct Quantifier {
    /// The variable.
    pub name: Name,
    /// Its values.
    pub domain: Domain,
    /// Name and domain.
    pub span: Span,
}

/// Where a quantified variable takes its values.
#[derive(Debug)]
pub enum Domain {
    /// All values of a type, in order.
    Type(TypeExpr),
    /// `:= from to last by step`
    Steps {
        /// First value.
        from: Expr,
        /// Bound, included.
        to: Expr,
        /// Distance, 1 if absent.
        by: Option<Expr>,
    },
}

/// `name: target` in an alias.
#[derive(Debug)]
pub struct AliasBinding {
    /// The new name.
    pub name: Name,
    /// What it stands for.
    pub target: Expr,
}

/// A statement.
#[derive(Debug)]
pub struct Stmt {
    /// Which.
    pub kind: StmtKind,
    /// Where.
    pub span: Span,
}

/// The statements.
#[derive(Debug)]
pub enum StmtKind {
    /// `target := value`
    Assign(Expr, Expr),
    /// `clear target`
    Clear(Expr),
    /// `undefine target`
    Undefine(Expr),
    /// `if … elsif … else … end`
    If {
        /// Conditions with what follows them.
        branches: Vec<(Expr, Vec<Stmt>)>,
        /// The `else` part.
        otherwise: Vec<Stmt>,
    },
    /// `switch … end`
    Switch {
        /// What is compared.
        subject: Expr,
        /// Labels with what follows them.
        cases: Vec<(Vec<Expr>, Vec<Stmt>)>,
        /// The `else` part.
        otherwise: Vec<Stmt>,
    },
    /// `for … do … end`
    For(Vec<Quantifier>, Vec<Stmt>),
    /// `while … do … end`
    While(Expr, Vec<Stmt>),
    /// `alias … do … end`
    Alias(Vec<AliasBinding>, Vec<Stmt>),
    /// A procedure, or a function whose result is dropped, or a multiset operation.
    Call(Name, Vec<Expr>),
    /// `multisetremovepred(i: set, condition)`
    RemoveMatching(Box<Matching>),
    /// `return` with or without a value.
    Return(Option<Expr>),
    /// `assert`, `assume`, `cover` or `liveness` inside a body, with its message or else its own text.
    Property(PropertyKind, Expr, String),
    /// `error "message"`
    Error(String),
    /// `put expression`
    Put(Expr),
    /// `put "text"`
    PutText(String),
}

/// `(i: set, condition)`, the elements of a multiset for which something holds.
#[derive(Debug)]
pub struct Matching {
    /// Names an element.
    pub index: Name,
    /// The multiset.
    pub set: Expr,
    /// The condition on that element.
    pub condition: Expr,
}

/// An expression.
#[derive(Debug)]
pub struct Expr {
    /// Which.
    pub kind: ExprKind,
    /// Where, without enclosing parentheses.
    pub span: Span,
}

/// The expressions.
#[derive(Debug)]
pub enum ExprKind {
    /// A variable, constant, enum member, parameter or alias.
    Name(String),
    /// A number.
    Integer(i64),
    /// A number such as `010`, and its octal reading where there is one.
    LeadingZero {
        /// CMurphi's reading.
        decimal: i64,
        /// Rumur's reading.
        octal: Option<i64>,
    },
    /// A real number, which is refused when checked.
    Real,
    /// `true` or `false`.
    Boolean(bool),
    /// `!e`, `-e`, `~e`
    Unary(UnaryOp, Box<Expr>),
    /// `a op b`
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `c ? a : b`
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `forall … do e end`, `exists … do e end`
    Quantified(Quantity, Vec<Quantifier>, Box<Expr>),
    /// `f(…)`
    Call(Name, Vec<Expr>),
    /// `base.field`
    Field(Box<Expr>, Name),
    /// `base[index]`
    Index(Box<Expr>, Box<Expr>),
    /// `isundefined(designator)`
    IsUndefined(Box<Expr>),
    /// `multisetcount(i: set, condition)`
    CountMatching(Box<Matching>),
    /// A type written out where a call takes one: `ismember(x, enum { … })`
    Type(Box<TypeExpr>),
    /// What could not be read; already reported.
    Error,
}

/// The quantifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    /// `forall`
    All,
    /// `exists`
    Some,
}

/// Operators before an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnaryOp {
    /// `!`
    Not,
    /// `-`
    Negate,
    /// `~`
    Complement,
}

/// Operators between operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BinaryOp {
    /// `->`
    Implies,
    /// `||`
    LogicalOr,
    /// `&&`
    LogicalAnd,
    /// `|`, logical or bitwise by its operands
    Or,
    /// `^`
    Xor,
    /// `&`, logical or bitwise by its operands
    And,
    /// `=`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Remainder,
}

impl UnaryOp {
    /// As written.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Not => "!",
            Self::Negate => "-",
            Self::Complement => "~",
        }
    }
}

impl BinaryOp {
    /// As written.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Implies => "->",
            Self::LogicalOr => "||",
            Self::LogicalAnd => "&&",
            Self::Or => "|",
            Self::Xor => "^",
            Self::And => "&",
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Greater => ">",
            Self::GreaterEqual => ">=",
            Self::ShiftLeft => "<<",
            Self::ShiftRight => ">>",
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Remainder => "%",
        }
    }
}

impl ClaimKind {
    /// The word that introduces it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Linear => "ltl",
            Self::Branching => "ctl",
        }
    }
}

impl PropertyKind {
    /// The word that introduces it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Invariant => "invariant",
            Self::Assume => "assume",
            Self::Cover => "cover",
            Self::Liveness => "liveness",
        }
    }
}
