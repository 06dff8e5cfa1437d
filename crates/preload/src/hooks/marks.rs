//! What is left in the memory of an object that was destroyed.
//!
//! A condition variable may be made by a call or by an assignment of its
//! initialiser, and so may a reader-writer lock; C++ makes them in memory where
//! another was destroyed before. So the address does not tell whether an object
//! has been made again after its destruction, but its memory does: whoever makes
//! a new one overwrites the mark.

use std::ffi::c_void;

use crate::run;

/// In the first word of an object, which is 0 in all initialisers.
const MARK: u32 = 0xdead_b0b5;

/// Marks an object as destroyed.
///
/// # Safety
///
/// `object` must be valid for a write of one word.
pub(super) unsafe fn leave(object: *mut c_void) {
    // SAFETY: passed on from the caller.
    unsafe { object.cast::<u32>().write_volatile(MARK) };
}

/// The calling thread uses an object, which should not have been destroyed.
///
/// # Safety
///
/// `object` must be valid for a read of one word.
pub(super) unsafe fn check(object: *mut c_void, what: &str) {
    // SAFETY: passed on from the caller.
    if unsafe { object.cast::<u32>().read_volatile() } == MARK {
        run::misuse(&format!("uses a {what} after its destruction"));
    }
}
