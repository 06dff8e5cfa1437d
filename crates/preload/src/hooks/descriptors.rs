//! Pipes, sockets and the like inside the program.
//!
//! Once there are several threads, reading and writing such a descriptor is an
//! operation like any other: it waits until the kernel would not block, and all
//! of them are ordered against each other, as if there were one descriptor
//! only. Files are left to the kernel.

use std::ffi::{c_int, c_short, c_void};
use std::mem::MaybeUninit;

use burnside_stateless::{Kind, ObjId, Op};
use libc::{nfds_t, pollfd, timespec, timeval};

use super::semaphore::fail;
use super::time::{self, pass_time, sleep_ns};
use crate::objects::Await;
use crate::real::hook;
use crate::run;
use crate::sys;

/// All descriptors, as one object. No user address has this bit.
pub(crate) const DESCRIPTORS: ObjId = ObjId(1 << 60);
const NS_PER_MS: u64 = 1_000_000;

/// Functions that wait until a descriptor is ready and then do their work.
macro_rules! ready_first {
    ($($name:ident($number:ident, $events:ident);)*) => {
        hook! {$(
            fn $name(descriptor: c_int, a: usize, b: usize, c: usize, d: usize, e: usize) -> isize {
                await_ready(descriptor, libc::$events);
                system_call(libc::$number, [descriptor as usize, a, b, c, d, e])
            }
        )*}
    };
}

ready_first! {
    read(SYS_read, POLLIN);
    readv(SYS_readv, POLLIN);
    recvmsg(SYS_recvmsg, POLLIN);
    sendmsg(SYS_sendmsg, POLLOUT);
    accept(SYS_accept, POLLIN);
    accept4(SYS_accept4, POLLIN);
}

