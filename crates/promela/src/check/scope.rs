//! Names in scope. A name is declared before it is used, and never hides another (SPIN has no shadowing).

use std::collections::{HashMap, HashSet};

use burnside_diag::{Diagnostic, Span};

use super::Checker;
use crate::ast::{Ast, Item, Name};
use crate::codes;
use crate::typed::{MtypeId, StructId, VarId};

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Symbol {
    Global(VarId),
    Local(VarId),
    /// A name of an `mtype`, with its value.
    Mtype(MtypeId, i32),
    Struct(StructId),
    /// Declared, but wrongly; uses of it say nothing more.
    Broken,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub(super) symbol: Symbol,
    pub(super) span: Span,
}

/// The scopes around the current place, innermost last.
pub(super) struct Scopes {
    stack: Vec<HashMap<String, Entry>>,
    /// Every name declared at the top level anywhere, to explain a use that comes too early.
    eventually: HashMap<String, Span>,
    /// Names reported as unknown; each is reported once.
    unknown: HashSet<String>,
}

impl Scopes {
    pub(super) fn new(ast: &Ast) -> Self {
        let mut eventually = HashMap::new();
        for item in &ast.items {
            match item {
                Item::Decl(decl) => {
                    eventually.extend(decl.vars.iter().map(|var| (var.name.text.clone(), var.name.span)));
                }
                Item::Mtype(mtype) => {
                    eventually.extend(mtype.names.iter().map(|name| (name.text.clone(), name.span)));
                }
                Item::Typedef(typedef) => {
                    eventually.insert(typedef.name.text.clone(), typedef.name.span);
                }
                Item::Proc(_) | Item::Never(_) | Item::Trace(_) | Item::Ltl(_) => {}
            }
        }
        Self { stack: vec![HashMap::new()], eventually, unknown: HashSet::new() }
    }

    pub(super) fn enter(&mut self) {
        self.stack.push(HashMap::new());
    }

    pub(super) fn leave(&mut self) {
        self.stack.pop();
    }

    pub(super) fn lookup(&self, name: &str) -> Option<Entry> {
        self.stack.iter().rev().find_map(|scope| scope.get(name)).copied()
    }

    /// The nearest declared name for a misspelt one: another case, or one or two letters off.
    fn nearest(&self, name: &str) -> Option<&str> {
        let names = self.stack.iter().flat_map(|scope| scope.keys());
        let close = names.filter_map(|candidate| {
            let distance = edit_distance(&name.to_ascii_lowercase(), &candidate.to_ascii_lowercase());
            (distance <= name.len().min(8) / 3).then_some((distance, candidate.as_str()))
        });
        close.min().map(|(_, candidate)| candidate)
    }
}

/// Number of letters to insert, remove or replace (Levenshtein).
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &cb) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(ca != cb);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

impl Symbol {
    /// The kind of thing, for messages.
    pub(super) fn kind(self) -> &'static str {
        match self {
            Self::Global(_) | Self::Local(_) => "a variable",
            Self::Mtype(..) => "a name of an `mtype`",
            Self::Struct(_) => "a type",
            Self::Broken => "a declaration with an error",
        }
    }
}

impl Checker {
    /// Adds a name to the innermost scope. It must not be visible already.
    pub(super) fn declare(&mut self, name: &Name, symbol: Symbol) {
        if let Some(earlier) = self.scopes.lookup(&name.text) {
            let finding =
                Diagnostic::error(codes::DUPLICATE_NAME, format!("`{}` is declared already", name.text), name.span)
                    .label("declared again")
                    .also(earlier.span, "visible here from this place on")
                    .help("rename one of them; in Promela an inner name may not hide an outer one");
            self.report(finding);
            return;
        }
        let scope = self.scopes.stack.last_mut().expect("the outermost scope is never left");
        scope.insert(name.text.clone(), Entry { symbol, span: name.span });
    }

    /// What a name stands for, or `None` with a diagnostic.
    pub(super) fn resolve(&mut self, name: &Name) -> Option<Symbol> {
        if let Some(entry) = self.scopes.lookup(&name.text) {
            return (entry.symbol != Symbol::Broken).then_some(entry.symbol);
        }
        if self.lost_declarations || !self.scopes.unknown.insert(name.text.clone()) {
            return None;
        }
        let mut finding = Diagnostic::error(codes::UNKNOWN_NAME, format!("`{}` is not declared", name.text), name.span)
            .help("declare it before this place; upper and lower case are different");
        let later = self.scopes.eventually.get(&name.text);
        if let Some(&later) = later.filter(|later| later.file == name.span.file && later.start > name.span.start) {
            finding.message = format!("`{}` is used before it is declared", name.text);
            finding = finding.also(later, "declared only here").help("move the declaration up");
        } else if self.procs.contains_key(&name.text) {
            finding.message = format!("`{}` is a process type, not a variable", name.text);
            finding = finding.help("start a process with `run`, or look into one with `P[i]@label` or `P[i]:variable`");
        } else if let Some(nearest) = self.scopes.nearest(&name.text) {
            finding = finding.help(format!("did you mean `{nearest}`?"));
        }
        self.report(finding);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        assert_eq!(edit_distance("state", "state"), 0);
        assert_eq!(edit_distance("sate", "stat"), 2);
        assert_eq!(edit_distance("", "abc"), 3);
    }
}
