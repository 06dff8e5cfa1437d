//! Reduction by direct simulation.
//!
//! A state simulates another if it can answer each of the other's edges by an edge with a weaker label, at least the same
//! colours, and a target that simulates the other's target.

use super::{Automaton, AutomatonEdge};

/// Beyond this many states the quadratic relation is not worth its time.
const MAX_STATES: usize = 600;

impl Automaton {
    /// Merges states that simulate each other and removes edges that another edge of the same state answers.
    ///
    /// SOUND: a run can be answered step by step by one with at least its colours, so states that simulate each other
    /// accept the same paths; and an edge may go if another one of its state answers it, because the run that answers
    /// never needs it: answering is transitive, and no two different edges answer each other after merging.
    pub(super) fn reduce_by_simulation(&mut self) {
        if self.n_states() > MAX_STATES {
            return;
        }
        let simulates = self.simulation();
        let representative = |state: usize| {
            let equal = (0..self.n_states()).find(|&other| simulates[other][state] && simulates[state][other]);
            equal.expect("a state simulates itself") as u32
        };
        let map: Vec<u32> = (0..self.n_states()).map(representative).collect();
        if map.iter().enumerate().any(|(state, to)| state as u32 != *to) {
            self.redirect(&map);
            // The relation is that of the old numbers; the caller comes back.
            return;
        }
        for state in 0..self.n_states() {
            let edges = &self.edges[state];
            let is_answered =
                |edge: &AutomatonEdge| edges.iter().any(|other| other != edge && answers(&simulates, other, edge));
            let kept: Vec<_> = edges.iter().filter(|edge| !is_answered(edge)).copied().collect();
            self.edges[state] = kept;
        }
    }

    /// The greatest simulation: whether the first state simulates the second.
    fn simulation(&self) -> Vec<Vec<bool>> {
        let n = self.n_states();
        let mut simulates = vec![vec![true; n]; n];
        loop {
            let mut changed = false;
            for big in 0..n {
                for small in 0..n {
                    if simulates[big][small] && !self.answers_all(&simulates, big, small) {
                        simulates[big][small] = false;
                        changed = true;
                    }
                }
            }
            if !changed {
                return simulates;
            }
        }
    }

    fn answers_all(&self, simulates: &[Vec<bool>], big: usize, small: usize) -> bool {
        let answered = |edge: &AutomatonEdge| self.edges[big].iter().any(|other| answers(simulates, other, edge));
        self.edges[small].iter().all(answered)
    }
}

fn answers(simulates: &[Vec<bool>], other: &AutomatonEdge, edge: &AutomatonEdge) -> bool {
    other.label.includes(edge.label)
        && edge.colours & !other.colours == 0
        && simulates[other.target as usize][edge.target as usize]
}
