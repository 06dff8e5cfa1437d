//! Calls that leave what is controlled.
//!
//! Signals, timers, other programs and random numbers decide what a program
//! does as much as its schedule. What would have to be explored and is not ends
//! the search without a verdict, by name; what merely is not explored is noted.

use std::ffi::{CStr, c_char, c_int, c_long, c_uint, c_void};

use crate::real::{hook, real};
use crate::run;
use crate::sys;
use crate::worker;

/// Functions that no execution can go on after.
macro_rules! refused {
    ($($name:ident: $what:literal;)*) => {
        hook! {$(
            fn $name(_a: usize, _b: usize, _c: usize, _d: usize, _e: usize, _f: usize) -> c_long {
                refuse(concat!("the program ", $what, " (`", stringify!($name), "`), which is not controlled"))
            }
        )*}
    };
}

refused! {
    pthread_cancel: "cancels a thread";
    pthread_sigqueue: "sends a signal to a thread";
    tgkill: "sends a signal to a thread";
    sigwait: "waits for a signal";
    sigwaitinfo: "waits for a signal";
    sigtimedwait: "waits for a signal";
    sigsuspend: "waits for a signal";
    pause: "waits for a signal";
    sigqueue: "sends a signal";
    timer_create: "sets a timer";
    setitimer: "sets a timer";
    ualarm: "sets a timer";
    execve: "becomes another program";
    execv: "becomes another program";
    execvp: "becomes another program";
    execvpe: "becomes another program";
    execl: "becomes another program";
    execlp: "becomes another program";
    execle: "becomes another program";
    fexecve: "becomes another program";
    posix_spawn: "starts another program";
    posix_spawnp: "starts another program";
    system: "starts another program";
    popen: "starts another program";
    daemon: "leaves its process behind";
    setsid: "leaves its session";
    setpgid: "leaves its process group";
    waitid: "waits for processes";
    clone: "makes a thread or process of its own";
    io_uring_setup: "does input and output by a ring";
    aio_read: "does input and output beside its threads";
    aio_write: "does input and output beside its threads";
    mq_open: "uses a message queue";
    msgget: "uses a message queue";
    pthread_setconcurrency: "sets its concurrency";
}

/// Descriptors by which things come from outside.
macro_rules! from_outside {
    ($($name:ident: $what:literal;)*) => {
        hook! {$(
            fn $name(a: usize, b: usize, c: usize) -> c_int {
                run::with(|run| run.uncontrolled(concat!("what comes from ", $what, " (`", stringify!($name), "`)")));
                let real = real!($name: unsafe extern "C" fn(usize, usize, usize) -> c_int);
                // SAFETY: the caller's arguments, handed on unchanged.
                unsafe { real(a, b, c) }
            }
        )*}
    };
}

from_outside! {
    timerfd_create: "timers";
    signalfd: "signals";
    inotify_init: "the file system";
    inotify_init1: "the file system";
    shm_open: "memory shared with other programs";
    shmget: "memory shared with other programs";
}

