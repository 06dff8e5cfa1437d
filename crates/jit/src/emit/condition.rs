//! Conditions as control flow, and the loops that bind variables.

use std::collections::BTreeSet;

use burnside_ir::{
    BinaryOp, Domain, Expr, ExprKind, LocalId, Place, PlaceBase, Projection, Quantifier, TypeId, UnaryOp,
};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types::I64};

use super::Emitter;
use super::access::Address;
use crate::bits;
use crate::compile::MOST_SLOTS;

impl<'a> Emitter<'a, '_> {
    /// Goes to `yes` if the condition holds, else to `no`; the current block ends.
    pub(super) fn branch(&mut self, expr: &'a Expr, yes: Block, no: Block) {
        match &expr.kind {
            ExprKind::Const(value) => {
                let target = if *value != 0 { yes } else { no };
                self.b.ins().jump(target, &[]);
            }
            ExprKind::Unary(UnaryOp::Not, operand) => self.branch(operand, no, yes),
            ExprKind::Binary(BinaryOp::And, left, right) => self.branch_both(left, right, |mid| (mid, no), yes, no),
            ExprKind::Binary(BinaryOp::Or, left, right) => self.branch_both(left, right, |mid| (yes, mid), yes, no),
            ExprKind::Binary(BinaryOp::Implies, left, right) => {
                self.branch_both(left, right, |mid| (mid, yes), yes, no)
            }
            ExprKind::Quantified(quantifier, local, domain, body) => {
                self.quantified(*quantifier, (*local, domain), body, [yes, no]);
            }
            ExprKind::Conditional(condition, on_yes, on_no) => {
                let (first, second) = (self.b.create_block(), self.b.create_block());
                self.branch(condition, first, second);
                self.b.switch_to_block(first);
                self.branch(on_yes, yes, no);
                self.b.switch_to_block(second);
                self.branch(on_no, yes, no);
            }
            ExprKind::Read(_)
            | ExprKind::IsUndefined(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::SameAggregate(..)
            | ExprKind::Convert(_)
            | ExprKind::IsMember(..)
            | ExprKind::Count(..)
            | ExprKind::SlotNumber(_)
            | ExprKind::Call(_) => {
                let truth = self.truth(expr);
                self.b.ins().brif(truth, yes, &[], no, &[]);
            }
        }
    }

    fn branch_both(
        &mut self,
        left: &'a Expr,
        right: &'a Expr,
        targets: impl FnOnce(Block) -> (Block, Block),
        yes: Block,
        no: Block,
    ) {
        let mid = self.b.create_block();
        let (left_yes, left_no) = targets(mid);
        self.branch(left, left_yes, left_no);
        self.b.switch_to_block(mid);
        self.branch(right, yes, no);
    }

    /// A condition without control flow of its own, as any integer that is zero if it is false.
    fn truth(&mut self, expr: &'a Expr) -> Value {
        match &expr.kind {
            ExprKind::Binary(op, left, right) if op.is_comparison() => self.comparison(*op, left, right),
            ExprKind::IsUndefined(place) => {
                let code = self.load_code(place);
                self.b.ins().icmp_imm_s(IntCC::Equal, code, 0)
            }
            ExprKind::IsMember(place, member) => self.is_member(place, *member),
            ExprKind::SameAggregate(left, right) => self.same_aggregate(left, right),
            ExprKind::Const(_)
            | ExprKind::Read(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Conditional(..)
            | ExprKind::Convert(_)
            | ExprKind::Quantified(..)
            | ExprKind::Count(..)
            | ExprKind::SlotNumber(_)
            | ExprKind::Call(_) => self.value(expr),
        }
    }

    fn is_member(&mut self, place: &'a Place, member: TypeId) -> Value {
        let code = self.load_code(place);
        let types = &self.shared.model.types;
        let Some(offset) = types.union_offset(place.ty, member) else { return self.int(0) };
        let inside = self.b.ins().iadd_imm_s(code, -offset - 1);
        let size = types.shape(member).cardinality() as i64;
        self.b.ins().icmp_imm_s(IntCC::UnsignedLessThan, inside, size)
    }

    fn same_aggregate(&mut self, left: &'a Place, right: &'a Place) -> Value {
        let shared = self.shared;
        let types = &shared.model.types;
        let (left_at, right_at) = (self.locate(left), self.locate(right));
        if bits::same_layout(types, &shared.bits, left.ty, right.ty) {
            return self.equal_bits(left_at, right_at, shared.bits.of(left.ty));
        }
        let lefts = bits::scalars(types, &shared.bits, left.ty);
        let rights = bits::scalars(types, &shared.bits, right.ty);
        let mut all = self.b.ins().iconst(cranelift_codegen::ir::types::I8, 1);
        for ((left_bit, left_ty), (right_bit, right_ty)) in lefts.into_iter().zip(rights) {
            let same = if let (Some(left_ty), Some(right_ty)) = (left_ty, right_ty) {
                let left = self.load_bits(left_at.plus(left_bit), shared.bits.of(left_ty));
                let right = self.load_bits(right_at.plus(right_bit), shared.bits.of(right_ty));
                self.same_scalar(left, left_ty, right, right_ty)
            } else {
                let left = self.load_bits(left_at.plus(left_bit), 1);
                let right = self.load_bits(right_at.plus(right_bit), 1);
                self.b.ins().icmp(IntCC::Equal, left, right)
            };
            all = self.b.ins().band(all, same);
        }
        all
    }

    /// Both undefined, or both defined and equal.
    fn same_scalar(&mut self, left: Value, left_ty: TypeId, right: Value, right_ty: TypeId) -> Value {
        let (l, r) = (self.decode(left, left_ty), self.decode(right, right_ty));
        let equal = self.b.ins().icmp(IntCC::Equal, l, r);
        let left_undefined = self.b.ins().icmp_imm_s(IntCC::Equal, left, 0);
        let right_undefined = self.b.ins().icmp_imm_s(IntCC::Equal, right, 0);
        let both = self.b.ins().band(left_undefined, right_undefined);
        let neither = self.b.ins().bor(left_undefined, right_undefined);
        let equal = self.b.ins().band_not(equal, neither);
        self.b.ins().bor(equal, both)
    }

    fn quantified(
        &mut self,
        quantifier: Quantifier,
        (local, domain): (LocalId, &'a Domain),
        body: &'a Expr,
        [yes, no]: [Block; 2],
    ) {
        let (deciding, end) = if quantifier == Quantifier::Forall { (no, yes) } else { (yes, no) };
        if self.must_look_at_all(domain, local, body) {
            let decided = self.b.declare_var(I64);
            let zero = self.int(0);
            self.b.def_var(decided, zero);
            self.each_value(domain, local, |emitter, next| {
                let found = emitter.b.create_block();
                emitter.branch_to_deciding(quantifier, body, found, next);
                emitter.b.switch_to_block(found);
                let one = emitter.int(1);
                emitter.b.def_var(decided, one);
            });
            let decided = self.b.use_var(decided);
            self.b.ins().brif(decided, deciding, &[], end, &[]);
            return;
        }
        self.each_value(domain, local, |emitter, next| {
            emitter.branch_to_deciding(quantifier, body, deciding, next);
            emitter.dead_block();
        });
        self.b.ins().jump(end, &[]);
    }

    /// Goes to `deciding` if the body's value decides the quantifier, else to `next`.
    fn branch_to_deciding(&mut self, quantifier: Quantifier, body: &'a Expr, deciding: Block, next: Block) {
        match quantifier {
            Quantifier::Forall => self.branch(body, next, deciding),
            Quantifier::Exists => self.branch(body, deciding, next),
        }
    }

    /// Whether stopping at a deciding value could hide a fault that strict evaluation must find.
    fn must_look_at_all(&self, domain: &Domain, local: LocalId, body: &Expr) -> bool {
        let Domain::Type(ty) = domain else { return false };
        if !self.shared.strict.contains(ty) {
            return false;
        }
        let mut bound: BTreeSet<LocalId> = self.ranges.iterated.keys().copied().collect();
        bound.insert(local);
        let must = !self.cannot_fault(body, &bound);
        self.shared.is_strict.set(self.shared.is_strict.get() || must);
        must
    }

    /// A block that nothing reaches, to go on emitting behind a jump.
    pub(super) fn dead_block(&mut self) {
        let dead = self.b.create_block();
        self.b.switch_to_block(dead);
    }

    /// Runs `body` for each value of a domain; `body` may jump to the block it is given to go on with the next value.
    pub(super) fn each_value(&mut self, domain: &'a Domain, local: LocalId, body: impl FnOnce(&mut Self, Block)) {
        let range = self.ranges.of_domain(domain);
        match domain {
            Domain::Type(ty) => {
                let shape = self.shared.model.types.shape(*ty);
                let (from, to) = (self.int(shape.lo), self.int(shape.hi));
                self.count_through(from, to, 1, |emitter, value, next| {
                    emitter.iterate(local, value, range);
                    body(emitter, next);
                });
            }
            Domain::Range { from, to, step } => {
                let (from, to) = (self.value(from), self.value(to));
                self.count_through(from, to, *step, |emitter, value, next| {
                    emitter.iterate(local, value, range);
                    body(emitter, next);
                });
            }
            Domain::Slots(multiset) => self.each_element(multiset, |emitter, slot, next| {
                emitter.set_slot(local, slot);
                body(emitter, next);
            }),
        }
        self.release(local);
    }

    /// Runs `body` with `from`, `from + step`, … to `to`.
    pub(super) fn count_through(
        &mut self,
        from: Value,
        to: Value,
        step: i64,
        body: impl FnOnce(&mut Self, Value, Block),
    ) {
        let counter = self.b.declare_var(I64);
        self.b.def_var(counter, from);
        let blocks: [Block; 4] = std::array::from_fn(|_| self.b.create_block());
        let [round, next, step_on, exit] = blocks;
        let order = if step > 0 { IntCC::SignedLessThanOrEqual } else { IntCC::SignedGreaterThanOrEqual };
        let inside = self.b.ins().icmp(order, from, to);
        self.b.ins().brif(inside, round, &[], exit, &[]);
        self.b.switch_to_block(round);
        let value = self.b.use_var(counter);
        body(self, value, next);
        self.jump_and_continue(next);
        // Within the loop `to` is not behind the counter, so their distance is right as an unsigned number, and a step
        // that would leave the 64-bit integers is never taken.
        let value = self.b.use_var(counter);
        let left = if step > 0 { self.b.ins().isub(to, value) } else { self.b.ins().isub(value, to) };
        let distance = self.int(step.unsigned_abs() as i64);
        let more = self.b.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, left, distance);
        self.b.ins().brif(more, step_on, &[], exit, &[]);
        self.b.switch_to_block(step_on);
        let value = self.b.ins().iadd_imm_s(value, step);
        self.b.def_var(counter, value);
        self.b.ins().jump(round, &[]);
        self.b.switch_to_block(exit);
    }

    /// Runs `body` with the number of each slot of a multiset that is occupied now.
    pub(super) fn each_element(&mut self, multiset: &'a Place, body: impl FnOnce(&mut Self, Value, Block)) {
        let at = self.locate(multiset);
        if self.is_normal(multiset) {
            self.each_slot_in_front(at, multiset.ty, body);
        } else {
            self.each_slot(at, multiset.ty, body);
        }
    }

    /// Whether a multiset is in normal form: its elements are in front.
    fn is_normal(&self, multiset: &Place) -> bool {
        let is_fixed = |step: &Projection| matches!(step, Projection::Index(_) | Projection::Field(_));
        self.is_settled && matches!(multiset.base, PlaceBase::Global(_)) && multiset.path.iter().all(is_fixed)
    }

    /// Runs `body` with the number of each slot of a multiset up to the first that is free.
    // PERF: networks have room for many messages and hold few: 8 % of all instructions of yschu's mesi, without symmetry,
    // went into slots behind the last message.
    fn each_slot_in_front(&mut self, at: Address, multiset: TypeId, body: impl FnOnce(&mut Self, Value, Block)) {
        let (capacity, stride) = self.multiset(multiset);
        if capacity == 0 {
            return;
        }
        let end = self.b.create_block();
        let (from, to) = (self.int(0), self.int(i64::from(capacity) - 1));
        self.count_through(from, to, 1, |emitter, slot, next| {
            let place = at.plus_scaled(emitter, slot, stride);
            let present = emitter.load_bits(place, 1);
            let (free, taken) = (emitter.b.create_block(), emitter.b.create_block());
            emitter.b.ins().brif(present, taken, &[], free, &[]);
            emitter.b.switch_to_block(free);
            if capacity <= MOST_SLOTS {
                emitter.relying_on(|emitter| emitter.occupied_from(at, (capacity, stride), slot));
            }
            emitter.b.ins().jump(end, &[]);
            emitter.b.switch_to_block(taken);
            body(emitter, slot, next);
        });
        self.jump_and_continue(end);
    }

    /// The same bits as [`occupied`](Self::occupied), without those of the slots in front of one.
    fn occupied_from(&mut self, at: Address, (capacity, stride): (u32, u32), slot: Value) -> Value {
        let occupied = self.occupied(at, capacity, stride);
        self.b.ins().ushr(occupied, slot)
    }

    /// The same where elements may be anywhere.
    pub(super) fn each_slot(&mut self, at: Address, multiset: TypeId, body: impl FnOnce(&mut Self, Value, Block)) {
        let (capacity, stride) = self.multiset(multiset);
        if capacity == 0 {
            return;
        }
        let occupied = (capacity <= MOST_SLOTS).then(|| self.occupied(at, capacity, stride));
        let (from, to) = (self.int(0), self.int(i64::from(capacity) - 1));
        self.count_through(from, to, 1, |emitter, slot, next| {
            let present = match occupied {
                Some(occupied) => {
                    let bit = emitter.b.ins().ushr(occupied, slot);
                    emitter.b.ins().band_imm_s(bit, 1)
                }
                // Nothing but what is done to the slot itself changes the occupation, or the model is not compiled.
                None => {
                    let at = at.plus_scaled(emitter, slot, stride);
                    emitter.load_bits(at, 1)
                }
            };
            let absent = emitter.b.ins().icmp_imm_s(IntCC::Equal, present, 0);
            emitter.go_if(absent, next);
            body(emitter, slot, next);
        });
    }

    /// Bit `i` tells whether slot `i` is occupied.
    fn occupied(&mut self, at: Address, capacity: u32, stride: u32) -> Value {
        let occupied = self.b.declare_var(I64);
        let zero = self.int(0);
        self.b.def_var(occupied, zero);
        let (from, to) = (self.int(0), self.int(i64::from(capacity) - 1));
        self.count_through(from, to, 1, |emitter, slot, _| {
            let at = at.plus_scaled(emitter, slot, stride);
            let present = emitter.load_bits(at, 1);
            let bit = emitter.b.ins().ishl(present, slot);
            let so_far = emitter.b.use_var(occupied);
            let more = emitter.b.ins().bor(so_far, bit);
            emitter.b.def_var(occupied, more);
        });
        self.b.use_var(occupied)
    }
}
