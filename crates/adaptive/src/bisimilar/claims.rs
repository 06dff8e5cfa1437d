//! Formulas on the graph of orbits.
//!
// SOUND: lying in the same orbit is a bisimulation (`followers`), and conditions without parameters that no permutation
// changes are the same in all members; so formulas of CTL* have the same truth in a start state and in its orbit.

use burnside_analysis::coarsest;
use burnside_diag::Span;
use burnside_engine::{Answer, Asked, Breach, ClaimNote, Evidence, Reason, Shortfall, Task, Verdict};
use burnside_ir::{Applied, Claim, PropertyId, PropertyKind};
use burnside_temporal::{Atom, Effort, Exploration, Fairness, Finding, Labeller, Observer, PathFormula, StateFormula};

use super::graph::OrbitGraph;
use super::search::{Search, violated};
use crate::setup::Setup;

/// The answer to every temporal property, once every orbit was found.
pub(crate) fn answer(search: &mut Search<'_>) -> Result<Vec<Answer>, Reason> {
    let claims = evaluate(search.task, search.setup, &search.states, &mut search.graph)?;
    claims.into_iter().map(|claim| answer_one(search, claim)).collect()
}

/// The formulas that are asked about; their conditions become part of the graph, whose states these are.
///
// SOUND: evaluated with all values of quantifiers, whether a condition faults is the same for all members of an orbit.
pub(crate) fn evaluate<'m>(
    task: &Task<'m>,
    setup: &Setup,
    states: &[Vec<u64>],
    graph: &mut OrbitGraph,
) -> Result<Vec<&'m Claim>, Reason> {
    let claim = |property| task.model.claim(property).expect("a temporal property that is admitted has a formula");
    let claims: Vec<&Claim> = task.temporal_properties().into_iter().map(claim).collect();
    let mut conditions: Vec<PropertyId> = Vec::new();
    for claim in &claims {
        claim.formula.for_each_proposition(&mut |applied| conditions.push(applied.condition));
    }
    conditions.sort_unstable();
    conditions.dedup();
    let mut interpreter = task.interpreter().strict(&setup.strict);
    let mut values = vec![0; task.layout.slots().len()];
    for condition in conditions {
        let mut holds = |state: &Vec<u64>| {
            task.layout.unpack(state, &mut values);
            let mut holds = true;
            // In which state it faults is found by another engine.
            let evaluated = interpreter.instances(&values, condition, |_, own| holds &= own);
            evaluated.map(|()| holds).map_err(|_| Reason::Undecided)
        };
        let truth = states.iter().map(&mut holds).collect::<Result<Vec<bool>, Reason>>()?;
        graph.truth.push((condition, truth));
    }
    Ok(claims)
}

/// Implications whose left side is true nowhere.
pub(crate) fn vacuous(graph: &OrbitGraph, claim: &Claim) -> Vec<ClaimNote> {
    let mut notes = Vec::new();
    claim.formula.for_each_left_side(&mut |applied| {
        if !graph.truth[graph.number(applied.condition) as usize].1.contains(&true) {
            notes.push(ClaimNote::Vacuous(applied.condition));
        }
    });
    notes
}

fn answer_one(search: &mut Search<'_>, claim: &Claim) -> Result<Answer, Reason> {
    let mut notes = vacuous(&search.graph, claim);
    let outcome = match search.task.model.property(claim.property).kind {
        PropertyKind::Linear => linear(&search.graph, claim, &mut notes),
        _ => branching(search, claim),
    };
    let verdict = match outcome {
        Outcome::Holds => Verdict::Holds(Evidence::Exhausted),
        Outcome::TooLarge => too_large(&mut notes),
        Outcome::Violated(shown) => {
            let beginnings = search.beginnings.clone();
            let trace = match shown {
                Shown::By(finding) => search.walker().follow(&beginnings, &finding).ok_or(Reason::Undecided)?,
                // No single execution shows it: the start state alone is told.
                Shown::At(start) => beginnings[start].trace(),
            };
            violated(Breach::Temporal(claim.property, Vec::new()), Some(trace))
        }
    };
    Ok(Answer { asked: Asked::Property(claim.property), verdict, notes })
}

