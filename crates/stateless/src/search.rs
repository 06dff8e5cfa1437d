//! Exhaustive explorers: one depth-first search, five methods.
//!
//! The search keeps the current run as a stack of nodes, one per transition. A node knows which transitions need no
//! exploration because that happened elsewhere (sleep), which have been explored from here (done) and what is left
//! (todo). The methods differ in what enters `todo`: everything enabled, a persistent set, or only what reverses a race
//! seen in some run.

mod bounded;
mod save;
mod split;

use crate::cursor::{Cursor, FIRST_BIRTH, Pick, Plan, Policy, Sleeper, preempts};
use crate::explorer::{Bounds, Explorer, NotDeterministic, Stats};
use crate::history::{History, Later, Reversal};
use crate::op::{Op, ThreadId};
use crate::persistent::Persistent;
use crate::relation::wakes;
use crate::set::ThreadSet;
use crate::symmetry::{Family, Images};
use crate::trace::{Birth, End, Event, Trace};
use crate::wakeup::{Branch, Detached, Sequence, Tree};

pub(crate) use bounded::Cost;

/// How the runs of an exhaustive search are chosen.
#[derive(Clone, PartialEq, Debug)]
pub enum Method {
    /// Every interleaving.
    Plain,
    /// Every interleaving that does not start with something explored before (sleep sets).
    Sleep,
    /// Persistent sets and sleep sets: Figure 1 of `symmetry-on-transitions`.
    Persistent(Persistent),
    /// Source sets (Abdulla et al., POPL 2014, Algorithm 1).
    Source,
    /// Wakeup trees (the same, Algorithm 2): every Mazurkiewicz trace once, and no run that has to be given up.
    Optimal,
    /// What a bound on preemptions makes of the last two: all orders of dependent transitions within the bound.
    Bounded,
}

impl Method {
    /// The name on command lines and in reports.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Sleep => "sleep",
            Self::Persistent(_) => "persistent",
            Self::Source => "source",
            Self::Optimal => "optimal",
            Self::Bounded => "bounded",
        }
    }

    fn expands_fully(&self) -> bool {
        matches!(self, Self::Plain | Self::Sleep | Self::Persistent(_))
    }

    fn policy(&self) -> Policy {
        match self {
            Self::Plain | Self::Sleep => Policy::Ascending,
            Self::Persistent(rule) => Policy::Persistent(rule.clone()),
            Self::Source | Self::Optimal | Self::Bounded => Policy::Stay,
        }
    }

    fn sleeps(&self) -> bool {
        !matches!(self, Self::Plain | Self::Bounded)
    }
}

/// Whether to use the symmetries that are known.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Symmetry {
    /// Ignore them.
    #[default]
    Off,
    /// Prune by them.
    On,
}

/// What a search has learnt from a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Learnt {
    /// What there is to learn.
    All,
    /// It was told to stop.
    Nothing,
}

/// When to ask whether to stop, while a long run is looked at.
struct Patience<'a> {
    stop: &'a mut dyn FnMut() -> bool,
    work: usize,
}

impl<'a> Patience<'a> {
    /// New transitions in a run that is worth asking for.
    const LONG: usize = 1 << 12;
    /// Transitions looked at between two questions: some milliseconds.
    const INTERVAL: usize = 1 << 14;

    fn of(n_new: usize, stop: &'a mut dyn FnMut() -> bool) -> Option<Self> {
        (n_new >= Self::LONG).then_some(Self { stop, work: 0 })
    }

    fn is_over(clock: &mut Option<Self>, work: usize) -> bool {
        let Some(patience) = clock else { return false };
        patience.work += work;
        if patience.work < Self::INTERVAL {
            return false;
        }
        patience.work = 0;
        (patience.stop)()
    }
}

