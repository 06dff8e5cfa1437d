//! Plain memory whose accesses are compared: two that conflict and are not ordered are a data race, and a fault.
//!
//! Whether they are ordered is a matter of clocks, not of luck: a race is found in whichever order the two accesses were
//! executed. Memory orders count as they are written, also where atomics are explored under sequential consistency: a flag
//! stored with `Relaxed` orders nothing.
//!
//! ```
//! use burnside_sync::{Checker, cell::UnsafeCell, sync::Arc, thread};
//!
//! struct Slot(UnsafeCell<u32>);
//! // SAFETY: claimed as wrong code claims it. Nothing orders the two accesses below, which is what is found; they are
//! // executed one after the other, so nothing comes of it here.
//! unsafe impl Sync for Slot {}
//!
//! let report = Checker::new().run(|| {
//!     let slot = Arc::new(Slot(UnsafeCell::new(0)));
//!     let other = Arc::clone(&slot);
//!     // SAFETY: as above.
//!     let writer = thread::spawn(move || other.0.with_mut(|value| unsafe { *value = 1 }));
//!     // SAFETY: as above.
//!     slot.0.with(|value| unsafe { *value });
//!     writer.join().unwrap();
//! });
//! assert!(report.fault.is_some());
//! ```

use crate::memory::Use;
use crate::runtime::{self, create, is_active, with};
use burnside_stateless::ObjId;
use std::fmt;
use std::panic::Location;

/// A cell that may be changed through shared references, as [`std::cell::UnsafeCell`]; pointers are lent, not given away,
/// so that every use is seen.
pub struct UnsafeCell<T: ?Sized> {
    obj: ObjId,
    inner: std::cell::UnsafeCell<T>,
}

impl<T> UnsafeCell<T> {
    /// A cell with this value. Outside a run nobody compares its accesses.
    #[track_caller]
    pub fn new(value: T) -> Self {
        let place = Location::caller();
        let obj = if is_active() { create(None) } else { ObjId::NONE };
        if is_active() {
            with(|run| run.memory.add_cell(run.current(), obj, place));
        }
        Self { obj, inner: std::cell::UnsafeCell::new(value) }
    }

    /// The value.
    #[track_caller]
    pub fn into_inner(self) -> T {
        runtime::access(self.obj, Use::Write, Location::caller());
        self.inner.into_inner()
    }
}

impl<T: ?Sized> UnsafeCell<T> {
    /// Lends a pointer to read through.
    #[track_caller]
    pub fn with<R>(&self, body: impl FnOnce(*const T) -> R) -> R {
        self.lend(Use::Read, Location::caller(), |pointer| body(pointer))
    }

    /// Lends a pointer to write through.
    #[track_caller]
    pub fn with_mut<R>(&self, body: impl FnOnce(*mut T) -> R) -> R {
        self.lend(Use::Write, Location::caller(), body)
    }

    /// The value, which nobody else can reach.
    #[track_caller]
    pub fn get_mut(&mut self) -> &mut T {
        runtime::access(self.obj, Use::Write, Location::caller());
        self.inner.get_mut()
    }

    /// An access lasts as long as its pointer is lent: it counts when it begins and again when it ends.
    fn lend<R>(&self, how: Use, place: &'static Location<'static>, body: impl FnOnce(*mut T) -> R) -> R {
        runtime::access(self.obj, how, place);
        let result = body(self.inner.get());
        runtime::access(self.obj, how, place);
        result
    }
}

impl<T: Default> Default for UnsafeCell<T> {
    #[track_caller]
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> From<T> for UnsafeCell<T> {
    #[track_caller]
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

impl<T: ?Sized> fmt::Debug for UnsafeCell<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("UnsafeCell { .. }")
    }
}

/// A cell for values that are copied in and out; see [`std::cell::Cell`].
pub struct Cell<T> {
    cell: UnsafeCell<T>,
}

#[allow(unsafe_code, reason = "the type is not `Sync`, so one thread has it at a time, and no borrow leaves a method")]
impl<T> Cell<T> {
    /// A cell with this value.
    #[track_caller]
    pub fn new(value: T) -> Self {
        Self { cell: UnsafeCell::new(value) }
    }

    /// A copy of the value.
    #[track_caller]
    pub fn get(&self) -> T
    where
        T: Copy,
    {
        // SAFETY: the pointer is good and nobody writes meanwhile.
        self.cell.with(|value| unsafe { *value })
    }

    /// Puts in a value.
    #[track_caller]
    pub fn set(&self, value: T) {
        drop(self.replace(value));
    }

    /// Puts in a value and returns the one before.
    #[track_caller]
    pub fn replace(&self, value: T) -> T {
        // SAFETY: the pointer is good and nobody else uses it meanwhile.
        self.cell.with_mut(|place| unsafe { std::ptr::replace(place, value) })
    }

    /// Takes the value and leaves the default.
    #[track_caller]
    pub fn take(&self) -> T
    where
        T: Default,
    {
        self.replace(T::default())
    }

    /// The value.
    #[track_caller]
    pub fn into_inner(self) -> T {
        self.cell.into_inner()
    }
}

impl<T: Default> Default for Cell<T> {
    #[track_caller]
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> fmt::Debug for Cell<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Cell { .. }")
    }
}
