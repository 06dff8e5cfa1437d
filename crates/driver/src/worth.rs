//! Whether a group other than all permutations pays: what a short search meets tells.
//!
//! Start states may tell members apart for good, as when processes get their numbers there. Then no two reachable states
//! are images of each other, and looking for the least image of each costs time and saves nothing.

use std::collections::{BTreeSet, VecDeque};
use std::ops::ControlFlow;

use burnside_engine::Task;
use burnside_interp::{Interpreter, Outcome};
use burnside_ir::{Binder, Domain, Layout, Model};
use burnside_symmetry::{Reduction, Strategy, Symmetry};

/// How many states are looked at, at most and at least.
const MOST_STATES: u64 = 256;
const LEAST_STATES: u64 = 16;

/// How many rule instances are tried, about.
const MOST_INSTANCES: u64 = 50_000;

/// Of so many states one at least must be an image of another.
const FRUITFUL: usize = 16;

/// Whether images of states occur early in the search, as they must if all images of start states are start states.
pub(crate) fn pays(task: &Task<'_>, symmetry: &Symmetry) -> bool {
    let symmetry = Symmetry { joints: symmetry.joints.clone(), ..Symmetry::default() };
    let reduction = Reduction::new(task.model, task.layout, &symmetry, Strategy::Refine);
    let mut interpreter = Interpreter::new(task.model, task.layout, task.step_limits);
    let mut met = Met { states: BTreeSet::new(), frontier: VecDeque::new(), most: MOST_STATES };
    interpreter.starts(|_, _, outcome| met.note(outcome));
    if reduction.are_closed(&met.packed(task.layout)) {
        return true;
    }
    met.most = (MOST_INSTANCES / n_instances(task.model).max(1)).clamp(LEAST_STATES, MOST_STATES);
    while !met.is_full()
        && let Some(state) = met.frontier.pop_front()
    {
        interpreter.successors(&state, |_, _, outcome| met.note(outcome));
    }
    let n_representatives = reduction.representatives(&met.packed(task.layout)).len();
    let n_states = met.states.len();
    n_representatives + n_states / FRUITFUL <= n_states && n_representatives < n_states
}

/// The first states of a breadth-first search without reduction.
struct Met {
    states: BTreeSet<Vec<i64>>,
    frontier: VecDeque<Vec<i64>>,
    most: u64,
}

impl Met {
    fn is_full(&self) -> bool {
        self.states.len() as u64 >= self.most
    }

    fn note(&mut self, outcome: Outcome<'_>) -> ControlFlow<()> {
        if let Outcome::Next(state) = outcome
            && self.states.insert(state.to_vec())
        {
            self.frontier.push_back(state.to_vec());
        }
        if self.is_full() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn packed(&self, layout: &Layout) -> Vec<Box<[u64]>> {
        let pack = |state: &Vec<i64>| {
            let mut words = vec![0; layout.n_words()];
            layout.pack(state, &mut words);
            words.into()
        };
        self.states.iter().map(pack).collect()
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
