//! A piece of the search: some states of the frontier, the steps from them, and what those lead to.

use std::sync::{Arc, Mutex, MutexGuard};

use burnside_engine::Disagreement;
use burnside_interp::{StepBuffer, StepEnd};
use burnside_ir::RuleId;
use burnside_step::{DeadlockMode, Inspection, Stepper};
use burnside_store::{Codec, Insertion, Request, Set, Shard, StateId, hash, shard_of};

use crate::expander::{Expander, Representatives};
use crate::frontier::Found;
use crate::partial::Forced;
use crate::recent::Recent;

/// What the search needs to know of its task in every job.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Config {
    /// Words of a packed state.
    pub(crate) n_words: usize,
    /// Whether some states are left out by assumptions.
    pub(crate) has_assumptions: bool,
    /// Whether executions may end somewhere.
    pub(crate) has_ends: bool,
    /// The deadlocks that are looked for.
    pub(crate) deadlocks: DeadlockMode,
    /// How many steps to go from a start state.
    pub(crate) depth_bound: u32,
    /// Whether states met lately are looked for. Nothing may then be asked of such a state but that it was met: not its
    /// number, which a graph of all steps has, nor whether it is less deep now. And what stands for it must not depend on
    /// what else was met.
    pub(crate) remembers: bool,
}

/// Memory for the work of one thread.
pub(crate) struct Scratch {
    state: Vec<u64>,
    /// The states that are expanded once more, for the steps that were left out.
    forced: Arc<Forced>,
    /// What steps have led to lately, if that helps.
    recent: Option<Recent>,
}

impl Scratch {
    pub(crate) fn new(config: Config, forced: Arc<Forced>) -> Self {
        let recent = config.remembers.then(|| Recent::new(config.n_words));
        Self { state: vec![0; config.n_words], forced, recent }
    }
}

/// How many states ahead what is known of them is asked for.
const LOOK_AHEAD: usize = 8;

/// In place of the number of a shard: the state was met before.
const KNOWN: u16 = u16::MAX;

/// Steps from some states of equal depth.
pub(crate) struct Job {
    /// The depth of what the steps lead to.
    pub(crate) depth: u32,
    /// What is expanded.
    pub(crate) frontier: Found,
    /// What was expanded, with its steps. Ends early at a fault.
    pub(crate) sources: Vec<Source>,
    pub(crate) steps: StepBuffer,
    /// The shard to which each step's state belongs, if it leads to one that is not [known](KNOWN).
    owners: Vec<u16>,
    /// The hash of each step's state as the step left it.
    hashes: Vec<u64>,
    /// The rules that led to states that are not stored, and how often.
    pub(crate) fired_inside: Vec<(RuleId, u64)>,
    /// What differed when a state was looked at twice.
    pub(crate) disagreement: Option<Box<Disagreement>>,
    /// The states to be inserted into each shard. A lock is held only while work on the shard goes on.
    parts: Vec<Mutex<Portion>>,
}

/// An expanded state, or the start of all.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Source {
    /// The state; `None` where the steps lead to start states.
    pub(crate) id: Option<StateId>,
    /// Where its steps end; they begin where those of the source before end.
    pub(crate) end: usize,
    /// Whether the state is a deadlock.
    pub(crate) is_dead: bool,
    /// Whether no step was left out.
    pub(crate) is_full: bool,
    /// Whether the state was expanded before, and these are the steps that were left out.
    pub(crate) is_again: bool,
}

#[derive(Debug, Default)]
struct Portion {
    candidates: Vec<Candidate>,
    /// The hash of each candidate.
    hashes: Vec<u64>,
    /// What became of each candidate.
    reached: Vec<Reached>,
}

/// A state to be inserted.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    step: u32,
    source: u32,
}

/// What a step's state turned out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reached {
    /// Met for the first time.
    New(StateId),
    /// Met for the first time, and some property is violated here or faults.
    Breach(StateId),
    /// Met before.
    Old(StateId),
    /// Met before, and nobody wants to know under which number.
    Known,
    /// Excluded by an assumption.
    Dropped,
    /// Not met before, but beyond the depth bound.
    Beyond,
    /// There is no room for it.
    Full,
}

