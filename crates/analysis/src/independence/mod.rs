//! Which rule instances can be put off: what they read and write, which of them accord, and what must come before one
//! that is not enabled.
//!
//! An *instance* is a rule with values of the parameters that go through types or constant ranges; what other parameters
//! go through depends on the state, and such instances stand together under one number. A guard is a conjunction; of a
//! conjunct that looks at one slot alone, the *table* of its values is known.
//!
//! SOUND: two instances *accord* if in every state where both are enabled neither disables the other and both orders lead
//! to the same state, or to a fault. They do if neither writes what the other reads or writes, but for these. A write
//! does not disturb a table that stays true. Two additions of the same sign commute: one may make the other fault, but
//! then it does in the other order, too. Two of opposite signs do if neither can leave the range where its guard is true.
//! Two that store the same constant commute. And where one table of each excludes the other, both are never enabled.
//! Faults, assertions and cover points depend on nothing but reads. `docs/internals/temporal.md` has the rest.

mod fold;
mod slots;
mod walk;

use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;

use burnside_interp::{Interpreter, Limits, Outcome};
use burnside_ir::visit::{Visitor, walk_stmt};
use burnside_ir::{
    BinaryOp, Binder, Domain, Expr, ExprKind, GlobalId, Layout, LocalId, Model, Part, PropertyId, PropertyKind,
    Quantifier, Rule, RuleId, Slot, Stmt, StmtKind, UNDEFINED,
};

use crate::numbers::{self, Digit};
use fold::Folded;
pub use slots::Slots;
use walk::{Access, Known, Walk, Write};

/// With more instances, relations between them take too much room.
const MOST_INSTANCES: usize = 1 << 12;
/// With more slots, so do sets of these.
const MOST_SLOTS: usize = 1 << 14;
/// Larger tables are not made.
const MOST_VALUES: u64 = 1 << 10;
/// Start states that are looked at to tell whether a slot is ever undefined.
const MOST_STARTS: usize = 1 << 10;

/// What is known of the rule instances of a model.
#[derive(Debug, Clone)]
pub struct Independence {
    layout: Vec<Slot>,
    rules: Vec<Instances>,
    guards: Vec<Guard>,
    conjuncts: Vec<Conjunct>,
    /// Who may change a slot, by slot.
    writers: Vec<Vec<(usize, Write)>>,
    /// By instance, those that do not accord with it.
    conflicts: Vec<Slots>,
}

/// The instances of a rule have consecutive numbers.
#[derive(Debug, Clone)]
struct Instances {
    first: usize,
    digits: Vec<Option<Digit>>,
}

/// When an instance is enabled.
#[derive(Debug, Clone)]
struct Guard {
    parts: Vec<PartOfGuard>,
    /// Those that change something the guard reads.
    writers: Slots,
}

/// A conjunct of a guard.
#[derive(Debug, Clone)]
struct PartOfGuard {
    conjunct: usize,
    /// Those that may make what stands before it fault.
    before: Option<Slots>,
}

/// A condition on one slot.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Conjunct {
    slot: u32,
    /// By packed value, whether it holds or faults.
    holds: Box<[bool]>,
}

/// Why nothing is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TooLarge {
    /// There are too many rule instances.
    Instances,
    /// There are too many variables.
    Slots,
}

/// What an instance does, while relations are made.
struct Effect {
    /// What is read other than by tables.
    reads: Slots,
    writes: BTreeMap<u32, Write>,
    /// By slot, where its tables are true.
    tables: BTreeMap<u32, Vec<bool>>,
    /// The same, of those that nothing in front can keep from deciding.
    certain: BTreeMap<u32, Vec<bool>>,
    /// Whether several instances stand together.
    is_group: bool,
    /// Whether it is never enabled.
    is_never: bool,
}

/// A leaf of a guard.
enum Leaf {
    /// With whether it faults while the slot is undefined.
    Table(Conjunct, bool),
    /// What it reads.
    Other(Slots),
    Never,
}

