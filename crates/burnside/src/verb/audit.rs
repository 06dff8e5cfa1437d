//! `burnside audit`.

use std::time::{Duration, Instant};

use burnside_audit::{Account, Certificate, Claim, Deadlock, Finding, Outcome, Part, Rejection, Scope, Unusable, Way};
use burnside_diag::{Code, Diagnostic, SourceMap, Span, render};
use burnside_driver::Prepared;
use burnside_engine::{Step, Task, Trace};
use burnside_ir::{Model, PropertyId};
use serde_json::{Value, json};

use crate::args::{
    AuditArgs, ColorWhen, DeadlockArg, Definition, FairUnitArg, FairnessArg, LanguageArg, ModelArgs, TraceArg,
};
use crate::exit::Exit;
use crate::input::{Input, read_bytes, read_model};
use crate::interrupt;
use crate::output::{self, is_stdout, write_json};
use crate::terminal::Terminal;
use burnside_view::quantity::{count, counted, large, seconds};
use burnside_view::report::place;
use burnside_view::tell::{Instance, Teller, invalid_line};

const BAD_CERTIFICATE: Code = Code("bad-certificate");
const REJECTED: Code = Code("certificate-rejected");
const SCHEMA: &str = "burnside.audit/1";

pub(crate) fn run(args: &AuditArgs, color: ColorWhen) -> Exit {
    let begun = Instant::now();
    if let Err(exit) = output::admit(&[("--json", args.json.as_deref())], &[&args.certificate, &args.model]) {
        return exit;
    }
    let report_on_stdout = args.json.as_deref().is_some_and(is_stdout);
    let terminal = if report_on_stdout { Terminal::beside_report(color) } else { Terminal::new(color) };
    let mut auditor = Auditor { args, terminal, begun };
    let read = read_bytes(&args.certificate, "the certificate")
        .and_then(|bytes| Certificate::from_bytes(&bytes).map_err(|unusable| Box::new(auditor.unusable(&unusable))));
    match read {
        Ok(certificate) => auditor.audit(&certificate),
        Err(diagnostic) => auditor.refuse(&diagnostic),
    }
}

struct Auditor<'a> {
    args: &'a AuditArgs,
    terminal: Terminal,
    begun: Instant,
}

