//! Searches that are cut short and go on later.

use std::fmt;
use std::io::{self, Read, Write};
use std::sync::{Arc, Mutex, MutexGuard};

/// What is left of a search that was cut short, from which its engine can go on.
pub trait Pause: Send + Sync {
    /// How many states it has stored.
    fn n_states(&self) -> u64;

    /// Writes everything that is needed to go on.
    fn write(&self, to: &mut dyn Write) -> io::Result<()>;
}

/// A search that was cut short. It is held as the engine held it, so that writing it down takes no second copy.
#[derive(Clone)]
pub struct Paused(Arc<dyn Pause>);

impl Paused {
    /// What an engine leaves.
    pub fn new(left: impl Pause + 'static) -> Self {
        Self(Arc::new(left))
    }

    /// How many states it has stored.
    pub fn n_states(&self) -> u64 {
        self.0.n_states()
    }

    /// Writes everything that is needed to go on.
    pub fn write(&self, to: &mut dyn Write) -> io::Result<()> {
        self.0.write(to)
    }
}

impl fmt::Debug for Paused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Paused")
    }
}

/// What an engine wrote about a search that was cut short. It is read once.
pub struct Saved {
    n_states: u64,
    reader: Mutex<Box<dyn Read + Send>>,
}

impl Saved {
    /// A search with so many states, which is read from here.
    pub fn new(n_states: u64, from: impl Read + Send + 'static) -> Self {
        Self { n_states, reader: Mutex::new(Box::new(from)) }
    }

    /// How many states it has stored.
    pub fn n_states(&self) -> u64 {
        self.n_states
    }

    /// Where it is read from.
    pub fn reader(&self) -> MutexGuard<'_, Box<dyn Read + Send>> {
        self.reader.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl fmt::Debug for Saved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Saved")
    }
}
