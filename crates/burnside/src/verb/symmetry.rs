//! `burnside symmetry`.

use burnside_adaptive::{Families, Similarity, similarity};
use burnside_diag::{Code, Diagnostic, Palette, SourceMap, Span, render};
use burnside_driver::{Language, Prepared};
use burnside_engine::{Question, Task};
use burnside_interp::Limits;
use burnside_ir::{Field, Layout, Model, Type, TypeId};
use burnside_symmetry::{
    Argument, Certificate, Class, Culprit, Ground, Joint, Part, Permutations, Rechecked, Refuted, SymmetricClass,
    Symmetry, recheck,
};
use serde_json::{Value, json};

use crate::args::{ColorWhen, SymmetryArgs};
use crate::exit::Exit;
use crate::input::{Input, read_model, read_model_and_diagram};
use crate::output::{self, is_stdout, write_json, write_text};
use crate::terminal::Terminal;
use burnside_view::diagram;
use burnside_view::quantity::{counted, large};
use burnside_view::report;
use burnside_view::tell::{self, Treatment, invalid_line};

const SCHEMA: &str = "burnside.symmetry/1";

/// How many places in the way of a group are shown unless all are asked for.
const SHOWN_CULPRITS: usize = 3;

/// In how many orbits it is looked at most whether members have the same steps.
const MOST_ORBITS: usize = 4096;

pub(crate) fn run(args: &SymmetryArgs, color: ColorWhen) -> Exit {
    let outputs = [("--json", args.json.as_deref()), ("--dot", args.dot.as_deref()), ("--html", args.html.as_deref())];
    if let Err(exit) = output::admit(&outputs, &args.model.inputs()) {
        return exit;
    }
    let report_on_stdout = outputs.iter().any(|(_, path)| path.is_some_and(is_stdout));
    let mut terminal = if report_on_stdout { Terminal::beside_report(color) } else { Terminal::new(color) };
    let draws = args.dot.is_some() || args.html.is_some();
    let mut input = if draws { read_model_and_diagram(&args.model) } else { read_model(&args.model) };
    if args.dot.is_some() && input.language.is_some_and(|language| language != Language::Promela) {
        Terminal::alarm("`--dot` is about Promela models alone: others have no channels");
        return Exit::Invalid;
    }
    let errors = input.loaded.diagnostics.iter().filter(|it| it.is_error());
    terminal.complain_all(errors, &input.loaded.sources);
    let Some(prepared) = input.loaded.prepared.take() else {
        let n_errors = input.loaded.diagnostics.iter().filter(|it| Diagnostic::is_error(it)).count();
        terminal.say(&invalid_line(&input.name, n_errors, terminal.palette()));
        return match &args.json {
            Some(path) => write_json(path, &invalid(&input), Exit::Invalid),
            None => Exit::Invalid,
        };
    };
    Findings::new(args, &input, &prepared).tell(args, &mut terminal)
}

/// The report on a model in which nothing could be looked for.
fn invalid(input: &Input) -> Value {
    json!({
        "schema": SCHEMA,
        "model": input.name,
        "language": input.language.map(Language::name),
        "valid": false,
        "group_order": "1",
        "sorts": [],
        "groups": [],
        "in_the_way": [],
        "partitions": [],
        "similarity": null,
        "broken_by": [],
        "checked": null,
        "partitions_checked": null,
        "diagnostics": diagnostics(input),
    })
}

fn diagnostics(input: &Input) -> Vec<Value> {
    input.loaded.diagnostics.iter().map(|it| report::diagnostic(it, &input.loaded.sources)).collect()
}

struct Findings<'a> {
    input: &'a Input,
    model: &'a Model,
    symmetry: Symmetry,
    certificates: Vec<Certificate>,
    /// The same for groups other than all permutations.
    joint_certificates: Vec<Certificate>,
    /// What stands in the way of more such groups.
    culprits: Vec<Culprit>,
    families: Families,
    /// How far permutations are from being automorphisms, where they are none.
    similarity: Option<Similarity>,
    layout: &'a Layout,
    checked: Option<Checks>,
}

/// What a second look found: at the sets that were proved, and at the partitions if something tells values apart.
pub(super) struct Checks {
    sets: Result<Rechecked, Box<Refuted>>,
    partitions: Option<Result<Rechecked, Box<Refuted>>>,
}

