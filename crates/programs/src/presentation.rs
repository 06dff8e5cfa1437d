//! What a search found, as text and as JSON.

use std::fmt::Write;

use burnside_stateless::{End, Event, Op, ThreadId};
use burnside_wire::Report;
use serde_json::{Value, json};

use crate::schedule::print_schedule;
use crate::search::{Conclusion, Found, Verdict};
use crate::symbols::{Frame, Symbols};

/// The verdict in one line.
pub(crate) fn headline(program: &str, conclusion: &Conclusion) -> String {
    let what = match &conclusion.verdict {
        Verdict::Holds => "holds: no deadlock, no failed assertion, no crash".to_owned(),
        Verdict::Violated(found) => format!("violated: {}", fault(&found.report)),
        Verdict::Inconclusive(why) => format!("inconclusive: {why}"),
    };
    format!("{program}: {what} (under sequential consistency)")
}

/// The end of an execution in words.
pub(crate) fn fault(report: &Report) -> String {
    match &report.trace.end {
        Some(End::Deadlock) => "deadlock".to_owned(),
        Some(End::Failed(failure)) => format!("{} in thread {}", failure.message, failure.thread),
        Some(End::Divergence(thread)) => format!("thread {thread} never reaches a visible operation"),
        Some(End::Completed) => "the execution ends without a fault".to_owned(),
        Some(End::Cut(cut)) => format!("the execution was cut ({cut:?})"),
        None => "the execution has no end".to_owned(),
    }
}

/// The counts of a search.
pub(crate) fn statistics(conclusion: &Conclusion) -> String {
    let stats = &conclusion.stats;
    let mut text = format!(
        "{} executions ({} complete, {} deadlocked, {} failed), {} transitions and {} repeated",
        stats.n_executions, stats.n_completed, stats.n_deadlocks, stats.n_failed, stats.n_transitions, stats.n_replayed
    );
    for (count, what) in [
        (stats.n_asleep, "given up asleep"),
        (stats.n_infeasible, "infeasible reversals"),
        (stats.n_symmetric, "branches pruned by symmetry"),
        (stats.n_bounded, "cut by a bound"),
    ] {
        if count > 0 {
            let _ = write!(text, ", {count} {what}");
        }
    }
    let rate = stats.n_executions as f64 / conclusion.seconds.max(1e-9);
    let _ = write!(
        text,
        "; {:.2} s, {rate:.0} executions a second, executor `{}`",
        conclusion.seconds,
        conclusion.executor.word()
    );
    text
}

/// A faulty execution: schedule, steps, and where every thread is.
pub(crate) fn execution(report: &Report, schedule: &str, symbols: &Symbols) -> String {
    let mut text = format!("schedule: {schedule}\n");
    for (step, event) in report.trace.events.iter().enumerate() {
        let site = report.sites.get(step).map(|stack| site(stack, symbols)).unwrap_or_default();
        let _ = writeln!(text, "{step:>5}  thread {:<3} {:<28}{site}", event.thread, label(event, symbols));
    }
    for (index, stack) in report.stacks.iter().enumerate().filter(|(_, stack)| !stack.is_empty()) {
        let thread = ThreadId::from(index);
        let _ = writeln!(text, "thread {thread}, {}:", occupation(report, thread, symbols));
        for frame in frames(stack, symbols) {
            let _ = writeln!(text, "    {}", show(&frame));
        }
    }
    text
}

/// What a thread is doing at the end.
fn occupation(report: &Report, thread: ThreadId, symbols: &Symbols) -> String {
    match &report.trace.end {
        Some(End::Failed(failure)) if failure.thread == thread => "which failed".to_owned(),
        Some(End::Divergence(stuck)) if *stuck == thread => "which does not come back".to_owned(),
        _ => match report.trace.pending.get(thread.index()) {
            Some(op) if *op != Op::NONE => format!("at {}", operation(op, symbols)),
            _ => "running".to_owned(),
        },
    }
}

fn label(event: &Event, symbols: &Symbols) -> String {
    let mut text = operation(&event.op, symbols);
    if event.op.n_choices() > 1 {
        let _ = write!(text, " = {}", event.choice);
    }
    text
}

