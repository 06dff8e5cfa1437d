//! The verifier: whether a model is one that the engines may take for granted.
//!
//! A front end that lowers a checked program yields a model without defects; an engine given a model without defects
//! finds every id in its table, every operand of the right type and every note of a type true. What can only be known
//! when the model runs (a value out of range, an undefined read) is no defect but a fault.
//!
//! Types come first: if they have defects, nothing else is looked at.

mod claim;
mod defect;
mod expr;
mod place;
mod quantified;
mod slots;
mod stmt;
mod structure;

use std::collections::{BTreeMap, BTreeSet};

use burnside_diag::Span;

use self::quantified::{Escapes, Quantified};
use self::slots::{Referenced, Scope};
use self::structure::{Structures, type_defects};
use crate::visit::Visitor;
use crate::{
    Binder, Block, Domain, Effects, Expr, Function, FunctionId, GlobalId, Local, LocalId, LocalMode, MAX_DEPTH, Model,
    Owner, Part, Place, Property, PropertyId, PropertyKind, Rule, RuleId, StartId, StartState, Type, TypeId,
};

pub use defect::{Defect, DefectKind, Subject, Table};

/// Everything that is wrong with a model; nothing if it is fit for use.
pub fn verify(model: &Model) -> Vec<Defect> {
    let defects = type_defects(&model.types);
    if !defects.is_empty() {
        return defects;
    }
    let mut checker = Checker::new(model);
    checker.globals();
    for (at, function) in (0..).zip(&model.functions) {
        checker.function(FunctionId(at), function);
    }
    for (at, start) in (0..).zip(&model.starts) {
        checker.start(StartId(at), start);
    }
    for (at, rule) in (0..).zip(&model.rules) {
        checker.rule(RuleId(at), rule);
    }
    for (at, property) in (0..).zip(&model.properties) {
        checker.property(PropertyId(at), property);
    }
    checker.claims();
    if model.starts.is_empty() {
        checker.enter(Subject::Model, &[], Referenced::default(), Span::NOWHERE);
        checker.report(Span::NOWHERE, DefectKind::NoStart);
    }
    checker.defects
}

/// Walks over the declarations of a model whose types are in order.
struct Checker<'a> {
    model: &'a Model,
    structures: Structures,
    effects: Effects,
    /// The declaration under the eye.
    subject: Subject,
    locals: &'a [Local],
    /// The result that a `Return` in it must give.
    result: Option<TypeId>,
    /// For each local whether it may be used: false for references that nothing has bound so far.
    bound: Vec<bool>,
    /// The multisets that slot locals in use name elements of.
    homes: BTreeMap<LocalId, Place>,
    /// Locals of the declaration that something refers to.
    referenced: BTreeSet<LocalId>,
    /// How many expressions, statements and calls enclose the present one.
    depth: usize,
    defects: Vec<Defect>,
}

impl<'a> Checker<'a> {
    fn new(model: &'a Model) -> Self {
        Self {
            model,
            structures: Structures::new(&model.types),
            effects: Effects::new(model),
            subject: Subject::Model,
            locals: &[],
            result: None,
            bound: Vec::new(),
            homes: BTreeMap::new(),
            referenced: BTreeSet::new(),
            depth: 0,
            defects: Vec::new(),
        }
    }

    fn report(&mut self, span: Span, kind: DefectKind) {
        self.defects.push(Defect { subject: self.subject, kind, span });
    }

    /// Reports a defect unless the condition holds.
    fn require(&mut self, holds: bool, span: Span, kind: DefectKind) {
        if !holds {
            self.report(span, kind);
        }
    }

    /// Turns to a declaration and checks the types of its locals.
    fn enter(&mut self, subject: Subject, locals: &'a [Local], referenced: Referenced, span: Span) {
        self.subject = subject;
        self.locals = locals;
        self.result = None;
        self.bound = locals.iter().map(|local| local.mode != LocalMode::Reference).collect();
        self.homes.clear();
        self.referenced = referenced.0;
        for local in locals {
            let span = if local.span == Span::NOWHERE { span } else { local.span };
            if self.known_type(local.ty, span) && local.mode == LocalMode::Slot {
                self.multiset(local.ty, span);
            }
        }
    }

