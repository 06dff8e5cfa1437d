//! What the operations do: the reference interpreter of communication objects.
//!
//! A [`World`] holds the state of every object and answers two questions, whether a thread's operation can execute now
//! and what happens when it does. It is the meaning against which the dependency table is tested, and the simulated
//! objects of adapters that do not keep their own. Objects come into being when they are added, or on first use in the
//! state most programs start them in: free, zero, empty, nobody waiting.
//!
//! It knows nothing of schedules and keeps no history.

use crate::op::{Kind, ObjId, Op, ThreadId};
use crate::set::ThreadSet;
use rustc_hash::FxHashMap;

/// The state of one object.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Object {
    /// A mutex and its holder.
    Mutex(Option<ThreadId>),
    /// A readers-writer lock.
    Rw {
        /// Who holds it exclusively.
        writer: Option<ThreadId>,
        /// How many hold it shared.
        n_readers: u32,
    },
    /// A condition variable.
    Cond(Cond),
    /// A semaphore and its value.
    Sem(u64),
    /// A barrier.
    Barrier {
        /// How many make a round.
        size: u32,
        /// Arrivals so far, over all rounds.
        n_arrived: u64,
    },
    /// A one-time initialisation.
    Once(Once),
    /// A memory cell.
    Cell(u64),
    /// A channel.
    Chan(Chan),
    /// Something with this many references to it.
    Shared(u64),
}

/// A condition variable: who waits and which signals are on their way.
///
/// POSIX lets a signal wake any thread that waited when it was sent. Instead of choosing at once, the signal is kept
/// and whichever of those threads runs first takes it: the choice is left to the schedule.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Cond {
    /// In order of arrival; those between the same signals in order of threads, so that equal situations are equal.
    waiters: Vec<ThreadId>,
    /// Each signal is good for the first so many waiters. Ascending; never more signals than waiters, since a signal
    /// that finds nobody left to wake is lost.
    signals: Vec<usize>,
}

impl Cond {
    fn queue(&mut self, thread: ThreadId) {
        self.waiters.push(thread);
        self.sort();
    }

    fn signal(&mut self, n: usize) {
        let n = n.min(self.waiters.len() - self.signals.len());
        self.signals.extend(std::iter::repeat_n(self.waiters.len(), n));
    }

    /// The place of `thread` and the oldest signal good for it. Taking the oldest leaves the rest to the most waiters.
    fn usable(&self, thread: ThreadId) -> Option<(usize, usize)> {
        let place = self.waiters.iter().position(|waiter| *waiter == thread)?;
        let signal = self.signals.iter().position(|reach| *reach > place)?;
        Some((place, signal))
    }

    /// Leaves the queue, by a signal if one is good for the thread; says whether one was.
    fn leave(&mut self, thread: ThreadId) -> bool {
        let Some(place) = self.waiters.iter().position(|waiter| *waiter == thread) else { return false };
        let signal = self.usable(thread);
        if let Some((_, signal)) = signal {
            self.signals.remove(signal);
        }
        self.waiters.remove(place);
        for reach in self.signals.iter_mut().filter(|reach| **reach > place) {
            *reach -= 1;
        }
        self.sort();
        signal.is_some()
    }

    fn sort(&mut self) {
        let mut start = 0;
        for reach in self.signals.iter().copied().chain([self.waiters.len()]) {
            self.waiters[start..reach].sort_unstable();
            start = reach;
        }
    }
}

/// How far a one-time initialisation is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Once {
    /// Nobody has begun.
    #[default]
    New,
    /// This thread is at it.
    Running(ThreadId),
    /// It is complete.
    Complete,
}

/// A channel: message numbers, not messages.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Chan {
    /// Messages put in so far.
    pub n_sent: u64,
    /// Messages taken out so far.
    pub n_received: u64,
    /// How many may wait inside; a rendezvous channel has room for the one being handed over.
    pub capacity: Option<u64>,
    /// Senders left.
    pub n_senders: u32,
    /// Whether the receiver is still there.
    pub has_receiver: bool,
}

