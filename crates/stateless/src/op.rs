//! Visible operations and the names of what they act on.
//!
//! An [`Op`] is the label of a transition (`symmetry-on-transitions`, Def. 7): what a thread is about to do, to which
//! object. Names must not depend on the schedule, otherwise two runs could not be compared: a thread is called by its
//! place in the tree of spawns, an object by who created it and as which of his, or by an address that is the same in
//! every run.

use std::fmt;

/// A thread, by its index in the table of births (see [`crate::Cursor::born`]). Index 0 is the first thread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct ThreadId(pub u32);

impl ThreadId {
    /// The thread every program starts with.
    pub const MAIN: Self = Self(0);

    /// The index, for tables with one entry per thread.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl From<usize> for ThreadId {
    fn from(index: usize) -> Self {
        Self(u32::try_from(index).expect("fewer than 2^32 threads"))
    }
}

impl fmt::Display for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// A communication object: mutex, semaphore, memory cell, channel, and so on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct ObjId(pub u64);

const CREATED: u64 = 1 << 63;
const INDEX_BITS: u32 = 32;
/// In an index: counts cells on the creator's stack and not what it created.
const STACK: u32 = 1 << 31;

impl ObjId {
    /// No object; operations that need fewer than two objects leave this in the other place.
    pub const NONE: Self = Self(0);

    /// The `index`-th object made by `creator`: the same in every run, wherever the allocator put it.
    #[must_use]
    pub fn created(creator: ThreadId, index: u32) -> Self {
        // Creators fit 31 bits: a program with 2^31 threads does not end.
        Self(CREATED | (u64::from(creator.0) << INDEX_BITS) | u64::from(index))
    }

    /// The `cell`-th word below the beginning of `owner`'s stack.
    #[must_use]
    pub fn on_stack(owner: ThreadId, cell: u32) -> Self {
        Self::created(owner, STACK | cell)
    }

    /// Whose stack it is on and where, if it is on one.
    #[must_use]
    pub fn stack_cell(self) -> Option<(ThreadId, u32)> {
        self.creator().filter(|(_, index)| index & STACK != 0).map(|(owner, index)| (owner, index & !STACK))
    }

    /// An object that lies at the same address, or offset into the image, in every run.
    #[must_use]
    pub fn at(address: u64) -> Self {
        Self(address & !CREATED)
    }

    /// Who made it and as which of his objects, when the name says so.
    #[must_use]
    pub fn creator(self) -> Option<(ThreadId, u32)> {
        (self.0 & CREATED != 0).then_some((ThreadId(((self.0 & !CREATED) >> INDEX_BITS) as u32), self.0 as u32))
    }

    /// Whether this stands for no object.
    #[must_use]
    pub fn is_none(self) -> bool {
        self == Self::NONE
    }
}

impl fmt::Display for ObjId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.stack_cell(), self.creator()) {
            (Some((owner, cell)), _) => write!(f, "#{owner}.s{cell}"),
            (None, Some((creator, index))) => write!(f, "#{creator}.{index}"),
            (None, None) => write!(f, "@{:x}", self.0),
        }
    }
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $word:literal,)*) => {
        /// What a visible operation does. Which pairs may be swapped is the business of [`crate::relation`]; what each one
        /// does is written down, executably, in the reference interpreter `crate::world`.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
        #[repr(u8)]
        pub enum Kind {
            $($(#[$doc])* $name,)*
        }

        impl Kind {
            /// Every kind, in declaration order.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The word used in schedules, diagrams and messages.
            #[must_use]
            pub fn word(self) -> &'static str {
                match self {
                    $(Self::$name => $word,)*
                }
            }

            /// The kind with this word.
            #[must_use]
            pub fn from_word(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|kind| kind.word() == word)
            }
        }
    };
}

