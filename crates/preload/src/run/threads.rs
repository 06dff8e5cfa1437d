//! Threads and processes of the program: birth, death, and passing control.

use std::ffi::{CStr, c_int, c_void};
use std::ptr;

use burnside_stateless::{Failure, FailureKind, Kind, ObjId, Op, ThreadId};
use burnside_wire::{Executor, Reply, Start};

use super::blocks;
use super::spins::Streak;
use super::{Phase, Run, decide, fail, perform, stacks, twins, with};
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
    /// Where it was created, if it may turn out to be unlike others: return addresses, innermost first.
    pub(super) created_at: Vec<u64>,
    /// Has nobody run on its stack before?
    pub(super) is_fresh: bool,
    /// Has it written to memory of others before its first operation?
    pub(super) has_published: bool,
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
    /// The processor time it has been told.
    pub(crate) processor_ns: u64,
    /// The stack at its pending operation, if that was asked for.
    pub(crate) site: Vec<u64>,
    /// Where it is suspended, with user-level threads.
    context: Context,
    /// What it waits for, with threads of the kernel.
    baton: Baton,
    /// Its number in the kernel, with threads of the kernel.
    pub(crate) kernel_id: i32,
    /// Is it the first thread of a process that was forked?
    pub(crate) is_process: bool,
    /// Has somebody joined it?
    is_joined: bool,
    /// Who waits, or has waited, for its end.
    joiner: Option<ThreadId>,
    is_detached: bool,
    /// Buffers of cleanup handlers in its frames, outermost first.
    pub(crate) cleanups: Vec<usize>,
    /// For the unwinder, when it leaves its frames.
    pub(crate) unwinding: hooks::Unwinding,
    /// Its signal mask, with user-level threads.
    pub(crate) mask: u64,
    name: Option<Box<CStr>>,
    /// What it has read since it last did something else.
    pub(super) streak: Streak,
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
            created_at: Vec::new(),
            is_fresh: false,
            has_published: false,
            holding: None,
            n_spurious: 0,
            is_reaped: false,
            is_over: false,
            values: Vec::new(),
            clock_ns: 0,
            processor_ns: 0,
            site: Vec::new(),
            context: Context::empty(),
            baton: Baton::default(),
            kernel_id: 0,
            is_process: false,
            is_joined: false,
            joiner: None,
            is_detached: false,
            cleanups: Vec::new(),
            unwinding: [0; 8],
            mask: 0,
            name: None,
            streak: Streak::default(),
        }
    }
}

impl Thread {
    /// Where its stack ends while it is suspended.
    pub(super) fn context_top(&self) -> usize {
        self.context.stack_top()
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
    let (me, id) = with(|run| {
        (run.current, run.bear(Start { routine: routine as u64, argument: argument as u64, ..Start::default() }))
    });
    if with(|run| run.options.details) {
        with(|run| run.thread(id).start.given = blocks::first_words(argument));
    }
    // SAFETY: passed on from the caller.
    let is_detached = unsafe { asks_for_detached(attributes) };
    with(|run| {
        run.thread(id).is_detached = is_detached;
        run.say_threaded();
    });
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
    twins::print_before(id);
    transfer(me, id);
    with(|run| run.find_twin(id));
    0
}

/// # Safety
///
/// `attributes` must be null or valid.
unsafe fn asks_for_detached(attributes: *const c_void) -> bool {
    type Get = unsafe extern "C" fn(*const c_void, *mut c_int) -> c_int;
    let get = crate::real::real!(pthread_attr_getdetachstate: Get);
    let mut state = 0;
    // SAFETY: passed on from the caller.
    !attributes.is_null() && unsafe { get(attributes, &mut state) } == 0 && state == libc::PTHREAD_CREATE_DETACHED
}

/// The variable by which the C library tells the program and other libraries
/// that there is one thread only.
pub(super) fn single_threaded() -> *mut u8 {
    // SAFETY: looks a name up in the libraries that are loaded.
    unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"__libc_single_threaded".as_ptr()).cast() }
}

type RealCreate = unsafe extern "C" fn(*mut usize, *const c_void, extern "C-unwind" fn(usize) -> usize, usize) -> c_int;

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