/// The state before one transition of the current run.
#[derive(Clone, Debug, Default)]
struct Node {
    /// Transitions explored before this state was reached, independent of everything since.
    sleep: Vec<Sleeper>,
    /// Transitions explored from this state, or pruned by symmetry.
    done: Vec<Sleeper>,
    /// What is left to explore from this state.
    todo: Tree,
    /// The threads that can go on.
    enabled: ThreadSet,
    /// The pending operations of the enabled threads, when symmetry or full expansion needs them.
    labels: Vec<(ThreadId, Op)>,
    /// What the schedule has cost before this state.
    cost: Cost,
    /// Who went on here when nobody had decided otherwise.
    first: Option<ThreadId>,
    /// Branches being explored by searches split off here.
    n_lent: u32,
}

impl Node {
    /// A fresh node in the memory of this one.
    fn clear(&mut self) {
        let Self { sleep, done, todo, enabled, labels, cost, first, n_lent } = self;
        sleep.clear();
        done.clear();
        todo.branches.clear();
        enabled.clear();
        labels.clear();
        (*cost, *first, *n_lent) = (Cost::default(), None, 0);
    }

    /// Puts a reversal into what is left to explore.
    fn insert(&mut self, method: &Method, sequence: Sequence<'_>) {
        if !self.enabled.contains(sequence.first().thread) {
            return;
        }
        if *method == Method::Optimal {
            // SOUND: a weak initial that sleeps has been, or will be, explored with everything that follows it
            // (POPL 2014, Algorithm 2, line 6).
            if !sequence.is_asleep(&self.sleep) && !sequence.is_asleep(&self.done) {
                self.todo.insert(sequence);
            }
            return;
        }
        // SOUND: one initial of the sequence among those explored from here makes a source set (Algorithm 1, line 7).
        let explored = |pick: Pick| {
            self.sleep.iter().chain(&self.done).any(|sleeper| sleeper.pick == pick)
                || self.todo.branches.iter().any(|branch| branch.pick == pick)
        };
        if !sequence.initials().any(|event| explored(event.pick())) {
            let event = sequence.initials().next().expect("a sequence has a first event");
            self.todo.add(event.pick(), event.op);
        }
    }
}

/// A depth-first search over the runs of a program.
#[derive(Clone, Debug)]
pub struct Search {
    method: Method,
    symmetry: Symmetry,
    bounds: Bounds,
    history: History,
    #[expect(clippy::vec_box, reason = "PERF: nodes come and go with every run and are large")]
    nodes: Vec<Box<Node>>,
    /// Nodes that are no longer part of the run, for their memory.
    #[expect(clippy::vec_box, reason = "as above")]
    spare: Vec<Box<Node>>,
    /// Scratch memory of [`Search::reverse`] and [`Search::extend`].
    reversal: Reversal,
    races: Vec<(usize, Later)>,
    found: Vec<usize>,
    /// How many nodes at the bottom belong to the search this one was split from.
    n_frozen: usize,
    /// Where a split-off search begins.
    entry: Option<Branch>,
    /// Reversals for frozen nodes, to be given back.
    escaped: Vec<(usize, Detached)>,
    images: Images,
    births: Vec<Birth>,
    /// Where the run under way leaves the runs before it, and the branch it follows; `None` between runs.
    under_way: Option<(usize, Option<Branch>)>,
    started: bool,
    stats: Stats,
}

impl Search {
    /// A search that has not begun.
    #[must_use]
    pub fn new(method: Method, symmetry: Symmetry, bounds: Bounds) -> Self {
        Self {
            method,
            symmetry,
            bounds,
            history: History::default(),
            nodes: Vec::new(),
            spare: Vec::new(),
            reversal: Reversal::default(),
            races: Vec::new(),
            found: Vec::new(),
            n_frozen: 0,
            entry: None,
            escaped: Vec::new(),
            images: Images::default(),
            births: vec![FIRST_BIRTH],
            under_way: None,
            started: false,
            stats: Stats::default(),
        }
    }

    /// Adds symmetries known beforehand; those in traces are added as they are seen.
    #[must_use]
    pub fn with_families(mut self, families: &[Family]) -> Self {
        if self.symmetry == Symmetry::On {
            self.images.learn(families);
        }
        self
    }

