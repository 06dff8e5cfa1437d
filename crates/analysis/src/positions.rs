//! Where a model sees the positions of elements in multisets.
//!
//! A state keeps the elements of a multiset in an order of values, names of identities included. Renaming identities
//! moves elements, so whatever depends on a position may tell identities apart. A position is seen by asking for it, by
//! naming an element by number, by comparing whole multisets slot by slot, by removing elements under a condition that
//! looks at the others while some of them are gone already, and by using the name of an element that was taken out
//! once another may have taken its slot.
//!
// SOUND: apart from these, a slot local or a reference leads to the element it was bound to. Elements stay where they
// are while a step runs; an element that is taken out leaves a slot whose scalars are undefined until an insertion
// takes the slot. So the only other way to see a position is a name whose element is gone and whose slot is taken
// again. `Flow` follows every name through the statements and joins over branches, rounds of loops and whatever calls
// may do; multisets of equal size are taken for one and the same.

use std::collections::{BTreeMap, BTreeSet};

use burnside_diag::Span;
use burnside_ir::visit::{Visitor, walk_call, walk_domain, walk_expr, walk_place, walk_stmt};
use burnside_ir::{
    Arg, Binder, Block, Call, Domain, Expr, ExprKind, FunctionId, Local, LocalId, LocalMode, Model, Operand, Part,
    Place, PlaceBase, Projection, Stmt, StmtKind, TypeId, Types,
};

/// A place in the text where positions of elements are seen, or may be.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Seen {
    /// Where.
    pub span: Span,
    /// How, in words that follow "the model".
    pub reason: &'static str,
}

/// Finds where parts of a model see positions.
#[derive(Debug, Clone)]
pub struct Positions<'m> {
    model: &'m Model,
    summaries: Vec<Summary>,
}

impl<'m> Positions<'m> {
    /// Prepares to look at a verified model.
    pub fn new(model: &'m Model) -> Self {
        Self { model, summaries: summaries(model) }
    }

    fn flow(&self, locals: &'m [Local]) -> Flow<'_> {
        let summaries = &self.summaries;
        Flow { model: self.model, summaries, locals, names: BTreeMap::new(), seen: BTreeSet::new() }
    }

    /// What the body of a function sees, functions it calls aside.
    pub fn in_function(&self, function: FunctionId) -> Vec<Seen> {
        let function = self.model.function(function);
        let mut flow = self.flow(&function.locals);
        for (at, param) in function.locals.iter().take(function.n_params as usize).enumerate() {
            if param.mode == LocalMode::Reference {
                flow.names.insert(LocalId(at as u32), Name { kinds: Kinds::Any, status: Status::There });
            }
        }
        flow.block(&function.body);
        flow.finish()
    }

    /// What a part of the model sees, functions it calls aside.
    pub fn in_part(&self, part: &Part<'m>) -> Vec<Seen> {
        let mut flow = self.flow(part.locals);
        flow.binders(part.binders);
        part.condition.into_iter().for_each(|condition| flow.expr(condition));
        part.action.into_iter().for_each(|action| flow.block(action));
        flow.finish()
    }
}

/// Multisets that may be one and the same: those of one capacity and element size.
type Kind = (u32, u32);

fn kind(types: &Types, multiset: TypeId) -> Kind {
    let (capacity, element) = types.get(multiset).multiset().expect("verified: a multiset");
    (capacity, types.shape(element).n_slots)
}

/// The kinds of multisets that a value of a type holds.
fn kinds_in(types: &Types, ty: TypeId, found: &mut BTreeSet<Kind>) {
    if types.get(ty).multiset().is_some() {
        found.insert(kind(types, ty));
    }
    // Multisets hold no multisets.
    types.get(ty).contents().for_each(|part| kinds_in(types, part, found));
}

/// What a function may do to multisets, itself or through what it calls.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Summary {
    removes: BTreeSet<Kind>,
    inserts: BTreeSet<Kind>,
    reads: BTreeSet<Kind>,
}

impl Summary {
    fn include(&mut self, other: &Self) {
        self.removes.extend(&other.removes);
        self.inserts.extend(&other.inserts);
        self.reads.extend(&other.reads);
    }
}

