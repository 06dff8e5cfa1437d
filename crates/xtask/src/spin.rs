//! Compares random models in Promela with SPIN, where it is installed.

use std::process::Command;

use crate::shell::{cargo, must, target};

/// Runs `against-spin` on so many models from a seed on. `$CC` compiles SPIN's verifiers, `gcc` unless told.
pub(crate) fn run(first: &str, count: &str) -> Result<(), String> {
    must(cargo().args(["build", "--release", "--quiet", "--package", "burnside-torture", "--bin", "against-spin"]))?;
    let cc = std::env::var("CC").unwrap_or_else(|_| "gcc".to_owned());
    let mut command = Command::new(target().join("release/against-spin"));
    must(command.args([first, count]).arg(target().join("against-spin")).arg(cc))
}
