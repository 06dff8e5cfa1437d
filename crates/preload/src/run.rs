//! One execution: who runs, what everybody is about to do, and what happens next.
//!
//! The program enters through [`perform`]: a thread announces its next visible
//! operation, the cursor picks a thread, that thread executes its operation and
//! runs on to its next one. A new thread runs to its first visible operation
//! before its creator goes on ([`spawn`]), so a state is always described by the
//! pending operations. Only one thread is ever between two operations; all
//! state is in one [`Run`], reached by [`with`].
//!
//! The end of the process is no operation: a thread that calls `exit` is done,
//! and the others still get all their chances. Whatever they can do before the
//! process is gone they can do when it leaves late, so nothing is lost.

mod blocks;
mod clocks;
mod naming;
mod races;
mod spins;
mod stacks;
mod threads;
mod twins;

use std::cell::UnsafeCell;
use std::ffi::c_void;
use std::ops::Range;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, Ordering, compiler_fence};

use burnside_stateless::{Cursor, End, Failure, FailureKind, Kind, ObjId, Op, Step, ThreadId, ThreadSet};
use burnside_wire::{Executor, Options, Reply, Report};

use crate::backtrace;
use crate::context::Context;
use crate::hooks::{DESCRIPTORS, Keys, Sets};
use crate::names::Names;
use crate::objects::{Objects, Outcome};
use crate::snapshot::{self, Snapshot};
use crate::sys;
use crate::user::UserThreads;
use crate::worker;

use clocks::Clocks;
use naming::NamedSemaphore;
pub(crate) use naming::{create, forget, name, semaphore_name};
use races::Races;
pub(crate) use races::{Access, acquired, forget_accesses, look_for_race, released};
pub(crate) use spins::{waits_for_own, writes_own};
pub(crate) use stacks::{watch_memory, watches_memory};
pub(crate) use threads::{
    Main, Thread, exit_process, finish_thread, fork, has_exited, join, join_ended, run_main_in_kernel,
    run_main_suspended, spawn, to_controller,
};

/// Everything about the execution that is going on.
pub(crate) struct Run {
    pub(crate) options: Options,
    pub(crate) objects: Objects,
    /// The objects as they were when `main` began.
    pub(crate) initial: Objects,
    pub(crate) executor: Executor,
    /// Memory to go back to, with the executor that does.
    pub(crate) snapshot: Option<Snapshot>,
    /// User-level threads, with the executors that have them.
    pub(crate) user: Option<UserThreads>,
    /// Who waits for the end of the execution, with user-level threads.
    pub(crate) controller: Context,
    pub(crate) names: Names,
    /// Thread-specific keys.
    pub(crate) keys: Keys,
    initial_keys: Keys,
    initial_values: Vec<*mut c_void>,
    /// System V semaphores.
    pub(crate) sets: Sets,
    named: Vec<NamedSemaphore>,
    phase: Phase,
    cursor: Option<Cursor>,
    threads: Vec<Option<Box<Thread>>>,
    /// The next operation of every thread, as the cursor wants it.
    pending: Vec<Op>,
    current: ThreadId,
    /// The alternative picked for the thread that goes next.
    choice: u32,
    /// Scratch for [`decide`](Run::decide).
    enabled: ThreadSet,
    /// Where our own code is.
    own_code: Range<usize>,
    /// The first of its twins, per thread, where that is known.
    twins: Vec<Option<ThreadId>>,
    /// Threads that may turn out to be twins.
    claims: Vec<blocks::Claim>,
    /// Processes of the program that have called `exit`, by number.
    exited: Vec<bool>,
    /// Set while a thread is asked for its stack: who asks.
    asker: Option<ThreadId>,
    report: Report,
    /// Set while a search goes on without asking back: where reports go.
    pub(crate) kept: Option<Report>,
    /// Operations executed since the process was started, for the watchdog.
    pub(crate) n_steps: u64,
    /// Has any thread looked at a clock, slept or timed out?
    pub(crate) is_timed: bool,
    clocks: Clocks,
    /// Who knows of whom, and who accessed what.
    races: Races,
    /// Addresses of objects that the processes of the program share.
    shared: Vec<usize>,
    /// The process that executes `main`.
    first_process: i32,
    /// Robust mutexes.
    robust: Vec<ObjId>,
    /// Joins of threads that began alike, to see whether all of them are waited for in a row.
    has_taken_results: bool,
    /// Where the C library says whether there is one thread only.
    single_threaded: *mut u8,
    /// Why threads with the same routine are no twins.
    unlike: twins::Unlike,
    /// Memory that others can write to, before the thread that is being started.
    before_start: Option<snapshot::Print>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// The program is being loaded; it has one thread and nothing is scheduled.
    Loading,
    /// `main` has begun.
    Running,
}

