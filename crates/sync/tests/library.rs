//! The parts of the library, each by what a program sees of it.

use burnside_stateless::{Method, Report, Symmetry, Verdict};
use burnside_sync::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use burnside_sync::sync::{Arc, Barrier, Condvar, LazyLock, Mutex, Once, OnceLock, RwLock, Semaphore, mpsc};
use burnside_sync::time::{Duration, Instant};
use burnside_sync::{Checker, check, choose, symmetry, thread};
use std::collections::BTreeSet;
use std::sync::Mutex as RealMutex;

/// Everything the runs of a program report through `note`.
fn outcomes<T: Ord + Send + 'static>(body: impl Fn() -> T + Send + Sync + 'static) -> BTreeSet<T> {
    let seen = Arc::new(RealMutex::new(BTreeSet::new()));
    let into = Arc::clone(&seen);
    check(move || {
        let outcome = body();
        into.lock().unwrap().insert(outcome);
    });
    std::mem::take(&mut *seen.lock().unwrap())
}

fn failure(body: impl Fn() + Send + Sync + 'static) -> String {
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| check(body)));
    let payload = result.expect_err("this program fails");
    payload.downcast_ref::<String>().expect("a message").clone()
}

#[test]
fn choices_are_all_explored() {
    assert_eq!(outcomes(|| (choose(2), choose(3))).len(), 6);
}

#[test]
fn scoped_threads_borrow() {
    let sums = outcomes(|| {
        let numbers = [1, 2, 3];
        let total = AtomicUsize::new(0);
        thread::scope(|scope| {
            for number in &numbers {
                let total = &total;
                scope.spawn(move || total.fetch_add(*number, SeqCst));
            }
        });
        total.load(SeqCst)
    });
    assert_eq!(sums, [6].into());
}

#[test]
fn a_token_given_before_park_is_kept() {
    check(|| {
        let main = thread::current();
        let other = thread::spawn(move || main.unpark());
        thread::park();
        other.join().unwrap();
    });
}

#[test]
fn parking_without_a_token_is_a_deadlock() {
    let text = failure(thread::park);
    assert!(text.starts_with("violated under sequential consistency: deadlock"), "{text}");
    assert!(text.contains("waits for ever: park t0"), "{text}");
}

#[test]
fn messages_arrive_in_the_order_of_their_sender() {
    let orders = outcomes(|| {
        let (sender, receiver) = mpsc::channel();
        let workers: Vec<_> = (0..2)
            .map(|worker| {
                let sender = sender.clone();
                thread::spawn(move || (0..2).for_each(|item| sender.send((worker, item)).unwrap()))
            })
            .collect();
        drop(sender);
        let got: Vec<(usize, usize)> = receiver.iter().collect();
        workers.into_iter().for_each(|worker| worker.join().unwrap());
        got
    });
    assert_eq!(orders.len(), 6, "{orders:?}");
    assert!(orders.iter().all(|got| got.iter().filter(|(worker, _)| *worker == 0).map(|(_, item)| *item).eq(0..2)));
}

#[test]
fn a_full_channel_blocks_and_a_rendezvous_waits_for_the_receiver() {
    for bound in [0, 1] {
        check(move || {
            let received = Arc::new(AtomicUsize::new(0));
            let (sender, receiver) = mpsc::sync_channel(bound);
            let counter = Arc::clone(&received);
            let consumer = thread::spawn(move || {
                while receiver.recv().is_ok() {
                    counter.fetch_add(1, SeqCst);
                }
            });
            sender.send(1).unwrap();
            sender.send(2).unwrap();
            drop(sender);
            consumer.join().unwrap();
            assert_eq!(received.load(SeqCst), 2);
        });
    }
}

#[test]
fn sending_to_a_dropped_receiver_fails() {
    check(|| {
        let (sender, receiver) = mpsc::channel();
        drop(receiver);
        assert!(sender.send(1).is_err());
    });
}

#[test]
fn one_thread_of_a_round_leads() {
    check(|| {
        let (barrier, leaders) = (Arc::new(Barrier::new(3)), Arc::new(AtomicUsize::new(0)));
        let workers: Vec<_> = (0..3)
            .map(|_| {
                let (barrier, leaders) = (Arc::clone(&barrier), Arc::clone(&leaders));
                thread::spawn(move || {
                    if barrier.wait().is_leader() {
                        leaders.fetch_add(1, SeqCst);
                    }
                })
            })
            .collect();
        workers.into_iter().for_each(|worker| worker.join().unwrap());
        assert_eq!(leaders.load(SeqCst), 1);
    });
}

