//! One check in a process of its own: what a user would get, and nothing that goes wrong there goes wrong here.

use std::time::{Duration, Instant};

use burnside_driver::{Expect, Expectation};
use serde_json::Value;

use super::case::Case;
use crate::child;

/// How a check went.
pub(super) struct Trial {
    /// What was found.
    pub(super) found: Expectation,
    /// What is wrong with it.
    pub(super) failure: Option<String>,
    pub(super) time: Duration,
}

pub(super) fn try_case(case: &Case, time: Duration) -> Trial {
    let started = Instant::now();
    let (found, failure) = match check(case, time) {
        Ok(found) => {
            let is_met = case.expectation.as_ref().is_none_or(|expected| meets(expected, &found));
            let expected = case.expectation.as_ref().map(ToString::to_string).unwrap_or_default();
            let failure = (!is_met).then(|| format!("expected: {expected}\nfound:    {found}"));
            (found, failure)
        }
        Err(problem) => (Expectation { expect: Expect::Inconclusive, states: None, rules: None }, Some(problem)),
    };
    Trial { found, failure, time: started.elapsed() }
}

fn check(case: &Case, time: Duration) -> Result<Expectation, String> {
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
fn read(report: &Value) -> Option<Expectation> {
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
    Some(Expectation { expect, states: number("states"), rules: number("rules_fired") })
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
