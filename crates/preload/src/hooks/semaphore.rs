//! POSIX semaphores, unnamed and named.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

use burnside_stateless::{Kind, Op};
use libc::timespec;

use crate::objects::Outcome;
use crate::real::hook;
use crate::run;

hook! {
    fn sem_init(semaphore: *mut c_void, _shared: c_int, value: c_uint) -> c_int {
        let name = run::create(semaphore.addr());
        run::with(|run| run.objects.set_semaphore(name, value.into()));
        0
    }

    fn sem_destroy(semaphore: *mut c_void) -> c_int {
        run::forget(semaphore.addr());
        0
    }

    fn sem_wait(semaphore: *mut c_void) -> c_int {
        run::perform(Op::on(Kind::SemWait, run::name(semaphore.addr())));
        0
    }

    fn sem_trywait(semaphore: *mut c_void) -> c_int {
        try_wait(semaphore, libc::EAGAIN)
    }

    fn sem_timedwait(semaphore: *mut c_void, _deadline: *const timespec) -> c_int {
        try_wait(semaphore, libc::ETIMEDOUT)
    }

    fn sem_clockwait(semaphore: *mut c_void, _clock: c_int, _deadline: *const timespec) -> c_int {
        try_wait(semaphore, libc::ETIMEDOUT)
    }

    fn sem_post(semaphore: *mut c_void) -> c_int {
        run::perform(Op::on(Kind::SemPost, run::name(semaphore.addr())));
        0
    }

    fn sem_getvalue(semaphore: *mut c_void, value: *mut c_int) -> c_int {
        let read = run::perform(Op::on(Kind::SemValue, run::name(semaphore.addr())));
        if let Outcome::Value(read) = read {
            // SAFETY: the caller passes a place for one `int`.
            unsafe { value.write(read.try_into().unwrap_or(c_int::MAX)) };
        }
        0
    }

    /// The mode and the initial value are variadic arguments, passed as any others.
    fn sem_open(name: *const c_char, flags: c_int, _mode: c_uint, value: c_uint) -> *mut c_void {
        // SAFETY: the caller passes a string.
        let name = unsafe { CStr::from_ptr(name) };
        match run::with(|run| run.open_semaphore(name, flags, value.into())) {
            Ok(address) => address as *mut c_void,
            Err(error) => {
                fail(error);
                libc::SEM_FAILED.cast()
            }
        }
    }

    fn sem_close(_semaphore: *mut c_void) -> c_int {
        0
    }

    fn sem_unlink(name: *const c_char) -> c_int {
        // SAFETY: the caller passes a string.
        let name = unsafe { CStr::from_ptr(name) };
        if run::with(|run| run.unlink_semaphore(name)) { 0 } else { fail(libc::ENOENT) }
    }
}

fn try_wait(semaphore: *mut c_void, error: c_int) -> c_int {
    match run::perform(Op::on(Kind::SemTryWait, run::name(semaphore.addr()))) {
        Outcome::Refused => fail(error),
        _ => 0,
    }
}

/// Sets `errno` and answers -1.
pub(super) fn fail(error: c_int) -> c_int {
    // SAFETY: the location is this thread's own.
    unsafe { *libc::__errno_location() = error };
    -1
}
