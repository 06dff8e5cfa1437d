//! Statements without loops.

use burnside_ir::{
    BinaryOp, Block, Expr, GlobalId, LocalId, LocalMode, Operand, Place, PlaceBase, Projection, PropertyId, PutItem,
    Stmt, StmtKind, Type, TypeId,
};

use super::function::Effect;
use super::place::{Access, Found, same_place};
use super::scope::{Role, Writes};
use super::{Choice, Generator};

/// What a round of a commuting loop is made of: nothing that depends on other rounds.
const COMMUTING: [Choice<Block>; 5] = [
    (10, Generator::assign_scalar),
    (1, Generator::clear),
    (2, Generator::new_local),
    (1, Generator::put),
    (1, Generator::cover),
];

const SIMPLE: [Choice<Block>; 13] = [
    (24, Generator::assign_scalar),
    (4, Generator::assign_aggregate),
    (2, Generator::clear),
    (3, Generator::new_local),
    (3, Generator::bind_reference),
    (1, Generator::assign_bound),
    (1, Generator::put),
    (1, Generator::assertion),
    (1, Generator::assumption),
    (1, Generator::cover),
    (1, Generator::error),
    (1, Generator::early_return),
    (5, Generator::call_stmt),
];

const MULTISETS: [Choice<Block>; 3] = [(8, Generator::insert), (5, Generator::remove), (4, Generator::remove_where)];

const NESTED: [Choice<Block>; 3] = [(6, Generator::branch), (2, Generator::while_loop), (7, Generator::for_loop)];

impl Generator {
    /// Statements whose locals are gone afterwards.
    pub(super) fn block(&mut self, depth: u32, n_stmts: usize) -> Block {
        self.scoped(|generator| generator.open_block(depth, n_stmts))
    }

    /// Statements whose locals stay.
    pub(super) fn open_block(&mut self, depth: u32, n_stmts: usize) -> Block {
        let mut block = Block::new();
        for _ in 0..n_stmts {
            let mut choices = if self.scope.focus.is_some() { COMMUTING.to_vec() } else { SIMPLE.to_vec() };
            if self.scope.focus.is_none() && self.config.multisets {
                choices.extend(MULTISETS);
            }
            if depth > 0 {
                choices.extend(NESTED);
            }
            block.extend(self.first_of(choices, depth).into_iter().flatten());
        }
        block
    }

    fn assign_scalar(&mut self, _depth: u32) -> Option<Block> {
        let target = self.place(Access::Write, 2, &|generator, ty| generator.is_scalar(ty))?;
        if self.chance(30) {
            return self.progress(target).map(|stmt| vec![stmt]);
        }
        let ty = target.place.ty;
        let source = if target.defined { self.defined_operand(ty, 2)? } else { self.operand(ty, 2)? };
        if matches!(&source, Operand::Copy(place) if same_place(place, &target.place)) {
            return None;
        }
        Some(vec![self.assign(target.place, source)])
    }

    /// Changes something about a global: without such statements most models would hardly move.
    pub(super) fn progress_of(&mut self, global: GlobalId) -> Option<Stmt> {
        let whole = Place::global(global, self.model.global(global).ty, self.span());
        let moves = |generator: &Self, ty| {
            generator.is_scalar(ty) || matches!(generator.model.types.get(ty), Type::Multiset { .. })
        };
        let place = self.descend(whole, 0, &moves)?;
        let found = Found { defined: self.is_defined(&place), place };
        if self.is_scalar(found.place.ty) { self.progress(found) } else { self.insert_into(found) }
    }

    /// Gives a scalar another value than it has.
    fn progress(&mut self, target: Found) -> Option<Stmt> {
        let ty = target.place.ty;
        let again = Found { place: self.again(&target.place), defined: target.defined };
        let source = match self.model.types.get(ty) {
            Type::Bool => {
                let value = self.read_found(again)?;
                self.not(value)
            }
            Type::Range { .. } => self.next_value(again)?,
            Type::Enum { .. } => self.next_member(again)?,
            _ => self.bound_value(ty).or_else(|| self.scalar(ty, 1))?,
        };
        Some(self.assign(target.place, Operand::Value(source)))
    }

    /// One more than the present value, or the least value after the greatest.
    fn next_value(&mut self, target: Found) -> Option<Expr> {
        let shape = self.model.types.shape(target.place.ty);
        let value = self.read_found(target)?;
        let one = self.int(1);
        if self.takes_risk() {
            return Some(self.binary(BinaryOp::Add, value, one));
        }
        let hi = self.int(shape.hi);
        let below = self.binary(BinaryOp::Lt, value.clone(), hi);
        let next = self.binary(BinaryOp::Add, value, one);
        let lo = self.int(shape.lo);
        Some(self.select(below, next, lo))
    }

    /// The enumeration value after the present one, or the first after the last.
    fn next_member(&mut self, target: Found) -> Option<Expr> {
        let (ty, n_values) = (target.place.ty, self.model.types.shape(target.place.ty).cardinality());
        let value = self.read_found(target)?;
        let ordinal = self.convert(value, TypeId::INT);
        let one = self.int(1);
        let next = self.binary(BinaryOp::Add, ordinal, one);
        let n_values = self.int(n_values as i64);
        let next = if self.takes_risk() { next } else { self.binary(BinaryOp::Rem, next, n_values) };
        Some(self.convert(next, ty))
    }

