//! What the value of a property's condition means for a state.

use burnside_interp::{Condition, Interpreter};
use burnside_ir::{PropertyId, PropertyKind};

use crate::{Breach, Question, Stepper};

/// What is to be done with a state met for the first time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inspection {
    /// Keep it and go on.
    Keep,
    /// This assumption excludes it.
    Drop(PropertyId),
    /// This property is violated here, or faults.
    Breach(PropertyId),
}

/// A property that is evaluated in every state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Watched {
    /// The property.
    pub property: PropertyId,
    kind: PropertyKind,
}

/// What a property says about a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opinion {
    /// Nothing.
    Nothing,
    /// It does not belong to the state space.
    Excluded,
    /// It is what was to be covered.
    Covered,
    /// Something is wrong in it.
    Broken,
}

impl Watched {
    /// What the value of the property's condition says. A condition that faults is wrong, whatever its kind; that of a
    /// cover is said to fail if some instance is true.
    #[inline]
    pub fn opinion(self, condition: Condition) -> Opinion {
        match (condition, self.kind) {
            (Condition::Holds, _) => Opinion::Nothing,
            (Condition::Fails, PropertyKind::Assumption) => Opinion::Excluded,
            (Condition::Fails, PropertyKind::Cover) => Opinion::Covered,
            (Condition::Fails | Condition::Faults, _) => Opinion::Broken,
        }
    }
}

/// Judges states by the properties that are looked at in each: assumptions, then invariants, then covers. Covers are
/// evaluated in every state even when they were met: a fault in one must not depend on which states came before.
#[derive(Debug, Clone)]
pub struct Judge {
    /// All of them in order, with whether it was covered.
    watched: Vec<(Watched, bool)>,
    n_assumptions: usize,
    /// Cover points in rules.
    cover_points: Vec<PropertyId>,
    passing: Vec<PropertyId>,
    ending: Vec<PropertyId>,
}

impl Judge {
    /// A judge of a question's states, none of which it has seen.
    pub fn new(question: &Question<'_>) -> Self {
        let kinds = [PropertyKind::Assumption, PropertyKind::Invariant, PropertyKind::Cover];
        let watch =
            |kind| question.properties(kind).into_iter().map(move |property| (Watched { property, kind }, false));
        Self {
            watched: kinds.into_iter().flat_map(watch).collect(),
            n_assumptions: question.properties(PropertyKind::Assumption).len(),
            cover_points: question.properties(PropertyKind::CoverPoint),
            passing: question.properties(PropertyKind::Passing),
            ending: question.properties(PropertyKind::Ending),
        }
    }

    /// Judges a state, given how to evaluate a condition in it.
    #[inline]
    pub fn inspect(&mut self, mut condition: impl FnMut(PropertyId) -> Condition) -> Inspection {
        for (watched, is_covered) in &mut self.watched {
            match watched.opinion(condition(watched.property)) {
                Opinion::Nothing => {}
                Opinion::Covered => *is_covered = true,
                Opinion::Excluded => return Inspection::Drop(watched.property),
                Opinion::Broken => return Inspection::Breach(watched.property),
            }
        }
        Inspection::Keep
    }

    /// Judges an unpacked state by the reference interpreter.
    pub fn inspect_unpacked(&mut self, interpreter: &mut Interpreter<'_>, state: &[i64]) -> Inspection {
        self.inspect(|property| interpreter.condition(state, property))
    }

    /// What is wrong in a state that belongs to the state space, if something is, by the reference interpreter.
    pub fn breach(&mut self, interpreter: &mut Interpreter<'_>, state: &[i64]) -> Option<Breach> {
        match self.inspect_unpacked(interpreter, state) {
            Inspection::Keep | Inspection::Drop(_) => None,
            Inspection::Breach(property) => Breach::of_property(interpreter, state, property),
        }
    }

    /// The assumption that excludes an unpacked state, if one does. One that faults before does not: that is a breach.
    pub fn excludes(&self, interpreter: &mut Interpreter<'_>, state: &[i64]) -> Option<PropertyId> {
        let mut opinions =
            self.assumptions().map(|it| (it.property, it.opinion(interpreter.condition(state, it.property))));
        let (property, opinion) = opinions.find(|(_, opinion)| *opinion != Opinion::Nothing)?;
        (opinion == Opinion::Excluded).then_some(property)
    }

    /// Whether assumptions may exclude states.
    pub fn has_assumptions(&self) -> bool {
        self.n_assumptions > 0
    }

    /// The assumptions.
    pub fn assumptions(&self) -> impl Iterator<Item = Watched> {
        self.watched[..self.n_assumptions].iter().map(|(watched, _)| *watched)
    }

