//! Whether representatives stand for states that a search without reduction would meet.
//!
//! A reduction does not need symmetric start states. Where they are symmetric, every image of a reachable state is
//! reachable, and the sizes of orbits tell what is saved. Where start states tell identities apart, as when some data
//! value is the first one, images may be met late or never; then the first states of a search without reduction tell.

use burnside_engine::pays::{self, FIRST_LOOK, MOST_PATIENCE};
use burnside_step::{Exploration, Faulted, Stepper, Successors};
use burnside_symmetry::Reduction;

/// Whether representatives promise to pay. `successors` are those without reduction.
pub(crate) fn is_promising<S: Stepper>(reduction: &Reduction, successors: Successors<S>) -> bool {
    // A group so large that its order is no number of 128 bits is worth everything, and faults are for the search to find.
    let Some(order) = reduction.order() else { return true };
    let last_look = FIRST_LOOK * (order / 2).clamp(1, MOST_PATIENCE) as usize;
    let Ok(mut met) = Exploration::begin(successors, reduction.n_words(), last_look + 1) else { return true };
    // Very many start states are taken for symmetric.
    if met.states().len() > FIRST_LOOK || reduction.are_closed(met.states()) {
        return true;
    }
    let pay = |states: &[Box<[u64]>]| {
        pays::is_reduced_enough(states.len() as u128, reduction.representatives(states).len() as u128)
    };
    let mut next_look = FIRST_LOOK;
    loop {
        match met.go_on() {
            Ok(true) => {}
            Ok(false) => return met.states().len() <= last_look,
            Err(Faulted) => return true,
        }
        if met.states().len() > next_look {
            // Of a level cut short, images may be missing; but it may have most of the states.
            if pay(met.complete()) || pay(met.states()) {
                return true;
            }
            next_look = 2 * met.states().len();
        }
    }
}
