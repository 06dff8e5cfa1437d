//! System calls made directly, without the C library.
//!
//! The shim replaces `syscall`, `exit`, `nanosleep` and many others, so its
//! own needs must not go through the names it has taken over. A failed call
//! answers the negated error number, as the kernel does.

use std::arch::asm;
use std::sync::atomic::{AtomicU32, Ordering};

/// One system call with up to six arguments.
///
/// # Safety
///
/// The call must be sound with these arguments: pointers valid for what the
/// kernel does with them, no mapping in use replaced.
pub(crate) unsafe fn call(number: i64, args: [usize; 6]) -> isize {
    let result: isize;
    // SAFETY: the x86-64 convention of Linux: arguments in these registers,
    // `rcx` and `r11` overwritten, nothing else touched but what the caller
    // vouches for.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") number as isize => result,
            in("rdi") args[0],
            in("rsi") args[1],
            in("rdx") args[2],
            in("r10") args[3],
            in("r8") args[4],
            in("r9") args[5],
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    result
}

/// Writes all of `bytes` to `fd`; `false` when the other side is gone.
pub(crate) fn write_all(fd: i32, mut bytes: &[u8]) -> bool {
    while !bytes.is_empty() {
        let args = [fd as usize, bytes.as_ptr().addr(), bytes.len(), 0, 0, 0];
        // SAFETY: the kernel reads `len` bytes of a live slice.
        let n = unsafe { call(libc::SYS_write, args) };
        match n {
            n if n > 0 => bytes = &bytes[n as usize..],
            n if n == -(libc::EINTR as isize) => {}
            _ => return false,
        }
    }
    true
}

/// Reads some bytes from `fd`, none at the end of the stream.
///
/// # Errors
///
/// With the kernel's error number.
pub(crate) fn read(fd: i32, bytes: &mut [u8]) -> Result<usize, isize> {
    loop {
        let args = [fd as usize, bytes.as_mut_ptr().addr(), bytes.len(), 0, 0, 0];
        // SAFETY: the kernel writes at most `len` bytes of a live, unshared slice.
        let n = unsafe { call(libc::SYS_read, args) };
        match n {
            n if n >= 0 => return Ok(n as usize),
            n if n == -(libc::EINTR as isize) => {}
            error => return Err(-error),
        }
    }
}

/// Anonymous zeroed memory of `len` bytes, `flags` beside `MAP_ANONYMOUS`.
///
/// # Panics
///
/// When the kernel has no memory to give.
pub(crate) fn map(len: usize, flags: i32) -> *mut u8 {
    let protection = (libc::PROT_READ | libc::PROT_WRITE) as usize;
    let flags = (flags | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE) as usize;
    // SAFETY: a new mapping at an address the kernel chooses disturbs nothing.
    let at = unsafe { call(libc::SYS_mmap, [0, len, protection, flags, usize::MAX, 0]) };
    assert!(at > 0, "no memory for {len} bytes (error {})", -at);
    at as *mut u8
}

/// Replaces the pages at `at` by fresh zeroed ones.
///
/// # Safety
///
/// Nothing may rely on the old contents, and the range must be the caller's.
pub(crate) unsafe fn remap(at: *mut u8, len: usize, flags: i32) {
    let protection = (libc::PROT_READ | libc::PROT_WRITE) as usize;
    let flags = (flags | libc::MAP_FIXED | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE) as usize;
    // SAFETY: the caller owns the range and gives up its contents.
    let got = unsafe { call(libc::SYS_mmap, [at.addr(), len, protection, flags, usize::MAX, 0]) };
    assert!(got == at.addr() as isize, "cannot remap {len} bytes (error {})", -got);
}

/// Takes away every right to the page at `at`: a guard below a stack.
///
/// # Safety
///
/// The page must belong to the caller and hold nothing.
pub(crate) unsafe fn guard_page(at: *mut u8) {
    // SAFETY: the caller owns the page.
    unsafe { call(libc::SYS_mprotect, [at.addr(), 4096, 0, 0, 0, 0]) };
}

