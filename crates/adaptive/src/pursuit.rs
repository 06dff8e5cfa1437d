//! An execution of the model along a path of nodes each of which stands for states: there may be none.

use std::ops::ControlFlow;

use burnside_engine::{Task, Trace};
use burnside_interp::Outcome;
use burnside_temporal::{Finding, LassoStep, State};
use rustc_hash::FxHashSet;

use crate::bisimilar::graph::ENDED;
use crate::explain::trace_along;

/// So many states are tried.
const MOST_TRIED: usize = 1 << 16;

/// An execution through states that the nodes of a finding stand for; nothing if none was found.
pub(crate) fn pursue(
    task: &Task<'_>,
    finding: &Finding,
    is_member: &mut dyn FnMut(&[u64], State) -> bool,
) -> Option<Trace> {
    let path = Path::new(finding)?;
    let (states, loop_start) = Pursuit { task, is_member, n_tried: 0 }.way(&path)?;
    let trace = trace_along(task, states)?;
    Some(Trace { loop_start, ..trace })
}

/// Looks for an execution among the members of the orbits of a path.
struct Pursuit<'a> {
    task: &'a Task<'a>,
    /// Whether a node stands for a state.
    is_member: &'a mut dyn FnMut(&[u64], State) -> bool,
    n_tried: usize,
}

/// The states of an execution, and the number of the one at which its loop begins.
type Way = (Vec<Vec<u64>>, Option<usize>);

/// A position on a path and a state there.
type Place = (usize, Vec<u64>);

impl Pursuit<'_> {
    fn way(&mut self, path: &Path) -> Option<Way> {
        let mut done: FxHashSet<Place> = FxHashSet::default();
        let starts = self.start_states();
        for start in starts {
            if !(self.is_member)(&start, path.nodes[0]) {
                continue;
            }
            // Depth first; each place with the places that follow it and are not tried yet.
            let mut stack: Vec<(Place, Vec<Place>)> = Vec::new();
            let mut entered = Some((0, start));
            loop {
                if let Some(place) = entered.take() {
                    let looks_back = place.0 >= path.loop_start.unwrap_or(usize::MAX);
                    let again = stack.iter().position(|(known, _)| looks_back && *known == place);
                    if let Some(begin) = again {
                        return Some((states(&stack, place.1), Some(begin)));
                    }
                    if done.insert(place.clone()) {
                        let is_last = place.0 + 1 == path.nodes.len();
                        let next = match (is_last, path.end) {
                            (true, End::Anyhow) => return Some((states(&stack, place.1), None)),
                            (true, End::Stuck) => {
                                if self.successors(&place.1)?.is_empty() {
                                    return Some((states(&stack, place.1), Some(stack.len())));
                                }
                                Vec::new()
                            }
                            _ => self.following(path, &place)?,
                        };
                        stack.push((place, next));
                    }
                }
                let Some((_, next)) = stack.last_mut() else { break };
                match next.pop() {
                    Some(place) => entered = Some(place),
                    None => drop(stack.pop()),
                }
            }
        }
        None
    }

    /// The places that a step leads to from a place on the path.
    fn following(&mut self, path: &Path, (at, state): &Place) -> Option<Vec<Place>> {
        let next = if at + 1 < path.nodes.len() { at + 1 } else { path.loop_start? };
        let found = self.successors(state)?.into_iter().filter(|it| (self.is_member)(it, path.nodes[next]));
        Some(found.map(|state| (next, state)).collect())
    }

    /// Where steps lead from a state; nothing if too many states were tried.
    fn successors(&mut self, state: &[u64]) -> Option<Vec<Vec<u64>>> {
        self.n_tried += 1;
        if self.n_tried > MOST_TRIED {
            return None;
        }
        let task = self.task;
        let mut values = vec![0; task.layout.slots().len()];
        task.layout.unpack(state, &mut values);
        let mut found = Vec::new();
        task.interpreter().successors(&values, |_, _, outcome| {
            if let Outcome::Next(next) = outcome {
                found.push(packed(task, next));
            }
            ControlFlow::Continue(())
        });
        Some(found)
    }

    fn start_states(&mut self) -> Vec<Vec<u64>> {
        let task = self.task;
        let mut found = Vec::new();
        task.interpreter().starts(|_, _, outcome| {
            if let Outcome::Next(next) = outcome {
                found.push(packed(task, next));
            }
            ControlFlow::Continue(())
        });
        found
    }
}

fn packed(task: &Task<'_>, values: &[i64]) -> Vec<u64> {
    let mut state = vec![0; task.layout.n_words()];
    task.layout.pack(values, &mut state);
    state
}

/// The states on the way to the last one.
fn states(stack: &[(Place, Vec<Place>)], last: Vec<u64>) -> Vec<Vec<u64>> {
    stack.iter().map(|((_, state), _)| state.clone()).chain([last]).collect()
}

/// What must come behind the last node of a path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// Whatever follows.
    Anyhow,
    /// The execution ends.
    Stuck,
    /// It goes on at the beginning of the loop.
    Loop,
}

/// The nodes that a finding goes through.
struct Path {
    nodes: Vec<State>,
    loop_start: Option<usize>,
    end: End,
}

impl Path {
    /// Nothing if it ends and goes on all the same.
    fn new(finding: &Finding) -> Option<Self> {
        let (steps, loop_start, last) = match finding {
            Finding::Prefix(prefix) => (prefix.steps.iter().collect(), None, Some(prefix.end.0)),
            Finding::Lasso(lasso) => {
                let steps: Vec<&LassoStep> = lasso.stem.iter().chain(&lasso.cycle).collect();
                (steps, Some(lasso.stem.len()), None)
            }
        };
        let ended = steps.iter().position(|step| step.label == ENDED);
        let (n_steps, end) = match (ended, loop_start) {
            (Some(at), _) if steps[at..].iter().any(|step| step.label != ENDED) => return None,
            (Some(at), _) => (at, End::Stuck),
            (None, None) => (steps.len(), End::Anyhow),
            (None, Some(_)) => (steps.len(), End::Loop),
        };
        let mut nodes: Vec<State> = steps[..n_steps].iter().map(|step| step.state).collect();
        match end {
            End::Stuck => nodes.push(steps[n_steps].state),
            End::Anyhow => nodes.extend(last),
            End::Loop => {}
        }
        let loop_start = loop_start.filter(|_| end == End::Loop);
        Some(Self { nodes, loop_start, end })
    }
}
