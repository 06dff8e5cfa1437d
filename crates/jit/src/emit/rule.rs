//! Rules: one function that tries every parameter binding in a state and writes a record for each enabled one.

use std::collections::{BTreeMap, BTreeSet};

use burnside_analysis::Owner;
use burnside_interp::{StepBuffer, StepEnd};
use burnside_ir::{
    BinaryOp, Binder, Domain, Expr, ExprKind, LocalId, LocalMode, Model, Operand, Part, PlaceBase, Rule, RuleId,
};
use cranelift_codegen::ir::{Block, InstBuilder, MemFlagsData, Value, types::I64};
use cranelift_frontend::{FunctionBuilder, Variable};
use cranelift_jit::JITModule;

use super::range::Ranges;
use super::{Emitter, Storage, context};
use crate::compile::{Binding, Shared, Unsupported};
use crate::facts::{self, LocalUse};
use burnside_analysis::numbers::{self, Digit};

/// More instances than this are left to the interpreter.
const MOST_INSTANCES: usize = 1 << 22;

/// The greatest number of instances of a family that can be enabled in one state, if it is not huge or unknown.
pub(crate) fn max_instances(model: &Model, binders: &[Binder]) -> Option<usize> {
    let ranges = Ranges { model, iterated: BTreeMap::new() };
    let mut total: usize = 1;
    for binder in binders {
        let Binder::Param { domain, .. } = binder else { continue };
        let (lo, hi) = ranges.of_domain(domain);
        let step = if let Domain::Range { step, .. } = domain { i128::from(step.unsigned_abs()) } else { 1 };
        let values = if lo > hi { 0 } else { (hi - lo) / step + 1 };
        total = total.checked_mul(usize::try_from(values).ok()?)?;
    }
    // One more for the record of a fault in a binder.
    (total < MOST_INSTANCES).then_some(total + 1)
}

/// Emits a rule: state, where to write, context; returns the number of bytes written.
pub(crate) fn emit<'a>(
    shared: &'a Shared<'a>,
    module: &'a mut JITModule,
    builder: FunctionBuilder<'_>,
    id: RuleId,
) -> Result<(), Unsupported> {
    let rule = shared.model.rule(id);
    let mut uses = LocalUse::default();
    Part::rule(rule).walk(&mut uses);
    let mut emitter = Emitter::new(shared, module, builder, (Owner::Rule(id.0), &rule.locals, uses), 2)?;
    let entry = emitter.b.current_block().expect("emission has begun");
    let (source, out) = (emitter.b.block_params(entry)[0], emitter.b.block_params(entry)[1]);
    let cursor = emitter.b.declare_var(I64);
    emitter.b.def_var(cursor, out);
    let weight = emitter.b.declare_var(I64);
    let one = emitter.int(if shared.binding == Binding::Numbered { 0 } else { 1 << StepBuffer::WEIGHT_SHIFT });
    emitter.b.def_var(weight, one);
    let weighed = rule.binders.iter().position(|binder| weights_at(shared, binder).is_some());
    let weighed = weighed.filter(|_| shared.binding == Binding::Weighed);
    emitter.reset_locals(|_| false);
    RuleEmitter { emitter: &mut emitter, rule, id, source, cursor, weight, weighed, done: None }.run(out);
    emitter.finish();
    Ok(())
}

struct RuleEmitter<'r, 'a, 'f> {
    emitter: &'r mut Emitter<'a, 'f>,
    rule: &'a Rule,
    id: RuleId,
    source: Value,
    /// Where the next record goes.
    cursor: Variable,
    /// How many instances the one at hand stands for, in its place within a tag.
    weight: Variable,
    /// The binder whose values have weights.
    weighed: Option<usize>,
    /// Where the function returns.
    done: Option<Block>,
}

/// Where the weights of a binder's values begin, if it goes through all values of a strict type.
fn weights_at(shared: &Shared<'_>, binder: &Binder) -> Option<usize> {
    let Binder::Param { domain: Domain::Type(ty), .. } = binder else { return None };
    let number = shared.strict.iter().position(|strict| strict == ty)?;
    let before = &shared.strict[..number];
    Some(before.iter().map(|&ty| shared.model.types.shape(ty).cardinality() as usize).sum())
}

impl<'a> RuleEmitter<'_, 'a, '_> {
    fn run(&mut self, out: Value) {
        let done = self.emitter.b.create_block();
        self.done = Some(done);
        self.bind(0, &mut Plan::new(self.emitter, self.rule), done);
        self.emitter.b.ins().jump(done, &[]);

        self.emitter.b.switch_to_block(self.emitter.fault);
        self.record(StepEnd::Fault);
        self.emitter.jump_and_continue(done);
        let cursor = self.emitter.b.use_var(self.cursor);
        let written = self.emitter.b.ins().isub(cursor, out);
        self.emitter.b.ins().return_(&[written]);
    }

