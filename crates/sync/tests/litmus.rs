//! The weak memory model against its axioms: litmus tests with their outcomes, and random programs of atomics.

#![allow(clippy::print_stdout, reason = "the numbers are those of the table in the documentation")]

#[path = "support/rc11.rs"]
mod rc11;

use burnside_stateless::{Method, Verdict};
use burnside_sync::sync::atomic::{AtomicU64, Ordering, fence};
use burnside_sync::{Checker, thread};
use rc11::{Instr, Model, Outcome, Program, enumerate};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use Instr::{Add, Fence, Load, Store, Swap};
use Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};

fn execute(code: &[Instr], cells: &[AtomicU64]) -> Vec<u64> {
    let mut seen = Vec::new();
    for instr in code {
        match *instr {
            Load(loc, order) => seen.push(cells[loc].load(order)),
            Store(loc, value, order) => cells[loc].store(value, order),
            Add(loc, by, order) => seen.push(cells[loc].fetch_add(by, order)),
            Swap(loc, expected, value, success, failure) => {
                let result = cells[loc].compare_exchange(expected, value, success, failure);
                seen.push(result.unwrap_or_else(|other| other));
            }
            Fence(order) => fence(order),
        }
    }
    seen
}

/// What the library explores: outcomes and how many runs it took.
fn explore(program: &Program, n_locs: usize, checker: &Checker) -> (BTreeSet<Outcome>, u64) {
    let outcomes = Arc::new(Mutex::new(BTreeSet::new()));
    let (into, program) = (Arc::clone(&outcomes), Arc::new(program.clone()));
    let report = checker.run(move || {
        let cells: Arc<Vec<AtomicU64>> = Arc::new((0..n_locs).map(|_| AtomicU64::new(0)).collect());
        let threads: Vec<_> = (0..program.len())
            .map(|thread| {
                let (program, cells) = (Arc::clone(&program), Arc::clone(&cells));
                thread::spawn(move || execute(&program[thread], &cells))
            })
            .collect();
        let seen = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
        let newest = cells.iter().map(|cell| cell.load(Relaxed)).collect();
        into.lock().unwrap().insert((seen, newest));
    });
    assert_eq!(report.verdict, Verdict::Holds, "{report:?}");
    (std::mem::take(&mut *outcomes.lock().unwrap()), report.stats.n_executions)
}

const X: usize = 0;
const Y: usize = 1;

/// A litmus test, with the number of outcomes under sequential consistency and under RC11. Outcomes are what was read and
/// what is left in memory.
struct Litmus {
    name: &'static str,
    program: Program,
    n_sc: usize,
    n_weak: usize,
    /// The executions under sequential consistency and RC11 that GenMC 0.11.0 has among its own tests.
    genmc: Option<(usize, usize)>,
}

fn litmus(name: &'static str, program: &[&[Instr]], n_sc: usize, n_weak: usize) -> Litmus {
    Litmus { name, program: program.iter().map(|code| code.to_vec()).collect(), n_sc, n_weak, genmc: None }
}

impl Litmus {
    fn genmc(self, n_sc: usize, n_rc11: usize) -> Self {
        Self { genmc: Some((n_sc, n_rc11)), ..self }
    }
}

fn w(loc: usize, order: Ordering) -> Instr {
    Store(loc, 1, order)
}

fn r(loc: usize, order: Ordering) -> Instr {
    Load(loc, order)
}

