//! Crashes, and threads that never come back.
//!
//! A signal that would kill the program ends the execution as a failure of the
//! program. A timer looks now and then whether the running thread has reached
//! a visible operation since; if not for the whole timeout, the execution ends
//! as a divergence. After either the worker ends too: its memory is not to be
//! trusted.

use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};

use burnside_stateless::{End, Failure, FailureKind};
use burnside_wire::Reply;

use crate::arena;
use crate::run;
use crate::sys;
use crate::worker;

const ALTERNATE_STACK_BYTES: usize = 256 << 10;
/// The timer ticks this often, or four times per timeout.
const TICK_MS: u64 = 200;
/// Ticks in a row in the same system call after which a thread is taken to block in it.
const BLOCKED_TICKS: u64 = 5;

/// Operations at the last tick, and for how many ticks that has not changed.
static SEEN_STEPS: AtomicU64 = AtomicU64::new(u64::MAX);
static IDLE_TICKS: AtomicU64 = AtomicU64::new(0);

/// Watches over this process.
pub(crate) fn install() {
    prepare_thread();
    for signal in [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGABRT, libc::SIGSYS] {
        handle(signal, crashed);
    }
    handle(watchdog_signal(), tick);
    let timeout_ms = run::with(|run| run.options.step_timeout_ms);
    if timeout_ms > 0 {
        start_timer(TICK_MS.min(timeout_ms / 4));
    }
}

/// Gives the calling thread a stack for its signal handlers: the one it has
/// may be what overflowed.
pub(crate) fn prepare_thread() {
    let stack = libc::stack_t {
        ss_sp: arena::block(ALTERNATE_STACK_BYTES).cast(),
        ss_flags: 0,
        ss_size: ALTERNATE_STACK_BYTES,
    };
    // SAFETY: the stack was allocated for this and is never freed.
    unsafe { libc::sigaltstack(&stack, ptr::null_mut()) };
}

type Handler = extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void);

fn handle(signal: c_int, handler: Handler) {
    // SAFETY: all zero is a valid `sigaction`: default handler, empty mask.
    let mut action: libc::sigaction = unsafe { MaybeUninit::zeroed().assume_init() };
    action.sa_sigaction = handler as *const () as usize;
    action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESTART;
    // SAFETY: the handler has the signature that `SA_SIGINFO` asks for.
    unsafe { libc::sigaction(signal, &action, ptr::null_mut()) };
}

/// A signal programs rarely use.
fn watchdog_signal() -> c_int {
    libc::SIGRTMAX() - 3
}

fn start_timer(every_ms: u64) {
    // SAFETY: all zero is valid; the fields that matter are set below.
    let mut event: libc::sigevent = unsafe { MaybeUninit::zeroed().assume_init() };
    event.sigev_notify = libc::SIGEV_SIGNAL;
    event.sigev_signo = watchdog_signal();
    let mut timer: i32 = 0;
    let every_ms = every_ms.max(1) as i64;
    let every = libc::timespec { tv_sec: every_ms / 1000, tv_nsec: every_ms % 1000 * 1_000_000 };
    let period = libc::itimerspec { it_interval: every, it_value: every };
    let arguments = [libc::CLOCK_MONOTONIC as usize, (&raw mut event).addr(), (&raw mut timer).addr(), 0, 0, 0];
    // The function of this name is replaced, for the program.
    // SAFETY: reads and writes live locals.
    let created = unsafe { sys::call(libc::SYS_timer_create, arguments) };
    if created == 0 {
        // SAFETY: the timer has just been created; reads a live local.
        unsafe { sys::call(libc::SYS_timer_settime, [timer as u32 as usize, 0, (&raw const period).addr(), 0, 0, 0]) };
    }
}

extern "C" fn crashed(signal: c_int, info: *mut libc::siginfo_t, _context: *mut c_void) {
    if !run::with(|run| run.is_going_on()) {
        let what = format!("{} in Burnside's own code", description(signal));
        worker::answer(&Reply::Internal(what));
        sys::exit(1);
    }
    let mut message = description(signal).to_owned();
    if matches!(signal, libc::SIGSEGV | libc::SIGBUS) {
        // SAFETY: the kernel passes the address with these signals.
        let address = unsafe { (*info).si_addr() };
        message = format!("{message} at address {:#x}", address.addr());
    }
    let kind = if signal == libc::SIGABRT { FailureKind::Abort } else { FailureKind::Crash };
    let report = run::finish_in_handler(|thread| End::Failed(Failure { kind, thread, message }));
    worker::answer(&Reply::Report(Box::new(report)));
    worker::leave_for_good()
}

/// How many ticks in a row have found the running thread inside the kernel.
static KERNEL_TICKS: AtomicU64 = AtomicU64::new(0);

