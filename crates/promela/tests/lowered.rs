//! The IR of the corpus models against the reference explorer: the same states, transitions and faults.

mod counting;

use std::fs;
use std::path::Path;

use burnside_testkit::shared_corpus;

fn texts(folder: &Path) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = fs::read_dir(folder)
        .expect("the corpus has this folder")
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|it| it == "pml" || it == "prom" || it == "promela"))
        .map(|path| {
            let text = String::from_utf8_lossy(&fs::read(&path).expect("it can be read")).into_owned();
            (path.file_name().unwrap_or_default().to_string_lossy().into_owned(), text)
        })
        .collect();
    found.sort();
    found
}

fn bound() -> u64 {
    std::env::var("CORPUS_STATES").ok().and_then(|value| value.parse().ok()).unwrap_or(2000)
}

#[test]
#[allow(clippy::print_stderr, reason = "a skipped test says so")]
fn corpus_models_have_the_reference_counts() {
    let Some(corpus) = shared_corpus() else { return };
    let mut problems = Vec::new();
    for folder in ["promela-dialect", "promela/models", "promela/families"] {
        for (name, text) in texts(&corpus.join(folder)) {
            if std::env::var("ONLY").is_ok_and(|only| !name.contains(&only)) {
                continue;
            }
            if let Err(problem) = counting::compare(&text, &[], bound()) {
                problems.push(format!("{name}: {problem}"));
            }
        }
    }
    assert!(problems.is_empty(), "{} problems\n{}", problems.len(), problems.join("\n"));
}

#[test]
fn corpus_models_without_dead_variables_have_the_same_verdicts() {
    let Some(corpus) = shared_corpus() else { return };
    let mut problems = Vec::new();
    for folder in ["promela-dialect", "promela/models", "promela/families"] {
        for (name, text) in texts(&corpus.join(folder)) {
            if let Err(problem) = counting::compare_slim(&text, bound() as usize / 8) {
                problems.push(format!("{name}: {problem}"));
            }
        }
    }
    assert!(problems.is_empty(), "{} problems\n{}", problems.len(), problems.join("\n"));
}

#[test]
fn a_variable_is_forgotten_where_it_is_assigned_before_it_is_read() {
    let text = "byte g; active proctype P() { byte x; if :: x = 1 :: x = 2 fi; g = x; g = 0; g = 1; x = g; g = x + 1 }";
    // Without: x is 1 or 2 until `x = g`. With: only until `g = x`.
    assert_eq!(counting::compare_slim(text, 100), Ok(Some([12, 10])));
}
