//! Lines of code of each crate, without tests and empty lines, now and in other revisions.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;

use crate::shell::{output, root};

/// Crates that no user ever runs.
const FOR_TESTS: [&str; 4] = ["mutants", "testkit", "torture", "xtask"];

/// By crate, its lines.
type Lines = BTreeMap<String, usize>;

/// Prints a table with a column for each revision and one for the files as they are.
pub(crate) fn run(revisions: &[&str]) -> Result<(), String> {
    let columns = revisions.iter().copied().map(Some).chain([None]);
    let counted = columns.map(count).collect::<Result<Vec<Lines>, String>>()?;
    let names = revisions.iter().copied().chain(["now"]);
    println!("{:<12}{}", "", names.map(|name| format!("{name:>12}")).collect::<String>());
    let crates: BTreeSet<&String> = counted.iter().flat_map(Lines::keys).collect();
    for name in &crates {
        row(name, counted.iter().map(|lines| lines.get(*name).copied().unwrap_or(0)));
    }
    let is_product = |name: &str| !FOR_TESTS.contains(&name);
    let product = |lines: &Lines| lines.iter().filter(|(name, _)| is_product(name)).map(|(_, n)| n).sum();
    row("product", counted.iter().map(product));
    row("all", counted.iter().map(|lines| lines.values().sum()));
    Ok(())
}

fn row(name: &str, numbers: impl Iterator<Item = usize>) {
    println!("{name:<12}{}", numbers.map(|n| format!("{n:>12}")).collect::<String>());
}

/// The lines of all crates in a revision, or as they are.
fn count(revision: Option<&str>) -> Result<Lines, String> {
    let mut git = Command::new("git");
    git.current_dir(root());
    let listed = match revision {
        Some(revision) => output(git.args(["ls-tree", "-r", "--name-only", revision, "crates/"]))?,
        None => output(git.args(["ls-files", "--cached", "--others", "--exclude-standard", "crates/"]))?,
    };
    let mut lines = Lines::new();
    for path in listed.lines() {
        let Some((name, file)) = path.strip_prefix("crates/").and_then(|path| path.split_once("/src/")) else {
            continue;
        };
        if !file.ends_with(".rs") || file == "tests.rs" || file.ends_with("/tests.rs") || file.contains("tests/") {
            continue;
        }
        let text = match revision {
            Some(revision) => {
                output(Command::new("git").current_dir(root()).args(["show", &format!("{revision}:{path}")]))?
            }
            None => fs::read_to_string(root().join(path)).unwrap_or_default(),
        };
        *lines.entry(name.to_owned()).or_default() += of_text(&text);
    }
    Ok(lines)
}

/// The lines of a file that are not empty, up to the tests at its foot.
fn of_text(text: &str) -> usize {
    let is_foot = |(one, next): &(&str, &str)| *one == "#[cfg(test)]" && next.starts_with("mod ");
    let lines: Vec<&str> = text.lines().collect();
    let pairs = lines.iter().copied().zip(lines.iter().copied().skip(1).chain([""]));
    pairs.take_while(|pair| !is_foot(pair)).filter(|(line, _)| !line.trim().is_empty()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_and_empty_lines_do_not_count() {
        let text = "//! A page.\n\nfn one() {}\n\n#[cfg(test)]\nfn two() {}\n\n#[cfg(test)]\nmod tests {\n}\n";
        assert_eq!(of_text(text), 4);
    }
}
