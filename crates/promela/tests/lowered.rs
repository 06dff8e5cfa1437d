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

#[test]
fn statements_that_nobody_notices_are_part_of_the_step_before() {
    // `x = x + 1` and `y = x` are one step with `g++`; the first statement is behind nothing.
    let text = "byte g; active [2] proctype P() { byte x; byte y; g++; x = x + 1; y = x; g = g + y }";
    let Ok(Some([plain, slim])) = counting::compare_slim(text, 1000) else { panic!("both are explored") };
    assert!(slim * 2 < plain, "{plain} states, {slim} with joined statements");
    // Neither a label that others may ask for, nor a variable that they see, nor a choice is joined.
    for text in [
        "byte g; active proctype P() { byte x; g++; x = 1; g++ } active proctype Q() { P:x == 1 -> assert(false) }",
        "byte g; active proctype P() { byte x; g++; here: x = 1; g++ } active proctype Q() { P@here -> assert(false) }",
        "byte g, x; active proctype P() { g++; x = 1; x = 2 } active proctype Q() { x == 1 -> assert(false) }",
        "byte g; active proctype P() { byte x; g++; do :: x = 1 od } active proctype Q() { g == 1; timeout -> assert(false) }",
        "byte g; active proctype P() { byte x; g++; x = 1; atomic { x = 2; g = 2 }; assert(g == 2) } active proctype Q() { g == 1 -> g = 3 }",
        "byte g; active proctype P() { byte x; { g++; x = 1; g++ } unless { g == 1 -> assert(false) } }",
        "byte g = 1; active proctype P() { byte x; g = 0; x = 1 / x } active proctype Q() { g == 0 }",
    ] {
        assert!(counting::compare_slim(text, 1000).is_ok(), "{text}");
    }
}
