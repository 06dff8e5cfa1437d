//! Partitions by number, with what is asked about them again and again.
//!
//! Every thread has its own [`Partitions`], so that looking one up takes no lock; numbers mean the same to all of them.
//! Which number a partition has depends on who met it first, so nothing may depend on numbers but equality.

use std::sync::{Arc, Mutex, PoisonError};

use burnside_group::Partition;
use burnside_symmetry::Cells;
use rustc_hash::FxHashMap;

/// The number of a partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct PartitionId(pub(crate) u32);

/// A partition in the forms in which it is used.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    pub(crate) partition: Partition,
    /// In the order of their least points, each ascending.
    pub(crate) cells: Cells,
}

/// Every partition met so far, by any thread.
#[derive(Debug, Default)]
struct Table {
    partitions: Vec<Partition>,
    ids: FxHashMap<Partition, PartitionId>,
}

/// What one thread knows of them.
#[derive(Debug, Default)]
pub(crate) struct Partitions {
    table: Arc<Mutex<Table>>,
    known: Vec<Arc<Known>>,
    ids: FxHashMap<Partition, PartitionId>,
    meets: FxHashMap<(PartitionId, PartitionId), PartitionId>,
}

impl Partitions {
    /// The same partitions for another thread.
    pub(crate) fn share(&self) -> Self {
        Self { table: Arc::clone(&self.table), ..Self::default() }
    }

    /// The number of a partition.
    pub(crate) fn id(&mut self, partition: &Partition) -> PartitionId {
        if let Some(&id) = self.ids.get(partition) {
            return id;
        }
        let mut table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        let next = PartitionId(table.partitions.len() as u32);
        let id = *table.ids.entry(partition.clone()).or_insert(next);
        if id == next {
            table.partitions.push(partition.clone());
        }
        drop(table);
        self.ids.insert(partition.clone(), id);
        id
    }

    /// A partition by its number.
    pub(crate) fn get(&mut self, id: PartitionId) -> Arc<Known> {
        if id.0 as usize >= self.known.len() {
            let table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
            for partition in &table.partitions[self.known.len()..] {
                let cells = Cells::new(&partition.cells());
                self.known.push(Arc::new(Known { partition: partition.clone(), cells }));
            }
        }
        Arc::clone(&self.known[id.0 as usize])
    }

    /// The coarsest partition finer than both.
    pub(crate) fn meet(&mut self, one: PartitionId, other: PartitionId) -> PartitionId {
        if one == other {
            return one;
        }
        if let Some(&meet) = self.meets.get(&(one, other)) {
            return meet;
        }
        let meet = self.get(one).partition.meet(&self.get(other).partition);
        let meet = self.id(&meet);
        self.meets.insert((one, other), meet);
        meet
    }

    /// Whether every cell of one partition lies within a cell of the other.
    pub(crate) fn refines(&mut self, finer: PartitionId, coarser: PartitionId) -> bool {
        self.meet(finer, coarser) == finer
    }
}
