//! The preprocessor: macros, conditionals and includes, as `cpp` treats them for SPIN. No C compiler is called.
//!
//! [`preprocess`] turns a file into the tokens of the whole model. A token that comes out of a macro has the span of the
//! macro's name in the text; [`Expansion`] says where that macro is defined. Included texts come from the caller.

mod condition;
mod macros;
mod scan;

use std::rc::Rc;

use burnside_diag::{Diagnostic, FileId, Span};

pub(crate) use macros::Expansion;
use macros::Macros;
use scan::scan;
pub(crate) use scan::{PpKind, PpToken};

use crate::codes;

/// Deepest nesting of includes.
const MAX_INCLUDES: u32 = 64;

/// A text asked for by `#include`.
#[derive(Debug, Clone, Copy)]
pub struct Include<'a> {
    /// The name between the quotes or angle brackets.
    pub name: &'a str,
    /// The file that asks.
    pub from: FileId,
    /// Whether the name stands in quotes, which look beside the asking file first.
    pub quoted: bool,
}

/// Finds included texts: the text and the id its spans are to carry, or one line that says why there is none.
pub type Resolver<'a> = dyn FnMut(Include<'_>) -> Result<(FileId, String), String> + 'a;

/// What came out of a file.
pub(crate) struct Preprocessed {
    pub(crate) tokens: Vec<PpToken>,
    pub(crate) expansions: Vec<Expansion>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// The end of the model's own file.
    pub(crate) end: Span,
}

/// Expands `text`. Each of `defines` is `NAME` or `NAME=VALUE`, as after `-D`.
pub(crate) fn preprocess(file: FileId, text: &str, defines: &[String], resolver: &mut Resolver<'_>) -> Preprocessed {
    let mut run =
        Run { macros: Macros::default(), resolver, output: Vec::new(), diagnostics: Vec::new(), n_includes: 0 };
    for define in defines {
        run.define_option(define);
    }
    run.file(file, text);
    let end = Span::new(file, text.len(), text.len());
    Preprocessed { tokens: run.output, expansions: run.macros.expansions, diagnostics: run.diagnostics, end }
}

struct Run<'r, 'c> {
    macros: Macros,
    resolver: &'r mut Resolver<'c>,
    output: Vec<PpToken>,
    diagnostics: Vec<Diagnostic>,
    n_includes: u32,
}

/// One `#if` waiting for its `#endif`.
struct Conditional {
    span: Span,
    /// Whether text here is read.
    active: bool,
    /// Whether some branch was read already.
    taken: bool,
    /// Whether the text around is read.
    enclosing: bool,
    else_seen: bool,
}

impl Run<'_, '_> {
    fn define_option(&mut self, define: &str) {
        let (name, value) = define.split_once('=').unwrap_or((define, "1"));
        let (mut body, _) = scan(FileId(u32::MAX), value);
        for token in &mut body {
            token.newline = false;
        }
        self.macros.define(name.trim().into(), None, body, Span::NOWHERE);
    }

    fn file(&mut self, file: FileId, text: &str) {
        let (tokens, diagnostics) = scan(file, text);
        self.diagnostics.extend(diagnostics);
        let mut conditionals: Vec<Conditional> = Vec::new();
        let mut plain: Vec<PpToken> = Vec::new();
        let mut at = 0;
        while at < tokens.len() {
            let end = (at + 1..tokens.len()).find(|&next| tokens[next].newline).unwrap_or(tokens.len());
            let line = &tokens[at..end];
            at = end;
            if line[0].is("#") {
                self.flush(&mut plain);
                self.directive(line, &mut conditionals, file);
            } else if conditionals.last().is_none_or(|conditional| conditional.active) {
                plain.extend_from_slice(line);
            }
        }
        self.flush(&mut plain);
        for conditional in conditionals {
            let finding = Diagnostic::error(codes::UNBALANCED_CONDITIONAL, "this has no `#endif`", conditional.span);
            self.diagnostics.push(finding.help("add `#endif` where the conditional text ends"));
        }
    }

    fn flush(&mut self, plain: &mut Vec<PpToken>) {
        let expanded = self.macros.expand(std::mem::take(plain), &mut self.diagnostics);
        self.output.extend(expanded);
    }

