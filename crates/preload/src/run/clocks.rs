//! Virtual time follows causality.
//!
//! Who acquires what another released is not earlier than that. A clock is kept
//! for what is released, and read by who acquires it.
//!
//! SOUND: what a thread's clock shows must be the same in all equivalent
//! schedules, so operations that may be swapped pass nothing to each other:
//! posts and signals only raise a clock, readers only look, what readers release
//! is seen by writers alone, and the rounds of a barrier are kept apart.

use burnside_stateless::{Kind, ObjId, Op, ThreadId};
use rustc_hash::FxHashMap;

use super::Run;

/// The clocks of objects, in nanoseconds, where they are not 0.
#[derive(Default)]
pub(super) struct Clocks(FxHashMap<(ObjId, Part), u64>);

/// What of an object a clock belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Part {
    Whole,
    /// What readers have released.
    Readers,
    /// The round of a barrier.
    Round(u64),
}

impl Part {
    /// What of its object an operation is about.
    pub(super) fn of(op: &Op) -> Part {
        match op.kind {
            Kind::BarrierArrive | Kind::BarrierLeave => Part::Round(op.round()),
            _ => Part::Whole,
        }
    }
}

impl Clocks {
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    fn seen(&self, obj: ObjId, part: Part) -> u64 {
        self.0.get(&(obj, part)).copied().unwrap_or(0)
    }

    fn raise(&mut self, obj: ObjId, part: Part, time: u64) {
        if time > 0 && !obj.is_none() {
            let clock = self.0.entry((obj, part)).or_default();
            *clock = (*clock).max(time);
        }
    }
}

impl Run {
    /// `me` has executed `op`.
    pub(super) fn pass_clocks(&mut self, me: ThreadId, op: &Op) {
        let part = Part::of(op);
        let mut time = self.thread(me).clock_ns;
        if acquires(op.kind) {
            time = time.max(self.clocks.seen(op.obj, part));
            if matches!(op.kind, Kind::RwWrite | Kind::RwTryWrite) {
                time = time.max(self.clocks.seen(op.obj, Part::Readers));
            }
            if op.kind == Kind::CondWake {
                time = time.max(self.clocks.seen(op.obj2, Part::Whole));
            }
            self.thread(me).clock_ns = time;
        }
        match op.kind {
            Kind::CondWait => self.clocks.raise(op.obj2, Part::Whole, time),
            Kind::RwReadUnlock => self.clocks.raise(op.obj, Part::Readers, time),
            kind if releases(kind) => self.clocks.raise(op.obj, part, time),
            _ => {}
        }
    }
}

/// Does the thread learn what others have released?
pub(super) fn acquires(kind: Kind) -> bool {
    use Kind as K;
    matches!(
        kind,
        K::MutexLock
            | K::MutexTryLock
            | K::MutexTimedLock
            | K::RwRead
            | K::RwTryRead
            | K::RwWrite
            | K::RwTryWrite
            | K::CondWake
            | K::CondTimedWake
            | K::SemWait
            | K::SemTryWait
            | K::SemValue
            | K::SysvWait
            | K::SysvZero
            | K::SysvSet
            | K::SysvTry
            | K::BarrierArrive
            | K::BarrierLeave
            | K::OnceEnter
            | K::Read
            | K::Rmw
            | K::Opaque
            | K::Block
    )
}

/// Does the thread pass on what it knows?
pub(super) fn releases(kind: Kind) -> bool {
    use Kind as K;
    matches!(
        kind,
        K::MutexUnlock
            | K::RwWriteUnlock
            | K::CondSignal
            | K::CondBroadcast
            | K::SemPost
            | K::SysvPost
            | K::SysvSet
            | K::SysvTry
            | K::BarrierArrive
            | K::OnceLeave
            | K::Write
            | K::Rmw
            | K::Opaque
            | K::Block
    )
}
