//! Return addresses of the running thread.

use std::ffi::{c_int, c_void};
use std::ops::Range;

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
    fn _Unwind_GetCFA(context: *mut UnwindContext) -> usize;
    fn _Unwind_GetGR(context: *mut UnwindContext, register: c_int) -> usize;
}

/// Where the frame that the unwinder is at ends.
///
/// # Safety
///
/// `context` must be what the unwinder passes.
pub(crate) unsafe fn frame_end(context: *mut c_void) -> usize {
    // SAFETY: passed on from the caller.
    unsafe { _Unwind_GetCFA(context.cast()) }
}

/// What a thread of the program has in its hands while it waits in a call of
/// ours: its stack from here on, and the registers a call preserves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Holding {
    pub(crate) stack: usize,
    /// Where it will go on.
    pub(crate) address: usize,
    pub(crate) registers: [usize; 6],
}

/// What the program's frame that called us holds; `own` is where our code is.
pub(crate) fn holding(own: &Range<usize>) -> Option<Holding> {
    let mut search = (own.clone(), None);
    // SAFETY: walks the stack by its unwind tables and calls `visit_caller`
    // with the pointer passed here.
    unsafe { _Unwind_Backtrace(visit_caller, (&raw mut search).cast()) };
    search.1
}

extern "C" fn visit_caller(context: *mut UnwindContext, search: *mut c_void) -> c_int {
    // rbx, rbp, r12 to r15 in the numbering of DWARF.
    const PRESERVED: [c_int; 6] = [3, 6, 12, 13, 14, 15];
    // SAFETY: the value of `holding`, which waits for us.
    let (own, found) = unsafe { &mut *search.cast::<(Range<usize>, Option<Holding>)>() };
    // SAFETY: the unwinder passes the frame it is at.
    let (address, stack) = unsafe { (_Unwind_GetIP(context), _Unwind_GetCFA(context)) };
    if own.contains(&address) {
        return CONTINUE;
    }
    // SAFETY: as above; the unwinder knows where calls have saved these.
    let registers = PRESERVED.map(|register| unsafe { _Unwind_GetGR(context, register) });
    *found = Some(Holding { stack, address, registers });
    STOP
}

/// Answers to the unwinder: `_URC_NO_REASON` goes on, `_URC_NORMAL_STOP` does not.
const CONTINUE: c_int = 0;
const STOP: c_int = 4;

/// The stack of the caller, innermost first.
pub(crate) fn capture() -> Vec<u64> {
    let mut frames: Vec<u64> = Vec::with_capacity(MAX_FRAMES);
    // SAFETY: walks the stack by its unwind tables and calls `visit` with the
    // pointer passed here.
    unsafe { _Unwind_Backtrace(visit, (&raw mut frames).cast()) };
    frames
}

extern "C" fn visit(context: *mut UnwindContext, frames: *mut c_void) -> c_int {
    // SAFETY: the unwinder passes the frame it is at.
    let address = unsafe { _Unwind_GetIP(context) };
    // SAFETY: the vector of `capture`, which waits for us.
    let frames = unsafe { &mut *frames.cast::<Vec<u64>>() };
    frames.push(address as u64);
    if frames.len() < MAX_FRAMES { CONTINUE } else { STOP }
}
