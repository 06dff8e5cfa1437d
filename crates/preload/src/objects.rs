//! The communication objects of the program, simulated.
//!
//! The program's own `pthread_mutex_t`, `sem_t` and so on are never locked:
//! their addresses are names, their meaning is here. [`Objects::enabled`] says
//! whether an operation could be executed now, [`Objects::apply`] executes it.
//! The meaning of each kind is the one the core documents at [`Kind`]; this
//! table, not the kernel, decides who blocks.

use burnside_stateless::{Kind, ObjId, Op, ThreadId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::sys;

/// Every object touched so far in this execution, in its present state.
#[derive(Clone, Default)]
pub(crate) struct Objects {
    mutexes: FxHashMap<ObjId, Mutex>,
    rwlocks: FxHashMap<ObjId, RwLock>,
    conditions: FxHashMap<ObjId, Condition>,
    semaphores: FxHashMap<ObjId, u64>,
    barriers: FxHashMap<ObjId, Barrier>,
    initialisations: FxHashMap<ObjId, Initialisation>,
    together: FxHashMap<ThreadId, Together>,
    finished: Vec<bool>,
    /// What threads wait for in ways of their own.
    awaits: FxHashMap<ThreadId, Await>,
    /// Threads that only read, again and again, and which bytes of which cells; until one of these is written they stay
    /// as they are.
    spinning: FxHashMap<ThreadId, Vec<(ObjId, u8)>>,
    /// Sets of System V semaphores that were removed: nobody waits for one of these any more.
    removed: FxHashSet<ObjId>,
    /// Semaphores and barriers that have been destroyed and not initialised again.
    gone: FxHashSet<ObjId>,
}

/// What a thread waits for whose operation is a [`Kind::Block`].
#[derive(Clone, Debug)]
pub(crate) enum Await {
    /// A reader-writer lock that prefers writers, for reading.
    Read(ObjId),
    /// The same, for writing; the thread has queued up before.
    Write(ObjId),
    /// One of these descriptors to be ready.
    Descriptors(Vec<libc::pollfd>),
}

/// Several changes of System V semaphores in one operation.
#[derive(Clone, Default)]
struct Together {
    changes: Vec<(ObjId, i64)>,
}

/// What executing an operation told the thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Outcome {
    /// It did what it is called.
    Done,
    /// It did not: the lock was busy, the time was up, there was nothing to take.
    Refused,
    /// It did, and this thread is the one to lead or to initialise.
    Chosen,
    /// It did not: a semaphore would have had more than it can.
    TooMuch,
    /// It read this value.
    Value(u64),
}

/// The largest values of semaphores.
const MAX_POSIX: u64 = i32::MAX as u64;
pub(crate) const MAX_SYSV: u64 = 32767;

#[derive(Clone, Default)]
struct Mutex {
    owner: Option<ThreadId>,
    /// Locks of a recursive mutex beyond the first.
    depth: u32,
    /// Robust: its owner has ended without unlocking it, and whoever locks it next is told.
    is_abandoned: bool,
    /// Robust: unlocked without having been made consistent; of no use any more.
    is_lost: bool,
    /// Robust: held by a thread that was told its last owner is gone and has not made it consistent.
    is_inconsistent: bool,
}

#[derive(Clone, Default)]
struct RwLock {
    writer: Option<ThreadId>,
    readers: Vec<ThreadId>,
    /// Writers in line, where those are preferred.
    queue: Vec<ThreadId>,
}

#[derive(Clone, Default)]
struct Condition {
    /// Counts what happens to the condition: who waits since when.
    clock: u64,
    waiters: Vec<(ThreadId, u64)>,
    /// When the signals not yet taken were sent, oldest first.
    signals: Vec<u64>,
}

#[derive(Clone, Default)]
struct Barrier {
    size: u64,
    arrived: u64,
    round: u64,
    /// The round each thread inside waits for to end.
    inside: Vec<(ThreadId, u64)>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Initialisation {
    #[default]
    Untouched,
    Running,
    Complete,
}

impl Objects {
    /// Sets semaphore `obj` to `value`.
    pub(crate) fn set_semaphore(&mut self, obj: ObjId, value: u64) {
        self.semaphores.insert(obj, value);
    }

