//! One run of the program under test: its threads, its objects, and the loop that schedules them.
//!
//! The state of a run lives in a thread-local of the thread that called `check`; threads of the program are coroutines
//! on that thread and reach it through [`with`]. A visible operation parks its label and suspends; the loop asks the
//! cursor whom to resume, executes the operation in the [`World`] and leaves the answer.

mod panics;
mod pools;
mod spins;
mod storage;

pub(crate) use panics::{is_unwinding, n_panics, note_panic, set_panics};
pub(crate) use pools::{declare_pool, identity_seen, note_spawn, objects_made};
pub(crate) use spins::{only_looked, yield_now};
pub(crate) use storage::{drop_locals, local, set_local, static_value};

use crate::coroutine::{Body, Fiber, Stacks, suspend};
use crate::memory::atomics::Fresh;
use crate::memory::{Memory, Request, Use};
use crate::references::{Needs, References};
use burnside_stateless::{
    Cursor, End, Failure, FailureKind, Family, Kind, ObjId, Object, Op, Step, Subject, ThreadId, ThreadSet, Trace,
    World,
};
use rustc_hash::FxHashMap;
use std::any::Any;
use std::borrow::Cow;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// What a thread of the program is, to the runtime.
#[derive(Default)]
pub(crate) struct Thread {
    name: Option<Cow<'static, str>>,
    /// The number of objects created so far.
    n_objects: u32,
    /// The number of visible operations so far.
    pub(crate) n_visible: u32,
    /// Virtual time.
    now: Duration,
    /// Wake-ups without a notification so far.
    n_spurious: u32,
    /// The object looked at by the last operation, if it only looked.
    looked_at: Option<ObjId>,
    /// The object looked at before the last yield, while nobody has changed it, and how many yields in a row.
    spins_on: Option<(ObjId, u32)>,
    /// Panics that have begun and are not known to be over.
    n_panics: u32,
    /// Whether it is not to look again before the object has changed.
    held: bool,
    locals: FxHashMap<usize, Rc<dyn Any>>,
}

/// What holds for all runs of a search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options {
    pub(crate) panics: Panics,
    pub(crate) spins: Spins,
    /// Whether atomics behave as C11 lets them.
    pub(crate) weak: bool,
    /// Whether what is shared and never given up counts as a fault.
    pub(crate) check_leaks: bool,
    /// How many times a thread may wake from a condition without a notification.
    pub(crate) max_spurious: u32,
}

/// What a panic of the program means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Panics {
    /// A fault, and the run is over.
    End,
    /// A fault, and the other threads go on.
    Count,
    /// What `join` returns; a fault only if the first thread ends by it.
    Pass,
}

/// What is done about threads that look at an object again and again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Spins {
    /// Looks in vain leave nothing behind: one is as good as many.
    Pure,
    /// So many are followed; that there are more is said.
    AtMost(u32),
}

/// The state of a run.
#[derive(Default)]
pub(crate) struct Run {
    cursor: Option<Cursor>,
    options: Option<Options>,
    world: World,
    threads: Vec<Option<Thread>>,
    pending: Vec<Op>,
    answers: Vec<u64>,
    current: ThreadId,
    newborn: Vec<(ThreadId, Body)>,
    enabled: ThreadSet,
    /// Threads with `spins_on`.
    n_spinning: usize,
    /// Whether a thread was kept from looking again.
    held_back: bool,
    /// Threads with `n_panics`.
    n_unwinding: usize,
    /// Whether `std` counts a panic that belongs to no thread of this run.
    panics_leaked: bool,
    /// Whether the run is over and threads only finish unwinding.
    over: bool,
    failure: Option<Failure>,
    /// The last panic, where panics are no faults.
    last_panic: String,
    pub(crate) memory: Memory,
    /// What threads ask of atomics, and the ways to do it, under the weak model.
    requests: Vec<Option<Request>>,
    ways: Vec<Vec<u64>>,
    pub(crate) references: References,
    /// While a static is being made: its name and how many objects it has.
    making_static: Option<(u64, u64)>,
    /// Workers of pools.
    pooled: Vec<ThreadId>,
    /// Where threads have been created, and a place where several have.
    spawned_at: Vec<&'static Location<'static>>,
    similar: Option<&'static Location<'static>>,
    /// Statics made so far.
    statics: FxHashMap<usize, Rc<dyn Any>>,
    /// Where each transition stands in the source, when asked for.
    places: Option<Vec<&'static Location<'static>>>,
    place: Vec<Option<&'static Location<'static>>>,
}

