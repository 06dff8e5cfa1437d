//! The functions the shim has replaced, for when it has nothing to say.
//!
//! [`hook!`] defines a replacement: outside a controlled run it calls the
//! function it replaces, so a program linked to this library still works on
//! its own; inside a run it executes the given body.

use std::ffi::{CStr, c_void};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// A function of a library behind this one, looked up once.
pub(crate) struct Next {
    name: &'static CStr,
    found: AtomicPtr<c_void>,
}

impl Next {
    pub(crate) const fn new(name: &'static CStr) -> Next {
        Next { name, found: AtomicPtr::new(ptr::null_mut()) }
    }

    /// Its address.
    ///
    /// # Panics
    ///
    /// When no other library has a function of this name.
    pub(crate) fn address(&self) -> *mut c_void {
        let known = self.found.load(Ordering::Relaxed);
        if !known.is_null() {
            return known;
        }
        // SAFETY: looks a name up in the libraries that are loaded.
        let found = unsafe { libc::dlsym(libc::RTLD_NEXT, self.name.as_ptr()) };
        assert!(!found.is_null(), "no library has {:?}", self.name);
        self.found.store(found, Ordering::Relaxed);
        found
    }
}

/// The replaced function `$name` as a function pointer of type `$signature`.
macro_rules! real {
    ($name:ident: $signature:ty) => {{
        static NEXT: $crate::real::Next = $crate::real::Next::new(
            match ::std::ffi::CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                Ok(name) => name,
                Err(_) => panic!("an identifier has no zero byte"),
            },
        );
        let address = NEXT.address();
        // SAFETY: the C library declares the function with this signature.
        unsafe { ::std::mem::transmute::<*mut ::std::ffi::c_void, $signature>(address) }
    }};
}

/// Defines replacements of C functions.
macro_rules! hook {
    ($($(#[$meta:meta])* fn $name:ident($($arg:ident: $ty:ty),* $(,)?) -> $ret:ty $body:block)*) => {$(
        $(#[$meta])*
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($($arg: $ty),*) -> $ret {
            if $crate::run::is_controlled() {
                $body
            } else {
                let real = $crate::real::real!($name: unsafe extern "C" fn($($ty),*) -> $ret);
                // SAFETY: the caller's arguments, handed on unchanged.
                unsafe { real($($arg),*) }
            }
        }
    )*};
}

pub(crate) use {hook, real};