#[test]
fn initialisation_happens_once() {
    check(|| {
        let cell = Arc::new((Once::new(), OnceLock::new(), LazyLock::new(|| 7), AtomicUsize::new(0)));
        let workers: Vec<_> = (0..2)
            .map(|i| {
                let cell = Arc::clone(&cell);
                thread::spawn(move || {
                    cell.0.call_once(|| {
                        cell.3.fetch_add(1, SeqCst);
                    });
                    assert_eq!(*cell.2, 7);
                    *cell.1.get_or_init(|| i)
                })
            })
            .collect();
        let values: Vec<usize> = workers.into_iter().map(|worker| worker.join().unwrap()).collect();
        assert_eq!(values[0], values[1]);
        assert_eq!(cell.3.load(SeqCst), 1);
    });
}

#[test]
fn semaphores_count() {
    check(|| {
        let state = Arc::new((Semaphore::new(1), AtomicUsize::new(0)));
        let workers: Vec<_> = (0..3)
            .map(|_| {
                let state = Arc::clone(&state);
                thread::spawn(move || {
                    state.0.acquire();
                    assert_eq!(state.1.fetch_add(1, SeqCst), 0);
                    state.1.fetch_sub(1, SeqCst);
                    state.0.release();
                })
            })
            .collect();
        workers.into_iter().for_each(|worker| worker.join().unwrap());
    });
}

#[test]
fn readers_share_and_writers_do_not() {
    let seen = outcomes(|| {
        let lock = Arc::new(RwLock::new(0));
        let writer = {
            let lock = Arc::clone(&lock);
            thread::spawn(move || *lock.write().unwrap() += 1)
        };
        let first = lock.read().unwrap();
        let second = lock.try_read().map(|second| *second).ok();
        let value = *first;
        drop(first);
        writer.join().unwrap();
        (value, second)
    });
    assert_eq!(seen, [(0, Some(0)), (1, Some(1))].into());
}

#[test]
fn a_deadline_may_pass_before_or_after_the_notification() {
    let seen = outcomes(|| {
        let state = Arc::new((Mutex::new(()), Condvar::new()));
        let other = {
            let state = Arc::clone(&state);
            thread::spawn(move || state.1.notify_one())
        };
        let start = Instant::now();
        let guard = state.0.lock().unwrap();
        let (guard, result) = state.1.wait_timeout(guard, Duration::from_millis(5)).unwrap();
        drop(guard);
        other.join().unwrap();
        (result.timed_out(), start.elapsed().as_millis())
    });
    assert_eq!(seen, [(false, 0), (true, 5)].into());
}

/// The first thread looks at a flag until `max` looks were in vain; the other sets it. What `last` is told is whether
/// the flag was seen.
fn look_at_most(max: usize, last: fn(bool)) -> impl Fn() + Send + Sync + 'static {
    move || {
        let flag = Arc::new(AtomicBool::new(false));
        let other = {
            let flag = Arc::clone(&flag);
            thread::spawn(move || flag.store(true, SeqCst))
        };
        let mut n = 0;
        let seen = loop {
            if flag.load(SeqCst) {
                break true;
            }
            n += 1;
            if n == max {
                break false;
            }
            thread::yield_now();
        };
        last(seen);
        other.join().unwrap();
    }
}

#[test]
fn a_spinning_thread_waits_for_a_change_if_its_looks_leave_nothing_behind() {
    let report = Checker::new().pure_spins().check(look_at_most(usize::MAX, |_| ()));
    assert_eq!((report.verdict, report.stats.n_executions), (Verdict::Holds, 2));
}

