//! Results in words.

mod breach;
mod change;
mod chart;
mod instance;
mod page;
pub mod reasoning;
mod similarity;
mod state;
mod story;
mod summary;
mod temporal;
mod treatment;

pub use breach::{Named, explain, name};
pub use change::{Change, changes, difference};
pub use instance::Instance;
pub use page::{Section, page};
pub use similarity::{contrast, similarity, similarity_json};
pub use state::{describe, variables};
pub use story::{Teller, TraceStyle};
pub use summary::{Summary, claims_anything, invalid_line, state_size};
pub use temporal::{is_kind_name as is_temporal_kind, kind_name as temporal_kind, notes as temporal_notes};
pub use treatment::Treatment;
