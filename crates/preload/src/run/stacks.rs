//! Which cells of the threads' stacks are visible.
//!
//! What a thread does to its own stack concerns nobody, until another thread
//! gets hold of an address there. An access to a stack that is not the running
//! thread's is always visible. If its cell is not among those watched, the
//! report says so ([`burnside_wire::Report::escaped`]), and the search begins
//! anew with that cell watched: then its own thread's accesses are visible too.
//!
//! SOUND: a search that ends without such a report has seen every access to
//! every cell that two threads access. Suppose some execution has a first
//! access to a cell of another's stack that is not watched. Up to there
//! everything that two threads share was visible, so the search has executed
//! an equivalent of that part, in which the access is the next operation of its
//! thread; it is noted when it is announced, whether or not it is executed.

use std::sync::atomic::{AtomicBool, Ordering};

use burnside_stateless::{ObjId, ThreadId};

use super::Run;
use super::threads::Thread;
use crate::context;

const CELL_BYTES: usize = 8;
/// The first thread's stack grows as needed; the kernel keeps at least this
/// much below its beginning free of other mappings.
const MAX_FIRST_STACK_BYTES: usize = 64 << 20;

/// Has the program been compiled to announce its memory accesses?
static WATCHES_MEMORY: AtomicBool = AtomicBool::new(false);

/// The program announces its memory accesses.
pub(crate) fn watch_memory() {
    WATCHES_MEMORY.store(true, Ordering::Relaxed);
}

/// Does the program announce its memory accesses?
pub(crate) fn watches_memory() -> bool {
    WATCHES_MEMORY.load(Ordering::Relaxed)
}

impl Run {
    /// The name of the cell at `address`, which the running thread is about to
    /// access; `None` if that concerns nobody else.
    pub(crate) fn visible_cell(&mut self, address: usize) -> Option<ObjId> {
        let (me, base) = (self.current, self.me().stack_base);
        if (context::stack_pointer()..base).contains(&address) {
            let any = !self.options.watched.is_empty() || !self.report.escaped.is_empty();
            let cell = any.then(|| cell(me, base, address));
            return cell.filter(|cell| self.is_watched(*cell) || self.report.escaped.contains(cell));
        }
        let Some((owner, base)) = self.owner_of(address) else { return Some(ObjId::at(address as u64)) };
        let cell = cell(owner, base, address);
        if owner != me && !self.is_watched(cell) && !self.report.escaped.contains(&cell) {
            self.report.escaped.push(cell);
        }
        Some(cell)
    }

    /// The running thread waits until somebody else writes the cell at `address`, which is on its own stack.
    pub(super) fn escape(&mut self, address: usize) {
        let cell = cell(self.current, self.me().stack_base, address);
        self.report.escaped.push(cell);
    }

    fn is_watched(&self, cell: ObjId) -> bool {
        self.options.watched.binary_search(&cell).is_ok()
    }

    /// The thread on whose stack `address` is, and where that stack begins.
    fn owner_of(&self, address: usize) -> Option<(ThreadId, usize)> {
        let process = self.threads[self.current.index()].as_ref()?.process;
        let mut threads = self.threads.iter().flatten().filter(|thread| thread.process == process);
        let owner = threads.find(|thread| (self.stack_end(thread)..thread.stack_base).contains(&address))?;
        Some((owner.id, owner.stack_base))
    }

    /// Where the stack of a thread ends, at its lowest address.
    fn stack_end(&self, thread: &Thread) -> usize {
        let user = self.user.as_ref().and_then(|user| user.stack(thread.id));
        match user {
            Some(stack) => stack.start,
            None if thread.stack_end != 0 => thread.stack_end,
            None => thread.stack_base.saturating_sub(MAX_FIRST_STACK_BYTES),
        }
    }
}

fn cell(owner: ThreadId, base: usize, address: usize) -> ObjId {
    ObjId::on_stack(owner, ((base - address) / CELL_BYTES) as u32)
}
