//! Which types are sets of interchangeable identities, found and proved by how their values are used.
//!
//! Start states need not be symmetric and are not looked at: the states reachable from a renamed start state are the
//! renamed reachable states, so exploring orbits from the orbits of start states visits exactly the orbits of
//! reachable states.
//!
//! This is the discipline of scalarsets, inferred instead of declared (Ip & Dill, *Better verification through
//! symmetry*, section 3): values of a type come only from iteration over the whole type and from other values of it,
//! and are only stored, compared for equality and used as indices. Types between which values flow form one class;
//! a class is symmetric if nothing in the model breaks the discipline for any of its types.
//!
// SOUND: under the discipline, renaming all values of a class by a permutation, in positions and in contents, maps
// every rule instance to a rule instance and instances of properties to instances: by
// induction over expressions and statements, each form admitted below commutes with the renaming. The forms that are
// evaluated in the order of values are treated apart: loops must be order-independent (`order`), and quantifiers are
// evaluated for every value wherever a fault could otherwise depend on the order (`strict` evaluation).

use std::collections::BTreeSet;

use burnside_analysis::{Positions, Seen};
use burnside_diag::Span;
use burnside_group::DisjointSets;
use burnside_ir::visit::{Visitor, walk_binder, walk_call, walk_expr, walk_stmt};
use burnside_ir::{
    Arg, BinaryOp, Binder, Call, Domain, Expr, ExprKind, FunctionId, Local, LocalId, Model, Operand, Part, Place,
    PlaceBase, Projection, Stmt, StmtKind, Type, TypeId, UnaryOp,
};

use crate::symmetry::index_types;

/// Why a class is not symmetric.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Break {
    /// The place that tells its members apart.
    pub span: Span,
    /// What happens there, in words that follow "the model".
    pub reason: String,
}

/// Types between which values flow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Class {
    /// The types, ascending.
    pub types: Vec<TypeId>,
    /// Number of values.
    pub size: u32,
    /// What breaks the symmetry, if anything does, in the order of the text.
    pub breaks: Vec<Break>,
    /// Whether the model depends on the order of elements in multisets, which depends on the names of all identities.
    pub depends_on_slots: bool,
    /// Whether rules go through its values or arrays are indexed by them. Otherwise they are just numbers, and there would
    /// be little to gain.
    pub is_used: bool,
    /// Whether only one of two proofs finds it symmetric, so that one of them is wrong.
    pub is_disputed: bool,
}

impl Class {
    /// The name people know it by: that of its first named type.
    pub fn name(&self, model: &Model) -> String {
        let named = self.types.iter().find(|&&ty| model.types.def(ty).name.is_some());
        model.types.type_name(*named.unwrap_or(&self.types[0]))
    }
}

/// Finds all classes that matter: with at least two values, and occurring in the state.
pub(crate) fn classes(model: &Model) -> Vec<Class> {
    let n_types = model.types.iter().len();
    let mut inference = Inference {
        model,
        locals: &[],
        result: None,
        alike: DisjointSets::new(n_types),
        breaks: Vec::new(),
        breaks_of_all: Vec::new(),
        iterated: BTreeSet::new(),
    };
    inference.model();
    let mut in_state = vec![false; n_types];
    for global in &model.globals {
        mark(model, global.ty, &mut in_state);
    }
    let mut classes: Vec<Class> = Vec::new();
    for (ty, _) in model.types.iter().filter(|&(ty, _)| is_candidate(model, ty)) {
        let root = inference.alike.find(ty.index());
        let class = (0..classes.len()).find(|&at| inference.alike.find(classes[at].types[0].index()) == root);
        match class {
            Some(at) => classes[at].types.push(ty),
            None => {
                let size = model.types.shape(ty).cardinality() as u32;
                classes.push(Class {
                    types: vec![ty],
                    size,
                    breaks: Vec::new(),
                    depends_on_slots: false,
                    is_used: false,
                    is_disputed: false,
                });
            }
        }
    }
    classes.retain(|class| class.size > 1 && class.types.iter().any(|ty| in_state[ty.index()]));
    let breaks = std::mem::take(&mut inference.breaks);
    let indices = index_types(model);
    let is_used = |ty: &TypeId| {
        matches!(model.types.get(*ty), Type::Id(_)) || inference.iterated.contains(ty) || indices.contains(ty)
    };
    for class in &mut classes {
        let root = inference.alike.find(class.types[0].index());
        let own = breaks.iter().filter(|(ty, _)| inference.alike.find(ty.index()) == root);
        class.breaks = own.map(|(_, found)| found.clone()).collect();
        class.breaks.extend(inference.breaks_of_all.iter().cloned());
        class.depends_on_slots = !inference.breaks_of_all.is_empty();
        class.is_used = class.types.iter().any(is_used);
        class.breaks.sort_by_key(|found| found.span);
        class.breaks.dedup();
    }
    classes
}

