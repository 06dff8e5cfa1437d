//! The current run with its happens-before relation.
//!
//! Every event carries a vector clock: how many events of each thread happen before or are it. Clocks follow from program
//! order, from the creation of threads and from the dependency table, so they are the same for all linearisations of a
//! Mazurkiewicz trace. While an event is added the races it takes part in are found in the same backward scan.

mod index;

use crate::op::{Op, ThreadId};
use crate::relation::{Relation, dependent, relation};
use crate::set::ThreadSet;
use crate::trace::{Birth, Event, Trace};
use index::Index;

/// A prefix of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    events: Vec<Event>,
    /// Which event of its thread each event is, from 1.
    numbers: Vec<u32>,
    /// The threads enabled before each event.
    enabled: Vec<ThreadSet>,
    /// Whether what each event provides was there already, if known.
    surplus: Vec<Option<bool>>,
    clocks: Clocks,
    /// One more than the place of the event of the same thread before each event, 0 if there is none.
    previous: Vec<u32>,
    /// One more than the place of each thread's last event, 0 if it has none.
    last: Vec<u32>,
    births: Vec<Birth>,
    /// Where dependent events are, once the run is long.
    index: Option<Index>,
    /// Scratch memory of [`History::push`].
    scratch: Vec<u32>,
    hidden: Vec<u32>,
}

/// The later event of a race: one that was executed, or the pending operation of a thread that never got to it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Later {
    pub(crate) event: Event,
    /// Its place; the length of the run for pending operations.
    pub(crate) at: usize,
}

impl History {
    pub(crate) fn len(&self) -> usize {
        self.events.len()
    }

    pub(crate) fn event(&self, at: usize) -> &Event {
        &self.events[at]
    }

    pub(crate) fn events(&self) -> &[Event] {
        &self.events
    }

    pub(crate) fn enabled(&self, at: usize) -> &ThreadSet {
        &self.enabled[at]
    }

    pub(crate) fn surplus(&self) -> &[Option<bool>] {
        &self.surplus
    }

    pub(crate) fn births(&self) -> &[Birth] {
        &self.births
    }

    pub(crate) fn number(&self, at: usize) -> u32 {
        self.numbers[at]
    }

    pub(crate) fn clock(&self, at: usize) -> &[u32] {
        self.clocks.get(at)
    }

    /// Takes over who was born when in the run that is about to be added.
    pub(crate) fn set_births(&mut self, births: &[Birth]) {
        self.births.clear();
        self.births.extend_from_slice(births);
        self.clocks.widen(births.len());
        self.last.resize(self.last.len().max(births.len()), 0);
    }

    /// Makes room for a run of `n` events.
    pub(crate) fn reserve(&mut self, n: usize) {
        let more = n.saturating_sub(self.events.len());
        self.events.reserve(more);
        self.numbers.reserve(more);
        self.enabled.reserve(more);
        self.surplus.reserve(more);
        self.previous.reserve(more);
        self.clocks.flat.reserve(more * self.clocks.width);
    }

    pub(crate) fn truncate(&mut self, len: usize) {
        if len < Index::WORTHWHILE / 2 {
            self.index = None;
        }
        while self.events.len() > len {
            let event = self.events.pop().expect("longer than len");
            if let Some(index) = &mut self.index {
                index.pop(&event);
            }
            self.last[event.thread.index()] = self.previous.pop().expect("one per event");
        }
        self.numbers.truncate(len);
        self.enabled.truncate(len);
        self.surplus.truncate(len);
        self.clocks.truncate(len);
    }

    /// Adds the next event of `trace`, of which this is a prefix, and appends to `races` the earlier events it is in a
    /// reversible race with, latest first.
    pub(crate) fn push(&mut self, trace: &Trace, races: &mut Vec<usize>) {
        let at = self.events.len();
        let event = trace.events[at];
        let mut clock = std::mem::take(&mut self.scratch);
        let mut hidden = std::mem::take(&mut self.hidden);
        self.start_clock(event.thread, &mut clock);
        self.scan(&event, &mut clock, &mut hidden, races);
        self.hidden = hidden;
        let previous = self.last[event.thread.index()];
        let number = previous.checked_sub(1).map_or(1, |before| self.numbers[before as usize] + 1);
        clock[event.thread.index()] = number;
        self.clocks.push(&clock);
        self.scratch = clock;
        self.previous.push(previous);
        self.last[event.thread.index()] = at as u32 + 1;
        self.numbers.push(number);
        self.enabled.push(trace.enabled[at].clone());
        self.surplus.push(trace.surplus.get(at).copied().flatten());
        self.events.push(event);
        match &mut self.index {
            Some(index) => index.push(at, &event),
            None if self.events.len() >= Index::WORTHWHILE => self.index = Some(Index::of(&self.events)),
            None => {}
        }
    }

