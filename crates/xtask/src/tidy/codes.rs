//! Every diagnostic code is explained in `docs/diagnostics.md`, and nothing else is.

use std::collections::BTreeSet;

use super::{File, file};

const PAGE: &str = "docs/diagnostics.md";

/// Where the kinds of faults, which are codes too, have their names.
const FAULTS: &str = "crates/interp/src/fault.rs";

pub(super) fn check(files: &[File]) -> Vec<String> {
    let Some(page) = file(files, PAGE) else { return vec![format!("{PAGE} is missing")] };
    let explained: BTreeSet<&str> = page.text.lines().filter_map(explained).collect();
    let sources = files.iter().filter(|file| is_source(file));
    let mut used: BTreeSet<&str> = sources.flat_map(|file| used(&file.text)).collect();
    used.extend(file(files, FAULTS).into_iter().flat_map(|file| faults(&file.text)));
    let missing = used.difference(&explained).map(|code| format!("{PAGE} does not explain `{code}`"));
    let gone = explained.difference(&used).map(|code| format!("{PAGE} explains `{code}`, which nothing reports"));
    missing.chain(gone).collect()
}

/// Sources of the product; tests may make up codes.
fn is_source(file: &File) -> bool {
    file.is_rust() && file.path.contains("/src/") && !file.path.contains("/tests") && file.crate_name() != Some("xtask")
}

/// The code that a row of the page's tables explains.
fn explained(line: &str) -> Option<&str> {
    line.strip_prefix("| `")?.split('`').next()
}

/// The codes in a source: `Code("name")`, and the rows of the table in the Murphi front end.
fn used(text: &str) -> Vec<&str> {
    let text = text.split("#[cfg(test)]").next().unwrap_or(text);
    let literals = text.split("Code(\"").skip(1).filter_map(|rest| rest.split('"').next());
    let is_row = |line: &&str| line.starts_with("    ") && line.ends_with("\";") && line.contains("\": \"");
    let rows = text.lines().filter(is_row).filter_map(|line| line.split("= \"").nth(1)?.split('"').next());
    literals.chain(rows).filter(|code| !code.is_empty()).collect()
}

fn faults(text: &str) -> Vec<&str> {
    text.lines()
        .filter_map(|line| line.trim().strip_prefix("Self::")?.split("=> \"").nth(1)?.split('"').next())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_of_naming_a_code_are_seen() {
        assert_eq!(used("const A: Code = Code(\"a-b\");"), ["a-b"]);
        assert_eq!(used("    SYNTAX = \"syntax\": \"something else was expected here\";"), ["syntax"]);
        assert_eq!(used("x\n#[cfg(test)]\nCode(\"made-up\")"), [""; 0]);
    }

    #[test]
    fn a_row_explains_its_first_cell() {
        assert_eq!(explained("| `syntax` | something else was expected |"), Some("syntax"));
        assert_eq!(explained("Some prose with `code`."), None);
    }
}