/// What is said of a formula whose automaton does not fit.
pub(crate) fn too_large(notes: &mut Vec<ClaimNote>) -> Verdict {
    notes.push(ClaimNote::Undecided("the formula is too large: its automaton does not fit".to_owned()));
    Verdict::Unknown(Shortfall::Formula)
}

/// What becomes of a formula on a graph.
pub(crate) enum Outcome {
    Holds,
    TooLarge,
    Violated(Shown),
}

/// What shows that a formula does not hold.
pub(crate) enum Shown {
    By(Finding),
    /// The start with this number.
    At(usize),
}

/// A formula about paths.
pub(crate) fn linear(graph: &OrbitGraph, claim: &Claim, notes: &mut Vec<ClaimNote>) -> Outcome {
    let mut atom = |applied: &Applied| Ok::<_, ()>(atom(graph, applied));
    let formula = claim.formula.try_map(&mut atom, &mut |_| Err(())).expect("there are no variables");
    let formula = PathFormula { outer: Vec::new(), inner: Vec::new(), distinct: false, formula };
    let Ok(observer) = Observer::of_violations(&formula, Effort::Reduced) else { return Outcome::TooLarge };
    let mut exploration = Exploration::new(graph, &observer);
    notes.push(ClaimNote::Explored(exploration.n_nodes() as u64));
    match exploration.find(&Fairness::none()) {
        None => Outcome::Holds,
        Some(finding) => Outcome::Violated(Shown::By(finding)),
    }
}

fn branching(search: &Search<'_>, claim: &Claim) -> Outcome {
    let mut atom = |applied: &Applied| Ok::<_, ()>(atom(&search.graph, applied));
    let formula: StateFormula = claim.formula.try_map(&mut atom, &mut |_| Err(())).expect("there are no variables");
    let mut labeller = Labeller::new(&search.graph, search.states.len(), Fairness::none());
    let Ok(labels) = labeller.label(&formula) else { return Outcome::TooLarge };
    let Some(start) = search.graph.starts.iter().position(|&start| !labels.holds(start, &[])) else {
        return Outcome::Holds;
    };
    Outcome::Violated(labeller.refuted_by(&formula).map_or(Shown::At(start), |(_, finding)| Shown::By(finding)))
}

fn atom(graph: &OrbitGraph, applied: &Applied) -> Atom {
    Atom { proposition: graph.number(applied.condition), arguments: Vec::new() }
}

/// A temporal property that speaks of single identities, or of executions in a way that says something of them.
pub(crate) fn names_somebody(task: &Task<'_>, setup: &Setup) -> Option<(&'static str, Span)> {
    let all = coarsest(&setup.identities);
    let automata = [PropertyKind::Never, PropertyKind::Acceptance, PropertyKind::NonProgress];
    if let Some(property) = automata.into_iter().flat_map(|kind| task.properties(kind)).next() {
        return Some(("an automaton about executions", task.model.property(property).span));
    }
    let temporal = task.temporal_properties();
    if !temporal.is_empty() && task.fairness.strength.is_some() {
        return Some(("fairness, which is about single identities", Span::NOWHERE));
    }
    for claim in temporal.into_iter().filter_map(|property| task.model.claim(property)) {
        if let Some(variable) = claim.variables.first() {
            return Some(("a quantifier in front of or below a temporal operator", variable.span));
        }
        let mut named = None;
        claim.formula.for_each_proposition(&mut |applied| {
            // With one partition for everything, every orbit lies within that of each condition.
            if setup.coarsens && setup.properties[applied.condition.index()] != all {
                named.get_or_insert(task.model.property(applied.condition).span);
            }
        });
        if let Some(span) = named {
            return Some((TELLS_APART, span));
        }
    }
    None
}

/// What neither of the searches by orbits can treat in a formula.
pub(crate) const TELLS_APART: &str = "a property that tells identities apart";
