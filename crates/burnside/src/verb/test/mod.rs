//! `burnside test`: models against what is expected of them.
//!
//! `case` finds the expectations, `trial` checks one model in a process of its own, `configuration` compares other ways to
//! check it, `bless` writes down what was found.

mod bless;
mod case;
mod configuration;
mod junit;
mod trial;

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use case::{Case, Found, find};
use trial::{Outcome, Trial, try_case};

use crate::args::TestArgs;
use crate::exit::Exit;
use crate::terminal::Terminal;
use burnside_view::quantity::counted;

pub(crate) fn run(args: &TestArgs, terminal: &mut Terminal) -> Exit {
    let here = [PathBuf::from(".")];
    let paths = if args.paths.is_empty() { &here } else { &args.paths[..] };
    let mut found = match find(paths, args.bless) {
        Ok(found) => found,
        Err(problem) => {
            Terminal::alarm(&problem);
            return Exit::Failed;
        }
    };
    if let Some(filter) = &args.filter {
        found.retain(filter);
    }
    let Found { mut cases, problems, n_silent, .. } = found;
    if args.bless {
        cases.retain(|case| case.configurations.is_empty());
    }
    problems.iter().for_each(|problem| Terminal::alarm(problem));
    if cases.is_empty() {
        if problems.is_empty() {
            Terminal::alarm("no model says what is expected of it; `burnside test --help` tells how");
        }
        return Exit::Invalid;
    }
    let n_tests: usize = cases.iter().map(|case| case.configurations.len().max(1)).sum();
    terminal.say(&format!("running {}", counted(n_tests as u64, "test", "tests")));
    let started = Instant::now();
    let trials = try_all(&cases, args, terminal);
    let exit = if args.bless { bless::write(&trials, terminal) } else { judge(&trials, terminal) };
    if !args.bless {
        let n_failed = trials.iter().filter(|trial| trial.failure().is_some()).count();
        let n_passed = trials.iter().filter(|trial| trial.outcome == Outcome::Passed).count();
        let skipped = match trials.len() - n_passed - n_failed {
            0 => String::new(),
            n_skipped => format!(" {n_skipped} skipped;"),
        };
        let palette = terminal.palette();
        let word = if n_failed == 0 { palette.green("ok") } else { palette.red("FAILED") };
        terminal.say(&format!(
            "\ntest result: {word}. {n_passed} passed; {n_failed} failed;{skipped} {n_silent} without expectations; \
             finished in {:.2}s",
            started.elapsed().as_secs_f64()
        ));
    }
    if let Some(path) = &args.junit
        && let Err(problem) = crate::output::write_text(path, &junit::document(&trials))
    {
        Terminal::alarm(&problem);
        return Exit::Failed;
    }
    if problems.is_empty() { exit } else { Exit::Invalid }
}

/// Checks all models, several at a time, and says how each went in the order of the list.
fn try_all(cases: &[Case], args: &TestArgs, terminal: &mut Terminal) -> Vec<Trial> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<Option<Vec<Trial>>>> = Mutex::new(cases.iter().map(|_| None).collect());
    let n_jobs = args.jobs.or_else(|| thread::available_parallelism().ok()).map_or(1, usize::from);
    let (mut n_told, mut trials) = (0, Vec::new());
    thread::scope(|scope| {
        let work = || {
            while let Some((at, case)) = cases.iter().enumerate().nth(next.fetch_add(1, Ordering::Relaxed)) {
                let tried = try_case(case, args.time);
                done.lock().expect("no thread panicked")[at] = Some(tried);
            }
        };
        let workers: Vec<_> = (0..n_jobs.min(cases.len())).map(|_| scope.spawn(work)).collect();
        while n_told < cases.len() {
            let finished = workers.iter().all(thread::ScopedJoinHandle::is_finished);
            let ready = done.lock().expect("no thread panicked")[n_told].take();
            match ready {
                Some(tried) => {
                    tried.iter().for_each(|trial| tell(trial, args.bless, terminal));
                    trials.extend(tried);
                    n_told += 1;
                }
                None if finished => break,
                None => thread::sleep(std::time::Duration::from_millis(2)),
            }
        }
    });
    trials
}

fn tell(trial: &Trial, blesses: bool, terminal: &mut Terminal) {
    let palette = terminal.palette();
    let how = match &trial.outcome {
        _ if blesses => trial.found.to_string(),
        Outcome::Passed => palette.green("ok"),
        Outcome::Failed(_) => palette.red("FAILED"),
        Outcome::Skipped(why) => format!("{}: {why}", palette.yellow("skipped")),
    };
    terminal.say(&format!("test {} ... {how}", trial.case));
}

/// Tells what is wrong with those that failed.
fn judge(trials: &[Trial], terminal: &mut Terminal) -> Exit {
    let failed: Vec<_> = trials.iter().filter_map(|trial| Some((&trial.case, trial.failure()?))).collect();
    if failed.is_empty() {
        return Exit::Holds;
    }
    terminal.say("\nfailures:");
    for (case, failure) in failed {
        terminal.say(&format!("\n---- {case} ----\n{failure}\nrepeat with: {}", case.command()));
    }
    Exit::Violated
}
