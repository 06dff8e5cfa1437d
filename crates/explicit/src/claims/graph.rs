//! The states of a search as a graph with renamings.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use burnside_engine::UnitKey;
use burnside_group::Permutation;
use burnside_ir::{PropertyId, RuleId, StartId, TypeId};
use burnside_symmetry::Tracker;
use burnside_temporal::{Point, Quotient, RenamingId, Start, State, Step, Unit};

use super::points::Points;

/// The label of the step that repeats a state in which nothing is enabled.
pub(crate) const ENDED: u32 = u32::MAX;

/// The number of the condition that nothing is enabled; no truth table has it.
pub(crate) const HAS_ENDED: u32 = u32::MAX;

/// The number of the renaming that changes nothing.
pub(crate) const UNCHANGED: RenamingId = 0;

/// The target of a step to a state that is not there because the search was cut short before it.
pub(crate) const OUTSIDE: State = State::MAX;

/// A step from a representative: twelve bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Edge {
    /// A stored state, or [`OUTSIDE`]: then it only tells that the step is possible.
    pub(crate) target: State,
    pub(crate) renaming: RenamingId,
    /// The number of the rule instance, or [`ENDED`].
    pub(crate) instance: u32,
}

/// What is fired in a step, in the names of a representative.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Instance {
    /// The rule that leads to the stored state.
    pub(crate) rule: RuleId,
    /// The unit that can take the step by itself.
    pub(crate) mover: Option<Unit>,
    /// The units that take part in it.
    pub(crate) taken: Vec<Unit>,
}

/// Where an execution begins.
#[derive(Debug, Clone)]
pub(crate) struct Origin {
    pub(crate) start: StartId,
    pub(crate) args: Vec<i64>,
    pub(crate) state: Box<[u64]>,
}

/// Where a condition holds.
#[derive(Debug)]
pub(crate) struct TruthTable {
    pub(crate) property: PropertyId,
    /// For each parameter, by point, how far its value is among the instances.
    pub(crate) places: Vec<Vec<u32>>,
    /// How many instances it has.
    pub(crate) n_instances: usize,
    /// By state, then by instance.
    pub(crate) bits: Vec<u64>,
}

impl TruthTable {
    /// The place of an instance, given its parameters.
    pub(crate) fn place(&self, arguments: impl Iterator<Item = Point>) -> usize {
        self.places.iter().zip(arguments).map(|(places, point)| places[point as usize] as usize).sum()
    }

    pub(crate) fn is_true(&self, at: usize) -> bool {
        self.bits[at / 64] >> (at % 64) & 1 == 1
    }

    /// Whether it holds nowhere.
    pub(crate) fn is_never_true(&self) -> bool {
        self.bits.iter().all(|&word| word == 0)
    }
}

/// What brings packed states to names and back.
pub(crate) trait States {
    /// The representative with a number.
    fn read(&self, state: State, to: &mut [u64]);
}

/// The states that a search has stored, each with all its steps.
pub(crate) struct StateGraph<'a> {
    pub(crate) points: Points,
    pub(crate) n_words: usize,
    pub(crate) n_states: usize,
    pub(crate) states: &'a dyn States,
    pub(crate) tracker: Option<RefCell<Tracker<'a>>>,
    /// Whether nodes of a product are brought together that symmetries of their state take to one another.
    pub(crate) merges: Cell<bool>,
    pub(crate) starts: Vec<Start>,
    pub(crate) origins: Vec<Origin>,
    /// Where the steps of each state begin; one more entry than states.
    pub(crate) first_edge: Vec<u64>,
    pub(crate) edges: Vec<Edge>,
    pub(crate) renamings: Vec<Permutation>,
    pub(crate) instances: Vec<Instance>,
    pub(crate) units: Vec<UnitKey>,
    pub(crate) unit_numbers: HashMap<UnitKey, Unit>,
    /// The types of the values of instance units, by rule.
    pub(crate) unit_types: Vec<Vec<TypeId>>,
    pub(crate) truth: Vec<TruthTable>,
    /// Whether assumptions cut steps off.
    pub(crate) is_cut: bool,
}

impl StateGraph<'_> {
    pub(crate) fn steps(&self, state: State) -> &[Edge] {
        let range = self.first_edge[state as usize] as usize..self.first_edge[state as usize + 1] as usize;
        &self.edges[range]
    }

    /// The concrete state that a representative is in a frame.
    pub(crate) fn concrete(&self, state: State, frame: &Permutation) -> Box<[u64]> {
        let mut words = vec![0; self.n_words];
        self.states.read(state, &mut words);
        if let Some(tracker) = &self.tracker
            && !frame.is_identity()
        {
            let mut renamed = Vec::new();
            tracker.borrow_mut().rename(&self.points.images(frame), &words, &mut renamed);
            words = renamed;
        }
        words.into()
    }
}

