//! Plain cells, references, statics, poisoning, futures and replays: each by what a program sees of it.

#![allow(unsafe_code, reason = "plain memory is used on the test's own responsibility")]

use burnside_stateless::{End, Report, Verdict};
use burnside_sync::cell::UnsafeCell;
use burnside_sync::future::{AtomicWaker, block_on};
use burnside_sync::sync::atomic::{AtomicBool, AtomicUsize, Ordering, fence};
use burnside_sync::sync::{Arc, Barrier, Condvar, LazyLock, Mutex, Notify, Once, OnceLock, RwLock, Weak, mpsc};
use burnside_sync::{Checker, thread};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex as RealMutex;
use std::task::Poll;

/// What a search is told.
type Setup = fn() -> Checker;

/// Everything the runs of a program return.
fn outcomes<T: Ord + Send + 'static>(setup: Setup, body: impl Fn() -> T + Send + Sync + 'static) -> BTreeSet<T> {
    let seen = std::sync::Arc::new(RealMutex::new(BTreeSet::new()));
    let into = std::sync::Arc::clone(&seen);
    let report = setup().run(move || {
        let outcome = body();
        into.lock().unwrap().insert(outcome);
    });
    assert_eq!(report.verdict, Verdict::Holds, "{report:?}");
    std::mem::take(&mut *seen.lock().unwrap())
}

fn message(report: &Report) -> String {
    match report.fault.as_ref().and_then(|fault| fault.end.clone()) {
        Some(End::Failed(failure)) => failure.message,
        other => format!("{other:?}"),
    }
}

/// A plain cell that threads share on their own responsibility.
struct Shared(UnsafeCell<u32>);

// SAFETY: what the tests are about; a run in which two threads use it at once is a fault.
unsafe impl Sync for Shared {}

impl Shared {
    fn new() -> Self {
        Self(UnsafeCell::new(0))
    }

    #[track_caller]
    fn get(&self) -> u32 {
        // SAFETY: a run has one real thread.
        self.0.with(|value| unsafe { *value })
    }

    #[track_caller]
    fn set(&self, value: u32) {
        // SAFETY: as above.
        self.0.with_mut(|place| unsafe { *place = value });
    }
}

/// Writes a cell, passes it on by `pass`, and reads it after `take`.
fn passing(pass: fn(&Channel), take: fn(&Channel) -> bool) -> Report {
    Checker::new().run(move || {
        let state = Arc::new((Shared::new(), Channel::default()));
        let other = Arc::clone(&state);
        let writer = thread::spawn(move || {
            other.0.set(1);
            pass(&other.1);
        });
        if take(&state.1) {
            state.0.get();
        }
        writer.join().unwrap();
    })
}

#[derive(Default)]
struct Channel {
    lock: Mutex<bool>,
}

#[test]
fn unordered_accesses_race() {
    let report = passing(|_| (), |_| true);
    assert!(message(&report).starts_with("data race: "), "{report:?}");
    assert!(message(&report).contains("memory.rs:"), "{report:?}");
}

#[test]
fn memory_orders_decide_what_a_flag_orders() {
    use Ordering::{Acquire, Relaxed, Release, SeqCst};
    let by_flag = |store, load| {
        Checker::new().run(move || {
            let state = Arc::new((Shared::new(), AtomicBool::new(false)));
            let other = Arc::clone(&state);
            let writer = thread::spawn(move || {
                other.0.set(1);
                other.1.store(true, store);
            });
            if state.1.load(load) {
                assert_eq!(state.0.get(), 1);
            }
            writer.join().unwrap();
        })
    };
    assert_eq!(by_flag(Release, Acquire).verdict, Verdict::Holds);
    assert_eq!(by_flag(SeqCst, SeqCst).verdict, Verdict::Holds);
    for (store, load) in [(Relaxed, Acquire), (Release, Relaxed), (Relaxed, Relaxed)] {
        assert!(message(&by_flag(store, load)).starts_with("data race: "), "{store:?} {load:?}");
    }
}

