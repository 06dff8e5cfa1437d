//! Shorter executions that end alike, for searches and samples that do not find shortest ones.

use std::collections::HashMap;

use burnside_engine::{Breach, Step, Task, Trace, Violation, replay};
use burnside_ir::RuleId;

use crate::choices::{Event, Guide};

/// How many steps are tried in all: traces of depth-first searches may be very long.
const MOST_TRIED: usize = 50_000;

/// Looks for a shorter execution with a violation of the same property: first without detours, then with as few of its
/// steps as can be. It need not be a shortest one, and its instance of the property may be another.
pub fn shorten(task: &Task<'_>, violation: Violation) -> Violation {
    let Some(trace) = &violation.trace else { return violation };
    let direct = Violation { trace: Some(without_detours(task, trace)), breach: violation.breach.clone() };
    let Some(thin) = Thinner::new(task, &direct.breach).and_then(|mut thinner| thinner.thin(direct.trace.as_ref()?))
    else {
        return direct;
    };
    // What is handed out is an execution by the interpreter's word, not by this file's.
    if replay(task, &thin).is_ok() { thin } else { direct }
}

/// Leaves out steps of an execution, the others staying as they are.
struct Thinner<'m> {
    guide: Guide<'m>,
    breach: Breach,
    n_tried: usize,
}

impl<'m> Thinner<'m> {
    /// Nothing for what one execution cannot show.
    fn new(task: &Task<'m>, breach: &Breach) -> Option<Self> {
        let breach = match breach {
            Breach::Invariant(..) | Breach::Fault(_) | Breach::PropertyFault(..) | Breach::Deadlock => breach.clone(),
            Breach::Liveness(..) | Breach::Uncovered(_) | Breach::Temporal(..) => return None,
        };
        Some(Self { guide: Guide::new(task), breach, n_tried: 0 })
    }

    /// Leaves out long pieces first, then shorter ones, as in the minimising form of delta debugging (Zeller and
    /// Hildebrandt, 2002), until no single step can be spared.
    fn thin(&mut self, trace: &Trace) -> Option<Violation> {
        let mut best = None;
        let mut steps: Vec<(RuleId, Vec<i64>)> =
            trace.steps.iter().map(|step| (step.rule, step.args.clone())).collect();
        let mut length = steps.len() / 2;
        while length > 0 && self.n_tried < MOST_TRIED {
            let (mut at, mut is_shorter) = (0, false);
            while at + length <= steps.len() {
                let rest = steps[..at].iter().chain(&steps[at + length..]).cloned();
                match self.attempt(trace, &rest.collect::<Vec<_>>()) {
                    Some(found) => {
                        let kept = found.trace.iter().flat_map(|trace| &trace.steps);
                        steps = kept.map(|step| (step.rule, step.args.clone())).collect();
                        (best, is_shorter) = (Some(found), true);
                    }
                    None => at += length,
                }
            }
            length = if is_shorter { length.min(steps.len()) } else { length / 2 };
        }
        best
    }

    /// The execution of some steps from a trace's start state, if it violates the property and nothing else.
    fn attempt(&mut self, trace: &Trace, steps: &[(RuleId, Vec<i64>)]) -> Option<Violation> {
        let mut state = trace.first.clone()?;
        let mut taken = Vec::with_capacity(steps.len());
        for (rule, args) in steps {
            self.n_tried += 1;
            if self.n_tried > MOST_TRIED {
                return None;
            }
            let choice = self.guide.fire(&state, *rule, args)?;
            taken.push(Step { rule: *rule, args: args.clone(), end: choice.end.clone() });
            match (choice.breach, choice.end) {
                (None, Ok(next)) => state = next,
                (Some(breach), _) if self.is_the_same(&breach) => return Some(violation(trace, breach, taken)),
                _ => return None,
            }
        }
        let is_deadlock = self.breach == Breach::Deadlock && self.guide.is_deadlock(&state, taken.len());
        is_deadlock.then(|| violation(trace, Breach::Deadlock, taken))
    }

