//! The life of the tested process.
//!
//! The program is loaded once. Where it would enter `main` it becomes the
//! *nursery*: a process that only forks workers and waits for them. A worker
//! reads plans from the channel and executes them; with the `snap` executor it
//! goes on until something crashes, with the others it ends after one. A worker
//! that dies without a word is reported by the nursery, so a crash costs one
//! execution and not the search.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::panic;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicUsize, Ordering};

use burnside_stateless::{Cursor, Cut, End, Explorer, Plan, Schedule, Search, Trace};
use burnside_wire::{
    Ahead, Behind, Bytes, CHANNEL_VARIABLE, Executor, Further, Options, Order, REPLAY_VARIABLE, Reply, Report, Setup,
    Wire, decode, frame, unframe,
};

use crate::arena;
use crate::backtrace;
use crate::context::{self, Call, Context};
use crate::hooks;
use crate::real::{hook, real};
use crate::run::{self, Main};
use crate::signals;
use crate::snapshot::Snapshot;
use crate::sys;
use crate::user::UserThreads;

/// The exit status of a worker that found the channel closed.
const GOODBYE: i32 = 77;
/// Reserved, not used: pages appear when they are touched.
const CONTROLLER_STACK_BYTES: usize = 64 << 20;
/// What the heap grows by beyond the need; the C library's default is 128 KiB.
const HEAP_RESERVE_BYTES: c_int = 16 << 10;
/// Room left between the nursery's frames and those of `main`.
const STACK_GAP: usize = 4096;

/// The channel, or -1 when a schedule is followed without one.
static CHANNEL: AtomicI32 = AtomicI32::new(-1);
/// In memory shared by nursery and workers: has a plan been taken and not answered?
static OWES_ANSWER: AtomicPtr<AtomicBool> = AtomicPtr::new(ptr::null_mut());
/// Where the controller runs, which is not the program's memory.
static CONTROLLER_STACK: AtomicPtr<u8> = AtomicPtr::new(ptr::null_mut());
/// The program's own `main`.
static MAIN: AtomicUsize = AtomicUsize::new(0);
/// What the dynamic linker wants to be run last.
static UNLOAD: AtomicUsize = AtomicUsize::new(0);

/// Was this process started to be controlled?
pub(crate) fn is_wanted() -> bool {
    variable(CHANNEL_VARIABLE).is_some() || variable(REPLAY_VARIABLE).is_some()
}

type StartMain = unsafe extern "C" fn(usize, c_int, *mut *mut c_char, usize, usize, usize, *mut c_void) -> c_int;

hook! {
    /// The first thing a program calls: constructors run inside, then `main`.
    fn __libc_start_main(main: usize, argc: c_int, argv: *mut *mut c_char, init: usize, fini: usize, unload: usize, stack_end: *mut c_void) -> c_int {
        MAIN.store(main, Ordering::Relaxed);
        UNLOAD.store(unload, Ordering::Relaxed);
        let real = real!(__libc_start_main: StartMain);
        // What is to be run last, after all destructors of the program, is registered first: the unloading of its
        // libraries. Ours takes that place.
        let last = hooks::exits as *const () as usize;
        // SAFETY: the caller's arguments with a `main` and a last function of the same types.
        unsafe { real(controlled_main as *const () as usize, argc, argv, init, fini, last, stack_end) }
    }
}

/// Unloads the libraries of the program, as the dynamic linker wants it, when nobody is controlled.
pub(crate) fn unload() {
    let unload = UNLOAD.load(Ordering::Relaxed);
    if unload != 0 {
        // SAFETY: the dynamic linker passed this function for this moment.
        let unload: extern "C" fn() = unsafe { std::mem::transmute(unload) };
        unload();
    }
}

