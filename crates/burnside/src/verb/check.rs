//! `burnside check`.

use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use burnside_adaptive::Families;
use burnside_diag::{Code, Diagnostic, render};
use burnside_driver::{
    Bug, BugKind, Outcome, Plan, Prepared, Settings, Source, Strategy, certify, memory_budget, write_certificate,
};
use burnside_engine::{Budget, Disagreement, Monitor, Verdict, Violation};
use clap::ValueEnum;
use serde_json::{Value, json};

use crate::args::{CERTIFICATE_STATES, CheckArgs, ColorWhen, Definition, ModelArgs, SearchArg, TraceArg};
use crate::exit::Exit;
use crate::input::{Input, clear_certificate, nowhere, read_model_for, write_bytes, write_text};
use crate::progress::{Waited, Watch};
use crate::quantity::{bytes, counted};
use crate::report::{self, Findings};
use crate::tell::{
    Named, Summary, Teller, claims_anything, explain, invalid_line, name, reasoning, state_size, temporal_notes,
};
use crate::terminal::Terminal;
use crate::verb::symmetry::Checks;
use crate::{interrupt, itf, layout};

/// What front ends call claims that they leave out.
const UNCHECKED_CLAIM: &str = "unchecked-claim";

pub(crate) fn run(args: &CheckArgs, color: ColorWhen, started: Instant) -> Exit {
    let report_on_stdout = args.json.as_deref().is_some_and(|path| path == Path::new("-"));
    let terminal = if report_on_stdout { Terminal::beside_report(color) } else { Terminal::new(color) };
    let mut input = read_model_for(&args.model, args.property.as_deref());
    let prepared = input.loaded.prepared.take();
    let mut check = Check { args, input, terminal, started };
    check.show_diagnostics();
    if let Some(path) = &args.certificate
        && let Err(problem) = clear_certificate(path)
    {
        check.complain(Diagnostic::error(Code("bad-certificate"), problem, nowhere()).help("name another file"));
        return check.give_up();
    }
    match prepared {
        Some(prepared) => check.search(&prepared),
        None => check.give_up(),
    }
}

/// The file that a failed audit leaves in the working directory.
const DISAGREEMENT: &str = "burnside-disagreement.json";

struct Check<'a> {
    args: &'a CheckArgs,
    input: Input,
    terminal: Terminal,
    started: Instant,
}

