//! The text form of a model: what people read when they look at the IR, and what tests write.
//!
//! [`print()`] and [`parse`] are inverse to each other for every model, well-formed or not, up to the depth limit of the
//! parser; judging a model is the verifier's job. The grammar is documented in `docs/internals/ir-text.md`.

mod lex;
mod parse;
mod print;
mod sexp;
mod words;

use std::fmt;

use crate::{ExprKind, Global, Local, PlaceBase, Projection, TypeId, Types, UnaryOp};

pub use parse::parse;
pub use print::{print, print_brief};

/// Why a text is no model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextError {
    /// The byte where it was noticed.
    pub offset: usize,
    /// What is wrong: lower case, no final stop.
    pub message: String,
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}: {}", self.offset, self.message)
    }
}

impl std::error::Error for TextError {}

/// The type an expression has when the text does not say otherwise.
fn implied_type(kind: &ExprKind) -> Option<TypeId> {
    match kind {
        ExprKind::Read(place) => Some(place.ty),
        ExprKind::Unary(UnaryOp::Not, _)
        | ExprKind::IsUndefined(_)
        | ExprKind::SameAggregate(..)
        | ExprKind::IsMember(..)
        | ExprKind::Quantified(..) => Some(TypeId::BOOL),
        ExprKind::Unary(UnaryOp::Neg | UnaryOp::BitNot, _) | ExprKind::Count(..) | ExprKind::SlotNumber(_) => {
            Some(TypeId::INT)
        }
        ExprKind::Binary(op, ..) => Some(if op.is_predicate() { TypeId::BOOL } else { TypeId::INT }),
        ExprKind::Conditional(_, then, _) => Some(then.ty),
        ExprKind::Const(_) | ExprKind::Convert(_) | ExprKind::Call(_) => None,
    }
}

/// What the types of places follow from.
#[derive(Clone, Copy)]
struct Scope<'a> {
    types: &'a Types,
    globals: &'a [Global],
    locals: &'a [Local],
}

impl Scope<'_> {
    /// The type a place has when the text does not say otherwise. Results of calls have none, because a function may
    /// be called in the text before it is declared.
    fn implied_place_type(self, base: &PlaceBase, path: &[Projection]) -> Option<TypeId> {
        let whole = match base {
            PlaceBase::Global(global) => self.globals.get(global.index())?.ty,
            PlaceBase::Local(local) => self.locals.get(local.index())?.ty,
            PlaceBase::Call(_) => return None,
        };
        path.iter().try_fold(whole, |ty, step| step.part_type(self.types, ty))
    }
}
