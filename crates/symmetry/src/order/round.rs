//! What one round of a loop touches.

use std::collections::{BTreeMap, BTreeSet};

use burnside_diag::Span;
use burnside_ir::visit::{Visitor, walk_call, walk_domain, walk_expr, walk_operand, walk_place, walk_stmt};
use burnside_ir::{
    Arg, BinaryOp, Block, Call, Expr, ExprKind, FunctionId, Local, LocalId, LocalMode, Model, Operand, Place,
    PlaceBase, Projection, PutItem, Stmt, StmtKind, Type,
};

use super::Argument;
use super::certain::Frame;
use super::keyed::KeyedSlot;
use super::spot::{Deed, Key, Part, Spot, Touch, Whole};
use crate::Break;

/// What a by-value local holds, as far as the loop's variable is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Held {
    /// The loop's variable itself, perhaps as a member of a union.
    Variable,
    /// The same in every round.
    Same,
    /// Something else.
    Varies,
}

/// Collects what a round touches.
pub(super) struct Round<'m> {
    pub(super) model: &'m Model,
    /// The frame being gone through: of the loop itself, or of a function it calls.
    locals: &'m [Local],
    /// Parameters of the frame that contains the loop.
    n_params: u32,
    /// The functions being gone through, outermost first.
    calls: Vec<FunctionId>,
    held: BTreeMap<LocalId, Held>,
    /// What references stand for.
    spots: BTreeMap<LocalId, Spot>,
    /// The multisets that are being gone through under a keyed condition.
    pub(super) keyed: Vec<KeyedSlot>,
    variable: LocalId,
    touches: Vec<Touch>,
    returns: Vec<(Option<Key>, Span)>,
    /// Something that is not understood.
    giving_up: Option<Break>,
}

impl<'m> Round<'m> {
    pub(super) fn new(model: &'m Model, frame: &Frame<'m>, variable: LocalId) -> Self {
        Self {
            model,
            locals: frame.locals,
            n_params: frame.n_params,
            calls: Vec::new(),
            held: BTreeMap::from([(variable, Held::Variable)]),
            spots: BTreeMap::new(),
            keyed: Vec::new(),
            variable,
            touches: Vec::new(),
            returns: Vec::new(),
            giving_up: None,
        }
    }

    /// Goes through the body of a loop.
    pub(super) fn body(&mut self, body: &Block) {
        if assigned(body).contains(&self.variable) {
            self.held.insert(self.variable, Held::Varies);
        }
        self.block(body);
    }

    /// Goes through the condition of a quantifier.
    pub(super) fn condition(&mut self, condition: &Expr) {
        let mut scan = Assigned::default();
        scan.expr(condition);
        if scan.0.contains(&self.variable) {
            self.held.insert(self.variable, Held::Varies);
        }
        self.expr(condition);
    }

    /// Where a round may leave the loop.
    pub(super) fn early_return(&self) -> Option<Span> {
        self.returns.first().map(|(_, span)| *span)
    }

    /// What makes rounds commute, if they do.
    pub(super) fn arguments(&self) -> BTreeSet<Argument> {
        let mut arguments: BTreeSet<Argument> = self.touches.iter().filter_map(Touch::argument).collect();
        if !self.returns.is_empty() {
            arguments.insert(Argument::SameResult);
        }
        if arguments.is_empty() {
            arguments.insert(Argument::ReadsOnly);
        }
        arguments
    }

    /// The first reason why two rounds may not commute; `what` is what happens, in words that follow "the model".
    pub(super) fn conflict(mut self, what: &str) -> Option<Break> {
        if let Some(found) = self.giving_up.take() {
            return Some(found);
        }
        if let Some((first, span)) = self.returns.first() {
            let same = first.is_some() && self.returns.iter().all(|(key, _)| key == first);
            if !same || self.touches.iter().any(|touch| touch.deed != Deed::Read) {
                let reason = "leaves a loop early, with a result that may depend on the order of its rounds".to_owned();
                return Some(Break { span: *span, reason });
            }
        }
        for (at, write) in self.touches.iter().enumerate().filter(|(_, touch)| touch.deed != Deed::Read) {
            for (other_at, other) in self.touches.iter().enumerate() {
                if write.spot.disjoint_in_other_round(&other.spot) || write.deed.commutes(&other.deed) {
                    continue;
                }
                let name = self.name(&write.spot);
                let how = if at == other_at { "overwritten" } else { "used" };
                let reason = format!("{what} in which `{name}` is set in one round and {how} in another");
                return Some(Break { span: write.span, reason });
            }
        }
        None
    }