    /// The reversible races of an operation that is pending at the end, latest first.
    pub(crate) fn races_of_pending(&self, thread: ThreadId, op: Op) -> Vec<usize> {
        let event = Event { thread, choice: 0, op };
        let mut clock = Vec::new();
        self.start_clock(thread, &mut clock);
        let mut races = Vec::new();
        self.scan(&event, &mut clock, &mut Vec::new(), &mut races);
        races
    }

    /// Whether event `i` happens before event `j`, or is it.
    pub(crate) fn before(&self, i: usize, j: usize) -> bool {
        self.clock(j)[self.events[i].thread.index()] >= self.numbers[i]
    }

    /// The place of the event by which `thread` came to its next operation: its last event, or the transition in which
    /// it was born.
    fn cause(&self, thread: ThreadId) -> Option<usize> {
        self.after(self.last[thread.index()], thread)
    }

    /// As [`History::cause`], for the later event of a race.
    fn cause_of(&self, later: &Later) -> Option<usize> {
        match self.previous.get(later.at) {
            Some(previous) => self.after(*previous, later.event.thread),
            None => self.cause(later.event.thread),
        }
    }

    fn after(&self, previous: u32, thread: ThreadId) -> Option<usize> {
        let birth = || self.births[thread.index()].at;
        (if previous > 0 { previous } else { birth() } as usize).checked_sub(1)
    }

    /// The clock a thread's next event has from program order alone.
    fn start_clock(&self, thread: ThreadId, clock: &mut Vec<u32>) {
        clock.clear();
        match self.cause(thread) {
            Some(cause) => clock.extend_from_slice(self.clock(cause)),
            None => clock.resize(self.clocks.width, 0),
        }
    }

    /// Completes the clock of a new last event with all dependencies and finds its reversible races.
    ///
    /// SOUND: an earlier event that happens before the new one by way of a third event needs no reversal of its own
    /// (Abdulla et al., POPL 2014, Def. 3.3), because reversing the pairs on the way leads there. That holds only if
    /// those pairs can be reversed. `lock, unlock, lock` is a race of the two `lock`s although the `unlock` lies
    /// between them, and so is `wait, post, wait` on a semaphore; such pairs hide nothing.
    fn scan(&self, event: &Event, clock: &mut [u32], hidden: &mut Vec<u32>, races: &mut Vec<usize>) {
        hidden.clear();
        hidden.extend_from_slice(clock);
        match &self.index {
            Some(index) => {
                let mut candidates = index.candidates(event, &self.last, &self.events);
                while let Some(at) = candidates.next(|at| self.is_hidden(at, hidden)) {
                    self.compare(at, event, clock, hidden, races);
                }
            }
            None => {
                for at in (0..self.events.len()).rev() {
                    if self.events[at].thread != event.thread && !self.is_hidden(at, hidden) {
                        self.compare(at, event, clock, hidden, races);
                    }
                }
            }
        }
    }

    #[inline]
    fn is_hidden(&self, at: usize, hidden: &[u32]) -> bool {
        hidden[self.events[at].thread.index()] >= self.numbers[at]
    }

    /// One step of [`History::scan`].
    // PERF: called for every pair of events of short runs.
    #[inline]
    fn compare(&self, at: usize, event: &Event, clock: &mut [u32], hidden: &mut [u32], races: &mut Vec<usize>) {
        let earlier = &self.events[at];
        let relation = relation(earlier.thread, &earlier.op, event.thread, &event.op);
        if relation.is_dependent() {
            join(clock, self.clock(at));
        }
        if relation == Relation::Race {
            match self.reversibility(at, event) {
                Reversible::Never => {}
                Reversible::Perhaps => races.push(at),
                Reversible::Surely => {
                    races.push(at);
                    join(hidden, self.clock(at));
                }
            }
        }
    }