impl Chan {
    /// A channel with one sender.
    #[must_use]
    pub fn new(capacity: Option<u64>) -> Self {
        Self { n_sent: 0, n_received: 0, capacity, n_senders: 1, has_receiver: true }
    }

    fn is_full(&self) -> bool {
        self.capacity.is_some_and(|capacity| self.n_sent - self.n_received >= capacity.max(1))
    }
}

/// What a channel operation returns when the other side is gone; 1 is success, 0 full or empty.
const GONE: u64 = 2;

/// The objects of a program and the threads that have finished.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct World {
    objects: FxHashMap<ObjId, Object>,
    /// Threads whose `unpark` has not been used up.
    tokens: ThreadSet,
    finished: ThreadSet,
}

impl World {
    /// A world without objects.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets everything, keeping the memory.
    pub fn clear(&mut self) {
        self.objects.clear();
        self.tokens.clear();
        self.finished.clear();
    }

    /// Puts an object into its initial state.
    pub fn add(&mut self, obj: ObjId, object: Object) {
        self.objects.insert(obj, object);
    }

    /// The state of an object that has been added or used.
    #[must_use]
    pub fn get(&self, obj: ObjId) -> Option<&Object> {
        self.objects.get(&obj)
    }

    /// The state of an object, to be changed behind the operations' back, as cloning a sender does.
    pub fn get_mut(&mut self, obj: ObjId) -> Option<&mut Object> {
        self.objects.get_mut(&obj)
    }

    /// Notes that a thread has come to its end.
    pub fn finish(&mut self, thread: ThreadId) {
        self.finished.insert(thread);
    }

    /// Whether the thread has come to its end.
    #[must_use]
    pub fn is_finished(&self, thread: ThreadId) -> bool {
        self.finished.contains(thread)
    }

    /// Whether `thread` can execute `op` now.
    #[must_use]
    pub fn enabled(&self, thread: ThreadId, op: &Op) -> bool {
        let object = || self.objects.get(&op.obj);
        match op.kind {
            Kind::None => false,
            Kind::MutexLock => self.is_free(op.obj),
            Kind::RwRead => !matches!(object(), Some(Object::Rw { writer: Some(_), .. })),
            Kind::RwWrite => {
                matches!(object(), None | Some(Object::Rw { writer: None, n_readers: 0 }))
            }
            Kind::CondWake => {
                let signalled = matches!(object(), Some(Object::Cond(cond)) if cond.usable(thread).is_some());
                signalled && self.is_free(op.obj2)
            }
            Kind::CondTimedWake => self.is_free(op.obj2),
            Kind::SemWait => matches!(object(), Some(Object::Sem(value)) if *value > 0),
            Kind::SysvWait => matches!(object(), Some(Object::Sem(value)) if *value >= op.arg),
            Kind::SysvZero => !matches!(object(), Some(Object::Sem(value)) if *value > 0),
            Kind::BarrierLeave => {
                matches!(object(), Some(Object::Barrier { size, n_arrived }) if n_arrived / u64::from(*size) > op.arg)
            }
            Kind::OnceEnter => !matches!(object(), Some(Object::Once(Once::Running(_)))),
            Kind::Join => self.finished.contains(ThreadId(op.arg as u32)),
            Kind::Park => self.tokens.contains(thread),
            Kind::ChanSend => !matches!(object(), Some(Object::Chan(chan)) if chan.is_full() && chan.has_receiver),
            Kind::ChanHandoff => {
                !matches!(object(), Some(Object::Chan(chan)) if chan.n_received <= op.arg && chan.has_receiver)
            }
            Kind::ChanRecv => matches!(object(), Some(Object::Chan(chan)) if chan.n_sent > chan.n_received),
            Kind::ChanClosed => {
                matches!(object(), Some(Object::Chan(chan)) if chan.n_sent == chan.n_received && chan.n_senders == 0)
            }
            _ => true,
        }
    }

