//! Statics that every run finds in their initial state.

use crate::runtime;
use std::any::Any;
use std::ops::Deref;
use std::rc::Rc;

/// A static made by [`crate::statics!`]: its value is made afresh in every run, by whoever uses it first.
pub struct Static<T: 'static> {
    init: fn() -> T,
}

impl<T: 'static> Static<T> {
    #[doc(hidden)]
    #[must_use]
    pub const fn new(init: fn() -> T) -> Self
    where
        T: Sync,
    {
        Self { init }
    }

    /// The value, for as long as the run.
    #[allow(unsafe_code, reason = "the run keeps the value alive")]
    fn get(&self) -> &T {
        let value = runtime::static_value(self.name(), || Rc::new((self.init)()) as Rc<dyn Any>);
        let value: *const T = value.downcast_ref::<T>().expect("one type per static");
        // SAFETY: the run holds a reference to the value until it is over, and `self` is used by its threads only, none
        // of which goes on after that.
        unsafe { &*value }
    }

    /// The distance to a static of this crate, which is the same wherever the program is loaded.
    fn name(&self) -> usize {
        static ANCHOR: u64 = 0;
        let distance = std::ptr::from_ref(self).addr().wrapping_sub(std::ptr::from_ref(&ANCHOR).addr());
        // Room between two statics for the names of what is in them, and no name that others have.
        (distance.wrapping_mul(1 << 12) & (usize::MAX >> 2)) | (1 << 61)
    }
}

impl<T: 'static> Deref for Static<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.get()
    }
}

/// Declares statics that every run finds in their initial state.
///
/// A static proper would keep what one run leaves in it for the next. Nor can `new` be `const` here: an object's name must
/// be the same in every schedule, and a constant does not know who made it. Inside this macro it need not be.
///
/// ```
/// use burnside_sync::{check, sync::Mutex, thread};
///
/// burnside_sync::statics! {
///     static TOTAL: Mutex<u32> = Mutex::new(0);
/// }
///
/// check(|| {
///     let worker = thread::spawn(|| *TOTAL.lock().unwrap() += 1);
///     *TOTAL.lock().unwrap() += 1;
///     worker.join().unwrap();
///     assert_eq!(*TOTAL.lock().unwrap(), 2);
/// });
/// ```
#[macro_export]
macro_rules! statics {
    ($($(#[$attr:meta])* $vis:vis static $name:ident: $ty:ty = $init:expr);* $(;)?) => {
        $($(#[$attr])* $vis static $name: $crate::Static<$ty> = $crate::Static::new(|| $init);)*
    };
}
