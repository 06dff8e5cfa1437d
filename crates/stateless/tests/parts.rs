//! Searches in parts: on several threads, suspended and resumed, handed over as bytes.

use burnside_stateless::{
    Bounds, Config, Cursor, Explorer, Instr, Kind, Method, Model, ObjId, Object, Op, Plan, Program, Search, Stats,
    Strategy, Subject, Symmetry, Verdict, check_parallel,
};

fn philosophers(n: usize) -> Program {
    let obj = |i: usize| ObjId::at(i as u64 + 1);
    let phil = |i: usize| {
        let next = (i + 1) % n;
        let steps = [(Kind::SemWait, i), (Kind::SemWait, next), (Kind::SemPost, i), (Kind::SemPost, next)];
        steps.map(|(kind, i)| Instr::Do(Op::on(kind, obj(i)))).to_vec()
    };
    Program { objects: (0..n).map(|i| (obj(i), Object::Sem(1))).collect(), threads: (0..n).map(phil).collect() }
}

fn lockers(n: usize, k: usize) -> Program {
    let ops = [Kind::MutexLock, Kind::MutexUnlock].map(|kind| Instr::Do(Op::on(kind, ObjId::at(1))));
    Program { objects: Vec::new(), threads: vec![ops.repeat(k); n] }
}

fn sequential(program: &Program, method: Method) -> Stats {
    let mut search = Search::new(method, Symmetry::Off, Bounds::default());
    let mut model = Model::new(program.clone());
    while let Some(cursor) = search.cursor() {
        search.done(&model.run(cursor)).expect("models are deterministic");
    }
    *search.stats()
}

#[test]
fn parts_see_as_many_traces_as_the_whole_for_any_number_of_threads() {
    for program in [philosophers(6), lockers(4, 2), lockers(3, 3)] {
        for method in [Method::Optimal, Method::Source, Method::Sleep] {
            let config = Config {
                strategy: Strategy::Exhaustive(method.clone()),
                symmetry: Symmetry::Off,
                keep_going: true,
                ..Config::default()
            };
            let run = |n_threads| check_parallel(&|| Model::new(program.clone()), &config, n_threads, &mut |_| None);
            let (one, three) = (run(1), run(3));
            assert_eq!(one, three, "{}", method.word());
            let whole = sequential(&program, method.clone());
            assert_eq!(one.stats.n_traces(), whole.n_traces(), "{} {whole:?} {:?}", method.word(), one.stats);
            assert_eq!(one.verdict == Verdict::Violated, whole.n_deadlocks > 0);
        }
    }
}

#[test]
fn a_search_resumed_after_every_run_is_the_same_search() {
    for method in [Method::Optimal, Method::Source, Method::Sleep, Method::Plain] {
        let program = philosophers(3);
        let mut model = Model::new(program.clone());
        let mut search = Search::new(method.clone(), Symmetry::Off, Bounds::default());
        while let Some(cursor) = search.cursor() {
            search.done(&model.run(cursor)).expect("models are deterministic");
            search = Search::resume(&search.save()).expect("whole bytes");
        }
        assert_eq!(*search.stats(), sequential(&program, method));
    }
}

#[test]
fn a_plan_survives_its_bytes_and_broken_bytes_are_refused() {
    let mut search = Search::new(Method::Optimal, Symmetry::Off, Bounds::default());
    let mut model = Model::new(philosophers(3));
    while let Some(cursor) = search.cursor() {
        let bytes = cursor.plan().to_bytes();
        let plan = Plan::from_bytes(&bytes).expect("whole bytes");
        assert_eq!(plan, *cursor.plan());
        assert_eq!(Plan::from_bytes(&bytes[..bytes.len() - 1]), None);
        search.done(&model.run(Cursor::new(plan))).expect("models are deterministic");
    }
    assert_eq!(search.stats().n_executions, 7);
}

/// Wakeup trees are as deep as runs are long: nothing that is done with them may need stack accordingly.
#[test]
fn long_runs_need_no_deep_stack() {
    let explore = || {
        let mut search = Search::new(Method::Optimal, Symmetry::Off, Bounds::default());
        let mut model = Model::new(lockers(2, 3000));
        for _ in 0..4 {
            let cursor = search.cursor().expect("there are many runs");
            search.done(&model.run(cursor)).expect("models are deterministic");
            search = Search::resume(&search.save()).expect("a search just saved").clone();
        }
        search.stats().max_depth
    };
    let thread = std::thread::Builder::new().stack_size(256 << 10).spawn(explore).expect("a thread");
    assert_eq!(thread.join().expect("no overflow"), 12_000);
}

/// Who polls lets the others go first.
#[test]
fn a_thread_that_polls_stands_back() {
    let poll = vec![Instr::Do(Op::on(Kind::Yield, ObjId::NONE)); 50];
    let fail = vec![Instr::Do(Op::on(Kind::Read, ObjId::at(1))), Instr::Check(1)];
    let mut search = Search::new(Method::Optimal, Symmetry::Off, Bounds { max_depth: 10, ..Bounds::default() });
    let mut model = Model::new(Program { objects: Vec::new(), threads: vec![poll, fail] });
    let trace = model.run(search.cursor().expect("a first run"));
    assert!(trace.events.iter().take(3).any(|event| event.thread.0 == 1), "{:?}", trace.events);
}
