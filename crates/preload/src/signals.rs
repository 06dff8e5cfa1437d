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
/// The timer ticks this often per timeout.
const TICKS: u64 = 4;

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
        start_timer(timeout_ms / TICKS);
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
    let mut timer: libc::timer_t = ptr::null_mut();
    let every_ms = every_ms.max(1) as i64;
    let every = libc::timespec { tv_sec: every_ms / 1000, tv_nsec: every_ms % 1000 * 1_000_000 };
    let period = libc::itimerspec { it_interval: every, it_value: every };
    // SAFETY: reads and writes live locals.
    let created = unsafe { libc::timer_create(libc::CLOCK_MONOTONIC, &mut event, &mut timer) };
    if created == 0 {
        // SAFETY: the timer has just been created.
        unsafe { libc::timer_settime(timer, 0, &period, ptr::null_mut()) };
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

extern "C" fn tick(signal: c_int, _info: *mut libc::siginfo_t, _context: *mut c_void) {
    let (going_on, n_steps, kernel_id, is_alone) =
        run::with(|run| (run.is_going_on(), run.n_steps, run.me().kernel_id, !run.has_forked()));
    if !going_on || SEEN_STEPS.swap(n_steps, Ordering::Relaxed) != n_steps {
        IDLE_TICKS.store(0, Ordering::Relaxed);
        return;
    }
    if IDLE_TICKS.fetch_add(1, Ordering::Relaxed) < TICKS {
        return;
    }
    let here = sys::kernel_thread_id();
    let is_kernel_thread = run::with(|run| run.user.is_none());
    if is_kernel_thread && is_alone && here != kernel_id {
        // The thread that does not come back is to walk its own stack.
        let args = [sys::process_id() as usize, kernel_id as usize, signal as usize, 0, 0, 0];
        // SAFETY: sends a signal that has a handler.
        unsafe { sys::call(libc::SYS_tgkill, args) };
        return;
    }
    let report = run::finish_in_handler(End::Divergence);
    worker::answer(&Reply::Report(Box::new(report)));
    worker::leave_for_good()
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
