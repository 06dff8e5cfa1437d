//! Arithmetic with its faults.

use burnside_ir::{BinaryOp, Expr, UNDEFINED};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types::I64};

use super::Emitter;

impl<'a> Emitter<'a, '_> {
    pub(super) fn negate(&mut self, operand: &'a Expr) -> Value {
        let value = self.value(operand);
        // The least integer is no value, so negation cannot leave the integers.
        self.b.ins().ineg(value)
    }

    pub(super) fn arithmetic(&mut self, op: BinaryOp, left: &'a Expr, right: &'a Expr) -> Value {
        let (l, r) = (self.value(left), self.value(right));
        let exact = self.fits(op, left, right);
        match op {
            BinaryOp::Add => {
                let sum = self.b.ins().iadd(l, r);
                self.overflow_if_signs(exact, [(l, sum), (r, sum)], sum)
            }
            BinaryOp::Sub => {
                let difference = self.b.ins().isub(l, r);
                self.overflow_if_signs(exact, [(l, r), (l, difference)], difference)
            }
            BinaryOp::Mul => self.multiply(l, r, exact),
            BinaryOp::Div | BinaryOp::Rem => {
                let (least, greatest) = self.range(right);
                if least <= 0 && greatest >= 0 {
                    let zero = self.b.ins().icmp_imm_s(IntCC::Equal, r, 0);
                    self.fault_if(zero);
                }
                if op == BinaryOp::Div { self.b.ins().sdiv(l, r) } else { self.remainder(l, r) }
            }
            BinaryOp::BitAnd => self.not_undefined(|b| b.ins().band(l, r)),
            BinaryOp::BitOr => self.not_undefined(|b| b.ins().bor(l, r)),
            BinaryOp::BitXor => self.not_undefined(|b| b.ins().bxor(l, r)),
            BinaryOp::Shl | BinaryOp::Shr => {
                let distance = if op == BinaryOp::Shl { r } else { self.b.ins().ineg(r) };
                let shifted = self.call_runtime(self.shared.runtime.shift_left, &[l, distance]);
                let shifted = shifted.expect("it has a result");
                // Nor is it if the shifted value does not fit.
                self.not_undefined(|_| shifted)
            }
            _ => panic!("{op:?} is not arithmetic"),
        }
    }

    /// Whether the exact result certainly is a 64-bit integer that is a value.
    fn fits(&self, op: BinaryOp, left: &Expr, right: &Expr) -> bool {
        let (l, r) = (self.range(left), self.range(right));
        let bounds = match op {
            BinaryOp::Add => Some((l.0 + r.0, l.1 + r.1)),
            BinaryOp::Sub => Some((l.0 - r.1, l.1 - r.0)),
            BinaryOp::Mul => {
                let most = |range: (i128, i128)| range.0.abs().max(range.1.abs());
                most(l).checked_mul(most(r)).map(|most| (-most, most))
            }
            _ => None,
        };
        bounds.is_some_and(|(lo, hi)| lo > i128::from(UNDEFINED) && hi <= i128::from(i64::MAX))
    }

    /// Faults if both pairs differ in sign, which is how addition and subtraction overflow, or if the result is the one
    /// integer that is no value.
    fn overflow_if_signs(&mut self, exact: bool, pairs: [(Value, Value); 2], result: Value) -> Value {
        if exact {
            return result;
        }
        let [first, second] = pairs.map(|(a, b)| self.b.ins().bxor(a, b));
        let both = self.b.ins().band(first, second);
        let overflow = self.b.ins().icmp_imm_s(IntCC::SignedLessThan, both, 0);
        self.fault_if(overflow);
        self.not_undefined(|_| result)
    }

    fn multiply(&mut self, l: Value, r: Value, exact: bool) -> Value {
        let product = self.b.ins().imul(l, r);
        if exact {
            return product;
        }
        let high = self.b.ins().smulhi(l, r);
        let sign = self.b.ins().sshr_imm_s(product, 63);
        let overflow = self.b.ins().icmp(IntCC::NotEqual, high, sign);
        self.fault_if(overflow);
        self.not_undefined(|_| product)
    }

    /// The remainder by -1 is 0; the machine instruction would be asked for an impossible quotient only for the least
    /// integer, which is no value, so no special case is needed.
    fn remainder(&mut self, l: Value, r: Value) -> Value {
        self.b.ins().srem(l, r)
    }

    pub(super) fn not_undefined(
        &mut self,
        result: impl FnOnce(&mut cranelift_frontend::FunctionBuilder<'_>) -> Value,
    ) -> Value {
        let result = result(&mut self.b);
        let undefined = self.b.ins().iconst(I64, UNDEFINED);
        let bad = self.b.ins().icmp(IntCC::Equal, result, undefined);
        self.fault_if(bad);
        result
    }
}
