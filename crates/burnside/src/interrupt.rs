//! Ctrl-C: the first ends the search, the second ends the process.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use burnside_engine::Monitor;

/// What shells report for a process ended by an interrupt.
const INTERRUPTED: i32 = 130;

/// Cancels the search at the first interrupt, and tells whether there was one. Where no handler can be installed, an
/// interrupt ends the process at once, as it would anyway.
pub(crate) fn cancels(monitor: &Arc<Monitor>) -> Arc<AtomicBool> {
    let monitor = Arc::clone(monitor);
    let interrupted = Arc::new(AtomicBool::new(false));
    let noticed = Arc::clone(&interrupted);
    let _ = ctrlc::set_handler(move || {
        if noticed.swap(true, Ordering::Relaxed) {
            std::process::exit(INTERRUPTED);
        }
        monitor.cancel();
    });
    interrupted
}

/// Takes note of the first interrupt, for whoever asks the function returned.
pub(crate) fn noted() -> fn() -> bool {
    static NOTED: AtomicBool = AtomicBool::new(false);
    let _ = ctrlc::set_handler(|| {
        if NOTED.swap(true, Ordering::Relaxed) {
            std::process::exit(INTERRUPTED);
        }
    });
    || NOTED.load(Ordering::Relaxed)
}
