//! The report as a JSON object, written by hand: strings, numbers and lists are all it needs.

use super::{Names, cause, headline};
use crate::check::{Report, Verdict};
use crate::explorer::Stats;
use crate::op::{Op, ThreadId};
use crate::schedule::Schedule;
use crate::search::Symmetry;
use crate::trace::{End, Trace};
use std::fmt::Write as _;

/// The report as one JSON object with schema `burnside.run/1`.
#[must_use]
pub fn json(report: &Report, names: &Names) -> String {
    let shortfall = match &report.verdict {
        Verdict::Inconclusive(open) => string(open),
        _ => "null".to_owned(),
    };
    let symmetry = report.symmetry == Symmetry::On;
    let trace = report.fault.as_ref().map_or("null".to_owned(), |fault| trace(&fault.renumbered(), names));
    format!(
        "{{\"schema\":\"burnside.run/1\",\"verdict\":{},\"memory_model\":\"sequential consistency\",\"summary\":{},\
         \"shortfall\":{shortfall},\"method\":{},\"symmetry\":{symmetry},\"stats\":{},\"trace\":{trace}}}",
        string(report.verdict.word()),
        string(&headline(report)),
        string(report.strategy),
        stats(&report.stats),
    )
}

fn stats(stats: &Stats) -> String {
    format!(
        "{{\"executions\":{},\"completed\":{},\"deadlocks\":{},\"failed\":{},\"asleep\":{},\"bounded\":{},\
         \"infeasible\":{},\"transitions\":{},\"replayed\":{},\"symmetric_pruned\":{},\"depth\":{}}}",
        stats.n_executions,
        stats.n_completed,
        stats.n_deadlocks,
        stats.n_failed,
        stats.n_asleep,
        stats.n_bounded,
        stats.n_infeasible,
        stats.n_transitions,
        stats.n_replayed,
        stats.n_symmetric,
        stats.max_depth,
    )
}

fn trace(trace: &Trace, names: &Names) -> String {
    let step = |(at, event): (usize, &crate::trace::Event)| {
        format!(
            "{{\"thread\":{},\"choice\":{},\"op\":{},\"place\":{}}}",
            event.thread,
            event.choice,
            string(&names.op(&event.op)),
            names.places.get(at).map_or("null".to_owned(), |place| string(place)),
        )
    };
    let waiting = |(thread, op): (usize, &Op)| format!("{{\"thread\":{thread},\"op\":{}}}", string(&names.op(op)));
    let threads = (0..trace.births.len()).map(|thread| string(&names.thread(ThreadId::from(thread))));
    format!(
        "{{\"end\":{},\"cause\":{},\"schedule\":{},\"threads\":{},\"steps\":{},\"waiting\":{}}}",
        string(trace.end.as_ref().map_or("", End::word)),
        string(&cause(trace, names)),
        string(&Schedule::of(trace).short()),
        list(threads),
        list(trace.events.iter().enumerate().map(step)),
        list(trace.pending.iter().enumerate().filter(|(_, op)| **op != Op::NONE).map(waiting)),
    )
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(","))
}

fn string(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04x}", c as u32);
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
