//! Persistent sets: enough of the enabled threads.
//!
//! A set of enabled transitions is persistent if nothing the other threads can do before one of them runs is dependent
//! with it (Godefroid, LNCS 1032, Def. 4.1). That is a statement about futures, so each rule says what it knows of them.

use crate::op::{Kind, Op, ThreadId};
use crate::relation::dependent;
use crate::set::ThreadSet;
use crate::trace::Event;

/// How to find a persistent set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Persistent {
    /// A pending release is persistent by itself; otherwise all enabled threads are taken.
    ///
    /// Only for programs whose mutexes and semaphores are used as plain locks: initial value one, released by the
    /// holder, never tried.
    Releases,
    /// The operations each thread will execute, in order, whatever the others do.
    Futures(Vec<Vec<Op>>),
}

impl Persistent {
    /// A persistent set in the state with these enabled threads and pending operations, reached by `events`.
    #[must_use]
    pub fn set(&self, enabled: &ThreadSet, pending: &[Op], events: &[Event]) -> ThreadSet {
        let found = match self {
            Self::Releases => release(enabled, pending),
            Self::Futures(futures) => smallest_closed(enabled, futures, events),
        };
        found.unwrap_or_else(|| enabled.clone())
    }
}

// SOUND: while a lock-like object waits for its release its value is zero, so every acquisition is disabled, and no
// other thread may release it: until this transition runs nothing dependent with it can.
fn release(enabled: &ThreadSet, pending: &[Op]) -> Option<ThreadSet> {
    let is_release =
        |thread: &ThreadId| matches!(pending[thread.index()].kind, Kind::SemPost | Kind::SysvPost | Kind::MutexUnlock);
    enabled.iter().find(is_release).map(|thread| [thread].into_iter().collect())
}

/// The smallest of the sets obtained by starting from one enabled thread and adding every thread with some future
/// operation dependent with the next operation of a member.
fn smallest_closed(enabled: &ThreadSet, futures: &[Vec<Op>], events: &[Event]) -> Option<ThreadSet> {
    let mut n_done = vec![0; futures.len()];
    for event in events {
        n_done[event.thread.index()] += 1;
    }
    let rest = |thread: usize| futures[thread].get(n_done[thread]..).unwrap_or(&[]);
    enabled.iter().filter_map(|seed| closed(seed, enabled, futures.len(), &rest)).min_by_key(ThreadSet::len)
}

// SOUND: a thread outside the result has no future operation dependent with the next one of a member, so whatever
// the outsiders execute is independent of the members' transitions; a thread that would have to be added but is
// blocked makes the set unusable (its enabling may come from outside), which gives up on this seed.
fn closed<'a>(
    seed: ThreadId,
    enabled: &ThreadSet,
    n_threads: usize,
    rest: &impl Fn(usize) -> &'a [Op],
) -> Option<ThreadSet> {
    let mut set: ThreadSet = [seed].into_iter().collect();
    let mut work = vec![seed];
    while let Some(member) = work.pop() {
        let next = rest(member.index()).first()?;
        for other in (0..n_threads).map(ThreadId::from).filter(|other| *other != member) {
            let clashes = rest(other.index()).iter().any(|op| dependent(member, next, other, op));
            if clashes && !set.contains(other) {
                if !enabled.contains(other) {
                    return None;
                }
                set.insert(other);
                work.push(other);
            }
        }
    }
    Some(set)
}