    /// Whether a breach is the one we look for, of another instance perhaps.
    fn is_the_same(&self, other: &Breach) -> bool {
        match (&self.breach, other) {
            (Breach::Invariant(one, _), Breach::Invariant(other, _)) => one == other,
            (one, other) => one == other,
        }
    }
}

fn violation(trace: &Trace, breach: Breach, steps: Vec<Step>) -> Violation {
    Violation { breach, trace: Some(Trace { steps, loop_start: None, ..trace.clone() }) }
}

/// Leaves out detours: whenever a later state of the execution can be reached in one step, the way there is cut off.
/// The result is an execution of the model that ends with the same step, and is not always a shortest one.
fn without_detours(task: &Task<'_>, trace: &Trace) -> Trace {
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
    use crate::{Language, LoadOptions, Prepared, WalkEnd, load, walk};

    fn prepare(text: &str) -> Prepared {
        load("m.m", text, Language::Murphi, &LoadOptions::default()).prepared.expect("a good model")
    }

    /// What a random walk violates.
    fn walked(task: &Task<'_>, seed: u64) -> Violation {
        let found = walk(task, seed, 1000, |_, _| {});
        let (Some(trace), WalkEnd::Violated(breach)) = (found.trace, found.end) else { panic!("it ends badly") };
        Violation { breach: *breach, trace: Some(trace) }
    }

    fn n_steps(violation: &Violation) -> usize {
        violation.trace.as_ref().map_or(0, |trace| trace.steps.len())
    }

    #[test]
    fn detours_are_left_out() {
        let prepared = prepare(
            "var x: 0..9; startstate x := 0; end; rule x < 9 ==> begin x := x + 1; end;
             rule x > 0 ==> begin x := x - 1; end; rule x < 8 ==> begin x := x + 2; end; invariant x < 9;",
        );
        let task = Task::new(&prepared.model, &prepared.layout);
        let mut n_shorter = 0;
        for seed in 0..20 {
            let long = walked(&task, seed);
            let short = shorten(&task, long.clone());
            assert!(n_steps(&short) <= n_steps(&long) && short.breach == long.breach);
            n_shorter += usize::from(n_steps(&short) < n_steps(&long));
            assert!(replay(&task, &short).is_ok());
        }
        assert!(n_shorter > 10, "{n_shorter}");
    }

    /// No state is passed twice and no step leads to a later state, but most steps have nothing to do with the end.
    #[test]
    fn steps_that_do_not_matter_are_left_out() {
        for property in ["invariant \"low\" x < 3;", "rule x = 3 ==> begin assert false; end;"] {
            let prepared = prepare(&format!(
                "var x: 0..3; noise: array [0..4] of 0..9;
                 startstate x := 0; for i: 0..4 do noise[i] := 0; end; end;
                 rule x < 3 & noise[0] > x ==> begin x := x + 1; end;
                 ruleset i: 0..4 do rule noise[i] < 9 ==> begin noise[i] := noise[i] + 1; end; end; {property}"
            ));
            let task = Task::new(&prepared.model, &prepared.layout);
            for seed in 0..10 {
                let short = shorten(&task, walked(&task, seed));
                // Three steps of the first noise, three of `x`, and the assertion.
                let least = if property.starts_with("rule") { 7 } else { 6 };
                assert_eq!(n_steps(&short), least, "{property} with seed {seed}");
                assert!(replay(&task, &short).is_ok());
            }
        }
    }

    /// Only an end from which nothing leads on counts for a deadlock.
    #[test]
    fn shortened_deadlocks_are_deadlocks() {
        let prepared = prepare(
            "var x: 0..3; y: 0..9; startstate x := 0; y := 0; end; rule x < 3 ==> begin x := x + 1; end;
             rule x < 3 & y < 9 ==> begin y := y + 1; end;",
        );
        let task = Task::new(&prepared.model, &prepared.layout);
        for seed in 0..10 {
            let short = shorten(&task, walked(&task, seed));
            assert_eq!((n_steps(&short), &short.breach), (3, &Breach::Deadlock));
        }
    }
}
