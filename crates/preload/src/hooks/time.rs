//! Virtual time.
//!
//! Every thread has a clock of its own. Sleeping advances it, a timed wait that
//! times out brings it to its deadline, and it follows causality: whoever takes
//! a lock, is woken or joins is not earlier than whoever released, woke or
//! ended ([`crate::run`] sees to that). So what a thread reads depends on what
//! happened before and not on the schedule.
//!
//! A sleep is an operation that lets others go first. A timed operation may time
//! out whenever it would have to wait: how long anything takes is not known.

use std::ffi::{c_int, c_uint, c_void};

use burnside_stateless::{Kind, ObjId, Op};
use libc::{time_t, timespec, timeval, useconds_t};

use super::semaphore::fail;
use crate::real::hook;
use crate::run;

/// What the clock shows when an execution begins: a moment in November 2023.
const EPOCH_S: i64 = 1_700_000_000;
const NS_PER_S: u64 = 1_000_000_000;
/// Looking at the clock takes this long, so that it moves.
const LOOK_NS: u64 = 1000;
/// The one base of `timespec_get`.
const TIME_UTC: c_int = 1;

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
        let duration = unsafe { &*duration };
        if !is_valid(duration) || duration.tv_sec < 0 {
            return fail(libc::EINVAL);
        }
        sleep_for(*duration);
        0
    }

    fn clock_nanosleep(clock: c_int, flags: c_int, when: *const timespec, _rest: *mut timespec) -> c_int {
        // SAFETY: the caller passes a time.
        let when = unsafe { &*when };
        if !is_valid(when) || when.tv_sec < 0 || !is_known(clock) || clock == libc::CLOCK_THREAD_CPUTIME_ID {
            return libc::EINVAL;
        }
        if flags & libc::TIMER_ABSTIME == 0 {
            sleep_for(*when);
            return 0;
        }
        run::perform(Op::on(Kind::Sleep, ObjId::NONE));
        reach(since_epoch(when));
        0
    }

    fn timespec_get(out: *mut timespec, base: c_int) -> c_int {
        if base != TIME_UTC {
            return 0;
        }
        // SAFETY: the caller passes a place for the time.
        unsafe { out.write(now()) };
        base
    }

    fn clock() -> libc::clock_t {
        let now = processor_time();
        now.tv_sec * 1_000_000 + now.tv_nsec / 1000
    }

    fn time(out: *mut time_t) -> time_t {
        let now = now().tv_sec;
        if !out.is_null() {
            // SAFETY: the caller passes a place for the time.
            unsafe { out.write(now) };
        }
        now
    }

    fn clock_gettime(clock: c_int, out: *mut timespec) -> c_int {
        if !is_known(clock) {
            return fail(libc::EINVAL);
        }
        let is_processor = matches!(clock, libc::CLOCK_PROCESS_CPUTIME_ID | libc::CLOCK_THREAD_CPUTIME_ID);
        // SAFETY: the caller passes a place for the time.
        unsafe { out.write(if is_processor { processor_time() } else { now() }) };
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
}

/// Is there such a clock? Those of other processes and threads are not numbers of their own, but negative.
fn is_known(clock: c_int) -> bool {
    (libc::CLOCK_REALTIME..=libc::CLOCK_TAI).contains(&clock) || clock < 0
}

/// Can threads wait by this clock?
pub(super) fn is_waited_by(clock: c_int) -> bool {
    matches!(clock, libc::CLOCK_REALTIME | libc::CLOCK_MONOTONIC)
}

/// Lets the calling thread sleep.
pub(super) fn sleep_for(duration: timespec) {
    sleep_ns(self::duration(&duration));
}

pub(super) fn sleep_ns(duration: u64) {
    run::perform(Op::on(Kind::Sleep, ObjId::NONE));
    pass_time(duration);
}

/// Time has passed for the calling thread.
pub(super) fn pass_time(duration: u64) {
    run::with(|run| {
        run.is_timed = true;
        let clock = &mut run.me().clock_ns;
        *clock = clock.saturating_add(duration);
    });
}

/// The calling thread has waited until its clock shows at least `deadline`.
pub(super) fn reach(deadline: u64) {
    run::with(|run| {
        run.is_timed = true;
        let clock = &mut run.me().clock_ns;
        *clock = (*clock).max(deadline);
    });
}

/// Does it have less than a second of nanoseconds?
pub(super) fn is_valid(time: &timespec) -> bool {
    (0..NS_PER_S as i64).contains(&time.tv_nsec)
}

/// The time since executions begin, in nanoseconds.
pub(super) fn since_epoch(time: &timespec) -> u64 {
    let seconds = time.tv_sec.saturating_sub(EPOCH_S).max(0) as u64;
    let past = time.tv_sec < EPOCH_S;
    if past { 0 } else { seconds.saturating_mul(NS_PER_S).saturating_add(time.tv_nsec.max(0) as u64) }
}

/// A duration in nanoseconds.
pub(super) fn duration(time: &timespec) -> u64 {
    (time.tv_sec.max(0) as u64).saturating_mul(NS_PER_S).saturating_add(time.tv_nsec.max(0) as u64)
}

/// What the calling thread has used of the processor: it passes by being looked at, not by sleeping.
fn processor_time() -> timespec {
    let used = run::with(|run| {
        let used = &mut run.me().processor_ns;
        *used = used.saturating_add(LOOK_NS);
        *used
    });
    timespec { tv_sec: (used / NS_PER_S) as i64, tv_nsec: (used % NS_PER_S) as i64 }
}

fn now() -> timespec {
    let clock = run::with(|run| {
        run.is_timed = true;
        let clock = &mut run.me().clock_ns;
        *clock = clock.saturating_add(LOOK_NS);
        *clock
    });
    timespec { tv_sec: EPOCH_S + (clock / NS_PER_S) as i64, tv_nsec: (clock % NS_PER_S) as i64 }
}
