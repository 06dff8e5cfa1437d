//! Random programs over everything the library has: all methods see the final states that all interleavings have.
//!
//! A final state is how a run ended, what each thread learned on the way and what is left in the objects. Programs are
//! small enough for every interleaving to be executed. `BURNSIDE_FUZZ` asks for more programs, `BURNSIDE_SEED` for others.

#![allow(clippy::print_stdout, reason = "campaigns tell how many programs they compared")]
#![allow(unsafe_code, reason = "plain memory is used on the test's own responsibility")]

use burnside_stateless::{End, FailureKind, Method, Symmetry, Trace, Verdict};
use burnside_sync::cell::UnsafeCell;
use burnside_sync::symmetry::{Me, Own, Pool};
use burnside_sync::sync::atomic::{AtomicU64, Ordering, fence};
use burnside_sync::sync::{
    Arc, Barrier, Condvar, Mutex, MutexGuard, Notify, Once, OnceLock, RwLock, Semaphore, Weak, mpsc,
};
use burnside_sync::{Checker, choose, thread};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc as RealArc, PoisonError};
use std::time::Duration;

const MAX_INTERLEAVINGS: u64 = 1_000;
const SHORT: Duration = Duration::from_millis(1);

/// One operation. Objects that come in twos are named by a bit; `own` ones belong to a worker.
#[derive(Clone, PartialEq, Debug)]
enum Action {
    Lock(bool, Vec<Action>),
    TryLock(bool, Vec<Action>),
    LockOwn(Vec<Action>),
    Read(Vec<Action>),
    TryRead,
    Write(Vec<Action>),
    TryWrite,
    Wait,
    WaitTimeout,
    NotifyOne,
    NotifyAll,
    Acquire,
    TryAcquire,
    Release,
    Permits,
    Meet,
    Once(Vec<Action>),
    IsCompleted,
    Set(u64),
    Get,
    Load(bool, Ordering),
    Store(bool, u64, Ordering),
    Add(bool, Ordering),
    Swap(bool, u64, u64),
    Fence(Ordering),
    Park,
    ParkTimeout,
    Unpark,
    Send(u64),
    TrySend(u64),
    Receive,
    TryReceive,
    ReceiveTimeout,
    DropSender,
    DropReceiver,
    Count,
    DropShared,
    Upgrade,
    Unwrap,
    Notify,
    AwaitNotify,
    Touch(bool),
    Choose,
    /// Panics while holding a lock; the thread goes on.
    Poison(bool),
}

/// What all threads share.
struct Shared {
    locks: [Mutex<u64>; 2],
    rw: RwLock<u64>,
    condition: Condvar,
    semaphore: Semaphore,
    barrier: Barrier,
    once: Once,
    cell: OnceLock<u64>,
    atomics: [AtomicU64; 2],
    notify: Notify,
    plain: Plain,
    first: Mutex<Option<thread::Thread>>,
}

struct Plain(UnsafeCell<u64>);

// SAFETY: a run has one real thread, and a data race is an outcome like any other here.
unsafe impl Sync for Plain {}

/// What a thread has to itself.
#[derive(Default)]
struct Private {
    sender: Option<Sender>,
    receiver: Option<mpsc::Receiver<u64>>,
    counted: Option<Arc<u64>>,
    weak: Option<Weak<u64>>,
}

enum Sender {
    Unbounded(mpsc::Sender<u64>),
    Bounded(mpsc::SyncSender<u64>),
}

thread_local! {
    /// What the threads of the run under way have learned, and what is left.
    static LOG: RefCell<Vec<Vec<u64>>> = const { RefCell::new(Vec::new()) };
}

fn note(thread: usize, value: u64) {
    LOG.with_borrow_mut(|log| log[thread].push(value));
}

fn inner<G>(result: Result<G, PoisonError<G>>, thread: usize) -> G {
    result.unwrap_or_else(|poison| {
        note(thread, 99);
        poison.into_inner()
    })
}

struct Interpreter<'a> {
    thread: usize,
    shared: &'a Shared,
    own: Option<&'a Mutex<u64>>,
    private: Private,
}