    /// Checks something that may contain things of its own kind, unless it lies too deep.
    fn nested(&mut self, span: Span, check: impl FnOnce(&mut Self)) {
        if self.depth == MAX_DEPTH {
            return self.report(span, DefectKind::TooDeep);
        }
        self.depth += 1;
        check(self);
        self.depth -= 1;
    }

    fn globals(&mut self) {
        for (at, global) in (0..).zip(&self.model.globals) {
            self.subject = Subject::Global(GlobalId(at));
            if self.known_type(global.ty, global.span) {
                self.require(!self.structures.holds_int(global.ty), global.span, DefectKind::StoredInt);
            }
        }
    }

    fn function(&mut self, id: FunctionId, function: &'a Function) {
        let mut referenced = Referenced::default();
        referenced.block(&function.body);
        self.enter(Subject::Function(id), &function.locals, referenced, function.span);
        self.require(function.n_params as usize <= function.locals.len(), function.span, DefectKind::TooManyParams);
        for (at, param) in (0..).zip(function.locals.iter().take(function.n_params as usize)) {
            self.bound[at] = true;
            self.require(param.mode != LocalMode::Slot, function.span, DefectKind::MisusedSlot(LocalId(at as u32)));
        }
        if let Some(result) = function.result {
            self.known_type(result, function.span);
        }
        self.result = function.result;
        self.block(&function.body);
        self.quantified(|visitor| visitor.block(&function.body), function.span);
    }

    fn start(&mut self, id: StartId, start: &'a StartState) {
        let mut referenced = Referenced::default();
        Part::start(start).walk(&mut referenced);
        self.enter(Subject::Start(id), &start.locals, referenced, start.span);
        self.binders(&start.binders, None, Some(&start.action), start.span);
        self.block(&start.action);
        self.quantified(|visitor| Part::start(start).walk(visitor), start.span);
    }

    fn rule(&mut self, id: RuleId, rule: &'a Rule) {
        let mut referenced = Referenced::default();
        Part::rule(rule).walk(&mut referenced);
        self.enter(Subject::Rule(id), &rule.locals, referenced, rule.span);
        self.binders(&rule.binders, Some(&rule.guard), Some(&rule.action), rule.span);
        self.condition(&rule.guard);
        self.block(&rule.action);
        self.quantified(|visitor| Part::rule(rule).walk(visitor), rule.span);
        for owner in &rule.owners {
            let named = self.is_process(owner, &rule.binders);
            self.require(named, rule.span, DefectKind::Owner(*owner));
        }
    }

    /// The variables of quantifiers in a declaration, which `walk` sends visitors over. Where nesting is too deep, that is
    /// all there is to say.
    fn quantified(&mut self, walk: impl Fn(&mut dyn Visitor), span: Span) {
        if self.defects.iter().any(|defect| defect.kind == DefectKind::TooDeep) {
            return;
        }
        let mut quantified = Quantified::default();
        walk(&mut quantified);
        let mut escapes = Escapes::new(quantified);
        walk(&mut escapes);
        for (local, at) in escapes.found {
            self.report(if at == Span::NOWHERE { span } else { at }, DefectKind::QuantifiedElsewhere(local));
        }
    }

    /// Whether an owner is a variable that is no array, or an element that a parameter through all indices names: so that
    /// who takes a step is as symmetric as the rule is.
    fn is_process(&self, owner: &Owner, binders: &[Binder]) -> bool {
        let Some(global) = self.model.globals.get(owner.global.index()) else { return false };
        match (self.model.types.get(global.ty), owner.member) {
            (&Type::Array { index, .. }, Some(member)) => binders.iter().any(|binder| {
                matches!(binder, Binder::Param { local, domain: Domain::Type(ty) } if *local == member && *ty == index)
            }),
            (Type::Array { .. }, None) | (_, Some(_)) => false,
            (_, None) => true,
        }
    }

    fn property(&mut self, id: PropertyId, property: &'a Property) {
        let mut referenced = Referenced::default();
        Part::property(property).walk(&mut referenced);
        self.enter(Subject::Property(id), &property.locals, referenced, property.span);
        self.binders(&property.binders, Some(&property.condition), None, property.span);
        self.condition(&property.condition);
        self.quantified(|visitor| Part::property(property).walk(visitor), property.span);
        if property.kind == PropertyKind::Proposition {
            self.proposition(property);
        }
        if property.kind == PropertyKind::CoverPoint || property.kind.is_temporal() {
            let is_true = property.condition.ty == TypeId::BOOL && property.condition.as_const() == Some(1);
            let plain = property.binders.is_empty() && is_true;
            self.require(plain, property.span, DefectKind::CoverPointCondition);
        }
    }

