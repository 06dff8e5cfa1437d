//! Sets of visited states: which packed states were met before, how each was reached, in as little memory as possible.
//!
//! A [`Set`] is cut into [`Shard`]s by the hash of the state. A shard has one owner at a time, who alone inserts into
//! it and therefore needs no atomic operation; everybody may read what has been inserted anywhere. Inserting from
//! several threads means handing each state to the owner of its shard. This costs a queue per shard but makes the
//! result independent of timing as soon as the order within each queue is, which a table shared by all cannot offer.
//!
//! What is kept of a state is chosen by a [`Codec`]: [`Exact`] all of it, [`Compressed`] the same with repeated parts
//! shared, [`Fingerprint`] 64 bits of hash. Around it, from the outside in: `index` finds the number of a state from its
//! hash, `arena` the memory cell of a number, `region` gets memory from the system, `memory` counts it.

mod arena;
mod column;
mod compressed;
mod exact;
mod fingerprint;
mod hash;
mod index;
mod memory;
mod prefetch;
mod region;
mod set;
mod sync;

pub use compressed::Compressed;
pub use exact::Exact;
pub use fingerprint::{Fingerprint, omission_probability};
pub use hash::hash;
pub use memory::Full;
pub use prefetch::prefetch;
pub use set::{Codec, Config, Fit, Insertion, Request, Set, Shard, StateId, shard_of};
