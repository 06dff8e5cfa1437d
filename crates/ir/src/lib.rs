//! The intermediate representation every front end lowers to and every engine reads.
//!
//! A [`Model`] is a finite-domain guarded-command system: typed global variables, start states, rules with parameters,
//! properties. The reading order below is the order in which the pieces build on each other. The meaning of every
//! construct is defined by the crate `burnside-interp`; this crate holds structure, layout, text form and verifier.

mod claim;
mod effects;
mod expr;
mod ids;
mod layout;
mod model;
mod part;
mod stmt;
pub mod text;
mod types;
mod value;
mod verify;
pub mod visit;

pub use claim::{Applied, Automaton, AutomatonEdge, Claim, ClaimFormula, ClaimVariable, Condition, Literal, Quantity};
pub use effects::Effects;
pub use expr::{
    Arg, BinaryOp, Call, Domain, Expr, ExprKind, MAX_DEPTH, Operand, Place, PlaceBase, Projection, Quantifier, UnaryOp,
};
pub use ids::{FunctionId, GlobalId, LocalId, PropertyId, RuleId, SortId, StartId, TypeId};
pub use layout::{Layout, LayoutError, MAX_WIDTH_BITS, MultisetRegion, Slot};
pub use model::{
    Binder, Function, Global, Local, LocalMode, Locals, Model, Owner, Property, PropertyKind, Rule, StartState, params,
};
pub use part::Part;
pub use stmt::{Block, PutItem, Stmt, StmtKind};
pub use types::{Field, Shape, Sort, SortKind, Type, TypeDef, Types, UNDEFINED};
pub use value::Value;
pub use verify::{Defect, DefectKind, Subject, Table, verify};