impl Auditor<'_> {
    fn unusable(&self, unusable: &Unusable) -> Diagnostic {
        let message = format!("`{}` cannot be audited: {unusable}", self.args.certificate.display());
        Diagnostic::error(BAD_CERTIFICATE, message, Span::NOWHERE)
    }

    fn refuse(&mut self, diagnostic: &Diagnostic) -> Exit {
        self.terminal.complain(diagnostic, &SourceMap::default());
        self.write_report("invalid", json!({ "problem": diagnostic.message }), Exit::Invalid)
    }

    fn audit(&mut self, certificate: &Certificate) -> Exit {
        let mut input = read_model(&self.as_claimed(&certificate.claim));
        for diagnostic in input.loaded.diagnostics.iter().filter(|it| it.is_error()) {
            self.terminal.complain(diagnostic, &input.loaded.sources);
        }
        if input.text.is_some_and(|text| text != certificate.claim.text) {
            let name = &certificate.claim.model;
            let message = format!("it is about another text, `{name}` as it was when `check` read it");
            let diagnostic = self.unusable(&Unusable(message));
            return self.refuse(&diagnostic.help("run `check --certificate` again"));
        }
        let Some(prepared) = input.loaded.prepared.take() else {
            let n_errors = input.loaded.diagnostics.iter().filter(|it| it.is_error()).count();
            self.terminal.say(&invalid_line(&input.name, n_errors, self.terminal.palette()));
            return self.write_report("invalid", json!({ "problem": "the model is invalid" }), Exit::Invalid);
        };
        let deadline = self.args.time.and_then(|time| self.begun.checked_add(time));
        let interrupted = interrupt::noted();
        let is_over = || interrupted() || deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let scope = Scope { images: self.args.images, is_over: &is_over };
        match burnside_audit::audit(&prepared.model, &prepared.layout, certificate, scope) {
            Err(unusable) => {
                let diagnostic = self.unusable(&unusable);
                self.refuse(&diagnostic)
            }
            Ok(Outcome::Accepted(account)) => self.accept(certificate, &input, &account),
            Ok(Outcome::Unfinished(account)) => self.leave_open(certificate, &account, interrupted()),
            Ok(Outcome::Rejected(rejection, account)) => {
                self.reject((certificate, &account), (&input, &prepared), &rejection)
            }
        }
    }

    /// The model, to be read as the certificate says.
    fn as_claimed(&self, claim: &Claim) -> ModelArgs {
        ModelArgs {
            model: self.args.model.clone(),
            language: match claim.language.as_str() {
                "murphi" => LanguageArg::Murphi,
                "promela" => LanguageArg::Promela,
                "ir" => LanguageArg::Ir,
                _ => LanguageArg::Auto,
            },
            define: claim
                .overrides
                .iter()
                .map(|(name, value)| Definition { name: name.clone(), value: Some(value.to_string()) })
                .collect(),
            include: Vec::new(),
            deadlock: Some(deadlock_arg(claim.deadlock)),
            loop_limit: Some(claim.limits.loop_rounds),
            strict_undefined: claim.strict_undefined,
            ltl: Vec::new(),
            ctl: Vec::new(),
            properties: Vec::new(),
            claims: false,
            acceptance: false,
            nonprogress: false,
            ignore_assertions: false,
            slim: false,
            promises: false,
            fairness: FairnessArg::None,
            fair_unit: FairUnitArg::Process,
        }
    }

    fn accept(&mut self, certificate: &Certificate, input: &Input, account: &Account) -> Exit {
        let heading = self.terminal.palette().green("accepted:");
        let what = match &certificate.claim.property {
            Some(name) => format!("property \"{name}\" of {} holds", input.name),
            None => format!("every property of {} holds", input.name),
        };
        self.terminal.say(&format!("{heading} {what} in every reachable state"));
        if !self.args.quiet {
            for line in details(certificate, account, self.begun.elapsed()) {
                self.terminal.say(&line);
            }
        }
        self.write_report("accepted", facts(certificate, account, Value::Null), Exit::Holds)
    }

    fn leave_open(&mut self, certificate: &Certificate, account: &Account, was_interrupted: bool) -> Exit {
        let why = if was_interrupted { "the audit was interrupted" } else { "the time limit was reached" };
        let heading = self.terminal.palette().yellow("inconclusive:");
        let states = counted(account.states, "state", "states");
        self.terminal.say(&format!("{heading} nothing wrong in {states} so far, but {why}"));
        let mut report = facts(certificate, account, Value::Null);
        report["problem"] = why.into();
        self.write_report("inconclusive", report, Exit::Inconclusive)
    }

    fn reject(
        &mut self,
        (certificate, account): (&Certificate, &Account),
        (input, prepared): (&Input, &Prepared),
        rejection: &Rejection,
    ) -> Exit {
        let task = Task::new(&prepared.model, &prepared.layout);
        let palette = self.terminal.palette();
        let teller = Teller { task: &task, style: self.args.trace.into(), palette };
        if !self.args.quiet && self.args.trace != TraceArg::Off {
            match (trace(&task, rejection), &rejection.state) {
                (Some(trace), _) => self.terminal.say(&teller.tell(&trace)),
                (None, Some(state)) => {
                    self.terminal.say(&format!("In the state\n{}", teller.shown(&packed(&task, state))));
                }
                (None, None) => {}
            }
            if let Finding::Asymmetric { image, generator, .. } = &rejection.finding {
                let cycles = cycles(&prepared.model, certificate, *generator);
                self.terminal.say(&format!("and in its image under {cycles}\n{}", teller.shown(&packed(&task, image))));
            }
        }
        let (message, span) = words(&prepared.model, certificate, &rejection.finding);
        let diagnostic = Diagnostic::error(REJECTED, message.clone(), span);
        self.terminal.say(&render(&diagnostic, &input.loaded.sources, palette));
        let name = self.args.certificate.display();
        self.terminal.say(&format!("{} {name} does not prove what it claims", palette.red("rejected:")));
        let (line, column) = place(span, &input.loaded.sources);
        let told = json!({ "message": message, "line": line, "column": column });
        self.write_report("rejected", facts(certificate, account, told), Exit::Violated)
    }

    fn write_report(&self, verdict: &str, mut report: Value, exit: Exit) -> Exit {
        let Some(path) = &self.args.json else { return exit };
        let seconds = (self.begun.elapsed().as_secs_f64() * 1e6).round() / 1e6;
        let head = json!({
            "schema": SCHEMA, "certificate": self.args.certificate.display().to_string(),
            "model": self.args.model.display().to_string(), "verdict": verdict, "problem": Value::Null,
        });
        let mut whole = head;
        for (key, value) in report.as_object_mut().into_iter().flatten() {
            whole[key] = value.take();
        }
        whole["seconds"] = seconds.into();
        write_json(path, &whole, exit)
    }
}

