//! What one run leaves behind.

use crate::cursor::Pick;
use crate::op::{ObjId, Op, ThreadId};
use crate::set::ThreadSet;
use crate::symmetry::Family;

/// One executed transition.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Event {
    /// Who executed it.
    pub thread: ThreadId,
    /// Which alternative of a choice, 0 for operations without alternatives.
    pub choice: u32,
    /// Its label.
    pub op: Op,
}

impl Event {
    /// The decision that led to this event.
    #[must_use]
    pub fn pick(&self) -> Pick {
        Pick { thread: self.thread, choice: self.choice }
    }
}

/// The creation of a thread: the `nth` child of `parent`, born during the `at`-th transition (0: before the first).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Birth {
    /// The creator; the first thread is its own.
    pub parent: ThreadId,
    /// How many children the creator had before.
    pub nth: u32,
    /// How many transitions had been started when the thread was created; `u32::MAX` if it was not, in this run.
    pub at: u32,
    /// How many threads were created before it in this run.
    pub order: u32,
}

impl Birth {
    /// Whether the thread was created in this run.
    #[must_use]
    pub fn happened(&self) -> bool {
        self.at != u32::MAX
    }
}

/// How a run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// Every thread finished.
    Completed,
    /// Some threads have not finished and none of them can go on.
    Deadlock,
    /// A check of the program failed.
    Failed(Failure),
    /// A thread ran without reaching a visible operation for too long.
    Divergence(ThreadId),
    /// The cursor stopped the run.
    Cut(Cut),
}

impl End {
    /// Whether this end is a fault of the program.
    #[must_use]
    pub fn is_fault(&self) -> bool {
        matches!(self, Self::Deadlock | Self::Failed(_) | Self::Divergence(_))
    }

    /// The word for this end in reports: stable, used by scripts.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Deadlock => "deadlock",
            Self::Failed(failure) => failure.kind.word(),
            Self::Divergence(_) => "divergence",
            Self::Cut(_) => "cut",
        }
    }
}

/// What sort of check failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FailureKind {
    /// An assertion of the program.
    Assertion,
    /// A Rust panic.
    Panic,
    /// `abort` or an exception nobody caught.
    Abort,
    /// A signal such as a segmentation fault.
    Crash,
    /// Misuse of an object, such as unlocking what one does not hold.
    Misuse,
    /// Two threads access the same memory, one of them to write, and nothing orders the two.
    Race,
    /// The program ended with another status than expected.
    Status,
}

impl FailureKind {
    /// Every kind.
    pub const ALL: [Self; 7] =
        [Self::Assertion, Self::Panic, Self::Abort, Self::Crash, Self::Misuse, Self::Race, Self::Status];

    /// The word for it in reports.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Assertion => "assertion",
            Self::Panic => "panic",
            Self::Abort => "abort",
            Self::Crash => "crash",
            Self::Misuse => "misuse",
            Self::Race => "race",
            Self::Status => "status",
        }
    }
}

/// A failed check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// The sort of check.
    pub kind: FailureKind,
    /// The thread it failed in.
    pub thread: ThreadId,
    /// What the program said, with the place if known.
    pub message: String,
}

/// Why a cursor stopped a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cut {
    /// Every enabled thread is in the sleep set: all continuations have been seen.
    Asleep,
    /// The depth bound is reached.
    Depth,
    /// Every continuation needs more preemptions than allowed.
    Preemptions,
    /// The run did not follow its script: the program is not deterministic, at this transition.
    OffScript(u32),
}

