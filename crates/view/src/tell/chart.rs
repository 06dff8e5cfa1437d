//! Executions of processes as message sequence charts: a column for each process, a row for each step.
//!
//! Steps are told by their titles, `Client(3) line 20: net!1` or two of these for a handshake; what else changes, such as
//! the messages in a channel, stands at the end of the row.

use std::fmt::Write as _;

use burnside_engine::{Task, Trace};

use crate::tell::changes;
use crate::tell::instance::Instance;

/// Longer texts are cut.
const WIDEST: usize = 32;
/// Between the halves of a handshake.
const TOGETHER: &str = " ∥ ";
/// How the place of a process changes, which a chart shows anyhow.
const PLACE: &str = ".at: ";

/// One step: the process of each part and what it does.
pub(super) struct Row {
    pub(super) parts: Vec<(String, String)>,
    pub(super) changes: Vec<String>,
}

/// The chart of an execution; nothing if a step is not one of a process.
pub(crate) fn chart(task: &Task<'_>, trace: &Trace) -> Option<String> {
    let mut rows = rows(task, trace)?;
    rows.iter_mut().flat_map(|row| &mut row.parts).for_each(|(_, text)| *text = cut(text));
    let mut columns: Vec<(&str, usize)> = Vec::new();
    for (process, text) in rows.iter().flat_map(|row| &row.parts) {
        match columns.iter_mut().find(|(known, _)| known == process) {
            Some((_, width)) => *width = (*width).max(text.chars().count()),
            None => columns.push((process, text.chars().count().max(process.chars().count()))),
        }
    }
    let mut out = String::new();
    let titles = columns.iter().map(|(process, width)| format!("{process:^width$}"));
    let _ = writeln!(out, "{:>5}  {}", "", titles.collect::<Vec<_>>().join("   "));
    for (number, row) in (1..).zip(&rows) {
        if trace.loop_start == Some(number - 1) {
            out += "-- from here on for ever:\n";
        }
        let changes = if row.changes.is_empty() { String::new() } else { format!("   {}", row.changes.join(", ")) };
        let _ = writeln!(out, "{number:>5}  {}{changes}", line(&columns, row));
    }
    match trace.loop_start {
        Some(start) if start < rows.len() => _ = writeln!(out, "-- back to the state after {start}."),
        Some(_) => out += "-- here the execution ends\n",
        None => {}
    }
    Some(out)
}

/// The columns of a step, with an arrow from one half of a handshake to the other.
fn line(columns: &[(&str, usize)], row: &Row) -> String {
    let places: Vec<usize> =
        row.parts.iter().filter_map(|(process, _)| columns.iter().position(|(known, _)| known == process)).collect();
    let (first, last) = (places.iter().min().copied(), places.iter().max().copied());
    let mut out = String::new();
    for (at, (process, width)) in columns.iter().enumerate() {
        let is_between = first < Some(at) && Some(at) < last;
        let fill = if is_between { '─' } else { ' ' };
        let text = row.parts.iter().find(|(own, _)| own == process).map_or("", |(_, text)| text.as_str());
        let text = if text.is_empty() && !is_between { "│" } else { text };
        let n_left = width - text.chars().count();
        let (before, behind) = (n_left / 2, n_left - n_left / 2);
        out.extend(std::iter::repeat_n(fill, before));
        out += text;
        out.extend(std::iter::repeat_n(fill, behind));
        if at + 1 < columns.len() {
            let is_crossed = first <= Some(at) && Some(at) < last;
            out += match (is_crossed, places.first() < places.last()) {
                (false, _) => "   ",
                (true, true) if Some(at + 1) == last => "──▶",
                (true, false) if Some(at) == first => "◀──",
                (true, _) => "───",
            };
        }
    }
    out
}

/// What happens in each step; nothing if one is not a step of processes.
pub(super) fn rows(task: &Task<'_>, trace: &Trace) -> Option<Vec<Row>> {
    let mut rows = Vec::new();
    let mut before = trace.first.as_ref();
    for step in &trace.steps {
        let title = Instance::rule(task.model, step.rule, &step.args).title();
        let part = |part: &str| {
            let (process, rest) = part.split_once(" line ")?;
            let (_, text) = rest.split_once(": ")?;
            Some((process.to_owned(), text.to_owned()))
        };
        let parts: Option<Vec<(String, String)>> = title.split(TOGETHER).map(part).collect();
        // A process that blocks inside an atomic sequence does nothing.
        let parts = match parts {
            Some(parts) => parts,
            None if step.args.is_empty() => Vec::new(),
            None => return None,
        };
        let after = step.end.as_ref().ok();
        let told = before.zip(after).map(|(before, after)| told(task, before, after)).unwrap_or_default();
        rows.push(Row { parts, changes: told });
        before = after;
    }
    Some(rows)
}

/// What changes besides the places of processes.
fn told(task: &Task<'_>, before: &[u64], after: &[u64]) -> Vec<String> {
    let unpack = |words: &[u64]| {
        let mut values = vec![0; task.layout.slots().len()];
        task.layout.unpack(words, &mut values);
        values
    };
    let changes = changes(task.model, task.layout, &unpack(before), &unpack(after));
    let lines = changes.iter().map(|change| change.line(burnside_diag::Palette::Plain));
    lines.filter(|line| !line.contains(PLACE)).collect()
}

fn cut(text: &str) -> String {
    if text.chars().count() <= WIDEST {
        return text.to_owned();
    }
    text.chars().take(WIDEST - 1).chain(['…']).collect()
}
