//! Threads that begin alike, and what tells them apart later.
//!
//! Two threads are twins if they were created before the first transition by
//! the same thread with the same routine and argument, and wait before their
//! first visible operation with equal hands: stack, preserved registers,
//! thread-local variables and thread-specific values are equal, but for
//! addresses inside the thread's own stack and thread-local storage, which
//! correspond. Exchanging the two then leaves the state of the program as it
//! is, except for their handles in the hands of others.
//!
//! SOUND: POSIX makes a handle an opaque value that can be compared for equality
//! and passed to functions. A program without a call that turns it into more
//! cannot tell which twin it has: [`Run::tell_apart`] notes `pthread_self` in a
//! thread that was created (only by comparing with it a handle means anything)
//! and results of joins that are not null. The state before the first
//! transition is the same in all executions, so it is compared once, while the
//! stacks are fresh: later they hold remains of earlier executions. What
//! remains to be assumed is that the program does not use addresses as numbers.

use std::ops::Range;

use burnside_stateless::ThreadId;

use super::{Run, with};
use crate::backtrace::{self, Holding};
use crate::context;

const WORD: usize = size_of::<usize>();

/// The private parts of a thread: where they are, and what they begin with.
struct Hands {
    holding: Holding,
    stack: Range<usize>,
    locals: Range<usize>,
}

/// Notes what the running thread has in its hands before its first operation.
pub(super) fn note_holding() {
    let Some(own) = with(|run| run.own_code_if_fresh()) else { return };
    let holding = backtrace::holding(&own);
    with(|run| run.me().holding = holding);
}

impl Run {
    fn own_code_if_fresh(&mut self) -> Option<Range<usize>> {
        let first = self.me().starter.is_some() && self.me().is_fresh;
        let early = self.cursor.as_ref().is_some_and(|cursor| cursor.depth() == 0);
        (first && early).then(|| self.own_code.clone())
    }

    /// Looks for a twin of `thread`, which has just come to its first operation.
    pub(super) fn find_twin(&mut self, thread: ThreadId) {
        if self.thread(thread).holding.is_none() {
            return;
        }
        let twin = (1..thread.index()).map(ThreadId::from).find(|other| self.are_twins(*other, thread));
        if self.twins.len() <= thread.index() {
            self.twins.resize(thread.index() + 1, None);
        }
        let first = twin.and_then(|twin| self.twins[twin.index()]);
        self.twins[thread.index()] = Some(first.unwrap_or(thread));
    }

    fn are_twins(&self, a: ThreadId, b: ThreadId) -> bool {
        let known = |thread: ThreadId| self.threads.get(thread.index()).and_then(Option::as_ref);
        let (Some(first), Some(second)) = (known(a), known(b)) else { return false };
        let same_start = first.start.routine == second.start.routine
            && first.start.argument == second.start.argument
            && first.parent == second.parent
            && first.values == second.values
            && first.clock_ns == second.clock_ns;
        let (Some(a), Some(b)) = (self.hands(a), self.hands(b)) else { return false };
        same_start && a.are_like(&b)
    }

    fn hands(&self, thread: ThreadId) -> Option<Hands> {
        let known = self.threads.get(thread.index())?.as_ref()?;
        let holding = known.holding?;
        let locals = self.user.as_ref()?.locals(thread)?;
        Some(Hands { holding, stack: holding.stack..known.stack_base, locals })
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
    fn are_like(&self, other: &Hands) -> bool {
        let own = self.holding.registers.iter().copied().chain(words(&self.stack)).chain(words(&self.locals));
        let others = other.holding.registers.iter().copied().chain(words(&other.stack)).chain(words(&other.locals));
        self.stack.len() == other.stack.len()
            && own.zip(others).all(|(a, b)| a == b || (self.place(a).is_some() && self.place(a) == other.place(b)))
    }

    /// Where in the thread's own memory `address` is, if it is in it: counted
    /// from the ends that do not depend on how deep the stack is.
    fn place(&self, address: usize) -> Option<(bool, usize)> {
        let on_stack = (self.stack.start..=self.stack.end).contains(&address);
        let local = (self.locals.start..=self.locals.end).contains(&address);
        match (on_stack, local) {
            (true, _) => Some((true, self.stack.end - address)),
            (false, true) => Some((false, self.locals.end - address)),
            (false, false) => None,
        }
    }
}

fn words(range: &Range<usize>) -> impl Iterator<Item = usize> + use<> {
    range.clone().step_by(WORD).map(|at| {
        // SAFETY: both ranges are aligned, mapped and belong to a thread that
        // is suspended.
        unsafe { (at as *const usize).read() }
    })
}
