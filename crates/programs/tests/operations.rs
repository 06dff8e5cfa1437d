//! The page of operations names what the library replaces, and nothing else.

use std::collections::BTreeSet;
use std::path::Path;

const PAGE: &str = include_str!("../../../docs/internals/operations.md");

/// Blocks of source text whose lines begin with the name of a replaced function.
const BLOCKS: [&str; 4] = ["hook! {", "refused! {", "from_outside! {", "ready_first! {"];

fn identifier(text: &str) -> String {
    text.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect()
}

/// The functions that one source file replaces.
fn replaced_in(source: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut block = "";
    let mut is_exported = false;
    for line in source.lines() {
        match line {
            "}" => block = "",
            "#[unsafe(no_mangle)]" => is_exported = true,
            _ if BLOCKS.contains(&line) => block = line,
            _ => {}
        }
        let inside = line.strip_prefix("    ").filter(|rest| !rest.starts_with([' ', '/', '#', '}']));
        match (block, inside) {
            ("hook! {", Some(rest)) => names.extend(rest.strip_prefix("fn ").map(identifier)),
            ("", Some(rest)) => names.extend(rest.strip_prefix("(c\"").map(identifier)),
            (_, Some(rest)) => names.push(identifier(rest)),
            _ => {}
        }
        if let (true, Some((_, function))) = (is_exported, line.split_once(" fn ")) {
            names.push(identifier(function));
            is_exported = false;
        }
    }
    names
}

fn replaced() -> BTreeSet<String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../preload/src");
    let hooks = std::fs::read_dir(source.join("hooks")).expect("the library has hooks").flatten();
    let files = hooks.map(|entry| entry.path()).chain([source.join("worker.rs")]);
    let names = files.flat_map(|file| replaced_in(&std::fs::read_to_string(file).expect("a source file")));
    // Memory accesses have a row in common.
    names.filter(|name| !name.starts_with("__tsan_")).collect()
}

/// The names in backticks, in a part of the page.
fn named(text: &str) -> BTreeSet<String> {
    let quoted = text.split('`').skip(1).step_by(2);
    quoted.filter(|name| !name.is_empty() && identifier(name) == **name).map(str::to_owned).collect()
}

#[test]
fn every_replaced_function_is_on_the_page() {
    let replaced = replaced();
    assert!(replaced.len() > 180, "only {} functions were found", replaced.len());
    let named = named(PAGE);
    let missing: Vec<_> = replaced.difference(&named).collect();
    assert!(missing.is_empty(), "not in docs/internals/operations.md: {missing:?}");
}

#[test]
fn every_function_on_the_page_is_replaced() {
    let replaced = replaced();
    // The first column of the table; constants and what the program itself defines are no functions of ours.
    let rows = PAGE.lines().filter_map(|line| line.strip_prefix("| ")?.split_once(" | "));
    let claimed: BTreeSet<String> = rows.flat_map(|(functions, _)| named(functions)).collect();
    let is_function = |name: &&String| !name.contains(|c: char| c.is_ascii_uppercase()) && *name != "main";
    let without: Vec<_> = claimed.iter().filter(is_function).filter(|name| !replaced.contains(*name)).collect();
    assert!(claimed.len() > 100, "only {} functions are claimed", claimed.len());
    assert!(without.is_empty(), "on the page and not replaced: {without:?}");
}
