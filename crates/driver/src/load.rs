//! From a text to a model that is ready to be run.

use std::borrow::Cow;

use burnside_diag::{Code, Diagnostic, FileId, SourceFile, SourceMap, Span};
use burnside_engine::Breach;
use burnside_ir::{
    Defect, DefectKind, Expr, ExprKind, Layout, LayoutError, Model, PropertyId, PropertyKind, UnaryOp, text, verify,
};
use burnside_murphi::ClaimText;

const DEFECT: Code = Code("defective-model");
const LAYOUT: Code = Code("state-too-large");
const SYNTAX: Code = Code("syntax");
const FORMULA: Code = Code("formula-beside-ir");
const OVERRIDE: Code = Code("unknown-constant");
const UNKNOWN_PROPERTY: Code = Code("unknown-property");
const NO_WITNESS: Code = Code("no-witness");
const AMBIGUOUS_PROPERTY: Code = Code("ambiguous-property");

pub use burnside_murphi::ClaimKind;
pub use burnside_promela::{Diagram, Labels, Statement};

/// A language models are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Language {
    /// Murphi, in the dialects of CMurphi and Rumur.
    Murphi,
    /// Promela, as SPIN understands it.
    Promela,
    /// The text form of the intermediate representation.
    Ir,
}

impl Language {
    /// All languages.
    pub const ALL: [Self; 3] = [Self::Murphi, Self::Promela, Self::Ir];

    /// The name used on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Murphi => "murphi",
            Self::Promela => "promela",
            Self::Ir => "ir",
        }
    }

    /// The file name extensions that mean this language.
    pub fn extensions(self) -> &'static [&'static str] {
        match self {
            Self::Murphi => &["m", "murphi"],
            Self::Promela => &["pml", "prom", "promela"],
            Self::Ir => &["ir"],
        }
    }

    /// The language of a file, told by the extension of its name; case does not matter.
    pub fn of_extension(extension: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.extensions().iter().any(|it| it.eq_ignore_ascii_case(extension)))
    }
}

/// How a text is to be read.
#[derive(Debug, Clone, Default)]
pub struct LoadOptions {
    /// Constants that take another value than the text gives them.
    pub overrides: Vec<(String, i64)>,
    /// Macros of a Promela model: `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
    /// Whether copying an undefined scalar is a fault.
    pub strict_undefined: bool,
    /// Temporal properties beside the model.
    pub claims: Vec<ClaimSource>,
    /// Whether all claims of a Promela model are to be checked.
    pub all_claims: bool,
    /// Which labels of a Promela model are to be looked at.
    pub labels: Labels,
    /// Whether assertions of a Promela model are steps that check nothing.
    pub ignore_assertions: bool,
    /// Whether the promises of `xr` and `xs` in a Promela model are to be checked.
    pub promises: bool,
    /// Whether variables of a Promela model that nobody reads again are forgotten.
    pub slim: bool,
    /// Whether the static channel diagram of a Promela model is wanted.
    pub diagram: bool,
    /// The names of claims in the text of a Promela model that are to be checked: there, others are not.
    pub asked: Vec<String>,
}

/// Temporal properties that are not in the model's text.
#[derive(Debug, Clone)]
pub struct ClaimSource {
    /// What the text is called in messages.
    pub name: String,
    /// One formula, or items of a file.
    pub text: String,
    /// What the formula is, if it is one.
    pub kind: Option<ClaimKind>,
}

/// A model with everything an engine needs to know about it.
#[derive(Debug)]
pub struct Prepared {
    /// The verified model.
    pub model: Model,
    /// Its layout.
    pub layout: Layout,
    /// The only properties that are to be checked, if not all are.
    pub only: Option<Vec<PropertyId>>,
    /// Whether deadlocks are looked for, as far as the settings say so.
    pub deadlocks: bool,
}

impl Prepared {
    /// All that a model claims is asked for.
    pub fn new(model: Model, layout: Layout) -> Self {
        Self { model, layout, only: None, deadlocks: true }
    }

    /// Asks for everything but these, and no longer for deadlocks if they are among them.
    pub fn leave_out(&mut self, known: &[Breach]) {
        let is_known = |id: &PropertyId| known.iter().any(|breach| breach.property() == Some(*id));
        let claims = (0..).map(PropertyId).zip(&self.model.properties).filter(|(_, it)| it.kind.is_claim());
        let asked = claims.map(|(id, _)| id).filter(|id| self.only.as_ref().is_none_or(|only| only.contains(id)));
        self.only = Some(asked.filter(|id| !is_known(id)).collect());
        self.deadlocks &= !known.contains(&Breach::Deadlock);
    }