    /// The access that changing a whole value of this type takes.
    fn access_to(&self, ty: TypeId) -> Access {
        if self.model.types.shape(ty).has_multiset { Access::Reshape } else { Access::Write }
    }

    /// A place that may be overwritten as a whole.
    fn overwritable(&mut self, wanted: &dyn Fn(&Self, TypeId) -> bool) -> Option<Found> {
        let access = if self.chance(30) { Access::Reshape } else { Access::Write };
        self.place(access, 1, &|generator, ty| generator.access_to(ty) == access && wanted(generator, ty))
    }

    fn assign_aggregate(&mut self, _depth: u32) -> Option<Block> {
        let target = self.overwritable(&|generator, ty| !generator.is_scalar(ty))?;
        let ty = target.place.ty;
        let source = if target.defined { self.defined_operand(ty, 1)? } else { self.operand(ty, 1)? };
        if matches!(&source, Operand::Copy(place) if same_place(place, &target.place)) {
            return None;
        }
        let reshapes = self.access_to(ty) == Access::Reshape;
        let assign = self.assign(target.place, source);
        if reshapes {
            self.forget_elements();
        }
        Some(vec![assign])
    }

    /// Sets a place to least values, which for a sort means its first member.
    fn clear(&mut self, _depth: u32) -> Option<Block> {
        let with_ids = self.may_break_symmetry();
        let target = self.overwritable(&|generator, ty| with_ids || !generator.holds_id(ty))?.place;
        // Arithmetic on the least integer there is would leave 64 bits.
        if target.ty == TypeId::INT && !self.config.faults {
            return None;
        }
        if self.access_to(target.ty) == Access::Reshape {
            self.forget_elements();
        }
        Some(vec![self.stmt(StmtKind::Clear(target))])
    }

    /// A local with a value of its own.
    pub(super) fn new_local(&mut self, _depth: u32) -> Option<Block> {
        let types: Vec<TypeId> = self.model.types.iter().map(|(id, _)| id).collect();
        let ty = if self.chance(30) { TypeId::INT } else { self.pick(&types)? };
        let defined = self.chance(70) || !self.config.undefined;
        let source = if defined { self.defined_operand(ty, 2)? } else { self.operand(ty, 2)? };
        let local = self.declare("v", ty, LocalMode::Owned);
        self.admit(local, Role::Value, defined);
        let target = self.local_place(local);
        Some(vec![self.assign(target, source)])
    }

    /// A reference that the rest of the block may use.
    fn bind_reference(&mut self, _depth: u32) -> Option<Block> {
        let (found, local) = self.new_reference()?;
        Some(vec![self.stmt(StmtKind::Bind { local, place: found.place })])
    }

    /// A reference local that may be used from now on, and what it is to refer to.
    pub(super) fn new_reference(&mut self) -> Option<(Found, LocalId)> {
        let access = if self.scope.writes == Writes::Nothing {
            Access::Refer
        } else {
            self.pick(&[Access::Write, Access::Reshape])?
        };
        let found = self.purely(|generator| {
            generator.place(access, 1, &|generator, ty| access == Access::Refer || generator.access_to(ty) == access)
        })?;
        let in_element = self.is_in_element(&found.place);
        let local = self.declare("r", found.place.ty, LocalMode::Reference);
        self.admit(local, Role::Reference { in_element }, found.defined);
        Some((found, local))
    }

    /// Whether a place lies in an element of a multiset.
    fn is_in_element(&self, place: &Place) -> bool {
        let through_reference = match place.base {
            PlaceBase::Local(local) => self
                .scope
                .vars
                .iter()
                .any(|var| var.local == local && matches!(var.role, Role::Reference { in_element: true })),
            _ => false,
        };
        through_reference || place.path.iter().any(|step| matches!(step, Projection::Element(_)))
    }

    /// Assigns a local that ranges over a domain, which is then of no use any more. Not while elements of multisets
    /// are in scope, since they may be found by means of such a local.
    fn assign_bound(&mut self, _depth: u32) -> Option<Block> {
        let slots = self.scope.vars.iter().any(|var| matches!(var.role, Role::Slot(_)));
        let bound = (0..self.scope.vars.len()).filter(|&at| matches!(self.scope.vars[at].role, Role::Bound));
        let bound: Vec<usize> = bound.collect();
        let at = self.pick(&bound)?;
        let var = self.scope.vars[at].clone();
        let source = if slots { None } else { self.defined_operand(var.ty, 1) }?;
        self.scope.vars[at].role = Role::Gone;
        let target = self.local_place(var.local);
        Some(vec![self.assign(target, source)])
    }

    fn put(&mut self, _depth: u32) -> Option<Block> {
        let mut items = vec![PutItem::Text("seen: \"\\\n".to_owned()), PutItem::Value(self.integer(1))];
        let found = self.place(Access::Read, 1, &|_, _| true);
        items.extend(found.map(|found| PutItem::Place(found.place)));
        Some(vec![self.stmt(StmtKind::Put(items))])
    }