#[test]
fn fences_order_what_relaxed_accesses_carry() {
    let with_fences = |release: Option<Ordering>, acquire: Option<Ordering>| {
        Checker::new().run(move || {
            let state = Arc::new((Shared::new(), AtomicBool::new(false)));
            let other = Arc::clone(&state);
            let writer = thread::spawn(move || {
                other.0.set(1);
                if let Some(order) = release {
                    fence(order);
                }
                other.1.store(true, Ordering::Relaxed);
            });
            if state.1.load(Ordering::Relaxed) {
                if let Some(order) = acquire {
                    fence(order);
                }
                assert_eq!(state.0.get(), 1);
            }
            writer.join().unwrap();
        })
    };
    assert_eq!(with_fences(Some(Ordering::Release), Some(Ordering::Acquire)).verdict, Verdict::Holds);
    assert_eq!(with_fences(Some(Ordering::SeqCst), Some(Ordering::SeqCst)).verdict, Verdict::Holds);
    assert!(message(&with_fences(None, Some(Ordering::Acquire))).starts_with("data race: "));
    assert!(message(&with_fences(Some(Ordering::Release), None)).starts_with("data race: "));
}

#[test]
fn an_update_carries_on_what_it_replaces_and_a_store_does_not() {
    let relay = |update: bool| {
        Checker::new().run(move || {
            let state = Arc::new((Shared::new(), AtomicUsize::new(0)));
            let (first, second) = (Arc::clone(&state), Arc::clone(&state));
            let writer = thread::spawn(move || {
                first.0.set(1);
                first.1.store(1, Ordering::Release);
            });
            let relay = thread::spawn(move || {
                if update {
                    second.1.fetch_add(1, Ordering::Relaxed);
                } else if second.1.load(Ordering::Relaxed) == 1 {
                    second.1.store(2, Ordering::Relaxed);
                }
            });
            if state.1.load(Ordering::Acquire) == 2 {
                state.0.get();
            }
            writer.join().unwrap();
            relay.join().unwrap();
        })
    };
    assert_eq!(relay(true).verdict, Verdict::Holds);
    assert!(message(&relay(false)).starts_with("data race: "));
}

#[test]
fn locks_and_messages_order_cells() {
    let by_lock = passing(|channel| *channel.lock.lock().unwrap() = true, |channel| *channel.lock.lock().unwrap());
    assert_eq!(by_lock.verdict, Verdict::Holds, "{by_lock:?}");
    // A lock that both take orders nothing by itself.
    let unasked = passing(|channel| drop(channel.lock.lock()), |channel| channel.lock.lock().is_ok());
    assert!(message(&unasked).starts_with("data race: "), "{unasked:?}");
    let by_message = Checker::new().run(|| {
        let cell = Arc::new(Shared::new());
        let (sender, receiver) = mpsc::channel();
        let other = Arc::clone(&cell);
        let writer = thread::spawn(move || {
            other.set(1);
            sender.send(()).unwrap();
        });
        receiver.recv().unwrap();
        assert_eq!(cell.get(), 1);
        writer.join().unwrap();
    });
    assert_eq!(by_message.verdict, Verdict::Holds, "{by_message:?}");
}

#[test]
fn readers_do_not_order_each_other_but_the_writer_after_them() {
    let report = Checker::new().run(|| {
        let state = Arc::new((RwLock::new(()), Shared::new()));
        let readers: Vec<_> = (0..2)
            .map(|_| {
                let state = Arc::clone(&state);
                thread::spawn(move || {
                    let _guard = state.0.read().unwrap();
                    state.1.get();
                })
            })
            .collect();
        let guard = state.0.write().unwrap();
        state.1.set(1);
        drop(guard);
        readers.into_iter().for_each(|reader| reader.join().unwrap());
    });
    assert_eq!(report.verdict, Verdict::Holds, "{report:?}");
    // Writing under a shared lock is a race of two that hold it.
    let report = Checker::new().run(|| {
        let state = Arc::new((RwLock::new(()), Shared::new()));
        let other = Arc::clone(&state);
        let writer = thread::spawn(move || {
            let _guard = other.0.read().unwrap();
            other.1.set(1);
        });
        {
            let _guard = state.0.read().unwrap();
            state.1.set(2);
        }
        writer.join().unwrap();
    });
    assert!(message(&report).starts_with("data race: "), "{report:?}");
}

#[test]
fn barriers_park_and_once_order_cells() {
    let report = Checker::new().run(|| {
        let state = Arc::new((Shared::new(), Barrier::new(2), Shared::new(), OnceLock::new()));
        let other = Arc::clone(&state);
        let main = thread::current();
        let worker = thread::spawn(move || {
            other.0.set(1);
            other.1.wait();
            other.3.get_or_init(|| other.2.set(2));
            main.unpark();
        });
        state.1.wait();
        assert_eq!(state.0.get(), 1);
        if state.3.get().is_some() {
            assert_eq!(state.2.get(), 2);
        }
        thread::park();
        assert_eq!(state.2.get(), 2);
        worker.join().unwrap();
    });
    assert_eq!(report.verdict, Verdict::Holds, "{report:?}");
}

