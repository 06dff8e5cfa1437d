//! Poisoning: a lock whose holder panicked says so to whoever takes it next.
//!
//! The locks of `std` inside cannot tell, since `std` counts panics of all threads of the program together.

use crate::runtime::{is_unwinding, perform};
use burnside_stateless::{Kind, ObjId, Op};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{LockResult, PoisonError};

/// Whether a holder panicked.
#[derive(Debug, Default)]
pub(super) struct Poison(AtomicBool);

/// Whether its holder was unwinding when a lock was taken: such a holder poisons nothing.
#[derive(Debug)]
pub(super) struct Since(bool);

impl Since {
    pub(super) fn now() -> Self {
        Self(is_unwinding())
    }

    /// Whether the holder has begun to unwind.
    pub(super) fn panicked(&self) -> bool {
        !self.0 && is_unwinding()
    }
}

impl Poison {
    /// To be called when the lock has been given up, in the same step.
    pub(super) fn set_if(&self, panicked: bool) {
        if panicked {
            self.0.store(true, SeqCst);
        }
    }

    /// What is got, marked as poisoned if it is.
    pub(super) fn result<T>(&self, value: T) -> LockResult<T> {
        if self.0.load(SeqCst) { Err(PoisonError::new(value)) } else { Ok(value) }
    }

    // SOUND: the flag changes with unlocking, so whoever looks at it without the lock is in a race with that.
    #[track_caller]
    pub(super) fn get(&self, lock: ObjId) -> bool {
        perform(Op::on(Kind::Opaque, lock));
        self.0.load(SeqCst)
    }

    #[track_caller]
    pub(super) fn clear(&self, lock: ObjId) {
        perform(Op::on(Kind::Opaque, lock));
        self.0.store(false, SeqCst);
    }
}
