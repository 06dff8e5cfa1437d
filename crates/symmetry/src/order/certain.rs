//! Conditions and loops that cannot fault.
//!
//! Conservative, and only as clever as the loops and conditions need that people write to look something up.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

use burnside_analysis::{Definedness, Owner};
use burnside_interp::{Interpreter, Limits, Outcome};
use burnside_ir::{
    Binder, Block, Domain, Expr, ExprKind, Function, FunctionId, Layout, Local, LocalId, Model, Operand, Place,
    PlaceBase, Projection, Property, PutItem, Rule, Stmt, StmtKind, Type, TypeId, UnaryOp,
};

use super::round::assigned;

/// Start states that are looked at to find what is always defined; with more of them nothing is claimed.
const MOST_STARTS: usize = 10_000;

/// Whose statements are looked at.
#[derive(Default)]
pub(super) struct Frame<'m> {
    pub(super) locals: &'m [Local],
    /// How many of the locals the caller sets.
    pub(super) n_params: u32,
    owner: Option<Owner>,
    /// Locals that hold the same defined value throughout.
    fixed: BTreeSet<LocalId>,
}

impl<'m> Frame<'m> {
    pub(super) fn of_function(id: FunctionId, function: &'m Function) -> Self {
        let owner = Some(Owner::Function(id.0));
        Self { locals: &function.locals, n_params: function.n_params, owner, fixed: BTreeSet::new() }
    }

    pub(super) fn of_rule(at: usize, rule: &'m Rule) -> Self {
        let changed = assigned(&rule.action);
        let fixed = params(&rule.binders).filter(|local| !changed.contains(local)).collect();
        Self { locals: &rule.locals, n_params: 0, owner: Some(Owner::Rule(at as u32)), fixed }
    }

    pub(super) fn of_property(at: usize, property: &'m Property) -> Self {
        let fixed = params(&property.binders).collect();
        Self { locals: &property.locals, n_params: 0, owner: Some(Owner::Property(at as u32)), fixed }
    }

    /// Notes that a local holds the same defined value until it is released; false if that was known.
    pub(super) fn fix(&mut self, local: LocalId) -> bool {
        self.fixed.insert(local)
    }

    pub(super) fn release(&mut self, local: LocalId) {
        self.fixed.remove(&local);
    }
}

fn params(binders: &[Binder]) -> impl Iterator<Item = LocalId> {
    burnside_ir::params(binders)
}

/// What is known to go well in a model.
pub(super) struct Certain<'m> {
    model: &'m Model,
    /// Found when first asked for: most models never need it.
    definedness: OnceCell<Option<Definedness>>,
}

impl<'m> Certain<'m> {
    pub(super) fn new(model: &'m Model) -> Self {
        Self { model, definedness: OnceCell::new() }
    }

    /// What is known of a part of a model, whose variables the rest may set in any way.
    pub(super) fn of_part(part: &'m Model) -> Self {
        Self { model: part, definedness: OnceCell::from(None) }
    }

    /// Whether evaluating the condition cannot fault while the bound locals hold values of their types.
    pub(super) fn cannot_fault(&self, frame: &Frame<'_>, expr: &Expr, bound: &[LocalId]) -> bool {
        let fine = |expr: &Expr| self.cannot_fault(frame, expr, bound);
        match &expr.kind {
            ExprKind::Const(_) | ExprKind::SlotNumber(_) => true,
            ExprKind::Read(place) => self.reaches(frame, place, bound) && self.is_defined(frame, place, bound),
            ExprKind::IsUndefined(place) | ExprKind::IsMember(place, _) => self.reaches(frame, place, bound),
            ExprKind::Unary(UnaryOp::Not, operand) => fine(operand),
            ExprKind::Binary(op, left, right) if op.is_predicate() => fine(left) && fine(right),
            ExprKind::SameAggregate(left, right) => {
                self.reaches(frame, left, bound) && self.reaches(frame, right, bound)
            }
            ExprKind::Conditional(condition, yes, no) => fine(condition) && fine(yes) && fine(no),
            ExprKind::Convert(inner) => fine(inner) && self.model.types.union_offset(expr.ty, inner.ty).is_some(),
            ExprKind::Quantified(_, local, domain, body) => {
                let covers = matches!(**domain, Domain::Type(ty) if self.covers(frame.locals[local.index()].ty, ty));
                covers && self.cannot_fault(frame, body, &[bound, &[*local]].concat())
            }
            ExprKind::Unary(..) | ExprKind::Binary(..) | ExprKind::Count(..) | ExprKind::Call(_) => false,
        }
    }

