//! Names in scope. Both dialects want a name declared before it is used.

use std::collections::{HashMap, HashSet};

use burnside_diag::{Diagnostic, Span};
use burnside_ir::{FunctionId, GlobalId, TypeId};

use super::Checker;
use crate::ast::{Ast, Decl, Item, Name};
use crate::codes;
use crate::typed::{Role, VarId};

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Symbol {
    /// A constant or a member of an enumeration.
    Const(TypeId, i64),
    Type(TypeId),
    Global(GlobalId),
    Local(VarId),
    Function(FunctionId),
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
    /// Every name declared at the top level anywhere in the file, to explain a use that comes too early.
    eventually: HashMap<String, Span>,
    /// Names reported as unknown; each is reported once.
    unknown: HashSet<String>,
}

impl Scopes {
    pub(super) fn new(ast: &Ast) -> Self {
        let mut eventually = HashMap::new();
        for item in &ast.items {
            match item {
                Item::Decl(Decl::Const { names, .. } | Decl::Type { names, .. } | Decl::Var { names, .. }) => {
                    eventually.extend(names.iter().map(|name| (name.text.clone(), name.span)));
                }
                Item::Function(function) => {
                    eventually.insert(function.name.text.clone(), function.name.span);
                }
                Item::Rule(_) => {}
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
            Self::Const(..) => "a constant",
            Self::Type(_) => "a type",
            Self::Global(_) | Self::Local(_) => "a variable",
            Self::Function(_) => "a function or procedure",
            Self::Broken => "a declaration with an error",
        }
    }
}

impl Checker<'_> {
    /// Adds a name to the innermost scope.
    pub(super) fn declare(&mut self, name: &Name, symbol: Symbol) {
        let scope = self.scopes.stack.last_mut().expect("the outermost scope is never left");
        if let Some(earlier) = scope.get_mut(&name.text) {
            // Which of them a use means is anybody's guess, so uses say nothing more.
            earlier.symbol = Symbol::Broken;
            let earlier = *earlier;
            let finding =
                Diagnostic::error(codes::DUPLICATE_NAME, format!("`{}` is declared twice", name.text), name.span)
                    .label("declared again")
                    .also(earlier.span, "first declared here")
                    .help("rename one of them");
            self.report(finding);
            return;
        }
        scope.insert(name.text.clone(), Entry { symbol, span: name.span });
    }

    /// Adds a ruleset parameter. CMurphi rejects one that hides another, and Rumur's code for it does not compile.
    pub(super) fn declare_rule_param(&mut self, name: &Name, symbol: Symbol) {
        if let Some(Entry { symbol: Symbol::Local(var), span }) = self.scopes.lookup(&name.text)
            && matches!(self.program.local(var).role, Role::RuleParam | Role::PlaceAlias(_) | Role::ValueAlias)
        {
            let message = format!("`{}` hides the parameter of an enclosing ruleset or alias", name.text);
            let finding = Diagnostic::error(codes::SHADOWED_PARAMETER, message, name.span)
                .also(span, "the hidden one")
                .help("rename one of them");
            self.report(finding);
        }
        self.declare(name, symbol);
    }

    /// What a name stands for, or `None` with a diagnostic.
    pub(super) fn resolve(&mut self, name: &str, span: Span) -> Option<Symbol> {
        if let Some(entry) = self.scopes.lookup(name) {
            self.mentions.mention(entry.symbol);
            return (entry.symbol != Symbol::Broken).then_some(entry.symbol);
        }
        if self.lost_declarations || !self.scopes.unknown.insert(name.to_owned()) {
            return None;
        }
        let mut finding = Diagnostic::error(codes::UNKNOWN_NAME, format!("`{name}` is not declared"), span)
            .help("declare it before this place; upper and lower case are different");
        if let Some(&later) = self.scopes.eventually.get(name).filter(|later| later.start > span.start) {
            finding.message = format!("`{name}` is used before it is declared");
            finding = finding.also(later, "declared only here").help("move the declaration up");
        } else if let Some(nearest) = self.scopes.nearest(name) {
            finding = finding.help(format!("did you mean `{nearest}`?"));
        }
        self.report(finding);
        None
    }

    /// Reports that a name is of the wrong kind, pointing at its declaration.
    pub(super) fn wrong_kind(&mut self, name: &str, span: Span, needed: &str) -> Diagnostic {
        let Some(entry) = self.scopes.lookup(name) else { unreachable!("`{name}` was resolved") };
        let message = format!("`{name}` is {}, not {needed}", entry.symbol.kind());
        Diagnostic::error(codes::WRONG_KIND, message, span)
            .also(entry.span, "declared here")
            .help(format!("use the name of {needed} here"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        assert_eq!(edit_distance("state", "state"), 0);
        assert_eq!(edit_distance("stat", "state"), 1);
        assert_eq!(edit_distance("sate", "stat"), 2);
        assert_eq!(edit_distance("", "abc"), 3);
    }
}