    /// What is looked at in a state that no assumption excludes.
    pub fn claims(&self) -> impl Iterator<Item = Watched> {
        self.watched[self.n_assumptions..].iter().map(|(watched, _)| *watched)
    }

    /// Whether some states are only passed through.
    pub fn has_passing(&self) -> bool {
        !self.passing.is_empty()
    }

    /// Whether executions may end somewhere.
    pub fn has_ending(&self) -> bool {
        !self.ending.is_empty()
    }

    /// Whether a state is passed through, if a rule is enabled there. A condition that faults is not satisfied.
    #[inline]
    pub fn is_passing(&self, stepper: &mut impl Stepper, state: &[u64]) -> bool {
        is_satisfied(&self.passing, stepper, state)
    }

    /// Whether an execution may end in a state. A condition that faults is not satisfied.
    pub fn may_end(&self, stepper: &mut impl Stepper, state: &[u64]) -> bool {
        is_satisfied(&self.ending, stepper, state)
    }

    /// Takes note that a property was covered.
    pub fn cover(&mut self, property: PropertyId) {
        for (watched, is_covered) in &mut self.watched {
            *is_covered |= watched.property == property;
        }
    }

    /// The cover points in rules.
    pub fn cover_points(&self) -> &[PropertyId] {
        &self.cover_points
    }

    /// The properties to be covered that neither a state nor, as `met` says, a step has covered, in order.
    pub fn uncovered(&self, met: &[PropertyId]) -> Vec<PropertyId> {
        let covers =
            self.watched.iter().filter(|(watched, is_covered)| watched.kind == PropertyKind::Cover && !is_covered);
        let points = self.cover_points.iter().copied().filter(|point| !met.contains(point));
        let mut uncovered: Vec<PropertyId> = covers.map(|(watched, _)| watched.property).chain(points).collect();
        uncovered.sort_unstable();
        uncovered
    }
}

fn is_satisfied(properties: &[PropertyId], stepper: &mut impl Stepper, state: &[u64]) -> bool {
    stepper.look_at(state);
    properties.iter().any(|&property| stepper.condition(property) == Condition::Holds)
}

#[cfg(test)]
mod tests {
    use burnside_ir::{Layout, text};

    use super::*;

    const MODEL: &str = r#"(model
        (global g0 "x" t0)
        (start i0 "init" (do (assign g0 true)))
        (property p0 "covered" cover (condition g0))
        (property p1 "always" invariant (condition g0))
        (property p2 "assumed" assumption (condition g0))
        (property p3 "other" invariant (condition g0)))"#;

    /// What is said of a state in which the properties have these values, and what is not covered then.
    fn check(only: Option<u32>, values: [Condition; 4]) -> (Inspection, Vec<PropertyId>) {
        let model = text::parse(MODEL).unwrap_or_else(|problem| panic!("{problem:?}"));
        let layout = Layout::new(&model).expect("it fits");
        let only: Option<Vec<PropertyId>> = only.map(|id| vec![PropertyId(id)]);
        let deadlock = if only.is_some() { crate::DeadlockMode::Off } else { crate::DeadlockMode::Stuttering };
        let question = Question { only: only.as_deref(), deadlock, ..Question::new(&model, &layout) };
        let mut judge = Judge::new(&question);
        let inspection = judge.inspect(|property| values[property.index()]);
        (inspection, judge.uncovered(&[]))
    }

    #[test]
    fn assumptions_decide_before_invariants_and_those_before_covers() {
        use Condition::{Fails, Faults, Holds};
        let covered = PropertyId(0);
        for (values, expected) in [
            ([Holds, Holds, Holds, Holds], Inspection::Keep),
            ([Fails, Holds, Holds, Holds], Inspection::Keep),
            ([Faults, Fails, Fails, Fails], Inspection::Drop(PropertyId(2))),
            ([Faults, Fails, Faults, Fails], Inspection::Breach(PropertyId(2))),
            ([Faults, Holds, Holds, Fails], Inspection::Breach(PropertyId(3))),
            ([Faults, Holds, Holds, Holds], Inspection::Breach(covered)),
        ] {
            assert_eq!(check(None, values).0, expected, "{values:?}");
        }
        assert_eq!(check(None, [Holds; 4]).1, [covered]);
        assert_eq!(check(None, [Fails, Holds, Holds, Holds]).1, []);
    }

    #[test]
    fn one_property_alone_leaves_the_state_space_as_it_is() {
        use Condition::{Fails, Holds};
        assert_eq!(check(Some(3), [Holds, Fails, Holds, Holds]).0, Inspection::Keep);
        assert_eq!(check(Some(3), [Holds, Holds, Fails, Holds]).0, Inspection::Drop(PropertyId(2)));
        assert_eq!(check(Some(3), [Holds, Holds, Holds, Holds]).1, [], "covers are not asked for");
    }
}
