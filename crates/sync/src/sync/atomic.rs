//! Atomics; see [`std::sync::atomic`].
//!
//! Every operation is sequentially consistent, whatever ordering it names, unless [`crate::Checker::weak_memory`] asks for
//! what the orderings allow. Data races on [`crate::cell`] are found by orderings in either case.

use crate::access;
use crate::memory::{Request, What};
use burnside_stateless::ObjId;
use std::fmt;
use std::sync::atomic as real;

pub use std::sync::atomic::Ordering;

const SC: Ordering = Ordering::SeqCst;

/// A fence; see [`std::sync::atomic::fence`].
///
/// # Panics
///
/// If the ordering is `Relaxed`.
pub fn fence(order: Ordering) {
    access::fence(order);
}

/// Orders nothing between threads.
pub fn compiler_fence(_order: Ordering) {}

/// Values as 64 bits.
trait Bits: Copy {
    fn to_bits(self) -> u64;
    fn from_bits(bits: u64) -> Self;
}

macro_rules! bits {
    ($($value:ty)*) => {
        $(
            impl Bits for $value {
                fn to_bits(self) -> u64 {
                    self as u64
                }

                fn from_bits(bits: u64) -> Self {
                    bits as Self
                }
            }
        )*
    };
}

bits!(u8 u16 u32 u64 usize i8 i16 i32 i64 isize);

impl Bits for bool {
    fn to_bits(self) -> u64 {
        u64::from(self)
    }

    fn from_bits(bits: u64) -> Self {
        bits != 0
    }
}

impl<T> Bits for *mut T {
    fn to_bits(self) -> u64 {
        self.expose_provenance() as u64
    }

    fn from_bits(bits: u64) -> Self {
        std::ptr::with_exposed_provenance_mut(bits as usize)
    }
}

macro_rules! atomic {
    ($name:ident, $value:ty $(, $param:ident)?) => {
        /// An atomic cell; see the type of the same name in [`std::sync::atomic`].
        pub struct $name$(<$param>)? {
            obj: ObjId,
            inner: real::$name$(<$param>)?,
        }

        impl$(<$param>)? $name$(<$param>)? {
            /// A cell with this value. To be called inside a run.
            #[must_use]
            pub fn new(value: $value) -> Self {
                Self { obj: access::create_atomic(value.to_bits()), inner: real::$name::new(value) }
            }

            /// Reads.
            #[track_caller]
            pub fn load(&self, order: Ordering) -> $value {
                Bits::from_bits(access::load(self.obj, order, || self.real()))
            }

            /// Writes.
            #[track_caller]
            pub fn store(&self, value: $value, order: Ordering) {
                if access::store(self.obj, order, value.to_bits(), || self.real()) {
                    self.inner.store(value, SC);
                }
            }

            /// The bits of the newest write.
            fn real(&self) -> u64 {
                self.inner.load(SC).to_bits()
            }

            /// Reads and writes what `change` makes of the value, if anything.
            #[track_caller]
            fn change(&self, what: What, order: Ordering, change: impl Fn($value) -> Option<$value>) -> $value {
                let request = Request { obj: self.obj, what, order };
                let change = |old| change(Bits::from_bits(old)).map(Bits::to_bits);
                let (old, newest) = access::update(request, || self.real(), change);
                if let Some(value) = newest {
                    self.inner.store(Bits::from_bits(value), SC);
                }
                Bits::from_bits(old)
            }

            /// Writes and returns the value before.
            #[track_caller]
            pub fn swap(&self, value: $value, order: Ordering) -> $value {
                self.change(What::Update, order, |_| Some(value))
            }

            /// Writes if the value is `current`.
            ///
            /// # Errors
            ///
            /// With the value, if it is another.
            #[track_caller]
            pub fn compare_exchange(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                let what = What::UpdateIf(current.to_bits(), failure);
                let old = self.change(what, success, |old| (old == current).then_some(new));
                if old == current { Ok(old) } else { Err(old) }
            }

            /// As `compare_exchange`: it does not fail spuriously.
            ///
            /// # Errors
            ///
            /// With the value, if it is another.
            #[track_caller]
            pub fn compare_exchange_weak(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                self.compare_exchange(current, new, success, failure)
            }

            /// Reads, computes and writes until nobody interferes.
            ///
            /// # Errors
            ///
            /// With the value for which `f` gave none.
            #[track_caller]
            pub fn fetch_update(
                &self,
                set_order: Ordering,
                fetch_order: Ordering,
                mut f: impl FnMut($value) -> Option<$value>,
            ) -> Result<$value, $value> {
                let mut value = self.load(fetch_order);
                while let Some(new) = f(value) {
                    match self.compare_exchange(value, new, set_order, fetch_order) {
                        Ok(old) => return Ok(old),
                        Err(other) => value = other,
                    }
                }
                Err(value)
            }

            /// The value, which nobody else can reach.
            pub fn get_mut(&mut self) -> &mut $value {
                access::lend(self.obj);
                self.inner.get_mut()
            }

            /// The value.
            #[must_use]
            pub fn into_inner(self) -> $value {
                self.inner.into_inner()
            }

            pub(crate) fn id(&self) -> ObjId {
                self.obj
            }
        }

        impl$(<$param>)? fmt::Debug for $name$(<$param>)? {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.inner.fmt(f)
            }
        }

        impl$(<$param>)? crate::symmetry::Object for $name$(<$param>)? {
            fn id(&self) -> ObjId {
                $name::id(self)
            }
        }
    };
}

macro_rules! fetch {
    ($name:ident, $value:ty, $($method:ident)*) => {
        impl $name {
            $(
                /// Changes the value and returns the one before; see the method of the same name in `std`.
                #[track_caller]
                pub fn $method(&self, value: $value, order: Ordering) -> $value {
                    self.change(What::Update, order, |old| {
                        let cell = real::$name::new(old);
                        cell.$method(value, SC);
                        Some(cell.into_inner())
                    })
                }
            )*
        }
    };
}

macro_rules! integers {
    ($($name:ident $value:ty,)*) => {
        $(
            atomic!($name, $value);
            fetch!($name, $value, fetch_add fetch_sub fetch_and fetch_or fetch_xor fetch_nand fetch_max fetch_min);

            impl Default for $name {
                fn default() -> Self {
                    Self::new(0)
                }
            }
        )*
    };
}

integers! {
    AtomicU8 u8,
    AtomicU16 u16,
    AtomicU32 u32,
    AtomicU64 u64,
    AtomicUsize usize,
    AtomicI8 i8,
    AtomicI16 i16,
    AtomicI32 i32,
    AtomicI64 i64,
    AtomicIsize isize,
}

atomic!(AtomicBool, bool);
fetch!(AtomicBool, bool, fetch_and fetch_or fetch_xor fetch_nand);
atomic!(AtomicPtr, *mut T, T);

impl AtomicBool {
    /// Changes the value to its opposite and returns the one before.
    #[track_caller]
    pub fn fetch_not(&self, order: Ordering) -> bool {
        self.fetch_xor(true, order)
    }
}

impl<T> Default for AtomicPtr<T> {
    fn default() -> Self {
        Self::new(std::ptr::null_mut())
    }
}

impl Default for AtomicBool {
    fn default() -> Self {
        Self::new(false)
    }
}
