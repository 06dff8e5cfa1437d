//! Calls with effects where no order of evaluation is defined.
//!
//! As statements, and in the expressions of statements, functions may change variables: they are called from left to
//! right. Guards, conditions of properties, what surrounds rules, bodies of quantifiers and conditions on elements of
//! multisets are evaluated for many values, or not at all, in whatever order; there a call with effects means nothing
//! that one could rely on.

use burnside_diag::Diagnostic;

use super::Checker;
use crate::codes;
use crate::effects::{Effects, Visitor, walk_expr, walk_stmt};
use crate::typed::{AliasTarget, Binding, Call, Expr, ExprKind, Program, Stmt, StmtKind};

impl Checker<'_> {
    pub(super) fn report_effects(&mut self) {
        let effects = Effects::new(&self.program);
        let mut search = Search { program: &self.program, effects: &effects, found: Vec::new() };
        search.program();
        let found = search.found;
        self.diagnostics.extend(found);
    }
}

struct Search<'a> {
    program: &'a Program,
    effects: &'a Effects,
    found: Vec<Diagnostic>,
}

impl<'a> Search<'a> {
    fn program(&mut self) {
        let program = self.program;
        for rule in &program.rules {
            self.bindings(&rule.bindings);
            let guard = rule.guard.as_ref().and_then(|guard| self.effects.in_expr(guard));
            self.refuse(guard, "a guard");
            self.block(&rule.body);
        }
        for start in &program.starts {
            self.bindings(&start.bindings);
            self.block(&start.body);
        }
        for property in &program.properties {
            self.bindings(&property.bindings);
            self.refuse(self.effects.in_expr(&property.condition), "a property");
        }
        for function in &program.functions {
            self.block(&function.body);
        }
    }

    fn bindings(&mut self, bindings: &'a [Binding]) {
        for binding in bindings {
            let (call, place) = match binding {
                Binding::Param(_, domain) => (self.effects.in_domain(domain), "what is chosen from"),
                Binding::Alias(_, AliasTarget::Place(place)) => (self.effects.in_place(place), "an alias around rules"),
                Binding::Alias(_, AliasTarget::Value(value)) => (self.effects.in_expr(value), "an alias around rules"),
            };
            self.refuse(call, place);
        }
    }

    fn refuse(&mut self, call: Option<&Call>, place: &str) {
        let Some(call) = call else { return };
        let Some(effect) = self.effects.of(call.function) else { return };
        let name = &self.program.functions[call.function.index()].name;
        let message = format!("`{name}` has effects, so it cannot be called in {place}");
        let finding = Diagnostic::error(codes::EFFECT_IN_EXPRESSION, message, call.span)
            .also(effect, "its effect")
            .help("call it in the body of the rule, or write a function that changes nothing");
        if !self.found.contains(&finding) {
            self.found.push(finding);
        }
    }
}

/// Statements may have calls with effects in their expressions, but not everywhere in them.
impl<'a> Visitor<'a> for Search<'a> {
    fn call(&mut self, _: &'a Call) {}

    fn stmt(&mut self, stmt: &'a Stmt) {
        match &stmt.kind {
            StmtKind::Switch(switch) => {
                for label in switch.cases.iter().flat_map(|(labels, _)| labels) {
                    self.refuse(self.effects.in_expr(label), "the label of a case");
                }
            }
            StmtKind::MultisetRemoveWhere(_, _, condition) => {
                self.refuse(self.effects.in_expr(condition), "the condition on elements of a multiset");
            }
            _ => {}
        }
        walk_stmt(self, stmt);
    }

    fn expr(&mut self, expr: &'a Expr) {
        match &expr.kind {
            ExprKind::Quantified(_, bound, body) => {
                for (_, domain) in bound {
                    self.refuse(self.effects.in_domain(domain), "a quantifier");
                }
                self.refuse(self.effects.in_expr(body), "a quantifier");
            }
            ExprKind::Count(_, set, condition) => {
                self.refuse(self.effects.in_place(set), "`multisetcount`");
                self.refuse(self.effects.in_expr(condition), "the condition on elements of a multiset");
            }
            _ => walk_expr(self, expr),
        }
    }
}
