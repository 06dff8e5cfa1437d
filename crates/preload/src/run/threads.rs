//! Threads and processes of the program: birth, death, and passing control.

use std::ffi::{c_int, c_void};

use burnside_stateless::{FailureKind, Kind, Op, ThreadId};
use burnside_wire::{Executor, Reply, Start};

use super::{Phase, Run, decide, fail, perform, stacks, with};
use crate::backtrace::{self, Holding};
use crate::context::{self, Call, Context};
use crate::hooks;
use crate::signals;
use crate::snapshot;
use crate::sys::{self, Baton};
use crate::worker;

/// The status of a Rust program whose first thread has panicked.
const RUST_PANIC: c_int = 101;

/// One thread of the program, or the first thread of one of its processes.
pub(crate) struct Thread {
    pub(crate) id: ThreadId,
    /// What the program calls it: a `pthread_t`, or a process id.
    pub(crate) handle: usize,
    /// Which process of the program it belongs to; 0 is the first.
    pub(crate) process: usize,
    pub(crate) start: Start,
    /// Who waits for it to reach its first visible operation.
    pub(crate) starter: Option<ThreadId>,
    /// What its start routine returned.
    pub(crate) result: usize,
    /// The program's frames on its stack lie below this address.
    pub(crate) stack_base: usize,
    /// Its stack ends at this address, if that was asked for.
    pub(super) stack_end: usize,
    /// Who created it.
    pub(super) parent: ThreadId,
    /// Has nobody run on its stack before?
    pub(super) is_fresh: bool,
    /// What it had in its hands before its first operation, if that was noted.
    pub(super) holding: Option<Holding>,
    /// How often it has woken from a condition without a signal.
    pub(crate) n_spurious: u32,
    /// Somebody has waited for it, if it is a process.
    pub(crate) is_reaped: bool,
    /// It has returned, or has called `exit`.
    pub(crate) is_over: bool,
    /// Thread-specific values, by key.
    pub(crate) values: Vec<*mut c_void>,
    /// The thread's own time, in nanoseconds since the execution began.
    pub(crate) clock_ns: u64,
    /// The stack at its pending operation, if that was asked for.
    pub(crate) site: Vec<u64>,
    /// Where it is suspended, with user-level threads.
    context: Context,
    /// What it waits for, with threads of the kernel.
    baton: Baton,
    /// Its number in the kernel, with threads of the kernel.
    pub(crate) kernel_id: i32,
}

impl Thread {
    /// The thread that runs `main`.
    pub(super) fn first() -> Thread {
        Thread {
            id: ThreadId::MAIN,
            handle: context::thread_pointer(),
            process: 0,
            start: Start::default(),
            starter: None,
            result: 0,
            stack_base: 0,
            stack_end: 0,
            parent: ThreadId::MAIN,
            is_fresh: false,
            holding: None,
            n_spurious: 0,
            is_reaped: false,
            is_over: false,
            values: Vec::new(),
            clock_ns: 0,
            site: Vec::new(),
            context: Context::empty(),
            baton: Baton::default(),
            kernel_id: 0,
        }
    }
}

/// `pthread_create`: a new thread that runs `routine(argument)`, brought to its
/// first visible operation. Its handle is written before it starts.
///
/// # Safety
///
/// `handle` must be valid for a write, `attributes` null or valid, and
/// `routine` sound to call with `argument` in a new thread.
pub(crate) unsafe fn spawn(handle: *mut usize, attributes: *const c_void, routine: usize, argument: usize) -> c_int {
    if with(|run| run.phase == Phase::Loading) {
        worker::give_up("the program creates a thread before `main`");
    }
    let (me, id) =
        with(|run| (run.current, run.bear(Start { routine: routine as u64, argument: argument as u64, twin: None })));
    if with(|run| run.executor == Executor::Threads) {
        // SAFETY: passed on from the caller.
        return unsafe { spawn_in_kernel(me, id, handle, attributes) };
    }
    let call = Call { function: routine, arguments: [argument, 0, 0], then: thread_returned };
    with(|run| {
        let user = run.user.as_mut().expect("this executor has user-level threads");
        // SAFETY: names are given once in an execution, so no thread of this
        // name is alive; the caller vouches for the call.
        let started = unsafe { user.start(id, &call) };
        let thread = run.thread(id);
        thread.context = started.context;
        thread.handle = started.pointer;
        thread.stack_base = started.context.first_frame();
        thread.is_fresh = started.is_fresh;
        // SAFETY: the caller's place for the handle.
        unsafe { handle.write(started.pointer) };
    });
    transfer(me, id);
    with(|run| run.find_twin(id));
    0
}

type RealCreate = unsafe extern "C" fn(*mut usize, *const c_void, extern "C" fn(usize) -> usize, usize) -> c_int;

