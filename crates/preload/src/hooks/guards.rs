//! The guards of static variables of C++.
//!
//! The compiler announces the look at a guard, but not what the C++ library does
//! to it. A variable is initialised before whoever finds its guard set goes on.

use std::ffi::{c_int, c_void};

use crate::real::{hook, real};
use crate::run;

hook! {
    fn __cxa_guard_acquire(guard: *mut c_void) -> c_int {
        let real = real!(__cxa_guard_acquire: unsafe extern "C" fn(*mut c_void) -> c_int);
        // SAFETY: the caller's argument, handed on unchanged.
        let first = unsafe { real(guard) };
        run::acquired(guard.addr());
        first
    }

    fn __cxa_guard_release(guard: *mut c_void) -> () {
        run::released(guard.addr());
        let real = real!(__cxa_guard_release: unsafe extern "C" fn(*mut c_void));
        // SAFETY: the caller's argument, handed on unchanged.
        unsafe { real(guard) }
    }
}
