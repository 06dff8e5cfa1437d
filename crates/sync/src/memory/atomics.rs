//! Atomics by their memory orders.
//!
//! The weak model is RC11 (Lahav et al., PLDI 2017) with the release sequences of C++20: atomicity, coherence, acyclic
//! `psc`, and acyclic `po ∪ rf`, the last of which excludes load buffering. Its executions are built event by event.
//!
//! SOUND: `po ∪ rf` is acyclic, so the events of any consistent execution can be added in an order in which every read
//! comes after the write it reads from; and what is left of a consistent execution when events are taken away from the
//! end of that order is consistent, because taking events away adds no edge. So all consistent executions are met if
//! each read may choose any write, each write any place in the order of writes, that leaves the execution consistent. A
//! new event happens before nothing. Hence coherence asks only that it read or write nothing older than what happens
//! before it ([`Memory::oldest`]); and it can close a cycle of `psc` only by an edge out of it, to a write that comes
//! later in the order of writes, so an event that reads the newest write or adds the newest is always consistent.
//!
//! Two events of different threads next to each other can be exchanged unless they are about the same location and one
//! writes, or both may get an edge out of them that `psc` sees: both are [`Memory::is_bound`], which their labels say.

use super::clock::Clock;
use super::{Event, Memory, Name};
use burnside_stateless::{ObjId, ThreadId};
use std::sync::atomic::Ordering;

/// A write to an atomic.
#[derive(Clone, Debug)]
pub(super) struct Write {
    pub(super) name: Name,
    value: u64,
    /// What whoever acquires it learns.
    message: Clock,
    readers: Vec<Name>,
    /// Whether an update reads from it: no other may.
    is_updated: bool,
}

/// The writes to an atomic in their order; only the last unless the model is weak.
#[derive(Clone, Default, Debug)]
pub(super) struct Location {
    pub(super) writes: Vec<Write>,
    /// Whether the value of the last write may have been changed through an exclusive borrow.
    is_lent: bool,
}

/// What is asked of an atomic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum What {
    Load,
    Store,
    /// Always writes.
    Update,
    /// Writes if it reads this value; otherwise it is a load with the other ordering.
    UpdateIf(u64, Ordering),
}

/// An operation on an atomic on its way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Request {
    pub(crate) obj: ObjId,
    pub(crate) what: What,
    pub(crate) order: Ordering,
}

/// Whether a thread that polls may read again what it read last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fresh {
    Any,
    /// Only something newer.
    Newer,
}

pub(crate) fn acquires(order: Ordering) -> bool {
    matches!(order, Ordering::Acquire | Ordering::AcqRel | Ordering::SeqCst)
}

pub(crate) fn releases(order: Ordering) -> bool {
    matches!(order, Ordering::Release | Ordering::AcqRel | Ordering::SeqCst)
}

impl Memory {
    /// An atomic comes to be with this value.
    pub(crate) fn add_location(&mut self, thread: ThreadId, obj: ObjId, value: u64) {
        let name = self.tick(thread, obj);
        let write = Write { name, value, message: Clock::default(), readers: Vec::new(), is_updated: false };
        self.locations.insert(obj, Location { writes: vec![write], is_lent: false });
    }

    /// The value of the last write as it really is, if it may have been changed behind our back.
    pub(crate) fn refresh(&mut self, obj: ObjId, value: impl FnOnce() -> u64) {
        if let Some(location) = self.locations.get_mut(&obj)
            && std::mem::take(&mut location.is_lent)
        {
            location.writes.last_mut().expect("a location has a write").value = value();
        }
    }