thread_local! {
    // PERF: boxed, because it is moved in and out for every run.
    static RUN: RefCell<Option<Box<Run>>> = const { RefCell::new(None) };
    /// The state of a run that is over, for its memory.
    static SPARE: RefCell<Option<Box<Run>>> = const { RefCell::new(None) };
}

/// Whether a run is under way on this thread.
#[must_use]
pub(crate) fn is_active() -> bool {
    RUN.try_with(|run| run.try_borrow().is_ok_and(|run| run.is_some())).unwrap_or(false)
}

pub(crate) fn with<R>(body: impl FnOnce(&mut Run) -> R) -> R {
    RUN.with_borrow_mut(|run| body(run.as_mut().expect("objects of this crate are used inside `check` only")))
}

/// Executes a visible operation of the current thread and returns what it learns.
#[track_caller]
pub(crate) fn perform(op: Op) -> u64 {
    let me = wait_for_turn(op);
    with(|run| run.answers[me.index()])
}

/// As [`perform`], for an operation that changes nothing.
#[track_caller]
pub(crate) fn look(op: Op) -> u64 {
    let me = wait_for_turn(op);
    with(|run| {
        run.thread(me).looked_at = Some(op.obj);
        run.answers[me.index()]
    })
}

/// Announces an operation and returns when it has been executed; never, if the run is over first.
#[track_caller]
fn wait_for_turn(op: Op) -> ThreadId {
    let me = announce(op);
    suspend();
    while with(|run| run.over) {
        suspend();
    }
    me
}

#[track_caller]
fn announce(op: Op) -> ThreadId {
    let place = Location::caller();
    with(|run| {
        let me = run.current;
        assert!(run.making_static.is_none(), "a static is made without waiting for anything");
        run.thread(me).n_visible += 1;
        run.pending[me.index()] = op;
        run.place[me.index()] = Some(place);
        me
    })
}

/// As [`perform`], for destructors: outside a run, or when a panic is about to end the run, nothing happens. A coroutine
/// that is unwinding must not be suspended for good, since the panic would stay counted.
#[track_caller]
pub(crate) fn perform_in_drop(op: Op) -> u64 {
    if !can_wait() {
        return 0;
    }
    let me = announce(op);
    suspend();
    with(|run| if run.over { 0 } else { run.answers[me.index()] })
}

/// Whether destructors may still execute visible operations.
pub(crate) fn can_wait() -> bool {
    is_active() && !with(|run| run.over || run.options().panics == Panics::End && run.failure.is_some())
}

/// Executes an operation on an atomic under the weak model; returns the place in the order of writes it was given.
#[track_caller]
pub(crate) fn perform_weak(kind: Kind, request: Request) -> usize {
    with(|run| {
        let me = run.current;
        run.requests[me.index()] = Some(request);
    });
    perform(Op::on(kind, request.obj)) as usize
}

/// Notes a data race, which does not stop the thread that it is found in.
pub(crate) fn note_race(message: String) {
    with(|run| {
        let thread = run.current;
        run.failure.get_or_insert(Failure { kind: FailureKind::Race, thread, message });
    });
}

/// Compares a plain access with the others.
pub(crate) fn access(obj: ObjId, how: Use, place: &'static Location<'static>) {
    if !is_active() || obj.is_none() {
        return;
    }
    let race = with(|run| run.memory.access(run.current, obj, how, place));
    if let Some(message) = race {
        note_race(message);
    }
}

/// The thread that is running.
pub(crate) fn current() -> ThreadId {
    with(|run| run.current)
}

/// Names a new object of the running thread and, if given, puts it into its initial state.
pub(crate) fn create(object: Option<Object>) -> ObjId {
    with(|run| {
        let me = run.current;
        let obj = match &mut run.making_static {
            Some((name, n_objects)) => {
                *n_objects += 1;
                ObjId::at(*name + *n_objects)
            }
            None => {
                let thread = run.thread(me);
                // Index 0 of thread 0 would read like no object at all in reports.
                thread.n_objects += 1;
                ObjId::created(me, thread.n_objects)
            }
        };
        if let Some(object) = object {
            run.world.add(obj, object);
        }
        obj
    })
}

/// Changes an object without a visible operation, as cloning a sender does.
pub(crate) fn adjust(obj: ObjId, change: impl FnOnce(&mut Object)) {
    with(|run| {
        if let Some(object) = run.world.get_mut(obj) {
            change(object);
        }
    });
}

