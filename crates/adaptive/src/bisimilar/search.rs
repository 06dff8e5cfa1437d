//! Breadth first through the orbits under all permutations of the identities, as long as they are bisimilar.

use std::ops::ControlFlow;

use burnside_analysis::coarsest;
use burnside_engine::pays::{FIRST_YIELD, LEAST_YIELD_BITS};
use burnside_engine::{
    AuditReport, Breach, Counts, Disagreement, Evidence, Monitor, Reason, Report, Shortfall, Task, Trace, Verdict,
    Violation,
};
use burnside_interp::Outcome;
use burnside_step::{Code, DeadlockMode, Judge};
use burnside_temporal::State;
use rustc_hash::FxHashMap;

use super::claims;
use super::concrete::{Beginning, Walker};
use super::followers::{Follower, Lack};
use super::graph::OrbitGraph;
use super::possible;
use crate::audited::Audit;
use crate::expand::Steps;
use crate::partitions::{PartitionId, Partitions};
use crate::setup::Setup;
use crate::worker::{Orbit, Worker};

/// How many orbits are expanded between two reports to the monitor.
const ORBITS_PER_REPORT: usize = 16;

/// What ends a search early.
pub(crate) enum Halt {
    /// Something is wrong in the members of an orbit.
    Found(State, Wrong),
    Short(Shortfall),
    Declined(Reason),
    Disagreement(Box<Disagreement>),
}

/// What is wrong in a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wrong {
    Property,
    Deadlock,
}

impl From<Lack> for Halt {
    fn from(lack: Lack) -> Self {
        Self::Declined(match lack {
            Lack::Differs(witness) => Reason::NotVirtual(witness),
            // Another engine finds it and the way to it.
            Lack::Exceptional | Lack::TooLarge => Reason::Undecided,
        })
    }
}

/// What is done about rules that tell identities apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Guards {
    /// All members of an orbit must have the same steps up to permutations.
    Compared,
    /// A step that some member has is taken to be possible for all: there are more executions than in the model.
    Ignored,
}

pub(crate) struct Search<'m> {
    guards: Guards,
    pub(crate) task: &'m Task<'m>,
    monitor: &'m Monitor,
    pub(crate) setup: &'m Setup,
    pub(crate) worker: Worker<'m>,
    judge: Judge,
    /// The partition of all orbits.
    pub(crate) all: PartitionId,
    numbers: FxHashMap<Vec<u64>, State>,
    /// Representatives.
    pub(crate) states: Vec<Vec<u64>>,
    /// By orbit, the one it was found from and how far it is from a start state.
    parents: Vec<(Option<State>, u32)>,
    pub(crate) graph: OrbitGraph,
    /// By start of the graph, a start state.
    pub(crate) beginnings: Vec<Beginning>,
    /// How many steps there are up to permutations, from whatever members. Which rules they are of says little: a member
    /// need not be reachable.
    n_steps: u64,
    yield_bits: f64,
    next_look: u64,
    cut: bool,
}

