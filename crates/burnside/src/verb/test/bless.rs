//! Writes down what was found as what is expected from now on.

use std::path::{Path, PathBuf};

use burnside_driver::{Expect, Expectation};
use toml_edit::{DocumentMut, Item, Value, value};

use super::case::{Case, Origin};
use super::trial::Trial;
use crate::exit::Exit;
use crate::output::write_text;
use crate::terminal::Terminal;

pub(super) fn write(trials: &[Trial], terminal: &mut Terminal) -> Exit {
    let mut exit = Exit::Holds;
    let mut files: Vec<(PathBuf, Vec<(&Case, &Expectation)>)> = Vec::new();
    for trial in trials {
        let case = &trial.case;
        let file = match &case.origin {
            Origin::File(file, _) => file,
            Origin::Verdict | Origin::Counts | Origin::With(_) => &case.model,
            Origin::Plain => continue,
        };
        if let Some(failure) = trial.failure().filter(|_| trial.found.expect == Expect::Inconclusive) {
            terminal.say(&format!("{case}: nothing to write down: {failure}"));
            exit = Exit::Violated;
            continue;
        }
        match files.iter_mut().find(|(known, _)| known == file) {
            Some((_, found)) => found.push((case, &trial.found)),
            None => files.push((file.clone(), vec![(case, &trial.found)])),
        }
    }
    for (path, found) in files {
        if let Err(problem) = rewrite(&path, &found) {
            Terminal::alarm(&problem);
            exit = Exit::Failed;
        }
    }
    exit
}

fn rewrite(path: &Path, found: &[(&Case, &Expectation)]) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("cannot read `{}`: {error}", path.display()))?;
    let is_list = found.iter().any(|(case, _)| matches!(case.origin, Origin::File(..)));
    let new = if is_list { listed(&text, found)? } else { with_header(&text, path, found) };
    if new == text { Ok(()) } else { write_text(path, &new) }
}

fn listed(text: &str, found: &[(&Case, &Expectation)]) -> Result<String, String> {
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| error.to_string())?;
    let tests = document.get_mut("test").and_then(Item::as_array_of_tables_mut).ok_or("the file has changed")?;
    for (case, found) in found {
        let Origin::File(_, at) = case.origin else { continue };
        let test = tests.get_mut(at).ok_or("the file has changed")?;
        let expect = like(case.expectation.as_ref(), found).to_string();
        match test["expect"].as_value_mut() {
            Some(old) => {
                let comments = old.decor().clone();
                *old = Value::from(expect);
                *old.decor_mut() = comments;
            }
            None => test["expect"] = value(expect),
        }
    }
    Ok(document.to_string())
}

/// What was found, as far as it was asked for.
fn like(asked: Option<&Expectation>, found: &Expectation) -> Expectation {
    let asks = |number: fn(&Expectation) -> Option<u64>| asked.is_some_and(|asked| number(asked).is_some());
    Expectation {
        expect: found.expect.clone(),
        states: found.states.filter(|_| asks(|it| it.states)),
        rules: found.rules.filter(|_| asks(|it| it.rules)),
    }
}

fn with_header(text: &str, path: &Path, found: &[(&Case, &Expectation)]) -> String {
    let is_promela = path.extension().is_some_and(|it| ["pml", "prom", "promela"].iter().any(|known| it == *known));
    let comment = if is_promela {
        "//"
    } else if path.extension().is_some_and(|it| it == "ir") {
        ";"
    } else {
        "--"
    };
    let of = |origin: &Origin| found.iter().find(|(case, _)| case.origin == *origin);
    let mut n_with = 0;
    let mut in_header = true;
    let mut has_expectation = false;
    let mut lines: Vec<String> = Vec::new();
    for line in text.split_inclusive('\n') {
        in_header &= line.starts_with(comment);
        let (body, end) = line.strip_suffix('\n').map_or((line, ""), |body| (body, "\n"));
        let key = body.strip_prefix(comment).and_then(|rest| rest.trim_start().split_once(": ")).filter(|_| in_header);
        let new = match key {
            Some(("expect", _)) => {
                has_expectation = true;
                of(&Origin::Verdict).map(|(_, found)| format!("expect: {}", found.expect))
            }
            Some(("states", _)) => {
                of(&Origin::Counts).and_then(|(_, found)| Some(format!("states: {}", found.states?)))
            }
            Some(("rules", _)) => of(&Origin::Counts).and_then(|(_, found)| Some(format!("rules: {}", found.rules?))),
            Some(("with", old)) => {
                n_with += 1;
                let options = old.split("=>").next().unwrap_or_default().trim();
                of(&Origin::With(n_with - 1))
                    .map(|(case, found)| format!("with: {options} => {}", like(case.expectation.as_ref(), found)))
            }
            _ => None,
        };
        lines.push(new.map_or_else(|| line.to_owned(), |new| format!("{comment} {new}{end}")));
    }
    if let Some((_, found)) = of(&Origin::Verdict).filter(|_| !has_expectation) {
        lines.insert(0, format!("{comment} expect: {}\n", found.expect));
    }
    lines.concat()
}
