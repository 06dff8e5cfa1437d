//! `std::thread` under the scheduler.

use crate::coroutine::{Body, forget_scope};
use crate::runtime::{self, advance, perform};
use burnside_stateless::{Kind, Op, ThreadId as Id};
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, Location, catch_unwind, resume_unwind};
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// What a thread leaves behind: its value, or what it panicked with.
pub type Result<T> = std::thread::Result<T>;

type Slot<T> = Arc<Mutex<Option<Result<T>>>>;

/// The identity of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ThreadId(pub(crate) Id);

/// A thread.
#[derive(Clone, Copy, Debug)]
pub struct Thread(Id);

impl Thread {
    /// Its identity. Workers of a [`crate::symmetry::Pool`] can be told apart by it, so the pool's symmetry is given up.
    #[track_caller]
    #[must_use]
    pub fn id(&self) -> ThreadId {
        runtime::identity_seen(self.0, Location::caller());
        ThreadId(self.0)
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> Option<String> {
        runtime::name_of(self.0)
    }

    /// Lets it go on from `park`, now or when it gets there.
    #[track_caller]
    pub fn unpark(&self) {
        perform(Op::thread(Kind::Unpark, self.0));
    }
}

/// The thread that is running.
#[must_use]
pub fn current() -> Thread {
    Thread(runtime::current())
}

/// Waits for an `unpark`.
#[track_caller]
pub fn park() {
    perform(Op::thread(Kind::Park, runtime::current()));
}

/// Waits for an `unpark` or a deadline.
#[track_caller]
pub fn park_timeout(timeout: Duration) {
    if perform(Op::thread(Kind::ParkTimeout, runtime::current())) == 0 {
        advance(timeout);
    }
}

/// Lets others run: this thread does not look again at what it looked at last before that has changed.
pub fn yield_now() {
    runtime::yield_now();
}

/// Lets virtual time pass. Others may run meanwhile, as they may anyway.
pub fn sleep(duration: Duration) {
    advance(duration);
    runtime::yield_now();
}

/// Two: enough for every race to be possible.
///
/// # Errors
///
/// Never.
pub fn available_parallelism() -> std::io::Result<std::num::NonZeroUsize> {
    Ok(const { std::num::NonZeroUsize::new(2).unwrap() })
}

/// Whether the running thread is unwinding.
#[must_use]
pub fn panicking() -> bool {
    runtime::is_unwinding()
}

/// The right to wait for a thread.
pub struct JoinHandle<T> {
    thread: Thread,
    slot: Slot<T>,
}

impl<T> JoinHandle<T> {
    pub(crate) fn id(&self) -> Id {
        self.thread.0
    }

    /// Waits for the thread's end.
    ///
    /// # Errors
    ///
    /// With what it panicked with.
    #[track_caller]
    pub fn join(self) -> Result<T> {
        perform(Op::thread(Kind::Join, self.thread.0));
        take(&self.slot)
    }

    /// Whether the thread has ended.
    #[track_caller]
    #[must_use]
    pub fn is_finished(&self) -> bool {
        perform(Op::thread(Kind::Finished, self.thread.0)) == 1
    }

    /// The thread.
    #[must_use]
    pub fn thread(&self) -> &Thread {
        &self.thread
    }
}

fn take<T>(slot: &Slot<T>) -> Result<T> {
    let result = slot.lock().unwrap_or_else(PoisonError::into_inner).take();
    result.expect("a thread that has ended has left something")
}

fn into_slot<T>(slot: Slot<T>, body: impl FnOnce() -> T) {
    let result = catch_unwind(AssertUnwindSafe(body));
    runtime::set_panics(0);
    runtime::drop_locals();
    *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
}

/// Creates a thread.
#[track_caller]
pub fn spawn<F, T>(body: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    start(None, body)
}

#[track_caller]
fn start<F, T>(name: Option<String>, body: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    let slot: Slot<T> = Arc::default();
    let result = Arc::clone(&slot);
    runtime::note_spawn(Location::caller());
    let id = runtime::spawn(name, Box::new(move || into_slot(result, body)));
    JoinHandle { thread: Thread(id), slot }
}

/// Options for a new thread.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    name: Option<String>,
}

impl Builder {
    /// No options.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A name, shown in reports.
    #[must_use]
    pub fn name(mut self, name: String) -> Self {
        self.name = Some(name);
        self
    }

    /// Accepted and ignored: stacks are all alike.
    #[must_use]
    pub fn stack_size(self, _bytes: usize) -> Self {
        self
    }

    /// Creates the thread.
    ///
    /// # Errors
    ///
    /// Never.
    #[track_caller]
    pub fn spawn<F, T>(self, body: F) -> std::io::Result<JoinHandle<T>>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        Ok(start(self.name, body))
    }
}

/// A scope for threads that borrow; see [`std::thread::scope`].
pub struct Scope<'scope, 'env: 'scope> {
    /// Threads not joined yet, and whether one that nobody joined panicked.
    threads: RefCell<Vec<Id>>,
    panicked: Rc<Cell<bool>>,
    scope: PhantomData<&'scope mut &'scope ()>,
    env: PhantomData<&'env mut &'env ()>,
}

/// The right to wait for a thread of a scope.
pub struct ScopedJoinHandle<'scope, T> {
    thread: Thread,
    slot: Slot<T>,
    panicked: Rc<Cell<bool>>,
    scope: PhantomData<&'scope ()>,
}