    /// An assertion that holds, unless it is worth a risk.
    fn assertion(&mut self, _depth: u32) -> Option<Block> {
        let condition = if self.takes_risk() { self.boolean(1) } else { self.foregone(BinaryOp::Or) };
        let message = if self.rng.bool() { "as expected".to_owned() } else { String::new() };
        Some(vec![self.stmt(StmtKind::Assert { condition, message })])
    }

    /// Something combined with its opposite.
    fn foregone(&mut self, op: BinaryOp) -> Expr {
        let condition = self.purely(|generator| generator.boolean(1));
        let opposite = self.not(condition.clone());
        self.binary(op, condition, opposite)
    }

    /// A function that is called in expressions makes no assumption.
    fn assumption(&mut self, _depth: u32) -> Option<Block> {
        if self.scope.writes == Writes::Nothing {
            return None;
        }
        let (left, right) = (self.boolean(1), self.boolean(0));
        let condition = self.binary(BinaryOp::Or, left, right);
        Some(vec![self.stmt(StmtKind::Assume(condition))])
    }

    fn cover(&mut self, _depth: u32) -> Option<Block> {
        if self.n_cover_points == 0 || self.scope.writes == Writes::Nothing {
            return None;
        }
        let property = PropertyId(self.rng.u32(0..self.n_cover_points));
        let condition = self.boolean(1);
        Some(vec![self.stmt(StmtKind::Cover { property, condition })])
    }

    /// An error that is never reached, unless it is worth a risk.
    fn error(&mut self, _depth: u32) -> Option<Block> {
        let condition = if self.takes_risk() { self.boolean(1) } else { self.foregone(BinaryOp::And) };
        let error = self.stmt(StmtKind::Error("here we are".to_owned()));
        Some(vec![self.when(condition, vec![error])])
    }

    fn early_return(&mut self, _depth: u32) -> Option<Block> {
        let condition = self.boolean(1);
        let result = match self.scope.result {
            Some(ty) => Some(self.result_operand(ty)?),
            None => None,
        };
        let leave = self.stmt(StmtKind::Return(result));
        Some(vec![self.when(condition, vec![leave])])
    }

    fn call_stmt(&mut self, _depth: u32) -> Option<Block> {
        let call = self.call_with(1, &|_, _| true)?;
        if self.effects[call.function.index()] == Effect::Reshapes {
            self.forget_elements();
        }
        let result = match self.model.function(call.function).result {
            Some(ty) if self.rng.bool() => {
                let local = self.declare("r", ty, LocalMode::Owned);
                self.admit(local, Role::Value, false);
                Some(local)
            }
            _ => None,
        };
        Some(vec![self.stmt(StmtKind::Call { call, result })])
    }

    fn branch(&mut self, depth: u32) -> Option<Block> {
        let n_arms = self.rng.usize(1..=2);
        let mut arms = Vec::new();
        for _ in 0..n_arms {
            let condition = self.boolean(1);
            arms.push((condition, self.block(depth - 1, 1)));
        }
        let otherwise = if self.rng.bool() { self.block(depth - 1, 1) } else { Block::new() };
        Some(vec![self.stmt(StmtKind::If { arms, otherwise })])
    }

    /// Puts an element into a multiset that has room for it, unless that is worth a risk.
    fn insert(&mut self, _depth: u32) -> Option<Block> {
        let multiset = self.steady_multiset(Access::Insert)?;
        self.insert_into(multiset).map(|stmt| vec![stmt])
    }

    fn insert_into(&mut self, multiset: Found) -> Option<Stmt> {
        let &Type::Multiset { capacity, element } = self.model.types.get(multiset.place.ty) else { return None };
        let defined = multiset.defined;
        let operand =
            self.purely(
                |generator| {
                    if defined { generator.defined_operand(element, 1) } else { generator.operand(element, 1) }
                },
            );
        let kind = StmtKind::Insert { multiset: multiset.place.clone(), element: operand? };
        let insert = self.stmt(kind);
        if self.takes_risk() {
            return Some(insert);
        }
        let n_elements = self.count_in(multiset.place, |generator| generator.constant(TypeId::BOOL, 1));
        let capacity = self.int(i64::from(capacity));
        let room = self.binary(BinaryOp::Lt, n_elements, capacity);
        Some(self.when(room, vec![insert]))
    }

    /// Takes an element in scope out of its multiset.
    fn remove(&mut self, _depth: u32) -> Option<Block> {
        let slots = self.scope.vars.iter().filter_map(|var| match &var.role {
            Role::Slot(multiset) if self.may_reshape(multiset) => Some((var.local, (**multiset).clone())),
            _ => None,
        });
        let slots: Vec<_> = slots.collect();
        let (local, multiset) = self.pick(&slots)?;
        let element = self.part(multiset, Projection::Element(local));
        self.forget_elements();
        Some(vec![self.stmt(StmtKind::Remove(element))])
    }
}
