//! The reference evaluator: slow, safe, and by definition right.
//!
//! [`Interpreter`] enumerates the start states of a model and the successors of a state, and evaluates properties, on
//! unpacked states (one `i64` per slot). Whatever an engine does differently is compared with this; every
//! counterexample is replayed by it before it is shown. It does no search and keeps no states.

mod buffer;
mod eval;
mod exec;
mod fault;
mod frame;
mod machine;
mod passage;
mod step;

pub use buffer::{RecordedStep, StepBuffer, StepEnd};
pub use fault::{Fault, FaultKind};
pub use passage::Hop;
pub use step::{Condition, Interpreter, Limits, Outcome, STACK_BYTES, Site, Truth};
