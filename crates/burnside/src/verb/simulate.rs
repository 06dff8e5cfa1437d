//! `burnside simulate`.

use std::collections::BTreeMap;

use burnside_diag::Diagnostic;
use burnside_driver::{Prepared, Walk, WalkEnd, shorten, walk};
use burnside_engine::{Breach, Question, Task, Trace, Violation};
use serde_json::{Value, json};

use crate::args::{ColorWhen, SimulateArgs};
use crate::exit::Exit;
use crate::input::{Input, read_model};
use crate::output::{self, is_stdout, write_json};
use crate::terminal::Terminal;
use burnside_view::itf;
use burnside_view::quantity::{count, counted};
use burnside_view::tell::{Named, Teller, explain, invalid_line, name};

const SCHEMA: &str = "burnside.simulate/1";

pub(crate) fn run(args: &SimulateArgs, color: ColorWhen) -> Exit {
    let outputs = [("--json", args.json.as_deref()), ("--trace-file", args.trace_file.as_deref())];
    if let Err(exit) = output::admit(&outputs, &args.model.inputs()) {
        return exit;
    }
    let on_stdout = outputs.iter().any(|(_, path)| path.is_some_and(is_stdout));
    let mut terminal = if on_stdout { Terminal::beside_report(color) } else { Terminal::new(color) };
    let mut input = read_model(&args.model);
    terminal.complain_all(input.loaded.diagnostics.iter(), &input.loaded.sources);
    let Some(prepared) = input.loaded.prepared.take() else {
        let n_errors = input.loaded.diagnostics.iter().filter(|it| Diagnostic::is_error(it)).count();
        terminal.say(&invalid_line(&input.name, n_errors, terminal.palette()));
        return Exit::Invalid;
    };
    simulate(args, &input, &prepared, &mut terminal)
}

fn simulate(args: &SimulateArgs, input: &Input, prepared: &Prepared, terminal: &mut Terminal) -> Exit {
    let task = Task::of(Question {
        deadlock: args.model.deadlock_in(input.language).into(),
        step_limits: args.model.step_limits(input.language),
        ..Question::new(&prepared.model, &prepared.layout)
    });
    let mut walks = Walks {
        task: &task,
        args,
        input,
        n_finished: 0,
        n_stopped: 0,
        steps: Vec::new(),
        found: BTreeMap::new(),
        worst: None,
    };
    if args.walks == 1 {
        let Walk { trace, end } = follow(args, &task, terminal);
        walks.note(args.seed, trace, end);
        return walks.conclude_one(terminal);
    }
    for seed in (args.seed..).take(usize::try_from(args.walks).unwrap_or(usize::MAX)) {
        let Walk { trace, end } = walk(&task, seed, args.steps, |_, _| {});
        walks.note(seed, trace, end);
    }
    walks.conclude(terminal)
}

/// Tells a walk while it goes on.
fn follow(args: &SimulateArgs, task: &Task<'_>, terminal: &mut Terminal) -> Walk {
    let palette = terminal.palette();
    let teller = Teller { task, style: args.trace.into(), palette };
    walk(task, args.seed, args.steps, |trace, output| {
        terminal.write(&match trace.steps.len() {
            0 => teller.start(trace),
            n_steps => teller.step(trace, n_steps - 1),
        });
        for line in output.lines() {
            terminal.say(&format!("    {} {line}", palette.dim("put:")));
        }
    })
}

/// What walks came to.
struct Walks<'a> {
    task: &'a Task<'a>,
    args: &'a SimulateArgs,
    input: &'a Input,
    n_finished: u64,
    n_stopped: u64,
    /// The lengths of all walks.
    steps: Vec<u64>,
    /// How often each property was violated, by kind and name.
    found: BTreeMap<(String, String), u64>,
    /// The last walk, or the shortest that ends in a violation, with its seed.
    worst: Option<Told>,
}

struct Told {
    seed: u64,
    trace: Option<Trace>,
    end: WalkEnd,
}

