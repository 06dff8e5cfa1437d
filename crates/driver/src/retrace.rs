//! Following a recorded execution: does the model behave like that?

use std::ops::ControlFlow;

use burnside_engine::{Breach, Step, Task, Trace, refute};
use burnside_interp::{Fault, Interpreter, Outcome};
use burnside_ir::{Binder, Local, PropertyId, PropertyKind, UNDEFINED, params};

use crate::referee::{Arrival, End, Referee, Via};

/// One state of a recorded execution and what led there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    /// The name of the start state or rule; unknown means any.
    pub action: Option<String>,
    /// Its parameters by name, in the words of [`Types::value_name`](burnside_ir::Types::value_name).
    pub parameters: Option<Vec<(String, String)>>,
    /// The state, or `None` if the step faulted.
    pub state: Option<Vec<i64>>,
}

/// How far the model follows a recorded execution.
#[derive(Debug, PartialEq, Eq)]
pub struct Retraced {
    /// What was executed; `None` if not even the start state was found.
    pub trace: Option<Trace>,
    /// The end: what is violated there, nothing, or why the model does not follow any further.
    pub end: Result<Option<Box<Breach>>, Mismatch>,
}

/// Why a model does not follow a recorded step.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mismatch {
    /// Nothing is recorded.
    Empty,
    /// No start state or rule of the recorded name and parameters may fire here.
    NotEnabled,
    /// It leads to this other state.
    OtherState(Vec<i64>),
    /// It faults.
    Faulted(Box<Fault>),
    /// It does not fault, as it should.
    NoFault,
    /// An assumption inside it fails.
    Pruned,
    /// An assumption about states excludes the recorded state.
    Excluded(PropertyId),
}

/// What is recorded about the end of an execution.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ending<'r> {
    /// The number of the state that comes again at the end, if one does.
    pub loop_start: Option<usize>,
    /// The temporal property that is said to be violated.
    pub violates: Option<&'r str>,
}

/// Executes the recorded steps one by one until the end, a violation or a difference.
///
/// An execution with a loop is also held against the temporal properties of the model; one without against the one that
/// it is said to violate.
pub fn retrace(task: &Task<'_>, recorded: &[Recorded], ending: &Ending<'_>) -> Retraced {
    let mut follower = Follower {
        task,
        interpreter: Interpreter::new(task.model, task.layout, task.step_limits),
        referee: Referee::new(task),
        state: vec![UNDEFINED; task.layout.slots().len()],
        trace: None,
    };
    let mut end = follower.run(recorded);
    if let (Ok(None | Some(_)), Some(trace)) = (&end, &mut follower.trace)
        && trace.steps.len() + 1 == recorded.len()
        && !matches!(&end, Ok(Some(breach)) if **breach != Breach::Deadlock)
    {
        trace.loop_start = ending.loop_start;
        let is_meant = |property: PropertyId| match (ending.loop_start, ending.violates) {
            (Some(_), None) => true,
            (_, Some(name)) => task.model.property(property).name == name,
            (None, None) => false,
        };
        let is_shown = |property: PropertyId| {
            let kind = task.model.property(property).kind;
            trace.loop_start.is_some() || kind != PropertyKind::Branching
        };
        let mut properties = task.temporal_properties().into_iter();
        let refuted = properties.find(|&it| is_meant(it) && is_shown(it) && refute(task, it, trace).is_ok());
        if let Some(property) = refuted {
            end = Ok(Some(Box::new(Breach::Temporal(property, Vec::new()))));
        }
    }
    Retraced { trace: follower.trace, end }
}

struct Follower<'m> {
    task: &'m Task<'m>,
    interpreter: Interpreter<'m>,
    referee: Referee<'m>,
    state: Vec<i64>,
    trace: Option<Trace>,
}