/// # Safety
///
/// As for [`spawn`].
unsafe fn spawn_in_kernel(me: ThreadId, id: ThreadId, handle: *mut usize, attributes: *const c_void) -> c_int {
    let create = crate::real::real!(pthread_create: RealCreate);
    let baton: *const Baton = with(|run| {
        run.current = id;
        &raw const run.thread(me).baton
    });
    // SAFETY: the caller's handle and attributes; the entry takes a name.
    let error = unsafe { create(handle, attributes, kernel_thread, id.index()) };
    if error != 0 {
        worker::give_up(&format!("the kernel refuses a thread (error {error})"));
    }
    // SAFETY: threads live as long as the execution. From the creation until
    // the baton comes back only the new thread uses the shared state.
    unsafe { (*baton).take() };
    lend_stack(me);
    0
}

extern "C" fn kernel_thread(id: usize) -> usize {
    signals::prepare_thread();
    let stack_end = if stacks::watches_memory() { snapshot::mapping_start(context::stack_pointer()) } else { 0 };
    let (start, stack_base) = with(|run| {
        let thread = run.thread(ThreadId::from(id));
        thread.handle = context::thread_pointer();
        thread.kernel_id = sys::kernel_thread_id();
        thread.stack_end = stack_end;
        (thread.start, &raw mut thread.stack_base)
    });
    // SAFETY: the program passed this routine to `pthread_create`; threads are
    // boxed and live as long as the execution.
    let result = unsafe { context::call(start.routine as usize, start.argument as usize, 0, 0, stack_base) };
    finish_thread(result)
}

extern "C" fn thread_returned(result: usize) -> ! {
    finish_thread(result)
}

extern "C" fn main_returned(status: usize) -> ! {
    exit_process(status as c_int)
}

/// The program's `main` and what the kernel passed to it.
#[derive(Clone, Copy)]
pub(crate) struct Main {
    pub(crate) function: usize,
    pub(crate) arguments: [usize; 3],
}

/// Executes `main` on the process's own stack, in a thread of the kernel.
pub(crate) fn run_main_in_kernel(main: Main) -> ! {
    let [argc, argv, envp] = main.arguments;
    let stack_base = with(|run| {
        let first = run.me();
        first.kernel_id = sys::kernel_thread_id();
        &raw mut first.stack_base
    });
    // SAFETY: the program's own `main`, called with the arguments meant for it;
    // threads are boxed and live as long as the execution.
    let status = unsafe { context::call(main.function, argc, argv, envp, stack_base) };
    exit_process(status as c_int)
}

/// Executes `main` in a user-level thread; returns when the execution is over.
///
/// The caller must run on a stack of its own.
pub(crate) fn run_main_suspended(main: Main) {
    let call = Call { function: main.function, arguments: main.arguments, then: main_returned };
    let (controller, first) = with(|run| {
        let user = run.user.as_ref().expect("this executor has user-level threads");
        // SAFETY: the caller is not on the first thread's stack, and no
        // execution is going on.
        let context = unsafe { user.first(&call) };
        let first = run.thread(ThreadId::MAIN);
        first.context = context;
        first.stack_base = context.first_frame();
        let first = &raw const first.context;
        (&raw mut run.controller, first)
    });
    // SAFETY: the first thread has just been made ready; the controller is
    // resumed by `to_controller`.
    unsafe { context::switch(controller, first) };
}

/// `pthread_exit`, or a return from the start routine.
pub(crate) fn finish_thread(result: usize) -> ! {
    hooks::run_thread_destructors();
    with(|run| {
        let me = run.current;
        run.me().result = result;
        run.objects.finish(me);
    });
    no_more_operations()
}

/// `exit`, or a return from `main`: this thread is done, and when the others
/// of its process can do nothing more they are gone with it.
pub(crate) fn exit_process(status: c_int) -> ! {
    if with(|run| run.phase == Phase::Loading) {
        worker::give_up("the program ends before `main`");
    }
    if status == RUST_PANIC && with(|run| run.me().process == 0) {
        fail(FailureKind::Panic, format!("the program ended with status {RUST_PANIC}, as after a panic in Rust"));
    }
    with(|run| {
        let process = run.me().process;
        run.exited[process] = true;
        if process != 0 {
            let first = run.threads.iter_mut().flatten().find(|thread| thread.process == process);
            let first = first.expect("a process has a first thread");
            first.result = status as usize;
            run.objects.finish(first.id);
        }
    });
    no_more_operations()
}

/// The running thread does nothing visible any more.
fn no_more_operations() -> ! {
    let (me, starter) = with(|run| {
        run.me().is_over = true;
        run.pending[run.current.index()] = Op::NONE;
        (run.current, run.me().starter.take())
    });
    let next = match starter {
        Some(starter) => starter,
        None => decide(),
    };
    loop {
        transfer(me, next);
    }
}

/// `pthread_join`, or waiting for a process: the thread's result, or an error.
pub(crate) fn join(handle: usize) -> Result<usize, c_int> {
    let target = with(|run| run.by_handle(handle)).ok_or(libc::ESRCH)?;
    if target == with(|run| run.current) {
        return Err(libc::EDEADLK);
    }
    perform(Op::thread(Kind::Join, target));
    Ok(with(|run| {
        let (result, clock) = {
            let target = run.thread(target);
            (target.result, target.clock_ns)
        };
        let me = run.me();
        me.clock_ns = me.clock_ns.max(clock);
        result
    }))
}

