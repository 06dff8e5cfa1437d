//! `burnside symmetry`.

use std::path::Path;

use burnside_diag::{Code, Diagnostic, SourceMap, Span, render};
use burnside_driver::{Language, Prepared};
use burnside_interp::Limits;
use burnside_ir::{Model, Type};
use burnside_symmetry::{
    Argument, Certificate, Class, Ground, Part, Rechecked, Refuted, SymmetricClass, Symmetry, recheck,
};
use serde_json::{Value, json};

use crate::args::{ColorWhen, SymmetryArgs};
use crate::exit::Exit;
use crate::input::{Input, read_model};
use crate::quantity::counted;
use crate::report;
use crate::tell::invalid_line;
use crate::terminal::Terminal;
use crate::verb::check::write_json;

const SCHEMA: &str = "burnside.symmetry/1";

pub(crate) fn run(args: &SymmetryArgs, color: ColorWhen) -> Exit {
    let report_on_stdout = args.json.as_deref().is_some_and(|path| path == Path::new("-"));
    let terminal = if report_on_stdout { Terminal::beside_report(color) } else { Terminal::new(color) };
    let mut input = read_model(&args.model);
    for diagnostic in input.loaded.diagnostics.iter().filter(|it| it.is_error()) {
        terminal.complain(diagnostic, &input.loaded.sources);
    }
    let mut terminal = terminal;
    let Some(prepared) = input.loaded.prepared.take() else {
        let n_errors = input.loaded.diagnostics.iter().filter(|it| Diagnostic::is_error(it)).count();
        terminal.say(&invalid_line(&input.name, n_errors, terminal.palette()));
        return Exit::Invalid;
    };
    Findings::new(args, &input, &prepared).tell(args, &mut terminal)
}

struct Findings<'a> {
    input: &'a Input,
    model: &'a Model,
    symmetry: Symmetry,
    certificates: Vec<Certificate>,
    checked: Option<Result<Rechecked, Box<Refuted>>>,
}

impl<'a> Findings<'a> {
    fn new(args: &SymmetryArgs, input: &'a Input, prepared: &'a Prepared) -> Self {
        let model = &prepared.model;
        let symmetry = Symmetry::find(model);
        let certificates = symmetry.classes.iter().map(|class| Certificate::new(model, class)).collect();
        let checked =
            args.check_certificate.then(|| second_look(prepared, &symmetry, args.model.step_limits(), args.states));
        Self { input, model, symmetry, certificates, checked }
    }

    fn sources(&self) -> &SourceMap {
        &self.input.loaded.sources
    }

    fn tell(&self, args: &SymmetryArgs, terminal: &mut Terminal) -> Exit {
        for (class, certificate) in self.symmetry.classes.iter().zip(&self.certificates) {
            terminal.say(&self.proved(class, certificate));
        }
        let palette = terminal.palette();
        for class in &self.symmetry.broken {
            for diagnostic in self.told_apart(class, args.verbose) {
                terminal.say(&render(&diagnostic, self.sources(), palette));
            }
        }
        terminal.say(&match self.symmetry.classes.len() {
            0 => format!("no interchangeable values in {}", self.input.name),
            n => format!(
                "{} of interchangeable values in {}, group of order {}",
                counted(n as u64, "set", "sets"),
                self.input.name,
                self.symmetry.group_order()
            ),
        });
        let exit = match &self.checked {
            None => Exit::Holds,
            Some(Ok(checked)) => {
                terminal.say(&confirmation(checked));
                if checked.complete { Exit::Holds } else { Exit::Inconclusive }
            }
            Some(Err(refuted)) => {
                Terminal::alarm(&refutation(self.model, refuted));
                Exit::Failed
            }
        };
        match &args.json {
            Some(path) => write_json(path, &self.json(), exit),
            None => exit,
        }
    }

    /// The set, its group and why.
    fn proved(&self, class: &SymmetricClass, certificate: &Certificate) -> String {
        let how = if self.is_declared(class) { "declared" } else { "found" };
        let order = Symmetry { classes: vec![class.clone()], ..Symmetry::default() }.group_order();
        let parts = |ground| parts_with(certificate, ground);
        let mut lines = vec![
            format!("`{}`: {} interchangeable values, {how}", class.name, class.size),
            format!("  members      {}", self.members(class).join(", ")),
            format!("  group        all permutations, order {order}"),
        ];
        lines.extend(parts(Ground::Types).map(|parts| format!("  by types     {parts}: nothing tells members apart")));
        lines.extend(parts(Ground::Absent).map(|parts| format!("  unconcerned  {parts}")));
        for (span, arguments) in certificate.loops.iter().filter(|it| it.1 != [Argument::ReadsOnly]) {
            let at = self.sources().locate(*span);
            lines.push(format!("  any order    {at}: its rounds {}", words(arguments).join(", ")));
        }
        lines.join("\n") + "\n"
    }

    fn members(&self, class: &SymmetricClass) -> Vec<String> {
        let types = &self.model.types;
        let named = class.types.iter().find(|&&ty| types.def(ty).name.is_some());
        let ty = *named.unwrap_or(&class.types[0]);
        let shape = types.shape(ty);
        (shape.lo..=shape.hi).map(|value| types.value_name(ty, value)).collect()
    }

