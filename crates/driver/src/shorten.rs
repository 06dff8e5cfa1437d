//! Shorter executions that end alike, for searches and samples that do not find shortest ones.

use std::collections::HashMap;

use burnside_engine::{Step, Task, Trace};

use crate::choices::{Event, Guide};

/// Leaves out detours: whenever a later state of the execution can be reached in one step, the way there is cut off.
/// The result is an execution of the model that ends with the same step, and is not always a shortest one.
pub fn shorten(task: &Task<'_>, trace: &Trace) -> Trace {
    let (Some(first), None) = (&trace.first, trace.loop_start) else { return trace.clone() };
    let states: Vec<&[u64]> =
        std::iter::once(&first[..]).chain(trace.steps.iter().filter_map(|step| step.end.as_deref().ok())).collect();
    // The last time that each state is passed.
    let last: HashMap<&[u64], usize> = states.iter().enumerate().map(|(at, state)| (*state, at)).collect();
    let mut guide = Guide::new(task);
    // It may begin later.
    let starts = guide.starts().into_iter().filter_map(|choice| {
        let at = *last.get(choice.end.as_deref().ok()?)?;
        Some((at, choice.event))
    });
    let (mut at, (start, start_args)) = match starts.max_by_key(|(at, _)| *at) {
        Some((at, Event::Start(start, args))) => (at, (start, args)),
        _ => return trace.clone(),
    };
    let mut short = Trace { start, start_args, first: Some(states[at].into()), steps: Vec::new(), loop_start: None };
    while at + 1 < states.len() {
        let ways = guide.choices(states[at]).into_iter().filter_map(|choice| {
            let to = *last.get(choice.end.as_deref().ok()?)?;
            Some((to, choice.event))
        });
        match ways.max_by_key(|(to, _)| *to) {
            Some((to, Event::Rule(rule, args))) if to > at => {
                short.steps.push(Step { rule, args, end: Ok(states[to].into()) });
                at = to;
            }
            // The recorded step always leads on; without it, what was recorded is all there is.
            _ => return trace.clone(),
        }
    }
    // A step that faults has no state of its own.
    short.steps.extend(trace.steps.iter().filter(|step| step.end.is_err()).cloned());
    if short.steps.len() < trace.steps.len() { short } else { trace.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Language, LoadOptions, WalkEnd, load, walk};

    #[test]
    fn detours_are_left_out() {
        let text = "var x: 0..9; startstate x := 0; end; rule x < 9 ==> begin x := x + 1; end;
            rule x > 0 ==> begin x := x - 1; end; rule x < 8 ==> begin x := x + 2; end; invariant x < 9;";
        let prepared = load("m.m", text, Language::Murphi, &LoadOptions::default()).prepared.expect("a good model");
        let task = Task::new(&prepared.model, &prepared.layout);
        let mut n_shorter = 0;
        for seed in 0..20 {
            let found = walk(&task, seed, 1000, |_, _| {});
            let (Some(trace), WalkEnd::Violated(breach)) = (found.trace, found.end) else { panic!("it ends badly") };
            let short = shorten(&task, &trace);
            assert!(short.steps.len() <= trace.steps.len() && short.last_state() == trace.last_state());
            n_shorter += usize::from(short.steps.len() < trace.steps.len());
            let violation = burnside_engine::Violation { breach: *breach, trace: Some(short) };
            assert!(burnside_engine::replay(&task, &violation).is_ok());
        }
        assert!(n_shorter > 10, "{n_shorter}");
    }
}
