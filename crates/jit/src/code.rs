//! The owner of native code and the only place that calls it.

use burnside_interp::{Condition, Interpreter, Limits, Outcome, StepBuffer, StepEnd};
use burnside_ir::{Binder, Domain, Layout, Model, PropertyId, PropertyKind, RuleId, TypeId};
use cranelift_jit::JITModule;
use std::ops::ControlFlow;

use crate::compile::{self, Binding, Unsupported};
use crate::emit;
use crate::gates::{Gates, set_bits};
use crate::normalise::Normaliser;
use burnside_analysis::numbers::{self, Digit};

/// What every native function is called with: the state, where to write, and the context. A rule returns the number of
/// bytes it wrote; a property returns a [`Condition`].
type Entry = unsafe extern "C" fn(*const u64, *mut u64, *mut NativeContext) -> u64;

/// The part of a [`Context`] that native code reads and writes; offsets are in `emit::context`.
#[repr(C)]
pub(crate) struct NativeContext {
    /// One byte per property: whether a cover point was reached.
    pub(crate) covered: *mut u8,
    /// Nested calls, counted only in models with recursion.
    pub(crate) call_depth: u64,
    /// For each value of each strict type, how many values of a parameter it stands for.
    pub(crate) weights: *const u64,
    /// For each parameter of the rule, the first and the last value that is wanted.
    pub(crate) windows: *const [i64; 2],
    /// Scalars of the variables of nested calls, counted only in models with recursion.
    pub(crate) call_slots: u64,
}

/// Scratch memory for calls; one per thread.
pub struct Context {
    /// The state, with a word more so that 8 bytes can be read at any bit of it.
    state: Vec<u64>,
    covered: Vec<u8>,
    elements: Vec<u64>,
    /// The rules that may be enabled, where there are gates.
    open: Vec<u64>,
}

impl Context {
    /// Whether a cover point was reached since the context was made.
    pub fn is_covered(&self, property: PropertyId) -> bool {
        self.covered[property.index()] != 0
    }
}

/// Native code of a model.
pub struct Compiled {
    n_words: usize,
    n_properties: usize,
    binding: Binding,
    /// Values of all strict types.
    n_weights: usize,
    is_strict: bool,
    stack_bytes: u64,
    rules: Vec<Rule>,
    batches: Vec<Batch>,
    /// What decides about rules, by their places in all batches one after the other.
    gates: Option<Gates>,
    /// By property; liveness and cover points have none.
    properties: Vec<Option<Entry>>,
    /// By property, if it is a proposition and they have code: that, and the most instances there can be.
    propositions: Vec<Option<(Entry, usize)>>,
    normaliser: Normaliser,
    /// Taken only on drop.
    module: Option<JITModule>,
}

struct Rule {
    entry: Entry,
    priority: i64,
    max_instances: usize,
    /// By parameter: the least and the greatest value of its type, if it goes through a type.
    params: Vec<Option<[i64; 2]>>,
    /// By parameter: what it contributes to the number of an instance.
    digits: Vec<Option<Digit>>,
}

/// Rules of equal priority that write their steps one after the other to the same stretch of a buffer.
struct Batch {
    rules: Vec<RuleId>,
    max_instances: usize,
    /// Whether it has the last rules of its priority.
    is_last: bool,
}

/// Most instances of a batch of several rules: nobody should set aside memory for a million steps at once.
const BATCH_INSTANCES: usize = 1 << 14;

// SAFETY: after construction the module is not touched until it is dropped, and the code it owns is immutable and works
// only on memory passed to it.
unsafe impl Send for Compiled {}
// SAFETY: as above.
unsafe impl Sync for Compiled {}

impl Compiled {
    /// Compiles a verified model. Start states are evaluated by the interpreter to learn what they leave undefined.
    /// Quantifiers over the `strict` types look at every value wherever one of them may fault.
    pub fn new(model: &Model, layout: &Layout, limits: Limits, strict: &[TypeId]) -> Result<Self, Unsupported> {
        Self::with(model, layout, limits, (strict, Binding::Weighed))
    }

    /// The same for [`fire_within`](Self::fire_within) in place of [`expand`](Self::expand).
    pub fn windowed(model: &Model, layout: &Layout, limits: Limits, strict: &[TypeId]) -> Result<Self, Unsupported> {
        Self::with(model, layout, limits, (strict, Binding::Windowed))
    }