fn table() -> Vec<Litmus> {
    let f = Fence;
    let rlx = Relaxed;
    vec![
        litmus("SB rlx", &[&[w(X, rlx), r(Y, rlx)], &[w(Y, rlx), r(X, rlx)]], 3, 4),
        litmus("SB rel-acq", &[&[w(X, Release), r(Y, Acquire)], &[w(Y, Release), r(X, Acquire)]], 3, 4).genmc(3, 4),
        litmus("SB sc", &[&[w(X, SeqCst), r(Y, SeqCst)], &[w(Y, SeqCst), r(X, SeqCst)]], 3, 3).genmc(3, 3),
        litmus("SB sc stores", &[&[w(X, SeqCst), r(Y, rlx)], &[w(Y, SeqCst), r(X, rlx)]], 3, 4),
        litmus("SB fences sc", &[&[w(X, rlx), f(SeqCst), r(Y, rlx)], &[w(Y, rlx), f(SeqCst), r(X, rlx)]], 3, 3)
            .genmc(3, 3),
        litmus("SB fence sc one", &[&[w(X, rlx), f(SeqCst), r(Y, rlx)], &[w(Y, rlx), r(X, rlx)]], 3, 4),
        litmus("SB fences acq-rel", &[&[w(X, rlx), f(AcqRel), r(Y, rlx)], &[w(Y, rlx), f(AcqRel), r(X, rlx)]], 3, 4),
        litmus("LB rlx", &[&[r(X, rlx), w(Y, rlx)], &[r(Y, rlx), w(X, rlx)]], 3, 3),
        litmus("LB rel-acq", &[&[r(X, Acquire), w(Y, Release)], &[r(Y, Acquire), w(X, Release)]], 3, 3).genmc(3, 3),
        litmus("LB sc", &[&[r(X, SeqCst), w(Y, SeqCst)], &[r(Y, SeqCst), w(X, SeqCst)]], 3, 3),
        litmus("MP rlx", &[&[w(X, rlx), w(Y, rlx)], &[r(Y, rlx), r(X, rlx)]], 3, 4),
        litmus("MP rel-acq", &[&[w(X, rlx), w(Y, Release)], &[r(Y, Acquire), r(X, rlx)]], 3, 3),
        litmus("MP all rel-acq", &[&[w(X, Release), w(Y, Release)], &[r(Y, Acquire), r(X, Acquire)]], 3, 3).genmc(3, 3),
        litmus("MP rel-rlx", &[&[w(X, rlx), w(Y, Release)], &[r(Y, rlx), r(X, rlx)]], 3, 4),
        litmus("MP rlx-acq", &[&[w(X, rlx), w(Y, rlx)], &[r(Y, Acquire), r(X, rlx)]], 3, 4),
        litmus("MP sc", &[&[w(X, SeqCst), w(Y, SeqCst)], &[r(Y, SeqCst), r(X, SeqCst)]], 3, 3),
        litmus("MP fences", &[&[w(X, rlx), f(Release), w(Y, rlx)], &[r(Y, rlx), f(Acquire), r(X, rlx)]], 3, 3),
        litmus("IRIW rlx", &[&[w(X, rlx)], &[w(Y, rlx)], &[r(X, rlx), r(Y, rlx)], &[r(Y, rlx), r(X, rlx)]], 15, 16),
        litmus(
            "IRIW rel-acq",
            &[&[w(X, Release)], &[w(Y, Release)], &[r(X, Acquire), r(Y, Acquire)], &[r(Y, Acquire), r(X, Acquire)]],
            15,
            16,
        ),
        litmus(
            "IRIW sc",
            &[&[w(X, SeqCst)], &[w(Y, SeqCst)], &[r(X, SeqCst), r(Y, SeqCst)], &[r(Y, SeqCst), r(X, SeqCst)]],
            15,
            15,
        ),
        litmus(
            "IRIW acq-sc",
            &[&[w(X, SeqCst)], &[w(Y, SeqCst)], &[r(X, Acquire), r(Y, SeqCst)], &[r(Y, Acquire), r(X, SeqCst)]],
            15,
            16,
        )
        .genmc(15, 16),
        litmus(
            "IRIW fences sc",
            &[&[w(X, rlx)], &[w(Y, rlx)], &[r(X, rlx), f(SeqCst), r(Y, rlx)], &[r(Y, rlx), f(SeqCst), r(X, rlx)]],
            15,
            15,
        ),
        litmus("CoRR", &[&[w(X, rlx)], &[r(X, rlx), r(X, rlx)]], 3, 3),
        litmus("CoRR twice", &[&[w(X, Release), Store(X, 2, Release)], &[r(X, Acquire), r(X, Acquire)]], 6, 6)
            .genmc(6, 6),
        litmus("CoRR2", &[&[w(X, rlx)], &[Store(X, 2, rlx)], &[r(X, rlx), r(X, rlx)], &[r(X, rlx), r(X, rlx)]], 72, 72)
            .genmc(72, 72),
        litmus("CoWW", &[&[w(X, rlx), Store(X, 2, rlx)]], 1, 1),
        litmus("CoWR", &[&[w(X, rlx), r(X, rlx)], &[Store(X, 2, rlx)]], 3, 3).genmc(3, 3),
        litmus("CoRW", &[&[r(X, rlx), w(X, rlx)], &[Store(X, 2, rlx)]], 3, 3).genmc(3, 3),
        litmus("2+2W rlx", &[&[w(X, rlx), Store(Y, 2, rlx)], &[w(Y, rlx), Store(X, 2, rlx)]], 3, 4),
        litmus("2+2W rel", &[&[w(X, Release), Store(Y, 2, Release)], &[w(Y, Release), Store(X, 2, Release)]], 3, 4)
            .genmc(3, 4),
        litmus("2+2W sc", &[&[w(X, SeqCst), Store(Y, 2, SeqCst)], &[w(Y, SeqCst), Store(X, 2, SeqCst)]], 3, 3)
            .genmc(3, 3),
        litmus(
            "2+2W fences sc",
            &[&[w(X, rlx), f(SeqCst), Store(Y, 2, rlx)], &[w(Y, rlx), f(SeqCst), Store(X, 2, rlx)]],
            3,
            3,
        )
        .genmc(3, 3),
        litmus("update", &[&[Add(X, 1, rlx)], &[Add(X, 1, rlx)]], 2, 2),
        litmus("update, MP", &[&[w(X, rlx), w(Y, Release)], &[Add(Y, 1, rlx)], &[r(Y, Acquire), r(X, rlx)]], 8, 8),
        litmus("swap", &[&[Swap(X, 0, 1, AcqRel, rlx)], &[Swap(X, 0, 2, AcqRel, rlx)]], 2, 2),
    ]
}

