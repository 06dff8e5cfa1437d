//! The syntax tree: what was read, before names mean anything. Inline calls are expanded already.

use burnside_diag::Span;

/// A whole model.
#[derive(Debug, Clone, Default)]
pub struct Ast {
    /// Everything at the top level, in the order of the text.
    pub items: Vec<Item>,
    /// Names whose mere mention changes what a state is (`_last`), or who may move (`_priority`).
    pub mentions: Mentions,
    /// Some declaration could not be read; an unknown name is then no news.
    pub lost_declarations: bool,
}

/// Words whose mention anywhere changes the meaning of the whole model.
#[derive(Debug, Clone, Copy, Default)]
pub struct Mentions {
    /// `_last` becomes part of the state.
    pub last: bool,
    /// Processes have priorities: `priority`, `_priority`, `get_priority` or `set_priority` occurs here.
    pub priority: Option<Span>,
}

/// A name in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// The name.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// Something at the top level.
#[derive(Debug, Clone)]
pub enum Item {
    /// `proctype` or `init`.
    Proc(Box<Proc>),
    /// `never`.
    Never(Never),
    /// `trace` or `notrace`.
    Trace(Trace),
    /// `ltl`.
    Ltl(Ltl),
    /// Variables.
    Decl(Decl),
    /// `mtype = { … }`.
    Mtype(MtypeDecl),
    /// `typedef`.
    Typedef(Typedef),
}

/// A process type, or an `init`.
#[derive(Debug, Clone)]
pub struct Proc {
    /// The name; `init` for an `init`.
    pub name: Name,
    /// Whether it is an `init`.
    pub is_init: bool,
    /// `active` and `active [n]`.
    pub active: Option<Active>,
    /// Parameters.
    pub params: Vec<Decl>,
    /// `priority n`.
    pub priority: Option<Expr>,
    /// `provided (e)`.
    pub provided: Option<Expr>,
    /// `D_proctype`.
    pub deterministic: bool,
    /// The body.
    pub body: Vec<Step>,
    /// The whole text.
    pub span: Span,
    /// Its closing brace.
    pub end: Span,
}

/// How many instances exist from the start.
#[derive(Debug, Clone)]
pub struct Active {
    /// The number in brackets; one without.
    pub count: Option<Expr>,
    /// The word `active`.
    pub span: Span,
}

/// A claim written as an automaton.
#[derive(Debug, Clone)]
pub struct Never {
    /// Its name, if it has one.
    pub name: Option<Name>,
    /// The body.
    pub body: Vec<Step>,
    /// The word `never`.
    pub span: Span,
    /// Its closing brace.
    pub end: Span,
}

/// A claim on the order of messages.
#[derive(Debug, Clone)]
pub struct Trace {
    /// `notrace`.
    pub negated: bool,
    /// The body.
    pub body: Vec<Step>,
    /// The word `trace` or `notrace`.
    pub span: Span,
    /// Its closing brace.
    pub end: Span,
}

/// A temporal formula.
#[derive(Debug, Clone)]
pub struct Ltl {
    /// Its name, if it has one.
    pub name: Option<Name>,
    /// The formula; temporal operators are [`ExprKind::Temporal`].
    pub formula: Expr,
    /// The word `ltl`.
    pub span: Span,
}

/// `hidden`, `show` or `local`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Visibility {
    /// Not part of the state.
    Hidden,
    /// Shown by SPIN's simulator; no meaning here.
    Show,
    /// A promise that one process alone uses it.
    Local,
}

/// The type in front of variables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TypeName {
    /// `bit`.
    Bit,
    /// `bool`.
    Bool,
    /// `byte`.
    Byte,
    /// `pid`.
    Pid,
    /// `short`.
    Short,
    /// `int`.
    Int,
    /// `unsigned`; the width stands at each variable.
    Unsigned,
    /// `mtype`, perhaps with a subtype.
    Mtype(Option<Name>),
    /// `chan`.
    Chan,
    /// A `typedef`.
    User(Name),
}

/// Variables of one type.
#[derive(Debug, Clone)]
pub struct Decl {
    /// `hidden`, `show`, `local`.
    pub visibility: Option<(Visibility, Span)>,
    /// The type.
    pub ty: TypeName,
    /// Where the type stands.
    pub ty_span: Span,
    /// The variables.
    pub vars: Vec<DeclVar>,
}

