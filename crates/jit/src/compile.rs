//! Compiles a whole model: declares every function, emits each, and hands the finished code to its owner.

use std::cell::Cell;

use burnside_analysis::Definedness;
use burnside_diag::Span;
use burnside_interp::Limits;
use burnside_ir::visit::{Visitor, walk_stmt};
use burnside_ir::{
    Domain, Effects, Function, FunctionId, Layout, LocalMode, Model, Part, PropertyId, PropertyKind, RuleId, Stmt,
    StmtKind, TypeId,
};
use cranelift_codegen::ir::{AbiParam, Signature, types::I64};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module, ModuleError};

use crate::bits::Bits;
use crate::emit;
use crate::runtime;
use burnside_analysis::numbers;

/// Native stacks beyond this are not asked for; the interpreter then treats the model.
const MOST_STACK_BYTES: u64 = 8 << 30;

/// Up to this capacity, which slots of a multiset are occupied is kept in one register while it is gone through.
pub(crate) const MOST_SLOTS: u32 = u64::BITS;

/// Looks for loops over the elements of a large multiset, which the loop may change: their occupation is then read slot
/// by slot, and not once before the first.
struct LargeMultisets<'m> {
    model: &'m Model,
    found: Option<Span>,
}

impl<'m> LargeMultisets<'m> {
    fn changing(model: &'m Model) -> Option<Span> {
        let mut scan = Self { model, found: None };
        model.functions.iter().for_each(|function| scan.block(&function.body));
        model.rules.iter().for_each(|rule| Part::rule(rule).walk(&mut scan));
        scan.found
    }
}

impl Visitor for LargeMultisets<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        if let StmtKind::For { domain: Domain::Slots(multiset), .. } = &stmt.kind
            && let Some((capacity, _)) = self.model.types.get(multiset.ty).multiset()
            && capacity > MOST_SLOTS
        {
            self.found.get_or_insert(multiset.span);
        }
        walk_stmt(self, stmt);
    }
}

/// Scalars of the variables and the result of a function.
fn frame_slots(model: &Model, function: &Function) -> u64 {
    let locals = function.locals.iter().map(|local| match local.mode {
        LocalMode::Owned => u64::from(model.types.shape(local.ty).n_slots),
        LocalMode::Reference | LocalMode::Slot => 1,
    });
    locals.sum::<u64>() + function.result.map_or(0, |ty| u64::from(model.types.shape(ty).n_slots))
}

/// What the compiler does not treat; the interpreter does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsupported {
    /// What it is.
    pub feature: &'static str,
    /// Where the model uses it.
    pub span: Span,
}

/// What one call of a function takes of the native stack: its variables, and generously what the code generator adds,
/// at most a few words for each value.
fn frame_bytes(function: &cranelift_codegen::ir::Function) -> u64 {
    let slots: u64 = function.sized_stack_slots.values().map(|slot| u64::from(slot.size)).sum();
    slots + 16 * function.dfg.num_values() as u64 + 256
}

/// Which instances of a rule its native code tries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Binding {
    /// All of them, but for those whose first parameter of a strict type has no weight.
    Weighed,
    /// Those whose parameters that go through a type lie in given windows.
    Windowed,
    /// All of them; in place of a weight each has its number (see [`numbers`](crate::numbers)).
    Numbered,
}

/// Everything emitters read.
pub(crate) struct Shared<'m> {
    pub(crate) model: &'m Model,
    pub(crate) layout: &'m Layout,
    pub(crate) limits: Limits,
    /// Types whose quantifiers look at every value wherever one may fault.
    pub(crate) strict: &'m [TypeId],
    pub(crate) binding: Binding,
    /// Whether what is known without running the model is checked while it runs.
    pub(crate) checks_facts: bool,
    pub(crate) bits: Bits,
    /// Whether calls are counted: without recursion no limit can be reached.
    pub(crate) counts_calls: bool,
    pub(crate) effects: Effects,
    frame_slots: Vec<u64>,
    pub(crate) definedness: Definedness,
    functions: Vec<FuncId>,
    pub(crate) runtime: RuntimeFunctions,
    /// Whether some quantifier looks at every value because its type is strict.
    pub(crate) is_strict: Cell<bool>,
}

impl Shared<'_> {
    pub(crate) fn function(&self, function: FunctionId) -> FuncId {
        self.functions[function.index()]
    }

    /// Scalars of the variables and the result of a function.
    pub(crate) fn frame_slots(&self, function: FunctionId) -> i64 {
        self.frame_slots[function.index()] as i64
    }
}

