//! Calls of functions and procedures.

use burnside_ir::{Arg, Call, Operand, TypeId};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value, types::I64};
use cranelift_module::Module as _;

use super::access::Address;
use super::{Emitter, context};

/// How a native function ended: its first result.
pub(super) mod ending {
    pub(in crate::emit) const NORMAL: i64 = 0;
    pub(in crate::emit) const FAULT: i64 = 1;
    pub(in crate::emit) const PRUNED: i64 = 2;
}

impl<'a> Emitter<'a, '_> {
    pub(super) fn result_type(&self, call: &Call) -> TypeId {
        self.shared.model.function(call.function).result.expect("a call used as a value has a result")
    }

    /// Calls a function whose result is an aggregate; the result stays in the native frame.
    pub(super) fn call_for_aggregate(&mut self, call: &'a Call) -> Address {
        let ty = self.result_type(call);
        let slot = self.stack_slot(ty);
        let at = Address::slot(self, slot);
        self.zero(at, ty);
        let address = self.bit_address(at);
        self.call(call, Some(address));
        at
    }

    /// Calls a function and returns the code of its scalar result (meaningless for a procedure).
    pub(super) fn call(&mut self, call: &'a Call, result: Option<Value>) -> Value {
        let counts = self.shared.counts_calls;
        if counts {
            self.descend(call);
        }
        let function = self.shared.model.function(call.function);
        let mut args = vec![self.state, self.context];
        args.extend(result);
        for (param, arg) in function.locals.iter().zip(&call.args) {
            let value = self.argument(param.ty, arg);
            args.push(value);
        }
        let callee = self.module.declare_func_in_func(self.shared.function(call.function), self.b.func);
        let inst = self.b.ins().call(callee, &args);
        let (end, code) = (self.b.inst_results(inst)[0], self.b.inst_results(inst)[1]);
        let faulted = self.b.ins().icmp_imm_s(IntCC::Equal, end, ending::FAULT);
        self.fault_if(faulted);
        // Calls in expressions make no assumption.
        if self.shared.effects.of(call.function) {
            let pruned = self.b.ins().icmp_imm_s(IntCC::Equal, end, ending::PRUNED);
            self.go_if(pruned, self.prune);
        }
        if counts {
            self.change(context::CALL_DEPTH, -1);
            self.change(context::CALL_SLOTS, -self.shared.frame_slots(call.function));
        }
        code
    }

    fn argument(&mut self, ty: TypeId, arg: &'a Arg) -> Value {
        match arg {
            Arg::Reference(place) => {
                let at = self.locate(place);
                self.bit_address(at)
            }
            Arg::Value(operand) if self.shared.model.types.shape(ty).scalar => self.operand_code(operand, ty),
            Arg::Value(operand) => {
                // The callee gets a copy of its own.
                let slot = self.stack_slot(ty);
                let at = Address::slot(self, slot);
                if matches!(operand, Operand::Copy(_)) {
                    self.zero(at, ty);
                }
                self.store_operand(at, ty, operand);
                self.bit_address(at)
            }
        }
    }

    /// Counts a call and what its variables take, and faults where the interpreter would.
    fn descend(&mut self, call: &Call) {
        let limits = self.shared.limits;
        let counted = [
            (context::CALL_DEPTH, 1, limits.call_depth),
            (context::CALL_SLOTS, self.shared.frame_slots(call.function), limits.call_slots),
        ];
        for (counter, by, limit) in counted {
            let count = self.change(counter, by);
            let too_many = self.b.ins().icmp_imm_s(IntCC::UnsignedGreaterThan, count, i64::from(limit));
            self.fault_if(too_many);
        }
    }

    fn change(&mut self, counter: i32, by: i64) -> Value {
        let flags = MemFlagsData::trusted();
        let count = self.b.ins().load(I64, flags, self.context, counter);
        let count = self.b.ins().iadd_imm_s(count, by);
        self.b.ins().store(flags, count, self.context, counter);
        count
    }
}
