//! Which operations may be swapped: the dependency relation, in one place.
//!
//! Two labels are [`Relation::Independent`] when, in every state, neither enables or disables the other and both orders
//! lead to the same state (`symmetry-on-transitions`, Def. 10). Dependent labels are split in two. A [`Relation::Race`]
//! may be reversed: there may be states in which both are enabled. [`Relation::Ordered`] labels are never enabled in the
//! same state, so the order seen is the only one: `unlock` and the `lock` after it, the end of a thread and its `join`.
//! The table is tested against the reference interpreter over all small states.
//!
//! An operation touches at most two objects and a thread; each touch is an [`Access`], and the table is over accesses.

use crate::op::{Kind, ObjId, Op, ThreadId};

/// How two labels of different threads stand to each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relation {
    /// Swapping two adjacent ones changes nothing.
    Independent,
    /// Dependent, and never enabled together.
    Ordered,
    /// Dependent, and possibly enabled together.
    Race,
}

impl Relation {
    /// Whether a swap may matter.
    #[must_use]
    pub fn is_dependent(self) -> bool {
        self != Self::Independent
    }
}

/// The relation between operation `a` of thread `p` and operation `b` of thread `q`. It is symmetric.
// PERF: asked for every pair of events; most pairs have no object in common.
#[inline]
#[must_use]
pub fn relation(p: ThreadId, a: &Op, q: ThreadId, b: &Op) -> Relation {
    if p == q {
        return Relation::Ordered;
    }
    let apart = a.obj != b.obj && a.obj != b.obj2 && a.obj2 != b.obj && (a.obj2 != b.obj2 || a.obj2.is_none());
    if (apart || (a.obj.is_none() && a.obj2.is_none())) && a.target().is_none() && b.target().is_none() {
        return Relation::Independent;
    }
    related(p, a, q, b)
}

/// The relation of operations that may have something to do with each other.
fn related(p: ThreadId, a: &Op, q: ThreadId, b: &Op) -> Relation {
    let mut found = watches(a, q, b);
    merge(&mut found, watches(b, p, a));
    if found == Relation::Ordered {
        return found;
    }
    for (obj, x) in touches(a) {
        for (other, y) in touches(b) {
            if obj == other && !obj.is_none() {
                merge(&mut found, on_same_object(x, y, a, b));
            }
        }
    }
    found
}

/// Whether the two may not be swapped.
#[inline]
#[must_use]
pub fn dependent(p: ThreadId, a: &Op, q: ThreadId, b: &Op) -> bool {
    relation(p, a, q, b).is_dependent()
}

/// Whether `b` of thread `q` ends the sleep of `a`, the label that thread `p` had when it was put to sleep.
///
/// SOUND: a label may be outdated where only independent operations have been executed since. Of those an arrival at a
/// barrier can change another: the one before the last makes every further arrival the last. Swapped with that it is an
/// early arrival itself, so that the two do not commute. Of an operation in a sequence that is yet to be executed the
/// label is that of another run; there at most more had arrived, so that an arrival said to be early is early.
#[inline]
#[must_use]
pub(crate) fn wakes(p: ThreadId, a: &Op, q: ThreadId, b: &Op) -> bool {
    let ends_early = b.is_arrival_before_last() && a.kind == Kind::BarrierArrive && a.obj == b.obj;
    ends_early || dependent(p, a, q, b)
}

/// Labels that cannot be enabled together because of one object are not enabled together, whatever the others say.
fn merge(found: &mut Relation, more: Relation) {
    *found = match (*found, more) {
        (Relation::Ordered, _) | (_, Relation::Ordered) => Relation::Ordered,
        (Relation::Race, _) | (_, Relation::Race) => Relation::Race,
        (Relation::Independent, Relation::Independent) => Relation::Independent,
    };
}

/// What `a` has to do with thread `q` itself, whose operation is `b`.
fn watches(a: &Op, q: ThreadId, b: &Op) -> Relation {
    match a.kind {
        // Any operation of a thread may turn out to be its last.
        Kind::Join if a.target() == Some(q) => Relation::Ordered,
        Kind::Finished if a.target() == Some(q) => Relation::Race,
        Kind::Unpark if matches!(b.kind, Kind::Park | Kind::ParkTimeout) && a.arg == b.arg => Relation::Race,
        _ => Relation::Independent,
    }
}

