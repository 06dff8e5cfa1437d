//! A set of states on which a group acts, with steps that the group need not respect.

use burnside_group::Permutation;
use rustc_hash::FxHashMap;

use crate::graph::{Point, State};

/// States closed under a group, and the steps between them.
#[derive(Clone, Debug)]
pub struct Acted {
    /// Every element of a group, once.
    permutations: Vec<Permutation>,
    numbers: FxHashMap<Permutation, usize>,
    /// For each permutation the image of each state.
    images: Vec<Vec<State>>,
    /// For each state the steps: who moves, and where to.
    steps: Vec<Vec<(Point, State)>>,
    starts: Vec<State>,
}

impl Acted {
    /// States by number; `images[g][s]` is what the `g`-th permutation makes of state `s`.
    ///
    /// # Panics
    /// If the identity is missing.
    pub fn new(
        permutations: Vec<Permutation>,
        images: Vec<Vec<State>>,
        steps: Vec<Vec<(Point, State)>>,
        starts: Vec<State>,
    ) -> Self {
        assert!(permutations.iter().any(Permutation::is_identity), "a group has an identity");
        let numbers = permutations.iter().cloned().enumerate().map(|(at, by)| (by, at)).collect();
        Acted { permutations, numbers, images, steps, starts }
    }

    /// The number of states.
    pub fn n_states(&self) -> usize {
        self.steps.len()
    }

    /// The number of points that the group acts on.
    pub fn degree(&self) -> usize {
        self.permutations[0].degree()
    }

    /// The order of the group.
    pub fn order(&self) -> usize {
        self.permutations.len()
    }

    /// An element of the group.
    pub fn permutation(&self, number: usize) -> &Permutation {
        &self.permutations[number]
    }

    /// Where the executions begin.
    pub fn starts(&self) -> &[State] {
        &self.starts
    }

    /// What a permutation makes of a state.
    pub fn image(&self, by: usize, state: State) -> State {
        self.images[by][state as usize]
    }

    /// The steps of a state: who moves, and where to.
    pub fn steps(&self, state: State) -> &[(Point, State)] {
        &self.steps[state as usize]
    }

    /// Whether there is a step between two states.
    pub(super) fn has_step(&self, from: State, to: State) -> bool {
        self.steps(from).iter().any(|&(_, target)| target == to)
    }

    pub(super) fn inverse(&self, number: usize) -> usize {
        self.numbers[&self.permutations[number].inverse()]
    }

    /// First `a`, then `b`.
    pub(super) fn then(&self, a: usize, b: usize) -> usize {
        self.numbers[&self.permutations[a].then(&self.permutations[b])]
    }

    pub(super) fn number(&self, permutation: &Permutation) -> Option<usize> {
        self.numbers.get(permutation).copied()
    }

    /// The least state of the orbit, and a permutation that takes the state there.
    pub fn representative(&self, state: State) -> (State, usize) {
        let images = (0..self.order()).map(|by| (self.image(by, state), by));
        images.min().expect("a group has an element")
    }

    /// The permutations that fix a state.
    pub(super) fn stabiliser(&self, state: State) -> Vec<usize> {
        (0..self.order()).filter(|&by| self.image(by, state) == state).collect()
    }
}