    fn directive(&mut self, line: &[PpToken], conditionals: &mut Vec<Conditional>, file: FileId) {
        let Some(word) = line.get(1) else { return };
        let span = line[0].span.to(word.span);
        let rest = &line[2..];
        let active = conditionals.last().is_none_or(|conditional| conditional.active);
        match &*word.text {
            "if" | "ifdef" | "ifndef" => {
                let holds = active && self.opening_holds(&word.text, rest, span);
                conditionals.push(Conditional {
                    span,
                    active: active && holds,
                    taken: holds,
                    enclosing: active,
                    else_seen: false,
                });
            }
            "elif" | "else" | "endif" => self.continue_conditional(&word.text, rest, span, conditionals),
            _ if !active => {}
            "define" => self.define(rest, span),
            "undef" => match rest.first() {
                Some(name) => self.macros.undefine(&name.text),
                None => self.bad_directive(span, "`#undef` without a name", "name the macro to forget"),
            },
            "include" => self.include(rest, span, file),
            "error" => {
                let text: Vec<&str> = rest.iter().map(|token| &*token.text).collect();
                let message = format!("the model says: {}", text.join(" "));
                let finding = Diagnostic::error(codes::ERROR_DIRECTIVE, message, span);
                self.diagnostics.push(finding.help("give the `-D` options that the model asks for"));
            }
            // Line markers and hints to compilers say nothing about the model.
            "pragma" | "line" | "ident" | "warning" => {}
            _ if word.kind == PpKind::Number => {}
            other => {
                let message = format!("`#{other}` is not a directive");
                self.bad_directive(span, &message, "use `#define`, `#undef`, `#include` or a conditional");
            }
        }
    }

    fn bad_directive(&mut self, span: Span, message: &str, help: &str) {
        self.diagnostics.push(Diagnostic::error(codes::BAD_DIRECTIVE, message, span).help(help));
    }

    fn opening_holds(&mut self, word: &str, rest: &[PpToken], span: Span) -> bool {
        if word == "if" {
            return condition::holds(rest, span, &mut self.macros, &mut self.diagnostics);
        }
        let Some(name) = rest.first() else {
            self.bad_directive(span, &format!("`#{word}` without a name"), "name the macro to ask for");
            return false;
        };
        self.macros.is_defined(&name.text) == (word == "ifdef")
    }

    fn continue_conditional(&mut self, word: &str, rest: &[PpToken], span: Span, conditionals: &mut Vec<Conditional>) {
        let Some(open) = conditionals.last_mut() else {
            let finding = Diagnostic::error(codes::UNBALANCED_CONDITIONAL, format!("`#{word}` without `#if`"), span);
            self.diagnostics.push(finding.help("remove it, or look for an `#endif` too many above"));
            return;
        };
        if word == "endif" {
            conditionals.pop();
            return;
        }
        if open.else_seen {
            let finding = Diagnostic::error(codes::UNBALANCED_CONDITIONAL, format!("`#{word}` after `#else`"), span)
                .also(open.span, "the conditional begins here")
                .help("remove it, or look for an `#endif` missing above");
            self.diagnostics.push(finding);
        }
        let wanted = open.enclosing && !open.taken;
        let holds = wanted && (word == "else" || condition::holds(rest, span, &mut self.macros, &mut self.diagnostics));
        open.else_seen |= word == "else";
        open.active = holds;
        open.taken |= holds;
    }

    fn define(&mut self, rest: &[PpToken], span: Span) {
        let Some(name) = rest.first().filter(|name| name.kind == PpKind::Word) else {
            self.bad_directive(span, "`#define` without a name", "write `#define NAME text`");
            return;
        };
        let function = rest.get(1).filter(|open| open.is("(") && !open.space);
        let (params, body) = match function {
            None => (None, &rest[1..]),
            Some(_) => {
                let Some(close) = rest.iter().position(|token| token.is(")")) else {
                    self.bad_directive(
                        name.span,
                        "the parameters of this macro have no `)`",
                        "close them on this line",
                    );
                    return;
                };
                let words = rest[2..close].iter().filter(|token| token.kind == PpKind::Word);
                (Some(words.map(|word| Rc::clone(&word.text)).collect()), &rest[close + 1..])
            }
        };
        self.macros.define(Rc::clone(&name.text), params, body.to_vec(), name.span);
    }

    fn include(&mut self, rest: &[PpToken], span: Span, from: FileId) {
        let (name, quoted) = match rest.first() {
            Some(text) if text.kind == PpKind::Text => (text.text.trim_matches('"').to_owned(), true),
            Some(open) if open.is("<") => {
                let inner = rest[1..].iter().take_while(|token| !token.is(">"));
                (inner.map(|token| &*token.text).collect::<String>(), false)
            }
            _ => return self.bad_directive(span, "`#include` without a file name", "write `#include \"name\"`"),
        };
        let place = rest.iter().skip(1).fold(rest[0].span, |span, token| span.to(token.span));
        if self.n_includes >= MAX_INCLUDES {
            let message = format!("includes are nested more than {MAX_INCLUDES} deep");
            let finding = Diagnostic::error(codes::INCLUDE_FAILED, message, place);
            self.diagnostics.push(finding.help("look for a file that includes itself"));
            return;
        }
        match (self.resolver)(Include { name: &name, from, quoted }) {
            Ok((file, text)) => {
                self.n_includes += 1;
                self.file(file, &text);
                self.n_includes -= 1;
            }
            Err(reason) => {
                let finding =
                    Diagnostic::error(codes::INCLUDE_FAILED, format!("`{name}` is not included: {reason}"), place);
                self.diagnostics
                    .push(finding.help("put the file below the model's folder, or name its folder with `-I`"));
            }
        }
    }
}

#[cfg(test)]
mod tests;
