//! Executions to full coverage and executions per CPU-second, on the same tests: Burnside, loom, shuttle.
//!
//! `cargo run --release -- ../../docs/programs-benchmark.md` writes the table into that document. Each tool runs each test in a process of its
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
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// How long a tool may take for one test before its count is given as "more than".
const LIMIT: Duration = Duration::from_secs(6);
/// A search that ends sooner is repeated this long, so that its rate can be measured.
const ENOUGH: Duration = Duration::from_secs(1);
/// Executions between two looks at the clock, roughly.
const MAX_BATCH: u64 = 2000;
/// Rounds of which the best counts.
const N_ROUNDS: usize = 3;
/// Where in the document the table is.
const BEGIN: &str = "<!-- table -->";
const END: &str = "<!-- end of table -->";
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
        Some(document) => table(Path::new(document)),
        None => eprintln!("usage: burnside-programs-bench DOCUMENT"),
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

/// Writes the table into a document, between its two markers; the rest of it is left as it is.
fn table(document: &Path) {
    let before = std::fs::read_to_string(document).expect("a document to write the table into");
    let (head, rest) = before.split_once(BEGIN).expect("the document has a marker where the table begins");
    let (_, tail) = rest.split_once(END).expect("the document has a marker where the table ends");
    let mut text = format!("{head}{BEGIN}\n");
    text.push_str(
        "| test | expected | Burnside | per CPU-second | loom | per CPU-second | shuttle | per CPU-second |\n",
    );
    text.push_str("|---|---|---:|---:|---:|---:|---:|---:|\n");
    for (name, expected, _) in ours::SUBJECTS {
        let cells: Vec<String> = row(name).into_iter().map(|best| best.map_or("aborted | ".to_owned(), show)).collect();
        text.push_str(&format!("| `{name}` | {expected} | {} |\n", cells.join(" | ")));
        eprintln!("{name}");
    }
    text.push_str(&format!("{END}{tail}"));
    std::fs::write(document, text).expect("the document can be written");
}

/// The best of a few rounds for every tool. The tools take turns, since the machine is not always equally busy.
fn row(name: &str) -> [Option<Cell>; 3] {
    let mut best = [const { None::<Cell> }; 3];
    for _ in 0..N_ROUNDS {
        for (tool, best) in TOOLS.iter().zip(&mut best) {
            let Some(cell) = in_a_process(tool, name) else { continue };
            if best.as_ref().is_none_or(|best| best.per_second < cell.per_second) {
                *best = Some(cell);
            }
        }
    }
    best
}

fn in_a_process(tool: &str, name: &str) -> Option<Cell> {
    let program = std::env::current_exe().expect("a path to this program");
    let output = Command::new(program).args(["--one", tool, name]).output().expect("this program can be run");
    let text = String::from_utf8_lossy(&output.stdout);
    let mut words = text.lines().last()?.split(' ');
    let n_executions = words.next()?.parse().ok()?;
    let verdict = ["ok", "bug", "time"].into_iter().find(|verdict| words.clone().next() == Some(verdict))?;
    Some(Cell { n_executions, verdict, per_second: words.nth(1)?.parse().ok()? })
}

fn show(cell: Cell) -> String {
    let Cell { n_executions, verdict, per_second } = cell;
    if verdict == "time" {
        format!(">{n_executions} | {per_second:.0}")
    } else {
        format!("{n_executions} {verdict} | {per_second:.0}")
    }
}