impl Independence {
    /// Looks at every instance of every rule. `is_symmetric` says whether states are asked about that may not be reachable
    /// themselves: images of reachable ones under automorphisms of the rules.
    pub fn new(model: &Model, layout: &Layout, is_symmetric: bool) -> Result<Self, TooLarge> {
        let n_slots = layout.slots().len();
        if n_slots > MOST_SLOTS {
            return Err(TooLarge::Slots);
        }
        let mut rules = Vec::new();
        let mut n = 0_usize;
        for rule in &model.rules {
            let digits = numbers::digits(model, &rule.binders);
            let n_own =
                numbers::count(&digits).filter(|&n_own| n_own <= MOST_INSTANCES as u64).ok_or(TooLarge::Instances)?;
            rules.push(Instances { first: n, digits });
            n += n_own as usize;
            if n > MOST_INSTANCES {
                return Err(TooLarge::Instances);
            }
        }
        Ok(Maker { model, layout, rules, n, is_symmetric }.make())
    }

    /// The number of instances.
    pub fn n_instances(&self) -> usize {
        self.guards.len()
    }

    /// The number of the instance of a rule that has a number among those of the rule.
    #[inline]
    pub fn instance(&self, rule: RuleId, number: u64) -> usize {
        self.rules[rule.index()].first + number as usize
    }

    /// The rule of an instance.
    pub fn rule(&self, instance: usize) -> RuleId {
        let after = self.rules.partition_point(|rule| rule.first <= instance);
        RuleId(after as u32 - 1)
    }

    /// The number of an instance, given its parameters.
    pub fn instance_of(&self, rule: RuleId, args: &[i64]) -> usize {
        let Instances { first, digits } = &self.rules[rule.index()];
        first + numbers::number(digits, args) as usize
    }

    /// Those that do not accord with an instance.
    pub fn conflicts(&self, instance: usize) -> &Slots {
        &self.conflicts[instance]
    }

    /// The conjuncts of an instance's guard that are false in a packed state: the number of each among the guard's, and
    /// the packed value that it looks at.
    pub fn false_parts<'a>(&'a self, instance: usize, state: &'a [u64]) -> impl Iterator<Item = (usize, u64)> + 'a {
        self.guards[instance].parts.iter().enumerate().filter_map(move |(at, part)| {
            let Conjunct { slot, holds } = &self.conjuncts[part.conjunct];
            let code = read(&self.layout[*slot as usize], state);
            (!holds[code as usize]).then_some((at, code))
        })
    }

    /// What conjuncts of guards have in common: two of the same key have the same [`enabling`](Self::enabling).
    pub fn key(&self, instance: usize, part: usize) -> Option<usize> {
        let PartOfGuard { conjunct, before } = &self.guards[instance].parts[part];
        before.is_none().then_some(*conjunct)
    }

    /// Instances of which one must fire before an instance is enabled, given one of its conjuncts that is false and the
    /// packed value that it looks at.
    ///
    /// SOUND: all others keep the slot within values for which the conjunct is false. Only a fault of what stands before
    /// it could come first, so whoever may bring one about is in, too.
    pub fn enabling(&self, instance: usize, part: usize, code: u64) -> Slots {
        let PartOfGuard { conjunct, before } = &self.guards[instance].parts[part];
        let Conjunct { slot, holds } = &self.conjuncts[*conjunct];
        let mut found = before.clone().unwrap_or_else(|| Slots::new(self.n_instances()));
        let stays = Confined::new(&self.layout[*slot as usize], holds, code);
        for (writer, write) in &self.writers[*slot as usize] {
            if !stays.after(write) {
                found.insert(*writer);
            }
        }
        found
    }

    /// The same where no conjunct is known to be false.
    pub fn guard_writers(&self, instance: usize) -> &Slots {
        &self.guards[instance].writers
    }