fn deadlock_arg(mode: Deadlock) -> DeadlockArg {
    match mode {
        Deadlock::Off => DeadlockArg::Off,
        Deadlock::Stuck => DeadlockArg::Stuck,
        Deadlock::Stuttering => DeadlockArg::Stuttering,
    }
}

/// What is believed without a look.
fn granted(certificate: &Certificate, account: &Account) -> Vec<&'static str> {
    let mut granted = vec!["that the front end reads the model as it is meant", "that the interpreter runs it so"];
    if !certificate.generators.is_empty() && !account.all_images {
        granted.push("that the generators take steps to steps also in images that were not looked at");
    }
    granted
}

fn details(certificate: &Certificate, account: &Account, elapsed: Duration) -> Vec<String> {
    let claim = &certificate.claim;
    let mut options = vec![match &claim.property {
        Some(_) => "one property".to_owned(),
        None => format!("all properties, deadlock {}", claim.deadlock.name()),
    }];
    options.extend(claim.overrides.iter().map(|(name, value)| format!("{name}={value}")));
    options.extend(claim.strict_undefined.then(|| "strict undefined".to_owned()));
    options.push(format!("loop limit {}", claim.limits.loop_rounds));
    let superfluous = match account.superfluous {
        0 => String::new(),
        more => format!(", and {} listed that the proof does not need", count(more)),
    };
    let images = counted(account.images, "image", "images");
    let symmetry = match (&certificate.generators[..], account.all_images) {
        ([], _) => "none used".to_owned(),
        (list, true) => {
            let generators = counted(list.len() as u64, "generator", "generators");
            format!("{generators} of a group of order {}, tried in every image: {images}", large(&account.group_order))
        }
        (list, false) => {
            let generators = counted(list.len() as u64, "generator", "generators");
            format!(
                "{generators} of a group of order {}, tried in every state and {images}",
                large(&account.group_order)
            )
        }
    };
    let row = |label: &str, text: &str| format!("  {label:<12} {text}");
    vec![
        row("claim", &format!("{} (burnside {})", options.join(", "), claim.version)),
        row("states", &format!("{}{superfluous}; every property holds in each", count(account.states))),
        row("steps", &format!("{}, each to a listed state or an image of one", count(account.steps))),
        row("symmetry", &symmetry),
        row("granted", &granted(certificate, account).join("; ")),
        row("time", &seconds(elapsed)),
    ]
}

fn facts(certificate: &Certificate, account: &Account, rejection: Value) -> Value {
    let claim = &certificate.claim;
    let reasons = certificate.generators.iter().map(|it| json!({ "images": it.images, "reason": it.reason }));
    json!({
        "claim": {
            "version": claim.version,
            "overrides": claim.overrides.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>(),
            "strict_undefined": claim.strict_undefined,
            "deadlock": claim.deadlock.name(),
            "loop_limit": claim.limits.loop_rounds,
            "property": claim.property,
        },
        "states": account.states,
        "superfluous": account.superfluous,
        "steps": account.steps,
        "generators": reasons.collect::<Vec<_>>(),
        "group_order": account.group_order,
        "images": account.images,
        "all_images": account.all_images,
        "granted": granted(certificate, account),
        "rejection": rejection,
    })
}

fn packed(task: &Task<'_>, values: &[i64]) -> Box<[u64]> {
    let mut words = vec![0; task.layout.n_words()];
    task.layout.pack(values, &mut words);
    words.into()
}

