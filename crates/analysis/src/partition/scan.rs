//! What in a rule or property tells points apart.
//!
// SOUND: every scalar of a class type is renamed by a permutation, in the state and in variables; every other scalar is
// left alone. By induction over expressions and statements, each form below commutes with the renaming if its parts do,
// or is noted as a constraint: a table that must commute, or a class whose points are all told apart.

use burnside_diag::Span;
use burnside_ir::visit::{Visitor, walk_call, walk_stmt};
use burnside_ir::{
    Arg, Binder, Block, Call, Domain, Expr, ExprKind, FunctionId, Local, LocalId, Model, Operand, Place, PlaceBase,
    Projection, PutItem, Stmt, StmtKind, Type, TypeId,
};

use super::closed::closed_functions;
use super::identities::Identities;
use super::relation::{Leaf, Relation, TableMaker};
use crate::Positions;

/// Something that tells points apart.
#[derive(Debug, Clone)]
pub(super) struct Constraint {
    pub(super) kind: ConstraintKind,
    pub(super) span: Span,
}

#[derive(Debug, Clone)]
pub(super) enum ConstraintKind {
    /// Only permutations that commute with this function.
    Commutes(Relation),
    /// No permutation that moves a point of this class.
    Fixes(usize),
}

/// What is the same for all rules of a model.
pub(super) struct Context<'m> {
    pub(super) model: &'m Model,
    pub(super) identities: &'m Identities,
    pub(super) closed: Vec<bool>,
    pub(super) positions: Positions<'m>,
    /// What the bodies of functions contain, and which functions they call, as far as it was asked for.
    functions: Vec<Option<(Vec<Constraint>, Vec<FunctionId>)>>,
    pub(super) tables: TableMaker,
}

impl<'m> Context<'m> {
    pub(super) fn new(model: &'m Model, identities: &'m Identities) -> Self {
        let (closed, functions) = (closed_functions(model), vec![None; model.functions.len()]);
        let positions = Positions::new(model);
        Self { model, identities, closed, positions, functions, tables: TableMaker::default() }
    }

    /// What the bodies of functions, and of all that they call, contain. Nothing of it depends on arguments.
    pub(super) fn functions(&mut self, called: &[FunctionId]) -> Vec<Constraint> {
        let reached = self.reached(called);
        reached.into_iter().flat_map(|id| self.body(id).0.clone()).collect()
    }

    /// The functions called, and all that they call.
    pub(super) fn reached(&mut self, called: &[FunctionId]) -> Vec<FunctionId> {
        let mut reached: Vec<FunctionId> = Vec::new();
        let mut pending = called.to_vec();
        while let Some(id) = pending.pop() {
            if !reached.contains(&id) {
                reached.push(id);
                pending.extend_from_slice(&self.body(id).1);
            }
        }
        reached
    }

    /// What the body of a function contains, and which functions it calls.
    pub(super) fn body(&mut self, id: FunctionId) -> &(Vec<Constraint>, Vec<FunctionId>) {
        if self.functions[id.index()].is_none() {
            let function = self.model.function(id);
            let seen = self.positions.in_function(id);
            let mut scan = Scan::new(self, &function.locals, Vec::new(), function.result);
            seen.into_iter().for_each(|seen| scan.fix_all(seen.span));
            scan.note_assigned(&function.body);
            scan.block(&function.body);
            let known = scan.into_parts();
            self.functions[id.index()] = Some(known);
        }
        self.functions[id.index()].as_ref().expect("found out above")
    }
}

/// A walk over one rule, start state, property or function.
pub(super) struct Scan<'c, 'm> {
    pub(super) context: &'c mut Context<'m>,
    pub(super) locals: &'m [Local],
    /// The parameters that range over points.
    pub(super) params: Vec<LocalId>,
    /// By local: whether it is bound (by a parameter, quantifier or loop) and never assigned.
    pub(super) fixed: Vec<bool>,
    assigned: Vec<bool>,
    result: Option<TypeId>,
    /// What was found, the bodies of functions aside.
    found: Vec<Constraint>,
    callees: Vec<FunctionId>,
}