/// One variable of a declaration.
#[derive(Debug, Clone)]
pub struct DeclVar {
    /// Its name.
    pub name: Name,
    /// `: n` of an `unsigned`.
    pub width: Option<Expr>,
    /// `[n]`.
    pub length: Option<Expr>,
    /// What it starts with.
    pub init: Option<Init>,
}

/// What a variable starts with.
#[derive(Debug, Clone)]
pub enum Init {
    /// `= e`.
    Expr(Expr),
    /// `= { 1, 2 }`.
    List(Vec<Expr>, Span),
    /// `= [n] of { … }`.
    Chan(ChanInit),
}

/// A channel made by a declaration.
#[derive(Debug, Clone)]
pub struct ChanInit {
    /// How many messages it holds; 0 is a rendezvous.
    pub capacity: Expr,
    /// Types of the fields.
    pub fields: Vec<(TypeName, Span)>,
    /// The whole initialiser.
    pub span: Span,
}

/// `mtype = { … }`.
#[derive(Debug, Clone)]
pub struct MtypeDecl {
    /// The subtype.
    pub subtype: Option<Name>,
    /// The names, in the order of the text.
    pub names: Vec<Name>,
    /// Where.
    pub span: Span,
}

/// `typedef T { … }`.
#[derive(Debug, Clone)]
pub struct Typedef {
    /// The type's name.
    pub name: Name,
    /// Its fields.
    pub fields: Vec<Decl>,
}

/// A statement with its labels, as it stands in a sequence.
#[derive(Debug, Clone)]
pub struct Step {
    /// Labels in front, outermost first.
    pub labels: Vec<Name>,
    /// What it does.
    pub kind: StepKind,
    /// Where it stands, without labels.
    pub span: Span,
}

/// What a statement does.
#[derive(Debug, Clone)]
pub enum StepKind {
    /// Variables declared here.
    Decl(Decl),
    /// `xr c` or `xs c`.
    Exclusive {
        /// `xs`.
        send: bool,
        /// The channels.
        chans: Vec<VarRef>,
    },
    /// `q!…` or `q!!…`.
    Send {
        /// The channel.
        chan: VarRef,
        /// The message.
        args: Vec<Expr>,
        /// `!!`.
        sorted: bool,
    },
    /// `q?…`, `q??…`, `q?<…>`, `q??<…>`.
    Receive {
        /// The channel.
        chan: VarRef,
        /// The pattern.
        args: Vec<RecvArg>,
        /// `??`.
        random: bool,
        /// `<…>`: the message stays.
        keep: bool,
    },
    /// `if … fi`.
    If(Vec<Branch>),
    /// `do … od`.
    Do(Vec<Branch>),
    /// `for (v : a .. b) { … }`.
    ForRange {
        /// The variable.
        var: VarRef,
        /// First value.
        from: Expr,
        /// Last value.
        to: Expr,
        /// The loop.
        body: Vec<Step>,
    },
    /// `for (v in a) { … }`.
    ForIn {
        /// The variable.
        var: VarRef,
        /// An array or a channel.
        domain: VarRef,
        /// The loop.
        body: Vec<Step>,
    },
    /// `select (v : a .. b)`.
    Select {
        /// The variable.
        var: VarRef,
        /// First value.
        from: Expr,
        /// Last value.
        to: Expr,
        /// A plain name and literal bounds outside inlines: one step with up to 33 options.
        literal: bool,
    },
    /// `break`.
    Break,
    /// `goto L`.
    Goto(Name),
    /// `v = e`.
    Assign(VarRef, Expr),
    /// `v++`.
    Increment(VarRef),
    /// `v--`.
    Decrement(VarRef),
    /// `printf(…)`.
    Printf {
        /// The format, quotes included.
        format: Name,
        /// Values.
        args: Vec<Expr>,
    },
    /// `printm(e)`.
    Printm(Expr),
    /// `assert e`.
    Assert(Expr),
    /// An expression that waits until it is true.
    Expr(Expr),
    /// `else`.
    Else,
    /// `atomic { … }`.
    Atomic(Vec<Step>),
    /// `d_step { … }`.
    DStep(Vec<Step>),
    /// `{ … }`.
    Block(Vec<Step>),
    /// A call of an inline, expanded.
    Inline {
        /// The inline.
        name: Name,
        /// Its definition.
        definition: Span,
        /// The body with arguments for parameters.
        body: Vec<Step>,
    },
    /// `s unless t`.
    Unless(Box<Step>, Box<Step>),
    /// `set_priority(p, n)`.
    SetPriority(Expr, Expr),
}

