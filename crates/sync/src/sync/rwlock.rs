//! `RwLock`.

use super::poison::{Poison, Since};
use crate::runtime::{create, only_looked, perform, perform_in_drop};
use burnside_stateless::{Kind, ObjId, Op};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::{self as real, LockResult, PoisonError, TryLockError, TryLockResult};

/// A readers-writer lock; see [`std::sync::RwLock`].
pub struct RwLock<T: ?Sized> {
    obj: ObjId,
    poison: Poison,
    inner: real::RwLock<T>,
}

impl<T> RwLock<T> {
    /// A free lock. To be called inside a run.
    pub fn new(value: T) -> Self {
        Self { obj: create(None), poison: Poison::default(), inner: real::RwLock::new(value) }
    }

    /// The value, without locking.
    ///
    /// # Errors
    ///
    /// If a writer panicked.
    pub fn into_inner(self) -> LockResult<T> {
        self.poison.result(self.inner.into_inner().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<T: ?Sized> RwLock<T> {
    /// The value, which nobody else can reach.
    ///
    /// # Errors
    ///
    /// If a writer panicked.
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        self.poison.result(self.inner.get_mut().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether a writer panicked.
    #[track_caller]
    pub fn is_poisoned(&self) -> bool {
        self.poison.get(self.obj)
    }

    /// Forgets that a writer panicked.
    #[track_caller]
    pub fn clear_poison(&self) {
        self.poison.clear(self.obj);
    }

    pub(crate) fn id(&self) -> ObjId {
        self.obj
    }
}

/// Shared access to the value of an [`RwLock`].
#[must_use = "a guard that is dropped at once protects nothing"]
pub struct RwLockReadGuard<'a, T: ?Sized> {
    lock: &'a RwLock<T>,
    /// `None` only while the guard is being given back.
    inner: Option<real::RwLockReadGuard<'a, T>>,
}

impl<T: ?Sized> RwLock<T> {
    /// Waits while no writer holds the lock, and takes it shared.
    ///
    /// # Errors
    ///
    /// If a writer panicked.
    #[track_caller]
    pub fn read(&self) -> LockResult<RwLockReadGuard<'_, T>> {
        perform(Op::on(Kind::RwRead, self.obj));
        self.granted_read()
    }

    /// As [`RwLock::read`], without waiting.
    ///
    /// # Errors
    ///
    /// If waiting were needed, or a writer panicked.
    #[track_caller]
    pub fn try_read(&self) -> TryLockResult<RwLockReadGuard<'_, T>> {
        if perform(Op::on(Kind::RwTryRead, self.obj)) == 0 {
            only_looked(self.obj);
            return Err(TryLockError::WouldBlock);
        }
        Ok(self.granted_read()?)
    }

    fn granted_read(&self) -> LockResult<RwLockReadGuard<'_, T>> {
        let inner = Some(self.inner.read().unwrap_or_else(PoisonError::into_inner));
        self.poison.result(RwLockReadGuard { lock: self, inner })
    }
}

impl<T: ?Sized> Drop for RwLockReadGuard<'_, T> {
    #[track_caller]
    fn drop(&mut self) {
        drop(self.inner.take());
        perform_in_drop(Op::on(Kind::RwReadUnlock, self.lock.obj));
    }
}

impl<T: ?Sized> Deref for RwLockReadGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.inner.as_ref().expect("a guard in use holds the lock")
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLockReadGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

/// Exclusive access to the value of an [`RwLock`].
#[must_use = "a guard that is dropped at once protects nothing"]
pub struct RwLockWriteGuard<'a, T: ?Sized> {
    lock: &'a RwLock<T>,
    /// `None` only while the guard is being given back.
    inner: Option<real::RwLockWriteGuard<'a, T>>,
    since: Since,
}

impl<T: ?Sized> RwLock<T> {
    /// Waits until nobody holds the lock, and takes it.
    ///
    /// # Errors
    ///
    /// If a writer panicked.
    #[track_caller]
    pub fn write(&self) -> LockResult<RwLockWriteGuard<'_, T>> {
        perform(Op::on(Kind::RwWrite, self.obj));
        self.granted_write()
    }

    /// As [`RwLock::write`], without waiting.
    ///
    /// # Errors
    ///
    /// If waiting were needed, or a writer panicked.
    #[track_caller]
    pub fn try_write(&self) -> TryLockResult<RwLockWriteGuard<'_, T>> {
        if perform(Op::on(Kind::RwTryWrite, self.obj)) == 0 {
            only_looked(self.obj);
            return Err(TryLockError::WouldBlock);
        }
        Ok(self.granted_write()?)
    }

    fn granted_write(&self) -> LockResult<RwLockWriteGuard<'_, T>> {
        let inner = Some(self.inner.write().unwrap_or_else(PoisonError::into_inner));
        self.poison.result(RwLockWriteGuard { lock: self, inner, since: Since::now() })
    }
}

impl<T: ?Sized> Drop for RwLockWriteGuard<'_, T> {
    #[track_caller]
    fn drop(&mut self) {
        let panicked = self.since.panicked();
        drop(self.inner.take());
        perform_in_drop(Op::on(Kind::RwWriteUnlock, self.lock.obj));
        self.lock.poison.set_if(panicked);
    }
}

impl<T: ?Sized> Deref for RwLockWriteGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.inner.as_ref().expect("a guard in use holds the lock")
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLockWriteGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized> DerefMut for RwLockWriteGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.inner.as_mut().expect("a guard in use holds the lock")
    }
}

impl<T> From<T> for RwLock<T> {
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

impl<T: Default> Default for RwLock<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}
