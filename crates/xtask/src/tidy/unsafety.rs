//! Where `unsafe` occurs, and that each has its reason.

use super::{File, file};

/// The crates that may use `unsafe`, with why the safe part of the language is not enough.
const ALLOWED: &[(&str, &str)] = &[
    ("jit", "calls code it has made"),
    ("store", "memory from the system, read while others write"),
    ("preload", "lives inside other people's programs"),
    ("programs", "starts and inspects other people's programs"),
    ("stateless", "switches between threads of programs under test"),
    ("sync", "replaces the synchronisation primitives of programs under test"),
];

/// How far above a block its reason may begin.
const REACH_LINES: usize = 4;

pub(super) fn check(files: &[File]) -> Vec<String> {
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| file.is_rust()) {
        let is_allowed = file.crate_name().is_none_or(|name| ALLOWED.iter().any(|(it, _)| *it == name));
        findings.extend(
            check_file(file, is_allowed).into_iter().map(|(line, what)| format!("{}:{line}: {what}", file.path)),
        );
    }
    findings.extend(check_lints(files));
    findings
}

fn check_file(file: &File, is_allowed: bool) -> Vec<(usize, &'static str)> {
    let lines: Vec<&str> = file.text.lines().collect();
    let mut findings = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(what) = unsafe_use(&without_strings(line)) else { continue };
        let above = &lines[at.saturating_sub(REACH_LINES)..=at];
        let documented = || lines[..at].iter().rev().take_while(is_attribute_or_doc).any(|it| it.contains("# Safety"));
        if !is_allowed {
            findings.push((at + 1, "`unsafe` in a crate that does without"));
        } else if what == Use::Block && !above.iter().any(|line| line.contains("SAFETY:")) {
            findings.push((at + 1, "`unsafe` without a `SAFETY:` reason above it"));
        } else if what == Use::Declaration && !documented() && !is_in_trait_impl(&lines[..at], line) {
            findings.push((at + 1, "an unsafe function or trait without a `# Safety` section"));
        }
    }
    findings
}

/// A line without its strings and its comment.
fn without_strings(line: &str) -> String {
    let plain = line.replace("\\\"", "");
    let outside: String = plain.split('"').step_by(2).collect::<Vec<_>>().join("\"\"");
    outside.split("//").next().unwrap_or_default().to_owned()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    /// A block or an implementation: the reason why it is right stands above it.
    Block,
    /// A function or trait: what callers must see to stands in its documentation.
    Declaration,
    /// A function type, an attribute or a block of foreign declarations: nothing is done yet.
    Mention,
}

fn unsafe_use(code: &str) -> Option<Use> {
    let is_word = |it: char| it.is_alphanumeric() || it == '_';
    let (at, word) = code.match_indices("unsafe").find(|(at, word)| {
        let (before, after) = (code[..*at].chars().next_back(), code[at + word.len()..].chars().next());
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
    })?;
    let rest = code[at + word.len()..].trim_start();
    let is_private_item = code[..at].trim_start().starts_with("impl");
    Some(match rest {
        rest if rest.starts_with('{') || rest.starts_with("impl") || rest.is_empty() => Use::Block,
        rest if rest.starts_with("trait") => Use::Declaration,
        // `unsafe fn name(` declares; `unsafe fn(` is a type; what is `extern` has a contract in another language.
        rest if rest.starts_with("fn ") && !is_private_item && !code[..at].contains([':', '<', '=', '(']) => {
            Use::Declaration
        }
        _ => Use::Mention,
    })
}

/// Whether a line belongs to the implementation of a trait, which is where the contract is written.
fn is_in_trait_impl(above: &[&str], line: &str) -> bool {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let opening = above.iter().rev().find(|it| !it.trim().is_empty() && indent(it) < indent(line));
    opening.is_some_and(|opening| opening.contains("impl") && opening.contains(" for "))
}

fn is_attribute_or_doc(line: &&&str) -> bool {
    let line = line.trim_start();
    line.starts_with("///") || line.starts_with("#[")
}

/// A crate that does without `unsafe` takes the lints of the workspace, which forbid it.
fn check_lints(files: &[File]) -> Vec<String> {
    let mut findings = Vec::new();
    if file(files, "Cargo.toml").is_none_or(|root| !root.text.contains("unsafe_code = \"forbid\"")) {
        findings.push("Cargo.toml does not forbid `unsafe`".to_owned());
    }
    for manifest in files.iter().filter(|file| file.path.ends_with("/Cargo.toml")) {
        let Some(name) = manifest.crate_name() else { continue };
        let takes_lints = manifest.text.contains("[lints]\nworkspace = true");
        if !takes_lints && !ALLOWED.iter().any(|(it, _)| *it == name) {
            findings.push(format!("{} does not take the lints of the workspace", manifest.path));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(text: &str) -> Vec<usize> {
        let file = File { path: "crates/jit/src/x.rs".to_owned(), text: text.to_owned() };
        check_file(&file, true).into_iter().map(|(line, _)| line).collect()
    }

    #[test]
    fn a_block_needs_a_reason() {
        assert_eq!(findings("let x = unsafe\u{20}{ f() };"), [1]);
        assert_eq!(findings("// SAFETY: f does nothing.\nlet x = unsafe\u{20}{ f() };"), [0; 0]);
    }

    #[test]
    fn a_function_needs_a_section() {
        assert_eq!(findings("pub unsafe fn f() {}"), [1]);
        assert_eq!(findings("/// # Safety\n/// None.\npub unsafe fn f() {}"), [0; 0]);
        assert_eq!(
            findings("/// # Safety\n/// None.\nunsafe trait T {}\nimpl T for X {\n    unsafe fn f() {}\n}"),
            [0; 0]
        );
        assert_eq!(findings("type F = unsafe extern \"C\" fn(u64) -> u64;"), [0; 0]);
    }

    #[test]
    fn words_that_contain_it_are_no_uses() {
        assert_eq!(findings("unsafe_code = 1; // unsafe here"), [0; 0]);
    }

    #[test]
    fn other_crates_do_without() {
        let file = File { path: "crates/ir/src/x.rs".to_owned(), text: "unsafe impl Send for X {}".to_owned() };
        assert_eq!(check_file(&file, false).len(), 1);
    }
}