    /// Makes `obj` a barrier for `size` threads.
    pub(crate) fn set_barrier(&mut self, obj: ObjId, size: u64) {
        self.barriers.insert(obj, Barrier { size, ..Barrier::default() });
    }

    /// The label of an arrival at barrier `obj` now.
    pub(crate) fn arrival(&self, obj: ObjId) -> Op {
        let barrier = self.barriers.get(&obj).cloned().unwrap_or_default();
        let size = barrier.size.max(1);
        Op::arrival(obj, barrier.round * size + barrier.arrived, size)
    }

    /// Semaphore or barrier `obj` is destroyed.
    pub(crate) fn bury(&mut self, obj: ObjId) {
        self.gone.insert(obj);
    }

    /// Has semaphore or barrier `obj` been destroyed?
    pub(crate) fn is_gone(&self, obj: ObjId) -> bool {
        !self.gone.is_empty() && self.gone.contains(&obj)
    }

    /// Does anybody hold, or wait at, what is known under this name?
    pub(crate) fn is_in_use(&self, obj: ObjId) -> bool {
        let lock = self.rwlocks.get(&obj).is_some_and(|lock| lock.writer.is_some() || !lock.readers.is_empty());
        let mutex = self.mutex_owner(obj).is_some();
        let waiters =
            self.conditions.get(&obj).is_some_and(|condition| condition.waiters.len() > condition.signals.len());
        let barrier = self.barriers.get(&obj).is_some_and(|barrier| barrier.arrived > 0);
        lock || mutex || waiters || barrier
    }

    /// What the next [`Kind::Block`] of `me` waits for.
    pub(crate) fn plan_await(&mut self, me: ThreadId, what: Await) {
        self.awaits.insert(me, what);
    }

    /// Writer `me` queues up at lock `obj`, or leaves the queue.
    pub(crate) fn queue(&mut self, me: ThreadId, obj: ObjId, joins: bool) {
        let lock = self.rwlock(obj);
        match joins {
            true => lock.queue.push(me),
            false => lock.queue.retain(|writer| *writer != me),
        }
    }

    /// Could `me` take lock `obj`, which prefers writers, in this way now?
    pub(crate) fn may_take(&self, me: ThreadId, obj: ObjId, to_write: bool) -> bool {
        let Some(lock) = self.rwlocks.get(&obj) else { return true };
        match to_write {
            true => lock.writer.is_none() && lock.readers.is_empty(),
            false => lock.writer.is_none() && lock.queue.iter().all(|writer| *writer == me),
        }
    }

    /// `me` takes lock `obj`.
    pub(crate) fn take_lock(&mut self, me: ThreadId, obj: ObjId, to_write: bool) {
        match to_write {
            true => self.rwlock(obj).write(me),
            false => self.rwlock(obj).read(me),
        };
    }

    /// `me` gives lock `obj` up.
    pub(crate) fn release_lock(&mut self, me: ThreadId, obj: ObjId) {
        self.rwlock(obj).release(me);
    }

    /// Does `me` hold lock `obj` exclusively?
    pub(crate) fn is_writer(&self, me: ThreadId, obj: ObjId) -> bool {
        self.rwlocks.get(&obj).is_some_and(|lock| lock.writer == Some(me))
    }

    /// `me` reads `cells` over and over and does nothing else.
    pub(crate) fn spin(&mut self, me: ThreadId, cells: Vec<(ObjId, u8)>) {
        self.spinning.insert(me, cells);
    }

    /// These bytes of cell `obj` are written.
    ///
    /// SOUND: whoever reads other bytes of the cell stays asleep, so that operations which the core may swap do not
    /// enable each other.
    pub(crate) fn written(&mut self, obj: ObjId, bytes: u8) {
        if !self.spinning.is_empty() {
            let is_read = |cells: &[(ObjId, u8)]| cells.iter().any(|(cell, read)| *cell == obj && read & bytes != 0);
            self.spinning.retain(|_, cells| !is_read(cells));
        }
    }

