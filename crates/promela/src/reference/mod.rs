//! The meaning of a model, executed in the plainest way: every state is a value, every step a copy.
//!
//! [`explore`] visits all states and counts them as SPIN's verifier does when nothing is optimised (`spin -a -o1 -o2 -o3`,
//! `-DSAFETY -DNOCLAIM -DNOREDUCE`, `pan -c0`): states between the steps of an `atomic` and between the halves of a
//! rendezvous are passed through and not stored, and transitions are arrivals at states that are. It is right before it is
//! fast: faster ways of running a model are compared with it. Claims are not looked at.
//!
//! `state` says what a state is, `eval` what expressions mean, `exec` what statements do, `moves` who may move when.

mod channels;
mod created;
mod eval;
mod exec;
mod explore;
mod moves;
mod state;

pub(crate) use created::holds_run;
pub use created::{Created, First, created};
pub use explore::{Limits, Report, explore};
pub use state::{Channel, Process, State};

/// Something that is wrong with a model and does not keep it from going on, as with `pan -c0`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Fault {
    /// An `assert` fails.
    Assertion,
    /// Nothing can move, and some process is not where it may rest.
    InvalidEndState,
    /// An index outside its array; the first element is taken instead.
    ArrayIndex,
    /// A message with another number of fields than the channel has.
    MessageFields,
    /// The contents of a rendezvous channel are looked at.
    PollRendezvous,
    /// A channel that was never made, or is gone.
    NoChannel,
    /// A message that the `trace` does not allow.
    Trace,
}

/// Something after which nothing can be said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stop {
    /// A statement or selection inside a `d_step` blocks.
    DStepBlocks,
    /// A rendezvous send inside a `d_step`.
    RendezvousInDStep,
    /// A `d_step` that does not end.
    DStepEndless,
    /// A division by zero.
    DivisionByZero,
    /// More than 255 processes.
    TooManyProcesses,
    /// More than 255 channels.
    TooManyChannels,
    /// A priority outside 1 to 255.
    PriorityRange,
    /// The limit on states or steps was reached.
    Limit,
}

#[cfg(test)]
mod tests;
