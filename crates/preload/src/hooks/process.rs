//! The end of a process, failed assertions, and processes that fork.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::atomic::{AtomicBool, Ordering};

use burnside_stateless::{FailureKind, Kind, Op};

use super::semaphore::fail;
use crate::objects::Outcome;
use crate::real::{hook, real};
use crate::run::{self, Run};
use crate::worker;

hook! {
    /// What was registered with `atexit` and the destructors of static objects
    /// run as part of the program; [`exits`] is the last of them.
    fn exit(status: c_int) -> ! {
        run_handlers(status)
    }

    fn _exit(status: c_int) -> ! {
        run::exit_process(status)
    }

    fn _Exit(status: c_int) -> ! {
        run::exit_process(status)
    }

    fn quick_exit(status: c_int) -> ! {
        run::exit_process(status)
    }

    fn abort() -> ! {
        run::fail(FailureKind::Abort, "the program called `abort`".to_owned())
    }

    fn __assert_fail(condition: *const c_char, file: *const c_char, line: c_uint, function: *const c_char) -> ! {
        // SAFETY: the `assert` macro passes strings, or null for the function.
        let (condition, file, function) = unsafe { (text(condition), text(file), text(function)) };
        let message = format!("assertion `{condition}` failed in {function}, {file}:{line}");
        run::fail(FailureKind::Assertion, message)
    }

    fn __assert(condition: *const c_char, file: *const c_char, line: c_int) -> ! {
        // SAFETY: the `assert` macro passes strings.
        let (condition, file) = unsafe { (text(condition), text(file)) };
        run::fail(FailureKind::Assertion, format!("assertion `{condition}` failed, {file}:{line}"))
    }

    fn fork() -> c_int {
        run::fork()
    }

    fn vfork() -> c_int {
        run::fork()
    }

    fn wait(status: *mut c_int) -> c_int {
        wait_for(-1, status, 0)
    }

    fn waitpid(pid: c_int, status: *mut c_int, options: c_int) -> c_int {
        wait_for(pid, status, options)
    }

    fn wait3(status: *mut c_int, options: c_int, _usage: *mut c_void) -> c_int {
        wait_for(-1, status, options)
    }

    fn wait4(pid: c_int, status: *mut c_int, options: c_int, _usage: *mut c_void) -> c_int {
        wait_for(pid, status, options)
    }

    /// `atexit` and destructors of static objects come here.
    fn __cxa_atexit(function: usize, argument: usize, library: usize) -> c_int {
        HAS_HANDLERS.store(true, Ordering::Relaxed);
        let real = real!(__cxa_atexit: unsafe extern "C" fn(usize, usize, usize) -> c_int);
        // SAFETY: the caller's arguments, handed on unchanged.
        unsafe { real(function, argument, library) }
    }

    fn on_exit(function: usize, argument: usize) -> c_int {
        HAS_HANDLERS.store(true, Ordering::Relaxed);
        let real = real!(on_exit: unsafe extern "C" fn(usize, usize) -> c_int);
        // SAFETY: the caller's arguments, handed on unchanged.
        unsafe { real(function, argument) }
    }

    fn flockfile(stream: *mut c_void) -> () {
        locks_stream();
        let real = real!(flockfile: unsafe extern "C" fn(*mut c_void));
        // SAFETY: the caller's argument, handed on unchanged.
        unsafe { real(stream) }
    }

    fn ftrylockfile(stream: *mut c_void) -> c_int {
        locks_stream();
        let real = real!(ftrylockfile: unsafe extern "C" fn(*mut c_void) -> c_int);
        // SAFETY: the caller's argument, handed on unchanged.
        unsafe { real(stream) }
    }
}

/// Has anything been registered to be run at the end?
static HAS_HANDLERS: AtomicBool = AtomicBool::new(false);

/// Runs what the program wants to be run at its end, and then [`exits`].
pub(crate) fn run_handlers(status: c_int) -> ! {
    if run::has_exited() || run::with(|run| !run.is_going_on()) {
        run::exit_process(status)
    }
    // PERF: the C library's way out costs as much as a tenth of a short execution.
    if !HAS_HANDLERS.load(Ordering::Relaxed) {
        super::thread::run_local_destructors();
        run::exit_process(status)
    }
    let real = real!(exit: unsafe extern "C" fn(c_int) -> !);
    // SAFETY: the program's own call.
    unsafe { real(status) }
}

/// Called by the C library after everything the program has registered, also
/// when the library itself ends the program.
pub(crate) extern "C-unwind" fn exits(_argument: *mut c_void, status: c_int) {
    if run::is_controlled() && run::with(|run| run.is_going_on()) {
        run::exit_process(status)
    }
    worker::unload();
}

fn locks_stream() {
    if run::with(|run| run.has_threads()) {
        run::with(|run| run.uncontrolled("locks inside the C library (`flockfile`)"));
    }
}

/// Waits for the child `pid`, or for the first not waited for yet.
fn wait_for(pid: c_int, status: *mut c_int, options: c_int) -> c_int {
    if options & (libc::WUNTRACED | libc::WCONTINUED) != 0 || pid == 0 || pid < -1 {
        worker::give_up("the program waits for processes in a way that is not simulated");
    }
    if pid < 0 && run::with(|run| run.n_children()) > 1 {
        run::with(|run| {
            run.uncontrolled("in which order several processes end: `wait` takes them in order of creation")
        });
    }
    let Some(child) = run::with(|run| run.child(pid)) else { return fail(libc::ECHILD) };
    if options & libc::WNOHANG != 0 {
        run::with(Run::ask_for_ends);
        let Some(target) = run::with(|run| run.by_handle(child)) else { return fail(libc::ECHILD) };
        if run::perform(Op::thread(Kind::Finished, target)) == Outcome::Refused {
            return 0;
        }
    }
    run::with(|run| run.reap(child));
    let Ok(result) = run::join(child) else { return fail(libc::ECHILD) };
    if !status.is_null() {
        // SAFETY: the caller passes a place for the status.
        unsafe { status.write((result as c_int & 0xff) << 8) };
    }
    child as c_int
}

/// # Safety
///
/// `string` must be null or a C string.
unsafe fn text(string: *const c_char) -> String {
    if string.is_null() {
        return "?".to_owned();
    }
    // SAFETY: passed on from the caller.
    unsafe { CStr::from_ptr(string) }.to_string_lossy().into_owned()
}
