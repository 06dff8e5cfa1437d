//! `Condvar`.

use super::mutex::MutexGuard;
use crate::runtime::{advance, create, may_wake_spuriously, perform, woke_spuriously};
use burnside_stateless::{Kind, ObjId, Op};
use std::sync::LockResult;
use std::time::Duration;

/// A condition variable; see [`std::sync::Condvar`]. Which of several waiters a notification wakes is explored.
#[derive(Debug)]
pub struct Condvar {
    obj: ObjId,
}

/// Whether a timed wait ended by its deadline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WaitTimeoutResult(bool);

impl WaitTimeoutResult {
    /// Whether the deadline passed before a notification.
    #[must_use]
    pub fn timed_out(&self) -> bool {
        self.0
    }
}

impl Condvar {
    /// A condition nobody waits for. To be called inside a run.
    #[must_use]
    pub fn new() -> Self {
        Self { obj: create(None) }
    }

    /// Releases the mutex, waits for a notification and takes the mutex again.
    ///
    /// # Errors
    ///
    /// If a holder of the mutex panicked.
    #[track_caller]
    pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        if !may_wake_spuriously() {
            return self.wait_by(Kind::CondWake, guard).0;
        }
        let (guard, notified) = self.wait_by(Kind::CondTimedWake, guard);
        if !notified {
            woke_spuriously();
        }
        guard
    }

    /// Waits while `condition` holds.
    ///
    /// # Errors
    ///
    /// If a holder of the mutex panicked.
    #[track_caller]
    pub fn wait_while<'a, T, F>(&self, mut guard: MutexGuard<'a, T>, mut condition: F) -> LockResult<MutexGuard<'a, T>>
    where
        F: FnMut(&mut T) -> bool,
    {
        while condition(&mut guard) {
            guard = self.wait(guard)?;
        }
        Ok(guard)
    }

    /// As [`Condvar::wait`], but a deadline may pass.
    ///
    /// # Errors
    ///
    /// If a holder of the mutex panicked.
    #[track_caller]
    pub fn wait_timeout<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        timeout: Duration,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
        let (guard, signalled) = self.wait_by(Kind::CondTimedWake, guard);
        if !signalled {
            advance(timeout);
        }
        let result = WaitTimeoutResult(!signalled);
        match guard {
            Ok(guard) => Ok((guard, result)),
            Err(poison) => Err(std::sync::PoisonError::new((poison.into_inner(), result))),
        }
    }

    /// Waits while `condition` holds and no deadline has passed.
    ///
    /// # Errors
    ///
    /// If a holder of the mutex panicked.
    #[track_caller]
    pub fn wait_timeout_while<'a, T, F>(
        &self,
        mut guard: MutexGuard<'a, T>,
        timeout: Duration,
        mut condition: F,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)>
    where
        F: FnMut(&mut T) -> bool,
    {
        while condition(&mut guard) {
            let (next, result) = self.wait_timeout(guard, timeout)?;
            guard = next;
            if result.timed_out() {
                let still = condition(&mut guard);
                return Ok((guard, WaitTimeoutResult(still)));
            }
        }
        Ok((guard, WaitTimeoutResult(false)))
    }

    /// Notifies one waiter.
    #[track_caller]
    pub fn notify_one(&self) {
        perform(Op::on(Kind::CondSignal, self.obj));
    }

    /// Notifies every waiter.
    #[track_caller]
    pub fn notify_all(&self) {
        perform(Op::on(Kind::CondBroadcast, self.obj));
    }

    pub(crate) fn id(&self) -> ObjId {
        self.obj
    }

    #[track_caller]
    fn wait_by<'a, T>(&self, wake: Kind, guard: MutexGuard<'a, T>) -> (LockResult<MutexGuard<'a, T>>, bool) {
        let mutex = guard.mutex_id();
        let lock = guard.give_back();
        perform(Op::on_two(Kind::CondWait, self.obj, mutex));
        let signalled = perform(Op::on_two(wake, self.obj, mutex)) == 1;
        (lock.granted(), signalled)
    }
}

impl Default for Condvar {
    fn default() -> Self {
        Self::new()
    }
}
