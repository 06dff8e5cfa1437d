//! `burnside replay`.

use burnside_diag::{Code, Diagnostic, SourceMap, Span};
use burnside_driver::{Ending, Mismatch, Prepared, Recorded, Retraced, retrace};
use burnside_engine::{Question, Task, Trace};

use crate::args::{ReplayArgs, TraceArg};
use crate::exit::Exit;
use crate::input::{Input, read_model_for, read_text};
use crate::terminal::Terminal;
use burnside_view::itf::{self, Recording};
use burnside_view::quantity::counted;
use burnside_view::tell::{Teller, changes, difference, explain, invalid_line, is_temporal_kind, name};

const BAD_TRACE: Code = Code("bad-trace");

pub(crate) fn run(args: &ReplayArgs, terminal: &mut Terminal) -> Exit {
    let text = read_text(&args.trace_file, "the trace");
    // What a trace is said to violate may be a claim that is checked only when it is asked for.
    let claim = text.as_ref().ok().and_then(|text| itf::violated(text)).map(|(_, name)| name);
    let asked: Vec<String> = claim.into_iter().collect();
    let mut input = read_model_for(&args.model, &asked);
    terminal.complain_all(input.loaded.diagnostics.iter(), &input.loaded.sources);
    let Some(prepared) = input.loaded.prepared.take() else {
        let n_errors = input.loaded.diagnostics.iter().filter(|it| it.is_error()).count();
        terminal.say(&invalid_line(&input.name, n_errors, terminal.palette()));
        return Exit::Invalid;
    };
    Replay { args, input: &input, terminal }.run(&prepared, text)
}

struct Replay<'a> {
    args: &'a ReplayArgs,
    input: &'a Input,
    terminal: &'a mut Terminal,
}

impl Replay<'_> {
    fn run(&mut self, prepared: &Prepared, text: Result<String, Box<Diagnostic>>) -> Exit {
        let question = Question {
            deadlock: self.args.model.deadlock_in(self.input.language).into(),
            step_limits: self.args.model.step_limits(self.input.language),
            fairness: self.args.model.fairness(),
            ..Question::new(&prepared.model, &prepared.layout)
        };
        let task = Task::of(question);
        let path = self.args.trace_file.display();
        let recording = text.and_then(|text| {
            itf::read(&task, &text).map_err(|problem| {
                let message = format!("`{path}` is not a trace of `{}`: {problem}", self.input.name);
                Box::new(Diagnostic::error(BAD_TRACE, message, Span::NOWHERE))
            })
        });
        match recording {
            Ok(recording) => self.follow(&task, &recording),
            Err(diagnostic) => {
                self.terminal.complain(&diagnostic, &SourceMap::default());
                Exit::Invalid
            }
        }
    }

    fn follow(&mut self, task: &Task<'_>, recording: &Recording) -> Exit {
        let violates = recording.violates.as_ref().filter(|(kind, _)| is_temporal_kind(kind));
        let ending = Ending { loop_start: recording.loop_start, violates: violates.map(|(_, name)| &name[..]) };
        let Retraced { trace, end } = retrace(task, &recording.steps, &ending);
        if let Some(trace) = trace.as_ref().filter(|_| self.args.trace != TraceArg::Off) {
            let teller = Teller { task, style: self.args.trace.into(), palette: self.terminal.palette() };
            self.terminal.say(&teller.tell(trace));
        }
        let n_followed = trace.as_ref().map_or(0, |trace| trace.steps.len() + 1);
        match end {
            Err(mismatch) => self.differs(task, recording.steps.get(n_followed), n_followed, &mismatch),
            Ok(None) => self.reaches_the_end(trace.as_ref(), recording),
            Ok(Some(breach)) => {
                let palette = self.terminal.palette();
                let diagnostic = explain(task, &breach, trace.as_ref());
                self.terminal.say(&self.terminal.render(&diagnostic, &self.input.loaded.sources));
                let steps = steps_of(trace.as_ref());
                let rest = match recording.steps.len() - n_followed {
                    0 => String::new(),
                    rest => format!("; the trace goes on for {}", counted(rest as u64, "step", "steps")),
                };
                let kind = name(task, &breach).kind;
                self.terminal.say(&format!("{} {kind}, after {steps}{rest}", palette.red("violated:")));
                Exit::Violated
            }
        }
    }

    fn reaches_the_end(&mut self, trace: Option<&Trace>, recording: &Recording) -> Exit {
        let (palette, steps) = (self.terminal.palette(), steps_of(trace));
        let Some((kind, name)) = &recording.violates else {
            self.terminal.say(&format!("{} {steps}, and nothing is violated", palette.green("replayed:")));
            return Exit::Holds;
        };
        let why = match &kind[..] {
            "ctl" => "it is a claim about more than one execution",
            _ if is_temporal_kind(kind) => "give the claim and the fairness again, as when it was recorded",
            "liveness" => "that a state can never be reached again is a claim about all executions",
            _ => "the model, or an option such as `--deadlock`, has changed since it was recorded",
        };
        let heading = palette.yellow("inconclusive:");
        self.terminal.say(&format!("{heading} {steps} replayed, but {kind} \"{name}\" is not violated in them: {why}"));
        Exit::Inconclusive
    }

    fn differs(&mut self, task: &Task<'_>, record: Option<&Recorded>, at: usize, mismatch: &Mismatch) -> Exit {
        let action = record.and_then(|record| record.action.as_deref());
        let what = match (at, action) {
            (0, Some(action)) => format!("start state \"{action}\""),
            (0, None) => "the start state".to_owned(),
            (_, Some(action)) => format!("rule \"{action}\""),
            (_, None) => "every rule".to_owned(),
        };
        let problem = match mismatch {
            Mismatch::Empty => "the trace has no states".to_owned(),
            Mismatch::NotEnabled => format!("{what} may not fire here with these parameters"),
            Mismatch::OtherState(_) => format!("{what} leads to another state"),
            Mismatch::Faulted(fault) => format!("{what} faults: {fault}"),
            Mismatch::NoFault => format!("{what} does not fault"),
            Mismatch::Pruned => format!("an assumption in {what} fails"),
            Mismatch::Excluded(property) => {
                format!("assumption \"{}\" excludes this state", task.model.property(*property).name)
            }
            other => format!("{what} does something else: {other:?}"),
        };
        let palette = self.terminal.palette();
        self.terminal.say(&format!("{} at state {at} of the trace: {problem}", palette.red("differs:")));
        if let (Mismatch::OtherState(got), Some(Recorded { state: Some(recorded), .. })) = (mismatch, record) {
            for change in changes(task.model, task.layout, got, recorded) {
                self.terminal.say(&format!("    {}", difference(&change)));
            }
        }
        Exit::Invalid
    }
}

fn steps_of(trace: Option<&Trace>) -> String {
    counted(trace.map_or(0, Trace::n_fired) as u64, "step", "steps")
}