impl<'a> Findings<'a> {
    fn new(args: &SymmetryArgs, input: &'a Input, prepared: &'a Prepared) -> Self {
        let model = &prepared.model;
        let symmetry = Symmetry::find(model);
        let certificates = symmetry.classes.iter().map(|class| Certificate::new(model, class)).collect();
        let joint_certificates = symmetry.joints.iter().map(|joint| Certificate::of_joint(model, joint)).collect();
        let culprits = symmetry.culprits(model);
        let families = Families::new(model);
        let task = Task::of(Question {
            step_limits: args.model.step_limits(input.language),
            ..Question::new(model, &prepared.layout)
        });
        let similarity = similarity(&task, &families, args.states.min(MOST_ORBITS));
        let limits = (args.model.step_limits(input.language), args.states);
        let checked = args.check_certificate.then(|| Checks::new(prepared, &symmetry, Some(&families), limits));
        let layout = &prepared.layout;
        Self {
            input,
            model,
            symmetry,
            certificates,
            joint_certificates,
            culprits,
            families,
            similarity,
            layout,
            checked,
        }
    }

    fn sources(&self) -> &SourceMap {
        &self.input.loaded.sources
    }

    fn treatment(&self) -> Treatment<'_> {
        Treatment { model: self.model, sources: self.sources(), families: &self.families }
    }

    fn tell(&self, args: &SymmetryArgs, terminal: &mut Terminal) -> Exit {
        let exit = self.tell_text(args, terminal);
        let exit = match self.draw(args) {
            Ok(()) => exit,
            Err(problem) => {
                Terminal::alarm(&problem);
                Exit::Failed
            }
        };
        match &args.json {
            Some(path) => write_json(path, &self.json(), exit),
            None => exit,
        }
    }

    /// Writes the diagram and the page that were asked for.
    fn draw(&self, args: &SymmetryArgs) -> Result<(), String> {
        let found = self.input.loaded.diagram.as_ref();
        if let (Some(path), Some(found)) = (&args.dot, found) {
            write_text(path, &diagram::dot(found))?;
        }
        let Some(path) = &args.html else { return Ok(()) };
        let proved = self.symmetry.classes.iter().zip(&self.certificates).map(|(class, it)| self.proved(class, it));
        let moved = self.symmetry.joints.iter().zip(&self.joint_certificates).map(|(joint, it)| self.moved(joint, it));
        let plain = |it: &Diagnostic| render(it, self.sources(), Palette::Plain);
        let mut sections: Vec<String> = proved.chain(moved).collect();
        sections.extend(self.in_the_way(true).iter().map(plain));
        let shown = self.symmetry.broken.iter().filter(|class| self.may_name_members(class));
        sections.extend(shown.flat_map(|class| self.told_apart(class, true)).map(|it| plain(&it)));
        sections.push(self.summary());
        write_text(path, &diagram::page(&self.input.name, found, &sections))
    }

    fn tell_text(&self, args: &SymmetryArgs, terminal: &mut Terminal) -> Exit {
        for (class, certificate) in self.symmetry.classes.iter().zip(&self.certificates) {
            terminal.say(&self.proved(class, certificate));
        }
        for (joint, certificate) in self.symmetry.joints.iter().zip(&self.joint_certificates) {
            terminal.say(&self.moved(joint, certificate));
        }
        for diagnostic in self.in_the_way(args.verbose) {
            terminal.say(&terminal.render(&diagnostic, self.sources()));
        }
        let is_blamed = |class: &&Class| self.culprits.iter().any(|culprit| concerns(&culprit.joints, class));
        let is_used = |class: &&Class| concerns(&self.symmetry.joints, class);
        let broken =
            || self.symmetry.broken.iter().filter(|class| args.verbose || !is_blamed(class) && !is_used(class));
        let is_shown = |class: &&Class| args.verbose || self.may_name_members(class);
        for class in broken().filter(is_shown) {
            for diagnostic in self.told_apart(class, args.verbose) {
                terminal.say(&terminal.render(&diagnostic, self.sources()));
            }
        }
        match broken().filter(|class| !is_shown(class)).count() as u64 {
            0 => {}
            n => terminal.say(&format!(
                "{} of numbers and places that name no process and no channel; `-v` shows what tells them apart\n",
                counted(n, "set", "sets")
            )),
        }
        let treats = args.verbose || !self.is_promela() || self.symmetry.is_trivial();
        if let Some(text) = self.treatment().text(args.verbose).filter(|_| treats) {
            terminal.say(&text);
            if let Some(found) = &self.similarity {
                terminal.say(&tell::similarity(found, (self.model, self.layout)));
            }
        }
        terminal.say(&self.summary());
        match &self.checked {
            None => Exit::Holds,
            Some(checks) => match checks.tell(self.model, |line| terminal.say(line)) {
                None => Exit::Failed,
                Some(true) => Exit::Holds,
                Some(false) => Exit::Inconclusive,
            },
        }
    }

    fn is_promela(&self) -> bool {
        self.input.language == Some(Language::Promela)
    }

    /// Whether values may be members of something: not the places where processes stand, nor what is only counted with.
    fn may_name_members(&self, class: &Class) -> bool {
        let types = &self.model.types;
        // A channel is kept as its length and its messages, which have places but no names.
        let is_channel = |fields: &[Field]| matches!(fields, [length, messages] if length.name == "length" && messages.name == "messages");
        let holds_messages = |array: TypeId| {
            types.iter().any(
                |(_, def)| matches!(&def.ty, Type::Record { fields } if is_channel(fields) && fields[1].ty == array),
            )
        };
        let is_index = |ty: TypeId| {
            types.iter().any(
                |(array, def)| matches!(def.ty, Type::Array { index, .. } if index == ty && !holds_messages(array)),
            )
        };
        let is_identity = |&ty: &TypeId| types.def(ty).name.is_some() || is_index(ty);
        !self.is_promela() || class.types.iter().any(is_identity)
    }

    fn summary(&self) -> String {
        let (n_sets, n_others) = (self.symmetry.classes.len() as u64, self.symmetry.joints.len() as u64);
        let sets = (n_sets > 0).then(|| format!("{} of interchangeable values", counted(n_sets, "set", "sets")));
        let others = (n_others > 0).then(|| counted(n_others, "other group", "other groups"));
        let found: Vec<String> = sets.into_iter().chain(others).collect();
        let (model, order) = (&self.input.name, self.symmetry.group_order());
        match &found[..] {
            [] => format!("no interchangeable values in {model}"),
            found => format!("{} in {model}, group of order {}", found.join(" and "), large(&order)),
        }
    }

    /// The classes that move together, their group and why.
    fn moved(&self, joint: &Joint, certificate: &Certificate) -> String {
        let names: Vec<String> = joint.classes.iter().map(|class| format!("`{}`", class.name)).collect();
        let sizes: Vec<String> = joint.classes.iter().map(|class| class.size.to_string()).collect();
        let is_declared = joint.classes.iter().any(|class| self.is_declared(class));
        let how = if is_declared { "declared" } else { "found" };
        let mut lines =
            vec![format!("{}: {} values that move by a group, {how}", names.join(" and "), sizes.join(" and "))];
        let members: Vec<String> = joint.classes.iter().map(|class| self.members(class).join(", ")).collect();
        lines.push(format!("  members      {}", members.join("; ")));
        lines.push(format!("  group        {}", joint.words()));
        lines.extend(self.generators(joint).iter().map(|generator| format!("  generator    {generator}")));
        lines.extend(self.grounds(certificate));
        lines.join("\n") + "\n"
    }

    fn generators(&self, joint: &Joint) -> Vec<String> {
        joint.group.generators().iter().map(|generator| joint.cycles(self.model, generator)).collect()
    }

    /// Places without which values would move that do not: the first few. All of them also name the places that keep a
    /// group from being larger.
    fn in_the_way(&self, all: bool) -> Vec<Diagnostic> {
        let moves =
            |joint: &&Joint| joint.classes.iter().all(|class| self.symmetry.moving_classes().any(|it| it == class));
        let is_new = |culprit: &&Culprit| !culprit.joints.iter().all(|joint| moves(&joint));
        let culprits: Vec<&Culprit> = self.culprits.iter().filter(|culprit| all || is_new(culprit)).collect();
        let n_shown = if all { culprits.len() } else { culprits.len().min(SHOWN_CULPRITS) };
        let shown = culprits[..n_shown].iter().map(|culprit| {
            let groups = culprit.joints.iter().map(|joint| {
                let names: Vec<String> = joint.classes.iter().map(|class| format!("`{}`", class.name)).collect();
                format!("the values of {} would move by a group: {}", names.join(" and "), joint.words())
            });
            let message = format!("but for this place {}", groups.collect::<Vec<_>>().join("; "));
            let diagnostic = Diagnostic::note(Code("in-the-way"), message, culprit.span);
            match culprits.len() - n_shown {
                0 => diagnostic,
                1 => diagnostic.help("there is one more such place; `-v` shows it"),
                n_more => diagnostic.help(format!("there are {n_more} more such places; `-v` shows them")),
            }
        });
        shown.collect()
    }

    /// The set, its group and why.
    fn proved(&self, class: &SymmetricClass, certificate: &Certificate) -> String {
        let how = if self.is_declared(class) { "declared" } else { "found" };
        let order = Permutations::of_classes(vec![class.clone()]).group_order();
        let mut lines = vec![
            format!("`{}`: {} interchangeable values, {how}", class.name, class.size),
            format!("  members      {}", self.members(class).join(", ")),
            format!("  group        all permutations, order {}", large(&order)),
        ];
        lines.extend(self.grounds(certificate));
        lines.join("\n") + "\n"
    }

    /// Why, one line for each kind of reason.
    fn grounds(&self, certificate: &Certificate) -> Vec<String> {
        let parts = |ground| parts_with(certificate, ground);
        let mut lines = Vec::new();
        lines.extend(
            parts(Ground::Tables).map(|parts| format!("  by tables    {parts}: every value computed moves along")),
        );
        lines.extend(parts(Ground::Types).map(|parts| format!("  by types     {parts}: nothing tells members apart")));
        lines.extend(parts(Ground::Absent).map(|parts| format!("  unconcerned  {parts}")));
        for (span, arguments) in certificate.loops.iter().filter(|it| it.1 != [Argument::ReadsOnly]) {
            let at = self.sources().locate(*span);
            lines.push(format!("  any order    {at}: its rounds {}", words(arguments).join(", ")));
        }
        lines
    }

    fn members(&self, class: &SymmetricClass) -> Vec<String> {
        let types = &self.model.types;
        let ty = class.named_type(self.model);
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
            json!({
                "name": class.name, "kind": "full", "size": class.size, "declared": self.is_declared(class),
                "members": self.members(class),
                "certificate": self.certificate(certificate),
            })
        });
        let groups = self.symmetry.joints.iter().zip(&self.joint_certificates).map(|(joint, certificate)| {
            let sorts = joint.classes.iter().map(|class| {
                json!({
                    "name": class.name, "size": class.size, "declared": self.is_declared(class),
                    "members": self.members(class),
                })
            });
            json!({
                "sorts": sorts.collect::<Vec<_>>(),
                "kind": report::kind_of(joint),
                "structure": joint.structure.to_string(),
                "description": joint.words(),
                "order": joint.order().to_string(),
                "generators": self.generators(joint),
                "certificate": self.certificate(certificate),
            })
        });
        let in_the_way = self.culprits.iter().map(|culprit| {
            let (line, column) = report::place(culprit.span, self.sources());
            let groups = culprit.joints.iter().map(|joint| {
                json!({
                    "sorts": joint.classes.iter().map(|class| class.name.as_str()).collect::<Vec<_>>(),
                    "structure": joint.structure.to_string(),
                    "order": joint.order().to_string(),
                })
            });
            json!({ "line": line, "column": column, "groups": groups.collect::<Vec<_>>() })
        });
        let checked = |result: &Result<Rechecked, Box<Refuted>>| match result {
            Ok(it) => {
                json!({
                    "confirmed": true, "states": it.states, "exchanges": it.exchanges, "generators": it.generators,
                    "complete": it.complete,
                })
            }
            Err(refuted) => json!({ "confirmed": false, "reason": refutation(self.model, refuted) }),
        };
        let checks = self.checked.as_ref();
        json!({
            "schema": SCHEMA,
            "model": self.input.name,
            "language": self.input.language.map(Language::name),
            "valid": true,
            "group_order": self.symmetry.group_order(),
            "sorts": sorts.collect::<Vec<_>>(),
            "groups": groups.collect::<Vec<_>>(),
            "in_the_way": in_the_way.collect::<Vec<_>>(),
            "partitions": self.treatment().json(),
            "similarity": self.similarity.as_ref().map(|it| tell::similarity_json(it, (self.model, self.layout))),
            "broken_by": report::broken(&self.symmetry, self.model, self.sources()),
            "checked": checks.map(|checks| checked(&checks.sets)),
            "partitions_checked": checks.and_then(|checks| checks.partitions.as_ref().map(checked)),
            "diagnostics": diagnostics(self.input),
        })
    }

    fn certificate(&self, certificate: &Certificate) -> Value {
        let parts = certificate.obligations.iter().map(|it| self.obligation(it.part, it.ground));
        let loops = certificate.loops.iter().map(|(span, arguments)| {
            let (line, column) = report::place(*span, self.sources());
            json!({ "line": line, "column": column, "by": words(arguments) })
        });
        json!({ "parts": parts.collect::<Vec<_>>(), "loops": loops.collect::<Vec<_>>() })
    }

    fn obligation(&self, part: Part, ground: Ground) -> Value {
        let (kind, name, span) = name_of(self.model, part);
        let (line, column) = report::place(span, self.sources());
        json!({ "kind": kind, "name": name, "line": line, "column": column, "by": ground.words() })
    }
}