impl Kind {
    /// Whether executing such an operation may enable a racing operation of kind `later` that becomes pending only
    /// afterwards. Releases that are only ever [`crate::Relation::Ordered`] with what they enable do not count, nor do
    /// signals of conditions, which are good only for threads already waiting.
    ///
    /// SOUND: `false` must be right in every state. Posts raise a value and takes lower it, so a post enables takes but
    /// never a wait for zero, and the other way round.
    pub(crate) fn can_enable(self, later: Self) -> bool {
        let in_general = matches!(
            self,
            Self::SemPost
                | Self::SysvWait
                | Self::SysvPost
                | Self::SysvSet
                | Self::SysvTry
                | Self::Unpark
                | Self::ChanSend
                | Self::ChanTrySend
                | Self::ChanRecv
                | Self::ChanTryRecv
                | Self::SenderDrop
                | Self::ReceiverDrop
                | Self::Opaque
                | Self::Block
        );
        match later {
            Self::SysvWait => in_general && self != Self::SysvWait,
            Self::SysvZero => in_general && self != Self::SysvPost,
            _ => in_general,
        }
    }

    /// Whether what this operation provides is what `later` waits for, so that [`crate::Cursor::remark`] says something
    /// about the two.
    pub(crate) fn provides_for(self, later: Self) -> bool {
        matches!(
            (self, later),
            (Self::SemPost, Self::SemWait) | (Self::SysvPost, Self::SysvWait) | (Self::Unpark, Self::Park)
        )
    }

    /// Whether a thread that executes this lets others go first.
    pub(crate) fn offers_processor(self) -> bool {
        matches!(self, Self::Yield | Self::Sleep)
    }

    /// Whether an operation of this kind can be executed in every state: only its outcome depends on what came before.
    ///
    /// SOUND: [`crate::World::enabled`] answers `true` for these whatever the state (tested over all small states), and
    /// so must every adapter. A race with such an operation can always be reversed, also if the earlier operation is
    /// one that enables others: `sempost` before `semtrywait`.
    #[must_use]
    pub fn is_always_enabled(self) -> bool {
        !matches!(
            self,
            Self::None
                | Self::MutexLock
                | Self::RwRead
                | Self::RwWrite
                | Self::CondWake
                | Self::CondTimedWake
                | Self::SemWait
                | Self::SysvWait
                | Self::SysvZero
                | Self::SysvSet
                | Self::BarrierLeave
                | Self::OnceEnter
                | Self::Join
                | Self::Park
                | Self::ChanSend
                | Self::ChanHandoff
                | Self::ChanRecv
                | Self::ChanClosed
                | Self::Read
                | Self::Rmw
                | Self::Load
                | Self::Update
                | Self::Block
        )
    }
}

