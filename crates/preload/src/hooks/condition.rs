//! Condition variables.
//!
//! A wait is two operations: release the mutex and join the waiters; then leave
//! them by a signal and take the mutex again. Any waiter may take a signal, so
//! the order of waking is explored like every other order.

use std::ffi::{c_int, c_void};

use burnside_stateless::{Kind, ObjId, Op};
use libc::timespec;

use super::marks;
use super::mutex::{destroy, initialise, is_robust, is_shared, may_wait_with};
use super::time;
use crate::objects::Outcome;
use crate::real::{hook, real};
use crate::run;

hook! {
    fn pthread_cond_init(condition: *mut c_void, attributes: *const c_void) -> c_int {
        let real = real!(pthread_condattr_getpshared: unsafe extern "C" fn(*const c_void, *mut c_int) -> c_int);
        // SAFETY: the caller's attributes.
        initialise(condition.addr(), unsafe { is_shared(real, attributes) });
        // SAFETY: the caller passes room for a condition.
        unsafe { clear(condition) };
        0
    }

    fn pthread_cond_destroy(condition: *mut c_void) -> c_int {
        destroy_condition(condition);
        0
    }

    fn pthread_cond_wait(condition: *mut c_void, mutex: *mut c_void) -> c_int {
        wait(condition, mutex, None)
    }

    fn pthread_cond_timedwait(condition: *mut c_void, mutex: *mut c_void, deadline: *const timespec) -> c_int {
        // SAFETY: the caller passes a time.
        wait(condition, mutex, Some(unsafe { *deadline }))
    }

    fn pthread_cond_clockwait(condition: *mut c_void, mutex: *mut c_void, clock: c_int, deadline: *const timespec) -> c_int {
        if !time::is_waited_by(clock) {
            return libc::EINVAL;
        }
        // SAFETY: the caller passes a time.
        wait(condition, mutex, Some(unsafe { *deadline }))
    }

    fn pthread_cond_signal(condition: *mut c_void) -> c_int {
        run::perform(Op::on(Kind::CondSignal, known(condition)));
        known(condition);
        0
    }

    fn pthread_cond_broadcast(condition: *mut c_void) -> c_int {
        run::perform(Op::on(Kind::CondBroadcast, known(condition)));
        known(condition);
        0
    }
}

/// All zero is the initial value of a condition.
///
/// # Safety
///
/// `condition` must be valid for writes of a `pthread_cond_t`.
pub(super) unsafe fn clear(condition: *mut c_void) {
    // SAFETY: passed on from the caller; it has 48 bytes.
    unsafe { condition.cast::<[u8; 48]>().write([0; 48]) };
}

pub(super) fn destroy_condition(condition: *mut c_void) {
    known(condition);
    destroy(condition.addr(), "condition variable", || _ = known(condition));
    // SAFETY: the caller's condition, which is no more.
    unsafe { marks::leave(condition) };
}

/// The name of a condition that has not been destroyed.
pub(super) fn known(condition: *mut c_void) -> ObjId {
    // SAFETY: the program passes a condition.
    unsafe { marks::check(condition, "condition variable") };
    run::name(condition.addr())
}

/// Waits on `condition`; the result of `pthread_cond_wait` and its variants.
///
/// Timing out and taking the mutex again are two operations: in between others
/// may lock it and make true what was waited for.
pub(super) fn wait(condition: *mut c_void, mutex: *mut c_void, deadline: Option<timespec>) -> c_int {
    if deadline.is_some_and(|deadline| !time::is_valid(&deadline)) {
        return libc::EINVAL;
    }
    // SAFETY: the caller passes an initialised mutex.
    if let Err(error) = unsafe { may_wait_with(mutex) } {
        return error;
    }
    // SAFETY: as above.
    let is_robust = unsafe { is_robust(mutex) };
    let place = condition;
    let (condition, mutex) = (known(place), run::name(mutex.addr()));
    run::perform(Op::on_two(Kind::CondWait, condition, mutex));
    known(place);
    if is_robust {
        run::with(|run| run.objects.settle_robust(mutex));
    }
    let spurious = run::with(|run| run.me().n_spurious < run.options.spurious_wakeups);
    if deadline.is_none() && !spurious {
        run::perform(Op::on_two(Kind::CondWake, condition, mutex));
        return locked_again(is_robust, mutex);
    }
    let woken = run::perform(Op::on(Kind::CondTimedWake, condition)) != Outcome::Refused;
    match deadline {
        _ if woken => {}
        Some(deadline) => time::reach(time::since_epoch(&deadline)),
        None => run::with(|run| run.me().n_spurious += 1),
    }
    run::perform(Op::on(Kind::MutexLock, mutex));
    match locked_again(is_robust, mutex) {
        0 if !woken && deadline.is_some() => libc::ETIMEDOUT,
        error => error,
    }
}

/// What taking the mutex again says. A robust one may have lost its owner in the meantime, or be of no use any more and
/// then not taken.
fn locked_again(is_robust: bool, mutex: ObjId) -> c_int {
    match is_robust {
        true if run::with(|run| run.objects.is_lost(mutex)) => libc::ENOTRECOVERABLE,
        true if run::with(|run| run.objects.inherits(mutex)) => libc::EOWNERDEAD,
        _ => 0,
    }
}
