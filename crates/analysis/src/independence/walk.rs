//! What one rule instance, or one instance of a property, reads and writes.
//!
//! Parameters are known values, loops over small types are unrolled, calls are followed. An element of an array whose
//! index is not known may be any of them; a multiset is one place. What is too large to follow touches everything.

use std::collections::BTreeMap;

use burnside_ir::visit::{Visitor, walk_call, walk_stmt};
use burnside_ir::{
    Arg, BinaryOp, Binder, Block, Call, Domain, Expr, ExprKind, Layout, Local, LocalId, LocalMode, Model, Operand,
    Place, PlaceBase, Projection, PutItem, Stmt, StmtKind, Type, TypeId, UNDEFINED,
};

use super::fold::Folded;
use super::slots::Slots;

/// Loops over types with more values are not unrolled.
const MOST_UNROLLED: u64 = 64;
/// Statements, expressions and elements looked at for one instance.
const BUDGET: usize = 1 << 16;

/// What an instance may store in a slot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Write {
    /// One of these, or nothing.
    Constants(Vec<i64>),
    /// The value that was there and so much more, or nothing. That the value is read is not among the reads.
    Add(i64),
    /// Any defined value.
    Defined,
    /// Anything.
    Anything,
}

impl Write {
    /// Whether it may leave the slot undefined.
    pub(super) fn may_undefine(&self) -> bool {
        match self {
            Self::Constants(values) => values.contains(&UNDEFINED),
            Self::Add(_) | Self::Defined => false,
            Self::Anything => true,
        }
    }
}

/// What is read and written.
#[derive(Debug, Clone)]
pub(super) struct Access {
    pub(super) reads: Slots,
    pub(super) writes: BTreeMap<u32, Write>,
    /// Whether it was too much to follow.
    pub(super) is_everything: bool,
}

impl Access {
    fn new(n_slots: usize) -> Self {
        Self { reads: Slots::new(n_slots), writes: BTreeMap::new(), is_everything: false }
    }
}

/// What is known of a local.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Known {
    Nothing,
    Value(i64),
    /// A reference local stands for this.
    Place(Region),
    /// A reference local stands for something that is no part of the state.
    Elsewhere,
    /// A reference local may stand for anything.
    Anywhere,
}

/// Parts of the state of one type: one part that is meant, or several of which any may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Region {
    firsts: Vec<u32>,
    ty: TypeId,
    /// Whether it is a whole multiset, or a large array, in place of a part of it.
    is_whole: bool,
}

/// Where a place lies.
enum Found {
    State(Region),
    /// In a variable of the rule or function.
    Own(LocalId),
    /// In the result of a call, or in somebody's own variable that a reference leads to.
    Elsewhere,
    Anywhere,
}

/// Follows one instance.
pub(super) struct Walk<'m> {
    pub(super) model: &'m Model,
    layout: &'m Layout,
    locals: &'m [Local],
    known: Vec<Known>,
    access: Access,
    budget: usize,
    /// Inside how many loops that are not unrolled.
    n_loops: u32,
    n_calls: u32,
}

impl<'m> Walk<'m> {
    pub(super) fn new(model: &'m Model, layout: &'m Layout, locals: &'m [Local]) -> Self {
        Self {
            model,
            layout,
            locals,
            known: vec![Known::Nothing; locals.len()],
            access: Access::new(layout.slots().len()),
            budget: BUDGET,
            n_loops: 0,
            n_calls: 0,
        }
    }

    /// What was read and written since the last call.
    pub(super) fn take(&mut self) -> Access {
        std::mem::replace(&mut self.access, Access::new(self.layout.slots().len()))
    }

    pub(super) fn n_slots(&self) -> usize {
        self.layout.slots().len()
    }

    pub(super) fn known(&self, local: LocalId) -> &Known {
        &self.known[local.index()]
    }

    pub(super) fn set(&mut self, local: LocalId, known: Known) {
        self.known[local.index()] = known;
    }

    /// A binder; of a parameter the value is `arg`, if it is known.
    pub(super) fn binder(&mut self, binder: &Binder, arg: Option<i64>) {
        match binder {
            Binder::Param { local, domain } => {
                self.domain(domain);
                self.set(*local, arg.map_or(Known::Nothing, Known::Value));
            }
            Binder::Value { local, source } => {
                let known = self.operand(source);
                self.set(*local, known);
            }
            Binder::Reference { local, place } => self.bind(*local, place),
        }
    }