kinds! {
    /// Nothing pending: the thread has finished.
    #[default]
    None = "finished",

    /// Acquires mutex `obj`; disabled while it is held (also by the caller, unless the adapter counts recursion).
    MutexLock = "lock",
    /// Acquires mutex `obj` if it is free, fails otherwise.
    MutexTryLock = "trylock",
    /// Acquires mutex `obj` if it is free, times out otherwise: a deadline may pass at any moment.
    MutexTimedLock = "timedlock",
    /// Releases mutex `obj`.
    MutexUnlock = "unlock",

    /// Acquires `obj` shared; disabled while a writer holds it.
    RwRead = "rdlock",
    /// Acquires `obj` shared if no writer holds it.
    RwTryRead = "tryrdlock",
    /// Acquires `obj` exclusively; disabled while anyone holds it.
    RwWrite = "wrlock",
    /// Acquires `obj` exclusively if nobody holds it.
    RwTryWrite = "trywrlock",
    /// Gives up a shared hold of `obj`.
    RwReadUnlock = "rdunlock",
    /// Gives up the exclusive hold of `obj`.
    RwWriteUnlock = "wrunlock",

    /// Releases mutex `obj2` and joins the waiters of condition `obj`, in one step.
    CondWait = "wait",
    /// Leaves the waiters of `obj` by one of the signals sent since the thread joined them and takes mutex `obj2`
    /// again; disabled without such a signal or while the mutex is held. Which waiter takes a signal is thus a matter of
    /// scheduling.
    CondWake = "wake",
    /// As [`Kind::CondWake`], but without a signal the thread leaves too, timed out (or woken spuriously); disabled only
    /// while the mutex is held.
    CondTimedWake = "timedwake",
    /// Signals one waiter of `obj`.
    CondSignal = "signal",
    /// Signals every waiter of `obj`.
    CondBroadcast = "broadcast",

    /// Takes one from semaphore `obj`; disabled at zero.
    SemWait = "semwait",
    /// Takes one from semaphore `obj` unless it is zero.
    SemTryWait = "semtrywait",
    /// Adds one to semaphore `obj`.
    SemPost = "sempost",
    /// Reads the value of semaphore `obj`.
    SemValue = "semvalue",

    /// Arrives at barrier `obj` for round `arg`; the last to arrive leads.
    BarrierArrive = "arrive",
    /// Leaves round `arg` of barrier `obj`; disabled until it is full.
    BarrierLeave = "leave",

    /// Enters the one-time initialisation `obj`; disabled while another thread is inside.
    OnceEnter = "once",
    /// Completes the one-time initialisation `obj`.
    OnceLeave = "oncedone",
    /// Reads whether the one-time initialisation `obj` is complete.
    OncePeek = "oncepeek",

    /// Creates a thread. Adapters may instead create threads between visible operations and say so by
    /// [`crate::Cursor::born`] alone.
    Spawn = "spawn",
    /// Waits for the end of thread `arg`.
    Join = "join",
    /// Reads whether thread `arg` has ended.
    Finished = "isfinished",
    /// Ends the thread, as a visible step.
    Exit = "exit",
    /// Takes the token of thread `arg` (its own); disabled without one.
    Park = "park",
    /// Takes its own token, thread `arg`'s, if there is one: a deadline may pass at any moment.
    ParkTimeout = "parktimeout",
    /// Gives thread `arg` its token, unless it has it already.
    Unpark = "unpark",
    /// Offers the processor.
    Yield = "yield",
    /// Lets time pass.
    Sleep = "sleep",

    /// Reads cell `obj`: plain memory or an atomic.
    Read = "read",
    /// Writes cell `obj`.
    Write = "write",
    /// Reads and writes cell `obj` in one step.
    Rmw = "rmw",

    /// Puts message number `arg` into channel `obj`; disabled while a bounded channel is full.
    ChanSend = "send",
    /// Puts message number `arg` into channel `obj` unless it is full.
    ChanTrySend = "trysend",
    /// Waits until message `arg` of the rendezvous channel `obj` has been taken.
    ChanHandoff = "handoff",
    /// Takes message number `arg` from channel `obj`; disabled while it is not there and a sender is left.
    ChanRecv = "recv",
    /// Takes message number `arg` from channel `obj` if it is there.
    ChanTryRecv = "tryrecv",
    /// Finds channel `obj` empty and without senders.
    ChanClosed = "recvclosed",
    /// Drops a sender of channel `obj`.
    SenderDrop = "dropsender",
    /// Drops the receiver of channel `obj`.
    ReceiverDrop = "dropreceiver",

    /// Picks one of `arg` alternatives (`VS_toss`, `choose`).
    Choose = "choose",
    /// Checks a condition on the thread's own variables (`VS_assert`).
    Assert = "assert",

    /// Takes `arg` from System V semaphore `obj` of set `obj2`; disabled below.
    SysvWait = "semop-",
    /// Adds `arg` to System V semaphore `obj` of set `obj2`.
    SysvPost = "semop+",
    /// Waits until System V semaphore `obj` of set `obj2` is zero.
    SysvZero = "semop0",
    /// Operates on several semaphores of System V set `obj2` at once, `obj` the first; may have to wait.
    SysvSet = "semops",
    /// Sets or reads semaphores of System V set `obj2`, or operates on them without ever waiting.
    SysvTry = "semctl",
    /// An operation on `obj`, and on `obj2` if that is given, that nothing more is known about: it may be swapped with
    /// nothing on the same object.
    Opaque = "call",
    /// As [`Kind::Opaque`], but the adapter may keep it disabled for reasons of its own, which operations on the same
    /// object alone can change.
    Block = "await",

    /// Reads cell `obj` under a weak memory model: one of `arg` writes. Where the model also compares with operations on
    /// other cells, `obj2` names what they have in common.
    Load = "load",
    /// Writes cell `obj` under a weak memory model, in one of `arg` places of its order of writes; `obj2` as above.
    Store = "store",
    /// Reads and writes cell `obj` in one step under a weak memory model, in one of `arg` ways; `obj2` as above.
    Update = "update",

    /// Adds a reference to the counted `obj`.
    RefClone = "clone",
    /// Takes a reference to the counted `obj` away. With `arg` 1 it matters who takes the last one.
    RefDrop = "drop",
    /// Reads the number of references to `obj` and acts on it; unless it is zero, adds `arg` references.
    RefCount = "count",
}