#[test]
fn an_access_lasts_while_its_pointer_is_lent() {
    let report = Checker::new().run(|| {
        let state = Arc::new((Shared::new(), Mutex::new(())));
        let other = Arc::clone(&state);
        let worker = thread::spawn(move || {
            drop(other.1.lock());
            other.0.set(1);
        });
        // The lock is given up while the pointer is still in use.
        state.0.0.with(|_| drop(state.1.lock()));
        worker.join().unwrap();
    });
    assert!(message(&report).starts_with("data race: "), "{report:?}");
}

#[test]
fn the_number_of_references_depends_on_the_schedule() {
    let counts = outcomes(Checker::new, || {
        let first = Arc::new(());
        let second = Arc::clone(&first);
        let worker = thread::spawn(move || drop(second));
        let count = Arc::strong_count(&first);
        worker.join().unwrap();
        count
    });
    assert_eq!(counts, [1, 2].into());
}

#[test]
fn the_last_reference_may_be_unwrapped_by_whoever_is_last() {
    let seen = outcomes(Checker::new, || {
        let first = Arc::new(7);
        let second = Arc::clone(&first);
        let worker = thread::spawn(move || Arc::into_inner(second));
        let own = Arc::into_inner(first);
        (own, worker.join().unwrap())
    });
    assert_eq!(seen, [(Some(7), None), (None, Some(7))].into());
    let unwrapped = outcomes(Checker::new, || {
        let first = Arc::new(7);
        let second = Arc::clone(&first);
        let worker = thread::spawn(move || drop(second));
        let result = Arc::try_unwrap(first).is_ok();
        worker.join().unwrap();
        result
    });
    assert_eq!(unwrapped, [false, true].into());
}

#[test]
fn a_weak_reference_is_upgraded_while_there_is_another() {
    let seen = outcomes(Checker::new, || {
        let first = Arc::new(7);
        let weak = Arc::downgrade(&first);
        let worker = thread::spawn(move || drop(first));
        let upgraded = weak.upgrade().is_some();
        worker.join().unwrap();
        (upgraded, weak.upgrade().is_some())
    });
    assert_eq!(seen, [(false, false), (true, false)].into());
}

/// The destructor takes a lock, so it matters who drops the last reference and what he holds then.
#[test]
fn a_destructor_that_waits_is_explored_in_every_thread() {
    struct Locks(Arc<Mutex<()>>);
    impl Drop for Locks {
        fn drop(&mut self) {
            drop(self.0.lock());
        }
    }
    let report = Checker::new().run(|| {
        let lock = Arc::new(Mutex::new(()));
        let first = Arc::new(Locks(Arc::clone(&lock)));
        let second = Arc::clone(&first);
        let worker = thread::spawn(move || drop(second));
        {
            let _guard = lock.lock().unwrap();
            drop(first);
        }
        worker.join().unwrap();
    });
    assert_eq!(report.verdict, Verdict::Violated, "{report:?}");
    assert_eq!(report.fault.and_then(|fault| fault.end), Some(End::Deadlock));
}

/// As it is as long as nobody looks: workers that drop their references at the end are not told apart by it.
#[test]
fn references_that_nobody_counts_cost_nothing() {
    let report = Checker::new().run(|| {
        let total = Arc::new(AtomicUsize::new(0));
        let workers: Vec<_> = (0..4)
            .map(|_| {
                let total = Arc::clone(&total);
                thread::spawn(move || drop(total))
            })
            .collect();
        workers.into_iter().for_each(|worker| worker.join().unwrap());
    });
    assert_eq!((report.verdict, report.stats.n_executions), (Verdict::Holds, 1));
    // Counted after all are joined, the order of the drops still does not matter.
    let report = Checker::new().run(|| {
        let total = Arc::new(0);
        let workers: Vec<_> = (0..4)
            .map(|_| {
                let total = Arc::clone(&total);
                thread::spawn(move || drop(total))
            })
            .collect();
        workers.into_iter().for_each(|worker| worker.join().unwrap());
        assert_eq!(Arc::try_unwrap(total), Ok(0));
    });
    assert_eq!((report.verdict, report.stats.n_executions), (Verdict::Holds, 1));
}

