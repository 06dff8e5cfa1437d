//! Formulas about executions on annotated states.
//!
// SOUND: take a node for each annotated state that was expanded, with a step to a node that stands for everything that a step
// of a group from some part of its orbit leads to; and a step to itself if nothing is enabled in some member. If x is in the
// orbit of a node and x → y, some step leads to a node whose orbit has y; if x has no step, its execution stays at the node.
// So every execution has a path of nodes, with the same truth of conditions that no permutation changes. If no path of nodes
// violates a formula, no execution does. The converse fails: steps from a node may be those of different members, none of
// which goes all the way. A path of nodes that violates a formula is therefore searched for an execution within its orbits; if
// none is found, another engine is asked.

use burnside_diag::Span;
use burnside_engine::{Answer, Asked, Breach, Evidence, Reason, Task, Verdict};
use burnside_interp::StepEnd;
use burnside_ir::{Claim, PropertyKind, RuleId};
use burnside_step::DeadlockMode;
use burnside_temporal::State;
use rustc_hash::FxHashMap;

use crate::bisimilar::claims::{self, Outcome, Shown};
use crate::bisimilar::graph::OrbitGraph;
use crate::bisimilar::search::violated;
use crate::expand::Steps;
use crate::pursuit::pursue;
use crate::setup::Setup;
use crate::visited::{NodeId, Visited};
use crate::worker::{Orbit, Worker};

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
                let mut is_member = |state: &[u64], node: State| {
                    let id = nodes[node as usize];
                    let cells = worker.partitions.get(known.visited.get(id).partition);
                    let mut state = state.to_vec();
                    worker.arranger.canonicalise(&cells.cells, &mut state);
                    state == known.visited.state(id)
                };
                let trace = pursue(known.task, &finding, &mut is_member).ok_or(Reason::NoExecution)?;
                violated(Breach::Temporal(claim.property, Vec::new()), Some(trace))
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
            worker.expand(Orbit { state: &state, partition }, &mut steps);
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
            if !next.is_empty() && worker.deadlock(DeadlockMode::Stuck, Orbit { state: &state, partition }).is_some() {
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
