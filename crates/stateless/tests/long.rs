//! Runs of many transitions: looked at in time that grows with their length, and given up when told to.

use burnside_stateless::{
    Bounds, Explorer, Instr, Kind, Learnt, Method, Model, ObjId, Op, Program, Search, Subject, Symmetry,
};

/// Two threads that lock the same mutex so many times.
fn lockers(n_times: usize) -> Program {
    let mutex = ObjId::at(1);
    let pair = [Kind::MutexLock, Kind::MutexUnlock].map(|kind| Instr::Do(Op::on(kind, mutex)));
    let code = || pair.iter().cycle().take(2 * n_times).cloned().collect();
    Program { objects: Vec::new(), threads: vec![code(), code()] }
}

fn search() -> Search {
    Search::new(Method::Optimal, Symmetry::Off, Bounds { max_depth: u32::MAX, ..Bounds::default() })
}

#[test]
fn a_search_told_to_stop_has_learnt_nothing_and_goes_on_as_if_never_asked() {
    let mut model = Model::new(lockers(20_000));
    let mut asked = search();
    let mut n_questions = 0;
    let trace = model.run(asked.cursor().expect("a first run"));
    let learnt = asked.learn(&trace, &mut || {
        n_questions += 1;
        n_questions == 2
    });
    assert_eq!((learnt, n_questions), (Ok(Learnt::Nothing), 2));
    assert_eq!(asked.stats().n_executions, 0);
    asked.abandon();

    let mut other = search();
    for _ in 0..3 {
        let trace = model.run(asked.cursor().expect("a run"));
        assert_eq!(asked.learn(&trace, &mut || false), Ok(Learnt::All));
        assert_eq!(model.run(other.cursor().expect("a run")), trace);
        other.done(&trace).expect("models are deterministic");
    }
    assert_eq!(asked.save(), other.save());

    // In the middle of the search, too.
    let trace = model.run(asked.cursor().expect("a run"));
    let _ = asked.learn(&trace, &mut || true).expect("models are deterministic");
    if asked.stats().n_executions == other.stats().n_executions {
        asked.abandon();
        let again = model.run(asked.cursor().expect("a run"));
        assert_eq!(again, trace);
    }
}
