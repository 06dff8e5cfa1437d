//! Loops over identities whose rounds may run in any order.
//!
//! Two rounds commute if neither writes what the other reads or writes, or if both only do things to it that commute:
//! store the same value, add to it, put elements into it. What a round touches is collected by going through the body,
//! calls included, with places written relative to the loop's variable: an index that *is* the loop's variable makes a
//! place the round's own.
//!
// SOUND: if all pairs of rounds commute, every order of rounds gives the same state and the same decision whether
// there is a fault, so the loop commutes with renaming its domain.

use std::collections::BTreeMap;

use burnside_diag::Span;
use burnside_ir::visit::{Visitor, walk_expr, walk_stmt};
use burnside_ir::{
    Arg, BinaryOp, Call, Domain, Expr, ExprKind, FunctionId, GlobalId, Local, LocalId, LocalMode, Model, Operand,
    Place, PlaceBase, Projection, Stmt, StmtKind, TypeId,
};

use crate::Break;
use crate::infer::functions_in_use;

/// A loop over a type that depends, or may depend, on the order of its values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderedLoop {
    /// What the loop ranges over.
    pub domain: TypeId,
    /// Where, and why its order may matter.
    pub found: Break,
}

/// Every loop over a type for which order independence could not be shown.
pub fn ordered_loops(model: &Model) -> Vec<OrderedLoop> {
    let mut search = Search { model, locals: &[], found: Vec::new() };
    for id in functions_in_use(model) {
        let function = model.function(id);
        search.locals = &function.locals;
        search.block(&function.body);
    }
    for rule in &model.rules {
        search.locals = &rule.locals;
        search.block(&rule.action);
    }
    search.found
}

struct Search<'m> {
    model: &'m Model,
    locals: &'m [Local],
    found: Vec<OrderedLoop>,
}

impl Visitor for Search<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        if let StmtKind::For { local, domain: Domain::Type(domain), body } = &stmt.kind {
            let mut round = Round::new(self.model, self.locals, *local);
            round.block(body);
            if let Some(found) = round.conflict() {
                self.found.push(OrderedLoop { domain: *domain, found });
            }
        }
        walk_stmt(self, stmt);
    }
}

/// What a place is a part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Whole {
    Global(GlobalId),
    /// A variable of the frame that contains the loop.
    Local(LocalId),
    /// What a reference of that frame stands for; may be any global.
    Unknown(LocalId),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Field(u32),
    /// Indexed by the loop's variable.
    Own,
    Any,
}

/// A place relative to the loop's variable.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Spot {
    whole: Whole,
    parts: Vec<Part>,
}

/// What is done to a spot.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Deed {
    Read,
    /// Stores a value that is the same in every round: two equal keys store the same.
    Store(Key),
    /// Adds a constant of this sign.
    Add(i64),
    Insert,
    Write,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Key {
    Undefined,
    Const(i64),
    /// A value computed by this expression of the loop itself (not of a function, which may be called with several
    /// arguments), the same in every round. Expressions are told apart by where they lie in memory: spans would not do,
    /// since models read from IR text need not have any.
    Site(usize),
}

struct Touch {
    spot: Spot,
    deed: Deed,
    span: Span,
}

/// What a by-value local holds, as far as the loop's variable is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Held {
    /// The loop's variable itself.
    Variable,
    /// The same in every round.
    Same,
    /// Something else.
    Varies,
}

/// What one round of a loop touches.
struct Round<'m> {
    model: &'m Model,
    /// The frame being gone through: of the loop itself, or of a function it calls.
    locals: &'m [Local],
    /// Functions being gone through.
    calls: Vec<FunctionId>,
    /// By-value locals that do not vary freely.
    held: BTreeMap<LocalId, Held>,
    /// What references stand for.
    spots: BTreeMap<LocalId, Spot>,
    touches: Vec<Touch>,
    returns: Vec<(Option<Key>, Span)>,
    /// Something that is not understood.
    giving_up: Option<Break>,
}

