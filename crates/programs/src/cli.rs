//! x
use crate::process::{Output, Process, Target};
use burnside_stateless::{Bounds, Explorer, Method, Search, Symmetry};
use burnside_wire::{Executor, Options, Setup};

/// x
pub fn try_it(program: &str, executor: &str) {
    let executor = *Executor::ALL.iter().find(|e| e.word() == executor).unwrap();
    let target = Target { program: program.into(), arguments: Vec::new(), output: Output::Discarded };
    let setup = Setup { executor, options: Options { step_timeout_ms: 2000, ..Options::default() } };
    let mut process = Process::start(&target, &setup).unwrap();
    let mut search = Search::new(Method::Optimal, Symmetry::Off, Bounds::default());
    let mut ends = std::collections::BTreeMap::new();
    let t = std::time::Instant::now();
    while let Some(cursor) = search.cursor() {
        let report = process.execute(cursor.plan()).unwrap();
        *ends.entry(format!("{:?}", report.trace.end)).or_insert(0) += 1;
        search.done(&report.trace).unwrap();
    }
    println!("{program} {:?} {ends:?} {:?}", search.stats(), t.elapsed());
}
