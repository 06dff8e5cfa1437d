//! Shapes of real code: queues, pools, caches, futures and lock-free structures, each right and with a usual mistake.

use std::collections::VecDeque;
use std::time::Duration;

use burnside_stateless::{End, Method, Report, Verdict};
use burnside_sync::cell::UnsafeCell;
use burnside_sync::future::{AtomicWaker, block_on};
use burnside_sync::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use burnside_sync::sync::{
    Arc, Barrier, Condvar, Mutex, Notify, OnceLock, RwLock, Semaphore, TryLockError, Weak, mpsc,
};
use burnside_sync::{Checker, thread};

fn word(report: &Report) -> &'static str {
    match (&report.verdict, &report.fault) {
        (Verdict::Holds, None) => "holds",
        (Verdict::Violated, Some(fault)) => fault.end.as_ref().map_or("", End::word),
        _ => "inconclusive",
    }
}

/// The answer by every method, without and with `catch_panics` and leak checks, which change nothing about these.
fn expect(expected: &str, body: fn()) {
    for method in [Method::Optimal, Method::Source, Method::Sleep] {
        let report = Checker::new().method(method.clone()).run(body);
        assert_eq!(word(&report), expected, "by {}: {report:?}", method.word());
    }
}

/// A queue with room for one; `wakes_all` says how its one condition is used.
struct Queue {
    items: Mutex<VecDeque<usize>>,
    changed: Condvar,
    wakes_all: bool,
}

impl Queue {
    fn new(wakes_all: bool) -> Arc<Queue> {
        Arc::new(Queue { items: Mutex::new(VecDeque::new()), changed: Condvar::new(), wakes_all })
    }

    fn wake(&self) {
        if self.wakes_all {
            self.changed.notify_all();
        } else {
            self.changed.notify_one();
        }
    }

    fn put(&self, item: usize) {
        let mut items = self.changed.wait_while(self.items.lock().unwrap(), |items| items.len() == 1).unwrap();
        items.push_back(item);
        self.wake();
    }

    fn take(&self) -> usize {
        let mut items = self.changed.wait_while(self.items.lock().unwrap(), |items| items.is_empty()).unwrap();
        let item = items.pop_front().unwrap();
        self.wake();
        item
    }
}

#[test]
fn a_bounded_queue_delivers_in_order() {
    expect("holds", || {
        let queue = Queue::new(false);
        let sender = Arc::clone(&queue);
        let producer = thread::spawn(move || (0..3).for_each(|i| sender.put(i)));
        (0..3).for_each(|i| assert_eq!(queue.take(), i));
        producer.join().unwrap();
    });
}

fn two_at_each_end(wakes_all: bool) {
    let queue = Queue::new(wakes_all);
    let workers: Vec<_> = (0..3)
        .map(|i| {
            let queue = Arc::clone(&queue);
            thread::spawn(move || if i == 0 { (0..2).for_each(|i| queue.put(i)) } else { drop(queue.take()) })
        })
        .collect();
    workers.into_iter().for_each(|worker| worker.join().unwrap());
}

#[test]
fn one_condition_for_two_predicates_needs_all_to_wake() {
    expect("deadlock", || two_at_each_end(false));
    expect("holds", || two_at_each_end(true));
}

fn shut_down(under_lock: bool) {
    let shared = Arc::new((Mutex::new(()), Condvar::new(), AtomicBool::new(false)));
    let other = Arc::clone(&shared);
    let worker = thread::spawn(move || {
        let (lock, wake, stop) = &*other;
        drop(wake.wait_while(lock.lock().unwrap(), |()| !stop.load(Ordering::SeqCst)).unwrap());
    });
    let guard = under_lock.then(|| shared.0.lock().unwrap());
    shared.2.store(true, Ordering::SeqCst);
    drop(guard);
    shared.1.notify_all();
    worker.join().unwrap();
}

#[test]
fn a_pool_is_told_to_stop_under_its_lock() {
    expect("holds", || shut_down(true));
    expect("deadlock", || shut_down(false));
}

