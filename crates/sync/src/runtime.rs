//! One run of the program under test: its threads, its objects, and the loop that schedules them.
//!
//! The state of a run lives in a thread-local of the thread that called `check`; threads of the program are coroutines
//! on that thread and reach it through [`with`]. A visible operation parks its label and suspends; the loop asks the
//! cursor whom to resume, executes the operation in the [`World`] and leaves the answer.

use crate::coroutine::{Body, Fiber, Stacks, suspend};
use burnside_stateless::{
    Cursor, End, Failure, FailureKind, Family, Kind, ObjId, Object, Op, Step, Subject, ThreadId, ThreadSet, Trace,
    World,
};
use rustc_hash::FxHashMap;
use std::any::Any;
use std::borrow::Cow;
use std::cell::RefCell;
use std::panic::Location;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// What a thread of the program is, to the runtime.
#[derive(Default)]
struct Thread {
    name: Option<Cow<'static, str>>,
    /// The number of objects created so far.
    n_objects: u32,
    /// Virtual time.
    now: Duration,
    /// Wake-ups without a notification so far.
    n_spurious: u32,
    /// The object looked at by the last operation, if it only looked.
    looked_at: Option<ObjId>,
    /// The object looked at before the last yield, while nobody has changed it, and how many yields in a row.
    spins_on: Option<(ObjId, u32)>,
    /// Whether it is not to look again before the object has changed.
    held: bool,
    locals: FxHashMap<usize, Rc<dyn Any>>,
}

/// What holds for all runs of a search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options {
    /// Whether a panic ends the run at once.
    pub(crate) panics_end: bool,
    pub(crate) spins: Spins,
    /// How many times a thread may wake from a condition without a notification.
    pub(crate) max_spurious: u32,
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
    failure: Option<Failure>,
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
pub(crate) fn is_active() -> bool {
    RUN.try_with(|run| run.try_borrow().is_ok_and(|run| run.is_some())).unwrap_or(false)
}

