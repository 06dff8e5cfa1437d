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
use std::any::{Any, TypeId};
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// What a thread of the program is, to the runtime.
struct Thread {
    name: Option<String>,
    /// The number of objects created so far.
    n_objects: u32,
    /// Virtual time.
    now: Duration,
    /// The object looked at by the last operation, if it only looked, and its version then.
    looked_at: Option<(ObjId, u32)>,
    /// Set when the thread yields after looking: it waits for another version.
    waits_for_change: Option<(ObjId, u32)>,
    locals: FxHashMap<usize, Rc<dyn Any>>,
}

impl Thread {
    fn new(name: Option<String>, now: Duration) -> Self {
        let locals = FxHashMap::default();
        Self { name, n_objects: 0, now, looked_at: None, waits_for_change: None, locals }
    }
}

/// Threads spawned in a row that nothing distinguishes.
struct Clones {
    parent: ThreadId,
    depth: usize,
    code: TypeId,
    threads: Vec<ThreadId>,
}

/// The state of a run.
#[derive(Default)]
pub(crate) struct Run {
    cursor: Option<Cursor>,
    world: World,
    threads: Vec<Option<Thread>>,
    pending: Vec<Op>,
    answers: Vec<u64>,
    current: ThreadId,
    newborn: Vec<(ThreadId, Body)>,
    versions: FxHashMap<ObjId, u32>,
    clones: Option<Clones>,
    failure: Option<Failure>,
    /// Whether a panic ends the run at once.
    panics_end: bool,
    /// Where each transition stands in the source, when asked for.
    places: Option<Vec<&'static Location<'static>>>,
    place: Vec<Option<&'static Location<'static>>>,
}

thread_local! {
    static RUN: RefCell<Option<Run>> = const { RefCell::new(None) };
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
    let place = Location::caller();
    let me = with(|run| {
        let me = run.current;
        run.pending[me.index()] = op;
        run.place[me.index()] = Some(place);
        me
    });
    suspend();
    with(|run| run.answers[me.index()])
}

/// As [`perform`], for destructors: outside a run, or when a panic is about to end the run, nothing happens. A coroutine
/// that is unwinding must not be suspended for good, since the panic would stay counted.
#[track_caller]
pub(crate) fn perform_in_drop(op: Op) -> u64 {
    if is_active() && !with(|run| run.panics_end && run.failure.is_some()) { perform(op) } else { 0 }
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
        let me = run.current;
        let thread = run.thread(me);
        thread.waits_for_change = thread.looked_at;
    });
}

