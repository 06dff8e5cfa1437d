//! Reader-writer locks and barriers.
//!
//! A lock that prefers writers keeps readers out while a writer is in line. A
//! writer then first queues up and afterwards takes the lock, two operations.
//! What can be swapped with what at such a lock depends on who is in line, so
//! its operations are of the kinds that are swapped with nothing.

use std::ffi::{c_int, c_uint, c_void};

use burnside_stateless::{Kind, ObjId, Op};
use libc::timespec;

use super::marks;
use super::mutex::{How, destroy, destroy_for_good, in_use, initialise, is_shared};
use super::time;
use crate::objects::{Await, Outcome};
use crate::real::{hook, real};
use crate::run;

/// Offset of the flag that says writers are preferred, in glibc on x86-64.
const FLAGS: usize = 48;
const PREFERS_WRITERS: c_uint = 2;

hook! {
    fn pthread_rwlock_init(lock: *mut c_void, attributes: *const c_void) -> c_int {
        let get = real!(pthread_rwlockattr_getpshared: unsafe extern "C" fn(*const c_void, *mut c_int) -> c_int);
        // SAFETY: the caller's attributes.
        initialise(lock.addr(), unsafe { is_shared(get, attributes) });
        let real = real!(pthread_rwlock_init: unsafe extern "C" fn(*mut c_void, *const c_void) -> c_int);
        // The real initialisation stores who is preferred.
        // SAFETY: the caller's arguments, handed on unchanged.
        unsafe { real(lock, attributes) }
    }

    fn pthread_rwlock_destroy(lock: *mut c_void) -> c_int {
        known(lock);
        destroy(lock.addr(), "reader-writer lock", || _ = known(lock));
        // SAFETY: the caller's lock, which is no more.
        unsafe { marks::leave(lock) };
        0
    }

    fn pthread_rwlock_rdlock(lock: *mut c_void) -> c_int {
        take(lock, For::Reading, &How::Wait)
    }

    fn pthread_rwlock_tryrdlock(lock: *mut c_void) -> c_int {
        take(lock, For::Reading, &How::Try)
    }

    fn pthread_rwlock_timedrdlock(lock: *mut c_void, deadline: *const timespec) -> c_int {
        // SAFETY: the caller passes a time.
        take(lock, For::Reading, &How::Until(unsafe { *deadline }))
    }

    fn pthread_rwlock_clockrdlock(lock: *mut c_void, clock: c_int, deadline: *const timespec) -> c_int {
        if !time::is_waited_by(clock) {
            return libc::EINVAL;
        }
        // SAFETY: the caller passes a time.
        take(lock, For::Reading, &How::Until(unsafe { *deadline }))
    }

    fn pthread_rwlock_wrlock(lock: *mut c_void) -> c_int {
        take(lock, For::Writing, &How::Wait)
    }

    fn pthread_rwlock_trywrlock(lock: *mut c_void) -> c_int {
        take(lock, For::Writing, &How::Try)
    }

    fn pthread_rwlock_timedwrlock(lock: *mut c_void, deadline: *const timespec) -> c_int {
        // SAFETY: the caller passes a time.
        take(lock, For::Writing, &How::Until(unsafe { *deadline }))
    }

    fn pthread_rwlock_clockwrlock(lock: *mut c_void, clock: c_int, deadline: *const timespec) -> c_int {
        if !time::is_waited_by(clock) {
            return libc::EINVAL;
        }
        // SAFETY: the caller passes a time.
        take(lock, For::Writing, &How::Until(unsafe { *deadline }))
    }

    fn pthread_rwlock_unlock(lock: *mut c_void) -> c_int {
        let name = known(lock);
        let Some(kind) = run::with(|run| run.objects.unlock_kind(run.current(), name)) else {
            run::misuse("unlocks a reader-writer lock that it does not hold");
        };
        if prefers_writers(lock) {
            run::perform(Op::on(Kind::Opaque, name));
            run::with(|run| run.objects.release_lock(run.current(), name));
            return 0;
        }
        run::perform(Op::on(kind, name));
        0
    }

    fn pthread_barrier_init(barrier: *mut c_void, attributes: *const c_void, count: c_uint) -> c_int {
        if count == 0 {
            return libc::EINVAL;
        }
        let get = real!(pthread_barrierattr_getpshared: unsafe extern "C" fn(*const c_void, *mut c_int) -> c_int);
        // SAFETY: the caller's attributes.
        let name = initialise(barrier.addr(), unsafe { is_shared(get, attributes) });
        run::with(|run| run.objects.set_barrier(name, count.into()));
        0
    }

    fn pthread_barrier_destroy(barrier: *mut c_void) -> c_int {
        destroy_for_good(barrier.addr(), "barrier");
        0
    }

    fn pthread_barrier_wait(barrier: *mut c_void) -> c_int {
        let name = in_use(barrier.addr(), "barrier");
        let arrived = run::perform(Op::on(Kind::BarrierArrive, name));
        // It may have been destroyed in the meantime.
        in_use(barrier.addr(), "barrier");
        let Outcome::Value(round) = arrived else {
            return libc::PTHREAD_BARRIER_SERIAL_THREAD;
        };
        run::perform(Op::with(Kind::BarrierLeave, name, round));
        0
    }
}

