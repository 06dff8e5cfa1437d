//! Drop-in `std::thread` and `std::sync` for tests that look at every interleaving.
//!
//! Write the code under test against this crate instead of `std`, and call [`check`] in an ordinary test:
//!
//! ```
//! use burnside_sync::{check, sync::{Arc, Mutex}, thread};
//!
//! check(|| {
//!     let total = Arc::new(Mutex::new(0));
//!     let workers: Vec<_> = (0..2)
//!         .map(|_| {
//!             let total = Arc::clone(&total);
//!             thread::spawn(move || *total.lock().unwrap() += 1)
//!         })
//!         .collect();
//!     for worker in workers {
//!         worker.join().unwrap();
//!     }
//!     assert_eq!(*total.lock().unwrap(), 2);
//! });
//! ```
//!
//! The closure runs once per Mazurkiewicz trace, on coroutines of the calling thread. A deadlock, a panic in any thread or a
//! data race on a [`cell`] fails the test with the schedule that leads there, which [`Checker::replay`] runs again, as does
//! the environment variable `BURNSIDE_REPLAY` that the failure prints. Verdicts are under sequential consistency, atomics
//! being treated as `SeqCst` whatever their `Ordering`, unless [`Checker::weak_memory`] asks for what C11 allows besides.
//!
//! Objects must be created inside the closure, or declared by [`statics!`]. A deadline may pass at any moment: a timed wait that finds nothing times
//! out as soon as it is scheduled.
//!
//! A thread that looks at an object, finds nothing to do and yields ([`thread::yield_now`], [`thread::sleep`],
//! [`hint::spin_loop`]) may do so for ever. Two such looks in a row are followed; after that it waits until the object has
//! changed, and the verdict is inconclusive, since a program that counts its looks might do something else.
//! [`Checker::pure_spins`] promises that it does not.

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

mod access;
pub mod cell;
mod checker;
mod coroutine;
pub mod future;
mod memory;
pub mod panic;
mod references;
mod replay;
mod runtime;
mod statics;
pub mod symmetry;
pub mod sync;
pub mod thread;
pub mod time;

pub use checker::{Checker, check};
pub use statics::Static;

/// Picks one of `n` alternatives; every one of them is explored.
///
/// # Panics
///
/// If `n` is zero, or outside [`check`].
#[track_caller]
#[must_use]
pub fn choose(n: usize) -> usize {
    use burnside_stateless::{Kind, ObjId, Op};
    assert!(n > 0, "nothing to choose from");
    runtime::perform(Op::with(Kind::Choose, ObjId::NONE, n as u64)) as usize
}

/// Hints of `std::hint` that matter to a scheduler.
pub mod hint {
    /// Tells the scheduler that this thread waits for another.
    pub fn spin_loop() {
        crate::thread::yield_now();
    }
}
