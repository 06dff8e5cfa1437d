//! The checked tree: every name resolved to what it stands for, every place to slots of a frame.
//!
//! Values are 32-bit integers everywhere; what a slot keeps of one is its [`Scalar`]'s affair ([`Scalar::store`]). Nothing
//! is folded: `flow` must see which conditions are written as the constant 1.

use burnside_diag::Span;

pub use crate::ast::{BinaryOp, ChanOp, UnaryOp, Visibility};
use crate::formula::Formula;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $name {
            /// As an index.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// A `typedef`.
    StructId;
    /// A set of `mtype` names.
    MtypeId;
    /// A `proctype` or `init`, in the order of the text.
    ProcId;
    /// A variable of a frame.
    VarId;
    /// A kind of channel: one initialiser in the text.
    ChanTypeId;
    /// A label of one body.
    LabelId;
}

/// What a slot holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are those of the language")]
pub enum Scalar {
    Bit,
    Bool,
    Byte,
    Pid,
    Short,
    Int,
    Unsigned(u8),
    Mtype(MtypeId),
    Chan,
}

impl Scalar {
    /// What is left of a value that is stored here, as C truncates it.
    pub fn store(self, value: i32) -> i32 {
        match self {
            Self::Bit | Self::Bool => value & 1,
            Self::Byte | Self::Pid | Self::Mtype(_) | Self::Chan => value & 0xff,
            Self::Short => i32::from(value as i16),
            Self::Int => value,
            Self::Unsigned(width) => value & ((1_i64 << width) - 1) as i32,
        }
    }
}

/// The type of a variable or field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// One slot.
    Scalar(Scalar),
    /// The slots of a structure.
    Struct(StructId),
}

/// A `typedef`.
#[derive(Debug, Clone)]
pub struct Struct {
    /// Its name.
    pub name: String,
    /// Its fields.
    pub fields: Vec<Field>,
    /// Slots of one value.
    pub n_slots: u32,
}

/// A field of a structure.
#[derive(Debug, Clone)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Elements, for an array.
    pub length: Option<u32>,
    /// Its first slot within the structure.
    pub offset: u32,
    /// What it starts with.
    pub init: FieldInit,
    /// The channel it holds from the start on, if any.
    pub chan: Option<ChanTypeId>,
    /// Where it is declared.
    pub span: Span,
}

/// What a field starts with.
#[derive(Debug, Clone)]
pub enum FieldInit {
    /// Zero, or what the inner structure says.
    Default,
    /// These values; the last is repeated.
    Values(Vec<i32>),
}

/// Names that an `mtype` declaration numbers together.
#[derive(Debug, Clone)]
pub struct Mtype {
    /// The subtype; none for plain `mtype`.
    pub name: Option<String>,
    /// The names; that at index i has the value i + 1.
    pub names: Vec<String>,
}

/// A kind of channel.
#[derive(Debug, Clone)]
pub struct ChanType {
    /// Messages it holds; none for a rendezvous.
    pub capacity: u32,
    /// Fields of a message, structures taken apart.
    pub fields: Vec<Scalar>,
    /// The initialiser.
    pub span: Span,
}

/// A variable.
#[derive(Debug, Clone)]
pub struct Var {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Elements, for an array.
    pub length: Option<u32>,
    /// Its first slot in the frame.
    pub slot: u32,
    /// Slots of one element.
    pub stride: u32,
    /// `hidden`, `show`, `local`.
    pub visibility: Option<Visibility>,
    /// The channels it holds from the start on, if any.
    pub chan: Option<ChanTypeId>,
    /// Where it is declared.
    pub span: Span,
}

/// One value in a frame.
#[derive(Debug, Clone, Copy)]
pub struct Slot {
    /// What it keeps.
    pub scalar: Scalar,
    /// The variable it belongs to.
    pub var: VarId,
    /// Whether it is part of the state.
    pub in_state: bool,
}

/// Variables that live together: the globals, or the parameters and locals of a process.
#[derive(Debug, Clone, Default)]
pub struct Frame {
    /// The variables.
    pub vars: Vec<Var>,
    /// Their slots.
    pub slots: Vec<Slot>,
    /// What is done when the frame comes into being, in this order; all else is zero.
    pub inits: Vec<SlotInit>,
}

/// The first value of one slot.
#[derive(Debug, Clone)]
pub struct SlotInit {
    /// The slot.
    pub slot: u32,
    /// Its value.
    pub value: InitValue,
}

/// The first value of a slot.
#[derive(Debug, Clone)]
pub enum InitValue {
    /// The value of an expression at that time.
    Expr(Expr),
    /// A new channel.
    NewChan(ChanTypeId),
}

