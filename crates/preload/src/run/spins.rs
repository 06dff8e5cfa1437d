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

use burnside_stateless::{Kind, ObjId, Op};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

use super::{Run, watches_memory, with};
use crate::backtrace;

/// Loops with more reads than this are not recognised.
const MAX_READS: usize = 16;

/// What a thread has done since it last did something that counts.
#[derive(Default)]
pub(crate) struct Streak {
    /// Its reads, each with the state it was in before. Emptied when one of what was read is written.
    reads: Vec<(Op, u64)>,
}

/// Notes that the running thread is about to execute `op`.
pub(super) fn look(op: &Op) {
    if !watches_memory() {
        return;
    }
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
