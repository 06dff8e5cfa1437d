//! Condition variables.
//!
//! A wait is two operations: release the mutex and join the waiters; then leave
//! them by a signal and take the mutex again. Any waiter may take a signal, so
//! the order of waking is explored like every other order.

use std::ffi::{c_int, c_void};

use burnside_stateless::{Kind, Op};
use libc::timespec;

use crate::objects::Outcome;
use crate::real::hook;
use crate::run;

hook! {
    fn pthread_cond_init(condition: *mut c_void, _attributes: *const c_void) -> c_int {
        run::create(condition.addr());
        // SAFETY: a `pthread_cond_t` has 48 bytes; all zero is its initial value.
        unsafe { condition.cast::<[u8; 48]>().write([0; 48]) };
        0
    }

    fn pthread_cond_destroy(condition: *mut c_void) -> c_int {
        run::forget(condition.addr());
        0
    }

    fn pthread_cond_wait(condition: *mut c_void, mutex: *mut c_void) -> c_int {
        wait(condition, mutex, Deadline::None)
    }

    fn pthread_cond_timedwait(condition: *mut c_void, mutex: *mut c_void, _deadline: *const timespec) -> c_int {
        wait(condition, mutex, Deadline::Some)
    }

    fn pthread_cond_clockwait(condition: *mut c_void, mutex: *mut c_void, _clock: c_int, _deadline: *const timespec) -> c_int {
        wait(condition, mutex, Deadline::Some)
    }

    fn pthread_cond_signal(condition: *mut c_void) -> c_int {
        run::perform(Op::on(Kind::CondSignal, run::name(condition.addr())));
        0
    }

    fn pthread_cond_broadcast(condition: *mut c_void) -> c_int {
        run::perform(Op::on(Kind::CondBroadcast, run::name(condition.addr())));
        0
    }
}

/// May the wait end by time alone?
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Deadline {
    None,
    Some,
}

/// Waits on `condition`; the result of `pthread_cond_wait` and its variants.
pub(super) fn wait(condition: *mut c_void, mutex: *mut c_void, deadline: Deadline) -> c_int {
    let (condition, mutex) = (run::name(condition.addr()), run::name(mutex.addr()));
    run::perform(Op::on_two(Kind::CondWait, condition, mutex));
    let spurious = run::with(|run| run.me().n_spurious < run.options.spurious_wakeups);
    let kind = match deadline {
        Deadline::None if !spurious => Kind::CondWake,
        _ => Kind::CondTimedWake,
    };
    match run::perform(Op::on_two(kind, condition, mutex)) {
        Outcome::Refused if deadline == Deadline::Some => libc::ETIMEDOUT,
        Outcome::Refused => {
            run::with(|run| run.me().n_spurious += 1);
            0
        }
        _ => 0,
    }
}
