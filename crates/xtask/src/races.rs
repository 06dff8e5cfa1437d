//! The visited set under `loom`, which tries every order of events between threads and notices data races.
//!
//! ThreadSanitizer needs a standard library built for it, which stable toolchains do not have: without one it reports
//! races inside the library's own locks.

use crate::shell::{cargo, must, target};

/// Runs the tests written for it.
pub(crate) fn run() -> Result<(), String> {
    let mut tests = cargo();
    tests.args(["test", "--quiet", "--release", "--package", "burnside-store", "--lib", "orders"]);
    // Other code than usual is built, so it has its own folder.
    must(tests.env("RUSTFLAGS", "--cfg loom").env("CARGO_TARGET_DIR", target().join("races")))
}