extern "C-unwind" fn kernel_thread(id: usize) -> usize {
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
    hooks::run_handlers(status as c_int)
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
    hooks::run_handlers(status as c_int)
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
    // Robust mutexes it holds are let go of as if it unlocked them, one after the other.
    for mutex in with(|run| run.objects.held_by(run.current, &run.robust)) {
        perform(Op::on(Kind::MutexUnlock, mutex));
        with(|run| run.objects.abandon(mutex));
    }
    if with(|run| run.options.visible_ends) {
        perform(Op::on(Kind::Exit, ObjId::NONE));
    }
    with(|run| {
        let me = run.current;
        run.me().result = result;
        run.objects.finish(me);
    });
    no_more_operations()
}

/// Is the process of the running thread on its way out?
pub(crate) fn has_exited() -> bool {
    with(|run| {
        let process = run.me().process;
        run.exited.get(process).copied().unwrap_or(false)
    })
}

/// `exit`, or a return from `main`: this thread is done, and when the others
/// of its process can do nothing more they are gone with it.
pub(crate) fn exit_process(status: c_int) -> ! {
    if with(|run| run.phase == Phase::Loading) {
        worker::give_up("the program ends before `main`");
    }
    let first = with(|run| run.me().process == 0);
    let expected = with(|run| run.options.expected_status);
    if first && (status & 0xff) as u64 != expected && !has_exited() {
        if status == RUST_PANIC {
            fail(FailureKind::Panic, format!("the program ended with status {RUST_PANIC}, as after a panic in Rust"));
        }
        fail(FailureKind::Status, format!("the program ended with status {}, not {expected}", status & 0xff));
    }
    if !first && with(|run| run.options.visible_ends) {
        perform(Op::on(Kind::Exit, ObjId::NONE));
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
    Ok(join_ended(target))
}

/// The result of a thread that has ended.
pub(crate) fn join_ended(target: ThreadId) -> usize {
    with(|run| {
        let (result, clock) = {
            let target = run.thread(target);
            (target.result, target.clock_ns)
        };
        if stacks::watches_memory() {
            run.races.join(run.current, target);
        }
        let me = run.me();
        me.clock_ns = me.clock_ns.max(clock);
        result
    })
}

/// `fork`: a new process of the program, brought to its first visible
/// operation. 0 in it, its process id in the caller.
pub(crate) fn fork() -> c_int {
    if with(|run| run.phase == Phase::Loading) {
        worker::give_up("the program forks before `main`");
    }
    if with(|run| run.n_threads_here()) > 1 {
        worker::give_up("the program forks while it has several threads, which is not controlled");
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
        child.is_process = true;
        child.values = values;
        child.stack_base = stack_base;
        run.current = id;
        run.note_shared();
        &raw const run.thread(me).baton
    });
    let parent = sys::process_id();
    // SAFETY: this executor runs every thread on its own stack with its own
    // control block, so the C library's `fork` is at home.
    let pid = unsafe { real_fork() };
    match pid {
        0 => {
            sys::end_with_parent(parent);
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

    /// Threads of the running thread's process that have not ended.
    fn n_threads_here(&mut self) -> usize {
        let process = self.me().process;
        self.threads.iter().flatten().filter(|thread| thread.process == process && !thread.is_over).count()
    }

    /// Tells the program, as the C library would, that it has several threads.
    fn say_threaded(&mut self) {
        if !self.single_threaded.is_null() {
            // SAFETY: a variable of the C library, put back with all other memory.
            unsafe { self.single_threaded.write(0) };
        }
    }

    /// What the kernel would call the running thread.
    pub(crate) fn kernel_name(&mut self) -> c_int {
        let process = sys::process_id();
        if self.current == ThreadId::MAIN || self.me().is_process {
            return process;
        }
        self.tell_apart("asks for its number in the kernel");
        process + self.current.0 as c_int
    }

    /// The handle of the first thread.
    pub(crate) fn first_handle(&mut self) -> usize {
        self.thread(ThreadId::MAIN).handle
    }

    pub(crate) fn rename(&mut self, thread: ThreadId, name: Box<CStr>) {
        self.thread(thread).name = Some(name);
    }

    pub(crate) fn name_of(&mut self, thread: ThreadId) -> Option<Box<CStr>> {
        self.thread(thread).name.clone()
    }

    /// May `target` be joined? With glibc a thread has one joiner, the first to call, and two threads do not join each
    /// other. Which of them calls first is not explored, and said.
    pub(crate) fn may_join(&mut self, target: ThreadId) -> Result<(), c_int> {
        let me = self.current;
        let joins_me = self.thread(me).joiner == Some(target);
        let is_second = self.thread(target).joiner.is_some_and(|joiner| joiner != me);
        if joins_me || is_second && !self.thread(target).is_joined {
            self.uncontrolled("which of two threads comes first to join the same one, or each other");
        }
        let thread = self.thread(target);
        match (thread.is_joined, thread.is_detached) {
            (true, _) => Err(libc::ESRCH),
            (_, true) => Err(libc::EINVAL),
            _ if target == me || joins_me => Err(libc::EDEADLK),
            _ if is_second => Err(libc::EINVAL),
            _ => Ok(()),
        }
    }

    /// The key is gone, and what threads have stored under it.
    pub(crate) fn forget_values(&mut self, key: usize) {
        for thread in self.threads.iter_mut().flatten() {
            if let Some(value) = thread.values.get_mut(key) {
                *value = ptr::null_mut();
            }
        }
    }

    /// The running thread waits for the end of `target`.
    pub(crate) fn joins(&mut self, target: ThreadId) {
        self.thread(target).joiner = Some(self.current);
    }

    /// `target` has been joined, and its result perhaps taken.
    pub(crate) fn joined(&mut self, target: ThreadId, takes: bool) {
        self.thread(target).is_joined = true;
        self.has_taken_results |= takes;
    }

    /// At the end: a thread that nobody has joined or detached, if that is asked for.
    ///
    /// SOUND: equivalent executions end with the same threads joined and detached, so one of them is enough.
    pub(super) fn leaked(&self) -> Option<Failure> {
        let mut threads = self.threads.iter().flatten().filter(|_| self.options.finds_leaks);
        let is_leaked = |thread: &Thread| !thread.is_process && !thread.is_joined && !thread.is_detached;
        let thread = threads.find(|thread| thread.id != ThreadId::MAIN && is_leaked(thread))?.id;
        let message = "the thread was neither joined nor detached before the program ended".to_owned();
        Some(Failure { kind: FailureKind::Misuse, thread, message })
    }

    /// Nobody will join `thread`.
    pub(crate) fn detach(&mut self, thread: ThreadId) -> c_int {
        let thread = self.thread(thread);
        if thread.is_joined {
            return libc::ESRCH;
        }
        if std::mem::replace(&mut thread.is_detached, true) { libc::EINVAL } else { 0 }
    }

    fn children(&self) -> impl Iterator<Item = &Thread> {
        let parent = self.current;
        let threads = self.threads.iter().flatten().map(|thread| &**thread);
        let forked = threads.filter(|thread| thread.is_process && !thread.is_reaped);
        forked.filter(move |thread| thread.parent == parent)
    }

    /// Processes that nobody has waited for.
    pub(crate) fn n_children(&self) -> usize {
        self.children().count()
    }

    /// The process `pid` (-1: any) that nobody has waited for.
    pub(crate) fn child(&self, pid: c_int) -> Option<usize> {
        self.children().find(|child| pid < 0 || child.handle == pid as usize).map(|child| child.handle)
    }

    /// Somebody waits for process `pid`.
    pub(crate) fn reap(&mut self, pid: usize) {
        if let Some(child) = self.threads.iter_mut().flatten().find(|thread| thread.is_process && thread.handle == pid)
        {
            child.is_reaped = true;
        }
    }

    /// A new thread of the running thread.
    fn bear(&mut self, start: Start) -> ThreadId {
        let parent = self.current;
        let cursor = self.cursor.as_mut().expect("an execution is going on");
        let id = cursor.born(parent);
        if stacks::watches_memory() {
            self.races.bear(parent, id);
        }
        let (process, clock_ns, mask) = (self.me().process, self.me().clock_ns, self.me().mask);
        if self.threads.len() <= id.index() {
            self.threads.resize_with(id.index() + 1, || None);
            self.pending.resize(id.index() + 1, Op::NONE);
        }
        let thread =
            Thread { id, handle: 0, process, start, parent, starter: Some(parent), clock_ns, mask, ..Thread::first() };
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
