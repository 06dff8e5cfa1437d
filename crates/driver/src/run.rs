//! Running a plan: search, then replay, on a thread with room for recursion.

use std::fmt;
use std::sync::mpsc::{self, Receiver};
use std::thread::Scope;
use std::time::{Duration, Instant};

use burnside_engine::{
    Breach, Declined, Disagreement, Monitor, Reason, ReplayError, Report, SearchOrder, Shortfall, Task, Verdict, replay,
};
use burnside_step::Code;

use crate::stack::spawn_large;
use crate::{Plan, StackFailure, peak_bytes, shorten};

/// What came out, and what it took.
#[derive(Debug)]
pub struct Outcome {
    /// The engine's report; a violation in it was replayed.
    pub report: Report,
    /// Which of the plan's attempts it is of.
    pub(crate) attempt: usize,
    /// Why the first attempt was declined, if it was.
    pub declined: Option<Reason>,
    /// Duration of the search.
    pub elapsed: Duration,
    /// The most memory held: the process's if the system tells, else the engine's own count.
    pub peak_bytes: u64,
}

impl Outcome {
    /// What is known about a search that did not stop when it was told to.
    pub fn abandoned(task: &Task<'_>, monitor: &Monitor, shortfall: Shortfall, elapsed: Duration) -> Self {
        let counts = monitor.counts();
        let report = Report::new(task, Verdict::Unknown(shortfall), counts);
        Self { report, attempt: 0, declined: None, elapsed, peak_bytes: peak_bytes().unwrap_or(counts.bytes) }
    }
}

/// We are wrong: an engine and the reference interpreter do not agree.
#[derive(Debug)]
pub struct Bug {
    /// The engine's claim, for the statistics only.
    pub outcome: Outcome,
    /// Where they do not.
    pub error: BugKind,
}

/// Where an engine and the reference interpreter do not agree.
#[derive(Debug)]
pub enum BugKind {
    /// A violation does not replay.
    Replay(ReplayError),
    /// A state that was looked at twice gave two answers.
    Audit(Box<Disagreement>),
    /// What was saved of a search cannot be read, though it is what was written.
    Unreadable,
}

impl fmt::Display for Bug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.error {
            BugKind::Replay(error) => write!(f, "the counterexample found does not replay ({error})"),
            BugKind::Audit(disagreement) => write!(f, "the audit of the search failed: {disagreement}"),
            BugKind::Unreadable => write!(f, "{}", Reason::Unreadable.words()),
        }
    }
}

/// What a plan's run ends in.
pub type RunResult = Result<Outcome, Box<Bug>>;

impl Plan<'_> {
    /// Starts the search on a thread of its own. The receiver gets what [`run`](Self::run) returns, or is disconnected
    /// if that panics.
    pub fn start<'s>(
        &'s self,
        scope: &'s Scope<'s, '_>,
        monitor: &'s Monitor,
    ) -> Result<Receiver<RunResult>, StackFailure> {
        let (sender, receiver) = mpsc::channel();
        spawn_large(scope, move || {
            // Whoever asked may have given up waiting.
            let _ = sender.send(self.run(monitor));
        })?;
        Ok(receiver)
    }

    /// Searches until the verdict is known or `monitor` says to stop, and replays what was found.
    pub fn run(&self, monitor: &Monitor) -> RunResult {
        let begun = Instant::now();
        let mut outcome = self.ask(monitor)?;
        if self.task.order == SearchOrder::DepthFirst
            && let Verdict::Violated(violation) = &outcome.report.verdict
            && !matches!(violation.breach, Breach::Temporal(..))
        {
            // What replays below is what is shown. What violates a formula is the whole of an execution, detours included.
            outcome.report.show_by(|violation| shorten(&self.task, violation));
        }
        outcome.elapsed = begun.elapsed();
        outcome.peak_bytes = peak_bytes().unwrap_or(outcome.report.counts.bytes);
        if let Some(disagreement) = outcome.report.audit.disagreement.clone() {
            return Err(Box::new(Bug { outcome, error: BugKind::Audit(disagreement) }));
        }
        let replayed = outcome.report.violations().try_for_each(|violation| replay(&self.task, violation));
        match replayed {
            Ok(()) => Ok(outcome),
            Err(error) => Err(Box::new(Bug { outcome, error: BugKind::Replay(error) })),
        }
    }

    /// Asks one engine after the other until one has an answer that counts.
    fn ask(&self, monitor: &Monitor) -> RunResult {
        let mut code: Option<Box<Code>> = None;
        let mut declined = None;
        for (attempt, asked) in self.attempts.iter().enumerate().skip(self.first_attempt) {
            let resumed = self.task.resumed.filter(|_| attempt == self.first_attempt);
            let handed_on = code.as_deref().or(self.task.code);
            let task = Task { may_decline: asked.may_decline, code: handed_on, resumed, ..self.task };
            match asked.engine.check(&task, monitor) {
                Ok(report) if asked.accepts(&report) => {
                    return Ok(Outcome { report, attempt, declined, elapsed: Duration::ZERO, peak_bytes: 0 });
                }
                Ok(_) => {}
                // What is in the file is for nobody else either.
                Err(Declined { reason: Reason::Unreadable, .. }) => {
                    let outcome = Outcome::abandoned(&self.task, monitor, Shortfall::Cancelled, Duration::ZERO);
                    return Err(Box::new(Bug { outcome, error: BugKind::Unreadable }));
                }
                Err(Declined { reason, code: made }) => {
                    declined = declined.or(Some(reason));
                    code = made.or(code);
                }
            }
        }
        panic!("the last engine never declines")
    }
}

