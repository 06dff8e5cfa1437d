//! Builds the crate `torture` in release, for searches in millions of small models need every bit of speed, with assertions in
//! our own crates, among them those about the facts that native code relies on; and runs it.

use std::fs;
use std::process::Command;

use crate::shell::{cargo, must, root, target};

/// Runs `torture` with these options.
pub(crate) fn run(options: &[&str]) -> Result<(), String> {
    let mut build = cargo();
    build.args(["build", "--release", "--quiet", "--package", "burnside-torture"]);
    for name in packages()? {
        for check in ["debug-assertions", "overflow-checks"] {
            build.arg("--config").arg(format!("profile.release.package.{name}.{check}=true"));
        }
    }
    must(&mut build)?;
    let out = target().join("torture");
    let mut command = Command::new(target().join("release/torture"));
    must(command.arg("--out").arg(out).args(options))
}

/// The libraries of this workspace, by the names of their packages.
fn packages() -> Result<Vec<String>, String> {
    let folder = root().join("crates");
    let mut names = Vec::new();
    for entry in fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))? {
        let name = entry.map_err(|error| error.to_string())?.file_name().to_string_lossy().into_owned();
        if !["burnside", "xtask"].contains(&&*name) {
            names.push(format!("burnside-{name}"));
        }
    }
    names.sort();
    Ok(names)
}
