//! Threads that begin alike, and what tells them apart later.
//!
//! Two threads are twins if they were created before the first transition by
//! the same thread with the same routine, have written to nothing but their own
//! stack and thread-local storage, and wait before their first visible operation
//! with equal hands: stack, preserved registers, thread-local variables and
//! thread-specific values are equal, but for addresses inside the thread's own
//! stack and thread-local storage, which correspond. An argument that is in none
//! of these is forgotten. Exchanging the two then leaves the state of the
//! program as it is, except for their handles in the hands of others.
//!
//! SOUND: POSIX makes a handle an opaque value that can be compared for equality
//! and passed to functions. A program without a call that turns it into more
//! cannot tell which twin it has: [`Run::tell_apart`] notes `pthread_self` in a
//! thread that was created (only by comparing with it a handle means anything),
//! `gettid`, and questions whether a thread has ended; [`Run::check_joins`] notes
//! results of twins that are taken and not all null, and joins of some twins but
//! not the others before the joiner does something else. The state before the
//! first transition is the same in all executions, so it is compared once, while
//! the stacks are fresh: later they hold remains of earlier executions. What
//! remains to be assumed is that the program does not use addresses as numbers.

use std::ops::Range;

use burnside_stateless::{Cursor, End, Kind, ThreadId};
use burnside_wire::Report;

use super::blocks::{self, Claim};
use super::{Run, with};
use crate::arena;
use crate::backtrace::{self, Holding};
use crate::context;
use crate::snapshot::Print;

const WORD: usize = size_of::<usize>();

/// The private parts of a thread: where they are, and what they begin with.
pub(super) struct Hands {
    holding: Holding,
    stack: Range<usize>,
    locals: Range<usize>,
    /// What it was given, if that is a block of the heap that it may have for itself.
    block: Range<usize>,
}

/// Why a thread is no twin of another with the same routine.
#[derive(Default)]
pub(super) struct Unlike {
    why: String,
    /// An address that belongs to it, or 0.
    address: usize,
    /// Where the thread was created.
    created_at: Vec<u64>,
}

impl Unlike {
    pub(super) fn tell(&self, report: &mut Report) {
        report.unlike.clone_from(&self.why);
        report.unlike_at = self.address as u64;
        report.unlike_from.clone_from(&self.created_at);
    }
}

/// Notes what the running thread has in its hands before its first operation.
pub(super) fn note_holding() {
    let Some(own) = with(|run| run.own_code_if_fresh()) else { return };
    let holding = backtrace::holding(&own);
    with(|run| run.me().holding = holding);
}

/// Takes note of the memory that `thread`, which is about to begin, could write to. What our own frames hold on the
/// stack of the thread that creates it changes all the time.
pub(super) fn print_before(thread: ThreadId) {
    if !with(|run| run.is_to_be_compared(thread)) {
        with(|run| run.before_start = None);
        return;
    }
    let created_at = backtrace::capture();
    let own = with(|run| {
        run.thread(thread).created_at = created_at;
        run.own_code.clone()
    });
    let frames = backtrace::holding(&own).map_or(usize::MAX, |holding| holding.stack);
    with(|run| run.print(frames));
}

impl Run {
    fn own_code_if_fresh(&mut self) -> Option<Range<usize>> {
        let first = self.me().starter.is_some() && self.me().is_fresh;
        let early = self.cursor.as_ref().is_some_and(|cursor| cursor.depth() == 0);
        (first && early).then(|| self.own_code.clone())
    }

    fn is_to_be_compared(&mut self, thread: ThreadId) -> bool {
        let early = self.cursor.as_ref().is_some_and(|cursor| cursor.depth() == 0);
        early && self.thread(thread).is_fresh
    }

    fn print(&mut self, frames: usize) {
        let user = self.user.as_ref().expect("only user-level threads are compared");
        let mut own = user.stacks();
        own.push(arena::range());
        own.extend(self.controller_stack());
        let top = match self.current == ThreadId::MAIN {
            true => frames,
            false => self.thread(ThreadId::MAIN).context_top(),
        };
        self.before_start = Some(Print::take(top, &own));
    }

