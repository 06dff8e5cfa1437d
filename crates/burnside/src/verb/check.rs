//! `burnside check`.

use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use burnside_adaptive::Families;
use burnside_diag::{Code, Diagnostic, Palette, SourceMap, Span, render};
use burnside_driver::{
    Bug, BugKind, Language, Outcome, Plan, Prepared, SavedSearch, Settings, Source, Strategy, certify, memory_budget,
    write_certificate,
};
use burnside_engine::{Breach, Budget, Disagreement, Evidence, Monitor, Trace, Verdict, Violation};
use clap::ValueEnum;
use serde_json::{Value, json};

use crate::args::{CERTIFICATE_STATES, CheckArgs, ColorWhen, Definition, ModelArgs, SearchArg, TraceArg};
use crate::deadline::Deadline;
use crate::exit::Exit;
use crate::input::{self, Input, clear_certificate, read_model_for};
use crate::interrupt;
use crate::output::{self, clear_trace, is_stdout, write_bytes, write_json, write_over, write_text};
use crate::progress::{Waited, Watch};
use crate::terminal::Terminal;
use crate::verb::symmetry::Checks;
use burnside_view::quantity::{bytes, counted};
use burnside_view::report::{self, Findings};
use burnside_view::tell::{
    Named, Section, Summary, Teller, claims_anything, explain, invalid_line, name, page, reasoning, state_size,
    temporal_notes,
};
use burnside_view::{annotate, itf, layout};

/// What front ends call claims that they leave out.
const UNCHECKED_CLAIM: &str = "unchecked-claim";

/// A search that goes on.
pub(crate) struct Resumed<'a> {
    pub(crate) path: &'a Path,
    pub(crate) saved: &'a SavedSearch,
}

pub(crate) fn run(args: &CheckArgs, color: ColorWhen, started: Instant) -> Exit {
    run_from(None, args, color, started)
}

/// Checks a model from the start states, or goes on with what was done before.
pub(crate) fn run_from(resumed: Option<&Resumed<'_>>, args: &CheckArgs, color: ColorWhen, started: Instant) -> Exit {
    let outputs = [
        ("--json", args.json.as_deref()),
        ("--trace-file", args.trace_file.as_deref()),
        ("--certificate", args.certificate.as_deref()),
        ("--sarif", args.sarif.as_deref()),
        ("--html", args.html.as_deref()),
        ("--save", args.save.as_deref()),
    ];
    if let Err(exit) = output::admit(&outputs, &args.model.inputs()) {
        return exit;
    }
    let on_stdout =
        [&args.json, &args.trace_file, &args.sarif, &args.html].into_iter().flatten().any(|path| is_stdout(path));
    let terminal = if on_stdout { Terminal::beside_report(color) } else { Terminal::new(color) };
    let deadline = Some(late(args, color, on_stdout, started));
    let mut input = read_model_for(&args.model, &args.property);
    let prepared = input.loaded.prepared.take();
    let mut check = Check {
        args,
        input,
        terminal,
        started,
        deadline,
        found: Vec::new(),
        violations: Vec::new(),
        sections: Vec::new(),
    };
    check.show_diagnostics();
    if let Some(path) = &args.certificate
        && let Err(problem) = clear_certificate(path)
    {
        check.complain(Diagnostic::error(Code("bad-certificate"), problem, Span::NOWHERE).help("name another file"));
        return check.give_up();
    }
    let Some(mut prepared) = prepared else { return check.give_up() };
    if let Err(diagnostic) = prepared.select(&args.property) {
        check.complain(*diagnostic);
        return check.give_up();
    }
    if let Some(name) = &args.witness
        && let Err(diagnostic) = prepared.witness(name)
    {
        check.complain(*diagnostic);
        return check.give_up();
    }
    loop {
        let n_found = check.found.len();
        let exit = check.search(&prepared, resumed);
        // Whatever was found is left out of the next search, so that each search finds something else.
        match check.found.get(n_found) {
            Some(finding) => prepared.leave_out(std::slice::from_ref(&finding.breach)),
            None => return exit,
        }
    }
}

/// A violated property, found on the way to others.
struct Finding {
    breach: Breach,
    named: Named,
    /// How it is told in one line.
    line: String,
    steps: Option<usize>,
    /// The counterexample in ITF.
    trace: Option<Value>,
}