/// Is the program under control? 0: not known yet, 1: no, 2: yes.
static CONTROLLED: AtomicU8 = AtomicU8::new(0);
static RUN: AtomicPtr<UnsafeCell<Run>> = AtomicPtr::new(ptr::null_mut());

/// Does Burnside control this process? If not, the library stays out of the way.
pub(crate) fn is_controlled() -> bool {
    match CONTROLLED.load(Ordering::Relaxed) {
        0 => {
            let controlled = worker::is_wanted();
            if controlled {
                let run = Box::leak(Box::new(UnsafeCell::new(Run::new())));
                RUN.store(run, Ordering::Relaxed);
            }
            CONTROLLED.store(1 + u8::from(controlled), Ordering::Relaxed);
            controlled
        }
        known => known == 2,
    }
}

/// Gives `body` the state of the execution.
///
/// `body` must not switch threads, call the program, or call `with` again.
pub(crate) fn with<R>(body: impl FnOnce(&mut Run) -> R) -> R {
    let run = RUN.load(Ordering::Relaxed);
    IS_IN_USE.store(true, Ordering::Relaxed);
    compiler_fence(Ordering::SeqCst);
    // SAFETY: set by `is_controlled`, which every way into the library asks
    // first, and never freed. One thread runs at a time and the closures do
    // not nest, so this is the only reference.
    let result = body(unsafe { &mut *(*run).get() });
    compiler_fence(Ordering::SeqCst);
    IS_IN_USE.store(false, Ordering::Relaxed);
    result
}

/// Is somebody inside [`with`]?
static IS_IN_USE: AtomicBool = AtomicBool::new(false);

/// May a signal handler that can come at any moment call [`with`]? While somebody is inside, threads may be half made and
/// memory half allocated.
pub(crate) fn is_at_rest() -> bool {
    !IS_IN_USE.load(Ordering::Relaxed)
}

/// Announces `op` as the next operation of the calling thread, waits until it
/// is picked, and executes it.
pub(crate) fn perform(op: Op) -> Outcome {
    if with(|run| run.phase == Phase::Loading) {
        return with(|run| run.perform_at_once(&op));
    }
    if let Some(outcome) = with(|run| run.perform_alone(&op)) {
        return outcome;
    }
    if with(|run| run.options.details) {
        let stack = backtrace::capture();
        with(|run| run.me().site = stack);
    }
    twins::note_holding();
    blocks::settle();
    spins::look(&op);
    let (me, starter) = with(|run| (run.current, run.announce(op)));
    let next = match starter {
        Some(starter) => starter,
        None => decide(),
    };
    threads::transfer(me, next);
    with(|run| run.execute(me))
}

/// Who goes next; ends the execution when nobody does.
fn decide() -> ThreadId {
    match with(Run::decide) {
        Ok(next) => next,
        Err(end) => finish(end),
    }
}

/// The program has failed in the calling thread.
pub(crate) fn fail(kind: FailureKind, message: String) -> ! {
    let thread = with(|run| run.current);
    finish(End::Failed(Failure { kind, thread, message }))
}

/// Does the call we are in come from the program itself, and not from one of
/// its libraries?
pub(crate) fn is_called_by_program() -> bool {
    let own = with(|run| run.own_code.clone());
    let caller = backtrace::holding(&own).map_or(0, |holding| holding.address);
    snapshot::image_of(caller) == snapshot::image_of(worker::main_address())
}

