//! What every engine shares: the task it is given, the monitor it reports to, the verdict it returns, and the replay
//! of its counterexamples by the reference interpreter. `audit` looks at some of a search's states a second time.

mod audit;
mod blame;
mod fairness;
mod lasso;
mod monitor;
mod replay;
mod task;
mod trace;
mod verdict;

pub use audit::{AuditMode, Auditor, ClaimSource, Disagreement, DisagreementKind, Follower, Native, Relied};
pub use blame::{broken_property, faulty_start, is_deadlock};
pub use fairness::{FairUnit, Fairness, Strength, Takers, UnitKey, Units};
pub use lasso::refute;
pub use monitor::{Budget, Counts, Monitor};
pub use replay::{ReplayError, replay};
pub use task::{DeadlockMode, Engine, SearchOrder, StoreMode, Task, Unsupported};
pub use trace::{Step, Trace};
pub use verdict::{
    AuditReport, Breach, ClaimAnswer, ClaimNote, ClaimReport, CoveredState, Evidence, GaveUp, Meaning, Partitions,
    Patience, Reasoning, Report, Shortfall, Stored, Verdict, Violation,
};