    fn outermost(&self) -> bool {
        self.calls.is_empty()
    }

    fn name(&self, spot: &Spot) -> String {
        match spot.whole {
            Whole::Global(global) => self.model.global(global).name.clone(),
            Whole::Local(local) | Whole::Passed(local) | Whole::Unknown(local) => {
                self.locals.get(local.index()).map_or_else(|| "a variable".to_owned(), |local| local.name.clone())
            }
        }
    }

    fn give_up(&mut self, span: Span, reason: &str) {
        self.giving_up.get_or_insert_with(|| Break { span, reason: reason.to_owned() });
    }

    /// The spot of a place, or `None` if it is private to the round.
    pub(super) fn spot(&self, place: &Place) -> Option<Spot> {
        let mut spot = self.spot_of(&place.base, &[])?;
        for (at, projection) in place.path.iter().enumerate() {
            spot.parts.push(match self.slot_of(place, at) {
                Some(slot) if slot.own => Part::Keyed(slot.fields.clone()),
                _ => self.part(projection),
            });
        }
        Some(spot)
    }

    /// The spot of what some projections lead to, without regard to keyed conditions.
    pub(super) fn spot_of(&self, base: &PlaceBase, path: &[Projection]) -> Option<Spot> {
        let whole = |whole| Spot { whole, parts: Vec::new() };
        let mut spot = match base {
            PlaceBase::Global(global) => whole(Whole::Global(*global)),
            PlaceBase::Local(local) => match self.spots.get(local) {
                Some(spot) => spot.clone(),
                None if self.locals[local.index()].mode == LocalMode::Reference => {
                    let passed = self.outermost() && local.0 < self.n_params;
                    whole(if passed { Whole::Passed(*local) } else { Whole::Unknown(*local) })
                }
                // A function's own variables are new in every call.
                None if !self.outermost() || self.held.contains_key(local) => return None,
                None => whole(Whole::Local(*local)),
            },
            PlaceBase::Call(_) => return None,
        };
        spot.parts.extend(path.iter().map(|projection| self.part(projection)));
        Some(spot)
    }

    fn part(&self, projection: &Projection) -> Part {
        match projection {
            Projection::Field(field) => Part::Field(*field),
            Projection::Index(index) if self.holds(index) == Held::Variable => Part::Own,
            Projection::Element(slot) if self.held.get(slot) == Some(&Held::Variable) => Part::Own,
            Projection::Index(_) | Projection::Element(_) | Projection::Numbered(_) => Part::Any,
        }
    }

    /// Whether a place holds the loop's variable.
    pub(super) fn holds_variable(&self, place: &Place) -> bool {
        let PlaceBase::Local(local) = place.base else { return false };
        place.path.is_empty() && self.held.get(&local) == Some(&Held::Variable)
    }

