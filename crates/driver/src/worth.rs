//! Whether a group other than all permutations pays: what a short search meets tells.
//!
//! Start states may tell members apart for good, as when processes get their numbers there. Then no two reachable states
//! are images of each other, and looking for the least image of each costs time and saves nothing.

use std::collections::{BTreeSet, VecDeque};
use std::ops::ControlFlow;

use burnside_engine::Task;
use burnside_interp::{Interpreter, Outcome};
use burnside_ir::{Binder, Domain, Model};
use burnside_symmetry::{Reduction, Strategy, Symmetry};

/// How many states are looked at, at most and at least.
const MOST_STATES: u64 = 256;
const LEAST_STATES: u64 = 16;

/// How many rule instances are tried, about.
const MOST_INSTANCES: u64 = 50_000;

/// Of so many states one at least must be an image of another.
const FRUITFUL: usize = 16;

/// Whether images of states occur early in the search.
pub(crate) fn pays(task: &Task<'_>, symmetry: &Symmetry) -> bool {
    let symmetry = Symmetry { joints: symmetry.joints.clone(), ..Symmetry::default() };
    let reduction = Reduction::new(task.model, task.layout, &symmetry, Strategy::Refine);
    let n_states = (MOST_INSTANCES / n_instances(task.model).max(1)).clamp(LEAST_STATES, MOST_STATES);
    let states = first_states(task, n_states as usize);
    let mut canonicaliser = reduction.exact();
    let mut representatives = BTreeSet::new();
    for state in &states {
        let mut words = vec![0; task.layout.n_words()];
        task.layout.pack(state, &mut words);
        canonicaliser.canonicalise(&mut words);
        representatives.insert(words);
    }
    representatives.len() + states.len() / FRUITFUL <= states.len() && representatives.len() < states.len()
}

/// The first states of a breadth-first search without reduction.
fn first_states(task: &Task<'_>, most: usize) -> BTreeSet<Vec<i64>> {
    let mut interpreter = Interpreter::new(task.model, task.layout, task.step_limits);
    let mut met = Met { states: BTreeSet::new(), frontier: VecDeque::new(), most };
    interpreter.starts(|_, _, outcome| met.note(outcome));
    while met.states.len() < most
        && let Some(state) = met.frontier.pop_front()
    {
        interpreter.successors(&state, |_, _, outcome| met.note(outcome));
    }
    met.states
}

struct Met {
    states: BTreeSet<Vec<i64>>,
    frontier: VecDeque<Vec<i64>>,
    most: usize,
}

impl Met {
    fn note(&mut self, outcome: Outcome<'_>) -> ControlFlow<()> {
        if let Outcome::Next(state) = outcome
            && self.states.insert(state.to_vec())
        {
            self.frontier.push_back(state.to_vec());
        }
        if self.states.len() < self.most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
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