fn summaries(model: &Model) -> Vec<Summary> {
    let mut summaries = vec![Summary::default(); model.functions.len()];
    loop {
        let before = summaries.clone();
        for (at, function) in model.functions.iter().enumerate() {
            let mut changes = Changes { model, locals: &function.locals, known: &before, found: Summary::default() };
            changes.block(&function.body);
            let found = changes.found;
            summaries[at].include(&found);
        }
        if summaries == before {
            return summaries;
        }
    }
}

/// What is done to multisets anywhere inside.
struct Changes<'a> {
    model: &'a Model,
    locals: &'a [Local],
    known: &'a [Summary],
    found: Summary,
}

impl Visitor for Changes<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        let types = &self.model.types;
        match &stmt.kind {
            StmtKind::Assign { target, source } => {
                kinds_in(types, target.ty, &mut self.found.removes);
                if *source != Operand::Undefined {
                    kinds_in(types, target.ty, &mut self.found.inserts);
                }
            }
            StmtKind::Clear(place) => kinds_in(types, place.ty, &mut self.found.removes),
            StmtKind::Insert { multiset, .. } => _ = self.found.inserts.insert(kind(types, multiset.ty)),
            StmtKind::Remove(place) => {
                let multiset = multiset_of(self.model, self.locals, place);
                self.found.removes.insert(kind(types, multiset));
            }
            StmtKind::RemoveWhere { multiset, .. } => _ = self.found.removes.insert(kind(types, multiset.ty)),
            // A result that holds multisets goes to a variable that no name leads into yet.
            StmtKind::Call { .. }
            | StmtKind::Bind { .. }
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

    fn place(&mut self, place: &Place) {
        note_reads(self.model, self.locals, place, &mut self.found.reads);
        walk_place(self, place);
    }

    fn call(&mut self, call: &Call) {
        self.found.include(&self.known[call.function.index()]);
        walk_call(self, call);
    }
}

/// The types on the way to a place, from the whole to the part.
fn types_along<'a>(model: &'a Model, locals: &'a [Local], place: &'a Place) -> impl Iterator<Item = TypeId> + 'a {
    let whole = match &place.base {
        PlaceBase::Global(global) => model.global(*global).ty,
        PlaceBase::Local(local) => locals[local.index()].ty,
        PlaceBase::Call(call) => model.function(call.function).result.unwrap_or(place.ty),
    };
    let mut ty = whole;
    std::iter::once(whole).chain(place.path.iter().map(move |step| {
        ty = step.part_type(&model.types, ty).expect("verified places have parts for all steps");
        ty
    }))
}

/// The multiset of the element that the last step of a place leads to.
fn multiset_of(model: &Model, locals: &[Local], element: &Place) -> TypeId {
    types_along(model, locals, element)
        .nth(element.path.len() - 1)
        .expect("an element is a step away from its multiset")
}

/// The kinds of multisets that a place is a part of, or that are parts of it.
fn note_reads(model: &Model, locals: &[Local], place: &Place, found: &mut BTreeSet<Kind>) {
    for ty in types_along(model, locals, place) {
        if model.types.get(ty).multiset().is_some() {
            found.insert(kind(&model.types, ty));
        }
    }
    kinds_in(&model.types, place.ty, found);
}

/// The multisets that a name may lead into.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Kinds {
    Only(BTreeSet<Kind>),
    /// It came from a caller.
    Any,
}

impl Kinds {
    fn meet(&self, kinds: &BTreeSet<Kind>) -> bool {
        match self {
            Self::Only(own) => !own.is_disjoint(kinds),
            Self::Any => !kinds.is_empty(),
        }
    }
}

/// What may have become of a named element, from best to worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Status {
    There,
    /// It may have been taken out.
    Gone,
    /// Another may have taken its slot.
    Replaced,
}

/// A slot local, or a reference to an element or into one.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Name {
    kinds: Kinds,
    status: Status,
}