/// The execution that shows what is wrong, with the step that goes wrong if that leads to a state.
fn trace(task: &Task<'_>, rejection: &Rejection) -> Option<Trace> {
    if let Finding::StartUnlisted(start, args, state) = &rejection.finding {
        let first = Some(packed(task, state));
        return Some(Trace { start: *start, start_args: args.clone(), first, steps: Vec::new(), loop_start: None });
    }
    let Way { start, first, steps } = rejection.way.as_ref()?;
    let mut steps: Vec<_> = steps.iter().map(|(rule, args, to)| (*rule, args.clone(), to)).collect();
    if let Finding::StepUnlisted(rule, args, state) = &rejection.finding {
        steps.push((*rule, args.clone(), state));
    }
    let steps = steps.into_iter().map(|(rule, args, to)| Step { rule, args, end: Ok(packed(task, to)) });
    let (start, start_args) = start.clone();
    Some(Trace { start, start_args, first: Some(packed(task, first)), steps: steps.collect(), loop_start: None })
}

/// What is wrong, and where in the text.
fn words(model: &Model, certificate: &Certificate, finding: &Finding) -> (String, Span) {
    let named = |property: PropertyId, args: &[i64]| {
        let instance = Instance::property(model, property, args);
        (format!("{}{}", instance.title(), instance.with_parameters()), model.property(property).span)
    };
    let unlisted = "leads to a state that is not an image of a listed one";
    match finding {
        Finding::StartFault(start, args, fault) => {
            let instance = Instance::start(model, *start, args);
            (format!("{}{} faults: {fault}", instance.title(), instance.with_parameters()), fault.span)
        }
        Finding::StartUnlisted(start, args, _) => {
            let instance = Instance::start(model, *start, args);
            (format!("{}{} {unlisted}", instance.title(), instance.with_parameters()), model.start(*start).span)
        }
        Finding::StepFault(rule, args, fault) => {
            let instance = Instance::rule(model, *rule, args);
            (
                format!("{}{} faults in the last state: {fault}", instance.title(), instance.with_parameters()),
                fault.span,
            )
        }
        Finding::StepUnlisted(rule, args, _) => {
            let instance = Instance::rule(model, *rule, args);
            (format!("{}{} {unlisted}", instance.title(), instance.with_parameters()), model.rule(*rule).span)
        }
        Finding::Broken(property, args) => {
            let (name, span) = named(*property, args);
            (format!("{name} is false in the last state"), span)
        }
        Finding::PropertyFault(property, fault) => {
            (format!("{} faults in the last state: {fault}", named(*property, &[]).0), fault.span)
        }
        Finding::Deadlock => ("the last state is a deadlock".to_owned(), Span::NOWHERE),
        Finding::Uncovered(property) => {
            let (name, span) = named(*property, &[]);
            (format!("{name} is reached in no listed state that steps lead to"), span)
        }
        Finding::Liveness(property, args) => {
            let (name, span) = named(*property, args);
            (format!("{name} can never be reached again from the last state"), span)
        }
        Finding::LivenessOfOne(property) => {
            let (name, span) = named(*property, &[]);
            (format!("{name} is about single identities, which the generators exchange"), span)
        }
        Finding::Asymmetric { generator, part, .. } => {
            let cycles = cycles(model, certificate, *generator);
            let (what, span) = match part {
                Part::Rule(rule) => {
                    let name = Instance::rule(model, *rule, &[]).title();
                    (format!("{name} has other steps in the image"), model.rule(*rule).span)
                }
                Part::Property(property) => {
                    let (name, span) = named(*property, &[]);
                    (format!("{name} has another value in the image"), span)
                }
                Part::Covers => ("other cover points are reached in the image".to_owned(), Span::NOWHERE),
            };
            (format!("generator {}, {cycles}, is not an automorphism: {what}", generator + 1), span)
        }
    }
}

/// A generator as cycles of names.
fn cycles(model: &Model, certificate: &Certificate, generator: usize) -> String {
    let mut names = Vec::new();
    for class in &certificate.classes {
        let ty = class.types[0];
        let lo = model.types.shape(ty).lo;
        names.extend((0..i64::from(class.size)).map(|number| match class.types.len() {
            1 => model.types.value_name(ty, lo + number),
            _ => format!("{} {}", class.name, number + 1),
        }));
    }
    let images = &certificate.generators[generator].images;
    let mut done = vec![false; images.len()];
    let mut text = String::new();
    for first in 0..images.len() {
        let mut cycle = Vec::new();
        let mut point = first;
        while !std::mem::replace(&mut done[point], true) {
            cycle.push(names[point].as_str());
            point = images[point] as usize;
        }
        if cycle.len() > 1 {
            text += &format!("({})", cycle.join(" "));
        }
    }
    if text.is_empty() { "()".to_owned() } else { text }
}