/// One option of an `if` or `do`.
#[derive(Debug, Clone)]
pub struct Branch {
    /// The statements.
    pub body: Vec<Step>,
    /// The `::`.
    pub span: Span,
}

/// An expression.
#[derive(Debug, Clone)]
pub struct Expr {
    /// What it computes.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

/// What an expression computes.
#[derive(Debug, Clone)]
pub enum ExprKind {
    /// A number, a character, `true`, `false`, `skip`.
    Number(i32),
    /// A variable, or a constant of an `mtype`.
    Var(VarRef),
    /// An operator of one operand.
    Unary(UnaryOp, Box<Expr>),
    /// An operator of two operands.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `(c -> a : b)`.
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `run P(…)`.
    Run {
        /// The process type.
        proc: Name,
        /// Arguments.
        args: Vec<Expr>,
        /// `priority n`.
        priority: Option<Box<Expr>>,
    },
    /// `len(q)`, `full(q)` and so on.
    Chan(ChanOp, VarRef),
    /// `q?[…]` or `q??[…]`.
    Poll {
        /// The channel.
        chan: VarRef,
        /// The pattern.
        args: Vec<RecvArg>,
        /// `??`.
        random: bool,
    },
    /// `timeout`.
    Timeout,
    /// `np_`.
    NonProgress,
    /// `enabled(p)`.
    Enabled(Box<Expr>),
    /// `pc_value(p)`.
    PcValue(Box<Expr>),
    /// `get_priority(p)`.
    GetPriority(Box<Expr>),
    /// `P[i]@L` or `P@L`.
    RemoteLabel {
        /// The process type.
        proc: Name,
        /// The instance.
        pid: Option<Box<Expr>>,
        /// The label.
        label: Name,
    },
    /// `P[i]:v` or `P:v`.
    RemoteVar {
        /// The process type.
        proc: Name,
        /// The instance.
        pid: Option<Box<Expr>>,
        /// The variable.
        var: VarRef,
    },
    /// A temporal operator, in formulas only; one operand is missing for `[]`, `<>` and `X`.
    Temporal(TemporalOp, Box<Expr>, Option<Box<Expr>>),
}

/// Operators of one operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnaryOp {
    /// `!`.
    Not,
    /// `-`.
    Minus,
    /// `~`.
    Complement,
}

/// Operators of two operands; the meaning is C's on 32-bit integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are those of the operators")]
pub enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    BitAnd,
    BitXor,
    BitOr,
    Greater,
    Less,
    GreaterEqual,
    LessEqual,
    Equal,
    NotEqual,
    And,
    Or,
    ShiftLeft,
    ShiftRight,
}

/// Questions about a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are those of the operators")]
pub enum ChanOp {
    Len,
    Full,
    Empty,
    NotFull,
    NotEmpty,
}

/// Temporal operators, and the boolean ones that only formulas have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are those of the operators")]
pub enum TemporalOp {
    Always,
    Eventually,
    Next,
    Until,
    Release,
    WeakUntil,
    Implies,
    Equivalent,
}

/// A variable, an element or a field: `a[i].b`.
#[derive(Debug, Clone)]
pub struct VarRef {
    /// Name and index of each part.
    pub parts: Vec<VarPart>,
    /// The whole.
    pub span: Span,
}

/// `a` or `a[i]`.
#[derive(Debug, Clone)]
pub struct VarPart {
    /// The name.
    pub name: Name,
    /// The index.
    pub index: Option<Box<Expr>>,
}

/// One field of a receive's pattern.
#[derive(Debug, Clone)]
pub enum RecvArg {
    /// A variable that takes the value, or a constant of an `mtype` that must match.
    Var(VarRef),
    /// A value that must match.
    Value(Expr),
}