    /// The instances that may change what some properties look at.
    pub fn visible(&self, model: &Model, layout: &Layout, properties: &[PropertyId]) -> Slots {
        let mut visible = Slots::new(self.n_instances());
        for &property in properties {
            for slot in property_reads(model, layout, property).iter() {
                self.writers[slot].iter().for_each(|(writer, _)| visible.insert(*writer));
            }
        }
        visible
    }
}

/// The bits of a slot in a packed state.
#[inline]
fn read(slot: &Slot, state: &[u64]) -> u64 {
    let (word, shift) = (slot.bit as usize / 64, slot.bit % 64);
    let mut code = state[word] >> shift;
    if shift + slot.width_bits > 64 {
        code |= state[word + 1] << (64 - shift);
    }
    code & ((1 << slot.width_bits) - 1)
}

/// Values for which a conjunct is false, among them the one at hand.
struct Confined<'a> {
    slot: &'a Slot,
    holds: &'a [bool],
    values: Vec<bool>,
    /// Whether additions of a sign lead to others of them: positive ones, negative ones.
    rises: bool,
    falls: bool,
}

impl<'a> Confined<'a> {
    fn new(slot: &'a Slot, holds: &'a [bool], code: u64) -> Self {
        let code = code as usize;
        let is_false = |from: usize, to: usize| holds[from..to].iter().all(|holds| !holds);
        let rises = code > 0 && is_false(code, holds.len());
        let falls = code > 0 && !rises && is_false(1, code + 1);
        let within = |at: usize| match (rises, falls) {
            (true, _) => is_false(at.max(1), holds.len()),
            (_, true) => is_false(1, at + 1),
            _ => true,
        };
        let values = (0..holds.len()).map(|at| !holds[at] && (at == 0 || within(at))).collect();
        Self { slot, holds, values, rises, falls }
    }

    /// Whether a write keeps the slot among them.
    fn after(&self, write: &Write) -> bool {
        match write {
            Write::Constants(values) => values.iter().all(|&value| {
                // What the slot does not admit is a fault of the writer.
                code_of(self.slot, self.holds.len(), value).is_none_or(|code| self.values[code])
            }),
            Write::Add(amount) => (*amount >= 0 && self.rises) || (*amount <= 0 && self.falls) || *amount == 0,
            Write::Defined | Write::Anything => false,
        }
    }
}

/// How a value is stored, if the slot admits it.
fn code_of(slot: &Slot, n_codes: usize, value: i64) -> Option<usize> {
    let is_admitted = value == UNDEFINED || (value >= slot.lo && value.abs_diff(slot.lo) < n_codes as u64 - 1);
    is_admitted.then(|| slot.encode(value) as usize)
}

/// What the instances of a property look at.
fn property_reads(model: &Model, layout: &Layout, property: PropertyId) -> Slots {
    let property = model.property(property);
    let digits = numbers::digits(model, &property.binders);
    let known = numbers::count(&digits).filter(|&n| n <= MOST_INSTANCES as u64);
    let mut reads = Slots::new(layout.slots().len());
    for number in 0..known.unwrap_or(1) {
        let mut walk = Walk::new(model, layout, &property.locals);
        let args = numbers::args(&digits, number);
        bind(&mut walk, &property.binders, |at| known.and(digits[at]).map(|_| args[at]));
        walk.expr(&property.condition);
        let access = walk.take();
        if access.is_everything {
            return Slots::all(layout.slots().len());
        }
        reads.add(&access.reads);
    }
    reads
}

fn bind(walk: &mut Walk<'_>, binders: &[Binder], arg: impl Fn(usize) -> Option<i64>) {
    let mut param = 0;
    for binder in binders {
        let is_param = matches!(binder, Binder::Param { .. });
        walk.binder(binder, if is_param { arg(param) } else { None });
        param += usize::from(is_param);
    }
}

/// Makes relations.
struct Maker<'m> {
    model: &'m Model,
    layout: &'m Layout,
    rules: Vec<Instances>,
    n: usize,
    is_symmetric: bool,
}

