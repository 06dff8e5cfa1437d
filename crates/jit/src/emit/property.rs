//! Properties: one function that evaluates all instances of a condition in a state.

use burnside_analysis::Owner;
use burnside_ir::{Expr, Part, PropertyId, PropertyKind};
use cranelift_codegen::ir::{Block, InstBuilder, MemFlagsData, types::I64};
use cranelift_frontend::{FunctionBuilder, Variable};
use cranelift_jit::JITModule;

use super::Emitter;
use crate::compile::{Shared, Unsupported};
use crate::facts::LocalUse;

/// Emits the condition: state, nothing, context; returns 0 if every instance is true (of a cover: false), 1 if
/// some instance is not, 2 for a fault. The code of a proposition gets where to write in place of nothing, and writes a
/// byte for each instance: 1 if it is true, otherwise 0.
pub(crate) fn emit<'a>(
    shared: &'a Shared<'a>,
    module: &'a mut JITModule,
    builder: FunctionBuilder<'_>,
    id: PropertyId,
) -> Result<(), Unsupported> {
    let property = shared.model.property(id);
    let mut uses = LocalUse::default();
    Part::property(property).walk(&mut uses);
    let mut emitter = Emitter::new(shared, module, builder, (Owner::Property(id.0), &property.locals, uses), 2)?;
    let entry = emitter.b.current_block().expect("emission has begun");
    let out = emitter.b.block_params(entry)[1];
    let cursor = emitter.b.declare_var(I64);
    emitter.b.def_var(cursor, out);
    emitter.reset_locals(|_| false);
    let decided = emitter.b.declare_var(I64);
    let zero = emitter.int(0);
    emitter.b.def_var(decided, zero);
    emitter.each_instance(&property.binders, &mut |emitter, next| {
        if property.kind == PropertyKind::Proposition {
            return write_truth(emitter, &property.condition, cursor, next);
        }
        let found = emitter.b.create_block();
        if property.kind == PropertyKind::Cover {
            emitter.branch(&property.condition, found, next);
        } else {
            emitter.branch(&property.condition, next, found);
        }
        emitter.b.switch_to_block(found);
        let one = emitter.int(1);
        emitter.b.def_var(decided, one);
        // As in the interpreter: whether an instance faults must not depend on their order, except for invariants,
        // where a fault is a violation like any other.
        let on = if property.kind == PropertyKind::Invariant { emitter.leave } else { next };
        emitter.b.ins().jump(on, &[]);
        emitter.dead_block();
    });
    let leave = emitter.leave;
    emitter.jump_and_continue(leave);
    let value = emitter.b.use_var(decided);
    emitter.b.ins().return_(&[value]);
    emitter.b.switch_to_block(emitter.fault);
    let faulted = emitter.int(2);
    emitter.b.ins().return_(&[faulted]);
    // Nothing jumps there: verified conditions make no assumption.
    emitter.b.switch_to_block(emitter.prune);
    let holds = emitter.int(0);
    emitter.b.ins().return_(&[holds]);
    emitter.finish();
    Ok(())
}

/// Writes whether a condition holds and moves the cursor on.
fn write_truth<'a>(emitter: &mut Emitter<'a, '_>, condition: &'a Expr, cursor: Variable, next: Block) {
    let sides = [emitter.b.create_block(), emitter.b.create_block()];
    emitter.branch(condition, sides[1], sides[0]);
    for (side, value) in sides.into_iter().zip([0, 1]) {
        emitter.b.switch_to_block(side);
        let (value, at) = (emitter.int(value), emitter.b.use_var(cursor));
        emitter.b.ins().istore8(MemFlagsData::trusted(), value, at, 0);
        let after = emitter.b.ins().iadd_imm_s(at, 1);
        emitter.b.def_var(cursor, after);
        emitter.b.ins().jump(next, &[]);
    }
    emitter.dead_block();
}
