//! One mutant on the models that reach it.

use std::collections::BTreeMap;
use std::path::Path;

use crate::process::{Child, End, Line};
use crate::scratch::Mutant;
use crate::texts::Text;

/// Models of so many milliseconds together are enough for one mutant.
const MOST_MILLIS: u64 = 5_000;

/// What the quickest models count as: processor time is told in hundredths of a second.
const LEAST_MILLIS: u64 = 5;

/// CPU time beyond what the models take without mutants, in seconds, after which a mutant counts as endless.
const PATIENCE: u64 = 12;

/// What became of a mutant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// How it was noticed: a word; `survived` or `unreached` if it was not.
    pub(crate) kind: String,
    /// By which model or test.
    pub(crate) by: String,
}

impl Outcome {
    pub(crate) fn new(kind: &str, by: impl Into<String>) -> Self {
        Self { kind: kind.to_owned(), by: by.into() }
    }

    pub(crate) fn is_kill(&self) -> bool {
        !["survived", "unreached"].contains(&&*self.kind)
    }
}

/// Which models reach a place, by its number.
pub(crate) type Reached = BTreeMap<u32, Vec<usize>>;

/// Tries a mutant on models until one shows it.
pub(crate) fn try_mutant(
    torture: &Path,
    texts: &[Text],
    reached: &Reached,
    mutant: &Mutant,
) -> Result<Outcome, String> {
    let Some(all) = reached.get(&mutant.place) else { return Ok(Outcome::new("unreached", "")) };
    let mut left = MOST_MILLIS;
    let mut chosen: Vec<&Text> = Vec::new();
    // The quick ones first: many small models see more than a few large ones.
    let mut all: Vec<&Text> = all.iter().map(|&at| &texts[at]).collect();
    all.sort_by_key(|text| text.millis);
    for text in all {
        if text.millis < left {
            left -= text.millis.max(LEAST_MILLIS).min(left);
            chosen.push(text);
        }
    }
    let paths: Vec<&Path> = chosen.iter().map(|text| text.path.as_path()).collect();
    let number = mutant.number.to_string();
    let seconds = (MOST_MILLIS - left) / 1000 + PATIENCE;
    let mut child = Child::start(torture, &paths, &[("BURNSIDE_MUTANT", &number)], seconds)?;
    let mut begun = String::new();
    while let Some(line) = child.next_line() {
        match line {
            Line::Begin(path) => begun = name(&path),
            Line::Done(path, _, answers) => {
                let expected = chosen.iter().find(|text| text.path == path).map(|text| &text.answers);
                if expected.is_some_and(|expected| *expected != answers) {
                    let kind = kind(&answers);
                    child.end();
                    return Ok(Outcome::new(kind, name(&path)));
                }
                begun.clear();
            }
        }
    }
    Ok(match child.end() {
        End::Success => Outcome::new("survived", ""),
        End::Timeout => Outcome::new("timeout", begun),
        End::Failure | End::Crash => Outcome::new("crash", begun),
    })
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// How answers differ from what they were, the worst first.
fn kind(answers: &[String]) -> &'static str {
    let has = |word: &str| answers.iter().any(|it| it.strip_prefix("! ").is_some_and(|it| it.starts_with(word)));
    let is_audited = || answers.iter().any(|it| it.starts_with("! ") && it.contains("the audit of the search"));
    match () {
        () if has("verdict") || has("expected") => "verdict",
        () if is_audited() => "audit",
        () if has("panic") => "panic",
        () if has("replay") => "replay",
        () if has("no-verdict") => "no verdict",
        () if has("orbits") => "claim",
        () if has("proofs") => "proofs",
        () if has("states") || has("rules") => "count",
        () if has("level") || has("breach") => "trace",
        () => "answer",
    }
}
