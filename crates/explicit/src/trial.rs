//! Whether representatives stand for states that a search without reduction would meet.
//!
//! A reduction does not need symmetric start states. Where they are symmetric, every image of a reachable state is
//! reachable, and the sizes of orbits tell what is saved. Where start states tell identities apart, as when some data
//! value is the first one, images may be met late or never; then the first states of a search without reduction tell.

use std::collections::HashSet;

use burnside_interp::{StepBuffer, StepEnd};
use burnside_symmetry::{OrbitCounter, Reduction};

use crate::successors::Successors;

/// The search without reduction ends when it has met more states.
const MOST_STATES: usize = 1024;

/// Whether so few representatives stand for so many states that it makes up for finding them, which about doubles the
/// cost of a step.
pub(crate) fn pays(n_states: u128, n_representatives: u128) -> bool {
    n_states * 2 >= n_representatives * 3
}

/// Whether representatives promise to pay. `successors` are those without reduction.
pub(crate) fn is_promising<S: Successors>(reduction: &Reduction, mut successors: S) -> bool {
    let n_words = reduction.n_words();
    let mut met = Met { states: Vec::new(), known: HashSet::new() };
    let mut steps = StepBuffer::new(n_words);
    successors.starts(&mut steps);
    if !met.note(&steps) || are_symmetric(reduction, &met.states) {
        return true;
    }
    let mut level = 0..met.states.len();
    loop {
        for at in level.clone() {
            steps.clear();
            successors.expand(&met.states[at], &[], &mut steps);
            // Faults are for the search to find.
            if !met.note(&steps) {
                return true;
            }
            if met.states.len() > MOST_STATES {
                // Of a level cut short, images may be missing.
                return pays(level.end as u128, representatives(reduction, &met.states[..level.end]).len() as u128);
            }
        }
        level = level.end..met.states.len();
        if level.is_empty() {
            return true;
        }
    }
}

/// States met, in their order.
struct Met {
    states: Vec<Box<[u64]>>,
    known: HashSet<Box<[u64]>>,
}

impl Met {
    /// Takes note of what steps lead to; false if one faults.
    fn note(&mut self, steps: &StepBuffer) -> bool {
        for step in (0..steps.len()).map(|at| steps.get(at)) {
            match step.end {
                StepEnd::Fault => return false,
                StepEnd::Next if !self.known.contains(step.state) => {
                    self.known.insert(step.state.into());
                    self.states.push(step.state.into());
                }
                StepEnd::Next | StepEnd::Pruned => {}
            }
        }
        true
    }
}

fn representatives(reduction: &Reduction, states: &[Box<[u64]>]) -> HashSet<Box<[u64]>> {
    let mut canonicaliser = reduction.exact();
    let canonical = |mut state: Box<[u64]>| {
        canonicaliser.canonicalise(&mut state);
        state
    };
    states.iter().cloned().map(canonical).collect()
}

/// Whether all images of some states are among them. Of very many states, this is taken for granted.
fn are_symmetric(reduction: &Reduction, states: &[Box<[u64]>]) -> bool {
    let Some(mut counter) = OrbitCounter::new(reduction).filter(|_| states.len() <= MOST_STATES) else { return true };
    representatives(reduction, states).iter().for_each(|state| counter.note(state));
    counter.finish().n_states() == states.len() as u128
}
