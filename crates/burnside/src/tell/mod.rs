//! Results in words.

mod breach;
mod change;
mod chart;
mod instance;
pub(crate) mod reasoning;
mod state;
mod story;
mod summary;
mod temporal;
mod treatment;

pub(crate) use breach::{Named, explain, name};
pub(crate) use change::{Change, changes, difference};
pub(crate) use instance::Instance;
pub(crate) use state::{describe, variables};
pub(crate) use story::Teller;
pub(crate) use summary::{Summary, claims_anything, invalid_line, state_size};
pub(crate) use temporal::{is_kind_name as is_temporal_kind, kind_name as temporal_kind, notes as temporal_notes};
pub(crate) use treatment::Treatment;
