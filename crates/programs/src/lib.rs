//! Testing programs that exist: C, C++ and anything else that calls the C library.
//!
//! `burnside run -- ./program args` starts the program with a library of ours in
//! front of the C library ([`runtime`]), which executes it once for every plan it
//! is sent ([`Process`]). The core's explorers decide on the plans; this crate
//! carries messages, finds out which threads are interchangeable
//! ([`symmetry`]), turns addresses into names ([`symbols`]) and presents what
//! was found ([`cli`]).

pub mod cli;
mod process;
mod runtime;

pub use process::{Failed, Process, Target};