/// Whether a class is one of those that groups move.
fn concerns(joints: &[Joint], class: &Class) -> bool {
    joints.iter().flat_map(|joint| &joint.classes).any(|moved| moved.types == class.types)
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

impl Checks {
    /// Tries what was derived from a model's text on states, without looking at the text.
    pub(super) fn new(
        prepared: &Prepared,
        symmetry: &Symmetry,
        families: Option<&Families>,
        (limits, most_states): (Limits, usize),
    ) -> Self {
        let (model, layout) = (&prepared.model, &prepared.layout);
        let families = families.filter(|families| !families.is_symmetric());
        Self {
            sets: recheck(model, layout, symmetry, limits, most_states),
            partitions: families.map(|families| families.recheck(model, layout, limits, most_states)),
        }
    }

    /// Tells what was confirmed, and whether that was tried on all states; nothing if something is refuted, which is our
    /// bug.
    pub(super) fn tell(&self, model: &Model, mut say: impl FnMut(&str)) -> Option<bool> {
        let results = [("certificate", Some(&self.sets)), ("partitions", self.partitions.as_ref())];
        let mut complete = true;
        for (name, result) in results.into_iter().filter_map(|(name, result)| Some((name, result?))) {
            match result {
                Ok(checked) => {
                    say(&confirmation(name, checked));
                    complete &= checked.complete;
                }
                Err(refuted) => {
                    Terminal::alarm(&refutation(model, refuted));
                    return None;
                }
            }
        }
        Some(complete)
    }
}

fn confirmation(name: &str, checked: &Rechecked) -> String {
    let extent = if checked.complete { "all" } else { "the first" };
    let exchanges = counted(checked.exchanges as u64, "exchange of two members", "exchanges of two members");
    let generators = counted(checked.generators as u64, "generator", "generators");
    let tried = match (checked.exchanges, checked.generators) {
        (_, 0) => exchanges,
        (0, _) => generators,
        _ => format!("{exchanges} and {generators}"),
    };
    format!("{name} confirmed: {tried} tried on {extent} {}", counted(checked.states as u64, "state", "states"))
}

/// A wrong proof is our bug.
fn refutation(model: &Model, refuted: &Refuted) -> String {
    let (kind, name, _) = name_of(model, refuted.part);
    format!(
        "internal error: {kind} \"{name}\" does not commute with the permutation {} of `{}`, which was proved to change \
         nothing\nThis is a bug in Burnside, not in the model. Use `--symmetry off`, and please report it.",
        refuted.permutation, refuted.class
    )
}

fn name_of(model: &Model, part: Part) -> (&'static str, &str, Span) {
    match part {
        Part::Rule(rule) => ("rule", &model.rule(rule).name, model.rule(rule).span),
        Part::Start(start) => ("start state", &model.start(start).name, model.start(start).span),
        Part::Property(property) => ("property", &model.property(property).name, model.property(property).span),
    }
}

fn words(arguments: &[Argument]) -> Vec<&'static str> {
    arguments.iter().map(|argument| argument.words()).collect()
}