extern "C" fn tick(signal: c_int, _info: *mut libc::siginfo_t, context: *mut c_void) {
    if !run::is_at_rest() {
        // Our own code was interrupted, which does not take long: the next tick will do.
        return;
    }
    if !run::with(|run| run.is_going_on()) {
        SEEN_STEPS.store(u64::MAX, Ordering::Relaxed);
        return;
    }
    let (n_steps, kernel_id, is_alone) = run::with(|run| (run.n_steps, run.me().kernel_id, !run.has_forked()));
    let here = sys::kernel_thread_id();
    let is_kernel_thread = run::with(|run| run.user.is_none());
    if is_kernel_thread && is_alone && here != kernel_id {
        // The thread that runs is to be looked at, and to walk its own stack.
        let args = [sys::process_id() as usize, kernel_id as usize, signal as usize, 0, 0, 0];
        // SAFETY: sends a signal that has a handler.
        unsafe { sys::call(libc::SYS_tgkill, args) };
        return;
    }
    if SEEN_STEPS.swap(n_steps, Ordering::Relaxed) != n_steps {
        IDLE_TICKS.store(0, Ordering::Relaxed);
        KERNEL_TICKS.store(0, Ordering::Relaxed);
        return;
    }
    // SAFETY: the kernel passes the interrupted context.
    let system_call = if is_alone { unsafe { interrupted_call(context) } } else { None };
    let n_blocked = match system_call {
        Some(_) => KERNEL_TICKS.fetch_add(1, Ordering::Relaxed) + 1,
        None => {
            KERNEL_TICKS.store(0, Ordering::Relaxed);
            0
        }
    };
    if n_blocked >= BLOCKED_TICKS {
        let number = system_call.unwrap_or_default();
        let thread = run::with(|run| run.current());
        worker::give_up(&format!(
            "thread {thread} blocks in the kernel ({}), which is not controlled",
            name_of_call(number)
        ));
    }
    let timeout_ms = run::with(|run| run.options.step_timeout_ms);
    let ticks = timeout_ms.div_ceil(TICK_MS.min(timeout_ms / 4).max(1));
    if IDLE_TICKS.fetch_add(1, Ordering::Relaxed) < ticks {
        return;
    }
    if !run::watches_memory() {
        let thread = run::with(|run| run.current());
        worker::give_up(&format!(
            "thread {thread} runs for {timeout_ms} ms without a call that is controlled: it may wait for memory that is \
             not watched, or only take long (`--step-timeout`)"
        ));
    }
    let report = run::finish_in_handler(End::Divergence);
    worker::answer(&Reply::Report(Box::new(report)));
    worker::leave_for_good()
}

/// The system call that the signal interrupted, if it did. One that the kernel
/// will begin again is about to be executed; one it will not has just been.
///
/// # Safety
///
/// `context` must be what the kernel passes to a handler.
unsafe fn interrupted_call(context: *mut c_void) -> Option<i64> {
    const SYSCALL: [u8; 2] = [0x0f, 0x05];
    // SAFETY: passed on from the caller.
    let registers = unsafe { &(*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs };
    let at = registers[libc::REG_RIP as usize] as usize;
    let (number, previous) = (registers[libc::REG_RAX as usize], at - SYSCALL.len());
    // SAFETY: the bytes of instructions that are being executed.
    let is_call = |at: usize| unsafe { (at as *const [u8; 2]).read_unaligned() } == SYSCALL;
    if is_call(at) {
        return Some(number);
    }
    (is_call(previous) && number == -i64::from(libc::EINTR)).then_some(-1)
}

fn name_of_call(number: i64) -> String {
    let name = match number {
        libc::SYS_read => "read",
        libc::SYS_write => "write",
        libc::SYS_futex => "futex",
        libc::SYS_poll | libc::SYS_ppoll => "poll",
        libc::SYS_select | libc::SYS_pselect6 => "select",
        libc::SYS_epoll_wait | libc::SYS_epoll_pwait => "epoll_wait",
        libc::SYS_accept | libc::SYS_accept4 => "accept",
        libc::SYS_connect => "connect",
        libc::SYS_recvfrom | libc::SYS_recvmsg => "recv",
        libc::SYS_wait4 => "wait4",
        libc::SYS_flock => "flock",
        libc::SYS_fcntl => "fcntl",
        libc::SYS_nanosleep | libc::SYS_clock_nanosleep => "nanosleep",
        libc::SYS_pause => "pause",
        -1 => return "a system call that signals interrupt".to_owned(),
        other => return format!("system call {other}"),
    };
    format!("system call `{name}`")
}

fn description(signal: c_int) -> &'static str {
    match signal {
        libc::SIGSEGV => "segmentation fault",
        libc::SIGBUS => "bus error",
        libc::SIGFPE => "arithmetic exception",
        libc::SIGILL => "illegal instruction",
        libc::SIGABRT => "aborted",
        _ => "bad system call",
    }
}
