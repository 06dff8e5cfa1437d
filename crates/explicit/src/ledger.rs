//! The account of a search: jobs are settled here one after the other, each step by step, in the order in which a
//! search with one thread that fires one rule after the other meets them.

use burnside_engine::pays::{self, FIRST_TRIAL, LAST_TRIAL, LEAST_SAMPLED, MOST_SAMPLED};
use burnside_engine::{Counts, Disagreement, Monitor, Shortfall, Task};
use burnside_interp::StepEnd;
use burnside_ir::{PropertyId, PropertyKind};
use burnside_store::{Codec, Set, StateId};
use burnside_symmetry::OrbitCounter;

use crate::expander::Quotient;
use crate::frontier::{Found, Frontier};
use crate::job::{Job, Reached, Source};
use crate::liveness::Graph;
use crate::partial::{FiredSteps, Partial};

/// What was noticed; [`Explainer`](crate::explain::Explainer) finds out the rest.
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

/// Why the search ended before the frontier was empty.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Halt {
    Found(Finding),
    /// Reduction does not pay.
    LittleSymmetry,
    /// A state looked at twice gave two answers.
    Disagreement,
    Short(Shortfall),
}

pub(crate) struct Ledger<'t> {
    monitor: &'t Monitor,
    quotient: Option<Quotient<'t>>,
    /// The states that the job settled last has found.
    pub(crate) found: Found,
    /// All steps between stored states, if a liveness property needs them.
    pub(crate) graph: Option<Graph>,
    /// All states found, if they are to be handed back.
    pub(crate) kept: Option<Vec<StateId>>,
    /// The steps that were fired, if some are left out.
    pub(crate) fired: Option<FiredSteps>,
    /// What differed when a state was looked at twice.
    pub(crate) disagreement: Option<Box<Disagreement>>,
    pub(crate) tally: Tally,
    /// The tally before the job at hand, if the search may have to go on from there.
    before: Option<Tally>,
    /// Whether the last job was given up halfway, so that it has to be done again if the search goes on.
    pub(crate) is_torn: bool,
    /// What a state takes while it waits to be expanded.
    pending_bytes: u64,
    /// When and by what the reduction is judged next, if it is.
    pub(crate) sample: Option<Sample>,
}

/// What was counted.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// By rule, how often it led to a stored state.
    pub(crate) fired: Vec<u64>,
    /// By rule, how often it led to a state that is not stored.
    pub(crate) fired_inside: Vec<u64>,
    pub(crate) rules_fired: u64,
    pub(crate) n_states: u64,
    pub(crate) n_expanded: u64,
    /// Steps between stored states, if a graph has them.
    pub(crate) n_edges: u64,
    pub(crate) depth: u32,
    /// Whether the depth bound left out a state.
    pub(crate) cut: bool,
}

impl Tally {
    fn new(n_rules: usize) -> Self {
        Self { fired: vec![0; n_rules], fired_inside: vec![0; n_rules], ..Self::default() }
    }
}

impl Clone for Tally {
    fn clone(&self) -> Self {
        let mut clone = Self::default();
        clone.clone_from(self);
        clone
    }

    /// Without asking for memory.
    fn clone_from(&mut self, other: &Self) {
        let (mut fired, mut fired_inside) = (std::mem::take(&mut self.fired), std::mem::take(&mut self.fired_inside));
        fired.clone_from(&other.fired);
        fired_inside.clone_from(&other.fired_inside);
        let Self { rules_fired, n_states, n_expanded, n_edges, depth, cut, .. } = *other;
        *self = Self { fired, fired_inside, rules_fired, n_states, n_expanded, n_edges, depth, cut };
    }
}

/// A sample of states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sample {
    /// How many states must be stored before.
    pub(crate) begins_at: u64,
    pub(crate) n_sampled: u128,
    /// How many states they stand for.
    pub(crate) n_meant: u128,
}

impl Sample {
    fn at(begins_at: u64) -> Self {
        Self { begins_at, n_sampled: 0, n_meant: 0 }
    }
}

