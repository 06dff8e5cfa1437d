//! One random execution.

use std::ops::ControlFlow;

use burnside_engine::{Breach, Step, Task, Trace};
use burnside_interp::{Interpreter, Outcome};
use burnside_ir::{RuleId, StartId, UNDEFINED};

use crate::referee::{Arrival, End, Referee, Via};

/// An execution and how it ended.
#[derive(Debug)]
pub struct Walk {
    /// The execution; `None` if no start state is possible.
    pub trace: Option<Trace>,
    /// Why it is not longer.
    pub end: WalkEnd,
}

/// Why a walk ended.
#[derive(Debug, PartialEq, Eq)]
pub enum WalkEnd {
    /// Something is wrong in the last state or step.
    Violated(Box<Breach>),
    /// It is as long as was asked for.
    Finished,
    /// No rule leads on, and that does not count as a deadlock.
    NoWayOn,
}

/// Follows a random execution of at most `n_steps` steps; equal seeds give equal walks. `follow` sees the execution
/// after the start state and after each step, with what `put` statements printed in it.
pub fn walk(task: &Task<'_>, seed: u64, n_steps: u64, mut follow: impl FnMut(&Trace, &str)) -> Walk {
    let mut walker = Walker {
        task,
        random: fastrand::Rng::with_seed(seed),
        interpreter: Interpreter::new(task.model, task.layout, task.step_limits),
        referee: Referee::new(task),
        state: vec![UNDEFINED; task.layout.slots().len()],
    };
    walker.run(n_steps, &mut follow)
}

struct Walker<'m> {
    task: &'m Task<'m>,
    random: fastrand::Rng,
    interpreter: Interpreter<'m>,
    referee: Referee<'m>,
    state: Vec<i64>,
}

impl Walker<'_> {
    fn run(&mut self, n_steps: u64, follow: &mut impl FnMut(&Trace, &str)) -> Walk {
        let Some((start, args)) = self.choose_start() else { return Walk { trace: None, end: WalkEnd::NoWayOn } };
        self.interpreter.listen();
        let end = self.interpreter.begin(start, &args, end_of).flatten().expect("a chosen start state exists");
        let mut trace = Trace { start, start_args: args, first: None, steps: Vec::new(), loop_start: None };
        let arrived = self.arrive(end, Via::Start);
        trace.first = arrived.end.ok();
        follow(&trace, &self.interpreter.take_output());
        let mut breach = arrived.breach;
        for _ in 0..n_steps {
            if breach.is_some() {
                break;
            }
            let via = Via::after(trace.steps.len());
            let Some((rule, args)) = self.choose_rule(via) else {
                let end = match self.referee.is_deadlock(&self.state, via) {
                    true => WalkEnd::Violated(Box::new(Breach::Deadlock)),
                    false => WalkEnd::NoWayOn,
                };
                return Walk { trace: Some(trace), end };
            };
            self.interpreter.take_output();
            let fired = self.interpreter.fire(&self.state, rule, &args, end_of);
            let arrived = self.arrive(fired.flatten().expect("a chosen rule may fire"), Via::Rule);
            trace.steps.push(Step { rule, args, end: arrived.end });
            follow(&trace, &self.interpreter.take_output());
            breach = arrived.breach;
        }
        let end = breach.map_or(WalkEnd::Finished, |breach| WalkEnd::Violated(Box::new(breach)));
        Walk { trace: Some(trace), end }
    }

    /// A start state, each possible instance with the same probability.
    fn choose_start(&mut self) -> Option<(StartId, Vec<i64>)> {
        let (mut seen, mut chosen) = (0, None);
        let (random, referee) = (&mut self.random, &mut self.referee);
        self.interpreter.starts(|start, args, outcome| {
            if is_possible(referee, &outcome, Via::Start) && draw(random, &mut seen) {
                chosen = Some((start, args.to_vec()));
            }
            ControlFlow::Continue(())
        });
        chosen
    }

    /// A rule to fire, each enabled instance with the same probability. A dead end by the deadlock mode is one for the
    /// walk, too: it would only stutter from here.
    fn choose_rule(&mut self, via: Via) -> Option<(RuleId, Vec<i64>)> {
        if self.referee.is_deadlock(&self.state, via) {
            return None;
        }
        let (mut seen, mut chosen) = (0, None);
        let (random, referee) = (&mut self.random, &mut self.referee);
        self.interpreter.successors(&self.state, |rule, args, outcome| {
            if is_possible(referee, &outcome, Via::Rule) && draw(random, &mut seen) {
                chosen = Some((rule, args.to_vec()));
            }
            ControlFlow::Continue(())
        });
        chosen
    }

    fn arrive(&mut self, end: End, via: Via) -> Arrival {
        match end {
            Ok(values) => {
                self.state.copy_from_slice(&values);
                let mut words = vec![0; self.task.layout.n_words()];
                self.task.layout.pack(&values, &mut words);
                Arrival { end: Ok(words.into()), breach: self.referee.breach(&values, via) }
            }
            Err((site, fault)) => Arrival { end: Err(site), breach: Some(Breach::Fault(fault)) },
        }
    }
}

fn end_of(outcome: Outcome<'_>) -> Option<End> {
    match outcome {
        Outcome::Next(values) => Some(Ok(values.to_vec())),
        Outcome::Fault(site, fault) => Some(Err((site, fault))),
        Outcome::Pruned => None,
    }
}

fn is_possible(referee: &mut Referee<'_>, outcome: &Outcome<'_>, via: Via) -> bool {
    match outcome {
        Outcome::Next(values) => referee.excludes(values, via).is_none(),
        Outcome::Pruned => false,
        Outcome::Fault(..) => true,
    }
}

/// Whether the candidate seen last replaces the one chosen before: after `n` candidates each is the chosen one with
/// probability `1/n` (reservoir sampling).
fn draw(random: &mut fastrand::Rng, seen: &mut u64) -> bool {
    *seen += 1;
    random.u64(0..*seen) == 0
}
