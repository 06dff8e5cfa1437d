//! The whole way from text to checked model and its automata.

use std::collections::BTreeMap;

use burnside_diag::{Diagnostic, FileId, Span};

use crate::ast::Ast;
use crate::check::check;
use crate::codes;
use crate::flow::{self, Flow};
use crate::lex::lex;
use crate::parse::parse as parse_tokens;
use crate::preprocess::{Expansion, Include, Resolver, preprocess};
use crate::typed::Program;

/// How to read a model.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// What `-D` gives: `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
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
}

impl Model {
    /// The model for engines.
    pub fn lower(&self) -> burnside_ir::Model {
        crate::lower::lower(self)
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
    let mut keeping = |include: Include<'_>| {
        let found = resolver(include)?;
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
        Model { program, flow, texts }
    });
    let sound = !diagnostics.iter().any(Diagnostic::is_error);
    diagnostics.extend(model.iter().filter(|_| sound).flat_map(|model| unchecked(&model.program)));
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

/// The claims that are not checked. Assertions, invalid end states and faults are, whatever a claim says.
fn unchecked(program: &Program) -> Vec<Diagnostic> {
    let nevers = program.nevers.iter().map(|never| ("never", &never.name, never.span));
    let formulas = program.ltls.iter().map(|ltl| ("ltl", &ltl.name, ltl.span));
    let note = |(kind, name, span): (&str, &String, Span)| {
        let message = format!("the {kind} claim `{name}` is not checked");
        Diagnostic::note(codes::UNCHECKED_CLAIM, message, span)
            .help("assertions, invalid end states and faults are checked, as with `pan -noclaim`")
    };
    nevers.chain(formulas).map(note).collect()
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
        let known = expansion.definition != Span::default();
        if known && !finding.secondary.iter().any(|label| label.span == expansion.definition) {
            let text = format!("in the macro `{}`", expansion.name);
            finding.secondary.push(burnside_diag::Label { span: expansion.definition, text });
        }
    }
}

fn holds(outer: Span, inner: Span) -> bool {
    outer.file == inner.file && outer.start <= inner.start && inner.end <= outer.end
}