/// One visible operation: the label of a transition.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Op {
    /// What is done.
    pub kind: Kind,
    /// The object it is done to.
    pub obj: ObjId,
    /// The second object of operations that have one.
    pub obj2: ObjId,
    /// A number that belongs to the label: thread to join, alternatives of a choice, message number. Of memory accesses
    /// the highest eight bits are [`Op::bytes`].
    pub arg: u64,
}

/// Where in the argument of a memory access its bytes are.
const BYTES_SHIFT: u32 = 56;

/// In the argument of an arrival at a barrier, below the number of the round: how it stands in the round.
const STANDING_BITS: u32 = 2;
const STANDING: u64 = (1 << STANDING_BITS) - 1;
const STANDING_BEFORE_LAST: u64 = 1;
const STANDING_LAST: u64 = 2;

impl Op {
    /// The label of a thread that has nothing more to do.
    pub const NONE: Self = Self { kind: Kind::None, obj: ObjId::NONE, obj2: ObjId::NONE, arg: 0 };

    /// An operation on one object.
    #[must_use]
    pub fn on(kind: Kind, obj: ObjId) -> Self {
        Self { kind, obj, ..Self::NONE }
    }

    /// An operation on two objects.
    #[must_use]
    pub fn on_two(kind: Kind, obj: ObjId, obj2: ObjId) -> Self {
        Self { kind, obj, obj2, arg: 0 }
    }

    /// An operation on an object with a number.
    #[must_use]
    pub fn with(kind: Kind, obj: ObjId, arg: u64) -> Self {
        Self { kind, obj, obj2: ObjId::NONE, arg }
    }

    /// An operation on a thread: join, finished, park, unpark.
    #[must_use]
    pub fn thread(kind: Kind, thread: ThreadId) -> Self {
        Self { kind, arg: u64::from(thread.0), ..Self::NONE }
    }

    /// The arrival at barrier `obj`, whose rounds are of `size`, of whoever comes after `n_arrived` others, counted over
    /// all rounds. It says how many rounds are over, and whether the arrival ends its round or is the one before that:
    /// the first to arrive may be swapped, who comes last is told so.
    #[must_use]
    pub fn arrival(obj: ObjId, n_arrived: u64, size: u64) -> Self {
        let size = size.max(1);
        let standing = match size - n_arrived % size {
            1 => STANDING_LAST,
            2 => STANDING_BEFORE_LAST,
            _ => 0,
        };
        Self::with(Kind::BarrierArrive, obj, ((n_arrived / size) << STANDING_BITS) | standing)
    }

    /// Rounds of its barrier that were over when a thread arrived, or those that must be for it to leave less one.
    #[must_use]
    pub fn round(&self) -> u64 {
        if self.kind == Kind::BarrierArrive { self.arg >> STANDING_BITS } else { self.arg }
    }

    /// Of an arrival at a barrier: does it end its round?
    pub(crate) fn is_last_arrival(&self) -> bool {
        self.kind == Kind::BarrierArrive && self.arg & STANDING == STANDING_LAST
    }

    /// Does it make the next arrival at its barrier one that ends the round?
    pub(crate) fn is_arrival_before_last(&self) -> bool {
        self.kind == Kind::BarrierArrive && self.arg & STANDING == STANDING_BEFORE_LAST
    }

