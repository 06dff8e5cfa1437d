//! Partitions by number, with what is asked about them again and again.

use burnside_group::Partition;
use rustc_hash::FxHashMap;

/// The number of a partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct PartitionId(pub(crate) u32);

/// Every partition met so far.
#[derive(Debug, Default)]
pub(crate) struct Partitions {
    known: Vec<(Partition, Vec<Vec<usize>>)>,
    ids: FxHashMap<Partition, PartitionId>,
    meets: FxHashMap<(PartitionId, PartitionId), PartitionId>,
}

impl Partitions {
    /// The number of a partition.
    pub(crate) fn id(&mut self, partition: &Partition) -> PartitionId {
        if let Some(&id) = self.ids.get(partition) {
            return id;
        }
        let id = PartitionId(self.known.len() as u32);
        self.ids.insert(partition.clone(), id);
        self.known.push((partition.clone(), partition.cells()));
        id
    }

    pub(crate) fn get(&self, id: PartitionId) -> &Partition {
        &self.known[id.0 as usize].0
    }

    /// The cells, in the order of their least points, each ascending.
    pub(crate) fn cells(&self, id: PartitionId) -> &[Vec<usize>] {
        &self.known[id.0 as usize].1
    }

    /// The coarsest partition finer than both.
    pub(crate) fn meet(&mut self, one: PartitionId, other: PartitionId) -> PartitionId {
        if one == other {
            return one;
        }
        if let Some(&meet) = self.meets.get(&(one, other)) {
            return meet;
        }
        let meet = self.get(one).meet(self.get(other));
        let meet = self.id(&meet);
        self.meets.insert((one, other), meet);
        meet
    }

    /// Whether every cell of one partition lies within a cell of the other.
    pub(crate) fn refines(&mut self, finer: PartitionId, coarser: PartitionId) -> bool {
        self.meet(finer, coarser) == finer
    }
}