hook! {
    fn recv(descriptor: c_int, buffer: *mut c_void, length: usize, flags: c_int) -> isize {
        receive(descriptor, buffer.addr(), length, flags, [0, 0])
    }

    fn recvfrom(descriptor: c_int, buffer: *mut c_void, length: usize, flags: c_int, from: usize, size: usize) -> isize {
        receive(descriptor, buffer.addr(), length, flags, [from, size])
    }

    fn write(descriptor: c_int, buffer: *const c_void, length: usize) -> isize {
        in_pieces(descriptor, buffer.addr(), length, 0, |at, length| {
            system_call(libc::SYS_write, [descriptor as usize, at, length, 0, 0, 0])
        })
    }

    fn writev(descriptor: c_int, parts: *const libc::iovec, count: c_int) -> isize {
        // SAFETY: the caller passes so many parts.
        let lengths = (0..count.max(0) as usize).map(|number| unsafe { &*parts.add(number) });
        if lengths.clone().map(|part| part.iov_len).sum::<usize>() <= libc::PIPE_BUF {
            await_ready(descriptor, libc::POLLOUT);
            return system_call(libc::SYS_writev, [descriptor as usize, parts.addr(), count as usize, 0, 0, 0]);
        }
        all_of(lengths.map(|part| (part.iov_base.addr(), part.iov_len)), |at, length| {
            in_pieces(descriptor, at, length, 0, |at, length| {
                system_call(libc::SYS_write, [descriptor as usize, at, length, 0, 0, 0])
            })
        })
    }

    fn send(descriptor: c_int, buffer: *const c_void, length: usize, flags: c_int) -> isize {
        send_to(descriptor, buffer.addr(), length, flags, [0, 0])
    }

    fn sendto(descriptor: c_int, buffer: *const c_void, length: usize, flags: c_int, to: usize, size: usize) -> isize {
        send_to(descriptor, buffer.addr(), length, flags, [to, size])
    }

    fn eventfd_read(descriptor: c_int, value: *mut u64) -> c_int {
        await_ready(descriptor, libc::POLLIN);
        let got = system_call(libc::SYS_read, [descriptor as usize, value.addr(), 8, 0, 0, 0]);
        if got == 8 { 0 } else { -1 }
    }

    fn eventfd_write(descriptor: c_int, value: u64) -> c_int {
        await_ready(descriptor, libc::POLLOUT);
        let put = system_call(libc::SYS_write, [descriptor as usize, (&raw const value).addr(), 8, 0, 0, 0]);
        if put == 8 { 0 } else { -1 }
    }

    fn close(descriptor: c_int) -> c_int {
        if is_controlled(descriptor) {
            run::perform(Op::on(Kind::Opaque, DESCRIPTORS));
        }
        system_call(libc::SYS_close, [descriptor as usize, 0, 0, 0, 0, 0]) as c_int
    }

    fn shutdown(descriptor: c_int, how: c_int) -> c_int {
        if is_controlled(descriptor) {
            run::perform(Op::on(Kind::Opaque, DESCRIPTORS));
        }
        system_call(libc::SYS_shutdown, [descriptor as usize, how as usize, 0, 0, 0, 0]) as c_int
    }

    fn poll(descriptors: *mut pollfd, count: nfds_t, timeout: c_int) -> c_int {
        let timeout = u64::try_from(timeout).ok().map(|ms| ms * NS_PER_MS);
        // SAFETY: the caller's arguments.
        unsafe { poll_for(descriptors, count, timeout) }
    }

    fn ppoll(descriptors: *mut pollfd, count: nfds_t, timeout: *const timespec, _mask: *const c_void) -> c_int {
        // SAFETY: the caller passes a duration or nothing.
        let timeout = unsafe { timeout.as_ref() }.map(time::duration);
        // SAFETY: the caller's arguments.
        unsafe { poll_for(descriptors, count, timeout) }
    }

    fn epoll_wait(descriptor: c_int, events: *mut c_void, count: c_int, timeout: c_int) -> c_int {
        epoll(descriptor, events, count, timeout)
    }

    fn epoll_pwait(descriptor: c_int, events: *mut c_void, count: c_int, timeout: c_int, _mask: *const c_void) -> c_int {
        epoll(descriptor, events, count, timeout)
    }

    /// Without descriptors this is an old way to sleep.
    fn select(count: c_int, read: *mut c_void, write: *mut c_void, except: *mut c_void, timeout: *mut timeval) -> c_int {
        // SAFETY: the caller passes a duration or nothing.
        let wanted = unsafe { timeout.as_ref() }
            .map(|time| time.tv_sec.max(0) as u64 * 1_000_000_000 + time.tv_usec.max(0) as u64 * 1000);
        if let (0, Some(wanted)) = (count, wanted) {
            sleep_ns(wanted);
            return 0;
        }
        if run::with(|run| run.has_threads()) && (count > 0 || wanted.is_none()) {
            let asked = asked_by_select(count, read, write);
            await_any(asked, wanted.is_none());
        }
        let mut none = timeval { tv_sec: 0, tv_usec: 0 };
        let at_once = if run::with(|run| run.has_threads()) { (&raw mut none).addr() } else { timeout.addr() };
        let got = system_call(
            libc::SYS_select,
            [count as usize, read.addr(), write.addr(), except.addr(), at_once, 0],
        ) as c_int;
        if got == 0 {
            pass_time(wanted.unwrap_or(0));
        }
        got
    }
}

/// Receives; with `MSG_WAITALL` from a stream again and again, until everything that was asked for is there.
fn receive(descriptor: c_int, buffer: usize, length: usize, flags: c_int, from: [usize; 2]) -> isize {
    let call = |at, length, flags: c_int| {
        await_ready(descriptor, libc::POLLIN);
        system_call(libc::SYS_recvfrom, [descriptor as usize, at, length, flags as usize, from[0], from[1]])
    };
    let is_all_wanted = flags & (libc::MSG_WAITALL | libc::MSG_PEEK | libc::MSG_DONTWAIT) == libc::MSG_WAITALL;
    if !is_all_wanted || !is_blocking_stream(descriptor) {
        return call(buffer, length, flags);
    }
    let mut n_got = 0;
    while n_got < length {
        match call(buffer + n_got, length - n_got, flags & !libc::MSG_WAITALL) {
            got if got > 0 => n_got += got as usize,
            end if n_got == 0 => return end,
            _ => break,
        }
    }
    n_got as isize
}