    fn bind(&mut self, local: LocalId, place: &Place) {
        let known = match self.find(place) {
            Found::State(region) => Known::Place(region),
            Found::Own(_) | Found::Elsewhere => Known::Elsewhere,
            Found::Anywhere => Known::Anywhere,
        };
        self.set(local, known);
    }

    fn spend(&mut self, n: usize) {
        match self.budget.checked_sub(n) {
            Some(rest) => self.budget = rest,
            None => self.access.is_everything = true,
        }
    }

    /// What an expression reads.
    pub(super) fn expr(&mut self, expr: &Expr) {
        self.spend(1);
        if self.access.is_everything {
            return;
        }
        match &expr.kind {
            ExprKind::Const(_) | ExprKind::SlotNumber(_) => {}
            ExprKind::Read(place) | ExprKind::IsUndefined(place) | ExprKind::IsMember(place, _) => self.read(place),
            ExprKind::Unary(_, operand) | ExprKind::Convert(operand) => self.expr(operand),
            ExprKind::Binary(op, left, right) => {
                self.expr(left);
                if self.may_go_on(*op, left) {
                    self.expr(right);
                }
            }
            ExprKind::SameAggregate(left, right) => {
                self.read(left);
                self.read(right);
            }
            ExprKind::Conditional(condition, yes, no) => {
                self.expr(condition);
                let value = self.fold(condition, None).value();
                if value != Some(0) {
                    self.expr(yes);
                }
                if value != Some(1) {
                    self.expr(no);
                }
            }
            ExprKind::Quantified(_, local, domain, body) => self.for_each(*local, domain, |walk| walk.expr(body)),
            ExprKind::Count(local, multiset, condition) => {
                self.read(multiset);
                self.set(*local, Known::Nothing);
                self.expr(condition);
            }
            ExprKind::Call(call) => self.call(call),
        }
    }

    /// Whether the right side of an operator may be looked at.
    fn may_go_on(&self, op: BinaryOp, left: &Expr) -> bool {
        let stops_at = match op {
            BinaryOp::And | BinaryOp::Implies => 0,
            BinaryOp::Or => 1,
            _ => return true,
        };
        self.fold(left, None) != Folded::Value(stops_at)
    }

    /// Goes through the values of a domain: one after the other if they are few, else once for all of them.
    fn for_each(&mut self, local: LocalId, domain: &Domain, mut body: impl FnMut(&mut Self)) {
        self.domain(domain);
        let bounds = match domain {
            Domain::Type(ty) => Some((self.model.types.shape(*ty).lo, self.model.types.shape(*ty).hi, 1)),
            Domain::Range { from, to, step } => {
                let (from, to) = (self.fold(from, None).value(), self.fold(to, None).value());
                from.zip(to).map(|(from, to)| (from, to, *step))
            }
            Domain::Slots(_) => None,
        };
        match bounds.filter(|(from, to, step)| to.abs_diff(*from) / step.unsigned_abs() < MOST_UNROLLED) {
            Some((from, to, step)) => {
                let mut value = from;
                while if step > 0 { value <= to } else { value >= to } {
                    self.set(local, Known::Value(value));
                    body(self);
                    let Some(next) = value.checked_add(step) else { break };
                    value = next;
                }
            }
            None => {
                self.set(local, Known::Nothing);
                self.n_loops += 1;
                body(self);
                self.n_loops -= 1;
            }
        }
        self.set(local, Known::Nothing);
    }

    fn domain(&mut self, domain: &Domain) {
        match domain {
            Domain::Type(_) => {}
            Domain::Range { from, to, .. } => {
                self.expr(from);
                self.expr(to);
            }
            Domain::Slots(place) => self.read(place),
        }
    }

    /// The slot that a place is, if it is one for certain. Reads nothing.
    pub(super) fn exact_slot(&self, place: &Place) -> Option<u32> {
        let region = self.region(place)?;
        let is_scalar = self.model.types.shape(region.ty).scalar && !region.is_whole;
        (is_scalar && region.firsts.len() == 1).then(|| region.firsts[0])
    }

