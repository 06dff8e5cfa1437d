//! `syscall(SYS_futex, ...)`, on which some libraries build their own locks.
//!
//! The word is compared when the wait is executed, in one step with joining the
//! waiters, as in the kernel. Waits and wakes count as dependent always: what a
//! wake returns tells how many waited.

use std::ffi::{c_int, c_long};

use burnside_stateless::{Kind, ObjId, Op};

use libc::timespec;

use super::semaphore::fail;
use super::time;
use crate::objects::Outcome;
use crate::real::hook;
use crate::run::{self, Run};
use crate::sys;
use crate::worker;

hook! {
    /// Variadic in C; on x86-64 the arguments arrive as any others.
    fn syscall(number: c_long, a: usize, b: usize, c: usize, d: usize, e: usize, f: usize) -> c_long {
        if number == libc::SYS_futex {
            return futex(a, b as c_int, c as u32, d, f as u32);
        }
        if number == libc::SYS_gettid {
            return run::with(Run::kernel_name).into();
        }
        if CLOCKS.contains(&number) {
            worker::give_up("the program looks at a clock or sleeps by a system call of its own, which is not controlled");
        }
        if let Some(what) = refused(number) {
            worker::give_up(&format!("the program {what} by a system call of its own, which is not controlled"));
        }
        if number == libc::SYS_getrandom {
            run::with(|run| run.random("the program draws random numbers (`getrandom`)"));
        }
        // SAFETY: the program's own call.
        let result = unsafe { sys::call(number, [a, b, c, d, e, f]) };
        if (-4095..0).contains(&result) {
            return fail(-result as c_int).into();
        }
        result as c_long
    }
}

/// Time as the kernel has it.
const CLOCKS: [c_long; 5] =
    [libc::SYS_clock_gettime, libc::SYS_gettimeofday, libc::SYS_time, libc::SYS_nanosleep, libc::SYS_clock_nanosleep];

fn refused(number: c_long) -> Option<&'static str> {
    Some(match number {
        libc::SYS_clone | libc::SYS_clone3 | libc::SYS_fork | libc::SYS_vfork => "makes a thread or process",
        libc::SYS_execve | libc::SYS_execveat => "becomes another program",
        libc::SYS_rt_sigtimedwait | libc::SYS_rt_sigsuspend | libc::SYS_pause => "waits for a signal",
        libc::SYS_tgkill | libc::SYS_tkill | libc::SYS_rt_sigqueueinfo => "sends a signal",
        libc::SYS_timer_create | libc::SYS_setitimer => "sets a timer",
        libc::SYS_io_uring_setup => "does input and output by a ring",
        libc::SYS_futex_waitv => "waits for several futexes",
        libc::SYS_semop | libc::SYS_semtimedop | libc::SYS_semctl | libc::SYS_semget => "uses semaphores",
        libc::SYS_exit | libc::SYS_exit_group => "ends",
        _ => return None,
    })
}

/// The cells of watched memory.
const CELL_BYTES: usize = 8;
/// All bits of a wait that names none.
const ANY: u32 = u32::MAX;

fn futex(address: usize, operation: c_int, value: u32, timeout: usize, bits: u32) -> c_long {
    let name = run::name(address);
    // Only a wait has a timeout in this place.
    // SAFETY: the program passes a time or nothing.
    let timeout = || unsafe { (timeout as *const timespec).as_ref() }.copied();
    let options = libc::FUTEX_PRIVATE_FLAG | libc::FUTEX_CLOCK_REALTIME;
    match operation & !options {
        libc::FUTEX_WAIT => wait(address, name, value, timeout().map(|time| Timeout::After(time::duration(&time)))),
        libc::FUTEX_WAIT_BITSET | libc::FUTEX_WAKE_BITSET if bits != ANY => {
            worker::give_up("futexes with bit sets are not simulated")
        }
        libc::FUTEX_WAIT_BITSET => {
            wait(address, name, value, timeout().map(|time| Timeout::At(time::since_epoch(&time))))
        }
        libc::FUTEX_WAKE | libc::FUTEX_WAKE_BITSET => {
            run::perform(Op { arg: value.into(), ..on(name, address) });
            run::with(|run| run.objects.signal(name, value as usize)) as c_long
        }
        other => worker::give_up(&format!("futex operation {other} is not simulated")),
    }
}

/// An operation on a futex, which looks at its word: that is part of a cell of memory, where it is watched.
fn on(name: ObjId, address: usize) -> Op {
    if !run::watches_memory() {
        return Op::on(Kind::Opaque, name);
    }
    let cell = run::with(|run| run.visible_cell(address / CELL_BYTES * CELL_BYTES));
    Op::on_two(Kind::Opaque, name, cell.filter(|cell| *cell != name).unwrap_or_default())
}

/// When a wait ends by itself.
enum Timeout {
    After(u64),
    At(u64),
}

fn wait(address: usize, name: ObjId, expected: u32, timeout: Option<Timeout>) -> c_long {
    // Locks that libraries build are their own business. (Their wakes may be last calls, which hide who makes them.)
    if !run::watches_memory() && run::is_called_by_program() {
        run::with(|run| run.uncontrolled("memory that is not watched, on which the program builds locks by `futex`"));
    }
    run::perform(on(name, address));
    // SAFETY: the program passes the address of its futex word.
    if unsafe { (address as *const u32).read_volatile() } != expected {
        return fail(libc::EAGAIN).into();
    }
    run::with(|run| run.objects.wait_without_mutex(run.current(), name));
    let may_return_early = timeout.is_some() || run::with(|run| run.me().n_spurious < run.options.spurious_wakeups);
    let kind = if may_return_early { Kind::CondTimedWake } else { Kind::CondWake };
    if run::perform(Op::on(kind, name)) != Outcome::Refused {
        return 0;
    }
    match timeout {
        Some(Timeout::After(duration)) => time::pass_time(duration),
        Some(Timeout::At(deadline)) => time::reach(deadline),
        None => {
            run::with(|run| run.me().n_spurious += 1);
            return 0;
        }
    }
    fail(libc::ETIMEDOUT).into()
}