    /// How the value of an expression relates to the loop's variable. Reads of what other rounds write are found as
    /// conflicts, so a value read from a spot that is not the round's own counts as the same in every round.
    pub(super) fn holds(&self, expr: &Expr) -> Held {
        match &expr.kind {
            // SOUND: a member as a value of a union and back is the same value, so different rounds have different
            // ones, and two conversions to one type give the same.
            ExprKind::Convert(inner) => {
                let union_offset = |outer, inner| self.model.types.union_offset(outer, inner).is_some();
                if union_offset(expr.ty, inner.ty) || union_offset(inner.ty, expr.ty) {
                    return self.holds(inner);
                }
            }
            ExprKind::Read(place) if self.holds_variable(place) => return Held::Variable,
            ExprKind::Const(_)
            | ExprKind::Read(_)
            | ExprKind::IsUndefined(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::SameAggregate(..)
            | ExprKind::Conditional(..)
            | ExprKind::IsMember(..)
            | ExprKind::Quantified(..)
            | ExprKind::Count(..)
            | ExprKind::SlotNumber(_)
            | ExprKind::Call(_) => {}
        }
        let mut varying = Varying { round: self, varies: false };
        varying.expr(expr);
        if varying.varies { Held::Varies } else { Held::Same }
    }

    fn touch(&mut self, place: &Place, deed: Deed, span: Span) {
        if let Some(spot) = self.spot(place) {
            self.touches.push(Touch { spot, deed, span });
        }
    }

    fn touch_part(&mut self, place: &Place, part: Part, deed: Deed, span: Span) {
        if let Some(mut spot) = self.spot(place) {
            spot.parts.push(part);
            self.touches.push(Touch { spot, deed, span });
        }
    }

    fn key(&self, operand: &Operand) -> Option<Key> {
        let site = Key::Site(std::ptr::from_ref(operand).addr());
        match operand {
            Operand::Undefined => Some(Key::Undefined),
            Operand::Value(expr) if expr.as_const().is_some() => expr.as_const().map(Key::Const),
            Operand::Value(_) | Operand::Copy(_) => {
                (self.outermost() && self.holds_operand(operand) == Held::Same).then_some(site)
            }
        }
    }

    fn holds_operand(&self, operand: &Operand) -> Held {
        match operand {
            Operand::Value(expr) => self.holds(expr),
            Operand::Copy(place) => self.holds(&Expr::read(place.clone())),
            Operand::Undefined => Held::Same,
        }
    }

    /// Indices, and what they read.
    fn indices(&mut self, place: &Place) {
        walk_place(self, place);
    }

    fn assign(&mut self, target: &Place, source: &Operand, span: Span) {
        self.indices(target);
        if let Some(sign) = added_constant(target, source) {
            self.touch(target, Deed::Add(sign), span);
            return;
        }
        walk_operand(self, source);
        let deed = match self.key(source) {
            Some(Key::Undefined) if self.model.types.shape(target.ty).has_multiset => Deed::Empty,
            Some(key) if !self.model.types.shape(target.ty).has_multiset => Deed::Store(key),
            Some(_) | None => Deed::Write,
        };
        self.touch(target, deed, span);
    }

    /// Where the result of a call goes.
    fn take_result(&mut self, local: LocalId, span: Span) {
        let ty = self.locals[local.index()].ty;
        self.touch(&Place::local(local, ty, span), Deed::Write, span);
    }

    fn insert(&mut self, multiset: &Place, element: &Operand, span: Span) {
        self.indices(multiset);
        walk_operand(self, element);
        if self.holds_operand(element) == Held::Variable {
            self.touch_part(multiset, Part::Keyed(Vec::new()), Deed::Write, span);
            self.touch_part(multiset, Part::Room, Deed::Insert, span);
        } else {
            self.touch(multiset, Deed::Insert, span);
        }
    }

    /// Goes through the condition on the elements of a multiset, and says in which fields the elements that satisfy it
    /// hold the loop's variable, if they do.
    fn elements(&mut self, local: LocalId, multiset: &Place, condition: &Expr) -> Option<Vec<u32>> {
        self.indices(multiset);
        self.held.insert(local, Held::Varies);
        let Some(slot) = self.keyed_slot(local, multiset, condition) else {
            self.touch(multiset, Deed::Read, multiset.span);
            self.expr(condition);
            return None;
        };
        let fields = slot.fields.clone();
        self.touch_part(multiset, Part::Keyed(fields.clone()), Deed::Read, multiset.span);
        self.keyed.push(slot);
        self.keyed_condition(condition);
        self.keyed.pop();
        Some(fields)
    }

    /// Goes through a keyed condition, whose conjuncts behind the first that decides are evaluated for own elements.
    fn keyed_condition(&mut self, condition: &Expr) {
        match &condition.kind {
            ExprKind::Binary(BinaryOp::And, left, right) => {
                self.keyed_condition(left);
                let slot = self.keyed.last().expect("inside a keyed condition");
                let (before, decides) = (slot.own, self.implies_key(slot, left));
                self.set_own(before || decides);
                self.keyed_condition(right);
                self.set_own(before);
            }
            ExprKind::Conditional(condition, yes, no) => {
                [condition, yes, no].into_iter().for_each(|part| self.keyed_condition(part));
            }
            _ => self.expr(condition),
        }
    }

    fn set_own(&mut self, own: bool) {
        self.keyed.last_mut().expect("inside a keyed condition").own = own;
    }

    /// What the callee's parameters hold and stand for.
    fn pass(&mut self, call: &Call, changed: &BTreeSet<LocalId>) -> (BTreeMap<LocalId, Held>, BTreeMap<LocalId, Spot>) {
        let (mut held, mut spots) = (BTreeMap::new(), BTreeMap::new());
        for (param, arg) in (0..).map(LocalId).zip(&call.args) {
            match arg {
                Arg::Value(operand) => {
                    walk_operand(self, operand);
                    let passed = self.holds_operand(operand);
                    held.insert(param, if changed.contains(&param) { Held::Varies } else { passed });
                }
                Arg::Reference(place) => {
                    self.indices(place);
                    if let Some(spot) = self.spot(place) {
                        spots.insert(param, spot);
                    } else {
                        held.insert(param, Held::Varies);
                    }
                }
            }
        }
        (held, spots)
    }
}

/// The sign of `c` in `x := x + c` (or `x - c`).
fn added_constant(target: &Place, source: &Operand) -> Option<i64> {
    let Operand::Value(expr) = source else { return None };
    let ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), left, right) = &expr.kind else { return None };
    let constant = right.as_const()?;
    let ExprKind::Read(place) = &left.kind else { return None };
    let same = place.base == target.base && same_fields(&place.path, &target.path);
    let sign = if *op == BinaryOp::Add { constant.signum() } else { -constant.signum() };
    (same && sign != 0).then_some(sign)
}