/// One way to touch an object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Access {
    Nothing,
    Lock,
    TryLock,
    Unlock,
    Read,
    TryRead,
    Write,
    TryWrite,
    ReadUnlock,
    WriteUnlock,
    Enqueue,
    Wake,
    TimedWake,
    Notify,
    Take,
    TryTake,
    Post,
    Value,
    Zero,
    Arrive,
    Leave,
    Enter,
    Complete,
    Peek,
    Load,
    Store,
    Send,
    TrySend,
    Handoff,
    Recv,
    TryRecv,
    Closed,
    SenderDrop,
    ReceiverDrop,
    Set,
    Share,
    Unshare,
    Count,
    Anything,
}

fn touches(op: &Op) -> [(ObjId, Access); 2] {
    use Access as A;
    let one = |access| [(op.obj, access), (ObjId::NONE, A::Nothing)];
    let two = |access, second| [(op.obj, access), (op.obj2, second)];
    match op.kind {
        Kind::MutexLock => one(A::Lock),
        Kind::MutexTryLock | Kind::MutexTimedLock => one(A::TryLock),
        Kind::MutexUnlock => one(A::Unlock),
        Kind::RwRead => one(A::Read),
        Kind::RwTryRead => one(A::TryRead),
        Kind::RwWrite => one(A::Write),
        Kind::RwTryWrite => one(A::TryWrite),
        Kind::RwReadUnlock => one(A::ReadUnlock),
        Kind::RwWriteUnlock => one(A::WriteUnlock),
        Kind::CondWait => two(A::Enqueue, A::Unlock),
        Kind::CondWake => two(A::Wake, A::Lock),
        Kind::CondTimedWake => two(A::TimedWake, A::Lock),
        Kind::CondSignal | Kind::CondBroadcast => one(A::Notify),
        Kind::SemWait => one(A::Take),
        Kind::SemTryWait => one(A::TryTake),
        Kind::SemPost => one(A::Post),
        Kind::SemValue => one(A::Value),
        Kind::BarrierArrive => one(A::Arrive),
        Kind::BarrierLeave => one(A::Leave),
        Kind::OnceEnter => one(A::Enter),
        Kind::OnceLeave => one(A::Complete),
        Kind::OncePeek => one(A::Peek),
        Kind::Read => one(A::Load),
        Kind::Write | Kind::Rmw => one(A::Store),
        Kind::ChanSend => one(A::Send),
        Kind::ChanTrySend => one(A::TrySend),
        Kind::ChanHandoff => one(A::Handoff),
        Kind::ChanRecv => one(A::Recv),
        Kind::ChanTryRecv => one(A::TryRecv),
        Kind::ChanClosed => one(A::Closed),
        Kind::SenderDrop => one(A::SenderDrop),
        Kind::ReceiverDrop => one(A::ReceiverDrop),
        Kind::SysvWait => two(A::Take, A::Load),
        Kind::SysvPost => two(A::Post, A::Load),
        Kind::SysvZero => two(A::Zero, A::Load),
        Kind::SysvSet | Kind::SysvTry => two(A::Set, A::Store),
        // What weak operations on several cells have in common changes with each of them.
        Kind::Load => two(A::Load, A::Store),
        Kind::Store | Kind::Update => two(A::Store, A::Store),
        Kind::RefClone => one(A::Share),
        Kind::RefDrop => one(A::Unshare),
        Kind::RefCount => two(A::Count, A::Count),
        Kind::Opaque | Kind::Block => two(A::Anything, A::Anything),
        Kind::None
        | Kind::Spawn
        | Kind::Join
        | Kind::Finished
        | Kind::Exit
        | Kind::Park
        | Kind::ParkTimeout
        | Kind::Unpark
        | Kind::Yield
        | Kind::Sleep
        | Kind::Choose
        | Kind::Assert => one(A::Nothing),
    }
}