impl<'m> Round<'m> {
    fn new(model: &'m Model, locals: &'m [Local], variable: LocalId) -> Self {
        Self {
            model,
            locals,
            calls: Vec::new(),
            held: BTreeMap::from([(variable, Held::Variable)]),
            spots: BTreeMap::new(),
            touches: Vec::new(),
            returns: Vec::new(),
            giving_up: None,
        }
    }

    fn outermost(&self) -> bool {
        self.calls.is_empty()
    }

    /// The first reason why two rounds may not commute.
    fn conflict(mut self) -> Option<Break> {
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
        for (at, write) in self.touches.iter().enumerate() {
            for (other_at, other) in self.touches.iter().enumerate() {
                let reads = write.deed == Deed::Read;
                if reads || write.spot.disjoint_in_other_round(&other.spot) || commute(&write.deed, &other.deed) {
                    continue;
                }
                let name = self.name(&write.spot);
                let what = if at == other_at { "overwritten" } else { "used" };
                let reason = format!("runs a loop in which `{name}` is set in one round and {what} in another");
                return Some(Break { span: write.span, reason });
            }
        }
        None
    }

    fn name(&self, spot: &Spot) -> String {
        match spot.whole {
            Whole::Global(global) => self.model.global(global).name.clone(),
            Whole::Local(local) | Whole::Unknown(local) => {
                self.locals.get(local.index()).map_or_else(|| "a variable".to_owned(), |local| local.name.clone())
            }
        }
    }

    fn give_up(&mut self, span: Span, reason: &str) {
        self.giving_up.get_or_insert_with(|| Break { span, reason: reason.to_owned() });
    }

    /// The spot of a place, or `None` if it is private to the round.
    fn spot(&mut self, place: &Place) -> Option<Spot> {
        let mut spot = match &place.base {
            PlaceBase::Global(global) => Spot { whole: Whole::Global(*global), parts: Vec::new() },
            PlaceBase::Local(local) => match self.spots.get(local) {
                Some(spot) => spot.clone(),
                None if self.locals[local.index()].mode == LocalMode::Reference => {
                    Spot { whole: Whole::Unknown(*local), parts: Vec::new() }
                }
                // A function's own variables are new in every call.
                None if !self.outermost() || self.held.contains_key(local) => return None,
                None => Spot { whole: Whole::Local(*local), parts: Vec::new() },
            },
            PlaceBase::Call(_) => return None,
        };
        for projection in &place.path {
            spot.parts.push(match projection {
                Projection::Field(field) => Part::Field(*field),
                Projection::Index(index) if self.holds(index) == Held::Variable => Part::Own,
                Projection::Index(_) | Projection::Element(_) => Part::Any,
            });
        }
        Some(spot)
    }