    /// The part of the state that a place is, if it is one.
    fn region(&self, place: &Place) -> Option<Region> {
        let mut region = match &place.base {
            PlaceBase::Global(global) => {
                Region { firsts: vec![self.layout.global(*global)], ty: self.model.global(*global).ty, is_whole: false }
            }
            PlaceBase::Local(local) => match self.known(*local) {
                Known::Place(region) => region.clone(),
                _ => return None,
            },
            PlaceBase::Call(_) => return None,
        };
        for projection in &place.path {
            if region.is_whole {
                break;
            }
            let types = &self.model.types;
            match (projection, types.get(region.ty)) {
                (Projection::Field(field), Type::Record { fields }) => {
                    let offset = types.field_offset(region.ty, *field);
                    region.firsts.iter_mut().for_each(|first| *first += offset);
                    region.ty = fields[*field as usize].ty;
                }
                (Projection::Index(index), &Type::Array { index: of, element }) => {
                    let (shape, n_slots) = (types.shape(of), types.shape(element).n_slots);
                    let known = self.fold(index, None).value().filter(|&value| shape.admits(value));
                    let values = known.map_or(shape.lo..=shape.hi, |value| value..=value);
                    let steps =
                        move |first: u32| values.clone().map(move |value| first + (value - shape.lo) as u32 * n_slots);
                    if shape.cardinality() as usize > BUDGET / region.firsts.len().max(1) && known.is_none() {
                        region.is_whole = true;
                        break;
                    }
                    region.firsts = region.firsts.iter().flat_map(|&first| steps(first)).collect();
                    region.ty = element;
                }
                _ => region.is_whole = true,
            }
        }
        Some(region)
    }

    /// Where a place lies; what its indices read is read.
    fn find(&mut self, place: &Place) -> Found {
        for projection in &place.path {
            match projection {
                Projection::Index(index) | Projection::Numbered(index) => self.expr(index),
                Projection::Field(_) | Projection::Element(_) => {}
            }
        }
        match &place.base {
            PlaceBase::Call(call) => {
                self.call(call);
                return Found::Elsewhere;
            }
            PlaceBase::Local(local) if self.locals[local.index()].mode == LocalMode::Owned => {
                return Found::Own(*local);
            }
            PlaceBase::Local(local) if *self.known(*local) == Known::Elsewhere => return Found::Elsewhere,
            PlaceBase::Local(_) | PlaceBase::Global(_) => {}
        }
        match self.region(place) {
            Some(region) => {
                self.spend(region.firsts.len());
                Found::State(region)
            }
            None => Found::Anywhere,
        }
    }

    fn slots_of(&self, region: &Region) -> impl Iterator<Item = u32> + use<> {
        let n_slots = self.model.types.shape(region.ty).n_slots;
        region.firsts.clone().into_iter().flat_map(move |first| first..first + n_slots)
    }

    fn read(&mut self, place: &Place) {
        match self.find(place) {
            Found::State(region) => {
                for slot in self.slots_of(&region) {
                    self.access.reads.insert(slot as usize);
                }
            }
            Found::Own(_) | Found::Elsewhere => {}
            Found::Anywhere => self.access.is_everything = true,
        }
    }

    /// What an operand reads, and what is known of its value.
    fn operand(&mut self, operand: &Operand) -> Known {
        match operand {
            Operand::Value(expr) => {
                self.expr(expr);
                self.fold(expr, None).value().map_or(Known::Nothing, Known::Value)
            }
            Operand::Copy(place) => {
                self.read(place);
                Known::Nothing
            }
            Operand::Undefined => Known::Nothing,
        }
    }

    /// Notes that something is stored at a place.
    fn write(&mut self, place: &Place, write: Write) {
        match self.find(place) {
            Found::State(region) => {
                let is_whole = region.is_whole || self.model.types.shape(region.ty).has_multiset;
                let write = if is_whole { Write::Anything } else { write };
                let slots: Vec<u32> = self.slots_of(&region).collect();
                self.spend(slots.len());
                slots.into_iter().for_each(|slot| self.note(slot, write.clone(), is_whole));
            }
            Found::Own(local) => self.set(local, Known::Nothing),
            Found::Elsewhere => self.forget_values(),
            Found::Anywhere => self.access.is_everything = true,
        }
    }