/// What a lock is taken for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum For {
    Reading,
    Writing,
}

/// The name of a lock that has not been destroyed.
fn known(lock: *mut c_void) -> ObjId {
    // SAFETY: the program passes a lock.
    unsafe { marks::check(lock, "reader-writer lock") };
    run::name(lock.addr())
}

fn prefers_writers(lock: *mut c_void) -> bool {
    let flags = lock.wrapping_byte_add(FLAGS).cast::<c_uint>();
    // SAFETY: the field lies inside the lock, which the program passes initialised.
    unsafe { flags.read() == PREFERS_WRITERS }
}

fn take(lock: *mut c_void, purpose: For, how: &How) -> c_int {
    if matches!(how, How::Until(deadline) if !time::is_valid(deadline)) {
        return libc::EINVAL;
    }
    let name = known(lock);
    if run::with(|run| run.objects.is_writer(run.current(), name)) {
        return if matches!(how, How::Try) { libc::EBUSY } else { libc::EDEADLK };
    }
    if prefers_writers(lock) {
        return take_in_line(lock, name, purpose, how);
    }
    let kind = match (purpose, how) {
        (For::Reading, How::Wait) => Kind::RwRead,
        (For::Reading, _) => Kind::RwTryRead,
        (For::Writing, How::Wait) => Kind::RwWrite,
        (For::Writing, _) => Kind::RwTryWrite,
    };
    let outcome = run::perform(Op::on(kind, name));
    // It may have been destroyed in the meantime.
    known(lock);
    match outcome {
        Outcome::Refused => how.refusal(),
        _ => 0,
    }
}

/// Takes a lock that prefers writers.
fn take_in_line(lock: *mut c_void, name: ObjId, purpose: For, how: &How) -> c_int {
    let to_write = purpose == For::Writing;
    let me = run::with(|run| run.current());
    let waits = !matches!(how, How::Try);
    if to_write && waits {
        run::perform(Op::on(Kind::Opaque, name));
        known(lock);
        run::with(|run| run.objects.queue(me, name, true));
    }
    let kind = match how {
        How::Wait => Kind::Block,
        _ => Kind::Opaque,
    };
    let what = if to_write { Await::Write(name) } else { Await::Read(name) };
    run::with(|run| run.objects.plan_await(me, what));
    run::perform(Op::on(kind, name));
    known(lock);
    run::with(|run| run.objects.queue(me, name, false));
    if !run::with(|run| run.objects.may_take(me, name, to_write)) {
        return how.refusal();
    }
    run::with(|run| run.objects.take_lock(me, name, to_write));
    0
}
