//! The scheduler of one run.
//!
//! A cursor is a plain value: the picks to follow, the sleep set where the new part begins, and how to go on after that.
//! It lives in the process that executes the program, so no step needs a message to the explorer. It records the run
//! as a [`Trace`] while it answers.

use crate::op::{ObjId, Op, ThreadId};
use crate::persistent::Persistent;
use crate::relation::wakes;
use crate::set::ThreadSet;
use crate::symmetry::Family;
use crate::trace::{Birth, Cut, End, Event, Trace};
use std::collections::BTreeMap;

/// A thread and, where its operation has alternatives, which one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Pick {
    /// Who goes next.
    pub thread: ThreadId,
    /// Which alternative.
    pub choice: u32,
}

/// What the program has to do next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// Execute the pending operation of this thread.
    Run(Pick),
    /// Stop here.
    Cut(Cut),
}

/// A transition whose continuations have been explored elsewhere.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sleeper {
    /// The thread and alternative.
    pub pick: Pick,
    /// Its label.
    pub op: Op,
}

/// How to go on after the script.
#[derive(Clone, PartialEq, Debug)]
pub enum Policy {
    /// The enabled thread with the lowest index.
    Ascending,
    /// The thread that ran last if it can go on, else the one with the lowest index: few context switches. A thread that
    /// offers the processor, or has had it for long, stands back once: one that polls does not starve the rest.
    Stay,
    /// The lowest thread of a persistent set.
    Persistent(Persistent),
    /// Any enabled thread, with equal chances.
    Random,
    /// The enabled thread of highest priority; priorities are random and drop at the given depths (PCT).
    Priorities {
        /// Transitions before which the running thread falls below all others, ascending.
        drops: Vec<u32>,
    },
}

/// Everything a run is told beforehand.
#[derive(Clone, PartialEq, Debug)]
pub struct Plan {
    /// The picks to follow.
    pub script: Vec<Pick>,
    /// How many picks of the script have been executed before, so that they must be possible again.
    pub n_known: u32,
    /// The labels the script expects, for strict replay; empty or as long as the script.
    pub labels: Vec<Op>,
    /// The sleep set before transition `asleep_from`.
    pub sleep: Vec<Sleeper>,
    /// Where the sleep set holds.
    pub asleep_from: u32,
    /// How to go on after the script.
    pub policy: Policy,
    /// Seed of the random policies.
    pub seed: u64,
    /// Stop before this transition.
    pub max_depth: u32,
    /// Allow at most this many preemptions.
    pub max_preemptions: u32,
    /// Keep the labels of all enabled threads at every transition.
    pub keep_labels: bool,
    /// The births of all threads known so far.
    pub births: Vec<Birth>,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            script: Vec::new(),
            n_known: 0,
            labels: Vec::new(),
            sleep: Vec::new(),
            asleep_from: 0,
            policy: Policy::Stay,
            seed: 0,
            max_depth: u32::MAX,
            max_preemptions: u32::MAX,
            keep_labels: false,
            births: vec![FIRST_BIRTH],
        }
    }
}

/// Transitions in a row after which [`Policy::Stay`] lets others go first.
const PATIENCE: u32 = 256;

/// The first thread is there before anything happens.
pub(crate) const FIRST_BIRTH: Birth = Birth { parent: ThreadId::MAIN, nth: 0, at: 0, order: 0 };

/// Drives one run and records it.
#[derive(Clone, Debug)]
pub struct Cursor {
    plan: Plan,
    trace: Trace,
    /// The current sleep set; the plan's until `asleep_from`, unused before.
    sleep: Vec<Sleeper>,
    n_preemptions: u32,
    /// Transitions of the thread that ran last, without another in between.
    n_in_a_row: u32,
    n_born: u32,
    random: fastrand::Rng,
    priorities: Vec<u64>,
    renaming: Renaming,
}

impl Cursor {
    /// A cursor for one run.
    #[must_use]
    pub fn new(plan: Plan) -> Self {
        let mut births = plan.births.clone();
        for birth in births.iter_mut().skip(1) {
            birth.at = u32::MAX;
        }
        let random = fastrand::Rng::with_seed(plan.seed);
        Self {
            sleep: plan.sleep.clone(),
            trace: Trace { births, ..Trace::default() },
            n_preemptions: 0,
            n_in_a_row: 0,
            n_born: 0,
            priorities: Vec::new(),
            renaming: Renaming::default(),
            random,
            plan,
        }
    }

    /// Records into the memory of a trace that nobody needs any more.
    pub fn record_into(&mut self, mut memory: Trace) {
        memory.events.clear();
        memory.enabled.clear();
        memory.surplus.clear();
        memory.labels.clear();
        memory.births.clone_from(&self.trace.births);
        memory.enabled_at_end.clear();
        memory.left_script_at = None;
        memory.watched.clear();
        memory.families.clear();
        memory.end = None;
        self.trace = memory;
    }

    /// What this run was told beforehand.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The transitions so far.
    #[must_use]
    pub fn events(&self) -> &[Event] {
        &self.trace.events
    }

