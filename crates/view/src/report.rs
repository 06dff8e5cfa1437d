//! The JSON report; its schema is `docs/report.schema.json`.

use std::time::Duration;

use burnside_diag::{Diagnostic, Label, SourceMap, Span};
use burnside_driver::{Language, Outcome, Plan};
use burnside_engine::{Answer, Asked, Counts, Disagreement, Report, Shortfall, Task, Trace, Verdict};
use burnside_ir::{Model, Property, PropertyKind};
use burnside_symmetry::{Joint, Part, Symmetry};
use serde_json::{Value, json};

use crate::TOOL;
use crate::tell::{Named, describe, temporal_kind, variables};

const SCHEMA: &str = "burnside.report/1";

/// What every report says, whatever became of the model.
pub struct Subject<'a> {
    /// The model as given on the command line.
    pub model: &'a str,
    /// How its text is read, if that is known.
    pub language: Option<Language>,
    /// The texts that spans refer to.
    pub sources: &'a SourceMap,
    /// Everything found while the text was read.
    pub diagnostics: &'a [Diagnostic],
    /// How long it took until the search began.
    pub setup: Duration,
    /// What was asked for.
    pub options: Value,
}

/// What a search adds.
pub struct Findings<'a> {
    /// What was to be done.
    pub plan: &'a Plan<'a>,
    /// What came of it.
    pub outcome: &'a Outcome,
    /// What is violated.
    pub property: Option<&'a Named>,
    /// The counterexample in ITF.
    pub trace: Option<Value>,
    /// Why the verdict cannot be trusted, if our own check of it failed.
    pub bug: Option<String>,
}

/// The report on a model that was not searched: it is invalid, or something came short before that.
pub fn unsearched(subject: &Subject<'_>, shortfall: Option<Shortfall>) -> Value {
    let body = Body {
        verdict: if shortfall.is_some() { "inconclusive" } else { "invalid" },
        shortfall: shortfall.map_or(Value::Null, |shortfall| shortfall.to_string().into()),
        property: Value::Null,
        engine: Value::Null,
        symmetry: Value::Null,
        partial_order: None,
        counts: Counts::default(),
        audited: 0,
        reasoning: None,
        seconds: 0.0,
        peak_bytes: 0,
        trace: Value::Null,
        steps: None,
        properties: Vec::new(),
        covers: Vec::new(),
        rules: Value::Null,
    };
    object(subject, body)
}

/// The report on a search.
pub fn searched(subject: &Subject<'_>, findings: Findings<'_>) -> Value {
    let Findings { plan, outcome, property, trace, bug } = findings;
    // What we know to be wrong says nothing about anything.
    let unknown = Report::new(plan.task(), Verdict::Unknown(Shortfall::Cancelled), outcome.report.counts).answers;
    let (verdict, shortfall, answers) = match (&outcome.report.verdict, bug) {
        (_, Some(bug)) => ("inconclusive", Value::from(format!("internal error: {bug}")), &unknown),
        (Verdict::Unknown(shortfall), None) => ("inconclusive", shortfall.to_string().into(), &outcome.report.answers),
        (verdict, None) => (word(verdict), Value::Null, &outcome.report.answers),
    };
    let properties = properties(plan.task(), answers);
    let way = plan.taken(outcome);
    let body = Body {
        verdict,
        shortfall,
        property: property.map_or(Value::Null, |named| property_object(named, subject.sources)),
        engine: way.engine.into(),
        symmetry: symmetry(plan, outcome, subject.sources),
        partial_order: Some(way.partial_order),
        counts: outcome.report.counts,
        audited: outcome.report.audit.states,
        reasoning: outcome.report.reasoning.as_deref().map(|it| (it.visited, it.subsumed)),
        seconds: outcome.elapsed.as_secs_f64(),
        peak_bytes: outcome.peak_bytes,
        trace: trace.unwrap_or(Value::Null),
        steps: match &outcome.report.verdict {
            Verdict::Violated(violation) => violation.trace.as_ref().map(Trace::n_fired),
            Verdict::Holds(_) | Verdict::Unknown(_) => None,
        },
        covers: covers(&properties),
        properties,
        rules: rules(plan.task(), &outcome.report.fired, subject.sources),
    };
    object(subject, body)
}

