//! States annotated with partitions: what is known, and what is subsumed by it.
//!
// SOUND: (s, P) subsumes (t, Q) if t is in the orbit of (s, P) and every cell of Q lies within a cell of P or consists of
// twins of t. For then a permutation within Q is one within P after one among twins, which leaves t alone, so the orbit
// of (t, Q) lies within that of (t, P), which is that of (s, P). Conversely (Wahl, Theorem 4), in simple models nothing
// else is subsumed: if two points of a cell of Q are neither twins in t nor in one cell of P, exchanging them leaves
// the orbit. The condition is that of the theorem: two equivalence relations cover all pairs of a set only if one of
// them alone does, so "each pair of a cell is alike in P or twins" and "each cell is alike in P or of twins" are one.

use rustc_hash::FxHashMap;

use crate::action::Action;
use crate::canon::canonicalise;
use crate::partitions::{PartitionId, Partitions};

/// The number of an annotated state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct NodeId(pub(crate) u32);

/// How a state was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Origin {
    /// The state that was expanded; none for start states.
    pub(crate) parent: Option<NodeId>,
    /// The rule or start state, and the group of its instances.
    pub(crate) source: (u32, u32),
    pub(crate) args: Box<[i64]>,
    /// The member of the parent's orbit that the rule was fired in.
    pub(crate) from: Box<[i64]>,
    /// The partition under which the step is invariant.
    pub(crate) partition: PartitionId,
}

/// A state with a partition: all permutations within it.
#[derive(Debug)]
pub(crate) struct Node {
    /// Canonical within the partition.
    pub(crate) state: Box<[i64]>,
    pub(crate) partition: PartitionId,
    pub(crate) depth: u32,
    pub(crate) origin: Origin,
    /// Whether a state found later at the same depth stands for all of this one.
    pub(crate) replaced: bool,
}

/// All nodes.
#[derive(Debug)]
pub(crate) struct Visited {
    /// Whether partitions are made coarser where that leaves orbits as they are.
    coarsens: bool,
    nodes: Vec<Node>,
    /// By a number that no permutation changes: the partitions of nodes with that number.
    annotations: FxHashMap<u64, Vec<PartitionId>>,
    /// By partition and canonical state.
    exact: FxHashMap<(PartitionId, Box<[i64]>), NodeId>,
    /// Nodes of the greatest depth, by the same number.
    newest: FxHashMap<u64, Vec<NodeId>>,
    depth: u32,
    bytes: u64,
}

/// An annotated state that may be new.
pub(crate) struct Candidate {
    pub(crate) state: Vec<i64>,
    pub(crate) partition: PartitionId,
    pub(crate) depth: u32,
    pub(crate) origin: Origin,
}

impl Visited {
    pub(crate) fn new(coarsens: bool) -> Self {
        Self {
            coarsens,
            nodes: Vec::new(),
            annotations: FxHashMap::default(),
            exact: FxHashMap::default(),
            newest: FxHashMap::default(),
            depth: 0,
            bytes: 0,
        }
    }

