//! Placeholder until the first content lands.
fn main() {}
