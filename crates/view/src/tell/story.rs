//! Executions as stories: numbered steps, and what each one changes.

use std::fmt::Write as _;

use burnside_diag::Palette;
use burnside_engine::{Step, Task, Trace};
use burnside_interp::Site;

use crate::tell::changes;
use crate::tell::chart::chart;
use crate::tell::instance::Instance;
use crate::tell::state::{describe, variables};

/// How much of an execution is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TraceStyle {
    /// What each step changes.
    Diff,
    /// Every state as a whole.
    Full,
    /// A column for each process of a Promela model; steps of other models as `Diff` has them.
    Chart,
    /// Nothing.
    Off,
}

const INDENT: &str = "    ";

/// Tells executions of one model.
#[derive(Clone, Copy)]
pub struct Teller<'m> {
    /// The question that executions belong to.
    pub task: &'m Task<'m>,
    /// How much is told.
    pub style: TraceStyle,
    /// Colours, if any.
    pub palette: Palette,
}

impl Teller<'_> {
    /// The whole execution.
    pub fn tell(&self, trace: &Trace) -> String {
        if self.style == TraceStyle::Chart
            && let Some(chart) = chart(self.task, trace)
        {
            return chart;
        }
        let mut out = self.start(trace);
        for at in 0..trace.steps.len() {
            out += &self.loop_mark(trace, at);
            out += &self.step(trace, at);
        }
        out += &self.loop_end(trace);
        out
    }

    /// Where a loop begins, before the step at this position.
    fn loop_mark(&self, trace: &Trace, at: usize) -> String {
        if trace.loop_start != Some(at) || self.style == TraceStyle::Off {
            return String::new();
        }
        format!("{}\n", self.palette.bold("-- from here on for ever:"))
    }

    /// How an infinite execution goes on after its last step.
    fn loop_end(&self, trace: &Trace) -> String {
        match trace.loop_start {
            Some(_) if self.style == TraceStyle::Off => String::new(),
            None => String::new(),
            Some(start) if start < trace.steps.len() => {
                format!("{}\n", self.palette.bold(&format!("-- back to the state after {start}.")))
            }
            Some(_) => format!("{}\n", self.palette.bold("-- here the execution ends: no rule is enabled")),
        }
    }

    /// How the execution begins.
    pub fn start(&self, trace: &Trace) -> String {
        let instance = Instance::start(self.task.model, trace.start, &trace.start_args);
        let mut out = self.heading(0, &instance.title(), &instance.with_parameters());
        match &trace.first {
            Some(state) => self.state(state, &mut out),
            None => self.line("this start state faults", &mut out),
        }
        out
    }

    /// The step with this position in the trace.
    pub fn step(&self, trace: &Trace, at: usize) -> String {
        if self.style == TraceStyle::Off {
            return String::new();
        }
        let Step { rule, args, end } = &trace.steps[at];
        let instance = Instance::rule(self.task.model, *rule, args);
        let parameters = match state_before(trace, at) {
            Some(before) => instance.with_parameters_in(self.task, &self.unpack(before)),
            None => instance.with_parameters(),
        };
        let mut out = self.heading(at + 1, &instance.title(), &parameters);
        match end {
            Ok(state) if self.style == TraceStyle::Full => self.state(state, &mut out),
            Ok(state) => match state_before(trace, at) {
                Some(before) => self.changes(before, state, &mut out),
                None => self.state(state, &mut out),
            },
            Err(Site::Guard) => self.line("the guard of this rule faults", &mut out),
            Err(Site::Action) => self.line("the action of this rule faults", &mut out),
        }
        out
    }

    fn heading(&self, number: usize, title: &str, parameters: &str) -> String {
        if self.style == TraceStyle::Off {
            return String::new();
        }
        format!("{} {}{parameters}\n", self.palette.blue(&format!("{number}.")), self.palette.bold(title))
    }

    /// A state by itself, whatever the style.
    pub fn shown(&self, state: &[u64]) -> String {
        let mut out = String::new();
        self.state(state, &mut out);
        out
    }

    fn state(&self, state: &[u64], out: &mut String) {
        let values = self.unpack(state);
        for line in describe(&variables(self.task.model, self.task.layout, &values)) {
            self.line(&line, out);
        }
    }

    fn changes(&self, before: &[u64], after: &[u64], out: &mut String) {
        let (before, after) = (self.unpack(before), self.unpack(after));
        let changes = changes(self.task.model, self.task.layout, &before, &after);
        if changes.is_empty() {
            self.line(&self.palette.dim("nothing changes"), out);
        }
        for change in changes {
            self.line(&change.line(self.palette), out);
        }
    }

    fn line(&self, line: &str, out: &mut String) {
        if self.style != TraceStyle::Off {
            let _ = writeln!(out, "{INDENT}{line}");
        }
    }

    fn unpack(&self, state: &[u64]) -> Vec<i64> {
        let mut values = vec![0; self.task.layout.slots().len()];
        self.task.layout.unpack(state, &mut values);
        values
    }
}

/// The state in which a step is taken.
fn state_before(trace: &Trace, at: usize) -> Option<&[u64]> {
    match at.checked_sub(1) {
        Some(previous) => trace.steps[previous].end.as_deref().ok(),
        None => trace.first.as_deref(),
    }
}
