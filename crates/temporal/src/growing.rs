//! The check on a graph that is still being made.
//!
//! Whenever the number of expanded states has doubled, the check may be run on these alone: a cycle among them is real.
//! All runs together cost at most twice the last one.

use burnside_group::Permutation;

use crate::graph::{Point, Quotient, RenamingId, Start, State, Step, Unit};

/// Says when the next check on a growing graph is due.
#[derive(Clone, Debug)]
pub struct Doubling {
    next: usize,
}

impl Doubling {
    /// The first check is due at so many states.
    pub fn new(first: usize) -> Self {
        Doubling { next: first.max(1) }
    }

    /// Whether a check is due; then the next is due at twice as many states.
    pub fn is_due(&mut self, n_expanded: usize) -> bool {
        let is_due = n_expanded >= self.next;
        if is_due {
            self.next = 2 * n_expanded;
        }
        is_due
    }
}

/// The first states of a graph: those that are expanded. Steps to others, and whatever others do, are left out.
///
/// SOUND for what is found: every path here is a path of the whole graph, and which units are enabled is that of the whole
/// graph. That nothing is found says nothing.
pub struct Expanded<'a, G> {
    graph: &'a G,
    n_states: State,
}

impl<'a, G: Quotient> Expanded<'a, G> {
    /// The first `n_states` states of a graph.
    pub fn new(graph: &'a G, n_states: State) -> Self {
        Expanded { graph, n_states }
    }
}

impl<G: Quotient> Quotient for Expanded<'_, G> {
    fn degree(&self) -> usize {
        self.graph.degree()
    }

    fn starts(&self) -> Vec<Start> {
        self.graph.starts().into_iter().filter(|start| start.state < self.n_states).collect()
    }

    fn for_each_step(&self, state: State, mut visit: impl FnMut(Step<'_>)) {
        self.graph.for_each_step(state, |step| {
            if step.target < self.n_states {
                visit(step);
            }
        });
    }

    fn renaming(&self, id: RenamingId) -> Permutation {
        self.graph.renaming(id)
    }

    fn holds(&self, state: State, proposition: u32, arguments: &[Point]) -> bool {
        self.graph.holds(state, proposition, arguments)
    }

    fn n_units(&self) -> usize {
        self.graph.n_units()
    }

    fn unit_image(&self, unit: Unit, by: &Permutation) -> Unit {
        self.graph.unit_image(unit, by)
    }

    fn enabled(&self, state: State, out: &mut Vec<Unit>) {
        self.graph.enabled(state, out);
    }

    fn has_symmetries(&self) -> bool {
        self.graph.has_symmetries()
    }

    fn symmetries(&self, state: State) -> Vec<Permutation> {
        self.graph.symmetries(state)
    }

    fn is_pruned(&self) -> bool {
        self.graph.is_pruned()
    }

    fn fixes(&self, state: State, by: &Permutation) -> bool {
        self.graph.fixes(state, by)
    }
}
