//! The search: breadth first over annotated states.

use std::collections::VecDeque;

use burnside_engine::{Breach, Counts, DeadlockMode, Evidence, Monitor, Report, Shortfall, Task, Verdict, Violation};
use burnside_interp::Outcome;
use burnside_ir::{PropertyId, PropertyKind, RuleId, StartId, UNDEFINED};

use crate::bindings::{bindings, twin_groups};
use crate::deadlock::{deadlock, is_way_on};
use crate::engine::{GaveUp, Patience};
use crate::expand::{End, Expander, Fired};
use crate::explain::Explainer;
use crate::inspect::{Inspection, Watched};
use crate::partitions::{PartitionId, Partitions};
use crate::setup::Setup;
use crate::visited::{Candidate, NodeId, Origin, Visited};

/// How many nodes are expanded between two reports to the monitor.
const NODES_PER_REPORT: u64 = 64;

/// A patient search goes on whatever it finds; an impatient one looks at its yield whenever this many times two to some
/// power nodes were expanded.
const FIRST_LOOK: u64 = 500;

/// An impatient search ends if its nodes stand for fewer than two to this many states each, on average.
const LEAST_YIELD_BITS: f64 = 5.0;

/// What ends a search early.
pub(crate) enum Halt {
    Found(Finding),
    Short(Shortfall),
    GaveUp,
}

/// Something wrong in a member of a node's orbit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Finding {
    StartFault,
    Property(NodeId, Vec<i64>),
    RuleFault(NodeId, Vec<i64>, RuleId, Vec<i64>),
    Deadlock(NodeId, Vec<i64>),
}

/// A step whose target is still to be looked at.
struct Pending {
    target: Option<Vec<i64>>,
    origin: Origin,
    is_fault: bool,
}

/// A state with the cells of its partition.
#[cfg(test)]
pub(crate) type Represented = (Vec<i64>, Vec<Vec<usize>>);

pub(crate) struct Search<'m> {
    task: &'m Task<'m>,
    monitor: &'m Monitor,
    setup: &'m Setup,
    patience: Patience,
    partitions: Partitions,
    expander: Expander<'m>,
    watched: Watched,
    visited: Visited,
    frontier: VecDeque<NodeId>,
    fired: Vec<u64>,
    n_expanded: u64,
    n_skipped: u64,
    depth: u32,
    cut: bool,
    yield_bits: f64,
}

impl<'m> Search<'m> {
    pub(crate) fn new(task: &'m Task<'m>, monitor: &'m Monitor, setup: &'m Setup, patience: Patience) -> Self {
        let mut partitions = Partitions::default();
        let expander = Expander::new((task.model, task.layout, task.step_limits), setup, &mut partitions);
        let watched = Watched::new(task, &expander, &mut partitions);
        Self {
            task,
            monitor,
            setup,
            patience,
            partitions,
            expander,
            watched,
            visited: Visited::new(setup.coarsens),
            frontier: VecDeque::new(),
            fired: vec![0; task.model.rules.len()],
            n_expanded: 0,
            n_skipped: 0,
            depth: 0,
            cut: false,
            yield_bits: 0.0,
        }
    }

    pub(crate) fn run(mut self) -> Result<Report, GaveUp> {
        let end = self.begin().and_then(|()| self.go_on());
        let verdict = match end {
            Err(Halt::GaveUp) => return Err(GaveUp::LittleSymmetry),
            Err(Halt::Short(shortfall)) => Verdict::Unknown(shortfall),
            Err(Halt::Found(finding)) => {
                let explainer = Explainer::new(self.task, self.setup, &self.partitions, &self.visited);
                Verdict::Violated(Box::new(explainer.explain(&finding).ok_or(GaveUp::Unexplained)?))
            }
            Ok(()) if self.cut => Verdict::Unknown(Shortfall::Depth(self.monitor.budget().depth.unwrap_or(0))),
            Ok(()) => match self.uncovered() {
                Some(property) => {
                    Verdict::Violated(Box::new(Violation { breach: Breach::Uncovered(property), trace: None }))
                }
                None => Verdict::Holds(Evidence::Exhausted),
            },
        };
        let counts = self.counts();
        self.monitor.publish(counts);
        Ok(Report { verdict, counts, fired: self.fired })
    }