/// Whether two paths go through the same fields, and through nothing else.
fn same_fields(one: &[Projection], other: &[Projection]) -> bool {
    let same = |pair: (&Projection, &Projection)| match pair {
        (Projection::Field(one), Projection::Field(other)) => one == other,
        (Projection::Field(_) | Projection::Index(_) | Projection::Element(_) | Projection::Numbered(_), _) => false,
    };
    one.len() == other.len() && one.iter().zip(other).all(same)
}

/// Looks for anything in an expression that may differ between rounds.
struct Varying<'a, 'm> {
    round: &'a Round<'m>,
    varies: bool,
}

impl Varying<'_, '_> {
    fn local(&mut self, local: LocalId) {
        let round = self.round;
        let same = round.held.get(&local) == Some(&Held::Same);
        let common = round.spots.get(&local).is_some_and(Spot::is_common);
        let outer = round.outermost() && !round.held.contains_key(&local) && !round.spots.contains_key(&local);
        self.varies |= !(same || common || outer);
    }
}

impl Visitor for Varying<'_, '_> {
    fn place(&mut self, place: &Place) {
        if let PlaceBase::Local(local) = place.base {
            self.local(local);
        }
        for step in &place.path {
            if let Projection::Element(slot) = step {
                self.local(*slot);
            }
        }
        walk_place(self, place);
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Call(_) => self.varies = true,
            ExprKind::SlotNumber(slot) => self.local(*slot),
            // What they consist of tells.
            ExprKind::Const(_)
            | ExprKind::Read(_)
            | ExprKind::IsUndefined(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::SameAggregate(..)
            | ExprKind::Conditional(..)
            | ExprKind::Convert(_)
            | ExprKind::IsMember(..)
            | ExprKind::Quantified(..)
            | ExprKind::Count(..) => {}
        }
        walk_expr(self, expr);
    }

    fn call(&mut self, call: &Call) {
        self.varies = true;
        walk_call(self, call);
    }
}

/// The locals that statements change, or may change through a reference.
pub(super) fn assigned(block: &Block) -> BTreeSet<LocalId> {
    let mut scan = Assigned::default();
    scan.block(block);
    scan.0
}

#[derive(Default)]
struct Assigned(BTreeSet<LocalId>);

impl Assigned {
    fn target(&mut self, place: &Place) {
        if let PlaceBase::Local(local) = place.base {
            self.0.insert(local);
        }
    }
}

