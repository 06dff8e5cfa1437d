//! Symmetry put to use.

use std::sync::{Arc, Mutex, PoisonError};

use burnside_ir::{Layout, Model, TypeId};

use crate::action::Action;
use crate::picture::Facts;
use crate::refine::Refiner;
use crate::strategies::{
    Climber, Enumerator, FirstMet, Flooded, Flooder, Marked, Marker, Representatives, Segmenter, Sorter,
};
use crate::strategy::{Canonicaliser, Strategy};
use crate::symmetry::Symmetry;
use crate::twins::Twins;

/// States of one orbit are brought together in one representative, or few. Copies share what they remember.
#[derive(Debug, Clone)]
pub struct Reduction {
    action: Action,
    facts: Facts,
    strict: Vec<TypeId>,
    /// The vertex, if any, of each value of each strict type.
    parameters: Vec<Option<u32>>,
    strategy: Strategy,
    memory: Arc<Memory>,
}

/// What strategies with a memory have met. At most one of these is in use.
#[derive(Debug, Default)]
struct Memory {
    representatives: Mutex<Representatives>,
    flooded: Mutex<Flooded>,
    marked: Mutex<Marked>,
}

impl Reduction {
    /// The reduction by all of a model's proved symmetry.
    pub fn new(model: &Model, layout: &Layout, symmetry: &Symmetry, strategy: Strategy) -> Self {
        let action = Action::new(model, layout, symmetry);
        let (facts, strict) = (Facts::new(&action), symmetry.strict_types(model));
        let parameters = strict.iter().flat_map(|&ty| action.vertices(ty)).collect();
        Self { action, facts, strict, parameters, strategy, memory: Arc::default() }
    }

    /// How states are brought together.
    pub fn strategy(&self) -> Strategy {
        self.strategy
    }

    /// The types whose quantifiers must be evaluated for every value.
    pub fn strict_types(&self) -> &[TypeId] {
        &self.strict
    }

    /// What finds the identities that need not all act, for one thread. Its weights are for the values of all
    /// [`strict_types`](Self::strict_types), in order.
    pub fn twins(&self) -> Twins<'_> {
        Twins::new(&self.action, &self.facts, &self.parameters)
    }

    /// A canonicaliser for one thread.
    pub fn canonicaliser(&self) -> Box<dyn Canonicaliser + '_> {
        let (action, facts, memory) = (&self.action, &self.facts, &*self.memory);
        match self.strategy {
            Strategy::Refine => self.exact(),
            Strategy::Enumerate => Box::new(Enumerator::new(action, facts)),
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
        Box::new(Refiner::new(&self.action, &self.facts))
    }

    /// What is remembered, in bytes.
    pub fn bytes(&self) -> u64 {
        let Memory { representatives, flooded, marked } = &*self.memory;
        match self.strategy {
            Strategy::First => representatives.lock().unwrap_or_else(PoisonError::into_inner).bytes(),
            Strategy::Flood => flooded.lock().unwrap_or_else(PoisonError::into_inner).bytes(),
            Strategy::Marker => marked.lock().unwrap_or_else(PoisonError::into_inner).bytes(),
            _ => 0,
        }
    }

    /// Forgets all states met, before another search.
    pub fn forget(&self) {
        let Memory { representatives, flooded, marked } = &*self.memory;
        *representatives.lock().unwrap_or_else(PoisonError::into_inner) = Representatives::default();
        *flooded.lock().unwrap_or_else(PoisonError::into_inner) = Flooded::default();
        *marked.lock().unwrap_or_else(PoisonError::into_inner) = Marked::default();
    }
}
