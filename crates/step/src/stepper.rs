//! Firing rules and evaluating conditions in packed states.

use burnside_interp::{Condition, Interpreter, StepBuffer};
use burnside_ir::{PropertyId, RuleId};

use crate::{Interpreted, Native};

/// Computes with the rules and properties of one model. Each thread has its own.
pub trait Stepper {
    /// Appends every start state up to the first that faults, as long as `goes_on` says so, which is asked behind each.
    /// The recorded rules mean nothing.
    fn starts(&mut self, steps: &mut StepBuffer, goes_on: impl FnMut(&mut StepBuffer) -> bool);

    /// Appends a step for every enabled rule instance up to the first that faults. Under reduction, `weights` tells for
    /// each value of each strict type for how many values of a parameter it stands; without, there are none.
    fn fire_all(&mut self, state: &[u64], weights: &[u64], steps: &mut StepBuffer);

    /// Appends the steps of the enabled instances of a rule whose parameters are as `args` says, where it says something,
    /// up to the first that faults. Native code must have been compiled for that.
    fn fire_some(&mut self, state: &[u64], rule: RuleId, args: &[Option<i64>], steps: &mut StepBuffer);

    /// Sets the state in which conditions are evaluated, until another is looked at or rules fire.
    fn look_at(&mut self, state: &[u64]);

    /// The value of a property's condition in the state looked at; of a cover it is said to fail if some instance is
    /// true.
    fn condition(&mut self, property: PropertyId) -> Condition;

    /// Those of some cover points that steps met.
    fn met(&mut self, points: &[PropertyId]) -> Vec<PropertyId>;

    /// What firing rules may take of a thread's stack, beyond what every search needs.
    fn stack_bytes(&self) -> usize;
}

/// Either of them, chosen at run time.
pub enum AnyStepper<'m> {
    /// The interpreter.
    Interpreted(Interpreted<'m>),
    /// Native code.
    Native(Native<'m>),
}

impl<'m> AnyStepper<'m> {
    /// The interpreter of the same model and with the same strict types.
    pub fn interpreter(&mut self) -> &mut Interpreter<'m> {
        match self {
            Self::Interpreted(interpreted) => &mut interpreted.interpreter,
            Self::Native(native) => &mut native.interpreted.interpreter,
        }
    }
}

impl Stepper for AnyStepper<'_> {
    fn starts(&mut self, steps: &mut StepBuffer, goes_on: impl FnMut(&mut StepBuffer) -> bool) {
        match self {
            Self::Interpreted(it) => it.starts(steps, goes_on),
            Self::Native(it) => it.starts(steps, goes_on),
        }
    }

    fn fire_all(&mut self, state: &[u64], weights: &[u64], steps: &mut StepBuffer) {
        match self {
            Self::Interpreted(it) => it.fire_all(state, weights, steps),
            Self::Native(it) => it.fire_all(state, weights, steps),
        }
    }

    #[inline]
    fn fire_some(&mut self, state: &[u64], rule: RuleId, args: &[Option<i64>], steps: &mut StepBuffer) {
        match self {
            Self::Interpreted(it) => it.fire_some(state, rule, args, steps),
            Self::Native(it) => it.fire_some(state, rule, args, steps),
        }
    }

    #[inline]
    fn look_at(&mut self, state: &[u64]) {
        match self {
            Self::Interpreted(it) => it.look_at(state),
            Self::Native(it) => it.look_at(state),
        }
    }

    #[inline]
    fn condition(&mut self, property: PropertyId) -> Condition {
        match self {
            Self::Interpreted(it) => it.condition(property),
            Self::Native(it) => it.condition(property),
        }
    }

    fn met(&mut self, points: &[PropertyId]) -> Vec<PropertyId> {
        match self {
            Self::Interpreted(it) => it.met(points),
            Self::Native(it) => it.met(points),
        }
    }

    fn stack_bytes(&self) -> usize {
        match self {
            Self::Interpreted(it) => it.stack_bytes(),
            Self::Native(it) => it.stack_bytes(),
        }
    }
}