    /// The same for a second look at states: in place of a weight each step has the number of its instance (see
    /// [`args`](Self::args)), and [`truth`](Self::truth) evaluates propositions. Of other properties only those have code
    /// that say which states are passed through.
    pub fn numbered(model: &Model, layout: &Layout, limits: Limits, strict: &[TypeId]) -> Result<Self, Unsupported> {
        Self::with(model, layout, limits, (strict, Binding::Numbered))
    }

    fn with(
        model: &Model,
        layout: &Layout,
        limits: Limits,
        (strict, binding): (&[TypeId], Binding),
    ) -> Result<Self, Unsupported> {
        let starts = start_states(model, layout, limits);
        let artifacts = compile::compile(model, layout, limits, (strict, binding), starts.iter().map(Vec::as_slice))?;
        let module = artifacts.module;
        let entry = |func| {
            let address = module.get_finalized_function(func);
            // SAFETY: the address is the start of a function emitted with the signature of `Entry`, in memory owned by
            // `module`, which lives as long as `Self`.
            unsafe { std::mem::transmute::<*const u8, Entry>(address) }
        };
        let rules = artifacts.rules.iter().zip(&artifacts.max_instances).zip(&model.rules);
        let rules: Vec<Rule> = rules
            .map(|((&func, &max_instances), rule)| {
                let params = type_bounds(model, &rule.binders);
                let digits = numbers::digits(model, &rule.binders);
                Rule { entry: entry(func), priority: rule.priority, max_instances, params, digits }
            })
            .collect();
        let mut properties = vec![None; model.properties.len()];
        let mut propositions = vec![None; model.properties.len()];
        for &(property, func) in &artifacts.properties {
            let definition = model.property(property);
            if definition.kind == PropertyKind::Proposition {
                let most = emit::rule::max_instances(model, &definition.binders);
                propositions[property.index()] = most.map(|most| (entry(func), most));
            } else {
                properties[property.index()] = Some(entry(func));
            }
        }
        let batches = batches(&rules);
        let order: Vec<RuleId> = batches.iter().flat_map(|batch| batch.rules.iter().copied()).collect();
        Ok(Self {
            n_words: layout.n_words(),
            n_properties: model.properties.len(),
            binding,
            n_weights: match binding {
                Binding::Numbered => 0,
                Binding::Weighed | Binding::Windowed => {
                    strict.iter().map(|&ty| model.types.shape(ty).cardinality() as usize).sum()
                }
            },
            is_strict: artifacts.is_strict,
            stack_bytes: artifacts.stack_bytes,
            gates: Gates::new(model, layout, &order),
            batches,
            rules,
            properties,
            propositions,
            normaliser: Normaliser::new(layout),
            module: Some(module),
        })
    }

    /// Whether some quantifier looks at every value because its type is strict. If not, the code is as good without
    /// strict types, given [`n_weights`](Self::n_weights) weights of one.
    pub fn is_strict(&self) -> bool {
        self.is_strict
    }

    /// What the code may take of the stack of a thread that runs it.
    pub fn stack_bytes(&self) -> u64 {
        self.stack_bytes
    }

    /// How many weights [`expand`](Self::expand) needs: one for each value of each strict type.
    pub fn n_weights(&self) -> usize {
        self.n_weights
    }

    /// Scratch memory for one thread.
    pub fn context(&self) -> Context {
        let (state, covered) = (vec![0; self.n_words + 1], vec![0; self.n_properties]);
        Context { state, covered, elements: Vec::new(), open: Vec::new() }
    }