/// Everything an explorer learns from one run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Trace {
    /// The transitions, in order.
    pub events: Vec<Event>,
    /// The threads that were enabled before each transition.
    pub enabled: Vec<ThreadSet>,
    /// For each transition whether what it provides was there already, where the subject said so (see
    /// [`crate::Cursor::remark`]).
    pub surplus: Vec<Option<bool>>,
    /// For each transition the labels of the threads enabled before it, in ascending order of threads, one after the
    /// other; empty unless the cursor was told to keep them.
    pub labels: Vec<Op>,
    /// The births of all threads known so far, index = thread. Those not born in this run have `at == u32::MAX`.
    pub births: Vec<Birth>,
    /// The operation each thread was waiting to execute at the end, [`Op::NONE`] for those that had finished.
    pub pending: Vec<Op>,
    /// Which threads were enabled at the end: none, unless the run was stopped.
    pub enabled_at_end: ThreadSet,
    /// Where the run left its script, because the script asked for something that was not enabled there.
    pub left_script_at: Option<u32>,
    /// Cells on stacks that were visible also to the thread whose stack it is, where stacks are not visible as a whole.
    pub watched: Vec<ObjId>,
    /// The symmetries the program declared or the adapter can justify.
    pub families: Vec<Family>,
    /// The end.
    pub end: Option<End>,
}

impl Trace {
    /// An empty trace with memory for `n` events.
    pub(crate) fn with_room(n: usize) -> Self {
        Self {
            events: Vec::with_capacity(n),
            enabled: Vec::with_capacity(n),
            surplus: Vec::with_capacity(n),
            ..Self::default()
        }
    }

    /// How many context switches the trace has: neighbours that belong to different threads.
    #[must_use]
    pub fn n_switches(&self) -> usize {
        self.events.windows(2).filter(|pair| pair[0].thread != pair[1].thread).count()
    }

    /// The same trace with threads numbered in the order in which this run created them, and the names of objects
    /// accordingly: what a fresh run of the same schedule shows.
    #[must_use]
    pub fn renumbered(&self) -> Self {
        let thread = |thread: ThreadId| match self.births.get(thread.index()) {
            Some(birth) if birth.happened() => ThreadId(birth.order),
            _ => thread,
        };
        let object = |obj: ObjId| match obj.creator() {
            Some((creator, index)) => ObjId::created(thread(creator), index),
            None => obj,
        };
        let is_known = |obj: &ObjId| {
            obj.creator().is_none_or(|(creator, _)| self.births.get(creator.index()).is_some_and(Birth::happened))
        };
        let relabel = |op: &Op| Op {
            kind: op.kind,
            obj: object(op.obj),
            obj2: object(op.obj2),
            arg: op.target().map_or(op.arg, |target| u64::from(thread(target).0)),
        };
        let mut births: Vec<Birth> = self.births.iter().copied().filter(Birth::happened).collect();
        births.sort_by_key(|birth| birth.order);
        for birth in &mut births {
            birth.parent = thread(birth.parent);
        }
        let mut pending = vec![Op::NONE; births.len()];
        for (old, op) in self.pending.iter().enumerate().filter(|(old, _)| self.births[*old].happened()) {
            pending[thread(ThreadId::from(old)).index()] = relabel(op);
        }
        let mut end = self.end.clone();
        match &mut end {
            Some(End::Failed(failure)) => failure.thread = thread(failure.thread),
            Some(End::Divergence(diverging)) => *diverging = thread(*diverging),
            _ => {}
        }
        let renamed = |set: &ThreadSet| set.iter().map(thread).collect();
        let event =
            |event: &Event| Event { thread: thread(event.thread), choice: event.choice, op: relabel(&event.op) };
        Self {
            events: self.events.iter().map(event).collect(),
            enabled: self.enabled.iter().map(renamed).collect(),
            surplus: self.surplus.clone(),
            labels: Vec::new(),
            births,
            pending,
            enabled_at_end: renamed(&self.enabled_at_end),
            left_script_at: self.left_script_at,
            watched: self.watched.iter().copied().filter(is_known).map(object).collect(),
            families: Vec::new(),
            end,
        }
    }

    /// Every object some event names, ascending.
    #[must_use]
    pub fn objects(&self) -> Vec<ObjId> {
        let mut objects: Vec<ObjId> = self.events.iter().flat_map(|event| [event.op.obj, event.op.obj2]).collect();
        objects.retain(|obj| !obj.is_none());
        objects.sort_unstable();
        objects.dedup();
        objects
    }
}
