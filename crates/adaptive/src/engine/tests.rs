//! Counts known from the literature.

use burnside_diag::FileId;
use burnside_engine::{Budget, Verdict};

use super::*;

/// The number of annotated states of a model that holds.
fn count(text: &str, constants: &[(&str, i64)]) -> u64 {
    let overrides = constants.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
    let options = burnside_murphi::Options { overrides, ..burnside_murphi::Options::default() };
    let loaded = burnside_murphi::load(FileId(0), text, &options);
    let model = loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
    let layout = Layout::new(&model).expect("a layout");
    let adaptive = Adaptive::new(&model, &layout).unwrap_or_else(|why| panic!("{why}"));
    let report = adaptive.check(&Task::new(&model, &layout), &Monitor::new(Budget::default()), Patience::Endless);
    let report = report.unwrap_or_else(|why| panic!("{why:?}"));
    assert!(matches!(report.verdict, Verdict::Holds(_)), "{:?}", report.verdict);
    report.counts.states
}

const READERS_WRITERS: &str = "
    const Readers: 2; Writers: 1;
    type Proc: scalarset(Readers + Writers);
    var state: array [Proc] of enum {N, T, C};
    ruleset p: Proc do
      rule state[p] = N ==> state[p] := T; end;
      rule state[p] = T & forall q: Proc do state[q] != C end ==> state[p] := C; end;
      rule state[p] = T & p <= Readers & !exists q: Proc do q > Readers & state[q] = C end ==> state[p] := C; end;
      rule state[p] = C ==> state[p] := N; end;
    end;
    startstate for p: Proc do state[p] := N; end; end;";

#[test]
fn readers_and_writers_have_the_published_counts() {
    let counts = [(2, 1), (4, 2), (6, 3), (8, 4), (10, 5)]
        .map(|(readers, writers)| count(READERS_WRITERS, &[("Readers", readers), ("Writers", writers)]));
    assert_eq!(counts, [9, 31, 79, 165, 301]);
}
