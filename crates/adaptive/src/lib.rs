//! Reachability where symmetry is broken here and there (Wahl, *Adaptive symmetry reduction*, CAV 2007).
//!
//! A stored state is a state together with a partition of the identities: it stands for all states that permutations
//! within the cells lead to. A step by a rule that tells identities apart makes the partition finer; a state whose
//! permutations are all known already is dropped. So a rule costs symmetry only where it fires.
//!
//! [`Adaptive::new`] decides which identities there are and asks `burnside_analysis` under which permutations each rule
//! is invariant ([`Families`]). Permutations act on packed states as in `burnside_symmetry`. A `worker` fires rules by
//! native code (`stepper`): `expand` computes the steps from an orbit, `unwind` splits an orbit by a finer partition,
//! `visited` keeps what was found and tells what is subsumed, `search` goes through it all breadth first, and `explain`
//! makes a concrete execution of what it finds. `linear` checks formulas about executions on
//! the annotated states. AG EF is not treated. `bisimilar` is another search: one state for each
//! orbit, as long as all states of it have the same steps up to permutations, and then also temporal properties.

mod audited;
mod bindings;
mod bisimilar;
mod deadlock;
mod engine;
mod expand;
mod expansion;
mod explain;
mod families;
mod inspect;
mod linear;
mod partitions;
mod pursuit;
mod search;
mod setup;
mod unwind;
mod visited;
mod worker;

pub use bisimilar::{Similar, Similarity, Virtual, similarity};
pub use engine::{Adaptive, NotAdaptive};
pub use families::Families;