    /// Looks for a twin of `thread`, which has just come to its first operation.
    pub(super) fn find_twin(&mut self, thread: ThreadId) {
        let written = self.before_start.take().and_then(|before| before.difference());
        if self.thread(thread).holding.is_none() {
            return;
        }
        if self.twins.len() <= thread.index() {
            self.twins.resize(thread.index() + 1, None);
        }
        if let Some(address) = written {
            self.twins[thread.index()] = Some(thread);
            self.thread(thread).has_published = true;
            self.differ(thread, format!("thread {thread} writes before its first operation, to"), address);
            return;
        }
        let others: Vec<ThreadId> = (1..thread.index()).map(ThreadId::from).collect();
        self.twins[thread.index()] = Some(thread);
        for other in others {
            match self.are_twins(other, thread) {
                Ok(None) => {
                    self.twins[thread.index()] = self.twins[other.index()].or(Some(thread));
                    return;
                }
                Ok(Some(blocks)) => {
                    self.claims.push(Claim { thread, twin: other, blocks });
                    return;
                }
                Err(why) => self.differ(thread, why, 0),
            }
        }
    }

    /// Notes why a thread is no twin of another with the same routine.
    pub(super) fn differ(&mut self, thread: ThreadId, why: String, address: usize) {
        let routine = self.thread(thread).start.routine;
        let has_like = self.threads.iter().flatten().any(|other| other.id != thread && other.start.routine == routine);
        if !why.is_empty() && self.unlike.why.is_empty() && (has_like || address != 0) {
            let created_at = self.thread(thread).created_at.clone();
            self.unlike = Unlike { why, address, created_at };
        }
    }

    /// Are the two twins, perhaps only if these blocks are their own? If not, why; empty if nobody would expect it.
    fn are_twins(&self, a: ThreadId, b: ThreadId) -> Result<Option<[Range<usize>; 2]>, String> {
        let known = |thread: ThreadId| self.threads.get(thread.index()).and_then(Option::as_ref);
        let (Some(first), Some(second)) = (known(a), known(b)) else { return Err(String::new()) };
        if first.start.routine != second.start.routine || first.parent != second.parent {
            return Err(String::new());
        }
        if first.has_published {
            return Err(String::new());
        }
        if first.values != second.values || first.clock_ns != second.clock_ns {
            return Err(format!("threads {a} and {b} begin with other thread-specific values or at another time"));
        }
        let arguments = (first.start.argument, second.start.argument);
        let (Some(mut one), Some(mut two)) = (self.hands(a), self.hands(b)) else { return Err(String::new()) };
        let blocks = [arguments.0, arguments.1].map(|argument| blocks::block_at(argument as usize));
        let mut claimed = None;
        if let ([Some(first), Some(second)], true) = (&blocks, arguments.0 != arguments.1)
            && first.len() == second.len()
        {
            (one.block, two.block) = (first.clone(), second.clone());
            claimed = Some([first.clone(), second.clone()]);
        }
        match one.difference(&two) {
            None => Ok(claimed),
            Some((x, y)) if (x as u64, y as u64) == arguments => {
                Err(format!("threads {a} and {b} hold their arguments, {x:#x} and {y:#x}, which may tell them apart"))
            }
            Some((x, y)) => Err(format!("threads {a} and {b} hold {x:#x} and {y:#x} before their first operation")),
        }
    }

