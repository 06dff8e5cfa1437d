//! Macro definitions and their expansion, by Prosser's algorithm: every token carries the macros it came out of.

use std::collections::HashMap;
use std::rc::Rc;

use burnside_diag::{Diagnostic, Span};

use super::scan::{HideSet, PpKind, PpToken};
use crate::codes;

/// Most tokens that a whole model may have after expansion; it stops macros that double at each level.
const MAX_TOKENS: usize = 4_000_000;

/// Deepest nesting of calls within arguments of calls; what is deeper stays as it is.
const MAX_DEPTH: u32 = 200;

/// A definition.
#[derive(Debug, Clone)]
pub(super) struct Macro {
    /// `None` for an object macro.
    pub(super) params: Option<Vec<Rc<str>>>,
    pub(super) body: Vec<PpToken>,
    pub(super) span: Span,
    /// Number for hide sets.
    pub(super) id: u32,
}

/// Where the text uses a macro, to explain diagnostics about tokens that are not there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Expansion {
    /// The macro's name in the text that is not itself part of a macro.
    pub(crate) site: Span,
    /// The name.
    pub(crate) name: String,
    /// Its definition.
    pub(crate) definition: Span,
}

#[derive(Default)]
pub(super) struct Macros {
    defined: HashMap<Rc<str>, Macro>,
    n_defined: u32,
    pub(super) expansions: Vec<Expansion>,
    n_tokens: usize,
    /// Calls within arguments of calls around the current one.
    depth: u32,
}

impl Macros {
    pub(super) fn define(&mut self, name: Rc<str>, params: Option<Vec<Rc<str>>>, body: Vec<PpToken>, span: Span) {
        let id = self.n_defined;
        self.n_defined += 1;
        self.defined.insert(name, Macro { params, body, span, id });
    }

    pub(super) fn undefine(&mut self, name: &str) {
        self.defined.remove(name);
    }

    pub(super) fn is_defined(&self, name: &str) -> bool {
        self.defined.contains_key(name)
    }

    /// Replaces all macros in `tokens`.
    pub(super) fn expand(&mut self, tokens: Vec<PpToken>, diagnostics: &mut Vec<Diagnostic>) -> Vec<PpToken> {
        let mut input: Vec<PpToken> = tokens;
        input.reverse();
        let mut output = Vec::with_capacity(input.len());
        // A macro that expands to nothing hands the line break before it on.
        let mut newline = false;
        while let Some(mut token) = input.pop() {
            token.newline |= std::mem::take(&mut newline);
            if self.n_tokens + output.len() > MAX_TOKENS {
                self.report_flood(&token, diagnostics);
                break;
            }
            let Some(replaced) = self.replacement(&token, &mut input, diagnostics) else {
                output.push(token);
                continue;
            };
            newline = token.newline;
            let mut replaced = replaced;
            if let Some(first) = replaced.first_mut() {
                first.newline = std::mem::take(&mut newline);
                first.space = token.space;
            }
            input.extend(replaced.into_iter().rev());
            // Expansion may grow without output while it nests; count the pushed tokens too.
            self.n_tokens += 1;
        }
        self.n_tokens += output.len();
        output
    }

    fn report_flood(&self, token: &PpToken, diagnostics: &mut Vec<Diagnostic>) {
        if !diagnostics.iter().any(|finding| finding.code == codes::EXPANSION_TOO_LARGE) {
            let message = format!("the model has more than {MAX_TOKENS} tokens after macro expansion");
            let finding = Diagnostic::error(codes::EXPANSION_TOO_LARGE, message, token.span);
            diagnostics.push(finding.help("look for macros that use each other twice"));
        }
    }