impl Check<'_> {
    fn show_diagnostics(&self) {
        let shown = |diagnostic: &&Diagnostic| diagnostic.is_error() || !self.args.quiet;
        for diagnostic in self.input.loaded.diagnostics.iter().filter(shown) {
            self.terminal.complain(diagnostic, &self.input.loaded.sources);
        }
    }

    /// Adds a diagnostic and shows it.
    fn complain(&mut self, diagnostic: Diagnostic) {
        if diagnostic.is_error() || !self.args.quiet {
            self.terminal.complain(&diagnostic, &self.input.loaded.sources);
        }
        self.input.loaded.diagnostics.push(diagnostic);
    }

    fn search(&mut self, prepared: &Prepared) -> Exit {
        let plan = match Plan::new(prepared, &self.settings()) {
            Ok(plan) => plan,
            Err(diagnostic) => {
                self.complain(*diagnostic);
                return self.give_up();
            }
        };
        if self.args.threads.get() > 1 && self.args.search == SearchArg::Dfs {
            let message = format!("depth-first search uses one thread, not {}", self.args.threads);
            self.complain(Diagnostic::note(Code("single-threaded"), message, nowhere()));
        }
        if let Strategy::Reduce(strategy) = plan.planned().strategy
            && self.args.threads.get() > 1
            && strategy.has_memory()
        {
            let message = format!("symmetry {} uses one thread, not {}", strategy.name(), self.args.threads);
            self.complain(Diagnostic::note(Code("single-threaded"), message, nowhere()));
        }
        for note in plan.notes() {
            self.complain(note.clone());
        }
        if self.args.verbose {
            self.explain_choice(&plan);
        }
        if self.args.check_certificate {
            let limits = (self.args.model.step_limits(self.input.language), CERTIFICATE_STATES);
            let is_near = matches!(plan.planned().strategy, Strategy::Adaptive | Strategy::Cells);
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
        let setup = self.started.elapsed();
        let monitor = Arc::new(Monitor::new(self.budget()));
        let interrupted = interrupt::cancels(&monitor);
        let watch = Watch { monitor: &monitor, interrupted: &interrupted, progress: !self.args.quiet };
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
                    let outcome = Outcome::abandoned(&monitor, shortfall, begun.elapsed());
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
            symmetry: self.args.symmetry.into(),
            orbits: self.args.orbits,
            order: self.args.search.into(),
            deadlock: self.args.model.deadlock_in(self.input.language).into(),
            step_limits: self.args.model.step_limits(self.input.language),
            only: self.args.property.clone(),
            threads: self.args.threads,
            store: self.args.store.into(),
            native: !self.args.no_jit,
            certificate: self.args.certificate.is_some(),
            audit: self.args.audit.into(),
            fairness: self.args.model.fairness(),
        }
    }

    /// What was asked for, as the report tells it.
    fn options(&self) -> Value {
        let ModelArgs { define, strict_undefined, .. } = &self.args.model;
        let deadlock = &self.args.model.deadlock_in(self.input.language);
        let loop_limit = self.args.model.step_limits(self.input.language).loop_rounds;
        let value = |it: &Definition| match (it.number(), &it.value) {
            (Some(number), _) => Value::from(number),
            (None, Some(text)) => Value::from(text.clone()),
            (None, None) => Value::from(1),
        };
        let overrides: serde_json::Map<String, Value> = define.iter().map(|it| (it.name.clone(), value(it))).collect();
        json!({
            "property": self.args.property,
            "deadlock": word(deadlock),
            "overrides": overrides,
            "loop_limit": loop_limit,
            "strict_undefined": strict_undefined,
            "symmetry": word(&self.args.symmetry),
            "engine": word(&self.args.engine),
            "interpolant": word(&self.args.interpolant),
            "search": word(&self.args.search),
            "store": word(&self.args.store),
            "threads": self.args.threads,
            "native": !self.args.no_jit,
            "audit": word(&self.args.audit),
            "fairness": word(&self.args.model.fairness),
            "fair_unit": word(&self.args.model.fair_unit),
            "time_seconds": self.args.time.map(|time| time.as_secs_f64()),
            "memory_bytes": self.args.memory,
            "states": self.args.states,
            "depth": self.args.depth,
        })
    }

    fn budget(&self) -> Budget {
        Budget {
            deadline: self.args.time.and_then(|time| Instant::now().checked_add(time)),
            states: self.args.states,
            bytes: self.args.memory.or_else(memory_budget),
            depth: self.args.depth,
        }
    }

    fn explain_choice(&mut self, plan: &Plan<'_>) {
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
        let report = report::invalid(&self.report_subject(self.started.elapsed()));
        self.write_report(&report, Exit::Invalid)
    }

    fn conclude(&mut self, plan: &Plan<'_>, outcome: &Outcome, setup: Duration) -> Exit {
        let (exit, violation) = match &outcome.report.verdict {
            Verdict::Holds(_) => (Exit::Holds, None),
            Verdict::Violated(violation) => (Exit::Violated, Some(&**violation)),
            Verdict::Unknown(_) => (Exit::Inconclusive, None),
        };
        let named = violation.map(|violation| name(plan.task(), &violation.breach));
        if let Some(violation) = violation {
            self.tell(plan, violation);
        }
        for claim in &outcome.report.claims {
            for note in temporal_notes(plan.task(), claim) {
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
        let exit = self.write_trace(trace.as_ref(), exit);
        let exit = self.write_certificate(plan, outcome, exit);
        let findings = Findings { plan, outcome, property: named.as_ref(), trace, bug: None };
        let report = report::searched(&self.report_subject(setup), findings);
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
        if self.args.quiet {
            return;
        }
        let palette = self.terminal.palette();
        if let Some(trace) = violation.trace.as_ref().filter(|_| self.args.trace != TraceArg::Off) {
            let teller = Teller { task: plan.task(), style: self.args.trace, palette };
            self.terminal.say(&teller.tell(trace));
        }
        let diagnostic = explain(plan.task(), &violation.breach, violation.trace.as_ref());
        self.terminal.say(&render(&diagnostic, &self.input.loaded.sources, palette));
    }

    fn summarise(&mut self, plan: &Plan<'_>, outcome: &Outcome, setup: Duration) {
        let (model, sources) = (&self.input.name, &self.input.loaded.sources);
        let palette = self.terminal.palette();
        let is_unchecked = |it: &&Diagnostic| it.code.0 == UNCHECKED_CLAIM;
        let n_unchecked = self.input.loaded.diagnostics.iter().filter(is_unchecked).count() as u64;
        let statements = &self.input.loaded.statements;
        let summary = Summary { model, sources, plan, outcome, setup, palette, n_unchecked, statements };
        let mut lines = vec![summary.verdict()];
        if !self.args.quiet {
            lines.extend(summary.details(self.args.verbose));
            lines.extend(summary.idle(self.args.verbose));
        }
        if self.args.verbose {
            lines.extend(summary.firings());
            lines.extend(reasoning::examples(plan.task(), &outcome.report));
        }
        self.terminal.say(&lines.join("\n"));
    }

    fn report_subject(&self, setup: Duration) -> report::Subject<'_> {
        report::Subject {
            model: &self.input.name,
            language: self.input.language,
            sources: &self.input.loaded.sources,
            diagnostics: &self.input.loaded.diagnostics,
            setup,
            options: self.options(),
        }
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

    fn write_trace(&self, trace: Option<&Value>, exit: Exit) -> Exit {
        match (&self.args.trace_file, trace) {
            (Some(path), Some(trace)) => write_json(path, trace, exit),
            _ => exit,
        }
    }

    fn write_report(&self, report: &Value, exit: Exit) -> Exit {
        match &self.args.json {
            Some(path) => write_json(path, report, exit),
            None => exit,
        }
    }
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
        return Some(Diagnostic::warning(Code("nothing-reachable"), message, nowhere()).help(help));
    }
    if !claims_anything(task) {
        let message = "nothing is claimed: only faults and assertions could have been found";
        let help = "add an `invariant`, or look for deadlocks";
        return Some(Diagnostic::warning(Code("nothing-claimed"), message, nowhere()).help(help));
    }
    None
}

/// An option's value as it is written on the command line.
fn word(value: &impl ValueEnum) -> String {
    value.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

/// Writes a JSON file; the exit code stands unless that fails.
pub(super) fn write_json(path: &Path, json: &Value, exit: Exit) -> Exit {
    match write_text(path, &layout::lines(json)) {
        Ok(()) => exit,
        Err(problem) => {
            Terminal::alarm(&problem);
            Exit::Failed
        }
    }
}
