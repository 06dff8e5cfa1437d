//! The whole way from text to checked model and its automata.

use std::collections::BTreeMap;

use burnside_diag::{Diagnostic, FileId, Span};

use crate::ast::Ast;
use crate::check::check;
use crate::codes;
use crate::flow::{self, Automaton, Flow};
use crate::lex::lex;
use crate::lower::Statement;
use crate::lower::automata::{ACCEPTANCE, NON_PROGRESS, hindrance};
use crate::lower::claims::checkable;
use crate::parse::parse as parse_tokens;
use crate::preprocess::{Expansion, Include, Resolver, preprocess};
use crate::typed::{Ltl, Never, Program};

/// How the texts with claims are called while they are read; no file name has this character.
const CLAIM: &str = "\u{1}claim";

/// How to read a model.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// What `-D` gives: `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
    /// Texts with `ltl` items beside the model, all of which are to be checked.
    pub claims: Vec<(FileId, String)>,
    /// The names of claims of the model that are to be checked.
    pub asked: Vec<String>,
    /// Whether all claims of the model are to be checked.
    pub all_claims: bool,
    /// Which labels of processes are to be looked at.
    pub labels: Labels,
    /// Whether assertions of processes are steps that check nothing.
    pub ignore_assertions: bool,
    /// Whether the promises of `xr` and `xs` are to be checked.
    pub promises: bool,
    /// Whether variables that nobody reads again are forgotten and statements that nobody else notices joined, so that there
    /// are fewer states than SPIN counts.
    pub slim: bool,
}

/// What labels of processes claim, if that is to be checked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Labels {
    /// No execution passes an `accept` label again and again.
    pub acceptance: bool,
    /// Every execution passes a `progress` label again and again.
    pub non_progress: bool,
}

/// A model that may be run: the checked tree and an automaton for each body.
#[derive(Debug, Clone)]
pub struct Model {
    /// What is declared.
    pub program: Program,
    /// What happens.
    pub flow: Flow,
    /// The texts it was read from.
    texts: BTreeMap<FileId, String>,
    /// What is to be checked.
    asked: Asked,
}

/// Which claims are to be checked.
#[derive(Debug, Clone)]
struct Asked {
    /// Formulas, by their place in the program.
    ltls: Vec<usize>,
    /// Automata, by their place in the program.
    nevers: Vec<usize>,
    labels: Labels,
    assertions: bool,
    promises: bool,
    slim: bool,
}

impl Model {
    /// The model for engines.
    pub fn lower(&self) -> burnside_ir::Model {
        crate::lower::lower(self).0
    }

    /// The model for engines, and which of its rules execute each statement of the text.
    pub fn lower_with_statements(&self) -> (burnside_ir::Model, Vec<Statement>) {
        crate::lower::lower(self)
    }

    /// The formulas that are to be checked.
    pub(crate) fn asked(&self) -> impl Iterator<Item = &Ltl> {
        self.asked.ltls.iter().map(|&at| &self.program.ltls[at])
    }

    /// The automata that are to be checked.
    pub(crate) fn asked_nevers(&self) -> impl Iterator<Item = (&Never, &Automaton)> {
        self.asked.nevers.iter().map(|&at| (&self.program.nevers[at], &self.flow.nevers[at]))
    }

    /// Whether assertions of processes are to be checked.
    pub(crate) fn checks_assertions(&self) -> bool {
        self.asked.assertions
    }

    /// Whether there are promises by `xr` and `xs`, and they are to be checked.
    pub(crate) fn checks_promises(&self) -> bool {
        self.asked.promises
    }

    /// Whether variables that nobody reads again are to be forgotten, and statements that nobody else notices joined.
    pub(crate) fn is_slim(&self) -> bool {
        self.asked.slim
    }

    /// What is to be checked of the labels of processes.
    pub(crate) fn labels(&self) -> Labels {
        self.asked.labels
    }

