//! Small concurrent programs with known verdicts, written once for every crate that mirrors `std`.
//!
//! `subjects!(krate)` defines `SUBJECTS`: name, verdict under sequential consistency, body.

/// Defines the subjects over a crate.
#[macro_export]
macro_rules! subjects {
    ($krate:ident) => {
        use $krate::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
        use $krate::sync::{Arc, Condvar, Mutex, RwLock};
        use $krate::thread::{self, JoinHandle};

        fn join(threads: Vec<JoinHandle<()>>) {
            for thread in threads {
                thread.join().unwrap();
            }
        }

        /// `n` threads that run `body` with their number and a clone of the shared state.
        fn crowd<S: Send + Sync + 'static>(n: usize, shared: &Arc<S>, body: fn(usize, &S)) -> Vec<JoinHandle<()>> {
            (0..n)
                .map(|i| {
                    let shared = Arc::clone(shared);
                    thread::spawn(move || body(i, &shared))
                })
                .collect()
        }

        fn two_locks(same_order: bool) {
            let locks = Arc::new((Mutex::new(()), Mutex::new(())));
            let forward = |_: usize, locks: &(Mutex<()>, Mutex<()>)| {
                let _a = locks.0.lock().unwrap();
                let _b = locks.1.lock().unwrap();
            };
            let backward = |_: usize, locks: &(Mutex<()>, Mutex<()>)| {
                let _b = locks.1.lock().unwrap();
                let _a = locks.0.lock().unwrap();
            };
            let mut threads = crowd(1, &locks, forward);
            threads.extend(crowd(1, &locks, if same_order { forward } else { backward }));
            join(threads);
        }

        fn philosophers(n: usize, ordered: bool) {
            let forks: Arc<(Vec<Mutex<()>>, bool)> = Arc::new(((0..n).map(|_| Mutex::new(())).collect(), ordered));
            join(crowd(n, &forks, |i, (forks, ordered)| {
                let (left, right) = (i, (i + 1) % forks.len());
                let (first, second) = if *ordered { (left.min(right), left.max(right)) } else { (left, right) };
                let _first = forks[first].lock().unwrap();
                let _second = forks[second].lock().unwrap();
            }));
        }

        fn lost_update() {
            let counter = Arc::new(AtomicUsize::new(0));
            join(crowd(2, &counter, |_, counter| {
                let value = counter.load(SeqCst);
                counter.store(value + 1, SeqCst);
            }));
            assert_eq!(counter.load(SeqCst), 2);
        }

        fn lost_update_ok() {
            let counter = Arc::new(AtomicUsize::new(0));
            join(crowd(2, &counter, |_, counter| {
                counter.fetch_add(1, SeqCst);
            }));
            assert_eq!(counter.load(SeqCst), 2);
        }

        fn check_then_act() {
            let account = Arc::new(Mutex::new(100));
            join(crowd(2, &account, |_, account: &Mutex<i32>| {
                let enough = *account.lock().unwrap() >= 100;
                if enough {
                    *account.lock().unwrap() -= 100;
                }
            }));
            assert!(*account.lock().unwrap() >= 0);
        }

        fn check_then_act_ok() {
            let account = Arc::new(Mutex::new(100));
            join(crowd(2, &account, |_, account: &Mutex<i32>| {
                let mut balance = account.lock().unwrap();
                if *balance >= 100 {
                    *balance -= 100;
                }
            }));
            assert!(*account.lock().unwrap() >= 0);
        }

        type Flag = (Mutex<bool>, Condvar);

        fn set(_: usize, flag: &Flag) {
            *flag.0.lock().unwrap() = true;
            flag.1.notify_one();
        }

        /// The flag is tested, the lock given up, and then the thread waits without testing again.
        fn lost_wakeup() {
            let flag = Arc::new((Mutex::new(false), Condvar::new()));
            let mut threads = crowd(1, &flag, |_, flag: &Flag| {
                let ready = *flag.0.lock().unwrap();
                if !ready {
                    let guard = flag.0.lock().unwrap();
                    drop(flag.1.wait(guard).unwrap());
                }
            });
            threads.extend(crowd(1, &flag, set));
            join(threads);
        }

        fn lost_wakeup_ok() {
            let flag = Arc::new((Mutex::new(false), Condvar::new()));
            let mut threads = crowd(1, &flag, |_, flag: &Flag| {
                let mut ready = flag.0.lock().unwrap();
                while !*ready {
                    ready = flag.1.wait(ready).unwrap();
                }
            });
            threads.extend(crowd(1, &flag, set));
            join(threads);
        }

        /// One slot and one condition for "not full" and "not empty": with `notify_one` all four can sleep.
        fn one_condvar(notify_all: bool) {
            type Slot = (Mutex<usize>, Condvar, bool);
            fn notify(slot: &Slot) {
                if slot.2 {
                    slot.1.notify_all();
                } else {
                    slot.1.notify_one();
                }
            }
            let slot: Arc<Slot> = Arc::new((Mutex::new(0), Condvar::new(), notify_all));
            let mut threads = crowd(2, &slot, |_, slot: &Slot| {
                let mut n = slot.0.lock().unwrap();
                while *n == 0 {
                    n = slot.1.wait(n).unwrap();
                }
                *n -= 1;
                notify(slot);
            });
            threads.extend(crowd(2, &slot, |_, slot: &Slot| {
                let mut n = slot.0.lock().unwrap();
                while *n == 1 {
                    n = slot.1.wait(n).unwrap();
                }
                *n += 1;
                notify(slot);
            }));
            join(threads);
        }

        /// `if` where `while` is needed around a wait.
        fn if_not_while() {
            type Items = (Mutex<Vec<u32>>, Condvar);
            let items: Arc<Items> = Arc::new((Mutex::new(Vec::new()), Condvar::new()));
            let mut threads = crowd(2, &items, |_, items: &Items| {
                let mut guard = items.0.lock().unwrap();
                if guard.is_empty() {
                    guard = items.1.wait(guard).unwrap();
                }
                assert!(guard.pop().is_some());
            });
            threads.extend(crowd(1, &items, |_, items: &Items| {
                for item in 0..2 {
                    items.0.lock().unwrap().push(item);
                    items.1.notify_all();
                }
            }));
            join(threads);
        }

        /// A reader keeps the lock while it wants what the writer holds.
        fn rw_upgrade() {
            type Both = (RwLock<u32>, Mutex<()>);
            let both: Arc<Both> = Arc::new((RwLock::new(0), Mutex::new(())));
            let mut threads = crowd(1, &both, |_, both: &Both| {
                let _read = both.0.read().unwrap();
                let _guard = both.1.lock().unwrap();
            });
            threads.extend(crowd(1, &both, |_, both: &Both| {
                let _guard = both.1.lock().unwrap();
                *both.0.write().unwrap() += 1;
            }));
            join(threads);
        }

        /// A stack of indices, 0 for nil: between reading `next` and exchanging the head, the head goes A, B, A.
        struct Stack {
            head: AtomicUsize,
            next: [AtomicUsize; 3],
            owned: [AtomicBool; 3],
        }

        impl Stack {
            fn pop(&self) -> Option<usize> {
                let head = self.head.load(SeqCst);
                if head == 0 {
                    return None;
                }
                let next = self.next[head].load(SeqCst);
                self.head.compare_exchange(head, next, SeqCst, SeqCst).ok()?;
                assert!(!self.owned[head].swap(true, SeqCst), "node handed out twice");
                Some(head)
            }

            fn push(&self, node: usize) {
                self.owned[node].store(false, SeqCst);
                let head = self.head.load(SeqCst);
                self.next[node].store(head, SeqCst);
                let _ = self.head.compare_exchange(head, node, SeqCst, SeqCst);
            }
        }

        fn aba() {
            let cell = |value| AtomicUsize::new(value);
            let stack = Arc::new(Stack {
                head: cell(1),
                next: [cell(0), cell(2), cell(0)],
                owned: [AtomicBool::new(false), AtomicBool::new(false), AtomicBool::new(false)],
            });
            let mut threads = crowd(1, &stack, |_, stack: &Stack| {
                stack.pop();
                stack.pop();
            });
            threads.extend(crowd(1, &stack, |_, stack: &Stack| {
                let first = stack.pop();
                stack.pop();
                if let Some(first) = first {
                    stack.push(first);
                }
            }));
            join(threads);
        }

        /// Peterson's lock, tried once; wrong with its two stores in the other order.
        fn peterson(right: bool) {
            struct Lock {
                flags: [AtomicBool; 2],
                turn: AtomicUsize,
                inside: AtomicUsize,
                right: bool,
            }
            let flags = [AtomicBool::new(false), AtomicBool::new(false)];
            let (turn, inside) = (AtomicUsize::new(0), AtomicUsize::new(0));
            let lock = Arc::new(Lock { flags, turn, inside, right });
            join(crowd(2, &lock, |i, lock: &Lock| {
                let other = 1 - i;
                if lock.right {
                    lock.flags[i].store(true, SeqCst);
                    lock.turn.store(other, SeqCst);
                } else {
                    lock.turn.store(other, SeqCst);
                    lock.flags[i].store(true, SeqCst);
                }
                if !(lock.flags[other].load(SeqCst) && lock.turn.load(SeqCst) == other) {
                    assert_eq!(lock.inside.fetch_add(1, SeqCst), 0);
                    lock.inside.fetch_sub(1, SeqCst);
                    lock.flags[i].store(false, SeqCst);
                }
            }));
        }

        /// The stop flag is set without the queue's lock: the worker can miss it and sleep for ever.
        fn pool_shutdown(locked: bool) {
            type Pool = (Mutex<u32>, Condvar, AtomicBool);
            let pool: Arc<Pool> = Arc::new((Mutex::new(0), Condvar::new(), AtomicBool::new(false)));
            let threads = crowd(1, &pool, |_, pool: &Pool| {
                let mut n_jobs = pool.0.lock().unwrap();
                loop {
                    if *n_jobs > 0 {
                        *n_jobs -= 1;
                        continue;
                    }
                    if pool.2.load(SeqCst) {
                        break;
                    }
                    n_jobs = pool.1.wait(n_jobs).unwrap();
                }
            });
            if locked {
                let _guard = pool.0.lock().unwrap();
                pool.2.store(true, SeqCst);
            } else {
                pool.2.store(true, SeqCst);
            }
            pool.1.notify_all();
            join(threads);
        }

        /// `n` threads with `k` critical sections each.
        fn lockers(n: usize, k: usize) {
            let total = Arc::new((Mutex::new(0), k));
            join(crowd(n, &total, |_, (total, k): &(Mutex<usize>, usize)| {
                for _ in 0..*k {
                    *total.lock().unwrap() += 1;
                }
            }));
            assert_eq!(*total.0.lock().unwrap(), n * k);
        }

        /// Name, verdict, body.
        pub(crate) const SUBJECTS: &[(&str, &str, fn())] = &[
            ("abba", "deadlock", || two_locks(false)),
            ("abba_ok", "ok", || two_locks(true)),
            ("phil3", "deadlock", || philosophers(3, false)),
            ("phil3_ok", "ok", || philosophers(3, true)),
            ("lost_update", "panic", lost_update),
            ("lost_update_ok", "ok", lost_update_ok),
            ("check_then_act", "panic", check_then_act),
            ("check_then_act_ok", "ok", check_then_act_ok),
            ("lost_wakeup", "deadlock", lost_wakeup),
            ("lost_wakeup_ok", "ok", lost_wakeup_ok),
            ("one_condvar", "deadlock", || one_condvar(false)),
            ("one_condvar_ok", "ok", || one_condvar(true)),
            ("if_not_while", "panic", if_not_while),
            ("rw_upgrade", "deadlock", rw_upgrade),
            ("aba", "panic", aba),
            ("peterson_bad", "panic", || peterson(false)),
            ("peterson_ok", "ok", || peterson(true)),
            ("phil4_ok", "ok", || philosophers(4, true)),
            ("lockers_3x1", "ok", || lockers(3, 1)),
            ("lockers_4x1", "ok", || lockers(4, 1)),
            ("lockers_2x3", "ok", || lockers(2, 3)),
            ("pool_shutdown", "deadlock", || pool_shutdown(false)),
            ("pool_shutdown_ok", "ok", || pool_shutdown(true)),
        ];
    };
}