/// The calling thread misuses an object. Before `main` nobody is told.
pub(crate) fn misuse(what: &str) -> ! {
    if !with(|run| run.is_going_on()) {
        worker::give_up(&format!("the program {what} before `main`"));
    }
    fail(FailureKind::Misuse, format!("the thread {what}"))
}

/// Ends the execution.
pub(crate) fn finish(end: End) -> ! {
    if with(|run| run.options.details) {
        ask_for_stacks();
    }
    let report = with(|run| run.report(end));
    if let Some(report) = with(|run| run.keep(report)) {
        worker::answer(&Reply::Report(Box::new(report)));
    }
    worker::leave()
}

/// As [`finish`], from a signal handler: the other threads cannot be asked.
pub(crate) fn finish_in_handler(end: impl FnOnce(ThreadId) -> End) -> Report {
    if with(|run| run.options.details) {
        let stack = backtrace::capture();
        with(|run| run.note_stack(run.current, stack));
    }
    with(|run| {
        let end = end(run.current);
        run.report(end)
    })
}

/// Collects the stack of every thread that has not ended. Each is resumed for
/// the time it takes to walk its own stack.
fn ask_for_stacks() {
    let (me, others) = with(|run| (run.current, run.unfinished()));
    let own = backtrace::capture();
    with(|run| run.note_stack(me, own));
    for other in others {
        if other != me {
            with(|run| run.asker = Some(me));
            threads::transfer(me, other);
        }
    }
}

impl Run {
    fn new() -> Run {
        Run {
            options: Options::default(),
            objects: Objects::default(),
            initial: Objects::default(),
            executor: Executor::Threads,
            snapshot: None,
            user: None,
            controller: Context::empty(),
            names: Names::new(),
            keys: Keys::default(),
            initial_keys: Keys::default(),
            initial_values: Vec::new(),
            sets: Sets::default(),
            named: Vec::new(),
            phase: Phase::Loading,
            cursor: None,
            threads: vec![Some(Box::new(Thread::first()))],
            pending: vec![Op::NONE],
            current: ThreadId::MAIN,
            choice: 0,
            enabled: ThreadSet::new(),
            own_code: snapshot::own_code(),
            twins: Vec::new(),
            claims: Vec::new(),
            exited: Vec::new(),
            asker: None,
            report: Report::default(),
            kept: None,
            n_steps: 0,
            is_timed: false,
            clocks: Clocks::default(),
            races: Races::default(),
            shared: Vec::new(),
            first_process: 0,
            robust: Vec::new(),
            has_taken_results: false,
            single_threaded: threads::single_threaded(),
            unlike: twins::Unlike::default(),
            before_start: None,
        }
    }

    /// The program is about to call `main`: what it did so far is where every
    /// execution starts.
    pub(crate) fn loaded(&mut self) {
        self.initial = self.objects.clone();
        self.initial_keys = self.keys.clone();
        self.initial_values = std::mem::take(&mut self.me().values);
    }

    /// Prepares the execution that `cursor` decides on.
    pub(crate) fn begin(&mut self, cursor: Cursor) {
        self.phase = Phase::Running;
        self.cursor = Some(cursor);
        self.objects.clone_from(&self.initial);
        self.names.reset();
        self.keys.clone_from(&self.initial_keys);
        self.sets.clear();
        self.unlink_all_semaphores();
        self.threads.clear();
        self.threads.push(Some(Box::new(Thread::first())));
        self.pending.clear();
        self.pending.push(Op::NONE);
        self.current = ThreadId::MAIN;
        self.me().values = self.initial_values.clone();
        self.claims.clear();
        self.exited.clear();
        self.exited.push(false);
        self.asker = None;
        self.is_timed = false;
        self.clocks.clear();
        self.races.clear();
        self.shared.clear();
        self.robust.clear();
        self.has_taken_results = false;
        self.report = Report::default();
    }

