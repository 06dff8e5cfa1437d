//! From IR to the code generator's instructions.
//!
//! All values are 64-bit integers. A scalar in storage is its *code* (0 for undefined, else the distance from the
//! type's least value plus 1), in memory as in the packed state, and in variables alike; expressions compute plain
//! values. Whatever can go wrong jumps to the `fault` block of the function.

mod access;
mod arith;
mod call;
mod certain;
mod condition;
pub(crate) mod function;
mod place;
pub(crate) mod property;
mod range;
pub(crate) mod rule;
mod stmt;
mod value;

use std::collections::BTreeMap;

use burnside_analysis::Owner;
use burnside_ir::{Local, LocalId, LocalMode, TypeId};
use cranelift_codegen::ir::{Block, InstBuilder, StackSlot, StackSlotData, StackSlotKind, Value, types::I64};
use cranelift_frontend::{FunctionBuilder, Variable};
use cranelift_jit::JITModule;

use crate::compile::{Shared, Unsupported};
use crate::facts::LocalUse;

/// Offsets in `NativeContext`.
pub(crate) mod context {
    pub(crate) const COVERED: i32 = 0;
    pub(crate) const CALL_DEPTH: i32 = 8;
    pub(crate) const WEIGHTS: i32 = 16;
    pub(crate) const WINDOWS: i32 = 24;
    pub(crate) const CALL_SLOTS: i32 = 32;
}

/// Where a local lives.
#[derive(Debug, Clone, Copy)]
enum Storage {
    /// A scalar that nobody refers to: its code.
    Variable(Variable),
    /// Packed, in the native frame.
    Memory(StackSlot),
    /// A bit address.
    Reference(Variable),
    /// The position of an element in its multiset.
    Slot(Variable),
}

/// Where a function's result goes.
#[derive(Debug, Clone, Copy)]
enum ResultPlace {
    /// A scalar's code.
    Variable(Variable, TypeId),
    /// The bit address that the caller passed.
    Memory(Value, TypeId),
}

/// Emits one native function.
struct Emitter<'a, 'f> {
    shared: &'a Shared<'a>,
    module: &'a mut JITModule,
    b: FunctionBuilder<'f>,
    owner: Owner,
    locals: &'a [Local],
    storage: Vec<Storage>,
    uses: LocalUse,
    ranges: range::Ranges<'a>,
    /// Address of the state that globals are read from and written to.
    state: Value,
    /// Whether that state is in normal form: it is what a rule or a property looks at, not what an action works on.
    is_settled: bool,
    context: Value,
    fault: Block,
    /// Where failed assumptions go.
    prune: Block,
    /// Where `return` goes.
    leave: Block,
    result: Option<ResultPlace>,
}

impl<'a, 'f> Emitter<'a, 'f> {
    /// Starts a function whose first parameter is the state and `context` the number of the context's.
    fn new(
        shared: &'a Shared<'a>,
        module: &'a mut JITModule,
        mut b: FunctionBuilder<'f>,
        frame: (Owner, &'a [Local], LocalUse),
        context: usize,
    ) -> Result<Self, Unsupported> {
        let entry = b.create_block();
        b.append_block_params_for_function_params(entry);
        b.switch_to_block(entry);
        let (state, context) = (b.block_params(entry)[0], b.block_params(entry)[context]);
        let (fault, prune, leave) = (b.create_block(), b.create_block(), b.create_block());
        b.set_cold_block(fault);
        b.set_cold_block(prune);
        let (owner, locals, uses) = frame;
        let mut emitter = Self {
            shared,
            module,
            b,
            owner,
            locals,
            storage: Vec::new(),
            uses,
            ranges: range::Ranges { model: shared.model, iterated: BTreeMap::new() },
            state,
            is_settled: !matches!(owner, Owner::Function(_)),
            context,
            fault,
            prune,
            leave,
            result: None,
        };
        for at in 0..locals.len() {
            let storage = emitter.allocate(LocalId(at as u32))?;
            emitter.storage.push(storage);
        }
        Ok(emitter)
    }

    fn allocate(&mut self, local: LocalId) -> Result<Storage, Unsupported> {
        let definition = &self.locals[local.index()];
        let zero = self.int(0);
        let scalar = self.shared.model.types.shape(definition.ty).scalar;
        if definition.mode == LocalMode::Reference {
            let variable = self.b.declare_var(I64);
            self.b.def_var(variable, zero);
            return Ok(Storage::Reference(variable));
        }
        if definition.mode == LocalMode::Slot {
            let variable = self.b.declare_var(I64);
            self.b.def_var(variable, zero);
            return Ok(Storage::Slot(variable));
        }
        if scalar && !self.uses.referenced.contains(&local) {
            let variable = self.b.declare_var(I64);
            self.b.def_var(variable, zero);
            return Ok(Storage::Variable(variable));
        }
        if definition.ty == TypeId::INT {
            return Err(Unsupported { feature: "a reference to an unbounded integer", span: definition.span });
        }
        Ok(Storage::Memory(self.stack_slot(definition.ty)))
    }

    /// Memory for a value, with the padding that 8-byte accesses need; its contents are arbitrary.
    fn stack_slot(&mut self, ty: TypeId) -> StackSlot {
        let bytes = (self.shared.bits.of(ty).div_ceil(64) + 1) * 8;
        self.b.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, bytes, 3))
    }

    /// Makes every owned local undefined again, except those that `keep` names.
    fn reset_locals(&mut self, keep: impl Fn(LocalId) -> bool) {
        for at in 0..self.storage.len() {
            let local = LocalId(at as u32);
            if keep(local) {
                continue;
            }
            match self.storage[at] {
                Storage::Variable(variable) => {
                    let zero = self.int(0);
                    self.b.def_var(variable, zero);
                }
                Storage::Memory(slot) => {
                    let at = access::Address::slot(self, slot);
                    self.zero(at, self.locals[local.index()].ty);
                }
                Storage::Reference(_) | Storage::Slot(_) => {}
            }
        }
    }

    fn int(&mut self, value: i64) -> Value {
        self.b.ins().iconst(I64, value)
    }

    /// Continues in a fresh block if the condition is zero; otherwise goes to `target`.
    fn go_if(&mut self, condition: Value, target: Block) {
        let on = self.b.create_block();
        self.b.ins().brif(condition, target, &[], on, &[]);
        self.b.switch_to_block(on);
    }

    fn fault_if(&mut self, condition: Value) {
        self.go_if(condition, self.fault);
    }

    /// Where a fact is relied on: in builds that check facts, ends everything if the condition, which would make it
    /// false, holds.
    fn relying_on(&mut self, broken: impl FnOnce(&mut Self) -> Value) {
        if !self.shared.checks_facts {
            return;
        }
        let broken = broken(self);
        let (end, on) = (self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(end);
        self.b.ins().brif(broken, end, &[], on, &[]);
        self.b.switch_to_block(end);
        self.call_runtime(self.shared.runtime.broken_fact, &[]);
        self.b.ins().jump(on, &[]);
        self.b.switch_to_block(on);
    }

    /// Ends the current block and continues in `target`.
    fn jump_and_continue(&mut self, target: Block) {
        self.b.ins().jump(target, &[]);
        self.b.switch_to_block(target);
    }

    fn finish(mut self) {
        self.b.seal_all_blocks();
        let config = self.module.isa().frontend_config();
        self.b.finalize(config);
    }
}

use cranelift_module::Module as _;
