//! What every engine shares: the task it is given, the monitor it reports to, the verdict it returns, and the replay
//! of its counterexamples by the reference interpreter. `audit` looks at some of a search's states a second time.

mod audit;
mod fairness;
mod lasso;
mod monitor;
pub mod pays;
mod replay;
mod task;
mod verdict;

pub use burnside_step::{Breach, DeadlockMode, Question, Step, Trace};

pub use audit::{AuditMode, Auditor, ClaimSource, Disagreement, DisagreementKind, Follower, Native, Relied};
pub use fairness::{FairUnit, Fairness, Strength, Takers, UnitKey, Units};
pub use lasso::refute;
pub use monitor::{Budget, Counts, Monitor};
pub use replay::{ReplayError, replay};
pub use task::{Engine, SearchOrder, StoreMode, Task, Unsupported};
pub use verdict::{
    AuditReport, ClaimAnswer, ClaimNote, ClaimReport, CoveredState, Declined, Evidence, Meaning, Partitions, Reason,
    Reasoning, Report, Shortfall, Stored, Verdict, Violation,
};