#[test]
fn what_is_never_dropped_is_a_leak_if_asked_for() {
    let cycle = || {
        struct Node(Mutex<Option<Arc<Node>>>);
        let node = Arc::new(Node(Mutex::new(None)));
        *node.0.lock().unwrap() = Some(Arc::clone(&node));
    };
    assert_eq!(Checker::new().run(cycle).verdict, Verdict::Holds);
    let report = Checker::new().check_leaks().run(cycle);
    assert!(message(&report).contains("leak: references to what was made at"), "{report:?}");
    let report = Checker::new().check_leaks().run(|| {
        let first = Arc::new(1);
        let weak = Arc::downgrade(&first);
        let raw = Arc::into_raw(Arc::clone(&first));
        // SAFETY: made just above.
        drop(unsafe { Arc::from_raw(raw) });
        drop(first);
        assert!(weak.upgrade().is_none());
    });
    assert_eq!(report.verdict, Verdict::Holds, "{report:?}");
}

#[test]
fn references_to_traits_and_slices_come_from_std() {
    let report = Checker::new().run(|| {
        let shown: Arc<dyn std::fmt::Display> = Arc::from_std(std::sync::Arc::new(7));
        let numbers: Arc<[u32]> = vec![1, 2].into();
        let weak: Weak<[u32]> = Arc::downgrade(&numbers);
        assert_eq!((shown.to_string().as_str(), weak.upgrade().map(|numbers| numbers.len())), ("7", Some(2)));
    });
    assert_eq!(report.verdict, Verdict::Holds, "{report:?}");
}

burnside_sync::statics! {
    static TOTAL: Mutex<usize> = Mutex::new(0);
    static LAZY: LazyLock<AtomicUsize> = LazyLock::new(|| AtomicUsize::new(5));
    static BEGUN: AtomicUsize = AtomicUsize::new(0);
}

#[test]
fn statics_are_fresh_in_every_run() {
    let seen = outcomes(Checker::new, || {
        let worker = thread::spawn(|| {
            let order = BEGUN.fetch_add(1, Ordering::SeqCst);
            *TOTAL.lock().unwrap() += 1;
            LAZY.fetch_add(1, Ordering::SeqCst);
            order
        });
        let order = BEGUN.fetch_add(1, Ordering::SeqCst);
        *TOTAL.lock().unwrap() += 1;
        LAZY.fetch_add(1, Ordering::SeqCst);
        let other = worker.join().unwrap();
        assert_eq!((*TOTAL.lock().unwrap(), LAZY.load(Ordering::SeqCst)), (2, 7));
        (order, other)
    });
    assert_eq!(seen, [(0, 1), (1, 0)].into());
}

/// A static named by whoever uses it first would have two names, and the two orders would pass for unrelated.
#[test]
fn statics_are_named_apart_from_who_makes_them() {
    let deadlock = Checker::new().run(|| {
        burnside_sync::statics! {
            static FIRST: Mutex<()> = Mutex::new(());
            static SECOND: Mutex<()> = Mutex::new(());
        }
        let worker = thread::spawn(|| {
            let _second = SECOND.lock().unwrap();
            let _first = FIRST.lock().unwrap();
        });
        {
            let _first = FIRST.lock().unwrap();
            let _second = SECOND.lock().unwrap();
        }
        worker.join().unwrap();
    });
    assert_eq!(deadlock.fault.and_then(|fault| fault.end), Some(End::Deadlock));
}

burnside_sync::thread_local! {
    static SENDER: std::cell::RefCell<Option<mpsc::Sender<u32>>> = const { std::cell::RefCell::new(None) };
    static COUNT: std::cell::Cell<u32> = const { std::cell::Cell::new(3) };
}

#[test]
fn thread_locals_are_dropped_when_their_thread_ends() {
    let report = Checker::new().run(|| {
        let (sender, receiver) = mpsc::channel();
        let worker = thread::spawn(move || SENDER.set(Some(sender)));
        // Without the drop this would wait for ever.
        assert!(receiver.recv().is_err());
        worker.join().unwrap();
        assert_eq!((COUNT.replace(4), COUNT.get(), COUNT.take()), (3, 4, 4));
    });
    assert_eq!(report.verdict, Verdict::Holds, "{report:?}");
}

