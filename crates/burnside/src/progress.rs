//! Waiting for a search: one line on the terminal that tells how far it has come, and an end to waiting.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use burnside_driver::{memory_ceiling, resident_bytes};
use burnside_engine::{Monitor, Shortfall};

use crate::terminal::width;
use burnside_view::quantity::{bytes, count};

/// Short searches end before anything is shown.
const PATIENCE: Duration = Duration::from_millis(400);
/// How often someone who waits looks up. A step that goes wrong takes gigabytes in a second.
const INTERVAL: Duration = Duration::from_millis(100);
/// How long an engine may take to notice that it is to stop. A single step of a model can take longer than that.
const GRACE: Duration = Duration::from_secs(2);
/// The same for one that has not visited a state: it compiles, and that cannot be interrupted.
const GRACE_BEFORE: Duration = Duration::from_millis(200);
/// Back to the start of the line, and erase it.
const ERASE: &str = "\r\x1b[2K";

/// Someone who waits for a search.
pub(crate) struct Watch<'a> {
    pub(crate) monitor: &'a Monitor,
    pub(crate) interrupted: &'a AtomicBool,
    /// Whether progress is wanted; it is shown only where a person looks.
    pub(crate) progress: bool,
}

/// How waiting ended.
#[derive(Debug)]
pub(crate) enum Waited<R> {
    Done(R),
    /// The search did not stop in time after it was told to.
    Overdue(Shortfall),
    /// The search panicked.
    Lost,
}

/// Whether the process holds more than one whose search may use `budget` ever should.
pub(crate) fn is_exceeded(budget: u64) -> bool {
    resident_bytes().is_some_and(|held| held > memory_ceiling(budget))
}

impl Watch<'_> {
    /// Waits for what the search sends.
    pub(crate) fn wait<R>(&self, result: &Receiver<R>) -> Waited<R> {
        let begun = Instant::now();
        let show = self.progress && io::stderr().is_terminal();
        let mut shown = false;
        let mut told_to_stop: Option<(Instant, Shortfall)> = None;
        let waited = loop {
            match result.recv_timeout(INTERVAL) {
                Ok(result) => break Waited::Done(result),
                Err(RecvTimeoutError::Disconnected) => break Waited::Lost,
                Err(RecvTimeoutError::Timeout) => {}
            }
            if self.monitor.budget().bytes.is_some_and(is_exceeded) {
                // One step takes it all: whoever waits for its end is killed.
                break Waited::Overdue(Shortfall::Memory);
            }
            told_to_stop = told_to_stop.or_else(|| self.reason_to_stop().map(|reason| (Instant::now(), reason)));
            let grace = if self.monitor.counts().states == 0 { GRACE_BEFORE } else { GRACE };
            if let Some((_, reason)) = told_to_stop.filter(|(since, _)| since.elapsed() > grace) {
                break Waited::Overdue(reason);
            }
            if show && begun.elapsed() >= PATIENCE {
                shown = true;
                let line = fitting(&line(self.monitor, begun.elapsed()), width(&io::stderr()));
                let _ = write!(io::stderr(), "{ERASE}{line}");
            }
        };
        if shown {
            let _ = write!(io::stderr(), "{ERASE}");
        }
        waited
    }

    fn reason_to_stop(&self) -> Option<Shortfall> {
        let late = self.monitor.budget().deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if self.interrupted.load(Ordering::Relaxed) {
            Some(Shortfall::Cancelled)
        } else {
            late.then_some(Shortfall::Time)
        }
    }
}

/// As much of a line as a terminal shows without a second one: whole parts, which two blanks separate.
fn fitting(line: &str, width: Option<usize>) -> String {
    let Some(width) = width else { return line.to_owned() };
    let mut fitting = String::new();
    for part in line.split("  ") {
        let gap = if fitting.is_empty() { 0 } else { 2 };
        // A terminal that is filled to its last column may go to the next line.
        if fitting.chars().count() + gap + part.chars().count() >= width {
            break;
        }
        fitting = if gap == 0 { part.to_owned() } else { format!("{fitting}  {part}") };
    }
    fitting
}

fn line(monitor: &Monitor, elapsed: Duration) -> String {
    let counts = monitor.counts();
    let rate = counts.states as f64 / elapsed.as_secs_f64();
    format!(
        "{} s  {} states ({}/s)  {} rules  depth {}  frontier {}  {}",
        elapsed.as_secs(),
        count(counts.states),
        count(rate as u64),
        count(counts.rules_fired),
        counts.depth,
        count(counts.frontier),
        bytes(counts.bytes)
    )
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use burnside_engine::{Budget, Counts};

    use super::*;

    #[test]
    fn a_search_that_does_not_stop_is_not_waited_for() {
        let monitor = Monitor::new(Budget { deadline: Some(Instant::now()), ..Budget::default() });
        let watch = Watch { monitor: &monitor, interrupted: &AtomicBool::new(false), progress: false };
        let (sender, receiver) = mpsc::channel::<()>();
        assert!(matches!(watch.wait(&receiver), Waited::Overdue(Shortfall::Time)));
        drop(sender);
        assert!(matches!(watch.wait(&receiver), Waited::Lost));
    }

    #[test]
    fn a_narrow_terminal_sees_whole_parts() {
        let line = "2 s  4,000 states (2,000/s)  9,000 rules  depth 7";
        assert_eq!(fitting(line, None), line);
        assert_eq!(fitting(line, Some(line.len() + 1)), line);
        assert_eq!(fitting(line, Some(line.len())), "2 s  4,000 states (2,000/s)  9,000 rules");
        assert_eq!(fitting(line, Some(20)), "2 s");
    }

    #[test]
    fn the_line_tells_all_counts() {
        let monitor = Monitor::default();
        monitor.publish(Counts { states: 4000, rules_fired: 9000, frontier: 12, depth: 7, bytes: 2048 });
        let expected = "2 s  4,000 states (2,000/s)  9,000 rules  depth 7  frontier 12  2.0 KB";
        assert_eq!(line(&monitor, Duration::from_secs(2)), expected);
    }
}
