//! Properties: one function that evaluates all instances of a condition in a state.

use burnside_analysis::Owner;
use burnside_ir::visit::{Visitor as _, walk_binder};
use burnside_ir::{Binder, PropertyId, PropertyKind};
use cranelift_codegen::ir::InstBuilder;
use cranelift_frontend::FunctionBuilder;
use cranelift_jit::JITModule;

use super::Emitter;
use crate::compile::{Shared, Unsupported};
use crate::facts::LocalUse;

/// Emits the condition: state, working copy, context; returns 0 if every instance is true (of a cover: false), 1 if
/// some instance is not, 2 for a fault.
pub(crate) fn emit<'a>(
    shared: &'a Shared<'a>,
    module: &'a mut JITModule,
    builder: FunctionBuilder<'_>,
    id: PropertyId,
) -> Result<(), Unsupported> {
    let property = shared.model.property(id);
    let mut uses = LocalUse::default();
    uses.expr(&property.condition);
    for binder in &property.binders {
        walk_binder(&mut uses, binder);
        if let Binder::Reference { place, .. } = binder {
            uses.note_reference(place);
        }
    }
    let mut emitter = Emitter::new(shared, module, builder, (Owner::Property(id.0), &property.locals, uses), 2)?;
    let entry = emitter.b.current_block().expect("emission has begun");
    let (source, working) = (emitter.b.block_params(entry)[0], emitter.b.block_params(entry)[1]);
    let writes = shared.purity.may_write(&property.condition);
    if writes {
        // Instances must not see what functions called by earlier ones did.
        emitter.state = working;
        emitter.copy_state(working, source);
    }
    emitter.reset_locals(|_| false);
    emitter.each_instance(&property.binders, &mut |emitter, next| {
        if writes {
            emitter.copy_state(working, source);
        }
        let decided = emitter.leave;
        if property.kind == PropertyKind::Cover {
            emitter.branch(&property.condition, decided, next);
        } else {
            emitter.branch(&property.condition, next, decided);
        }
        emitter.dead_block();
    });
    // A failed assumption inside a condition ends the evaluation without a decision.
    let undecided = emitter.prune;
    emitter.b.ins().jump(undecided, &[]);
    for (block, value) in [(emitter.prune, 0), (emitter.leave, 1), (emitter.fault, 2)] {
        emitter.b.switch_to_block(block);
        let value = emitter.int(value);
        emitter.b.ins().return_(&[value]);
    }
    emitter.finish();
    Ok(())
}
