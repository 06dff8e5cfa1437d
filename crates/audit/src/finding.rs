//! What is wrong, and how a start state leads to it.

use burnside_interp::Fault;
use burnside_ir::{PropertyId, RuleId, StartId};

/// Why a certificate does not prove its claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejection {
    /// What is wrong.
    pub finding: Finding,
    /// The state it is about, unpacked; none if it is about all or about a start state.
    pub state: Option<Vec<i64>>,
    /// An execution that leads to this state, if the audit could find one.
    pub way: Option<Way>,
}

/// An execution, states unpacked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Way {
    /// The start state's definition and parameters.
    pub start: (StartId, Vec<i64>),
    /// The first state.
    pub first: Vec<i64>,
    /// Rules with their parameters, and the states they lead to.
    pub steps: Vec<(RuleId, Vec<i64>, Vec<i64>)>,
}

/// What is wrong in a state, or with all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    /// A start state faults.
    StartFault(StartId, Vec<i64>, Box<Fault>),
    /// A start state leads to this state, of which no listed state is an image.
    StartUnlisted(StartId, Vec<i64>, Vec<i64>),
    /// A rule faults.
    StepFault(RuleId, Vec<i64>, Box<Fault>),
    /// A rule leads to this state, of which no listed state is an image.
    StepUnlisted(RuleId, Vec<i64>, Vec<i64>),
    /// An invariant is false for these parameters.
    Broken(PropertyId, Vec<i64>),
    /// Evaluating a property faults.
    PropertyFault(PropertyId, Box<Fault>),
    /// The state is a deadlock.
    Deadlock,
    /// No state and no step covers the property.
    Uncovered(PropertyId),
    /// No state that satisfies the property, for these parameters, can be reached.
    Liveness(PropertyId, Vec<i64>),
    /// A liveness property is about single identities, which permutations exchange.
    LivenessOfOne(PropertyId),
    /// The generator of this number is no automorphism: in the image of the state under it, something is different.
    Asymmetric {
        /// Its place in the list.
        generator: usize,
        /// What differs.
        part: Part,
        /// The image.
        image: Vec<i64>,
    },
}

/// What a permutation that is no automorphism changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The steps of a rule are not the images of its steps.
    Rule(RuleId),
    /// A property has another value.
    Property(PropertyId),
    /// Other cover points are reached.
    Covers,
}