impl Interpreter<'_> {
    fn all(&mut self, actions: &[Action]) {
        for action in actions {
            self.one(action);
        }
    }

    fn note(&self, value: u64) {
        note(self.thread, value);
    }

    fn under(&mut self, mut guard: MutexGuard<'_, u64>, actions: &[Action]) {
        *guard += 1;
        self.note(*guard);
        self.all(actions);
    }

    fn one(&mut self, action: &Action) {
        let (shared, thread) = (self.shared, self.thread);
        match action {
            Action::Lock(which, actions) => {
                let guard = inner(shared.locks[usize::from(*which)].lock(), thread);
                self.under(guard, actions);
            }
            Action::TryLock(which, actions) => match shared.locks[usize::from(*which)].try_lock() {
                Ok(guard) => self.under(guard, actions),
                Err(_) => self.note(50),
            },
            Action::LockOwn(actions) => {
                if let Some(own) = self.own {
                    let guard = inner(own.lock(), thread);
                    self.under(guard, actions);
                }
            }
            Action::Read(actions) => {
                let guard = inner(shared.rw.read(), thread);
                self.note(*guard);
                self.all(actions);
            }
            Action::TryRead => self.note(shared.rw.try_read().map_or(50, |guard| *guard)),
            Action::Write(actions) => {
                let mut guard = inner(shared.rw.write(), thread);
                *guard += 1;
                self.all(actions);
            }
            Action::TryWrite => self.note(shared.rw.try_write().map_or(50, |mut guard| {
                *guard += 1;
                *guard
            })),
            Action::Wait | Action::WaitTimeout | Action::NotifyOne | Action::NotifyAll => self.condition(action),
            Action::Acquire => shared.semaphore.acquire(),
            Action::TryAcquire => self.note(u64::from(shared.semaphore.try_acquire())),
            Action::Release => shared.semaphore.release(),
            Action::Permits => self.note(shared.semaphore.available_permits() as u64),
            Action::Meet => self.note(u64::from(shared.barrier.wait().is_leader())),
            Action::Once(actions) => shared.once.call_once_force(|_| {
                self.note(7);
                self.all(actions);
            }),
            Action::IsCompleted => self.note(u64::from(shared.once.is_completed())),
            Action::Set(value) => self.note(u64::from(shared.cell.set(*value).is_ok())),
            Action::Get => self.note(shared.cell.get().copied().unwrap_or(50)),
            Action::Load(..) | Action::Store(..) | Action::Add(..) | Action::Swap(..) | Action::Fence(_) => {
                self.atomic(action);
            }
            Action::Park => thread::park(),
            Action::ParkTimeout => thread::park_timeout(SHORT),
            Action::Unpark => {
                let first = inner(shared.first.lock(), thread).as_ref().copied();
                if let Some(first) = first {
                    first.unpark();
                }
            }
            Action::Notify => shared.notify.notify(),
            Action::AwaitNotify => shared.notify.wait(),
            Action::Touch(writes) => self.touch(*writes),
            Action::Choose => self.note(choose(2) as u64),
            Action::Poison(which) => {
                let result = burnside_sync::panic::catch_unwind(AssertUnwindSafe(|| {
                    let _guard = shared.locks[usize::from(*which)].lock();
                    panic!("on purpose");
                }));
                self.note(u64::from(result.is_err()));
            }
            _ => self.private(action),
        }
    }

    fn condition(&mut self, action: &Action) {
        let (shared, thread) = (self.shared, self.thread);
        match action {
            Action::Wait => {
                let guard = inner(shared.locks[0].lock(), thread);
                let guard = inner(shared.condition.wait(guard), thread);
                self.note(*guard);
            }
            Action::WaitTimeout => {
                let guard = inner(shared.locks[0].lock(), thread);
                let (guard, result) = inner(shared.condition.wait_timeout(guard, SHORT), thread);
                self.note(*guard + 10 * u64::from(result.timed_out()));
            }
            Action::NotifyOne => shared.condition.notify_one(),
            _ => shared.condition.notify_all(),
        }
    }

    fn atomic(&mut self, action: &Action) {
        let atomics = &self.shared.atomics;
        match *action {
            Action::Load(which, order) => self.note(atomics[usize::from(which)].load(order)),
            Action::Store(which, value, order) => atomics[usize::from(which)].store(value, order),
            Action::Add(which, order) => self.note(atomics[usize::from(which)].fetch_add(1, order)),
            Action::Swap(which, expected, value) => {
                let order = (Ordering::AcqRel, Ordering::Relaxed);
                let result = atomics[usize::from(which)].compare_exchange(expected, value, order.0, order.1);
                self.note(result.unwrap_or_else(|other| 20 + other));
            }
            Action::Fence(order) => fence(order),
            _ => unreachable!("the caller has looked"),
        }
    }

    fn touch(&mut self, writes: bool) {
        let plain = &self.shared.plain.0;
        if writes {
            // SAFETY: a run has one real thread.
            plain.with_mut(|value| unsafe { *value += 1 });
        } else {
            // SAFETY: as above.
            self.note(plain.with(|value| unsafe { *value }));
        }
    }

    fn private(&mut self, action: &Action) {
        match action {
            Action::Send(value) => match &self.private.sender {
                Some(Sender::Unbounded(sender)) => self.note(u64::from(sender.send(*value).is_ok())),
                Some(Sender::Bounded(sender)) => self.note(u64::from(sender.send(*value).is_ok())),
                None => {}
            },
            Action::TrySend(value) => {
                if let Some(Sender::Bounded(sender)) = &self.private.sender {
                    self.note(u64::from(sender.try_send(*value).is_ok()));
                }
            }
            Action::Receive => {
                if let Some(receiver) = &self.private.receiver {
                    self.note(receiver.recv().unwrap_or(50));
                }
            }
            Action::TryReceive => {
                if let Some(receiver) = &self.private.receiver {
                    self.note(receiver.try_recv().unwrap_or_else(|error| match error {
                        mpsc::TryRecvError::Empty => 50,
                        mpsc::TryRecvError::Disconnected => 51,
                    }));
                }
            }
            Action::ReceiveTimeout => {
                if let Some(receiver) = &self.private.receiver {
                    self.note(receiver.recv_timeout(SHORT).unwrap_or(50));
                }
            }
            Action::DropSender => drop(self.private.sender.take()),
            Action::DropReceiver => drop(self.private.receiver.take()),
            Action::Count => {
                if let Some(counted) = &self.private.counted {
                    self.note(Arc::strong_count(counted) as u64);
                }
            }
            Action::DropShared => drop(self.private.counted.take()),
            Action::Upgrade => {
                if let Some(weak) = &self.private.weak {
                    self.note(weak.upgrade().map_or(50, |value| *value));
                }
            }
            Action::Unwrap => {
                if let Some(counted) = self.private.counted.take() {
                    self.note(Arc::into_inner(counted).unwrap_or(50));
                }
            }
            _ => unreachable!("everything else is shared"),
        }
    }
}

