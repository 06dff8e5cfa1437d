//! Systematic testing of real concurrent programs, without storing states.
//!
//! A program is anything that can be run again and again from its initial state under a scheduler: a model, a Rust
//! closure on coroutines, a binary under an interposed thread library. It reports, before each *visible operation*, the
//! pending operation of every thread; a [`Cursor`] answers which thread goes next. When the run is over an [`Explorer`]
//! reads its [`Trace`] and hands out the cursor of the next run, until every behaviour has been seen once.
//!
//! This crate performs no input or output, starts no threads unless asked to explore in parallel, and reads no clock but
//! the one given to it. Every verdict is a verdict under sequential consistency.

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

mod check;
mod cursor;
mod explorer;
mod history;
mod model;
mod op;
mod parallel;
mod persistent;
mod refute;
mod relation;
mod render;
mod sampler;
mod schedule;
mod search;
mod set;
mod symmetry;
mod trace;
mod wakeup;
mod wire;
mod world;

pub use check::{Config, Report, Strategy, Verdict, check, go_on};
pub use cursor::{Cursor, Pick, Plan, Policy, Sleeper, Step};
pub use explorer::{Bounds, Explorer, FaultKnown, NotDeterministic, Stats, Subject};
pub use model::{Instr, Model, Outcome, Program};
pub use op::{Kind, ObjId, Op, ThreadId};
pub use parallel::check_parallel;
pub use persistent::Persistent;
pub use refute::check_symmetry;
pub use relation::{Relation, dependent, relation};
pub use render::{Names, Page, cause, counts, explain, headline, html, json, lanes};
pub use sampler::{Sampler, Sampling};
pub use schedule::{Schedule, fewest_switches, replay};
pub use search::{Learnt, Method, Search, Symmetry};
pub use set::ThreadSet;
pub use symmetry::{Family, Member, Permutation, Shape};
pub use trace::{Birth, Cut, End, Event, Failure, FailureKind, Trace};
pub use world::{Chan, Cond, Object, Once, World};