    /// Binders, before what they bind for.
    fn binders(&mut self, binders: &[Binder], condition: Option<&Expr>, action: Option<&Block>, span: Span) {
        for (at, binder) in binders.iter().enumerate() {
            let local = binder.local();
            let taken = binders[..at].iter().any(|before| before.local() == local);
            self.require(!taken, span, DefectKind::BoundTwice(local));
            match binder {
                Binder::Param { local, domain } => {
                    let scope = Scope::Rest { binders: &binders[at + 1..], condition, action };
                    self.bind_each(*local, domain, scope, span);
                }
                Binder::Value { local, source } => {
                    self.operand(source);
                    if let Some(ty) = self.bindable(*local, LocalMode::Owned, span) {
                        self.storable(ty, source, span);
                    }
                }
                Binder::Reference { local, place } => self.bind_reference(*local, place, span),
            }
        }
    }

    /// The type of a local that is about to be bound, if it exists; its mode must be the given one.
    fn bindable(&mut self, local: LocalId, mode: LocalMode, span: Span) -> Option<TypeId> {
        let Some(found) = self.locals.get(local.index()) else {
            self.report(span, DefectKind::NoSuch(Table::Locals, local.0));
            return None;
        };
        self.require(found.mode == mode, span, DefectKind::WrongMode(local));
        self.known_structure(found.ty).map(|_| found.ty)
    }

    /// An expression that decides something.
    fn condition(&mut self, expr: &Expr) {
        self.expr(expr);
        self.boolean(expr.ty, expr.span);
    }

    /// The structure of a type, if the type exists.
    fn known_structure(&self, ty: TypeId) -> Option<&'a Type> {
        self.model.types.try_def(ty).map(|def| &def.ty)
    }

    /// Whether a type exists; reported if not.
    fn known_type(&mut self, ty: TypeId, span: Span) -> bool {
        let known = self.known_structure(ty).is_some();
        self.require(known, span, DefectKind::NoSuch(Table::Types, ty.0));
        known
    }

    // The checks below are silent about types that do not exist, which are reported where they occur.

    fn boolean(&mut self, ty: TypeId, span: Span) {
        let fits = matches!(self.known_structure(ty), None | Some(Type::Bool));
        self.require(fits, span, DefectKind::NotBoolean(ty));
    }

    fn integer(&mut self, ty: TypeId, span: Span) {
        self.require(self.known_structure(ty).is_none() || self.is_integer(ty), span, DefectKind::NotInteger(ty));
    }

    fn scalar(&mut self, ty: TypeId, span: Span) {
        let fits = self.known_structure(ty).is_none() || self.model.types.shape(ty).scalar;
        self.require(fits, span, DefectKind::NotScalar(ty));
    }

    fn multiset(&mut self, ty: TypeId, span: Span) {
        let fits = matches!(self.known_structure(ty), None | Some(Type::Multiset { .. }));
        self.require(fits, span, DefectKind::NotMultiset(ty));
    }

    fn is_integer(&self, ty: TypeId) -> bool {
        matches!(self.known_structure(ty), Some(Type::Int | Type::Range { .. }))
    }

    fn are_known(&self, left: TypeId, right: TypeId) -> bool {
        self.known_structure(left).is_some() && self.known_structure(right).is_some()
    }

    /// Whether a place of one type may stand for a place of the other.
    fn alike(&self, left: TypeId, right: TypeId) -> bool {
        !self.are_known(left, right) || self.structures.alike(left, right)
    }

    /// Whether values of the two types may be compared, or assigned with a check at run time.
    fn go_together(&self, left: TypeId, right: TypeId) -> bool {
        !self.are_known(left, right) || self.structures.similar(left, right)
    }

    /// Whether every value of type `from` is one of type `to`.
    fn widens(&self, from: TypeId, to: TypeId) -> bool {
        self.alike(from, to) || (self.known_structure(to) == Some(&Type::Int) && self.is_integer(from))
    }
}

#[cfg(test)]
mod tests;
