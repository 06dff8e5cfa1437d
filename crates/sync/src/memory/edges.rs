//! Which operations on locks, channels, threads and the like happen before which.
//!
//! These are the edges that the documentation of `std` promises, or that follow from what it says an operation waits for;
//! where it promises nothing there is none, since an edge too many would hide races and weak behaviours. So a notification
//! orders nothing by itself (the mutex does), nor does an attempt that fails, a question whether a thread has ended, or
//! the room that a receive makes in a bounded channel. A [`crate::sync::Semaphore`] is a counter updated by acquiring and
//! releasing operations.

use super::Memory;
use super::clock::Clock;
use burnside_stateless::{Kind, ObjId, Op, ThreadId};

/// Parts of objects that hand on clocks of their own.
const WHOLE: u64 = 0;
const READERS: u64 = 1;
const GONE: u64 = 2;
/// Numbers of rounds and messages come after these; a message that was taken hands on its receiver's clock.
const FIRST_NUMBER: u64 = 3;

impl Memory {
    /// What a new thread knows: all that its creator does.
    pub(crate) fn born(&mut self, parent: ThreadId, child: ThreadId) {
        if !self.is_active() {
            return;
        }
        self.tick(parent, ObjId::NONE);
        let clock = self.view(parent).clock.clone();
        self.view(child).clock = clock;
        self.tick(child, ObjId::NONE);
    }

    /// A thread that has come to its end hands on what it knows to whoever waits for it.
    pub(crate) fn ended(&mut self, thread: ThreadId) {
        if self.is_active() {
            self.tick(thread, ObjId::NONE);
        }
    }

    /// Takes over what an operation that was just executed, with this answer, orders.
    pub(crate) fn ordered(&mut self, thread: ThreadId, op: &Op, answer: u64) {
        let succeeded = answer == 1;
        match op.kind {
            Kind::MutexLock => self.acquire(thread, op.obj, WHOLE),
            Kind::MutexTryLock | Kind::MutexTimedLock if succeeded => self.acquire(thread, op.obj, WHOLE),
            Kind::MutexUnlock => self.release(thread, op.obj, WHOLE),
            Kind::CondWait => self.release(thread, op.obj2, WHOLE),
            Kind::CondWake | Kind::CondTimedWake => self.acquire(thread, op.obj2, WHOLE),
            Kind::RwRead => self.acquire(thread, op.obj, WHOLE),
            Kind::RwTryRead if succeeded => self.acquire(thread, op.obj, WHOLE),
            Kind::RwWrite => self.acquire_all(thread, op.obj),
            Kind::RwTryWrite if succeeded => self.acquire_all(thread, op.obj),
            Kind::RwReadUnlock => self.release(thread, op.obj, READERS),
            Kind::RwWriteUnlock => self.release(thread, op.obj, WHOLE),
            Kind::SemPost => self.release(thread, op.obj, WHOLE),
            Kind::SemWait => self.acquire(thread, op.obj, WHOLE),
            Kind::SemTryWait if succeeded => self.acquire(thread, op.obj, WHOLE),
            Kind::BarrierArrive => self.release(thread, op.obj, FIRST_NUMBER + op.round()),
            Kind::BarrierLeave => self.acquire(thread, op.obj, FIRST_NUMBER + op.arg),
            Kind::OnceEnter => self.acquire(thread, op.obj, WHOLE),
            Kind::OncePeek if succeeded => self.acquire(thread, op.obj, WHOLE),
            Kind::OnceLeave => self.release(thread, op.obj, WHOLE),
            Kind::Join => self.acquire_end(thread, ThreadId(op.arg as u32)),
            Kind::Unpark => self.release(thread, ObjId::NONE, op.arg),
            Kind::Park => self.acquire(thread, ObjId::NONE, op.arg),
            Kind::ParkTimeout if succeeded => self.acquire(thread, ObjId::NONE, op.arg),
            Kind::ChanSend | Kind::ChanTrySend if succeeded => self.release(thread, op.obj, message(op.arg)),
            Kind::ChanRecv | Kind::ChanTryRecv if succeeded => {
                self.acquire(thread, op.obj, message(op.arg));
                self.release(thread, op.obj, taken(op.arg));
            }
            Kind::ChanHandoff if succeeded => self.acquire(thread, op.obj, taken(op.arg)),
            Kind::SenderDrop => self.release(thread, op.obj, GONE),
            Kind::ChanClosed => self.acquire(thread, op.obj, GONE),
            Kind::ChanTryRecv if answer > 1 => self.acquire(thread, op.obj, GONE),
            _ => {}
        }
    }

    /// Hands on what `thread` knows through part of an object.
    pub(super) fn release(&mut self, thread: ThreadId, obj: ObjId, part: u64) {
        self.tick(thread, obj);
        let clock = &self.views[thread.index()].clock;
        self.objects.entry((obj, part)).or_default().join(clock);
    }

    /// Takes over what was handed on through part of an object.
    pub(super) fn acquire(&mut self, thread: ThreadId, obj: ObjId, part: u64) {
        let handed = self.objects.get(&(obj, part)).cloned().unwrap_or_default();
        self.learn(thread, obj, &handed);
    }

    fn acquire_all(&mut self, thread: ThreadId, obj: ObjId) {
        let mut handed = Clock::default();
        for part in [WHOLE, READERS] {
            if let Some(clock) = self.objects.get(&(obj, part)) {
                handed.join(clock);
            }
        }
        self.learn(thread, obj, &handed);
    }

    fn acquire_end(&mut self, thread: ThreadId, ended: ThreadId) {
        let clock = self.view(ended).clock.clone();
        self.learn(thread, ObjId::NONE, &clock);
    }

    fn learn(&mut self, thread: ThreadId, obj: ObjId, clock: &Clock) {
        self.view(thread).clock.join(clock);
        self.tick(thread, obj);
    }

    /// A reference to a shared object goes. Says whether its holder learns something by being the last.
    pub(crate) fn reference_dropped(&mut self, thread: ThreadId, obj: ObjId, is_last: bool) -> bool {
        self.release(thread, obj, WHOLE);
        if !is_last {
            return false;
        }
        let handed = &self.objects[&(obj, WHOLE)];
        let learns = !self.views[thread.index()].clock.covers(handed);
        self.acquire(thread, obj, WHOLE);
        learns
    }

    /// A look at the number of references that acts on its answer orders itself after all that were dropped.
    pub(crate) fn references_seen(&mut self, thread: ThreadId, obj: ObjId) {
        if self.is_active() {
            self.acquire(thread, obj, WHOLE);
        }
    }
}

fn message(number: u64) -> u64 {
    FIRST_NUMBER + 2 * number
}

fn taken(number: u64) -> u64 {
    message(number) + 1
}
