//! The search: breadth first over annotated states.
//!
//! Nodes are numbered in the order in which they are found, which is the order in which they are expanded. Several
//! threads expand nodes of one depth at the same time; what they find is settled in the order of the nodes. So every
//! number of threads finds the same nodes with the same numbers and stops at the same place.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use burnside_analysis::{Identities, InstanceFamily};
use burnside_engine::pays::{FIRST_YIELD, LEAST_YIELD_BITS};
use burnside_engine::{
    AuditReport, Breach, Counts, Disagreement, Evidence, Meaning, Monitor, Partitions, Reason, Report, Shortfall,
    Stored, Task, Verdict, Violation,
};
use burnside_interp::{Outcome, STACK_BYTES};
use burnside_ir::{PropertyId, StartId};
use burnside_step::{Code, Judge, Stepper};

use crate::audited::Audit;
use crate::expand::Steps;
use crate::expansion::{Expansion, Reached, Scope};
use crate::explain::Explainer;
use crate::linear;
use crate::partitions::{PartitionId, Partitions as PartitionTable};
use crate::setup::Setup;
use crate::visited::{NodeId, Origin, Visited};
use crate::worker::Worker;

/// How many nodes are expanded, or found and settled, between two reports to the monitor.
const TURNS_PER_REPORT: u64 = 128;

/// Up to this many nodes are expanded at the same time.
// PERF: what siblings have in common is found out when they are settled, which costs the more the more there are.
const MOST_AT_ONCE: usize = 512;

/// Fewer are not worth starting threads for; in tests, models are small.
const LEAST_AT_ONCE: usize = if cfg!(test) { 2 } else { 48 };

/// How many nodes a thread takes at a time.
const STRIDE: usize = 8;

/// What ends a search early.
pub(crate) enum Halt {
    Found(Finding),
    Short(Shortfall),
    GaveUp,
    /// A state looked at twice gave two answers.
    Disagreement(Box<Disagreement>),
}

/// Something wrong in a member of a node's orbit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Finding {
    StartFault,
    Property(NodeId, Vec<u64>),
    RuleFault(NodeId, Vec<u64>),
    Deadlock(NodeId, Vec<u64>),
}

/// A state with the cells of its partition.
#[cfg(test)]
pub(crate) type Represented = (Vec<u64>, Vec<Vec<u32>>);

pub(crate) struct Search<'m> {
    task: &'m Task<'m>,
    monitor: &'m Monitor,
    setup: &'m Setup,
    worker: Worker<'m>,
    /// What the other threads work with.
    others: Vec<Worker<'m>>,
    judge: Judge,
    visited: Visited,
    /// The node to be expanded next.
    next: u32,
    fired: Vec<u64>,
    n_expanded: u64,
    n_skipped: u64,
    n_turns: u64,
    n_steps: u64,
    /// With how many the yield is looked at next.
    next_look: u64,
    depth: u32,
    cut: bool,
    yield_bits: f64,
}