    /// An exclusive borrow: a plain write that must come after everything. Returns what is wrong with it.
    pub(crate) fn lend(&mut self, thread: ThreadId, obj: ObjId) -> Option<String> {
        let location = self.locations.get(&obj)?;
        let is_unseen = |name: &Name| !self.has_seen(thread, *name);
        let race = location.writes.iter().any(|write| write.readers.iter().chain([&write.name]).any(is_unseen));
        let value = location.writes.last().map_or(0, |write| write.value);
        let name = self.tick(thread, obj);
        let location = self.locations.get_mut(&obj)?;
        location.writes.push(Write { name, value, message: Clock::default(), readers: Vec::new(), is_updated: false });
        location.is_lent = true;
        race.then(|| format!("data race: thread {thread} borrows an atomic exclusively that others may still use"))
    }

    /// The ways to carry out `request` now: places in the order of writes, of the write to read from or to come before,
    /// the newest first.
    pub(crate) fn alternatives(&mut self, thread: ThreadId, request: &Request, fresh: Fresh, found: &mut Vec<u64>) {
        found.clear();
        let oldest = self.oldest(thread, request.obj);
        let from = match (request.what, fresh) {
            (What::Store, _) => oldest + 1,
            (_, Fresh::Any) => oldest,
            (_, Fresh::Newer) => self.last_read(thread, request.obj).map_or(oldest, |read| oldest.max(read + 1)),
        };
        let n_writes = self.locations[&request.obj].writes.len();
        let to = if request.what == What::Store { n_writes + 1 } else { n_writes };
        for at in (from..to).rev() {
            if self.is_possible(thread, request, at) {
                found.push(at as u64);
            }
        }
    }

    /// Whether operations on other locations may decide which alternatives this one has: `psc` may see an edge from it to
    /// a write that is there.
    pub(crate) fn is_bound(&self, thread: ThreadId, request: &Request) -> bool {
        let location = &self.locations[&request.obj];
        let oldest = self.oldest(thread, request.obj);
        if oldest + 1 == location.writes.len() {
            return false;
        }
        let is_sc = |order| order == Ordering::SeqCst;
        if is_sc(request.order) || matches!(request.what, What::UpdateIf(_, failure) if is_sc(failure)) {
            return true;
        }
        let may_learn = request.what != What::Store;
        let has_fence = |clock: &Clock| self.sc_fences.iter().any(|fence| clock.includes(*fence));
        let view = &self.views[thread.index()];
        has_fence(&view.clock) || may_learn && location.writes[oldest..].iter().any(|write| has_fence(&write.message))
    }

    /// The place of the oldest write that coherence lets `thread` read: nothing that happens before its next event wrote
    /// or read a newer one.
    fn oldest(&self, thread: ThreadId, obj: ObjId) -> usize {
        let writes = &self.locations[&obj].writes;
        let is_seen = |write: &Write| {
            self.has_seen(thread, write.name) || write.readers.iter().any(|reader| self.has_seen(thread, *reader))
        };
        writes.iter().rposition(is_seen).unwrap_or(0)
    }

    /// The place of the write that `thread` itself read or wrote last.
    fn last_read(&self, thread: ThreadId, obj: ObjId) -> Option<usize> {
        let is_own =
            |write: &Write| write.name.thread == thread || write.readers.iter().any(|reader| reader.thread == thread);
        self.locations[&obj].writes.iter().rposition(is_own)
    }

    fn is_possible(&mut self, thread: ThreadId, request: &Request, at: usize) -> bool {
        let writes = &self.locations[&request.obj].writes;
        let newest = if request.what == What::Store { writes.len() } else { writes.len() - 1 };
        if self.writes(request, at) && request.what != What::Store && writes[at].is_updated {
            return false;
        }
        // Nothing comes between an update and the write it reads.
        if request.what == What::Store && at < newest && writes[at - 1].is_updated {
            return false;
        }
        if at == newest || !self.is_bound(thread, request) {
            return true;
        }
        self.with_trial(thread, request, at, Self::is_consistent)
    }

    /// Whether the request writes when carried out at this place.
    fn writes(&self, request: &Request, at: usize) -> bool {
        match request.what {
            What::Load => false,
            What::Store | What::Update => true,
            What::UpdateIf(expected, _) => self.locations[&request.obj].writes[at].value == expected,
        }
    }

