//! Assembly: from a model's text to a verdict that was checked twice.
//!
//! [`load`] picks the front end and prepares the model, [`Plan`] picks engine and symmetry strategy and can say why,
//! [`Plan::run`] searches and replays what was found, [`certify`] puts together what proves that everything holds and
//! [`write_certificate`] gives its bytes. [`walk`] and [`retrace`] follow single executions with the reference interpreter. Nothing here writes to the outside; the only thing read is how much memory there is.

mod certify;
mod choices;
mod graph;
mod header;
mod images;
mod load;
mod machine;
mod partial_order;
mod pause;
mod plan;
mod propose;
mod referee;
mod retrace;
mod run;
mod shorten;
mod stack;
mod temporal;
mod walk;

mod write;

pub use burnside_interpolant::Mode;
pub use burnside_murphi::format as format_murphi;
pub use certify::{Source, certify};
pub use choices::{Choice, Event, Guide};
pub use graph::{Edge, Graph, GraphKind, graph};
pub use header::{Expect, Expectation, Header, With};
pub use load::{
    ClaimKind, ClaimSource, Diagram, Finder, Labels, Language, LoadOptions, Loaded, Prepared, Statement, load,
    load_with, printable,
};
pub use machine::{memory_budget, memory_ceiling, peak_bytes, resident_bytes};
pub use pause::{SaveProblem, SavedSearch};
pub use plan::{Approach, EngineChoice, PartialOrderChoice, Plan, Settings, Strategy, SymmetryChoice};
pub use retrace::{Ending, Mismatch, Recorded, Retraced, retrace};
pub use run::{Bug, BugKind, Outcome, RunResult};
pub use shorten::shorten;
pub use stack::{StackFailure, on_large_stack};
pub use walk::{Walk, WalkEnd, walk};
pub use write::write_certificate;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/internals/adding.md")]
struct Adding;
