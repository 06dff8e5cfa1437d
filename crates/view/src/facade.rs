//! From a model's text to a verdict that can be shown, for programs that do not care how it comes about.

use std::path::Path;
use std::time::Instant;

use burnside_diag::{Diagnostic, Palette, render};
use burnside_driver::{Language, LoadOptions, Loaded, Outcome, Plan, Prepared, Settings, load, on_large_stack};
use burnside_engine::{Budget, Monitor, Task, Trace, Verdict};
use burnside_ir::Value;

use crate::report::{Findings, Subject, searched, unsearched};
use crate::tell::{Instance, Summary, changes, explain, invalid_line, name, variables};
use crate::{itf, tell::Named};

/// What became of a model.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Answer {
    /// `holds`, `violated`, `inconclusive` or `invalid`, as reports say it.
    pub verdict: String,
    /// The verdict in one line.
    pub line: String,
    /// What is wrong with the text, and what is wrong at the end of the trace, each with its place in the text.
    pub remarks: Vec<String>,
    /// The counterexample from its start state on; empty if there is none.
    pub trace: Vec<Told>,
    /// The whole report, as `burnside check --json` writes it, without options.
    pub report: serde_json::Value,
}

/// A start state or a step of a counterexample.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Told {
    /// `rule "enter"`.
    pub title: String,
    /// Parameters with their values.
    pub parameters: Vec<(String, Value)>,
    /// All variables afterwards; none if this is where the model faults.
    pub state: Vec<(String, Value)>,
    /// What is different afterwards, such as `turn: 1 → 2`.
    pub changes: Vec<String>,
}

/// Checks a model. The language is told by the extension of its name; what is checked and how is in the settings, of which
/// [`Settings::of`] has the usual ones.
///
/// # Errors
/// In one line: no language has this extension, or we are wrong and say so.
pub fn check(model: &str, text: &str, settings: &Settings, limits: Budget) -> Result<Answer, String> {
    let extension = Path::new(model).extension().and_then(|it| it.to_str()).unwrap_or_default();
    let Some(language) = Language::of_extension(extension) else {
        return Err(format!("the name `{model}` does not tell the model's language"));
    };
    let work = || answer(Source { name: model, language }, text, settings, limits);
    on_large_stack(work).map_err(|failure| failure.to_string())?
}

/// What a text is called and written in.
#[derive(Clone, Copy)]
struct Source<'a> {
    name: &'a str,
    language: Language,
}

fn answer(source: Source<'_>, text: &str, settings: &Settings, limits: Budget) -> Result<Answer, String> {
    let begun = Instant::now();
    let loaded = load(source.name, text, source.language, &LoadOptions::default());
    let Some(prepared) = &loaded.prepared else {
        let n_errors = loaded.diagnostics.iter().filter(|it| it.is_error()).count();
        let line = invalid_line(source.name, n_errors, Palette::Plain);
        return Ok(refused(source, &loaded, line));
    };
    let plan = match Plan::new(prepared, settings) {
        Ok(plan) => plan,
        Err(diagnostic) => {
            let line = invalid_line(source.name, 1, Palette::Plain);
            let mut answer = refused(source, &loaded, line);
            answer.remarks.push(render(&diagnostic, &loaded.sources, Palette::Plain));
            return Ok(answer);
        }
    };
    let setup = begun.elapsed();
    let outcome = plan.run(&Monitor::new(limits)).map_err(|bug| format!("internal error: {bug}"))?;
    let told = Searched { loaded: &loaded, prepared, plan: &plan, outcome: &outcome };
    Ok(told.answer(subject(source, &loaded, setup), setup))
}

fn subject<'a>(source: Source<'a>, loaded: &'a Loaded, setup: std::time::Duration) -> Subject<'a> {
    let Source { name: model, language } = source;
    let (sources, diagnostics) = (&loaded.sources, &loaded.diagnostics[..]);
    Subject { model, language: Some(language), sources, diagnostics, setup, options: serde_json::json!({}) }
}

fn refused(source: Source<'_>, loaded: &Loaded, line: String) -> Answer {
    let report = unsearched(&subject(source, loaded, Default::default()), None);
    Answer { verdict: "invalid".to_owned(), line, remarks: remarks(loaded), trace: Vec::new(), report }
}

fn remarks(loaded: &Loaded) -> Vec<String> {
    let rendered = |it: &Diagnostic| render(it, &loaded.sources, Palette::Plain);
    loaded.diagnostics.iter().map(rendered).collect()
}

struct Searched<'a> {
    loaded: &'a Loaded,
    prepared: &'a Prepared,
    plan: &'a Plan<'a>,
    outcome: &'a Outcome,
}

