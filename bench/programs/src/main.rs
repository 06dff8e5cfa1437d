//! Executions to full coverage and executions per CPU-second, on the same tests: Burnside, loom, shuttle.
//!
//! `cargo run --release > ../../docs/programs-benchmark.md` writes the table. Each tool runs each test in a process of its
//! own (`--one tool test`), so that one that aborts costs one cell.

#[macro_use]
#[path = "../../../crates/sync/tests/support/subjects.rs"]
mod macros;

mod ours {
    subjects!(burnside_sync);
}
mod with_loom {
    subjects!(loom);
}
mod with_shuttle {
    subjects!(shuttle);
}

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// How long a tool may take for one test before its count is given as "more than".
const LIMIT: Duration = Duration::from_secs(6);
/// A search that ends sooner is repeated this long, so that its rate can be measured.
const ENOUGH: Duration = Duration::from_secs(1);
/// Executions between two looks at the clock, roughly.
const MAX_BATCH: u64 = 2000;
const TOOLS: [&str; 3] = ["burnside", "loom", "shuttle"];

static N_RUNS: AtomicU64 = AtomicU64::new(0);

/// One cell: executions until the search ended, whether it did, and executions per second.
struct Cell {
    n_executions: u64,
    verdict: &'static str,
    per_second: f64,
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    match args.get(1).map(String::as_str) {
        Some("--one") => one(&args[2], &args[3]),
        _ => table(),
    }
}

/// Repeats a search until its rate can be told.
fn measure(search: impl Fn() -> &'static str) -> Cell {
    let start = cpu_seconds();
    let verdict = search();
    let n_executions = N_RUNS.load(Relaxed);
    // Asking for the time costs as much as a short search, so it is asked ever more rarely.
    let mut n_searches = 1;
    while cpu_seconds() - start < ENOUGH.as_secs_f64() && verdict != "time" {
        for _ in 0..n_searches {
            search();
        }
        n_searches = (n_searches * 2).min(MAX_BATCH / n_executions.max(1) + 1);
    }
    Cell { n_executions, verdict, per_second: N_RUNS.load(Relaxed) as f64 / (cpu_seconds() - start) }
}

/// Time on a processor: the machine is shared, so the clock on the wall says little. All three tools stay on one thread.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").expect("Linux");
    text.split(' ').next().and_then(|ns| ns.parse::<f64>().ok()).expect("nanoseconds first") / 1e9
}

fn one(tool: &str, name: &str) {
    std::panic::set_hook(Box::new(|_| {}));
    let cell = match tool {
        "burnside" => measure(|| burnside(find(ours::SUBJECTS, name))),
        "loom" => measure(|| loom_dpor(find(with_loom::SUBJECTS, name))),
        _ => measure(|| shuttle_dfs(find(with_shuttle::SUBJECTS, name))),
    };
    println!("{} {} {}", cell.n_executions, cell.verdict, cell.per_second);
}

fn find(subjects: &[(&str, &str, fn())], name: &str) -> fn() {
    subjects.iter().find(|(other, ..)| *other == name).expect("a test of this name").2
}

fn burnside(body: fn()) -> &'static str {
    let checker = burnside_sync::Checker::new().max_time(LIMIT);
    let report = checker.run(move || {
        N_RUNS.fetch_add(1, Relaxed);
        body();
    });
    match report.verdict {
        burnside_stateless::Verdict::Holds => "ok",
        burnside_stateless::Verdict::Violated => "bug",
        _ => "time",
    }
}

fn loom_dpor(body: fn()) -> &'static str {
    let start = Instant::now();
    let mut builder = loom::model::Builder::new();
    builder.max_duration = Some(LIMIT);
    builder.max_branches = 100_000;
    let search = AssertUnwindSafe(|| {
        builder.check(move || {
            N_RUNS.fetch_add(1, Relaxed);
            body();
        });
    });
    outcome(catch_unwind(search).is_ok(), start)
}

fn shuttle_dfs(body: fn()) -> &'static str {
    let start = Instant::now();
    let mut config = shuttle::Config::new();
    config.max_time = Some(LIMIT);
    config.failure_persistence = shuttle::FailurePersistence::None;
    let search = AssertUnwindSafe(|| {
        let runner = shuttle::Runner::new(shuttle::scheduler::DfsScheduler::new(None, false), config);
        runner.run(move || {
            N_RUNS.fetch_add(1, Relaxed);
            body();
        });
    });
    outcome(catch_unwind(search).is_ok(), start)
}

fn outcome(quiet: bool, start: Instant) -> &'static str {
    match quiet {
        false => "bug",
        true if start.elapsed() >= LIMIT => "time",
        true => "ok",
    }
}

fn table() {
    println!("# Rust tests: Burnside, loom and shuttle\n");
    println!("Written by `cargo run --release > ../../docs/programs-benchmark.md` in `bench/programs`, on a shared");
    println!("two-core machine; compare within a row. `bug` means that the search ended at the first failing");
    println!("execution, `ok` that every behaviour was covered, `>` that {LIMIT:?} were not enough. Burnside explores");
    println!("wakeup trees (its default) without declared symmetry, loom its DPOR, shuttle depth-first search.\n");
    println!("| test | expected | Burnside | per CPU-second | loom | per CPU-second | shuttle | per CPU-second |");
    println!("|---|---|---:|---:|---:|---:|---:|---:|");
    for (name, expected, _) in ours::SUBJECTS {
        print!("| `{name}` | {expected} ");
        for tool in TOOLS {
            print!("| {} ", cell(tool, name));
        }
        println!("|");
    }
}

fn cell(tool: &str, name: &str) -> String {
    let program = std::env::current_exe().expect("a path to this program");
    let output = Command::new(program).args(["--one", tool, name]).output().expect("this program can be run");
    let text = String::from_utf8_lossy(&output.stdout);
    let mut words = text.lines().last().unwrap_or("").split(' ');
    let (Some(n), Some(verdict), Some(rate)) = (words.next(), words.next(), words.next()) else {
        return "aborted | ".to_owned();
    };
    let more = if verdict == "time" { ">" } else { "" };
    let rate: f64 = rate.parse().unwrap_or(0.0);
    format!("{more}{n} {} | {rate:.0}", if verdict == "time" { "" } else { verdict })
}
