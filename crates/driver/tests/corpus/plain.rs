//! Symmetry that nobody declared: scalarsets written as plain types have the same interchangeable members.

use std::collections::BTreeMap;

use burnside_driver::{Language, LoadOptions, load, on_large_stack};
use burnside_symmetry::Symmetry;

use crate::files::models_in;
use burnside_testkit::shared_corpus;

/// The classes that are proved, by name, with their sizes.
fn classes(name: &str, text: &str) -> Option<BTreeMap<String, u32>> {
    let prepared = load(name, text, Language::Murphi, &LoadOptions::default()).prepared?;
    let symmetry = Symmetry::find(&prepared.model);
    Some(symmetry.classes.iter().map(|class| (class.name.clone(), class.size)).collect())
}

/// Replaces every `scalarset(n)` by the range `1..n`, or by an enumeration if it is a member of a union, where the
/// language has no ranges.
fn without_scalarsets(text: &str, classes: &BTreeMap<String, u32>) -> String {
    let lower = text.to_ascii_lowercase();
    let united = members_of_unions(&lower);
    let mut plain = String::new();
    let mut done = 0;
    for (at, word) in lower.match_indices("scalarset") {
        let Some(size) = parenthesis(&text[at + word.len()..]) else { continue };
        let Some(name) = declared_name(&text[done..at]) else { continue };
        plain += &text[done..at];
        if united.iter().any(|member| *member == name.to_ascii_lowercase()) {
            let members: Vec<String> =
                (0..classes.get(name).copied().unwrap_or(1)).map(|number| format!("{name}__{number}")).collect();
            plain += &format!("enum {{{}}}", members.join(", "));
        } else {
            plain += &format!("1..{size}");
        }
        done = text.len() - text[at + word.len()..].trim_start().len() + size.len();
    }
    plain + &text[done..]
}

/// The text from an opening parenthesis, which must come first, to its closing one.
fn parenthesis(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let mut depth = 0;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 1 => return Some(&text[..=at]),
            b')' => depth -= 1,
            _ if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

/// The name in front of the colon at the end of a text.
fn declared_name(text: &str) -> Option<&str> {
    let text = text.trim_end().strip_suffix(':')?.trim_end();
    let name = text.rsplit(|symbol: char| !symbol.is_alphanumeric() && symbol != '_').next()?;
    (!name.is_empty()).then_some(name)
}

fn members_of_unions(lower: &str) -> Vec<&str> {
    let unions = lower.match_indices("union").filter_map(|(at, word)| {
        let inside = lower[at + word.len()..].trim_start().strip_prefix('{')?;
        inside.split('}').next()
    });
    unions.flat_map(|members| members.split([',', '{', ' '])).map(str::trim).filter(|it| !it.is_empty()).collect()
}

#[test]
#[allow(clippy::print_stderr, reason = "the test says how much it covered")]
fn scalarsets_written_as_plain_types_are_as_symmetric() {
    let Some(corpus) = shared_corpus() else { return };
    let models = models_in(&corpus.join("murphi/models"));
    let compared = on_large_stack(|| {
        let mut compared = Vec::new();
        for (name, text) in &models {
            let Some(declared) = classes(name, text).filter(|declared| !declared.is_empty()) else { continue };
            let plain = without_scalarsets(text, &declared);
            if plain == *text {
                continue;
            }
            let found = classes(name, &plain);
            let same = found.is_some_and(|found| declared.iter().all(|(name, size)| found.get(name) == Some(size)));
            compared.push((name.clone(), same));
        }
        compared
    });
    let compared = compared.unwrap_or_else(|failure| panic!("{failure}"));
    let lost: Vec<&str> = compared.iter().filter(|(_, same)| !same).map(|(name, _)| name.as_str()).collect();
    eprintln!("{} models, less symmetry without scalarsets in {}: {}", compared.len(), lost.len(), lost.join(" "));
    assert!(compared.len() > 40, "most models with scalarsets are symmetric");
    assert!(lost.len() * 10 <= compared.len(), "less symmetry in {}", lost.join(" "));
}
