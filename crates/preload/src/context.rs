//! Switching between stacks inside one kernel thread.
//!
//! A [`Context`] is a suspended computation: its stack pointer, under which the
//! registers the calling convention preserves are stored, and its thread
//! pointer (the FS base), by which the C library and the compiler find
//! thread-local storage. [`switch`] is the whole mechanism.

use std::arch::{asm, naked_asm};
use std::ptr;

/// A suspended computation.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Context {
    stack: *mut u8,
    /// FS base while the computation runs.
    thread_pointer: usize,
}

/// What [`switch`] leaves on the stack of a suspended computation.
type Frame = [usize; 8];

/// A call into the program, and where to go with its result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    pub(crate) function: usize,
    pub(crate) arguments: [usize; 3],
    pub(crate) then: extern "C" fn(usize) -> !,
}

impl Context {
    /// A place for [`switch`] to save into.
    pub(crate) const fn empty() -> Context {
        Context { stack: ptr::null_mut(), thread_pointer: 0 }
    }

    /// A computation that will make `call` on the stack that ends at `top`,
    /// with `thread_pointer` as its FS base.
    ///
    /// # Safety
    ///
    /// At least a page below `top` must be writable and unused as long as the
    /// computation lives; `thread_pointer` must be a thread control block; the
    /// function must be sound to call with the arguments.
    pub(crate) unsafe fn new(top: *mut u8, thread_pointer: usize, call: &Call) -> Context {
        let [first, second, third] = call.arguments;
        // As `switch` leaves it: control words, six registers, the return
        // address, and above it an aligned end of stack.
        let frame: Frame = [
            0x0000_037f_0000_1f80,       // x87 control word over MXCSR, both as at process start
            third,                       // r15
            second,                      // r14
            first,                       // r13
            call.function,               // r12
            call.then as usize,          // rbx
            0,                           // rbp: ends a chain of frame pointers
            enter as *const () as usize, // return address
        ];
        let stack = top.map_addr(|top| (top & !15) - 16 - size_of_val(&frame));
        // SAFETY: the caller grants the page below `top`; the frame lies in it.
        unsafe { stack.cast::<Frame>().write(frame) };
        Context { stack, thread_pointer }
    }
}

impl Context {
    /// Where its stack ends while it is suspended.
    pub(crate) fn stack_top(&self) -> usize {
        self.stack.addr()
    }

    /// The end of the frames of a computation that has not begun: they lie below.
    pub(crate) fn first_frame(&self) -> usize {
        self.stack.addr() + size_of::<Frame>()
    }
}

/// First instructions of a new computation, with no caller above: an exception
/// that leaves the function finds the end of the stack and terminates.
#[unsafe(naked)]
extern "C" fn enter() -> ! {
    naked_asm!(
        ".cfi_startproc",
        ".cfi_undefined rip",
        "mov rdi, r13",
        "mov rsi, r14",
        "mov rdx, r15",
        "call r12",
        "mov rdi, rax",
        "call rbx",
        "ud2",
        ".cfi_endproc",
    )
}

/// Calls the program: `function` with three arguments. Before that the stack
/// pointer goes to `base`, so that what the program has on the stack lies at the
/// same distance from it as in a computation made by [`Context::new`].
///
/// # Safety
///
/// The function must be sound to call with the arguments, and `base` valid for
/// a write.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn call(
    function: usize,
    first: usize,
    second: usize,
    third: usize,
    base: *mut usize,
) -> usize {
    naked_asm!(
        ".cfi_startproc",
        "push rbp",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset rbp, -16",
        "mov [r8], rsp",
        "mov rax, rdi",
        "mov rdi, rsi",
        "mov rsi, rdx",
        "mov rdx, rcx",
        "call rax",
        "pop rbp",
        ".cfi_def_cfa_offset 8",
        "ret",
        ".cfi_endproc",
    )
}

/// Suspends the running computation into `from` and resumes `to`. Returns when
/// somebody switches to `from` again.
///
/// # Safety
///
/// `to` must be suspended: made by [`Context::new`] or saved by `switch`, and
/// not resumed since. `from` must be valid until then. The processor must
/// allow `wrfsbase` ([`can_set_thread_pointer`]).
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn switch(from: *mut Context, to: *const Context) {
    naked_asm!(
        "push rbp",
        "push rbx",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "sub rsp, 8",
        "stmxcsr [rsp]",
        "fnstcw [rsp + 4]",
        "rdfsbase rax",
        "mov [rdi], rsp",
        "mov [rdi + 8], rax",
        "mov rax, [rsi + 8]",
        "mov rsp, [rsi]",
        "wrfsbase rax",
        "ldmxcsr [rsp]",
        "fldcw [rsp + 4]",
        "add rsp, 8",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
        "ret",
    )
}

/// Does the kernel let programs set the FS base? (Linux 5.9 and later on
/// processors with FSGSBASE.)
pub(crate) fn can_set_thread_pointer() -> bool {
    const HWCAP2_FSGSBASE: u64 = 1 << 1;
    // SAFETY: reading the auxiliary vector has no preconditions.
    let capabilities = unsafe { libc::getauxval(libc::AT_HWCAP2) };
    capabilities & HWCAP2_FSGSBASE != 0
}

/// The FS base of the running computation: also what `pthread_self` answers.
pub(crate) fn thread_pointer() -> usize {
    let value: usize;
    // SAFETY: the first word of a thread control block points to itself
    // (x86-64 TLS ABI); reading it changes nothing.
    unsafe {
        asm!("mov {}, fs:[0]", out(reg) value, options(nostack, readonly, preserves_flags));
    }
    value
}

/// Sets the FS base of the running computation.
///
/// # Safety
///
/// `value` must be a complete thread control block, and whoever called this
/// must put the old one back before it returns to code that uses
/// thread-local storage of the old thread.
pub(crate) unsafe fn set_thread_pointer(value: usize) {
    // SAFETY: vouched for by the caller.
    unsafe { asm!("wrfsbase {}", in(reg) value, options(nostack, preserves_flags)) };
}

/// The stack pointer, roughly: an address in the caller's frame.
#[inline(always)]
pub(crate) fn stack_pointer() -> usize {
    let value: usize;
    // SAFETY: reads a register.
    unsafe { asm!("mov {}, rsp", out(reg) value, options(nomem, nostack, preserves_flags)) };
    value
}