impl Walks<'_> {
    fn note(&mut self, seed: u64, trace: Option<Trace>, end: WalkEnd) {
        let n_steps = trace.as_ref().map_or(0, Trace::n_fired);
        self.steps.push(n_steps as u64);
        match &end {
            WalkEnd::Finished => self.n_finished += 1,
            WalkEnd::NoWayOn => self.n_stopped += 1,
            WalkEnd::Violated(breach) => {
                let Named { kind, name, .. } = name(self.task, breach);
                *self.found.entry((kind.to_owned(), name)).or_default() += 1;
            }
        }
        let is_worse = match &self.worst {
            None => true,
            Some(Told { end: WalkEnd::Violated(_), trace, .. }) => {
                matches!(end, WalkEnd::Violated(_)) && n_steps < trace.as_ref().map_or(0, Trace::n_fired)
            }
            Some(_) => true,
        };
        if is_worse {
            self.worst = Some(Told { seed, trace, end });
        }
    }

    /// The end of a walk that was told already.
    fn conclude_one(&self, terminal: &mut Terminal) -> Exit {
        let Some(Told { seed, trace, end }) = &self.worst else { return Exit::Holds };
        let length = counted(trace.as_ref().map_or(0, Trace::n_fired) as u64, "step", "steps");
        match end {
            WalkEnd::Violated(breach) => {
                let diagnostic = explain(self.task, breach, trace.as_ref());
                terminal.write(&format!("\n{}\n", terminal.render(&diagnostic, &self.input.loaded.sources)));
                terminal.say(&format!("{} after {length} with seed {seed}", terminal.palette().red("violated:")));
            }
            WalkEnd::Finished => {
                terminal.say(&format!("\n{length} with seed {seed}: no violation in this execution"));
            }
            WalkEnd::NoWayOn => {
                terminal.say(&format!("\n{length} with seed {seed}: no rule is enabled in the last state"));
            }
        }
        self.write(trace.as_ref(), end)
    }

    /// The shortest bad execution, without detours, and what all walks came to.
    fn conclude(&self, terminal: &mut Terminal) -> Exit {
        let Some(Told { seed, trace, end }) = &self.worst else { return Exit::Holds };
        let mut short = trace.clone();
        if let (WalkEnd::Violated(breach), Some(_)) = (end, trace) {
            let Violation { breach, trace } =
                shorten(self.task, Violation { breach: (**breach).clone(), trace: trace.clone() });
            let teller = Teller { task: self.task, style: self.args.trace.into(), palette: terminal.palette() };
            terminal.write(&trace.as_ref().map(|trace| teller.tell(trace)).unwrap_or_default());
            let diagnostic = explain(self.task, &breach, trace.as_ref());
            terminal.write(&format!("\n{}\n", terminal.render(&diagnostic, &self.input.loaded.sources)));
            short = trace;
        }
        let walks = counted(self.steps.len() as u64, "walk", "walks");
        let n_bad: u64 = self.found.values().sum();
        let heading = match n_bad {
            0 => format!("{walks}: no violation in these executions"),
            _ => format!(
                "{} {} of {walks}; the one shown is from seed {seed}",
                terminal.palette().red("violated:"),
                count(n_bad)
            ),
        };
        terminal.say(&heading);
        for ((kind, name), number) in &self.found {
            let what = if kind == name { kind.clone() } else { format!("{kind} \"{name}\"") };
            terminal.say(&format!("  {:>8} × {what}", count(*number)));
        }
        let (least, most) =
            (self.steps.iter().min().copied().unwrap_or(0), self.steps.iter().max().copied().unwrap_or(0));
        let mean = self.steps.iter().sum::<u64>() as f64 / self.steps.len().max(1) as f64;
        terminal.say(&format!("  steps        {} to {}, {mean:.1} on average", count(least), count(most)));
        terminal.say(&format!(
            "  ended        {} after all steps, {} where nothing is enabled, {} in a violation",
            count(self.n_finished),
            count(self.n_stopped),
            count(n_bad)
        ));
        self.write(short.as_ref(), end)
    }

    fn write(&self, trace: Option<&Trace>, end: &WalkEnd) -> Exit {
        let breach: Option<&Breach> = match end {
            WalkEnd::Violated(breach) => Some(breach),
            WalkEnd::Finished | WalkEnd::NoWayOn => None,
        };
        let named = breach.map(|breach| name(self.task, breach));
        let exit = if breach.is_some() { Exit::Violated } else { Exit::Holds };
        let subject = itf::Subject { task: self.task, model: &self.input.name, violates: named.as_ref() };
        let trace = trace.map(|trace| itf::write(&subject, trace));
        let exit = match (&self.args.trace_file, &trace) {
            (Some(path), Some(trace)) => write_json(path, trace, exit),
            _ => exit,
        };
        match &self.args.json {
            Some(path) => write_json(path, &self.json(trace), exit),
            None => exit,
        }
    }

    fn json(&self, trace: Option<Value>) -> Value {
        let found =
            self.found.iter().map(|((kind, name), number)| json!({ "kind": kind, "name": name, "walks": number }));
        let (least, most) = (self.steps.iter().min(), self.steps.iter().max());
        json!({
            "schema": SCHEMA,
            "tool": { "name": "burnside", "version": env!("CARGO_PKG_VERSION") },
            "model": self.input.name,
            "seed": self.args.seed,
            "walks": self.steps.len(),
            "finished": self.n_finished,
            "stopped": self.n_stopped,
            "violated": self.found.values().sum::<u64>(),
            "violations": found.collect::<Vec<_>>(),
            "steps": { "least": least, "most": most, "total": self.steps.iter().sum::<u64>() },
            "shown": self.worst.as_ref().map(|told| told.seed),
            "trace": trace,
        })
    }
}