    /// How often the owner of mutex `obj` holds it beyond the first time.
    pub(crate) fn depth(&self, obj: ObjId) -> u32 {
        self.mutexes.get(&obj).map_or(0, |mutex| mutex.depth)
    }

    /// The robust mutexes among `robust` that `me` holds.
    pub(crate) fn held_by(&self, me: ThreadId, robust: &[ObjId]) -> Vec<ObjId> {
        robust.iter().copied().filter(|obj| self.mutex_owner(*obj) == Some(me)).collect()
    }

    /// The owner of robust mutex `obj` ends without unlocking it.
    pub(crate) fn abandon(&mut self, obj: ObjId) {
        let mutex = self.mutexes.entry(obj).or_default();
        (mutex.is_abandoned, mutex.is_inconsistent, mutex.depth) = (true, false, 0);
    }

    /// After locking robust mutex `obj`: was its last owner gone?
    pub(crate) fn inherits(&mut self, obj: ObjId) -> bool {
        let mutex = self.mutexes.entry(obj).or_default();
        let inherits = std::mem::replace(&mut mutex.is_abandoned, false);
        mutex.is_inconsistent |= inherits;
        inherits
    }

    /// `pthread_mutex_consistent`: was there something to repair?
    pub(crate) fn make_consistent(&mut self, obj: ObjId) -> bool {
        let mutex = self.mutexes.entry(obj).or_default();
        std::mem::replace(&mut mutex.is_inconsistent, false)
    }

    /// Before unlocking robust mutex `obj`: it is lost if it was not repaired.
    pub(crate) fn settle_robust(&mut self, obj: ObjId) {
        let mutex = self.mutexes.entry(obj).or_default();
        if std::mem::replace(&mut mutex.is_inconsistent, false) {
            mutex.is_lost = true;
        }
    }

    /// Is robust mutex `obj` of no use any more?
    pub(crate) fn is_lost(&self, obj: ObjId) -> bool {
        self.mutexes.get(&obj).is_some_and(|mutex| mutex.is_lost)
    }

    /// Takes a one-time initialisation back that was left by an exception.
    pub(crate) fn leave_undone(&mut self, obj: ObjId) {
        self.initialisations.insert(obj, Initialisation::Untouched);
    }

    /// Forgets whatever is known under this name. A condition may be destroyed as soon as everybody who waits has been
    /// signalled; they go on nevertheless.
    pub(crate) fn forget(&mut self, obj: ObjId) {
        self.mutexes.remove(&obj);
        self.rwlocks.remove(&obj);
        if !self.conditions.get(&obj).is_some_and(Condition::is_being_left) {
            self.conditions.remove(&obj);
        }
        self.semaphores.remove(&obj);
        self.barriers.remove(&obj);
        self.initialisations.remove(&obj);
        self.gone.remove(&obj);
    }

    /// Who holds mutex `obj`.
    pub(crate) fn mutex_owner(&self, obj: ObjId) -> Option<ThreadId> {
        self.mutexes.get(&obj).and_then(|mutex| mutex.owner)
    }

    /// Changes how often the owner holds recursive mutex `obj` beyond the
    /// first time; `false` when it holds it only once and wants to let go.
    pub(crate) fn recurse(&mut self, obj: ObjId, deeper: bool) -> bool {
        let mutex = self.mutexes.entry(obj).or_default();
        match (deeper, mutex.depth) {
            (true, depth) => mutex.depth = depth + 1,
            (false, 0) => return false,
            (false, depth) => mutex.depth = depth - 1,
        }
        true
    }

    /// Which way thread `me` holds lock `obj`, if it does: for an unlock call
    /// that does not say.
    pub(crate) fn unlock_kind(&self, me: ThreadId, obj: ObjId) -> Option<Kind> {
        let lock = self.rwlocks.get(&obj)?;
        if lock.writer == Some(me) {
            return Some(Kind::RwWriteUnlock);
        }
        lock.readers.contains(&me).then_some(Kind::RwReadUnlock)
    }

    /// Has one-time initialisation `obj` been completed?
    pub(crate) fn is_initialised(&self, obj: ObjId) -> bool {
        self.initialisations.get(&obj) == Some(&Initialisation::Complete)
    }

