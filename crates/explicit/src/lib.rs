//! Explicit-state search: visits reachable states one by one and remembers them.
//!
//! The states of the [`Frontier`](frontier::Frontier) are expanded in [`Job`](job::Job)s of a few hundred steps. Each
//! job is expanded, its states inserted into the shards of the visited set, and then settled: what happened is counted
//! and judged step by step, in the order in which one thread would have met it. Expansion goes on in parallel; each
//! shard takes jobs in their order, and so does the [`Ledger`](ledger::Ledger) that settles them. Hence every number
//! of threads visits the same states in the same order, from the same parents, and stops at the same step.
//!
//! `pipeline` hands out this work, [`Expander`](expander::Expander) computes what follows a state. Whatever goes
//! wrong is only noticed; `explain` then asks the interpreter what it was and how to get there.

mod claims;
mod engine;
mod expander;
mod explain;
mod frontier;
mod job;
mod ledger;
mod liveness;
mod partial;
mod pause;
mod pipeline;
mod recent;
mod search;
mod trial;
mod visited;

pub use engine::{Explicit, keeps_symmetry, tracks_parameters};
pub use partial::PartialOrder;
