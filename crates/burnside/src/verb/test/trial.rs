//! One check in a process of its own: what a user would get, and nothing that goes wrong there goes wrong here.

use std::time::{Duration, Instant};

use burnside_driver::{Expect, Expectation};
use burnside_engine::Shortfall;
use serde_json::Value;

use super::case::Case;
use super::configuration::{Answer, Configuration};
use crate::child;

/// How a check went.
pub(super) struct Trial {
    pub(super) case: Case,
    /// What was found.
    pub(super) found: Expectation,
    pub(super) outcome: Outcome,
    pub(super) time: Duration,
}

/// What to think of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Outcome {
    Passed,
    /// What is wrong.
    Failed(String),
    /// Why there is nothing to compare.
    Skipped(String),
}

impl Trial {
    pub(super) fn failure(&self) -> Option<&str> {
        match &self.outcome {
            Outcome::Failed(failure) => Some(failure),
            Outcome::Passed | Outcome::Skipped(_) => None,
        }
    }
}

/// Tries a case: once, or, to be compared, in every configuration.
pub(super) fn try_case(case: &Case, time: Duration) -> Vec<Trial> {
    if case.configurations.is_empty() {
        return vec![try_expectation(case, time)];
    }
    let started = Instant::now();
    let plain = match check(case, time) {
        Ok(plain) => plain,
        Err(problem) => return vec![ended(case.clone(), None, Outcome::Failed(problem), started)],
    };
    let is_invalid = matches!(plain.found.expect, Expect::Invalid(_)).then(|| "the model is invalid".to_owned());
    if let Some(reason) = plain.shortfall.clone().or(is_invalid) {
        let outcome = Outcome::Skipped(format!("there is nothing to compare with: {reason}"));
        return vec![ended(case.clone(), Some(plain.found), outcome, started)];
    }
    let compare = |configuration: &Configuration| {
        let started = Instant::now();
        let case = case.within(configuration);
        let answer = check(&case, time);
        let outcome = match &answer {
            Err(problem) => Outcome::Failed(problem.clone()),
            Ok(answer) if answer.is_late() => Outcome::Skipped("the time limit was reached".to_owned()),
            Ok(answer) if answer.is_refused() => Outcome::Skipped("it is not supported".to_owned()),
            Ok(answer) if configuration.agrees(&plain, answer) => Outcome::Passed,
            Ok(answer) => Outcome::Failed(format!("plain search: {}\nthis one:     {}", plain.found, answer.found)),
        };
        ended(case, answer.ok().map(|it| it.found), outcome, started)
    };
    case.configurations.iter().map(compare).collect()
}

fn try_expectation(case: &Case, time: Duration) -> Trial {
    let started = Instant::now();
    let (found, outcome) = match check(case, time) {
        Ok(Answer { found, .. }) => {
            let is_met = case.expectation.as_ref().is_none_or(|expected| meets(expected, &found));
            let expected = case.expectation.as_ref().map(ToString::to_string).unwrap_or_default();
            let failure = || Outcome::Failed(format!("expected: {expected}\nfound:    {found}"));
            let outcome = if is_met { Outcome::Passed } else { failure() };
            (Some(found), outcome)
        }
        Err(problem) => (None, Outcome::Failed(problem)),
    };
    ended(case.clone(), found, outcome, started)
}

fn ended(case: Case, found: Option<Expectation>, outcome: Outcome, started: Instant) -> Trial {
    let found = found.unwrap_or(Expectation { expect: Expect::Inconclusive, states: None, rules: None });
    Trial { case, found, outcome, time: started.elapsed() }
}

impl Answer {
    fn is_late(&self) -> bool {
        self.shortfall.as_ref().is_some_and(|it| *it == Shortfall::Time.to_string())
    }

    fn is_refused(&self) -> bool {
        self.found.expect == Expect::Invalid(vec!["unsupported".to_owned()])
    }
}

fn check(case: &Case, time: Duration) -> Result<Answer, String> {
    let seconds = format!("{}s", time.as_secs().max(1));
    let mut command = child::command()?;
    command.arg("check").arg(&case.model).args(["--json", "-", "--time", &seconds, "--color", "never"]);
    command.args(&case.options);
    let ended = child::run(&mut command, || false)?.ok_or("it was interrupted")?;
    let report: Value = serde_json::from_slice(&ended.out).map_err(|_| {
        let text = String::from_utf8_lossy(&ended.err);
        format!("there is no report ({}):\n{}", ended.status, text.trim_end())
    })?;
    read(&report).ok_or_else(|| "the report is not understood".to_owned())
}

/// What a report says.
fn read(report: &Value) -> Option<Answer> {
    let number = |key: &str| report.get(key).and_then(Value::as_u64);
    let text = |value: &Value, key: &str| Some(value.get(key)?.as_str()?.to_owned());
    let expect = match report.get("verdict")?.as_str()? {
        "holds" => Expect::Holds,
        "inconclusive" => Expect::Inconclusive,
        "violated" => {
            let property = report.get("property")?;
            let kind = text(property, "kind")?;
            let name = text(property, "name").filter(|name| *name != kind);
            Expect::Violated { kind, name, depth: number("steps") }
        }
        _ => {
            let is_error = |it: &&Value| text(it, "severity").as_deref() == Some("error");
            let diagnostics = report.get("diagnostics")?.as_array()?;
            Expect::Invalid(diagnostics.iter().filter(is_error).filter_map(|it| text(it, "code")).collect())
        }
    };
    let found = Expectation { expect, states: number("states"), rules: number("rules_fired") };
    let trace = report.get("trace").cloned().unwrap_or_default();
    Some(Answer { found, trace, shortfall: text(report, "shortfall") })
}

/// Whether everything that is expected was found.
fn meets(expected: &Expectation, found: &Expectation) -> bool {
    fn fits<T: PartialEq>(wanted: Option<&T>, found: Option<&T>) -> bool {
        wanted.is_none() || wanted == found
    }
    let verdict = match (&expected.expect, &found.expect) {
        (Expect::Violated { kind, name, depth }, Expect::Violated { kind: found, name: named, depth: steps }) => {
            kind == found && fits(name.as_ref(), named.as_ref()) && fits(depth.as_ref(), steps.as_ref())
        }
        (expected, found) => expected == found,
    };
    verdict
        && fits(expected.states.as_ref(), found.states.as_ref())
        && fits(expected.rules.as_ref(), found.rules.as_ref())
}