/// Which sort of program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    /// Every thread is its own.
    Threads,
    /// A pool of workers that run the same.
    Pool,
}

#[derive(Clone, Debug)]
struct Program {
    form: Form,
    threads: Vec<Vec<Action>>,
    /// The room of the channel, if it has bounds.
    bound: Option<usize>,
    permits: usize,
}

impl Program {
    /// Whether some action has this word in its name.
    fn has(&self, word: &str) -> bool {
        format!("{:?}", self.threads).contains(word)
    }
}

struct Generator(fastrand::Rng);

impl Generator {
    fn program(seed: u64, form: Form) -> Program {
        let mut generator = Self(fastrand::Rng::with_seed(seed));
        let n = generator.0.usize(2..=3);
        let n_actions = generator.0.usize(1..=if n == 2 { 3 } else { 1 });
        let template = generator.actions(n_actions, 0);
        let threads = (0..n)
            .map(|_| if form == Form::Pool { template.clone() } else { generator.actions(n_actions, 0) })
            .collect();
        let bound = [None, Some(0), Some(1)][generator.0.usize(..3)];
        Program { form, threads, bound, permits: generator.0.usize(..2) }
    }

    fn actions(&mut self, n: usize, depth: u32) -> Vec<Action> {
        (0..n).map(|_| self.action(depth)).collect()
    }

    fn action(&mut self, depth: u32) -> Action {
        let which = self.0.bool();
        let n = self.0.usize(0..2);
        let nested = if depth < 1 { self.0.u32(..24) } else { 99 };
        match nested {
            0..=2 => Action::Lock(which, self.actions(n, depth + 1)),
            3 => Action::TryLock(which, self.actions(n, depth + 1)),
            4..=5 => Action::LockOwn(self.actions(n, depth + 1)),
            6 => Action::Read(self.actions(n, depth + 1)),
            7 => Action::Write(self.actions(n, depth + 1)),
            8 => Action::Once(self.actions(n, depth + 1)),
            _ => self.flat(which),
        }
    }

    fn order(&mut self, orders: &[Ordering]) -> Ordering {
        orders[self.0.usize(..orders.len())]
    }

