//! `burnside simulate`.

use burnside_diag::{Diagnostic, render};
use burnside_driver::{Prepared, Walk, WalkEnd, walk};
use burnside_engine::{Question, Task, Trace};

use crate::args::SimulateArgs;
use crate::exit::Exit;
use crate::input::{Input, read_model};
use crate::itf;
use crate::quantity::counted;
use crate::tell::{Teller, explain, invalid_line, name};
use crate::terminal::Terminal;
use crate::verb::check::write_json;

pub(crate) fn run(args: &SimulateArgs, terminal: &mut Terminal) -> Exit {
    let mut input = read_model(&args.model);
    for diagnostic in &input.loaded.diagnostics {
        terminal.complain(diagnostic, &input.loaded.sources);
    }
    match input.loaded.prepared.take() {
        Some(prepared) => simulate(args, &input, &prepared, terminal),
        None => {
            let n_errors = input.loaded.diagnostics.iter().filter(|it| Diagnostic::is_error(it)).count();
            terminal.say(&invalid_line(&input.name, n_errors, terminal.palette()));
            Exit::Invalid
        }
    }
}

fn simulate(args: &SimulateArgs, input: &Input, prepared: &Prepared, terminal: &mut Terminal) -> Exit {
    let task = Task::of(Question {
        deadlock: args.model.deadlock_in(input.language).into(),
        step_limits: args.model.step_limits(input.language),
        ..Question::new(&prepared.model, &prepared.layout)
    });
    let palette = terminal.palette();
    let teller = Teller { task: &task, style: args.trace, palette };
    let Walk { trace, end } = walk(&task, args.seed, args.steps, |trace, output| {
        terminal.write(&match trace.steps.len() {
            0 => teller.start(trace),
            n_steps => teller.step(trace, n_steps - 1),
        });
        for line in output.lines() {
            terminal.say(&format!("    {} {line}", palette.dim("put:")));
        }
    });
    let n_steps = trace.as_ref().map_or(0, Trace::n_fired) as u64;
    let length = counted(n_steps, "step", "steps");
    let (exit, named) = match &end {
        WalkEnd::Violated(breach) => {
            let diagnostic = explain(&task, breach, trace.as_ref());
            terminal.write(&format!("\n{}\n", render(&diagnostic, &input.loaded.sources, palette)));
            terminal.say(&format!("{} after {length} with seed {}", palette.red("violated:"), args.seed));
            (Exit::Violated, Some(name(&task, breach)))
        }
        WalkEnd::Finished => {
            terminal.say(&format!("\n{length} with seed {}: no violation on this way", args.seed));
            (Exit::Holds, None)
        }
        WalkEnd::NoWayOn => {
            terminal.say(&format!("\n{length} with seed {}: no rule leads on from here", args.seed));
            (Exit::Holds, None)
        }
    };
    match (&args.trace_file, &trace) {
        (Some(path), Some(trace)) => {
            let subject = itf::Subject { task: &task, model: &input.name, violates: named.as_ref() };
            write_json(path, &itf::write(&subject, trace), exit)
        }
        _ => exit,
    }
}
