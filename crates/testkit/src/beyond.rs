//! What tests need that is not part of the repository.
//!
//! A test that passes because something is missing tests nothing, so absence fails. Where it cannot be helped,
//! `$BURNSIDE_ALLOW_MISSING` names what may be missing, between spaces: `corpus`, `gap`, `dreadnaut`, `cc`.

use std::path::{Path, PathBuf};

/// The corpus that the project shares with others: in `$BURNSIDE_SHARED`, else beside the checkout.
///
/// # Panics
/// If it is missing and must not be.
pub fn shared_corpus() -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let corpus = std::env::var_os("BURNSIDE_SHARED").map_or_else(beside, PathBuf::from).join("corpus");
    if corpus.is_dir() {
        return Some(corpus);
    }
    missing("corpus", &format!("{} (`BURNSIDE_SHARED` can name another folder than `../shared`)", corpus.display()));
    None
}

/// Says that a test has nothing to compare with.
///
/// # Panics
/// Unless `$BURNSIDE_ALLOW_MISSING` names it.
#[allow(clippy::print_stderr, reason = "a test that compares nothing says so")]
pub fn missing(name: &str, what: &str) {
    let allowed = std::env::var("BURNSIDE_ALLOW_MISSING").unwrap_or_default();
    assert!(
        allowed.split_whitespace().any(|word| word == name),
        "there is no {what}; `BURNSIDE_ALLOW_MISSING={name}` lets tests pass without it"
    );
    eprintln!("nothing is compared: there is no {what}");
}