    /// Everything reached, unless something is wrong in it.
    #[cfg(test)]
    pub(crate) fn into_nodes(mut self) -> Option<Vec<Represented>> {
        self.begin().and_then(|()| self.go_on()).ok()?;
        let nodes = (0..self.visited.len() as u32).map(|at| self.visited.get(NodeId(at)));
        Some(nodes.map(|node| (node.state.to_vec(), self.partitions.cells(node.partition).to_vec())).collect())
    }

    /// The first property that was to be covered and is not.
    fn uncovered(&mut self) -> Option<PropertyId> {
        let met = self.expander.interpreter.take_covered();
        let points = self.task.properties(PropertyKind::CoverPoint);
        let points = points.into_iter().filter(|point| !met.contains(point));
        self.watched.uncovered().chain(points).min()
    }

    /// Start states are what start rules lead to from the state without values, which is symmetric.
    fn begin(&mut self) -> Result<(), Halt> {
        let setup = self.setup;
        let nothing = vec![UNDEFINED; setup.action.n_slots];
        for (at, instances) in setup.starts.iter().enumerate() {
            for (number, group) in instances.family.groups.iter().enumerate() {
                let partition = self.partitions.id(&group.partition);
                let twins = twin_groups(&setup.action, &nothing, self.partitions.cells(partition));
                let mut args: Vec<Vec<i64>> = Vec::new();
                bindings(&setup.action, instances, Some(group), &twins, &mut |chosen| args.push(chosen.to_vec()));
                for args in args {
                    let state = self.expander.interpreter.begin(StartId(at as u32), &args, |outcome| match outcome {
                        Outcome::Next(state) => Ok(Some(state.to_vec())),
                        Outcome::Pruned => Ok(None),
                        Outcome::Fault(..) => Err(Halt::Found(Finding::StartFault)),
                    });
                    let Some(Some(state)) = state.transpose()? else { continue };
                    let source = (at as u32, number as u32);
                    let (args, from) = (args.into(), Box::default());
                    self.reach(state, Origin { parent: None, source, args, from, partition }, 0)?;
                }
            }
        }
        Ok(())
    }

    fn go_on(&mut self) -> Result<(), Halt> {
        while let Some(id) = self.frontier.pop_front() {
            if self.visited.get(id).replaced {
                self.n_skipped += 1;
                continue;
            }
            self.expand(id)?;
            self.n_expanded += 1;
            if self.n_expanded.is_multiple_of(NODES_PER_REPORT) {
                self.report()?;
            }
        }
        self.report()
    }

    fn report(&self) -> Result<(), Halt> {
        self.monitor.publish(self.counts()).map_or(Ok(()), |shortfall| Err(Halt::Short(shortfall)))
    }