#[test]
fn a_pool_that_stops_first_drops_its_tasks() {
    expect("panic", || {
        let done = Arc::new(AtomicUsize::new(0));
        let (tasks, inbox) = mpsc::channel::<Box<dyn FnOnce() + Send>>();
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let worker = thread::spawn(move || {
            for task in inbox.iter() {
                if stopped.load(Ordering::SeqCst) {
                    break;
                }
                task();
            }
        });
        let count = Arc::clone(&done);
        tasks.send(Box::new(move || drop(count.fetch_add(1, Ordering::SeqCst)))).unwrap();
        stop.store(true, Ordering::SeqCst);
        drop(tasks);
        worker.join().unwrap();
        assert_eq!(done.load(Ordering::SeqCst), 1);
    });
}

fn cached(looks_again: bool) {
    let cache = Arc::new((RwLock::new(None), AtomicUsize::new(0)));
    let get = move |cache: &(RwLock<Option<usize>>, AtomicUsize)| {
        if let Some(found) = *cache.0.read().unwrap() {
            return found;
        }
        let mut entry = cache.0.write().unwrap();
        if let (true, Some(found)) = (looks_again, *entry) {
            return found;
        }
        cache.1.fetch_add(1, Ordering::SeqCst);
        *entry.insert(7)
    };
    let other = Arc::clone(&cache);
    let worker = thread::spawn(move || assert_eq!(get(&other), 7));
    assert_eq!(get(&cache), 7);
    worker.join().unwrap();
    assert_eq!(cache.1.load(Ordering::SeqCst), 1);
}

#[test]
fn a_cache_looks_again_under_the_write_lock() {
    expect("holds", || cached(true));
    expect("panic", || cached(false));
}

struct Lazy {
    made: AtomicPtr<usize>,
    value: UnsafeCell<usize>,
}
// SAFETY: what is checked here is that accesses to the cell are ordered.
unsafe impl Sync for Lazy {}

fn publish(order: Ordering) {
    let lazy = Arc::new(Lazy { made: AtomicPtr::new(std::ptr::null_mut()), value: UnsafeCell::new(0) });
    let other = Arc::clone(&lazy);
    let worker = thread::spawn(move || {
        // SAFETY: nobody reads before it is published; if somebody does, that is the race to be found.
        other.value.with_mut(|at| unsafe { *at = 5 });
        other.made.store(std::ptr::dangling_mut(), order);
    });
    if !lazy.made.load(Ordering::Acquire).is_null() {
        // SAFETY: it was published.
        lazy.value.with(|at| assert_eq!(unsafe { *at }, 5));
    }
    worker.join().unwrap();
}

#[test]
fn what_is_published_needs_release() {
    expect("holds", || publish(Ordering::Release));
    expect("race", || publish(Ordering::Relaxed));
}

#[test]
fn a_latch_of_a_count_and_a_notification() {
    expect("holds", || {
        let latch = Arc::new((AtomicUsize::new(2), Notify::new()));
        let workers: Vec<_> = (0..2)
            .map(|_| {
                let latch = Arc::clone(&latch);
                thread::spawn(move || {
                    if latch.0.fetch_sub(1, Ordering::AcqRel) == 1 {
                        latch.1.notify();
                    }
                })
            })
            .collect();
        latch.1.wait();
        assert_eq!(latch.0.load(Ordering::SeqCst), 0);
        workers.into_iter().for_each(|worker| worker.join().unwrap());
    });
}

#[test]
fn a_lost_wake_up_of_a_parked_thread_is_found() {
    expect("deadlock", || {
        let flag = Arc::new(AtomicBool::new(false));
        let (main, set) = (thread::current(), Arc::clone(&flag));
        let worker = thread::spawn(move || {
            main.unpark();
            set.store(true, Ordering::SeqCst);
        });
        while !flag.load(Ordering::SeqCst) {
            thread::park();
        }
        worker.join().unwrap();
    });
}

#[test]
fn rounds_at_a_barrier() {
    expect("holds", || {
        let shared = Arc::new((Barrier::new(2), AtomicUsize::new(0)));
        let other = Arc::clone(&shared);
        let round = |shared: &(Barrier, AtomicUsize)| {
            for n in 1..=2 {
                shared.1.fetch_add(1, Ordering::SeqCst);
                shared.0.wait();
                assert_eq!(shared.1.load(Ordering::SeqCst), 2 * n);
                shared.0.wait();
            }
        };
        let worker = thread::spawn(move || round(&other));
        round(&shared);
        worker.join().unwrap();
    });
}

