//! Whether an automaton accepts a lasso.

use super::{Automaton, Valuation};
use crate::ltl::Shape;
use crate::scc::components;

impl Automaton {
    /// Whether some run on the lasso has every colour infinitely often; `word` holds the propositions at each position.
    ///
    /// # Panics
    /// If there are not as many valuations as positions.
    pub fn accepts(&self, shape: Shape, word: &[Valuation]) -> bool {
        assert_eq!(shape.n_positions(), word.len(), "one valuation for each position");
        let n_states = self.n_states() as u32;
        let node = |position: usize, state: u32| position as u32 * n_states + state;
        let moves = |at: u32| {
            let (position, state) = ((at / n_states) as usize, at % n_states);
            let edges = self.edges(state).iter().filter(move |edge| edge.label.admits(word[position]));
            edges.map(move |edge| (node(shape.next(position), edge.target), edge.colours))
        };
        let graph = |at: u32, out: &mut Vec<u32>| out.extend(moves(at).map(|(to, _)| to));
        components(&[0], graph).iter().filter(|component| component.has_cycle).any(|component| {
            let inner = component.nodes.iter().flat_map(|&at| moves(at));
            let seen =
                inner.filter(|(to, _)| component.nodes.contains(to)).fold(0, |seen, (_, colours)| seen | colours);
            seen == self.all_colours()
        })
    }
}
