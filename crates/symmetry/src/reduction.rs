//! Symmetry put to use.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use burnside_group::Group;
use burnside_ir::{Layout, Model, TypeId};

use crate::action::Action;
use crate::cells;
use crate::census::OrbitCounter;
use crate::combined::{Combined, Rest};
use crate::facts::Facts;
use crate::recheck::Move;
use crate::refine::Refiner;
use crate::strategies::{
    Climber, Enumerator, FirstMet, Flooded, Flooder, Marked, Marker, Representatives, Segmenter, Sorter,
};
use crate::strategy::{Canonicaliser, Strategy};
use crate::symmetry::Symmetry;
use crate::tracker::Tracker;
use crate::twins::Twins;

/// States of one orbit are brought together in one representative, or few.
#[derive(Debug, Clone)]
pub struct Reduction {
    action: Action,
    facts: Facts,
    /// What is no symmetric group, if there is such a part.
    rest: Option<Arc<Rest>>,
    /// All that is not symmetric all through, for `enumerate`.
    joints: Arc<Group>,
    strict: Vec<TypeId>,
    /// Permutations that generate the group.
    moves: Arc<Vec<Move>>,
    /// The vertex, if any, of each value of each strict type.
    parameters: Vec<Option<u32>>,
    strategy: Strategy,
}

/// What strategies with a memory have met in one search; at most one of them is in use.
#[derive(Debug, Default)]
pub struct Memory {
    representatives: Mutex<Representatives>,
    flooded: Mutex<Flooded>,
    marked: Mutex<Marked>,
}

impl Memory {
    /// What is remembered, in bytes.
    pub fn bytes(&self) -> u64 {
        let Self { representatives, flooded, marked } = self;
        representatives.lock().unwrap_or_else(PoisonError::into_inner).bytes()
            + flooded.lock().unwrap_or_else(PoisonError::into_inner).bytes()
            + marked.lock().unwrap_or_else(PoisonError::into_inner).bytes()
    }
}

impl Reduction {
    /// The reduction by all of a model's proved symmetry that the strategy can treat.
    pub fn new(model: &Model, layout: &Layout, symmetry: &Symmetry, strategy: Strategy) -> Self {
        // SOUND: part of a group of automorphisms is one.
        let symmetry = &if strategy.treats_joints() { symmetry.clone() } else { symmetry.without_joints() };
        let (rest, joints) = (Rest::new(&cells::rest(symmetry)), cells::joint_group(symmetry));
        let action = Action::new(model, layout, symmetry);
        let (facts, strict) = (Facts::new(&action), symmetry.strict_types(model));
        let parameters = strict.iter().flat_map(|&ty| action.vertices(ty)).collect();
        let (rest, joints) = (rest.map(Arc::new), Arc::new(joints));
        let moves = Arc::new(Move::all(model, symmetry));
        Self { action, facts, rest, joints, strict, moves, parameters, strategy }
    }

    /// How states are brought together.
    pub fn strategy(&self) -> Strategy {
        self.strategy
    }

    /// The types whose quantifiers must be evaluated for every value.
    pub fn strict_types(&self) -> &[TypeId] {
        &self.strict
    }

    /// Permutations that generate the group.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// What finds the identities that need not all act, for one thread. Its weights are for the values of all
    /// [`strict_types`](Self::strict_types), in order.
    pub fn twins(&self) -> Twins<'_> {
        Twins::new(&self.action, &self.facts, &self.parameters)
    }

    /// A canonicaliser for one thread of the search that a memory belongs to.
    pub fn canonicaliser<'a>(&'a self, memory: &'a Memory) -> Box<dyn Canonicaliser + 'a> {
        let (action, facts) = (&self.action, &self.facts);
        match self.strategy {
            Strategy::Refine => self.exact(),
            Strategy::Enumerate => Box::new(Enumerator::new(action, facts, &self.joints)),
            Strategy::Sort => Box::new(Sorter::new(action, facts)),
            Strategy::Segment => Box::new(Segmenter::new(action, facts)),
            Strategy::Local => Box::new(Climber::new(action, facts)),
            Strategy::First => Box::new(FirstMet::new(action, facts, &memory.representatives)),
            Strategy::Flood => Box::new(Flooder::new(action, facts, &memory.flooded)),
            Strategy::Marker => Box::new(Marker::new(action, facts, &memory.marked)),
        }
    }

    /// A canonicaliser that brings all states of an orbit together and remembers nothing, whatever the strategy: by it
    /// can be told whether two states are of one orbit.
    pub fn exact(&self) -> Box<dyn Canonicaliser + '_> {
        match self.combined() {
            Some(combined) => Box::new(combined),
            None => Box::new(self.refiner()),
        }
    }

    /// What brings states to the representatives of `refine` and tells how, for one thread.
    pub fn tracker(&self) -> Tracker<'_> {
        Tracker::new(&self.action, self.refiner(), self.combined())
    }

    /// How many identities there are in the classes that move.
    pub fn n_vertices(&self) -> usize {
        self.action.n_vertices()
    }

    /// Among them, those that the values of a type are, in order: none for a value that nothing moves, and nothing at
    /// all for a type no value of which moves.
    pub fn vertices(&self, ty: TypeId) -> Vec<Option<u32>> {
        self.action.vertices(ty).collect()
    }

    /// The order of the group, unless it is no number of 128 bits.
    pub fn order(&self) -> Option<u128> {
        OrbitCounter::new(self).map(|counter| counter.group_order())
    }

    /// The representatives of some states, each once.
    pub fn representatives(&self, states: &[Box<[u64]>]) -> BTreeSet<Box<[u64]>> {
        let mut canonicaliser = self.exact();
        let canonical = |mut state: Box<[u64]>| {
            canonicaliser.canonicalise(&mut state);
            state
        };
        states.iter().cloned().map(canonical).collect()
    }

    /// Whether all images of some states, which must be different, are among them.
    pub fn are_closed(&self, states: &[Box<[u64]>]) -> bool {
        OrbitCounter::new(self).is_some_and(|mut counter| {
            self.representatives(states).iter().for_each(|state| counter.note(state));
            counter.finish().n_states() == states.len() as u128
        })
    }

    /// What treats the whole group, if permutations within cells are not all there is.
    pub(crate) fn combined(&self) -> Option<Combined<'_>> {
        self.rest.as_ref().map(|rest| Combined::new(&self.action, &self.facts, rest))
    }

    pub(crate) fn refiner(&self) -> Refiner<'_> {
        Refiner::new(&self.action, &self.facts)
    }

    pub(crate) fn action(&self) -> &Action {
        &self.action
    }

    /// Words of a packed state.
    pub fn n_words(&self) -> usize {
        self.action.layout().n_words()
    }
}
