//! The project's own models: each header's expectation, in every configuration.

use std::time::Duration;

use burnside_driver::{EngineChoice, Expect, Header, LoadOptions, Mode, Settings};
use burnside_engine::DeadlockMode;

use crate::answer::{Answer, Conclusion, ask};
use crate::compare::Question;
use crate::files::{compare_golden, models_in, root};

/// Far more than any of these models needs.
const TIME: Duration = Duration::from_secs(300);

pub(crate) fn question(header: &Header) -> Question {
    let deadlock = match header.deadlock.as_deref() {
        Some("off") => DeadlockMode::Off,
        Some("stuck") => DeadlockMode::Stuck,
        _ => DeadlockMode::Stuttering,
    };
    let load = LoadOptions {
        overrides: header.define.clone(),
        strict_undefined: header.strict_undefined,
        ..LoadOptions::default()
    };
    Question { load, deadlock, loop_limit: header.loop_limit, ..Question::new(TIME) }
}

/// Whether an answer is the expected one.
fn meets(header: &Header, answer: &Answer) -> bool {
    let searched = match (&header.expect, answer) {
        (Expect::Invalid(codes), Answer::Invalid(given)) => return codes == given,
        (Expect::Invalid(_), _) | (_, Answer::Invalid(_)) => return false,
        (_, Answer::Searched(searched)) => searched,
    };
    let counts =
        header.states.is_none_or(|it| it == searched.states) && header.rules.is_none_or(|it| it == searched.rules);
    match (&header.expect, &searched.conclusion) {
        (Expect::Holds, Conclusion::Holds) => counts && header.states.is_some() && header.rules.is_some(),
        (Expect::Violated { kind, name, depth }, Conclusion::Violated(breached)) => {
            *kind == breached.kind
                && name.as_ref().is_none_or(|it| *it == breached.name)
                && (depth.is_some() || breached.depth.is_none())
                && *depth == breached.depth
                && counts
        }
        _ => false,
    }
}

/// Runs the models of a folder and returns what was skipped.
fn check_folder(folder: &str, at_least: usize) -> Vec<String> {
    let models = models_in(&root().join(folder));
    assert!(models.len() >= at_least, "{folder} has only {} models", models.len());
    let mut problems = Vec::new();
    let mut skips = Vec::new();
    let mut n_agreeing = 0;
    for (name, text) in &models {
        let header = match Header::parse(text) {
            Ok(header) => header,
            Err(problem) => {
                problems.push(format!("{folder}/{name}: {problem}"));
                continue;
            }
        };
        let question = question(&header);
        let answer = question.answer(name, text);
        if !meets(&header, &answer) {
            problems.push(format!("{folder}/{name}: the header says otherwise, or less: {answer}"));
        }
        let comparison = question.compare(name, text, &answer);
        problems.extend(comparison.deviations);
        problems.extend(comparison.late);
        skips.extend(comparison.skips);
        n_agreeing += comparison.n_agreeing;
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    // Most models are searched, most configurations treat them.
    assert!(n_agreeing >= 4 * models.len(), "{n_agreeing} comparisons of {} models", models.len());
    skips
}

/// The skips are a golden file, so that coverage cannot shrink unseen.
#[test]
fn corpus_models_do_what_their_headers_say() {
    let skips = check_folder("corpus/murphi", 40);
    assert_eq!(compare_golden("skips.txt", &lines(&skips)), [""; 0]);
}

#[test]
fn regressions_stay_mended() {
    check_folder("corpus/regress", 1);
}

/// Constructs of the IR by themselves, those among them that no language has, and all engines.
#[test]
fn ir_models_do_what_their_headers_say() {
    check_folder("corpus/ir", 9);
    for (name, text) in models_in(&root().join("corpus/ir")) {
        let header = Header::parse(&text).unwrap_or_else(|problem| panic!("{name}: {problem}"));
        let Question { load, deadlock, .. } = question(&header);
        let engine = EngineChoice::Interpolant(Mode::All);
        let settings = Settings { engine, deadlock, ..Settings::default() };
        let answer = ask(&name, &text, &load, &settings, TIME);
        let is_right = match (&header.expect, &answer) {
            (_, Answer::Invalid(codes)) => *codes == ["unsupported"],
            (Expect::Holds, Answer::Searched(it)) => it.conclusion == Conclusion::Holds,
            (Expect::Violated { kind, .. }, Answer::Searched(it)) => {
                matches!(&it.conclusion, Conclusion::Violated(breached) if breached.kind == kind)
            }
            (Expect::Inconclusive | Expect::Invalid(_), _) => false,
        };
        assert!(is_right, "{name} with explanations: {answer}");
    }
}

#[test]
fn examples_do_what_their_headers_say() {
    check_folder("examples", 5);
}

fn lines(entries: &[String]) -> String {
    entries.iter().map(|entry| format!("{entry}\n")).collect()
}