    /// This process is the one that executes `main`.
    pub(crate) fn is_worker(&mut self) {
        self.first_process = sys::process_id();
    }

    /// Is an execution going on, that is, begun and not yet reported?
    pub(crate) fn is_going_on(&self) -> bool {
        self.cursor.is_some()
    }

    /// Does the program have more than one process?
    pub(crate) fn has_forked(&self) -> bool {
        self.exited.len() > 1
    }

    /// Where the controller runs, if it has a stack of its own.
    fn controller_stack(&self) -> Option<Range<usize>> {
        worker::controller_stack()
    }

    /// Are there, or have there been, other threads than the first?
    pub(crate) fn has_threads(&self) -> bool {
        self.threads.len() > 1
    }

    /// The kernel's numbers of the processes of the program.
    pub(crate) fn processes(&self) -> Vec<i32> {
        let forked = self.threads.iter().flatten().filter(|thread| thread.is_process);
        let forked = forked.map(|thread| thread.handle as i32).filter(|process| *process > 0);
        // The worker is the first of them, and not always the one that ends an execution.
        forked.chain([self.first_process]).collect()
    }

    /// The program does something that is not controlled: not every behaviour
    /// will have been seen.
    pub(crate) fn uncontrolled(&mut self, what: &str) {
        if self.report.uncontrolled.iter().all(|known| known != what) {
            self.report.uncontrolled.push(what.to_owned());
        }
    }

    /// The program gets something that is different each time.
    pub(crate) fn random(&mut self, what: &str) {
        if self.report.random.iter().all(|known| known != what) {
            self.report.random.push(what.to_owned());
        }
    }

    /// Somebody wants to know whether a thread has ended.
    pub(crate) fn ask_for_ends(&mut self) {
        self.report.asks_for_ends |= !self.options.visible_ends;
    }

    /// A mutex whose owner may end.
    pub(crate) fn note_robust(&mut self, name: ObjId) {
        if !self.robust.contains(&name) {
            self.robust.push(name);
        }
    }

    /// The thread that is running.
    pub(crate) fn current(&self) -> ThreadId {
        self.current
    }

    /// The running thread.
    pub(crate) fn me(&mut self) -> &mut Thread {
        self.thread(self.current)
    }

    fn thread(&mut self, thread: ThreadId) -> &mut Thread {
        self.threads[thread.index()].as_mut().expect("the thread was born in this execution")
    }

    fn perform_at_once(&mut self, op: &Op) -> Outcome {
        if self.objects.enabled(self.current, op) {
            return self.objects.apply(self.current, op);
        }
        worker::give_up(&format!("the program blocks before `main` ({op})"))
    }

    /// Executes `op` on the spot while there is only one thread to see it: all
    /// that happens before the first thread is created happens before anything
    /// any other thread does, so there is no order to explore.
    fn perform_alone(&mut self, op: &Op) -> Option<Outcome> {
        let alone = self.threads.len() == 1 && op.kind != Kind::Choose;
        (alone && self.objects.enabled(self.current, op)).then(|| self.objects.apply(self.current, op))
    }

    /// Notes what the running thread is about to do. Answers the thread that
    /// waits for it to come this far, if it has just been started.
    fn announce(&mut self, op: Op) -> Option<ThreadId> {
        self.pending[self.current.index()] = op;
        self.me().starter.take()
    }

    fn decide(&mut self) -> Result<ThreadId, End> {
        self.enabled.clear();
        for (index, op) in self.pending.iter_mut().enumerate() {
            if op.kind == Kind::BarrierArrive {
                *op = self.objects.arrival(op.obj);
            }
            let thread = ThreadId::from(index);
            if self.objects.enabled(thread, op) {
                self.enabled.insert(thread);
            }
        }
        if self.enabled.is_empty() {
            if !self.is_anyone_stuck() {
                return Err(self.leaked().map_or(End::Completed, End::Failed));
            }
            if self.may_go_on_uncontrolled() && !self.report.uncontrolled.is_empty() {
                let what = self.report.uncontrolled.join("; ");
                worker::give_up(&format!("all threads wait, perhaps for what is not controlled: {what}"));
            }
            return Err(End::Deadlock);
        }
        let cursor = self.cursor.as_mut().expect("an execution is going on");
        match cursor.next(self.current, &self.enabled, &self.pending) {
            Step::Run(pick) => {
                self.choice = pick.choice;
                cursor.remark(self.objects.surplus(&self.pending[pick.thread.index()]));
                if self.options.details {
                    let site = self.thread(pick.thread).site.clone();
                    self.report.sites.push(site);
                }
                Ok(pick.thread)
            }
            Step::Cut(cut) => Err(End::Cut(cut)),
        }
    }