impl<'c, 'm> Scan<'c, 'm> {
    pub(super) fn new(
        context: &'c mut Context<'m>,
        locals: &'m [Local],
        params: Vec<LocalId>,
        result: Option<TypeId>,
    ) -> Self {
        let n_locals = locals.len();
        let no_local = vec![false; n_locals];
        let (fixed, assigned) = (no_local.clone(), no_local);
        Self { context, locals, params, fixed, assigned, result, found: Vec::new(), callees: Vec::new() }
    }

    /// What was found, and the functions called, whose bodies are not looked at.
    pub(super) fn into_parts(self) -> (Vec<Constraint>, Vec<FunctionId>) {
        (self.found, self.callees)
    }

    /// Everything that was found, in functions too.
    pub(super) fn finish(self) -> Vec<Constraint> {
        let mut found = self.found;
        found.extend(self.context.functions(&self.callees));
        found
    }

    /// Finds the locals that a body assigns or passes on by reference. Must come before anything else.
    pub(super) fn note_assigned(&mut self, block: &Block) {
        struct Assigned<'a>(&'a mut [bool]);
        impl Assigned<'_> {
            fn note(&mut self, place: &Place) {
                if let PlaceBase::Local(local) = place.base {
                    self.0[local.index()] = true;
                }
            }
        }
        impl Visitor for Assigned<'_> {
            fn stmt(&mut self, stmt: &Stmt) {
                match &stmt.kind {
                    StmtKind::Assign { target, .. } => self.note(target),
                    StmtKind::Clear(place) | StmtKind::Bind { place, .. } | StmtKind::Remove(place) => self.note(place),
                    StmtKind::Insert { multiset, .. } | StmtKind::RemoveWhere { multiset, .. } => self.note(multiset),
                    StmtKind::Call { result: Some(local), .. } => self.0[local.index()] = true,
                    StmtKind::Call { result: None, .. }
                    | StmtKind::If { .. }
                    | StmtKind::While { .. }
                    | StmtKind::For { .. }
                    | StmtKind::Assert { .. }
                    | StmtKind::Assume(_)
                    | StmtKind::Cover { .. }
                    | StmtKind::Error(_)
                    | StmtKind::Put(_)
                    | StmtKind::Return(_) => {}
                }
                walk_stmt(self, stmt);
            }

            fn call(&mut self, call: &Call) {
                for arg in &call.args {
                    if let Arg::Reference(place) = arg {
                        self.note(place);
                    }
                }
                walk_call(self, call);
            }
        }
        Assigned(&mut self.assigned).block(block);
    }

    pub(super) fn act_alike(&self, left: TypeId, right: TypeId) -> bool {
        self.context.identities.act_alike(&self.context.model.types, left, right)
    }

    pub(super) fn binders(&mut self, binders: &'m [Binder]) {
        for binder in binders {
            if let Binder::Reference { place, .. } = binder
                && let PlaceBase::Local(local) = place.base
            {
                self.assigned[local.index()] = true;
            }
        }
        for binder in binders {
            match binder {
                Binder::Param { local, domain } => self.bound(*local, domain),
                Binder::Value { local, source } => {
                    let local = &self.locals[local.index()];
                    self.operand(source, local.ty, local.span);
                }
                Binder::Reference { local, place } => {
                    self.alike(place.ty, self.locals[local.index()].ty, place.span);
                    self.place(place);
                }
            }
        }
    }

    /// No point of the classes that occur in a type may move.
    pub(super) fn fix(&mut self, ty: TypeId, span: Span) {
        let model = self.context.model;
        if let Some(class) = self.context.identities.class_of_type(ty) {
            self.found.push(Constraint { kind: ConstraintKind::Fixes(class), span });
        }
        model.types.get(ty).parts().for_each(|part| self.fix(part, span));
    }

    /// No point at all may move: multisets are kept in an order of values, names of points included, so whatever depends
    /// on that order depends on all names.
    pub(super) fn fix_all(&mut self, span: Span) {
        let classes = 0..self.context.identities.classes().len();
        self.found.extend(classes.map(|class| Constraint { kind: ConstraintKind::Fixes(class), span }));
    }

    fn alike(&mut self, left: TypeId, right: TypeId, span: Span) {
        if !self.act_alike(left, right) {
            self.fix(left, span);
            self.fix(right, span);
        }
    }

    fn must_commute(&mut self, relation: Option<Relation>, types: &[TypeId], span: Span) {
        match relation {
            Some(relation) => self.found.push(Constraint { kind: ConstraintKind::Commutes(relation), span }),
            None => types.iter().for_each(|&ty| self.fix(ty, span)),
        }
    }

    /// An expression used as a value of its own type.
    pub(super) fn expr(&mut self, expr: &'m Expr) {
        let (over_leaves, atom) = self.atom(expr);
        if atom.tainted {
            self.tainted(expr, over_leaves, atom, expr.ty);
        } else {
            self.parts(expr);
        }
    }

    /// An expression whose value is used as one of type `to`.
    fn flow(&mut self, expr: &'m Expr, to: TypeId) {
        if self.act_alike(expr.ty, to) {
            self.expr(expr);
        } else {
            let (over_leaves, atom) = self.atom(expr);
            self.tainted(expr, over_leaves, atom, to);
        }
    }

    fn tainted(&mut self, expr: &'m Expr, over_leaves: Expr, atom: super::atom::Atom<'m>, used_as: TypeId) {
        let mut types: Vec<TypeId> = atom.leaves.iter().map(|leaf| leaf.ty).collect();
        types.extend([expr.ty, used_as]);
        let relation = self.context.tables.relation(self.context.model, atom.leaves, over_leaves, used_as);
        self.must_commute(relation, &types, expr.span);
        for leaf in atom.origins.into_iter().filter_map(|(expr, _)| expr) {
            self.parts(leaf);
        }
    }

    /// What an expression consists of.
    fn parts(&mut self, expr: &'m Expr) {
        match &expr.kind {
            // That positions are seen is noted for the part as a whole.
            ExprKind::Const(_) | ExprKind::SlotNumber(_) => {}
            ExprKind::Read(place) | ExprKind::IsUndefined(place) | ExprKind::IsMember(place, _) => self.place(place),
            ExprKind::Unary(_, operand) | ExprKind::Convert(operand) => self.expr(operand),
            ExprKind::Binary(_, left, right) => {
                self.expr(left);
                self.expr(right);
            }
            ExprKind::SameAggregate(left, right) => {
                self.alike(left.ty, right.ty, expr.span);
                self.place(left);
                self.place(right);
            }
            ExprKind::Conditional(condition, yes, no) => {
                self.expr(condition);
                self.flow(yes, expr.ty);
                self.flow(no, expr.ty);
            }
            ExprKind::Quantified(_, local, domain, body) => {
                // Whether a fault is met may depend on the order of elements.
                if matches!(**domain, Domain::Slots(_)) {
                    self.fix_all(expr.span);
                }
                self.bound(*local, domain);
                self.expr(body);
            }
            ExprKind::Count(_, multiset, condition) => {
                self.place(multiset);
                self.expr(condition);
            }
            ExprKind::Call(call) => self.call(call),
        }
    }

    fn place(&mut self, place: &'m Place) {
        let model = self.context.model;
        let mut ty = match &place.base {
            PlaceBase::Global(global) => model.global(*global).ty,
            PlaceBase::Local(local) => self.locals[local.index()].ty,
            PlaceBase::Call(call) => {
                self.call(call);
                model.function(call.function).result.unwrap_or(place.ty)
            }
        };
        for projection in &place.path {
            match (projection, model.types.get(ty)) {
                (Projection::Index(value), &Type::Array { index, .. }) => self.flow(value, index),
                (Projection::Numbered(number), _) => self.expr(number),
                (Projection::Field(_) | Projection::Index(_) | Projection::Element(_), _) => {}
            }
            ty = projection.part_type(&model.types, ty).expect("verified: a place projects what its type has");
        }
    }

    fn call(&mut self, call: &'m Call) {
        let model = self.context.model;
        for (param, arg) in model.function(call.function).locals.iter().zip(&call.args) {
            match arg {
                Arg::Value(operand) => self.operand(operand, param.ty, call.span),
                Arg::Reference(place) => {
                    self.alike(place.ty, param.ty, place.span);
                    self.place(place);
                }
            }
        }
        self.callees.push(call.function);
    }

    fn operand(&mut self, operand: &'m Operand, to: TypeId, span: Span) {
        match operand {
            Operand::Value(expr) => self.flow(expr, to),
            Operand::Copy(place) => {
                self.place(place);
                if self.act_alike(place.ty, to) {
                    return;
                }
                if self.context.model.types.shape(to).scalar {
                    let leaf = Leaf { ty: place.ty, param: None };
                    let relation = Relation::identity(self.context.model, leaf, to);
                    self.must_commute(relation, &[place.ty, to], place.span);
                } else {
                    self.alike(place.ty, to, span);
                }
            }
            Operand::Undefined => {}
        }
    }

    fn bound(&mut self, local: LocalId, domain: &'m Domain) {
        let definition = &self.locals[local.index()];
        match domain {
            Domain::Type(ty) => {
                self.fixed[local.index()] = !self.assigned[local.index()];
                self.alike(*ty, definition.ty, definition.span);
            }
            Domain::Range { from, to, .. } => {
                self.flow(from, TypeId::INT);
                self.flow(to, TypeId::INT);
                self.fix(definition.ty, from.span);
            }
            Domain::Slots(multiset) => self.place(multiset),
        }
    }

    /// Setting something to the least value of its type names that value.
    fn cleared(&mut self, ty: TypeId, span: Span) {
        let types = &self.context.model.types;
        match types.get(ty) {
            &Type::Array { element, .. } => self.cleared(element, span),
            Type::Record { fields } => fields.iter().for_each(|field| self.cleared(field.ty, span)),
            Type::Multiset { .. } => {}
            Type::Bool | Type::Int | Type::Range { .. } | Type::Enum { .. } | Type::Id(_) | Type::Union { .. } => {
                let least = types.shape(ty).lo;
                if self.context.identities.point(ty, least).is_some() {
                    let kind = ConstraintKind::Commutes(Relation::constant(least, ty));
                    self.found.push(Constraint { kind, span });
                }
            }
        }
    }

    pub(super) fn block(&mut self, block: &'m Block) {
        for stmt in block {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &'m Stmt) {
        match &stmt.kind {
            StmtKind::Assign { target, source } => {
                self.operand(source, target.ty, stmt.span);
                self.place(target);
            }
            StmtKind::Clear(place) => {
                self.cleared(place.ty, stmt.span);
                self.place(place);
            }
            StmtKind::Bind { local, place } => {
                self.alike(place.ty, self.locals[local.index()].ty, place.span);
                self.place(place);
            }
            StmtKind::If { arms, otherwise } => {
                for (condition, block) in arms {
                    self.expr(condition);
                    self.block(block);
                }
                self.block(otherwise);
            }
            StmtKind::While { condition, body } => {
                self.expr(condition);
                self.block(body);
            }
            StmtKind::For { local, domain, body } => {
                self.bound(*local, domain);
                self.block(body);
            }
            StmtKind::Call { call, result } => {
                self.call(call);
                let returned = self.context.model.function(call.function).result;
                if let (Some(local), Some(returned)) = (result, returned) {
                    self.alike(returned, self.locals[local.index()].ty, stmt.span);
                }
            }
            StmtKind::Assert { condition, .. } | StmtKind::Assume(condition) | StmtKind::Cover { condition, .. } => {
                self.expr(condition);
            }
            StmtKind::Error(_) | StmtKind::Return(None) => {}
            StmtKind::Put(items) => {
                for item in items {
                    match item {
                        PutItem::Text(_) => {}
                        PutItem::Value(expr) => self.expr(expr),
                        PutItem::Place(place) => self.place(place),
                    }
                }
            }
            StmtKind::Return(Some(operand)) => {
                if let Some(result) = self.result {
                    self.operand(operand, result, stmt.span);
                }
            }
            StmtKind::Insert { multiset, element } => {
                if let Some((_, ty)) = self.context.model.types.get(multiset.ty).multiset() {
                    self.operand(element, ty, stmt.span);
                }
                self.place(multiset);
            }
            StmtKind::Remove(element) => self.place(element),
            StmtKind::RemoveWhere { multiset, condition, .. } => {
                self.place(multiset);
                self.expr(condition);
            }
        }
    }
}