    pub(crate) fn get(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether a state is subsumed.
    pub(crate) fn knows(&self, action: &Action, partitions: &mut Partitions, candidate: Candidate) -> bool {
        let partition = self.annotation(action, partitions, (&candidate.state, candidate.partition));
        let state = canonicalise(action, partitions.cells(partition), &candidate.state).state;
        self.is_subsumed(action, partitions, action.orbit_hash(&state), (&state, partition))
    }

    /// Adds a state unless it is subsumed; depths must not decrease from call to call.
    pub(crate) fn insert(
        &mut self,
        action: &Action,
        partitions: &mut Partitions,
        candidate: Candidate,
    ) -> Option<NodeId> {
        let Candidate { state, partition, depth, origin } = candidate;
        let partition = self.annotation(action, partitions, (&state, partition));
        let state = canonicalise(action, partitions.cells(partition), &state).state.into_boxed_slice();
        let hash = action.orbit_hash(&state);
        if self.is_subsumed(action, partitions, hash, (&state, partition)) {
            return None;
        }
        if depth != self.depth {
            self.depth = depth;
            self.newest.clear();
        }
        self.replace(action, partitions, hash, (&state, partition));
        let id = NodeId(self.nodes.len() as u32);
        let annotations = self.annotations.entry(hash).or_default();
        if !annotations.contains(&partition) {
            annotations.push(partition);
        }
        self.newest.entry(hash).or_default().push(id);
        self.exact.insert((partition, state.clone()), id);
        self.bytes += (3 * state.len() * size_of::<i64>() + size_of::<Node>() + 128) as u64;
        self.nodes.push(Node { state, partition, depth, origin, replaced: false });
        Some(id)
    }

    fn annotation(
        &self,
        action: &Action,
        partitions: &mut Partitions,
        (state, partition): (&[i64], PartitionId),
    ) -> PartitionId {
        if self.coarsens { coarsen(action, partitions, partition, state) } else { partition }
    }

    fn is_subsumed(
        &self,
        action: &Action,
        partitions: &mut Partitions,
        hash: u64,
        (state, partition): (&[i64], PartitionId),
    ) -> bool {
        let Some(annotations) = self.annotations.get(&hash) else { return false };
        annotations.iter().any(|&known| {
            covers(action, partitions, known, (state, partition)) && {
                let state = match known == partition {
                    true => state.into(),
                    false => canonicalise(action, partitions.cells(known), state).state.into_boxed_slice(),
                };
                self.exact.contains_key(&(known, state))
            }
        })
    }

    /// Marks the nodes of this depth that a new one subsumes. Those of lesser depth stay: what follows them is then
    /// found at its own depth.
    fn replace(
        &mut self,
        action: &Action,
        partitions: &mut Partitions,
        hash: u64,
        (state, partition): (&[i64], PartitionId),
    ) {
        for &id in self.newest.get(&hash).into_iter().flatten() {
            let node = &mut self.nodes[id.0 as usize];
            // Orbits within one partition are equal or disjoint, and equal ones are not stored twice.
            if node.partition == partition {
                continue;
            }
            if !node.replaced && covers(action, partitions, partition, (&node.state, node.partition)) {
                let same = canonicalise(action, partitions.cells(partition), &node.state);
                node.replaced = same.state == state;
            }
        }
    }
}

/// Whether each cell of a state's partition lies within a cell of `coarse` or consists of twins.
fn covers(
    action: &Action,
    partitions: &mut Partitions,
    coarse: PartitionId,
    (state, partition): (&[i64], PartitionId),
) -> bool {
    if partitions.refines(partition, coarse) {
        return true;
    }
    let coarse = partitions.get(coarse);
    partitions.cells(partition).iter().all(|cell| {
        cell[1..].iter().all(|&point| coarse.cell_of(point) == coarse.cell_of(cell[0]))
            || cell[1..].iter().all(|&point| action.are_twins(state, cell[0], point))
    })
}

/// Merges cells all of whose points are twins of each other.
///
// SOUND: permutations within the merged cell leave the state as it is, and commute with those of the other cells; so the
// orbit stays the same.
fn coarsen(action: &Action, partitions: &mut Partitions, partition: PartitionId, state: &[i64]) -> PartitionId {
    let cells = partitions.cells(partition);
    let mut uniform: Vec<usize> = Vec::new();
    let mut keys: Vec<usize> = vec![0; action.identities.n_points()];
    let mut merged = false;
    for (number, cell) in cells.iter().enumerate() {
        let mut key = number;
        if cell[1..].iter().all(|&point| action.are_twins(state, cell[0], point)) {
            let class = action.identities.class_of(cell[0]);
            let same = uniform.iter().find(|&&other| {
                let leader = cells[other][0];
                action.identities.class_of(leader) == class && action.are_twins(state, leader, cell[0])
            });
            match same {
                Some(&other) => {
                    key = other;
                    merged = true;
                }
                None => uniform.push(number),
            }
        }
        cell.iter().for_each(|&point| keys[point] = key);
    }
    match merged {
        true => partitions.id(&burnside_group::Partition::from_keys(&keys)),
        false => partition,
    }
}
