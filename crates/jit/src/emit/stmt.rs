//! Statements.

use burnside_ir::{Expr, Operand, Place, PutItem, Stmt, StmtKind, Type, TypeId, Types};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, types::I64};

use super::access::Address;
use super::{Emitter, ResultPlace, Storage, context};

impl<'a> Emitter<'a, '_> {
    pub(super) fn block(&mut self, block: &'a [Stmt]) {
        for stmt in block {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &'a Stmt) {
        match &stmt.kind {
            StmtKind::Assign { target, source } => self.assign(target, source),
            StmtKind::Clear(place) => self.clear(place),
            StmtKind::Bind { local, place } => {
                let at = self.locate(place);
                let address = self.bit_address(at);
                let Storage::Reference(variable) = self.storage[local.index()] else {
                    panic!("verified binds name a reference");
                };
                self.b.def_var(variable, address);
            }
            StmtKind::If { arms, otherwise } => self.arms(arms, otherwise),
            StmtKind::While { condition, body } => self.repeat(condition, body),
            StmtKind::For { local, domain, body } => {
                self.each_value(domain, *local, |emitter, _| emitter.block(body));
            }
            StmtKind::Call(call) => {
                if call_has_aggregate_result(self, call) {
                    self.call_for_aggregate(call);
                } else {
                    self.call(call, None);
                }
            }
            StmtKind::Assert { condition, .. } => self.require(condition, self.fault),
            StmtKind::Assume(condition) => self.require(condition, self.prune),
            StmtKind::Cover { property, condition } => {
                let (yes, on) = (self.b.create_block(), self.b.create_block());
                self.branch(condition, yes, on);
                self.b.switch_to_block(yes);
                let flags = MemFlagsData::trusted();
                let covered = self.b.ins().load(I64, flags, self.context, context::COVERED);
                let one = self.int(1);
                self.b.ins().istore8(flags, one, covered, property.0 as i32);
                self.jump_and_continue(on);
            }
            StmtKind::Error(_) => {
                self.b.ins().jump(self.fault, &[]);
                self.dead_block();
            }
            StmtKind::Put(items) => self.put(items),
            StmtKind::Return(operand) => {
                if let (Some(operand), Some(result)) = (operand, self.result) {
                    self.set_result(result, operand);
                }
                self.b.ins().jump(self.leave, &[]);
                self.dead_block();
            }
            StmtKind::Insert { multiset, element } => self.insert(multiset, element),
            StmtKind::Remove { multiset, slot } => {
                let at = self.locate(multiset);
                let at = self.present_element(at, multiset.ty, slot);
                self.zero_bits(at, self.multiset(multiset.ty).1);
            }
            StmtKind::RemoveWhere { multiset, local, condition } => {
                let at = self.locate(multiset);
                let (capacity, stride) = self.multiset(multiset.ty);
                self.each_slot(at, multiset.ty, |emitter, slot, next| {
                    emitter.iterate(*local, slot, (0, i128::from(capacity) - 1));
                    emitter.require(condition, next);
                    let at = at.plus_scaled(emitter, slot, stride);
                    emitter.zero_bits(at, stride);
                });
            }
        }
    }

    /// Goes on if the condition holds, else to `otherwise`.
    fn require(&mut self, condition: &'a Expr, otherwise: cranelift_codegen::ir::Block) {
        let on = self.b.create_block();
        self.branch(condition, on, otherwise);
        self.b.switch_to_block(on);
    }

    fn assign(&mut self, target: &'a Place, source: &'a Operand) {
        if !self.shared.model.types.shape(target.ty).scalar {
            let at = self.locate(target);
            self.store_operand(at, target.ty, source);
            return;
        }
        if let Operand::Value(_) = source {
            let code = self.operand_code(source, target.ty);
            self.store_code(target, code);
            return;
        }
        // The interpreter locates the target of a copy first; only a call in an index could tell the difference.
        if target.path.is_empty() {
            let code = self.operand_code(source, target.ty);
            self.store_code(target, code);
        } else {
            let at = self.locate(target);
            let code = self.operand_code(source, target.ty);
            self.store_bits(at, self.shared.bits.of(target.ty), code);
        }
    }

    fn clear(&mut self, place: &'a Place) {
        let types = &self.shared.model.types;
        if types.shape(place.ty).scalar {
            let least = self.int(1);
            self.store_code(place, least);
            return;
        }
        let at = self.locate(place);
        self.clear_at(at, place.ty, types);
    }

    fn clear_at(&mut self, at: Address, ty: TypeId, types: &Types) {
        let shared = self.shared;
        match types.get(ty) {
            &Type::Array { index, element } => {
                let (from, to) = (self.int(0), self.int(types.shape(index).cardinality() as i64 - 1));
                self.count_through(from, to, 1, |emitter, slot, _| {
                    let at = at.plus_scaled(emitter, slot, shared.bits.of(element));
                    emitter.clear_at(at, element, types);
                });
            }
            Type::Record { fields } => {
                let mut at = at;
                for field in fields {
                    self.clear_at(at, field.ty, types);
                    at = at.plus(shared.bits.of(field.ty));
                }
            }
            Type::Multiset { .. } => self.zero(at, ty),
            _ => {
                let least = self.int(1);
                self.store_bits(at, shared.bits.of(ty), least);
            }
        }
    }

    fn arms(&mut self, arms: &'a [(Expr, Vec<Stmt>)], otherwise: &'a [Stmt]) {
        let end = self.b.create_block();
        for (condition, block) in arms {
            let (yes, no) = (self.b.create_block(), self.b.create_block());
            self.branch(condition, yes, no);
            self.b.switch_to_block(yes);
            self.block(block);
            self.b.ins().jump(end, &[]);
            self.b.switch_to_block(no);
        }
        self.block(otherwise);
        self.jump_and_continue(end);
    }

    fn repeat(&mut self, condition: &'a Expr, body: &'a [Stmt]) {
        let rounds = self.b.declare_var(I64);
        let zero = self.int(0);
        self.b.def_var(rounds, zero);
        let (header, round, exit) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        self.jump_and_continue(header);
        self.branch(condition, round, exit);
        self.b.switch_to_block(round);
        let so_far = self.b.use_var(rounds);
        let so_far = self.b.ins().iadd_imm_s(so_far, 1);
        self.b.def_var(rounds, so_far);
        let limit = i64::from(self.shared.limits.loop_rounds);
        let too_many = self.b.ins().icmp_imm_s(IntCC::SignedGreaterThan, so_far, limit);
        self.fault_if(too_many);
        self.block(body);
        self.b.ins().jump(header, &[]);
        self.b.switch_to_block(exit);
    }

    /// Output has no effect, but evaluating it may fault.
    fn put(&mut self, items: &'a [PutItem]) {
        for item in items {
            match item {
                PutItem::Text(_) => {}
                PutItem::Value(expr) => {
                    self.value(expr);
                }
                PutItem::Place(place) if self.shared.model.types.shape(place.ty).scalar => {
                    self.load_code(place);
                }
                PutItem::Place(place) => {
                    self.locate(place);
                }
            }
        }
    }

    fn set_result(&mut self, result: ResultPlace, operand: &'a Operand) {
        match result {
            ResultPlace::Variable(variable, ty) => {
                let code = self.operand_code(operand, ty);
                self.b.def_var(variable, code);
            }
            ResultPlace::Memory(address, ty) => {
                let at = Address::pointer(self, address);
                self.store_operand(at, ty, operand);
            }
        }
    }

    fn insert(&mut self, multiset: &'a Place, element: &'a Operand) {
        let at = self.locate(multiset);
        let (capacity, stride) = self.multiset(multiset.ty);
        let &Type::Multiset { element: element_ty, .. } = self.shared.model.types.get(multiset.ty) else {
            panic!("verified inserts name a multiset");
        };
        let (free, place) = (self.b.create_block(), self.b.declare_var(I64));
        let zero = self.int(0);
        self.b.def_var(place, zero);
        let (from, to) = (self.int(0), self.int(i64::from(capacity) - 1));
        self.count_through(from, to, 1, |emitter, slot, next| {
            emitter.b.def_var(place, slot);
            let at = at.plus_scaled(emitter, slot, stride);
            let present = emitter.load_bits(at, 1);
            emitter.b.ins().brif(present, next, &[], free, &[]);
            emitter.dead_block();
        });
        self.b.ins().jump(self.fault, &[]);
        self.b.switch_to_block(free);
        let slot = self.b.use_var(place);
        let at = at.plus_scaled(self, slot, stride);
        self.store_operand(at.plus(1), element_ty, element);
        let present = self.int(1);
        self.store_bits(at, 1, present);
    }
}

fn call_has_aggregate_result(emitter: &Emitter<'_, '_>, call: &burnside_ir::Call) -> bool {
    let result = emitter.shared.model.function(call.function).result;
    result.is_some_and(|ty| !emitter.shared.model.types.shape(ty).scalar)
}