    /// The label `op` has in this state. The round of a barrier and message numbers follow from what has been sent and
    /// received, and a receive that can only find the channel closed is another operation than one that takes a message;
    /// everything else is its own label.
    ///
    /// SOUND: only operations dependent with `op` change its label, except for how an arrival at a barrier stands in its
    /// round ([`Op::in_trace`]), for which the explorers have rules of their own.
    #[inline]
    #[must_use]
    pub fn label(&self, op: &Op) -> Op {
        match op.kind {
            Kind::BarrierArrive | Kind::ChanSend | Kind::ChanTrySend | Kind::ChanRecv | Kind::ChanTryRecv => {
                self.numbered(op)
            }
            _ => *op,
        }
    }

    fn numbered(&self, op: &Op) -> Op {
        let chan = match self.objects.get(&op.obj) {
            Some(Object::Chan(chan)) => chan,
            Some(Object::Barrier { size, n_arrived }) if op.kind == Kind::BarrierArrive => {
                return Op::arrival(op.obj, *n_arrived, u64::from(*size));
            }
            _ => return *op,
        };
        match op.kind {
            Kind::ChanSend | Kind::ChanTrySend => Op { arg: chan.n_sent, ..*op },
            Kind::ChanRecv if chan.n_sent == chan.n_received && chan.n_senders == 0 => {
                Op { kind: Kind::ChanClosed, arg: chan.n_received, ..*op }
            }
            Kind::ChanRecv | Kind::ChanTryRecv => Op { arg: chan.n_received, ..*op },
            _ => *op,
        }
    }

    /// Whether what `op` provides is there already, for [`crate::Cursor::remark`]; to be asked before executing it.
    #[must_use]
    pub fn surplus(&self, op: &Op) -> Option<bool> {
        if !matches!(op.kind, Kind::SemPost | Kind::SysvPost | Kind::Unpark) {
            return None;
        }
        match (op.kind, self.objects.get(&op.obj)) {
            (Kind::SemPost, Some(Object::Sem(value))) => Some(*value > 0),
            (Kind::SemPost, None) => Some(false),
            // A wait may need more than is there, so a positive value says nothing.
            (Kind::SysvPost, Some(Object::Sem(0)) | None) => Some(false),
            (Kind::Unpark, _) => Some(self.tokens.contains(ThreadId(op.arg as u32))),
            _ => None,
        }
    }

    /// Executes `op` for `thread` and returns what the thread learns: success of an attempt, the value read, the number
    /// of a round or message.
    ///
    /// # Panics
    ///
    /// If the operation is not enabled, or names an object of another sort.
    pub fn execute(&mut self, thread: ThreadId, op: &Op) -> u64 {
        debug_assert!(self.enabled(thread, op), "{op} of thread {thread} is not enabled");
        match op.kind {
            Kind::MutexLock | Kind::MutexTryLock | Kind::MutexTimedLock | Kind::MutexUnlock => {
                self.mutex(thread, op.kind, op.obj)
            }
            Kind::RwRead
            | Kind::RwTryRead
            | Kind::RwWrite
            | Kind::RwTryWrite
            | Kind::RwReadUnlock
            | Kind::RwWriteUnlock => self.rw(thread, op),
            Kind::CondWait | Kind::CondWake | Kind::CondTimedWake | Kind::CondSignal | Kind::CondBroadcast => {
                self.cond(thread, op)
            }
            Kind::SemWait | Kind::SemTryWait | Kind::SemPost | Kind::SemValue => self.sem(op),
            Kind::SysvWait | Kind::SysvPost | Kind::SysvZero | Kind::SysvSet | Kind::SysvTry => self.sysv(op),
            Kind::BarrierArrive => self.arrive(op.obj),
            Kind::OnceEnter | Kind::OnceLeave | Kind::OncePeek => self.once(thread, op),
            Kind::Finished => u64::from(self.finished.contains(ThreadId(op.arg as u32))),
            Kind::Park | Kind::ParkTimeout => u64::from(self.tokens.remove(thread)),
            Kind::Unpark => {
                self.tokens.insert(ThreadId(op.arg as u32));
                0
            }
            Kind::Read | Kind::Write | Kind::Rmw => self.cell(op),
            Kind::ChanSend
            | Kind::ChanTrySend
            | Kind::ChanHandoff
            | Kind::ChanRecv
            | Kind::ChanTryRecv
            | Kind::SenderDrop
            | Kind::ReceiverDrop => self.chan(op),
            Kind::None
            | Kind::BarrierLeave
            | Kind::ChanClosed
            | Kind::Spawn
            | Kind::Join
            | Kind::Exit
            | Kind::Yield
            | Kind::Sleep
            | Kind::Choose
            | Kind::Assert
            | Kind::Opaque
            | Kind::Block
            | Kind::Load
            | Kind::Store
            | Kind::Update => 0,
            Kind::RefClone | Kind::RefDrop | Kind::RefCount => self.shared(op),
        }
    }

