//! Partial-order reduction: in a state only the instances of a stubborn set are fired.
//!
//! [`PartialOrder`] says whether a question allows it and has the relations between rule instances; a [`Chooser`] picks
//! the set of a state, a [`Reducer`] fires it. That nothing is put off for ever is made true after the search, by
//! `search`: some states are taken up again with all that was left out. A set is a function of the state alone, so every
//! number of threads, and the second look of `claims`, fires the same.
//!
//! SOUND: `analysis::independence` for what accords and enables, `temporal::reduction` for the conditions, Theorem 3 in
//! `docs/internals/temporal.md` for why they are enough, with symmetry or without.

use std::ops::ControlFlow;
use std::sync::Arc;

use burnside_analysis::{Independence, Slots, TooLarge, leaves_steps_out};
use burnside_engine::{DeadlockMode, StoreMode, Task};
use burnside_interp::{Interpreter, StepBuffer, StepEnd};
use burnside_ir::{Layout, PropertyId, PropertyKind, RuleId, TypeId};
use burnside_step::{Code, Interpreted, Native, Stepper as _};
use burnside_store::StateId;
use burnside_temporal::reduction::{Condition, Dependencies, Reduced, stubborn_set};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::claims::propositions;

/// What is known of a model's rule instances, for a question that allows some to be put off.
#[derive(Debug, Clone)]
pub struct PartialOrder {
    independence: Arc<Independence>,
    /// The instances that may change what the question is about.
    visible: Slots,
    /// By instance, whether others keep it from firing whenever they are enabled.
    waits: Slots,
    condition: Condition,
}

impl PartialOrder {
    /// The relations, or why they would be of no use; `is_symmetric` says whether symmetry is to be used, too.
    pub fn new(task: &Task<'_>, is_symmetric: bool) -> Result<Self, String> {
        if let Some(why) = unsound(task) {
            return Err(why.to_owned());
        }
        let independence = Independence::new(task.model, task.layout, is_symmetric).map_err(|why| match why {
            TooLarge::Instances => "there are too many rule instances to compare each with each".to_owned(),
            TooLarge::Slots => "there are too many variables to tell what each rule instance touches".to_owned(),
        })?;
        let temporal = task.temporal_properties();
        let kinds = [PropertyKind::Invariant, PropertyKind::Cover, PropertyKind::Passing].into_iter();
        let mut seen: Vec<_> = kinds.flat_map(|kind| task.properties(kind)).collect();
        seen.extend(propositions(task.model, &temporal));
        let visible = independence.visible(task.model, task.layout, &seen);
        let condition = if temporal.is_empty() { Condition::BottomComponents } else { Condition::Cycles };
        let mut waits = Slots::new(independence.n_instances());
        let first = task.model.rules.iter().map(|rule| rule.priority).min();
        for instance in 0..independence.n_instances() {
            if Some(task.model.rule(independence.rule(instance)).priority) != first {
                waits.insert(instance);
            }
        }
        Ok(Self { independence: Arc::new(independence), visible, waits, condition })
    }

    /// What was found out, in words.
    pub fn describe(&self) -> String {
        let (n, visible) = (self.independence.n_instances(), self.visible.iter().count());
        format!("of {n} rule instances, {visible} may change what a property looks at; others may be put off")
    }

    /// What must be true of the graph of steps.
    pub(crate) fn condition(&self) -> Condition {
        self.condition
    }
}

/// Why a question must see every step, if it must.
fn unsound(task: &Task<'_>) -> Option<&'static str> {
    let model = task.model;
    let has = |kind: PropertyKind| !task.properties(kind).is_empty();
    let temporal = task.temporal_properties();
    if leaves_steps_out(model) {
        Some("assumptions leave out steps or states")
    } else if has(PropertyKind::Passing) && !temporal.is_empty() {
        Some("steps go through states that are not stored, and executions are asked about")
    } else if has(PropertyKind::Passing) && task.deadlocks() == DeadlockMode::Stuttering {
        Some("steps go through states that are not stored, and may lead back to where they began")
    } else if has(PropertyKind::Liveness) {
        Some("a liveness property asks what can be reached from every state")
    } else if has(PropertyKind::Branching) {
        Some("a formula of branching time tells apart when choices are made")
    } else if has(PropertyKind::Never) || has(PropertyKind::Acceptance) || has(PropertyKind::NonProgress) {
        Some("an automaton may tell how many steps pass without a change")
    } else if temporal.iter().filter_map(|&property| model.claim(property)).any(|claim| claim.formula.has_next()) {
        Some("`nexttime` tells how many steps pass without a change")
    } else if !temporal.is_empty() && task.fairness.strength.is_some() {
        Some("under fairness, the order of steps that accord may make a difference")
    } else if task.keeps_states {
        Some("a certificate must have every state")
    } else if task.counts_orbits {
        Some("orbits are counted of every state")
    } else if task.pauses {
        Some("the search is to be written down")
    } else if task.store == StoreMode::Fingerprint {
        Some("states that are to be taken up again cannot be had from fingerprints")
    } else {
        None
    }
}

/// The reduction of one search.
#[derive(Clone, Copy)]
pub(crate) struct Partial<'m> {
    pub(crate) order: &'m PartialOrder,
    /// Native code whose steps bear the numbers of their instances, where there is some.
    pub(crate) numbered: Option<&'m Code>,
}