    /// Asks for an execution to a cover instead of whether there is one.
    ///
    /// SOUND: the cover is asked for as the claim that no instance of its condition is ever true. A violation of that
    /// claim is an execution to the cover, and none means that the cover is not reached.
    pub fn witness(&mut self, name: &str) -> Result<PropertyId, Box<Diagnostic>> {
        let id = find_property(&self.model, name)?;
        let property = &mut self.model.properties[id.index()];
        if property.kind != PropertyKind::Cover {
            let message = format!("`{name}` is not a cover on states, so no execution shows that it is reached");
            return Err(Box::new(
                Diagnostic::error(NO_WITNESS, message, property.span).help("name a `cover` property"),
            ));
        }
        let condition = property.condition.clone();
        let (ty, span) = (condition.ty, condition.span);
        property.condition = Expr { kind: ExprKind::Unary(UnaryOp::Not, Box::new(condition)), ty, span };
        property.kind = PropertyKind::Invariant;
        (self.only, self.deadlocks) = (Some(vec![id]), false);
        Ok(id)
    }

    /// Asks for some properties only, by name, and not for deadlocks.
    pub fn select(&mut self, names: &[String]) -> Result<(), Box<Diagnostic>> {
        let ids: Result<Vec<PropertyId>, _> = names.iter().map(|name| find_property(&self.model, name)).collect();
        self.only = if names.is_empty() { None } else { Some(ids?) };
        self.deadlocks = names.is_empty();
        Ok(())
    }
}

/// What became of a text.
#[derive(Debug)]
pub struct Loaded {
    /// The texts that spans refer to.
    pub sources: SourceMap,
    /// Everything found on the way, errors and others.
    pub diagnostics: Vec<Diagnostic>,
    /// The model, unless there are errors.
    pub prepared: Option<Prepared>,
    /// The statements of a Promela model, with the rules that execute each.
    pub statements: Vec<Statement>,
    /// The static channel diagram of a Promela model, if it was asked for.
    pub diagram: Option<Diagram>,
}

/// What a text has besides its model.
#[derive(Default)]
struct Beside {
    statements: Vec<Statement>,
    diagram: Option<Diagram>,
}

/// A text without control characters, which a terminal would obey: names, messages and excerpts of a model are shown.
pub fn printable(text: &str) -> Cow<'_, str> {
    let is_obeyed = |c: char| c.is_control() && !matches!(c, '\t'..='\r');
    if text.contains(is_obeyed) { text.replace(is_obeyed, "\u{fffd}").into() } else { text.into() }
}

/// Reads a text called `name` in messages. Control characters in it are replaced, so that what is shown of it is harmless.
///
/// # Panics
/// If the front end of a language makes a model that the verifier refuses.
pub fn load(name: &str, text: &str, language: Language, options: &LoadOptions) -> Loaded {
    load_with(name, text, language, options, &mut |_, _, _| Err("nothing can be included here".to_owned()))
}

/// Finds an included text: what it is called where it is asked for, whether in quotes, and the name of the file that asks.
/// The answer is its name and text, or one line that says why there is none.
pub type Finder<'a> = dyn FnMut(&str, bool, &str) -> Result<(String, String), String> + 'a;

/// The same for a text that may include others.
///
/// # Panics
/// If the front end of a language makes a model that the verifier refuses.
pub fn load_with(name: &str, text: &str, language: Language, options: &LoadOptions, finder: &mut Finder<'_>) -> Loaded {
    let (name, text) = (&*printable(name), &*printable(text));
    let mut sources = SourceMap::default();
    let file = sources.add(SourceFile::new(name, text));
    let mut beside = Beside::default();
    let (model, mut diagnostics) = match language {
        Language::Murphi => load_murphi((file, text), options, &mut sources),
        Language::Promela => load_promela(file, text, options, (&mut sources, finder), &mut beside),
        Language::Ir => load_ir(file, text, options),
    };
    if language == Language::Ir && model.is_some() {
        // The spans of an IR text point into the text it was made from, which is not at hand.
        sources = SourceMap::default();
    }
    let prepared = model.and_then(|model| match prepare(model, language) {
        Ok(prepared) => Some(prepared),
        Err(found) => {
            diagnostics.extend(found);
            None
        }
    });
    let prepared = prepared.filter(|_| !diagnostics.iter().any(Diagnostic::is_error));
    let Beside { statements, diagram } = beside;
    Loaded { sources, diagnostics, prepared, statements, diagram }
}

