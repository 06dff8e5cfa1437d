//! `burnside test`: models against what is expected of them.
//!
//! `case` finds the expectations, `trial` checks one model in a process of its own, `bless` writes down what was found.

mod bless;
mod case;
mod junit;
mod trial;

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use case::{Case, Found, find};
use trial::{Trial, try_case};

use crate::args::TestArgs;
use crate::exit::Exit;
use crate::quantity::counted;
use crate::terminal::Terminal;

pub(crate) fn run(args: &TestArgs, terminal: &mut Terminal) -> Exit {
    let here = [PathBuf::from(".")];
    let paths = if args.paths.is_empty() { &here } else { &args.paths[..] };
    let Found { mut cases, problems, n_silent } = match find(paths, args.bless) {
        Ok(found) => found,
        Err(problem) => {
            Terminal::alarm(&problem);
            return Exit::Failed;
        }
    };
    if let Some(filter) = &args.filter {
        cases.retain(|case| case.to_string().contains(filter));
    }
    problems.iter().for_each(|problem| Terminal::alarm(problem));
    if cases.is_empty() {
        if problems.is_empty() {
            Terminal::alarm("no model says what is expected of it; `burnside test --help` tells how");
        }
        return Exit::Invalid;
    }
    terminal.say(&format!("running {}", counted(cases.len() as u64, "test", "tests")));
    let started = Instant::now();
    let trials = try_all(&cases, args, terminal);
    let exit = if args.bless { bless::write(&cases, &trials, terminal) } else { judge(&cases, &trials, terminal) };
    let n_failed = trials.iter().filter(|trial| trial.failure.is_some()).count();
    if !args.bless {
        let palette = terminal.palette();
        let word = if n_failed == 0 { palette.green("ok") } else { palette.red("FAILED") };
        terminal.say(&format!(
            "\ntest result: {word}. {} passed; {n_failed} failed; {n_silent} without expectations; finished in {:.2}s",
            trials.len() - n_failed,
            started.elapsed().as_secs_f64()
        ));
    }
    if let Some(path) = &args.junit
        && let Err(problem) = crate::output::write_text(path, &junit::document(&cases, &trials))
    {
        Terminal::alarm(&problem);
        return Exit::Failed;
    }
    if problems.is_empty() { exit } else { Exit::Invalid }
}

/// Checks all models, several at a time, and says how each went in the order of the list.
fn try_all(cases: &[Case], args: &TestArgs, terminal: &mut Terminal) -> Vec<Trial> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<Option<Trial>>> = Mutex::new(cases.iter().map(|_| None).collect());
    let n_jobs = args.jobs.or_else(|| thread::available_parallelism().ok()).map_or(1, usize::from);
    let mut trials = Vec::new();
    thread::scope(|scope| {
        let work = || {
            while let Some((at, case)) = cases.iter().enumerate().nth(next.fetch_add(1, Ordering::Relaxed)) {
                let trial = try_case(case, args.time);
                done.lock().expect("no thread panicked")[at] = Some(trial);
            }
        };
        let workers: Vec<_> = (0..n_jobs.min(cases.len())).map(|_| scope.spawn(work)).collect();
        while trials.len() < cases.len() {
            let finished = workers.iter().all(thread::ScopedJoinHandle::is_finished);
            let ready = done.lock().expect("no thread panicked")[trials.len()].take();
            match ready {
                Some(trial) => {
                    tell(&cases[trials.len()], &trial, args.bless, terminal);
                    trials.push(trial);
                }
                None if finished => break,
                None => thread::sleep(std::time::Duration::from_millis(2)),
            }
        }
    });
    trials
}

fn tell(case: &Case, trial: &Trial, blesses: bool, terminal: &mut Terminal) {
    let palette = terminal.palette();
    let how = match &trial.failure {
        _ if blesses => trial.found.to_string(),
        None => palette.green("ok"),
        Some(_) => palette.red("FAILED"),
    };
    terminal.say(&format!("test {case} ... {how}"));
}

/// Tells what is wrong with those that failed.
fn judge(cases: &[Case], trials: &[Trial], terminal: &mut Terminal) -> Exit {
    let failed: Vec<_> =
        cases.iter().zip(trials).filter_map(|(case, trial)| Some((case, trial.failure.as_ref()?))).collect();
    if failed.is_empty() {
        return Exit::Holds;
    }
    terminal.say("\nfailures:");
    for (case, failure) in failed {
        terminal.say(&format!("\n---- {case} ----\n{failure}\nrepeat with: {}", case.command()));
    }
    Exit::Violated
}
