//! The rules of the repository that no compiler checks.
//!
//! Each module looks at the tracked files and returns what is wrong, one line for each finding. A rule that needs an
//! exception lists it here, with its reason, and nowhere else.

mod codes;
mod layers;
mod meanings;
mod text;
mod unsafety;

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::shell::{output, root};

/// A tracked text file.
pub(super) struct File {
    /// From the root, with `/` between folders.
    pub(super) path: String,
    pub(super) text: String,
}

impl File {
    pub(super) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// The crate in `crates/` that the file belongs to.
    pub(super) fn crate_name(&self) -> Option<&str> {
        self.path.strip_prefix("crates/")?.split('/').next()
    }
}

/// Checks every rule and prints all findings.
pub(crate) fn run() -> Result<(), String> {
    let files = files()?;
    let checks = [text::check, unsafety::check, layers::check, meanings::check, codes::check];
    let findings: Vec<String> = checks.iter().flat_map(|check| check(&files)).collect();
    for finding in &findings {
        eprintln!("tidy: {finding}");
    }
    if findings.is_empty() { Ok(()) } else { Err(format!("tidy: {} findings", findings.len())) }
}

/// All files that git tracks, or would after `git add`; what is no UTF-8 is left out.
fn files() -> Result<Vec<File>, String> {
    let mut list = Command::new("git");
    list.current_dir(root()).args(["ls-files", "--cached", "--others", "--exclude-standard"]);
    let read = |path: &str| {
        let text = fs::read_to_string(root().join(PathBuf::from(path))).ok()?;
        Some(File { path: path.to_owned(), text })
    };
    Ok(output(&mut list)?.lines().filter_map(read).collect())
}

/// The file at a path.
pub(super) fn file<'f>(files: &'f [File], path: &str) -> Option<&'f File> {
    files.iter().find(|file| file.path == path)
}