/// Follows names through statements.
struct Flow<'a> {
    model: &'a Model,
    summaries: &'a [Summary],
    locals: &'a [Local],
    names: BTreeMap<LocalId, Name>,
    seen: BTreeSet<Seen>,
}

impl Flow<'_> {
    fn finish(self) -> Vec<Seen> {
        self.seen.into_iter().collect()
    }

    fn note(&mut self, span: Span, reason: &'static str) {
        self.seen.insert(Seen { span, reason });
    }

    fn binders(&mut self, binders: &[Binder]) {
        for binder in binders {
            match binder {
                Binder::Param { local, domain } => self.bound(*local, domain),
                Binder::Value { source, .. } => burnside_ir::visit::walk_operand(self, source),
                Binder::Reference { local, place } => self.refer(*local, place),
            }
        }
    }

    fn bound(&mut self, local: LocalId, domain: &Domain) {
        walk_domain(self, domain);
        if let Domain::Slots(multiset) = domain {
            self.name_element(local, multiset);
        }
    }

    fn name_element(&mut self, local: LocalId, multiset: &Place) {
        let kinds = Kinds::Only(BTreeSet::from([kind(&self.model.types, multiset.ty)]));
        self.names.insert(local, Name { kinds, status: Status::There });
    }

    fn refer(&mut self, local: LocalId, place: &Place) {
        self.place(place);
        let inherited = match place.base {
            PlaceBase::Local(base) => self.names.get(&base).cloned(),
            PlaceBase::Global(_) | PlaceBase::Call(_) => None,
        };
        let mut kinds = BTreeSet::new();
        for (ty, step) in types_along(self.model, self.locals, place).zip(&place.path) {
            if matches!(step, Projection::Element(_) | Projection::Numbered(_)) {
                kinds.insert(kind(&self.model.types, ty));
            }
        }
        match inherited {
            Some(name) => _ = self.names.insert(local, name),
            None if kinds.is_empty() => _ = self.names.remove(&local),
            None => _ = self.names.insert(local, Name { kinds: Kinds::Only(kinds), status: Status::There }),
        }
    }

    fn removed(&mut self, kinds: &BTreeSet<Kind>) {
        for name in self.names.values_mut().filter(|name| name.kinds.meet(kinds)) {
            name.status = name.status.max(Status::Gone);
        }
    }

    fn inserted(&mut self, kinds: &BTreeSet<Kind>) {
        for name in self.names.values_mut().filter(|name| name.kinds.meet(kinds)) {
            if name.status == Status::Gone {
                name.status = Status::Replaced;
            }
        }
    }

    fn used(&mut self, local: LocalId, worst: Status, span: Span) {
        if self.names.get(&local).is_some_and(|name| name.status > worst) {
            self.note(span, "uses an element of a multiset that may have been taken out and replaced by another");
        }
    }

    fn join(&mut self, other: BTreeMap<LocalId, Name>) {
        for (local, name) in other {
            match self.names.get_mut(&local) {
                None => _ = self.names.insert(local, name),
                Some(known) => {
                    known.status = known.status.max(name.status);
                    known.kinds = match (&known.kinds, name.kinds) {
                        (Kinds::Only(one), Kinds::Only(other)) => Kinds::Only(one.union(&other).copied().collect()),
                        _ => Kinds::Any,
                    };
                }
            }
        }
    }

    /// Statements that may run any number of times.
    fn repeated(&mut self, mut round: impl FnMut(&mut Self)) {
        loop {
            let before = self.names.clone();
            round(self);
            self.join(before.clone());
            if self.names == before {
                return;
            }
        }
    }

    /// A condition under which elements are removed one after the other.
    fn removal_condition(&mut self, local: LocalId, multiset: &Place, condition: &Expr) {
        let known = self.summaries;
        let mut others = Others { model: self.model, locals: self.locals, known, local, reads: BTreeSet::new() };
        others.expr(condition);
        if others.reads.contains(&kind(&self.model.types, multiset.ty)) {
            self.note(condition.span, "removes elements of a multiset under a condition that looks at the others");
        }
    }
}

/// The multisets that a condition on an element looks at, the element itself aside.
struct Others<'a> {
    model: &'a Model,
    locals: &'a [Local],
    known: &'a [Summary],
    local: LocalId,
    reads: BTreeSet<Kind>,
}