    fn is_free(&self, mutex: ObjId) -> bool {
        matches!(self.objects.get(&mutex), None | Some(Object::Mutex(None)))
    }

    fn mutex(&mut self, thread: ThreadId, kind: Kind, obj: ObjId) -> u64 {
        let Object::Mutex(holder) = self.objects.entry(obj).or_insert(Object::Mutex(None)) else {
            panic!("{obj} is not a mutex")
        };
        if kind == Kind::MutexUnlock {
            *holder = None;
            return 1;
        }
        if holder.is_some() {
            return 0;
        }
        *holder = Some(thread);
        1
    }

    fn rw(&mut self, thread: ThreadId, op: &Op) -> u64 {
        let entry = self.objects.entry(op.obj).or_insert(Object::Rw { writer: None, n_readers: 0 });
        let Object::Rw { writer, n_readers } = entry else { panic!("{} is not a readers-writer lock", op.obj) };
        match op.kind {
            Kind::RwRead | Kind::RwTryRead if writer.is_none() => *n_readers += 1,
            Kind::RwWrite | Kind::RwTryWrite if writer.is_none() && *n_readers == 0 => *writer = Some(thread),
            Kind::RwReadUnlock => *n_readers -= 1,
            Kind::RwWriteUnlock => *writer = None,
            _ => return 0,
        }
        1
    }

    /// Without a second object nobody gives up or takes a mutex, as in waits for a futex.
    fn cond(&mut self, thread: ThreadId, op: &Op) -> u64 {
        match op.kind {
            _ if op.obj2.is_none() => {}
            Kind::CondWait => {
                self.mutex(thread, Kind::MutexUnlock, op.obj2);
            }
            Kind::CondWake | Kind::CondTimedWake => {
                self.mutex(thread, Kind::MutexLock, op.obj2);
            }
            _ => {}
        }
        let Object::Cond(cond) = self.objects.entry(op.obj).or_insert_with(|| Object::Cond(Cond::default())) else {
            panic!("{} is not a condition variable", op.obj)
        };
        match op.kind {
            Kind::CondWait => cond.queue(thread),
            Kind::CondSignal => cond.signal(1),
            Kind::CondBroadcast => cond.signal(usize::MAX),
            _ => return u64::from(cond.leave(thread)),
        }
        0
    }

    fn sem(&mut self, op: &Op) -> u64 {
        let Object::Sem(value) = self.objects.entry(op.obj).or_insert(Object::Sem(0)) else {
            panic!("{} is not a semaphore", op.obj)
        };
        match op.kind {
            Kind::SemPost => *value += 1,
            Kind::SemValue => return *value,
            _ if *value == 0 => return 0,
            _ => *value -= 1,
        }
        1
    }