/// Ends the process with a verdict if time or memory are over before the search has begun.
fn late(args: &CheckArgs, color: ColorWhen, on_stdout: bool, started: Instant) -> Deadline {
    let end = args.time.and_then(|time| started.checked_add(time));
    let (name, model, json) = (subject_name(args), input::model_name(&args.model), args.json.clone());
    let options = options(args, input::language(&args.model));
    let language = input::language(&args.model);
    Deadline::arm(end, args.memory.or_else(memory_budget), move |shortfall| {
        let mut terminal = if on_stdout { Terminal::beside_report(color) } else { Terminal::new(color) };
        let line = format!("no violation in {name} so far, but {shortfall} before the search had begun");
        terminal.say(&format!("{} {line}", terminal.palette().yellow("inconclusive:")));
        let (sources, setup) = (&SourceMap::default(), started.elapsed());
        let subject = report::Subject { model: &model, language, sources, diagnostics: &[], setup, options };
        match &json {
            Some(path) => write_json(path, &report::unsearched(&subject, Some(shortfall)), Exit::Inconclusive),
            None => Exit::Inconclusive,
        }
    })
}

/// The model with the constants that were given other values.
fn subject_name(args: &CheckArgs) -> String {
    input::model_name(&args.model) + &args.model.overrides()
}

/// The file that a failed audit leaves in the working directory.
const DISAGREEMENT: &str = "burnside-disagreement.json";

struct Check<'a> {
    args: &'a CheckArgs,
    input: Input,
    terminal: Terminal,
    started: Instant,
    /// The end of the time until the search begins, which has its own.
    deadline: Option<Deadline>,
    /// What was found before the current search.
    found: Vec<Finding>,
    /// What was told about violations.
    violations: Vec<Diagnostic>,
    /// What the page shows.
    sections: Vec<Section>,
}

