//! Reports as text: what the shell prints, what a failing test says.

mod html;
mod json;
mod lanes;

pub use html::{Page, html};
pub use json::json;
pub use lanes::lanes;

use crate::check::{Report, Verdict};
use crate::explorer::Stats;
use crate::op::{ObjId, Op, ThreadId};
use crate::schedule::Schedule;
use crate::search::Symmetry;
use crate::trace::{End, Trace};
use std::fmt::Write as _;

/// Names for people, as far as the adapter knows them. Threads are those of the trace shown.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Names {
    /// Per thread; empty if it has none.
    pub threads: Vec<String>,
    /// Objects that have a name.
    pub objects: Vec<(ObjId, String)>,
    /// Per transition, where it stands in the source.
    pub places: Vec<String>,
}

impl Names {
    /// The name of a thread: `t1`, or `t1 worker`.
    #[must_use]
    pub fn thread(&self, thread: ThreadId) -> String {
        match self.threads.get(thread.index()).filter(|name| !name.is_empty()) {
            Some(name) => format!("t{thread} {name}"),
            None => format!("t{thread}"),
        }
    }

    /// The text of a label.
    #[must_use]
    pub fn op(&self, op: &Op) -> String {
        let mut text = op.to_string();
        for obj in [op.place(), op.obj2] {
            if let Some((_, name)) = self.objects.iter().find(|(named, _)| *named == obj) {
                text = text.replace(&obj.to_string(), name);
            }
        }
        text
    }
}

/// The whole report: verdict, what happened, schedule, lanes, counts.
#[must_use]
pub fn explain(report: &Report, names: &Names) -> String {
    let mut text = headline(report);
    if let Some(fault) = &report.fault {
        let fault = fault.renumbered();
        let schedule = Schedule::of(&fault);
        let _ = write!(text, "\n{}\n", cause(&fault, names));
        let _ = writeln!(text, "schedule: {}", schedule.short());
        let _ = write!(text, "\n{}", lanes(&fault, names));
    }
    let _ = write!(text, "\n{}\n", counts(report));
    text
}

/// The verdict in one line.
#[must_use]
pub fn headline(report: &Report) -> String {
    match &report.verdict {
        Verdict::Holds => "holds under sequential consistency: every behaviour was explored".to_owned(),
        Verdict::Violated => {
            let word = report.fault.as_ref().and_then(|trace| trace.end.as_ref()).map_or("fault", End::word);
            format!("violated under sequential consistency: {word}")
        }
        Verdict::Inconclusive(open) => format!("inconclusive under sequential consistency, not covered: {open}"),
        Verdict::Invalid(error) => format!("program is not deterministic at step {}: {}", error.step, error.detail),
    }
}

/// What went wrong at the end of a faulty run.
#[must_use]
pub fn cause(fault: &Trace, names: &Names) -> String {
    match &fault.end {
        Some(End::Failed(failure)) => format!("{}: {}", names.thread(failure.thread), failure.message),
        Some(End::Divergence(thread)) => {
            format!("{} runs for ever without anything it waits for changing", names.thread(*thread))
        }
        Some(End::Deadlock) => {
            let waiting = fault.pending.iter().enumerate().filter(|(_, op)| **op != Op::NONE);
            let line = |(thread, op): (usize, &Op)| {
                format!("{} waits for ever: {}", names.thread(ThreadId::from(thread)), names.op(op))
            };
            waiting.map(line).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

/// What the search did and what each reduction saved.
#[must_use]
pub fn counts(report: &Report) -> String {
    let Stats { n_executions, n_completed, n_deadlocks, n_failed, n_asleep, .. } = report.stats;
    let Stats { n_bounded, n_infeasible, n_transitions, n_replayed, n_symmetric, max_depth, .. } = report.stats;
    let symmetry = if report.symmetry == Symmetry::On { "on" } else { "off" };
    let counted = |number: u64, noun: &str| format!("{number} {noun}{}", if number == 1 { "" } else { "s" });
    let branches = if n_symmetric == 1 { "branch" } else { "branches" };
    format!(
        "{} ({n_completed} completed, {}, {n_failed} failed), {}, {n_replayed} replayed, depth {max_depth}\n\
         method {}, symmetry {symmetry}: {n_asleep} given up asleep, {n_symmetric} {branches} pruned by symmetry, \
         {} impossible, {n_bounded} cut by a bound",
        counted(n_executions, "execution"),
        counted(n_deadlocks, "deadlock"),
        counted(n_transitions, "transition"),
        report.strategy,
        counted(n_infeasible, "reversal"),
    )
}