/// The functions of `runtime`, as the module knows them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RuntimeFunctions {
    pub(crate) copy_bits: FuncId,
    pub(crate) zero_bits: FuncId,
    pub(crate) equal_bits: FuncId,
    pub(crate) shift_left: FuncId,
    pub(crate) broken_fact: FuncId,
}

/// Finished code: entry points by rule and property, and the module that owns them.
pub(crate) struct Artifacts {
    pub(crate) module: JITModule,
    pub(crate) rules: Vec<FuncId>,
    pub(crate) max_instances: Vec<usize>,
    /// Properties with the native form of their condition.
    pub(crate) properties: Vec<(PropertyId, FuncId)>,
    /// Whether strict types made a difference.
    pub(crate) is_strict: bool,
    /// What the deepest calls take of the native stack.
    pub(crate) stack_bytes: u64,
}

/// Compiles all rules, and all properties on states except liveness, which is evaluated after the search.
pub(crate) fn compile<'s>(
    model: &Model,
    layout: &Layout,
    limits: Limits,
    (strict, binding): (&[TypeId], Binding),
    starts: impl Iterator<Item = &'s [i64]>,
) -> Result<Artifacts, Unsupported> {
    let effects = Effects::new(model);
    let frame_slots: Vec<u64> = model.functions.iter().map(|function| frame_slots(model, function)).collect();
    let recursive = || (0..model.functions.len() as u32).map(FunctionId).filter(|id| effects.is_recursive(*id));
    let is_recursive = recursive().next().is_some();
    if !is_recursive && frame_slots.iter().sum::<u64>() > u64::from(limits.call_slots) {
        let span = model.functions.first().map_or(Span::NOWHERE, |function| function.span);
        return Err(Unsupported { feature: "functions with very many variables", span });
    }
    if let Some(span) = LargeMultisets::changing(model) {
        return Err(Unsupported {
            feature: "a change of a multiset of more than 64 elements while it is gone through",
            span,
        });
    }
    let mut module = new_module();
    let runtime = declare_runtime(&mut module);
    let functions = model.functions.iter().map(|function| declare_function(&mut module, model, function)).collect();
    let shared = Shared {
        model,
        layout,
        limits,
        strict,
        binding,
        checks_facts: cfg!(debug_assertions),
        bits: Bits::new(&model.types),
        counts_calls: is_recursive,
        effects: effects.clone(),
        frame_slots,
        definedness: Definedness::new(model, layout, starts),
        functions,
        runtime,
        is_strict: Cell::new(false),
    };
    let mut compiler = Compiler { shared: &shared, module, scratch: FunctionBuilderContext::new() };
    let mut frame_bytes = 0;
    for at in 0..model.functions.len() as u32 {
        frame_bytes = frame_bytes.max(compiler.function(FunctionId(at))?);
    }
    // Without recursion no chain of calls is longer than there are functions.
    let depth = if is_recursive { u64::from(limits.call_depth) + 1 } else { model.functions.len() as u64 };
    let stack_bytes = frame_bytes * depth;
    if stack_bytes > MOST_STACK_BYTES {
        let span = recursive().next().map_or(Span::NOWHERE, |id| model.function(id).span);
        return Err(Unsupported { feature: "recursion that may take very much memory", span });
    }
    let mut rules = Vec::new();
    let mut max_instances = Vec::new();
    for at in 0..model.rules.len() as u32 {
        let (id, instances) = compiler.rule(RuleId(at))?;
        rules.push(id);
        max_instances.push(instances);
    }
    let mut properties = Vec::new();
    use PropertyKind::{Assumption, Cover, Ending, Invariant, Passing, Proposition};
    // Propositions are evaluated after the search, with code of their own.
    let kinds: &[PropertyKind] = match binding {
        Binding::Weighed | Binding::Windowed => &[Assumption, Invariant, Cover, Passing, Ending],
        Binding::Numbered => &[Passing, Proposition],
    };
    for &kind in kinds {
        for property in model.properties_of(kind) {
            properties.push((property, compiler.property(property)?));
        }
    }
    let mut module = compiler.module;
    module.finalize_definitions().expect("code memory can be made executable");
    Ok(Artifacts { module, rules, max_instances, properties, is_strict: shared.is_strict.get(), stack_bytes })
}