    /// Appends the steps of all enabled rule instances, in the order of rules and parameters. Ends early at a fault.
    ///
    /// `weights` tells for each value of each strict type, in order, for how many values it stands as the first
    /// parameter of such a type: if for none, these instances are left out.
    pub fn expand(&self, state: &[u64], weights: &[u64], context: &mut Context, buffer: &mut StepBuffer) {
        assert_eq!(weights.len(), self.n_weights, "a weight for each value");
        assert_ne!(self.binding, Binding::Windowed, "the code was made for this");
        self.look_at(state, context);
        let before = buffer.len();
        let mut open = std::mem::take(&mut context.open);
        if let Some(gates) = &self.gates {
            gates.open(&context.state, &mut open);
        }
        let mut first = 0;
        for batch in &self.batches {
            let max_instances = batch.max_instances;
            let range = first..first + batch.rules.len();
            let flow = if self.gates.is_some() {
                let rules = set_bits(&open, range.clone()).map(|place| batch.rules[place - first]);
                self.fire((rules, max_instances), (weights, &[]), context, buffer)
            } else {
                self.fire((batch.rules.iter().copied(), max_instances), (weights, &[]), context, buffer)
            };
            first = range.end;
            // Only the most urgent rules that are enabled may fire.
            if flow.is_break() || (batch.is_last && buffer.len() > before) {
                break;
            }
        }
        context.open = open;
    }

    /// Appends the steps of those enabled instances of one rule whose parameters lie in windows, whatever the priority of
    /// the rule. For each parameter that goes through all values of a type, the window has the first and the last value
    /// that is wanted; what it says for others does not matter. Ends early at a fault.
    pub fn fire_within(
        &self,
        rule: RuleId,
        windows: &[[i64; 2]],
        state: &[u64],
        context: &mut Context,
        buffer: &mut StepBuffer,
    ) {
        let Rule { params, max_instances, .. } = &self.rules[rule.index()];
        assert_eq!(self.binding, Binding::Windowed, "the code was made for this");
        assert_eq!(windows.len(), params.len(), "a window for each parameter");
        let fits = |([first, last], bounds): (&[i64; 2], &Option<[i64; 2]>)| {
            bounds.is_none_or(|[least, greatest]| least <= *first && *last <= greatest)
        };
        assert!(windows.iter().zip(params).all(fits), "windows contain values of the parameters only");
        self.look_at(state, context);
        let _ = self.fire(([rule].into_iter(), *max_instances), (&[], windows), context, buffer);
    }

    /// Appends the steps of some rules, which have so many instances at most; breaks at a fault.
    fn fire(
        &self,
        (rules, max_instances): (impl Iterator<Item = RuleId>, usize),
        (weights, windows): (&[u64], &[[i64; 2]]),
        context: &mut Context,
        buffer: &mut StepBuffer,
    ) -> ControlFlow<()> {
        let stride = buffer.stride();
        let out = buffer.reserve(max_instances);
        assert!(out.len() > max_instances * (self.n_words + 1), "the buffer fits the layout");
        let covered = context.covered.as_mut_ptr();
        let (weights, windows) = (weights.as_ptr(), windows.as_ptr());
        let mut native = NativeContext { covered, call_depth: 0, weights, windows, call_slots: 0 };
        let mut n_written = 0;
        let mut flow = ControlFlow::Continue(());
        for rule in rules {
            let entry = self.rules[rule.index()].entry;
            let steps = &mut out[n_written..];
            // SAFETY: the state has a word more, which `Entry` code may read; rules before wrote at most their instances,
            // so `steps` has room for those of this one and a word (asserted above); `covered` has a byte per property;
            // callers assert that there are as many weights as values of strict types, or as many windows as
            // parameters, whichever the code reads, and that windows contain only values of the parameters.
            let n_bytes = unsafe { entry(context.state.as_ptr(), steps.as_mut_ptr(), &raw mut native) };
            let n_words = n_bytes as usize / size_of::<u64>();
            n_written += n_words;
            if n_words > 0 && StepBuffer::end(steps[n_words - 1]) == StepEnd::Fault {
                flow = ControlFlow::Break(());
                break;
            }
        }
        if self.normaliser.is_needed() {
            for record in out[..n_written].chunks_exact_mut(stride) {
                let (state, tag) = record.split_at_mut(self.n_words);
                if StepBuffer::end(tag[0]) == StepEnd::Next {
                    self.normaliser.apply(&context.state, state, &mut context.elements);
                }
            }
        }
        buffer.commit(n_written / stride);
        flow
    }

    /// Sets the state in which conditions are evaluated from now on, until one is expanded.
    pub fn look_at(&self, state: &[u64], context: &mut Context) {
        context.state[..self.n_words].copy_from_slice(state);
    }