    /// Evaluates binders from `depth` on; `next` is where to go when this binding is done with.
    fn bind(&mut self, depth: usize, plan: &mut Plan<'a>, next: Block) {
        for conjunct in std::mem::take(&mut plan.levels[depth]) {
            self.test(conjunct, next);
        }
        let Some(binder) = self.rule.binders.get(depth) else {
            self.instance(plan, next);
            return;
        };
        match binder {
            Binder::Param { local, domain } => {
                let &mut Self { source, rule, id, cursor, weight, weighed, done, .. } = self;
                let number = rule.binders[..depth].iter().filter(|it| matches!(it, Binder::Param { .. })).count();
                let digit = self.emitter.digit(domain).map(|digit| (digit, self.emitter.b.use_var(weight)));
                self.emitter.each_wanted(domain, (*local, number), |emitter, next| {
                    let mut inner = RuleEmitter { emitter, rule, id, source, cursor, weight, weighed, done };
                    if let Some((digit, before)) = digit {
                        inner.count(*local, digit, before);
                    }
                    if weighed == Some(depth) {
                        inner.weigh(*local, binder, next);
                    }
                    inner.bind(depth + 1, plan, next);
                    inner.emitter.b.ins().jump(next, &[]);
                    inner.emitter.dead_block();
                });
            }
            Binder::Value { .. } | Binder::Reference { .. } => {
                self.emitter.bind_once(binder);
                self.bind(depth + 1, plan, next);
            }
        }
    }

    /// Looks up for how many instances the value just bound stands; for none, goes on to the `next` value.
    fn weigh(&mut self, local: LocalId, binder: &Binder, next: Block) {
        let first = weights_at(self.emitter.shared, binder).expect("the binder has weights");
        let number = self.emitter.iterated_number(local);
        let flags = MemFlagsData::trusted();
        let weights = self.emitter.b.ins().load(I64, flags, self.emitter.context, context::WEIGHTS);
        let offset = self.emitter.b.ins().ishl_imm_s(number, 3);
        let address = self.emitter.b.ins().iadd(weights, offset);
        let weight = self.emitter.b.ins().load(I64, flags, address, first as i32 * 8);
        let tag = self.emitter.b.ins().ishl_imm_s(weight, i64::from(StepBuffer::WEIGHT_SHIFT));
        self.emitter.b.def_var(self.weight, tag);
        let on = self.emitter.b.create_block();
        self.emitter.b.ins().brif(weight, on, &[], next, &[]);
        self.emitter.b.switch_to_block(on);
    }

    /// Takes the value just bound into the number of the instance, given that of the parameters before.
    fn count(&mut self, local: LocalId, Digit { lo, radix }: Digit, before: Value) {
        let value = self.emitter.iterated_value(local);
        let number = self.emitter.b.ins().iadd_imm_s(value, lo.wrapping_neg());
        let number = self.emitter.b.ins().ishl_imm_s(number, i64::from(StepBuffer::WEIGHT_SHIFT));
        let radix = self.emitter.int(radix);
        let before = self.emitter.b.ins().imul(before, radix);
        let number = self.emitter.b.ins().iadd(before, number);
        self.emitter.b.def_var(self.weight, number);
    }

    fn test(&mut self, conjunct: &'a Expr, otherwise: Block) {
        let on = self.emitter.b.create_block();
        self.emitter.branch(conjunct, on, otherwise);
        self.emitter.b.switch_to_block(on);
    }

    /// Guard and action for one binding.
    fn instance(&mut self, plan: &Plan<'a>, next: Block) {
        for &conjunct in &plan.innermost {
            self.test(conjunct, next);
        }
        let prune = self.emitter.prune;
        let bound: BTreeSet<LocalId> = self.rule.binders.iter().map(Binder::local).collect();
        let saved = self.save(&bound);
        let target = self.emitter.b.use_var(self.cursor);
        self.enter_record(target);
        self.emitter.reset_locals(|local| bound.contains(&local));
        self.emitter.block(&self.rule.action);
        let leave = std::mem::replace(&mut self.emitter.leave, prune);
        self.emitter.jump_and_continue(leave);
        self.record(StepEnd::Next);
        let over = self.emitter.b.create_block();
        self.emitter.b.ins().jump(over, &[]);

        self.emitter.b.switch_to_block(prune);
        self.record(StepEnd::Pruned);
        self.emitter.jump_and_continue(over);
        self.leave_record(target);
        self.restore(&saved);
    }