/// Whether values of the type could be identities.
fn is_candidate(model: &Model, ty: TypeId) -> bool {
    let small = || model.types.shape(ty).cardinality() <= 1 << 16;
    matches!(model.types.get(ty), Type::Range { .. } | Type::Enum { .. } | Type::Id(_)) && small()
}

fn mark(model: &Model, ty: TypeId, found: &mut [bool]) {
    found[ty.index()] = true;
    model.types.get(ty).parts().for_each(|part| mark(model, part, found));
}

/// The functions that rules and properties call, directly or not.
pub(crate) fn functions_in_use(model: &Model) -> Vec<FunctionId> {
    struct Calls<'m> {
        model: &'m Model,
        found: Vec<FunctionId>,
    }
    impl Visitor for Calls<'_> {
        fn call(&mut self, call: &Call) {
            if !self.found.contains(&call.function) {
                self.found.push(call.function);
                self.block(&self.model.function(call.function).body);
            }
            walk_call(self, call);
        }
    }
    let mut calls = Calls { model, found: Vec::new() };
    for rule in &model.rules {
        Part::rule(rule).walk(&mut calls);
    }
    for property in &model.properties {
        Part::property(property).walk(&mut calls);
    }
    calls.found.sort_unstable();
    calls.found
}

struct Inference<'m> {
    model: &'m Model,
    /// The locals of what is being looked at.
    locals: &'m [Local],
    /// The result type of the function that is being looked at.
    result: Option<TypeId>,
    /// Types between which values flow.
    alike: DisjointSets,
    breaks: Vec<(TypeId, Break)>,
    /// What tells all identities apart.
    breaks_of_all: Vec<Break>,
    /// Types whose values are gone through.
    iterated: BTreeSet<TypeId>,
}

impl<'m> Inference<'m> {
    fn model(&mut self) {
        let model = self.model;
        let positions = Positions::new(model);
        for id in functions_in_use(model) {
            self.break_all(positions.in_function(id));
            let function = model.function(id);
            self.locals = &function.locals;
            self.result = function.result;
            self.block(&function.body);
        }
        self.result = None;
        let rules = model.rules.iter().map(Part::rule);
        for part in rules.chain(model.properties.iter().map(Part::property)) {
            self.break_all(positions.in_part(&part));
            self.locals = part.locals;
            part.walk(self);
        }
    }

    fn break_type(&mut self, ty: TypeId, span: Span, reason: impl Into<String>) {
        if is_candidate(self.model, ty) {
            self.breaks.push((ty, Break { span, reason: reason.into() }));
        }
    }

    /// Multisets are kept in an order of values, names of identities included, so whatever depends on that order
    /// depends on all names.
    fn break_all(&mut self, seen: Vec<Seen>) {
        self.breaks_of_all
            .extend(seen.into_iter().map(|seen| Break { span: seen.span, reason: seen.reason.to_owned() }));
    }

    /// Values flow between two scalar types.
    fn unify(&mut self, left: TypeId, right: TypeId, span: Span) {
        if self.alike.find(left.index()) == self.alike.find(right.index()) {
            return;
        }
        let types = &self.model.types;
        let shapes = (types.shape(left), types.shape(right));
        let alike = is_candidate(self.model, left)
            && is_candidate(self.model, right)
            && (shapes.0.lo, shapes.0.hi) == (shapes.1.lo, shapes.1.hi);
        if alike {
            self.alike.merge(left.index(), right.index());
            return;
        }
        for (ty, other) in [(left, right), (right, left)] {
            let reason = format!("uses values of `{}` as `{}`", types.type_name(ty), types.type_name(other));
            self.break_type(ty, span, reason);
        }
    }