    fn note(&mut self, slot: u32, write: Write, is_read: bool) {
        let Access { reads, writes, .. } = &mut self.access;
        if is_read {
            reads.insert(slot as usize);
        }
        let write = match (writes.remove(&slot), write) {
            (None, write) => write,
            (Some(Write::Constants(mut values)), Write::Constants(more)) => {
                values.extend(more);
                Write::Constants(values)
            }
            (Some(before), after) => {
                if matches!(before, Write::Add(_)) || matches!(after, Write::Add(_)) {
                    reads.insert(slot as usize);
                }
                if before.may_undefine() || after.may_undefine() { Write::Anything } else { Write::Defined }
            }
        };
        writes.insert(slot, write);
    }

    /// `x := x + c` and the like, outside of loops: the slot and how much more.
    fn increment(&self, target: &Place, source: &Expr) -> Option<i64> {
        let mut expr = source;
        while let ExprKind::Convert(inner) = &expr.kind {
            expr = inner;
        }
        let ExprKind::Binary(op, left, right) = &expr.kind else { return None };
        let slot = self.exact_slot(target).filter(|_| self.n_loops == 0)?;
        let is_own = |expr: &Expr| {
            let mut expr = expr;
            while let ExprKind::Convert(inner) = &expr.kind {
                expr = inner;
            }
            matches!(&expr.kind, ExprKind::Read(place) if self.exact_slot(place) == Some(slot))
        };
        let amount = |expr: &Expr| self.fold(expr, None).value().filter(|amount| amount.unsigned_abs() < 1 << 32);
        match op {
            BinaryOp::Add if is_own(left) => amount(right),
            BinaryOp::Add if is_own(right) => amount(left),
            BinaryOp::Sub if is_own(left) => amount(right).map(|amount| -amount),
            _ => None,
        }
    }

    fn assign(&mut self, target: &Place, source: &Operand) {
        if let Operand::Value(value) = source
            && let Some(amount) = self.increment(target, value)
        {
            return self.write(target, Write::Add(amount));
        }
        let known = self.operand(source);
        let write = match (source, &known) {
            (Operand::Undefined, _) => Write::Constants(vec![UNDEFINED]),
            (Operand::Copy(_), _) => Write::Anything,
            (Operand::Value(_), Known::Value(value)) => Write::Constants(vec![*value]),
            (Operand::Value(_), _) => Write::Defined,
        };
        self.write(target, write);
        if let (PlaceBase::Local(local), []) = (&target.base, &target.path[..])
            && self.locals[local.index()].mode == LocalMode::Owned
        {
            self.set(*local, known);
        }
    }

    pub(super) fn block(&mut self, block: &Block) {
        block.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        self.spend(1);
        if self.access.is_everything {
            return;
        }
        match &stmt.kind {
            StmtKind::Assign { target, source } => self.assign(target, source),
            StmtKind::Clear(place) => {
                let shape = self.model.types.shape(place.ty);
                let write = if shape.scalar { Write::Constants(vec![shape.lo]) } else { Write::Defined };
                self.write(place, write);
            }
            StmtKind::Bind { local, place } => self.bind(*local, place),
            StmtKind::If { arms, otherwise } => self.branch(arms, otherwise),
            StmtKind::While { condition, body } => self.repeat(body, |walk| {
                walk.expr(condition);
                walk.block(body);
            }),
            StmtKind::For { local, domain, body } => {
                // What one round leaves behind may be different in the next, if they are not unrolled.
                self.for_each(*local, domain, |walk| {
                    if walk.n_loops > 0 { walk.repeat(body, |walk| walk.block(body)) } else { walk.block(body) }
                });
            }
            StmtKind::Call { call, result } => {
                self.call(call);
                if let Some(local) = result {
                    self.set(*local, Known::Nothing);
                }
            }
            StmtKind::Assert { condition, message: _ } | StmtKind::Cover { property: _, condition } => {
                self.expr(condition);
            }
            StmtKind::Assume(condition) => self.expr(condition),
            StmtKind::Error(_) | StmtKind::Return(None) => {}
            StmtKind::Return(Some(operand)) => {
                self.operand(operand);
            }
            StmtKind::Put(items) => items.iter().for_each(|item| match item {
                PutItem::Text(_) => {}
                PutItem::Value(expr) => self.expr(expr),
                PutItem::Place(place) => self.read(place),
            }),
            StmtKind::Insert { multiset, element } => {
                self.operand(element);
                self.write(multiset, Write::Anything);
            }
            StmtKind::Remove(place) => self.write(place, Write::Anything),
            StmtKind::RemoveWhere { multiset, local, condition } => {
                self.set(*local, Known::Nothing);
                self.write(multiset, Write::Anything);
                self.expr(condition);
            }
        }
    }

