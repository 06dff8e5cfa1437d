//! Functions and procedures.

use burnside_analysis::Owner;
use burnside_ir::FunctionId;
use burnside_ir::visit::Visitor as _;
use cranelift_codegen::ir::{InstBuilder, types::I64};
use cranelift_frontend::FunctionBuilder;
use cranelift_jit::JITModule;

use super::access::Address;
use super::call::ending;
use super::{Emitter, ResultPlace, Storage};
use crate::compile::{Shared, Unsupported};
use crate::facts::LocalUse;

/// Emits a function: state, context, the address for an aggregate result, parameters; returns ending and result.
pub(crate) fn emit<'a>(
    shared: &'a Shared<'a>,
    module: &'a mut JITModule,
    builder: FunctionBuilder<'_>,
    id: FunctionId,
) -> Result<(), Unsupported> {
    let function = shared.model.function(id);
    let mut uses = LocalUse::default();
    uses.block(&function.body);
    let mut emitter = Emitter::new(shared, module, builder, (Owner::Function(id.0), &function.locals, uses), 1)?;
    let entry = emitter.b.current_block().expect("emission has begun");
    let mut params = emitter.b.block_params(entry).to_vec().into_iter().skip(2);
    emitter.result = function.result.map(|ty| {
        if shared.model.types.shape(ty).scalar {
            let variable = emitter.b.declare_var(I64);
            let zero = emitter.int(0);
            emitter.b.def_var(variable, zero);
            ResultPlace::Variable(variable, ty)
        } else {
            ResultPlace::Memory(params.next().expect("the caller passes the address"), ty)
        }
    });
    emitter.reset_locals(|local| local.0 < function.n_params);
    for (at, value) in params.enumerate() {
        match emitter.storage[at] {
            Storage::Variable(variable) | Storage::Reference(variable) => emitter.b.def_var(variable, value),
            Storage::Slot(_) => panic!("verified parameters are no slot locals"),
            Storage::Memory(slot) => {
                let ty = function.locals[at].ty;
                let to = Address::slot(&mut emitter, slot);
                if shared.model.types.shape(ty).scalar {
                    emitter.store_bits(to, shared.bits.of(ty), value);
                } else {
                    let from = Address::pointer(&mut emitter, value);
                    emitter.copy_bits(to, from, shared.bits.of(ty));
                }
            }
        }
    }
    emitter.block(&function.body);
    // Reaching the end without a result is a fault.
    let end = if function.result.is_some() { emitter.fault } else { emitter.leave };
    emitter.b.ins().jump(end, &[]);
    emitter.endings();
    emitter.finish();
    Ok(())
}

impl Emitter<'_, '_> {
    fn endings(&mut self) {
        for (block, end) in [(self.leave, ending::NORMAL), (self.fault, ending::FAULT), (self.prune, ending::PRUNED)] {
            self.b.switch_to_block(block);
            let end = self.int(end);
            let code = match self.result {
                Some(ResultPlace::Variable(variable, _)) => self.b.use_var(variable),
                _ => self.int(0),
            };
            self.b.ins().return_(&[end, code]);
        }
    }
}
