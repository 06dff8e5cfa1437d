//! Who is unwinding, where all threads of the program are one to `std`.

use super::{Panics, RUN, Run, is_active, with};
use burnside_stateless::{Failure, FailureKind};

/// Whether the running thread is unwinding.
///
/// `std` counts panics per thread of the system, on which all threads of the program run, and one that unwinds may be
/// suspended in a destructor. As long as no other thread unwinds, `std` is right; then only those are believed to unwind
/// whose panic is not known to be over, which it is at the end of a thread and of [`crate::panic::catch_unwind`].
pub(crate) fn is_unwinding() -> bool {
    if !is_active() {
        return std::thread::panicking();
    }
    with(|run| {
        let me = run.current;
        let own = run.thread(me).n_panics;
        let others = run.n_unwinding - usize::from(own > 0);
        if others > 0 || run.panics_leaked {
            return own > 0;
        }
        let real = std::thread::panicking();
        if !real {
            run.set_panics(0);
        }
        real
    })
}

/// The panics of the running thread that are not known to be over.
pub(crate) fn n_panics() -> u32 {
    with(|run| {
        let me = run.current;
        run.thread(me).n_panics
    })
}

/// Notes that of the running thread's panics only so many are not over.
pub(crate) fn set_panics(n: u32) {
    with(|run| run.set_panics(n));
}

/// Notes a panic of the running thread; said by the panic hook. Says whether a run is under way.
pub(crate) fn note_panic(message: &str) -> bool {
    RUN.with(|run| {
        let Ok(mut run) = run.try_borrow_mut() else { return false };
        let Some(run) = run.as_mut() else { return false };
        run.panic_begins();
        if run.options().panics == Panics::Pass {
            message.clone_into(&mut run.last_panic);
        } else if run.failure.is_none() {
            let message = message.to_owned();
            run.failure = Some(Failure { kind: FailureKind::Panic, thread: run.current, message });
        }
        true
    })
}

impl Run {
    fn panic_begins(&mut self) {
        let me = self.current;
        let n = self.thread(me).n_panics;
        self.set_panics(n + 1);
    }

    fn set_panics(&mut self, n: u32) {
        let me = self.current;
        let before = std::mem::replace(&mut self.thread(me).n_panics, n);
        self.n_unwinding = self.n_unwinding + usize::from(n > 0) - usize::from(before > 0);
    }
}