    /// Does somebody wait for semaphore `obj` to be more than nothing?
    pub(crate) fn is_waited_for(&self, obj: ObjId) -> bool {
        let mut pending = self.pending.iter();
        pending.any(|op| op.kind == Kind::SemWait && op.obj == obj) && self.objects.semaphore(obj) == 0
    }

    /// Does somebody wait for ever, in a process that has not ended?
    /// Does anybody wait for what comes about without an operation of ours, where something is not controlled? Pipes between
    /// processes, what `SEM_UNDO` takes back, and whichever child ends first.
    fn may_go_on_uncontrolled(&self) -> bool {
        self.pending.iter().any(|op| match op.kind {
            Kind::Block => op.obj == DESCRIPTORS,
            Kind::SysvWait | Kind::SysvZero | Kind::SysvSet => true,
            Kind::Join => {
                self.threads.iter().flatten().any(|thread| thread.is_process && op.target() == Some(thread.id))
            }
            _ => false,
        })
    }

    fn is_anyone_stuck(&self) -> bool {
        let threads = self.threads.iter().zip(&self.pending);
        threads
            .flat_map(|(thread, op)| Some((thread.as_ref()?, op)))
            .any(|(thread, op)| op.kind != Kind::None && !self.exited[thread.process])
    }

    fn execute(&mut self, me: ThreadId) -> Outcome {
        self.n_steps += 1;
        let op = self.pending[me.index()];
        let outcome = match op.kind {
            Kind::Choose => Outcome::Value(self.choice.into()),
            _ => self.objects.apply(me, &op),
        };
        if op.kind == Kind::Write {
            self.changed(op.obj, op.bytes());
        }
        if watches_memory() {
            self.pass_knowledge(me, &op);
        }
        if self.is_timed {
            self.pass_clocks(me, &op);
        }
        outcome
    }

    /// Threads that could still be asked for their stack.
    fn unfinished(&self) -> Vec<ThreadId> {
        let threads = self.threads.iter().flatten();
        threads.filter(|thread| !thread.is_over).map(|thread| thread.id).collect()
    }

    fn note_stack(&mut self, thread: ThreadId, stack: Vec<u64>) {
        if self.report.stacks.len() <= thread.index() {
            self.report.stacks.resize(thread.index() + 1, Vec::new());
        }
        self.report.stacks[thread.index()] = stack;
    }

    /// Keeps the report, or gives it back if it is to be sent.
    fn keep(&mut self, report: Report) -> Option<Report> {
        match &mut self.kept {
            Some(kept) => {
                *kept = report;
                None
            }
            None => Some(report),
        }
    }

    fn report(&mut self, end: End) -> Report {
        let cursor = self.cursor.take().expect("an execution is going on");
        let mut report = std::mem::take(&mut self.report);
        self.check_joins(&mut report, &cursor, &end);
        report.watches_memory = watches_memory();
        // PERF: nobody looks at this in an execution whose report is not sent.
        if self.kept.is_none() {
            self.unlike.tell(&mut report);
        }
        report.trace = cursor.finish(end, &self.pending);
        report.starts =
            self.threads.iter().map(|thread| thread.as_ref().map(|t| t.start).unwrap_or_default()).collect();
        for (start, twin) in report.starts.iter_mut().zip(&self.twins) {
            start.twin = *twin;
        }
        if self.options.details {
            report.places = self.names.places();
        }
        report
    }
}
