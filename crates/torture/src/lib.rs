//! Murphi texts that people avoid writing, in every configuration there is.
//!
//! [`examine`] loads a text, explores it plainly with the reference evaluator ([`oracle`]), runs every
//! [`Configuration`] on it and says where answers differ. [`Campaign`] does that for many texts, generated or mutated,
//! and shrinks what it finds. What touches `burnside_driver` is in `ask.rs` alone. [`compare_with_spin`] is apart from all that:
//! models in Promela, with SPIN's own answers.

mod ask;
mod campaign;
mod compare;
mod configuration;
mod examine;
mod options;
mod oracle;
mod orbits;
mod sources;
mod spin;
mod supervise;
mod worker;

pub use ask::Key;
pub use campaign::{Campaign, Found, Tally};
pub use compare::{Difference, Trouble};
pub use configuration::Configuration;
pub use examine::{Examination, Examined, examine};
pub use options::{Options, Role, USAGE};
pub use oracle::{Bounds, Exploration, Subject, explore};
pub use sources::Source;
pub use spin::{Compared, compare_with_spin};
pub use supervise::{Summary, processor_time, supervise};
pub use worker::work;