    fn sysv(&mut self, op: &Op) -> u64 {
        let Object::Sem(value) = self.objects.entry(op.obj).or_insert(Object::Sem(0)) else {
            panic!("{} is not a semaphore", op.obj)
        };
        match op.kind {
            Kind::SysvWait => *value -= op.arg,
            Kind::SysvPost => *value += op.arg,
            Kind::SysvSet => *value = op.arg,
            Kind::SysvTry if *value >= op.arg => {
                *value -= op.arg;
                return 1;
            }
            _ => {}
        }
        0
    }

    /// Returns twice the round plus one for the last to arrive.
    fn arrive(&mut self, obj: ObjId) -> u64 {
        let Some(Object::Barrier { size, n_arrived }) = self.objects.get_mut(&obj) else {
            panic!("{obj} is not a barrier")
        };
        let round = *n_arrived / u64::from(*size);
        *n_arrived += 1;
        2 * round + u64::from(n_arrived.is_multiple_of(u64::from(*size)))
    }

    fn once(&mut self, thread: ThreadId, op: &Op) -> u64 {
        let Object::Once(state) = self.objects.entry(op.obj).or_insert(Object::Once(Once::New)) else {
            panic!("{} is not a one-time initialisation", op.obj)
        };
        match (op.kind, *state) {
            (Kind::OnceEnter, Once::New) => *state = Once::Running(thread),
            // A caller that failed leaves with argument 1, and the next one starts afresh.
            (Kind::OnceLeave, _) => *state = if op.arg == 0 { Once::Complete } else { Once::New },
            (Kind::OncePeek, Once::Complete) => {}
            _ => return 0,
        }
        1
    }

    fn cell(&mut self, op: &Op) -> u64 {
        let Object::Cell(value) = self.objects.entry(op.obj).or_insert(Object::Cell(0)) else {
            panic!("{} is not a cell", op.obj)
        };
        let mask = (0..8).filter(|byte| op.bytes() & 1 << byte != 0).fold(0, |mask, byte| mask | 0xff << (8 * byte));
        let old = *value & mask;
        match op.kind {
            Kind::Write => *value = *value & !mask | op.value() & mask,
            Kind::Rmw => *value = *value & !mask | old.wrapping_add(op.value() & mask) & mask,
            _ => {}
        }
        if op.kind == Kind::Write { 0 } else { old }
    }

    /// Returns the number of references, or for a drop whether it was the last, where that matters.
    fn shared(&mut self, op: &Op) -> u64 {
        let Object::Shared(count) = self.objects.entry(op.obj).or_insert(Object::Shared(1)) else {
            panic!("{} has no count of references", op.obj)
        };
        match op.kind {
            Kind::RefClone => *count += 1,
            Kind::RefDrop => {
                *count -= 1;
                return u64::from(*count == 0 && op.arg == 1);
            }
            _ => {
                let before = *count;
                *count += if before > 0 { op.arg } else { 0 };
                return before;
            }
        }
        0
    }

    fn chan(&mut self, op: &Op) -> u64 {
        let Some(Object::Chan(chan)) = self.objects.get_mut(&op.obj) else { panic!("{} is not a channel", op.obj) };
        match op.kind {
            Kind::ChanSend | Kind::ChanTrySend => {
                if !chan.has_receiver || chan.is_full() {
                    return if chan.has_receiver { 0 } else { GONE };
                }
                chan.n_sent += 1;
            }
            Kind::ChanHandoff => return u64::from(chan.n_received > op.arg),
            Kind::ChanRecv | Kind::ChanTryRecv => {
                if chan.n_sent == chan.n_received {
                    return if chan.n_senders > 0 { 0 } else { GONE };
                }
                chan.n_received += 1;
            }
            Kind::SenderDrop => chan.n_senders -= 1,
            _ => chan.has_receiver = false,
        }
        1
    }
}
