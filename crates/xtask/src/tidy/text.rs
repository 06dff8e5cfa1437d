//! What must not stand in files, how long they may be, and which there must be.

use super::File;

/// A file of Rust may have this many lines, tests included.
const MOST_LINES: usize = 900;

/// ARCHITECTURE.md is read in ten minutes.
const MOST_LINES_ARCHITECTURE: usize = 300;

/// Files that may be longer, and why.
const LONG: &[(&str, &str)] = &[];

/// Spelt in two parts, so that these lines are no findings themselves.
const UNFINISHED: &[&str] = &[concat!("todo", "!("), concat!("unimplemented", "!("), concat!("#[", "ignore")];
const HOSTS: &[&str] = &[
    concat!("crates", ".io"),
    concat!("static", ".crates"),
    concat!("pypi", ".org"),
    concat!("registry", ".npmjs"),
    concat!("deb", ".debian"),
];
const FOLDERS_OF_MACHINES: &[&str] = &["work", "farm", "root", "home"];

const NEEDED: &[&str] =
    &["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE", ".ci/run", "docs/README.md"];

pub(super) fn check(files: &[File]) -> Vec<String> {
    let mut findings: Vec<String> = NEEDED
        .iter()
        .filter(|path| !files.iter().any(|file| file.path == **path))
        .map(|path| format!("{path} is missing"))
        .collect();
    for file in files {
        findings.extend(check_length(file));
        for (line, number) in file.text.lines().zip(1..) {
            findings.extend(check_line(file, line).map(|finding| format!("{}:{number}: {finding}", file.path)));
        }
    }
    findings
}

fn check_length(file: &File) -> Option<String> {
    let most = match file.path.as_str() {
        "ARCHITECTURE.md" => MOST_LINES_ARCHITECTURE,
        path if path.ends_with(".rs") && !LONG.iter().any(|(it, _)| *it == path) => MOST_LINES,
        _ => return None,
    };
    let n_lines = file.text.lines().count();
    (n_lines > most).then(|| format!("{} has {n_lines} lines, more than {most}: look for a seam", file.path))
}

fn check_line(file: &File, line: &str) -> Option<String> {
    if let Some(word) = UNFINISHED.iter().find(|word| line.contains(**word)).filter(|_| file.is_rust()) {
        return Some(format!("`{word}`: finish it or assert today's answer beside a FIXME"));
    }
    if let Some(host) = HOSTS.iter().find(|host| line.contains(**host)).filter(|_| !file.path.ends_with(".lock")) {
        return Some(format!("`{host}`: name packages, not the hosts they come from"));
    }
    let folder = FOLDERS_OF_MACHINES.iter().find(|folder| names_folder(line, folder))?;
    Some(format!("a path in `/{folder}` exists on one machine only"))
}

/// Whether a line names an absolute path in a folder: `/folder/` after something that is no part of a longer path.
fn names_folder(line: &str, folder: &str) -> bool {
    let path = format!("/{folder}/");
    line.match_indices(&path).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        before.is_none_or(|it| !it.is_ascii_alphanumeric() && !matches!(it, '.' | '~' | '/' | '_' | '-'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rust(text: &str) -> File {
        File { path: "crates/ir/src/x.rs".to_owned(), text: text.to_owned() }
    }

    #[test]
    fn stubs_hosts_and_machine_paths_are_found() {
        let file = rust("");
        assert!(check_line(&file, concat!("    todo", "!()")).is_some());
        assert!(check_line(&file, concat!("// see https://crates", ".io/x")).is_some());
        assert!(check_line(&file, concat!("let x = \"/wo", "rk/x\";")).is_some());
        assert!(check_line(&file, "let x = a / work / b;").is_none());
        assert!(check_line(&file, "see docs/work/plan.md").is_none());
    }

    #[test]
    fn long_files_are_found() {
        assert!(check_length(&rust(&"x\n".repeat(MOST_LINES))).is_none());
        assert!(check_length(&rust(&"x\n".repeat(MOST_LINES + 1))).is_some());
    }
}