/// The table. Accesses of different sorts of objects never meet on one object; should a program reuse a name for
/// objects of two sorts, the pair counts as a race, which is the safe side.
fn on_same_object(x: Access, y: Access, a: &Op, b: &Op) -> Relation {
    use Access as A;
    use Relation::{Independent, Ordered, Race};
    let (x, y, a, b) = if x <= y { (x, y, a, b) } else { (y, x, b, a) };
    match (x, y) {
        (A::Nothing, _) => Independent,

        // A held mutex is released by its holder alone, so `unlock` never meets an enabled `lock`; a `trylock` is
        // enabled always and sees the difference.
        (A::Lock | A::Unlock, A::Unlock) => Ordered,

        // Readers share. Whoever holds the lock keeps the other sort of `lock` disabled, but not the `try` forms.
        (A::Read | A::TryRead, A::Read | A::TryRead | A::ReadUnlock) | (A::ReadUnlock, A::ReadUnlock) => Independent,
        (A::Read, A::WriteUnlock) | (A::Write, A::ReadUnlock | A::WriteUnlock) => Ordered,
        (A::ReadUnlock | A::WriteUnlock, A::WriteUnlock) => Ordered,

        // Signals only add up and waiters only queue up. A signal that finds a signal for the waiter already there
        // would commute with the wake-up, but which signal was needed depends on the state: that counts as a race.
        (A::Enqueue, A::Enqueue | A::Wake | A::TimedWake) | (A::Notify, A::Notify) => Independent,

        (A::Post, A::Post) | (A::Value, A::Value) | (A::Zero, A::Zero) => Independent,
        (A::Value, A::Zero) => Independent,

        // Who ends a round is told so; the others of the round may have arrived in any order. Two that would each be the
        // one before the last are pending in the same state, and the second to arrive would end the round.
        (A::Arrive, A::Arrive) if a.round() != b.round() || a.is_last_arrival() || b.is_last_arrival() => Race,
        (A::Arrive, A::Arrive) if a.is_arrival_before_last() && b.is_arrival_before_last() => Race,
        (A::Arrive, A::Arrive) => Independent,

        // All of a round must have arrived before anyone leaves; other rounds do not matter to him.
        (A::Arrive, A::Leave) if a.round() == b.round() => Ordered,
        (A::Arrive, A::Leave) => Independent,
        (A::Leave, A::Leave) => Independent,

        // Only completion, not entry, is seen by a peek; entry is disabled while someone is inside.
        (A::Enter | A::Complete, A::Complete) => Ordered,
        (A::Enter | A::Peek, A::Peek) => Independent,

        (A::Load, A::Load) => Independent,
        // Neighbours in one cell: neither sees a byte that the other writes.
        (A::Load | A::Store, A::Store) if a.bytes() & b.bytes() == 0 => Independent,

        // Whoever clones a reference holds one, so no count is zero before or after; a drop that is not the last is the
        // same whenever it happens, and which one is the last matters only where the label says so.
        (A::Share, A::Share | A::Unshare) => Independent,
        (A::Unshare, A::Unshare) if a.arg == 0 && b.arg == 0 => Independent,
        (A::Count, A::Count) if a.arg == 0 && b.arg == 0 => Independent,

        (A::Send | A::TrySend | A::Handoff | A::Recv | A::TryRecv | A::Closed | A::SenderDrop, _)
            if y >= A::Send && y <= A::ReceiverDrop =>
        {
            on_same_channel(x, y, a, b)
        }
        (A::ReceiverDrop, A::ReceiverDrop) => Independent,

        _ => Race,
    }
}

/// Channels are queues and messages are numbered by their sends: message `n` is put in by send `n` and taken out by
/// receive `n`, so other numbers need no order. Which send gets which number depends on the order of sends, but a receive
/// that is enabled has its message, so whatever order the remaining sends take, none of them gets that number. A
/// `tryrecv` is enabled always, so to it every send counts. In a bounded channel (`obj2` names the channel again) a
/// receive also makes room for a later send, and which one depends on the capacity: every pair counts there.
fn on_same_channel(x: Access, y: Access, a: &Op, b: &Op) -> Relation {
    use Access as A;
    use Relation::{Independent, Ordered, Race};
    let same_message = a.arg == b.arg;
    let bounded = !a.obj2.is_none() || !b.obj2.is_none();
    match (x, y) {
        (A::Send | A::TrySend, A::Send | A::TrySend | A::ReceiverDrop) => Race,
        (A::Send | A::TrySend, A::SenderDrop | A::Handoff) => Independent,
        // The channel is closed when every sender is gone, and they send no more.
        (A::Send | A::TrySend, A::Closed) => Ordered,
        (A::Send | A::TrySend, A::Recv) if same_message => Ordered,
        (A::Send | A::TrySend, A::Recv) if !bounded => Independent,
        (A::Send | A::TrySend, A::Recv | A::TryRecv) => Race,
        (A::Handoff, A::Recv | A::TryRecv) if same_message => Ordered,
        (A::Handoff, A::ReceiverDrop) => Race,
        (A::Handoff, _) => Independent,
        (A::TryRecv, A::SenderDrop) => Race,
        (A::Closed, A::SenderDrop) => Ordered,
        (A::Recv, A::SenderDrop) => Independent,
        (A::SenderDrop, A::SenderDrop | A::ReceiverDrop) => Independent,
        // One receiver: its operations never belong to different threads at the same time.
        _ => Ordered,
    }
}