/// What a failed audit has to say: everything that is needed to see the difference again.
pub fn disagreement(subject: &Subject<'_>, plan: &Plan<'_>, disagreement: &Disagreement, version: &str) -> Value {
    let task = plan.task();
    let state = |values: &[i64]| {
        let shown: Vec<String> = describe(&variables(task.model, task.layout, values));
        json!({ "values": values, "shown": shown })
    };
    let (kind, name, span) = match disagreement.part {
        Part::Rule(rule) => ("rule", &task.model.rule(rule).name, task.model.rule(rule).span),
        Part::Start(start) => ("start state", &task.model.start(start).name, task.model.start(start).span),
        Part::Property(property) => {
            ("property", &task.model.property(property).name, task.model.property(property).span)
        }
    };
    let (line, column) = place(span, subject.sources);
    json!({
        "schema": "burnside.disagreement/1",
        "version": version,
        "model": subject.model,
        "what": disagreement.to_string(),
        "part": { "kind": kind, "name": name, "line": line, "column": column },
        "state": state(&disagreement.state),
        "image": disagreement.image.as_ref().map(|(image, _)| state(image)),
        "permutation": disagreement.image.as_ref().map(|(_, permutation)| permutation),
        "strategy": plan.planned().strategy.name(),
        "threads": task.threads,
        "native": task.native,
    })
}

/// What differs between reports.
struct Body {
    verdict: &'static str,
    shortfall: Value,
    property: Value,
    engine: Value,
    symmetry: Value,
    /// Whether steps were put off.
    partial_order: Option<bool>,
    counts: Counts,
    audited: u64,
    /// States visited and subsumed, where explanations were learnt.
    reasoning: Option<(u64, u64)>,
    seconds: f64,
    peak_bytes: u64,
    trace: Value,
    /// How many rules fire in the trace.
    steps: Option<usize>,
    properties: Vec<Value>,
    covers: Vec<Value>,
    rules: Value,
}

fn object(subject: &Subject<'_>, body: Body) -> Value {
    let mut object = json!({
        "schema": SCHEMA,
        "model": subject.model,
        "language": subject.language.map(Language::name),
        "tool": { "name": TOOL, "version": env!("CARGO_PKG_VERSION") },
        "options": subject.options,
        "verdict": body.verdict,
        "properties": body.properties,
        "shortfall": body.shortfall,
        "property": body.property,
        "engine": body.engine,
        "symmetry": body.symmetry,
        "partial_order": body.partial_order,
        "states": body.counts.states,
        "rules_fired": body.counts.rules_fired,
        "depth": body.counts.depth,
        "steps": body.steps,
        "audited": body.audited,
        "covers": body.covers,
        "rules": body.rules,
        "never_fired": never_fired(&body),
        "seconds": round(body.seconds),
        "setup_seconds": round(subject.setup.as_secs_f64()),
        "peak_bytes": body.peak_bytes,
        "trace": body.trace,
        "diagnostics": subject.diagnostics.iter().map(|it| diagnostic(it, subject.sources)).collect::<Vec<_>>(),
    });
    if let Some((visited, subsumed)) = body.reasoning {
        object["visited"] = visited.into();
        object["subsumed"] = subsumed.into();
    }
    object
}

/// What was checked, and what came of each.
fn properties(task: &Task<'_>, answers: &[Answer]) -> Vec<Value> {
    let property = |answer: &Answer| {
        let (kind, name) = match answer.asked {
            Asked::Property(property) => {
                let Property { kind, name, .. } = task.model.property(property);
                (kind_name(*kind), name.as_str())
            }
            Asked::Deadlocks => ("deadlock", "deadlock"),
            Asked::Faults => ("fault", "faults and assertions"),
        };
        let evidence = match answer.verdict {
            Verdict::Holds(evidence) => Some(evidence.name()),
            Verdict::Violated(_) | Verdict::Unknown(_) => None,
        };
        json!({ "kind": kind, "name": name, "verdict": word(&answer.verdict), "evidence": evidence })
    };
    answers.iter().map(property).collect()
}

fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Holds(_) => "holds",
        Verdict::Violated(_) => "violated",
        Verdict::Unknown(_) => "inconclusive",
    }
}

fn kind_name(kind: PropertyKind) -> &'static str {
    match kind {
        PropertyKind::Invariant => "invariant",
        PropertyKind::Cover | PropertyKind::CoverPoint => "cover",
        PropertyKind::Liveness => "liveness",
        kind => temporal_kind(kind),
    }
}