/// The properties for which states are looked at a second time, once all are known: temporal ones, and liveness with
/// parameters where the names of identities have to be followed.
pub(crate) fn looked_at_afterwards(task: &Task<'_>, reduces: bool) -> Vec<PropertyId> {
    let liveness = task.properties(PropertyKind::Liveness).into_iter();
    let tracked = liveness.filter(|&property| reduces && !task.model.property(property).binders.is_empty());
    tracked.chain(task.temporal_properties()).collect()
}

impl<'t> Ledger<'t> {
    pub(crate) fn new<C: Codec>(task: &Task<'_>, monitor: &'t Monitor, quotient: Option<Quotient<'t>>) -> Self {
        let n_pending_words = if C::IS_EXACT { 0 } else { task.layout.n_words() };
        let keeps_states = task.keeps_states
            || task.pauses
            || task.counts_orbits
            || !looked_at_afterwards(task, quotient.is_some()).is_empty();
        let needs_graph = !task.properties(PropertyKind::Liveness).is_empty();
        Self {
            monitor,
            quotient,
            found: Found::default(),
            graph: needs_graph.then(Graph::default),
            kept: (keeps_states && C::IS_EXACT).then(Vec::new),
            fired: None,
            disagreement: None,
            tally: Tally::new(task.model.rules.len()),
            before: task.pauses.then(Tally::default),
            is_torn: false,
            pending_bytes: (size_of::<StateId>() + n_pending_words * size_of::<u64>()) as u64,
            sample: (task.may_decline && C::IS_EXACT).then(|| Sample::at(FIRST_TRIAL)),
        }
    }

    /// Takes note of a job that was inserted, and tells the monitor.
    pub(crate) fn settle<C: Codec>(&mut self, job: &Job, set: &Set<C>) -> Result<(), Halt> {
        let entered = self.enter(job, set);
        if entered == Err(Halt::Disagreement) {
            return entered;
        }
        let shortfall = self.monitor.publish(self.counts(set));
        entered.and(shortfall.map_or(Ok(()), |shortfall| Err(Halt::Short(shortfall))))
    }

    /// The same, and the monitor is told another time.
    pub(crate) fn enter<C: Codec>(&mut self, job: &Job, set: &Set<C>) -> Result<(), Halt> {
        self.found.clear();
        if job.disagreement.is_some() {
            self.disagreement.clone_from(&job.disagreement);
            return Err(Halt::Disagreement);
        }
        if let Some(before) = &mut self.before {
            before.clone_from(&self.tally);
        }
        let settled = self.settle_steps::<C>(job);
        self.is_torn = settled.is_err();
        settled?;
        for &(rule, weight) in &job.fired_inside {
            self.tally.fired_inside[rule.index()] += weight;
        }
        self.judge_reduction(set)
    }

    /// Passes what the last job has found to the frontier. If there is no room, the job was in vain.
    pub(crate) fn hand_on(&mut self, depth: u32, frontier: &mut Frontier) -> Result<(), Halt> {
        if !self.is_torn {
            self.is_torn = frontier.push(depth, &self.found).is_err();
        }
        if self.is_torn { Err(Halt::Short(Shortfall::Memory)) } else { Ok(()) }
    }

    /// The tally of the jobs that were settled to their end.
    pub(crate) fn border(&self) -> &Tally {
        self.before.as_ref().filter(|_| self.is_torn).unwrap_or(&self.tally)
    }

    /// Whether states found lately stand for enough others to make up for finding representatives.
    fn judge_reduction<C: Codec>(&mut self, set: &Set<C>) -> Result<(), Halt> {
        let (Some(sample), Some(Quotient { reduction, .. })) = (&mut self.sample, self.quotient) else { return Ok(()) };
        if self.tally.n_states < sample.begins_at || self.found.ids.is_empty() {
            return Ok(());
        }
        let Some(mut counter) = OrbitCounter::new(reduction) else { return Ok(()) };
        let mut state = vec![0; reduction.n_words()];
        for &id in self.found.ids.iter().take(MOST_SAMPLED) {
            set.read(id, &mut state);
            counter.note(&state);
            sample.n_sampled += 1;
        }
        sample.n_meant += counter.finish().n_states();
        if sample.n_sampled < LEAST_SAMPLED {
            return Ok(());
        }
        if !pays::is_reduced_enough(sample.n_meant, sample.n_sampled) {
            return Err(Halt::LittleSymmetry);
        }
        self.sample = (sample.begins_at < LAST_TRIAL).then(|| Sample::at(LAST_TRIAL));
        Ok(())
    }