#[test]
fn a_thread_that_counts_its_looks_is_not_mistaken_for_one_that_does_not() {
    let must_see = |max| look_at_most(max, |seen| assert!(seen));
    for max in 1..=3 {
        let report = Checker::new().run(must_see(max));
        assert_eq!(report.verdict, Verdict::Violated, "{max} looks");
    }
    // Beyond what is followed the fault is not found, but nothing is claimed either.
    let report = Checker::new().run(must_see(6));
    assert!(matches!(&report.verdict, Verdict::Inconclusive(why) if why.contains("pure_spins")), "{report:?}");
    assert_eq!(Checker::new().max_spins(6).run(must_see(6)).verdict, Verdict::Violated);
    // A loop that ends by itself is covered when every round is followed.
    let report = Checker::new().max_spins(6).run(look_at_most(6, |_| ()));
    assert_eq!((report.verdict, report.stats.n_executions), (Verdict::Holds, 7));
}

#[test]
fn looks_after_a_success_are_counted_afresh() {
    let report = Checker::new().run(|| {
        let lock = Arc::new(AtomicBool::new(false));
        let twice = |lock: Arc<AtomicBool>| {
            move || {
                for _ in 0..2 {
                    while lock.compare_exchange(false, true, SeqCst, SeqCst).is_err() {
                        burnside_sync::hint::spin_loop();
                    }
                    lock.store(false, SeqCst);
                }
            }
        };
        let other = thread::spawn(twice(Arc::clone(&lock)));
        twice(lock)();
        other.join().unwrap();
    });
    assert!(matches!(report.verdict, Verdict::Inconclusive(_)), "{report:?}");
}

#[test]
fn spurious_wakeups_are_an_option() {
    let body = || {
        let state = Arc::new((Mutex::new(false), Condvar::new()));
        let other = {
            let state = Arc::clone(&state);
            thread::spawn(move || {
                *state.0.lock().unwrap() = true;
                state.1.notify_one();
            })
        };
        let mut ready = state.0.lock().unwrap();
        if !*ready {
            ready = state.1.wait(ready).unwrap();
        }
        assert!(*ready);
        drop(ready);
        other.join().unwrap();
    };
    assert_eq!(Checker::new().run(body).verdict, Verdict::Holds);
    assert_eq!(Checker::new().spurious_wakeups(1).run(body).verdict, Verdict::Violated);
    // With the loop that is needed, any number of them does no harm.
    let report = Checker::new().spurious_wakeups(3).run(|| {
        let state = Arc::new((Mutex::new(false), Condvar::new()));
        let other = {
            let state = Arc::clone(&state);
            thread::spawn(move || {
                *state.0.lock().unwrap() = true;
                state.1.notify_one();
            })
        };
        drop(state.1.wait_while(state.0.lock().unwrap(), |ready| !*ready).unwrap());
        other.join().unwrap();
    });
    assert_eq!(report.verdict, Verdict::Holds);
}

#[test]
fn spinning_on_what_nobody_changes_is_divergence() {
    let text = failure(|| {
        let flag = AtomicBool::new(false);
        while !flag.load(SeqCst) {
            thread::yield_now();
        }
    });
    assert!(text.contains("divergence"), "{text}");
}

burnside_sync::thread_local! {
    static COUNTER: std::cell::Cell<u32> = std::cell::Cell::new(0)
}

#[test]
fn thread_locals_belong_to_threads_of_the_program() {
    check(|| {
        let bump = || COUNTER.with(|counter| counter.replace(counter.get() + 1));
        assert_eq!(bump(), 0);
        assert_eq!(thread::spawn(move || (bump(), bump())).join().unwrap(), (0, 1));
        assert_eq!(bump(), 1);
    });
}

#[test]
fn ninety_threads_are_not_too_many() {
    check(|| {
        let workers: Vec<_> = (0..90).map(|i| thread::spawn(move || i)).collect();
        assert_eq!(workers.into_iter().map(|worker| worker.join().unwrap()).sum::<i32>(), 4005);
    });
}

#[test]
fn a_failing_report_has_lanes_places_and_counts() {
    let text = failure(|| {
        let lock = Arc::new(Mutex::new(()));
        let _outer = lock.lock().unwrap();
        let _inner = lock.lock().unwrap();
    });
    for part in ["schedule: 0", "t0 main", "lock #0.1", "library.rs:", "1 execution", "sequential consistency"] {
        assert!(text.contains(part), "`{part}` missing in\n{text}");
    }
}