    /// The label without what is not the same in all linearisations of a trace: the place among the first arrivals of a
    /// round.
    #[must_use]
    pub fn in_trace(&self) -> Self {
        let arg = if self.is_arrival_before_last() { self.arg & !STANDING } else { self.arg };
        Self { arg, ..*self }
    }

    /// An access to some of the eight bytes of cell `obj`: bit `i` of `bytes` stands for the `i`-th.
    #[must_use]
    pub fn on_bytes(kind: Kind, obj: ObjId, bytes: u8) -> Self {
        let arg = if bytes == u8::MAX { 0 } else { u64::from(bytes) << BYTES_SHIFT };
        Self::with(kind, obj, arg)
    }

    /// The bytes of its cell that a memory access touches: all, unless it says which.
    #[must_use]
    pub fn bytes(&self) -> u8 {
        match (self.arg >> BYTES_SHIFT) as u8 {
            bytes if bytes != 0 && self.is_access() => bytes,
            _ => u8::MAX,
        }
    }

    /// The object, and of a cell with an address the first byte that is touched.
    #[must_use]
    pub fn place(&self) -> ObjId {
        match self.obj.creator() {
            None if self.is_access() => ObjId(self.obj.0 + u64::from(self.bytes().trailing_zeros())),
            _ => self.obj,
        }
    }

    /// The argument without what is packed into it.
    pub(crate) fn value(&self) -> u64 {
        if self.is_access() { self.arg & !(u64::from(u8::MAX) << BYTES_SHIFT) } else { self.round() }
    }

    fn is_access(&self) -> bool {
        matches!(self.kind, Kind::Read | Kind::Write | Kind::Rmw)
    }

    /// The thread this operation names in its argument, if its kind names one.
    #[must_use]
    pub fn target(&self) -> Option<ThreadId> {
        use Kind::{Finished, Join, Park, ParkTimeout, Unpark};
        matches!(self.kind, Join | Finished | Park | ParkTimeout | Unpark).then_some(ThreadId(self.arg as u32))
    }

    /// How many ways there are to execute this operation.
    #[must_use]
    pub fn n_choices(&self) -> u32 {
        match self.kind {
            Kind::Choose | Kind::Load | Kind::Store | Kind::Update => {
                u32::try_from(self.arg.max(1)).unwrap_or(u32::MAX)
            }
            _ => 1,
        }
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.word())?;
        if let Some(thread) = self.target() {
            return write!(f, " t{thread}");
        }
        if !self.obj.is_none() {
            write!(f, " {}", self.place())?;
        }
        if !self.obj2.is_none() {
            write!(f, " {}", self.obj2)?;
        }
        if self.value() != 0 {
            write!(f, " {}", self.value())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_kinds_are_distinct() {
        for kind in Kind::ALL {
            assert_eq!(Kind::from_word(kind.word()), Some(*kind));
        }
    }

    #[test]
    fn created_objects_remember_their_creator() {
        let obj = ObjId::created(ThreadId(7), 3);
        assert_eq!(obj.creator(), Some((ThreadId(7), 3)));
        assert_eq!(ObjId::at(0x40).creator(), None);
        assert_eq!(obj.to_string(), "#7.3");
        let cell = ObjId::on_stack(ThreadId(7), 3);
        assert_eq!((cell.stack_cell(), obj.stack_cell()), (Some((ThreadId(7), 3)), None));
        assert_eq!(cell.to_string(), "#7.s3");
    }

    #[test]
    fn accesses_know_their_bytes() {
        let cell = ObjId::at(0x40);
        let half = Op::on_bytes(Kind::Write, cell, 0b1111_0000);
        assert_eq!((half.bytes(), half.place(), half.value()), (0b1111_0000, ObjId::at(0x44), 0));
        assert_eq!(half.to_string(), "write @44");
        assert_eq!(Op::on_bytes(Kind::Read, cell, u8::MAX), Op::on(Kind::Read, cell));
        assert_eq!(Op::with(Kind::Write, cell, 7).bytes(), u8::MAX);
        assert_eq!(Op::with(Kind::Choose, cell, u64::MAX).bytes(), u8::MAX);
    }
}