/// `fork`: a new process of the program, brought to its first visible
/// operation. 0 in it, its process id in the caller.
pub(crate) fn fork() -> c_int {
    if with(|run| run.phase == Phase::Loading) {
        worker::give_up("the program forks before `main`");
    }
    if with(|run| run.executor != Executor::Threads) {
        worker::answer(&Reply::Unsupported("the program forks".to_owned()));
        worker::leave_for_good()
    }
    let real_fork = crate::real::real!(fork: unsafe extern "C" fn() -> c_int);
    let (me, id) = with(|run| (run.current, run.bear(Start::default())));
    let baton: *const Baton = with(|run| {
        let process = run.exited.len();
        run.exited.push(false);
        let (values, stack_base, stack_end) = (run.me().values.clone(), run.me().stack_base, run.me().stack_end);
        let child = run.thread(id);
        child.stack_end = stack_end;
        child.process = process;
        child.values = values;
        child.stack_base = stack_base;
        run.current = id;
        &raw const run.thread(me).baton
    });
    // SAFETY: this executor runs every thread on its own stack with its own
    // control block, so the C library's `fork` is at home.
    let pid = unsafe { real_fork() };
    match pid {
        0 => {
            with(|run| {
                let child = run.me();
                child.handle = sys::process_id() as usize;
                child.kernel_id = sys::kernel_thread_id();
            });
            0
        }
        pid if pid > 0 => {
            // SAFETY: the state is shared and outlives the execution.
            unsafe { (*baton).take() };
            lend_stack(me);
            pid
        }
        _ => worker::give_up("the kernel refuses a process"),
    }
}

/// Suspends `from`, which is running, and resumes `to`. Returns when `from` is
/// resumed.
pub(super) fn transfer(from: ThreadId, to: ThreadId) {
    if from != to {
        switch(from, to);
        lend_stack(from);
    }
}

/// A thread that was resumed for its stack walks it and goes back to sleep.
fn lend_stack(me: ThreadId) {
    while let Some(asker) = with(|run| run.asker.take()) {
        let stack = backtrace::capture();
        with(|run| run.note_stack(me, stack));
        switch(me, asker);
    }
}

fn switch(from: ThreadId, to: ThreadId) {
    let (executor, contexts, batons) = with(|run| {
        run.current = to;
        let executor = run.executor;
        let next = run.thread(to);
        let (next_context, next_baton) = (&raw const next.context, &raw const next.baton);
        let this = run.thread(from);
        (executor, (&raw mut this.context, next_context), (&raw const this.baton, next_baton))
    });
    if executor == Executor::Threads {
        // SAFETY: threads are boxed and live as long as the execution. After
        // the pass this thread touches nothing but its own baton.
        unsafe {
            (*batons.1).pass();
            (*batons.0).take();
        }
    } else {
        // SAFETY: `to` is suspended, since only one thread runs; both contexts
        // are boxed and live as long as the execution.
        unsafe { context::switch(contexts.0, contexts.1) };
    }
}

impl Run {
    /// The thread the program calls `handle`.
    pub(crate) fn by_handle(&self, handle: usize) -> Option<ThreadId> {
        self.threads.iter().flatten().find(|thread| thread.handle == handle).map(|thread| thread.id)
    }

    /// What `thread` returned, if it has.
    pub(crate) fn result_of(&mut self, thread: ThreadId) -> Option<usize> {
        let thread = self.thread(thread);
        thread.is_over.then_some(thread.result)
    }

    /// The process `pid` (-1: any) that nobody has waited for, to wait for now.
    pub(crate) fn take_child(&mut self, pid: c_int) -> Option<usize> {
        let own = self.me().process;
        let mut children = self.threads.iter_mut().flatten().filter(|thread| thread.process != own);
        let child = children.find(|thread| {
            !thread.is_reaped && thread.start == Start::default() && (pid < 0 || thread.handle == pid as usize)
        })?;
        child.is_reaped = true;
        Some(child.handle)
    }

    /// A new thread of the running thread.
    fn bear(&mut self, start: Start) -> ThreadId {
        let parent = self.current;
        let cursor = self.cursor.as_mut().expect("an execution is going on");
        let id = cursor.born(parent);
        let (process, clock_ns) = (self.me().process, self.me().clock_ns);
        if self.threads.len() <= id.index() {
            self.threads.resize_with(id.index() + 1, || None);
            self.pending.resize(id.index() + 1, Op::NONE);
        }
        let thread =
            Thread { id, handle: 0, process, start, parent, starter: Some(parent), clock_ns, ..Thread::first() };
        self.threads[id.index()] = Some(Box::new(thread));
        id
    }
}

/// Switches for good: to whoever waits for the end of the execution.
pub(crate) fn to_controller() -> ! {
    let (here, controller) = with(|run| (&raw mut run.me().context, &raw const run.controller));
    // SAFETY: the controller was suspended when the execution began.
    unsafe { context::switch(here, controller) };
    unreachable!("a finished execution is never resumed")
}
