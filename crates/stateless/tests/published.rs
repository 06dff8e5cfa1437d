//! The numbers of `symmetry-on-transitions`, Table 1, and of programs whose optimum is known.

use burnside_stateless::{
    Bounds, Explorer, Family, Instr, Kind, Method, Model, ObjId, Object, Op, Persistent, Program, Search, Stats,
    Subject, Symmetry, ThreadId,
};

fn obj(index: usize) -> ObjId {
    ObjId::at(index as u64 + 1)
}

fn on(kind: Kind, index: usize) -> Instr {
    Instr::Do(Op::on(kind, obj(index)))
}

/// Figure 2: each process takes its own fork, then the next one's, and puts them back in that order.
fn philosophers(n: usize) -> Program {
    let phil = |i: usize| {
        let next = (i + 1) % n;
        vec![on(Kind::SemWait, i), on(Kind::SemWait, next), on(Kind::SemPost, i), on(Kind::SemPost, next)]
    };
    Program { objects: (0..n).map(|i| (obj(i), Object::Sem(1))).collect(), threads: (0..n).map(phil).collect() }
}

fn table(n: usize) -> Family {
    let threads: Vec<ThreadId> = (0..n).map(ThreadId::from).collect();
    let forks: Vec<ObjId> = (0..n).map(obj).collect();
    Family::ring(&threads, &forks)
}

/// `n` threads with `k` critical sections each, on one mutex.
fn lockers(n: usize, k: usize) -> Program {
    let body = || (0..k).flat_map(|_| [on(Kind::MutexLock, 0), on(Kind::MutexUnlock, 0)]).collect();
    Program { objects: Vec::new(), threads: (0..n).map(|_| body()).collect() }
}

fn all(n: usize) -> Family {
    Family::interchange(&(0..n).map(ThreadId::from).collect::<Vec<_>>())
}

fn explore(program: Program, method: Method, family: Option<Family>) -> Stats {
    let symmetry = if family.is_some() { Symmetry::On } else { Symmetry::Off };
    let families: Vec<Family> = family.into_iter().collect();
    let mut search = Search::new(method, symmetry, Bounds::default()).with_families(&families);
    let mut model = Model::new(program);
    while let Some(cursor) = search.cursor() {
        let trace = model.run(cursor);
        search.done(&trace).expect("models are deterministic");
    }
    *search.stats()
}

fn transitions(n: usize, method: Method, family: Option<Family>) -> u64 {
    explore(philosophers(n), method, family).n_transitions
}

fn paper() -> Method {
    Method::Persistent(Persistent::Releases)
}

#[test]
fn stateless_search_has_the_published_transitions() {
    assert_eq!([2, 3, 4].map(|n| transitions(n, Method::Plain, None)), [18, 1680, 386_816]);
}

#[test]
fn partial_order_reduction_has_the_published_transitions() {
    assert_eq!([2, 3, 4, 5, 6].map(|n| transitions(n, paper(), None)), [17, 75, 275, 959, 3295]);
}

#[test]
fn symmetry_and_partial_order_have_the_published_transitions() {
    assert_eq!([2, 3, 4, 5, 6].map(|n| transitions(n, paper(), Some(table(n)))), [9, 37, 133, 461, 1581]);
}

#[test]
fn optimal_exploration_needs_no_more_than_the_paper() {
    let plain = [2, 3, 4, 5, 6].map(|n| transitions(n, Method::Optimal, None));
    for (ours, published) in plain.into_iter().zip([17, 75, 275, 959, 3295]) {
        assert!(ours <= published, "{plain:?}");
    }
    let symmetric = [2, 3, 4, 5, 6].map(|n| transitions(n, Method::Optimal, Some(table(n))));
    for (ours, published) in symmetric.into_iter().zip([9, 37, 133, 461, 1581]) {
        assert!(ours <= published, "{symmetric:?}");
    }
}

#[test]
fn philosophers_have_two_to_the_n_less_one_traces() {
    for n in 2..=9 {
        let stats = explore(philosophers(n), Method::Optimal, None);
        assert_eq!((stats.n_executions, stats.n_deadlocks), ((1 << n) - 1, 1), "{n} philosophers");
    }
}

#[test]
fn lockers_have_k_factorial_traces_and_one_up_to_symmetry() {
    for (n, factorial) in [(2, 2), (3, 6), (4, 24), (5, 120), (6, 720)] {
        assert_eq!(explore(lockers(n, 1), Method::Optimal, None).n_executions, factorial);
        assert_eq!(explore(lockers(n, 1), Method::Optimal, Some(all(n))).n_executions, 1);
    }
}

#[test]
fn four_threads_with_two_sections_have_2520_traces_and_105_orbits() {
    assert_eq!(explore(lockers(4, 2), Method::Optimal, None).n_executions, 2520);
    assert_eq!(explore(lockers(4, 2), Method::Optimal, Some(all(4))).n_executions, 105);
}
