//! Compiles a whole model: declares every function, emits each, and hands the finished code to its owner.

use std::cell::Cell;

use burnside_analysis::{Definedness, Purity};
use burnside_diag::Span;
use burnside_interp::Limits;
use burnside_ir::visit::{Visitor, walk_expr, walk_stmt};
use burnside_ir::{
    Domain, Expr, ExprKind, Function, FunctionId, Layout, LocalMode, Model, Place, PropertyId, PropertyKind, RuleId,
    Stmt, StmtKind, Type, TypeId,
};
use cranelift_codegen::ir::{AbiParam, Signature, types::I64};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module, ModuleError};

use crate::bits::Bits;
use crate::emit;
use crate::runtime;

/// Up to this capacity, which slots of a multiset are occupied is kept in one register while it is gone through.
pub(crate) const MOST_SLOTS: u32 = u64::BITS;

/// Looks for what may change a large multiset while its slots are gone through: their occupation is then read slot by
/// slot, and not once before the first.
struct LargeMultisets<'m> {
    model: &'m Model,
    purity: &'m Purity,
    found: Option<Span>,
}

impl<'m> LargeMultisets<'m> {
    fn changing(model: &'m Model, purity: &'m Purity) -> Option<Span> {
        let mut scan = Self { model, purity, found: None };
        model.functions.iter().for_each(|function| scan.block(&function.body));
        for rule in &model.rules {
            scan.expr(&rule.guard);
            scan.block(&rule.action);
        }
        model.properties.iter().for_each(|property| scan.expr(&property.condition));
        scan.found
    }

    fn is_large(&self, multiset: &Place) -> bool {
        matches!(self.model.types.get(multiset.ty), Type::Multiset { capacity, .. } if *capacity > MOST_SLOTS)
    }

    fn note(&mut self, multiset: &Place, condition: Option<&Expr>) {
        if self.is_large(multiset) && condition.is_none_or(|condition| self.purity.may_write(condition)) {
            self.found.get_or_insert(multiset.span);
        }
    }
}

impl Visitor for LargeMultisets<'_> {
    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Count(_, multiset, condition) => self.note(multiset, Some(condition)),
            ExprKind::Quantified(_, _, domain, body) => {
                if let Domain::Slots(multiset) = &**domain {
                    self.note(multiset, Some(body));
                }
            }
            _ => {}
        }
        walk_expr(self, expr);
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::For { domain: Domain::Slots(multiset), .. } => self.note(multiset, None),
            StmtKind::RemoveWhere { multiset, condition, .. } => self.note(multiset, Some(condition)),
            _ => {}
        }
        walk_stmt(self, stmt);
    }
}

/// What the compiler does not treat; the interpreter does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsupported {
    /// What it is.
    pub feature: &'static str,
    /// Where the model uses it.
    pub span: Span,
}

/// Which instances of a rule its native code tries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Binding {
    /// All of them, but for those whose first parameter of a strict type has no weight.
    Weighed,
    /// Those whose parameters that go through a type lie in given windows.
    Windowed,
}

/// Everything emitters read.
pub(crate) struct Shared<'m> {
    pub(crate) model: &'m Model,
    pub(crate) layout: &'m Layout,
    pub(crate) limits: Limits,
    /// Types whose quantifiers look at every value wherever one may fault.
    pub(crate) strict: &'m [TypeId],
    pub(crate) binding: Binding,
    pub(crate) bits: Bits,
    pub(crate) purity: Purity,
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
}

/// The functions of `runtime`, as the module knows them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RuntimeFunctions {
    pub(crate) copy_bits: FuncId,
    pub(crate) zero_bits: FuncId,
    pub(crate) equal_bits: FuncId,
    pub(crate) shift_left: FuncId,
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
}

/// Compiles all rules, and all properties on states except liveness, which is evaluated after the search.
pub(crate) fn compile<'s>(
    model: &Model,
    layout: &Layout,
    limits: Limits,
    (strict, binding): (&[TypeId], Binding),
    starts: impl Iterator<Item = &'s [i64]>,
) -> Result<Artifacts, Unsupported> {
    let purity = Purity::new(model);
    if let Some(span) = LargeMultisets::changing(model, &purity) {
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
        bits: Bits::new(&model.types),
        purity,
        definedness: Definedness::new(model, layout, starts),
        functions,
        runtime,
        is_strict: Cell::new(false),
    };
    let mut compiler = Compiler { shared: &shared, module, scratch: FunctionBuilderContext::new() };
    for at in 0..model.functions.len() as u32 {
        compiler.function(FunctionId(at))?;
    }
    let mut rules = Vec::new();
    let mut max_instances = Vec::new();
    for at in 0..model.rules.len() as u32 {
        let (id, instances) = compiler.rule(RuleId(at))?;
        rules.push(id);
        max_instances.push(instances);
    }
    let mut properties = Vec::new();
    for kind in [PropertyKind::Assumption, PropertyKind::Invariant, PropertyKind::Cover] {
        for property in model.properties_of(kind) {
            properties.push((property, compiler.property(property)?));
        }
    }
    let mut module = compiler.module;
    module.finalize_definitions().expect("code memory can be made executable");
    Ok(Artifacts { module, rules, max_instances, properties, is_strict: shared.is_strict.get() })
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
    fn function(&mut self, id: FunctionId) -> Result<(), Unsupported> {
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
    ) -> Result<(), Unsupported> {
        let mut context = self.module.make_context();
        context.func.signature = self.module.declarations().get_function_decl(func).signature.clone();
        let builder = FunctionBuilder::new(&mut context.func, &mut self.scratch);
        emit(&mut self.module, builder)?;
        match self.module.define_function(func, &mut context) {
            Ok(()) => Ok(()),
            Err(ModuleError::Compilation(error)) => {
                panic!("emitted code is well-formed: {error:?}\n{}", context.func.display())
            }
            Err(error) => panic!("emitted code can be defined: {error}"),
        }
    }
}
