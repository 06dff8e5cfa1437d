//! Accounting for memory against a limit.

use crate::sync::{AtomicU64, Ordering};

/// There is no memory left within the limit, or the system has none, or there are no state numbers left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Full;

impl std::fmt::Display for Full {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "no memory is left for more states")
    }
}

impl std::error::Error for Full {}

/// How much memory the parts of one set hold together. Counts what the system has to back with pages, not address
/// space that is merely set aside.
#[derive(Debug)]
pub struct Memory {
    limit: u64,
    held: AtomicU64,
    peak: AtomicU64,
}

impl Memory {
    pub(crate) fn new(limit: u64) -> Self {
        Self { limit, held: AtomicU64::new(0), peak: AtomicU64::new(0) }
    }

    /// Takes `bytes` more, unless that would exceed the limit.
    pub(crate) fn take(&self, bytes: usize) -> Result<(), Full> {
        let held = self.held.fetch_add(bytes as u64, Ordering::Relaxed) + bytes as u64;
        if held > self.limit {
            self.give_back(bytes);
            return Err(Full);
        }
        self.peak.fetch_max(held, Ordering::Relaxed);
        Ok(())
    }

    pub(crate) fn give_back(&self, bytes: usize) {
        self.held.fetch_sub(bytes as u64, Ordering::Relaxed);
    }

    pub(crate) fn held(&self) -> u64 {
        self.held.load(Ordering::Relaxed)
    }

    pub(crate) fn peak(&self) -> u64 {
        self.peak.load(Ordering::Relaxed)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_refused_request_leaves_no_trace() {
        let memory = Memory::new(100);
        assert_eq!(memory.take(60), Ok(()));
        assert_eq!(memory.take(41), Err(Full));
        assert_eq!(memory.take(40), Ok(()));
        memory.give_back(100);
        assert_eq!((memory.held(), memory.peak()), (0, 100));
    }
}
