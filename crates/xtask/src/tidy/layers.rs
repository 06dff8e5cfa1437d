//! Which crate may use which: the order of the cards in ARCHITECTURE.md is the law.

use super::{File, file};

/// Crates for tests and chores: anyone may use them in tests, nobody elsewhere.
const BESIDE: &[&str] = &["mutants", "testkit", "torture", "xtask"];

/// Front ends meet the rest at the IR; the grammar of temporal formulas is one for all of them.
const FRONT_ENDS: &[&str] = &["murphi", "promela"];
const BELOW_FRONT_ENDS: &[&str] = &["ir", "diag", "temporal"];

/// The audit of certificates is worth something only while it shares nothing with what it checks.
const AUDIT: &str = "audit";
const BELOW_AUDIT: &[&str] = &["interp", "ir", "group", "diag"];

/// Crates that one other crate stands in front of: whatever the rest wants of them, it asks there.
const BEHIND: &[(&str, &str)] = &[("jit", "step")];

pub(super) fn check(files: &[File]) -> Vec<String> {
    let Some(architecture) = file(files, "ARCHITECTURE.md") else { return Vec::new() };
    let cards = cards(&architecture.text);
    let mut findings = Vec::new();
    let mut crates = Vec::new();
    for manifest in files.iter().filter(|file| file.path.ends_with("/Cargo.toml")) {
        let Some(name) = manifest.crate_name() else { continue };
        crates.push(name);
        findings.extend(check_crate(name, &dependencies(&manifest.text), &cards));
    }
    let gone = cards.iter().filter(|card| !crates.contains(card));
    findings.extend(gone.map(|card| format!("ARCHITECTURE.md has a card for `{card}`, which does not exist")));
    findings
}

/// The crates that have a card, from the top down: headings of the form ``### `name` ``.
fn cards(architecture: &str) -> Vec<&str> {
    let card = |line: &'_ str| -> Option<(usize, usize)> {
        let name = line.strip_prefix("### `")?.strip_suffix('`')?;
        Some((line.len() - name.len() - 1, name.len()))
    };
    architecture.lines().filter_map(|line| card(line).map(|(at, len)| &line[at..at + len])).collect()
}

/// The crates of this workspace that a crate uses outside its tests, by their folders.
fn dependencies(manifest: &str) -> Vec<&str> {
    let section = manifest.lines().skip_while(|line| *line != "[dependencies]").skip(1);
    let entries = section.take_while(|line| !line.starts_with('['));
    entries.filter_map(|line| line.strip_prefix("burnside-")?.split(['.', ' ', '=']).next()).collect()
}

fn check_crate(name: &str, dependencies: &[&str], cards: &[&str]) -> Vec<String> {
    let place = |name: &str| cards.iter().position(|card| *card == name);
    let Some(own) = place(name) else { return vec![format!("`{name}` has no card in ARCHITECTURE.md")] };
    let mut findings = Vec::new();
    for dependency in dependencies {
        let is_below = place(dependency).is_some_and(|place| place > own);
        let is_allowed = if BESIDE.contains(&name) {
            true
        } else if FRONT_ENDS.contains(&name) {
            BELOW_FRONT_ENDS.contains(dependency)
        } else if name == AUDIT {
            BELOW_AUDIT.contains(dependency)
        } else {
            is_below && !BESIDE.contains(dependency)
        };
        if !is_allowed {
            findings.push(format!("`{name}` uses `{dependency}`, which is not below it"));
        }
        let front = BEHIND.iter().find(|(behind, front)| behind == dependency && *front != name);
        if let Some((_, front)) = front.filter(|_| !BESIDE.contains(&name)) {
            findings.push(format!("`{name}` uses `{dependency}`, which is for `{front}` alone"));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    const CARDS: [&str; 5] = ["driver", "murphi", "engine", "ir", "testkit"];

    #[test]
    fn cards_are_headings_with_a_name() {
        assert_eq!(cards("## Code map\n### `a`\ntext\n### b\n### `c`\n"), ["a", "c"]);
    }

    #[test]
    fn only_plain_dependencies_count() {
        let manifest = "[dependencies]\nburnside-ir.workspace = true\nlogos.workspace = true\n\n\
                        [dev-dependencies]\nburnside-testkit.workspace = true\n";
        assert_eq!(dependencies(manifest), ["ir"]);
    }

    #[test]
    fn what_is_below_may_be_used() {
        assert_eq!(check_crate("driver", &["murphi", "ir"], &CARDS), [""; 0]);
        assert_eq!(check_crate("ir", &["engine"], &CARDS).len(), 1);
        assert_eq!(check_crate("driver", &["testkit"], &CARDS).len(), 1);
    }

    #[test]
    fn native_code_is_behind_its_layer() {
        let cards = ["explicit", "step", "jit", "ir"];
        assert_eq!(check_crate("step", &["jit"], &cards), [""; 0]);
        assert_eq!(check_crate("explicit", &["jit"], &cards), ["`explicit` uses `jit`, which is for `step` alone"]);
    }

    #[test]
    fn front_ends_know_no_engine() {
        assert_eq!(check_crate("murphi", &["ir"], &CARDS), [""; 0]);
        assert_eq!(check_crate("murphi", &["engine"], &CARDS).len(), 1);
    }

    #[test]
    fn the_audit_shares_nothing_with_what_it_checks() {
        let cards = ["explicit", "audit", "store", "interp", "ir"];
        assert_eq!(check_crate("audit", &["interp", "ir"], &cards), [""; 0]);
        assert_eq!(check_crate("audit", &["store"], &cards).len(), 1);
    }

    #[test]
    fn every_crate_has_a_card() {
        assert_eq!(check_crate("new", &[], &CARDS), ["`new` has no card in ARCHITECTURE.md"]);
    }
}