impl<'m> Search<'m> {
    pub(crate) fn new(
        (task, monitor): (&'m Task<'m>, &'m Monitor),
        (setup, guards): (&'m Setup, Guards),
        code: Option<&'m Code>,
    ) -> Self {
        let mut worker = Worker::new(task, setup, code, Partitions::default());
        let all = worker.partitions.id(&coarsest(&setup.identities));
        Self {
            guards,
            task,
            monitor,
            setup,
            worker,
            judge: Judge::new(task),
            all,
            numbers: FxHashMap::default(),
            states: Vec::new(),
            parents: Vec::new(),
            graph: OrbitGraph::default(),
            beginnings: Vec::new(),
            n_steps: 0,
            yield_bits: 0.0,
            next_look: FIRST_YIELD,
            cut: false,
        }
    }

    pub(crate) fn run(mut self) -> Result<Report, Reason> {
        let end = self.go();
        let is_complete = end.is_ok() && !self.cut;
        let uncovered = self.judge.uncovered(&[]);
        let mut audit =
            AuditReport { states: self.worker.audit.as_ref().map_or(0, Audit::n_states), disagreement: None };
        let mut answers = Vec::new();
        let verdict = match end {
            Err(Halt::Declined(reason)) => return Err(reason),
            Err(Halt::Short(shortfall)) => Verdict::Unknown(shortfall),
            Err(Halt::Disagreement(disagreement)) => {
                audit.disagreement = Some(disagreement);
                Verdict::Unknown(Shortfall::Cancelled)
            }
            Err(Halt::Found(orbit, wrong)) => {
                Verdict::Violated(Box::new(self.explain(orbit, wrong).ok_or(Reason::Unexplained)?))
            }
            Ok(()) if self.cut => Verdict::Unknown(Shortfall::Depth(self.monitor.budget().depth.unwrap_or(0))),
            Ok(()) => match uncovered.first() {
                Some(&property) => violated(Breach::Uncovered(property), None),
                None => {
                    answers = match self.guards {
                        Guards::Compared => claims::answer(&mut self)?,
                        Guards::Ignored => possible::answer(&mut self)?,
                    };
                    let first = answers.iter().find(|answer| !matches!(answer.verdict, Verdict::Holds(_)));
                    first.map_or(Verdict::Holds(Evidence::Exhausted), |answer| answer.verdict.clone())
                }
            },
        };
        let counts = self.counts();
        self.monitor.publish(counts);
        let report = Report::new(self.task, verdict, counts);
        let report = if is_complete { report.of_all_states(self.task, &uncovered) } else { report };
        Ok(Report { audit, ..report.with(answers) })
    }

    /// Finds all orbits, unless something stands against it.
    pub(crate) fn go(&mut self) -> Result<(), Halt> {
        self.begin()?;
        let mut steps = Steps::new(self.task.layout.n_words());
        while self.graph.steps.len() < self.states.len() {
            self.expand(&mut steps)?;
            self.weigh()?;
            if self.graph.steps.len().is_multiple_of(ORBITS_PER_REPORT)
                && let Some(shortfall) = self.monitor.publish(self.counts())
            {
                return Err(Halt::Short(shortfall));
            }
        }
        Ok(())
    }

    /// Start states of one orbit satisfy the same formulas, so one of them is enough.
    fn begin(&mut self) -> Result<(), Halt> {
        let layout = self.task.layout;
        let mut found = Vec::new();
        let mut faulted = false;
        self.worker.stepper.interpreter().starts(|start, args, outcome| {
            match outcome {
                Outcome::Next(values) => {
                    let mut state = vec![0; layout.n_words()];
                    layout.pack(values, &mut state);
                    found.push(Beginning { start, args: args.to_vec(), state });
                }
                Outcome::Pruned => {}
                Outcome::Fault(..) => faulted = true,
            }
            ControlFlow::Continue(())
        });
        if faulted {
            return Err(Halt::Declined(Reason::Undecided));
        }
        for beginning in found {
            let representative = self.worker.representative(beginning.state.clone(), self.all);
            if !self.numbers.contains_key(&representative) {
                self.graph.starts.push(self.states.len() as State);
                self.beginnings.push(beginning);
            }
            self.number(representative, (None, 0))?;
        }
        Ok(())
    }

    fn expand(&mut self, steps: &mut Steps) -> Result<(), Halt> {
        let orbit = self.graph.steps.len();
        let state = self.states[orbit].clone();
        let disagreement = self.worker.audit.as_mut().and_then(|audit| audit.visit(&state));
        if let Some(disagreement) = disagreement {
            return Err(Halt::Disagreement(disagreement));
        }
        let followers = match self.guards {
            Guards::Compared => self.worker.followers(Orbit { state: &state, partition: self.all }, steps)?,
            Guards::Ignored => self.worker.possible_followers(Orbit { state: &state, partition: self.all }, steps)?,
        };
        self.n_steps += steps.iter().count() as u64;
        self.yield_bits += steps.yield_bits();
        let deadlocks = self.task.deadlocks();
        // Whoever has a step to another orbit has one that changes something, if all members are alike.
        let is_way_on = |it: &Follower| deadlocks.is_way_on(it.state == state);
        let leads_on = self.guards == Guards::Compared && followers.iter().any(is_way_on);
        if deadlocks.is_dead(leads_on)
            && self.worker.deadlock(deadlocks, Orbit { state: &state, partition: self.all }).is_some()
        {
            return Err(self.found(orbit as State, Wrong::Deadlock));
        }
        let depth = self.parents[orbit].1 + 1;
        let mut next = Vec::with_capacity(followers.len());
        for follower in followers {
            if let Some(target) = self.number(follower.state, (Some(orbit as State), depth))? {
                next.push((target, Some(follower.rule)));
            }
        }
        // Members in which nothing is enabled stay where they are, whatever others do.
        let may_end = self.guards == Guards::Ignored && !next.is_empty();
        if may_end && self.worker.deadlock(DeadlockMode::Stuck, Orbit { state: &state, partition: self.all }).is_some()
        {
            next.push((orbit as State, None));
        }
        self.graph.steps.push(next);
        Ok(())
    }

    /// What is wrong in an orbit is wrong in states that can be reached only if all members are alike.
    fn found(&self, orbit: State, wrong: Wrong) -> Halt {
        match self.guards {
            Guards::Compared => Halt::Found(orbit, wrong),
            Guards::Ignored => Halt::Declined(Reason::NoExecution),
        }
    }

    /// The number of an orbit, which may be new; none if it lies too deep.
    fn number(&mut self, state: Vec<u64>, parent: (Option<State>, u32)) -> Result<Option<State>, Halt> {
        if let Some(&known) = self.numbers.get(&state) {
            return Ok(Some(known));
        }
        let budget = self.monitor.budget();
        if budget.depth.is_some_and(|bound| parent.1 > bound) {
            self.cut = true;
            return Ok(None);
        }
        let number = self.states.len() as State;
        let inspection = self.worker.inspect(&self.judge, Orbit { state: &state, partition: self.all });
        self.numbers.insert(state.clone(), number);
        self.states.push(state);
        self.parents.push(parent);
        inspection.covered.iter().for_each(|&property| self.judge.cover(property));
        if inspection.breach.is_some() {
            return Err(self.found(number, Wrong::Property));
        }
        match budget.states {
            Some(limit) if self.states.len() as u64 >= limit => {
                Err(Halt::Short(Shortfall::States(self.states.len() as u64)))
            }
            _ => Ok(Some(number)),
        }
    }

    /// Ends an impatient search that saves too little.
    fn weigh(&mut self) -> Result<(), Halt> {
        if !self.task.may_decline || self.n_steps < self.next_look {
            return Ok(());
        }
        self.next_look = self.n_steps * 2;
        let saves = self.yield_bits >= LEAST_YIELD_BITS * self.graph.steps.len() as f64;
        if saves { Ok(()) } else { Err(Halt::Declined(Reason::LittleSymmetry)) }
    }

    /// An execution that ends in a member of an orbit in which something is wrong.
    fn explain(&mut self, orbit: State, wrong: Wrong) -> Option<Violation> {
        let mut orbits = Vec::new();
        let mut at = orbit;
        while let (Some(parent), _) = self.parents[at as usize] {
            orbits.push(at);
            at = parent;
        }
        orbits.reverse();
        let start = self.graph.starts.iter().position(|&start| start == at)?;
        let beginning = self.beginnings[start].clone();
        let trace = self.walker().path(&beginning, &orbits)?;
        let mut values = vec![0; self.task.layout.slots().len()];
        self.task.layout.unpack(trace.last_state()?, &mut values);
        let mut interpreter = self.task.interpreter();
        let breach = match wrong {
            Wrong::Property => Judge::new(self.task).breach(&mut interpreter, &values)?,
            // Another member may be the deadlock.
            Wrong::Deadlock => {
                let deadlocks = self.task.deadlocks();
                let mut leads_on = false;
                interpreter.successors(&values, |_, _, outcome| {
                    leads_on |= deadlocks.is_way_on(outcome.stays_in(&values));
                    ControlFlow::Continue(())
                });
                deadlocks.is_dead(leads_on).then_some(Breach::Deadlock)?
            }
        };
        Some(Violation { breach, trace: Some(trace) })
    }

    pub(crate) fn walker(&mut self) -> Walker<'_, 'm> {
        Walker { task: self.task, worker: &mut self.worker, all: self.all, states: &self.states }
    }

    fn counts(&self) -> Counts {
        let n_states = self.states.len() as u64;
        let of_state = (self.task.layout.n_words() * 16 + 96) as u64;
        Counts {
            states: n_states,
            rules_fired: self.n_steps,
            frontier: n_states - self.graph.steps.len() as u64,
            depth: self.parents.last().map_or(0, |&(_, depth)| u64::from(depth)),
            bytes: n_states * of_state + self.n_steps * 8,
        }
    }
}

pub(crate) fn violated(breach: Breach, trace: Option<Trace>) -> Verdict {
    Verdict::Violated(Box::new(Violation { breach, trace }))
}