    /// How the value of an expression relates to the loop's variable. Reads of what other rounds write are found as
    /// conflicts, so a value read from a spot that is not the round's own counts as the same in every round.
    fn holds(&self, expr: &Expr) -> Held {
        if let ExprKind::Read(place) = &expr.kind
            && let PlaceBase::Local(local) = place.base
            && place.path.is_empty()
            && let Some(held) = self.held.get(&local)
        {
            return *held;
        }
        struct Varying<'a, 'm> {
            round: &'a Round<'m>,
            varies: bool,
        }
        impl Visitor for Varying<'_, '_> {
            fn place(&mut self, place: &Place) {
                if let PlaceBase::Local(local) = place.base {
                    let same = self.round.held.get(&local) == Some(&Held::Same);
                    let outer = self.round.outermost() && !self.round.held.contains_key(&local);
                    self.varies |= !(same || outer);
                }
                burnside_ir::visit::walk_place(self, place);
            }

            fn expr(&mut self, expr: &Expr) {
                self.varies |= matches!(expr.kind, ExprKind::Call(_));
                walk_expr(self, expr);
            }
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

    fn key(&self, operand: &Operand) -> Option<Key> {
        let site = Key::Site(std::ptr::from_ref(operand).addr());
        match operand {
            Operand::Undefined => Some(Key::Undefined),
            Operand::Value(expr) => match expr.as_const() {
                Some(value) => Some(Key::Const(value)),
                None => (self.outermost() && self.holds(expr) == Held::Same).then_some(site),
            },
            Operand::Copy(place) => {
                let same = self.outermost() && self.holds(&Expr::read(place.clone())) == Held::Same;
                same.then_some(site)
            }
        }
    }

    /// Indices, and what they read.
    fn indices(&mut self, place: &Place) {
        burnside_ir::visit::walk_place(self, place);
    }

    fn assign(&mut self, target: &Place, source: &Operand, span: Span) {
        self.indices(target);
        if let Some(sign) = added_constant(target, source) {
            self.touch(target, Deed::Add(sign), span);
            return;
        }
        burnside_ir::visit::walk_operand(self, source);
        let deed = self.key(source).map_or(Deed::Write, Deed::Store);
        self.touch(target, deed, span);
    }
}

/// The sign of `c` in `x := x + c` (or `x - c`).
fn added_constant(target: &Place, source: &Operand) -> Option<i64> {
    let Operand::Value(expr) = source else { return None };
    let ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), left, right) = &expr.kind else { return None };
    let constant = right.as_const()?;
    let ExprKind::Read(place) = &left.kind else { return None };
    let same = place.base == target.base && place.path.is_empty() && target.path.is_empty();
    let sign = if *op == BinaryOp::Add { constant.signum() } else { -constant.signum() };
    (same && sign != 0).then_some(sign)
}

fn commute(one: &Deed, other: &Deed) -> bool {
    match (one, other) {
        (Deed::Store(one), Deed::Store(other)) => one == other,
        (Deed::Add(one), Deed::Add(other)) => one == other,
        (Deed::Insert, Deed::Insert) => true,
        _ => false,
    }
}

impl Spot {
    /// Whether this spot in one round and the other spot in another round cannot overlap.
    fn disjoint_in_other_round(&self, other: &Self) -> bool {
        match (self.whole, other.whole) {
            (Whole::Local(_), Whole::Global(_) | Whole::Unknown(_))
            | (Whole::Global(_) | Whole::Unknown(_), Whole::Local(_)) => return true,
            (Whole::Unknown(_), _) | (_, Whole::Unknown(_)) if self.whole != other.whole => return false,
            (one, other) if one != other => return true,
            _ => {}
        }
        self.parts.iter().zip(&other.parts).any(|pair| match pair {
            (Part::Field(one), Part::Field(other)) => one != other,
            (Part::Own, Part::Own) => true,
            _ => false,
        })
    }
}

