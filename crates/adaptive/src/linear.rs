//! Formulas about executions on annotated states.
//!
// SOUND: take a node for each annotated state that was expanded, with a step to a node that stands for everything that a step
// of a group from some part of its orbit leads to; and a step to itself if nothing is enabled in some member. If x is in the
// orbit of a node and x → y, some step leads to a node whose orbit has y; if x has no step, its execution stays at the node.
// So every execution has a path of nodes, with the same truth of conditions that no permutation changes. If no path of nodes
// violates a formula, no execution does. The converse fails: steps from a node may be those of different members, none of
// which goes all the way. A path of nodes that violates a formula is therefore searched for an execution within its orbits; if
// none is found, another engine is asked.

use std::ops::ControlFlow;

use burnside_diag::Span;
use burnside_engine::{Answer, Asked, Breach, Evidence, Reason, Task, Trace, Verdict};
use burnside_interp::{Interpreter, Outcome as StepOutcome, StepEnd};
use burnside_ir::{Claim, PropertyKind, RuleId};
use burnside_step::DeadlockMode;
use burnside_temporal::{Finding, LassoStep, State};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::bisimilar::claims::{self, Outcome, Shown};
use crate::bisimilar::graph::{ENDED, OrbitGraph};
use crate::bisimilar::search::violated;
use crate::expand::Steps;
use crate::explain::Explainer;
use crate::setup::Setup;
use crate::visited::{NodeId, Visited};
use crate::worker::Worker;

/// So many states are tried in search of an execution.
const MOST_TRIED: usize = 1 << 16;

/// What stands against checking the temporal properties that are asked about.
pub(crate) fn stumbling_block(task: &Task<'_>, setup: &Setup) -> Option<(&'static str, Span)> {
    let temporal = task.temporal_properties();
    let first = task.model.property(*temporal.first()?).span;
    if let Some(&property) = task.properties(PropertyKind::Branching).first() {
        return Some(("a CTL property", task.model.property(property).span));
    }
    if !task.properties(PropertyKind::Assumption).is_empty() {
        return Some(("a temporal property beside assumptions", first));
    }
    if task.keeps_states {
        return Some(("a certificate of a temporal property", first));
    }
    claims::names_somebody(task, setup)
}

/// What a search has found.
#[derive(Clone, Copy)]
pub(crate) struct Known<'a> {
    pub(crate) task: &'a Task<'a>,
    pub(crate) setup: &'a Setup,
    pub(crate) visited: &'a Visited,
}

/// The answer to every temporal property, once all nodes are known and everything else holds.
pub(crate) fn answers(known: Known<'_>, worker: &mut Worker<'_>) -> Result<Vec<Answer>, Reason> {
    if known.task.temporal_properties().is_empty() {
        return Ok(Vec::new());
    }
    let nodes: Vec<NodeId> = known.visited.ids().filter(|&id| !known.visited.get(id).replaced).collect();
    let mut graph = known.graph(worker, &nodes).ok_or(Reason::Undecided)?;
    let states: Vec<Vec<u64>> = nodes.iter().map(|&id| known.visited.state(id)).collect();
    let claims = claims::evaluate(known.task, known.setup, &states, &mut graph)?;
    let mut answer = |claim: &Claim| {
        let mut notes = claims::vacuous(&graph, claim);
        let verdict = match claims::linear(&graph, claim, &mut notes) {
            Outcome::Holds => Verdict::Holds(Evidence::Exhausted),
            Outcome::TooLarge => claims::too_large(&mut notes),
            Outcome::Violated(Shown::At(_)) => return Err(Reason::Undecided),
            Outcome::Violated(Shown::By(finding)) => {
                let way = Pursuit { known, worker: &mut *worker, nodes: &nodes, n_tried: 0 }.pursue(&graph, &finding);
                let (states, loop_start) = way.ok_or(Reason::NoExecution)?;
                let trace = Explainer::new(known.task, worker, known.visited).trace_along(states);
                let trace = trace.ok_or(Reason::Unexplained)?;
                violated(Breach::Temporal(claim.property, Vec::new()), Some(Trace { loop_start, ..trace }))
            }
        };
        Ok(Answer { asked: Asked::Property(claim.property), verdict, notes })
    };
    claims.into_iter().map(&mut answer).collect()
}