    fn expand(&mut self, id: NodeId) -> Result<(), Halt> {
        let node = self.visited.get(id);
        let (state, partition, depth) = (node.state.clone(), node.partition, node.depth);
        self.weigh(&state, partition)?;
        let mode = if self.task.only.is_some() { DeadlockMode::Off } else { self.task.deadlock };
        let mut pending: Vec<Pending> = Vec::new();
        let mut all_lead_on = mode == DeadlockMode::Off;
        let fired = &mut self.fired;
        self.expander.expand(&mut self.partitions, (&state, partition), &mut |_, step: Fired<'_>| {
            fired[step.rule.index()] += 1;
            all_lead_on |= step.partition == partition && is_way_on(mode, step.from, step.end);
            let target = match step.end {
                End::Next(next) => Some(next.to_vec()),
                End::Pruned | End::Fault => None,
            };
            let origin = Origin {
                parent: Some(id),
                source: (step.rule.0, step.group as u32),
                args: step.args.into(),
                from: step.from.into(),
                partition: step.partition,
            };
            pending.push(Pending { target, origin, is_fault: step.end == End::Fault });
        });
        for Pending { target, origin, is_fault } in pending {
            if is_fault {
                let (from, args) = (origin.from.into_vec(), origin.args.into_vec());
                return Err(Halt::Found(Finding::RuleFault(id, from, RuleId(origin.source.0), args)));
            }
            if let Some(target) = target {
                self.reach(target, origin, depth + 1)?;
            }
        }
        if !all_lead_on
            && let Some(member) = deadlock(&mut self.expander, &mut self.partitions, mode, (&state, partition))
        {
            return Err(Halt::Found(Finding::Deadlock(id, member)));
        }
        Ok(())
    }

    /// Takes note of the orbit that a step leads to.
    fn reach(&mut self, state: Vec<i64>, origin: Origin, depth: u32) -> Result<(), Halt> {
        let partition = origin.partition;
        let assumed = self.watched.assume(&mut self.expander, &mut self.partitions, (&state, partition));
        match assumed {
            Inspection::Keep => self.insert(state, partition, origin, depth),
            Inspection::Split(parts, finer) => {
                parts.into_iter().try_for_each(|part| self.insert(part, finer, origin.clone(), depth))
            }
            Inspection::Breach(member) => {
                // The breach is found in a state of its own, so that there is a way to it.
                let candidate = Candidate { state, partition, depth, origin };
                match self.visited.insert(&self.setup.action, &mut self.partitions, candidate) {
                    Some(id) => Err(Halt::Found(Finding::Property(id, member))),
                    None => Ok(()),
                }
            }
        }
    }

    fn insert(&mut self, state: Vec<i64>, partition: PartitionId, origin: Origin, depth: u32) -> Result<(), Halt> {
        let candidate = Candidate { state, partition, depth, origin };
        if self.monitor.budget().depth.is_some_and(|bound| depth > bound) {
            self.cut |= !self.visited.knows(&self.setup.action, &mut self.partitions, candidate);
            return Ok(());
        }
        let Some(id) = self.visited.insert(&self.setup.action, &mut self.partitions, candidate) else { return Ok(()) };
        self.depth = depth;
        let node = self.visited.get(id);
        let (state, partition) = (node.state.clone(), node.partition);
        let inspection = self.watched.inspect(&mut self.expander, &mut self.partitions, (&state, partition));
        if let Inspection::Breach(member) = inspection {
            return Err(Halt::Found(Finding::Property(id, member)));
        }
        if self.monitor.budget().states.is_some_and(|limit| self.visited.len() as u64 >= limit) {
            return Err(Halt::Short(Shortfall::States(self.visited.len() as u64)));
        }
        self.frontier.push_back(id);
        Ok(())
    }

    /// Ends an impatient search that saves too little.
    fn weigh(&mut self, state: &[i64], partition: PartitionId) -> Result<(), Halt> {
        if self.patience == Patience::Endless {
            return Ok(());
        }
        let bits = |n: usize| (2..=n).map(|k| (k as f64).log2()).sum::<f64>();
        for cell in self.partitions.cells(partition) {
            let twins: f64 = self.setup.action.twins(state, cell).iter().map(|group| bits(group.len())).sum();
            self.yield_bits += bits(cell.len()) - twins;
        }
        let n = self.n_expanded;
        let looks = n >= FIRST_LOOK && n.is_multiple_of(FIRST_LOOK) && (n / FIRST_LOOK).is_power_of_two();
        match looks && self.yield_bits < LEAST_YIELD_BITS * n as f64 {
            true => Err(Halt::GaveUp),
            false => Ok(()),
        }
    }

    fn counts(&self) -> Counts {
        Counts {
            states: self.visited.len() as u64,
            rules_fired: self.fired.iter().sum(),
            frontier: self.visited.len() as u64 - self.n_expanded - self.n_skipped,
            depth: u64::from(self.depth),
            bytes: self.visited.bytes(),
        }
    }
}
