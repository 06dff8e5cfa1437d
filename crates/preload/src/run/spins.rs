//! Threads that wait by looking again and again.
//!
//! A thread that reads the same cells over and over, doing nothing else, is in
//! the same state each time it comes round: same registers, same stack, nothing
//! written. Until somebody writes one of the cells it reads, it will go on
//! like that, so it need not be executed: its next read is disabled.
//!
//! SOUND: with memory watched every access to anything but its own stack is a
//! visible operation, and its own stack and registers are compared. Two equal
//! states with only reads, yields and sleeps in between lead to the same reads
//! again, as long as what they read is the same. Where a whole search depends on
//! it, the first time round is explored in every order as any other read.
//!
//! Reads of a thread's own stack are no operations, so a thread that waits for one of its own variables comes to none.
//! After many such reads its state is looked at, too: where it is in the same state again, what it reads becomes visible.

use burnside_stateless::{Kind, ObjId, Op};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

use super::{Run, watches_memory, with};
use crate::backtrace;

/// Loops with more reads than this are not recognised.
const MAX_READS: usize = 16;
/// So many reads of its own stack a thread makes before anybody asks whether it waits there. PERF: looking at the state
/// takes as long as some thousand reads.
const MIN_OWN_READS: u64 = 1 << 14;
/// How often a state is then compared, until another one is kept.
const MAX_COMPARISONS: u64 = 64;

/// What a thread has done since it last did something that counts.
#[derive(Default)]
pub(crate) struct Streak {
    /// Its reads, each with the state it was in before. Emptied when one of what was read is written.
    reads: Vec<(Op, u64)>,
    own: OwnReads,
}

/// What a thread has read of its own stack, where nobody sees it, since its last operation.
#[derive(Default)]
struct OwnReads {
    number: u64,
    /// The cell that is looked at, the state the thread was in when it read it, and how many have been compared with that.
    looked_at: Option<(usize, u64, u64)>,
    /// Cells that it also writes, so it is not for these that it waits.
    written: Vec<usize>,
}

impl OwnReads {
    fn are_many(&self) -> bool {
        self.number >= MIN_OWN_READS
    }

    /// Is this a read to look at from now on?
    ///
    /// Another one is taken when the number of reads has doubled, so that loops are found whatever came before them.
    fn takes(&mut self, address: usize) -> bool {
        if self.number.is_power_of_two() {
            self.written.clear();
            self.looked_at = None;
        }
        self.looked_at.is_none() && self.written.len() < MAX_READS && !self.written.contains(&address)
    }
}

/// Notes that the running thread is about to execute `op`.
pub(super) fn look(op: &Op) {
    if !watches_memory() {
        return;
    }
    with(|run| run.me().streak.own.number = 0);
    match op.kind {
        Kind::Read | Kind::Rmw => {}
        Kind::Yield | Kind::Sleep => return,
        _ => {
            with(|run| run.me().streak.reads.clear());
            return;
        }
    }
    // PERF: the state is looked at only if the thread has read this before.
    let known = with(|run| run.me().streak.reads.iter().any(|(read, _)| read == op));
    let state = if known { state_of_caller() } else { 0 };
    with(|run| run.note_read(*op, state));
}

/// Notes that the running thread reads a cell of its own stack that nobody else is known to use. Does it wait for it?
/// Then the cell is visible from now on.
pub(crate) fn waits_for_own(address: usize) -> bool {
    let (is_new, before) = with(|run| {
        let own = &mut run.me().streak.own;
        own.number += 1;
        if !own.are_many() {
            return (false, None);
        }
        (own.takes(address), own.looked_at.filter(|(cell, _, n)| *cell == address && *n < MAX_COMPARISONS))
    });
    let known = before.map_or(0, |(_, state, _)| state);
    if !is_new && before.is_none() {
        return false;
    }
    let state = state_of_caller();
    let waits = state != 0 && state == known;
    with(|run| {
        let n_compared = before.map_or(0, |(_, _, n)| n + 1);
        run.me().streak.own.looked_at = Some((address, if is_new { state } else { known }, n_compared));
        if waits {
            run.escape(address);
        }
    });
    waits
}

/// Notes that the running thread writes a cell of its own stack that nobody else is known to use.
pub(crate) fn writes_own(address: usize) {
    with(|run| {
        let own = &mut run.me().streak.own;
        if own.are_many() && own.looked_at.is_some_and(|(cell, ..)| cell == address) {
            own.written.push(address);
            own.looked_at = None;
        }
    });
}

/// A number for everything the program holds in the running thread.
fn state_of_caller() -> u64 {
    let own = with(|run| run.own_code.clone());
    let Some(holding) = backtrace::holding(&own) else { return 0 };
    let base = with(|run| run.me().stack_base);
    let mut hasher = FxHasher::default();
    holding.registers.hash(&mut hasher);
    (holding.stack, holding.address).hash(&mut hasher);
    for at in (holding.stack..base).step_by(size_of::<usize>()) {
        // SAFETY: the live part of the running thread's own stack.
        unsafe { (at as *const usize).read_volatile() }.hash(&mut hasher);
    }
    hasher.finish() | 1
}

impl Run {
    /// These bytes of cell `obj` have been, or are about to be, changed by the running thread.
    pub(crate) fn changed(&mut self, obj: ObjId, bytes: u8) {
        self.me().streak.reads.clear();
        self.objects.written(obj, bytes);
        for thread in self.threads.iter_mut().flatten() {
            if thread.streak.reads.iter().any(|(read, _)| read.obj == obj && read.bytes() & bytes != 0) {
                thread.streak.reads.clear();
            }
        }
    }

    fn note_read(&mut self, op: Op, state: u64) {
        let streak = &mut self.me().streak;
        let before = streak.reads.iter().rposition(|(read, known)| *read == op && *known == state && state != 0);
        if let Some(before) = before {
            let cells = streak.reads[before..].iter().map(|(read, _)| (read.obj, read.bytes())).collect();
            streak.reads.truncate(before);
            streak.reads.push((op, state));
            let me = self.current;
            self.objects.spin(me, cells);
            return;
        }
        if streak.reads.len() >= MAX_READS {
            streak.reads.clear();
        }
        streak.reads.push((op, state));
    }
}
