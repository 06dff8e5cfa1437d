//! The search loop.

use std::ops::ControlFlow;

use burnside_engine::{
    Breach, Counts, DeadlockMode, Engine, Evidence, Monitor, Report, SearchOrder, Shortfall, Task, Unsupported,
    Verdict, Violation,
};
use burnside_ir::{PropertyKind, RuleId};

use crate::explain::Explainer;
use crate::frontier::{Frontier, Pending, Queue, Stack};
use crate::liveness::{self, Edges};
use crate::successors::{Event, Inspection, Interpreted, Successors};
use crate::visited::{Insertion, StateId, Visited};

/// How many states are expanded between two looks at the monitor.
const EXPANSIONS_PER_LOOK: u32 = 256;

/// The explicit-state engine.
#[derive(Debug, Clone, Copy, Default)]
pub struct Explicit;

impl Engine for Explicit {
    fn name(&self) -> &'static str {
        "explicit"
    }

    fn admit(&self, _task: &Task<'_>) -> Result<(), Unsupported> {
        Ok(())
    }

    fn check(&self, task: &Task<'_>, monitor: &Monitor) -> Report {
        match task.order {
            SearchOrder::BreadthFirst => Search::<_, Queue>::new(task, monitor, Interpreted::new(task)).run(),
            SearchOrder::DepthFirst => Search::<_, Stack>::new(task, monitor, Interpreted::new(task)).run(),
        }
    }
}

/// What the loop noticed; [`Explainer`] finds out the rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Finding {
    /// Some start state faults.
    StartFault,
    /// Some rule faults in this state.
    RuleFault(StateId),
    /// Some property is violated, or faults, in this state.
    Property(StateId),
    /// No rule leads on from this state.
    Deadlock(StateId),
}

/// Why the loop ended before the frontier was empty.
enum Halt {
    Found(Finding),
    Short(Shortfall),
}

struct Search<'t, S, F> {
    task: &'t Task<'t>,
    monitor: &'t Monitor,
    successors: S,
    visited: Visited,
    frontier: F,
    /// All steps between stored states, if a liveness property needs them.
    edges: Option<Edges>,
    fired: Vec<u64>,
    rules_fired: u64,
    depth: u32,
    /// Whether the depth bound left out a state.
    cut: bool,
}

impl<'t, S: Successors, F: Frontier> Search<'t, S, F> {
    fn new(task: &'t Task<'t>, monitor: &'t Monitor, successors: S) -> Self {
        let needs_edges = !task.properties(PropertyKind::Liveness).is_empty();
        Self {
            task,
            monitor,
            successors,
            visited: Visited::new(task.layout.n_words()),
            frontier: F::default(),
            edges: needs_edges.then(Edges::default),
            fired: vec![0; task.model.rules.len()],
            rules_fired: 0,
            depth: 0,
            cut: false,
        }
    }

    fn run(mut self) -> Report {
        let verdict = match self.explore() {
            Err(Halt::Found(finding)) => {
                Verdict::Violated(Box::new(Explainer::new(self.task, &self.visited).explain(finding)))
            }
            Err(Halt::Short(shortfall)) => Verdict::Unknown(shortfall),
            Ok(()) if self.cut => Verdict::Unknown(Shortfall::Depth(self.monitor.budget().depth.unwrap_or(0))),
            Ok(()) => self.conclude(),
        };
        let counts = self.counts();
        self.monitor.publish(counts);
        Report { verdict, counts, fired: self.fired }
    }

    /// Visits everything reachable.
    fn explore(&mut self) -> Result<(), Halt> {
        self.start()?;
        let mut state = vec![0; self.task.layout.n_words()];
        let mut expansions = 0;
        while let Some(pending) = self.frontier.pop() {
            if expansions % EXPANSIONS_PER_LOOK == 0
                && let Some(shortfall) = self.monitor.publish(self.counts())
            {
                return Err(Halt::Short(shortfall));
            }
            expansions += 1;
            state.copy_from_slice(self.visited.get(pending.state));
            self.expand(pending, &state)?;
        }
        Ok(())
    }

