//! What happens before what: clocks of threads and objects, races on plain cells, and the order of writes to atomics.
//!
//! An event is one access to an atomic or a plain cell, one fence, or one operation on any other object. Its clock counts,
//! per thread, the events that happen before it; itself included. [`edges`] says which operations on locks, channels and
//! the like hand clocks on, [`atomics`] does so by memory orders as C11 has it, [`cells`] compares clocks of plain accesses.
//!
//! Under sequential consistency only clocks are kept, and only in runs that have plain cells to compare. The weak model
//! also keeps every event, every write and who read it; [`axiom`] looks for cycles among sequentially consistent ones.

pub(crate) mod atomics;
mod axiom;
mod cells;
mod clock;
mod edges;

pub(crate) use atomics::{Request, What};
pub(crate) use cells::Use;

use atomics::Location;
use burnside_stateless::{ObjId, ThreadId};
use cells::Accesses;
use clock::Clock;
use rustc_hash::FxHashMap;

/// What a thread has seen.
#[derive(Clone, Default, Debug)]
struct View {
    /// What happens before its next event.
    clock: Clock,
    /// What it has read without acquiring it; an acquire fence does.
    unacquired: Clock,
    /// What its last release fence has to hand on.
    fenced: Clock,
}

/// One event, kept by the weak model alone.
#[derive(Clone, Debug)]
struct Event {
    /// What it is about; a fence is about nothing.
    loc: ObjId,
    clock: Clock,
    is_sc: bool,
    is_fence: bool,
    /// The write it reads from.
    source: Option<Name>,
}

/// An event by its thread and its number there, from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Name {
    thread: ThreadId,
    number: u32,
}

/// Whether clocks are kept, and more than clocks.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
enum Depth {
    #[default]
    Nothing,
    Clocks,
    Everything,
}

/// The memory of one run.
#[derive(Default, Debug)]
pub(crate) struct Memory {
    depth: Depth,
    views: Vec<View>,
    events: Vec<Vec<Event>>,
    sc_fences: Vec<Name>,
    /// What an object, or part of it, has to hand on.
    objects: FxHashMap<(ObjId, u64), Clock>,
    locations: FxHashMap<ObjId, Location>,
    cells: FxHashMap<ObjId, Accesses>,
}

impl Memory {
    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.depth = Depth::Nothing;
        self.views.clear();
        self.events.clear();
        self.sc_fences.clear();
        self.objects.clear();
        self.locations.clear();
        self.cells.clear();
    }

    /// Whether clocks are kept.
    pub(crate) fn is_active(&self) -> bool {
        self.depth != Depth::Nothing
    }

    /// Whether atomics behave weakly.
    pub(crate) fn is_weak(&self) -> bool {
        self.depth == Depth::Everything
    }

    /// Begins with everything.
    pub(crate) fn make_weak(&mut self) {
        self.depth = Depth::Everything;
    }

    /// Begins with clocks.
    // SOUND: what happened before the first plain cell came to be has no access to compare, and whatever orders a later
    // access after the creation of its cell hands on a clock after that creation.
    fn keep_clocks(&mut self) {
        self.depth = self.depth.max_with_clocks();
    }

    fn view(&mut self, thread: ThreadId) -> &mut View {
        if self.views.len() <= thread.index() {
            self.views.resize_with(thread.index() + 1, View::default);
            self.events.resize_with(thread.index() + 1, Vec::new);
        }
        &mut self.views[thread.index()]
    }

    /// Counts an event of `thread` and returns its name; its clock is the thread's from now on.
    fn tick(&mut self, thread: ThreadId, loc: ObjId) -> Name {
        self.note(thread, Event { loc, clock: Clock::default(), is_sc: false, is_fence: false, source: None })
    }

    fn note(&mut self, thread: ThreadId, mut event: Event) -> Name {
        let is_weak = self.is_weak();
        let view = self.view(thread);
        let number = view.clock.tick(thread);
        if is_weak {
            event.clock = view.clock.clone();
            self.events[thread.index()].push(event);
        }
        Name { thread, number }
    }

    /// Whether an event happens before the next event of `thread`.
    fn has_seen(&self, thread: ThreadId, event: Name) -> bool {
        self.views.get(thread.index()).is_some_and(|view| view.clock.includes(event))
    }
}

impl Depth {
    fn max_with_clocks(self) -> Self {
        if self == Self::Nothing { Self::Clocks } else { self }
    }
}
