//! The JSON report; its schema is `docs/report.schema.json`.

use std::time::Duration;

use burnside_diag::{Diagnostic, Label, SourceMap, Span};
use burnside_driver::{Language, Outcome, Plan};
use burnside_engine::{ClaimAnswer, ClaimNote, ClaimReport, Counts, Disagreement, Shortfall, Task, Trace, Verdict};
use burnside_ir::{Model, PropertyKind};
use burnside_symmetry::{Joint, Part, Symmetry};
use serde_json::{Value, json};

use crate::TOOL;
use crate::tell::{Named, describe, is_temporal_kind, temporal_kind, variables};

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
    let facts = Facts {
        verdict: if shortfall.is_some() { "inconclusive" } else { "invalid" },
        shortfall: shortfall.map_or(Value::Null, |shortfall| shortfall.to_string().into()),
        property: Value::Null,
        engine: Value::Null,
        symmetry: Value::Null,
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
    object(subject, facts)
}

/// The report on a search.
pub fn searched(subject: &Subject<'_>, findings: Findings<'_>) -> Value {
    let Findings { plan, outcome, property, trace, bug } = findings;
    let (verdict, shortfall) = match (&outcome.report.verdict, bug) {
        (_, Some(bug)) => ("inconclusive", Value::from(format!("internal error: {bug}"))),
        (Verdict::Holds(_), None) => ("holds", Value::Null),
        (Verdict::Violated(_), None) => ("violated", Value::Null),
        (Verdict::Unknown(shortfall), None) => ("inconclusive", shortfall.to_string().into()),
    };
    let way = plan.taken(outcome);
    let facts = Facts {
        verdict,
        shortfall,
        property: property.map_or(Value::Null, |named| property_object(named, subject.sources)),
        engine: way.engine.into(),
        symmetry: symmetry(plan, outcome, subject.sources),
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
        properties: properties(plan.task(), verdict, property, &outcome.report.claims),
        covers: covers(plan.task(), verdict, property),
        rules: rules(plan.task(), &outcome.report.fired, subject.sources),
    };
    object(subject, facts)
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
struct Facts {
    verdict: &'static str,
    shortfall: Value,
    property: Value,
    engine: Value,
    symmetry: Value,
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

fn object(subject: &Subject<'_>, facts: Facts) -> Value {
    let mut object = json!({
        "schema": SCHEMA,
        "model": subject.model,
        "language": subject.language.map(Language::name),
        "tool": { "name": TOOL, "version": env!("CARGO_PKG_VERSION") },
        "options": subject.options,
        "verdict": facts.verdict,
        "properties": facts.properties,
        "shortfall": facts.shortfall,
        "property": facts.property,
        "engine": facts.engine,
        "symmetry": facts.symmetry,
        "states": facts.counts.states,
        "rules_fired": facts.counts.rules_fired,
        "depth": facts.counts.depth,
        "steps": facts.steps,
        "audited": facts.audited,
        "covers": facts.covers,
        "rules": facts.rules,
        "never_fired": never_fired(&facts),
        "seconds": round(facts.seconds),
        "setup_seconds": round(subject.setup.as_secs_f64()),
        "peak_bytes": facts.peak_bytes,
        "trace": facts.trace,
        "diagnostics": subject.diagnostics.iter().map(|it| diagnostic(it, subject.sources)).collect::<Vec<_>>(),
    });
    if let Some((visited, subsumed)) = facts.reasoning {
        object["visited"] = visited.into();
        object["subsumed"] = subsumed.into();
    }
    object
}

/// What was checked, and what came of each: of the others, a search that ends at a violation knows nothing.
fn properties(task: &Task<'_>, verdict: &'static str, violated: Option<&Named>, claims: &[ClaimReport]) -> Vec<Value> {
    // Temporal properties are looked at once everything else holds, unless only some of the states are known.
    let is_cut = claims.iter().any(|claim| claim.notes.contains(&ClaimNote::SearchCut));
    let of_all = if verdict == "holds" || !(claims.is_empty() || is_cut) { "holds" } else { "inconclusive" };
    let kinds = [
        (PropertyKind::Invariant, "invariant"),
        (PropertyKind::Cover, "cover"),
        (PropertyKind::CoverPoint, "cover"),
        (PropertyKind::Liveness, "liveness"),
    ];
    let named = kinds.into_iter().flat_map(|(kind, word)| {
        let names = task.properties(kind).into_iter().map(|id| task.model.property(id).name.clone());
        names.map(move |name| (word, name))
    });
    let deadlock = (task.checks_deadlocks()).then(|| ("deadlock", "deadlock".to_owned()));
    let checked = named.chain(deadlock).chain([("fault", "faults and assertions".to_owned())]);
    let is_violated = |kind: &str, name: &str| {
        violated.is_some_and(|it| match kind {
            "fault" => {
                !matches!(it.kind, "invariant" | "cover" | "liveness" | "deadlock") && !is_temporal_kind(it.kind)
            }
            "deadlock" => it.kind == "deadlock",
            _ => it.kind == kind && it.name == name,
        })
    };
    let temporal = task.temporal_properties().into_iter().map(|id| {
        let answer = claims.iter().find(|claim| claim.property == id).map(|claim| &claim.answer);
        let verdict = match answer {
            Some(ClaimAnswer::Holds) => "holds",
            Some(ClaimAnswer::Violated(_)) => "violated",
            Some(ClaimAnswer::Unknown(_)) | None => "inconclusive",
        };
        let property = task.model.property(id);
        json!({ "kind": temporal_kind(property.kind), "name": property.name, "verdict": verdict })
    });
    let others = checked.map(|(kind, name)| {
        let verdict = if is_violated(kind, &name) { "violated" } else { of_all };
        json!({ "kind": kind, "name": name, "verdict": verdict })
    });
    others.chain(temporal).collect()
}

/// Which covers are known to be reached, and which known not to be.
fn covers(task: &Task<'_>, verdict: &str, violated: Option<&Named>) -> Vec<Value> {
    let kinds = [PropertyKind::Cover, PropertyKind::CoverPoint].into_iter();
    let all = kinds.flat_map(|kind| task.properties(kind)).map(|id| &task.model.property(id).name);
    let reached = |name: &String| match verdict {
        "holds" => Some(true),
        "violated" if violated.is_some_and(|it| it.kind == "cover" && it.name == *name) => Some(false),
        _ => None,
    };
    all.map(|name| json!({ "name": name, "reached": reached(name) })).collect()
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
fn never_fired(facts: &Facts) -> Value {
    match (facts.verdict, facts.rules.as_array()) {
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
