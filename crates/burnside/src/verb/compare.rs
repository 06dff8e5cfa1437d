//! `burnside compare`: one search for each strategy, each in a process of its own, so that its memory is its own and
//! one that takes too long can be left behind.

use std::path::Path;
use std::process::{Command, Stdio};

use burnside_diag::Diagnostic;
use burnside_symmetry::Strategy;
use serde_json::{Value, json};

use crate::args::{ColorWhen, CompareArgs, DeadlockArg, LanguageArg};
use crate::compared::{Comparison, Row, page, table};
use crate::exit::Exit;
use crate::input::{read_model, write_text};
use crate::tell::invalid_line;
use crate::terminal::Terminal;
use crate::verb::check::write_json;

pub(crate) fn run(args: &CompareArgs, color: ColorWhen) -> Exit {
    let report_on_stdout = args.json.as_deref().is_some_and(|path| path == Path::new("-"));
    let mut terminal = if report_on_stdout { Terminal::beside_report(color) } else { Terminal::new(color) };
    if args.model.model == Path::new("-") {
        Terminal::alarm("`compare` reads the model once for each strategy, so it needs a file");
        return Exit::Invalid;
    }
    let input = read_model(&args.model);
    for diagnostic in &input.loaded.diagnostics {
        terminal.complain(diagnostic, &input.loaded.sources);
    }
    if input.loaded.prepared.is_none() {
        let n_errors = input.loaded.diagnostics.iter().filter(|it| Diagnostic::is_error(it)).count();
        terminal.say(&invalid_line(&input.name, n_errors, terminal.palette()));
        return Exit::Invalid;
    }
    let names = std::iter::once("off").chain(Strategy::ALL.map(Strategy::name));
    let rows: Result<Vec<Row>, String> =
        names.map(|name| search(args, name, &[]).map(|it| Row::new(name, &it))).collect();
    let census = search(args, Strategy::Refine.name(), &["--orbits"]);
    let (rows, census) = match (rows, census) {
        (Ok(rows), Ok(census)) => (rows, census),
        (Err(problem), _) | (_, Err(problem)) => {
            Terminal::alarm(&problem);
            return Exit::Failed;
        }
    };
    let comparison = Comparison::new(&input.name, rows, &census["symmetry"]);
    terminal.write(&table(&comparison));
    let exit = conclude(&comparison);
    let exit = match &args.html {
        Some(path) => write_text(path, &page(&comparison)).map_or_else(
            |problem| {
                Terminal::alarm(&problem);
                Exit::Failed
            },
            |()| exit,
        ),
        None => exit,
    };
    match &args.json {
        Some(path) => write_json(path, &comparison.json(), exit),
        None => exit,
    }
}

/// The report of one search; a strategy that does not treat the model gives one too.
fn search(args: &CompareArgs, strategy: &str, more: &[&str]) -> Result<Value, String> {
    let program = std::env::current_exe().map_err(|error| format!("cannot find this program: {error}"))?;
    let mut command = Command::new(program);
    command.args(["check", "--json", "-", "-q", "--trace", "off", "--symmetry", strategy]).args(more);
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
    let output = command.arg("--").arg(&model.model).stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("cannot start a search: {error}"))?;
    let report = serde_json::from_slice(&output.stdout);
    Ok(report.unwrap_or_else(|_| json!({ "verdict": "failed", "shortfall": "the search ended without a report" })))
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