    /// `me` joins the waiters of `obj` without giving up a mutex.
    pub(crate) fn wait_without_mutex(&mut self, me: ThreadId, obj: ObjId) {
        self.condition(obj).join(me);
    }

    /// Signals up to `count` waiters of `obj`; how many there were.
    pub(crate) fn signal(&mut self, obj: ObjId, count: usize) -> usize {
        self.condition(obj).signal(count)
    }

    /// The next operation of `me` on System V semaphores consists of these
    /// changes at once.
    pub(crate) fn plan_together(&mut self, me: ThreadId, changes: Vec<(ObjId, i64)>) {
        self.together.insert(me, Together { changes });
    }

    /// System V set `whole` is no more: whoever waits for one of it goes on and is told.
    pub(crate) fn remove_set(&mut self, whole: ObjId) {
        self.removed.insert(whole);
    }

    fn is_removed(&self, whole: ObjId) -> bool {
        !self.removed.is_empty() && self.removed.contains(&whole)
    }

    /// Thread `thread` has ended.
    pub(crate) fn finish(&mut self, thread: ThreadId) {
        let index = thread.index();
        if self.finished.len() <= index {
            self.finished.resize(index + 1, false);
        }
        self.finished[index] = true;
    }

    /// Could `me` execute `op` now?
    pub(crate) fn enabled(&self, me: ThreadId, op: &Op) -> bool {
        match op.kind {
            Kind::None => false,
            Kind::MutexLock => self.mutexes.get(&op.obj).is_none_or(|mutex| mutex.owner.is_none() || mutex.is_lost),
            Kind::Read | Kind::Rmw => self.spinning.is_empty() || !self.spinning.contains_key(&me),
            Kind::Block => self.awaits.get(&me).is_none_or(|what| self.is_there(me, what)),
            Kind::RwRead => self.rwlocks.get(&op.obj).is_none_or(|lock| lock.writer.is_none()),
            Kind::RwWrite => {
                self.rwlocks.get(&op.obj).is_none_or(|lock| lock.writer.is_none() && lock.readers.is_empty())
            }
            Kind::CondWake => self.mutex_is_free(op.obj2) && self.has_signal(me, op.obj),
            Kind::CondTimedWake => self.mutex_is_free(op.obj2),
            Kind::SemWait => self.semaphore(op.obj) > 0,
            Kind::SysvWait => self.semaphore(op.obj) >= op.arg || self.is_removed(op.obj2),
            Kind::SysvZero => self.semaphore(op.obj) == 0 || self.is_removed(op.obj2),
            Kind::SysvSet => self.after_together(me).is_some() || self.is_removed(op.obj2),
            Kind::BarrierLeave => self.barriers.get(&op.obj).is_none_or(|b| b.may_leave(me)),
            Kind::OnceEnter => self.initialisations.get(&op.obj) != Some(&Initialisation::Running),
            Kind::Join => self.finished.get(op.arg as usize).copied().unwrap_or(false),
            _ => true,
        }
    }

    /// Is what `op` would provide there already? `None` if that cannot be said.
    pub(crate) fn surplus(&self, op: &Op) -> Option<bool> {
        match op.kind {
            Kind::SemPost => Some(self.semaphore(op.obj) > 0),
            // A wait may need more than is there, so a positive value says nothing.
            Kind::SysvPost if self.semaphore(op.obj) == 0 => Some(false),
            _ => None,
        }
    }

