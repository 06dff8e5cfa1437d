//! Atomics; see [`std::sync::atomic`]. Every operation is sequentially consistent, whatever ordering it names.

use crate::runtime::{create, look, only_looked, perform};
use burnside_stateless::{Kind, ObjId, Op};
use std::fmt;
use std::sync::atomic as real;

pub use std::sync::atomic::Ordering;

const SC: Ordering = Ordering::SeqCst;

/// Orders nothing here, since everything is in order.
pub fn fence(_order: Ordering) {}

/// Orders nothing here, since everything is in order.
pub fn compiler_fence(_order: Ordering) {}

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
                Self { obj: create(None), inner: real::$name::new(value) }
            }

            /// Reads.
            #[track_caller]
            pub fn load(&self, _order: Ordering) -> $value {
                look(Op::on(Kind::Read, self.obj));
                self.inner.load(SC)
            }

            /// Writes.
            #[track_caller]
            pub fn store(&self, value: $value, _order: Ordering) {
                perform(Op::on(Kind::Write, self.obj));
                self.inner.store(value, SC);
            }

            /// Writes and returns the value before.
            #[track_caller]
            pub fn swap(&self, value: $value, _order: Ordering) -> $value {
                perform(Op::on(Kind::Rmw, self.obj));
                self.inner.swap(value, SC)
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
                _success: Ordering,
                _failure: Ordering,
            ) -> Result<$value, $value> {
                perform(Op::on(Kind::Rmw, self.obj));
                let result = self.inner.compare_exchange(current, new, SC, SC);
                if result.is_err() {
                    only_looked(self.obj);
                }
                result
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
                pub fn $method(&self, value: $value, _order: Ordering) -> $value {
                    perform(Op::on(Kind::Rmw, self.obj));
                    self.inner.$method(value, SC)
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

impl Default for AtomicBool {
    fn default() -> Self {
        Self::new(false)
    }
}
