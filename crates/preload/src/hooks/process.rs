//! The end of a process, failed assertions, and processes that fork.

use std::ffi::{CStr, c_char, c_int, c_uint};

use burnside_stateless::FailureKind;

use super::semaphore::fail;
use crate::real::hook;
use crate::run;

hook! {
    fn exit(status: c_int) -> ! {
        run::exit_process(status)
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
        wait_for(-1, status)
    }

    fn waitpid(pid: c_int, status: *mut c_int, _options: c_int) -> c_int {
        wait_for(pid, status)
    }
}

/// Waits for the child `pid`, or for the first not waited for yet.
fn wait_for(pid: c_int, status: *mut c_int) -> c_int {
    let Some(child) = run::with(|run| run.take_child(pid)) else {
        return fail(libc::ECHILD);
    };
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
