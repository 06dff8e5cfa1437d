//! Time that depends on the thread alone.
//!
//! A sleep is an operation that takes no time and lets others go first. Every
//! thread has a clock of its own, which its sleeps advance and which a join
//! brings forward, so what a thread reads does not depend on the schedule.
//! Deadlines never come from the clock: a timed operation may time out whenever
//! it would have to wait.

use std::ffi::{c_int, c_uint, c_void};

use burnside_stateless::{Kind, ObjId, Op};
use libc::{time_t, timespec, timeval, useconds_t};

use crate::real::{hook, real};
use crate::run;

/// What the clock shows when an execution begins: a moment in November 2023.
const EPOCH_S: i64 = 1_700_000_000;
const NS_PER_S: u64 = 1_000_000_000;
/// Looking at the clock takes this long, so that it moves.
const LOOK_NS: u64 = 1000;

hook! {
    fn sleep(seconds: c_uint) -> c_uint {
        sleep_ns(u64::from(seconds) * NS_PER_S);
        0
    }

    fn usleep(microseconds: useconds_t) -> c_int {
        sleep_ns(u64::from(microseconds) * 1000);
        0
    }

    fn nanosleep(duration: *const timespec, _rest: *mut timespec) -> c_int {
        // SAFETY: the caller passes a duration.
        sleep_for(unsafe { *duration });
        0
    }

    fn clock_nanosleep(_clock: c_int, flags: c_int, when: *const timespec, _rest: *mut timespec) -> c_int {
        // SAFETY: the caller passes a time.
        let mut when = unsafe { *when };
        if flags & libc::TIMER_ABSTIME != 0 {
            let now = now();
            let later = (when.tv_sec, when.tv_nsec) > (now.tv_sec, now.tv_nsec);
            let seconds = if later { when.tv_sec - now.tv_sec } else { 0 };
            when = timespec { tv_sec: seconds, tv_nsec: 0 };
        }
        sleep_for(when);
        0
    }

    fn time(out: *mut time_t) -> time_t {
        let now = now().tv_sec;
        if !out.is_null() {
            // SAFETY: the caller passes a place for the time.
            unsafe { out.write(now) };
        }
        now
    }

    fn clock_gettime(_clock: c_int, out: *mut timespec) -> c_int {
        // SAFETY: the caller passes a place for the time.
        unsafe { out.write(now()) };
        0
    }

    fn gettimeofday(out: *mut timeval, _zone: *mut c_void) -> c_int {
        let now = now();
        if !out.is_null() {
            // SAFETY: the caller passes a place for the time.
            unsafe { out.write(timeval { tv_sec: now.tv_sec, tv_usec: now.tv_nsec / 1000 }) };
        }
        0
    }

    /// Without descriptors this is an old way to sleep.
    fn select(count: c_int, read: *mut c_void, write: *mut c_void, except: *mut c_void, timeout: *mut timeval) -> c_int {
        if count == 0 && !timeout.is_null() {
            // SAFETY: the caller passes a duration.
            let timeout = unsafe { *timeout };
            sleep_ns(timeout.tv_sec.max(0) as u64 * NS_PER_S + timeout.tv_usec.max(0) as u64 * 1000);
            return 0;
        }
        type Select = unsafe extern "C" fn(c_int, *mut c_void, *mut c_void, *mut c_void, *mut timeval) -> c_int;
        let real = real!(select: Select);
        // SAFETY: the caller's arguments, handed on unchanged.
        unsafe { real(count, read, write, except, timeout) }
    }
}

/// Lets the calling thread sleep.
pub(super) fn sleep_for(duration: timespec) {
    sleep_ns((duration.tv_sec.max(0) as u64).saturating_mul(NS_PER_S) + duration.tv_nsec.max(0) as u64);
}

fn sleep_ns(duration: u64) {
    run::perform(Op::on(Kind::Sleep, ObjId::NONE));
    run::with(|run| {
        let clock = &mut run.me().clock_ns;
        *clock = clock.saturating_add(duration);
    });
}

fn now() -> timespec {
    let clock = run::with(|run| {
        let clock = &mut run.me().clock_ns;
        *clock = clock.saturating_add(LOOK_NS);
        *clock
    });
    timespec { tv_sec: EPOCH_S + (clock / NS_PER_S) as i64, tv_nsec: (clock % NS_PER_S) as i64 }
}
