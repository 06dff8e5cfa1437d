//! Syntax tree to checked tree: names, types, constants, and what may stand where.
//!
//! A function here returns `None` for a part that is wrong; the reason is then in the diagnostics already, and whatever
//! depends on the part stays silent. Parts that do not depend on each other are all checked, so that one run reports
//! everything. What either dialect accepts is accepted; types agree by structure, as in Rumur.

mod calls;
mod claims;
mod coerce;
mod consts;
mod decls;
mod designators;
mod domains;
mod effects;
mod exprs;
mod multisets;
mod numbers;
mod operators;
mod returns;
mod rules;
mod scope;
mod stmts;
mod switches;
mod types;
mod unused;
mod whole;

use burnside_diag::{Diagnostic, FileId, Span};
use burnside_ir::{TypeId, Types};

use crate::ast::{Ast, Decl, Item};
use crate::typed::{Binding, Local, Program, Role, VarId};
use consts::Overrides;
use scope::Scopes;
use types::Interned;
use unused::Mentions;

/// Checks a model; the tree is meaningful only if no diagnostic is an error.
pub(crate) fn check(ast: &Ast, file: FileId, overrides: &[(String, i64)]) -> (Program, Vec<Diagnostic>) {
    let mut checker = Checker {
        program: Program::default(),
        scopes: Scopes::new(ast),
        interned: Interned::default(),
        mentions: Mentions::default(),
        overrides: Overrides::new(overrides),
        bindings: Vec::new(),
        within: "the model".to_owned(),
        returns: Returns::Nothing,
        rumur_syntax: ast.rumur_syntax,
        lost_declarations: ast.lost_declarations,
        real_reported: false,
        diagnostics: Vec::new(),
    };
    for item in &ast.items {
        match item {
            Item::Decl(decl) => checker.global_decl(decl),
            Item::Function(function) => checker.function(function),
            Item::Rule(item) => checker.rule_item(item),
        }
    }
    checker.report_unknown_overrides();
    checker.report_whole_model(file);
    if checker.n_errors() == 0 {
        checker.report_effects();
    }
    if !ast.lost_text {
        checker.report_unused();
    }
    (checker.program, checker.diagnostics)
}

struct Checker<'a> {
    program: Program,
    scopes: Scopes,
    interned: Interned,
    mentions: Mentions,
    overrides: Overrides<'a>,
    /// Rulesets, aliases and `choose` around the current rule.
    bindings: Vec<Binding>,
    /// What we are in, for messages: a rule, a function, …
    within: String,
    /// What `return` means where we are.
    returns: Returns,
    rumur_syntax: Option<Span>,
    /// Some declaration could not be read: an unknown name is then no news.
    lost_declarations: bool,
    /// Real numbers are refused once, not at every occurrence.
    real_reported: bool,
    diagnostics: Vec<Diagnostic>,
}

/// What `return` hands back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Returns {
    /// In rules, start states and procedures.
    Nothing,
    Value(TypeId),
    /// In a function whose result type is wrong.
    Unknown,
}

impl Checker<'_> {
    fn report(&mut self, finding: Diagnostic) {
        self.diagnostics.push(finding);
    }

    fn n_errors(&self) -> usize {
        self.diagnostics.iter().filter(|finding| finding.is_error()).count()
    }

    fn types(&self) -> &Types {
        &self.program.types
    }

    /// A type as the user knows it, in backticks.
    fn show(&self, ty: TypeId) -> String {
        format!("`{}`", self.types().type_name(ty))
    }

    fn add_local(&mut self, name: &str, ty: TypeId, role: Role, span: Span) -> VarId {
        self.program.locals.push(Local { name: name.to_owned(), ty, role, span });
        VarId(self.program.locals.len() as u32 - 1)
    }

    /// Runs `inner` in a scope of its own.
    fn scoped<T>(&mut self, inner: impl FnOnce(&mut Self) -> T) -> T {
        self.scopes.enter();
        let result = inner(self);
        self.scopes.leave();
        result
    }

    fn local_decls(&mut self, decls: &[Decl]) {
        for decl in decls {
            self.local_decl(decl);
        }
    }
}

#[cfg(test)]
mod tests;
