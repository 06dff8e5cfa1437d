//! `Mutex`.

use super::poison::{Poison, Since};
use crate::runtime::{create, only_looked, perform, perform_in_drop};
use burnside_stateless::{Kind, ObjId, Op};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::{self as real, LockResult, PoisonError, TryLockError, TryLockResult};

/// A mutual exclusion lock; see [`std::sync::Mutex`].
pub struct Mutex<T: ?Sized> {
    obj: ObjId,
    poison: Poison,
    inner: real::Mutex<T>,
}

/// Access to the value of a [`Mutex`].
#[must_use = "a guard that is dropped at once protects nothing"]
pub struct MutexGuard<'a, T: ?Sized> {
    lock: &'a Mutex<T>,
    /// `None` only while the guard is being given back.
    inner: Option<real::MutexGuard<'a, T>>,
    since: Since,
}

impl<T> Mutex<T> {
    /// A free mutex. To be called inside a run.
    pub fn new(value: T) -> Self {
        Self { obj: create(None), poison: Poison::default(), inner: real::Mutex::new(value) }
    }

    /// The value, without locking.
    ///
    /// # Errors
    ///
    /// If a holder panicked.
    pub fn into_inner(self) -> LockResult<T> {
        self.poison.result(self.inner.into_inner().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<T: ?Sized> Mutex<T> {
    /// Waits until the mutex is free and takes it.
    ///
    /// # Errors
    ///
    /// If a holder panicked.
    #[track_caller]
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        perform(Op::on(Kind::MutexLock, self.obj));
        self.granted()
    }

    /// Takes the mutex if it is free.
    ///
    /// # Errors
    ///
    /// If it is not, or a holder panicked.
    #[track_caller]
    pub fn try_lock(&self) -> TryLockResult<MutexGuard<'_, T>> {
        if perform(Op::on(Kind::MutexTryLock, self.obj)) == 0 {
            only_looked(self.obj);
            return Err(TryLockError::WouldBlock);
        }
        Ok(self.granted()?)
    }

    /// The value, which nobody else can reach.
    ///
    /// # Errors
    ///
    /// If a holder panicked.
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        self.poison.result(self.inner.get_mut().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether a holder panicked.
    #[track_caller]
    pub fn is_poisoned(&self) -> bool {
        self.poison.get(self.obj)
    }

    /// Forgets that a holder panicked.
    #[track_caller]
    pub fn clear_poison(&self) {
        self.poison.clear(self.obj);
    }

    pub(crate) fn id(&self) -> ObjId {
        self.obj
    }

    /// Takes the real lock, which is free because the simulated one has been granted.
    pub(crate) fn granted(&self) -> LockResult<MutexGuard<'_, T>> {
        let inner = Some(self.inner.lock().unwrap_or_else(PoisonError::into_inner));
        self.poison.result(MutexGuard { lock: self, inner, since: Since::now() })
    }
}

impl<'a, T: ?Sized> MutexGuard<'a, T> {
    /// Gives the real lock back without the simulated one: waiting on a condition does both in one step.
    pub(crate) fn give_back(mut self) -> &'a Mutex<T> {
        let lock = self.lock;
        drop(self.inner.take());
        std::mem::forget(self);
        lock
    }

    pub(crate) fn mutex_id(&self) -> ObjId {
        self.lock.obj
    }
}

impl<T: ?Sized> Drop for MutexGuard<'_, T> {
    #[track_caller]
    fn drop(&mut self) {
        // The value stays protected until the scheduler has let the unlocking happen.
        let op = Op::on(Kind::MutexUnlock, self.lock.obj);
        let panicked = self.since.panicked();
        drop(self.inner.take());
        perform_in_drop(op);
        self.lock.poison.set_if(panicked);
    }
}

impl<T: ?Sized> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.inner.as_ref().expect("a guard in use holds the lock")
    }
}

impl<T: ?Sized> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.inner.as_mut().expect("a guard in use holds the lock")
    }
}

impl<T: Default> Default for Mutex<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> From<T> for Mutex<T> {
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