fn with<R>(body: impl FnOnce(&mut Run) -> R) -> R {
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

/// Announces an operation and returns when it has been executed.
#[track_caller]
fn wait_for_turn(op: Op) -> ThreadId {
    let place = Location::caller();
    let me = with(|run| {
        let me = run.current;
        run.pending[me.index()] = op;
        run.place[me.index()] = Some(place);
        me
    });
    suspend();
    me
}

/// As [`perform`], for destructors: outside a run, or when a panic is about to end the run, nothing happens. A coroutine
/// that is unwinding must not be suspended for good, since the panic would stay counted.
#[track_caller]
pub(crate) fn perform_in_drop(op: Op) -> u64 {
    if is_active() && !with(|run| run.options().panics_end && run.failure.is_some()) { perform(op) } else { 0 }
}

/// The thread that is running.
pub(crate) fn current() -> ThreadId {
    with(|run| run.current)
}

/// Names a new object of the running thread and, if given, puts it into its initial state.
pub(crate) fn create(object: Option<Object>) -> ObjId {
    with(|run| {
        let me = run.current;
        let thread = run.thread(me);
        // Index 0 of thread 0 would read like no object at all in reports.
        thread.n_objects += 1;
        let obj = ObjId::created(me, thread.n_objects);
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
        child
    })
}

/// The value of a thread-local of the running thread.
pub(crate) fn local(key: usize) -> Option<Rc<dyn Any>> {
    with(|run| {
        let me = run.current;
        run.thread(me).locals.get(&key).cloned()
    })
}

/// Sets a thread-local of the running thread.
pub(crate) fn set_local(key: usize, value: Rc<dyn Any>) {
    with(|run| {
        let me = run.current;
        run.thread(me).locals.insert(key, value);
    });
}

/// Notes a panic of the running thread; said by the panic hook. Says whether a run is under way.
pub(crate) fn note_panic(message: &str) -> bool {
    RUN.with(|run| {
        let Ok(mut run) = run.try_borrow_mut() else { return false };
        let Some(run) = run.as_mut() else { return false };
        if run.failure.is_none() {
            let message = message.to_owned();
            run.failure = Some(Failure { kind: FailureKind::Panic, thread: run.current, message });
        }
        true
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
        self.held_back = false;
        self.failure = None;
    }

    fn options(&self) -> Options {
        self.options.expect("set when a run begins")
    }

    fn thread(&mut self, thread: ThreadId) -> &mut Thread {
        self.threads[thread.index()].as_mut().expect("threads exist from their birth to the end of the run")
    }

    fn resize(&mut self, n: usize) {
        if self.threads.len() < n {
            self.threads.resize_with(n, || None);
            self.pending.resize(n, Op::NONE);
            self.answers.resize(n, 0);
            self.place.resize(n, None);
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
        if self.n_spinning > 0 {
            self.hold_back();
        }
    }

    // SOUND: a thread that is held back would look again and see the same. If that leaves nothing behind, a schedule that
    // lets it is a longer way to the same state; so the user promised, or the search is going to be inconclusive. If
    // nothing else can run it is let go on (see `release`).
    fn hold_back(&mut self) {
        let mut any = false;
        for index in 0..self.pending.len() {
            let Some(Some(Thread { spins_on: Some((obj, _)), held: true, .. })) = self.threads.get(index) else {
                continue;
            };
            if self.pending[index].obj == *obj {
                any |= self.enabled.remove(ThreadId::from(index));
            }
        }
        self.held_back |= any && !self.enabled.is_empty();
    }

    /// Lets threads that were held back go on; says whether there were any.
    fn release(&mut self) -> bool {
        let mut any = false;
        for thread in self.threads.iter_mut().flatten() {
            any |= std::mem::take(&mut thread.held);
        }
        any
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
            _ => self.world.execute(thread, &op),
        };
        if self.n_spinning > 0 {
            self.note_change(thread, &op);
        }
        self.pending[thread.index()] = Op::NONE;
        self.thread(thread).looked_at = None;
    }

    /// Whoever spins on an object that has changed looks afresh.
    fn note_change(&mut self, by: ThreadId, op: &Op) {
        let only_looks = matches!(op.kind, Kind::Read | Kind::OncePeek | Kind::Finished | Kind::SemValue);
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

/// A closure as a subject.
pub(crate) struct Closure {
    body: Arc<dyn Fn() + Send + Sync>,
    stacks: Stacks,
    fibers: Vec<Option<Fiber>>,
    options: Options,
    keep_places: bool,
    /// Whether some run has kept a thread from looking again.
    pub(crate) held_back: bool,
    /// Where the transitions of the last run stand in the source, if asked for.
    pub(crate) places: Vec<String>,
    /// The names of the threads of the last run, if asked for.
    pub(crate) names: Vec<Option<String>>,
}

/// How often threads that were held back are let go on without anything else happening before that counts as running
/// for ever.
const MAX_RELEASES: u32 = 1000;

impl Closure {
    pub(crate) fn new(body: Arc<dyn Fn() + Send + Sync>, stack_bytes: usize, options: Options) -> Self {
        let stacks = Stacks::new(stack_bytes);
        Self {
            body,
            stacks,
            fibers: Vec::new(),
            options,
            keep_places: false,
            held_back: false,
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
        run.resize(n_known);
        run.threads[0] = Some(Thread { name: Some(Cow::Borrowed("main")), ..Thread::default() });
        let body = Arc::clone(&self.body);
        run.newborn.push((ThreadId::MAIN, Box::new(move || body())));
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
            });
        }
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
        if self.failure.is_some() && self.options().panics_end {
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
            return End::Completed;
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
        let trace = run.cursor.take().expect("present until here").finish(end, &run.pending);
        run.clear();
        SPARE.set(Some(run));
        trace
    }
}