    /// How many transitions have been started.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.trace.events.len()
    }

    /// Names the thread that `parent` has just created. The name depends on the parent and the number of its earlier
    /// children alone. To be called in the order of creation.
    pub fn born(&mut self, parent: ThreadId) -> ThreadId {
        let children = self.trace.births.iter().skip(1).filter(|birth| birth.parent == parent && birth.happened());
        let nth = children.count() as u32;
        let at = self.trace.events.len() as u32;
        let known = self.trace.births.iter().skip(1).position(|birth| birth.parent == parent && birth.nth == nth);
        let index = match known {
            Some(position) => position + 1,
            None => {
                self.trace.births.push(Birth { parent, nth, at, order: 0 });
                self.trace.births.len() - 1
            }
        };
        self.n_born += 1;
        self.trace.births[index].at = at;
        self.trace.births[index].order = self.n_born;
        ThreadId::from(index)
    }

    /// Notes a symmetry of the program. It must hold from the moment the members exist.
    pub fn declare(&mut self, family: Family) {
        if !self.trace.families.contains(&family) {
            self.trace.families.push(family);
        }
    }

    /// Decides the next transition.
    ///
    /// `current` is the thread that ran last; `enabled` are the threads whose pending operation can execute now, and
    /// must not be empty; `pending[t]` is the label of thread `t`, [`Op::NONE`] if it has finished or is not born.
    pub fn next(&mut self, current: ThreadId, enabled: &ThreadSet, pending: &[Op]) -> Step {
        let depth = self.trace.events.len();
        let decision = match self.follow(depth, enabled, pending) {
            Some(decision) => decision,
            None if depth as u32 >= self.plan.max_depth => Err(Cut::Depth),
            None => self.choose(current, enabled, pending),
        };
        match decision {
            Ok(pick) => {
                self.record(current, pick, enabled, pending);
                Step::Run(pick)
            }
            Err(cut) => {
                self.trace.enabled_at_end = enabled.clone();
                Step::Cut(cut)
            }
        }
    }

    /// Tells more about the transition just decided on: `Some(true)` if what it provides (a post, a token) is there
    /// already, so that nobody will go on because of this transition alone, `Some(false)` if nothing is there. It
    /// spares attempts at orders that cannot be; saying nothing is always right.
    pub fn remark(&mut self, surplus: Option<bool>) {
        if let Some(last) = self.trace.surplus.last_mut() {
            *last = surplus;
        }
    }

    /// Ends the run. `pending` as for [`Cursor::next`].
    #[must_use]
    pub fn finish(mut self, end: End, pending: &[Op]) -> Trace {
        self.trace.pending.clear();
        self.trace.pending.extend_from_slice(pending);
        self.trace.end = Some(end);
        self.trace
    }

    /// What the script says, if it still says something. Beyond what is known to be possible the script is a proposal:
    /// if it cannot be followed, the run goes on by the policy.
    fn follow(&mut self, depth: usize, enabled: &ThreadSet, pending: &[Op]) -> Option<Result<Pick, Cut>> {
        let pick = *self.plan.script.get(depth)?;
        let op = pending.get(pick.thread.index()).copied().unwrap_or(Op::NONE);
        if enabled.contains(pick.thread) && pick.choice < op.n_choices() {
            let expected = self.plan.labels.get(depth).is_none_or(|label| self.renaming.fits(label, &op));
            if expected {
                return Some(Ok(pick));
            }
        }
        if depth < self.plan.n_known as usize {
            return Some(Err(Cut::OffScript(depth as u32)));
        }
        self.plan.script.truncate(depth);
        self.trace.left_script_at = Some(depth as u32);
        None
    }

    fn record(&mut self, current: ThreadId, pick: Pick, enabled: &ThreadSet, pending: &[Op]) {
        let depth = self.trace.events.len();
        let op = pending[pick.thread.index()];
        if preempts(self.trace.events.last(), pick.thread, enabled) {
            self.n_preemptions += 1;
        }
        self.n_in_a_row = if pick.thread == current { self.n_in_a_row + 1 } else { 1 };
        if depth >= self.plan.asleep_from as usize {
            self.sleep.retain(|sleeper| !wakes(sleeper.pick.thread, &sleeper.op, pick.thread, &op));
        }
        if self.plan.keep_labels {
            self.trace.labels.extend(enabled.iter().map(|thread| pending[thread.index()]));
        }
        self.trace.enabled.push(enabled.clone());
        self.trace.surplus.push(None);
        self.trace.events.push(Event { thread: pick.thread, choice: pick.choice, op });
    }

    /// The first alternative of `thread` that is not asleep.
    fn awake(&self, thread: ThreadId, op: &Op) -> Option<Pick> {
        if self.sleep.is_empty() {
            return Some(Pick { thread, choice: 0 });
        }
        (0..op.n_choices())
            .map(|choice| Pick { thread, choice })
            .find(|pick| !self.sleep.iter().any(|sleeper| sleeper.pick == *pick))
    }

    fn choose(&mut self, current: ThreadId, enabled: &ThreadSet, pending: &[Op]) -> Result<Pick, Cut> {
        let pick = match &self.plan.policy {
            Policy::Ascending => self.lowest(enabled.iter(), pending),
            Policy::Stay => match self.stand_back(current, enabled, pending) {
                Some(pick) => Some(pick),
                None => match self.stay(current, enabled, pending) {
                    Some(pick) => Some(pick),
                    None => self.lowest(enabled.iter(), pending),
                },
            },
            Policy::Persistent(rule) => self.lowest(rule.set(enabled, pending, &self.trace.events).iter(), pending),
            Policy::Random => Some(self.random_pick(enabled, pending)),
            Policy::Priorities { .. } => Some(self.highest_pick(current, enabled, pending)),
        };
        let pick = pick.ok_or(Cut::Asleep)?;
        let last = self.trace.events.last();
        if self.n_preemptions < self.plan.max_preemptions || !preempts(last, pick.thread, enabled) {
            return Ok(pick);
        }
        self.stay(current, enabled, pending).ok_or(Cut::Preemptions)
    }

    /// The next thread after `current` in a circle, if it is time for `current` to stand back.
    fn stand_back(&self, current: ThreadId, enabled: &ThreadSet, pending: &[Op]) -> Option<Pick> {
        let last = self.trace.events.last().filter(|last| last.thread == current)?;
        if !last.op.kind.offers_processor() && self.n_in_a_row < PATIENCE {
            return None;
        }
        let after = enabled.iter().filter(|thread| *thread > current);
        self.lowest(after.chain(enabled.iter().filter(|thread| *thread < current)), pending)
    }

    fn stay(&self, current: ThreadId, enabled: &ThreadSet, pending: &[Op]) -> Option<Pick> {
        if enabled.contains(current) { self.awake(current, &pending[current.index()]) } else { None }
    }

    fn lowest(&self, mut threads: impl Iterator<Item = ThreadId>, pending: &[Op]) -> Option<Pick> {
        threads.find_map(|thread| self.awake(thread, &pending[thread.index()]))
    }

    fn random_pick(&mut self, enabled: &ThreadSet, pending: &[Op]) -> Pick {
        let nth = self.random.usize(..enabled.len());
        let thread = enabled.iter().nth(nth).expect("nth < len");
        Pick { thread, choice: self.random.u32(..pending[thread.index()].n_choices()) }
    }

    /// PCT (Burckhardt et al., ASPLOS 2010, section 3): the highest priority runs; at each drop point the running
    /// thread falls below everything else.
    fn highest_pick(&mut self, current: ThreadId, enabled: &ThreadSet, pending: &[Op]) -> Pick {
        const ABOVE_ALL_DROPS: u64 = 1 << 32;
        while self.priorities.len() < pending.len() {
            self.priorities.push(self.random.u64(ABOVE_ALL_DROPS..));
        }
        let depth = self.trace.events.len() as u32;
        if let Policy::Priorities { drops } = &self.plan.policy
            && let Some(position) = drops.iter().position(|drop| *drop == depth)
        {
            self.priorities[current.index()] = (drops.len() - position) as u64;
        }
        let thread = enabled.iter().max_by_key(|thread| self.priorities[thread.index()]).expect("some enabled thread");
        Pick { thread, choice: self.random.u32(..pending[thread.index()].n_choices()) }
    }
}

