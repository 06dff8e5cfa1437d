//! Numbers and lists.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::scratch::{CRATES, Mutant, Scratch};
use crate::trial::Outcome;

/// A table with one row for each crate, then how mutants were noticed.
pub(crate) fn table(scratch: &Scratch, mutants: &[Mutant], outcomes: &BTreeMap<u32, Outcome>) -> String {
    let mut text =
        String::from("| crate | mutants | not compiled | tried | reached | answers differ | killed | survived |\n");
    text += "|---|---:|---:|---:|---:|---:|---:|---:|\n";
    for package in CRATES {
        let own: Vec<&Mutant> = mutants.iter().filter(|it| it.package == package).collect();
        let tried: Vec<&Outcome> = own.iter().filter_map(|it| outcomes.get(&it.number)).collect();
        let count = |wanted: &dyn Fn(&Outcome) -> bool| tried.iter().filter(|it| wanted(it)).count();
        let by_models = ["verdict", "audit", "no verdict", "replay", "claim", "proofs", "count", "trace", "answer"];
        let _ = writeln!(
            text,
            "| `{package}` | {} | {} | {} | {} | {} | {} | {} |",
            own.len(),
            scratch.n_unviable(package),
            tried.len(),
            count(&|it| it.kind != "unreached"),
            count(&|it| by_models.contains(&&*it.kind)),
            count(&Outcome::is_kill),
            count(&|it| !it.is_kill()),
        );
    }
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for outcome in outcomes.values() {
        *kinds.entry(&outcome.kind).or_default() += 1;
    }
    let kinds: Vec<String> = kinds.iter().map(|(kind, n)| format!("{kind} {n}")).collect();
    text + "\n" + &kinds.join(", ") + "\n"
}

/// One line for each mutant that nothing noticed.
pub(crate) fn survivors(mutants: &[Mutant], outcomes: &BTreeMap<u32, Outcome>) -> String {
    let mut text = String::new();
    for mutant in mutants {
        if let Some(outcome) = outcomes.get(&mutant.number).filter(|it| !it.is_kill()) {
            let _ = writeln!(text, "{} {}\t{}", mutant.number, outcome.kind, mutant.what);
        }
    }
    text
}