/// Which frame a place lies in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The globals.
    Global,
    /// The process that executes.
    Local,
}

/// One slot, up to the values of indices.
#[derive(Debug, Clone)]
pub struct Place {
    /// The frame.
    pub scope: Scope,
    /// The variable.
    pub var: VarId,
    /// The slot where all indices are zero.
    pub slot: u32,
    /// Indices, outermost first.
    pub indices: Vec<Index>,
    /// What the slot keeps.
    pub scalar: Scalar,
    /// The name or the `mtype` of a channel's messages is known through its declaration.
    pub chan: Option<ChanTypeId>,
    /// Where it is written.
    pub span: Span,
}

/// An index of a place.
#[derive(Debug, Clone)]
pub struct Index {
    /// Its value.
    pub expr: Expr,
    /// Elements of the array.
    pub length: u32,
    /// Slots of one element.
    pub stride: u32,
}

/// Variables that the language provides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are those of the language")]
pub enum Builtin {
    Pid,
    NrPr,
    Last,
    Priority,
}

/// An expression.
#[derive(Debug, Clone)]
pub struct Expr {
    /// What it computes.
    pub kind: ExprKind,
    /// Where it is written.
    pub span: Span,
}

/// What an expression computes.
#[derive(Debug, Clone)]
pub enum ExprKind {
    /// A literal or the name of an `mtype`.
    Const(i32),
    /// A slot.
    Read(Place),
    /// `_pid` and the like.
    Builtin(Builtin),
    /// An operator of one operand.
    Unary(UnaryOp, Box<Expr>),
    /// An operator of two operands; `&&` and `||` do not evaluate the second if the first decides.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `(c -> a : b)`.
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `run P(…)`: a new process, its number for a value.
    Run(Run),
    /// `len(q)` and the like.
    Chan(ChanOp, Place),
    /// `q?[…]`.
    Poll {
        /// The channel.
        chan: Place,
        /// The pattern; only what must match counts.
        pattern: Vec<Pattern>,
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
    /// `P[i]@L`; without `i`, the first instance.
    RemoteLabel {
        /// The process type.
        proc: ProcId,
        /// The instance.
        pid: Option<Box<Expr>>,
        /// A label of its body.
        label: LabelId,
    },
    /// `P[i]:v`.
    RemoteVar {
        /// The process type.
        proc: ProcId,
        /// The instance.
        pid: Option<Box<Expr>>,
        /// A place in its frame.
        place: Box<Place>,
    },
}

/// A process to start.
#[derive(Debug, Clone)]
pub struct Run {
    /// Its type.
    pub proc: ProcId,
    /// Values for its first slots; missing ones are zero.
    pub args: Vec<Expr>,
    /// Its priority.
    pub priority: u8,
}

/// One field of a receive.
#[derive(Debug, Clone)]
pub enum Pattern {
    /// The field must have this value.
    Match(Expr),
    /// The field goes to this target.
    Store(Target),
}

/// What a value can be given to.
#[derive(Debug, Clone)]
pub enum Target {
    /// A slot.
    Place(Place),
    /// `_`.
    Discard,
    /// `_pid`, in a receive: the process takes another number.
    Pid,
    /// `_priority`.
    Priority,
}

/// A statement of one step.
#[derive(Debug, Clone)]
pub enum Basic {
    /// Waits until the expression is true.
    Condition(Expr),
    /// `v = e`.
    Assign(Target, Expr),
    /// A structure declared among statements: a step that changes nothing.
    DeclareStruct(VarId),
    /// `q!…`.
    Send {
        /// The channel.
        chan: Place,
        /// The message.
        args: Vec<Expr>,
        /// `!!`.
        sorted: bool,
    },
    /// `q?…`.
    Receive {
        /// The channel.
        chan: Place,
        /// The pattern.
        pattern: Vec<Pattern>,
        /// `??`.
        random: bool,
        /// `<…>`: the message stays.
        keep: bool,
    },
    /// `printf(…)`.
    Printf {
        /// The format, without quotes, escapes resolved.
        format: String,
        /// Values.
        args: Vec<Expr>,
    },
    /// `printm(e)`.
    Printm(Expr),
    /// `assert e`.
    Assert(Expr),
    /// `set_priority(p, n)`.
    SetPriority(Expr, Expr),
}

/// A statement with its labels.
#[derive(Debug, Clone)]
pub struct Step {
    /// Labels in front, outermost first.
    pub labels: Vec<LabelId>,
    /// What it does.
    pub kind: StepKind,
    /// Where it is written.
    pub span: Span,
}

/// What a statement does.
#[derive(Debug, Clone)]
pub enum StepKind {
    /// One step.
    Basic(Basic),
    /// Several steps in a row without a block of their own: declarations of several variables.
    Steps(Vec<Step>),
    /// `if`.
    If(Vec<Vec<Step>>),
    /// `do`.
    Do(Vec<Vec<Step>>),
    /// `for (v : a .. b)`.
    For {
        /// The variable.
        var: Place,
        /// First value.
        from: Expr,
        /// Last value.
        to: Expr,
        /// The loop.
        body: Vec<Step>,
    },
    /// `for (v in q)`: turns the channel once around.
    ForChan {
        /// Counts the messages.
        counter: Place,
        /// The channel.
        chan: Place,
        /// Where each message goes.
        fields: Vec<Place>,
        /// The loop.
        body: Vec<Step>,
    },
    /// `select (v : a .. b)`.
    Select {
        /// The variable.
        var: Place,
        /// First value.
        from: Expr,
        /// Last value.
        to: Expr,
        /// The values, where they are written as literals.
        literal: Option<(i32, i32)>,
    },
    /// `break`.
    Break,
    /// `goto`.
    Goto(LabelId),
    /// `else`.
    Else,
    /// `atomic`.
    Atomic(Vec<Step>),
    /// `d_step`.
    DStep(Vec<Step>),
    /// A block or an expanded inline.
    Block(Vec<Step>),
    /// `s unless t`.
    Unless(Box<Step>, Box<Step>),
}

/// A label of a body.
#[derive(Debug, Clone)]
pub struct Label {
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub span: Span,
    /// Whether some `P[i]@L` names it.
    pub remote: bool,
}

/// Statements with their labels.
#[derive(Debug, Clone, Default)]
pub struct Body {
    /// The statements.
    pub steps: Vec<Step>,
    /// Every label in them.
    pub labels: Vec<Label>,
    /// The closing brace.
    pub end: Span,
}

/// A process type or an `init`.
#[derive(Debug, Clone)]
pub struct Proc {
    /// Its name.
    pub name: String,
    /// Whether it is an `init`.
    pub is_init: bool,
    /// Parameters and locals; the slots of the parameters come first.
    pub frame: Frame,
    /// Slots of the parameters.
    pub n_params: u32,
    /// `provided (e)`.
    pub provided: Option<Expr>,
    /// What it does.
    pub body: Body,
    /// Its heading.
    pub span: Span,
}

/// A process that exists from the start.
#[derive(Debug, Clone, Copy)]
pub struct Start {
    /// Its type.
    pub proc: ProcId,
    /// Its priority.
    pub priority: u8,
}

/// A `never`.
#[derive(Debug, Clone)]
pub struct Never {
    /// Its name, as SPIN numbers those without.
    pub name: String,
    /// What it does.
    pub body: Body,
    /// The word `never`.
    pub span: Span,
}

/// An `ltl`.
#[derive(Debug, Clone)]
pub struct Ltl {
    /// Its name, as SPIN numbers those without.
    pub name: String,
    /// What it says; nothing where a temporal operator stands below arithmetic, which SPIN misreads.
    pub formula: Option<Formula>,
    /// The word `ltl`.
    pub span: Span,
}

/// A `trace` or `notrace`.
#[derive(Debug, Clone)]
pub struct Trace {
    /// `notrace`.
    pub negated: bool,
    /// Sends and receives only.
    pub body: Body,
    /// The word `trace` or `notrace`.
    pub span: Span,
}

/// A promise that one process alone receives from or sends to a channel.
#[derive(Debug, Clone)]
pub struct Exclusive {
    /// The process type that makes it.
    pub proc: Option<ProcId>,
    /// `xs`.
    pub send: bool,
    /// The channel.
    pub chan: Place,
}

impl Exclusive {
    /// As it is written.
    pub fn word(&self) -> &'static str {
        if self.send { "xs" } else { "xr" }
    }
}

/// A whole model.
#[derive(Debug, Clone, Default)]
pub struct Program {
    /// Every `typedef`.
    pub structs: Vec<Struct>,
    /// Every set of `mtype` names.
    pub mtypes: Vec<Mtype>,
    /// Every kind of channel.
    pub chan_types: Vec<ChanType>,
    /// The global variables.
    pub globals: Frame,
    /// Every process type and `init`.
    pub procs: Vec<Proc>,
    /// The processes that exist from the start, by number.
    pub starts: Vec<Start>,
    /// Claims as automata.
    pub nevers: Vec<Never>,
    /// Claims as formulas.
    pub ltls: Vec<Ltl>,
    /// The claim on messages.
    pub trace: Option<Trace>,
    /// Promises about channels.
    pub exclusives: Vec<Exclusive>,
    /// Whether `_last` is part of the state.
    pub uses_last: bool,
    /// Whether priorities decide who may move.
    pub uses_priority: bool,
}
