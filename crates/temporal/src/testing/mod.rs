//! What the tests of several modules need: random formulas, small systems, an oracle that shares nothing with the product.

mod branching;
mod differential;
mod experiments;
pub(crate) mod formulas;
pub(crate) mod models;
mod near;
pub(crate) mod oracle;
pub(crate) mod properties;
pub(crate) mod random;
mod reduction;
pub(crate) mod replay;
pub(crate) mod system;
mod traps;
mod trust;

/// The number of random cases: `few` for every build, more if `BURNSIDE_TEMPORAL_CASES` asks for it.
pub(crate) fn n_cases(few: u64) -> u64 {
    match std::env::var("BURNSIDE_TEMPORAL_CASES") {
        Ok(text) => text.parse().expect("BURNSIDE_TEMPORAL_CASES is a number"),
        Err(_) => few,
    }
}