impl Visitor for Others<'_> {
    fn place(&mut self, place: &Place) {
        let is_own = |step: &Projection| matches!(step, Projection::Element(slot) if *slot == self.local);
        let through_reference = matches!(place.base, PlaceBase::Local(local)
            if self.locals[local.index()].mode == LocalMode::Reference);
        if !place.path.iter().any(is_own) {
            note_reads(self.model, self.locals, place, &mut self.reads);
            if through_reference {
                // It may lead into any multiset.
                let mut all = BTreeSet::new();
                self.model.globals.iter().for_each(|global| kinds_in(&self.model.types, global.ty, &mut all));
                self.reads.extend(all);
            }
        }
        walk_place(self, place);
    }

    fn call(&mut self, call: &Call) {
        self.reads.extend(&self.known[call.function.index()].reads);
        walk_call(self, call);
    }
}

impl Visitor for Flow<'_> {
    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::SlotNumber(_) => self.note(expr.span, "uses the position of an element in a multiset"),
            ExprKind::SameAggregate(left, _) if self.model.types.shape(left.ty).has_multiset => {
                self.note(expr.span, "compares multisets slot by slot");
            }
            ExprKind::Quantified(_, local, domain, body) => {
                self.bound(*local, domain);
                return self.expr(body);
            }
            ExprKind::Count(local, multiset, condition) => {
                self.place(multiset);
                self.name_element(*local, multiset);
                return self.expr(condition);
            }
            ExprKind::Const(_)
            | ExprKind::Read(_)
            | ExprKind::IsUndefined(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::SameAggregate(..)
            | ExprKind::Conditional(..)
            | ExprKind::Convert(_)
            | ExprKind::IsMember(..)
            | ExprKind::Call(_) => {}
        }
        walk_expr(self, expr);
    }

    fn place(&mut self, place: &Place) {
        if let PlaceBase::Local(local) = place.base {
            self.used(local, Status::Gone, place.span);
        }
        for step in &place.path {
            match step {
                Projection::Field(_) | Projection::Index(_) => {}
                Projection::Element(slot) => self.used(*slot, Status::Gone, place.span),
                Projection::Numbered(number) => {
                    self.note(number.span, "picks an element of a multiset by its position");
                }
            }
        }
        walk_place(self, place);
    }

    fn call(&mut self, call: &Call) {
        for arg in &call.args {
            if let Arg::Reference(place) = arg
                && let PlaceBase::Local(local) = place.base
            {
                // The callee takes its parameter for an element that is there.
                self.used(local, Status::There, place.span);
            }
        }
        walk_call(self, call);
        let summary = &self.summaries[call.function.index()];
        self.removed(&summary.removes);
        self.inserted(&summary.inserts);
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let types = &self.model.types;
        match &stmt.kind {
            StmtKind::Assign { target, source } => {
                walk_stmt(self, stmt);
                let mut kinds = BTreeSet::new();
                kinds_in(types, target.ty, &mut kinds);
                self.removed(&kinds);
                if *source != Operand::Undefined {
                    self.inserted(&kinds);
                }
            }
            StmtKind::Clear(place) => {
                self.place(place);
                let mut kinds = BTreeSet::new();
                kinds_in(types, place.ty, &mut kinds);
                self.removed(&kinds);
            }
            StmtKind::Bind { local, place } => self.refer(*local, place),
            StmtKind::If { arms, otherwise } => self.branches(arms, otherwise),
            StmtKind::While { condition, body } => self.repeated(|flow| {
                flow.expr(condition);
                flow.block(body);
            }),
            StmtKind::For { local, domain, body } => {
                walk_domain(self, domain);
                self.repeated(|flow| {
                    if let Domain::Slots(multiset) = domain {
                        flow.name_element(*local, multiset);
                    }
                    flow.block(body);
                });
            }
            StmtKind::Insert { multiset, .. } => {
                walk_stmt(self, stmt);
                self.inserted(&BTreeSet::from([kind(types, multiset.ty)]));
            }
            StmtKind::Remove(element) => {
                self.place(element);
                let multiset = multiset_of(self.model, self.locals, element);
                self.removed(&BTreeSet::from([kind(types, multiset)]));
            }
            StmtKind::RemoveWhere { multiset, local, condition } => {
                self.place(multiset);
                self.name_element(*local, multiset);
                self.expr(condition);
                self.removal_condition(*local, multiset, condition);
                self.removed(&BTreeSet::from([kind(types, multiset.ty)]));
            }
            StmtKind::Call { .. }
            | StmtKind::Assert { .. }
            | StmtKind::Assume(_)
            | StmtKind::Cover { .. }
            | StmtKind::Error(_)
            | StmtKind::Put(_)
            | StmtKind::Return(_) => walk_stmt(self, stmt),
        }
    }
}

