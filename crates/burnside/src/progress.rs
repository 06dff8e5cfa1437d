//! One line on the terminal that tells how far a search has come.

use std::io::{self, IsTerminal, Write};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use burnside_engine::Monitor;

use crate::quantity::{bytes, count};

/// Short searches end before anything is shown.
const PATIENCE: Duration = Duration::from_millis(400);
const INTERVAL: Duration = Duration::from_millis(200);
/// Back to the start of the line, and erase it.
const ERASE: &str = "\r\x1b[2K";

/// Runs `work` and meanwhile shows the counts it publishes, if a person looks at standard error.
pub(crate) fn during<R>(monitor: &Monitor, wanted: bool, work: impl FnOnce() -> R) -> R {
    if !wanted || !io::stderr().is_terminal() {
        return work();
    }
    thread::scope(|scope| {
        let (done, until_done) = mpsc::channel::<()>();
        scope.spawn(move || watch(monitor, &until_done));
        let result = work();
        drop(done);
        result
    })
}

fn watch(monitor: &Monitor, until_done: &mpsc::Receiver<()>) {
    let begun = Instant::now();
    let mut shown = false;
    let mut wait = PATIENCE;
    while until_done.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
        wait = INTERVAL;
        shown = true;
        let _ = write!(io::stderr(), "{ERASE}{}", line(monitor, begun.elapsed()));
    }
    if shown {
        let _ = write!(io::stderr(), "{ERASE}");
    }
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
    use burnside_engine::Counts;

    use super::*;

    #[test]
    fn the_line_tells_all_counts() {
        let monitor = Monitor::default();
        monitor.publish(Counts { states: 4000, rules_fired: 9000, frontier: 12, depth: 7, bytes: 2048 });
        let expected = "2 s  4,000 states (2,000/s)  9,000 rules  depth 7  frontier 12  2.0 KB";
        assert_eq!(line(&monitor, Duration::from_secs(2)), expected);
    }
}