    /// Takes back the last cursor: the next one will be the same.
    pub fn abandon(&mut self) {
        match self.under_way.take() {
            Some((place, Some(branch))) if self.nodes.len() > place && self.n_frozen <= place => {
                self.nodes[place].todo.branches.insert(0, branch);
            }
            Some((_, entry)) => {
                self.entry = entry;
                self.started = false;
            }
            None => {}
        }
    }

    /// As [`Explorer::done`], but may be told to stop, which is asked now and then while a long run is looked at. Then
    /// nothing has been learnt and the run is still under way, to be taken back by [`Search::abandon`].
    ///
    /// # Errors
    ///
    /// As for [`Explorer::done`].
    ///
    /// # Panics
    ///
    /// If no run is under way.
    pub fn learn(&mut self, trace: &Trace, stop: &mut dyn FnMut() -> bool) -> Result<Learnt, NotDeterministic> {
        assert!(self.under_way.is_some(), "a run is under way");
        self.verify_prefix(trace)?;
        let (base, branch) = self.under_way.take().expect("asserted above");
        let mut clock = Patience::of(trace.events.len() - base, stop);
        let n_nodes = self.nodes.len();
        let again = clock.as_ref().map(|_| branch.clone());
        self.births.clone_from(&trace.births);
        if self.symmetry == Symmetry::On {
            self.images.learn(&trace.families);
        }
        self.history.set_births(&trace.births);
        let mut races = std::mem::take(&mut self.races);
        let mut goes_on = self.extend(trace, base, branch, &mut races, &mut clock);
        if goes_on && self.method == Method::Bounded {
            goes_on = self.backtrack(trace, base, &mut clock);
        } else if goes_on && !self.method.expands_fully() {
            races.extend(self.pending_races(trace));
            for (earlier, later) in races.drain(..) {
                self.reverse(earlier, later);
                if Patience::is_over(&mut clock, later.at - earlier) {
                    goes_on = false;
                    break;
                }
            }
        }
        races.clear();
        self.races = races;
        if let (false, Some(branch)) = (goes_on, again) {
            self.cut_back(base);
            while self.nodes.len() > n_nodes {
                self.drop_node();
            }
            self.under_way = Some((base, branch));
            if trace.end.as_ref().is_some_and(End::is_fault) {
                // It is reported all the same.
                self.stats.count(trace, base);
            }
            return Ok(Learnt::Nothing);
        }
        self.stats.count(trace, base);
        Ok(Learnt::All)
    }

    /// Moves the last transition of the current run to the explored ones of its node.
    fn retire_last(&mut self) {
        let Some(place) = self.history.len().checked_sub(1) else { return };
        let event = *self.history.event(place);
        self.nodes[place].done.push(Sleeper { pick: event.pick(), op: event.op });
        self.cut_back(place);
    }

    fn cut_back(&mut self, len: usize) {
        self.history.truncate(len);
        self.images.truncate(len);
        while self.nodes.len() > len + 1 {
            self.drop_node();
        }
    }

    /// Takes the deepest node away and keeps its memory.
    fn drop_node(&mut self) {
        let mut node = self.nodes.pop().expect("there is a node");
        node.clear();
        self.spare.push(node);
    }

    /// The next branch to follow from the deepest node, if it has one.
    fn next_branch(&mut self) -> Option<Branch> {
        let place = self.nodes.len() - 1;
        while let Some(branch) = self.nodes[place].todo.pop_first() {
            if self.is_known_asleep(place, branch.pick) {
                continue;
            }
            if !self.is_symmetric(place, &branch) {
                return Some(branch);
            }
            // SOUND: the branch is the image of an explored one, so all runs through it have explored images, also
            // those in which it comes later, after independent transitions: it may sleep.
            self.stats.n_symmetric += 1;
            self.nodes[place].done.push(Sleeper { pick: branch.pick, op: branch.op });
        }
        None
    }

    fn is_known_asleep(&self, place: usize, pick: Pick) -> bool {
        let node = &self.nodes[place];
        self.method.sleeps() && node.sleep.iter().chain(&node.done).any(|sleeper| sleeper.pick == pick)
    }