impl Job {
    pub(crate) fn new(n_words: usize, n_shards: usize) -> Self {
        Self {
            depth: 0,
            frontier: Found::default(),
            sources: Vec::new(),
            steps: StepBuffer::new(n_words),
            owners: Vec::new(),
            hashes: Vec::new(),
            fired_inside: Vec::new(),
            disagreement: None,
            parts: (0..n_shards).map(|_| Mutex::default()).collect(),
        }
    }

    /// Forgets everything but keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.frontier.clear();
        self.sources.clear();
        self.steps.clear();
        self.fired_inside.clear();
        self.disagreement = None;
    }

    /// The start of all: steps to the start states.
    pub(crate) fn begin(&mut self, expander: &mut Expander<'_, impl Stepper, impl Representatives>) {
        expander.starts(&mut self.steps);
        self.sources.push(Source { id: None, end: self.steps.len(), is_dead: false, is_full: true, is_again: false });
        self.distribute(expander, None);
    }

    /// Fires every rule in every state of `frontier`.
    pub(crate) fn expand<C: Codec>(
        &mut self,
        set: &Set<C>,
        config: Config,
        expander: &mut Expander<'_, impl Stepper, impl Representatives>,
        scratch: &mut Scratch,
    ) {
        let Scratch { state, forced, recent } = scratch;
        let n_words = state.len();
        for (at, &id) in self.frontier.ids.iter().enumerate() {
            match C::IS_EXACT {
                true => set.read(id, state),
                false => state.copy_from_slice(&self.frontier.words[at * n_words..(at + 1) * n_words]),
            }
            let begin = self.steps.len();
            let is_again = forced.contains(&id);
            let is_full = expander.expand(state, is_again, &mut self.steps);
            self.fired_inside.extend_from_slice(expander.fired_inside());
            let end = self.steps.len();
            let deadlocks = config.deadlocks;
            let leads_on = (begin..end).any(|step| deadlocks.is_way_on(self.steps.get(step).stays_in(state)));
            let is_dead = !is_again && deadlocks.is_dead(leads_on) && !(config.has_ends && expander.may_end(state));
            self.sources.push(Source { id: Some(id), end, is_dead, is_full, is_again });
            if end > begin && self.steps.get(end - 1).end == StepEnd::Fault {
                break;
            }
        }
        self.disagreement = expander.take_disagreement();
        self.distribute(expander, recent.as_mut());
    }

    /// Puts representatives in place of the states that steps lead to, hashes these and assigns each to its shard.
    fn distribute<R: Representatives>(
        &mut self,
        expander: &mut Expander<'_, impl Stepper, R>,
        mut recent: Option<&mut Recent>,
    ) {
        let n_shards = self.parts.len();
        self.owners.clear();
        self.hash_steps();
        for part in &mut self.parts {
            let part = part.get_mut().expect("no thread panicked");
            part.candidates.clear();
            part.hashes.clear();
            part.reached.clear();
        }
        for (at, source) in self.sources.iter().enumerate() {
            for step in self.owners.len()..source.end {
                if self.steps.get(step).end != StepEnd::Next {
                    self.owners.push(0);
                    continue;
                }
                let mut state_hash = self.hashes[step];
                if let Some(recent) = &mut recent {
                    if let Some(&ahead) = self.hashes.get(step + LOOK_AHEAD) {
                        recent.prefetch(ahead);
                    }
                    if recent.meet(self.steps.get(step).state, state_hash) {
                        self.owners.push(KNOWN);
                        continue;
                    }
                }
                if R::REDUCE {
                    expander.canonicalise(self.steps.state_mut(step));
                    state_hash = hash(self.steps.get(step).state);
                }
                let owner = shard_of(state_hash, n_shards);
                self.owners.push(owner as u16);
                let part = self.parts[owner].get_mut().expect("no thread panicked");
                part.candidates.push(Candidate { step: step as u32, source: at as u32 });
                part.hashes.push(state_hash);
            }
        }
    }

    fn hash_steps(&mut self) {
        self.hashes.clear();
        for step in (0..self.steps.len()).map(|step| self.steps.get(step)) {
            self.hashes.push(if step.end == StepEnd::Next { hash(step.state) } else { 0 });
        }
    }

    /// Inserts the states that belong to one shard, and inspects those met for the first time.
    pub(crate) fn insert<C: Codec>(
        &self,
        (number, shard): (usize, &mut Shard<C>),
        config: Config,
        expander: &mut Expander<'_, impl Stepper, impl Representatives>,
    ) {
        let mut part = self.parts[number].lock().expect("no thread panicked");
        let Portion { candidates, hashes, reached } = &mut *part;
        let request = |at: usize| self.request(candidates[at], hashes[at]);
        if self.depth > config.depth_bound {
            let mut is_excluded =
                |state: &[u64]| config.has_assumptions && matches!(expander.inspect(state), Inspection::Drop(_));
            reached.extend((0..candidates.len()).map(|at| look_up(shard, &request(at), &mut is_excluded)));
        } else if config.has_assumptions {
            reached.extend((0..candidates.len()).map(|at| insert_unless_excluded(shard, &request(at), expander)));
        } else {
            shard.insert_all(hashes, request, |insertion| reached.push(insertion.into()));
        }
        for (at, reached) in reached.iter_mut().enumerate() {
            if let Reached::New(id) = *reached
                && matches!(expander.inspect(request(at).state), Inspection::Breach(_))
            {
                *reached = Reached::Breach(id);
            }
        }
    }

    fn request(&self, candidate: Candidate, hash: u64) -> Request<'_> {
        let parent = self.sources[candidate.source as usize].id;
        Request { state: self.steps.get(candidate.step as usize).state, hash, parent }
    }

    /// What became of the states.
    pub(crate) fn answers(&self) -> Answers<'_> {
        let parts = self.parts.iter().map(|part| (part.lock().expect("no thread panicked"), 0)).collect();
        Answers { owners: &self.owners, parts }
    }
}