#[test]
fn a_semaphore_lets_as_many_in_as_it_has_permits() {
    fn enter(permits: usize) {
        let shared = Arc::new((Semaphore::new(permits), AtomicUsize::new(0)));
        let workers: Vec<_> = (0..3)
            .map(|_| {
                let shared = Arc::clone(&shared);
                thread::spawn(move || {
                    shared.0.acquire();
                    assert!(shared.1.fetch_add(1, Ordering::SeqCst) < 2);
                    shared.1.fetch_sub(1, Ordering::SeqCst);
                    shared.0.release();
                })
            })
            .collect();
        workers.into_iter().for_each(|worker| worker.join().unwrap());
    }
    expect("holds", || enter(2));
    expect("panic", || enter(3));
}

fn future(registers_first: bool) {
    let shared = Arc::new((AtomicBool::new(false), AtomicWaker::new()));
    let other = Arc::clone(&shared);
    let worker = thread::spawn(move || {
        other.0.store(true, Ordering::SeqCst);
        other.1.wake();
    });
    block_on(std::future::poll_fn(|context| {
        if registers_first {
            shared.1.register(context.waker());
        }
        if shared.0.load(Ordering::SeqCst) {
            return std::task::Poll::Ready(());
        }
        if !registers_first {
            shared.1.register(context.waker());
        }
        std::task::Poll::Pending
    }));
    worker.join().unwrap();
}

#[test]
fn a_future_registers_before_it_looks() {
    expect("holds", || future(true));
    expect("deadlock", || future(false));
}

#[test]
fn a_rendezvous_channel_hands_over() {
    expect("holds", || {
        let (sender, receiver) = mpsc::sync_channel(0);
        let worker = thread::spawn(move || {
            sender.send(1).unwrap();
            sender.send(2).unwrap();
        });
        assert_eq!((receiver.recv(), receiver.recv()), (Ok(1), Ok(2)));
        assert!(receiver.recv().is_err());
        worker.join().unwrap();
    });
    expect("deadlock", || {
        let (sender, receiver) = mpsc::sync_channel(0);
        sender.send(1).unwrap();
        drop(receiver);
    });
}

#[test]
fn a_receiver_that_is_gone_is_an_error_for_the_sender() {
    expect("panic", || {
        let (sender, receiver) = mpsc::channel();
        let worker = thread::spawn(move || drop(receiver));
        sender.send(1).unwrap();
        worker.join().unwrap();
    });
}

#[test]
fn a_weak_reference_may_be_too_late() {
    fn upgrade(holds_on: bool) {
        let strong = Arc::new(3);
        let weak: Weak<i32> = Arc::downgrade(&strong);
        let worker = thread::spawn(move || assert!(weak.upgrade().is_some()));
        if holds_on {
            worker.join().unwrap();
            drop(strong);
        } else {
            drop(strong);
            worker.join().unwrap();
        }
    }
    expect("holds", || upgrade(true));
    expect("panic", || upgrade(false));
}

#[test]
fn only_the_last_owner_unwraps() {
    expect("holds", || {
        let one = Arc::new(AtomicUsize::new(0));
        let other = Arc::clone(&one);
        let worker = thread::spawn(move || Arc::into_inner(other).is_some());
        let mine = Arc::into_inner(one).is_some();
        assert!(mine ^ worker.join().unwrap());
    });
}

#[test]
fn try_lock_is_either_way() {
    expect("panic", || {
        let lock = Arc::new(Mutex::new(()));
        let other = Arc::clone(&lock);
        let worker = thread::spawn(move || drop(other.lock().unwrap()));
        assert!(!matches!(lock.try_lock(), Err(TryLockError::WouldBlock)));
        worker.join().unwrap();
    });
}

#[test]
fn a_timeout_and_what_was_waited_for_may_come_together() {
    expect("panic", || {
        let shared = Arc::new((Mutex::new(false), Condvar::new()));
        let other = Arc::clone(&shared);
        let worker = thread::spawn(move || {
            *other.0.lock().unwrap() = true;
            other.1.notify_one();
        });
        let guard = shared.0.lock().unwrap();
        let (guard, timeout) = shared.1.wait_timeout(guard, Duration::from_secs(1)).unwrap();
        assert!(!(timeout.timed_out() && *guard));
        drop(guard);
        worker.join().unwrap();
    });
}