impl Visitor for Round<'_> {
    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Read(place) | ExprKind::IsUndefined(place) | ExprKind::IsMember(place, _) => {
                self.touch(place, Deed::Read, place.span);
            }
            ExprKind::SameAggregate(left, right) => {
                self.touch(left, Deed::Read, left.span);
                self.touch(right, Deed::Read, right.span);
            }
            ExprKind::Quantified(_, local, domain, _) => {
                if let Domain::Slots(place) = &**domain {
                    self.touch(place, Deed::Read, place.span);
                }
                self.held.insert(*local, Held::Varies);
            }
            ExprKind::Count(local, place, _) => {
                self.touch(place, Deed::Read, place.span);
                self.held.insert(*local, Held::Varies);
            }
            _ => {}
        }
        walk_expr(self, expr);
    }

    fn place(&mut self, place: &Place) {
        // Reached for places that are copied or passed, which reads them; targets are treated by their statements.
        self.touch(place, Deed::Read, place.span);
        self.indices(place);
    }

    fn call(&mut self, call: &Call) {
        if self.calls.contains(&call.function) {
            self.give_up(call.span, "calls a recursive function in a loop over identities");
            return;
        }
        let function = self.model.function(call.function);
        let (mut held, mut spots) = (BTreeMap::new(), BTreeMap::new());
        for (at, arg) in call.args.iter().enumerate() {
            let param = LocalId(at as u32);
            match arg {
                Arg::Value(operand) => {
                    burnside_ir::visit::walk_operand(self, operand);
                    let value = match operand {
                        Operand::Value(expr) => self.holds(expr),
                        Operand::Copy(place) => self.holds(&Expr::read(place.clone())),
                        Operand::Undefined => Held::Same,
                    };
                    held.insert(param, value);
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
        let outer_locals = std::mem::replace(&mut self.locals, &function.locals);
        let outer_held = std::mem::replace(&mut self.held, held);
        let outer_spots = std::mem::replace(&mut self.spots, spots);
        self.calls.push(call.function);
        self.block(&function.body);
        self.calls.pop();
        (self.locals, self.held, self.spots) = (outer_locals, outer_held, outer_spots);
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Assign { target, source } => self.assign(target, source, stmt.span),
            StmtKind::Clear(place) => {
                self.indices(place);
                self.touch(place, Deed::Store(Key::Site(std::ptr::from_ref(place).addr())), stmt.span);
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
                burnside_ir::visit::walk_domain(self, domain);
                self.held.insert(*local, Held::Varies);
                self.block(body);
            }
            StmtKind::Insert { multiset, element } => {
                self.indices(multiset);
                burnside_ir::visit::walk_operand(self, element);
                self.touch(multiset, Deed::Insert, stmt.span);
            }
            StmtKind::Remove { multiset, slot } => {
                self.indices(multiset);
                self.expr(slot);
                self.touch(multiset, Deed::Write, stmt.span);
            }
            StmtKind::RemoveWhere { multiset, local, condition } => {
                self.indices(multiset);
                self.held.insert(*local, Held::Varies);
                self.expr(condition);
                self.touch(multiset, Deed::Write, stmt.span);
            }
            StmtKind::Return(operand) if self.outermost() => {
                if let Some(operand) = operand {
                    burnside_ir::visit::walk_operand(self, operand);
                }
                let key = operand.as_ref().map_or(Some(Key::Undefined), |operand| self.key(operand));
                // Equal keys must mean equal results, so the place of the statement does not count.
                self.returns.push((key.filter(|key| !matches!(key, Key::Site(_))), stmt.span));
            }
            _ => walk_stmt(self, stmt),
        }
    }
}

#[cfg(test)]
mod tests {
    use burnside_diag::FileId;
    use burnside_ir::text;

    use super::*;

    /// The number of ordered loops of a model whose only rule is a loop over `i: P`, with and without spans.
    fn check(body: &str, expected: usize) {
        let model = format!(
            "type P: scalarset(3); var a: array[P] of boolean; x, y, z: 0..3;
             startstate for i: P do a[i] := false end; x := 0; y := 1; z := 2; end;
             rule begin for i: P do {body} end; end;"
        );
        let loaded = burnside_murphi::load(FileId(0), &model, &burnside_murphi::Options::default());
        let model = loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
        let without_spans = text::parse(&text::print_brief(&model)).expect("printed models parse");
        assert_eq!(ordered_loops(&model).len(), expected, "{body}");
        assert_eq!(ordered_loops(&without_spans).len(), expected, "{body} without spans");
    }

    #[test]
    fn rounds_that_keep_to_themselves_commute() {
        check("a[i] := !a[i]", 0);
        check("if a[i] then x := 1 end", 0);
        check("if a[i] then x := y end", 0);
        check("if a[i] then x := x + 1 end", 0);
    }

    #[test]
    fn rounds_that_overwrite_or_read_each_other_do_not() {
        check("if a[i] then x := 1 else x := 2 end", 1);
        check("if a[i] then x := y else x := z end", 1);
        check("if a[i] then x := x + 1 else x := x - 1 end", 1);
        check("if x = 0 then a[i] := true; x := 1 end", 1);
        check("a[i] := exists j: P do a[j] end", 1);
    }
}
