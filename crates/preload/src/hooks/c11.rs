//! The threads of C11, which are those of POSIX under other names.

use std::ffi::{c_int, c_void};

use burnside_stateless::{Kind, ObjId, Op};
use libc::timespec;

use super::condition::{clear, destroy_condition, known, wait};
use super::mutex::{How, destroy_mutex, initialise, lock, unlock};
use super::thread::{detach, join};
use super::time::{is_valid, sleep_for};
use crate::real::{hook, real};
use crate::run::{self, Run};

const SUCCESS: c_int = 0;
const BUSY: c_int = 1;
const ERROR: c_int = 2;
const TIMED_OUT: c_int = 4;
/// What `thrd_sleep` says where it is neither over nor interrupted.
const FAILED: c_int = -2;

hook! {
    fn thrd_create(handle: *mut usize, routine: usize, argument: usize) -> c_int {
        // SAFETY: the caller's arguments; an `int` result comes back in the
        // register that a pointer would.
        status(unsafe { run::spawn(handle, std::ptr::null(), routine, argument) })
    }

    fn thrd_current() -> usize {
        run::with(Run::ask_who)
    }

    fn thrd_join(handle: usize, result: *mut c_int) -> c_int {
        match join(handle, !result.is_null()) {
            Ok(value) => {
                if !result.is_null() {
                    // SAFETY: the caller passes a place for the result.
                    unsafe { result.write(value as c_int) };
                }
                SUCCESS
            }
            Err(_) => ERROR,
        }
    }

    fn thrd_detach(handle: usize) -> c_int {
        status(detach(handle))
    }

    fn thrd_sleep(duration: *const timespec, _rest: *mut timespec) -> c_int {
        // SAFETY: the caller passes a duration.
        let duration = unsafe { *duration };
        if !is_valid(&duration) || duration.tv_sec < 0 {
            return FAILED;
        }
        sleep_for(duration);
        0
    }

    fn thrd_yield() -> () {
        run::perform(Op::on(Kind::Yield, ObjId::NONE));
    }

    fn mtx_init(mutex: *mut c_void, kind: c_int) -> c_int {
        initialise(mutex.addr(), false);
        let real = real!(mtx_init: unsafe extern "C" fn(*mut c_void, c_int) -> c_int);
        // SAFETY: the caller's arguments; stores the type and locks nothing.
        unsafe { real(mutex, kind) }
    }

    fn mtx_destroy(mutex: *mut c_void) -> () {
        // SAFETY: the caller passes an initialised mutex.
        unsafe { destroy_mutex(mutex) };
    }

    fn mtx_lock(mutex: *mut c_void) -> c_int {
        // SAFETY: the caller passes an initialised mutex.
        status(unsafe { lock(mutex, &How::Wait) })
    }

    fn mtx_trylock(mutex: *mut c_void) -> c_int {
        // SAFETY: as above.
        status(unsafe { lock(mutex, &How::Try) })
    }

    fn mtx_timedlock(mutex: *mut c_void, deadline: *const timespec) -> c_int {
        // SAFETY: as above; the caller passes a time.
        status(unsafe { lock(mutex, &How::Until(*deadline)) })
    }

    fn mtx_unlock(mutex: *mut c_void) -> c_int {
        // SAFETY: as above.
        status(unsafe { unlock(mutex) })
    }

    fn cnd_init(condition: *mut c_void) -> c_int {
        initialise(condition.addr(), false);
        // SAFETY: the caller passes room for a condition.
        unsafe { clear(condition) };
        SUCCESS
    }

    fn cnd_destroy(condition: *mut c_void) -> () {
        destroy_condition(condition);
    }

    fn cnd_wait(condition: *mut c_void, mutex: *mut c_void) -> c_int {
        status(wait(condition, mutex, None))
    }

    fn cnd_timedwait(condition: *mut c_void, mutex: *mut c_void, deadline: *const timespec) -> c_int {
        // SAFETY: the caller passes a time.
        status(wait(condition, mutex, Some(unsafe { *deadline })))
    }

    fn cnd_signal(condition: *mut c_void) -> c_int {
        run::perform(Op::on(Kind::CondSignal, known(condition)));
        known(condition);
        SUCCESS
    }

    fn cnd_broadcast(condition: *mut c_void) -> c_int {
        run::perform(Op::on(Kind::CondBroadcast, known(condition)));
        known(condition);
        SUCCESS
    }

    fn tss_create(key: *mut u32, destructor: *mut c_void) -> c_int {
        type Create = unsafe extern "C" fn(*mut u32, *mut c_void) -> c_int;
        // SAFETY: the replacement of `pthread_key_create` in this library,
        // which takes a null pointer for no destructor.
        let create: Create = unsafe { std::mem::transmute(libc::pthread_key_create as *const ()) };
        // SAFETY: the caller's arguments.
        status(unsafe { create(key, destructor) })
    }

    fn tss_delete(key: u32) -> () {
        // SAFETY: the replacement in this library; takes a number.
        unsafe { libc::pthread_key_delete(key) };
    }

    fn tss_get(key: u32) -> *mut c_void {
        // SAFETY: as above.
        unsafe { libc::pthread_getspecific(key) }
    }

    fn tss_set(key: u32, value: *mut c_void) -> c_int {
        // SAFETY: as above.
        status(unsafe { libc::pthread_setspecific(key, value) })
    }
}

/// The result of C11 for an error number of POSIX.
fn status(error: c_int) -> c_int {
    match error {
        0 => SUCCESS,
        libc::EBUSY => BUSY,
        libc::ETIMEDOUT => TIMED_OUT,
        _ => ERROR,
    }
}
