//! What a search found, as text and as JSON.

use std::fmt::Write;

use burnside_stateless::{
    End, FailureKind, Names, ObjId, Op, Page, ThreadId, Trace, explain, headline as core_headline, html as core_html,
    json as core_json,
};
use burnside_wire::Report;
use serde_json::{Value, json};

use crate::search::{Conclusion, Details};
use crate::symbols::{Frame, Symbols, size_of_object};

/// Size of a `pthread_mutex_t`.
const MUTEX_BYTES: u64 = 40;

/// What a good verdict says of a program whose memory accesses were not seen.
const UNWATCHED: &str = "every order of its calls was explored, memory accesses were not watched";

/// The whole report for people.
pub fn text(program: &str, conclusion: &Conclusion) -> String {
    let mut text = String::new();
    for note in &conclusion.notes {
        let _ = writeln!(text, "note: {note}");
    }
    let names = conclusion.details.as_ref().map(|details| details.names.clone()).unwrap_or_default();
    let explained = honest(explain(&conclusion.report, &names), conclusion);
    let _ = write!(text, "{program}: {explained}");
    if let Some(details) = &conclusion.details {
        text.push_str(&stacks_text(details));
    }
    let rate = conclusion.report.stats.n_executions as f64 / conclusion.seconds.max(1e-9);
    let _ = writeln!(
        text,
        "{:.2} s, {rate:.0} {} a second, executor `{}`",
        conclusion.seconds,
        if rate.round() == 1.0 { "execution" } else { "executions" },
        conclusion.executor.word()
    );
    text
}

/// The verdict in one line.
pub fn headline(program: &str, conclusion: &Conclusion) -> String {
    format!("{program}: {}", honest(core_headline(&conclusion.report), conclusion))
}

/// The whole report as a page for a browser. `command` repeats the search.
pub fn html(program: &str, command: &str, conclusion: &Conclusion) -> String {
    let details = conclusion.details.as_ref();
    let names = details.map(|details| details.names.clone()).unwrap_or_default();
    let stacks = details.map(stacks_text).unwrap_or_default();
    honest(core_html(&conclusion.report, &names, Page { subject: program, command, stacks: &stacks }), conclusion)
}

/// The core says what is true of programs all of whose accesses it sees.
fn honest(text: String, conclusion: &Conclusion) -> String {
    match conclusion.watches_memory {
        true => text,
        false => text.replace("every behaviour was explored", UNWATCHED),
    }
}

/// The stacks of all threads.
pub fn stacks_text(details: &Details) -> String {
    let mut text = String::new();
    for (thread, frames) in &details.stacks {
        let _ = writeln!(text, "{thread}:");
        for frame in frames {
            let _ = writeln!(text, "    {frame}");
        }
    }
    text
}

/// Names for the threads, objects and transitions of an execution.
pub(crate) fn names(trace: &Trace, report: &Report, symbols: &Symbols) -> Names {
    let routine = |start: &burnside_wire::Start| match start.routine {
        0 => String::new(),
        routine => {
            let function = || symbols.frames(routine + 1).first().map(|frame| frame.function.clone());
            symbols.callable(start.given).or_else(function).unwrap_or_default()
        }
    };
    let mut objects: Vec<(ObjId, String)> = Vec::new();
    let ops = trace.events.iter().map(|event| event.op).chain(trace.pending.iter().copied());
    for op in ops {
        // The second object is a mutex, wherever it has a name.
        for (obj, n_bytes) in [(op.place(), size_of_object(&op)), (op.obj2, MUTEX_BYTES)] {
            if !obj.is_none() && obj.creator().is_none() && objects.iter().all(|(known, _)| *known != obj) {
                objects.push((obj, symbols.object(obj, n_bytes)));
            }
        }
    }
    objects.sort_unstable();
    let places = report.sites.iter().map(|stack| place(stack, symbols)).collect();
    Names { threads: report.starts.iter().map(routine).collect(), objects, places }
}

