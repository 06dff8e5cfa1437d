//! The way into a test: [`check`] and its options.

use crate::runtime::{self, Closure, Options, Spins};
use burnside_stateless::{
    Config, Method, Names, NotDeterministic, Report, Sampling, Schedule, Strategy, Symmetry, Trace, Verdict,
    check_symmetry, explain, fewest_switches, replay,
};
use std::panic;
use std::sync::{Arc, Once};
use std::time::{Duration, Instant};

/// Runs `body` under every schedule that makes a difference.
///
/// # Panics
///
/// If some run deadlocks or panics; the message has the schedule. Also if the program is not deterministic.
pub fn check(body: impl Fn() + Send + Sync + 'static) -> Report {
    Checker::new().check(body)
}

/// Options for [`check`].
#[derive(Clone, Debug)]
pub struct Checker {
    config: Config,
    time: Option<Duration>,
    stack_bytes: usize,
    spins: Spins,
    max_spurious: u32,
}

/// Looks in vain that are followed when nothing is said about them.
const DEFAULT_SPINS: u32 = 2;
const DEFAULT_STACK_BYTES: usize = 256 * 1024;

impl Default for Checker {
    fn default() -> Self {
        Self {
            config: Config::default(),
            time: None,
            stack_bytes: DEFAULT_STACK_BYTES,
            spins: Spins::AtMost(DEFAULT_SPINS),
            max_spurious: 0,
        }
    }
}

impl Checker {
    /// Every Mazurkiewicz trace once, symmetry used where it is declared, no bounds but the depth.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How runs are chosen.
    #[must_use]
    pub fn method(mut self, method: Method) -> Self {
        self.config.strategy = Strategy::Exhaustive(method);
        self
    }

    /// Whether symmetry is used.
    #[must_use]
    pub fn symmetry(mut self, symmetry: Symmetry) -> Self {
        self.config.symmetry = symmetry;
        self
    }

    /// Draws `n_runs` random runs instead of seeing all.
    #[must_use]
    pub fn sample(mut self, sampling: Sampling, n_runs: u64, seed: u64) -> Self {
        self.config.strategy = Strategy::Sample { sampling, n_runs, seed };
        self
    }

    /// Cuts runs at this many visible operations.
    #[must_use]
    pub fn max_depth(mut self, n: u32) -> Self {
        self.config.bounds.max_depth = n;
        self
    }

    /// Looks at every schedule with at most this many preemptions.
    #[must_use]
    pub fn max_preemptions(mut self, n: u32) -> Self {
        self.config.bounds.max_preemptions = n;
        self
    }

    /// Stops after this many runs.
    #[must_use]
    pub fn max_executions(mut self, n: u64) -> Self {
        self.config.bounds.max_executions = n;
        self
    }

    /// Stops after this time.
    #[must_use]
    pub fn max_time(mut self, time: Duration) -> Self {
        self.time = Some(time);
        self
    }

    /// Goes on after a fault, to count all of them. A panic then ends its thread only.
    #[must_use]
    pub fn keep_going(mut self) -> Self {
        self.config.keep_going = true;
        self
    }

    /// Promises that a loop which looks at an object, finds nothing to do and yields leaves nothing behind: it does not
    /// count its rounds. A thread is then not scheduled to look again before the object has changed, and a search that
    /// ends has covered everything. Without the promise a few rounds are followed (see [`Checker::max_spins`]).
    #[must_use]
    pub fn pure_spins(mut self) -> Self {
        self.spins = Spins::Pure;
        self
    }

    /// Follows this many looks in vain of a thread at the same unchanged object. If there could be more, the search ends
    /// inconclusive.
    #[must_use]
    pub fn max_spins(mut self, n: u32) -> Self {
        self.spins = Spins::AtMost(n);
        self
    }

    /// Lets every thread wake from conditions this many times without a notification, as the system may.
    #[must_use]
    pub fn spurious_wakeups(mut self, n: u32) -> Self {
        self.max_spurious = n;
        self
    }

    /// Gives every thread of the program a stack of this size.
    #[must_use]
    pub fn stack_bytes(mut self, bytes: usize) -> Self {
        self.stack_bytes = bytes;
        self
    }