/// Whether the running thread may wake from a condition without a notification.
pub(crate) fn may_wake_spuriously() -> bool {
    with(|run| {
        let max = run.options().max_spurious;
        let me = run.current;
        run.thread(me).n_spurious < max
    })
}

/// Notes that the running thread has woken without a notification.
pub(crate) fn woke_spuriously() {
    with(|run| {
        let me = run.current;
        run.thread(me).n_spurious += 1;
    });
}

/// The virtual time of the running thread.
pub(crate) fn now() -> Duration {
    with(|run| {
        let me = run.current;
        run.thread(me).now
    })
}

/// Lets virtual time pass for the running thread.
pub(crate) fn advance(by: Duration) {
    with(|run| {
        let me = run.current;
        run.thread(me).now += by;
    });
}

/// The name of a thread.
pub(crate) fn name_of(thread: ThreadId) -> Option<String> {
    with(|run| run.thread(thread).name.as_deref().map(str::to_owned))
}

/// Declares a symmetry.
pub(crate) fn declare(family: Family) {
    with(|run| run.cursor.as_mut().expect("present while the program runs").declare(family));
}

/// Creates a thread.
pub(crate) fn spawn(name: Option<String>, body: Body) -> ThreadId {
    with(|run| {
        let me = run.current;
        let child = run.cursor.as_mut().expect("present while the program runs").born(me);
        let now = run.thread(me).now;
        run.resize(child.index() + 1);
        run.threads[child.index()] = Some(Thread { name: name.map(Cow::Owned), now, ..Thread::default() });
        run.newborn.push((child, body));
        run.memory.born(me, child);
        child
    })
}

impl Run {
    /// Forgets everything but the memory it took.
    fn clear(&mut self) {
        self.world.clear();
        self.threads.clear();
        self.pending.clear();
        self.answers.clear();
        self.place.clear();
        self.newborn.clear();
        self.current = ThreadId::MAIN;
        self.n_spinning = 0;
        self.n_unwinding = 0;
        self.over = false;
        self.held_back = false;
        self.failure = None;
        self.last_panic.clear();
        self.memory.clear();
        self.requests.clear();
        self.references.clear();
        self.making_static = None;
        self.pooled.clear();
        self.spawned_at.clear();
        self.similar = None;
        self.statics.clear();
    }

    pub(crate) fn current(&self) -> ThreadId {
        self.current
    }

    pub(crate) fn options(&self) -> Options {
        self.options.expect("set when a run begins")
    }

    pub(crate) fn thread(&mut self, thread: ThreadId) -> &mut Thread {
        self.threads[thread.index()].as_mut().expect("threads exist from their birth to the end of the run")
    }

    fn resize(&mut self, n: usize) {
        if self.threads.len() < n {
            self.threads.resize_with(n, || None);
            self.pending.resize(n, Op::NONE);
            self.answers.resize(n, 0);
            self.place.resize(n, None);
            self.requests.resize(n, None);
            self.ways.resize_with(n.max(self.ways.len()), Vec::new);
        }
    }

    fn find_enabled(&mut self) {
        self.enabled.clear();
        for (index, op) in self.pending.iter_mut().enumerate() {
            if op.kind == Kind::None {
                continue;
            }
            *op = self.world.label(op);
            let thread = ThreadId::from(index);
            if self.world.enabled(thread, op) {
                self.enabled.insert(thread);
            }
        }
        if self.memory.is_weak() {
            self.label_weak();
        }
        if self.n_spinning > 0 {
            self.hold_back();
        }
    }

    /// Completes the labels of operations on atomics: how many ways there are, and whether they depend on other atomics.
    // SOUND: both follow from what the thread has seen and from the writes to the atomic, and where they depend on more
    // the label names `BOUND`: only dependent operations change a label, as the explorers need it.
    fn label_weak(&mut self) {
        for index in 0..self.pending.len() {
            let Some(request) = self.requests[index].filter(|_| is_weak(self.pending[index].kind)) else { continue };
            let thread = ThreadId::from(index);
            let polls = matches!(&self.threads[index], Some(Thread { spins_on: Some((obj, _)), held: true, .. }) if *obj == request.obj);
            let fresh = if polls { Fresh::Newer } else { Fresh::Any };
            self.memory.alternatives(thread, &request, fresh, &mut self.ways[index]);
            let op = &mut self.pending[index];
            op.arg = self.ways[index].len() as u64;
            op.obj2 = if self.memory.is_bound(thread, &request) { BOUND } else { ObjId::NONE };
        }
    }

