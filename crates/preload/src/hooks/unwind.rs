//! `pthread_exit`, which leaves every frame of its thread properly: C++
//! destructors run, and cleanup handlers.
//!
//! As in glibc this is a forced unwinding. Handlers that C pushes without
//! exceptions (`pthread_cleanup_push`) lie in buffers in the frames themselves
//! and are jumped to when their frame is reached.

use std::ffi::{c_int, c_void};

use crate::backtrace;
use crate::real::real;
use crate::run;

/// `_Unwind_Exception`, with room to spare.
pub(crate) type Unwinding = [u64; 8];

type Stop = extern "C-unwind" fn(c_int, c_int, u64, *mut c_void, *mut c_void, *mut c_void) -> c_int;

unsafe extern "C-unwind" {
    fn _Unwind_ForcedUnwind(exception: *mut c_void, stop: Stop, argument: *mut c_void) -> c_int;
}

const END_OF_STACK: c_int = 16;
const NO_REASON: c_int = 0;

/// # Safety
///
/// As for the function of POSIX.
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn pthread_exit(result: usize) -> ! {
    if run::is_controlled() {
        leave(result)
    }
    let real = real!(pthread_exit: unsafe extern "C-unwind" fn(usize) -> !);
    // SAFETY: the caller's arguments, handed on unchanged.
    unsafe { real(result) }
}

/// # Safety
///
/// As for the function of C11.
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn thrd_exit(result: c_int) -> ! {
    if run::is_controlled() {
        leave(result as usize)
    }
    let real = real!(thrd_exit: unsafe extern "C-unwind" fn(c_int) -> !);
    // SAFETY: the caller's arguments, handed on unchanged.
    unsafe { real(result) }
}

/// # Safety
///
/// `buffer` must live until it is unregistered.
#[unsafe(no_mangle)]
unsafe extern "C" fn __pthread_register_cancel(buffer: *mut c_void) {
    if run::is_controlled() {
        run::with(|run| run.me().cleanups.push(buffer.addr()));
        return;
    }
    let real = real!(__pthread_register_cancel: unsafe extern "C" fn(*mut c_void));
    // SAFETY: the caller's arguments, handed on unchanged.
    unsafe { real(buffer) }
}

/// # Safety
///
/// `buffer` must be the one registered last.
#[unsafe(no_mangle)]
unsafe extern "C" fn __pthread_unregister_cancel(buffer: *mut c_void) {
    if run::is_controlled() {
        run::with(|run| run.me().cleanups.retain(|known| *known != buffer.addr()));
        return;
    }
    let real = real!(__pthread_unregister_cancel: unsafe extern "C" fn(*mut c_void));
    // SAFETY: the caller's arguments, handed on unchanged.
    unsafe { real(buffer) }
}

/// Called by the program after a cleanup handler.
///
/// # Safety
///
/// To be called by the expansion of `pthread_cleanup_push` only.
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn __pthread_unwind_next(buffer: *mut c_void) -> ! {
    if run::is_controlled() {
        leave(run::with(|run| run.me().result))
    }
    let real = real!(__pthread_unwind_next: unsafe extern "C-unwind" fn(*mut c_void) -> !);
    // SAFETY: the caller's arguments, handed on unchanged.
    unsafe { real(buffer) }
}

/// Unwinds the calling thread and ends it.
fn leave(result: usize) -> ! {
    let exception = run::with(|run| {
        let thread = run.me();
        thread.result = result;
        thread.unwinding = [0; 8];
        (&raw mut thread.unwinding).cast::<c_void>()
    });
    // SAFETY: the exception lies in memory that lives as long as the execution.
    unsafe { _Unwind_ForcedUnwind(exception, stop, std::ptr::null_mut()) };
    // There is nothing to unwind.
    run::finish_thread(result)
}

/// Asked before every frame is left.
extern "C-unwind" fn stop(
    _version: c_int,
    actions: c_int,
    _class: u64,
    _exception: *mut c_void,
    context: *mut c_void,
    _argument: *mut c_void,
) -> c_int {
    // SAFETY: the unwinder passes the frame it is at.
    let frame_end = unsafe { backtrace::frame_end(context) };
    let (cleanup, base, result) = run::with(|run| {
        let thread = run.me();
        let inside = thread.cleanups.last().is_some_and(|buffer| *buffer < frame_end);
        (if inside { thread.cleanups.pop() } else { None }, thread.stack_base, thread.result)
    });
    if let Some(buffer) = cleanup {
        let jump = real!(_longjmp: unsafe extern "C-unwind" fn(*mut c_void, c_int) -> !);
        // SAFETY: the buffer was filled in a frame that is still there.
        unsafe { jump(buffer as *mut c_void, 1) }
    }
    if actions & END_OF_STACK != 0 || frame_end >= base {
        run::finish_thread(result)
    }
    NO_REASON
}