    /// Evaluates a property's condition in the state [looked at](Self::look_at); `None` for properties without native
    /// code.
    pub fn condition(&self, property: PropertyId, context: &mut Context) -> Option<Condition> {
        let entry = self.properties[property.index()]?;
        let covered = context.covered.as_mut_ptr();
        let (weights, windows) = (std::ptr::null(), std::ptr::null());
        let mut native = NativeContext { covered, call_depth: 0, weights, windows, call_slots: 0 };
        // SAFETY: the state has a word more, which `Entry` code may read, `covered` has a byte per property, and
        // properties write nothing and read neither weights nor windows.
        let value = unsafe { entry(context.state.as_ptr(), std::ptr::null_mut(), &raw mut native) };
        Some(match value {
            0 => Condition::Holds,
            1 => Condition::Fails,
            _ => Condition::Faults,
        })
    }
}

impl Compiled {
    /// The parameters of the instance with a number; those that go neither through a type nor through a constant range
    /// are zero.
    pub fn args(&self, rule: RuleId, number: u64) -> Vec<i64> {
        numbers::args(&self.rules[rule.index()].digits, number)
    }

    /// Evaluates all instances of a proposition in the state [looked at](Self::look_at): appends a byte for each, 1 if it
    /// is true. `None` at a fault, or if there is no code for it.
    pub fn truth(&self, property: PropertyId, context: &mut Context, out: &mut Vec<u8>) -> Option<()> {
        assert_eq!(self.binding, Binding::Numbered, "the code was made for this");
        let (entry, most) = self.propositions[property.index()]?;
        let begin = out.len();
        out.resize(begin + most, NOT_WRITTEN);
        let covered = context.covered.as_mut_ptr();
        let (weights, windows) = (std::ptr::null(), std::ptr::null());
        let mut native = NativeContext { covered, call_depth: 0, weights, windows, call_slots: 0 };
        // SAFETY: the state has a word more, which `Entry` code may read, `covered` has a byte per property, and the code
        // of a proposition writes at most a byte for each instance, of which there are as many as `out` was just made
        // longer by at most.
        let value = unsafe { entry(context.state.as_ptr(), out[begin..].as_mut_ptr().cast(), &raw mut native) };
        let n_written = out[begin..].iter().take_while(|&&byte| byte != NOT_WRITTEN).count();
        out.truncate(begin + n_written);
        (value == 0).then_some(())
    }
}

/// What is no truth.
const NOT_WRITTEN: u8 = 2;

impl Drop for Compiled {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: entry points are called only through `self`, which is going away.
            unsafe { module.free_memory() };
        }
    }
}

/// Puts rules in order of priority and cuts them into batches.
fn batches(rules: &[Rule]) -> Vec<Batch> {
    let mut order: Vec<usize> = (0..rules.len()).collect();
    order.sort_by_key(|&at| rules[at].priority);
    let mut batches: Vec<Batch> = Vec::new();
    for (place, &at) in order.iter().enumerate() {
        let Rule { priority, max_instances, .. } = rules[at];
        let is_last = order.get(place + 1).is_none_or(|&next| rules[next].priority != priority);
        match batches.last_mut() {
            Some(batch) if !batch.is_last && batch.max_instances + max_instances <= BATCH_INSTANCES => {
                batch.rules.push(RuleId(at as u32));
                batch.max_instances += max_instances;
                batch.is_last = is_last;
            }
            _ => batches.push(Batch { rules: vec![RuleId(at as u32)], max_instances, is_last }),
        }
    }
    batches
}

/// For each parameter that goes through all values of a type, the least and the greatest of them.
fn type_bounds(model: &Model, binders: &[Binder]) -> Vec<Option<[i64; 2]>> {
    let bounds = binders.iter().filter_map(|binder| match binder {
        Binder::Param { domain: Domain::Type(ty), .. } => {
            let shape = model.types.shape(*ty);
            Some(Some([shape.lo, shape.hi]))
        }
        Binder::Param { .. } => Some(None),
        Binder::Value { .. } | Binder::Reference { .. } => None,
    });
    bounds.collect()
}

fn start_states(model: &Model, layout: &Layout, limits: Limits) -> Vec<Vec<i64>> {
    let mut states = Vec::new();
    Interpreter::new(model, layout, limits).starts(|_, _, outcome| {
        if let Outcome::Next(values) = outcome {
            states.push(values.to_vec());
        }
        ControlFlow::Continue(())
    });
    states
}