    /// Executes `op`, which is enabled, for thread `me`.
    pub(crate) fn apply(&mut self, me: ThreadId, op: &Op) -> Outcome {
        match op.kind {
            Kind::MutexLock | Kind::MutexTryLock | Kind::MutexTimedLock => self.lock(me, op.obj),
            Kind::MutexUnlock => self.unlock(op.obj),
            Kind::RwRead | Kind::RwTryRead => self.rwlock(op.obj).read(me),
            Kind::RwWrite | Kind::RwTryWrite => self.rwlock(op.obj).write(me),
            Kind::RwReadUnlock | Kind::RwWriteUnlock => self.rwlock(op.obj).release(me),
            Kind::CondWait => {
                self.condition(op.obj).join(me);
                self.unlock(op.obj2)
            }
            Kind::CondWake | Kind::CondTimedWake => self.wake(me, op),
            Kind::CondSignal => Outcome::Value(self.signal(op.obj, 1) as u64),
            Kind::CondBroadcast => Outcome::Value(self.signal(op.obj, usize::MAX) as u64),
            Kind::SemWait | Kind::SemTryWait => self.take(op.obj, 1),
            Kind::SysvWait => self.take(op.obj, op.arg),
            Kind::SysvSet | Kind::SysvTry => {
                let values = self.after_together(me);
                self.together.remove(&me);
                match values {
                    Some(values) if values.values().any(|value| *value > MAX_SYSV) => Outcome::TooMuch,
                    Some(values) => {
                        self.semaphores.extend(values);
                        Outcome::Done
                    }
                    None => Outcome::Refused,
                }
            }
            Kind::Finished => match self.finished.get(op.arg as usize) {
                Some(true) => Outcome::Done,
                _ => Outcome::Refused,
            },
            Kind::SemPost => self.post(op.obj),
            Kind::SysvPost => self.add(op.obj, op.arg, MAX_SYSV),
            Kind::SemValue => Outcome::Value(self.semaphore(op.obj)),
            Kind::BarrierArrive => self.barriers.entry(op.obj).or_default().arrive(me),
            Kind::BarrierLeave => self.barriers.entry(op.obj).or_default().leave(me),
            Kind::OnceEnter => self.enter_once(op.obj),
            Kind::OnceLeave => {
                // Left by an exception it counts as not begun.
                let state = if op.arg == 0 { Initialisation::Complete } else { Initialisation::Untouched };
                self.initialisations.insert(op.obj, state);
                Outcome::Done
            }
            _ => Outcome::Done,
        }
    }

    /// The value of semaphore `obj`.
    pub(crate) fn semaphore(&self, obj: ObjId) -> u64 {
        self.semaphores.get(&obj).copied().unwrap_or(0)
    }

    /// The values after all changes `me` has planned, made one after the other;
    /// `None` if one of them would have to wait.
    fn after_together(&self, me: ThreadId) -> Option<FxHashMap<ObjId, u64>> {
        let mut values = FxHashMap::default();
        for (obj, change) in &self.together.get(&me)?.changes {
            let value = values.entry(*obj).or_insert_with(|| self.semaphore(*obj));
            match change {
                0 if *value != 0 => return None,
                change => *value = value.checked_add_signed(*change)?,
            }
        }
        Some(values)
    }

    fn is_there(&self, me: ThreadId, what: &Await) -> bool {
        match what {
            Await::Read(obj) => self.may_take(me, *obj, false),
            Await::Write(obj) => self.may_take(me, *obj, true),
            Await::Descriptors(descriptors) => sys::is_any_ready(descriptors),
        }
    }

    fn condition(&mut self, obj: ObjId) -> &mut Condition {
        self.conditions.entry(obj).or_default()
    }

    fn rwlock(&mut self, obj: ObjId) -> &mut RwLock {
        self.rwlocks.entry(obj).or_default()
    }

    fn mutex_is_free(&self, obj: ObjId) -> bool {
        obj.is_none() || self.mutex_owner(obj).is_none()
    }

    fn has_signal(&self, me: ThreadId, obj: ObjId) -> bool {
        self.conditions.get(&obj).is_some_and(|condition| condition.signal_for(me).is_some())
    }

    fn lock(&mut self, me: ThreadId, obj: ObjId) -> Outcome {
        if obj.is_none() {
            return Outcome::Done;
        }
        let mutex = self.mutexes.entry(obj).or_default();
        if mutex.owner.is_some() || mutex.is_lost {
            return Outcome::Refused;
        }
        mutex.owner = Some(me);
        Outcome::Done
    }

    fn unlock(&mut self, obj: ObjId) -> Outcome {
        if let Some(mutex) = self.mutexes.get_mut(&obj) {
            mutex.owner = None;
        }
        Outcome::Done
    }

