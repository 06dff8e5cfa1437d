//! Formulas on the graph of orbits.
//!
// SOUND: lying in the same orbit is a bisimulation (`followers`), and conditions without parameters that no permutation
// changes are the same in all members; so formulas of CTL* have the same truth in a start state and in its orbit.

use burnside_engine::{Answer, Asked, Breach, ClaimNote, Evidence, Reason, Shortfall, Verdict};
use burnside_ir::{Applied, Claim, PropertyId, PropertyKind};
use burnside_temporal::{Atom, Effort, Exploration, Fairness, Finding, Labeller, Observer, PathFormula, StateFormula};

use super::search::{Search, violated};

/// The answer to every temporal property, once every orbit was found.
pub(crate) fn answer(search: &mut Search<'_>) -> Result<Vec<Answer>, Reason> {
    let task = search.task;
    let properties = task.temporal_properties();
    let claims: Vec<&Claim> = properties.iter().map(|&property| claim(task.model.claim(property))).collect();
    let mut conditions: Vec<PropertyId> = Vec::new();
    for claim in &claims {
        claim.formula.for_each_proposition(&mut |applied| conditions.push(applied.condition));
    }
    conditions.sort_unstable();
    conditions.dedup();
    for condition in conditions {
        // Which state it faults in is found by another engine.
        let truth = search.truth(condition).ok_or(Reason::Undecided)?;
        search.graph.truth.push((condition, truth));
    }
    claims.into_iter().map(|claim| answer_one(search, claim)).collect()
}

fn claim(claim: Option<&Claim>) -> &Claim {
    claim.expect("a temporal property that is admitted has a formula")
}

fn answer_one(search: &mut Search<'_>, claim: &Claim) -> Result<Answer, Reason> {
    let mut notes = Vec::new();
    claim.formula.for_each_left_side(&mut |applied| {
        let (_, truth) = &search.graph.truth[search.graph.number(applied.condition) as usize];
        if !truth.contains(&true) {
            notes.push(ClaimNote::Vacuous(applied.condition));
        }
    });
    let outcome = match search.task.model.property(claim.property).kind {
        PropertyKind::Linear => linear(search, claim, &mut notes),
        _ => branching(search, claim),
    };
    let verdict = match outcome {
        Outcome::Holds => Verdict::Holds(Evidence::Exhausted),
        Outcome::TooLarge => {
            notes.push(ClaimNote::Undecided("the formula is too large: its automaton does not fit".to_owned()));
            Verdict::Unknown(Shortfall::Formula)
        }
        Outcome::Violated(finding) => {
            let beginnings = search.beginnings.clone();
            let trace = match &*finding {
                Shown::By(finding) => search.follower().follow(&beginnings, finding).ok_or(Reason::Undecided)?,
                // No single execution shows it: the start state alone is told.
                Shown::At(start) => beginnings[*start].trace(),
            };
            violated(Breach::Temporal(claim.property, Vec::new()), Some(trace))
        }
    };
    Ok(Answer { asked: Asked::Property(claim.property), verdict, notes })
}

enum Outcome {
    Holds,
    TooLarge,
    Violated(Box<Shown>),
}

/// What shows that a formula does not hold.
enum Shown {
    By(Finding),
    /// The start with this number.
    At(usize),
}

fn linear(search: &Search<'_>, claim: &Claim, notes: &mut Vec<ClaimNote>) -> Outcome {
    let mut atom = |applied: &Applied| Ok::<_, ()>(atom(search, applied));
    let formula = claim.formula.try_map(&mut atom, &mut |_| Err(())).expect("there are no variables");
    let formula = PathFormula { outer: Vec::new(), inner: Vec::new(), distinct: false, formula };
    let Ok(observer) = Observer::of_violations(&formula, Effort::Reduced) else { return Outcome::TooLarge };
    let mut exploration = Exploration::new(&search.graph, &observer);
    notes.push(ClaimNote::Explored(exploration.n_nodes() as u64));
    match exploration.find(&Fairness::none()) {
        None => Outcome::Holds,
        Some(finding) => Outcome::Violated(Box::new(Shown::By(finding))),
    }
}

fn branching(search: &Search<'_>, claim: &Claim) -> Outcome {
    let mut atom = |applied: &Applied| Ok::<_, ()>(atom(search, applied));
    let formula: StateFormula = claim.formula.try_map(&mut atom, &mut |_| Err(())).expect("there are no variables");
    let mut labeller = Labeller::new(&search.graph, search.states.len(), Fairness::none());
    let Ok(labels) = labeller.label(&formula) else { return Outcome::TooLarge };
    let Some(start) = search.graph.starts.iter().position(|&start| !labels.holds(start, &[])) else {
        return Outcome::Holds;
    };
    let shown = labeller.refuted_by(&formula).map_or(Shown::At(start), |(_, finding)| Shown::By(finding));
    Outcome::Violated(Box::new(shown))
}

fn atom(search: &Search<'_>, applied: &Applied) -> Atom {
    Atom { proposition: search.graph.number(applied.condition), arguments: Vec::new() }
}