    fn is_declared(&self, class: &SymmetricClass) -> bool {
        class.types.iter().any(|&ty| matches!(self.model.types.get(ty), Type::Id(_)))
    }

    /// What tells the members of a class apart: the first place, or all of them.
    fn told_apart(&self, class: &Class, all: bool) -> Vec<Diagnostic> {
        let name = class.name(self.model);
        let n_shown = if all { class.breaks.len() } else { 1 };
        let n_more = class.breaks.len() - n_shown;
        let shown = class.breaks.iter().take(n_shown).map(|found| {
            let message = format!("the {} values of `{name}` are told apart: the model {}", class.size, found.reason);
            let diagnostic = Diagnostic::note(Code("told-apart"), message, found.span);
            match n_more {
                0 => diagnostic,
                1 => diagnostic.help("there is one more such place; `-v` shows it"),
                _ => diagnostic.help(format!("there are {n_more} more such places; `-v` shows them")),
            }
        });
        shown.collect()
    }

    fn json(&self) -> Value {
        let sorts = self.symmetry.classes.iter().zip(&self.certificates).map(|(class, certificate)| {
            let parts = certificate.obligations.iter().map(|it| self.obligation(it.part, it.ground));
            let loops = certificate.loops.iter().map(|(span, arguments)| {
                let (line, column) = report::place(*span, self.sources());
                json!({ "line": line, "column": column, "by": words(arguments) })
            });
            json!({
                "name": class.name, "kind": "full", "size": class.size, "declared": self.is_declared(class),
                "members": self.members(class),
                "certificate": { "parts": parts.collect::<Vec<_>>(), "loops": loops.collect::<Vec<_>>() },
            })
        });
        let checked = self.checked.as_ref().map(|checked| match checked {
            Ok(it) => {
                json!({ "confirmed": true, "states": it.states, "exchanges": it.exchanges, "complete": it.complete })
            }
            Err(refuted) => json!({ "confirmed": false, "reason": refutation(self.model, refuted) }),
        });
        json!({
            "schema": SCHEMA,
            "model": self.input.name,
            "language": self.input.language.map(Language::name),
            "group_order": self.symmetry.group_order(),
            "sorts": sorts.collect::<Vec<_>>(),
            "broken_by": report::broken(&self.symmetry, self.model, self.sources()),
            "checked": checked,
        })
    }

    fn obligation(&self, part: Part, ground: Ground) -> Value {
        let (kind, name, span) = name_of(self.model, part);
        let (line, column) = report::place(span, self.sources());
        json!({ "kind": kind, "name": name, "line": line, "column": column, "by": ground.words() })
    }
}

/// How many rules and properties stand on a ground.
fn parts_with(certificate: &Certificate, ground: Ground) -> Option<String> {
    let parts = || certificate.obligations.iter().filter(|it| it.ground == ground).map(|it| it.part);
    let n_rules = parts().filter(|part| matches!(part, Part::Rule(_))).count() as u64;
    let n_properties = parts().filter(|part| matches!(part, Part::Property(_))).count() as u64;
    let (rules, properties) = (counted(n_rules, "rule", "rules"), counted(n_properties, "property", "properties"));
    match (n_rules, n_properties) {
        (0, 0) => None,
        (_, 0) => Some(rules),
        (0, _) => Some(properties),
        _ => Some(format!("{rules} and {properties}")),
    }
}

/// Tries proved symmetry on states, without looking at the proof.
pub(super) fn second_look(
    prepared: &Prepared,
    symmetry: &Symmetry,
    limits: Limits,
    most_states: usize,
) -> Result<Rechecked, Box<Refuted>> {
    recheck(&prepared.model, &prepared.layout, symmetry, limits, most_states)
}

/// What a second look found.
pub(super) fn confirmation(checked: &Rechecked) -> String {
    let extent = if checked.complete { "all" } else { "the first" };
    format!(
        "certificate confirmed: {} tried on {extent} {}",
        counted(checked.exchanges as u64, "exchange of two members", "exchanges of two members"),
        counted(checked.states as u64, "state", "states")
    )
}

/// A wrong proof is our bug.
pub(super) fn refutation(model: &Model, refuted: &Refuted) -> String {
    let (kind, name, _) = name_of(model, refuted.part);
    let [one, other] = &refuted.members;
    format!(
        "internal error: {kind} \"{name}\" tells `{one}` from `{other}` of `{}`, which were proved interchangeable\n\
         This is a bug in Burnside, not in the model. Use `--symmetry off`, and please report it.",
        refuted.class
    )
}

fn name_of(model: &Model, part: Part) -> (&'static str, &str, Span) {
    match part {
        Part::Rule(rule) => ("rule", &model.rule(rule).name, model.rule(rule).span),
        Part::Property(property) => ("property", &model.property(property).name, model.property(property).span),
    }
}

fn words(arguments: &[Argument]) -> Vec<&'static str> {
    arguments.iter().map(|argument| argument.words()).collect()
}
