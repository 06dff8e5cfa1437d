//! Which executor a program can be trusted to.
//!
//! User-level threads and restored memory are faster by an order of magnitude
//! and rely on more assumptions than threads of the kernel. So the first
//! schedule is executed both ways, and twice by the fast one; if the traces
//! differ the next slower executor is tried, and the reason is told.

use burnside_stateless::{ObjId, Op, Plan, Trace};
use burnside_wire::{Executor, Options, Report, Setup};
use std::collections::HashMap;

use crate::process::{Failed, Limits, Process, Target};

/// Which executor to use.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ExecutorChoice {
    /// The fastest that agrees with kernel threads on the first schedule.
    #[default]
    Auto,
    /// This one, unchecked.
    Only(Executor),
}

/// Transitions compared: a program that does not end is not worth more.
const MAX_COMPARED: u32 = 2000;

/// A process of `target` under the executor chosen, and what there is to say
/// about the choice.
///
/// # Errors
///
/// When the program cannot be started or no executor can run it.
pub fn choose(
    target: &Target,
    options: &Options,
    choice: ExecutorChoice,
    limits: &Limits,
) -> Result<(Process, Executor, Vec<String>), Failed> {
    let setup = |executor| Setup { executor, options: options.clone() };
    let start = |executor| Process::start(target, &setup(executor), limits);
    if let ExecutorChoice::Only(executor) = choice {
        return Ok((start(executor)?, executor, Vec::new()));
    }
    let reference = start(Executor::Threads)?.execute(&first_plan())?;
    let mut notes = Vec::new();
    for executor in [Executor::Snap, Executor::Fork] {
        let process = start(executor).and_then(|mut process| {
            let first = process.execute(&first_plan())?;
            let again = process.execute(&first_plan())?;
            Ok((process, first, again))
        });
        match process {
            Ok((process, first, again)) => match disagreement(&reference, &first, &again) {
                None => return Ok((process, executor, notes)),
                Some(what) => {
                    let repeated = start(Executor::Threads)?.execute(&first_plan())?;
                    if let Some(step) = difference(&reference, &repeated) {
                        return Err(Failed::Unsupported(format!(
                            "the program is not deterministic: executed twice by the same schedule it differs at \
                             transition {step}"
                        )));
                    }
                    notes.push(format!("executor `{}` is not used: {what}", executor.word()));
                }
            },
            Err(Failed::Unsupported(why) | Failed::Internal(why)) => {
                notes.push(format!("executor `{}` is not used: {why}", executor.word()));
            }
            Err(other) => return Err(other),
        }
    }
    Ok((start(Executor::Threads)?, Executor::Threads, notes))
}

pub(crate) fn first_plan() -> Plan {
    Plan { max_depth: MAX_COMPARED, ..Plan::default() }
}

/// Where two executions of the first schedule by kernel threads differ, if they do.
pub(crate) fn difference(first: &Report, again: &Report) -> Option<usize> {
    let (expected, found) = (renamed(&first.trace), renamed(&again.trace));
    let end = |report: &Report| report.trace.end.as_ref().map(|end| end.word());
    (expected != found || end(first) != end(again)).then(|| first_difference(&expected, &found))
}

/// What tells the traces of the first schedule apart.
fn disagreement(reference: &Report, first: &Report, again: &Report) -> Option<String> {
    if first.trace != again.trace {
        let step = first_difference(&labels(&first.trace), &labels(&again.trace));
        return Some(format!("its second execution differs from the first at transition {step}"));
    }
    let (expected, found) = (renamed(&reference.trace), renamed(&first.trace));
    if expected != found {
        let step = first_difference(&expected, &found);
        return Some(format!("it disagrees with kernel threads at transition {step}"));
    }
    let same_end = reference.trace.end.as_ref().map(|end| end.word()) == first.trace.end.as_ref().map(|end| end.word());
    (!same_end).then(|| "its execution ends otherwise than with kernel threads".to_owned())
}

fn labels(trace: &Trace) -> Vec<(u32, Op)> {
    trace.events.iter().map(|event| (event.thread.0, event.op)).collect()
}

/// The labels with objects numbered by first appearance: thread stacks, and
/// with them the objects on them, lie elsewhere with kernel threads.
fn renamed(trace: &Trace) -> Vec<(u32, Op)> {
    let mut numbers = HashMap::new();
    let mut number = |obj: ObjId| {
        let next = numbers.len() as u64 + 1;
        if obj.is_none() { obj } else { ObjId::at(*numbers.entry(obj).or_insert(next)) }
    };
    let mut renamed = labels(trace);
    for (_, op) in &mut renamed {
        op.obj = number(op.obj);
        op.obj2 = number(op.obj2);
    }
    renamed
}

fn first_difference(a: &[(u32, Op)], b: &[(u32, Op)]) -> usize {
    a.iter().zip(b).position(|(x, y)| x != y).unwrap_or(a.len().min(b.len()))
}