impl Check<'_> {
    fn show_diagnostics(&self) {
        let shown = |diagnostic: &&Diagnostic| diagnostic.is_error() || !self.args.quiet;
        let diagnostics = self.input.loaded.diagnostics.iter().filter(shown);
        self.terminal.complain_all(diagnostics, &self.input.loaded.sources);
    }

    /// Adds a diagnostic and shows it.
    fn complain(&mut self, diagnostic: Diagnostic) {
        if diagnostic.is_error() || !self.args.quiet {
            self.terminal.complain(&diagnostic, &self.input.loaded.sources);
        }
        self.input.loaded.diagnostics.push(diagnostic);
    }

    fn search(&mut self, prepared: &Prepared, resumed: Option<&Resumed<'_>>) -> Exit {
        let plan = Plan::new(prepared, &self.settings()).and_then(|plan| match resumed {
            None => Ok(plan),
            Some(Resumed { path, saved }) => plan.resuming(saved, self.args.depth).map_err(|problem| {
                let message = format!("the search in `{}` cannot go on: {problem}", path.display());
                Box::new(Diagnostic::error(Code("bad-search"), message, Span::NOWHERE).help("check the model again"))
            }),
        });
        let plan = match plan {
            Ok(plan) => plan,
            Err(diagnostic) => {
                self.complain(*diagnostic);
                return self.give_up();
            }
        };
        if self.args.threads.get() > 1 && self.args.search == SearchArg::Dfs {
            let message = format!("depth-first search uses one thread, not {}", self.args.threads);
            self.complain(Diagnostic::note(Code("single-threaded"), message, Span::NOWHERE));
        }
        if let Strategy::Reduce(strategy) = plan.planned().strategy
            && self.args.threads.get() > 1
            && strategy.has_memory()
        {
            let message = format!("symmetry {} uses one thread, not {}", strategy.name(), self.args.threads);
            self.complain(Diagnostic::note(Code("single-threaded"), message, Span::NOWHERE));
        }
        for note in plan.notes() {
            self.complain(note.clone());
        }
        if self.args.verbose {
            self.explain_choice(&plan);
        }
        if self.args.check_certificate {
            let limits = (self.args.model.step_limits(self.input.language), CERTIFICATE_STATES);
            let is_near = matches!(plan.planned().strategy, Strategy::Adaptive | Strategy::Cells | Strategy::Virtual);
            let families = is_near.then(|| Families::new(&prepared.model));
            let checks = Checks::new(prepared, plan.symmetry(), families.as_ref(), limits);
            let quiet = self.args.quiet;
            let confirmed = checks.tell(&prepared.model, |line| {
                if !quiet {
                    self.terminal.say(line)
                }
            });
            if confirmed.is_none() {
                return Exit::Failed;
            }
        }
        self.deadline = None;
        let setup = self.started.elapsed();
        let monitor = Arc::new(Monitor::new(self.budget()));
        let interrupted = interrupt::cancels(&monitor);
        let watch = Watch { monitor: &monitor, interrupted, progress: !self.args.quiet };
        thread::scope(|scope| {
            let begun = Instant::now();
            let result = match plan.start(scope, &monitor) {
                Ok(result) => result,
                Err(failure) => {
                    Terminal::alarm(&failure.to_string());
                    return Exit::Failed;
                }
            };
            match watch.wait(&result) {
                Waited::Done(Ok(outcome)) => self.conclude(&plan, &outcome, setup),
                Waited::Done(Err(bug)) => self.confess(&plan, &bug, setup),
                Waited::Lost => Exit::Failed,
                Waited::Overdue(shortfall) => {
                    let outcome = Outcome::abandoned(plan.task(), &monitor, shortfall, begun.elapsed());
                    let exit = self.conclude(&plan, &outcome, setup);
                    // The end of the scope would wait for the search.
                    std::process::exit(exit as i32)
                }
            }
        })
    }

    fn settings(&self) -> Settings {
        Settings {
            engine: self.args.engine.choice(self.args.interpolant),
            symmetry: self.args.symmetry,
            partial_order: self.args.partial_order.into(),
            orbits: self.args.orbits,
            order: self.args.search.into(),
            deadlock: self.args.model.deadlock_in(self.input.language).into(),
            step_limits: self.args.model.step_limits(self.input.language),
            threads: self.args.threads,
            store: self.args.store.into(),
            native: !self.args.no_jit,
            certificate: self.args.certificate.is_some(),
            pauses: self.args.save.is_some(),
            audit: self.args.audit.into(),
            fairness: self.args.model.fairness(),
        }
    }

    fn budget(&self) -> Budget {
        Budget {
            deadline: self.args.time.and_then(|time| self.started.checked_add(time)),
            states: self.args.states,
            bytes: self.args.memory.or_else(memory_budget),
            depth: self.args.depth,
        }
    }

    fn explain_choice(&mut self, plan: &Plan<'_>) {
        self.terminal.say(concat!("version: burnside ", env!("CARGO_PKG_VERSION")));
        for reason in plan.reasons() {
            self.terminal.say(&format!("chosen: {reason}"));
        }
        self.terminal.say(&format!("state: {}", state_size(plan.task())));
        if let Some(limit) = self.budget().bytes {
            self.terminal.say(&format!("memory: at most {} for states", bytes(limit)));
        }
    }

    /// The end of a model that cannot be checked.
    fn give_up(&mut self) -> Exit {
        let n_errors = self.input.loaded.diagnostics.iter().filter(|it| it.is_error()).count();
        let line = invalid_line(&self.input.name, n_errors, self.terminal.palette());
        self.terminal.say(&line);
        let report = report::unsearched(&self.report_subject(self.started.elapsed()), None);
        self.write_report(&report, Exit::Invalid)
    }

    fn conclude(&mut self, plan: &Plan<'_>, outcome: &Outcome, setup: Duration) -> Exit {
        let (exit, violation) = match &outcome.report.verdict {
            Verdict::Holds(_) => (Exit::Holds, None),
            Verdict::Violated(violation) => (Exit::Violated, Some(&**violation)),
            Verdict::Unknown(_) => (Exit::Inconclusive, None),
        };
        if let Some(witness) = &self.args.witness {
            return self.conclude_witness(witness, plan, outcome, setup);
        }
        let named = violation.map(|violation| name(plan.task(), &violation.breach));
        if let Some(violation) = violation {
            self.tell(plan, violation);
        }
        if let Some(violation) = violation.filter(|violation| self.goes_on_after(violation)) {
            self.keep(plan, outcome, violation, setup);
            return Exit::Violated;
        }
        for answer in &outcome.report.answers {
            for note in temporal_notes(plan.task(), answer, self.args.verbose) {
                self.complain(note);
            }
        }
        if let Some(warning) = emptiness(plan, outcome) {
            self.complain(warning);
        }
        self.summarise(plan, outcome, setup);
        let trace = violation.and_then(|violation| violation.trace.as_ref()).map(|trace| {
            let subject = itf::Subject { task: plan.task(), model: &self.input.name, violates: named.as_ref() };
            itf::write(&subject, trace)
        });
        let exit = if self.found.is_empty() { exit } else { Exit::Violated };
        let first = self.found.first().and_then(|finding| finding.trace.clone());
        let exit = self.write_trace(first.as_ref().or(trace.as_ref()), exit);
        let exit = self.write_certificate(plan, outcome, exit);
        let exit = self.save(plan, outcome, exit);
        let findings = Findings { plan, outcome, property: named.as_ref(), trace, bug: None };
        let mut report = report::searched(&self.report_subject(setup), findings);
        if self.args.keep_going {
            self.add_findings(&mut report);
        }
        self.write_report(&report, exit)
    }

    /// Whether other properties are looked at after this violation.
    fn goes_on_after(&self, violation: &Violation) -> bool {
        let is_fault = matches!(violation.breach, Breach::Fault(_) | Breach::PropertyFault(..));
        self.args.keep_going && !is_fault
    }

    /// Takes note of a violation and leaves the verdict to the last search.
    fn keep(&mut self, plan: &Plan<'_>, outcome: &Outcome, violation: &Violation, setup: Duration) {
        let named = name(plan.task(), &violation.breach);
        let subject = itf::Subject { task: plan.task(), model: &self.input.name, violates: Some(&named) };
        let trace = violation.trace.as_ref().map(|trace| itf::write(&subject, trace));
        let line = self.summary(plan, outcome, setup).violation(violation);
        let steps = violation.trace.as_ref().map(Trace::n_fired);
        self.found.push(Finding { breach: violation.breach.clone(), named, line, steps, trace });
    }

    /// Puts all findings of several searches into the report on the last one.
    fn add_findings(&self, report: &mut Value) {
        let finding = |it: &Finding| {
            let property = report::property_object(&it.named, &self.input.loaded.sources);
            json!({ "property": property, "steps": it.steps, "trace": it.trace })
        };
        let mut findings: Vec<Value> = self.found.iter().map(finding).collect();
        if report["verdict"] == "violated" {
            findings
                .push(json!({ "property": report["property"], "steps": report["steps"], "trace": report["trace"] }));
        }
        if let (Some(first), false) = (findings.first().cloned(), self.found.is_empty()) {
            report["verdict"] = "violated".into();
            report["shortfall"] = Value::Null;
            for key in ["property", "steps", "trace"] {
                report[key] = first[key].clone();
            }
            let violated = self.found.iter().map(
                |it| json!({ "kind": it.named.kind, "name": it.named.name, "verdict": "violated", "evidence": null }),
            );
            let rest = report["properties"].as_array().cloned().unwrap_or_default();
            report["properties"] = violated.chain(rest).collect();
        }
        report["findings"] = findings.into();
    }

    /// The end of a search for an execution to a cover.
    fn conclude_witness(&mut self, witness: &str, plan: &Plan<'_>, outcome: &Outcome, setup: Duration) -> Exit {
        let model = subject_name(self.args);
        let palette = self.terminal.palette();
        let (exit, verdict, line, trace) = match &outcome.report.verdict {
            Verdict::Violated(violation) if matches!(violation.breach, Breach::Invariant(..)) => {
                let trace = violation.trace.as_ref();
                self.sections.extend(trace.map(|trace| Section::execution(plan.task(), trace)));
                if let Some(trace) = trace.filter(|_| self.args.trace != TraceArg::Off && !self.args.quiet) {
                    let teller = Teller { task: plan.task(), style: self.args.trace.into(), palette };
                    self.terminal.say(&teller.tell(trace));
                }
                let steps = counted(trace.map_or(0, Trace::n_fired) as u64, "step", "steps");
                let line = format!("{} cover \"{witness}\" of {model} after {steps}", palette.green("reached:"));
                (Exit::Holds, "holds", line, trace)
            }
            Verdict::Violated(violation) => {
                self.tell(plan, violation);
                let line = self.summary(plan, outcome, setup).verdict();
                (Exit::Violated, "inconclusive", line, violation.trace.as_ref())
            }
            Verdict::Holds(_) => {
                let line = format!("{} cover \"{witness}\" of {model} is never reached", palette.red("violated:"));
                (Exit::Violated, "violated", line, None)
            }
            Verdict::Unknown(shortfall) => {
                let heading = palette.yellow("inconclusive:");
                let line = format!("{heading} cover \"{witness}\" of {model} is not reached so far, but {shortfall}");
                (Exit::Inconclusive, "inconclusive", line, None)
            }
        };
        self.terminal.say(&line);
        let heading = line.split_once(": ").map_or(line.as_str(), |(_, rest)| rest);
        self.sections.insert(0, Section::Words(heading.to_owned()));
        let subject = itf::Subject { task: plan.task(), model: &self.input.name, violates: None };
        let trace = trace.map(|trace| itf::write(&subject, trace));
        let exit = self.write_trace(trace.as_ref(), exit);
        let findings = Findings { plan, outcome, property: None, trace, bug: None };
        let mut report = report::searched(&self.report_subject(setup), findings);
        report["verdict"] = verdict.into();
        let evidence = (exit == Exit::Holds).then_some(Evidence::Met.name());
        report["properties"] = json!([{ "kind": "cover", "name": witness, "verdict": verdict, "evidence": evidence }]);
        report["covers"] = json!([{ "name": witness, "reached": match exit {
            Exit::Holds => Value::Bool(true),
            Exit::Violated if verdict == "violated" => Value::Bool(false),
            _ => Value::Null,
        } }]);
        self.write_report(&report, exit)
    }

    /// A counterexample that does not replay, or a state with two answers, is our bug, never a verdict.
    fn confess(&mut self, plan: &Plan<'_>, bug: &Bug, setup: Duration) -> Exit {
        Terminal::alarm(&format!(
            "internal error: {bug}\nThis is a bug in Burnside, not in the model: nothing is known about the model. \
             Please report it."
        ));
        if let BugKind::Audit(disagreement) = &bug.error {
            self.write_disagreement(plan, disagreement);
        }
        let (property, trace): (Option<&Named>, _) = (None, None);
        let findings = Findings { plan, outcome: &bug.outcome, property, trace, bug: Some(bug.to_string()) };
        let report = report::searched(&self.report_subject(setup), findings);
        self.write_report(&report, Exit::Failed)
    }

    /// Writes down what is needed to see the difference again.
    fn write_disagreement(&self, plan: &Plan<'_>, disagreement: &Disagreement) {
        let path = Path::new(DISAGREEMENT);
        let subject = self.report_subject(Duration::ZERO);
        let written = report::disagreement(&subject, plan, disagreement, env!("CARGO_PKG_VERSION"));
        match write_text(path, &layout::lines(&written)) {
            Ok(()) => Terminal::alarm(&format!("`{DISAGREEMENT}` has the states; please send it with the model")),
            Err(problem) => Terminal::alarm(&problem),
        }
    }

    /// The story of a violation, then what is wrong at its end.
    fn tell(&mut self, plan: &Plan<'_>, violation: &Violation) {
        let diagnostic = explain(plan.task(), &violation.breach, violation.trace.as_ref());
        self.violations.push(diagnostic.clone());
        let words = render(&diagnostic, &self.input.loaded.sources, Palette::Plain);
        self.sections.extend(violation.trace.as_ref().map(|trace| Section::execution(plan.task(), trace)));
        self.sections.push(Section::Words(words));
        if self.args.quiet {
            return;
        }
        let palette = self.terminal.palette();
        if let Some(trace) = violation.trace.as_ref().filter(|_| self.args.trace != TraceArg::Off) {
            let teller = Teller { task: plan.task(), style: self.args.trace.into(), palette };
            self.terminal.say(&teller.tell(trace));
        }
        self.terminal.say(&self.terminal.render(&diagnostic, &self.input.loaded.sources));
    }

    fn summary<'a>(&'a self, plan: &'a Plan<'a>, outcome: &'a Outcome, setup: Duration) -> Summary<'a> {
        let is_unchecked = |it: &&Diagnostic| it.code.0 == UNCHECKED_CLAIM;
        Summary {
            model: subject_name(self.args),
            sources: &self.input.loaded.sources,
            plan,
            outcome,
            setup,
            palette: self.terminal.palette(),
            n_unchecked: self.input.loaded.diagnostics.iter().filter(is_unchecked).count() as u64,
            statements: &self.input.loaded.statements,
        }
    }

    /// The verdict, or all of them if several properties are violated.
    fn verdicts(&self, summary: &Summary<'_>) -> Vec<String> {
        if self.found.is_empty() {
            return vec![summary.verdict()];
        }
        let n_found =
            self.found.len() as u64 + u64::from(matches!(summary.outcome.report.verdict, Verdict::Violated(_)));
        let heading = summary.palette.red("violated:");
        let properties = counted(n_found, "property", "properties");
        let mut lines = vec![format!("{heading} {properties} of {}", summary.model)];
        lines.extend(self.found.iter().map(|finding| format!("  {}", finding.line)));
        lines.push(match &summary.outcome.report.verdict {
            Verdict::Violated(violation) => {
                format!("  {}; what lies behind that was not looked at", summary.violation(violation))
            }
            Verdict::Holds(_) => "  everything else holds in every reachable state".to_owned(),
            Verdict::Unknown(shortfall) => format!("  nothing else so far, but {shortfall}"),
        });
        lines
    }

    fn summarise(&mut self, plan: &Plan<'_>, outcome: &Outcome, setup: Duration) {
        let summary = self.summary(plan, outcome, setup);
        let mut lines = self.verdicts(&summary);
        let said = self.verdicts(&Summary { palette: Palette::Plain, ..self.summary(plan, outcome, setup) });
        if !self.args.quiet {
            lines.extend(summary.details(self.args.verbose));
            lines.extend(summary.idle(self.args.verbose));
        }
        if self.args.verbose {
            lines.extend(summary.firings());
            lines.extend(reasoning::examples(plan.task(), &outcome.report));
        }
        self.terminal.say(&lines.join("\n"));
        self.sections.insert(0, Section::Words(said.join("\n")));
    }

    fn report_subject(&self, setup: Duration) -> report::Subject<'_> {
        report::Subject {
            model: &self.input.name,
            language: self.input.language,
            sources: &self.input.loaded.sources,
            diagnostics: &self.input.loaded.diagnostics,
            setup,
            options: options(self.args, self.input.language),
        }
    }

    /// Writes down a search that was cut short, so that it can go on. The old file stays until the new one is whole.
    fn save(&mut self, plan: &Plan<'_>, outcome: &Outcome, exit: Exit) -> Exit {
        let Some(path) = self.args.save.as_deref().filter(|_| exit == Exit::Inconclusive) else { return exit };
        let line = match &outcome.report.paused {
            None => format!("  {:<12} nothing: the search did not stop where it could go on", "saved"),
            Some(paused) => {
                let write = |file: &std::fs::File| plan.write_search(outcome, self.args.depth, &self.args.words, file);
                if let Err(problem) = write_over(path, write) {
                    Terminal::alarm(&problem);
                    return Exit::Failed;
                }
                let states = counted(paused.n_states(), "state", "states");
                format!("  {:<12} {} ({states}; `burnside resume` goes on from there)", "saved", path.display())
            }
        };
        if !self.args.quiet {
            self.terminal.say(&line);
        }
        exit
    }

    /// Writes down what proves the verdict, or says why there is nothing.
    fn write_certificate(&mut self, plan: &Plan<'_>, outcome: &Outcome, exit: Exit) -> Exit {
        let (Some(path), Some(language), Some(text)) = (&self.args.certificate, self.input.language, self.input.text)
        else {
            return exit;
        };
        let (options, version) = (&self.args.model.load_options(), env!("CARGO_PKG_VERSION"));
        let source = Source { name: &self.input.name, language, text, options, version };
        let line = match certify(plan, &outcome.report, source) {
            Err(why) => format!("  {:<12} none written: {why}", "certificate"),
            Ok(certificate) => {
                let file = write_certificate(&certificate);
                if let Err(problem) = write_bytes(path, &file) {
                    Terminal::alarm(&problem);
                    return Exit::Failed;
                }
                let states = counted(certificate.n_states() as u64, "state", "states");
                let size = bytes(file.len() as u64);
                format!("  {:<12} {} ({states}, {size}; `burnside audit` checks it)", "certificate", path.display())
            }
        };
        if !self.args.quiet {
            self.terminal.say(&line);
        }
        exit
    }

    /// Writes the counterexample, or says that there is none; one of an earlier run would be taken for an answer.
    fn write_trace(&mut self, trace: Option<&Value>, exit: Exit) -> Exit {
        match (&self.args.trace_file, trace) {
            (None, _) => exit,
            (Some(path), Some(trace)) => write_json(path, trace, exit),
            (Some(path), None) => {
                let cleared = match clear_trace(path) {
                    Ok(cleared) => cleared,
                    Err(problem) => {
                        Terminal::alarm(&problem);
                        return Exit::Failed;
                    }
                };
                let why = if exit == Exit::Violated { "no single execution shows it" } else { "nothing is violated" };
                if !self.args.quiet {
                    self.terminal.say(&format!("  {:<12} none written: {why}{cleared}", "trace"));
                }
                exit
            }
        }
    }

    fn write_report(&mut self, report: &Value, exit: Exit) -> Exit {
        let said: Vec<Diagnostic> = self.input.loaded.diagnostics.iter().chain(&self.violations).cloned().collect();
        let (sources, model) = (&self.input.loaded.sources, &self.input.name);
        if self.args.github {
            let annotations = annotate::github(&said, sources, model);
            self.terminal.write(&annotations);
        }
        let exit = match &self.args.sarif {
            Some(path) => write_json(path, &annotate::sarif(&said, sources, model), exit),
            None => exit,
        };
        let exit = match &self.args.html {
            Some(path) => self.write_page(path, exit),
            None => exit,
        };
        match &self.args.json {
            Some(path) => write_json(path, report, exit),
            None => exit,
        }
    }

    /// The page always stands for this run: one of an earlier run would be taken for an answer.
    fn write_page(&self, path: &Path, exit: Exit) -> Exit {
        let sources = &self.input.loaded.sources;
        let noted = self.input.loaded.diagnostics.iter().map(|it| Section::Words(render(it, sources, Palette::Plain)));
        let sections: Vec<Section> = self.sections.iter().cloned().chain(noted).collect();
        match write_text(path, &page(&subject_name(self.args), &sections)) {
            Ok(()) => exit,
            Err(problem) => {
                Terminal::alarm(&problem);
                Exit::Failed
            }
        }
    }
}