impl<'m> Maker<'m> {
    fn make(self) -> Independence {
        let n_slots = self.layout.slots().len();
        let mut effects: Vec<Effect> = self.for_each_instance(|rule, walk, is_group| effect(rule, walk, is_group));
        let mut writers: Vec<Vec<(usize, Write)>> = vec![Vec::new(); n_slots];
        for (at, effect) in effects.iter().enumerate() {
            effect.writes.iter().for_each(|(&slot, write)| writers[slot as usize].push((at, write.clone())));
        }
        let defined = self.always_defined(&writers);
        let leaves = self.for_each_instance(|rule, walk, _| {
            let front = walk.take();
            let mut leaves = Vec::new();
            if front.is_everything {
                leaves.push(Leaf::Other(Slots::all(n_slots)));
            } else if !front.reads.is_empty() {
                leaves.push(Leaf::Other(front.reads));
            }
            self.leaves(&rule.guard, walk, &defined, &mut leaves);
            leaves
        });
        let mut made = Independence {
            layout: self.layout.slots().to_vec(),
            guards: Vec::new(),
            conjuncts: Vec::new(),
            conflicts: Vec::new(),
            rules: self.rules,
            writers,
        };
        let mut numbers = HashMap::new();
        for (effect, leaves) in effects.iter_mut().zip(leaves) {
            let guard = made.guard(effect, leaves, (self.n, &mut numbers));
            made.guards.push(guard);
        }
        let mut conjuncts: Vec<(Conjunct, usize)> = numbers.into_iter().collect();
        conjuncts.sort_unstable_by_key(|(_, number)| *number);
        made.conjuncts = conjuncts.into_iter().map(|(conjunct, _)| conjunct).collect();
        made.conflicts = made.all_conflicts(&effects);
        made
    }

    /// Visits all instances in order, parameters bound.
    fn for_each_instance<T>(&self, mut visit: impl FnMut(&'m Rule, &mut Walk<'m>, bool) -> T) -> Vec<T> {
        let mut all = Vec::with_capacity(self.n);
        for (at, (rule, Instances { first, digits })) in self.model.rules.iter().zip(&self.rules).enumerate() {
            let end = self.rules.get(at + 1).map_or(self.n, |next| next.first);
            for number in 0..(end - first) as u64 {
                let mut walk = Walk::new(self.model, self.layout, &rule.locals);
                let args = numbers::args(digits, number);
                bind(&mut walk, &rule.binders, |at| digits[at].map(|_| args[at]));
                all.push(visit(rule, &mut walk, digits.contains(&None)));
            }
        }
        all
    }

