//! The visited set once the search is over.

use burnside_store::{Codec, Set, Shard, StateId, hash, shard_of};

pub(crate) struct Visited<C: Codec> {
    pub(crate) set: Set<C>,
    pub(crate) shards: Vec<Shard<C>>,
}

impl<C: Codec> Visited<C> {
    /// The number of a packed state.
    pub(crate) fn find(&self, state: &[u64]) -> Option<StateId> {
        let hash = hash(state);
        self.shards[shard_of(hash, self.shards.len())].find(state, hash)
    }

    /// A state, the one it was found from, and so on to a start state; in the order of steps.
    pub(crate) fn way_to(&self, state: StateId) -> Vec<StateId> {
        let mut way: Vec<StateId> = std::iter::successors(Some(state), |&id| self.set.parent(id)).collect();
        way.reverse();
        way
    }
}
