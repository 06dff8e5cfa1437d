//! Questions that a careless quotient answers wrongly, and deliberate mistakes that they expose.

use super::models::{carousel, crash, crashall, flip, mutex, philosophers, relay, ring};
use super::properties::property;
use super::replay::{Claim, replay};
use super::system::{Making, System, TestGraph, Units};
use crate::automaton::Effort;
use crate::graph::{Fairness, Strength};
use crate::mutant::{Mutant, is_survived};
use crate::observer::Observer;
use crate::product::{Finding, check};

/// A system, outer and inner variables, a formula, fairness, and the right answer.
struct Question {
    system: System,
    outer: &'static str,
    inner: &'static str,
    text: &'static str,
    strength: Option<Strength>,
    is_violated: bool,
}

impl Question {
    /// Whether the answer on a graph is right, lasso included.
    fn is_answered_well(&self, making: Making) -> bool {
        let property = property(&self.system, self.outer, self.inner, self.text);
        let observer = Observer::of_violations(&property, Effort::Reduced).unwrap();
        let graph = TestGraph::new(&self.system, making);
        let outcome = check(&graph, &observer, &Fairness::uniform(self.system.n, self.strength));
        let claim = Claim { property: &property, units: Units::Processes, strength: self.strength };
        match &outcome.finding {
            None => !self.is_violated,
            Some(finding) => self.is_violated && replay(&graph, &claim, finding).is_ok(),
        }
    }

    fn is_answered_well_by_all(&self) -> bool {
        [Making::whole(&self.system), Making::quotient(&self.system), Making::pruned(&self.system)]
            .into_iter()
            .all(|making| self.is_answered_well(making))
    }
}

fn traps() -> Vec<Question> {
    use Strength::{Strong, Weak};
    let question = |system, (outer, inner, text), strength, is_violated| Question {
        system,
        outer,
        inner,
        text,
        strength,
        is_violated,
    };
    vec![
        question(crash(3), ("", "", "F dead"), Some(Weak), true),
        question(crash(3), ("", "", "F dead"), Some(Strong), true),
        question(crashall(3), ("", "", "F dead"), Some(Weak), true),
        question(crashall(3), ("", "", "F dead"), Some(Strong), true),
        question(carousel(3), ("", "i", "F G tok[i]"), None, true),
        question(mutex(3), ("ij", "", "G (T[i] & N[j] -> C[i] R !C[j])"), None, true),
        question(relay(3), ("i", "", "G F tok[i]"), None, true),
        question(relay(2), ("i", "", "G F tok[i]"), None, false),
        question(mutex(3), ("i", "", "G (T[i] -> F C[i])"), Some(Strong), false),
        question(mutex(3), ("i", "", "G (T[i] -> F C[i])"), Some(Weak), true),
        question(mutex(3), ("", "i", "G F C[i]"), None, false),
        question(ring(3, false), ("i", "", "G (T[i] -> F C[i])"), None, false),
        question(ring(3, false), ("", "i", "G N[i]"), Some(Strong), true),
        question(carousel(3), ("i", "", "F G tok[i]"), None, true),
        question(flip(3), ("i", "", "G F b[i]"), Some(Weak), false),
        question(flip(3), ("i", "", "G F b[i]"), None, true),
        question(philosophers(3, true), ("i", "", "F otherE[i]"), Some(Weak), true),
        question(philosophers(3, true), ("i", "", "F otherE[i]"), Some(Strong), false),
    ]
}

#[test]
fn traps_are_answered_well() {
    for (number, trap) in traps().iter().enumerate() {
        assert!(trap.is_answered_well_by_all(), "trap {number}: {} {}", trap.system.name, trap.text);
    }
}

#[test]
fn the_loop_of_the_carousel_goes_round() {
    let system = carousel(6);
    let property = property(&system, "", "i", "F G tok[i]");
    let observer = Observer::of_violations(&property, Effort::Plain).unwrap();
    let graph = TestGraph::new(&system, Making::quotient(&system));
    assert_eq!(graph.n_states(), 1);
    let outcome = check(&graph, &observer, &Fairness::none());
    let Some(Finding::Lasso(lasso)) = outcome.finding else { panic!("it is violated") };
    assert_eq!(lasso.cycle.len() % 6, 0);
}

/// A mistake makes these kept questions come out wrong.
fn check_caught(mutant: Mutant, expected: &[usize]) {
    let caught: Vec<usize> = traps()
        .iter()
        .enumerate()
        .filter(|(_, trap)| !is_survived(mutant, || trap.is_answered_well_by_all()))
        .map(|(number, _)| number)
        .collect();
    assert!(!expected.is_empty() && expected.iter().all(|number| caught.contains(number)), "{mutant:?}: {caught:?}");
}

#[test]
fn skipped_closed_walks_are_noticed() {
    check_caught(Mutant::SkipClosedWalks, &[0, 1, 2, 3, 4]);
}

#[test]
fn frames_in_the_wrong_direction_are_noticed() {
    check_caught(Mutant::ForwardFrames, &[4]);
}

#[test]
fn forgotten_silent_moves_are_noticed() {
    check_caught(Mutant::ForgetSilentMoves, &[2, 3]);
}

#[test]
fn loops_that_do_not_close_are_noticed() {
    check_caught(Mutant::OneRound, &[4, 6]);
}

#[test]
fn steps_out_of_a_component_do_not_count() {
    check_caught(Mutant::TakenOutside, &[2, 3, 8, 14]);
}

/// The others are enabled where nobody eats and disabled in the other state of the cycle, by other names there.
#[test]
fn enabledness_is_that_of_the_source() {
    check_caught(Mutant::EnabledAtTarget, &[16]);
}