fn prepare(model: Model, language: Language) -> Result<Prepared, Vec<Diagnostic>> {
    let defects: Vec<Diagnostic> = verify(&model).iter().map(|defect| explain_defect(defect, language)).collect();
    if !defects.is_empty() {
        return Err(defects);
    }
    match Layout::new(&model) {
        Ok(layout) => Ok(Prepared::new(model, layout)),
        Err(error) => Err(vec![explain_layout(&error)]),
    }
}

fn load_murphi(
    (file, text): (FileId, &str),
    options: &LoadOptions,
    sources: &mut SourceMap,
) -> (Option<Model>, Vec<Diagnostic>) {
    let LoadOptions { overrides, strict_undefined, claims, .. } = options.clone();
    let claims = claims.into_iter().map(|claim| {
        let text = printable(&claim.text).into_owned();
        let file = sources.add(SourceFile::new(printable(&claim.name), text.as_str()));
        ClaimText { file, text, kind: claim.kind }
    });
    let options = burnside_murphi::Options { overrides, strict_undefined, claims: claims.collect() };
    let loaded = burnside_murphi::load(file, text, &options);
    (loaded.model, loaded.diagnostics)
}

fn load_promela(
    file: FileId,
    text: &str,
    options: &LoadOptions,
    (sources, finder): (&mut SourceMap, &mut Finder<'_>),
    beside: &mut Beside,
) -> (Option<Model>, Vec<Diagnostic>) {
    let mut refused = None;
    let mut claims = Vec::new();
    for (at, claim) in options.claims.iter().enumerate() {
        let text = match claim.kind {
            None => claim.text.clone(),
            Some(ClaimKind::Linear) => format!("ltl formula{} {{ {} }}", at + 1, claim.text),
            Some(ClaimKind::Branching) => {
                let message = "formulas of branching time cannot be checked on Promela models yet";
                refused = Some(Diagnostic::error(FORMULA, message, Span::NOWHERE).help("use `--ltl`"));
                continue;
            }
        };
        let text = printable(&text).into_owned();
        claims.push((sources.add(SourceFile::new(printable(&claim.name), text.as_str())), text));
    }
    let draws = options.diagram;
    let options = burnside_promela::Options {
        defines: options.defines.clone(),
        claims,
        asked: options.asked.clone(),
        all_claims: options.all_claims,
        labels: options.labels,
        ignore_assertions: options.ignore_assertions,
        promises: options.promises,
        slim: options.slim,
    };
    let mut resolve = |include: burnside_promela::Include<'_>| {
        let from = sources.get(include.from).map(|file| file.name().to_owned()).unwrap_or_default();
        let (name, text) = finder(include.name, include.quoted, &from)?;
        let (name, text) = (printable(&name).into_owned(), printable(&text).into_owned());
        let id = sources.add(SourceFile::new(name, text.clone()));
        Ok((id, text))
    };
    let loaded = burnside_promela::load(file, text, &options, &mut resolve);
    let model = loaded.model.map(|model| {
        beside.diagram = draws.then(|| model.diagram());
        let (model, found) = model.lower_with_statements();
        beside.statements = found;
        model
    });
    (model, loaded.diagnostics.into_iter().chain(refused).collect())
}

fn load_ir(file: FileId, text: &str, options: &LoadOptions) -> (Option<Model>, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    for (name, _) in &options.overrides {
        let message = format!("`{name}` cannot be overridden: a model in IR text form has no constants");
        diagnostics.push(Diagnostic::error(OVERRIDE, message, Span::NOWHERE).help("leave out `-D`"));
    }
    if let Some(claim) = options.claims.first() {
        let message = format!("{} cannot be read: a model in IR text form has its formulas in its text", claim.name);
        diagnostics.push(
            Diagnostic::error(FORMULA, message, Span::NOWHERE).help("write the formula as a `claim` of the model"),
        );
    }
    match text::parse(text) {
        Ok(model) => (Some(model), diagnostics),
        Err(error) => {
            let span = Span::new(file, error.offset, error.offset + 1);
            diagnostics.push(Diagnostic::error(SYNTAX, error.message, span));
            (None, diagnostics)
        }
    }
}