    /// Do twins stay indistinguishable in how they are waited for?
    pub(super) fn check_joins(&mut self, report: &mut Report, cursor: &Cursor, end: &End) {
        let has_twins = self.twins.iter().enumerate().any(|(at, twin)| twin.is_some_and(|twin| twin.index() != at));
        if !has_twins || !report.told_apart.is_empty() {
            return;
        }
        let twin = |thread: ThreadId| self.twins.get(thread.index()).copied().flatten();
        let family = |of: ThreadId| -> Vec<ThreadId> {
            let first = twin(of);
            let all = (1..self.twins.len()).map(ThreadId::from);
            all.filter(|other| first.is_some() && twin(*other) == first).collect()
        };
        if self.has_taken_results {
            let finished = self.threads.iter().flatten().filter(|thread| thread.is_over && thread.result != 0);
            if finished.map(|thread| family(thread.id)).any(|family| family.len() > 1) {
                report.told_apart = "results of threads that began alike are taken".to_owned();
                return;
            }
        }
        // Who has begun to wait for a family and not finished, and who is still to be waited for.
        let mut open: Vec<(ThreadId, Vec<ThreadId>)> = Vec::new();
        for event in cursor.events() {
            let target = if event.op.kind == Kind::Join { event.op.target() } else { None };
            let at = open.iter().position(|(joiner, _)| *joiner == event.thread);
            match (target, at) {
                (Some(target), Some(at)) if open[at].1.contains(&target) => {
                    open[at].1.retain(|thread| *thread != target);
                    if open[at].1.is_empty() {
                        open.swap_remove(at);
                    }
                }
                (_, Some(_)) => {
                    report.told_apart =
                        format!("thread {} waits for one of several threads that began alike", event.thread);
                    return;
                }
                (Some(target), None) => {
                    let mut rest = family(target);
                    rest.retain(|thread| *thread != target);
                    if !rest.is_empty() {
                        open.push((event.thread, rest));
                    }
                }
                (None, None) => {}
            }
        }
        let is_waiting = |(joiner, rest): &&(ThreadId, Vec<ThreadId>)| {
            let pending = self.pending.get(joiner.index());
            pending.is_some_and(|op| op.kind == Kind::Join && op.target().is_some_and(|target| rest.contains(&target)))
        };
        if let (Some((joiner, _)), false) =
            (open.iter().find(|open| !is_waiting(open)), matches!(end, End::Cut(_) | End::Failed(_)))
        {
            report.told_apart = format!("thread {joiner} waits for one of several threads that began alike");
        }
    }

    pub(super) fn hands(&self, thread: ThreadId) -> Option<Hands> {
        let known = self.threads.get(thread.index())?.as_ref()?;
        let holding = known.holding?;
        let locals = self.user.as_ref()?.locals(thread)?;
        Some(Hands { holding, stack: holding.stack..known.stack_base, locals, block: 0..0 })
    }

    /// The handle of the running thread, for itself.
    pub(crate) fn ask_who(&mut self) -> usize {
        if self.current != ThreadId::MAIN {
            self.tell_apart("asks which thread it is");
        }
        context::thread_pointer()
    }

    /// The program does something by which twins could be told apart.
    pub(crate) fn tell_apart(&mut self, how: &str) {
        if self.report.told_apart.is_empty() {
            self.report.told_apart = format!("thread {} {how}", self.current);
        }
    }
}

impl Hands {
    /// Two values that differ and are not places in their own memory that correspond.
    fn difference(&self, other: &Hands) -> Option<(usize, usize)> {
        if self.stack.len() != other.stack.len() {
            return Some((self.stack.len(), other.stack.len()));
        }
        let mut pairs = self.words().zip(other.words());
        pairs.find(|(a, b)| a != b && (self.place(*a).is_none() || self.place(*a) != other.place(*b)))
    }

    /// Everything the thread has in its hands.
    fn words(&self) -> impl Iterator<Item = usize> + use<> {
        let registers = self.holding.registers.into_iter();
        registers.chain(words(&self.stack)).chain(words(&self.locals)).chain(words(&self.block))
    }

    /// Where it has a word that `is_wanted`; about where, if it is in a register.
    pub(super) fn find(&self, is_wanted: &dyn Fn(usize) -> bool) -> Option<usize> {
        self.words().any(is_wanted).then_some(self.holding.stack)
    }

    /// Where in the thread's own memory `address` is, if it is in it: counted
    /// from the ends that do not depend on how deep the stack is.
    fn place(&self, address: usize) -> Option<(usize, usize)> {
        let parts = [&self.stack, &self.locals, &self.block];
        let at = parts.iter().position(|part| !part.is_empty() && (part.start..=part.end).contains(&address))?;
        Some((at, parts[at].end - address))
    }
}

fn words(range: &Range<usize>) -> impl Iterator<Item = usize> + use<> {
    range.clone().step_by(WORD).map(|at| {
        // SAFETY: both ranges are aligned, mapped and belong to a thread that
        // is suspended.
        unsafe { (at as *const usize).read() }
    })
}