impl Quotient for StateGraph<'_> {
    fn degree(&self) -> usize {
        self.points.degree()
    }

    fn starts(&self) -> Vec<Start> {
        self.starts.clone()
    }

    fn for_each_step(&self, state: State, mut visit: impl FnMut(Step<'_>)) {
        for edge in self.steps(state).iter().filter(|edge| edge.target != OUTSIDE) {
            let instance = self.instances.get(edge.instance as usize);
            visit(Step {
                target: edge.target,
                renaming: edge.renaming,
                rule: instance.map(|instance| instance.rule.0),
                actors: &[],
                taken: instance.map_or(&[], |instance| &instance.taken[..]),
                label: edge.instance,
            });
        }
    }

    fn renaming(&self, id: RenamingId) -> Permutation {
        self.renamings[id as usize].clone()
    }

    fn holds(&self, state: State, proposition: u32, arguments: &[Point]) -> bool {
        if proposition == HAS_ENDED {
            return self.steps(state).first().is_some_and(|edge| edge.instance == ENDED);
        }
        let table = &self.truth[proposition as usize];
        let place = table.place(arguments.iter().copied());
        table.is_true(state as usize * table.n_instances + place)
    }

    fn n_units(&self) -> usize {
        self.units.len()
    }

    fn unit_image(&self, unit: Unit, by: &Permutation) -> Unit {
        // PERF: without reduction, and along many steps with it, nothing is renamed.
        if by.is_identity() {
            return unit;
        }
        let image = match &self.units[unit as usize] {
            UnitKey::Process(ty, value) => UnitKey::Process(*ty, self.points.image(*ty, *value, by)),
            UnitKey::Owner(global, Some((ty, value))) => {
                UnitKey::Owner(*global, Some((*ty, self.points.image(*ty, *value, by))))
            }
            UnitKey::Owner(_, None) | UnitKey::Rule(_) => return unit,
            UnitKey::Instance(rule, args) => {
                let types = &self.unit_types[rule.index()];
                let args = args.iter().zip(types).map(|(&value, &ty)| self.points.image(ty, value, by)).collect();
                UnitKey::Instance(*rule, args)
            }
        };
        self.unit_numbers[&image]
    }

    fn enabled(&self, state: State, out: &mut Vec<Unit>) {
        let begin = out.len();
        let instances = self.steps(state).iter().filter_map(|edge| self.instances.get(edge.instance as usize));
        out.extend(instances.filter_map(|instance| instance.mover));
        out[begin..].sort_unstable();
        let mut at = begin;
        for next in begin..out.len() {
            if next == begin || out[next] != out[at - 1] {
                out[at] = out[next];
                at += 1;
            }
        }
        out.truncate(at);
    }

    fn has_symmetries(&self) -> bool {
        self.merges.get() && self.tracker.is_some()
    }

    /// Every step of a state is there, so nothing but [`to_first`](Self::to_first) is needed.
    fn symmetries(&self, _state: State) -> Vec<Permutation> {
        Vec::new()
    }

    /// SOUND: points of a class that can be exchanged one by one without a change of the state can be permuted among each
    /// other, so the permutation fixes the state.
    fn to_first(&self, state: State, points: &[Point]) -> Option<Permutation> {
        let tracker = self.tracker.as_ref()?;
        let mut words = vec![0; self.n_words];
        self.states.read(state, &mut words);
        let mut images: Vec<usize> = (0..self.points.degree()).collect();
        let mut placed: Vec<usize> = Vec::new();
        for &point in points.iter().filter(|&&point| self.points.is_vertex(point)) {
            if placed.contains(&images[point as usize]) {
                continue;
            }
            let twins = tracker.borrow_mut().twins(&words, point);
            if let Some(first) = twins.into_iter().map(|twin| twin as usize).find(|first| !placed.contains(first)) {
                let holder = images.iter().position(|&image| image == first).expect("permutations reach every point");
                images.swap(holder, point as usize);
                placed.push(first);
            }
        }
        Some(Permutation::from_images(&images).expect("exchanges make a permutation"))
    }

    fn is_pruned(&self) -> bool {
        false
    }

    fn fixes(&self, state: State, by: &Permutation) -> bool {
        by.is_identity() || self.concrete(state, by) == self.concrete(state, &Permutation::identity(by.degree()))
    }
}
