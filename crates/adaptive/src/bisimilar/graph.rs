//! Orbits as a graph without names: what a step does to identities is not known, and nothing asks for it.

use burnside_group::Permutation;
use burnside_ir::{PropertyId, RuleId};
use burnside_temporal::{Point, Quotient, RenamingId, Start, State, Step, Unit};

/// The label of the step that repeats a state in which nothing is enabled.
pub(crate) const ENDED: u32 = u32::MAX;

/// Orbits with the orbits that follow them.
#[derive(Debug, Default)]
pub(crate) struct OrbitGraph {
    /// By orbit, where the steps of its members lead, and a rule that leads there; none for the step of members in which
    /// nothing is enabled, if others have steps.
    pub(crate) steps: Vec<Vec<(State, Option<RuleId>)>>,
    /// The orbits of the start states.
    pub(crate) starts: Vec<State>,
    /// The conditions of the formulas, and by orbit whether they hold in it.
    pub(crate) truth: Vec<(PropertyId, Vec<bool>)>,
}

impl OrbitGraph {
    /// The number of a condition.
    pub(crate) fn number(&self, condition: PropertyId) -> u32 {
        let at = self.truth.iter().position(|(property, _)| *property == condition);
        at.expect("every condition is evaluated") as u32
    }
}

impl Quotient for OrbitGraph {
    fn degree(&self) -> usize {
        0
    }

    fn starts(&self) -> Vec<Start> {
        self.starts.iter().map(|&state| Start { state, frame: Permutation::identity(0) }).collect()
    }

    fn for_each_step(&self, state: State, mut visit: impl FnMut(Step<'_>)) {
        let steps = &self.steps[state as usize];
        let unnamed = |target, rule: Option<RuleId>| {
            let rule = rule.map(|rule| rule.0);
            Step { target, renaming: 0, rule, actors: &[], taken: &[], label: rule.unwrap_or(ENDED) }
        };
        for &(target, rule) in steps {
            visit(unnamed(target, rule));
        }
        if steps.is_empty() {
            visit(unnamed(state, None));
        }
    }

    fn renaming(&self, _: RenamingId) -> Permutation {
        Permutation::identity(0)
    }

    fn holds(&self, state: State, proposition: u32, _: &[Point]) -> bool {
        self.truth[proposition as usize].1[state as usize]
    }

    fn n_units(&self) -> usize {
        0
    }

    fn unit_image(&self, unit: Unit, _: &Permutation) -> Unit {
        unit
    }

    fn enabled(&self, _: State, _: &mut Vec<Unit>) {}

    fn symmetries(&self, _: State) -> Vec<Permutation> {
        Vec::new()
    }

    fn has_symmetries(&self) -> bool {
        false
    }

    fn is_pruned(&self) -> bool {
        false
    }

    fn fixes(&self, _: State, _: &Permutation) -> bool {
        true
    }
}
