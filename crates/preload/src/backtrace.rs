//! Return addresses of the running thread.

use std::ffi::{c_int, c_void};

/// Frames beyond this many are left out.
const MAX_FRAMES: usize = 64;

#[repr(C)]
struct UnwindContext {
    _opaque: [u8; 0],
}

type Visit = extern "C" fn(*mut UnwindContext, *mut c_void) -> c_int;

unsafe extern "C" {
    fn _Unwind_Backtrace(visit: Visit, frames: *mut c_void) -> c_int;
    fn _Unwind_GetIP(context: *mut UnwindContext) -> usize;
}

/// The stack of the caller, innermost first.
pub(crate) fn capture() -> Vec<u64> {
    let mut frames: Vec<u64> = Vec::with_capacity(MAX_FRAMES);
    // SAFETY: walks the stack by its unwind tables and calls `visit` with the
    // pointer passed here.
    unsafe { _Unwind_Backtrace(visit, (&raw mut frames).cast()) };
    frames
}

extern "C" fn visit(context: *mut UnwindContext, frames: *mut c_void) -> c_int {
    const CONTINUE: c_int = 0;
    const STOP: c_int = 4;
    // SAFETY: the unwinder passes the frame it is at.
    let address = unsafe { _Unwind_GetIP(context) };
    // SAFETY: the vector of `capture`, which waits for us.
    let frames = unsafe { &mut *frames.cast::<Vec<u64>>() };
    frames.push(address as u64);
    if frames.len() < MAX_FRAMES { CONTINUE } else { STOP }
}