    /// Whether a new last event can be enabled without the earlier one. If its operation was already pending but blocked
    /// before the earlier event, it needs something since that does not depend on that event. Of an operation that
    /// became pending later it is not known what it would have found, so it depends on whether the earlier event can
    /// enable anything at all and whether that was there already; should a reversal turn out not to be possible, the
    /// run that tries goes on freely.
    fn reversibility(&self, earlier: usize, event: &Event) -> Reversible {
        let ready = self.cause(event.thread).map_or(0, |cause| cause + 1);
        let was_pending = ready <= earlier;
        if was_pending && self.enabled[earlier].contains(event.thread) {
            return Reversible::Surely;
        }
        // SOUND: what is always enabled needs nothing from the earlier event to be executed before it.
        if event.op.kind.is_always_enabled() {
            return Reversible::Surely;
        }
        if !was_pending {
            let before = self.events[earlier].op.kind;
            let can_enable = before.can_enable(event.op.kind);
            let surplus = if before.provides_for(event.op.kind) { self.surplus[earlier] } else { None };
            match surplus {
                _ if !can_enable => return Reversible::Surely,
                Some(true) => return Reversible::Surely,
                None => return Reversible::Perhaps,
                Some(false) => {}
            }
        }
        let may_enable = |at: usize| {
            let between = &self.events[at];
            let other = between.thread != event.thread;
            other && !self.before(earlier, at) && dependent(between.thread, &between.op, event.thread, &event.op)
        };
        if (earlier + 1..self.len()).any(may_enable) { Reversible::Perhaps } else { Reversible::Never }
    }

    /// Writes into `found` the events after `earlier` and before `later` that do not depend on `earlier`, then `later`:
    /// what to execute instead of `earlier` to see the race the other way round.
    pub(crate) fn reversal(&self, earlier: usize, later: Later, found: &mut Reversal) {
        let Reversal { kept, last, last_clock } = found;
        *last = later.event;
        let replaced = self.events[earlier].op;
        let same_round =
            (replaced.kind, replaced.obj, replaced.round()) == (last.op.kind, last.op.obj, last.op.round());
        if last.op.is_last_arrival() && same_round {
            // Who ended the round arrives in the place of another, who ends it then.
            last.op = replaced;
        }
        kept.clear();
        kept.extend((earlier + 1..later.at.min(self.len())).filter(|at| !self.before(earlier, *at)));
        last_clock.clear();
        match self.cause_of(&later) {
            Some(cause) => last_clock.extend_from_slice(self.clock(cause)),
            None => last_clock.resize(self.clocks.width, 0),
        }
        // The clock in the run counts what happened by way of `earlier` too; only direct dependencies remain.
        for at in kept {
            let event = &self.events[*at];
            if dependent(event.thread, &event.op, last.thread, &last.op) {
                join(last_clock, self.clock(*at));
            }
        }
    }
}

/// A sequence that reverses a race: events of the history and a last one with its clock in this sequence.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reversal {
    pub(crate) kept: Vec<usize>,
    pub(crate) last: Event,
    pub(crate) last_clock: Vec<u32>,
}

/// Whether a race can be seen the other way round.
enum Reversible {
    Never,
    Perhaps,
    Surely,
}

fn join(into: &mut [u32], from: &[u32]) {
    for (slot, value) in into.iter_mut().zip(from) {
        *slot = (*slot).max(*value);
    }
}

/// Vector clocks of equal width, one after the other.
#[derive(Clone, Debug, Default)]
struct Clocks {
    flat: Vec<u32>,
    width: usize,
}

impl Clocks {
    fn get(&self, at: usize) -> &[u32] {
        &self.flat[at * self.width..][..self.width]
    }

    fn widen(&mut self, width: usize) {
        if width > self.width {
            let old = self.width.max(1);
            let mut flat = Vec::with_capacity(self.flat.len() / old * width);
            for row in self.flat.chunks(old) {
                flat.extend_from_slice(row);
                flat.resize(flat.len() + width - old, 0);
            }
            (self.flat, self.width) = (flat, width);
        }
    }

    fn push(&mut self, row: &[u32]) {
        self.flat.extend_from_slice(row);
    }

    fn truncate(&mut self, len: usize) {
        self.flat.truncate(len * self.width);
    }
}
