//! Running a plan: search, then replay.

use std::fmt;
use std::time::{Duration, Instant};

use burnside_engine::{Monitor, ReplayError, Report, Verdict, replay};

use crate::{Plan, peak_bytes};

/// What came out, and what it took.
#[derive(Debug)]
pub struct Outcome {
    /// The engine's report; a violation in it was replayed.
    pub report: Report,
    /// Duration of the search.
    pub elapsed: Duration,
    /// The most memory held: the process's if the system tells, else the engine's own count.
    pub peak_bytes: u64,
}

/// We are wrong: an engine reported a violation that the reference interpreter does not see.
#[derive(Debug)]
pub struct Bug {
    /// The engine's claim, for the statistics only.
    pub outcome: Outcome,
    /// Where the replay got stuck.
    pub error: ReplayError,
}

impl fmt::Display for Bug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the counterexample found does not replay ({})", self.error)
    }
}

impl Plan<'_> {
    /// Searches until the verdict is known or `monitor` says to stop, and replays what was found.
    pub fn run(&self, monitor: &Monitor) -> Result<Outcome, Box<Bug>> {
        let begun = Instant::now();
        let report = self.engine.check(&self.task, monitor);
        let elapsed = begun.elapsed();
        let peak_bytes = peak_bytes().unwrap_or(report.counts.bytes);
        let outcome = Outcome { report, elapsed, peak_bytes };
        let replayed = match &outcome.report.verdict {
            Verdict::Violated(violation) => replay(&self.task, violation),
            Verdict::Holds(_) | Verdict::Unknown(_) => Ok(()),
        };
        match replayed {
            Ok(()) => Ok(outcome),
            Err(error) => Err(Box::new(Bug { outcome, error })),
        }
    }
}
