//! Threads of the program under test as coroutines on pooled stacks: the only `unsafe` of this crate.

#![allow(unsafe_code, reason = "coroutines that outlive a borrow checker's view of their stacks")]

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What a coroutine runs.
pub(crate) type Body = Box<dyn FnOnce()>;

/// Where stacks come from.
#[derive(Clone, Copy)]
pub(crate) struct Stacks {
    size_bytes: usize,
}

/// Stacks kept when not in use, per thread of the operating system.
const MAX_FREE: usize = 256;

impl Stacks {
    pub(crate) fn new(size_bytes: usize) -> Self {
        Self { size_bytes }
    }

    fn take(self) -> DefaultStack {
        let pooled = FREE.with_borrow_mut(|free| free.pop_if(|(size_bytes, _)| *size_bytes == self.size_bytes));
        match pooled {
            Some((_, stack)) => stack,
            None => DefaultStack::new(self.size_bytes).expect("memory for a stack"),
        }
    }

    fn give_back(self, stack: DefaultStack) {
        FREE.with_borrow_mut(|free| {
            if free.len() < MAX_FREE {
                free.push((self.size_bytes, stack));
            }
        });
    }
}

/// One thread of the program under test.
pub(crate) struct Fiber {
    inner: Coroutine<(), (), (), DefaultStack>,
}

thread_local! {
    // PERF: mapping a stack costs more than a whole run of a small test; the pool outlives a search.
    static FREE: RefCell<Vec<(usize, DefaultStack)>> = const { RefCell::new(Vec::new()) };

    /// The yielder of the coroutine that is running on this thread of the operating system, null outside one.
    static YIELDER: Cell<*const Yielder<(), ()>> = const { Cell::new(std::ptr::null()) };
}

impl Fiber {
    pub(crate) fn new(stacks: Stacks, body: Body) -> Self {
        let inner = Coroutine::with_stack(stacks.take(), move |yielder, ()| {
            YIELDER.set(std::ptr::from_ref(yielder));
            // A panic has been noted by the hook and ends here.
            drop(catch_unwind(AssertUnwindSafe(body)));
        });
        Self { inner }
    }

    /// Runs until the coroutine suspends itself or ends; says whether it has ended.
    pub(crate) fn resume(&mut self) -> bool {
        let outer = YIELDER.get();
        let result = self.inner.resume(());
        YIELDER.set(outer);
        matches!(result, CoroutineResult::Return(()))
    }

    /// Gives the stack back. What lives on the stack of a coroutine that has not ended is forgotten, not dropped.
    pub(crate) fn recycle(mut self, stacks: Stacks) {
        if self.inner.started() && !self.inner.done() {
            // SAFETY: nothing outside the coroutine refers to its stack. Borrows of it can only be held by threads
            // scoped within it, which are coroutines of the same run; the run is over and none of them is resumed.
            unsafe { self.inner.force_reset() };
        }
        if self.inner.done() {
            stacks.give_back(self.inner.into_stack());
        }
    }
}

/// Suspends the running coroutine until it is resumed.
pub(crate) fn suspend() {
    let yielder = YIELDER.get();
    assert!(!yielder.is_null(), "only a thread of the program under test can wait");
    // SAFETY: the pointer was set by the running coroutine itself when it started, or restored below when it was
    // resumed, and a yielder lives on its coroutine's stack as long as the coroutine runs.
    unsafe { (*yielder).suspend(()) };
    YIELDER.set(yielder);
}

/// Makes a body that borrows from a scope look as if it did not.
///
/// # Safety
///
/// The body must have been run to its end, or its run be over for good, before what it borrows goes away.
pub(crate) unsafe fn forget_scope<'scope>(body: Box<dyn FnOnce() + 'scope>) -> Body {
    // SAFETY: only the lifetime changes, and the caller promises that it is respected.
    unsafe { std::mem::transmute::<Box<dyn FnOnce() + 'scope>, Body>(body) }
}