    /// Values of bound locals, which an action may change.
    fn save(&mut self, bound: &BTreeSet<LocalId>) -> Vec<(Variable, Value)> {
        let variables = bound.iter().filter_map(|local| match self.emitter.storage[local.index()] {
            Storage::Variable(variable) => Some(variable),
            _ => None,
        });
        variables.collect::<Vec<_>>().into_iter().map(|variable| (variable, self.emitter.b.use_var(variable))).collect()
    }

    fn restore(&mut self, saved: &[(Variable, Value)]) {
        for &(variable, value) in saved {
            self.emitter.b.def_var(variable, value);
        }
    }

    /// Copies the state to a record and works on that from now on.
    fn enter_record(&mut self, target: Value) {
        self.emitter.copy_state(target, self.source);
        self.emitter.state = target;
        self.move_references(target, self.source);
    }

    fn leave_record(&mut self, target: Value) {
        self.emitter.state = self.source;
        self.move_references(self.source, target);
    }

    /// Bound references into the state follow it.
    fn move_references(&mut self, to: Value, from: Value) {
        let distance = self.emitter.b.ins().isub(to, from);
        let distance = self.emitter.b.ins().ishl_imm_s(distance, 3);
        for binder in &self.rule.binders {
            let Binder::Reference { local, .. } = binder else { continue };
            let Storage::Reference(variable) = self.emitter.storage[local.index()] else { continue };
            if refers_to_state(self.rule, *local) {
                let address = self.emitter.b.use_var(variable);
                let moved = self.emitter.b.ins().iadd(address, distance);
                self.emitter.b.def_var(variable, moved);
            }
        }
    }

    /// Finishes the record under the cursor.
    fn record(&mut self, end: StepEnd) {
        let n_words = self.emitter.shared.layout.n_words();
        let cursor = self.emitter.b.use_var(self.cursor);
        let tag = self.emitter.int(StepBuffer::tag(self.id, end) as i64);
        let weight = self.emitter.b.use_var(self.weight);
        let tag = self.emitter.b.ins().bor(tag, weight);
        self.emitter.b.ins().store(MemFlagsData::trusted(), tag, cursor, n_words as i32 * 8);
        let after = self.emitter.b.ins().iadd_imm_s(cursor, (n_words as i64 + 1) * 8);
        self.emitter.b.def_var(self.cursor, after);
    }
}

/// Whether a bound reference leads, through other references, to a global variable.
fn refers_to_state(rule: &Rule, local: LocalId) -> bool {
    let bound = rule.binders.iter().find(|binder| binder.local() == local);
    let Some(Binder::Reference { place, .. }) = bound else { return false };
    match &place.base {
        PlaceBase::Global(_) => true,
        PlaceBase::Local(base) => {
            rule.locals[base.index()].mode == LocalMode::Reference && refers_to_state(rule, *base)
        }
        PlaceBase::Call(_) => false,
    }
}

/// Where each conjunct of a guard is evaluated.
struct Plan<'a> {
    /// By number of binders evaluated before.
    levels: Vec<Vec<&'a Expr>>,
    /// With all binders evaluated, in their own order.
    innermost: Vec<&'a Expr>,
}

impl<'a> Plan<'a> {
    // SOUND: a conjunct is moved outward only if neither it nor any conjunct before it can fault, and only past binders
    // that cannot fault; expressions change nothing. So the value of the guard, and whether evaluating binders and guard
    // faults, stay the same for every binding.
    fn new(emitter: &Emitter<'a, '_>, rule: &'a Rule) -> Self {
        let mut conjuncts = Vec::new();
        split(&rule.guard, &mut conjuncts);
        let mut levels = vec![Vec::new(); rule.binders.len() + 1];
        let bound: BTreeSet<LocalId> = rule.binders.iter().filter_map(|binder| emitter.bound_to_type(binder)).collect();
        let safe = conjuncts.iter().take_while(|conjunct| emitter.cannot_fault(conjunct, &bound)).count();
        let mut hoisted = conjuncts[..safe].to_vec();
        hoisted.sort_by_key(|conjunct| facts::cost(conjunct));
        let behind_faults = rule.binders.iter().rposition(|binder| emitter.binder_may_fault(binder, &bound));
        for conjunct in hoisted {
            let reads = facts::locals_read(conjunct);
            let behind_reads = rule.binders.iter().rposition(|binder| reads.contains(&binder.local()));
            let depth = behind_reads.max(behind_faults).map_or(0, |at| at + 1);
            levels[depth].push(conjunct);
        }
        Self { levels, innermost: conjuncts[safe..].to_vec() }
    }
}

fn split<'a>(guard: &'a Expr, conjuncts: &mut Vec<&'a Expr>) {
    match &guard.kind {
        ExprKind::Binary(BinaryOp::And, left, right) => {
            split(left, conjuncts);
            split(right, conjuncts);
        }
        ExprKind::Const(1) => {}
        _ => conjuncts.push(guard),
    }
}