impl<'m> Search<'m> {
    /// A search; there may be no memory for it.
    pub(crate) fn new(
        (task, monitor): (&'m Task<'m>, &'m Monitor),
        setup: &'m Setup,
        code: Option<&'m Code>,
    ) -> Option<Self> {
        let worker = Worker::new(task, setup, code, PartitionTable::default());
        let others = (1..task.threads.get()).map(|_| Worker::new(task, setup, code, worker.partitions.share()));
        Some(Self {
            task,
            monitor,
            setup,
            others: others.collect(),
            worker,
            judge: Judge::new(task),
            visited: Visited::new(task.layout.n_words(), monitor.budget().bytes).ok()?,
            next: 0,
            fired: vec![0; task.model.rules.len()],
            n_expanded: 0,
            n_skipped: 0,
            n_turns: 0,
            n_steps: 0,
            next_look: FIRST_YIELD,
            depth: 0,
            cut: false,
            yield_bits: 0.0,
        })
    }

    pub(crate) fn run(mut self) -> Result<Report, Reason> {
        let end = self.begin().and_then(|()| self.go_on());
        let mut audit = AuditReport { states: self.n_audited(), disagreement: None };
        let is_complete = end.is_ok() && !self.cut;
        let uncovered = self.uncovered();
        let mut claims = Vec::new();
        let verdict = match end {
            Err(Halt::Disagreement(disagreement)) => {
                audit.disagreement = Some(disagreement);
                Verdict::Unknown(Shortfall::Cancelled)
            }
            Err(Halt::GaveUp) => return Err(Reason::LittleSymmetry),
            Err(Halt::Short(shortfall)) => Verdict::Unknown(shortfall),
            Err(Halt::Found(finding)) => {
                let explainer = Explainer::new(self.task, &mut self.worker, &self.visited);
                Verdict::Violated(Box::new(explainer.explain(&finding).ok_or(Reason::Unexplained)?))
            }
            Ok(()) if self.cut => Verdict::Unknown(Shortfall::Depth(self.monitor.budget().depth.unwrap_or(0))),
            Ok(()) => match uncovered.first() {
                Some(&property) => {
                    Verdict::Violated(Box::new(Violation { breach: Breach::Uncovered(property), trace: None }))
                }
                None => {
                    let known = linear::Known { task: self.task, setup: self.setup, visited: &self.visited };
                    claims = linear::answers(known, &mut self.worker)?;
                    let open = claims.iter().find(|answer| !matches!(answer.verdict, Verdict::Holds(_)));
                    open.map_or(Verdict::Holds(Evidence::Exhausted), |answer| answer.verdict.clone())
                }
            },
        };
        let counts = self.counts();
        self.monitor.publish(counts);
        let holds = matches!(verdict, Verdict::Holds(_));
        let stored = (holds && self.task.keeps_states).then(|| self.stored());
        let report = Report::new(self.task, verdict, counts);
        let report = if is_complete { report.of_all_states(self.task, &uncovered) } else { report };
        Ok(Report { fired: self.fired, stored, audit, ..report.with(claims) })
    }

    /// How many states were looked at twice.
    fn n_audited(&self) -> u64 {
        let workers = self.others.iter().chain([&self.worker]);
        workers.filter_map(|worker| worker.audit.as_ref()).map(Audit::n_states).sum()
    }

    /// Everything reached.
    fn stored(&mut self) -> Stored {
        let nodes = (0..self.visited.len() as u32).map(NodeId);
        let partitions: Vec<PartitionId> = nodes.clone().map(|id| self.visited.get(id).partition).collect();
        // Of all partitions met, those in use, in an order that does not depend on who met them first.
        let used: BTreeSet<PartitionId> = partitions.iter().copied().collect();
        let n_points = self.setup.identities.n_points();
        let cells_of = |id: PartitionId| -> Vec<u32> {
            let known = self.worker.partitions.get(id);
            (0..n_points).map(|point| known.partition.cell_of(point) as u32).collect()
        };
        let mut known: Vec<(Vec<u32>, PartitionId)> =
            used.iter().copied().map(cells_of).zip(used.iter().copied()).collect();
        known.sort_unstable();
        let number = |id: &PartitionId| known.iter().position(|(_, it)| it == id).expect("it is in use") as u32;
        let numbers: BTreeMap<PartitionId, u32> = used.iter().map(|id| (*id, number(id))).collect();
        let of_state = partitions.iter().map(|id| numbers[id]).collect();
        let cells = known.into_iter().map(|(cells, _)| cells).collect();
        let classes = self.setup.identities.classes().iter().map(|class| class.types.clone()).collect();
        let states = nodes.flat_map(|id| self.visited.state(id)).collect();
        Stored { states, meaning: Meaning::Partition(Partitions { classes, cells, of_state }) }
    }

    /// Everything reached, unless something is wrong in it.
    #[cfg(test)]
    pub(crate) fn into_nodes(mut self) -> Option<Vec<Represented>> {
        self.begin().and_then(|()| self.go_on()).ok()?;
        let nodes = (0..self.visited.len() as u32).map(NodeId);
        let represented = nodes.map(|id| {
            let cells = self.worker.partitions.get(self.visited.get(id).partition);
            (self.visited.state(id), cells.cells.iter().map(<[u32]>::to_vec).collect())
        });
        Some(represented.collect())
    }

    /// The properties that were to be covered and are not.
    fn uncovered(&mut self) -> Vec<PropertyId> {
        let points = self.judge.cover_points();
        let workers = self.others.iter_mut().chain([&mut self.worker]);
        let met: Vec<PropertyId> = workers.flat_map(|worker| worker.stepper.met(points)).collect();
        self.judge.uncovered(&met)
    }

    /// Start states are what start rules lead to from the state without values, which is symmetric.
    fn begin(&mut self) -> Result<(), Halt> {
        let identities = &self.setup.identities;
        for (at, family) in self.setup.starts.iter().enumerate() {
            let mut found: Vec<(usize, Vec<u64>)> = Vec::new();
            let layout = self.task.layout;
            let mut begun = Ok(());
            self.worker.stepper.interpreter().starts(|id, args, outcome| {
                if id != StartId(at as u32) {
                    return ControlFlow::Continue(());
                }
                match outcome {
                    Outcome::Next(values) => {
                        let mut packed = vec![0; layout.n_words()];
                        layout.pack(values, &mut packed);
                        found.push((group_of(family, identities, args), packed));
                        ControlFlow::Continue(())
                    }
                    Outcome::Pruned => ControlFlow::Continue(()),
                    Outcome::Fault(..) => {
                        begun = Err(Halt::Found(Finding::StartFault));
                        ControlFlow::Break(())
                    }
                }
            });
            for (group, state) in found {
                let partition = self.worker.partitions.id(&family.groups[group].partition);
                let origin = Origin { parent: None, source: (at as u32, group as u32), from: None, partition };
                let scope = Scope { task: self.task, judge: &self.judge, visited: &self.visited };
                for reached in scope.reach(&mut self.worker, state, origin) {
                    self.settle_reached(reached, 0)?;
                }
            }
            begun?;
        }
        Ok(())
    }

    fn go_on(&mut self) -> Result<(), Halt> {
        let mut steps = Steps::new(self.task.layout.n_words());
        let mut pending = Vec::new();
        while (self.next as usize) < self.visited.len() {
            self.take_pending(&mut pending);
            if pending.len() < LEAST_AT_ONCE {
                for &id in &pending {
                    let scope = Scope { task: self.task, judge: &self.judge, visited: &self.visited };
                    let expansion = scope.expand(&mut self.worker, id, &mut steps);
                    self.settle(expansion)?;
                }
            } else {
                for expansion in self.expand_all(&pending) {
                    self.settle(expansion)?;
                }
            }
        }
        self.report()
    }

    /// The next nodes to be expanded, all of one depth, so that none of them is made superfluous by what others lead to.
    fn take_pending(&mut self, pending: &mut Vec<NodeId>) {
        pending.clear();
        let most = if self.others.is_empty() { 1 } else { MOST_AT_ONCE };
        let depth = self.visited.get(NodeId(self.next)).depth;
        while pending.len() < most && (self.next as usize) < self.visited.len() {
            let node = self.visited.get(NodeId(self.next));
            if node.depth != depth {
                return;
            }
            match node.replaced {
                true => self.n_skipped += 1,
                false => pending.push(NodeId(self.next)),
            }
            self.next += 1;
        }
    }

    /// Expands nodes on all threads.
    fn expand_all(&mut self, pending: &[NodeId]) -> Vec<Expansion> {
        let scope = Scope { task: self.task, judge: &self.judge, visited: &self.visited };
        let next = AtomicUsize::new(0);
        let n_words = self.task.layout.n_words();
        let work = |worker: &mut Worker<'_>| {
            let mut steps = Steps::new(n_words);
            let mut done = Vec::new();
            loop {
                let first = next.fetch_add(STRIDE, Ordering::Relaxed);
                let Some(ids) = pending.get(first..(first + STRIDE).min(pending.len())) else { return done };
                if ids.is_empty() {
                    return done;
                }
                done.push((first, ids.iter().map(|&id| scope.expand(worker, id, &mut steps)).collect::<Vec<_>>()));
            }
        };
        let mut done = thread::scope(|threads| {
            let spawn = |worker| {
                let work = &work;
                thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(threads, move || work(worker))
            };
            let others: Vec<_> = self.others.iter_mut().map(spawn).collect();
            let mut done = work(&mut self.worker);
            // A thread that could not be started has no share in the work.
            for other in others.into_iter().flatten() {
                done.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            }
            done
        });
        done.sort_unstable_by_key(|(first, _)| *first);
        done.into_iter().flat_map(|(_, expansions)| expansions).collect()
    }