    /// The pruning rule of Definition 9, against everything explored from this node.
    fn is_symmetric(&mut self, place: usize, branch: &Branch) -> bool {
        if self.images.is_empty() {
            return false;
        }
        let node = &self.nodes[place];
        // The branch comes from another run, in which the label may have been another.
        let here = node.labels.iter().find(|(thread, _)| *thread == branch.pick.thread);
        let to = (branch.pick.thread, here.map_or(&branch.op, |(_, op)| op));
        // SOUND: within a bound the image of what was explored is covered only if it leaves no less to spend.
        let is_bounded = self.bounds.max_preemptions != u32::MAX;
        let costs = |thread: ThreadId| self.cost(place, thread).n_preemptions;
        let is_no_dearer =
            |explored: &&Sleeper| !is_bounded || costs(explored.pick.thread) <= costs(branch.pick.thread);
        let candidates: Vec<Sleeper> = node.done.iter().filter(is_no_dearer).copied().collect();
        candidates.iter().any(|explored| {
            explored.pick.choice == branch.pick.choice
                && self.images.maps(&self.history, place, (explored.pick.thread, &explored.op), to, &node.labels)
        })
    }

    fn plan(&self, place: usize, branch: Option<&Branch>) -> Plan {
        let mut script: Vec<Pick> = self.history.events().iter().map(Event::pick).collect();
        let n_known = script.len() as u32;
        if let Some(branch) = branch {
            script.push(branch.pick);
            script.extend(branch.below.first_path());
        }
        Plan {
            script,
            n_known,
            labels: Vec::new(),
            sleep: self.sleepers(place),
            asleep_from: n_known,
            policy: if self.bounds.max_delays == u32::MAX { self.method.policy() } else { Policy::Stay },
            seed: 0,
            max_depth: self.bounds.max_depth,
            max_preemptions: self.bounds.max_preemptions,
            keep_labels: self.needs_labels(),
            births: self.births.clone(),
        }
    }

    /// The first run may declare symmetries, which need its labels.
    fn needs_labels(&self) -> bool {
        let first = self.nodes.is_empty() && self.symmetry == Symmetry::On;
        self.expands_by_labels() || first || !self.images.is_empty()
    }

    fn expands_by_labels(&self) -> bool {
        self.method.expands_fully() || self.method == Method::Bounded
    }

    /// What sleeps at a node once everything done there is done.
    fn sleepers(&self, place: usize) -> Vec<Sleeper> {
        match self.nodes.get(place) {
            Some(node) if self.method.sleeps() => node.sleep.iter().chain(&node.done).copied().collect(),
            _ => Vec::new(),
        }
    }

    fn verify_prefix(&self, trace: &Trace) -> Result<(), NotDeterministic> {
        let known = self.history.events();
        let off = (0..known.len()).find(|at| trace.events.get(*at) != Some(&known[*at]));
        let Some(step) = off else { return Ok(()) };
        let expected = &known[step];
        let detail = match trace.events.get(step) {
            Some(seen) => format!(
                "expected `{}` of thread {}, found `{}` of thread {}",
                expected.op, expected.thread, seen.op, seen.thread
            ),
            None => format!("expected `{}` of thread {}, which could not run", expected.op, expected.thread),
        };
        Err(NotDeterministic { step, detail })
    }

    /// Adds the new part of a run to the stack and the races it closes, earlier place and later event, to `races`. Says
    /// whether it came to the end.
    fn extend(
        &mut self,
        trace: &Trace,
        base: usize,
        branch: Option<Branch>,
        races: &mut Vec<(usize, Later)>,
        clock: &mut Option<Patience<'_>>,
    ) -> bool {
        let mut found = std::mem::take(&mut self.found);
        let needs_labels = self.expands_by_labels() || !self.images.is_empty();
        let mut labels = needs_labels.then(|| Labels::new(trace, base));
        let mut guide = branch.map(|branch| branch.below);
        self.history.reserve(trace.events.len());
        self.nodes.reserve(trace.events.len().saturating_sub(self.nodes.len()) + 1);
        for place in base..trace.events.len() {
            let event = trace.events[place];
            if place > base || self.nodes.is_empty() {
                let todo = guide.take().unwrap_or_default();
                self.push_node(place, todo);
                guide = self.take_guide(place, trace);
            }
            let node = &mut self.nodes[place];
            if let Some(labels) = &mut labels {
                labels.take(&trace.enabled[place], &mut node.labels);
            }
            node.enabled.clone_from(&trace.enabled[place]);
            node.first.get_or_insert(event.thread);
            self.fill(place, &event, &trace.enabled[place]);
            self.history.push(trace, &mut found);
            races.extend(found.drain(..).map(|earlier| (earlier, Later { event, at: place })));
            if Patience::is_over(clock, 1) {
                self.found = found;
                return false;
            }
        }
        self.found = found;
        true
    }

