//! The licences of everything that is linked into the program: what a package must say.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::shell::{cargo, output, root};

/// What the names of such files begin with.
const FILES: [&str; 4] = ["license", "licence", "copying", "copyright"];

/// Our own licences, then every crate with its own, each text once.
pub(crate) fn of_everything() -> Result<String, String> {
    let mut text = String::from("Burnside is licensed under either of Apache 2.0 or MIT, at your choice.\n");
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in ["LICENSE-MIT", "LICENSE-APACHE"] {
        let own = fs::read_to_string(root().join(file)).map_err(|error| format!("{file}: {error}"))?;
        texts.entry(own).or_default().push("burnside".to_owned());
    }
    text += "The program contains these libraries:\n\n";
    let linked = linked()?;
    for package in metadata()?.as_array().into_iter().flatten() {
        let word = |key: &str| package.get(key).and_then(Value::as_str).unwrap_or_default();
        let name = format!("{} v{}", word("name"), word("version"));
        if package["source"].is_null() || !linked.contains(&name) {
            continue;
        }
        let _ = writeln!(text, "{name}: {}", word("license"));
        let folder = Path::new(word("manifest_path")).parent().unwrap_or(Path::new("."));
        for own in files(folder) {
            texts.entry(own).or_default().push(name.clone());
        }
    }
    for (licence, names) in texts {
        let _ = write!(text, "\n---- {} ----\n\n{}\n", names.join(", "), licence.trim());
    }
    Ok(text)
}

/// Names and versions of the crates in the program, build scripts and macros apart.
fn linked() -> Result<BTreeSet<String>, String> {
    let mut tree = cargo();
    tree.args(["tree", "--locked", "--package", "burnside", "--edges", "normal,no-proc-macro", "--prefix", "none"]);
    let name = |line: &str| line.split_whitespace().take(2).collect::<Vec<_>>().join(" ");
    Ok(output(&mut tree)?.lines().map(name).collect())
}

fn metadata() -> Result<Value, String> {
    let text = output(cargo().args(["metadata", "--format-version", "1", "--locked"]))?;
    let mut metadata: Value = serde_json::from_str(&text).map_err(|error| format!("cargo metadata: {error}"))?;
    Ok(metadata["packages"].take())
}

/// The licences in a folder, in the order of their names.
fn files(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_licence = |path: &std::path::PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        path.is_file() && FILES.iter().any(|file| name.starts_with(file))
    };
    let mut paths: Vec<_> = entries.filter(is_licence).collect();
    paths.sort();
    paths.iter().filter_map(|path| fs::read_to_string(path).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_is_linked_has_a_licence() {
        let text = of_everything().expect("cargo tells");
        let list = text.split("----").next().expect("a list");
        assert!(list.contains("\nclap v") && list.contains("\ncranelift-jit v"), "{list}");
        assert!(!list.contains("\nclap_derive v"), "macros are not in the program");
        assert!(list.lines().all(|line| !line.ends_with(": ")), "{list}");
    }
}
