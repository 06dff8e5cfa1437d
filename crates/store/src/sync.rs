//! What threads share: the standard library's types, or those of `loom` in order to try every order of events.
//!
//! Under `--cfg loom` memory cells have a [`Witness`] each, so that `loom` sees when they are read and written, and
//! [`OnceLock`] is written out, as `loom` has none.

#[cfg(not(loom))]
pub(crate) use std::sync::{
    OnceLock,
    atomic::{AtomicU32, AtomicU64, Ordering},
};

#[cfg(loom)]
pub(crate) use {
    loom::sync::atomic::{AtomicU32, AtomicU64, Ordering},
    modelled::{OnceLock, Witness},
};

#[cfg(loom)]
mod modelled {
    use loom::cell::UnsafeCell;
    use loom::sync::atomic::{AtomicU32, Ordering};

    /// Stands for the content of a memory cell that `loom` cannot see.
    #[derive(Debug)]
    pub(crate) struct Witness(UnsafeCell<()>);

    // SAFETY: the content is empty; whether accesses are in order is what `loom` finds out.
    unsafe impl Sync for Witness {}

    impl Witness {
        pub(crate) fn new() -> Self {
            Self(UnsafeCell::new(()))
        }

        pub(crate) fn read(&self) {
            self.0.with(|_| ());
        }

        pub(crate) fn write(&self) {
            self.0.with_mut(|_| ());
        }
    }

    const EMPTY: u32 = 0;
    const BUSY: u32 = 1;
    const READY: u32 = 2;

    /// As in the standard library: set once, by whoever comes first, and then read by all.
    #[derive(Debug)]
    pub(crate) struct OnceLock<T> {
        state: AtomicU32,
        value: UnsafeCell<Option<T>>,
    }

    // SAFETY: the value is written by the one who made the state `BUSY` and read by those who saw `READY`.
    unsafe impl<T: Send + Sync> Sync for OnceLock<T> {}
    // SAFETY: as for the standard library's.
    unsafe impl<T: Send> Send for OnceLock<T> {}

    impl<T> Default for OnceLock<T> {
        fn default() -> Self {
            Self::new()
        }
    }

    impl<T> OnceLock<T> {
        pub(crate) fn new() -> Self {
            Self { state: AtomicU32::new(EMPTY), value: UnsafeCell::new(None) }
        }

        pub(crate) fn get(&self) -> Option<&T> {
            if self.state.load(Ordering::Acquire) != READY {
                return None;
            }
            // SAFETY: nobody writes the value again.
            self.value.with(|value| unsafe { (*value).as_ref() })
        }

        pub(crate) fn set(&self, new: T) -> Result<(), T> {
            if self.state.compare_exchange(EMPTY, BUSY, Ordering::Acquire, Ordering::Relaxed).is_err() {
                return Err(new);
            }
            // SAFETY: nobody else has found the state empty, and nobody reads before it is ready.
            self.value.with_mut(|value| unsafe { *value = Some(new) });
            self.state.store(READY, Ordering::Release);
            Ok(())
        }

        pub(crate) fn get_or_init(&self, make: impl FnOnce() -> T) -> &T {
            if self.state.load(Ordering::Relaxed) == EMPTY {
                let _ = self.set(make());
            }
            loop {
                match self.get() {
                    Some(value) => return value,
                    None => loom::thread::yield_now(),
                }
            }
        }
    }
}
