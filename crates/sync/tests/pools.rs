//! Workers with numbers and objects of their own: one run instead of `n!`, or the reason why not.

use burnside_stateless::{Method, Symmetry, Verdict};
use burnside_sync::symmetry::{Me, Pool};
use burnside_sync::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use burnside_sync::sync::{Arc, Mutex, mpsc};
use burnside_sync::{Checker, thread};

fn factorial(n: usize) -> u64 {
    (1..=n as u64).product()
}

/// Each worker takes the shared lock once and writes into a slot of its own.
fn numbered(n: usize) -> impl Fn() + Send + Sync + 'static {
    move || {
        let total = Arc::new(Mutex::new(0));
        let mut pool = Pool::new(n);
        let slots = pool.own(|| Mutex::new(0));
        let (sum, own) = (Arc::clone(&total), slots.clone());
        pool.start(move |me| {
            let mut sum = sum.lock().unwrap();
            *sum += 1;
            *own.of(me).lock().unwrap() = *sum;
        })
        .join();
        assert_eq!(slots.sorted(|slot| *slot.lock().unwrap()), (1..=n).collect::<Vec<_>>());
    }
}

#[test]
fn workers_with_slots_of_their_own_need_one_run() {
    for n in 2..=6 {
        let report = Checker::new().run(numbered(n));
        assert_eq!((report.verdict, report.stats.n_executions), (Verdict::Holds, 1), "{n} workers");
        let report = Checker::new().symmetry(Symmetry::Off).run(numbered(n));
        assert_eq!((report.verdict, report.stats.n_executions), (Verdict::Holds, factorial(n)), "{n} workers");
    }
}

/// Workers with an object of their own that is no slot but a channel's sender, and results that come back sorted.
#[test]
fn workers_with_senders_and_results_need_one_run() {
    let body = |n: usize| {
        move || {
            let (sender, receiver) = mpsc::channel();
            let pool = Pool::new(n);
            let turn = Arc::new(AtomicUsize::new(0));
            let workers = pool.start(move |_| {
                let turn = turn.fetch_add(1, SeqCst);
                sender.send(turn).unwrap();
                turn
            });
            let mut received: Vec<usize> = (0..n).map(|_| receiver.recv().unwrap()).collect();
            received.sort_unstable();
            assert_eq!(received, (0..n).collect::<Vec<_>>());
            assert_eq!(workers.join(), received);
        }
    };
    for n in 2..=4 {
        let (on, off) = (Checker::new().run(body(n)), Checker::new().symmetry(Symmetry::Off).run(body(n)));
        assert_eq!((&on.verdict, &off.verdict), (&Verdict::Holds, &Verdict::Holds));
        assert!(off.stats.n_executions >= factorial(n) * on.stats.n_executions / 2, "{n}: {on:?} {off:?}");
    }
}

#[test]
fn whoever_asks_for_a_number_loses_the_symmetry_and_reads_why() {
    let body = |n: usize| {
        move || {
            let total = Arc::new(Mutex::new(Vec::new()));
            let seen = Arc::clone(&total);
            Pool::new(n).start(move |me: Me| seen.lock().unwrap().push(me.number())).join();
            // Singles out a worker: with the symmetry this could be missed.
            assert_ne!(total.lock().unwrap()[0], n - 1);
        }
    };
    for n in 2..=4 {
        let (report, notes) = Checker::new().keep_going().run_with_notes(body(n));
        assert_eq!((report.verdict, report.stats.n_executions), (Verdict::Violated, factorial(n)));
        assert!(
            notes[0].contains("the number of a worker is asked for at") && notes[0].contains("pools.rs:"),
            "{notes:?}"
        );
    }
}

#[test]
fn other_ways_to_tell_workers_apart_are_noticed() {
    let order = || {
        let mut pool = Pool::new(2);
        let slots = pool.own(|| Mutex::new(0));
        let (own, turn) = (slots.clone(), Arc::new(AtomicUsize::new(0)));
        pool.start(move |me| *own.of(me).lock().unwrap() = turn.fetch_add(1, SeqCst)).join();
        assert_eq!(*slots.in_order()[0].lock().unwrap(), 0);
    };
    let results = || {
        let turn = Arc::new(AtomicUsize::new(0));
        let results = Pool::new(2).start(move |_| turn.fetch_add(1, SeqCst)).join_in_order();
        assert_eq!(results, [0, 1]);
    };
    let identity = || {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let inside = Arc::clone(&seen);
        Pool::new(2).start(move |_| inside.lock().unwrap().push(format!("{:?}", thread::current().id()))).join();
        let seen = seen.lock().unwrap();
        assert!(seen[0] < seen[1]);
    };
    for (body, why) in
        [(order as fn(), "in order at"), (results, "results of workers"), (identity, "identity of a worker")]
    {
        let (report, notes) = Checker::new().keep_going().run_with_notes(body);
        assert_eq!(report.verdict, Verdict::Violated, "{why}");
        assert!(notes[0].contains(why), "{notes:?}");
    }
}

#[test]
fn threads_that_are_not_of_a_pool_are_not_exchanged_and_a_note_says_so() {
    let (report, notes) = Checker::new().run_with_notes(|| {
        let total = Arc::new(Mutex::new(0));
        let workers: Vec<_> = (0..3)
            .map(|i| {
                let total = Arc::clone(&total);
                thread::spawn(move || *total.lock().unwrap() += i)
            })
            .collect();
        workers.into_iter().for_each(|worker| worker.join().unwrap());
    });
    assert_eq!((report.verdict, report.stats.n_executions), (Verdict::Holds, 6));
    assert!(notes[0].contains("closures cannot be compared") && notes[0].contains("pools.rs:"), "{notes:?}");
}

#[test]
fn pools_survive_the_check_of_their_symmetry() {
    assert!(Checker::new().check_symmetry(20, numbered(3)).is_ok_and(|n_compared| n_compared == 60));
    for method in [Method::Plain, Method::Sleep, Method::Source] {
        let checker = Checker::new().method(method);
        let (on, off) = (checker.run(numbered(3)), checker.clone().symmetry(Symmetry::Off).run(numbered(3)));
        assert_eq!((on.verdict, off.verdict), (Verdict::Holds, Verdict::Holds));
        assert!(on.stats.n_executions < off.stats.n_executions, "{:?} {:?}", on.stats, off.stats);
    }
}