/// Which covers are known to be reached, and which known not to be.
fn covers(properties: &[Value]) -> Vec<Value> {
    let reached = |property: &Value| match property["verdict"].as_str() {
        Some("holds") => Some(true),
        Some("violated") => Some(false),
        _ => None,
    };
    let covers = properties.iter().filter(|property| property["kind"] == "cover");
    covers.map(|it| json!({ "name": it["name"], "reached": reached(it) })).collect()
}

/// How often each rule fired; null where the engine does not count that.
fn rules(task: &Task<'_>, fired: &[u64], sources: &SourceMap) -> Value {
    if fired.len() != task.model.rules.len() {
        return Value::Null;
    }
    let rules = task.model.rules.iter().zip(fired).map(|(rule, fired)| {
        let (line, column) = place(rule.span, sources);
        json!({ "name": rule.name, "line": line, "column": column, "fired": fired })
    });
    rules.collect()
}

/// The rules that never fired in a complete search; of any other, nothing is known.
fn never_fired(body: &Body) -> Value {
    match (body.verdict, body.rules.as_array()) {
        ("holds", Some(rules)) => {
            rules.iter().filter(|rule| rule["fired"] == 0).map(|rule| rule["name"].clone()).collect()
        }
        _ => Value::Null,
    }
}

/// A property and its place in the text.
pub fn property_object(named: &Named, sources: &SourceMap) -> Value {
    let (line, column) = place(named.span, sources);
    json!({ "kind": named.kind, "name": named.name, "line": line, "column": column })
}

fn symmetry(plan: &Plan<'_>, outcome: &Outcome, sources: &SourceMap) -> Value {
    let (found, way) = (plan.symmetry(), plan.taken(outcome));
    let full = found.classes.iter().map(|class| json!({ "name": class.name, "kind": "full", "size": class.size }));
    let others = found.joints.iter().flat_map(|joint| {
        let kind = kind_of(joint);
        joint.classes.iter().map(move |class| json!({ "name": class.name, "kind": kind, "size": class.size }))
    });
    let proved = full.chain(others);
    let mut symmetry = json!({
        "strategy": way.strategy.name(),
        "exact": way.strategy.is_exact(),
        "group_order": way.group_order,
        "sorts": proved.collect::<Vec<_>>(),
        "broken_by": broken(found, plan.task().model, sources),
    });
    if let Some(census) = &outcome.report.census {
        // Sizes in decimal, as the order of the group.
        let sizes = census.sizes.iter().map(|(size, number)| json!({ "size": size.to_string(), "states": number }));
        symmetry["orbit_sizes"] = sizes.collect();
    }
    symmetry
}

/// What kind of structure the members of classes have.
pub fn kind_of(joint: &Joint) -> &'static str {
    if joint.is_ring() { "ring" } else { "graph" }
}

/// Every place that tells the members of a set apart.
pub fn broken(symmetry: &Symmetry, model: &Model, sources: &SourceMap) -> Vec<Value> {
    let places = symmetry.broken.iter().flat_map(|class| {
        class.breaks.iter().map(move |found| {
            let (line, column) = place(found.span, sources);
            json!({ "sort": class.name(model), "line": line, "column": column, "reason": found.reason })
        })
    });
    places.collect()
}

/// Places that tell members of classes apart.
pub fn diagnostic(diagnostic: &Diagnostic, sources: &SourceMap) -> Value {
    let (line, column) = place(diagnostic.primary.span, sources);
    let secondary = diagnostic.secondary.iter().map(|Label { span, text }| {
        let (line, column) = place(*span, sources);
        json!({ "line": line, "column": column, "text": text })
    });
    json!({
        "code": diagnostic.code.0,
        "severity": diagnostic.severity.word(),
        "message": diagnostic.message,
        "line": line,
        "column": column,
        "label": diagnostic.primary.text,
        "secondary": secondary.collect::<Vec<_>>(),
        "help": diagnostic.help,
    })
}

/// A diagnostic with its places.
pub fn place(span: Span, sources: &SourceMap) -> (Option<u32>, Option<u32>) {
    let at = sources.position(span);
    (at.map(|at| at.line), at.map(|at| at.column))
}

/// Microseconds are enough.
fn round(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e6
}