    /// The part of the wakeup tree that the run followed moves to the next node; its siblings stay. A branch that
    /// could not be followed is dropped: the run went on freely from there, so nothing that shares its beginning is
    /// lost.
    fn take_guide(&mut self, place: usize, trace: &Trace) -> Option<Tree> {
        let todo = &mut self.nodes[place].todo;
        if trace.left_script_at == Some(place as u32) {
            todo.pop_first();
            return None;
        }
        let followed = todo.branches.first().is_some_and(|branch| branch.pick == trace.events[place].pick());
        if followed { todo.pop_first().map(|branch| branch.below) } else { None }
    }

    fn push_node(&mut self, place: usize, todo: Tree) {
        let mut node = self.spare.pop().unwrap_or_default();
        node.todo = todo;
        if let Some(before) = place.checked_sub(1) {
            let event = self.history.event(before);
            let parent = &self.nodes[before];
            if self.bounds.price_schedules() {
                node.cost = self.cost(before, event.thread);
            }
            if self.method.sleeps() {
                let asleep = parent.sleep.iter().chain(&parent.done);
                let stays = |sleeper: &&Sleeper| !wakes(sleeper.pick.thread, &sleeper.op, event.thread, &event.op);
                node.sleep.extend(asleep.filter(stays));
            }
        }
        debug_assert_eq!(self.nodes.len(), place, "nodes and events grow together");
        self.nodes.push(node);
    }

    /// Puts into a fresh node's `todo` what the method wants explored besides the transition just taken.
    fn fill(&mut self, place: usize, event: &Event, enabled: &ThreadSet) {
        let mut more: Vec<(Pick, Op)> = Vec::new();
        if self.method.expands_fully() && self.nodes[place].done.is_empty() {
            for (thread, op) in self.expansion(place, enabled) {
                more.extend((0..op.n_choices()).map(|choice| (Pick { thread, choice }, op)));
            }
        } else if event.op.n_choices() > 1 {
            let thread = event.thread;
            more.extend((0..event.op.n_choices()).map(|choice| (Pick { thread, choice }, event.op)));
        }
        let last = place.checked_sub(1).map(|before| *self.history.event(before));
        if self.method == Method::Bounded && preempts(last.as_ref(), event.thread, enabled) {
            // A switch that patience made costs something; going on as before does not.
            let current = last.map_or(ThreadId::MAIN, |last| last.thread);
            let stays = self.nodes[place].labels.iter().find(|(thread, _)| *thread == current);
            more.extend(stays.map(|(thread, op)| (Pick { thread: *thread, choice: 0 }, *op)));
        }
        let node = &mut self.nodes[place];
        for (pick, op) in more {
            let asleep = node.sleep.iter().chain(&node.done).any(|sleeper| sleeper.pick == pick);
            if pick != event.pick() && !asleep {
                node.todo.add(pick, op);
            }
        }
    }

    fn expansion(&self, place: usize, enabled: &ThreadSet) -> Vec<(ThreadId, Op)> {
        let node = &self.nodes[place];
        let Method::Persistent(rule) = &self.method else {
            if !self.bounds.price_schedules() {
                return node.labels.clone();
            }
            let affordable = |(thread, _): &&(ThreadId, Op)| self.cost(place, *thread).is_within(&self.bounds);
            return node.labels.iter().filter(affordable).copied().collect();
        };
        let mut pending = vec![Op::NONE; self.history.births().len()];
        for (thread, op) in &node.labels {
            pending[thread.index()] = *op;
        }
        let set = rule.set(enabled, &pending, self.history.events());
        node.labels.iter().filter(|(thread, _)| set.contains(*thread)).copied().collect()
    }

