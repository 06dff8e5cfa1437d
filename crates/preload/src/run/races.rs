//! Data races: accesses to the same bytes that nothing orders.
//!
//! Every thread knows of the others as much as what it acquired tells it, kept as
//! a vector clock: creation and join, locks, conditions, semaphores and the like,
//! and atomics, all of which count as acquiring and releasing whatever order they
//! ask for. Plain accesses order nothing. Two accesses to a byte, one of them a
//! write and not both atomic, of which the later thread does not know the earlier
//! one, are a data race (C11, 5.1.2.4), also if the schedule happens to put them
//! far apart.
//!
//! Nothing is reported that is no race: more orders than the standard has can only
//! hide some. What depends on a weak memory order is hidden so.

use burnside_stateless::{FailureKind, Kind, ObjId, Op, ThreadId};
use burnside_wire::Race;
use rustc_hash::FxHashMap;

use super::clocks::{Part, acquires, releases};
use super::{Run, fail, watches_memory, with};

const CELL_BYTES: usize = 8;

/// How memory is accessed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Access {
    Plain,
    Atomic,
}

/// Per thread: up to which of its releases its past is known. Missing ends count as 0.
type Clock = Vec<u32>;

#[derive(Default)]
pub(super) struct Races {
    threads: Vec<Clock>,
    objects: FxHashMap<(ObjId, Part), Clock>,
    cells: FxHashMap<ObjId, Vec<Seen>>,
}

/// An access that a later one may be in a race with.
struct Seen {
    thread: ThreadId,
    /// How often its thread had released something, plus one.
    time: u32,
    bytes: u8,
    writes: bool,
    how: Access,
    /// The transition.
    step: u64,
}

/// The running thread has executed the memory access `op`.
pub(crate) fn look_for_race(op: &Op, how: Access) {
    let found = with(|run| run.note_access(op, how));
    if found && with(|run| run.options.stops_at_races) {
        fail(FailureKind::Race, String::new());
    }
}

/// The running thread has learned what was released at `address` by code that does not announce it.
pub(crate) fn acquired(address: usize) {
    with(|run| {
        let (me, cell) = (run.current, cell_at(address));
        run.races.acquire(me, (cell, Part::Whole));
    });
}

/// The running thread releases something at `address` in code that does not announce it.
pub(crate) fn released(address: usize) {
    with(|run| {
        let (me, cell) = (run.current, cell_at(address));
        run.races.release(me, (cell, Part::Whole));
    });
}

/// The memory at `address` becomes another object: what was accessed there before does not matter any more.
pub(crate) fn forget_accesses(address: usize, n_bytes: usize) {
    with(|run| {
        if !run.races.cells.is_empty() {
            for cell in address / CELL_BYTES..=(address + n_bytes) / CELL_BYTES {
                run.races.cells.remove(&ObjId::at((cell * CELL_BYTES) as u64));
            }
        }
    });
}

fn cell_at(address: usize) -> ObjId {
    ObjId::at((address / CELL_BYTES * CELL_BYTES) as u64)
}

impl Races {
    pub(super) fn clear(&mut self) {
        self.threads.clear();
        self.objects.clear();
        self.cells.clear();
    }

    fn clock(&mut self, thread: ThreadId) -> &mut Clock {
        let index = thread.index();
        if self.threads.len() <= index {
            self.threads.resize(index + 1, Clock::new());
        }
        let clock = &mut self.threads[index];
        if clock.len() <= index {
            clock.resize(index + 1, 0);
        }
        clock[index] = clock[index].max(1);
        clock
    }

    /// `parent` creates `child`, which knows what it knows.
    pub(super) fn bear(&mut self, parent: ThreadId, child: ThreadId) {
        let known = self.clock(parent).clone();
        self.clock(parent)[parent.index()] += 1;
        join(self.clock(child), &known);
    }

    /// `joiner` learns all that `ended` knew.
    pub(super) fn join(&mut self, joiner: ThreadId, ended: ThreadId) {
        let known = self.clock(ended).clone();
        join(self.clock(joiner), &known);
    }

    fn acquire(&mut self, me: ThreadId, what: (ObjId, Part)) {
        if let Some(known) = self.objects.remove(&what) {
            join(self.clock(me), &known);
            self.objects.insert(what, known);
        }
    }

    fn release(&mut self, me: ThreadId, what: (ObjId, Part)) {
        if what.0.is_none() {
            return;
        }
        let known = self.clock(me).clone();
        join(self.objects.entry(what).or_default(), &known);
        self.clock(me)[me.index()] += 1;
    }
}

fn join(clock: &mut Clock, other: &[u32]) {
    if clock.len() < other.len() {
        clock.resize(other.len(), 0);
    }
    for (known, more) in clock.iter_mut().zip(other) {
        *known = (*known).max(*more);
    }
}

impl Run {
    /// `me` has executed `op`, which may pass knowledge on. Accesses to memory are looked at where they are announced.
    pub(super) fn pass_knowledge(&mut self, me: ThreadId, op: &Op) {
        if matches!(op.kind, Kind::Read | Kind::Write | Kind::Rmw) {
            return;
        }
        let part = Part::of(op);
        if acquires(op.kind) {
            self.races.acquire(me, (op.obj, part));
            match op.kind {
                Kind::RwWrite | Kind::RwTryWrite => self.races.acquire(me, (op.obj, Part::Readers)),
                Kind::CondWake | Kind::CondTimedWake => self.races.acquire(me, (op.obj2, Part::Whole)),
                _ => {}
            }
        }
        match op.kind {
            Kind::CondWait => self.races.release(me, (op.obj2, Part::Whole)),
            Kind::RwReadUnlock => self.races.release(me, (op.obj, Part::Readers)),
            kind if releases(kind) => self.races.release(me, (op.obj, part)),
            _ => {}
        }
    }

    /// Notes an access; is it in a race with one before, the first race of this execution?
    fn note_access(&mut self, op: &Op, how: Access) -> bool {
        // Processes have memory of their own at the same addresses.
        if !watches_memory() || !self.has_threads() || self.has_forked() || !self.is_going_on() {
            return false;
        }
        let me = self.current;
        let step = self.cursor.as_ref().map_or(0, |cursor| cursor.depth()).saturating_sub(1) as u64;
        let (bytes, writes) = (op.bytes(), op.kind != Kind::Read);
        if how == Access::Atomic {
            self.races.acquire(me, (op.obj, Part::Whole));
        }
        let known = self.races.clock(me).clone();
        let seen = self.races.cells.entry(op.obj).or_default();
        let is_known = |other: &Seen| known.get(other.thread.index()).is_some_and(|time| *time >= other.time);
        let in_race = |other: &&Seen| {
            let both_atomic = other.how == Access::Atomic && how == Access::Atomic;
            other.bytes & bytes != 0 && (other.writes || writes) && !both_atomic && !is_known(other)
        };
        let first = seen.iter().find(in_race).map(|other| other.step);
        // What this access knows of and covers cannot be the only partner of a later one.
        seen.retain(|other| {
            !(other.bytes & !bytes == 0 && (writes || !other.writes) && other.how == how && is_known(other))
        });
        seen.push(Seen { thread: me, time: known[me.index()], bytes, writes, how, step });
        if how == Access::Atomic && writes {
            self.races.release(me, (op.obj, Part::Whole));
        }
        match first {
            Some(first) if self.report.race.is_none() => {
                self.report.race = Some(Race { first, second: step });
                true
            }
            _ => false,
        }
    }
}
