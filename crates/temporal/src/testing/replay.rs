//! Lassos checked step by step against the system itself.

use super::system::{System, TestGraph, Units, Values};
use crate::graph::{Point, Quotient, Strength};
use crate::ltl::{Shape, holds_on_lasso};
use crate::observer::{PathFormula, tuples};
use crate::product::{Finding, Lasso, LassoStep, Prefix};

/// What a violation claims to violate.
pub(crate) struct Claim<'a> {
    pub(crate) property: &'a PathFormula,
    pub(crate) units: Units,
    pub(crate) strength: Option<Strength>,
}

pub(crate) fn replay(graph: &TestGraph<'_>, claim: &Claim<'_>, finding: &Finding) -> Result<(), String> {
    match finding {
        Finding::Lasso(lasso) => replay_lasso(graph, claim, lasso),
        Finding::Prefix(prefix) => replay_prefix(graph, claim, prefix),
    }
}

/// Start state, each step, the closing of the loop, fairness, and the formula on the lasso.
pub(crate) fn replay_lasso(graph: &TestGraph<'_>, claim: &Claim<'_>, lasso: &Lasso) -> Result<(), String> {
    let system = graph.system;
    let steps: Vec<&LassoStep> = lasso.stem.iter().chain(&lasso.cycle).collect();
    let states: Vec<Values> = steps.iter().map(|step| concrete(graph, step)).collect();
    if states.first() != system.starts.get(lasso.start) {
        return Err("does not begin with its start state".into());
    }
    for (at, step) in steps.iter().enumerate() {
        let next = if at + 1 < states.len() { at + 1 } else { lasso.stem.len() };
        check_step(graph, claim.units, step, &states[at], &states[next])?;
    }
    check_fairness(system, claim, &states[lasso.stem.len()..], &lasso.cycle)?;
    let shape = Shape::new(lasso.stem.len(), lasso.cycle.len());
    check_formula(system, claim.property, &lasso.arguments, shape, &states)
}

/// The prefix, then the same with some continuations.
fn replay_prefix(graph: &TestGraph<'_>, claim: &Claim<'_>, prefix: &Prefix) -> Result<(), String> {
    let system = graph.system;
    let mut states: Vec<Values> = prefix.steps.iter().map(|step| concrete(graph, step)).collect();
    let (end, frame) = &prefix.end;
    states.push(graph.states[*end as usize].renamed(frame));
    if states.first() != system.starts.get(prefix.start) {
        return Err("does not begin with its start state".into());
    }
    for (at, step) in prefix.steps.iter().enumerate() {
        check_step(graph, claim.units, step, &states[at], &states[at + 1])?;
    }
    // Go on with the first and with the last step each time until a state repeats.
    for last in [false, true] {
        let mut longer = states.clone();
        let loop_start = loop {
            let now = longer[longer.len() - 1].clone();
            let fired = (system.rules)(&now);
            let next = if last { fired.last() } else { fired.first() }.map_or(now, |fired| fired.target.clone());
            match longer[states.len() - 1..].iter().position(|known| *known == next) {
                Some(at) => break states.len() - 1 + at,
                None => longer.push(next),
            }
        };
        let shape = Shape::new(loop_start, longer.len() - loop_start);
        check_formula(system, claim.property, &prefix.arguments, shape, &longer)?;
    }
    Ok(())
}

fn concrete(graph: &TestGraph<'_>, step: &LassoStep) -> Values {
    graph.states[step.state as usize].renamed(&step.frame)
}

fn check_step(graph: &TestGraph<'_>, units: Units, step: &LassoStep, from: &Values, to: &Values) -> Result<(), String> {
    let system = graph.system;
    let fired = (system.rules)(from);
    // The instance by its own way: that of the representative's step, renamed.
    let mut instance = None;
    graph.for_each_step(step.state, |stored| {
        if stored.label == step.label {
            instance =
                Some((stored.rule, stored.actors.iter().map(|&p| step.instance.image(p as usize)).collect::<Vec<_>>()));
        }
    });
    let is_right = match instance {
        Some((None, _)) => fired.is_empty() && from == to && step.taken.is_empty(),
        Some((Some(rule), actors)) => fired.iter().any(|f| {
            f.rule == rule
                && actors == [f.process]
                && f.target == *to
                && step.taken == [units.of(system.n, f.rule, f.process)]
        }),
        None => false,
    };
    if is_right { Ok(()) } else { Err(format!("no step from {from:?} to {to:?}: {step:?}")) }
}

fn check_fairness(system: &System, claim: &Claim<'_>, states: &[Values], cycle: &[LassoStep]) -> Result<(), String> {
    for unit in 0..claim.units.count(system.n) as u32 {
        let is_taken = cycle.iter().any(|step| step.taken.contains(&unit));
        let is_enabled = |values: &Values| {
            (system.rules)(values).iter().any(|f| claim.units.of(system.n, f.rule, f.process) == unit)
        };
        let is_fair = is_taken
            || match claim.strength {
                None => true,
                Some(Strength::Weak) => !states.iter().all(is_enabled),
                Some(Strength::Strong) => !states.iter().any(is_enabled),
            };
        if !is_fair {
            return Err(format!("the loop is not fair to {unit}"));
        }
    }
    Ok(())
}

fn check_formula(
    system: &System,
    property: &PathFormula,
    arguments: &[Point],
    shape: Shape,
    states: &[Values],
) -> Result<(), String> {
    for tuple in tuples(&property.inner, property.distinct) {
        let values: Vec<Point> = arguments.iter().chain(tuple.iter()).copied().collect();
        let mut value = |at: usize, atom: &crate::observer::Atom| {
            let own: Vec<Point> = atom.arguments.iter().map(|&variable| values[variable]).collect();
            system.holds(&states[at], atom.proposition, &own)
        };
        if holds_on_lasso(&property.formula, shape, &mut value) != Ok(false) {
            return Err(format!("the formula holds for {values:?}"));
        }
    }
    Ok(())
}
