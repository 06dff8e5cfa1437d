//! Formulas about executions on orbits whose members differ.
//!
// SOUND: the graph has a step from an orbit to each that a step of some member leads to, and a step that stays where some member
// has none. So every execution has a path of orbits, with the same truth of conditions that no permutation changes, and what
// no path violates holds. A path that violates a formula may stand for no execution; only what is found in the model is told.

use burnside_engine::{Answer, Asked, Breach, Evidence, Reason, Verdict};
use burnside_ir::Claim;
use burnside_temporal::State;

use super::claims::{self, Outcome, Shown};
use super::search::{Search, violated};
use crate::pursuit::pursue;

/// The answer to every temporal property, once every orbit was found.
pub(crate) fn answer(search: &mut Search<'_>) -> Result<Vec<Answer>, Reason> {
    let claims = claims::evaluate(search.task, search.setup, &search.states, &mut search.graph)?;
    claims.into_iter().map(|claim| answer_one(search, claim)).collect()
}

fn answer_one(search: &mut Search<'_>, claim: &Claim) -> Result<Answer, Reason> {
    // That a condition holds nowhere is certain; that it holds somewhere is not.
    let mut notes = claims::vacuous(&search.graph, claim);
    let verdict = match claims::linear(&search.graph, claim, &mut notes) {
        Outcome::Holds => Verdict::Holds(Evidence::Exhausted),
        Outcome::TooLarge => claims::too_large(&mut notes),
        Outcome::Violated(Shown::At(_)) => return Err(Reason::NoExecution),
        Outcome::Violated(Shown::By(finding)) => {
            let Search { task, worker, all, states, .. } = search;
            let mut is_member =
                |state: &[u64], orbit: State| worker.representative(state.to_vec(), *all) == states[orbit as usize];
            let trace = pursue(task, &finding, &mut is_member).ok_or(Reason::NoExecution)?;
            violated(Breach::Temporal(claim.property, Vec::new()), Some(trace))
        }
    };
    Ok(Answer { asked: Asked::Property(claim.property), verdict, notes })
}