    fn execute(&mut self, thread: ThreadId, choice: u32, op: Op) {
        self.current = thread;
        if let Some(cursor) = &mut self.cursor {
            cursor.remark(self.world.surplus(&op));
        }
        self.answers[thread.index()] = match op.kind {
            Kind::Choose => u64::from(choice),
            // PERF: cells keep their own values; the world need not.
            Kind::Read | Kind::Write | Kind::Rmw => 0,
            Kind::Load | Kind::Store | Kind::Update => self.ways[thread.index()][choice as usize],
            _ => self.world.execute(thread, &op),
        };
        if self.memory.is_active() {
            self.memory.ordered(thread, &op, self.answers[thread.index()]);
        }
        if self.n_spinning > 0 {
            self.note_change(thread, &op);
        }
        self.pending[thread.index()] = Op::NONE;
        self.thread(thread).looked_at = None;
    }
}

fn is_weak(kind: Kind) -> bool {
    matches!(kind, Kind::Load | Kind::Store | Kind::Update)
}

/// In labels: the operation may have fewer ways because of operations on other atomics.
const BOUND: ObjId = ObjId(1);

/// A closure as a subject.
pub(crate) struct Closure {
    body: Arc<dyn Fn() + Send + Sync>,
    stacks: Stacks,
    fibers: Vec<Option<Fiber>>,
    options: Options,
    /// What has turned out to be needed to treat references rightly.
    needs: Needs,
    keep_places: bool,
    /// Whether some run has kept a thread from looking again.
    pub(crate) held_back: bool,
    /// A place where several threads were created that nothing says are alike.
    pub(crate) similar: Option<&'static Location<'static>>,
    /// Where the transitions of the last run stand in the source, if asked for.
    pub(crate) places: Vec<String>,
    /// The names of the threads of the last run, if asked for.
    pub(crate) names: Vec<Option<String>>,
}

/// How often threads that were held back are let go on without anything else happening before that counts as running
/// for ever.
const MAX_RELEASES: u32 = 1000;

impl Closure {
    pub(crate) fn new(body: Arc<dyn Fn() + Send + Sync>, stack_bytes: usize, options: Options, needs: Needs) -> Self {
        let stacks = Stacks::new(stack_bytes);
        Self {
            body,
            stacks,
            fibers: Vec::new(),
            options,
            needs,
            keep_places: false,
            held_back: false,
            similar: None,
            places: Vec::new(),
            names: Vec::new(),
        }
    }

    /// Keeps the source places and thread names of the following runs.
    pub(crate) fn keep_places(mut self) -> Self {
        self.keep_places = true;
        self
    }

    fn begin(&mut self, cursor: Cursor) {
        let n_known = cursor.plan().births.len();
        let mut run = SPARE.take().unwrap_or_default();
        run.cursor = Some(cursor);
        run.options = Some(self.options);
        run.places = self.keep_places.then(Vec::new);
        run.references.begin(&self.needs);
        run.panics_leaked = std::thread::panicking();
        if self.options.weak {
            run.memory.make_weak();
        }
        run.resize(n_known);
        run.threads[0] = Some(Thread { name: Some(Cow::Borrowed("main")), ..Thread::default() });
        let body = Arc::clone(&self.body);
        let passes = self.options.panics == Panics::Pass;
        let first = move || {
            let result = catch_unwind(AssertUnwindSafe(|| body()));
            set_panics(0);
            drop_locals();
            if result.is_err() && passes {
                with(|run| {
                    let message = std::mem::take(&mut run.last_panic);
                    let thread = ThreadId::MAIN;
                    run.failure.get_or_insert(Failure { kind: FailureKind::Panic, thread, message });
                });
            }
        };
        run.newborn.push((ThreadId::MAIN, Box::new(first)));
        let outer = RUN.replace(Some(run));
        assert!(outer.is_none(), "`check` inside `check`");
    }

    fn start(&mut self, thread: ThreadId, body: Body) {
        if self.fibers.len() <= thread.index() {
            self.fibers.resize_with(thread.index() + 1, || None);
        }
        self.fibers[thread.index()] = Some(Fiber::new(self.stacks, body));
    }

