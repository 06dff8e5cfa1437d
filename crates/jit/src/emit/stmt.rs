//! Statements.

use burnside_ir::{Call, Expr, LocalId, Operand, Place, PutItem, Stmt, StmtKind, Type, TypeId, Types};
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
            StmtKind::Call { call, result } => self.call_statement(call, *result),
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
            StmtKind::Remove(element) => {
                let at = self.locate(element).before();
                self.zero_bits(at, self.shared.bits.of(element.ty) + 1);
            }
            StmtKind::RemoveWhere { multiset, local, condition } => {
                let at = self.locate(multiset);
                let (_, stride) = self.multiset(multiset.ty);
                self.each_slot(at, multiset.ty, |emitter, slot, next| {
                    emitter.set_slot(*local, slot);
                    emitter.require(condition, next);
                    let at = at.plus_scaled(emitter, slot, stride);
                    emitter.zero_bits(at, stride);
                });
            }
        }
    }

    fn call_statement(&mut self, call: &'a Call, result: Option<LocalId>) {
        let scalar = |ty: TypeId| self.shared.model.types.shape(ty).scalar;
        let is_aggregate = self.shared.model.function(call.function).result.is_some_and(|ty| !scalar(ty));
        if !is_aggregate {
            let code = self.call(call, None);
            if let Some(local) = result {
                match self.storage[local.index()] {
                    Storage::Variable(variable) => self.b.def_var(variable, code),
                    Storage::Memory(slot) => {
                        let at = Address::slot(self, slot);
                        self.store_bits(at, self.shared.bits.of(self.locals[local.index()].ty), code);
                    }
                    Storage::Reference(_) | Storage::Slot(_) => panic!("verified results go to owned locals"),
                }
            }
            return;
        }
        let from = self.call_for_aggregate(call);
        if let Some(local) = result {
            let Storage::Memory(slot) = self.storage[local.index()] else {
                panic!("verified results go to owned locals, and aggregates lie in memory");
            };
            let at = Address::slot(self, slot);
            self.copy_bits(at, from, self.shared.bits.of(self.locals[local.index()].ty));
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
        let code = self.operand_code(source, target.ty);
        self.store_code(target, code);
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
        let (_, element_ty) = self.shared.model.types.get(multiset.ty).multiset().expect("verified: a multiset");
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