hook! {
    fn pthread_kill(_handle: usize, signal: c_int) -> c_int {
        if signal != 0 {
            refuse("the program sends a signal to a thread (`pthread_kill`), which is not controlled");
        }
        0
    }

    fn kill(process: c_int, signal: c_int) -> c_int {
        if signal != 0 && run::with(|run| run.has_threads()) {
            refuse("the program sends a signal (`kill`), which is not controlled");
        }
        let real = real!(kill: unsafe extern "C" fn(c_int, c_int) -> c_int);
        // SAFETY: the caller's arguments, handed on unchanged.
        unsafe { real(process, signal) }
    }

    fn alarm(seconds: c_uint) -> c_uint {
        if seconds > 0 {
            refuse("the program sets a timer (`alarm`), which is not controlled");
        }
        0
    }

    fn getrandom(buffer: *mut c_void, length: usize, flags: c_uint) -> isize {
        draw("getrandom");
        // SAFETY: the program's own call.
        unsafe { sys::call(libc::SYS_getrandom, [buffer.addr(), length, flags as usize, 0, 0, 0]) }
    }

    fn getentropy(buffer: *mut c_void, length: usize) -> c_int {
        draw("getentropy");
        let real = real!(getentropy: unsafe extern "C" fn(*mut c_void, usize) -> c_int);
        // SAFETY: the caller's arguments, handed on unchanged.
        unsafe { real(buffer, length) }
    }

    /// `std::random_device::_M_getval`: asks the processor, by an instruction.
    fn _ZNSt13random_device9_M_getvalEv(device: *mut c_void) -> c_uint {
        draw("std::random_device");
        let real = real!(_ZNSt13random_device9_M_getvalEv: unsafe extern "C" fn(*mut c_void) -> c_uint);
        // SAFETY: the caller's argument, handed on unchanged.
        unsafe { real(device) }
    }

    fn arc4random() -> u32 {
        draw("arc4random");
        let real = real!(arc4random: unsafe extern "C" fn() -> u32);
        // SAFETY: takes nothing.
        unsafe { real() }
    }

    fn arc4random_uniform(bound: u32) -> u32 {
        draw("arc4random_uniform");
        let real = real!(arc4random_uniform: unsafe extern "C" fn(u32) -> u32);
        // SAFETY: takes a number.
        unsafe { real(bound) }
    }

    fn open(path: *const c_char, flags: c_int, mode: c_uint) -> c_int {
        note_path(path);
        let real = real!(open: unsafe extern "C" fn(*const c_char, c_int, c_uint) -> c_int);
        // SAFETY: the caller's arguments, handed on unchanged.
        unsafe { real(path, flags, mode) }
    }

    fn open64(path: *const c_char, flags: c_int, mode: c_uint) -> c_int {
        note_path(path);
        let real = real!(open64: unsafe extern "C" fn(*const c_char, c_int, c_uint) -> c_int);
        // SAFETY: the caller's arguments, handed on unchanged.
        unsafe { real(path, flags, mode) }
    }

    fn openat(directory: c_int, path: *const c_char, flags: c_int, mode: c_uint) -> c_int {
        note_path(path);
        let real = real!(openat: unsafe extern "C" fn(c_int, *const c_char, c_int, c_uint) -> c_int);
        // SAFETY: the caller's arguments, handed on unchanged.
        unsafe { real(directory, path, flags, mode) }
    }

    fn fopen(path: *const c_char, mode: *const c_char) -> *mut c_void {
        note_path(path);
        let real = real!(fopen: unsafe extern "C" fn(*const c_char, *const c_char) -> *mut c_void);
        // SAFETY: the caller's arguments, handed on unchanged.
        unsafe { real(path, mode) }
    }

    fn fopen64(path: *const c_char, mode: *const c_char) -> *mut c_void {
        note_path(path);
        let real = real!(fopen64: unsafe extern "C" fn(*const c_char, *const c_char) -> *mut c_void);
        // SAFETY: the caller's arguments, handed on unchanged.
        unsafe { real(path, mode) }
    }
}

/// Ends the search; before `main` too.
fn refuse(why: &str) -> ! {
    worker::give_up(why)
}

/// The program gets something that is different each time. Libraries do so too,
/// when they are loaded; that does not count.
fn draw(function: &str) {
    if run::with(|run| run.is_going_on()) {
        run::with(|run| run.random(&format!("the program draws random numbers (`{function}`)")));
    }
}

fn note_path(path: *const c_char) {
    if path.is_null() || !run::with(|run| run.is_going_on()) {
        return;
    }
    // SAFETY: the caller passes a string.
    let path = unsafe { CStr::from_ptr(path) }.to_bytes();
    if path == b"/dev/urandom" || path == b"/dev/random" || path == b"/dev/hwrng" {
        run::with(|run| run.random("the program draws random numbers (`/dev/urandom`)"));
    }
}