impl<'a> Emitter<'a, '_> {
    /// Runs `body` for each value of a parameter's domain, or for those in its window.
    fn each_wanted(
        &mut self,
        domain: &'a Domain,
        (local, number): (LocalId, usize),
        body: impl FnOnce(&mut Self, Block),
    ) {
        let (Domain::Type(_), Binding::Windowed) = (domain, self.shared.binding) else {
            return self.each_value(domain, local, body);
        };
        let flags = MemFlagsData::trusted();
        let windows = self.b.ins().load(I64, flags, self.context, context::WINDOWS);
        let from = self.b.ins().load(I64, flags, windows, number as i32 * 16);
        let to = self.b.ins().load(I64, flags, windows, number as i32 * 16 + 8);
        let range = self.ranges.of_domain(domain);
        self.count_through(from, to, 1, |emitter, value, next| {
            emitter.iterate(local, value, range);
            body(emitter, next);
        });
        self.release(local);
    }

    /// What a parameter contributes to the number of an instance, if instances have numbers.
    fn digit(&self, domain: &Domain) -> Option<Digit> {
        let is_numbered = self.shared.binding == Binding::Numbered;
        is_numbered.then(|| numbers::digit(self.shared.model, domain)).flatten()
    }

    /// Runs `body` for every instance of a family of conditions.
    pub(super) fn each_instance(&mut self, binders: &'a [Binder], body: &mut dyn FnMut(&mut Self, Block)) {
        let Some((binder, rest)) = binders.split_first() else {
            let next = self.b.create_block();
            body(self, next);
            self.jump_and_continue(next);
            return;
        };
        match binder {
            Binder::Param { local, domain } => {
                self.each_value(domain, *local, |emitter, _| emitter.each_instance(rest, body));
            }
            Binder::Value { .. } | Binder::Reference { .. } => {
                self.bind_once(binder);
                self.each_instance(rest, body);
            }
        }
    }

    /// The local of a parameter that gets only values of its own type.
    fn bound_to_type(&self, binder: &Binder) -> Option<LocalId> {
        let Binder::Param { local, domain: Domain::Type(ty) } = binder else { return None };
        self.type_covers(self.locals[local.index()].ty, *ty).then_some(*local)
    }

    /// Whether evaluating a binder may fault, given that some locals hold values of their types.
    fn binder_may_fault(&self, binder: &Binder, bound: &BTreeSet<LocalId>) -> bool {
        let cannot_fault = match binder {
            Binder::Param { domain: Domain::Type(_), .. } => true,
            Binder::Param { domain: Domain::Range { from, to, .. }, .. } => {
                self.cannot_fault(from, bound) && self.cannot_fault(to, bound)
            }
            Binder::Param { domain: Domain::Slots(place), .. } | Binder::Reference { place, .. } => {
                self.reaches(place, bound)
            }
            Binder::Value { source: Operand::Undefined, .. } => true,
            Binder::Value { local, source: Operand::Value(expr) } => {
                let (lo, hi) = self.range(expr);
                let shape = self.shared.model.types.shape(self.locals[local.index()].ty);
                self.cannot_fault(expr, bound) && i128::from(shape.lo) <= lo && hi <= i128::from(shape.hi)
            }
            Binder::Value { local, source: Operand::Copy(place) } => {
                self.locals[local.index()].ty == place.ty && self.reaches(place, bound)
            }
        };
        !cannot_fault
    }

    /// Evaluates a binder that is no parameter.
    fn bind_once(&mut self, binder: &'a Binder) {
        match binder {
            Binder::Param { .. } => panic!("parameters are bound by iteration"),
            Binder::Value { local, source } => {
                let ty = self.locals[local.index()].ty;
                match self.storage[local.index()] {
                    Storage::Variable(variable) => {
                        let code = self.operand_code(source, ty);
                        self.b.def_var(variable, code);
                    }
                    Storage::Memory(slot) => {
                        let at = super::access::Address::slot(self, slot);
                        self.store_operand(at, ty, source);
                    }
                    Storage::Reference(_) | Storage::Slot(_) => panic!("verified value binders name owned locals"),
                }
            }
            Binder::Reference { local, place } => {
                let at = self.locate(place);
                let address = self.bit_address(at);
                let Storage::Reference(variable) = self.storage[local.index()] else {
                    panic!("verified reference binders name a reference");
                };
                self.b.def_var(variable, address);
            }
        }
    }

    /// Copies the words of a state.
    pub(super) fn copy_state(&mut self, to: Value, from: Value) {
        let flags = MemFlagsData::trusted();
        for word in 0..self.shared.layout.n_words() as i32 {
            let value = self.b.ins().load(I64, flags, from, word * 8);
            self.b.ins().store(flags, value, to, word * 8);
        }
    }
}