/// Runs in place of the program's `main`.
extern "C-unwind" fn controlled_main(argc: c_int, argv: *mut *mut c_char, envp: *mut *mut c_char) -> c_int {
    panic::set_hook(Box::new(|what| give_up_internal(&what.to_string())));
    // The unwinder initialises itself on first use; that must not happen in
    // the middle of an execution.
    backtrace::capture();
    tame_allocator();
    if run::watches_memory() {
        hooks::replace_calls();
    }
    let main = Main { function: MAIN.load(Ordering::Relaxed), arguments: [argc as usize, argv.addr(), envp.addr()] };
    run::with(run::Run::loaded);
    match (variable(CHANNEL_VARIABLE), variable(REPLAY_VARIABLE)) {
        (Some(channel), _) => {
            CHANNEL.store(channel.parse().expect("the channel is a number"), Ordering::Relaxed);
            hide_environment();
            nursery(main)
        }
        (None, schedule) => {
            hide_environment();
            follow(main, &schedule.expect("one of the two variables is set"))
        }
    }
}

/// Makes the C library take all memory from one heap that ends at `brk`: there
/// it can be put back, and addresses depend on nothing but the order of calls.
fn tame_allocator() {
    for (parameter, value) in [
        (libc::M_ARENA_MAX, 1),
        (libc::M_MMAP_MAX, 0),
        (libc::M_TRIM_THRESHOLD, c_int::MAX),
        // PERF: memory kept in reserve is compared after every execution.
        (libc::M_TOP_PAD, HEAP_RESERVE_BYTES),
    ] {
        // SAFETY: adjusts the allocator; there is one thread.
        unsafe { libc::mallopt(parameter, value) };
    }
    // SAFETY: a block of its own; makes sure that the heap exists.
    unsafe { libc::free(libc::malloc(1)) };
}

/// The program and what it starts shall not see how it was started.
fn hide_environment() {
    for name in [c"LD_PRELOAD", c"LD_BIND_NOW", c"BURNSIDE_CHANNEL", c"BURNSIDE_REPLAY"] {
        // SAFETY: there is one thread.
        unsafe { libc::unsetenv(name.as_ptr()) };
    }
}

fn nursery(main: Main) -> ! {
    answer(&Reply::Ready);
    let Some(setup) = receive::<Setup>(Behind::Perhaps) else { sys::exit(0) };
    let shared = sys::map(size_of::<AtomicBool>(), libc::MAP_SHARED);
    OWES_ANSWER.store(shared.cast(), Ordering::Relaxed);
    run::with(|run| {
        run.options = setup.options;
        run.executor = setup.executor;
    });
    if setup.executor != Executor::Threads {
        prepare_user_threads();
    }
    loop {
        let nursery = sys::process_id();
        let child = sys::fork();
        if child == 0 {
            sys::end_with_parent(nursery);
            work(main);
        }
        assert!(child > 0, "the kernel refuses a process (error {})", -child);
        let (_, status) = sys::wait(child).expect("the worker is a child");
        if libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == GOODBYE {
            sys::exit(0);
        }
        if owes_answer().swap(false, Ordering::Relaxed) {
            answer(&Reply::Died(status as u64));
        }
    }
}

/// Sets user-level threads up, or reports that it cannot be done.
#[inline(never)]
fn prepare_user_threads() {
    let main_stack = (context::stack_pointer() - STACK_GAP) & !15;
    match UserThreads::new(main_stack as *mut u8) {
        Some(user) => run::with(|run| run.user = Some(user)),
        None => give_up("no user-level threads with this processor, kernel or C library"),
    }
}

fn work(main: Main) -> ! {
    run::with(run::Run::is_worker);
    signals::install();
    if run::with(|run| run.executor == Executor::Threads) {
        let plan = plan_only(next_order());
        arena::share();
        run::with(|run| run.begin(Cursor::new(plan)));
        run::run_main_in_kernel(main)
    }
    let stack = sys::map(CONTROLLER_STACK_BYTES, libc::MAP_PRIVATE);
    CONTROLLER_STACK.store(stack, Ordering::Relaxed);
    let arguments = [(&raw const main).addr(), 0, 0];
    let call = Call { function: control as *const () as usize, arguments, then: controller_returned };
    let mut here = Context::empty();
    // SAFETY: the stack was allocated for this, and the controller is the main
    // thread as far as thread-local storage goes.
    let controller =
        unsafe { Context::new(stack.wrapping_add(CONTROLLER_STACK_BYTES), context::thread_pointer(), &call) };
    // SAFETY: the controller has just been made; this frame is never resumed.
    unsafe { context::switch(&mut here, &controller) };
    unreachable!("nobody resumes the frames below the controller")
}

