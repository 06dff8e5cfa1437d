//! Ctrl-C: the first ends the search, the second ends the process.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use burnside_engine::Monitor;

/// What shells report for a process ended by an interrupt.
const INTERRUPTED: i32 = 130;

/// Whether there was an interrupt.
static NOTED: AtomicBool = AtomicBool::new(false);
/// The search that is to be cancelled; there may be several, one after the other.
static SEARCH: Mutex<Option<Arc<Monitor>>> = Mutex::new(None);

/// Cancels the search at the first interrupt, and tells whether there was one. Where no handler can be installed, an
/// interrupt ends the process at once, as it would anyway.
pub(crate) fn cancels(monitor: &Arc<Monitor>) -> &'static AtomicBool {
    *SEARCH.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(monitor));
    listen();
    &NOTED
}

/// Takes note of the first interrupt, for whoever asks the function returned.
pub(crate) fn noted() -> fn() -> bool {
    listen();
    || NOTED.load(Ordering::Relaxed)
}

/// Installs the handler; one that is there stays.
fn listen() {
    let _ = ctrlc::set_handler(|| {
        if NOTED.swap(true, Ordering::Relaxed) {
            std::process::exit(INTERRUPTED);
        }
        if let Some(monitor) = &*SEARCH.lock().unwrap_or_else(PoisonError::into_inner) {
            monitor.cancel();
        }
    });
}
