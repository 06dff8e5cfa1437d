//! IR rules and properties as native code.
//!
//! [`Compiled`] holds one native function per rule, which tries every parameter binding in a packed state and writes
//! the successors straight into a [`StepBuffer`](burnside_interp::StepBuffer), and one per property. Start at
//! `Compiled::expand`, then `emit/rule.rs`. Whatever a function cannot say in its return code (which fault, which
//! parameters) is found by replaying in the interpreter. No code address leaves this crate. There is no search here,
//! and no storage of states.

mod bits;
mod code;
mod compile;
mod emit;
mod facts;
mod gates;
mod normalise;
mod runtime;

pub use code::{Compiled, Context};
pub use compile::Unsupported;