/// Says in words which accesses an execution that ended at a data race ended at.
pub(crate) fn tell_race(trace: &mut Trace, report: &Report, names: &Names) {
    let (Some(End::Failed(failure)), Some(race)) = (&mut trace.end, report.race) else { return };
    let (Some(first), Some(second)) = (trace.events.get(race.first as usize), trace.events.get(race.second as usize))
    else {
        return;
    };
    if failure.kind == FailureKind::Race {
        failure.message = format!(
            "data race: {} executes `{}` (step {}) and {} executes `{}` (step {}), and nothing orders the two",
            names.thread(first.thread),
            names.op(&first.op),
            race.first,
            names.thread(second.thread),
            names.op(&second.op),
            race.second
        );
    }
}

/// Where every thread is at the end of an execution, and where the earlier access of a data race was.
pub(crate) fn stacks(trace: &Trace, report: &Report, names: &Names, symbols: &Symbols) -> Vec<(String, Vec<String>)> {
    let present = report.stacks.iter().enumerate().filter(|(_, stack)| !stack.is_empty());
    let is_race = matches!(&trace.end, Some(End::Failed(failure)) if failure.kind == FailureKind::Race);
    let earlier = report.race.filter(|_| is_race).and_then(|race| {
        let (event, stack) = (trace.events.get(race.first as usize)?, report.sites.get(race.first as usize)?);
        let title = format!("{}, at the earlier access, `{}`", names.thread(event.thread), names.op(&event.op));
        Some((title, frames(stack, symbols).iter().map(show).collect()))
    });
    let at_end = present.map(|(index, stack)| {
        let thread = ThreadId::from(index);
        let title = format!("{}, {}", names.thread(thread), occupation(trace, thread, names));
        (title, frames(stack, symbols).iter().map(show).collect())
    });
    earlier.into_iter().chain(at_end).collect()
}

/// What a thread is doing at the end.
fn occupation(trace: &Trace, thread: ThreadId, names: &Names) -> String {
    match &trace.end {
        Some(End::Failed(failure)) if failure.thread == thread => "which failed".to_owned(),
        Some(End::Divergence(stuck)) if *stuck == thread => "which does not come back".to_owned(),
        _ => match trace.pending.get(thread.index()) {
            Some(op) if *op != Op::NONE => format!("at `{}`", names.op(op)),
            _ => "running".to_owned(),
        },
    }
}

/// The frames of the program in a stack: ours are left out.
fn frames(stack: &[u64], symbols: &Symbols) -> Vec<Frame> {
    stack.iter().filter(|address| **address != 0).flat_map(|address| symbols.frames(*address)).collect()
}

/// The place in the program that asked for an operation: the innermost that is
/// not in the headers of the system.
pub(crate) fn place(stack: &[u64], symbols: &Symbols) -> String {
    let frames = frames(stack, symbols);
    let is_own = |frame: &&Frame| frame.place.as_ref().is_some_and(|(file, _)| !file.starts_with("/usr/"));
    match frames.iter().find(is_own).or(frames.first()) {
        Some(Frame { place: Some((file, line)), .. }) => format!("{}:{line}", short(file)),
        Some(frame) => frame.function.clone(),
        None => String::new(),
    }
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

/// The core's report with what this adapter knows besides.
pub fn json(program: &str, conclusion: &Conclusion) -> Value {
    let names = conclusion.details.as_ref().map(|details| details.names.clone()).unwrap_or_default();
    let report = honest(core_json(&conclusion.report, &names), conclusion);
    let mut report: Value = serde_json::from_str(&report).unwrap_or_else(|_| json!({}));
    let stacks: Vec<Value> = conclusion
        .details
        .iter()
        .flat_map(|details| &details.stacks)
        .map(|(thread, frames)| json!({ "thread": thread, "frames": frames }))
        .collect();
    report["program"] = json!(program);
    report["executor"] = json!(conclusion.executor.word());
    report["notes"] = json!(conclusion.notes);
    report["stacks"] = json!(stacks);
    report["seconds"] = json!(conclusion.seconds);
    report
}