    /// Searches and fails the test on a fault.
    ///
    /// # Panics
    ///
    /// If some run deadlocks or panics, or the program is not deterministic.
    pub fn check(&self, body: impl Fn() + Send + Sync + 'static) -> Report {
        let body: Arc<dyn Fn() + Send + Sync> = Arc::new(body);
        let report = self.search(&body);
        match &report.verdict {
            Verdict::Holds | Verdict::Inconclusive(_) => report,
            Verdict::Violated | Verdict::Invalid(_) => panic!("{}", self.describe(&report, &body)),
        }
    }

    /// Searches and returns what was found.
    pub fn run(&self, body: impl Fn() + Send + Sync + 'static) -> Report {
        let body: Arc<dyn Fn() + Send + Sync> = Arc::new(body);
        self.search(&body)
    }

    /// Repeats a schedule, in its short or file form.
    ///
    /// # Errors
    ///
    /// If the program does not do what the schedule says.
    ///
    /// # Panics
    ///
    /// If the schedule cannot be read.
    pub fn replay(&self, schedule: &str, body: impl Fn() + Send + Sync + 'static) -> Result<Trace, NotDeterministic> {
        let parsed = if schedule.starts_with("burnside") {
            Schedule::from_file(schedule)
        } else {
            Schedule::from_short(schedule)
        };
        let parsed = parsed.unwrap_or_else(|error| panic!("{error}"));
        let mut subject = self.subject(&(Arc::new(body) as Arc<dyn Fn() + Send + Sync>));
        replay(&mut subject, &parsed)
    }

    /// Executes permuted prefixes of `n_runs` random runs and compares what is pending.
    ///
    /// # Errors
    ///
    /// If a declared symmetry does not hold: where the permuted run differs.
    pub fn check_symmetry(&self, n_runs: u64, body: impl Fn() + Send + Sync + 'static) -> Result<u64, String> {
        let mut subject = self.subject(&(Arc::new(body) as Arc<dyn Fn() + Send + Sync>));
        check_symmetry(&mut subject, &self.config.families, n_runs, 0)
    }

    fn subject(&self, body: &Arc<dyn Fn() + Send + Sync>) -> Closure {
        install_hook();
        let options =
            Options { panics_end: !self.config.keep_going, spins: self.spins, max_spurious: self.max_spurious };
        Closure::new(Arc::clone(body), self.stack_bytes, options)
    }

    fn search(&self, body: &Arc<dyn Fn() + Send + Sync>) -> Report {
        let start = Instant::now();
        let mut stop = |_: &_| match self.time {
            Some(time) if start.elapsed() >= time => Some(format!("{time:?} were over")),
            _ => None,
        };
        let mut subject = self.subject(body);
        let mut report = burnside_stateless::check(&mut subject, &self.config, &mut stop);
        if let (Verdict::Holds, true, Spins::AtMost(n)) = (&report.verdict, subject.held_back, self.spins) {
            report.verdict = Verdict::Inconclusive(format!(
                "more than {n} looks in vain at an unchanged object; if they leave nothing behind, say `pure_spins`"
            ));
        }
        report
    }

    fn describe(&self, report: &Report, body: &Arc<dyn Fn() + Send + Sync>) -> String {
        let Some(fault) = &report.fault else { return explain(report, &Names::default()) };
        let mut subject = self.subject(body).keep_places();
        // The simplest of the equivalent runs is shown, if it shows the same end.
        let simplest = replay(&mut subject, &fewest_switches(fault));
        let (shown, fault) = match simplest.or_else(|_| replay(&mut subject, &Schedule::of(fault))) {
            Ok(trace) => (subject, trace),
            Err(error) => {
                let invalid = Report { verdict: Verdict::Invalid(error), ..report.clone() };
                return explain(&invalid, &Names::default());
            }
        };
        let names = Names {
            threads: shown.names.iter().map(|name| name.clone().unwrap_or_default()).collect(),
            places: shown.places.clone(),
            ..Names::default()
        };
        explain(&Report { fault: Some(fault), ..report.clone() }, &names)
    }
}

/// Panics of the program under test are findings, not messages: they go into the report instead of the terminal.
fn install_hook() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let outer = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let text = info.payload_as_str().unwrap_or("a value that is not text");
            let place = info.location().map(|place| format!(" at {}:{}", place.file(), place.line()));
            if !runtime::note_panic(&format!("{text}{}", place.unwrap_or_default())) {
                outer(info);
            }
        }));
    });
}