/// What became of the states of a job, to be asked for once each in the order of steps.
pub(crate) struct Answers<'j> {
    owners: &'j [u16],
    /// With the number of answers given.
    parts: Vec<(MutexGuard<'j, Portion>, usize)>,
}

impl Answers<'_> {
    /// What became of a step's state, if it leads to one.
    pub(crate) fn next(&mut self, step: usize) -> Reached {
        let owner = self.owners[step];
        if owner == KNOWN {
            return Reached::Known;
        }
        let (part, n_given) = &mut self.parts[usize::from(owner)];
        *n_given += 1;
        part.reached[*n_given - 1]
    }
}

/// What a state beyond the depth bound is; it is not stored.
fn look_up<C: Codec>(shard: &Shard<C>, request: &Request<'_>, is_excluded: impl FnOnce(&[u64]) -> bool) -> Reached {
    match shard.find(request.state, request.hash) {
        Some(id) => Reached::Old(id),
        None if is_excluded(request.state) => Reached::Dropped,
        None => Reached::Beyond,
    }
}

/// Excluded states are not stored, so that they are inspected whenever they are met.
fn insert_unless_excluded<C: Codec>(
    shard: &mut Shard<C>,
    request: &Request<'_>,
    expander: &mut Expander<'_, impl Stepper, impl Representatives>,
) -> Reached {
    match shard.find(request.state, request.hash) {
        Some(id) => Reached::Old(id),
        None if matches!(expander.inspect(request.state), Inspection::Drop(_)) => Reached::Dropped,
        None => shard.insert(request).into(),
    }
}

impl From<Insertion> for Reached {
    fn from(insertion: Insertion) -> Self {
        match insertion {
            Insertion::New(id) => Self::New(id),
            Insertion::Old(id) => Self::Old(id),
            Insertion::Full => Self::Full,
        }
    }
}
