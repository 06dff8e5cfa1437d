//! `burnside compare`: one search for each strategy, each in a process of its own, so that its memory is its own and
//! one that takes too long can be left behind.

use std::path::Path;
use std::process::Command;

use burnside_diag::Diagnostic;
use burnside_driver::SymmetryChoice;
use serde_json::{Value, json};

use crate::args::{ColorWhen, CompareArgs, DeadlockArg, LanguageArg};
use crate::exit::Exit;
use crate::input::read_model;
use crate::output::{self, is_stdout, write_json, write_text};
use crate::terminal::Terminal;
use crate::{child, command, interrupt};
use burnside_view::compared::{Comparison, Row, heading, line, notes, page};
use burnside_view::tell::invalid_line;

pub(crate) fn run(args: &CompareArgs, color: ColorWhen) -> Exit {
    let outputs = [("--json", args.json.as_deref()), ("--html", args.html.as_deref())];
    if let Err(exit) = output::admit(&outputs, &args.model.inputs()) {
        return exit;
    }
    let on_stdout = [&args.json, &args.html].into_iter().flatten().any(|path| is_stdout(path));
    let mut terminal = if on_stdout { Terminal::beside_report(color) } else { Terminal::new(color) };
    if args.model.model == Path::new("-") {
        Terminal::alarm("`compare` reads the model once for each strategy, so it needs a file");
        return Exit::Invalid;
    }
    let input = read_model(&args.model);
    terminal.complain_all(input.loaded.diagnostics.iter(), &input.loaded.sources);
    if input.loaded.prepared.is_none() {
        let n_errors = input.loaded.diagnostics.iter().filter(|it| Diagnostic::is_error(it)).count();
        terminal.say(&invalid_line(&input.name, n_errors, terminal.palette()));
        return Exit::Invalid;
    }
    let interrupted = interrupt::noted();
    let name = input.name + &args.model.overrides();
    let comparison = match compare(args, name, &mut terminal, interrupted) {
        Ok(comparison) => comparison,
        Err(problem) => {
            Terminal::alarm(&problem);
            return Exit::Failed;
        }
    };
    terminal.write(&notes(&comparison));
    if interrupted() {
        terminal.say("interrupted: the strategies that are not listed were not tried");
    }
    let exit = if interrupted() { Exit::Inconclusive } else { conclude(&comparison) };
    let exit = match args.html.as_ref().map(|path| write_text(path, &page(&comparison))) {
        Some(Err(problem)) => {
            Terminal::alarm(&problem);
            Exit::Failed
        }
        Some(Ok(())) | None => exit,
    };
    match &args.json {
        Some(path) => write_json(path, &comparison.json(), exit),
        None => exit,
    }
}

/// Tries one strategy after the other and tells how each went as soon as that is known.
fn compare(
    args: &CompareArgs,
    name: String,
    terminal: &mut Terminal,
    interrupted: fn() -> bool,
) -> Result<Comparison, String> {
    let mut comparison = Comparison::new(name, command::given());
    terminal.say(&heading(&comparison));
    for choice in SymmetryChoice::ALL.into_iter().filter(|choice| *choice != SymmetryChoice::Auto) {
        let Some(report) = search(args, choice.name(), &[], interrupted)? else { return Ok(comparison) };
        let row = Row::new(choice, &report);
        terminal.say(&line(&row));
        comparison.rows.push(row);
    }
    if let Some(census) = search(args, "refine", &["--orbits"], interrupted)? {
        comparison.count_orbits(&census["symmetry"]);
    }
    Ok(comparison)
}

/// The report of one search; a strategy that does not treat the model gives one too. Nothing after an interrupt.
fn search(
    args: &CompareArgs,
    strategy: &str,
    more: &[&str],
    interrupted: fn() -> bool,
) -> Result<Option<Value>, String> {
    let mut command = child::command()?;
    command.args(["check", "--json", "-", "-q", "--trace", "off", "--symmetry", strategy]).args(more);
    pass_on(args, &mut command);
    let Some(ended) = child::run(&mut command, interrupted)? else { return Ok(None) };
    let report = serde_json::from_slice(&ended.out);
    let none = json!({ "verdict": "failed", "shortfall": "the search ended without a report" });
    Ok(Some(report.unwrap_or(none)))
}

/// The options that `check` has too.
fn pass_on(args: &CompareArgs, command: &mut Command) {
    command.arg("--time").arg(format!("{}ms", args.time.as_millis()));
    for (option, limit) in [("--memory", args.memory), ("--states", args.states)] {
        if let Some(limit) = limit {
            command.arg(option).arg(limit.to_string());
        }
    }
    let model = &args.model;
    for definition in &model.define {
        command.arg(format!("-D{definition}"));
    }
    for folder in &model.include {
        command.arg("-I").arg(folder);
    }
    match model.deadlock {
        Some(DeadlockArg::Off) => _ = command.args(["--deadlock", "off"]),
        Some(DeadlockArg::Stuck) => _ = command.args(["--deadlock", "stuck"]),
        Some(DeadlockArg::Stuttering) => _ = command.args(["--deadlock", "stuttering"]),
        None => {}
    }
    let language = match model.language {
        LanguageArg::Auto => "auto",
        LanguageArg::Murphi => "murphi",
        LanguageArg::Promela => "promela",
        LanguageArg::Ir => "ir",
    };
    command.args(["--language", language]);
    if let Some(limit) = model.loop_limit {
        command.arg("--loop-limit").arg(limit.to_string());
    }
    if model.strict_undefined {
        command.arg("--strict-undefined");
    }
    command.arg("--").arg(&model.model);
}

/// What the strategies agree on. Those that are sure of different things show a bug of ours.
fn conclude(comparison: &Comparison) -> Exit {
    let has = |verdict: &str| comparison.rows.iter().any(|row| row.verdict == verdict);
    match (has("holds"), has("violated")) {
        (true, true) => {
            Terminal::alarm("internal error: strategies contradict each other; please report it");
            Exit::Failed
        }
        (true, false) => Exit::Holds,
        (false, true) => Exit::Violated,
        (false, false) => Exit::Inconclusive,
    }
}