    /// What may be executed any number of times. Nothing is known before or after of what it changes.
    fn repeat(&mut self, body: &Block, round: impl FnOnce(&mut Self)) {
        self.forget_changed(body);
        self.n_loops += 1;
        round(self);
        self.n_loops -= 1;
        self.forget_changed(body);
    }

    fn forget_changed(&mut self, body: &Block) {
        let mut changed = Changed::default();
        changed.block(body);
        changed.bound.into_iter().for_each(|local| self.set(local, Known::Anywhere));
        changed.written.into_iter().for_each(|local| self.forget(local));
    }

    /// Something was stored in what a local is or leads to.
    fn forget(&mut self, local: LocalId) {
        if self.locals[local.index()].mode == LocalMode::Owned {
            self.set(local, Known::Nothing);
        } else if matches!(self.known(local), Known::Elsewhere | Known::Anywhere) {
            self.forget_values();
        }
    }

    fn forget_values(&mut self) {
        let values = self.known.iter_mut().filter(|known| matches!(known, Known::Value(_)));
        values.for_each(|known| *known = Known::Nothing);
    }

    fn branch(&mut self, arms: &[(Expr, Block)], otherwise: &Block) {
        let mut after: Vec<Vec<Known>> = Vec::new();
        for (condition, block) in arms {
            self.expr(condition);
            let value = self.fold(condition, None).value();
            if value == Some(0) {
                continue;
            }
            let before = self.known.clone();
            self.block(block);
            after.push(std::mem::replace(&mut self.known, before));
            if value == Some(1) {
                return self.join(after);
            }
        }
        self.block(otherwise);
        after.push(self.known.clone());
        self.join(after);
    }

    fn join(&mut self, after: Vec<Vec<Known>>) {
        for at in 0..self.known.len() {
            let first = &after[0][at];
            let is_same = after.iter().all(|known| known[at] == *first);
            let is_owned = self.locals[at].mode == LocalMode::Owned;
            self.known[at] = match is_same {
                true => first.clone(),
                false if is_owned => Known::Nothing,
                false => Known::Anywhere,
            };
        }
    }

    fn call(&mut self, call: &Call) {
        let function = self.model.function(call.function);
        let known: Vec<Known> = call.args.iter().map(|arg| self.argument(arg)).collect();
        self.n_calls += 1;
        if self.n_calls > 32 {
            self.access.is_everything = true;
        }
        if !self.access.is_everything {
            let mut inner = vec![Known::Nothing; function.locals.len()];
            inner[..known.len()].clone_from_slice(&known);
            let locals = std::mem::replace(&mut self.locals, &function.locals);
            let outer = std::mem::replace(&mut self.known, inner);
            self.block(&function.body);
            self.locals = locals;
            self.known = outer;
        }
        self.n_calls -= 1;
        // What is passed by reference may have been changed.
        for arg in &call.args {
            if let Arg::Reference(Place { base: PlaceBase::Local(local), .. }) = arg {
                self.forget(*local);
            }
        }
    }

    fn argument(&mut self, arg: &Arg) -> Known {
        match arg {
            Arg::Value(operand) => self.operand(operand),
            Arg::Reference(place) => match self.find(place) {
                Found::State(region) => Known::Place(region),
                Found::Own(_) | Found::Elsewhere => Known::Elsewhere,
                Found::Anywhere => Known::Anywhere,
            },
        }
    }
}

/// The locals that a block changes.
#[derive(Default)]
struct Changed {
    /// References that are made to stand for something else.
    bound: Vec<LocalId>,
    /// Those that, or what they stand for, may get another value.
    written: Vec<LocalId>,
}

impl Visitor for Changed {
    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Bind { local, .. } => self.bound.push(*local),
            StmtKind::Assign { target: Place { base: PlaceBase::Local(local), .. }, .. }
            | StmtKind::Clear(Place { base: PlaceBase::Local(local), .. })
            | StmtKind::Call { result: Some(local), .. } => self.written.push(*local),
            _ => {}
        }
        walk_stmt(self, stmt);
    }

    fn call(&mut self, call: &Call) {
        for arg in &call.args {
            if let Arg::Reference(Place { base: PlaceBase::Local(local), .. }) = arg {
                self.written.push(*local);
            }
        }
        walk_call(self, call);
    }
}
