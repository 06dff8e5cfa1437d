//! Expressions as values.

use burnside_ir::{BinaryOp, Expr, ExprKind, LocalId, Place, Type, TypeId, UnaryOp};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types::I64};

use super::Emitter;
use super::access::CHUNK_BITS;
use crate::compile::MOST_SLOTS;

impl<'a> Emitter<'a, '_> {
    /// Evaluates an expression.
    pub(super) fn value(&mut self, expr: &'a Expr) -> Value {
        match &expr.kind {
            ExprKind::Const(value) => self.int(*value),
            ExprKind::Read(place) => self.read(place),
            ExprKind::Unary(UnaryOp::Neg, operand) => self.negate(operand),
            ExprKind::Unary(UnaryOp::BitNot, operand) => {
                let greatest = self.range(operand).1;
                let value = self.value(operand);
                let complement = self.b.ins().bnot(value);
                if greatest < i128::from(i64::MAX) { complement } else { self.not_undefined(|_| complement) }
            }
            ExprKind::Binary(op, left, right) if op.is_comparison() => {
                let truth = self.comparison(*op, left, right);
                self.b.ins().uextend(I64, truth)
            }
            ExprKind::Binary(op, left, right) if !op.is_logical() => self.arithmetic(*op, left, right),
            ExprKind::Conditional(condition, yes, no) => self.choose(condition, yes, no),
            ExprKind::Convert(inner) => {
                let value = self.value(inner);
                self.convert(value, inner, expr.ty)
            }
            ExprKind::Count(local, multiset, condition) => self.count(*local, multiset, condition),
            ExprKind::SlotNumber(slot) => self.slot_number(*slot),
            ExprKind::Call(call) => {
                let code = self.call(call, None);
                let undefined = self.b.ins().icmp_imm_s(IntCC::Equal, code, 0);
                self.fault_if(undefined);
                self.decode(code, self.result_type(call))
            }
            ExprKind::Unary(UnaryOp::Not, _)
            | ExprKind::Binary(..)
            | ExprKind::IsUndefined(_)
            | ExprKind::SameAggregate(..)
            | ExprKind::IsMember(..)
            | ExprKind::Quantified(..) => self.truth_value(expr),
        }
    }

    fn read(&mut self, place: &'a Place) -> Value {
        let code = self.defined_code(place);
        self.decode(code, place.ty)
    }

    /// The code at a place, a fault if it is undefined.
    fn defined_code(&mut self, place: &'a Place) -> Value {
        let defined = self.always_defined(place);
        let code = self.load_code(place);
        if defined {
            self.relying_on(|emitter| emitter.b.ins().icmp_imm_s(IntCC::Equal, code, 0));
        } else {
            let undefined = self.b.ins().icmp_imm_s(IntCC::Equal, code, 0);
            self.fault_if(undefined);
        }
        code
    }

    /// One byte: whether the comparison holds.
    pub(super) fn comparison(&mut self, op: BinaryOp, left: &'a Expr, right: &'a Expr) -> Value {
        let condition = match op {
            BinaryOp::Eq => IntCC::Equal,
            BinaryOp::Ne => IntCC::NotEqual,
            BinaryOp::Lt => IntCC::SignedLessThan,
            BinaryOp::Le => IntCC::SignedLessThanOrEqual,
            BinaryOp::Gt => IntCC::SignedGreaterThan,
            BinaryOp::Ge => IntCC::SignedGreaterThanOrEqual,
            _ => panic!("{op:?} is no comparison"),
        };
        let left = self.value(left);
        if let Some(right) = right.as_const() {
            return self.b.ins().icmp_imm_s(condition, left, right);
        }
        let right = self.value(right);
        self.b.ins().icmp(condition, left, right)
    }

    /// A condition as 0 or 1.
    fn truth_value(&mut self, expr: &'a Expr) -> Value {
        let (yes, no, end) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        let result = self.b.append_block_param(end, I64);
        self.branch(expr, yes, no);
        for (block, truth) in [(yes, 1), (no, 0)] {
            self.b.switch_to_block(block);
            let truth = self.int(truth);
            self.b.ins().jump(end, &[truth.into()]);
        }
        self.b.switch_to_block(end);
        result
    }

    fn choose(&mut self, condition: &'a Expr, yes: &'a Expr, no: &'a Expr) -> Value {
        let (yes_block, no_block, end) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        let result = self.b.append_block_param(end, I64);
        self.branch(condition, yes_block, no_block);
        for (block, branch) in [(yes_block, yes), (no_block, no)] {
            self.b.switch_to_block(block);
            let value = self.value(branch);
            self.b.ins().jump(end, &[value.into()]);
        }
        self.b.switch_to_block(end);
        result
    }

    fn convert(&mut self, value: Value, inner: &Expr, to: TypeId) -> Value {
        let types = &self.shared.model.types;
        if let Some(offset) = types.union_offset(to, inner.ty) {
            return self.b.ins().iadd_imm_s(value, offset);
        }
        if inner.ty != to && matches!(types.get(inner.ty), Type::Union { .. }) {
            let Some(offset) = types.union_offset(inner.ty, to) else {
                // No value of the union is of that type.
                let always = self.int(1);
                self.fault_if(always);
                return self.int(types.shape(to).lo);
            };
            let width = types.shape(to).cardinality() as i64 - 1;
            let inside = self.b.ins().iadd_imm_s(value, -offset);
            let outside = self.b.ins().icmp_imm_s(IntCC::UnsignedGreaterThan, inside, width);
            self.fault_if(outside);
            return inside;
        }
        let shape = types.shape(to);
        self.check_range(value, inner, (shape.lo, shape.hi));
        value
    }

    fn count(&mut self, local: LocalId, multiset: &'a Place, condition: &'a Expr) -> Value {
        if condition.as_const() == Some(1) && self.multiset(multiset.ty).0 <= MOST_SLOTS {
            return self.count_all(multiset);
        }
        let count = self.b.declare_var(I64);
        let zero = self.int(0);
        self.b.def_var(count, zero);
        self.each_element(multiset, |emitter, slot, next| {
            emitter.set_slot(local, slot);
            let yes = emitter.b.create_block();
            emitter.branch(condition, yes, next);
            emitter.b.switch_to_block(yes);
            let so_far = emitter.b.use_var(count);
            let more = emitter.b.ins().iadd_imm_s(so_far, 1);
            emitter.b.def_var(count, more);
        });
        self.b.use_var(count)
    }

    /// How many elements a multiset has.
    // PERF: models with a network count its messages before each is sent, to say that there is room: with 24 places and 20
    // bits for a message, by ten loads in place of two loops with 24 rounds.
    fn count_all(&mut self, multiset: &'a Place) -> Value {
        let at = self.locate(multiset);
        let (capacity, stride) = self.multiset(multiset.ty);
        let mut count = self.int(0);
        let per_load = (CHUNK_BITS - 1) / stride + 1;
        for first in (0..capacity).step_by(per_load as usize) {
            let n_slots = per_load.min(capacity - first);
            let bits = self.load_bits(at.plus(first * stride), (n_slots - 1) * stride + 1);
            let presence = (0..n_slots).fold(0, |mask, slot| mask | 1_i64 << (slot * stride));
            let present = self.b.ins().band_imm_s(bits, presence);
            let present = self.b.ins().popcnt(present);
            count = self.b.ins().iadd(count, present);
        }
        count
    }
}