/// The address of the program's own `main`.
pub(crate) fn main_address() -> usize {
    MAIN.load(Ordering::Relaxed)
}

/// Where the controller runs.
pub(crate) fn controller_stack() -> Option<std::ops::Range<usize>> {
    let stack = CONTROLLER_STACK.load(Ordering::Relaxed).addr();
    (stack != 0).then_some(stack..stack + CONTROLLER_STACK_BYTES)
}

extern "C" fn controller_returned(_: usize) -> ! {
    unreachable!("the controller loops for ever")
}

/// Executes plans in user-level threads, from a stack of its own.
extern "C" fn control(main: *const Main) -> ! {
    // SAFETY: the caller's frame is suspended for good, so the value stays.
    let main = unsafe { *main };
    let executor = run::with(|run| run.executor);
    if executor == Executor::Snap {
        let stack_top = run::with(|run| run.user.as_ref().expect("prepared").main_stack());
        let own: Vec<_> = controller_stack().into_iter().chain([arena::range()]).collect();
        let snapshot = Snapshot::take(stack_top, &own);
        run::with(|run| run.snapshot = Some(snapshot));
    }
    if executor != Executor::Snap {
        let plan = plan_only(next_order());
        run::with(|run| run.begin(Cursor::new(plan)));
        run::run_main_suspended(main);
        flush_output();
        sys::exit(0);
    }
    loop {
        match next_order() {
            Order::Run(plan) => execute_and_restore(main, Cursor::new(plan)),
            Order::Ahead(ahead) => {
                let further = go_ahead(main, &ahead);
                answer(&Reply::Ahead(Box::new(further)));
            }
        }
    }
}

fn execute_and_restore(main: Main, cursor: Cursor) {
    run::with(|run| run.begin(cursor));
    run::run_main_suspended(main);
    run::with(|run| {
        let snapshot = run.snapshot.as_mut().expect("this executor has one");
        // SAFETY: the execution is over and this is the controller's stack.
        unsafe { snapshot.restore() };
    });
}

/// Goes on with a search as long as its executions are ordinary.
///
/// PERF: a message to the searching process and back costs as much as a whole
/// execution of a small program.
fn go_ahead(main: Main, ahead: &Ahead) -> Further {
    let mut further = Further::default();
    let mut search = Search::resume(&ahead.search.0).expect("both sides are built from the same source");
    let mut memory = Trace::default();
    run::with(|run| run.kept = Some(Report::default()));
    for _ in 0..ahead.limit {
        let Some(mut cursor) = search.cursor() else { break };
        cursor.record_into(memory);
        execute_and_restore(main, cursor);
        let report = run::with(|run| run.kept.replace(Report::default())).expect("kept while a search goes on");
        for (all, more) in [(&mut further.uncontrolled, &report.uncontrolled), (&mut further.random, &report.random)] {
            let new = more.iter().filter(|one| !all.contains(one)).cloned().collect::<Vec<_>>();
            all.extend(new);
        }
        if !is_ordinary(&report, ahead) || search.done(&report.trace).is_err() {
            // Whoever asked executes it again and finds the same.
            search.abandon();
            break;
        }
        memory = report.trace;
    }
    run::with(|run| run.kept = None);
    further.search = Bytes(search.save());
    further
}

fn is_ordinary(report: &Report, ahead: &Ahead) -> bool {
    let end = report.trace.end.as_ref();
    let faulty = ahead.stops_at_faults && end.is_some_and(End::is_fault);
    let told_apart = ahead.stops_when_told_apart && !report.told_apart.is_empty();
    let has_race = ahead.stops_at_races && report.race.is_some();
    !faulty
        && !has_race
        && !told_apart
        && report.escaped.is_empty()
        && !report.asks_for_ends
        && !matches!(end, Some(End::Cut(Cut::OffScript(_))))
}

/// The plan of an order to an executor that knows no other.
fn plan_only(order: Order) -> Plan {
    match order {
        Order::Run(plan) => plan,
        Order::Ahead(_) => give_up_internal("only the `snap` executor goes ahead"),
    }
}

/// The execution has been reported: on to the next.
pub(crate) fn leave() -> ! {
    if CHANNEL.load(Ordering::Relaxed) < 0 {
        stop_for_debugger();
    }
    if run::with(|run| run.executor != Executor::Threads) {
        run::to_controller();
    }
    flush_output();
    leave_for_good()
}