    /// Runs a thread to its next visible operation or its end.
    fn resume(&mut self, thread: ThreadId) {
        let Some(Some(fiber)) = self.fibers.get_mut(thread.index()) else { return };
        if fiber.resume() {
            let fiber = self.fibers[thread.index()].take().expect("just resumed");
            fiber.recycle(self.stacks);
            with(|run| {
                run.pending[thread.index()] = Op::NONE;
                run.world.finish(thread);
                run.memory.ended(thread);
            });
        }
    }

    /// Lets threads that were suspended while they unwind come to the end of it, since `std` would count their panics for
    /// ever. Returns what was pending before.
    fn finish_unwinding(&mut self) -> Option<Vec<Op>> {
        let (pending, unwinding) = with(|run| {
            run.over = run.n_unwinding > 0;
            let is_unwinding =
                |thread: &ThreadId| matches!(&run.threads[thread.index()], Some(thread) if thread.n_panics > 0);
            let unwinding: Vec<ThreadId> = (0..run.threads.len()).map(ThreadId::from).filter(is_unwinding).collect();
            run.over.then(|| (run.pending.clone(), unwinding))
        })?;
        for thread in unwinding {
            with(|run| run.current = thread);
            self.resume(thread);
        }
        Some(pending)
    }

    fn schedule(&mut self) -> End {
        let mut n_releases = 0;
        loop {
            match with(|run| run.next(&mut n_releases)) {
                Next::Resume(thread) => self.resume(thread),
                Next::Start(thread, body) => {
                    self.start(thread, body);
                    self.resume(thread);
                }
                Next::End(end) => return end,
            }
        }
    }
}

/// What the loop of a run has to do.
enum Next {
    Resume(ThreadId),
    Start(ThreadId, Body),
    End(End),
}

impl Run {
    /// Decides what happens next. Threads that were created come to their first visible operation before anything else.
    fn next(&mut self, n_releases: &mut u32) -> Next {
        if !self.newborn.is_empty() {
            let (child, body) = self.newborn.remove(0);
            self.current = child;
            return Next::Start(child, body);
        }
        if self.failure.is_some() && self.options().panics == Panics::End {
            return Next::End(self.failure.take().map_or(End::Completed, End::Failed));
        }
        self.find_enabled();
        if self.enabled.is_empty() && *n_releases < MAX_RELEASES && self.release() {
            *n_releases += 1;
            self.find_enabled();
        }
        if self.enabled.is_empty() {
            return Next::End(self.quiet_end(*n_releases));
        }
        let cursor = self.cursor.as_mut().expect("present while the program runs");
        match cursor.next(self.current, &self.enabled, &self.pending) {
            Step::Cut(cut) => Next::End(End::Cut(cut)),
            Step::Run(pick) => {
                let op = self.pending[pick.thread.index()];
                if let (Some(places), Some(place)) = (&mut self.places, self.place[pick.thread.index()]) {
                    places.push(place);
                }
                self.execute(pick.thread, pick.choice, op);
                Next::Resume(pick.thread)
            }
        }
    }

    fn quiet_end(&mut self, n_releases: u32) -> End {
        if let Some(failure) = self.failure.take() {
            return End::Failed(failure);
        }
        if self.pending.iter().all(|op| op.kind == Kind::None) {
            return match self.references.leak().filter(|_| self.options().check_leaks) {
                Some(message) => End::Failed(Failure { kind: FailureKind::Misuse, thread: ThreadId::MAIN, message }),
                None => End::Completed,
            };
        }
        match self.threads.iter().position(|thread| thread.as_ref().is_some_and(|thread| thread.held)) {
            Some(index) if n_releases >= MAX_RELEASES => End::Divergence(ThreadId::from(index)),
            _ => End::Deadlock,
        }
    }
}

impl Subject for Closure {
    fn run(&mut self, cursor: Cursor) -> Trace {
        self.begin(cursor);
        let end = self.schedule();
        let pending = self.finish_unwinding();
        let mut run = RUN.take().expect("begun above");
        for fiber in self.fibers.iter_mut().filter_map(Option::take) {
            fiber.recycle(self.stacks);
        }
        if let Some(places) = run.places.take() {
            self.places = places.iter().map(|place| format!("{}:{}", place.file(), place.line())).collect();
            let names = run.threads.iter().map(|thread| thread.as_ref()?.name.as_deref().map(str::to_owned));
            self.names = names.collect();
        }
        self.held_back |= run.held_back;
        self.similar = run.similar;
        let trace =
            run.cursor.take().expect("present until here").finish(end, pending.as_ref().unwrap_or(&run.pending));
        run.clear();
        SPARE.set(Some(run));
        trace
    }
}
