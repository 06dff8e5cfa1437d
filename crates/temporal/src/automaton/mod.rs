//! Transition-based generalised Büchi automata.
//!
//! A path of the model is read position by position: an edge may be taken at a position whose propositions satisfy its
//! label. A run is accepting if every colour occurs on infinitely many of its edges. `translate` makes an automaton from
//! a formula, `reduce` makes it smaller, `kind` tells how hard its emptiness is to decide, `hoa` writes it down.

mod accepts;
mod hoa;
mod kind;
mod reduce;
mod simulation;
mod translate;

pub use kind::Kind;
pub use translate::{Effort, TooLarge};

/// The propositions that hold at a position: bit `p` for the one with number `p`.
pub type Valuation = u128;

/// Colours: bit `u` for the one with number `u`.
pub type Colours = u64;

/// The number of propositions that one automaton can tell apart.
pub const MAX_PROPOSITIONS: u32 = Valuation::BITS;

/// The number of colours that one automaton can have.
pub const MAX_COLOURS: u32 = Colours::BITS;

/// Which propositions must and must not hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label {
    /// These hold.
    pub positive: Valuation,
    /// These do not.
    pub negative: Valuation,
}

impl Label {
    /// Whether a position satisfies it.
    pub fn admits(self, valuation: Valuation) -> bool {
        self.positive & !valuation == 0 && self.negative & valuation == 0
    }

    /// Whether every position that satisfies `other` satisfies this one.
    pub fn includes(self, other: Self) -> bool {
        self.positive & !other.positive == 0 && self.negative & !other.negative == 0
    }
}

/// An edge of an automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AutomatonEdge {
    /// What must hold at the position it leaves.
    pub label: Label,
    /// The automaton's state at the next position.
    pub target: u32,
    /// The colours it has.
    pub colours: Colours,
}

/// A transition-based generalised Büchi automaton, started in state 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Automaton {
    /// Every target is a state; every colour is below `n_colours`.
    edges: Vec<Vec<AutomatonEdge>>,
    n_colours: u32,
}

impl Automaton {
    /// An automaton by the edges of its states.
    ///
    /// # Panics
    /// If there is no state, a target is none, or a colour is not below `n_colours`.
    pub fn from_edges(edges: Vec<Vec<AutomatonEdge>>, n_colours: u32) -> Self {
        assert!(!edges.is_empty() && n_colours <= MAX_COLOURS, "an automaton begins in state 0");
        let fits = |edge: &AutomatonEdge| (edge.target as usize) < edges.len() && edge.colours & !mask(n_colours) == 0;
        assert!(edges.iter().flatten().all(fits), "an edge leads to a state and has known colours");
        Automaton { edges, n_colours }
    }

    /// The number of states.
    pub fn n_states(&self) -> usize {
        self.edges.len()
    }

    /// The number of colours, all of which an accepting run has infinitely often.
    pub fn n_colours(&self) -> u32 {
        self.n_colours
    }

    /// The edges that leave a state.
    pub fn edges(&self, state: u32) -> &[AutomatonEdge] {
        &self.edges[state as usize]
    }

    /// All colours at once.
    fn all_colours(&self) -> Colours {
        mask(self.n_colours)
    }
}

/// The first `n` colours.
fn mask(n: u32) -> Colours {
    if n == Colours::BITS { Colours::MAX } else { (1 << n) - 1 }
}
