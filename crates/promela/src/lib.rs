//! Promela text to IR, as SPIN 6.5.2 understands it.
//!
//! [`load`] does it all. Its stages:
//!
//! 1. `preprocess`: macros, conditionals and includes; every token keeps its place in the user's text.
//! 2. `lex`: keywords, and the semicolons that line breaks imply.
//! 3. `parse`: the [`Ast`](ast::Ast), with calls of inlines expanded; never fails.
//! 4. `check`: names, types, constants, and everything SPIN refuses; gives the [`typed`] tree.
//! 5. [`flow`]: the automaton of each process and claim, with exactly the places and steps of SPIN's unoptimised verifier
//!    (`spin -a -o1 -o2 -o3`). Whatever executes a model starts from here: no later stage looks at statements again.
//! 6. `lower`: the IR, by [`Model::lower`].
//!
//! [`mod@reference`] explores those automata in the plainest way and counts states as SPIN does. It is what faster ways of
//! running a model are compared with. Lowering asks it for one thing, which processes and channels come into being; a rule
//! that would make others faults.
//!
//! The border to whoever lowers a model: [`typed::Program`] says what exists (frames of slots, kinds of channels, processes
//! at the start), [`flow::Flow`] what happens, and [`mod@reference`] what both mean. All problems of a model are reported
//! together, each under a stable code listed in [`CODES`]. This crate reads no files and prints nothing; the caller finds
//! included texts.

pub mod ast;
mod check;
mod codes;
mod diagram;
mod eval;
pub mod flow;
pub mod formula;
mod lex;
mod load;
mod lower;
mod parse;
mod preprocess;
pub mod reference;
pub mod typed;

pub use codes::CODES;
pub use diagram::{Diagram, Pipe, Use};
pub use load::{Labels, Loaded, Model, Options, load, parse};
pub use lower::Statement;
pub use preprocess::{Include, Resolver};
