//! Whether a group other than all permutations pays: what a short search meets tells.
//!
//! Start states may tell members apart for good, as when processes get their numbers there. Then no two reachable states
//! are images of each other, and looking for the least image of each costs time and saves nothing.

use burnside_engine::Task;
use burnside_engine::pays::{self, LEAST_STATES, MOST_INSTANCES, MOST_STATES};
use burnside_ir::{Binder, Domain, Model};
use burnside_step::{Exploration, Interpreted, Successors};
use burnside_symmetry::{Reduction, Strategy, Symmetry};

/// Whether images of states occur early in the search, as they must if all images of start states are start states.
pub(crate) fn occur_early(task: &Task<'_>, symmetry: &Symmetry) -> bool {
    let reduction = Reduction::new(task.model, task.layout, &symmetry.only_joints(), Strategy::Refine);
    let successors = Successors::new(task, Interpreted::new(task));
    // A start state that faults ends every search at once.
    let Ok(mut met) = Exploration::begin(successors, task.layout.n_words(), MOST_STATES) else { return true };
    if reduction.are_closed(met.states()) {
        return true;
    }
    let most = MOST_INSTANCES / n_instances(task.model).max(1);
    met.stop_at(most.clamp(LEAST_STATES as u64, MOST_STATES as u64) as usize);
    while met.go_on() == Ok(true) {}
    let (n_states, n_representatives) = (met.states().len(), reduction.representatives(met.states()).len());
    pays::has_images(n_states, n_representatives)
}

/// How many instances the rules of a model have, about.
fn n_instances(model: &Model) -> u64 {
    let values = |binder: &Binder| match binder {
        Binder::Param { domain: Domain::Type(ty), .. } => model.types.shape(*ty).cardinality(),
        _ => 1,
    };
    model
        .rules
        .iter()
        .map(|rule| rule.binders.iter().map(values).fold(1, u64::saturating_mul))
        .fold(0, u64::saturating_add)
}