/// What was asked for, as the report tells it.
fn options(args: &CheckArgs, language: Option<Language>) -> Value {
    let ModelArgs { define, strict_undefined, .. } = &args.model;
    let deadlock = &args.model.deadlock_in(language);
    let loop_limit = args.model.step_limits(language).loop_rounds;
    let value = |it: &Definition| match (it.number(), &it.value) {
        (Some(number), _) => Value::from(number),
        (None, Some(text)) => Value::from(text.clone()),
        (None, None) => Value::from(1),
    };
    let overrides: serde_json::Map<String, Value> = define.iter().map(|it| (it.name.clone(), value(it))).collect();
    json!({
        "property": if let [only] = &args.property[..] { Value::from(only.as_str()) } else { Value::Null },
        "selection": args.property,
        "keep_going": args.keep_going,
        "witness": args.witness,
        "deadlock": word(deadlock),
        "overrides": overrides,
        "loop_limit": loop_limit,
        "strict_undefined": strict_undefined,
        "symmetry": args.symmetry.name(),
        "partial_order": word(&args.partial_order),
        "engine": word(&args.engine),
        "interpolant": word(&args.interpolant),
        "search": word(&args.search),
        "store": word(&args.store),
        "threads": args.threads,
        "native": !args.no_jit,
        "audit": word(&args.audit),
        "fairness": word(&args.model.fairness),
        "fair_unit": word(&args.model.fair_unit),
        "time_seconds": args.time.map(|time| time.as_secs_f64()),
        "memory_bytes": args.memory,
        "states": args.states,
        "depth": args.depth,
    })
}

/// A warning that a verdict says little because nothing was there to be checked.
fn emptiness(plan: &Plan<'_>, outcome: &Outcome) -> Option<Diagnostic> {
    let task = plan.task();
    if !matches!(outcome.report.verdict, Verdict::Holds(_)) {
        return None;
    }
    if outcome.report.counts.states == 0 {
        let message = "no state is reachable, so nothing was checked";
        let help = "an assumption cuts off every start state: weaken it, or look at the start states with `simulate`";
        return Some(Diagnostic::warning(Code("nothing-reachable"), message, Span::NOWHERE).help(help));
    }
    if !claims_anything(task) {
        let message = "nothing is claimed: only faults and assertions could have been found";
        let help = "add an `invariant`, or look for deadlocks";
        return Some(Diagnostic::warning(Code("nothing-claimed"), message, Span::NOWHERE).help(help));
    }
    None
}

/// An option's value as it is written on the command line.
fn word(value: &impl ValueEnum) -> String {
    value.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}