    /// Whether executing statements cannot fault, and does nothing but look and return.
    pub(super) fn runs_through(&self, frame: &Frame<'_>, block: &Block, bound: &[LocalId]) -> bool {
        block.iter().all(|stmt| self.stmt(frame, stmt, bound))
    }

    fn stmt(&self, frame: &Frame<'_>, stmt: &Stmt, bound: &[LocalId]) -> bool {
        match &stmt.kind {
            StmtKind::If { arms, otherwise } => {
                let arm = |(condition, block): &(Expr, Block)| {
                    self.cannot_fault(frame, condition, bound) && self.runs_through(frame, block, bound)
                };
                arms.iter().all(arm) && self.runs_through(frame, otherwise, bound)
            }
            StmtKind::For { local, domain: Domain::Type(ty), body } => {
                let covers = self.covers(frame.locals[local.index()].ty, *ty);
                covers && self.runs_through(frame, body, &[bound, &[*local]].concat())
            }
            StmtKind::Return(None | Some(Operand::Undefined)) => true,
            StmtKind::Return(Some(Operand::Value(value))) => value.as_const().is_some(),
            StmtKind::Put(items) => items.iter().all(|item| matches!(item, PutItem::Text(_))),
            StmtKind::For { .. }
            | StmtKind::Return(_)
            | StmtKind::Assign { .. }
            | StmtKind::Clear(_)
            | StmtKind::Insert { .. }
            | StmtKind::Remove(_)
            | StmtKind::RemoveWhere { .. }
            | StmtKind::Bind { .. }
            | StmtKind::While { .. }
            | StmtKind::Call { .. }
            | StmtKind::Assert { .. }
            | StmtKind::Assume(_)
            | StmtKind::Cover { .. }
            | StmtKind::Error(_) => false,
        }
    }

    fn is_defined(&self, frame: &Frame<'_>, place: &Place, bound: &[LocalId]) -> bool {
        if let PlaceBase::Local(local) = place.base
            && place.path.is_empty()
            && (bound.contains(&local) || frame.fixed.contains(&local))
        {
            return true;
        }
        let Some(owner) = frame.owner else { return false };
        let definedness = self.definedness.get_or_init(|| solve(self.model)).as_ref();
        definedness.is_some_and(|solution| solution.always_defined(self.model, owner, frame.locals, place))
    }

    /// Whether finding the place cannot fault.
    fn reaches(&self, frame: &Frame<'_>, place: &Place, bound: &[LocalId]) -> bool {
        let mut ty = match &place.base {
            PlaceBase::Global(global) => self.model.global(*global).ty,
            PlaceBase::Local(local) => frame.locals[local.index()].ty,
            PlaceBase::Call(_) => return false,
        };
        for projection in &place.path {
            ty = match (projection, self.model.types.get(ty)) {
                (Projection::Field(field), Type::Record { fields }) => fields[*field as usize].ty,
                (Projection::Index(index), &Type::Array { index: index_ty, element }) => {
                    if !self.cannot_fault(frame, index, bound) || !self.covers(index_ty, index.ty) {
                        return false;
                    }
                    element
                }
                _ => return false,
            };
        }
        true
    }

    /// Whether every value of the inner type is one of the outer.
    fn covers(&self, outer: TypeId, inner: TypeId) -> bool {
        let (outer, inner) = (self.model.types.shape(outer), self.model.types.shape(inner));
        outer.lo <= inner.lo && inner.hi <= outer.hi
    }
}

/// What is always defined, from all start states.
///
// SOUND: the limits of a search may differ from those here. A start state that is found here is found by every search
// whose limits it does not exceed; where one faults here, perhaps for the limits, nothing is claimed.
fn solve(model: &Model) -> Option<Definedness> {
    let layout = Layout::new(model).ok()?;
    let mut starts = Vec::new();
    let mut is_complete = true;
    Interpreter::new(model, &layout, Limits::default()).starts(|_, _, outcome| {
        match outcome {
            Outcome::Next(state) => starts.push(state.to_vec()),
            Outcome::Pruned => {}
            Outcome::Fault(..) => is_complete = false,
        }
        is_complete &= starts.len() <= MOST_STARTS;
        if is_complete { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    is_complete.then(|| Definedness::new(model, &layout, starts.iter().map(Vec::as_slice)))
}