impl Searched<'_> {
    fn answer(&self, subject: Subject<'_>, setup: std::time::Duration) -> Answer {
        let (task, outcome) = (self.plan.task(), self.outcome);
        let mut remarks = remarks(self.loaded);
        let mut named: Option<Named> = None;
        let mut trace: Option<&Trace> = None;
        if let Verdict::Violated(violation) = &outcome.report.verdict {
            named = Some(name(task, &violation.breach));
            trace = violation.trace.as_ref();
            let diagnostic = explain(task, &violation.breach, trace);
            remarks.push(render(&diagnostic, &self.loaded.sources, Palette::Plain));
        }
        let written = itf::Subject { task, model: subject.model, violates: named.as_ref() };
        let summary = Summary {
            model: subject.model.to_owned(),
            sources: &self.loaded.sources,
            plan: self.plan,
            outcome,
            setup,
            palette: Palette::Plain,
            n_unchecked: 0,
            statements: &self.loaded.statements,
        };
        let findings = Findings {
            plan: self.plan,
            outcome,
            property: named.as_ref(),
            trace: trace.map(|trace| itf::write(&written, trace)),
            bug: None,
        };
        let report = searched(&subject, findings);
        Answer {
            verdict: report["verdict"].as_str().unwrap_or_default().to_owned(),
            line: summary.verdict(),
            remarks,
            trace: trace.map(|trace| self.told(task, trace)).unwrap_or_default(),
            report,
        }
    }

    /// The start state and all steps.
    fn told(&self, task: &Task<'_>, trace: &Trace) -> Vec<Told> {
        let model = &self.prepared.model;
        let start = Instance::start(model, trace.start, &trace.start_args);
        let mut before = trace.first.as_deref().map(|state| values(task, state));
        let mut told = vec![self.one(&start, None, before.as_deref())];
        for step in &trace.steps {
            let after = step.end.as_ref().ok().map(|state| values(task, state));
            let rule = Instance::rule(model, step.rule, &step.args);
            told.push(self.one(&rule, before.as_deref(), after.as_deref()));
            before = after;
        }
        told
    }

    fn one(&self, instance: &Instance<'_>, before: Option<&[i64]>, after: Option<&[i64]>) -> Told {
        let Prepared { model, layout, .. } = self.prepared;
        let changed = before.zip(after).map(|(before, after)| changes(model, layout, before, after));
        Told {
            title: instance.title(),
            parameters: instance.parameters().map(|(name, value)| (name.to_owned(), value)).collect(),
            state: after.map(|after| variables(model, layout, after)).unwrap_or_default(),
            changes: changed.into_iter().flatten().map(|change| change.line(Palette::Plain)).collect(),
        }
    }
}

fn values(task: &Task<'_>, state: &[u64]) -> Vec<i64> {
    let mut values = vec![0; task.layout.slots().len()];
    task.layout.unpack(state, &mut values);
    values
}

#[cfg(test)]
mod tests {
    use burnside_engine::DeadlockMode;

    use super::*;

    const COUNTER: &str = "var x: 0..3; startstate x := 0; end;\n\
                           rule \"up\" x < 3 ==> x := x + 1; end;\ninvariant \"low\" x < 2;\n";

    fn ask(name: &str, text: &str) -> Answer {
        let language = Language::of_extension(name.rsplit('.').next().unwrap_or_default()).expect("a language");
        check(name, text, &Settings::of(language), Budget::default()).expect("an answer")
    }

    #[test]
    fn a_violation_has_its_decoded_trace() {
        let answer = ask("counter.m", COUNTER);
        assert_eq!(answer.line, "violated: invariant \"low\" of counter.m fails after 2 steps");
        assert_eq!(answer.trace.len(), 3);
        assert_eq!(answer.trace[2].changes, ["x: 1 → 2"]);
        assert_eq!(answer.trace[2].state, [("x".to_owned(), Value::Int(2))]);
        assert_eq!((&answer.report["verdict"], &answer.report["steps"]), (&"violated".into(), &2.into()));
        assert!(answer.remarks.iter().any(|remark| remark.contains("counter.m:3")), "{:?}", answer.remarks);
    }

    #[test]
    fn whatever_becomes_of_a_model_is_an_answer() {
        let invalid = ask("wrong.m", "var x: ; ");
        assert_eq!((invalid.verdict.as_str(), invalid.trace.len()), ("invalid", 0));
        assert!(!invalid.remarks.is_empty());
        assert_eq!(ask("two.pml", "byte x; active [2] proctype P() { x = 1 }").verdict, "holds");
        assert!(check("model", "", &Settings::default(), Budget::default()).is_err());
        let settings = Settings { deadlock: DeadlockMode::Off, ..Settings::default() };
        let cut = check("counter.m", COUNTER, &settings, Budget { states: Some(1), ..Budget::default() });
        assert_eq!(cut.expect("an answer").verdict, "inconclusive");
    }
}