fn lockers(n: usize, declare: bool) -> Report {
    let symmetry = if declare { Symmetry::On } else { Symmetry::Off };
    Checker::new().symmetry(symmetry).run(move || {
        let total = Arc::new(Mutex::new(0));
        let worker = Arc::clone(&total);
        let workers = symmetry::replicas(n, move || *worker.lock().unwrap() += 1);
        workers.into_iter().for_each(|worker| worker.join().unwrap());
        assert_eq!(*total.lock().unwrap(), n);
    })
}

#[test]
fn interchangeable_lockers_need_one_run() {
    for (n, factorial) in [(2, 2), (3, 6), (4, 24), (5, 120)] {
        assert_eq!(lockers(n, false).stats.n_executions, factorial);
        assert_eq!(lockers(n, true).stats.n_executions, 1);
        assert_eq!(lockers(n, true).verdict, Verdict::Holds);
    }
}

/// The creator may tell apart threads that cannot tell themselves apart, so nothing may be pruned unasked.
#[test]
fn threads_that_only_their_creator_tells_apart_keep_all_outcomes() {
    let seen = outcomes(|| {
        let body = || {
            let start = Instant::now();
            thread::park_timeout(Duration::from_millis(1));
            start.elapsed().is_zero()
        };
        let workers: Vec<_> = (0..2).map(|_| thread::spawn(body)).collect();
        workers.iter().for_each(|worker| worker.thread().unpark());
        workers.into_iter().map(|worker| worker.join().unwrap()).collect::<Vec<bool>>()
    });
    assert_eq!(seen.len(), 4, "{seen:?}");
}

fn table(n: usize, ordered: bool) {
    let forks: Arc<Vec<Mutex<()>>> = Arc::new((0..n).map(|_| Mutex::new(())).collect());
    let diners: Vec<_> = (0..n)
        .map(|i| {
            let forks = Arc::clone(&forks);
            thread::spawn(move || {
                let next = (i + 1) % forks.len();
                let (first, second) = if ordered { (i.min(next), i.max(next)) } else { (i, next) };
                let _first = forks[first].lock().unwrap();
                let _second = forks[second].lock().unwrap();
            })
        })
        .collect();
    let forks: Vec<&dyn symmetry::Object> = forks.iter().map(|fork| fork as &dyn symmetry::Object).collect();
    symmetry::ring(&diners, &forks);
    diners.into_iter().for_each(|diner| diner.join().unwrap());
}

#[test]
fn a_ring_of_philosophers_needs_half_the_runs() {
    let runs = |symmetry| Checker::new().symmetry(symmetry).keep_going().run(|| table(4, false)).stats;
    let (full, half) = (runs(Symmetry::Off), runs(Symmetry::On));
    assert_eq!((full.n_executions, full.n_deadlocks), (15, 1));
    assert!(half.n_executions <= 8 && half.n_deadlocks == 1, "{half:?}");
}

#[test]
fn a_right_declaration_survives_the_check_and_a_wrong_one_does_not() {
    assert!(Checker::new().check_symmetry(20, || table(3, false)).is_ok_and(|n_compared| n_compared == 40));
    let error = Checker::new().check_symmetry(20, || table(3, true)).expect_err("ordered forks break the ring");
    assert!(error.contains("not symmetric") && error.contains("at step"), "{error}");
}

#[test]
fn preemption_bounds_cover_less_and_say_so() {
    let report = Checker::new().max_preemptions(0).run(|| table(3, false));
    assert!(matches!(report.verdict, Verdict::Inconclusive(_)), "{report:?}");
    let report = Checker::new().max_preemptions(2).run(|| table(3, false));
    assert_eq!(report.verdict, Verdict::Violated);
    assert_eq!(Checker::new().method(Method::Plain).run(|| table(2, false)).verdict, Verdict::Violated);
}

#[test]
fn bounds_end_inconclusive() {
    let report = Checker::new().max_executions(2).run(|| table(3, true));
    assert!(matches!(report.verdict, Verdict::Inconclusive(_)), "{report:?}");
    let report = Checker::new().max_depth(3).run(|| table(3, true));
    assert!(matches!(report.verdict, Verdict::Inconclusive(_)), "{report:?}");
    let report = Checker::new().max_time(Duration::ZERO).run(|| table(3, true));
    assert!(matches!(report.verdict, Verdict::Inconclusive(_)), "{report:?}");
}
