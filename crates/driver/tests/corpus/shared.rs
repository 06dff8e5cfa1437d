//! Models written by others: the verdicts, counts and trace lengths that existing tools agreed upon.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use burnside_engine::DeadlockMode;

use crate::answer::{Answer, Conclusion, Question};
use crate::files::{Table, read};
use burnside_testkit::shared_corpus;

/// Models whose answer differs from the table's, and why.
const EXPLAINED: &[(&str, &str)] = &[(
    "ruxinzh_test__mesi.m",
    "eleven steps lead to an error statement and to a false invariant; we meet the former first",
)];

/// Larger models are not tried unless time is given by `BURNSIDE_SHARED_SECONDS`.
const MOST_STATES: u64 = 200_000;

/// A row of the table.
struct Expected {
    file: String,
    /// With deadlocks checked as both tools do by default.
    verdict: String,
    /// Without deadlock check, where that differs.
    verdict_without_deadlock: String,
    /// Whether a tool that finished stands behind the verdict.
    trusted: bool,
    states: Option<u64>,
    rules: Option<u64>,
    depth: Option<u64>,
}

fn table(corpus: &Path) -> Vec<Expected> {
    let mut rows = Vec::new();
    Table::read(&corpus.join("murphi/expected.tsv")).for_each(|cell| {
        let number = |column: &str| cell(column).parse().ok();
        rows.push(Expected {
            file: cell("file"),
            verdict: cell("verdict(deadlock_check_on)"),
            verdict_without_deadlock: cell("verdict_if_deadlock_off"),
            trusted: matches!(cell("trust").as_str(), "both" | "cm" | "ru"),
            states: number("states_nosym"),
            rules: number("rules_nosym"),
            depth: number("shortest_trace_rules"),
        });
    });
    rows
}

/// How many seconds a search may take, and whether large models are tried at all.
fn patience() -> (Duration, u64) {
    match std::env::var("BURNSIDE_SHARED_SECONDS").ok().and_then(|seconds| seconds.parse().ok()) {
        Some(seconds) => (Duration::from_secs(seconds), u64::MAX),
        None => (Duration::from_secs(3), MOST_STATES),
    }
}

/// What became of a model.
enum Fate {
    Agrees,
    Late,
    Deviates(String),
}

/// Whether the kind of a violation is the one a tool's verdict names.
fn is_kind(verdict: &str, kind: &str) -> bool {
    match verdict {
        "undefined-read" => kind == "undefined-read",
        "range" => matches!(kind, "value-out-of-range" | "index-out-of-range"),
        // The tables do not tell failed assertions, error statements and other faults apart.
        "error" => !matches!(kind, "invariant" | "deadlock" | "cover" | "liveness"),
        other => other == kind,
    }
}

fn judge(verdict: &str, expected: &Expected, answer: &Answer) -> Result<(), String> {
    let searched = match answer {
        Answer::Invalid(codes) => return Err(format!("refused: {}", codes.join(" "))),
        Answer::Searched(searched) => searched,
    };
    match &searched.conclusion {
        Conclusion::Holds if verdict == "ok" => {
            let wrong = |wanted: Option<u64>, given| wanted.is_some_and(|wanted| wanted != given);
            if wrong(expected.states, searched.states) || wrong(expected.rules, searched.rules) {
                return Err(format!("{:?} states and {:?} rules expected: {answer}", expected.states, expected.rules));
            }
            Ok(())
        }
        Conclusion::Violated(breached) if is_kind(verdict, breached.kind) => match (expected.depth, breached.depth) {
            (Some(wanted), Some(given)) if wanted != given => Err(format!("depth {wanted} expected: {answer}")),
            _ => Ok(()),
        },
        Conclusion::Holds | Conclusion::Violated(_) | Conclusion::Unknown(_) => {
            Err(format!("{verdict} expected: {answer}"))
        }
        Conclusion::Late => Ok(()),
    }
}

fn fate(corpus: &Path, expected: &Expected, time: Duration) -> Fate {
    let text = read(&corpus.join("murphi/models").join(&expected.file));
    let with_deadlock = (DeadlockMode::Stuttering, expected.verdict.as_str());
    let without = (DeadlockMode::Off, expected.verdict_without_deadlock.as_str());
    let mut late = false;
    let tried = [with_deadlock, without].into_iter().filter(|(_, verdict)| !matches!(*verdict, "" | "unknown"));
    for (deadlock, verdict) in tried {
        let question = Question { deadlock, ..Question::new(time) };
        let answer = question.answer(&expected.file, &text);
        late |= answer.is_late();
        if let Err(deviation) = judge(verdict, expected, &answer) {
            return Fate::Deviates(format!("{}: {deviation}", expected.file));
        }
    }
    if late { Fate::Late } else { Fate::Agrees }
}

#[test]
#[allow(clippy::print_stderr, reason = "the test says how much it covered")]
fn shared_models_get_the_agreed_answers() {
    let Some(corpus) = shared_corpus() else { return };
    let (time, most_states) = patience();
    let rows = table(&corpus);
    // What is to be refused is the front end's business, and tested there.
    let is_tried = |row: &&Expected| {
        row.trusted
            && !matches!(row.verdict.as_str(), "reject" | "unknown")
            && row.states.is_none_or(|states| states <= most_states)
    };
    let tried: Vec<&Expected> = rows.iter().filter(is_tried).collect();
    let queue = Mutex::new(tried.iter());
    let fates = Mutex::new(BTreeMap::new());
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(row) = { queue.lock().expect("no panic while locked").next() } {
                    let fate = fate(&corpus, row, time);
                    fates.lock().expect("no panic while locked").insert(row.file.clone(), fate);
                }
            });
        }
    });
    let fates = fates.into_inner().expect("no panic while locked");
    let agreed = fates.values().filter(|fate| matches!(fate, Fate::Agrees)).count();
    let late: Vec<&str> = fates.iter().filter(|it| matches!(it.1, Fate::Late)).map(|it| it.0.as_str()).collect();
    eprintln!(
        "{} models, {} tried, {agreed} as expected, {} took too long: {}",
        rows.len(),
        tried.len(),
        late.len(),
        late.join(" ")
    );
    let problems: Vec<String> = fates.into_iter().filter_map(|(file, fate)| unexplained(&file, fate)).collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    // What takes too long says nothing: on a slow machine that is some of them, and never most.
    assert!(tried.len() >= 100 && 2 * agreed >= tried.len(), "{agreed} of {} models", tried.len());
}

/// A deviation without an explanation, or an explanation without a deviation.
fn unexplained(file: &str, fate: Fate) -> Option<String> {
    let is_explained = EXPLAINED.iter().any(|(it, _)| *it == file);
    match fate {
        Fate::Deviates(deviation) => (!is_explained).then_some(deviation),
        Fate::Agrees => is_explained.then(|| format!("{file} is as expected; there is nothing to explain")),
        Fate::Late => None,
    }
}