    fn settle_steps<C: Codec>(&mut self, job: &Job) -> Result<(), Halt> {
        let mut answers = job.answers();
        let mut begin = 0;
        for source in &job.sources {
            for at in begin..source.end {
                let step = job.steps.get(at);
                if step.end == StepEnd::Fault {
                    return Err(Halt::Found(source.id.map_or(Finding::StartFault, Finding::RuleFault)));
                }
                if source.id.is_some() {
                    self.tally.fired[step.rule.index()] += step.weight;
                    self.tally.rules_fired += step.weight;
                }
                if step.end == StepEnd::Next
                    && let Some(id) = self.reach(source.id, answers.next(at), job.depth)?
                {
                    self.found.ids.push(id);
                    if !C::IS_EXACT {
                        self.found.words.extend_from_slice(step.state);
                    }
                }
            }
            if let (Some(fired), Some(id)) = (&mut self.fired, source.id) {
                fired.leave(id, source.is_full);
            }
            self.leave(source)?;
            begin = source.end;
        }
        Ok(())
    }

    /// Takes note of what a step led to; a state is returned if it is to be expanded.
    fn reach(&mut self, from: Option<StateId>, reached: Reached, depth: u32) -> Result<Option<StateId>, Halt> {
        let (id, is_new) = match reached {
            Reached::New(id) | Reached::Breach(id) => (id, true),
            Reached::Old(id) => (id, false),
            Reached::Known | Reached::Dropped => return Ok(None),
            Reached::Beyond => {
                self.tally.cut = true;
                return Ok(None);
            }
            Reached::Full => return Err(Halt::Short(Shortfall::Memory)),
        };
        if is_new {
            self.tally.n_states += 1;
            self.tally.depth = self.tally.depth.max(depth);
        }
        if let Some(graph) = &mut self.graph {
            graph.add(from, id, is_new).map_err(|_| Halt::Short(Shortfall::Memory))?;
            self.tally.n_edges = graph.n_edges();
        }
        if let Some(fired) = &mut self.fired {
            fired.reach(id, is_new, depth);
        }
        if matches!(reached, Reached::Breach(_)) {
            return Err(Halt::Found(Finding::Property(id)));
        }
        if is_new && let Some(kept) = &mut self.kept {
            kept.try_reserve(1).map_err(|_| Halt::Short(Shortfall::Memory))?;
            kept.push(id);
        }
        if is_new && self.monitor.state_limit().is_some_and(|limit| self.tally.n_states >= limit) {
            return Err(Halt::Short(Shortfall::States(self.tally.n_states)));
        }
        Ok(is_new.then_some(id))
    }

    /// Takes note of a state all of whose steps were settled.
    fn leave(&mut self, source: &Source) -> Result<(), Halt> {
        let Some(id) = source.id else { return Ok(()) };
        self.tally.n_expanded += u64::from(!source.is_again);
        if source.is_dead { Err(Halt::Found(Finding::Deadlock(id))) } else { Ok(()) }
    }

    /// The states that must be taken up again, with their depths, so that nothing is put off for ever.
    pub(crate) fn left_open(&self, partial: Partial<'_>) -> Vec<(StateId, u32)> {
        self.fired.as_ref().map_or(Vec::new(), |fired| fired.to_be_completed(partial.order.condition()))
    }

    pub(crate) fn n_states(&self) -> u64 {
        self.tally.n_states
    }

    pub(crate) fn counts<C: Codec>(&self, set: &Set<C>) -> Counts {
        let frontier = self.tally.n_states - self.tally.n_expanded;
        let bytes = set.bytes()
            + self.fired.as_ref().map_or(0, FiredSteps::bytes)
            + self.graph.as_ref().map_or(0, Graph::bytes)
            + self.quotient.map_or(0, |it| it.memory.bytes());
        Counts {
            states: self.tally.n_states,
            rules_fired: self.tally.rules_fired,
            frontier,
            depth: u64::from(self.tally.depth),
            bytes: bytes + frontier * self.pending_bytes,
        }
    }
}