#[test]
fn litmus_tests_have_their_outcomes() {
    let mut wrong = Vec::new();
    for Litmus { name, program, n_sc, n_weak, genmc } in table() {
        for (model, checker, expected, genmc) in [
            (Model::Sc, Checker::new(), n_sc, genmc.map(|(sc, _)| sc)),
            (Model::Rc11, Checker::new().weak_memory(), n_weak, genmc.map(|(_, weak)| weak)),
        ] {
            let allowed = enumerate(&program, 2, model);
            if genmc.is_some_and(|genmc| genmc != allowed.n_executions) {
                wrong.push(format!("{name} {model:?}: {} executions, GenMC has {genmc:?}", allowed.n_executions));
            }
            for method in [Method::Optimal, Method::Source, Method::Sleep] {
                let (outcomes, n_runs) = explore(&program, 2, &checker.clone().method(method.clone()));
                println!(
                    "{name:18} {model:?}: {} outcomes, {} executions by the axioms, {n_runs} runs by {}",
                    outcomes.len(),
                    allowed.n_executions,
                    method.word()
                );
                if outcomes != allowed.outcomes || outcomes.len() != expected {
                    let n_allowed = allowed.outcomes.len();
                    wrong.push(format!(
                        "{name} {model:?} {}: {} outcomes, {n_allowed} by the axioms, {expected} expected",
                        method.word(),
                        outcomes.len(),
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Random programs of two or three threads over two locations.
fn random_program(random: &mut fastrand::Rng) -> Program {
    let n_threads = random.usize(2..=3);
    let n_instrs = if n_threads == 2 { 4 } else { 3 };
    let uses_sc = random.bool();
    let thread = |random: &mut fastrand::Rng| {
        let n = random.usize(1..=n_instrs);
        (0..n).map(|_| random_instr(random, uses_sc)).collect()
    };
    (0..n_threads).map(|_| thread(random)).collect()
}

fn random_instr(random: &mut fastrand::Rng, uses_sc: bool) -> Instr {
    let loc = random.usize(..2);
    let sc = uses_sc && random.u32(..2) == 0;
    let pick = |random: &mut fastrand::Rng, orders: &[Ordering]| {
        if sc { SeqCst } else { orders[random.usize(..orders.len())] }
    };
    match random.u32(..12) {
        0..=3 => Load(loc, pick(random, &[Relaxed, Acquire])),
        4..=7 => Store(loc, random.u64(1..3), pick(random, &[Relaxed, Release])),
        8 => Add(loc, 1, pick(random, &[Relaxed, Acquire, Release, AcqRel])),
        9 => {
            let success = pick(random, &[Relaxed, Acquire, Release, AcqRel]);
            Swap(loc, random.u64(..2), random.u64(1..4), success, pick(random, &[Relaxed, Acquire]))
        }
        _ => Fence(pick(random, &[Acquire, Release, AcqRel])),
    }
}

/// How many random programs; `BURNSIDE_FUZZ` asks for more.
fn n_programs() -> u64 {
    std::env::var("BURNSIDE_FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(120)
}

/// The first seed; `BURNSIDE_SEED` asks for another.
fn first_seed() -> u64 {
    std::env::var("BURNSIDE_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(0)
}

#[test]
fn random_programs_have_the_outcomes_of_the_axioms() {
    let mut smallest: Option<(usize, String)> = None;
    for seed in first_seed()..first_seed() + n_programs() {
        let mut random = fastrand::Rng::with_seed(seed);
        let program = random_program(&mut random);
        let size = program.iter().map(Vec::len).sum();
        for (model, checker) in [(Model::Sc, Checker::new()), (Model::Rc11, Checker::new().weak_memory())] {
            let allowed = enumerate(&program, 2, model);
            for method in [Method::Optimal, Method::Source, Method::Sleep] {
                let (outcomes, _) = explore(&program, 2, &checker.clone().method(method.clone()));
                if outcomes != allowed.outcomes && smallest.as_ref().is_none_or(|(best, _)| size < *best) {
                    let missing: Vec<_> = allowed.outcomes.difference(&outcomes).collect();
                    let added: Vec<_> = outcomes.difference(&allowed.outcomes).collect();
                    let word = method.word();
                    let text =
                        format!("seed {seed} {model:?} {word}: missing {missing:?}, added {added:?}\n{program:#?}");
                    smallest = Some((size, text));
                }
            }
        }
    }
    if let Some((_, text)) = smallest {
        panic!("{text}");
    }
}