impl Visitor for Assigned {
    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::Quantified(_, local, ..) | ExprKind::Count(local, ..) = &expr.kind {
            self.0.insert(*local);
        }
        walk_expr(self, expr);
    }

    fn call(&mut self, call: &Call) {
        for arg in &call.args {
            if let Arg::Reference(place) = arg {
                self.target(place);
            }
        }
        walk_call(self, call);
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Assign { target, .. }
            | StmtKind::Clear(target)
            | StmtKind::Bind { place: target, .. }
            | StmtKind::Insert { multiset: target, .. }
            | StmtKind::Remove(target) => self.target(target),
            StmtKind::RemoveWhere { multiset, local, .. } => {
                self.target(multiset);
                self.0.insert(*local);
            }
            StmtKind::For { local, .. } | StmtKind::Call { result: Some(local), .. } => {
                self.0.insert(*local);
            }
            StmtKind::Call { result: None, .. }
            | StmtKind::If { .. }
            | StmtKind::While { .. }
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

impl Visitor for Round<'_> {
    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Quantified(_, local, ..) => {
                self.held.insert(*local, Held::Varies);
            }
            ExprKind::Count(local, multiset, condition) => {
                self.elements(*local, multiset, condition);
                return;
            }
            // What it means to read only this of other rounds' elements is argued in `keyed`.
            ExprKind::Read(place) | ExprKind::IsUndefined(place) if self.is_key(place) => return,
            ExprKind::Const(_)
            | ExprKind::Read(_)
            | ExprKind::IsUndefined(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::SameAggregate(..)
            | ExprKind::Conditional(..)
            | ExprKind::Convert(_)
            | ExprKind::IsMember(..)
            | ExprKind::SlotNumber(_)
            | ExprKind::Call(_) => {}
        }
        walk_expr(self, expr);
    }

    fn place(&mut self, place: &Place) {
        // Reached for places that are read, copied or passed; targets are treated by their statements.
        self.touch(place, Deed::Read, place.span);
        self.indices(place);
    }

    fn call(&mut self, call: &Call) {
        if self.calls.contains(&call.function) {
            self.give_up(call.span, "calls a recursive function in a loop over identities");
            return;
        }
        let function = self.model.function(call.function);
        let (held, spots) = self.pass(call, &assigned(&function.body));
        let outer_locals = std::mem::replace(&mut self.locals, &function.locals);
        let outer_held = std::mem::replace(&mut self.held, held);
        let outer_spots = std::mem::replace(&mut self.spots, spots);
        let outer_keyed = std::mem::take(&mut self.keyed);
        self.calls.push(call.function);
        self.block(&function.body);
        self.calls.pop();
        (self.locals, self.held, self.spots, self.keyed) = (outer_locals, outer_held, outer_spots, outer_keyed);
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Assign { target, source } => self.assign(target, source, stmt.span),
            StmtKind::Clear(place) => {
                self.indices(place);
                let key = Key::Site(std::ptr::from_ref(place).addr());
                let deed = match self.model.types.get(place.ty) {
                    Type::Multiset { .. } => Deed::Empty,
                    _ if self.model.types.shape(place.ty).has_multiset => Deed::Write,
                    _ => Deed::Store(key),
                };
                self.touch(place, deed, stmt.span);
            }
            StmtKind::Bind { local, place } => {
                self.indices(place);
                match self.spot(place) {
                    Some(spot) => {
                        self.spots.insert(*local, spot);
                    }
                    None => {
                        self.held.insert(*local, Held::Varies);
                    }
                }
            }
            StmtKind::For { local, domain, body } => {
                walk_domain(self, domain);
                self.held.insert(*local, Held::Varies);
                self.block(body);
            }
            StmtKind::Insert { multiset, element } => self.insert(multiset, element, stmt.span),
            StmtKind::Remove(element) => {
                self.indices(element);
                let mut multiset = element.clone();
                multiset.path.pop();
                self.touch(&multiset, Deed::Write, stmt.span);
            }
            StmtKind::Call { call, result } => {
                self.call(call);
                if let Some(local) = result {
                    self.take_result(*local, stmt.span);
                }
            }
            StmtKind::RemoveWhere { multiset, local, condition } => match self.elements(*local, multiset, condition) {
                Some(fields) => {
                    self.touch_part(multiset, Part::Keyed(fields), Deed::Write, stmt.span);
                    self.touch_part(multiset, Part::Room, Deed::Free, stmt.span);
                }
                None => self.touch(multiset, Deed::Write, stmt.span),
            },
            StmtKind::Return(operand) if self.outermost() => {
                if let Some(operand) = operand {
                    walk_operand(self, operand);
                }
                let key = operand.as_ref().map_or(Some(Key::Undefined), |operand| self.key(operand));
                // Equal keys must mean equal results, so the place of the statement does not count.
                self.returns.push((key.filter(|key| !matches!(key, Key::Site(_))), stmt.span));
            }
            StmtKind::Assume(_) => self.give_up(stmt.span, "makes an assumption in a loop over identities"),
            StmtKind::Put(items) => {
                // Printing a place evaluates its indices and changes nothing.
                for item in items {
                    match item {
                        PutItem::Text(_) => {}
                        PutItem::Value(expr) => self.expr(expr),
                        PutItem::Place(place) => self.indices(place),
                    }
                }
            }
            StmtKind::Return(_)
            | StmtKind::If { .. }
            | StmtKind::While { .. }
            | StmtKind::Assert { .. }
            | StmtKind::Cover { .. }
            | StmtKind::Error(_) => walk_stmt(self, stmt),
        }
    }
}