    /// Values flow between corresponding parts.
    fn unify_parts(&mut self, left: TypeId, right: TypeId, span: Span) {
        if left == right {
            return;
        }
        let types = &self.model.types;
        match (types.get(left), types.get(right)) {
            (&Type::Array { index: li, element: le }, &Type::Array { index: ri, element: re }) => {
                self.unify(li, ri, span);
                self.unify_parts(le, re, span);
            }
            (Type::Record { fields: l }, Type::Record { fields: r }) => {
                l.iter().zip(r).for_each(|(l, r)| self.unify_parts(l.ty, r.ty, span));
            }
            (&Type::Multiset { element: l, .. }, &Type::Multiset { element: r, .. }) => self.unify_parts(l, r, span),
            (Type::Union { members: l }, Type::Union { members: r }) => {
                l.iter().zip(r).for_each(|(&l, &r)| self.unify(l, r, span));
            }
            _ => self.unify(left, right, span),
        }
    }

    /// An expression's value becomes one of type `to`.
    fn flow(&mut self, expr: &Expr, to: TypeId) {
        if expr.as_const().is_some() {
            self.constant(expr, to);
        } else {
            self.unify_parts(expr.ty, to, expr.span);
        }
    }

    /// Naming a value tells it from the others.
    fn constant(&mut self, expr: &Expr, ty: TypeId) {
        let Some(value) = expr.as_const() else { return };
        if let Some((member, inner)) = self.model.types.union_member(ty, value) {
            let reason = format!("names `{}`", self.model.types.value_name(member, inner));
            self.break_type(member, expr.span, reason);
        } else {
            let reason = format!("names `{}`", self.model.types.value_name(ty, value));
            self.break_type(ty, expr.span, reason);
        }
    }

    fn number(&mut self, expr: &Expr, what: &str) {
        let reason = format!("{what} a value of `{}`", self.model.types.type_name(expr.ty));
        self.break_type(expr.ty, expr.span, reason);
    }

    fn operand(&mut self, operand: &Operand, to: TypeId) {
        match operand {
            Operand::Value(expr) => self.flow(expr, to),
            Operand::Copy(place) => self.unify_parts(place.ty, to, place.span),
            Operand::Undefined => {}
        }
    }

    fn bound(&mut self, local: LocalId, domain: &Domain) {
        let definition = &self.locals[local.index()];
        match domain {
            Domain::Type(ty) => {
                self.iterated.insert(*ty);
                self.unify_parts(*ty, definition.ty, definition.span);
            }
            Domain::Range { from, to, .. } => {
                for bound in [from, to] {
                    self.number(bound, "counts from or to");
                }
                let reason = format!("counts through values of `{}`", self.model.types.type_name(definition.ty));
                self.break_type(definition.ty, from.span, reason);
            }
            Domain::Slots(_) => {}
        }
    }

    /// Setting something to the least value of its type names that value.
    fn cleared(&mut self, ty: TypeId, span: Span) {
        match self.model.types.get(ty) {
            &Type::Array { element, .. } => self.cleared(element, span),
            Type::Record { fields } => fields.iter().for_each(|field| self.cleared(field.ty, span)),
            Type::Multiset { .. } => {}
            Type::Union { members } => {
                if let Some(&first) = members.first() {
                    self.break_type(first, span, "clears a variable to the first member of a union");
                }
            }
            _ => self.break_type(ty, span, "clears a variable to its least value"),
        }
    }

    fn comparison(&mut self, op: BinaryOp, left: &Expr, right: &Expr) {
        if !matches!(op, BinaryOp::Eq | BinaryOp::Ne) {
            self.number(left, "orders");
            self.number(right, "orders");
        } else if left.as_const().is_some() {
            self.constant(left, right.ty);
        } else {
            self.flow(right, left.ty);
        }
    }
}