fn new_module() -> JITModule {
    let mut flags = settings::builder();
    // PERF: `speed` costs a tenth of a millisecond more a rule and saves a fifth of the run time of guards.
    for (name, value) in
        [("opt_level", "speed"), ("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" })]
    {
        flags.set(name, value).expect("the code generator knows its own settings");
    }
    let isa = cranelift_native::builder().expect("the code generator knows this machine");
    let isa = isa.finish(settings::Flags::new(flags)).expect("the settings fit the machine");
    let mut builder = JITBuilder::with_isa(isa, cranelift_module::default_libcall_names());
    builder.symbol("copy_bits", runtime::copy_bits as *const u8);
    builder.symbol("zero_bits", runtime::zero_bits as *const u8);
    builder.symbol("equal_bits", runtime::equal_bits as *const u8);
    builder.symbol("shift_left", runtime::shift_left as *const u8);
    builder.symbol("broken_fact", runtime::broken_fact as *const u8);
    JITModule::new(builder)
}

fn declare_runtime(module: &mut JITModule) -> RuntimeFunctions {
    let mut declare = |name: &str, n_params, n_results| {
        let signature = plain_signature(module, n_params, n_results);
        module.declare_function(name, Linkage::Import, &signature).expect("each name is declared once")
    };
    RuntimeFunctions {
        copy_bits: declare("copy_bits", 3, 0),
        zero_bits: declare("zero_bits", 2, 0),
        equal_bits: declare("equal_bits", 3, 1),
        shift_left: declare("shift_left", 2, 1),
        broken_fact: declare("broken_fact", 0, 0),
    }
}

fn plain_signature(module: &JITModule, n_params: usize, n_results: usize) -> Signature {
    let mut signature = module.make_signature();
    signature.params = vec![AbiParam::new(I64); n_params];
    signature.returns = vec![AbiParam::new(I64); n_results];
    signature
}

/// State, context, the address for an aggregate result, then one word per parameter; returns how it ended and the
/// code of a scalar result.
fn declare_function(module: &mut JITModule, model: &Model, function: &Function) -> FuncId {
    let aggregate = function.result.is_some_and(|ty| !model.types.shape(ty).scalar);
    let n_params = 2 + usize::from(aggregate) + function.n_params as usize;
    let signature = plain_signature(module, n_params, 2);
    module.declare_anonymous_function(&signature).expect("declarations have no limit")
}

struct Compiler<'a> {
    shared: &'a Shared<'a>,
    module: JITModule,
    scratch: FunctionBuilderContext,
}

impl Compiler<'_> {
    /// Returns the bytes that a call takes of the native stack.
    fn function(&mut self, id: FunctionId) -> Result<u64, Unsupported> {
        let function = self.shared.model.function(id);
        for local in &function.locals[..function.n_params as usize] {
            let int = local.ty == TypeId::INT;
            if int && local.mode == LocalMode::Reference {
                return Err(Unsupported { feature: "an unbounded integer passed by reference", span: local.span });
            }
        }
        self.define(self.shared.function(id), |module, builder| emit::function::emit(self.shared, module, builder, id))
    }

    fn rule(&mut self, id: RuleId) -> Result<(FuncId, usize), Unsupported> {
        let rule = self.shared.model.rule(id);
        let instances = emit::rule::max_instances(self.shared.model, &rule.binders)
            .ok_or(Unsupported { feature: "a rule with very many instances", span: rule.span })?;
        if self.shared.binding == Binding::Numbered && !numbers::fit(self.shared.model, &rule.binders) {
            return Err(Unsupported { feature: "numbers of very many instances", span: rule.span });
        }
        let signature = plain_signature(&self.module, 3, 1);
        let func = self.module.declare_anonymous_function(&signature).expect("declarations have no limit");
        self.define(func, |module, builder| emit::rule::emit(self.shared, module, builder, id))?;
        Ok((func, instances))
    }

    fn property(&mut self, id: PropertyId) -> Result<FuncId, Unsupported> {
        let signature = plain_signature(&self.module, 3, 1);
        let func = self.module.declare_anonymous_function(&signature).expect("declarations have no limit");
        self.define(func, |module, builder| emit::property::emit(self.shared, module, builder, id))?;
        Ok(func)
    }

    fn define(
        &mut self,
        func: FuncId,
        emit: impl FnOnce(&mut JITModule, FunctionBuilder<'_>) -> Result<(), Unsupported>,
    ) -> Result<u64, Unsupported> {
        let mut context = self.module.make_context();
        context.func.signature = self.module.declarations().get_function_decl(func).signature.clone();
        let builder = FunctionBuilder::new(&mut context.func, &mut self.scratch);
        emit(&mut self.module, builder)?;
        match self.module.define_function(func, &mut context) {
            Ok(()) => Ok(frame_bytes(&context.func)),
            Err(ModuleError::Compilation(error)) => {
                panic!("emitted code is well-formed: {error:?}\n{}", context.func.display())
            }
            Err(error) => panic!("emitted code can be defined: {error}"),
        }
    }
}
