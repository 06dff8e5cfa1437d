//! Checks of slot locals: each names an element of the one multiset that its binder goes through.
//!
// SOUND: a slot is where an element happens to lie, which renaming identities changes. A slot local can be neither read
// nor stored, it is used only inside of what its binder encloses, and only in a place that is, word by word, an element
// of the multiset gone through; and that place is the same multiset throughout, because everything it depends on keeps
// its value. So a slot local means an element and nothing else. What becomes of it once the element is taken out is a
// question of when, which `burnside-analysis` answers.

use std::collections::BTreeSet;

use burnside_diag::Span;

use super::{Checker, DefectKind};
use crate::visit::{Visitor, walk_binder, walk_call, walk_expr, walk_place, walk_stmt};
use crate::{
    Arg, Binder, Block, Call, Expr, ExprKind, LocalId, LocalMode, Part, Place, PlaceBase, Projection, Stmt, StmtKind,
};

/// What a slot local's binder encloses.
#[derive(Clone, Copy)]
pub(super) enum Scope<'s> {
    /// A condition, during which nothing changes.
    Expr(&'s Expr),
    /// A condition under which elements are removed one after the other.
    Removal(&'s Expr),
    Block(&'s Block),
    /// What follows a binder.
    Rest {
        binders: &'s [Binder],
        condition: Option<&'s Expr>,
        action: Option<&'s Block>,
    },
}

impl Checker<'_> {
    /// A slot local begins to name elements of a multiset, within a scope.
    pub(super) fn open_slot(&mut self, local: LocalId, multiset: &Place, scope: Scope<'_>, span: Span) {
        if let Some(ty) = self.bindable(local, LocalMode::Slot, span) {
            self.require(self.alike(ty, multiset.ty), span, DefectKind::Mismatch(ty, multiset.ty));
            self.require(!self.homes.contains_key(&local), span, DefectKind::BoundTwice(local));
            let steady = self.is_steady(multiset, scope);
            self.require(steady, multiset.span, DefectKind::UnsteadyMultiset(local));
            self.homes.insert(local, without_spans(multiset));
        }
    }

    /// The end of a slot local's scope.
    pub(super) fn close_slot(&mut self, local: LocalId) {
        self.homes.remove(&local);
    }

    /// An element of a multiset, named by a slot local.
    pub(super) fn element_step(&mut self, local: LocalId, base: &PlaceBase, path: &[Projection], span: Span) {
        if self.slot_in_use(local, span) {
            let multiset = without_spans(&Place {
                base: base.clone(),
                path: path.to_vec(),
                ty: self.locals[local.index()].ty,
                span,
            });
            let home = &self.homes[&local];
            let same = (&home.base, &home.path) == (&multiset.base, &multiset.path);
            self.require(same, span, DefectKind::ForeignSlot(local));
        }
    }

    /// Whether a slot local exists and names an element here; reported if not.
    pub(super) fn slot_in_use(&mut self, local: LocalId, span: Span) -> bool {
        if self.bindable(local, LocalMode::Slot, span).is_none() {
            return false;
        }
        let in_use = self.homes.contains_key(&local);
        self.require(in_use, span, DefectKind::SlotOutOfScope(local));
        in_use
    }

    /// Whether a place leads to one and the same multiset throughout a scope.
    fn is_steady(&self, multiset: &Place, scope: Scope<'_>) -> bool {
        let mut watch = Watch { values: BTreeSet::new(), references: BTreeSet::new(), changed: false };
        match multiset.base {
            PlaceBase::Global(_) => {}
            PlaceBase::Local(local) => match self.locals.get(local.index()).map(|local| local.mode) {
                Some(LocalMode::Reference) => _ = watch.references.insert(local),
                Some(LocalMode::Owned) => {}
                Some(LocalMode::Slot) | None => return false,
            },
            PlaceBase::Call(_) => return false,
        }
        for step in &multiset.path {
            match step {
                Projection::Field(_) => {}
                Projection::Index(index) => {
                    let mut reads = Reads::default();
                    reads.expr(index);
                    let fits = match scope {
                        Scope::Expr(_) => true,
                        // What is removed may not lead elsewhere.
                        Scope::Removal(_) => !reads.elements,
                        Scope::Block(_) | Scope::Rest { .. } => {
                            reads.only_locals && reads.locals.iter().all(|local| self.is_own_value(*local))
                        }
                    };
                    if !fits {
                        return false;
                    }
                    watch.values.extend(reads.locals);
                }
                Projection::Element(_) | Projection::Numbered(_) => return false,
            }
        }
        watch.scope(scope);
        !watch.changed
    }

    /// Whether a local holds a value that nothing refers to.
    fn is_own_value(&self, local: LocalId) -> bool {
        let owned = self.locals.get(local.index()).is_some_and(|local| local.mode == LocalMode::Owned);
        owned && !self.referenced.contains(&local)
    }
}

/// A place as it is compared with others.
fn without_spans(place: &Place) -> Place {
    let path = place.path.iter().map(|step| match step {
        Projection::Index(index) => Projection::Index(Box::new(bare_index(index))),
        other => other.clone(),
    });
    Place { base: place.base.clone(), path: path.collect(), ty: place.ty, span: Span::NOWHERE }
}

/// The index of a steady place: mostly a constant or a local.
fn bare_index(index: &Expr) -> Expr {
    match &index.kind {
        ExprKind::Const(value) => Expr::constant(index.ty, *value, Span::NOWHERE),
        ExprKind::Read(place) => Expr::read(Place { span: Span::NOWHERE, ..(**place).clone() }),
        _ => index.clone(),
    }
}

/// What an index depends on.
struct Reads {
    locals: BTreeSet<LocalId>,
    /// Whether it is made of constants and whole local variables.
    only_locals: bool,
    /// Whether it looks into multisets, or may do so.
    elements: bool,
}

impl Default for Reads {
    fn default() -> Self {
        Self { locals: BTreeSet::new(), only_locals: true, elements: false }
    }
}

impl Visitor for Reads {
    fn expr(&mut self, expr: &Expr) {
        if matches!(
            expr.kind,
            ExprKind::Count(..) | ExprKind::Quantified(..) | ExprKind::Call(_) | ExprKind::SlotNumber(_)
        ) {
            self.only_locals = false;
            self.elements = true;
        }
        walk_expr(self, expr);
    }

    fn place(&mut self, place: &Place) {
        match place.base {
            PlaceBase::Local(local) => _ = self.locals.insert(local),
            PlaceBase::Global(_) => self.only_locals = false,
            PlaceBase::Call(_) => self.elements = true,
        }
        self.only_locals &= place.path.is_empty();
        self.elements |= place.path.iter().any(|step| matches!(step, Projection::Element(_) | Projection::Numbered(_)));
        walk_place(self, place);
    }
}

/// Looks for what changes the value of some locals or what some references stand for.
struct Watch {
    values: BTreeSet<LocalId>,
    references: BTreeSet<LocalId>,
    changed: bool,
}

impl Watch {
    fn scope(&mut self, scope: Scope<'_>) {
        match scope {
            Scope::Expr(expr) | Scope::Removal(expr) => self.expr(expr),
            Scope::Block(block) => self.block(block),
            Scope::Rest { binders, condition, action } => {
                Part { binders, locals: &[], condition, action }.walk(self);
            }
        }
    }

    fn bound(&mut self, local: LocalId) {
        self.changed |= self.values.contains(&local) || self.references.contains(&local);
    }

    fn written(&mut self, place: &Place) {
        if let PlaceBase::Local(local) = place.base {
            self.changed |= self.values.contains(&local);
        }
    }
}

impl Visitor for Watch {
    fn binder(&mut self, binder: &Binder) {
        self.bound(binder.local());
        walk_binder(self, binder);
    }

    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::Quantified(_, local, ..) | ExprKind::Count(local, ..) = &expr.kind {
            self.bound(*local);
        }
        walk_expr(self, expr);
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Assign { target: place, .. }
            | StmtKind::Clear(place)
            | StmtKind::Insert { multiset: place, .. }
            | StmtKind::Remove(place) => self.written(place),
            StmtKind::RemoveWhere { multiset, local, .. } => {
                self.written(multiset);
                self.bound(*local);
            }
            StmtKind::Bind { local, .. } | StmtKind::For { local, .. } | StmtKind::Call { result: Some(local), .. } => {
                self.bound(*local);
            }
            StmtKind::If { .. }
            | StmtKind::While { .. }
            | StmtKind::Call { result: None, .. }
            | StmtKind::Assert { .. }
            | StmtKind::Assume(_)
            | StmtKind::Cover { .. }
            | StmtKind::Error(_)
            | StmtKind::Put(_)
            | StmtKind::Return(_) => {}
        }
        walk_stmt(self, stmt);
    }
}

/// Collects the locals that something refers to.
#[derive(Default)]
pub(super) struct Referenced(pub(super) BTreeSet<LocalId>);

impl Referenced {
    fn note(&mut self, place: &Place) {
        if let PlaceBase::Local(local) = place.base {
            self.0.insert(local);
        }
    }
}

impl Visitor for Referenced {
    fn binder(&mut self, binder: &Binder) {
        match binder {
            Binder::Reference { place, .. } => self.note(place),
            Binder::Param { .. } | Binder::Value { .. } => {}
        }
        walk_binder(self, binder);
    }

    fn stmt(&mut self, stmt: &Stmt) {
        if let StmtKind::Bind { place, .. } = &stmt.kind {
            self.note(place);
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