impl Known<'_> {
    /// The graph of the nodes that were expanded; nothing if a step is cut off or leads to what none of them is known
    /// to stand for.
    fn graph(self, worker: &mut Worker<'_>, nodes: &[NodeId]) -> Option<OrbitGraph> {
        let numbers: FxHashMap<NodeId, State> = nodes.iter().copied().zip(0..).collect();
        let mut graph = OrbitGraph::default();
        let mut steps = Steps::new(self.task.layout.n_words());
        for &id in nodes {
            let (state, partition) = (self.visited.state(id), self.visited.get(id).partition);
            worker.expand((&state, partition), &mut steps);
            let mut next: Vec<(State, Option<RuleId>)> = Vec::new();
            for fired in steps.iter() {
                // An assumption in a rule cuts executions off, which are then none.
                if fired.step.end != StepEnd::Next {
                    return None;
                }
                let candidate = worker.candidate(fired.step.state.to_vec(), fired.partition);
                let target = numbers[&self.visited.expanded(worker, &candidate)?];
                if next.iter().all(|(known, _)| *known != target) {
                    next.push((target, Some(fired.rule)));
                }
            }
            if !next.is_empty() && worker.deadlock(DeadlockMode::Stuck, (&state, partition)).is_some() {
                next.push((numbers[&id], None));
            }
            graph.steps.push(next);
        }
        // Whatever stands for a start state that was left out is of the same depth, and so one itself.
        let is_start = |id: &NodeId| self.visited.get(*id).origin.parent.is_none();
        graph.starts = nodes.iter().filter(|id| is_start(id)).map(|id| numbers[id]).collect();
        Some(graph)
    }
}

/// Looks for an execution among the members of the orbits of a path.
struct Pursuit<'a, 'w, 'm> {
    known: Known<'a>,
    worker: &'w mut Worker<'m>,
    nodes: &'a [NodeId],
    n_tried: usize,
}

/// The states of an execution, and the number of the one at which its loop begins.
type Way = (Vec<Vec<u64>>, Option<usize>);

/// A position on a path and a state there.
type Place = (usize, Vec<u64>);

impl Pursuit<'_, '_, '_> {
    /// An execution along a finding.
    fn pursue(&mut self, graph: &OrbitGraph, finding: &Finding) -> Option<Way> {
        let path = Path::new(graph, finding)?;
        let mut done: FxHashSet<Place> = FxHashSet::default();
        let starts = self.start_states();
        for start in starts {
            if !self.is_member(&start, path.nodes[0]) {
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
                            _ => self.following(&path, &place)?,
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
        let found = self.successors(state)?.into_iter().filter(|it| self.is_member(it, path.nodes[next]));
        Some(found.map(|state| (next, state)).collect())
    }

    /// Where steps lead from a state; nothing if too many states were tried.
    fn successors(&mut self, state: &[u64]) -> Option<Vec<Vec<u64>>> {
        self.n_tried += 1;
        if self.n_tried > MOST_TRIED {
            return None;
        }
        let task = self.known.task;
        let mut values = vec![0; task.layout.slots().len()];
        task.layout.unpack(state, &mut values);
        let mut found = Vec::new();
        let mut interpreter: Interpreter<'_> = task.interpreter();
        interpreter.successors(&values, |_, _, outcome| {
            if let StepOutcome::Next(next) = outcome {
                found.push(packed(task, next));
            }
            ControlFlow::Continue(())
        });
        Some(found)
    }

    fn start_states(&mut self) -> Vec<Vec<u64>> {
        let task = self.known.task;
        let mut found = Vec::new();
        task.interpreter().starts(|_, _, outcome| {
            if let StepOutcome::Next(next) = outcome {
                found.push(packed(task, next));
            }
            ControlFlow::Continue(())
        });
        found
    }

    /// Whether a node stands for a state.
    fn is_member(&mut self, state: &[u64], node: State) -> bool {
        let id = self.nodes[node as usize];
        let cells = self.worker.partitions.get(self.known.visited.get(id).partition);
        let mut state = state.to_vec();
        self.worker.arranger.canonicalise(&cells.cells, &mut state);
        state == self.known.visited.state(id)
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
    fn new(graph: &OrbitGraph, finding: &Finding) -> Option<Self> {
        let (start, steps, loop_start, last) = match finding {
            Finding::Prefix(prefix) => (prefix.start, prefix.steps.iter().collect(), None, Some(prefix.end.0)),
            Finding::Lasso(lasso) => {
                let steps: Vec<&LassoStep> = lasso.stem.iter().chain(&lasso.cycle).collect();
                (lasso.start, steps, Some(lasso.stem.len()), None)
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
        debug_assert!(graph.starts.get(start) == nodes.first(), "it begins where executions do");
        let loop_start = loop_start.filter(|_| end == End::Loop);
        Some(Self { nodes, loop_start, end })
    }
}