    fn flat(&mut self, which: bool) -> Action {
        use Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
        match self.0.u32(..42) {
            0..=2 => Action::Load(which, self.order(&[Relaxed, Acquire, SeqCst])),
            3..=5 => Action::Store(which, self.0.u64(1..3), self.order(&[Relaxed, Release, SeqCst])),
            6 => Action::Add(which, self.order(&[Relaxed, AcqRel, SeqCst])),
            7 => Action::Swap(which, self.0.u64(..2), self.0.u64(1..4)),
            8 => Action::Fence(self.order(&[Acquire, Release, AcqRel, SeqCst])),
            9 => Action::TryRead,
            10 => Action::TryWrite,
            11 => Action::Wait,
            12 => Action::WaitTimeout,
            13 => Action::NotifyOne,
            14 => Action::NotifyAll,
            15 => Action::Acquire,
            16 => Action::TryAcquire,
            17 => Action::Release,
            18 => Action::Permits,
            19 => Action::Meet,
            20 => Action::IsCompleted,
            21 => Action::Set(self.0.u64(1..3)),
            22 => Action::Get,
            23 => Action::Park,
            24 => Action::ParkTimeout,
            25 => Action::Unpark,
            26..=27 => Action::Send(self.0.u64(1..3)),
            28 => Action::TrySend(self.0.u64(1..3)),
            29..=30 => Action::Receive,
            31 => Action::TryReceive,
            32 => Action::ReceiveTimeout,
            33 => Action::DropSender,
            34 => Action::DropReceiver,
            35 => Action::Count,
            36 => Action::DropShared,
            37 => Action::Upgrade,
            38 => Action::Unwrap,
            39 => {
                if which {
                    Action::Notify
                } else {
                    Action::AwaitNotify
                }
            }
            40 => Action::Touch(which),
            _ => {
                if which {
                    Action::Choose
                } else {
                    Action::Poison(false)
                }
            }
        }
    }
}

/// Runs a program; its log is in `LOG` afterwards.
fn body(program: &RealArc<Program>) {
    let n = program.threads.len();
    LOG.set(vec![Vec::new(); n + 1]);
    let shared = RealArc::new(Shared {
        locks: [Mutex::new(0), Mutex::new(0)],
        rw: RwLock::new(0),
        condition: Condvar::new(),
        semaphore: Semaphore::new(program.permits),
        barrier: Barrier::new(n),
        once: Once::new(),
        cell: OnceLock::new(),
        atomics: [AtomicU64::new(0), AtomicU64::new(0)],
        notify: Notify::new(),
        plain: Plain(UnsafeCell::new(0)),
        first: Mutex::new(None),
    });
    match program.form {
        Form::Threads => run_threads(program, &shared),
        Form::Pool => run_pool(program, &shared),
    }
    let left = [
        shared.locks.iter().map(|lock| *inner(lock.lock(), n)).sum::<u64>(),
        *inner(shared.rw.read(), n),
        shared.atomics[0].load(Ordering::Relaxed),
        shared.atomics[1].load(Ordering::Relaxed),
        shared.semaphore.available_permits() as u64,
    ];
    left.into_iter().for_each(|value| note(n, value));
}

fn run_threads(program: &RealArc<Program>, shared: &RealArc<Shared>) {
    let (sender, receiver) = match program.bound {
        None => {
            let (sender, receiver) = mpsc::channel();
            (Sender::Unbounded(sender), receiver)
        }
        Some(bound) => {
            let (sender, receiver) = mpsc::sync_channel(bound);
            (Sender::Bounded(sender), receiver)
        }
    };
    let counted = Arc::new(5);
    let weak = Arc::downgrade(&counted);
    let clone = |sender: &Sender| match sender {
        Sender::Unbounded(sender) => Sender::Unbounded(sender.clone()),
        Sender::Bounded(sender) => Sender::Bounded(sender.clone()),
    };
    // What nobody uses would only multiply the interleavings of its destructors.
    let (sends, counts) =
        (program.has("Send") || program.has("Receive"), program.has("Count") || program.has("Shared"));
    let counts = counts || program.has("Upgrade") || program.has("Unwrap");
    let mut receiver = sends.then_some(receiver);
    let mut handles = Vec::new();
    for number in 0..program.threads.len() {
        let private = Private {
            sender: (number > 0 && sends).then(|| clone(&sender)),
            receiver: receiver.take(),
            counted: counts.then(|| Arc::clone(&counted)),
            weak: counts.then(|| weak.clone()),
        };
        let (program, shared) = (RealArc::clone(program), RealArc::clone(shared));
        handles.push(thread::spawn(move || {
            let mut interpreter = Interpreter { thread: number, shared: &shared, own: None, private };
            interpreter.all(&program.threads[number]);
        }));
    }
    if program.has("Unpark") {
        *shared.first.lock().unwrap_or_else(PoisonError::into_inner) = handles.first().map(|handle| *handle.thread());
    }
    drop((sender, counted, weak));
    handles.into_iter().for_each(|handle| handle.join().unwrap());
}