impl Follower<'_> {
    fn run(&mut self, recorded: &[Recorded]) -> Result<Option<Box<Breach>>, Mismatch> {
        let (first, rest) = recorded.split_first().ok_or(Mismatch::Empty)?;
        let mut breach = self.start(first)?;
        for record in rest {
            if breach.is_some() {
                break;
            }
            breach = self.step(record)?;
        }
        let via = Via::after(rest.len());
        if breach.is_none() && self.referee.is_deadlock(&self.state, via) {
            breach = Some(Breach::Deadlock);
        }
        let breach = breach.or_else(|| self.referee.liveness_fault(&self.state, via));
        Ok(breach.map(Box::new))
    }

    fn start(&mut self, record: &Recorded) -> Result<Option<Breach>, Mismatch> {
        let model = self.task.model;
        let mut search = Search::new(record);
        self.interpreter.starts(|start, args, outcome| {
            let definition = model.start(start);
            let named = Named { name: &definition.name, binders: &definition.binders, locals: &definition.locals };
            search.offer(self.task, named, args, &outcome, || start)
        });
        let Found { who, args, end } = search.finish()?;
        let arrival = self.arrive(end, Via::Start)?;
        self.trace =
            Some(Trace { start: who, start_args: args, first: arrival.end.ok(), steps: Vec::new(), loop_start: None });
        Ok(arrival.breach)
    }

    fn step(&mut self, record: &Recorded) -> Result<Option<Breach>, Mismatch> {
        let model = self.task.model;
        let mut search = Search::new(record);
        self.interpreter.successors(&self.state, |rule, args, outcome| {
            let definition = model.rule(rule);
            let named = Named { name: &definition.name, binders: &definition.binders, locals: &definition.locals };
            search.offer(self.task, named, args, &outcome, || rule)
        });
        let Found { who, args, end } = search.finish()?;
        let arrival = self.arrive(end, Via::Rule)?;
        let trace = self.trace.as_mut().expect("a step follows a start");
        trace.steps.push(Step { rule: who, args, end: arrival.end });
        Ok(arrival.breach)
    }

    fn arrive(&mut self, end: End, via: Via) -> Result<Arrival, Mismatch> {
        let values = match end {
            Ok(values) => values,
            Err((site, fault)) => return Ok(Arrival { end: Err(site), breach: Some(Breach::Fault(fault)) }),
        };
        if let Some(assumption) = self.referee.excludes(&values, via) {
            return Err(Mismatch::Excluded(assumption));
        }
        let mut words = vec![0; self.task.layout.n_words()];
        self.task.layout.pack(&values, &mut words);
        let breach = self.referee.breach(&values, via);
        self.state = values;
        Ok(Arrival { end: Ok(words.into()), breach })
    }
}

/// The instance that does what is recorded.
struct Found<Id> {
    who: Id,
    args: Vec<i64>,
    end: End,
}

/// A start state or rule as a record names it.
struct Named<'m> {
    name: &'m str,
    binders: &'m [Binder],
    locals: &'m [Local],
}

/// The search for the instance that does what is recorded, and the first reason why one of the same name does not.
struct Search<'r, Id> {
    record: &'r Recorded,
    found: Option<Found<Id>>,
    mismatch: Option<Mismatch>,
}

impl<'r, Id> Search<'r, Id> {
    fn new(record: &'r Recorded) -> Self {
        Self { record, found: None, mismatch: None }
    }

    fn offer(
        &mut self,
        task: &Task<'_>,
        named: Named<'_>,
        args: &[i64],
        outcome: &Outcome<'_>,
        who: impl FnOnce() -> Id,
    ) -> ControlFlow<()> {
        if !self.is_meant(task, &named, args) {
            return ControlFlow::Continue(());
        }
        let end = match (outcome, &self.record.state) {
            (Outcome::Next(values), Some(wanted)) if values == wanted => Ok(Ok(values.to_vec())),
            (Outcome::Fault(site, fault), None) => Ok(Err((*site, fault.clone()))),
            (Outcome::Next(values), Some(_)) => Err(Mismatch::OtherState(values.to_vec())),
            (Outcome::Next(_), None) => Err(Mismatch::NoFault),
            (Outcome::Fault(_, fault), Some(_)) => Err(Mismatch::Faulted(fault.clone())),
            (Outcome::Pruned, _) => Err(Mismatch::Pruned),
        };
        match end {
            Ok(end) => {
                self.found = Some(Found { who: who(), args: args.to_vec(), end });
                ControlFlow::Break(())
            }
            Err(mismatch) => {
                self.mismatch.get_or_insert(mismatch);
                ControlFlow::Continue(())
            }
        }
    }

    fn is_meant(&self, task: &Task<'_>, named: &Named<'_>, args: &[i64]) -> bool {
        if self.record.action.as_ref().is_some_and(|action| action != named.name) {
            return false;
        }
        let Some(wanted) = &self.record.parameters else { return true };
        let values = params(named.binders).zip(args).map(|(local, &value)| {
            let local = &named.locals[local.index()];
            (&local.name, task.model.types.value_name(local.ty, value))
        });
        values.into_iter().all(|(name, value)| match wanted.iter().find(|(it, _)| it == name) {
            Some((_, wanted)) => *wanted == value,
            None => true,
        })
    }

    fn finish(self) -> Result<Found<Id>, Mismatch> {
        self.found.ok_or_else(|| self.mismatch.unwrap_or(Mismatch::NotEnabled))
    }
}
