//! Whether representatives stand for states that a search without reduction would meet.
//!
//! A reduction does not need symmetric start states. Where they are symmetric, every image of a reachable state is
//! reachable, and the sizes of orbits tell what is saved. Where start states tell identities apart, as when some data
//! value is the first one, images may be met late or never; then the first states of a search without reduction tell.

use std::collections::HashSet;

use burnside_interp::{StepBuffer, StepEnd};
use burnside_symmetry::Reduction;

use crate::successors::Successors;

/// With how many states of the search without reduction its images are first counted.
const FIRST_LOOK: usize = 1024;

/// How many times as many it meets at most: the more an orbit may save, the longer images are waited for.
const MOST_PATIENCE: u128 = 16;

/// Whether so few representatives stand for so many states that it makes up for finding them, which about doubles the
/// cost of a step.
pub(crate) fn pays(n_states: u128, n_representatives: u128) -> bool {
    n_states * 2 >= n_representatives * 3
}

/// Whether representatives promise to pay. `successors` are those without reduction.
pub(crate) fn is_promising<S: Successors>(reduction: &Reduction, mut successors: S) -> bool {
    // A group so large that its order is no number of 128 bits is worth everything.
    let Some(order) = reduction.order() else { return true };
    let last_look = FIRST_LOOK * (order / 2).clamp(1, MOST_PATIENCE) as usize;
    let mut met = Met { states: Vec::new(), known: HashSet::new(), most: last_look + 1 };
    let mut steps = StepBuffer::new(reduction.n_words());
    successors.starts(&mut steps);
    // Faults are for the search to find, and very many start states are taken for symmetric.
    if !met.note(&steps) || met.states.len() > FIRST_LOOK || reduction.are_closed(&met.states) {
        return true;
    }
    let (mut level, mut next_look) = (0..met.states.len(), FIRST_LOOK);
    while !level.is_empty() {
        for at in level.clone() {
            steps.clear();
            successors.expand(&met.states[at], &[], &mut steps);
            if !met.note(&steps) {
                return true;
            }
            if met.states.len() > next_look {
                // Of a level cut short, images may be missing; but it may have most of the states.
                let pay =
                    |states: &[Box<[u64]>]| pays(states.len() as u128, reduction.representatives(states).len() as u128);
                if pay(&met.states[..level.end]) || pay(&met.states) {
                    return true;
                }
                next_look = 2 * met.states.len();
            }
            if met.states.len() > last_look {
                return false;
            }
        }
        level = level.end..met.states.len();
    }
    true
}

/// States met, in their order.
struct Met {
    states: Vec<Box<[u64]>>,
    known: HashSet<Box<[u64]>>,
    /// How many are noted at most.
    most: usize,
}

impl Met {
    /// Takes note of what steps lead to; false if one faults.
    fn note(&mut self, steps: &StepBuffer) -> bool {
        for step in (0..steps.len()).map(|at| steps.get(at)) {
            match step.end {
                StepEnd::Fault => return false,
                StepEnd::Next if self.states.len() < self.most && !self.known.contains(step.state) => {
                    self.known.insert(step.state.into());
                    self.states.push(step.state.into());
                }
                StepEnd::Next | StepEnd::Pruned => {}
            }
        }
        true
    }
}