fn send_to(descriptor: c_int, buffer: usize, length: usize, flags: c_int, to: [usize; 2]) -> isize {
    in_pieces(descriptor, buffer, length, flags, |at, length| {
        system_call(libc::SYS_sendto, [descriptor as usize, at, length, flags as usize, to[0], to[1]])
    })
}

/// Writes what is too long to be written at once in pieces, each when there is room for it: the kernel would wait in the
/// middle, where nobody else could go on and make room. Readers may see the pieces one by one without us, too.
fn in_pieces(
    descriptor: c_int,
    buffer: usize,
    length: usize,
    flags: c_int,
    put: impl Fn(usize, usize) -> isize,
) -> isize {
    let put = |at, length| {
        await_ready(descriptor, libc::POLLOUT);
        put(at, length)
    };
    if length <= libc::PIPE_BUF || flags & libc::MSG_DONTWAIT != 0 || !is_blocking_stream(descriptor) {
        return put(buffer, length);
    }
    let pieces = (0..length).step_by(libc::PIPE_BUF);
    all_of(pieces.map(|done| (buffer + done, libc::PIPE_BUF.min(length - done))), put)
}

/// Puts one piece after the other, until one does not go in as a whole.
fn all_of(pieces: impl Iterator<Item = (usize, usize)>, put: impl Fn(usize, usize) -> isize) -> isize {
    let mut n_put = 0;
    for (at, length) in pieces {
        match put(at, length) {
            n if n == length as isize => n_put += n,
            n if n >= 0 => return n_put + n,
            failed => return if n_put == 0 { failed } else { n_put },
        }
    }
    n_put
}

/// A pipe or a stream socket whose calls wait, and that others may use?
fn is_blocking_stream(descriptor: c_int) -> bool {
    if !is_controlled(descriptor) || system_flags(descriptor) & libc::O_NONBLOCK != 0 {
        return false;
    }
    let (mut kind, mut size): (c_int, u32) = (0, size_of::<c_int>() as u32);
    let (level, option) = (libc::SOL_SOCKET as usize, libc::SO_TYPE as usize);
    let arguments = [descriptor as usize, level, option, (&raw mut kind).addr(), (&raw mut size).addr(), 0];
    // SAFETY: the kernel writes into live locals.
    let is_socket = unsafe { sys::call(libc::SYS_getsockopt, arguments) } == 0;
    if is_socket { kind == libc::SOCK_STREAM } else { is_pipe(descriptor) }
}

/// What `select` was asked for, as `poll` would be.
fn asked_by_select(count: c_int, read: *mut c_void, write: *mut c_void) -> Vec<pollfd> {
    let is_in = |set: *mut c_void, fd: c_int| {
        // SAFETY: the caller of `select` passes sets of at least `count` bits.
        !set.is_null() && unsafe { *set.cast::<u8>().add(fd as usize / 8) } & 1 << (fd % 8) != 0
    };
    (0..count)
        .map(|fd| {
            let reads = if is_in(read, fd) { libc::POLLIN } else { 0 };
            let writes = if is_in(write, fd) { libc::POLLOUT } else { 0 };
            pollfd { fd, events: reads | writes, revents: 0 }
        })
        .filter(|asked| asked.events != 0)
        .collect()
}

fn epoll(descriptor: c_int, events: *mut c_void, count: c_int, timeout: c_int) -> c_int {
    let waits = timeout < 0;
    if run::with(|run| run.has_threads()) {
        await_any(vec![pollfd { fd: descriptor, events: libc::POLLIN, revents: 0 }], waits);
    }
    let wait = if run::with(|run| run.has_threads()) { 0 } else { timeout };
    let arguments = [descriptor as usize, events.addr(), count as usize, wait as usize, 0, 8];
    let got = system_call(libc::SYS_epoll_pwait, arguments) as c_int;
    if got == 0 {
        pass_time(u64::try_from(timeout).unwrap_or(0) * NS_PER_MS);
    }
    got
}

