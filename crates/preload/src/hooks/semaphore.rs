//! POSIX semaphores, unnamed and named.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

use burnside_stateless::{Kind, ObjId, Op};
use libc::timespec;

use super::mutex::{destroy_for_good, in_use, initialise};
use super::time;
use crate::objects::Outcome;
use crate::real::hook;
use crate::run;

/// What is left of a file's name behind the `sem.` that the C library puts in front.
const MAX_NAME: usize = 251;
/// As many posts below the greatest value as no execution has.
const NEARLY_FULL: u64 = c_int::MAX as u64 - (1 << 24);

hook! {
    fn sem_init(semaphore: *mut c_void, shared: c_int, value: c_uint) -> c_int {
        if value > c_int::MAX as c_uint {
            return fail(libc::EINVAL);
        }
        let name = initialise(semaphore.addr(), shared != 0);
        run::with(|run| run.objects.set_semaphore(name, value.into()));
        0
    }

    fn sem_destroy(semaphore: *mut c_void) -> c_int {
        destroy_for_good(semaphore.addr(), "semaphore");
        0
    }

    fn sem_wait(semaphore: *mut c_void) -> c_int {
        on(Kind::SemWait, semaphore);
        0
    }

    fn sem_trywait(semaphore: *mut c_void) -> c_int {
        match on(Kind::SemTryWait, semaphore) {
            Outcome::Refused => fail(libc::EAGAIN),
            _ => 0,
        }
    }

    fn sem_timedwait(semaphore: *mut c_void, deadline: *const timespec) -> c_int {
        // SAFETY: the caller passes a time.
        timed_wait(semaphore, unsafe { &*deadline })
    }

    fn sem_clockwait(semaphore: *mut c_void, clock: c_int, deadline: *const timespec) -> c_int {
        if !time::is_waited_by(clock) {
            return fail(libc::EINVAL);
        }
        // SAFETY: the caller passes a time.
        timed_wait(semaphore, unsafe { &*deadline })
    }

    fn sem_post(semaphore: *mut c_void) -> c_int {
        let name = known(semaphore);
        // Posts commute, but for who finds it full: no execution gets there from far below.
        if run::with(|run| run.objects.semaphore(name)) > NEARLY_FULL {
            on(Kind::Opaque, semaphore);
            return match run::with(|run| run.objects.post(name)) {
                Outcome::TooMuch => fail(libc::EOVERFLOW),
                _ => 0,
            };
        }
        on(Kind::SemPost, semaphore);
        0
    }

    fn sem_getvalue(semaphore: *mut c_void, value: *mut c_int) -> c_int {
        let read = on(Kind::SemValue, semaphore);
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
        if !is_name(name) || flags & libc::O_CREAT != 0 && value > c_int::MAX as c_uint {
            fail(libc::EINVAL);
            return libc::SEM_FAILED.cast();
        }
        // Whether it exists may be a matter of who comes first.
        run::perform(Op::on(Kind::Opaque, run::semaphore_name(name)));
        match run::with(|run| run.open_semaphore(name, flags, value.into())) {
            Ok(address) => address as *mut c_void,
            Err(error) => {
                fail(error);
                libc::SEM_FAILED.cast()
            }
        }
    }

    fn sem_close(semaphore: *mut c_void) -> c_int {
        if run::with(|run| run.is_named(semaphore.addr())) { 0 } else { fail(libc::EINVAL) }
    }

    fn sem_unlink(name: *const c_char) -> c_int {
        // SAFETY: the caller passes a string.
        let name = unsafe { CStr::from_ptr(name) };
        run::perform(Op::on(Kind::Opaque, run::semaphore_name(name)));
        if run::with(|run| run.unlink_semaphore(name)) { 0 } else { fail(libc::ENOENT) }
    }
}

/// May a semaphore be called so? Slashes at the beginning do not count.
fn is_name(name: &CStr) -> bool {
    let mut rest = name.to_bytes();
    while let [b'/', more @ ..] = rest {
        rest = more;
    }
    !rest.is_empty() && !rest.contains(&b'/') && rest.len() <= MAX_NAME
}

fn timed_wait(semaphore: *mut c_void, deadline: &timespec) -> c_int {
    if !time::is_valid(deadline) {
        return fail(libc::EINVAL);
    }
    match on(Kind::SemTryWait, semaphore) {
        Outcome::Refused => {
            time::reach(time::since_epoch(deadline));
            fail(libc::ETIMEDOUT)
        }
        _ => 0,
    }
}

/// Executes an operation on a semaphore, which nobody has destroyed before or
/// in the meantime.
fn on(kind: Kind, semaphore: *mut c_void) -> Outcome {
    let outcome = run::perform(Op::on(kind, known(semaphore)));
    known(semaphore);
    outcome
}

/// The name of a semaphore that has not been destroyed.
fn known(semaphore: *mut c_void) -> ObjId {
    in_use(semaphore.addr(), "semaphore")
}

/// Sets `errno` and answers -1.
pub(super) fn fail(error: c_int) -> c_int {
    // SAFETY: the location is this thread's own.
    unsafe { *libc::__errno_location() = error };
    -1
}