fn run_pool(program: &RealArc<Program>, shared: &RealArc<Shared>) {
    let mut pool = Pool::new(program.threads.len());
    let own: Own<Mutex<u64>> = pool.own(|| Mutex::new(0));
    // Where a worker's log is is known to the test alone.
    let numbers: Own<u64> = {
        let mut next = 0;
        pool.own(move || {
            next += 1;
            next - 1
        })
    };
    let (program, inside) = (RealArc::clone(program), RealArc::clone(shared));
    let slots = own.clone();
    let work = move |me: Me| {
        let thread = *numbers.of(me) as usize;
        let private = Private::default();
        let mut interpreter = Interpreter { thread, shared: &inside, own: Some(slots.of(me)), private };
        interpreter.all(&program.threads[0]);
    };
    pool.start(work).join();
    drop(own.sorted(|lock| *lock.lock().unwrap_or_else(PoisonError::into_inner)));
}

/// How a run ended, and the log; of a pool up to an exchange of its workers.
type Final = (&'static str, Vec<Vec<u64>>);

fn explore(program: &Program, checker: Checker, limit: u64) -> Option<BTreeSet<Final>> {
    let seen = RealArc::new(std::sync::Mutex::new(BTreeSet::new()));
    let (into, form) = (RealArc::clone(&seen), program.form);
    let program = RealArc::new(program.clone());
    let watch = move |trace: &Trace| {
        let Some(end) = trace.end.as_ref().filter(|end| !matches!(end, End::Cut(_))) else { return };
        let mut log = LOG.take();
        // What a racy access to plain memory reads is undefined: it is no operation of its own, and equivalent schedules
        // may differ in it.
        if end.word() == FailureKind::Race.word() {
            log.clear();
            into.lock().unwrap().insert((end.word(), log));
            return;
        }
        if form == Form::Pool {
            let last = log.len() - 1;
            log[..last].sort();
        }
        into.lock().unwrap().insert((end.word(), log));
    };
    let report = checker
        .max_executions(limit)
        .keep_going()
        .catch_panics()
        .pure_spins()
        .each_run(watch)
        .run(move || body(&program));
    // A fault is a verdict even if the search was cut short.
    let complete = !matches!(report.verdict, Verdict::Inconclusive(_)) && report.stats.n_executions < limit;
    complete.then(|| std::mem::take(&mut *seen.lock().unwrap()))
}

fn asked(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

/// Compares on so many programs that are small enough; a failure shows the smallest that differs.
fn differ(form: Form, setup: fn() -> Checker) {
    let (mut n_compared, n_wanted) = (0, asked("BURNSIDE_FUZZ", 60));
    let mut smallest: Option<(usize, String)> = None;
    for seed in asked("BURNSIDE_SEED", 0).. {
        if n_compared == n_wanted {
            break;
        }
        let program = Generator::program(seed, form);
        let plain = setup().method(Method::Plain).symmetry(Symmetry::Off);
        let Some(full) = explore(&program, plain, MAX_INTERLEAVINGS) else { continue };
        n_compared += 1;
        let mut complaint = String::new();
        let methods = [Method::Plain, Method::Sleep, Method::Source, Method::Optimal];
        for (method, symmetry) in methods.iter().flat_map(|method| [(method, Symmetry::Off), (method, Symmetry::On)]) {
            if form == Form::Threads && symmetry == Symmetry::On {
                continue;
            }
            let checker = setup().method(method.clone()).symmetry(symmetry);
            let found = explore(&program, checker, u64::MAX).expect("no limit");
            if found != full {
                let missing: Vec<_> = full.difference(&found).take(2).collect();
                let added: Vec<_> = found.difference(&full).take(2).collect();
                let word = method.word();
                let _ = writeln!(complaint, "{word}, symmetry {symmetry:?}: missing {missing:?}, added {added:?}");
            }
        }
        let size = format!("{program:?}").len();
        if !complaint.is_empty() && smallest.as_ref().is_none_or(|(best, _)| size < *best) {
            smallest = Some((size, format!("seed {seed}: {complaint}{program:#?}")));
        }
    }
    if let Some((_, complaint)) = smallest {
        panic!("{complaint}");
    }
    println!("{n_compared} programs compared");
}

#[test]
fn threads_keep_their_final_states() {
    differ(Form::Threads, Checker::new);
}

#[test]
fn pools_keep_their_final_states() {
    differ(Form::Pool, Checker::new);
}

#[test]
fn threads_keep_their_final_states_under_weak_memory() {
    differ(Form::Threads, || Checker::new().weak_memory());
}

#[test]
fn pools_keep_their_final_states_under_weak_memory() {
    differ(Form::Pool, || Checker::new().weak_memory());
}
