//! Threads of the program under test as coroutines on pooled stacks: the only `unsafe` of this crate.

#![allow(unsafe_code, reason = "coroutines that outlive a borrow checker's view of their stacks")]

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};
use std::cell::Cell;

/// What a coroutine runs.
pub(crate) type Body = Box<dyn FnOnce()>;

/// Stacks that are not in use.
#[derive(Default)]
pub(crate) struct Stacks {
    free: Vec<DefaultStack>,
    size_bytes: usize,
}

impl Stacks {
    pub(crate) fn new(size_bytes: usize) -> Self {
        Self { free: Vec::new(), size_bytes }
    }

    fn take(&mut self) -> DefaultStack {
        let size_bytes = self.size_bytes;
        self.free.pop().unwrap_or_else(|| DefaultStack::new(size_bytes).expect("memory for a stack"))
    }
}

/// One thread of the program under test.
pub(crate) struct Fiber {
    inner: Coroutine<(), (), (), DefaultStack>,
}

thread_local! {
    /// The yielder of the coroutine that is running on this thread of the operating system, null outside one.
    static YIELDER: Cell<*const Yielder<(), ()>> = const { Cell::new(std::ptr::null()) };
}

impl Fiber {
    pub(crate) fn new(stacks: &mut Stacks, body: Body) -> Self {
        let inner = Coroutine::with_stack(stacks.take(), move |yielder, ()| {
            YIELDER.set(std::ptr::from_ref(yielder));
            body();
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
    pub(crate) fn recycle(mut self, stacks: &mut Stacks) {
        if self.inner.started() && !self.inner.done() {
            // SAFETY: nothing outside the coroutine refers to its stack. Borrows of it can only be held by threads
            // scoped within it, which are coroutines of the same run; the run is over and none of them is resumed.
            unsafe { self.inner.force_reset() };
        }
        if self.inner.done() {
            stacks.free.push(self.inner.into_stack());
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
