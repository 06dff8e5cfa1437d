//! Mappings the program makes itself, which the snapshot must know of.

use std::ffi::{c_int, c_void};

use libc::off_t;

use super::semaphore::fail;
use crate::real::hook;
use crate::run;
use crate::sys;
use crate::worker;

hook! {
    fn mmap(at: *mut c_void, length: usize, rights: c_int, flags: c_int, descriptor: c_int, offset: off_t) -> *mut c_void {
        map(at, length, rights, flags, descriptor, offset)
    }

    fn mmap64(at: *mut c_void, length: usize, rights: c_int, flags: c_int, descriptor: c_int, offset: off_t) -> *mut c_void {
        map(at, length, rights, flags, descriptor, offset)
    }

    fn munmap(at: *mut c_void, length: usize) -> c_int {
        let range = at.addr()..at.addr() + length.next_multiple_of(4096);
        let known = run::with(|run| {
            run.snapshot.as_mut().is_none_or(|snapshot| snapshot.note_unmapped(&range))
        });
        if !known {
            worker::give_up("the program unmaps memory it had before `main`");
        }
        // SAFETY: the program's own call.
        let result = unsafe { sys::call(libc::SYS_munmap, [at.addr(), length, 0, 0, 0, 0]) };
        if result < 0 { fail(-result as c_int) } else { 0 }
    }
}

fn map(at: *mut c_void, length: usize, rights: c_int, flags: c_int, descriptor: c_int, offset: off_t) -> *mut c_void {
    let arguments = [at.addr(), length, rights as usize, flags as usize, descriptor as usize, offset as usize];
    // SAFETY: the program's own call.
    let result = unsafe { sys::call(libc::SYS_mmap, arguments) };
    if result < 0 {
        fail(-result as c_int);
        return libc::MAP_FAILED;
    }
    let start = result as usize;
    run::with(|run| {
        if let Some(snapshot) = &mut run.snapshot {
            snapshot.note_mapped(start..start + length.next_multiple_of(4096));
        }
    });
    start as *mut c_void
}