    fn wake(&mut self, me: ThreadId, op: &Op) -> Outcome {
        let signalled = self.condition(op.obj).leave(me);
        self.lock(me, op.obj2);
        if signalled { Outcome::Done } else { Outcome::Refused }
    }

    fn take(&mut self, obj: ObjId, count: u64) -> Outcome {
        let value = self.semaphores.entry(obj).or_default();
        match value.checked_sub(count) {
            Some(rest) => *value = rest,
            None => return Outcome::Refused,
        }
        Outcome::Done
    }

    /// Adds one to POSIX semaphore `obj`.
    pub(crate) fn post(&mut self, obj: ObjId) -> Outcome {
        self.add(obj, 1, MAX_POSIX)
    }

    fn add(&mut self, obj: ObjId, count: u64, most: u64) -> Outcome {
        let value = self.semaphores.entry(obj).or_default();
        if *value + count > most {
            return Outcome::TooMuch;
        }
        *value += count;
        Outcome::Done
    }

    fn enter_once(&mut self, obj: ObjId) -> Outcome {
        let state = self.initialisations.entry(obj).or_default();
        if *state == Initialisation::Complete {
            return Outcome::Done;
        }
        *state = Initialisation::Running;
        Outcome::Chosen
    }
}

impl RwLock {
    fn read(&mut self, me: ThreadId) -> Outcome {
        if self.writer.is_some() {
            return Outcome::Refused;
        }
        self.readers.push(me);
        Outcome::Done
    }

    fn write(&mut self, me: ThreadId) -> Outcome {
        if self.writer.is_some() || !self.readers.is_empty() {
            return Outcome::Refused;
        }
        self.writer = Some(me);
        Outcome::Done
    }

    fn release(&mut self, me: ThreadId) -> Outcome {
        if self.writer == Some(me) {
            self.writer = None;
        } else if let Some(index) = self.readers.iter().position(|reader| *reader == me) {
            self.readers.swap_remove(index);
        }
        Outcome::Done
    }
}

impl Condition {
    fn join(&mut self, me: ThreadId) {
        self.clock += 1;
        self.waiters.push((me, self.clock));
    }

    /// Sends up to `count` signals; those that find no waiter are lost. How
    /// many were not.
    fn signal(&mut self, count: usize) -> usize {
        self.clock += 1;
        // Everybody who waits now joined before, so any of them can take it:
        // a signal is of use as long as there are more waiters than signals.
        let useful = (self.waiters.len() - self.signals.len()).min(count);
        self.signals.extend(std::iter::repeat_n(self.clock, useful));
        useful
    }

    /// Are there waiters, and a signal for each of them?
    fn is_being_left(&self) -> bool {
        !self.waiters.is_empty() && self.waiters.len() <= self.signals.len()
    }

    /// Index of the oldest signal sent since `me` began to wait. The oldest,
    /// because later waiters have no use for it.
    fn signal_for(&self, me: ThreadId) -> Option<usize> {
        let (_, since) = self.waiters.iter().find(|(waiter, _)| *waiter == me)?;
        self.signals.iter().position(|sent| sent > since)
    }

    /// Takes `me` from the waiters; says whether a signal did it.
    fn leave(&mut self, me: ThreadId) -> bool {
        let signal = self.signal_for(me);
        if let Some(index) = signal {
            self.signals.remove(index);
        }
        self.waiters.retain(|(waiter, _)| *waiter != me);
        // A waiter that timed out may leave a signal nobody can take any more.
        self.signals.truncate(self.waiters.len());
        signal.is_some()
    }
}

impl Barrier {
    fn arrive(&mut self, me: ThreadId) -> Outcome {
        self.arrived += 1;
        if self.arrived < self.size {
            self.inside.push((me, self.round));
            return Outcome::Value(self.round);
        }
        self.arrived = 0;
        self.round += 1;
        Outcome::Chosen
    }

    fn may_leave(&self, me: ThreadId) -> bool {
        self.inside.iter().all(|(thread, round)| *thread != me || *round < self.round)
    }

    fn leave(&mut self, me: ThreadId) -> Outcome {
        self.inside.retain(|(thread, _)| *thread != me);
        Outcome::Done
    }
}
