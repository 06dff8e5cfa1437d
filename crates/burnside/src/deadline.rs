//! The end of the time before a search has begun: reading a huge model, or proving its symmetry, asks no monitor.

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Instant;

use crate::exit::Exit;

/// Ends the process when the time is over, until it is dropped.
pub(crate) struct Deadline {
    _armed: Sender<()>,
}

impl Deadline {
    /// At `end`, `late` says what there is to say, and how to end. Where no thread can be started there is no deadline:
    /// the search has its own.
    pub(crate) fn arm(end: Instant, late: impl FnOnce() -> Exit + Send + 'static) -> Self {
        let (armed, dropped) = mpsc::channel();
        let wait = move || {
            let left = end.saturating_duration_since(Instant::now());
            if dropped.recv_timeout(left) == Err(RecvTimeoutError::Timeout) {
                std::process::exit(late() as i32);
            }
        };
        let _ = thread::Builder::new().name("deadline".to_owned()).spawn(wait);
        Self { _armed: armed }
    }
}
