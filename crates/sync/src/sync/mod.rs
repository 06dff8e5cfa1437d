//! `std::sync` under the scheduler.
//!
//! Every type keeps its value in the type of the same name from `std`, which is never contended: an operation reaches it
//! only after the scheduler has granted it.

pub mod atomic;
mod barrier;
mod condvar;
pub mod mpsc;
mod mutex;
mod once;
mod rwlock;
mod semaphore;

pub use barrier::{Barrier, BarrierWaitResult};
pub use condvar::{Condvar, WaitTimeoutResult};
pub use mutex::{Mutex, MutexGuard};
pub use once::{LazyLock, Once, OnceLock, OnceState};
pub use rwlock::{RwLock, RwLockReadGuard, RwLockWriteGuard};
pub use semaphore::Semaphore;

// Reference counts are not visible operations: no program may depend on when they change.
pub use std::sync::{Arc, LockResult, PoisonError, TryLockError, TryLockResult, Weak};
