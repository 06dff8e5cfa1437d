//! `syscall(SYS_futex, ...)`, on which some libraries build their own locks.
//!
//! The word is compared when the wait is executed, in one step with joining the
//! waiters, as in the kernel. Waits and wakes count as dependent always: what a
//! wake returns tells how many waited.

use std::ffi::{c_int, c_long};

use burnside_stateless::{Kind, ObjId, Op};

use super::semaphore::fail;
use crate::objects::Outcome;
use crate::real::hook;
use crate::run;
use crate::sys;
use crate::worker;

hook! {
    /// Variadic in C; on x86-64 the arguments arrive as any others.
    fn syscall(number: c_long, a: usize, b: usize, c: usize, d: usize, e: usize, f: usize) -> c_long {
        if number == libc::SYS_futex {
            return futex(a, b as c_int, c as u32, d != 0);
        }
        // SAFETY: the program's own call.
        let result = unsafe { sys::call(number, [a, b, c, d, e, f]) };
        if (-4095..0).contains(&result) {
            return fail(-result as c_int).into();
        }
        result as c_long
    }
}

fn futex(address: usize, operation: c_int, value: u32, has_timeout: bool) -> c_long {
    let name = run::name(address);
    let options = libc::FUTEX_PRIVATE_FLAG | libc::FUTEX_CLOCK_REALTIME;
    match operation & !options {
        libc::FUTEX_WAIT | libc::FUTEX_WAIT_BITSET => wait(address, name, value, has_timeout),
        libc::FUTEX_WAKE | libc::FUTEX_WAKE_BITSET => {
            run::perform(Op::with(Kind::Opaque, name, value.into()));
            run::with(|run| run.objects.signal(name, value as usize)) as c_long
        }
        other => worker::give_up(&format!("futex operation {other} is not simulated")),
    }
}

fn wait(address: usize, name: ObjId, expected: u32, has_timeout: bool) -> c_long {
    run::perform(Op::on(Kind::Opaque, name));
    // SAFETY: the program passes the address of its futex word.
    if unsafe { (address as *const u32).read_volatile() } != expected {
        return fail(libc::EAGAIN).into();
    }
    run::with(|run| run.objects.wait_without_mutex(run.current(), name));
    let may_return_early = has_timeout || run::with(|run| run.me().n_spurious < run.options.spurious_wakeups);
    let kind = if may_return_early { Kind::CondTimedWake } else { Kind::CondWake };
    match run::perform(Op::on(kind, name)) {
        Outcome::Refused if has_timeout => fail(libc::ETIMEDOUT).into(),
        Outcome::Refused => {
            run::with(|run| run.me().n_spurious += 1);
            0
        }
        _ => 0,
    }
}
