//! The end of the time or the memory before a search has begun: reading a huge model, finding its start states or proving
//! its symmetry asks no monitor.

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use burnside_engine::Shortfall;

use crate::exit::Exit;
use crate::progress::is_exceeded;

/// How often memory is looked at.
const INTERVAL: Duration = Duration::from_millis(100);

/// Ends the process when there is nothing left to go on with, until it is dropped.
pub(crate) struct Deadline {
    _armed: Sender<()>,
}

impl Deadline {
    /// At `end`, or when `memory` is used up, `late` says what there is to say, and how to end. Where no thread can be
    /// started there is no deadline: the search has its own.
    pub(crate) fn arm(
        end: Option<Instant>,
        memory: Option<u64>,
        late: impl FnOnce(Shortfall) -> Exit + Send + 'static,
    ) -> Self {
        let (armed, dropped) = mpsc::channel();
        let wait = move || {
            loop {
                let left = end.map_or(INTERVAL, |end| end.saturating_duration_since(Instant::now()).min(INTERVAL));
                if dropped.recv_timeout(left) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
                if end.is_some_and(|end| Instant::now() >= end) {
                    std::process::exit(late(Shortfall::Time) as i32);
                }
                if memory.is_some_and(is_exceeded) {
                    std::process::exit(late(Shortfall::Memory) as i32);
                }
            }
        };
        let _ = thread::Builder::new().name("deadline".to_owned()).spawn(wait);
        Self { _armed: armed }
    }
}