/// Which object of this run stands for which of the schedule it follows. Blocks of the heap and stacks of threads lie
/// elsewhere under another executor, so that the address of an object says nothing but which other operations are on
/// the same object: a schedule fits if its objects correspond to those of the run one to one.
#[derive(Clone, Debug, Default)]
struct Renaming {
    here: BTreeMap<ObjId, ObjId>,
    there: BTreeMap<ObjId, ObjId>,
}

impl Renaming {
    /// Whether a label of the schedule can be that of an operation, given the labels before it.
    fn fits(&mut self, label: &Op, op: &Op) -> bool {
        let rest = |op: &Op| (op.kind, op.arg);
        rest(label) == rest(op) && self.is_same(label.obj, op.obj) && self.is_same(label.obj2, op.obj2)
    }

    fn is_same(&mut self, there: ObjId, here: ObjId) -> bool {
        let is_address = |obj: ObjId| !obj.is_none() && obj.creator().is_none() && obj.stack_cell().is_none();
        if !is_address(there) || !is_address(here) {
            return there == here;
        }
        *self.here.entry(there).or_insert(here) == here && *self.there.entry(here).or_insert(there) == there
    }
}

/// Whether going on with `next` after `last` interrupts a thread that could have gone on and did not offer the processor
/// to others. The first thread runs before there is any event.
pub(crate) fn preempts(last: Option<&Event>, next: ThreadId, enabled: &ThreadSet) -> bool {
    let current = last.map_or(ThreadId::MAIN, |event| event.thread);
    next != current && enabled.contains(current) && !last.is_some_and(|event| event.op.kind.offers_processor())
}
