//! `Once`, `OnceLock` and `LazyLock`.

use crate::runtime::{create, perform, perform_in_drop};
use burnside_stateless::{Kind, ObjId, Op};
use std::cell::Cell;
use std::fmt;
use std::ops::Deref;
use std::sync as real;
use std::sync::atomic::Ordering::SeqCst as SC;

/// A one-time initialisation; see [`std::sync::Once`].
#[derive(Debug)]
pub struct Once {
    obj: ObjId,
    /// Whether the last attempt panicked; changes only inside.
    poisoned: real::atomic::AtomicBool,
}

/// What an initialisation forced over a failed one is told.
#[derive(Debug)]
pub struct OnceState {
    poisoned: bool,
}

impl OnceState {
    /// Whether the attempt before panicked.
    #[must_use]
    pub fn is_poisoned(&self) -> bool {
        self.poisoned
    }
}

/// Leaves the initialisation, as failed unless told otherwise.
struct Inside<'a> {
    once: &'a Once,
    failed: Cell<bool>,
}

impl Drop for Inside<'_> {
    #[track_caller]
    fn drop(&mut self) {
        self.once.poisoned.store(self.failed.get(), SC);
        perform_in_drop(Op::with(Kind::OnceLeave, self.once.obj, u64::from(self.failed.get())));
    }
}

impl Once {
    /// An initialisation nobody has begun. To be called inside a run.
    #[must_use]
    pub fn new() -> Self {
        Self { obj: create(None), poisoned: real::atomic::AtomicBool::new(false) }
    }

    /// Runs `init` if nobody has, or waits for whoever is at it.
    ///
    /// # Panics
    ///
    /// If an attempt before has panicked.
    #[track_caller]
    pub fn call_once(&self, init: impl FnOnce()) {
        self.enter(|state| {
            assert!(!state.poisoned, "Once instance has previously been poisoned");
            init();
        });
    }

    /// As [`Once::call_once`], also after an attempt that panicked.
    #[track_caller]
    pub fn call_once_force(&self, init: impl FnOnce(&OnceState)) {
        self.enter(init);
    }

    /// Runs `init` as the only one inside, unless the initialisation is complete.
    #[track_caller]
    fn enter(&self, init: impl FnOnce(&OnceState)) {
        if perform(Op::on(Kind::OnceEnter, self.obj)) == 1 {
            let poisoned = self.poisoned.load(SC);
            let inside = Inside { once: self, failed: Cell::new(true) };
            init(&OnceState { poisoned });
            inside.failed.set(false);
        }
    }

    /// Whether some initialisation has completed.
    #[track_caller]
    #[must_use]
    pub fn is_completed(&self) -> bool {
        let complete = perform(Op::on(Kind::OncePeek, self.obj)) == 1;
        if !complete {
            crate::runtime::only_looked(self.obj);
        }
        complete
    }

    pub(crate) fn id(&self) -> ObjId {
        self.obj
    }
}

impl Default for Once {
    fn default() -> Self {
        Self::new()
    }
}

/// A cell written once; see [`std::sync::OnceLock`].
pub struct OnceLock<T> {
    once: Once,
    value: real::OnceLock<T>,
}

impl<T> OnceLock<T> {
    /// An empty cell. To be called inside a run.
    #[must_use]
    pub fn new() -> Self {
        Self { once: Once::new(), value: real::OnceLock::new() }
    }

    /// The value, if there is one.
    #[track_caller]
    pub fn get(&self) -> Option<&T> {
        if self.once.is_completed() { self.value.get() } else { None }
    }

    /// Puts in a value unless there is one.
    ///
    /// # Errors
    ///
    /// With the value, if there was one.
    #[track_caller]
    pub fn set(&self, value: T) -> Result<(), T> {
        let mut value = Some(value);
        self.get_or_init(|| value.take().expect("run at most once"));
        value.map_or(Ok(()), Err)
    }

    /// The value, made by `init` if nobody has made it.
    #[track_caller]
    pub fn get_or_init(&self, init: impl FnOnce() -> T) -> &T {
        // An attempt that panicked leaves an empty cell, as in std.
        self.once.call_once_force(|_| drop(self.value.set(init())));
        self.value.get().expect("complete after `call_once`")
    }

    /// The value, which nobody else can reach.
    pub fn get_mut(&mut self) -> Option<&mut T> {
        self.value.get_mut()
    }

    /// Takes the value out and leaves an empty cell.
    pub fn take(&mut self) -> Option<T> {
        let value = self.value.take();
        self.once = Once::new();
        value
    }

    /// Takes the value out.
    pub fn into_inner(self) -> Option<T> {
        self.value.into_inner()
    }
}

impl<T> Default for OnceLock<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: fmt::Debug> fmt::Debug for OnceLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

/// A value made when first used; see [`std::sync::LazyLock`].
pub struct LazyLock<T, F = fn() -> T> {
    cell: OnceLock<T>,
    init: real::Mutex<Option<F>>,
}

impl<T, F: FnOnce() -> T> LazyLock<T, F> {
    /// A value not yet made. To be called inside a run.
    pub fn new(init: F) -> Self {
        Self { cell: OnceLock::new(), init: real::Mutex::new(Some(init)) }
    }

    /// Makes the value now.
    #[track_caller]
    pub fn force(this: &Self) -> &T {
        this.cell.once.enter(|state| {
            assert!(!state.poisoned, "LazyLock instance has previously been poisoned");
            let init = this.init.lock().unwrap_or_else(real::PoisonError::into_inner).take();
            drop(this.cell.value.set(init.expect("run at most once")()));
        });
        this.cell.value.get().expect("complete after entering")
    }
}

impl<T, F: FnOnce() -> T> Deref for LazyLock<T, F> {
    type Target = T;

    #[track_caller]
    fn deref(&self) -> &T {
        Self::force(self)
    }
}