#[cfg(test)]
mod tests {
    use burnside_engine::{Counts, DeadlockMode, Engine, Trace, Unsupported, Violation};
    use burnside_ir::StartId;

    use super::*;
    use crate::{Language, LoadOptions, Settings, load};

    /// Claims a deadlock after a start state that does not exist.
    struct Liar;

    impl Engine for Liar {
        fn name(&self) -> &'static str {
            "liar"
        }

        fn admit(&self, _task: &Task<'_>) -> Result<(), Unsupported> {
            Ok(())
        }

        fn check(&self, task: &Task<'_>, _monitor: &Monitor) -> Result<Report, Declined> {
            let trace = Trace {
                start: StartId(7),
                start_args: Vec::new(),
                first: Some(Box::new([0])),
                steps: Vec::new(),
                loop_start: None,
            };
            let violation = Violation { breach: Breach::Deadlock, trace: Some(trace) };
            let verdict = Verdict::Violated(Box::new(violation));
            Ok(Report::new(task, verdict, Counts::default()))
        }
    }

    #[test]
    fn a_counterexample_that_does_not_replay_is_our_bug() {
        let text = "(model (global g0 \"x\" t0) (start i0 \"init\" (do (clear g0))))";
        let loaded = load("m.ir", text, Language::Ir, &LoadOptions::default());
        let prepared = loaded.prepared.expect("a good model");
        let mut plan = Plan::new(&prepared, &Settings::default()).expect("a plan");
        assert!(plan.run(&Monitor::default()).is_ok());
        plan.attempts[0].engine = Box::new(Liar);
        let bug = plan.run(&Monitor::default()).expect_err("the trace is false");
        let BugKind::Replay(error) = bug.error else { panic!("{bug}") };
        assert_eq!(error.problem, "the start state does not exist");
    }

    #[test]
    fn detours_that_violate_a_formula_stay_in_its_counterexample() {
        let text = "type P: scalarset(3); L: enum {idle, want, crit}; var loc: array[P] of L;
            startstate for p: P do loc[p] := idle; end; end;
            ruleset p: P; o: P do
              rule 1 p != o & loc[p] = crit ==> begin loc[p] := idle; loc[o] := idle; end;
            end;
            ruleset p: P do
              rule loc[p] = idle & forall z: P do z = p | loc[z] != crit end ==> begin
                for z: P do if z != p & loc[z] = want then loc[z] := idle; end; end; loc[p] := want;
              end;
              rule loc[p] = want ==> begin loc[p] := crit; end;
              ltl \"never\" !<> loc[p] = crit;
            end;";
        let prepared = load("m.m", text, Language::Murphi, &LoadOptions::default()).prepared.expect("a good model");
        let settings = Settings { order: SearchOrder::DepthFirst, deadlock: DeadlockMode::Off, ..Settings::default() };
        let plan = Plan::new(&prepared, &settings).expect("a plan");
        let outcome = plan.run(&Monitor::default()).unwrap_or_else(|bug| panic!("{bug}"));
        assert!(matches!(outcome.report.verdict, Verdict::Violated(_)));
    }
}