/// Ends this worker and, with kernel threads, all processes of the program.
pub(crate) fn leave_for_good() -> ! {
    if run::with(|run| run.has_forked()) {
        let own = sys::process_id();
        for process in run::with(|run| run.processes()) {
            if process != own && process > 0 {
                sys::end_process(process);
            }
        }
    }
    sys::exit(0)
}

/// The program cannot be tested, at least not by this executor.
pub(crate) fn give_up(why: &str) -> ! {
    answer(&Reply::Unsupported(why.to_owned()));
    leave_for_good()
}

fn give_up_internal(what: &str) -> ! {
    answer(&Reply::Internal(what.to_owned()));
    sys::exit(1)
}

/// Sends `reply`; without a channel only bad news is told.
pub(crate) fn answer(reply: &Reply) {
    let channel = CHANNEL.load(Ordering::Relaxed);
    if channel < 0 {
        tell(reply);
        return;
    }
    if !OWES_ANSWER.load(Ordering::Relaxed).is_null() {
        owes_answer().store(false, Ordering::Relaxed);
    }
    if !sys::write_all(channel, &frame(reply)) {
        sys::exit(GOODBYE);
    }
}

fn owes_answer() -> &'static AtomicBool {
    let flag = OWES_ANSWER.load(Ordering::Relaxed);
    // SAFETY: mapped by the nursery before the first worker and never unmapped.
    unsafe { &*flag }
}

fn next_order() -> Order {
    match receive(Behind::Nothing) {
        Some(order) => {
            owes_answer().store(true, Ordering::Relaxed);
            order
        }
        None => sys::exit(GOODBYE),
    }
}

/// The next message; `None` when the channel is closed.
fn receive<T: Wire>(behind: Behind) -> Option<T> {
    let channel = CHANNEL.load(Ordering::Relaxed);
    let mut buf = Vec::new();
    let words = unframe(&mut buf, behind, |out| sys::read(channel, out)).ok()??;
    let message = decode(words);
    assert!(message.is_some(), "a message of {} bytes makes no sense", words.len());
    message
}

/// Writes out what the program has printed. Not with `snap`, whose output is
/// thrown away.
fn flush_output() {
    // SAFETY: flushes all streams; no thread of the program runs any more.
    unsafe { libc::fflush(ptr::null_mut()) };
}

/// Follows one schedule in kernel threads, for a debugger to watch.
fn follow(main: Main, schedule: &str) -> ! {
    let (script, watched) = match Schedule::from_short(schedule) {
        Ok(schedule) => (schedule.picks, schedule.watched),
        Err(e) => {
            tell(&Reply::Internal(e));
            sys::exit(3)
        }
    };
    arena::share();
    run::with(|run| {
        run.options = Options { watched, ..Options::default() };
        run.executor = Executor::Threads;
        run.begin(Cursor::new(Plan { script, ..Plan::default() }));
    });
    run::run_main_in_kernel(main)
}

fn tell(reply: &Reply) {
    let text = match reply {
        Reply::Report(report) => match &report.trace.end {
            Some(end) => format!("burnside: the schedule ends here: {}\n", end.word()),
            None => return,
        },
        Reply::Unsupported(why) | Reply::Internal(why) => format!("burnside: {why}\n"),
        Reply::Ready | Reply::Died(_) | Reply::Ahead(_) => return,
    };
    sys::write_all(libc::STDERR_FILENO, text.as_bytes());
}

/// Lets a debugger look at the program where its schedule ends.
fn stop_for_debugger() -> ! {
    flush_output();
    // SAFETY: a trap; a debugger stops, without one the process ends.
    unsafe { std::arch::asm!("int3") };
    sys::exit(0)
}

fn variable(name: &str) -> Option<String> {
    let name = CString::new(name).ok()?;
    // SAFETY: looks through the environment while there is one thread.
    let value = unsafe { libc::getenv(name.as_ptr()) };
    if value.is_null() {
        return None;
    }
    // SAFETY: the environment holds strings.
    unsafe { CStr::from_ptr(value) }.to_str().ok().map(str::to_owned)
}
