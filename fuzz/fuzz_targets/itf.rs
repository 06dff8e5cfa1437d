//! Any text at all: a trace in ITF is refused or read, and following what was read ends without a panic.
#![no_main]

use std::sync::LazyLock;

use burnside_driver::{Ending, Language, LoadOptions, Prepared, load, retrace};
use burnside_engine::Task;
use burnside_view::itf;
use libfuzzer_sys::fuzz_target;

/// Everything that a state can have in it, and a formula.
const MODEL: &str = "
    const N: 2;
    type P: scalarset(N); L: enum { idle, busy }; U: union { P, L };
         R: record l: L; n: 0..3; b: boolean; end;
    var r: array [P] of R; m: multiset [2] of U; who: P; free: array [L] of boolean;
    startstate \"all idle\" begin
      for p: P do r[p].l := idle; r[p].n := 0; r[p].b := false; end; undefine m; undefine who;
      for l: L do free[l] := l = idle; end;
    end;
    ruleset p: P do
      rule \"work\" r[p].l = idle ==> begin r[p].l := busy; r[p].n := (r[p].n + 1) % 4; who := p; end;
      rule \"rest\" r[p].l = busy ==> begin r[p].l := idle; r[p].b := !r[p].b; multisetadd(p, m); end;
    end;
    ltl \"rests\" [] (isundefined(who) | <> r[who].l = idle);
    invariant \"low\" forall p: P do r[p].n < 3 end;";

static PREPARED: LazyLock<Prepared> = LazyLock::new(|| {
    let loaded = load("m.m", MODEL, Language::Murphi, &LoadOptions::default());
    loaded.prepared.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics))
});

fuzz_target!(|bytes: &[u8]| {
    let task = Task::new(&PREPARED.model, &PREPARED.layout);
    let Ok(read) = itf::read(&task, &String::from_utf8_lossy(bytes)) else { return };
    let violates = read.violates.as_ref().map(|(_, name)| name.as_str());
    retrace(&task, &read.steps, &Ending { loop_start: read.loop_start, violates });
});
