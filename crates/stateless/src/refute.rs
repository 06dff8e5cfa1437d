//! `--sym check`: executes permuted prefixes to refute a wrong declaration.
//!
//! A symmetry maps runs to runs. So for sampled runs and every permutation of every family, the permuted run is executed
//! and must show the permuted labels and the permuted enabled threads all the way. Agreement proves nothing; a mismatch
//! is a proof that the declaration is wrong.

use crate::cursor::{Cursor, Pick, Plan, Policy};
use crate::explorer::Subject;
use crate::op::{Kind, ThreadId};
use crate::schedule::Schedule;
use crate::set::ThreadSet;
use crate::symmetry::{Family, Permutation};
use crate::trace::{Event, Trace};

/// Samples `n_runs` runs and executes their images under the families given and those the program declares. Returns
/// how many permuted runs were compared.
///
/// # Errors
///
/// With the place at which a permuted run differs from what the symmetry asks for.
pub fn check_symmetry(subject: &mut dyn Subject, families: &[Family], n_runs: u64, seed: u64) -> Result<u64, String> {
    let mut n_compared = 0;
    let mut births = Plan::default().births;
    for run in 0..n_runs {
        let plan =
            Plan { policy: Policy::Random, seed: seed.wrapping_add(run), births: births.clone(), ..Plan::default() };
        let trace = subject.run(Cursor::new(plan));
        births.clone_from(&trace.births);
        for family in families.iter().chain(&trace.families) {
            if let Some(defect) = family.defect() {
                return Err(defect);
            }
            for permutation in family.permutations() {
                compare_image(subject, &trace, &permutation)?;
                n_compared += 1;
            }
        }
    }
    Ok(n_compared)
}

/// Executes the image of a run and compares.
///
/// # Errors
///
/// With the place at which the permuted run differs from what the symmetry asks for.
pub fn compare_image(subject: &mut dyn Subject, trace: &Trace, permutation: &Permutation) -> Result<(), String> {
    let births = &trace.births;
    // Waiting for one of the moved threads after the other is symmetric as a whole, not step by step.
    let is_join = |event: &Event| event.op.kind == Kind::Join && permutation.op(&event.op, births) != Some(event.op);
    let len = trace.events.iter().position(is_join).unwrap_or(trace.events.len());
    let image = |event: &Event| -> Option<Event> {
        let (thread, op) = (permutation.thread(event.thread, births)?, permutation.op(&event.op, births)?);
        Some(Event { thread, choice: event.choice, op })
    };
    let images: Option<Vec<Event>> = trace.events[..len].iter().map(image).collect();
    let Some(images) = images else {
        return Err(format!("{}: a thread has no image", describe(permutation)));
    };
    let script: Vec<Pick> = images.iter().map(Event::pick).collect();
    let plan = Plan { n_known: len as u32, script, births: births.clone(), ..Plan::default() };
    let permuted = subject.run(Cursor::new(plan));
    for (step, expected) in images.iter().enumerate() {
        let found = permuted.events.get(step);
        if found != Some(expected) {
            let found = found.map_or("cannot run".to_owned(), |event| format!("does `{}`", event.op));
            return Err(format!(
                "{}: at step {step} of the permuted run thread {} should do `{}` but {found}; original schedule {}",
                describe(permutation),
                expected.thread,
                expected.op,
                prefix(trace, step + 1),
            ));
        }
        if let Some(thread) = wrongly_enabled(trace, &permuted, permutation, step) {
            return Err(format!(
                "{}: at step {step} of the permuted run thread {thread} is enabled in only one of the two; original \
                 schedule {}",
                describe(permutation),
                prefix(trace, step),
            ));
        }
    }
    Ok(())
}

/// A moved thread that is enabled before the step in the run but not its image in the permuted run, or conversely.
fn wrongly_enabled(trace: &Trace, permuted: &Trace, permutation: &Permutation, step: usize) -> Option<ThreadId> {
    let births = &trace.births;
    let is_moved = |thread: &ThreadId| permutation.thread(*thread, births) != Some(*thread);
    let images: ThreadSet =
        trace.enabled[step].iter().filter(is_moved).filter_map(|thread| permutation.thread(thread, births)).collect();
    let found: ThreadSet = permuted.enabled[step].iter().filter(is_moved).collect();
    images.iter().chain(found.iter()).find(|thread| images.contains(*thread) != found.contains(*thread))
}

fn prefix(trace: &Trace, len: usize) -> String {
    let mut schedule = Schedule::of(trace);
    schedule.picks.truncate(len);
    format!("`{}`", schedule.short())
}

fn describe(permutation: &Permutation) -> String {
    let moves: Vec<String> = permutation.moves().map(|(from, to)| format!("{from}->{to}")).collect();
    format!("the program is not symmetric under threads {}", moves.join(", "))
}