    /// Sees to it that a race is also seen the other way round.
    fn reverse(&mut self, earlier: usize, later: Later) {
        self.history.reversal(earlier, later, &mut self.reversal);
        if earlier < self.n_frozen {
            self.escaped.push((earlier, Detached::new(&self.history, &self.reversal)));
        } else {
            let sequence = Sequence::of(&self.history, &self.reversal);
            self.nodes[earlier].insert(&self.method, sequence);
        }
    }

    fn insert_or_pass_on(&mut self, earlier: usize, detached: Detached) {
        if earlier < self.n_frozen {
            self.escaped.push((earlier, detached));
        } else {
            let sequence = Sequence::new(&detached);
            self.nodes[earlier].insert(&self.method, sequence);
        }
    }

    /// The races of operations that were pending when the run ended.
    fn pending_races(&self, trace: &Trace) -> Vec<(usize, Later)> {
        let mut races = Vec::new();
        for (thread, op) in trace.pending.iter().enumerate().filter(|(_, op)| **op != Op::NONE) {
            let thread = ThreadId::from(thread);
            let event = Event { thread, choice: 0, op: *op };
            let later = Later { event, at: self.history.len() };
            races.extend(self.history.races_of_pending(thread, *op).into_iter().map(|earlier| (earlier, later)));
        }
        races
    }
}

impl Explorer for Search {
    fn cursor(&mut self) -> Option<Cursor> {
        assert!(self.under_way.is_none(), "one run at a time");
        let place = self.nodes.len().saturating_sub(1);
        if !self.started {
            self.started = true;
            let entry = self.entry.take();
            let plan = self.plan(place, entry.as_ref());
            self.under_way = Some((place, entry));
            return Some(Cursor::new(plan));
        }
        if self.history.len() == self.nodes.len() {
            self.retire_last();
        }
        loop {
            let place = self.nodes.len().checked_sub(1).filter(|place| *place >= self.n_frozen)?;
            if let Some(branch) = self.next_branch() {
                let plan = self.plan(place, Some(&branch));
                self.under_way = Some((place, Some(branch)));
                return Some(Cursor::new(plan));
            }
            if self.nodes[place].n_lent > 0 {
                return None;
            }
            self.drop_node();
            self.retire_last();
        }
    }

    fn done(&mut self, trace: &Trace) -> Result<(), NotDeterministic> {
        self.learn(trace, &mut || false).map(|_| ())
    }

    fn stats(&self) -> &Stats {
        &self.stats
    }

    fn as_search(&mut self) -> Option<&mut Search> {
        Some(self)
    }

    fn omission(&self) -> Option<String> {
        let Bounds { max_preemptions, max_delays, .. } = self.bounds;
        let bounds = [(max_preemptions, "preemptions"), (max_delays, "delays")];
        let met: Vec<String> = bounds
            .iter()
            .filter(|(max, _)| *max != u32::MAX)
            .map(|(max, what)| format!("schedules with more than {max} {what}"))
            .collect();
        (!met.is_empty()).then(|| met.join("; "))
    }
}

/// The labels of enabled threads, cut out of a trace node by node.
struct Labels<'a> {
    trace: &'a Trace,
    at: usize,
}

impl<'a> Labels<'a> {
    fn new(trace: &'a Trace, base: usize) -> Self {
        let at = if trace.labels.is_empty() { 0 } else { trace.enabled[..base].iter().map(ThreadSet::len).sum() };
        Self { trace, at }
    }

    fn take(&mut self, enabled: &ThreadSet, into: &mut Vec<(ThreadId, Op)>) {
        into.clear();
        if self.trace.labels.is_empty() {
            return;
        }
        let from = self.at;
        self.at += enabled.len();
        into.extend(enabled.iter().zip(&self.trace.labels[from..self.at]).map(|(thread, op)| (thread, *op)));
    }
}