fn operation(op: &Op, symbols: &Symbols) -> String {
    let mut text = op.kind.word().to_owned();
    if let Some(thread) = op.target() {
        let _ = write!(text, " thread {thread}");
        return text;
    }
    if !op.obj.is_none() {
        let _ = write!(text, " {}", symbols.object(op.obj, op.kind));
    }
    text
}

/// The frames of the program in a stack: ours are left out.
fn frames(stack: &[u64], symbols: &Symbols) -> Vec<Frame> {
    stack.iter().filter(|address| **address != 0).flat_map(|address| symbols.frames(*address)).collect()
}

/// The place in the program that asked for an operation: the innermost that is
/// not in the headers of the system.
fn site(stack: &[u64], symbols: &Symbols) -> String {
    let frames = frames(stack, symbols);
    let is_own = |frame: &&Frame| frame.place.as_ref().is_some_and(|(file, _)| !file.starts_with("/usr/"));
    let known = frames.iter().find(is_own).or(frames.first());
    known.map(show).unwrap_or_default()
}

fn show(frame: &Frame) -> String {
    match &frame.place {
        Some((file, line)) => format!("{} at {}:{line}", frame.function, short(file)),
        None => frame.function.clone(),
    }
}

fn short(file: &str) -> &str {
    file.rsplit('/').next().unwrap_or(file)
}

/// The report of the design, as one JSON object.
pub(crate) fn json(program: &str, conclusion: &Conclusion, symbols: &Symbols) -> Value {
    let stats = &conclusion.stats;
    let (verdict, shortfall, property, trace) = match &conclusion.verdict {
        Verdict::Holds => ("holds", Value::Null, Value::Null, Value::Null),
        Verdict::Inconclusive(why) => ("inconclusive", json!(why), Value::Null, Value::Null),
        Verdict::Violated(found) => {
            let kind = found.report.trace.end.as_ref().map(End::word);
            let property = json!({ "kind": kind, "name": fault(&found.report) });
            ("violated", Value::Null, property, trace_json(found, symbols))
        }
    };
    json!({
        "schema": "burnside.report/1",
        "model": program,
        "language": "program",
        "memory_model": "sequential consistency",
        "verdict": verdict,
        "shortfall": shortfall,
        "property": property,
        "engine": "stateless",
        "executor": conclusion.executor.word(),
        "symmetry": {
            "families": conclusion.families.iter().map(|family| json!({
                "shape": format!("{:?}", family.shape).to_lowercase(),
                "size": family.members.len(),
            })).collect::<Vec<_>>(),
            "pruned": stats.n_symmetric,
        },
        "executions": stats.n_executions,
        "completed": stats.n_completed,
        "deadlocks": stats.n_deadlocks,
        "failed": stats.n_failed,
        "asleep": stats.n_asleep,
        "infeasible": stats.n_infeasible,
        "bounded": stats.n_bounded,
        "transitions": stats.n_transitions,
        "replayed": stats.n_replayed,
        "depth": stats.max_depth,
        "seconds": conclusion.seconds,
        "notes": conclusion.notes,
        "trace": trace,
    })
}

fn trace_json(found: &Found, symbols: &Symbols) -> Value {
    let report = &found.report;
    let steps: Vec<Value> = report.trace.events.iter().enumerate().map(|(step, event)| {
        json!({
            "thread": event.thread.0,
            "choice": event.choice,
            "operation": event.op.kind.word(),
            "object": (!event.op.obj.is_none()).then(|| symbols.object(event.op.obj, event.op.kind)),
            "target": event.op.target().map(|thread| thread.0),
            "site": report.sites.get(step).map(|stack| site(stack, symbols)),
        })
    }).collect();
    let stacks: Vec<Value> = report.stacks.iter().enumerate().filter(|(_, stack)| !stack.is_empty()).map(|(thread, stack)| {
        json!({ "thread": thread, "frames": frames(stack, symbols).iter().map(show).collect::<Vec<_>>() })
    }).collect();
    json!({ "schedule": print_schedule(&found.schedule), "steps": steps, "stacks": stacks })
}