    fn start(&mut self) -> Result<(), Halt> {
        let mut states: Vec<Box<[u64]>> = Vec::new();
        let mut faulted = false;
        self.successors.starts(|event| {
            match event {
                Event::State(state) => states.push(state.into()),
                Event::Pruned => {}
                Event::Fault => faulted = true,
            }
            if faulted { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        for state in &states {
            self.reach(state, None, 0)?;
        }
        if faulted { Err(Halt::Found(Finding::StartFault)) } else { Ok(()) }
    }

    /// Fires every rule in a state.
    fn expand(&mut self, pending: Pending, state: &[u64]) -> Result<(), Halt> {
        let mut steps = Steps { enabled: false, leads_on: false, faulted: false, next: Vec::new() };
        let n_words = state.len();
        let fired = &mut self.fired;
        self.successors.successors(state, |rule: RuleId, event| {
            steps.enabled = true;
            match event {
                Event::State(next) => {
                    steps.leads_on |= next != state;
                    steps.next.extend_from_slice(next);
                }
                Event::Pruned => steps.leads_on = true,
                Event::Fault => {
                    steps.faulted = true;
                    return ControlFlow::Break(());
                }
            }
            fired[rule.index()] += 1;
            self.rules_fired += 1;
            ControlFlow::Continue(())
        });
        for next in steps.next.chunks(n_words) {
            self.reach(next, Some(pending.state), pending.depth + 1)?;
        }
        if steps.faulted {
            return Err(Halt::Found(Finding::RuleFault(pending.state)));
        }
        let dead = match self.task.deadlock {
            _ if self.task.only.is_some() => false,
            DeadlockMode::Off => false,
            DeadlockMode::Stuck => !steps.enabled,
            DeadlockMode::Stuttering => !steps.leads_on,
        };
        if dead { Err(Halt::Found(Finding::Deadlock(pending.state))) } else { Ok(()) }
    }

    /// Takes note of a state that was reached.
    fn reach(&mut self, state: &[u64], from: Option<StateId>, depth: u32) -> Result<(), Halt> {
        if self.monitor.budget().depth.is_some_and(|bound| depth > bound) {
            self.cut |= self.visited.find(state).is_none();
            return Ok(());
        }
        let known = self.visited.find(state);
        let inspection = if known.is_some() { Inspection::Keep } else { self.successors.inspect(state) };
        if inspection == Inspection::Drop {
            return Ok(());
        }
        let id = match self.visited.insert(state, from) {
            Insertion::Old(id) => id,
            Insertion::New(id) => {
                self.frontier.push(Pending { state: id, depth });
                self.depth = self.depth.max(depth);
                id
            }
            Insertion::Full => return Err(Halt::Short(Shortfall::Memory)),
        };
        if let (Some(edges), Some(from)) = (&mut self.edges, from) {
            edges.add(from, id).map_err(|_| Halt::Short(Shortfall::Memory))?;
        }
        if inspection == Inspection::Breach { Err(Halt::Found(Finding::Property(id))) } else { Ok(()) }
    }

    /// What can only be said once every state was visited.
    fn conclude(&mut self) -> Verdict {
        let violated = |breach, trace| Verdict::Violated(Box::new(Violation { breach, trace }));
        if let Some(&property) = self.successors.uncovered().first() {
            return violated(Breach::Uncovered(property), None);
        }
        if let Some(edges) = &self.edges {
            match liveness::check(self.task, &self.visited, edges) {
                Ok(None) => {}
                Ok(Some((state, breach))) => {
                    let trace = Explainer::new(self.task, &self.visited).trace_to(state);
                    return violated(breach, Some(trace));
                }
                Err(shortfall) => return Verdict::Unknown(shortfall),
            }
        }
        Verdict::Holds(Evidence::Exhausted)
    }

    fn counts(&self) -> Counts {
        let frontier = self.frontier.len() as u64;
        let edges = self.edges.as_ref().map_or(0, Edges::bytes);
        Counts {
            states: self.visited.len() as u64,
            rules_fired: self.rules_fired,
            frontier,
            depth: u64::from(self.depth),
            bytes: self.visited.bytes() + frontier * size_of::<Pending>() as u64 + edges,
        }
    }
}

/// What the rules of one state lead to.
struct Steps {
    enabled: bool,
    leads_on: bool,
    faulted: bool,
    /// The next states, one after another.
    next: Vec<u64>,
}