impl<T> ScopedJoinHandle<'_, T> {
    /// Waits for the thread's end.
    ///
    /// # Errors
    ///
    /// With what it panicked with.
    #[track_caller]
    pub fn join(self) -> Result<T> {
        perform(Op::thread(Kind::Join, self.thread.0));
        let result = take(&self.slot);
        if result.is_err() {
            self.panicked.set(false);
        }
        result
    }

    /// Whether the thread has ended.
    #[track_caller]
    #[must_use]
    pub fn is_finished(&self) -> bool {
        perform(Op::thread(Kind::Finished, self.thread.0)) == 1
    }

    /// The thread.
    #[must_use]
    pub fn thread(&self) -> &Thread {
        &self.thread
    }
}

impl<'scope, 'env> Scope<'scope, 'env> {
    /// Creates a thread that ends before the scope does.
    #[allow(unsafe_code, reason = "the borrow is respected by joining at the end of the scope")]
    #[track_caller]
    pub fn spawn<F, T>(&'scope self, body: F) -> ScopedJoinHandle<'scope, T>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        let slot: Slot<T> = Arc::default();
        let (result, panicked) = (Arc::clone(&slot), Rc::clone(&self.panicked));
        let body: Box<dyn FnOnce() + 'scope> = Box::new(move || {
            let outcome = catch_unwind(AssertUnwindSafe(body));
            runtime::set_panics(0);
            runtime::drop_locals();
            panicked.set(panicked.get() || outcome.is_err());
            *result.lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome);
        });
        // SAFETY: `scope` joins every thread before it returns or unwinds; if the run is given up first, no coroutine of
        // it is resumed again and their stacks are forgotten together.
        let body: Body = unsafe { forget_scope(body) };
        let id = runtime::spawn(None, body);
        self.threads.borrow_mut().push(id);
        ScopedJoinHandle { thread: Thread(id), slot, panicked: Rc::clone(&self.panicked), scope: PhantomData }
    }
}

/// Runs `body` with a scope and waits for every thread created in it.
///
/// # Panics
///
/// If a thread that was not joined panicked.
#[track_caller]
pub fn scope<'env, F, T>(body: F) -> T
where
    F: for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> T,
{
    let scope = Scope { threads: RefCell::default(), panicked: Rc::default(), scope: PhantomData, env: PhantomData };
    let result = crate::panic::catch_unwind(AssertUnwindSafe(|| body(&scope)));
    // Also threads that were joined: waiting again costs nothing and keeps the order of joins that of creation.
    for thread in scope.threads.take() {
        perform(Op::thread(Kind::Join, thread));
    }
    match result {
        Err(payload) => {
            runtime::set_panics(runtime::n_panics() + 1);
            resume_unwind(payload)
        }
        Ok(_) if scope.panicked.get() => panic!("a scoped thread panicked"),
        Ok(value) => value,
    }
}

/// A variable of which every thread has its own; made by [`crate::thread_local!`].
pub struct LocalKey<T: 'static> {
    init: fn() -> T,
}

impl<T: 'static> LocalKey<T> {
    #[doc(hidden)]
    #[must_use]
    pub const fn new(init: fn() -> T) -> Self {
        Self { init }
    }

    /// Lends the running thread's value, making it first if need be.
    pub fn with<R>(&'static self, body: impl FnOnce(&T) -> R) -> R {
        let key = std::ptr::from_ref(self).addr();
        let value = runtime::local(key).unwrap_or_else(|| {
            let value: Rc<dyn Any> = Rc::new((self.init)());
            runtime::set_local(key, Rc::clone(&value));
            value
        });
        body(value.downcast_ref::<T>().expect("one type per key"))
    }
}

impl<T: 'static> LocalKey<Cell<T>> {
    /// Puts in a value.
    pub fn set(&'static self, value: T) {
        self.with(|cell| cell.set(value));
    }

    /// A copy of the value.
    pub fn get(&'static self) -> T
    where
        T: Copy,
    {
        self.with(Cell::get)
    }

    /// Takes the value and leaves the default.
    pub fn take(&'static self) -> T
    where
        T: Default,
    {
        self.with(Cell::take)
    }

    /// Puts in a value and returns the one before.
    pub fn replace(&'static self, value: T) -> T {
        self.with(|cell| cell.replace(value))
    }
}

impl<T: 'static> LocalKey<RefCell<T>> {
    /// Lends the value.
    pub fn with_borrow<R>(&'static self, body: impl FnOnce(&T) -> R) -> R {
        self.with(|cell| body(&cell.borrow()))
    }

    /// Lends the value to be changed.
    pub fn with_borrow_mut<R>(&'static self, body: impl FnOnce(&mut T) -> R) -> R {
        self.with(|cell| body(&mut cell.borrow_mut()))
    }

    /// Puts in a value.
    pub fn set(&'static self, value: T) {
        drop(self.replace(value));
    }

    /// Takes the value and leaves the default.
    pub fn take(&'static self) -> T
    where
        T: Default,
    {
        self.with(RefCell::take)
    }

    /// Puts in a value and returns the one before.
    pub fn replace(&'static self, value: T) -> T {
        self.with(|cell| cell.replace(value))
    }
}

/// Declares variables of which every thread has its own, as [`std::thread_local!`] does.
#[macro_export]
macro_rules! thread_local {
    ($($(#[$attr:meta])* $vis:vis static $name:ident: $ty:ty = $init:expr);* $(;)?) => {
        $($(#[$attr])* $vis static $name: $crate::thread::LocalKey<$ty> = $crate::thread::LocalKey::new(|| $init);)*
    };
}