    /// By slot, whether it holds a value in every state.
    ///
    /// SOUND: a permutation moves slots within their variable, and start states need not be closed under permutations; so
    /// under symmetry one slot that may be undefined is enough for all of its variable.
    fn always_defined(&self, writers: &[Vec<(usize, Write)>]) -> Vec<bool> {
        let is_kept = |writers: &Vec<(usize, Write)>| !writers.iter().any(|(_, write)| write.may_undefine());
        let mut defined: Vec<bool> = writers.iter().map(is_kept).collect();
        let mut n_starts = 0;
        // A start state that calls deeper counts as one that faults: there need not be room on the stack.
        let limits = Limits { call_depth: 100, ..Limits::default() };
        let mut interpreter = Interpreter::new(self.model, self.layout, limits);
        interpreter.starts(|_, _, outcome| {
            n_starts += 1;
            match outcome {
                Outcome::Next(state) => {
                    defined.iter_mut().zip(state).for_each(|(defined, &value)| *defined &= value != UNDEFINED);
                }
                Outcome::Pruned => {}
                Outcome::Fault(..) => n_starts = MOST_STARTS,
            }
            if n_starts < MOST_STARTS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        if n_starts >= MOST_STARTS {
            return vec![false; writers.len()];
        }
        for (number, global) in self.model.globals.iter().enumerate().filter(|_| self.is_symmetric) {
            let first = self.layout.global(GlobalId(number as u32)) as usize;
            let own = first..first + self.model.types.shape(global.ty).n_slots as usize;
            let all = defined[own.clone()].iter().all(|&defined| defined);
            defined[own].fill(all);
        }
        defined
    }

    /// The conjuncts of a guard, from left to right.
    fn leaves(&self, guard: &Expr, walk: &mut Walk<'m>, defined: &[bool], leaves: &mut Vec<Leaf>) {
        match &guard.kind {
            ExprKind::Binary(BinaryOp::And, left, right) => {
                self.leaves(left, walk, defined, leaves);
                self.leaves(right, walk, defined, leaves);
            }
            ExprKind::Quantified(Quantifier::Forall, local, domain, body) => {
                match self.instances_of(*local, domain, body, (walk, defined)) {
                    Some(parts) => leaves.extend(parts),
                    None => self.leaf(guard, walk, defined, leaves),
                }
            }
            _ => self.leaf(guard, walk, defined, leaves),
        }
    }

    /// The conjuncts that a quantifier over a small type is short for, if all are tables that cannot fault.
    ///
    /// SOUND: where one value is looked at after another was false, a fault would be seen that `and` does not see.
    fn instances_of(
        &self,
        local: LocalId,
        domain: &Domain,
        body: &Expr,
        (walk, defined): (&mut Walk<'m>, &[bool]),
    ) -> Option<Vec<Leaf>> {
        let Domain::Type(ty) = domain else { return None };
        let shape = self.model.types.shape(*ty);
        let mut parts = Vec::new();
        for value in (shape.lo..=shape.hi).take_while(|_| shape.cardinality() <= 64) {
            walk.set(local, Known::Value(value));
            self.leaves(body, walk, defined, &mut parts);
        }
        walk.set(local, Known::Nothing);
        let is_plain = |leaf: &Leaf| match *leaf {
            Leaf::Table(_, may_fault) => !may_fault,
            Leaf::Other(_) | Leaf::Never => false,
        };
        (shape.cardinality() <= 64 && parts.iter().all(is_plain)).then_some(parts)
    }

    fn leaf(&self, expr: &Expr, walk: &mut Walk<'m>, defined: &[bool], leaves: &mut Vec<Leaf>) {
        walk.expr(expr);
        let Access { reads, is_everything, .. } = walk.take();
        let mut slots = reads.iter();
        match (slots.next(), slots.next()) {
            _ if is_everything => leaves.push(Leaf::Other(Slots::all(defined.len()))),
            (None, _) => match walk.fold(expr, None) {
                Folded::Value(1) => {}
                Folded::Value(_) => leaves.push(Leaf::Never),
                Folded::Fault | Folded::Unknown => leaves.push(Leaf::Other(reads.clone())),
            },
            (Some(slot), None) => leaves.push(match self.table(expr, walk, (slot, defined[slot])) {
                Some((table, may_fault)) => Leaf::Table(table, may_fault),
                None => Leaf::Other(reads.clone()),
            }),
            (Some(_), Some(_)) => leaves.push(Leaf::Other(reads.clone())),
        }
    }

    /// The table of a condition on one slot. A fault at a value other than undefined makes it none.
    fn table(&self, expr: &Expr, walk: &Walk<'m>, (at, is_defined): (usize, bool)) -> Option<(Conjunct, bool)> {
        let slot = &self.layout.slots()[at];
        let shape = self.model.types.shape(slot.ty);
        if !shape.scalar || shape.cardinality() > MOST_VALUES {
            return None;
        }
        let row = |code: u64| match walk.fold(expr, Some((at as u32, slot.decode(code)))) {
            Folded::Value(value) => Some(value == 1 && (code > 0 || !is_defined)),
            Folded::Fault => (code == 0).then_some(!is_defined),
            Folded::Unknown => None,
        };
        let holds: Option<Box<[bool]>> = (0..=shape.cardinality()).map(row).collect();
        let at_undefined = walk.fold(expr, Some((at as u32, UNDEFINED)));
        Some((Conjunct { slot: at as u32, holds: holds? }, !is_defined && at_undefined == Folded::Fault))
    }
}

/// What an instance does when it fires.
fn effect(rule: &Rule, walk: &mut Walk<'_>, is_group: bool) -> Effect {
    walk.block(&rule.action);
    let Access { mut reads, mut writes, is_everything } = walk.take();
    if is_everything {
        let n_slots = walk.n_slots();
        reads = Slots::all(n_slots);
        writes = (0..n_slots as u32).map(|slot| (slot, Write::Anything)).collect();
    }
    let (tables, certain) = (BTreeMap::new(), BTreeMap::new());
    Effect { reads, writes, tables, certain, is_group, is_never: false }
}

impl Independence {
    /// The guard of an instance, and what its effect has of it.
    fn guard(
        &self,
        effect: &mut Effect,
        leaves: Vec<Leaf>,
        (n, numbers): (usize, &mut HashMap<Conjunct, usize>),
    ) -> Guard {
        let mut guard = Guard { parts: Vec::new(), writers: Slots::new(n) };
        // Those that may make what stands before a conjunct fault, and whether it may fault at all.
        let (mut before, mut may_fault) = (Slots::new(n), false);
        let all_parts = &mut guard.parts;
        for leaf in leaves {
            match leaf {
                Leaf::Never => effect.is_never |= !may_fault,
                Leaf::Other(reads) => {
                    for slot in reads.iter() {
                        self.writers[slot].iter().for_each(|(writer, _)| before.insert(*writer));
                    }
                    guard.writers.add(&before);
                    may_fault = true;
                    effect.reads.add(&reads);
                }
                Leaf::Table(conjunct, faults) => {
                    let slot = conjunct.slot as usize;
                    narrow(&mut effect.tables, &conjunct);
                    if !may_fault {
                        narrow(&mut effect.certain, &conjunct);
                    }
                    if effect.is_group {
                        effect.reads.insert(slot);
                    }
                    self.writers[slot].iter().for_each(|(writer, _)| guard.writers.insert(*writer));
                    let n_known = numbers.len();
                    let number = *numbers.entry(conjunct).or_insert(n_known);
                    let before_it = (!before.is_empty()).then(|| before.clone());
                    all_parts.push(PartOfGuard { conjunct: number, before: before_it });
                    if faults {
                        may_fault = true;
                        let undefine = self.writers[slot].iter().filter(|(_, write)| write.may_undefine());
                        undefine.for_each(|(writer, _)| before.insert(*writer));
                    }
                }
            }
        }
        guard
    }

    fn all_conflicts(&self, effects: &[Effect]) -> Vec<Slots> {
        let n = effects.len();
        let mut readers: Vec<Vec<usize>> = vec![Vec::new(); self.layout.len()];
        let mut lookers: Vec<Vec<usize>> = vec![Vec::new(); self.layout.len()];
        for (at, effect) in effects.iter().enumerate() {
            effect.reads.iter().for_each(|slot| readers[slot].push(at));
            effect.tables.keys().for_each(|&slot| lookers[slot as usize].push(at));
        }
        let mut conflicts = vec![Slots::new(n); n];
        let mut meet = |one: usize, other: usize| {
            let is_certain = one == other || effects[one].is_never || effects[other].is_never;
            if !is_certain && !conflicts[one].contains(other) && !exclude(&effects[one], &effects[other]) {
                conflicts[one].insert(other);
                conflicts[other].insert(one);
            }
        };
        for (slot, writers) in self.writers.iter().enumerate() {
            let on_slot = OnSlot { slot: &self.layout[slot], at: slot as u32, effects };
            for (number, (writer, write)) in writers.iter().enumerate() {
                readers[slot].iter().for_each(|&reader| meet(*writer, reader));
                for &looker in &lookers[slot] {
                    if looker != *writer && !on_slot.keeps((*writer, write), looker) {
                        meet(*writer, looker);
                    }
                }
                for other in &writers[number + 1..] {
                    if !on_slot.commute((*writer, write), (other.0, &other.1)) {
                        meet(*writer, other.0);
                    }
                }
            }
        }
        conflicts
    }
}

fn narrow(tables: &mut BTreeMap<u32, Vec<bool>>, conjunct: &Conjunct) {
    let table = tables.entry(conjunct.slot).or_insert_with(|| vec![true; conjunct.holds.len()]);
    table.iter_mut().zip(&conjunct.holds).for_each(|(all, holds)| *all &= holds);
}

/// Whether two instances are never enabled in the same state.
fn exclude(one: &Effect, other: &Effect) -> bool {
    one.certain.iter().any(|(slot, table)| {
        other.certain.get(slot).is_some_and(|other| !table.iter().zip(other).any(|(one, other)| *one && *other))
    })
}

/// What instances do to one slot.
struct OnSlot<'a> {
    slot: &'a Slot,
    at: u32,
    effects: &'a [Effect],
}

impl OnSlot<'_> {
    /// The values for which the tables of an instance are true, as far as it has some.
    fn values(&self, instance: usize) -> Option<&Vec<bool>> {
        self.effects[instance].tables.get(&self.at)
    }

    /// Whether what one instance writes leaves the tables of another true where both are enabled.
    fn keeps(&self, (writer, write): (usize, &Write), looker: usize) -> bool {
        let Some(holds) = self.values(looker) else { return true };
        let is_kept = |value: i64| code_of(self.slot, holds.len(), value).is_none_or(|code| holds[code]);
        match write {
            Write::Constants(values) => values.iter().all(|&value| is_kept(value)),
            Write::Add(amount) => (1..holds.len()).all(|code| {
                let is_possible = holds[code] && self.values(writer).is_none_or(|values| values[code]);
                !is_possible || is_kept(self.slot.decode(code as u64) + amount)
            }),
            Write::Defined => holds[1..].iter().all(|&holds| holds),
            Write::Anything => holds.iter().all(|&holds| holds),
        }
    }

    /// Whether two instances may write in either order.
    fn commute(&self, (one, write): (usize, &Write), (other, second): (usize, &Write)) -> bool {
        match (write, second) {
            (Write::Add(a), Write::Add(b)) => {
                (*a >= 0) == (*b >= 0) || (self.stays_in_range(one, *a) && self.stays_in_range(other, *b))
            }
            (Write::Constants(a), Write::Constants(b)) => a.iter().chain(b).all(|value| *value == a[0]),
            _ => false,
        }
    }

    /// Whether an addition never faults where the instance is enabled.
    fn stays_in_range(&self, instance: usize, amount: i64) -> bool {
        let Some(values) = self.values(instance) else { return false };
        let is_admitted = |value: i64| code_of(self.slot, values.len(), value).is_some();
        !values[0] && (1..values.len()).all(|code| !values[code] || is_admitted(self.slot.decode(code as u64) + amount))
    }
}

/// Whether assumptions leave out states or steps.
pub fn leaves_steps_out(model: &Model) -> bool {
    struct Assumptions(bool);
    impl Visitor for Assumptions {
        fn stmt(&mut self, stmt: &Stmt) {
            self.0 |= matches!(stmt.kind, StmtKind::Assume(_));
            walk_stmt(self, stmt);
        }
    }
    let mut found = Assumptions(false);
    model.rules.iter().for_each(|rule| Part::rule(rule).walk(&mut found));
    model.functions.iter().for_each(|function| found.block(&function.body));
    let assumptions = model.properties_of(PropertyKind::Assumption).next();
    found.0 || assumptions.is_some()
}
