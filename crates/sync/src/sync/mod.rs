//! `std::sync` under the scheduler.
//!
//! Every type keeps its value in the type of the same name from `std`, which is never contended: an operation reaches it
//! only after the scheduler has granted it.

mod arc;
pub mod atomic;
mod barrier;
mod condvar;
pub mod mpsc;
mod mutex;
mod notify;
mod once;
mod poison;
mod rwlock;
mod semaphore;

pub use arc::{Arc, Weak};
pub use barrier::{Barrier, BarrierWaitResult};
pub use condvar::{Condvar, WaitTimeoutResult};
pub use mutex::{Mutex, MutexGuard};
pub use notify::Notify;
pub use once::{LazyLock, Once, OnceLock, OnceState};
pub use rwlock::{RwLock, RwLockReadGuard, RwLockWriteGuard};
pub use semaphore::Semaphore;

pub use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};
