//! Catching panics in programs whose threads take turns.

use crate::runtime::{is_active, n_panics, set_panics};
use std::panic::UnwindSafe;

/// As [`std::panic::catch_unwind`], with the end of the panic noticed at once. That of `std` works too, but while several
/// threads unwind at the same time a lock may then count as poisoned that is not.
///
/// # Errors
///
/// With what `body` panicked with.
pub fn catch_unwind<R>(body: impl FnOnce() -> R + UnwindSafe) -> std::thread::Result<R> {
    let n_before = if is_active() { n_panics() } else { 0 };
    let result = std::panic::catch_unwind(body);
    if is_active() {
        set_panics(n_before);
    }
    result
}
