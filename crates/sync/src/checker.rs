//! The way into a test: [`check`] and its options.

use crate::references::Needs;
use crate::replay::{self, Wanted};
use crate::runtime::{self, Closure, Options, Panics, Spins};
use burnside_stateless::{
    Config, Cursor, End, Method, Names, NotDeterministic, Report, Sampling, Schedule, Stats, Strategy, Subject,
    Symmetry, Trace, Verdict, check_symmetry, explain, fewest_switches,
};
use std::fmt;
use std::panic::{self, Location};
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
    weak: bool,
    check_leaks: bool,
    catch_panics: bool,
    observer: Option<Observer>,
}

/// What is told about every run.
#[derive(Clone)]
struct Observer(Arc<dyn Fn(&Trace) + Send + Sync>);

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Observer")
    }
}

/// A program whose runs are told to an observer.
struct Observed<'a> {
    subject: &'a mut Closure,
    observer: &'a Observer,
}

impl Subject for Observed<'_> {
    fn run(&mut self, cursor: Cursor) -> Trace {
        let trace = self.subject.run(cursor);
        (self.observer.0)(&trace);
        trace
    }
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
            weak: false,
            check_leaks: false,
            catch_panics: false,
            observer: None,
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

    /// Looks at schedules with at most this many delays of a scheduler that goes round.
    #[must_use]
    pub fn max_delays(mut self, n: u32) -> Self {
        self.config.bounds.max_delays = n;
        self
    }

    /// Looks at schedules with at most this many preemptions.
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

    /// Explores what C11 allows atomics to do besides sequential consistency: a load may read an older write, and writes
    /// may take effect in another order, as far as memory orders and fences permit.
    ///
    /// The model is RC11 with the release sequences of C++20, so load buffering (a load reading a write that comes after
    /// it, in its own thread or by way of others) is not explored. Operations on everything but atomics see the newest
    /// state of their object and order what `std` says they order.
    #[must_use]
    pub fn weak_memory(mut self) -> Self {
        self.weak = true;
        self
    }

    /// Makes it a fault if a run ends while an [`crate::sync::Arc`] made in it has references left.
    #[must_use]
    pub fn check_leaks(mut self) -> Self {
        self.check_leaks = true;
        self
    }

    /// Treats panics as `std` does: they end their thread, poison its locks and are what `join` returns. Only one that ends
    /// the first thread is a fault.
    #[must_use]
    pub fn catch_panics(mut self) -> Self {
        self.catch_panics = true;
        self
    }

    /// Calls `observer` after every run of a search, also those that are given up on the way.
    #[must_use]
    pub fn each_run(mut self, observer: impl Fn(&Trace) + Send + Sync + 'static) -> Self {
        self.observer = Some(Observer(Arc::new(observer)));
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
        let (report, found) = match replay::wanted() {
            Some(wanted) => self.repeat(&wanted, &body),
            None => self.search(&body),
        };
        match &report.verdict {
            Verdict::Holds | Verdict::Inconclusive(_) => report,
            Verdict::Violated | Verdict::Invalid(_) => panic!("{}", self.describe(&report, &found, &body)),
        }
    }

    /// Searches and returns what was found.
    pub fn run(&self, body: impl Fn() + Send + Sync + 'static) -> Report {
        let body: Arc<dyn Fn() + Send + Sync> = Arc::new(body);
        self.search(&body).0
    }

    /// As [`Checker::run`], with what is worth knowing besides: why symmetry was not used.
    pub fn run_with_notes(&self, body: impl Fn() + Send + Sync + 'static) -> (Report, Vec<String>) {
        let body: Arc<dyn Fn() + Send + Sync> = Arc::new(body);
        let (report, found) = self.search(&body);
        (report, found.notes)
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
        let wanted = replay::parse(schedule).unwrap_or_else(|error| panic!("{error}"));
        let mut subject = self.subject(&(Arc::new(body) as Arc<dyn Fn() + Send + Sync>), needs_of(&wanted));
        burnside_stateless::replay(&mut subject, &wanted.schedule)
    }

    /// Executes permuted prefixes of `n_runs` random runs and compares what is pending.
    ///
    /// # Errors
    ///
    /// If a declared symmetry does not hold: where the permuted run differs.
    pub fn check_symmetry(&self, n_runs: u64, body: impl Fn() + Send + Sync + 'static) -> Result<u64, String> {
        let mut subject = self.subject(&(Arc::new(body) as Arc<dyn Fn() + Send + Sync>), Needs::default());
        check_symmetry(&mut subject, &self.config.families, n_runs, 0)
    }

    fn subject(&self, body: &Arc<dyn Fn() + Send + Sync>, needs: Needs) -> Closure {
        install_hook();
        let options = Options {
            panics: match (self.catch_panics, self.config.keep_going) {
                (true, _) => Panics::Pass,
                (false, true) => Panics::Count,
                (false, false) => Panics::End,
            },
            spins: self.spins,
            max_spurious: self.max_spurious,
            weak: self.weak,
            check_leaks: self.check_leaks,
        };
        Closure::new(Arc::clone(body), self.stack_bytes, options, needs)
    }

    /// Searches, anew whenever a run shows that references have to be treated with more care; what was needed in the end
    /// comes with the report.
    fn search(&self, body: &Arc<dyn Fn() + Send + Sync>) -> (Report, Found) {
        let start = Instant::now();
        let mut known = Needs::default();
        loop {
            let learned = known.frozen();
            let mut stop = |_: &Stats| match self.time {
                _ if !learned.is(&known) => Some("references that have to be counted".to_owned()),
                Some(time) if start.elapsed() >= time => Some(format!("{time:?} were over")),
                _ => None,
            };
            let mut subject = self.subject(body, learned.clone());
            let mut report = match &self.observer {
                Some(observer) => {
                    let mut observed = Observed { subject: &mut subject, observer };
                    burnside_stateless::check(&mut observed, &self.config, &mut stop)
                }
                None => burnside_stateless::check(&mut subject, &self.config, &mut stop),
            };
            let is_final = report.verdict == Verdict::Violated && !self.config.keep_going;
            if !learned.is(&known) && !is_final {
                known = learned.frozen();
                continue;
            }
            if let (Verdict::Holds, true, Spins::AtMost(n)) = (&report.verdict, subject.held_back, self.spins) {
                report.verdict = Verdict::Inconclusive(format!(
                    "more than {n} looks in vain at an unchanged object; if they leave nothing behind, say `pure_spins`"
                ));
            }
            let notes = notes(&report, &known, subject.similar);
            return (report, Found { needs: known, notes });
        }
    }

    /// Executes one schedule alone.
    fn repeat(&self, wanted: &Wanted, body: &Arc<dyn Fn() + Send + Sync>) -> (Report, Found) {
        let needs = needs_of(wanted);
        let mut subject = self.subject(body, needs.clone());
        let result = burnside_stateless::replay(&mut subject, &wanted.schedule);
        let mut stats = Stats { n_executions: 1, ..Stats::default() };
        let (verdict, fault) = match result {
            Err(error) => (Verdict::Invalid(error), None),
            Ok(trace) => {
                stats.n_transitions = trace.events.len() as u64;
                stats.max_depth = trace.events.len() as u32;
                let is_fault = trace.end.as_ref().is_some_and(End::is_fault);
                let open = format!("every schedule but `{}`, which {} asked for", wanted.text, replay::VARIABLE);
                (if is_fault { Verdict::Violated } else { Verdict::Inconclusive(open) }, is_fault.then_some(trace))
            }
        };
        (
            Report { verdict, strategy: "replay", symmetry: Symmetry::Off, stats, fault },
            Found { needs, notes: Vec::new() },
        )
    }

    fn describe(&self, report: &Report, found: &Found, body: &Arc<dyn Fn() + Send + Sync>) -> String {
        let Some(fault) = &report.fault else { return self.say(report, &Names::default()) };
        let mut subject = self.subject(body, found.needs.frozen()).keep_places();
        // The simplest of the equivalent runs is shown, if it shows the same end.
        let simplest = burnside_stateless::replay(&mut subject, &fewest_switches(fault));
        let repeated = simplest
            .ok()
            .filter(|trace| trace.end.as_ref().map(End::word) == fault.end.as_ref().map(End::word))
            .map_or_else(|| burnside_stateless::replay(&mut subject, &Schedule::of(fault)), Ok);
        let (shown, fault) = match repeated {
            Ok(trace) => (subject, trace),
            Err(error) => {
                let invalid = Report { verdict: Verdict::Invalid(error), ..report.clone() };
                return self.say(&invalid, &Names::default());
            }
        };
        let names = Names {
            threads: shown.names.iter().map(|name| name.clone().unwrap_or_default()).collect(),
            places: shown.places.clone(),
            ..Names::default()
        };
        let advice = replay::advice(&fault, found.needs.counts_matter());
        let text = self.say(&Report { fault: Some(fault), ..report.clone() }, &names);
        let notes: String = found.notes.iter().map(|note| format!("note: {note}\n")).collect();
        format!("{text}{notes}{advice}\n")
    }

    /// The report as text, under the memory model it is about.
    fn say(&self, report: &Report, names: &Names) -> String {
        let text = explain(report, names);
        if self.weak { text.replace("under sequential consistency", "under RC11") } else { text }
    }
}

/// What a search found out besides its report.
struct Found {
    needs: Needs,
    notes: Vec<String>,
}

/// Why symmetry was not used, where it could have been worth something.
fn notes(report: &Report, needs: &Needs, similar: Option<&Location<'_>>) -> Vec<String> {
    if report.symmetry == Symmetry::Off || report.stats.n_executions < 2 {
        return Vec::new();
    }
    if let Some(why) = needs.told_apart() {
        return vec![format!("workers of a pool are not exchanged, because {why}")];
    }
    let similar = similar.filter(|_| report.stats.n_symmetric == 0);
    let note = |place: &Location<'_>| {
        format!(
            "threads created at {}:{} are not exchanged, because closures cannot be compared; those of a \
             `symmetry::Pool` are alike by construction",
            place.file(),
            place.line()
        )
    };
    similar.map(note).into_iter().collect()
}

fn needs_of(wanted: &Wanted) -> Needs {
    if wanted.counts_references { Needs::counted() } else { Needs::default() }
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
