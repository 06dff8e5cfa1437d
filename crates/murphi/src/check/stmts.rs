//! Statements.

use burnside_diag::{Diagnostic, Span};
use burnside_ir::{Type, TypeId};

use super::coerce::Purpose;
use super::scope::Symbol;
use super::{Checker, Returns};
use crate::ast::{self, AliasBinding, PropertyKind, Quantifier, StmtKind as Syntax};
use crate::codes;
use crate::typed::{AliasTarget, Base, CoverPoint, ExprKind, Place, Role, Source, Stmt, StmtKind, VarId};

impl Checker<'_> {
    /// Checks statements; wrong ones are left out.
    pub(super) fn block(&mut self, stmts: &[ast::Stmt]) -> Vec<Stmt> {
        stmts.iter().filter_map(|stmt| self.stmt(stmt).map(|kind| Stmt { kind, span: stmt.span })).collect()
    }

    fn stmt(&mut self, stmt: &ast::Stmt) -> Option<StmtKind> {
        match &stmt.kind {
            Syntax::Assign(target, value) => self.assign(target, value),
            Syntax::Clear(target) => {
                let place = self.writable_place(target, "what is cleared")?;
                self.warn_clear(&place);
                Some(StmtKind::Clear(place))
            }
            Syntax::Undefine(target) => {
                let place = self.writable_place(target, "what is undefined")?;
                Some(StmtKind::Assign(place, Source::Undefined))
            }
            Syntax::If { branches, otherwise } => self.if_stmt(branches, otherwise),
            Syntax::Switch { subject, cases, otherwise } => self.switch(subject, cases, otherwise),
            Syntax::For(quantifiers, body) => self.for_loop(quantifiers, body),
            Syntax::While(condition, body) => {
                let condition = self.condition(condition, "the condition of `while`");
                let body = self.scoped(|checker| checker.block(body));
                Some(StmtKind::While(condition?, body))
            }
            Syntax::Alias(bindings, body) => self.alias(bindings, body),
            Syntax::Call(name, args) => self.call_stmt(name, args, stmt.span),
            Syntax::RemoveMatching(matching) => self.multiset_remove_where(matching),
            Syntax::Return(value) => self.return_stmt(value.as_ref(), stmt.span),
            Syntax::Property(kind, condition, message) => self.property_stmt(*kind, condition, message, stmt.span),
            Syntax::Error(message) => Some(StmtKind::Error(message.clone())),
            Syntax::Put(value) => self.expr(value).map(StmtKind::Put),
            Syntax::PutText(text) => Some(StmtKind::PutText(text.clone())),
        }
    }

    fn assign(&mut self, target: &ast::Expr, value: &ast::Expr) -> Option<StmtKind> {
        let place = self.writable_place(target, "the target of an assignment");
        if self.is_undefined_literal(value) {
            return Some(StmtKind::Assign(place?, Source::Undefined));
        }
        let value = self.expr(value);
        let (place, value) = (place?, value?);
        let what = self.place_name(&place);
        let purpose = Purpose { what: &what, declared: self.declaration(&place) };
        let value = self.coerce(value, place.ty, &purpose)?;
        Some(StmtKind::Assign(place, Source::Value(value)))
    }

    /// Rumur sets a scalarset variable to its first member, which singles that one out.
    fn warn_clear(&mut self, place: &Place) {
        if !self.holds_identity(place.ty) {
            return;
        }
        let message = format!("`clear` sets a member of a scalarset in {}", self.place_name(place));
        let finding = Diagnostic::warning(codes::CLEAR_SCALARSET, message, place.span)
            .label("the first member is chosen")
            .help("this breaks symmetry; use `undefine`, or choose a member in a `ruleset`");
        self.report(finding);
    }

    fn holds_identity(&self, ty: TypeId) -> bool {
        match self.types().get(ty) {
            Type::Id(_) => true,
            Type::Union { members } => self.holds_identity(members[0]),
            &Type::Array { element, .. } => self.holds_identity(element),
            Type::Record { fields } => fields.iter().any(|field| self.holds_identity(field.ty)),
            _ => false,
        }
    }

    fn if_stmt(&mut self, branches: &[(ast::Expr, Vec<ast::Stmt>)], otherwise: &[ast::Stmt]) -> Option<StmtKind> {
        let mut arms = Some(Vec::new());
        for (condition, body) in branches {
            let condition = self.condition(condition, "the condition of `if`");
            let body = self.block(body);
            arms = arms.zip(condition).map(|(mut arms, condition)| {
                arms.push((condition, body));
                arms
            });
        }
        let otherwise = self.block(otherwise);
        Some(StmtKind::If(arms?, otherwise))
    }

    fn for_loop(&mut self, quantifiers: &[Quantifier], body: &[ast::Stmt]) -> Option<StmtKind> {
        self.scoped(|checker| {
            let bound = checker.loop_quantifiers(quantifiers);
            let body = checker.block(body);
            Some(StmtKind::For(bound?, body))
        })
    }

    fn alias(&mut self, bindings: &[AliasBinding], body: &[ast::Stmt]) -> Option<StmtKind> {
        self.scoped(|checker| {
            let mut bound = Vec::new();
            for binding in bindings {
                let alias = checker.alias_binding(binding);
                checker.declare_alias(binding, &alias);
                if let Some(Alias::Bound(var, target)) = alias {
                    bound.push((var, target));
                }
            }
            let body = checker.block(body);
            Some(StmtKind::Alias(bound, body))
        })
    }

    /// What a new name stands for. A constant needs no binding at all.
    pub(super) fn alias_binding(&mut self, binding: &AliasBinding) -> Option<Alias> {
        let target = &binding.target;
        let typed = self.expr(target)?;
        let (name, span) = (&binding.name.text, binding.name.span);
        if let Some(value) = typed.as_const() {
            return Some(Alias::Const(typed.ty, value));
        }
        if let ExprKind::Read(place) = typed.kind {
            let access = self.access(&place);
            let role = match self.slot_role(&place) {
                Some(role) => role,
                None => Role::PlaceAlias(access),
            };
            let var = self.add_local(name, place.ty, role, span);
            return Some(Alias::Bound(var, AliasTarget::Place(place)));
        }
        let var = self.add_local(name, typed.ty, Role::ValueAlias, span);
        Some(Alias::Bound(var, AliasTarget::Value(typed)))
    }

    pub(super) fn declare_alias(&mut self, binding: &AliasBinding, alias: &Option<Alias>) {
        let symbol = match alias {
            Some(Alias::Const(ty, value)) => Symbol::Const(*ty, *value),
            Some(Alias::Bound(var, _)) => Symbol::Local(*var),
            None => Symbol::Broken,
        };
        self.declare(&binding.name, symbol);
    }

    fn return_stmt(&mut self, value: Option<&ast::Expr>, span: Span) -> Option<StmtKind> {
        match (self.returns, value) {
            (Returns::Nothing, None) => Some(StmtKind::Return(None)),
            (Returns::Value(ty), Some(value)) => {
                let typed = self.expr(value)?;
                let typed = self.coerce(typed, ty, &Purpose { what: "the result", declared: None })?;
                Some(StmtKind::Return(Some(typed)))
            }
            (Returns::Unknown, Some(value)) => {
                self.expr(value);
                None
            }
            (Returns::Nothing, Some(value)) => {
                self.expr(value);
                let message = "only a function returns a value";
                let finding = Diagnostic::error(codes::RETURN_VALUE, message, span)
                    .help("write `return` alone, or make this a `function`");
                self.report(finding);
                None
            }
            (Returns::Value(_) | Returns::Unknown, None) => {
                let message = "a function must return a value";
                self.report(Diagnostic::error(codes::RETURN_VALUE, message, span).help("write `return` and the value"));
                None
            }
        }
    }

    fn property_stmt(&mut self, kind: PropertyKind, condition: &ast::Expr, text: &str, span: Span) -> Option<StmtKind> {
        let condition = self.condition(condition, "what is claimed");
        match kind {
            PropertyKind::Invariant => Some(StmtKind::Assert(condition?, text.to_owned())),
            PropertyKind::Assume => Some(StmtKind::Assume(condition?)),
            PropertyKind::Cover => {
                self.program.cover_points.push(CoverPoint { name: text.to_owned(), span });
                Some(StmtKind::Cover(self.program.cover_points.len() - 1, condition?))
            }
            PropertyKind::Liveness => {
                let message = "`liveness` is a claim about the whole model, not a statement";
                let finding = Diagnostic::error(codes::LIVENESS_STATEMENT, message, span)
                    .help("move it to the top level, among the rules");
                self.report(finding);
                None
            }
        }
    }

    /// An alias of a slot name is a slot name.
    fn slot_role(&self, place: &Place) -> Option<Role> {
        let Base::Local(var) = place.base else { return None };
        let role = self.program.local(var).role;
        (place.path.is_empty() && matches!(role, Role::Slot(_))).then_some(role)
    }
}

/// What an alias stands for.
pub(super) enum Alias {
    Const(TypeId, i64),
    Bound(VarId, AliasTarget),
}
