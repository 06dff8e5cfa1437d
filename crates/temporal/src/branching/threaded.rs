//! The graph of representatives with values of variables.

use crate::graph::{Point, Quotient, State};
use crate::observer::image;

use super::labels::Scope;

/// Successors of pairs of a representative and values, numbered state by state.
pub(crate) struct Threaded {
    successors: Vec<Vec<u32>>,
}

/// One step of the graph with values, before and after.
pub(crate) struct ThreadedStep<'a> {
    pub(crate) state: State,
    /// The place of the values in the scope.
    pub(crate) place: usize,
    /// The values in the names that the step is given in.
    pub(crate) values: &'a [Point],
    pub(crate) rule: Option<u32>,
    pub(crate) actors: &'a [Point],
    pub(crate) target: State,
    pub(crate) target_place: usize,
}

/// Calls `visit` with every step of every state with all values of a scope.
///
/// SOUND: where steps were left out for symmetries of a state, values that these take to one another describe the same
/// concrete situation, so the steps of all of them are steps of each.
pub(crate) fn for_each_threaded_step<G: Quotient>(
    graph: &G,
    n_states: usize,
    scope: &Scope,
    mut visit: impl FnMut(ThreadedStep<'_>),
) {
    for state in 0..n_states as State {
        let orbits = orbits(graph, state, scope);
        graph.for_each_step(state, |step| {
            let renaming = graph.renaming(step.renaming);
            for (place, others) in orbits.iter().enumerate() {
                for &other in others {
                    let values = &scope.tuples[other];
                    let renamed: Vec<Point> = values.iter().map(|&point| image(&renaming, point)).collect();
                    visit(ThreadedStep {
                        state,
                        place,
                        values,
                        rule: step.rule,
                        actors: step.actors,
                        target: step.target,
                        target_place: scope.place(&renamed),
                    });
                }
            }
        });
    }
}

/// For the values at each place, the places of all values that mean the same because steps were left out.
fn orbits<G: Quotient>(graph: &G, state: State, scope: &Scope) -> Vec<Vec<usize>> {
    let generators = if graph.is_pruned() { graph.symmetries(state) } else { Vec::new() };
    let orbit = |place: usize| {
        let mut members = vec![place];
        let mut at = 0;
        while at < members.len() {
            for generator in &generators {
                let values = &scope.tuples[members[at]];
                let renamed: Vec<Point> = values.iter().map(|&point| image(generator, point)).collect();
                let other = scope.place(&renamed);
                if !members.contains(&other) {
                    members.push(other);
                }
            }
            at += 1;
        }
        members
    };
    (0..scope.tuples.len()).map(orbit).collect()
}

impl Threaded {
    pub(crate) fn new<G: Quotient>(graph: &G, n_states: usize, scope: &Scope) -> Self {
        let n_values = scope.tuples.len();
        let mut successors = vec![Vec::new(); n_states * n_values];
        for_each_threaded_step(graph, n_states, scope, |step| {
            let target = step.target as usize * n_values + step.target_place;
            successors[step.state as usize * n_values + step.place].push(target as u32);
        });
        for list in &mut successors {
            list.sort_unstable();
            list.dedup();
        }
        let mut threaded = Threaded { successors };
        threaded.drop_dead_ends();
        threaded
    }

    /// Steps into what has no path through it are no steps of a path.
    fn drop_dead_ends(&mut self) {
        let alive = self.always(&vec![true; self.successors.len()]);
        for list in &mut self.successors {
            list.retain(|&target| alive[target as usize]);
        }
    }

    /// Whether some successor satisfies it.
    pub(crate) fn next(&self, f: &[bool]) -> Vec<bool> {
        self.successors.iter().map(|list| list.iter().any(|&target| f[target as usize])).collect()
    }

    /// Whether a path satisfies `f` until it satisfies `g`: backwards from `g`, which must have a path.
    pub(crate) fn until(&self, f: &[bool], g: &[bool]) -> Vec<bool> {
        let predecessors = self.predecessors();
        let mut found: Vec<bool> =
            g.iter().zip(&self.successors).map(|(holds, list)| *holds && !list.is_empty()).collect();
        let mut todo: Vec<u32> = (0..found.len() as u32).filter(|&node| found[node as usize]).collect();
        while let Some(node) = todo.pop() {
            for &before in &predecessors[node as usize] {
                if f[before as usize] && !found[before as usize] {
                    found[before as usize] = true;
                    todo.push(before);
                }
            }
        }
        found
    }

    /// Whether some path satisfies it for ever: what is left when nodes without a successor left are removed.
    pub(crate) fn always(&self, f: &[bool]) -> Vec<bool> {
        let predecessors = self.predecessors();
        let mut left = f.to_vec();
        let count = |list: &Vec<u32>| list.iter().filter(|&&target| f[target as usize]).count();
        let mut counts: Vec<usize> = self.successors.iter().map(count).collect();
        let mut todo: Vec<u32> =
            (0..left.len() as u32).filter(|&node| f[node as usize] && counts[node as usize] == 0).collect();
        while let Some(node) = todo.pop() {
            left[node as usize] = false;
            for &before in &predecessors[node as usize] {
                counts[before as usize] -= 1;
                if counts[before as usize] == 0 && left[before as usize] {
                    todo.push(before);
                }
            }
        }
        left
    }

    fn predecessors(&self) -> Vec<Vec<u32>> {
        let mut predecessors = vec![Vec::new(); self.successors.len()];
        for (node, list) in self.successors.iter().enumerate() {
            for &target in list {
                predecessors[target as usize].push(node as u32);
            }
        }
        predecessors
    }
}