    /// What is written at a place, in one line.
    pub(crate) fn text(&self, span: Span) -> String {
        let text = self.texts.get(&span.file).and_then(|text| text.get(span.start as usize..span.end as usize));
        text.unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// The line of a place.
    pub(crate) fn line(&self, span: Span) -> String {
        let before = self.texts.get(&span.file).and_then(|text| text.get(..span.start as usize)).unwrap_or_default();
        format!("line {}", before.matches('\n').count() + 1)
    }
}

/// What came of reading a model.
#[derive(Debug)]
pub struct Loaded {
    /// The model, if there was no error.
    pub model: Option<Model>,
    /// Everything worth saying, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a model. `resolver` finds the texts that it includes.
pub fn load(file: FileId, text: &str, options: &Options, resolver: &mut Resolver<'_>) -> Loaded {
    let mut texts = BTreeMap::from([(file, text.to_owned())]);
    // Claims beside the model stand at its end, so that they see its macros.
    let whole =
        (0..options.claims.len()).fold(text.to_owned(), |text, at| text + &format!("\n#include \"{CLAIM}{at}\"\n"));
    let text = &whole;
    let mut keeping = |include: Include<'_>| {
        let claim = include.name.strip_prefix(CLAIM).and_then(|at| options.claims.get(at.parse::<usize>().ok()?));
        let found = claim.cloned().map_or_else(|| resolver(include), Ok)?;
        texts.insert(found.0, found.1.clone());
        Ok(found)
    };
    let (ast, mut diagnostics, expansions) = read(file, text, options, &mut keeping);
    // What could not be read is left out of the tree: its consequences are no news.
    let readable = !diagnostics.iter().any(Diagnostic::is_error);
    let (program, found) = check(&ast, file);
    diagnostics.extend(found.into_iter().filter(|finding| readable || !about_the_rest(finding)));
    let sound = !diagnostics.iter().any(Diagnostic::is_error);
    let model = sound.then(|| {
        let (flow, found) = flow::build(&program);
        diagnostics.extend(found);
        let asked = asked(&program, options);
        Model { program, flow, texts, asked }
    });
    diagnostics.extend(model.iter().flat_map(|model| model.asked()).filter_map(uncheckable));
    diagnostics.extend(model.iter().flat_map(|model| model.asked_nevers()).filter_map(uncheckable_never));
    diagnostics.extend(model.iter().flat_map(without_labels));
    diagnostics.extend(model.iter().filter(|_| options.promises).filter_map(without_promises));
    let sound = !diagnostics.iter().any(Diagnostic::is_error);
    diagnostics.extend(model.iter().filter(|_| sound).flat_map(unchecked));
    diagnostics.sort_by_key(|finding| (finding.primary.span.file, finding.primary.span.start));
    explain_macros(&mut diagnostics, &expansions);
    Loaded { model: model.filter(|_| sound), diagnostics }
}

/// Reads a model as far as its syntax tree; never fails.
pub fn parse(file: FileId, text: &str, options: &Options, resolver: &mut Resolver<'_>) -> (Ast, Vec<Diagnostic>) {
    let (ast, mut diagnostics, expansions) = read(file, text, options, resolver);
    explain_macros(&mut diagnostics, &expansions);
    (ast, diagnostics)
}

fn read(
    file: FileId,
    text: &str,
    options: &Options,
    resolver: &mut Resolver<'_>,
) -> (Ast, Vec<Diagnostic>, Vec<Expansion>) {
    let done = preprocess(file, text, &options.defines, resolver);
    let mut diagnostics = done.diagnostics;
    let (tokens, found) = lex(&done.tokens, done.end);
    diagnostics.extend(found);
    let (ast, found) = parse_tokens(tokens);
    diagnostics.extend(found);
    (ast, diagnostics, done.expansions)
}

/// What is to be checked.
fn asked(program: &Program, options: &Options) -> Asked {
    let is_beside = |span: Span| options.claims.iter().any(|(file, _)| *file == span.file);
    let is_named = |name: &str| options.all_claims || options.asked.iter().any(|it| it == name);
    let is_asked = |name: &str, span: Span| is_beside(span) || is_named(name);
    let ltls = program.ltls.iter().enumerate().filter(|(_, ltl)| is_asked(&ltl.name, ltl.span));
    let nevers = program.nevers.iter().enumerate().filter(|(_, never)| is_asked(&never.name, never.span));
    let ltls: Vec<usize> = ltls.map(|(at, _)| at).collect();
    let nevers: Vec<usize> = nevers.map(|(at, _)| at).collect();
    // A claim of the model may have the name that its labels go by.
    let is_free = ltls.is_empty() && nevers.is_empty();
    let is_meant = |name: &str| is_free && options.asked.iter().any(|it| it == name);
    let labels = Labels {
        acceptance: options.labels.acceptance || is_meant(ACCEPTANCE),
        non_progress: options.labels.non_progress || is_meant(NON_PROGRESS),
    };
    let promises = options.promises && !program.exclusives.is_empty();
    Asked { ltls, nevers, labels, assertions: !options.ignore_assertions, promises, slim: options.slim }
}

/// Why a claim that is to be checked cannot be.
fn uncheckable(ltl: &Ltl) -> Option<Diagnostic> {
    if checkable(ltl).is_some() {
        return None;
    }
    let message = format!("the ltl claim `{}` cannot be checked", ltl.name);
    let help = "conditions may read variables, channels, labels and `_last`; not `np_`, `timeout`, `enabled` or `_pid`, \
                and no temporal operator may stand below arithmetic";
    Some(Diagnostic::error(codes::UNCHECKED_CLAIM, message, ltl.span).help(help))
}

/// Why an automaton that is to be checked cannot be.
fn uncheckable_never((never, automaton): (&Never, &Automaton)) -> Option<Diagnostic> {
    let (reason, span) = hindrance(never, automaton)?;
    let message = format!("the never claim `{}` cannot be checked", never.name);
    Some(Diagnostic::error(codes::UNCHECKED_CLAIM, message, span).help(reason))
}

/// Labels that are to be looked at and do not exist.
fn without_labels(model: &Model) -> Vec<Diagnostic> {
    let nodes = || model.flow.procs.iter().flat_map(|automaton| &automaton.nodes);
    let labels = model.labels();
    let kinds = [
        (labels.acceptance && !nodes().any(|node| node.accept), "accept", "so there is no acceptance cycle"),
        (labels.non_progress && !nodes().any(|node| node.progress), "progress", "so every cycle is without progress"),
    ];
    let warn = |(_, word, so): (bool, &str, &str)| {
        let file = model.program.procs.first().map_or(Span::NOWHERE, |proc| proc.span);
        let message = format!("no process has a label that begins with `{word}`, {so}");
        let help = format!("put one where a process that comes there again and again counts, as in `{word}1:`");
        Diagnostic::warning(codes::NO_LABELS, message, file).help(help)
    };
    kinds.into_iter().filter(|(is_missing, ..)| *is_missing).map(warn).collect()
}

/// Promises that are to be checked and do not exist.
fn without_promises(model: &Model) -> Option<Diagnostic> {
    let span = model.program.procs.first().map_or(Span::NOWHERE, |proc| proc.span);
    let message = "no process promises anything about a channel";
    let help = "write `xr q` or `xs q` in front of the statements of the only one that reads from or writes to `q`";
    model.program.exclusives.is_empty().then(|| Diagnostic::warning(codes::NO_PROMISES, message, span).help(help))
}

/// The claims that are not checked. Assertions, invalid end states and faults are, whatever a claim says.
fn unchecked(model: &Model) -> Vec<Diagnostic> {
    let note = |kind: &str, name: &str, span: Span, help: String| {
        let message = format!("the {kind} claim `{name}` is not checked");
        Diagnostic::note(codes::UNCHECKED_CLAIM, message, span).help(help)
    };
    let program = &model.program;
    let others = "assertions, invalid end states and faults are checked, as with `pan -noclaim`";
    let help = |name: &str| format!("`--property {name}` checks it, `--claims` all; without, {others}");
    let nevers = program.nevers.iter().enumerate().filter(|(at, _)| !model.asked.nevers.contains(at));
    let nevers = nevers.map(|(_, never)| note("never", &never.name, never.span, help(&never.name)));
    let rest = program.ltls.iter().enumerate().filter(|(at, _)| !model.asked.ltls.contains(at));
    let formulas = rest.map(|(_, ltl)| note("ltl", &ltl.name, ltl.span, help(&ltl.name)));
    nevers.chain(formulas).collect()
}

/// Whether a finding may be a mere consequence of text that was left out.
fn about_the_rest(finding: &Diagnostic) -> bool {
    [codes::NO_PROCESS, codes::UNKNOWN_LABEL, codes::UNKNOWN_PROCESS, codes::LONG_MESSAGE].contains(&finding.code)
}

/// Says of each finding about a macro's text where that text is.
fn explain_macros(diagnostics: &mut [Diagnostic], expansions: &[Expansion]) {
    let mut sites: Vec<&Expansion> = expansions.iter().collect();
    sites.sort_by_key(|expansion| (expansion.site.file, expansion.site.start));
    for finding in diagnostics {
        let span = finding.primary.span;
        let first =
            sites.partition_point(|expansion| (expansion.site.file, expansion.site.start) < (span.file, span.start));
        let Some(expansion) = sites.get(first).filter(|expansion| holds(expansion.site, span)) else { continue };
        let known = expansion.definition != Span::NOWHERE;
        if known && !finding.secondary.iter().any(|label| label.span == expansion.definition) {
            let text = format!("in the macro `{}`", expansion.name);
            finding.secondary.push(burnside_diag::Label { span: expansion.definition, text });
        }
    }
}

fn holds(outer: Span, inner: Span) -> bool {
    outer.file == inner.file && outer.start <= inner.start && inner.end <= outer.end
}