/// Ends this process at once, without handlers.
pub(crate) fn exit(status: i32) -> ! {
    loop {
        // SAFETY: ending the process touches no memory.
        unsafe { call(libc::SYS_exit_group, [status as usize, 0, 0, 0, 0, 0]) };
    }
}

/// The process, copied: 0 in the copy, its id in the original.
///
/// The C library's `fork` takes locks and runs handlers; on a stack and with a
/// thread pointer of ours it must not run.
pub(crate) fn fork() -> isize {
    // SAFETY: the copy continues with a private image of all memory.
    unsafe { call(libc::SYS_fork, [0; 6]) }
}

/// Waits for child `pid` (-1: any) and answers `(pid, status)`.
pub(crate) fn wait(pid: isize) -> Option<(isize, i32)> {
    let mut status = 0_i32;
    loop {
        let args = [pid as usize, (&raw mut status).addr(), 0, 0, 0, 0];
        // SAFETY: the kernel writes one `int` into a live local.
        let got = unsafe { call(libc::SYS_wait4, args) };
        if got == -(libc::EINTR as isize) {
            continue;
        }
        return (got > 0).then_some((got, status));
    }
}

/// The id of this process.
pub(crate) fn process_id() -> i32 {
    // SAFETY: no memory involved.
    unsafe { call(libc::SYS_getpid, [0; 6]) as i32 }
}

/// The kernel's id of this thread.
pub(crate) fn kernel_thread_id() -> i32 {
    // SAFETY: no memory involved.
    unsafe { call(libc::SYS_gettid, [0; 6]) as i32 }
}

/// Is one of these descriptors ready for what is asked, or broken?
pub(crate) fn is_any_ready(descriptors: &[libc::pollfd]) -> bool {
    let mut asked = descriptors.to_vec();
    // SAFETY: the kernel reads and writes a live vector; it does not wait.
    unsafe { call(libc::SYS_poll, [asked.as_mut_ptr().addr(), asked.len(), 0, 0, 0, 0]) > 0 }
}

/// This process ends when its parent does.
pub(crate) fn end_with_parent(parent: i32) {
    // SAFETY: sets a flag of this process.
    unsafe { call(libc::SYS_prctl, [libc::PR_SET_PDEATHSIG as usize, libc::SIGKILL as usize, 0, 0, 0, 0]) };
    // SAFETY: no memory involved.
    if unsafe { call(libc::SYS_getppid, [0; 6]) as i32 } != parent {
        exit(0);
    }
}

/// Ends process `pid`.
pub(crate) fn end_process(pid: i32) {
    // SAFETY: sends a signal to a process of the program.
    unsafe { call(libc::SYS_kill, [pid as usize, libc::SIGKILL as usize, 0, 0, 0, 0]) };
}

/// Sleeps until `word` may differ from `seen`.
pub(crate) fn futex_wait(word: &AtomicU32, seen: u32) {
    let at = word.as_ptr().addr();
    let args = [at, libc::FUTEX_WAIT as usize, seen as usize, 0, 0, 0];
    // SAFETY: `word` outlives the call; no timeout is passed.
    unsafe { call(libc::SYS_futex, args) };
}

/// Wakes whoever sleeps on `word`.
pub(crate) fn futex_wake(word: &AtomicU32) {
    let at = word.as_ptr().addr();
    let args = [at, libc::FUTEX_WAKE as usize, i32::MAX as usize, 0, 0, 0];
    // SAFETY: waking touches no memory.
    unsafe { call(libc::SYS_futex, args) };
}

/// A one-shot permission to run, handed from thread to thread; works between
/// processes when it lies in shared memory.
#[derive(Debug, Default)]
pub(crate) struct Baton(AtomicU32);

impl Baton {
    /// Lets the thread that waits on this baton go on.
    pub(crate) fn pass(&self) {
        self.0.store(1, Ordering::Release);
        futex_wake(&self.0);
    }

    /// Waits for [`pass`](Baton::pass) and takes the permission.
    pub(crate) fn take(&self) {
        while self.0.swap(0, Ordering::Acquire) == 0 {
            futex_wait(&self.0, 0);
        }
    }
}