/// States in which everything is fired, though there is a smaller stubborn set.
pub(crate) type Forced = FxHashSet<StateId>;

/// Picks the stubborn sets of states. One per thread.
pub(crate) struct Chooser<'m> {
    order: &'m PartialOrder,
    /// What enables guards, by a part they have in common and the value that it looks at.
    known: FxHashMap<(usize, u64), Slots>,
    enabled: Slots,
}

impl<'m> Chooser<'m> {
    pub(crate) fn new(order: &'m PartialOrder) -> Self {
        let enabled = Slots::new(order.independence.n_instances());
        Self { order, known: FxHashMap::default(), enabled }
    }

    /// By number among some steps from a state, whether its instance is to be fired; `None` if all are. `instances` are
    /// those of the steps.
    ///
    /// SOUND: if nothing in the set leads on, nothing is gained by it, and whether the state is a deadlock depends on all.
    pub(crate) fn choose(
        &mut self,
        state: &[u64],
        instances: &[usize],
        leads_on: impl Fn(usize) -> bool,
    ) -> Option<Vec<bool>> {
        self.enabled.clear();
        instances.iter().for_each(|&instance| self.enabled.insert(instance));
        let enabled: Vec<usize> = self.enabled.iter().collect();
        // SOUND: where rules wait until no others are enabled, and do fire, a step may enable one that keeps them from it.
        if enabled.len() <= 1 || self.order.waits.meets(&self.enabled) {
            return None;
        }
        let fired = stubborn_set(&mut At { chooser: self, state }, &enabled);
        if fired.len() == enabled.len() {
            return None;
        }
        let is_fired: Vec<bool> = instances.iter().map(|instance| fired.binary_search(instance).is_ok()).collect();
        let is_of_use = (0..instances.len()).any(|at| is_fired[at] && leads_on(at));
        is_of_use.then_some(is_fired)
    }

    /// The number of an instance.
    pub(crate) fn instance(&self, rule: RuleId, number: u64) -> usize {
        self.order.independence.instance(rule, number)
    }

    /// The number of the instance with some parameters.
    pub(crate) fn instance_of(&self, rule: RuleId, args: &[i64]) -> usize {
        self.order.independence.instance_of(rule, args)
    }
}

/// One state.
struct At<'a, 'm> {
    chooser: &'a mut Chooser<'m>,
    state: &'a [u64],
}

impl Dependencies for At<'_, '_> {
    fn n_instances(&self) -> usize {
        self.chooser.order.independence.n_instances()
    }

    fn is_enabled(&self, instance: usize) -> bool {
        self.chooser.enabled.contains(instance)
    }

    fn add_conflicting(&mut self, instance: usize, set: &mut [u64]) {
        add(set, self.chooser.order.independence.conflicts(instance));
    }

    /// Of the conjuncts that are false, the one that brings in the fewest.
    ///
    /// SOUND: an instance that waits for others cannot fire before a member has: outside of the set nothing disables the
    /// enabled members, and while they are enabled it waits.
    fn add_enabling(&mut self, instance: usize, set: &mut [u64]) {
        if self.chooser.order.waits.contains(instance) {
            return;
        }
        let Chooser { order, known, .. } = &mut *self.chooser;
        let independence = &*order.independence;
        let mut best: Option<(u32, Slots)> = None;
        for (part, code) in independence.false_parts(instance, self.state) {
            let enabling = match independence.key(instance, part) {
                Some(key) => known.entry((key, code)).or_insert_with(|| independence.enabling(instance, part, code)),
                None => &mut independence.enabling(instance, part, code),
            };
            let n_more = enabling.words().iter().zip(&*set).map(|(own, set)| (own & !set).count_ones()).sum();
            if best.as_ref().is_none_or(|(least, _)| n_more < *least) {
                best = Some((n_more, enabling.clone()));
            }
            if n_more == 0 {
                break;
            }
        }
        match best {
            Some((_, enabling)) => add(set, &enabling),
            None => add(set, independence.guard_writers(instance)),
        }
    }

    fn is_visible(&self, instance: usize) -> bool {
        self.chooser.order.visible.contains(instance)
    }
}

fn add(set: &mut [u64], more: &Slots) {
    set.iter_mut().zip(more.words()).for_each(|(set, more)| *set |= more);
}

