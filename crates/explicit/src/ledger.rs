//! The account of a search: jobs are settled here one after the other, each step by step, in the order in which a
//! search with one thread that fires one rule after the other meets them.

use burnside_engine::pays::{self, FIRST_TRIAL, LAST_TRIAL, LEAST_SAMPLED, MOST_SAMPLED};
use burnside_engine::{Counts, Disagreement, Monitor, Shortfall, Task};
use burnside_interp::StepEnd;
use burnside_ir::{PropertyId, PropertyKind};
use burnside_store::{Codec, Set, StateId};
use burnside_symmetry::OrbitCounter;

use crate::expander::Quotient;
use crate::frontier::Found;
use crate::job::{Job, Reached, Source};
use crate::liveness::Graph;

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
    /// What differed when a state was looked at twice.
    pub(crate) disagreement: Option<Box<Disagreement>>,
    pub(crate) fired: Vec<u64>,
    rules_fired: u64,
    n_states: u64,
    n_expanded: u64,
    depth: u32,
    /// What a state takes while it waits to be expanded.
    pending_bytes: u64,
    /// Whether the depth bound left out a state.
    pub(crate) cut: bool,
    /// When and by what the reduction is judged next, if it is.
    trial: Option<Trial>,
}

/// A sample of states.
struct Trial {
    /// How many states must be stored before.
    begins_at: u64,
    n_sampled: u128,
    /// How many states they stand for.
    n_meant: u128,
}

impl Trial {
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
        let keeps_states = task.keeps_states || !looked_at_afterwards(task, quotient.is_some()).is_empty();
        let needs_graph = !task.properties(PropertyKind::Liveness).is_empty();
        Self {
            monitor,
            quotient,
            found: Found::default(),
            graph: needs_graph.then(Graph::default),
            kept: (keeps_states && C::IS_EXACT).then(Vec::new),
            disagreement: None,
            fired: vec![0; task.model.rules.len()],
            rules_fired: 0,
            n_states: 0,
            n_expanded: 0,
            depth: 0,
            pending_bytes: (size_of::<StateId>() + n_pending_words * size_of::<u64>()) as u64,
            cut: false,
            trial: (task.may_decline && C::IS_EXACT).then(|| Trial::at(FIRST_TRIAL)),
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
        self.settle_steps::<C>(job).and_then(|()| self.judge_reduction(set))
    }

    /// Whether states found lately stand for enough others to make up for finding representatives.
    fn judge_reduction<C: Codec>(&mut self, set: &Set<C>) -> Result<(), Halt> {
        let (Some(trial), Some(Quotient { reduction, .. })) = (&mut self.trial, self.quotient) else { return Ok(()) };
        if self.n_states < trial.begins_at || self.found.ids.is_empty() {
            return Ok(());
        }
        let Some(mut counter) = OrbitCounter::new(reduction) else { return Ok(()) };
        let mut state = vec![0; reduction.n_words()];
        for &id in self.found.ids.iter().take(MOST_SAMPLED) {
            set.read(id, &mut state);
            counter.note(&state);
            trial.n_sampled += 1;
        }
        trial.n_meant += counter.finish().n_states();
        if trial.n_sampled < LEAST_SAMPLED {
            return Ok(());
        }
        if !pays::is_reduced_enough(trial.n_meant, trial.n_sampled) {
            return Err(Halt::LittleSymmetry);
        }
        self.trial = (trial.begins_at < LAST_TRIAL).then(|| Trial::at(LAST_TRIAL));
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
                    self.fired[step.rule.index()] += step.weight;
                    self.rules_fired += step.weight;
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
                self.cut = true;
                return Ok(None);
            }
            Reached::Full => return Err(Halt::Short(Shortfall::Memory)),
        };
        if is_new {
            self.n_states += 1;
            self.depth = self.depth.max(depth);
        }
        if let Some(graph) = &mut self.graph {
            graph.add(from, id, is_new).map_err(|_| Halt::Short(Shortfall::Memory))?;
        }
        if matches!(reached, Reached::Breach(_)) {
            return Err(Halt::Found(Finding::Property(id)));
        }
        if is_new && let Some(kept) = &mut self.kept {
            kept.try_reserve(1).map_err(|_| Halt::Short(Shortfall::Memory))?;
            kept.push(id);
        }
        if is_new && self.monitor.state_limit().is_some_and(|limit| self.n_states >= limit) {
            return Err(Halt::Short(Shortfall::States(self.n_states)));
        }
        Ok(is_new.then_some(id))
    }

    /// Takes note of a state all of whose steps were settled.
    fn leave(&mut self, source: &Source) -> Result<(), Halt> {
        let Some(id) = source.id else { return Ok(()) };
        self.n_expanded += 1;
        if source.is_dead { Err(Halt::Found(Finding::Deadlock(id))) } else { Ok(()) }
    }

    pub(crate) fn n_states(&self) -> u64 {
        self.n_states
    }

    pub(crate) fn counts<C: Codec>(&self, set: &Set<C>) -> Counts {
        let frontier = self.n_states - self.n_expanded;
        let bytes =
            set.bytes() + self.graph.as_ref().map_or(0, Graph::bytes) + self.quotient.map_or(0, |it| it.memory.bytes());
        Counts {
            states: self.n_states,
            rules_fired: self.rules_fired,
            frontier,
            depth: u64::from(self.depth),
            bytes: bytes + frontier * self.pending_bytes,
        }
    }
}
