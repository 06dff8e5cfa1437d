//! AG EF with parameters under reduction: their values are tracked along steps.

use burnside_ir::{Binder, Domain, Model, PropertyId, TypeId};
use burnside_temporal::{Point, RenamingId, State};

use super::graph::{StateGraph, TruthTable};
use super::points::Points;

/// Whether the parameters of a property all go through types, so that what becomes of them along a step is known.
pub(crate) fn can_be_tracked(model: &Model, property: PropertyId) -> bool {
    model.property(property).binders.iter().all(|binder| match binder {
        Binder::Param { domain, .. } => matches!(domain, Domain::Type(_)),
        Binder::Value { .. } | Binder::Reference { .. } => true,
    })
}

/// The first state, and values of the parameters there, from which no state can be reached where the condition holds of
/// what has become of them; nothing if there is none.
///
/// SOUND: frames permute values, so an execution that is in the concrete state F(s) can be there with any values, F of some
/// values in the names of s. By Lemma 1 pairs (s, values) with steps to (target, renamed values) are the concrete graph
/// with concrete values up to names, and the condition moves with the group as every property does that was proved
/// invariant. So a pair reaches one where the condition holds if and only if the concrete pair does.
pub(crate) fn hopeless(graph: &StateGraph<'_>, table: &TruthTable, types: &[TypeId]) -> Option<(State, Vec<i64>)> {
    let n_values = table.n_instances;
    let tuples = tuples(&graph.points, types);
    let back: Vec<Vec<u32>> = graph
        .renamings
        .iter()
        .map(|renaming| {
            let mut back = vec![0; n_values];
            for (place, tuple) in tuples.iter().enumerate() {
                let renamed = tuple.iter().map(|&point| renaming.image(point as usize) as Point);
                back[table.place(renamed)] = place as u32;
            }
            back
        })
        .collect();
    let backward = Backward::new(graph);
    let mut reaches: Vec<bool> = (0..graph.n_states * n_values).map(|at| table.is_true(at)).collect();
    let mut todo: Vec<usize> = (0..reaches.len()).filter(|&at| reaches[at]).collect();
    while let Some(at) = todo.pop() {
        for &(source, renaming) in backward.steps_to(at / n_values) {
            let before = source as usize * n_values + back[renaming as usize][at % n_values] as usize;
            if !std::mem::replace(&mut reaches[before], true) {
                todo.push(before);
            }
        }
    }
    let at = reaches.iter().position(|reaches| !reaches)?;
    let values = tuples[at % n_values].iter().zip(types).map(|(&point, &ty)| graph.points.value(ty, point));
    Some(((at / n_values) as State, values.collect()))
}

/// All values of parameters of these types together, the first changing last.
fn tuples(points: &Points, types: &[TypeId]) -> Vec<Vec<Point>> {
    types.iter().fold(vec![Vec::new()], |tuples, &ty| {
        let domain = points.domain(ty);
        let longer = |tuple: &Vec<Point>| {
            let tuple = tuple.clone();
            domain.iter().map(move |&point| tuple.iter().copied().chain([point]).collect()).collect::<Vec<_>>()
        };
        tuples.iter().flat_map(longer).collect()
    })
}

/// The steps that lead to each state.
struct Backward {
    /// Where those of each state begin; one more entry than states.
    first: Vec<usize>,
    sources: Vec<(State, RenamingId)>,
}

impl Backward {
    fn new(graph: &StateGraph<'_>) -> Self {
        let mut first = vec![0; graph.n_states + 1];
        graph.edges.iter().for_each(|edge| first[edge.target as usize] += 1);
        let mut total = 0;
        for first in &mut first {
            total += *first;
            *first = total;
        }
        let mut sources = vec![(0, 0); graph.edges.len()];
        for state in 0..graph.n_states as State {
            for edge in graph.steps(state) {
                let place = &mut first[edge.target as usize];
                *place -= 1;
                sources[*place] = (state, edge.renaming);
            }
        }
        Self { first, sources }
    }

    fn steps_to(&self, state: usize) -> &[(State, RenamingId)] {
        &self.sources[self.first[state]..self.first[state + 1]]
    }
}
