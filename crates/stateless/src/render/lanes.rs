//! The lane diagram: one column per thread, one line per transition.

use super::Names;
use crate::op::{Op, ThreadId};
use crate::trace::{End, Trace};
use std::fmt::Write as _;

const MIN_WIDTH: usize = 8;

/// Draws a run. A lane shows `|` while its thread exists and another one runs.
#[must_use]
pub fn lanes(trace: &Trace, names: &Names) -> String {
    let n = trace.births.len();
    let header: Vec<String> = (0..n).map(|thread| names.thread(ThreadId::from(thread))).collect();
    let width = |thread: usize| {
        let own = trace.events.iter().filter(|event| event.thread.index() == thread);
        let widest = own.map(|event| names.op(&event.op).chars().count()).max().unwrap_or(0);
        widest.max(header[thread].chars().count()).max(end_mark(trace, thread, names).chars().count()).max(MIN_WIDTH)
    };
    let widths: Vec<usize> = (0..n).map(width).collect();
    let mut text = line("step", &header, &widths, "");
    for (step, event) in trace.events.iter().enumerate() {
        let cell = |thread: usize| match trace.births.get(thread) {
            _ if thread == event.thread.index() => names.op(&event.op),
            Some(birth) if birth.at as usize <= step && is_alive(trace, thread, step) => "|".to_owned(),
            _ => String::new(),
        };
        let cells: Vec<String> = (0..n).map(cell).collect();
        let place = names.places.get(step).map_or("", String::as_str);
        text.push_str(&line(&step.to_string(), &cells, &widths, place));
    }
    let marks: Vec<String> = (0..n).map(|thread| end_mark(trace, thread, names)).collect();
    text.push_str(&line("end", &marks, &widths, ""));
    text
}

/// Whether the thread has something to do after this step.
fn is_alive(trace: &Trace, thread: usize, step: usize) -> bool {
    trace.pending.get(thread).is_some_and(|op| *op != Op::NONE)
        || trace.events[step..].iter().any(|event| event.thread.index() == thread)
}

fn end_mark(trace: &Trace, thread: usize, names: &Names) -> String {
    match &trace.end {
        Some(End::Failed(failure)) if failure.thread.index() == thread => failure.kind.word().to_uppercase(),
        Some(End::Divergence(diverging)) if diverging.index() == thread => "RUNS FOR EVER".to_owned(),
        _ => match trace.pending.get(thread) {
            Some(op) if *op != Op::NONE => format!("? {}", names.op(op)),
            _ => "done".to_owned(),
        },
    }
}

fn line(step: &str, cells: &[String], widths: &[usize], place: &str) -> String {
    let mut text = format!("{step:>5}");
    for (cell, width) in cells.iter().zip(widths) {
        let _ = write!(text, "  {cell:<width$}");
    }
    let _ = write!(text, "  {place}");
    let mut text = text.trim_end().to_owned();
    text.push('\n');
    text
}
