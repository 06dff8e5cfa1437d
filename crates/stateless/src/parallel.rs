//! Exploring on several threads.
//!
//! The search is cut into parts with disjoint prefixes ([`Search::split`]). All parts advance in rounds of a fixed number
//! of runs; between rounds finished parts give back what they found and the rest is cut further. Rounds and cuts depend
//! on counts alone, so runs, counts and the fault reported are the same for every number of threads.

use crate::check::{Config, Report, Strategy, Verdict, allowed, conclude};
use crate::explorer::{Explorer, NotDeterministic, Stats, Subject};
use crate::search::Search;
use crate::trace::{Cut, End, Trace};
use std::sync::Mutex;

/// Runs of one part in one round.
const ROUND: u64 = 64;
/// Parts there should be to choose from.
const MIN_PARTS: usize = 16;

/// A part, its lender, and what happened to it in the last round.
struct Part {
    search: Search,
    lender: Option<usize>,
    n_lent: usize,
    fault: Option<Trace>,
    error: Option<NotDeterministic>,
    over: bool,
}

impl Part {
    fn new(search: Search, lender: Option<usize>) -> Self {
        Self { search, lender, n_lent: 0, fault: None, error: None, over: false }
    }

    fn advance(&mut self, subject: &mut dyn Subject, keep_going: bool) {
        let until = self.search.stats().n_executions + ROUND;
        while self.search.stats().n_executions < until && (keep_going || self.fault.is_none()) {
            let Some(cursor) = self.search.cursor() else { return };
            let trace = subject.run(cursor);
            if let Some(End::Cut(Cut::OffScript(step))) = trace.end {
                let detail = "a thread that had run here before cannot".to_owned();
                self.error = Some(NotDeterministic { step: step as usize, detail });
                return;
            }
            if let Err(error) = self.search.done(&trace) {
                self.error = Some(error);
                return;
            }
            if self.fault.is_none() && trace.end.as_ref().is_some_and(End::is_fault) {
                self.fault = Some(trace);
            }
        }
    }
}

/// As [`crate::check`], on `n_threads` threads with a subject each. Samples are drawn on one.
pub fn check_parallel<S: Subject>(
    subject: &(dyn Fn() -> S + Sync),
    config: &Config,
    n_threads: usize,
    stop: &mut dyn FnMut(&Stats) -> Option<String>,
) -> Report {
    let Strategy::Exhaustive(method) = &config.strategy else {
        return crate::check::check(&mut subject(), config, stop);
    };
    let mut parts = vec![Part::new(config.divisible_search(method), None)];
    let mut open = None;
    while !parts[0].over {
        let total = total(&parts);
        let executions =
            (total.n_executions >= config.bounds.max_executions).then(|| allowed(config.bounds.max_executions));
        open = executions.or_else(|| stop(&total));
        let stuck = parts.iter().any(|part| part.error.is_some() || (part.fault.is_some() && !config.keep_going));
        if open.is_some() || stuck {
            break;
        }
        round(&mut parts, subject, n_threads, config.keep_going);
        settle(&mut parts);
    }
    report(parts, open, config)
}

/// Advances every part that is not over.
fn round<S: Subject>(parts: &mut [Part], subject: &(dyn Fn() -> S + Sync), n_threads: usize, keep_going: bool) {
    let queue = Mutex::new(parts.iter_mut().filter(|part| !part.over));
    let work = || {
        let mut subject = subject();
        loop {
            let next = queue.lock().expect("no worker panics with the queue").next();
            let Some(part) = next else { return };
            part.advance(&mut subject, keep_going);
        }
    };
    if n_threads <= 1 {
        return work();
    }
    std::thread::scope(|scope| {
        for _ in 0..n_threads {
            scope.spawn(work);
        }
    });
}

/// Takes finished parts back, youngest first, and cuts the others while there are few.
fn settle(parts: &mut Vec<Part>) {
    for at in (0..parts.len()).rev() {
        if parts[at].over || parts[at].n_lent > 0 || !parts[at].search.is_over() {
            continue;
        }
        parts[at].over = true;
        if let Some(lender) = parts[at].lender {
            let given_back = parts[at].search.clone().give_back();
            parts[lender].search.absorb(given_back);
            parts[lender].n_lent -= 1;
        }
    }
    let n_alive = parts.iter().filter(|part| !part.over).count();
    if n_alive >= MIN_PARTS {
        return;
    }
    for at in 0..parts.len() {
        if !parts[at].over {
            let lent = parts[at].search.split();
            parts[at].n_lent += lent.len();
            parts.extend(lent.into_iter().map(|search| Part::new(search, Some(at))));
        }
    }
}

fn total(parts: &[Part]) -> Stats {
    let mut total = Stats::default();
    // A part that is over has been counted by its lender.
    for part in parts.iter().enumerate().filter(|(at, part)| *at == 0 || !part.over).map(|(_, part)| part) {
        total.merge(part.search.stats());
    }
    total
}

fn report(parts: Vec<Part>, open: Option<String>, config: &Config) -> Report {
    let stats = total(&parts);
    let error = parts.iter().find_map(|part| part.error.clone());
    let fault = parts.iter().find_map(|part| part.fault.clone());
    let verdict = match error {
        Some(error) => Verdict::Invalid(error),
        None => {
            let mut whole = parts.into_iter().next().expect("the first part stays").search;
            whole.set_stats(stats);
            conclude(fault.is_some(), open, &whole, config)
        }
    };
    Report { verdict, strategy: config.strategy.word(), symmetry: config.symmetry, stats, fault }
}
