//! What Burnside and the library inside a tested program say to each other.
//!
//! After a [`Setup`] one execution is one [`Order`] and one [`Reply`]: the plan of a
//! cursor goes in, the trace comes back, and no step in between needs a message. Or a whole search goes in and comes
//! back after many executions ([`Ahead`]). Values
//! travel as 64-bit words ([`Wire`]), messages with their length in front
//! ([`frame`], [`unframe`]). Both ends are built from the same source, so there is no
//! version to negotiate; a word that makes no sense decodes to `None`.
//!
//! This crate does no input or output.

mod core_values;
mod message;
mod words;

pub use message::{
    Ahead, CHANNEL_VARIABLE, Executor, Further, Options, Order, REPLAY_VARIABLE, Race, Reply, Report, Setup, Start,
};
pub use words::{Behind, Bytes, Reader, Wire, decode, frame, unframe};