    /// What `token` stands for, if it is a macro to be replaced; takes the arguments off `input`.
    fn replacement(
        &mut self,
        token: &PpToken,
        input: &mut Vec<PpToken>,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<Vec<PpToken>> {
        if token.kind != PpKind::Word {
            return None;
        }
        let found = self.defined.get(&token.text)?.clone();
        if token.hidden_from.as_ref().is_some_and(|hidden| hidden.contains(&found.id)) {
            return None;
        }
        let (args, hidden) = match &found.params {
            None => (Vec::new(), token.hidden_from.as_deref().cloned().unwrap_or_default()),
            Some(params) => {
                if !input.last().is_some_and(|next| next.is("(")) {
                    return None;
                }
                let (args, close) = take_args(token, input, params.len(), diagnostics)?;
                (args, common(token.hidden_from.as_deref(), close.hidden_from.as_deref()))
            }
        };
        self.note(token, &found);
        let hidden = Rc::new(with(hidden, found.id));
        Some(self.substitute(token, &found, &args, &hidden, diagnostics))
    }

    fn note(&mut self, token: &PpToken, found: &Macro) {
        let known = |expansion: &Expansion| expansion.site == token.span;
        if !self.expansions.last().is_some_and(known) {
            let name = token.text.to_string();
            self.expansions.push(Expansion { site: token.span, name, definition: found.span });
        }
    }

    /// The body with arguments in place of parameters.
    fn substitute(
        &mut self,
        site: &PpToken,
        found: &Macro,
        args: &[Vec<PpToken>],
        hidden: &Rc<HideSet>,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Vec<PpToken> {
        let params = found.params.as_deref().unwrap_or_default();
        let argument =
            |token: &PpToken| params.iter().position(|param| *param == token.text).and_then(|index| args.get(index));
        let mut out: Vec<PpToken> = Vec::new();
        let mut body = found.body.iter().peekable();
        while let Some(token) = body.next() {
            if token.is("#")
                && found.params.is_some()
                && let Some(argument) = body.peek().and_then(|next| argument(next))
            {
                body.next();
                out.push(stringized(argument, site));
            } else if token.is("##")
                && !out.is_empty()
                && let Some(next) = body.next()
            {
                let right = argument(next).cloned().unwrap_or_else(|| vec![next.clone()]);
                paste(&mut out, right);
            } else if let Some(argument) = argument(token) {
                let verbatim = body.peek().is_some_and(|next| next.is("##"));
                let argument = argument.clone();
                let plain = verbatim || self.depth >= MAX_DEPTH;
                self.depth += 1;
                out.extend(if plain { argument } else { self.expand(argument, diagnostics) });
                self.depth -= 1;
            } else {
                out.push(PpToken { span: site.span, ..token.clone() });
            }
        }
        for token in &mut out {
            token.newline = false;
            let merged = token.hidden_from.as_deref().map(|own| union(own, hidden));
            token.hidden_from = Some(merged.map_or_else(|| Rc::clone(hidden), Rc::new));
        }
        out
    }
}

/// Arguments from `(` on, and the closing parenthesis; reports what does not fit.
fn take_args(
    name: &PpToken,
    input: &mut Vec<PpToken>,
    n_params: usize,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<(Vec<Vec<PpToken>>, PpToken)> {
    input.pop();
    let mut args = vec![Vec::new()];
    let mut depth = 0_u32;
    while let Some(mut token) = input.pop() {
        match &*token.text {
            ")" if depth == 0 => {
                if n_params == 0 && args.len() == 1 && args[0].is_empty() {
                    args.clear();
                }
                if args.len() != n_params {
                    let message =
                        format!("the macro `{}` takes {n_params} arguments, and {} are given", name.text, args.len());
                    let finding = Diagnostic::error(codes::MACRO_ARGUMENTS, message, name.span);
                    diagnostics.push(finding.help("put arguments that contain commas in parentheses"));
                    args.resize(n_params, Vec::new());
                }
                return Some((args, token));
            }
            "(" => depth += 1,
            ")" => depth -= 1,
            "," if depth == 0 => {
                args.push(Vec::new());
                continue;
            }
            _ => {}
        }
        token.space |= token.newline;
        token.newline = false;
        args.last_mut().expect("never empty").push(token);
    }
    let message = format!("the arguments of the macro `{}` have no closing parenthesis", name.text);
    let finding = Diagnostic::error(codes::MACRO_ARGUMENTS, message, name.span);
    diagnostics.push(finding.help("close them; nothing behind this place was read"));
    None
}

fn stringized(argument: &[PpToken], site: &PpToken) -> PpToken {
    let mut text = String::from("\"");
    for (index, token) in argument.iter().enumerate() {
        if token.space && index > 0 {
            text.push(' ');
        }
        match token.kind {
            PpKind::Text | PpKind::Char => text.push_str(&token.text.replace('\\', "\\\\").replace('"', "\\\"")),
            _ => text.push_str(&token.text),
        }
    }
    text.push('"');
    PpToken { kind: PpKind::Text, text: text.into(), hidden_from: None, ..site.clone() }
}

/// Joins the last token of `out` and the first of `right` into one word or number.
fn paste(out: &mut Vec<PpToken>, right: Vec<PpToken>) {
    let mut right = right.into_iter();
    let (Some(left), Some(first)) = (out.last_mut(), right.next()) else { return };
    left.text = format!("{}{}", left.text, first.text).into();
    left.hidden_from = None;
    if left.text.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_') {
        left.kind = PpKind::Word;
    }
    out.extend(right);
}

fn with(mut set: HideSet, id: u32) -> HideSet {
    if let Err(at) = set.binary_search(&id) {
        set.insert(at, id);
    }
    set
}

fn union(a: &HideSet, b: &HideSet) -> HideSet {
    b.iter().fold(a.clone(), |set, &id| with(set, id))
}

fn common(a: Option<&HideSet>, b: Option<&HideSet>) -> HideSet {
    let (Some(a), Some(b)) = (a, b) else { return HideSet::new() };
    a.iter().copied().filter(|id| b.contains(id)).collect()
}