#[test]
fn panics_poison_as_in_std() {
    let report = Checker::new().catch_panics().run(|| {
        let state =
            Arc::new((Mutex::new(0), RwLock::new(0), Once::new(), LazyLock::new(|| -> u32 { panic!("never") })));
        let other = Arc::clone(&state);
        let worker = thread::spawn(move || {
            let _mutex = other.0.lock().unwrap();
            let _rw = other.1.write().unwrap();
            other.2.call_once(|| panic!("on purpose"));
        });
        assert!(worker.join().is_err());
        assert!(state.0.is_poisoned() && state.0.lock().is_err() && state.1.read().is_err());
        state.0.clear_poison();
        assert!(state.0.lock().is_ok());
        state.1.clear_poison();
        assert!(state.1.write().is_ok());
        assert!(catch_unwind(AssertUnwindSafe(|| state.2.call_once(|| ()))).is_err());
        let mut was_poisoned = false;
        state.2.call_once_force(|once| was_poisoned = once.is_poisoned());
        assert!(was_poisoned && state.2.is_completed());
        assert!(catch_unwind(AssertUnwindSafe(|| *state.3)).is_err());
        assert!(catch_unwind(AssertUnwindSafe(|| *state.3)).is_err());
    });
    assert_eq!(report.verdict, Verdict::Holds, "{report:?}");
    // The first thread's own panic stays a fault.
    let report = Checker::new().catch_panics().run(|| panic!("main"));
    assert!(message(&report).starts_with("main at"), "{report:?}");
}

#[test]
fn notifications_are_kept_and_do_not_pile_up() {
    let report = Checker::new().run(|| {
        let notify = Arc::new(Notify::new());
        let other = Arc::clone(&notify);
        let worker = thread::spawn(move || other.notify());
        notify.wait();
        worker.join().unwrap();
    });
    assert_eq!(report.verdict, Verdict::Holds, "{report:?}");
    let report = Checker::new().run(|| {
        let notify = Notify::new();
        notify.notify();
        notify.notify();
        notify.wait();
        notify.wait();
    });
    assert_eq!(report.fault.and_then(|fault| fault.end), Some(End::Deadlock));
}

/// Registers before or after looking: the second misses the wake-up.
fn waiting(register_first: bool) -> Report {
    Checker::new().run(move || {
        let state = Arc::new((AtomicBool::new(false), AtomicWaker::new()));
        let other = Arc::clone(&state);
        let worker = thread::spawn(move || {
            other.0.store(true, Ordering::SeqCst);
            other.1.wake();
        });
        block_on(std::future::poll_fn(|context| {
            if register_first {
                state.1.register(context.waker());
            }
            if state.0.load(Ordering::SeqCst) {
                return Poll::Ready(());
            }
            state.1.register(context.waker());
            Poll::Pending
        }));
        worker.join().unwrap();
    })
}

#[test]
fn a_future_that_misses_its_wake_up_is_a_deadlock() {
    assert_eq!(waiting(true).verdict, Verdict::Holds);
    assert_eq!(waiting(false).fault.and_then(|fault| fault.end), Some(End::Deadlock));
    let report = Checker::new().run(|| assert_eq!(block_on(async { 1 + async { 2 }.await }), 3));
    assert_eq!(report.verdict, Verdict::Holds);
}

#[test]
fn bounded_channels_are_full_when_they_are() {
    let seen = outcomes(Checker::new, || {
        let (sender, receiver) = mpsc::sync_channel(1);
        let worker = thread::spawn(move || receiver.recv().unwrap());
        sender.send(1).unwrap();
        let second = sender.try_send(2).is_ok();
        (second, worker.join().unwrap())
    });
    assert_eq!(seen, [(false, 1), (true, 1)].into());
}

#[test]
fn condition_variables_work_with_any_guard() {
    let report = Checker::new().run(|| {
        let state = Arc::new((Mutex::new(0), Condvar::new()));
        let other = Arc::clone(&state);
        let worker = thread::spawn(move || {
            *other.0.lock().unwrap() = 1;
            other.1.notify_all();
        });
        let guard = state.1.wait_while(state.0.lock().unwrap(), |value| *value == 0).unwrap();
        assert_eq!(*guard, 1);
        drop(guard);
        worker.join().unwrap();
    });
    assert_eq!(report.verdict, Verdict::Holds, "{report:?}");
}
