//! What every engine shares: the task it is given, the monitor it reports to, the verdict it returns, and the replay
//! of its counterexamples by the reference interpreter. `audit` looks at some of a search's states a second time.

mod audit;
mod fairness;
mod lasso;
mod monitor;
mod pause;
pub mod pays;
mod replay;
mod report;
mod task;
mod verdict;

pub use burnside_step::{Breach, DeadlockMode, FairUnit, Fairness, Question, Step, Trace};
pub use burnside_temporal::Strength;

pub use audit::{AuditMode, Auditor, ClaimSource, Disagreement, DisagreementKind, Follower, Native, Relied};
pub use fairness::{Takers, UnitKey, Units};
pub use lasso::refute;
pub use monitor::{Budget, Counts, Monitor};
pub use pause::{Pause, Paused, Saved};
pub use replay::{ReplayError, replay};
pub use report::{Answer, Asked, Report};
pub use task::{Engine, SearchOrder, StoreMode, Task, Unsupported};
pub use verdict::{
    AuditReport, ClaimNote, CoveredState, Declined, Evidence, Meaning, Partitions, Reason, Reasoning, Shortfall,
    Stored, Verdict, Violation, Witness,
};
