//! x
fn main() { let a: Vec<String> = std::env::args().collect(); burnside_programs::cli::try_it(&a[1], &a[2]); }