    /// What `body` says of the memory with the request carried out.
    fn with_trial<R>(&mut self, thread: ThreadId, request: &Request, at: usize, body: fn(&Self) -> R) -> R {
        let view = self.view(thread).clone();
        let location = self.locations[&request.obj].clone();
        let n_events = self.events[thread.index()].len();
        self.carry_out(thread, request, at, |_| Some(0));
        let answer = body(self);
        self.events[thread.index()].truncate(n_events);
        self.locations.insert(request.obj, location);
        *self.view(thread) = view;
        answer
    }

    /// Carries out a request at a place; `change` gives the value to write for the value read. Returns the value read and
    /// whether the newest write is now this one.
    pub(crate) fn carry_out(
        &mut self,
        thread: ThreadId,
        request: &Request,
        at: usize,
        change: impl FnOnce(u64) -> Option<u64>,
    ) -> (u64, bool) {
        let Request { obj, what, order } = *request;
        let writes = self.writes(request, at);
        let (old, source, message) = match &self.locations[&obj].writes.get(at) {
            Some(write) if what != What::Store => (write.value, Some(write.name), write.message.clone()),
            _ => (0, None, Clock::default()),
        };
        let order = match what {
            What::UpdateIf(_, failure) if !writes => failure,
            _ => order,
        };
        if source.is_some() {
            let view = self.view(thread);
            if acquires(order) { view.clock.join(&message) } else { view.unacquired.join(&message) }
        }
        let is_sc = order == Ordering::SeqCst;
        let event = Event { loc: obj, clock: Clock::default(), is_sc, is_fence: false, source };
        let name = self.note(thread, event);
        let is_weak = self.is_weak();
        if source.is_some() && is_weak {
            self.location(obj).writes[at].readers.push(name);
        }
        let Some(value) = change(old).filter(|_| writes) else { return (old, false) };
        let view = self.view(thread);
        let mut message = if what == What::Store { Clock::default() } else { message };
        message.join(if releases(order) { &view.clock } else { &view.fenced });
        let write = Write { name, value, message, readers: Vec::new(), is_updated: false };
        let location = self.location(obj);
        if !is_weak {
            location.writes.clear();
            location.writes.push(write);
            return (old, true);
        }
        let place = if what == What::Store { at } else { at + 1 };
        if what != What::Store {
            location.writes[at].is_updated = true;
        }
        location.writes.insert(place, write);
        (old, place + 1 == location.writes.len())
    }

    fn location(&mut self, obj: ObjId) -> &mut Location {
        self.locations.get_mut(&obj).expect("atomics are added when they are created")
    }

    /// The place of the only write there is under sequential consistency.
    pub(crate) fn newest(&self, request: &Request) -> usize {
        let n_writes = self.locations[&request.obj].writes.len();
        if request.what == What::Store { n_writes } else { n_writes - 1 }
    }

    /// Whether this location is known: atomics made before clocks were kept are not.
    pub(crate) fn knows(&self, obj: ObjId) -> bool {
        self.locations.contains_key(&obj)
    }

    /// A fence.
    pub(crate) fn fence(&mut self, thread: ThreadId, order: Ordering) {
        if !self.is_active() {
            return;
        }
        let view = self.view(thread);
        if acquires(order) {
            let unacquired = std::mem::take(&mut view.unacquired);
            view.clock.join(&unacquired);
            view.unacquired = unacquired;
        }
        let is_sc = order == Ordering::SeqCst;
        let event = Event { loc: ObjId::NONE, clock: Clock::default(), is_sc, is_fence: true, source: None };
        let name = self.note(thread, event);
        if is_sc {
            self.sc_fences.push(name);
        }
        let view = self.view(thread);
        if releases(order) {
            view.fenced.clear();
            let clock = view.clock.clone();
            view.fenced.join(&clock);
        }
    }
}
