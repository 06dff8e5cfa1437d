//! What the program calls instead of the C library.
//!
//! Each file takes over one family of functions. A replacement turns the call
//! into visible operations, lets [`crate::run::perform`] schedule and execute
//! them on the simulated objects, and translates the outcome into the
//! function's result. None of them touches the real object.

mod c11;
mod calls;
mod condition;
mod descriptors;
mod futex;
mod guards;
mod marks;
mod memory;
mod mutex;
mod once;
mod outside;
mod process;
mod rwlock;
mod semaphore;
mod sysv;
mod thread;
mod time;
mod tsan;
mod unwind;
mod verisoft;

pub(crate) use calls::replace_calls;
pub(crate) use descriptors::DESCRIPTORS;
pub(crate) use process::{exits, run_handlers};
pub(crate) use sysv::Sets;
pub(crate) use thread::{Keys, run_thread_destructors};
pub(crate) use unwind::Unwinding;
