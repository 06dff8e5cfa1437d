//! Murphi text to a model: the union of the languages of CMurphi and Rumur.
//!
//! [`load`] does it all. Its stages: [`parse`] reads text into an [`Ast`](ast::Ast) and never fails; `check` resolves
//! names and types and folds constants into a typed tree; `lower` turns that into IR. All problems of a file are
//! reported together, each under a stable code listed in [`CODES`].
//!
//! This crate reads no files and prints nothing.

pub mod ast;
mod check;
mod codes;
mod effects;
mod format;
mod lex;
mod load;
mod lower;
mod parse;
mod typed;

pub use ast::ClaimKind;
pub use codes::CODES;
pub use format::format;
pub use load::{ClaimText, Loaded, Options, load};
pub use parse::parse;
