//! Every explorer sees every outcome: random small programs, compared with the search of all interleavings.

mod support;

use burnside_stateless::{Bounds, Instr, Kind, Method, Outcome, Persistent, Program, Search, Symmetry};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use support::{Form, Generated, Seen, asked, explore, generate, listing, representative};

const MAX_INTERLEAVINGS: u64 = 4_000;

/// How many programs per form; `BURNSIDE_FUZZ` asks for more, `BURNSIDE_SEED` for others.
fn n_programs() -> u64 {
    asked("BURNSIDE_FUZZ", 150)
}

fn methods() -> [Method; 3] {
    [Method::Sleep, Method::Source, Method::Optimal]
}

fn search(method: &Method, symmetry: Symmetry) -> Search {
    Search::new(method.clone(), symmetry, Bounds::default())
}

/// Compares all explorers on `n_programs()` programs of one form; a failure shows the smallest program that differs.
fn differ(form: Form, first_seed: u64) {
    let mut n_compared = 0;
    let mut smallest: Option<(usize, String)> = None;
    for seed in first_seed + asked("BURNSIDE_SEED", 0).. {
        if n_compared == n_programs() {
            break;
        }
        let generated = generate(seed, form);
        let all = search(&Method::Plain, Symmetry::Off);
        let Some(full) = explore(&generated.program, all, MAX_INTERLEAVINGS) else { continue };
        n_compared += 1;
        let mut complaint = without_symmetry(&generated, &full);
        complaint.push_str(&with_symmetry(&generated, &full, form));
        let size = generated.program.threads.iter().map(Vec::len).sum();
        if !complaint.is_empty() && smallest.as_ref().is_none_or(|(best, _)| size < *best) {
            smallest = Some((size, format!("{form:?}, seed {seed}: {complaint}\n{}", listing(&generated.program))));
        }
    }
    if let Some((_, complaint)) = smallest {
        panic!("{complaint}");
    }
}

fn without_symmetry(generated: &Generated, full: &Seen) -> String {
    let mut complaint = String::new();
    for method in methods().into_iter().chain(futures(&generated.program)) {
        let seen = explore(&generated.program, search(&method, Symmetry::Off), u64::MAX).expect("no limit");
        let (outcomes, traces) = (seen.outcomes.len(), seen.traces.len());
        if seen.outcomes != full.outcomes || seen.traces != full.traces {
            let (all_outcomes, all_traces) = (full.outcomes.len(), full.traces.len());
            let word = method.word();
            let _ = write!(
                complaint,
                "{word} saw {outcomes} of {all_outcomes} outcomes, {traces} of {all_traces} traces; "
            );
        }
        let n_wasted = seen.stats.n_executions - traces as u64;

        // One run per trace is promised for programs whose only nondeterminism is the schedule.
        if method == Method::Optimal && !chooses(&generated.program) && n_wasted > seen.stats.n_infeasible {
            let _ = write!(complaint, "optimal wasted {n_wasted} runs of {traces}; ");
        }
    }
    complaint
}

/// Persistent sets need to know what every thread is going to do: straight-line code whose labels are fixed.
fn futures(program: &Program) -> Option<Method> {
    let fixed = |instr: &Instr| match instr {
        Instr::Do(op)
            if !matches!(op.kind, Kind::ChanSend | Kind::ChanTrySend | Kind::ChanRecv | Kind::ChanTryRecv) =>
        {
            Some(*op)
        }
        _ => None,
    };
    let futures: Option<Vec<Vec<_>>> = program.threads.iter().map(|code| code.iter().map(fixed).collect()).collect();
    Some(Method::Persistent(Persistent::Futures(futures?)))
}

fn with_symmetry(generated: &Generated, full: &Seen, form: Form) -> String {
    let Some(family) = &generated.family else { return String::new() };
    let modulo = |outcomes: &BTreeSet<Outcome>| -> BTreeSet<Outcome> {
        outcomes.iter().map(|outcome| representative(outcome, form)).collect()
    };
    let expected = modulo(&full.outcomes);
    let mut complaint = String::new();
    for method in [Method::Plain].into_iter().chain(methods()).chain(futures(&generated.program)) {
        let search = search(&method, Symmetry::On).with_families(std::slice::from_ref(family));
        let seen = explore(&generated.program, search, u64::MAX).expect("no limit");
        let outcomes = modulo(&seen.outcomes);
        if outcomes != expected {
            let (n, all) = (outcomes.len(), expected.len());
            let _ = write!(complaint, "{} with symmetry saw {n} of {all} outcomes; ", method.word());
        }
    }
    complaint
}

fn chooses(program: &Program) -> bool {
    program.threads.iter().flatten().any(|instr| matches!(instr, Instr::Do(op) if op.kind == Kind::Choose))
}

#[test]
fn asymmetric_programs_keep_their_outcomes() {
    differ(Form::Asymmetric, 1);
}

#[test]
fn interchangeable_threads_keep_their_outcomes() {
    differ(Form::Interchange, 1_000_000);
}

#[test]
fn rings_keep_their_outcomes() {
    differ(Form::Ring, 2_000_000);
}
