//! The part of Burnside that lives inside a tested program.
//!
//! `burnside run -- ./program` starts the program with this library in front of
//! the C library ([`hooks`] replaces what the program calls to create threads
//! and to synchronise). When the program reaches `main`, [`worker`] waits for
//! plans and executes `main` once for each. Between visible operations exactly
//! one thread of the program runs; at each of them [`run`] asks the core's
//! cursor who is next, and switches.
//!
//! How threads are kept apart is the executor's business: user-level threads
//! ([`user`], [`context`], [`tls`]) with the memory put back afterwards
//! ([`snapshot`]) or in a process of their own, or threads of the kernel that
//! pass a baton.
//!
//! The library never uses the program's heap ([`arena`]), nor the functions it
//! has replaced ([`sys`]).
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

mod arena;
mod backtrace;
mod context;
mod hooks;
mod names;
mod objects;
mod real;
mod run;
mod signals;
mod snapshot;
mod sys;
mod tls;
mod user;
mod worker;