/// Notes that the last operation of the running thread, on `obj`, changed nothing.
pub(crate) fn only_looked(obj: ObjId) {
    with(|run| {
        let version = run.versions.get(&obj).copied().unwrap_or(0);
        let me = run.current;
        run.thread(me).looked_at = Some((obj, version));
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
    with(|run| run.thread(thread).name.clone())
}

/// Declares a symmetry.
pub(crate) fn declare(family: Family) {
    with(|run| run.cursor.as_mut().expect("present while the program runs").declare(family));
}

/// Creates a thread. `code` identifies what it runs if nothing else distinguishes it from its like.
pub(crate) fn spawn(name: Option<String>, code: Option<TypeId>, body: Body) -> ThreadId {
    with(|run| {
        let me = run.current;
        let child = run.cursor.as_mut().expect("present while the program runs").born(me);
        let now = run.thread(me).now;
        run.resize(child.index() + 1);
        run.threads[child.index()] = Some(Thread::new(name, now));
        run.newborn.push((child, body));
        run.note_clone(me, child, code);
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
        self.versions.clear();
        self.current = ThreadId::MAIN;
        self.clones = None;
        self.failure = None;
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

    // SOUND: threads without captured state that run the same code, created in one transition by one thread, differ in
    // nothing but their names.
    fn note_clone(&mut self, parent: ThreadId, child: ThreadId, code: Option<TypeId>) {
        let depth = self.cursor.as_ref().map_or(0, Cursor::depth);
        match (&mut self.clones, code) {
            (Some(clones), Some(code)) if (clones.parent, clones.depth, clones.code) == (parent, depth, code) => {
                clones.threads.push(child);
            }
            (_, code) => {
                self.declare_clones();
                self.clones = code.map(|code| Clones { parent, depth, code, threads: vec![child] });
            }
        }
    }

    fn declare_clones(&mut self) {
        if let Some(clones) = self.clones.take().filter(|clones| clones.threads.len() > 1) {
            let family = Family::interchange(&clones.threads);
            self.cursor.as_mut().expect("present while the program runs").declare(family);
        }
    }

    fn enabled(&mut self) -> ThreadSet {
        let mut enabled = ThreadSet::new();
        for index in 0..self.pending.len() {
            let thread = ThreadId::from(index);
            let op = self.pending[index];
            if op.kind != Kind::None && self.world.enabled(thread, &op) && !self.waits_for_change(index, &op) {
                enabled.insert(thread);
            }
        }
        enabled
    }

    // SOUND: a thread that yielded after looking would look again and see the same, so a schedule that lets it is a
    // longer way to the same state, for programs whose number of looks does not matter. If nothing else can run it is
    // let go on (see `release`).
    fn waits_for_change(&self, index: usize, op: &Op) -> bool {
        let Some(Some(thread)) = self.threads.get(index) else { return false };
        let version = |obj: ObjId| self.versions.get(&obj).copied().unwrap_or(0);
        thread.waits_for_change.is_some_and(|(obj, seen)| obj == op.obj && version(obj) == seen)
    }

    /// Lets threads that wait for a change go on; says whether there were any.
    fn release(&mut self) -> bool {
        let mut any = false;
        for thread in self.threads.iter_mut().flatten() {
            any |= thread.waits_for_change.take().is_some();
        }
        any
    }

    fn execute(&mut self, thread: ThreadId, choice: u32, op: Op) {
        self.current = thread;
        if let Some(cursor) = &mut self.cursor {
            cursor.remark(self.world.surplus(&op));
        }
        let answer = self.world.execute(thread, &op);
        self.answers[thread.index()] = if op.kind == Kind::Choose { u64::from(choice) } else { answer };
        if !matches!(op.kind, Kind::Read | Kind::OncePeek | Kind::Finished | Kind::SemValue) {
            for obj in [op.obj, op.obj2].into_iter().filter(|obj| !obj.is_none()) {
                *self.versions.entry(obj).or_insert(0) += 1;
            }
        }
        self.pending[thread.index()] = Op::NONE;
        let state = self.thread(thread);
        state.looked_at = None;
        state.waits_for_change = None;
    }
}

/// A closure as a subject.
pub(crate) struct Closure {
    body: Arc<dyn Fn() + Send + Sync>,
    stacks: Stacks,
    fibers: Vec<Option<Fiber>>,
    panics_end: bool,
    keep_places: bool,
    /// The state of the last run, for its memory.
    spare: Option<Run>,
    /// Where the transitions of the last run stand in the source.
    pub(crate) places: Vec<String>,
    /// The names of the threads of the last run.
    pub(crate) names: Vec<Option<String>>,
}

/// How often threads that wait for a change are let go on without anything else happening before that counts as
/// running for ever.
const MAX_RELEASES: u32 = 1000;

impl Closure {
    pub(crate) fn new(body: Arc<dyn Fn() + Send + Sync>, stack_bytes: usize, panics_end: bool) -> Self {
        let stacks = Stacks::new(stack_bytes);
        Self {
            body,
            stacks,
            fibers: Vec::new(),
            panics_end,
            keep_places: false,
            spare: None,
            places: Vec::new(),
            names: Vec::new(),
        }
    }

    /// Keeps the source places of the following runs.
    pub(crate) fn keep_places(mut self) -> Self {
        self.keep_places = true;
        self
    }

    fn begin(&mut self, cursor: Cursor) {
        let n_known = cursor.plan().births.len();
        let mut run = self.spare.take().unwrap_or_default();
        run.cursor = Some(cursor);
        run.panics_end = self.panics_end;
        run.places = self.keep_places.then(Vec::new);
        run.resize(n_known);
        run.threads[0] = Some(Thread::new(Some("main".to_owned()), Duration::ZERO));
        let body = Arc::clone(&self.body);
        run.newborn.push((ThreadId::MAIN, Box::new(move || body())));
        let outer = RUN.replace(Some(run));
        assert!(outer.is_none(), "`check` inside `check`");
    }

    /// Runs a thread to its next visible operation or its end, and with it the threads it creates.
    fn advance(&mut self, thread: ThreadId) {
        self.resume(thread);
        while let Some((child, body)) =
            with(|run| if run.newborn.is_empty() { None } else { Some(run.newborn.remove(0)) })
        {
            if self.fibers.len() <= child.index() {
                self.fibers.resize_with(child.index() + 1, || None);
            }
            let guarded = move || drop(catch_unwind(AssertUnwindSafe(body)));
            self.fibers[child.index()] = Some(Fiber::new(self.stacks, Box::new(guarded)));
            self.resume(child);
        }
    }

    fn resume(&mut self, thread: ThreadId) {
        with(|run| run.current = thread);
        let Some(fiber) = self.fibers.get_mut(thread.index()).and_then(Option::as_mut) else { return };
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
        self.advance(ThreadId::MAIN);
        let mut n_releases = 0;
        loop {
            let next = with(|run| run.next(&mut n_releases));
            match next {
                Ok(thread) => self.advance(thread),
                Err(end) => return end,
            }
        }
    }
}

impl Run {
    /// Executes the next transition; returns its thread, or how the run ends.
    fn next(&mut self, n_releases: &mut u32) -> Result<ThreadId, End> {
        if self.panics_end
            && let Some(failure) = self.failure.take()
        {
            return Err(End::Failed(failure));
        }
        self.declare_clones();
        for op in &mut self.pending {
            *op = self.world.label(op);
        }
        let mut enabled = self.enabled();
        if enabled.is_empty() && *n_releases < MAX_RELEASES && self.release() {
            *n_releases += 1;
            enabled = self.enabled();
        }
        if enabled.is_empty() {
            return Err(self.quiet_end(*n_releases));
        }
        let cursor = self.cursor.as_mut().expect("present while the program runs");
        match cursor.next(self.current, &enabled, &self.pending) {
            Step::Cut(cut) => Err(End::Cut(cut)),
            Step::Run(pick) => {
                let op = self.pending[pick.thread.index()];
                if let (Some(places), Some(place)) = (&mut self.places, self.place[pick.thread.index()]) {
                    places.push(place);
                }
                self.execute(pick.thread, pick.choice, op);
                Ok(pick.thread)
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
        match self.threads.iter().position(|thread| thread.as_ref().is_some_and(|t| t.waits_for_change.is_some())) {
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
        let text = |place: &&'static Location<'static>| format!("{}:{}", place.file(), place.line());
        self.places = run.places.iter().flatten().map(text).collect();
        self.names = run.threads.iter().map(|thread| thread.as_ref().and_then(|thread| thread.name.clone())).collect();
        let trace = run.cursor.take().expect("present until here").finish(end, &run.pending);
        run.clear();
        self.spare = Some(run);
        trace
    }
}