    /// Reports now and then: a node may take long, and many nodes may lead to nothing new.
    fn take_turn(&mut self) -> Result<(), Halt> {
        self.n_turns += 1;
        if self.n_turns.is_multiple_of(TURNS_PER_REPORT) { self.report() } else { Ok(()) }
    }

    fn report(&self) -> Result<(), Halt> {
        self.monitor.publish(self.counts()).map_or(Ok(()), |shortfall| Err(Halt::Short(shortfall)))
    }

    /// Takes note of what follows a node.
    fn settle(&mut self, expansion: Expansion) -> Result<(), Halt> {
        if let Some(disagreement) = expansion.disagreement {
            return Err(Halt::Disagreement(disagreement));
        }
        self.yield_bits += expansion.yield_bits;
        let id = expansion.id;
        let depth = self.visited.get(id).depth + 1;
        for (rule, n) in expansion.fired {
            self.fired[rule.index()] += n;
            self.n_steps += n;
        }
        for reached in expansion.reached {
            self.settle_reached(reached, depth)?;
        }
        if let Some(member) = expansion.fault {
            return Err(Halt::Found(Finding::RuleFault(id, member)));
        }
        if let Some(member) = expansion.deadlock {
            return Err(Halt::Found(Finding::Deadlock(id, member)));
        }
        self.n_expanded += 1;
        self.take_turn()?;
        self.weigh()
    }