fn find_property(model: &Model, name: &str) -> Result<PropertyId, Box<Diagnostic>> {
    let named: Vec<PropertyId> = (0..)
        .map(PropertyId)
        .zip(&model.properties)
        .filter(|(_, it)| it.name == name && it.kind.is_claim())
        .map(|(id, _)| id)
        .collect();
    match named[..] {
        [only] => Ok(only),
        [] => {
            let message = format!("the model has no property called `{name}`");
            let diagnostic = Diagnostic::error(UNKNOWN_PROPERTY, message, Span::NOWHERE);
            let names: Vec<String> =
                model.properties.iter().filter(|it| it.kind.is_claim()).map(|it| format!("`{}`", it.name)).collect();
            Err(Box::new(match &names[..] {
                [] => diagnostic.help("leave out `--property`: the model has no named properties"),
                names => diagnostic.help(format!("its properties are {}", names.join(", "))),
            }))
        }
        [first, second, ..] => {
            let message = format!("several properties are called `{name}`");
            let diagnostic = Diagnostic::error(AMBIGUOUS_PROPERTY, message, model.property(first).span);
            let diagnostic = diagnostic.also(model.property(second).span, "also here");
            Err(Box::new(diagnostic.help("give them different names")))
        }
    }
}

/// Some defects a model's author can cause in any language; the rest only in the IR itself.
fn explain_defect(defect: &Defect, language: Language) -> Diagnostic {
    let ours = language != Language::Ir && !matches!(defect.kind, DefectKind::NoStart | DefectKind::TooDeep);
    assert!(!ours, "the {} front end made a defective model: {defect}", language.name());
    Diagnostic::error(DEFECT, defect.to_string(), defect.span)
}

fn explain_layout(error: &LayoutError) -> Diagnostic {
    match error {
        LayoutError::TooManySlots { name, span } => {
            Diagnostic::error(LAYOUT, format!("variable `{name}` has too many parts to be stored in a state"), *span)
                .label("too many scalars up to here")
                .help("make the arrays and multisets smaller")
        }
        LayoutError::TooWide { name, span } => {
            Diagnostic::error(LAYOUT, format!("a scalar of variable `{name}` has too many values"), *span)
                .label(format!("more than {} bits in one scalar", burnside_ir::MAX_WIDTH_BITS))
                .help("use a narrower range")
        }
        other => Diagnostic::error(LAYOUT, format!("the state cannot be laid out: {other:?}"), Span::NOWHERE),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(text: &str, options: &LoadOptions) -> Vec<&'static str> {
        let loaded = load("m.ir", text, Language::Ir, options);
        loaded.diagnostics.iter().map(|diagnostic| diagnostic.code.0).collect()
    }

    #[test]
    fn what_a_terminal_would_obey_is_replaced() {
        let text = "var x: boolean; startstate \"s\u{1b}[2J\" x := true; end; rule \"r\u{7}\" begin x := x; end;";
        let loaded = load("a\u{1b}.m", text, Language::Murphi, &LoadOptions::default());
        let model = loaded.prepared.expect("the model is right").model;
        assert_eq!((&model.starts[0].name[..], &model.rules[0].name[..]), ("s\u{fffd}[2J", "r\u{fffd}"));
        assert_eq!(printable("tab\t and line\n"), "tab\t and line\n");
    }

    #[test]
    fn extensions_tell_the_language() {
        assert_eq!(Language::of_extension("m"), Some(Language::Murphi));
        assert_eq!(Language::of_extension("murphi"), Some(Language::Murphi));
        assert_eq!(Language::of_extension("IR"), Some(Language::Ir));
        assert_eq!(Language::of_extension("pml"), Some(Language::Promela));
        assert_eq!(Language::of_extension("txt"), None);
    }

    #[test]
    fn a_broken_text_is_a_syntax_error() {
        assert_eq!(codes("(model", &LoadOptions::default()), ["syntax"]);
    }

    #[test]
    fn a_scalar_too_wide_for_a_slot_is_diagnosed() {
        let text = "(model (type t2 (range 0 1000000000000000000)) (global g0 \"x\" t2) (start i0 \"init\" (do)))";
        assert_eq!(codes(text, &LoadOptions::default()), ["state-too-large"]);
    }

    #[test]
    fn ir_models_have_no_constants_to_override() {
        let options = LoadOptions { overrides: vec![("N".to_owned(), 3)], ..LoadOptions::default() };
        assert_eq!(codes("(model (start i0 \"init\" (do)))", &options), ["unknown-constant"]);
    }

    #[test]
    fn a_model_without_start_state_is_defective() {
        assert_eq!(codes("(model)", &LoadOptions::default()), ["defective-model"]);
    }
}