/// # Safety
///
/// `descriptors` must point to `count` of them.
unsafe fn poll_for(descriptors: *mut pollfd, count: nfds_t, timeout: Option<u64>) -> c_int {
    if let (0, Some(timeout)) = (count, timeout) {
        sleep_ns(timeout);
        return 0;
    }
    let is_threaded = run::with(|run| run.has_threads());
    if is_threaded {
        // SAFETY: passed on from the caller.
        let asked = unsafe { std::slice::from_raw_parts(descriptors, count as usize) }.to_vec();
        await_any(asked, timeout.is_none());
    }
    let wait_ms = match timeout {
        _ if is_threaded => 0,
        Some(timeout) => (timeout / NS_PER_MS) as c_int,
        None => -1,
    };
    let got = system_call(libc::SYS_poll, [descriptors.addr(), count as usize, wait_ms as usize, 0, 0, 0]) as c_int;
    if got == 0 {
        pass_time(timeout.unwrap_or(0));
    }
    got
}

/// Waits until `descriptor` is ready, if that is anybody's business.
fn await_ready(descriptor: c_int, events: c_short) {
    if !is_controlled(descriptor) {
        return;
    }
    let flags = system_flags(descriptor);
    await_any(vec![pollfd { fd: descriptor, events, revents: 0 }], flags & libc::O_NONBLOCK == 0);
}

/// An operation on descriptors, which waits for one of these if `waits`.
fn await_any(descriptors: Vec<pollfd>, waits: bool) {
    if run::with(|run| run.has_forked()) {
        run::with(|run| run.uncontrolled("what processes send each other by pipes or sockets"));
        return;
    }
    run::with(|run| run.objects.plan_await(run.current(), Await::Descriptors(descriptors)));
    let kind = if waits { Kind::Block } else { Kind::Opaque };
    run::perform(Op::on(kind, DESCRIPTORS));
}

/// Is it a pipe, a socket or the like, and are there threads to use it?
fn is_controlled(descriptor: c_int) -> bool {
    // What is printed is nobody's business, wherever it goes.
    if descriptor <= libc::STDERR_FILENO || !run::with(|run| run.has_threads() && run.is_going_on()) {
        return false;
    }
    let kind = kind_of(descriptor);
    kind.is_some_and(|kind| !matches!(kind, libc::S_IFREG | libc::S_IFDIR | libc::S_IFCHR | libc::S_IFBLK))
}

fn is_pipe(descriptor: c_int) -> bool {
    kind_of(descriptor) == Some(libc::S_IFIFO)
}

/// What the descriptor stands for, if it is open.
fn kind_of(descriptor: c_int) -> Option<libc::mode_t> {
    // SAFETY: all zero is valid; the kernel fills it in.
    let mut status: libc::stat = unsafe { MaybeUninit::zeroed().assume_init() };
    let arguments = [descriptor as usize, (&raw mut status).addr(), 0, 0, 0, 0];
    // SAFETY: the kernel writes into a live local.
    let result = unsafe { sys::call(libc::SYS_fstat, arguments) };
    (result >= 0).then_some(status.st_mode & libc::S_IFMT)
}

fn system_flags(descriptor: c_int) -> c_int {
    // SAFETY: asks for flags; no memory involved.
    unsafe { sys::call(libc::SYS_fcntl, [descriptor as usize, libc::F_GETFL as usize, 0, 0, 0, 0]) as c_int }
}

/// The program's own call.
fn system_call(number: i64, arguments: [usize; 6]) -> isize {
    // SAFETY: the program's own call, with its arguments.
    let result = unsafe { sys::call(number, arguments) };
    if (-4095..0).contains(&result) {
        return fail(-result as c_int) as isize;
    }
    result
}
