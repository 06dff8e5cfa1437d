//! Futures on threads of the program: every order of polls and wake-ups is explored.
//!
//! ```
//! use burnside_sync::{check, future::block_on, sync::Arc, sync::atomic::{AtomicBool, Ordering}, thread};
//! use std::future::poll_fn;
//! use std::task::Poll;
//!
//! check(|| {
//!     let state = Arc::new((AtomicBool::new(false), burnside_sync::future::AtomicWaker::new()));
//!     let other = Arc::clone(&state);
//!     thread::spawn(move || {
//!         other.0.store(true, Ordering::SeqCst);
//!         other.1.wake();
//!     });
//!     block_on(poll_fn(|context| {
//!         state.1.register(context.waker());
//!         if state.0.load(Ordering::SeqCst) { Poll::Ready(()) } else { Poll::Pending }
//!     }));
//! });
//! ```

use crate::sync::Mutex;
use crate::thread::{self, Thread};
use std::pin::pin;
use std::sync::{Arc, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

struct Unpark(Thread);

impl Wake for Unpark {
    #[track_caller]
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }

    #[track_caller]
    fn wake_by_ref(self: &Arc<Self>) {
        self.0.unpark();
    }
}

/// Runs a future to its end on the calling thread, which parks while the future has nothing to do. A future that nobody
/// wakes is a deadlock.
#[track_caller]
pub fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(value) => return value,
            Poll::Pending => thread::park(),
        }
    }
}

/// A place for the waker of whoever polled last.
#[derive(Debug, Default)]
pub struct AtomicWaker {
    waker: Mutex<Option<Waker>>,
}

impl AtomicWaker {
    /// No waker yet. To be called inside a run.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Keeps this waker instead of the one before.
    #[track_caller]
    pub fn register(&self, waker: &Waker) {
        *self.waker.lock().unwrap_or_else(PoisonError::into_inner) = Some(waker.clone());
    }

    /// Takes the waker out.
    #[track_caller]
    pub fn take_waker(&self) -> Option<Waker> {
        self.waker.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Wakes whoever is registered.
    #[track_caller]
    pub fn wake(&self) {
        if let Some(waker) = self.take_waker() {
            waker.wake();
        }
    }
}
