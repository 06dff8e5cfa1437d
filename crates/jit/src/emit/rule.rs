//! Rules: one function that tries every parameter binding in a state and writes a record for each enabled one.

use std::collections::{BTreeMap, BTreeSet};

use burnside_analysis::Owner;
use burnside_interp::{StepBuffer, StepEnd};
use burnside_ir::{
    BinaryOp, Binder, Domain, Expr, ExprKind, LocalId, LocalMode, Model, Operand, Part, PlaceBase, Rule, RuleId,
};
use cranelift_codegen::ir::condcodes::IntCC;
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
        let Some(&at) = plan.order.get(depth) else {
            self.instance(plan, next);
            return;
        };
        let binder = &self.rule.binders[at];
        match binder {
            Binder::Param { local, domain } => {
                let &mut Self { source, rule, id, cursor, weight, weighed, done, .. } = self;
                let number = rule.binders[..at].iter().filter(|it| matches!(it, Binder::Param { .. })).count();
                let is_numbered = self.emitter.shared.binding == Binding::Numbered;
                let before = is_numbered.then(|| self.emitter.b.use_var(weight));
                let digit = self.emitter.digit(domain);
                let only = plan.solutions[at];
                self.emitter.each_wanted(domain, (*local, number), only, |emitter, next| {
                    let mut inner = RuleEmitter { emitter, rule, id, source, cursor, weight, weighed, done };
                    match (digit, before) {
                        (Some(digit), Some(before)) => inner.count(*local, digit, before),
                        // The parameters behind begin to count anew for each value of one that has no part in the number.
                        (None, Some(before)) => inner.emitter.b.def_var(weight, before),
                        (_, None) => {}
                    }
                    if weighed == Some(at) {
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
        self.emitter.is_settled = false;
        self.move_references(target, self.source);
    }

    fn leave_record(&mut self, target: Value) {
        self.emitter.state = self.source;
        self.emitter.is_settled = true;
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
    /// The numbers of the binders, in the order in which they are evaluated.
    order: Vec<usize>,
    /// By binder, if it is a parameter: its only value that the guard may hold for.
    solutions: Vec<Option<&'a Expr>>,
    /// By number of binders evaluated before.
    levels: Vec<Vec<&'a Expr>>,
    /// With all binders evaluated, in their own order.
    innermost: Vec<&'a Expr>,
}

impl<'a> Plan<'a> {
    // SOUND: a conjunct is moved outward only if neither it nor any conjunct before it can fault, and only past binders
    // that cannot fault; expressions change nothing. So the value of the guard, and whether evaluating binders and guard
    // faults, stay the same for every binding. That a parameter equals what is known before it is such a conjunct: it
    // gets that value, if it is one of its own, and no other. With one value at most for given binders before it, it makes
    // no difference to the order of instances how early among these it is bound.
    fn new(emitter: &Emitter<'a, '_>, rule: &'a Rule) -> Self {
        let mut conjuncts = Vec::new();
        split(&rule.guard, &mut conjuncts);
        let bound: BTreeSet<LocalId> = rule.binders.iter().filter_map(|binder| emitter.bound_to_type(binder)).collect();
        let safe = conjuncts.iter().take_while(|conjunct| emitter.cannot_fault(conjunct, &bound)).count();
        let mut hoisted = conjuncts[..safe].to_vec();
        hoisted.sort_by_key(|conjunct| facts::cost(conjunct));
        let behind_faults = rule.binders.iter().rposition(|binder| emitter.binder_may_fault(binder, &bound));
        let free = behind_faults.map_or(0, |at| at + 1);
        let mut solutions = vec![None; rule.binders.len()];
        for (at, given) in solutions.iter_mut().enumerate().skip(free) {
            let solution = hoisted.iter().position(|conjunct| solution(rule, at, conjunct).is_some());
            if let Some(number) = solution.filter(|_| emitter.bound_to_type(&rule.binders[at]).is_some()) {
                *given = self::solution(rule, at, hoisted.remove(number));
            }
        }
        // Numbers of instances are counted parameter by parameter.
        let is_movable = emitter.shared.binding != Binding::Numbered;
        let order = order(rule, free, |at| solutions[at].filter(|_| is_movable));
        let mut levels = vec![Vec::new(); rule.binders.len() + 1];
        for conjunct in hoisted {
            let behind_reads = last_read(rule, &order, conjunct);
            levels[behind_reads.map_or(0, |at| at + 1).max(free)].push(conjunct);
        }
        Self { order, solutions, levels, innermost: conjuncts[safe..].to_vec() }
    }
}

/// The place in an order of the last binder that an expression reads.
fn last_read(rule: &Rule, order: &[usize], expr: &Expr) -> Option<usize> {
    let reads = facts::locals_read(expr);
    order.iter().rposition(|&at| reads.contains(&rule.binders[at].local()))
}

/// What a binder's local must equal for a condition to hold, if that is known before it is bound.
fn solution<'a>(rule: &Rule, at: usize, condition: &'a Expr) -> Option<&'a Expr> {
    let ExprKind::Binary(BinaryOp::Eq, left, right) = &condition.kind else { return None };
    let is_it = |expr: &Expr| {
        matches!(&expr.kind, ExprKind::Read(place)
            if place.path.is_empty() && matches!(place.base, PlaceBase::Local(local) if local == rule.binders[at].local()))
    };
    let later: BTreeSet<LocalId> = rule.binders[at..].iter().map(Binder::local).collect();
    let is_known = |expr: &Expr| facts::locals_read(expr).is_disjoint(&later);
    [(left, right), (right, left)]
        .into_iter()
        .find(|(it, other)| is_it(it) && is_known(other))
        .map(|(_, other)| &**other)
}

/// The order in which binders are evaluated: those with one value as soon as that is known, behind the first `free`.
fn order<'a>(rule: &Rule, free: usize, solution: impl Fn(usize) -> Option<&'a Expr>) -> Vec<usize> {
    let mut order: Vec<usize> = Vec::new();
    for at in 0..rule.binders.len() {
        let place = solution(at).map(|value| last_read(rule, &order, value).map_or(0, |read| read + 1).max(free));
        order.insert(place.unwrap_or(order.len()), at);
    }
    order
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
    /// Runs `body` for each value of a parameter's domain, or for those in its window; if `only` is given, for no value but
    /// that.
    fn each_wanted(
        &mut self,
        domain: &'a Domain,
        (local, number): (LocalId, usize),
        only: Option<&'a Expr>,
        body: impl FnOnce(&mut Self, Block),
    ) {
        let Domain::Type(ty) = domain else { return self.each_value(domain, local, body) };
        let [from, to] = match self.shared.binding {
            Binding::Windowed => {
                let flags = MemFlagsData::trusted();
                let windows = self.b.ins().load(I64, flags, self.context, context::WINDOWS);
                [0, 8].map(|offset| self.b.ins().load(I64, flags, windows, number as i32 * 16 + offset))
            }
            Binding::Weighed | Binding::Numbered => {
                let shape = self.shared.model.types.shape(*ty);
                [shape.lo, shape.hi].map(|bound| self.int(bound))
            }
        };
        let range = self.ranges.of_domain(domain);
        let body = |emitter: &mut Self, value, next| {
            emitter.iterate(local, value, range);
            body(emitter, next);
        };
        match only {
            Some(only) => {
                let value = self.value(only);
                self.once(value, [from, to], body);
            }
            None => self.count_through(from, to, 1, body),
        }
        self.release(local);
    }

    /// Runs `body` with a value if it lies between two bounds.
    fn once(&mut self, value: Value, [from, to]: [Value; 2], body: impl FnOnce(&mut Self, Value, Block)) {
        let (above, inside, next) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        let is_above = self.b.ins().icmp(IntCC::SignedGreaterThanOrEqual, value, from);
        self.b.ins().brif(is_above, above, &[], next, &[]);
        self.b.switch_to_block(above);
        let is_below = self.b.ins().icmp(IntCC::SignedLessThanOrEqual, value, to);
        self.b.ins().brif(is_below, inside, &[], next, &[]);
        self.b.switch_to_block(inside);
        body(self, value, next);
        self.jump_and_continue(next);
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
