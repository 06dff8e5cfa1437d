//! One-time initialisation.
//!
//! C++ throws exceptions out of the function that is called once; it then
//! counts as not called. So these frames can be unwound.

use std::ffi::c_int;

use burnside_stateless::{Kind, ObjId, Op};

use crate::objects::Outcome;
use crate::real::real;
use crate::run;

type Routine = unsafe extern "C-unwind" fn();

/// # Safety
///
/// As for the function of POSIX.
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn pthread_once(once: *mut c_int, routine: Routine) -> c_int {
    if run::is_controlled() {
        // SAFETY: passed on from the caller.
        unsafe { once_only(once, routine) };
        return 0;
    }
    let real = real!(pthread_once: unsafe extern "C-unwind" fn(*mut c_int, Routine) -> c_int);
    // SAFETY: the caller's arguments, handed on unchanged.
    unsafe { real(once, routine) }
}

/// # Safety
///
/// As for the function of C11.
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn call_once(once: *mut c_int, routine: Routine) {
    if run::is_controlled() {
        // SAFETY: passed on from the caller.
        return unsafe { once_only(once, routine) };
    }
    let real = real!(call_once: unsafe extern "C-unwind" fn(*mut c_int, Routine));
    // SAFETY: the caller's arguments, handed on unchanged.
    unsafe { real(once, routine) }
}

/// What the control holds when the routine has been called, as in glibc: memory
/// that is used again for another control holds something else.
const CALLED: c_int = 2;

/// Runs `routine` unless somebody has, waiting for somebody who is at it.
///
/// # Safety
///
/// `once` must be a control and `routine` sound to call.
unsafe fn once_only(once: *mut c_int, routine: Routine) {
    let address = once.addr();
    // What was done before `main` is done in every execution and every process.
    if run::with(|run| run.initial.is_initialised(ObjId::at(address as u64))) {
        return;
    }
    let name = run::name(address);
    // SAFETY: the program's control.
    let is_fresh = unsafe { once.read_volatile() } != CALLED;
    if is_fresh && run::with(|run| run.objects.is_initialised(name)) {
        run::with(|run| run.objects.leave_undone(name));
    }
    if run::perform(Op::on(Kind::OnceEnter, name)) == Outcome::Chosen {
        let undone = Undone(name);
        // SAFETY: passed on from the caller.
        unsafe { routine() };
        std::mem::forget(undone);
        // SAFETY: the program's control.
        unsafe { once.write_volatile(CALLED) };
        run::perform(Op::on(Kind::OnceLeave, name));
    }
}

/// Dropped when an exception leaves the routine.
struct Undone(ObjId);

impl Drop for Undone {
    fn drop(&mut self) {
        run::perform(Op::with(Kind::OnceLeave, self.0, 1));
    }
}