    /// Takes note of an orbit that a step leads to, unless it has become known meanwhile.
    fn settle_reached(&mut self, reached: Reached, depth: u32) -> Result<(), Halt> {
        let Reached { candidate, origin, inspection, n_known } = reached;
        self.take_turn()?;
        if n_known != self.visited.len() && self.visited.knows(&mut self.worker, &candidate) {
            return Ok(());
        }
        if self.monitor.budget().depth.is_some_and(|bound| depth > bound) {
            self.cut = true;
            return Ok(());
        }
        let inserted = self.visited.insert(&mut self.worker, candidate, depth, origin);
        let Some(id) = inserted.map_err(|_| Halt::Short(Shortfall::Memory))? else { return Ok(()) };
        self.depth = depth;
        inspection.covered.iter().for_each(|&property| self.judge.cover(property));
        if let Some(member) = inspection.breach {
            return Err(Halt::Found(Finding::Property(id, member)));
        }
        if self.monitor.budget().states.is_some_and(|limit| self.visited.len() as u64 >= limit) {
            return Err(Halt::Short(Shortfall::States(self.visited.len() as u64)));
        }
        Ok(())
    }

    /// Ends an impatient search that saves too little.
    fn weigh(&mut self) -> Result<(), Halt> {
        if !self.task.may_decline || self.n_steps < self.next_look {
            return Ok(());
        }
        self.next_look = self.n_steps * 2;
        if self.yield_bits < LEAST_YIELD_BITS * self.n_expanded as f64 { Err(Halt::GaveUp) } else { Ok(()) }
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

/// The group of a start state's instance.
fn group_of(family: &InstanceFamily, identities: &Identities, args: &[i64]) -> usize {
    let points = family.params.iter().map(|param| identities.point(param.ty, args[param.at]));
    let points: Vec<usize> = points.map(|point| point.expect("it ranges over points")).collect();
    let group = family.groups.iter().position(|group| family.contains(group, &points));
    group.expect("every instance is in a group")
}