impl Flow<'_> {
    fn branches(&mut self, arms: &[(Expr, Block)], otherwise: &Block) {
        for (condition, _) in arms {
            self.expr(condition);
        }
        let before = self.names.clone();
        let mut after = Vec::new();
        for block in arms.iter().map(|(_, block)| block).chain([otherwise]) {
            self.names.clone_from(&before);
            self.block(block);
            after.push(std::mem::take(&mut self.names));
        }
        after.into_iter().for_each(|names| self.join(names));
    }
}

#[cfg(test)]
mod tests {
    use burnside_diag::FileId;

    use super::*;

    /// How many places of the only rule's action see positions.
    fn check(action: &str, expected: usize) {
        let model = format!(
            "type N: scalarset(2); var m: multiset[2] of N; k: multiset[3] of N; x: N; b: boolean;
             procedure empty(); begin undefine m; end;
             procedure refill(y: N); begin undefine m; multisetadd(y, m); end;
             procedure look(var e: N); begin b := isundefined(e); end;
             startstate undefine m; undefine k; undefine x; b := false; end;
             choose i: m do rule !isundefined(x) ==> begin {action} end; end;"
        );
        let loaded = burnside_murphi::load(FileId(0), &model, &burnside_murphi::Options::default());
        let model = loaded.model.unwrap_or_else(|| panic!("{action}: {:?}", loaded.diagnostics));
        let seen = Positions::new(&model).in_part(&Part::rule(&model.rules[0]));
        assert_eq!(seen.len(), expected, "{action}: {seen:?}");
    }

    #[test]
    fn elements_may_be_used_until_their_slot_is_taken_again() {
        check("x := m[i]; multisetremove(i, m); multisetadd(x, m);", 0);
        check("multisetadd(x, m); x := m[i]; multisetremove(i, m);", 0);
        check("multisetremove(i, m); x := m[i];", 0);
        check("multisetremove(i, m); multisetadd(x, k); x := m[i];", 0);
        check("multisetremove(i, m); multisetadd(x, m); x := m[i];", 1);
        check("multisetremovepred(j: m, m[j] = x); multisetadd(x, m); x := m[i];", 1);
        check("alias e: m[i] do multisetremove(i, m); multisetadd(x, m); x := e; end;", 1);
        check("if b then multisetremove(i, m); end; if b then multisetadd(x, m); end; x := m[i];", 1);
        check("while b do x := m[i]; multisetremove(i, m); multisetadd(x, m); end;", 2);
    }

    #[test]
    fn calls_do_what_their_bodies_do() {
        check("empty(); x := m[i];", 0);
        check("refill(x); x := m[i];", 1);
        check("empty(); multisetadd(x, m); x := m[i];", 1);
        check("alias e: m[i] do empty(); look(e); end;", 1);
        check("look(m[i]); empty();", 0);
    }

    #[test]
    fn conditions_of_removals_may_look_at_their_own_element() {
        check("multisetremovepred(j: m, m[j] = x);", 0);
        check("multisetremovepred(j: m, m[j] = x & multisetcount(l: k, k[l] = m[j]) = 0);", 0);
        check("multisetremovepred(j: m, multisetcount(l: m, true) > 1);", 1);
        check("multisetremovepred(j: m, m[i] = x);", 1);
    }
}