/// Fires stubborn sets. One per thread.
pub(crate) struct Reducer<'m> {
    chooser: Chooser<'m>,
    layout: &'m Layout,
    native: Option<Native<'m>>,
    interpreter: Interpreter<'m>,
    values: Vec<i64>,
    steps: StepBuffer,
    instances: Vec<usize>,
}

impl<'m> Reducer<'m> {
    pub(crate) fn new(task: &Task<'m>, partial: Partial<'m>, strict: &[TypeId]) -> Self {
        let native = |code: &'m Code| Native::new(code, Interpreted::new(task).strict(strict));
        Self {
            chooser: Chooser::new(partial.order),
            layout: task.layout,
            native: partial.numbered.map(native),
            interpreter: Interpreter::new(task.model, task.layout, task.step_limits).strict(strict),
            values: vec![0; task.layout.slots().len()],
            steps: StepBuffer::new(task.layout.n_words()),
            instances: Vec::new(),
        }
    }

    /// Appends the steps of the state's stubborn set, or, if they were fired before, all others. Whether these are all
    /// that there are.
    pub(crate) fn expand(&mut self, state: &[u64], others: bool, steps: &mut StepBuffer) -> bool {
        self.fire_all(state);
        let Self { chooser, steps: all, instances, .. } = self;
        let n = all.len();
        // A fault ends the search.
        let has_fault = n > 0 && all.get(n - 1).end == StepEnd::Fault;
        let leads_on = |at: usize| !all.get(at).stays_in(state);
        let stubborn = if has_fault { None } else { chooser.choose(state, instances, leads_on) };
        for at in 0..n {
            if stubborn.as_ref().is_none_or(|fired| fired[at] != others) {
                let step = all.get(at);
                steps.push(step.rule, step.end, 1, step.state);
            }
        }
        others || stubborn.is_none()
    }

    /// Those of some cover points that steps met.
    pub(crate) fn met(&mut self, points: &[PropertyId]) -> Vec<PropertyId> {
        match &mut self.native {
            Some(native) => native.met(points),
            None => self.interpreter.take_covered(),
        }
    }

    /// Fires everything, with the number of its instance for each step.
    fn fire_all(&mut self, state: &[u64]) {
        let Self { chooser, layout, native, interpreter, values, steps, instances } = self;
        steps.clear();
        instances.clear();
        match native {
            Some(native) => {
                native.fire_all(state, &[], steps);
                let numbers = (0..steps.len()).map(|at| steps.get(at));
                instances.extend(numbers.map(|step| chooser.instance(step.rule, step.weight)));
            }
            None => {
                layout.unpack(state, values);
                interpreter.successors(values, |rule, args, outcome| {
                    let recorded = steps.record(layout, rule, 1, &outcome);
                    if recorded == ControlFlow::Continue(()) {
                        instances.push(chooser.instance_of(rule, args));
                    }
                    recorded
                });
            }
        }
    }
}

/// The steps that were fired, and which states still have some that were not.
#[derive(Debug, Default)]
pub(crate) struct FiredSteps {
    graph: Reduced,
    /// By node, in the order in which they were found: the state and its depth.
    states: Vec<(StateId, u32)>,
    /// By state, its node.
    nodes: Vec<u32>,
    /// The steps of the state at hand.
    targets: Vec<u32>,
}

impl FiredSteps {
    /// Takes note of a step of the state at hand.
    pub(crate) fn reach(&mut self, state: StateId, is_new: bool, depth: u32) {
        if is_new {
            if self.nodes.len() <= state.index() {
                self.nodes.resize(state.index() + 1, u32::MAX);
            }
            self.nodes[state.index()] = self.states.len() as u32;
            self.states.push((state, depth));
        }
        self.targets.push(self.nodes[state.index()]);
    }

    /// That was all for the state at hand.
    pub(crate) fn leave(&mut self, state: StateId, is_full: bool) {
        let targets = std::mem::take(&mut self.targets);
        self.graph.store(self.nodes[state.index()], targets, is_full);
    }

    /// The states to be taken up again, with their depths, so that nothing is put off for ever.
    pub(crate) fn to_be_completed(&self, condition: Condition) -> Vec<(StateId, u32)> {
        let nodes = self.graph.nodes_to_expand(condition);
        nodes.into_iter().map(|node| self.states[node as usize]).collect()
    }

    /// Whether nothing was left out in a state.
    pub(crate) fn is_full(&self, state: StateId) -> bool {
        self.nodes.get(state.index()).is_some_and(|&node| self.graph.is_full(node))
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.graph.bytes() + (self.states.capacity() * size_of::<(StateId, u32)>() + self.nodes.capacity() * 4) as u64
    }
}

#[cfg(test)]
mod tests;