#[test]
fn a_once_lock_is_set_once() {
    expect("holds", || {
        let lock = Arc::new(OnceLock::new());
        let other = Arc::clone(&lock);
        let worker = thread::spawn(move || other.set(1).is_ok());
        let mine = lock.set(2).is_ok();
        assert!(mine ^ worker.join().unwrap());
        assert_eq!(*lock.get().unwrap(), if mine { 2 } else { 1 });
    });
}

#[test]
fn an_initialisation_that_needs_itself_deadlocks() {
    expect("deadlock", || {
        let (a, b) = (Arc::new(OnceLock::new()), Arc::new(OnceLock::new()));
        let (other_a, other_b) = (Arc::clone(&a), Arc::clone(&b));
        let worker = thread::spawn(move || *other_a.get_or_init(|| *other_b.get_or_init(|| 1)));
        b.get_or_init(|| *a.get_or_init(|| 2));
        worker.join().unwrap();
    });
}

/// A stack whose nodes are numbers, so that the same one may come back.
struct Stack {
    top: AtomicUsize,
    next: [AtomicUsize; 4],
}

impl Stack {
    fn push(&self, node: usize) {
        let mut top = self.top.load(Ordering::Acquire);
        loop {
            self.next[node].store(top, Ordering::Relaxed);
            match self.top.compare_exchange(top, node, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return,
                Err(now) => top = now,
            }
        }
    }

    fn pop(&self) -> usize {
        let mut top = self.top.load(Ordering::Acquire);
        while top != 0 {
            let next = self.next[top].load(Ordering::Relaxed);
            match self.top.compare_exchange(top, next, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return top,
                Err(now) => top = now,
            }
        }
        0
    }
}

fn pops(puts_back: bool) {
    let stack = Arc::new(Stack { top: AtomicUsize::new(0), next: std::array::from_fn(|_| AtomicUsize::new(0)) });
    (1..=3).for_each(|node| stack.push(node));
    let other = Arc::clone(&stack);
    let worker = thread::spawn(move || {
        let (first, second) = (other.pop(), if puts_back { other.pop() } else { 0 });
        if puts_back {
            other.push(first);
            second
        } else {
            first
        }
    });
    let mine = stack.pop();
    let theirs = worker.join().unwrap();
    assert_ne!(mine, theirs);
    while let node @ 1.. = stack.pop() {
        assert!(node != theirs && node != mine, "{node} is there twice");
    }
}

#[test]
fn a_stack_whose_nodes_come_back_is_broken() {
    expect("holds", || pops(false));
    expect("panic", || pops(true));
}

#[test]
fn dining_with_an_order_and_without() {
    fn dine(is_ordered: bool) {
        let forks: Arc<Vec<_>> = Arc::new((0..3).map(|_| Mutex::new(())).collect());
        let seats: Vec<_> = (0..3)
            .map(|seat| {
                let forks = Arc::clone(&forks);
                thread::spawn(move || {
                    let (a, b) = (seat, (seat + 1) % 3);
                    let (a, b) = if is_ordered { (a.min(b), a.max(b)) } else { (a, b) };
                    let _first = forks[a].lock().unwrap();
                    let _second = forks[b].lock().unwrap();
                })
            })
            .collect();
        seats.into_iter().for_each(|seat| seat.join().unwrap());
    }
    expect("holds", || dine(true));
    expect("deadlock", || dine(false));
}

#[test]
fn a_panic_under_a_lock_poisons_it() {
    let report = Checker::new().catch_panics().run(|| {
        let lock = Arc::new(Mutex::new(0));
        let other = Arc::clone(&lock);
        let worker = thread::spawn(move || {
            let _guard = other.lock().unwrap();
            panic!("on purpose");
        });
        let saw = lock.lock().is_err();
        assert!(worker.join().is_err());
        assert!(lock.is_poisoned() && (saw || lock.lock().is_err()));
    });
    assert_eq!(word(&report), "holds", "{report:?}");
}
