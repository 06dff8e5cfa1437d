//! What engines conclude.

use burnside_ir::{PropertyId, RuleId, TypeId};
use burnside_step::{Breach, Code, Trace};

use crate::{Disagreement, Strength};

/// The answer to a task, or to one of the things that it asks about.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// It holds: a complete claim.
    Holds(Evidence),
    /// It does not.
    Violated(Box<Violation>),
    /// Neither is known.
    Unknown(Shortfall),
}

/// Why something is believed to hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// Every reachable state, or one that stands for it, was visited.
    Exhausted,
    /// Every reachable state was visited or is covered by an explanation of why another one is safe.
    Explained,
    /// A state or step that shows it was met.
    Met,
}

impl Evidence {
    /// The name used in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exhausted => "exhausted",
            Self::Explained => "explained",
            Self::Met => "met",
        }
    }
}

/// Why a search ended without an answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Shortfall {
    /// The time was up.
    Time,
    /// The memory was used up.
    Memory,
    /// Someone asked to stop.
    Cancelled,
    /// States at this depth have successors that were not visited.
    Depth(u32),
    /// This many states were stored, and there are more.
    States(u64),
    /// States were told apart by hashes; some state was left out with at most this probability.
    Lossy {
        /// The probability, if hashes are as good as random.
        omission: f64,
    },
    /// States were taken to be symmetric that may not be.
    Approximate,
    /// A temporal formula could not be decided.
    Formula,
    /// Something else is violated, and the search ended there.
    Violation,
}

impl std::fmt::Display for Shortfall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Time => write!(f, "the time limit was reached"),
            Self::Memory => write!(f, "the memory limit was reached"),
            Self::Cancelled => write!(f, "the search was interrupted"),
            Self::Depth(1) => write!(f, "states more than 1 step from a start state were not visited"),
            Self::Depth(depth) => write!(f, "states more than {depth} steps from a start state were not visited"),
            Self::States(states) => write!(f, "the limit on states was reached ({states} stored)"),
            Self::Lossy { omission } => {
                write!(
                    f,
                    "states were told apart by 64-bit hashes, so some may be missing (probability {omission:.1e})"
                )
            }
            Self::Approximate => {
                write!(f, "states with equal symmetry markers were taken to be symmetric, so some may be missing")
            }
            Self::Formula => write!(f, "a temporal formula was too large to be decided"),
            Self::Violation => write!(f, "the search ended at another violation"),
        }
    }
}

/// A property that does not hold, and an execution that shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// What is wrong.
    pub breach: Breach,
    /// The execution; `None` where the absence of executions is the violation.
    pub trace: Option<Trace>,
}

/// What is worth knowing about the answer to a temporal property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClaimNote {
    /// The left side of an implication, this condition, is false in every state: the formula says nothing.
    Vacuous(PropertyId),
    /// The violation starves somebody: with fairness of this strength the property holds.
    HoldsIfFair(Strength),
    /// Assumptions cut off executions, of which the property says nothing.
    ExecutionsCut,
    /// The violation was found before all states were known; nothing is known of other properties.
    SearchCut,
    /// Why the property could not be decided.
    Undecided(String),
    /// How many nodes the product of states and the automaton of a linear property has.
    Explored(u64),
}

/// How a search that learns why states are safe went.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reasoning {
    /// What states were dropped for, by its name on the command line.
    pub mode: &'static str,
    /// States met: one for each start state and each step from a stored state.
    pub visited: u64,
    /// Those of them that were not explored, because they were known or covered.
    pub subsumed: u64,
    /// Those of the subsumed that are covered by the explanation of another state.
    pub covered: u64,
    /// Facts in all explanations.
    pub facts: u64,
    /// States whose only explanation is that they are themselves.
    pub exact: u64,
    /// Control configurations with an explanation.
    pub configurations: u64,
    /// Some covered states.
    pub examples: Vec<CoveredState>,
}

/// A state that was not explored because what explains another covers it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoveredState {
    /// The state.
    pub state: Box<[u64]>,
    /// The state that was explored.
    pub by: Box<[u64]>,
    /// The names that stand for others in the explanation, and which.
    pub renaming: Vec<(String, String)>,
    /// The explanation before renaming, besides that control is the same.
    pub facts: Vec<String>,
}

/// What came of looking at states twice.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuditReport {
    /// How many were looked at.
    pub states: u64,
    /// Where something differed: we are wrong somewhere, and the verdict means nothing.
    pub disagreement: Option<Box<Disagreement>>,
}

/// The states that a complete search stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// Packed, one after the other.
    pub states: Vec<u64>,
    /// What each of them stands for.
    pub meaning: Meaning,
}

/// What a stored state stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Meaning {
    /// Itself.
    Itself,
    /// All its images under the model's proved symmetry.
    Orbit,
    /// All its images under permutations within the cells of a partition.
    Partition(Partitions),
}

/// The partitions that stored states are annotated with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partitions {
    /// The types whose values are identities, class by class; the members of all are numbered through as points.
    pub classes: Vec<Vec<TypeId>>,
    /// Each partition: by point, the number of its cell.
    pub cells: Vec<Vec<u32>>,
    /// By stored state, the number of its partition.
    pub of_state: Vec<u32>,
}

/// That an engine does not answer. The question is still open, and another engine is to be asked.
#[derive(Debug)]
pub struct Declined {
    /// Why.
    pub reason: Reason,
    /// Native code that fires all rules at once and serves others as well.
    pub code: Option<Box<Code>>,
}

impl From<Reason> for Declined {
    fn from(reason: Reason) -> Self {
        Self { reason, code: None }
    }
}

/// Two states that permutations take to one another, from one of which alone a step leads to a state or one of its images.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Witness {
    /// The step's rule.
    pub rule: RuleId,
    /// The state it leads from.
    pub from: Box<[u64]>,
    /// The one without such a step.
    pub without: Box<[u64]>,
    /// The state it leads to.
    pub to: Box<[u64]>,
}

/// Why an engine does not answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// Images of a state have steps that those of another image are no images of.
    NotVirtual(Box<Witness>),
    /// No execution was found that a loop of annotated states stands for.
    NoExecution,
    /// Whether all images of a state have the same steps up to permutations was not decided.
    Undecided,
    /// Each stored state stands for a few states only.
    LittleSymmetry,
    /// Explanations cover few states.
    LittleCovered,
    /// What was saved of a search is not one of this task.
    Unreadable,
    /// Something was found that no execution of the interpreter shows: a fault that depends on the order of evaluation.
    Unexplained,
}

impl Reason {
    /// The reason in words.
    pub fn words(&self) -> &'static str {
        match self {
            Self::NotVirtual(_) => "not virtually symmetric",
            Self::NoExecution => "no execution was found for a possible loop among nearly symmetric states",
            Self::Undecided => "whether the model is virtually symmetric was not decided",
            Self::LittleSymmetry => "a stored state stood for too few others",
            Self::LittleCovered => "explanations covered too few states",
            Self::Unreadable => "what was saved is not a search of this model",
            Self::Unexplained => "a fault was found that depends on the order of evaluation",
        }
    }
}