impl Visitor for Inference<'_> {
    fn binder(&mut self, binder: &Binder) {
        walk_binder(self, binder);
        match binder {
            Binder::Param { local, domain } => self.bound(*local, domain),
            Binder::Value { local, source } => self.operand(source, self.locals[local.index()].ty),
            Binder::Reference { local, place } => {
                self.unify_parts(place.ty, self.locals[local.index()].ty, place.span);
            }
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Const(_) => self.constant(expr, expr.ty),
            ExprKind::Unary(UnaryOp::Neg | UnaryOp::BitNot, operand) => self.number(operand, "computes with"),
            ExprKind::Binary(op, left, right) if op.is_comparison() => self.comparison(*op, left, right),
            ExprKind::Binary(op, left, right) if !op.is_logical() => {
                self.number(left, "computes with");
                self.number(right, "computes with");
            }
            ExprKind::SameAggregate(left, right) => {
                self.unify_parts(left.ty, right.ty, expr.span);
            }
            ExprKind::Conditional(_, yes, no) => {
                self.flow(yes, expr.ty);
                self.flow(no, expr.ty);
            }
            ExprKind::Convert(inner) => {
                let types = &self.model.types;
                let union = |outer, inner| types.union_offset(outer, inner).is_some();
                if !union(expr.ty, inner.ty) && !union(inner.ty, expr.ty) {
                    self.flow(inner, expr.ty);
                }
            }
            ExprKind::Quantified(_, local, domain, _) => self.bound(*local, domain),
            ExprKind::Read(_)
            | ExprKind::IsUndefined(_)
            | ExprKind::IsMember(..)
            | ExprKind::Unary(UnaryOp::Not, _)
            | ExprKind::Binary(..)
            | ExprKind::Count(..)
            | ExprKind::SlotNumber(_)
            | ExprKind::Call(_) => {}
        }
        walk_expr(self, expr);
    }

    fn place(&mut self, place: &Place) {
        let mut ty = match &place.base {
            PlaceBase::Global(global) => self.model.global(*global).ty,
            PlaceBase::Local(local) => self.locals[local.index()].ty,
            PlaceBase::Call(call) => self.model.function(call.function).result.unwrap_or(place.ty),
        };
        for projection in &place.path {
            if let (Projection::Index(value), &Type::Array { index, .. }) = (projection, self.model.types.get(ty)) {
                self.flow(value, index);
            }
            ty = projection.part_type(&self.model.types, ty).expect("verified: a place projects what its type has");
        }
        if let PlaceBase::Call(call) = &place.base {
            self.call(call);
        }
        for projection in &place.path {
            match projection {
                Projection::Field(_) | Projection::Element(_) => {}
                Projection::Index(index) | Projection::Numbered(index) => self.expr(index),
            }
        }
    }

    fn call(&mut self, call: &Call) {
        let function = self.model.function(call.function);
        for (param, arg) in function.locals.iter().zip(&call.args) {
            match arg {
                Arg::Value(operand) => self.operand(operand, param.ty),
                Arg::Reference(place) => self.unify_parts(place.ty, param.ty, place.span),
            }
        }
        walk_call(self, call);
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Assign { target, source } => self.operand(source, target.ty),
            StmtKind::Clear(place) => self.cleared(place.ty, stmt.span),
            StmtKind::Bind { local, place } => {
                self.unify_parts(place.ty, self.locals[local.index()].ty, place.span);
            }
            StmtKind::For { local, domain, .. } => self.bound(*local, domain),
            StmtKind::Return(Some(operand)) => {
                if let Some(result) = self.result {
                    self.operand(operand, result);
                }
            }
            StmtKind::Insert { multiset, element } => {
                if let Some((_, ty)) = self.model.types.get(multiset.ty).multiset() {
                    self.operand(element, ty);
                }
            }
            StmtKind::Call { call, result: Some(local) } => {
                if let Some(result) = self.model.function(call.function).result {
                    self.unify_parts(result, self.locals[local.index()].ty, stmt.span);
                }
            }
            StmtKind::Call { result: None, .. }
            | StmtKind::If { .. }
            | StmtKind::While { .. }
            | StmtKind::Assert { .. }
            | StmtKind::Assume(_)
            | StmtKind::Cover { .. }
            | StmtKind::Error(_)
            | StmtKind::Put(_)
            | StmtKind::Return(None)
            | StmtKind::Remove(_)
            | StmtKind::RemoveWhere { .. } => {}
        }
        walk_stmt(self, stmt);
    }
}
