//! Threads that the kernel does not know: a stack and a control block each.
//!
//! What belongs to a thread is found by its name, so the same thread of the
//! program has the same addresses in every execution. Memory is mapped when a
//! thread of that name first appears and kept.

use std::ops::Range;

use burnside_stateless::ThreadId;

use crate::context::{self, Call, Context};
use crate::sys;
use crate::tls::{Slot, Template};

/// Reserved for each stack; pages appear when they are touched.
const STACK_BYTES: usize = 8 << 20;
const PAGE: usize = 4096;

/// The places of all user-level threads seen so far.
pub(crate) struct UserThreads {
    template: Template,
    /// By thread; the first thread has the process's own stack and block.
    places: Vec<Option<Place>>,
    /// Where the first thread's stack begins.
    main_stack: *mut u8,
    main_pointer: usize,
}

struct Place {
    stack: *mut u8,
    slot: Slot,
}

/// A thread that is about to begin.
pub(crate) struct Started {
    pub(crate) context: Context,
    /// Its thread pointer.
    pub(crate) pointer: usize,
    /// Has nobody run on this stack before?
    pub(crate) is_fresh: bool,
}

impl UserThreads {
    /// Prepares for user-level threads. `main_stack` is where the program's
    /// `main` will run. `None` when this machine or C library does not allow it.
    pub(crate) fn new(main_stack: *mut u8) -> Option<UserThreads> {
        if !context::can_set_thread_pointer() {
            return None;
        }
        let template = Template::new()?;
        let main_pointer = context::thread_pointer();
        Some(UserThreads { template, places: Vec::new(), main_stack, main_pointer })
    }

    /// A suspended computation that will make `call` as the first thread.
    ///
    /// # Safety
    ///
    /// The first thread's stack must not be in use below its beginning, and
    /// `call` must be sound to make.
    pub(crate) unsafe fn first(&self, call: &Call) -> Context {
        // SAFETY: passed on from the caller.
        unsafe { Context::new(self.main_stack, self.main_pointer, call) }
    }

    /// A suspended computation that will make `call` as a fresh `thread`.
    ///
    /// # Safety
    ///
    /// No computation of a thread of this name may be alive, and `call` must
    /// be sound to make.
    pub(crate) unsafe fn start(&mut self, thread: ThreadId, call: &Call) -> Started {
        let index = thread.index();
        if self.places.len() <= index {
            self.places.resize_with(index + 1, || None);
        }
        let template = &self.template;
        let is_fresh = self.places[index].is_none();
        let place = self.places[index].get_or_insert_with(|| Place { stack: map_stack(), slot: template.slot() });
        template.stamp(&place.slot);
        let pointer = place.slot.thread_pointer();
        let top = place.stack.wrapping_add(STACK_BYTES);
        // SAFETY: the stack is this thread's alone and its last computation is
        // over; the block has just been completed.
        let context = unsafe { Context::new(top, pointer, call) };
        Started { context, pointer, is_fresh }
    }

    /// Where the thread-local variables of `thread` are, unless it is the first.
    pub(crate) fn locals(&self, thread: ThreadId) -> Option<Range<usize>> {
        let place = self.places.get(thread.index())?.as_ref()?;
        Some(self.template.locals(&place.slot))
    }

    /// Where the first thread's stack begins.
    pub(crate) fn main_stack(&self) -> usize {
        self.main_stack.addr()
    }

    /// All stacks but the first thread's, with their guards.
    pub(crate) fn stacks(&self) -> Vec<Range<usize>> {
        let stacks = self.places.iter().flatten().map(|place| place.stack.addr());
        stacks.map(|stack| stack - PAGE..stack + STACK_BYTES).collect()
    }

    /// The stack of `thread`, unless it is the first.
    pub(crate) fn stack(&self, thread: ThreadId) -> Option<Range<usize>> {
        let place = self.places.get(thread.index())?.as_ref()?;
        Some(place.stack.addr()..place.stack.addr() + STACK_BYTES)
    }
}

fn map_stack() -> *mut u8 {
    let stack = sys::map(STACK_BYTES + PAGE, libc::MAP_PRIVATE);
    // SAFETY: the lowest page of a mapping just made.
    unsafe { sys::guard_page(stack) };
    stack.wrapping_add(PAGE)
}
