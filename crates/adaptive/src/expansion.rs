//! What follows a node, as far as that can be said while others are expanded.
//!
//! An [`Expansion`] is computed against the nodes known at that time and settled later, in order. What it leaves out is
//! subsumed by a known node, and stays so.

use burnside_engine::{Disagreement, Task};
use burnside_interp::StepEnd;
use burnside_ir::RuleId;
use burnside_step::Judge;

use crate::expand::Steps;
use crate::inspect::{Assumed, Inspection};
use crate::visited::{Candidate, NodeId, Origin, Visited};
use crate::worker::{Orbit, Worker};

/// What is the same for all that are expanded at a time.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'a> {
    pub(crate) task: &'a Task<'a>,
    pub(crate) judge: &'a Judge,
    pub(crate) visited: &'a Visited,
}

/// What follows a node.
pub(crate) struct Expansion {
    pub(crate) id: NodeId,
    /// How often rules fired, up to a fault.
    pub(crate) fired: Vec<(RuleId, u64)>,
    pub(crate) reached: Vec<Reached>,
    /// A member in which a rule faults, after everything that was reached.
    pub(crate) fault: Option<Vec<u64>>,
    /// A member that is a deadlock.
    pub(crate) deadlock: Option<Vec<u64>>,
    /// Binary logarithm of how many states the node stands for, at most.
    pub(crate) yield_bits: f64,
    /// What differed when the node's state was looked at twice.
    pub(crate) disagreement: Option<Box<Disagreement>>,
}

/// An orbit that a step leads to, not subsumed by what was known.
pub(crate) struct Reached {
    pub(crate) candidate: Candidate,
    pub(crate) origin: Origin,
    pub(crate) inspection: Inspection,
    /// How many nodes were known.
    pub(crate) n_known: usize,
}

impl Scope<'_> {
    /// Expands a node.
    pub(crate) fn expand(self, worker: &mut Worker<'_>, id: NodeId, steps: &mut Steps) -> Expansion {
        let node = self.visited.get(id);
        let (state, partition) = (self.visited.state(id), node.partition);
        worker.expand(Orbit { state: &state, partition }, steps);
        let deadlocks = self.task.deadlocks();
        let mut all_lead_on = false;
        let mut expansion = Expansion {
            id,
            fired: Vec::new(),
            reached: Vec::new(),
            fault: None,
            deadlock: None,
            yield_bits: steps.yield_bits(),
            disagreement: worker.audit.as_mut().and_then(|audit| audit.visit(&state)),
        };
        for fired in steps.iter() {
            match expansion.fired.last_mut() {
                Some((rule, n)) if *rule == fired.rule => *n += 1,
                _ => expansion.fired.push((fired.rule, 1)),
            }
            all_lead_on |= fired.partition == partition && deadlocks.is_way_on(fired.step.stays_in(&state));
            match fired.step.end {
                StepEnd::Next => {
                    let origin = Origin {
                        parent: Some(id),
                        source: (fired.rule.0, fired.group),
                        from: fired.from.map(Into::into),
                        partition: fired.partition,
                    };
                    let reached = self.reach(worker, fired.step.state.to_vec(), origin);
                    expansion.reached.extend(reached);
                }
                StepEnd::Pruned => {}
                StepEnd::Fault => expansion.fault = Some(fired.from.unwrap_or(&state).to_vec()),
            }
        }
        if deadlocks.is_dead(all_lead_on) && expansion.fault.is_none() {
            expansion.deadlock = worker.deadlock(deadlocks, Orbit { state: &state, partition });
        }
        expansion
    }

    /// What is new in the orbit that a step leads to.
    pub(crate) fn reach(self, worker: &mut Worker<'_>, state: Vec<u64>, origin: Origin) -> Vec<Reached> {
        let partition = origin.partition;
        let (parts, partition) = match worker.assume(self.judge, Orbit { state: &state, partition }) {
            Assumed::Whole => (vec![state], partition),
            Assumed::Parts(parts, finer) => (parts, finer),
            Assumed::Breach(member) => {
                // The breach is found in a state of its own, so that there is a way to it.
                let inspection = Inspection { breach: Some(member), covered: Vec::new() };
                let candidate = worker.candidate(state, partition);
                return self.new_one(worker, candidate, origin, Some(inspection)).into_iter().collect();
            }
        };
        let parts = parts.into_iter().filter_map(|part| {
            let candidate = worker.candidate(part, partition);
            self.new_one(worker, candidate, origin.clone(), None)
        });
        parts.collect()
    }

    fn new_one(
        self,
        worker: &mut Worker<'_>,
        candidate: Candidate,
        origin: Origin,
        inspection: Option<Inspection>,
    ) -> Option<Reached> {
        if self.visited.knows(worker, &candidate) {
            return None;
        }
        let inspection = inspection.unwrap_or_else(|| worker.inspect(self.judge, candidate.part()));
        Some(Reached { candidate, origin, inspection, n_known: self.visited.len() })
    }
}
