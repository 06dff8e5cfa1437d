//! Threads that look at an object again and again until it changes.

use super::{Run, Spins, Thread, is_weak, with};
use burnside_stateless::{Kind, ObjId, Op, ThreadId};

/// Notes that the running thread is going to look again at what it looked at last.
pub(crate) fn yield_now() {
    with(|run| {
        let spins = run.options().spins;
        let me = run.current;
        let Some(obj) = run.thread(me).looked_at else { return };
        let n_before = run.thread(me).spins_on.take().map(|(before, n)| if before == obj { n } else { 0 });
        run.n_spinning += usize::from(n_before.is_none());
        let n = n_before.unwrap_or(0) + 1;
        let thread = run.thread(me);
        thread.spins_on = Some((obj, n));
        thread.held = match spins {
            Spins::Pure => true,
            Spins::AtMost(max) => n > max,
        };
    });
}

/// Notes that the last operation of the running thread, on `obj`, changed nothing.
pub(crate) fn only_looked(obj: ObjId) {
    with(|run| {
        let me = run.current;
        run.thread(me).looked_at = Some(obj);
    });
}

impl Run {
    // SOUND: a thread that is held back would look again and see the same. If that leaves nothing behind, a schedule that
    // lets it is a longer way to the same state; so the user promised, or the search is going to be inconclusive. If
    // nothing else can run it is let go on (see `release`).
    pub(super) fn hold_back(&mut self) {
        let mut any = false;
        for index in 0..self.pending.len() {
            let Some(Some(Thread { spins_on: Some((obj, _)), held: true, .. })) = self.threads.get(index) else {
                continue;
            };
            if self.pending[index].obj == *obj {
                // Under the weak model it may see something newer that is there already.
                if is_weak(self.pending[index].kind) && !self.ways[index].is_empty() {
                    self.held_back = true;
                    continue;
                }
                any |= self.enabled.remove(ThreadId::from(index));
            }
        }
        self.held_back |= any && !self.enabled.is_empty();
    }

    /// Lets threads that were held back go on; says whether there were any.
    pub(super) fn release(&mut self) -> bool {
        let mut any = false;
        for thread in self.threads.iter_mut().flatten() {
            any |= std::mem::take(&mut thread.held);
        }
        any
    }

    /// Whoever spins on an object that has changed looks afresh.
    pub(super) fn note_change(&mut self, by: ThreadId, op: &Op) {
        let only_looks = matches!(
            op.kind,
            Kind::Read | Kind::Load | Kind::OncePeek | Kind::Finished | Kind::SemValue | Kind::RefCount
        );
        for (index, thread) in self.threads.iter_mut().enumerate() {
            let Some(thread) = thread else { continue };
            let is_own = index == by.index();
            thread.held &= !is_own;
            let Some((obj, _)) = thread.spins_on else { continue };
            // A failed attempt counts as a look, so an operation of the thread's own on the object does not end the
            // spinning, unless the one before it turned out to be more than a look.
            let ends = if is_own {
                obj != op.obj || thread.looked_at.is_none()
            } else {
                !only_looks && (obj == op.obj || obj == op.obj2)
            };
            if ends {
                thread.spins_on = None;
                thread.held = false;
                self.n_spinning -= 1;
            }
        }
    }
}
