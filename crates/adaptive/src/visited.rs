//! States annotated with partitions: what is known, and what is subsumed by it.
//!
// SOUND: (s, P) subsumes (t, Q) if t is in the orbit of (s, P) and every cell of Q lies within a cell of P or consists of
// twins of t. For then a permutation within Q is one within P after one among twins, which leaves t alone, so the orbit
// of (t, Q) lies within that of (t, P), which is that of (s, P). Conversely (Wahl, Theorem 4), in simple models nothing
// else is subsumed: if two points of a cell of Q are neither twins in t nor in one cell of P, exchanging them leaves
// the orbit. The condition is that of the theorem: two equivalence relations cover all pairs of a set only if one of
// them alone does, so "each pair of a cell is alike in P or twins" and "each cell is alike in P or of twins" are one.

use burnside_group::Partition;
use burnside_store::{Config, Exact, Full, Insertion, Request, Set, Shard, StateId, hash};
use rustc_hash::FxHashMap;

use crate::partitions::PartitionId;
use crate::worker::{Orbit, Worker};

/// The number of an annotated state, counted in the order of insertion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct NodeId(pub(crate) u32);

/// How a state was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Origin {
    /// The state that was expanded; none for start states.
    pub(crate) parent: Option<NodeId>,
    /// The rule or start state, and the group of its instances.
    pub(crate) source: (u32, u32),
    /// The member of the parent's orbit that the rule was fired in, unless it is the parent's state itself.
    pub(crate) from: Option<Box<[u64]>>,
    /// The partition under which the step is invariant.
    pub(crate) partition: PartitionId,
}

/// A state with a partition: all permutations within it. The state itself is in the set.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) partition: PartitionId,
    pub(crate) depth: u32,
    pub(crate) origin: Origin,
    /// Whether a state found later at the same depth stands for all of this one.
    pub(crate) replaced: bool,
}

/// All nodes.
pub(crate) struct Visited {
    /// Keys: canonical states, each followed by a word with the number of its partition. Numbered like the nodes.
    set: Set<Exact>,
    shard: Shard<Exact>,
    n_words: usize,
    nodes: Vec<Node>,
    /// By a number that no permutation changes.
    annotations: FxHashMap<u64, Vec<Annotation>>,
    bytes: u64,
}

/// The nodes with the same number that no permutation changes, and with the same partition.
#[derive(Debug)]
struct Annotation {
    partition: PartitionId,
    /// The greatest depth of such nodes, and those that have it.
    depth: u32,
    newest: Vec<NodeId>,
}

/// An annotated state that may be new: canonical within its partition, which is as coarse as it can be.
#[derive(Debug)]
pub(crate) struct Candidate {
    /// The state, and a word more for the partition.
    key: Vec<u64>,
    pub(crate) partition: PartitionId,
    /// A number that no permutation changes.
    orbit: u64,
}

impl Candidate {
    pub(crate) fn state(&self) -> &[u64] {
        &self.key[..self.key.len() - 1]
    }

    /// All that it stands for.
    pub(crate) fn part(&self) -> Orbit<'_> {
        Orbit { state: self.state(), partition: self.partition }
    }
}

impl Visited {
    pub(crate) fn new(n_words: usize, limit: Option<u64>) -> Result<Self, Full> {
        let (set, shards) = Set::open(Config { n_bits: (n_words as u32 + 1) * 64, n_shards: 1, limit })?;
        let shard = shards.into_iter().next().expect("one shard was asked for");
        Ok(Self { set, shard, n_words, nodes: Vec::new(), annotations: FxHashMap::default(), bytes: 0 })
    }

    pub(crate) fn get(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// All nodes in their order.
    pub(crate) fn ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    /// The state of a node.
    pub(crate) fn state(&self, id: NodeId) -> Vec<u64> {
        let mut key = vec![0; self.n_words + 1];
        self.set.read(StateId(id.0), &mut key);
        key.truncate(self.n_words);
        key
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.set.bytes() + self.bytes
    }

    /// Whether a state is subsumed.
    pub(crate) fn knows(&self, worker: &mut Worker<'_>, candidate: &Candidate) -> bool {
        self.subsuming(worker, candidate, |_| true).is_some()
    }

    /// A node that is expanded and stands for all that a state stands for.
    pub(crate) fn expanded(&self, worker: &mut Worker<'_>, candidate: &Candidate) -> Option<NodeId> {
        self.subsuming(worker, candidate, |node| !node.replaced)
    }

    fn subsuming(
        &self,
        worker: &mut Worker<'_>,
        candidate: &Candidate,
        wanted: impl Fn(&Node) -> bool,
    ) -> Option<NodeId> {
        let find = |key: &[u64]| self.shard.find(key, hash(key)).map(|id| NodeId(id.0));
        let partition = candidate.partition;
        let found = |&Annotation { partition: known, .. }: &Annotation| match known == partition {
            true => find(&candidate.key),
            false if worker.covers(known, candidate.part()) => {
                let mut key = candidate.key.clone();
                worker.canonicalise_key(known, &mut key);
                find(&key)
            }
            false => None,
        };
        self.annotations.get(&candidate.orbit)?.iter().filter_map(found).find(|&id| wanted(self.get(id)))
    }

    /// Adds a state that is not subsumed, unless it is there already; depths must not decrease from call to call.
    pub(crate) fn insert(
        &mut self,
        worker: &mut Worker<'_>,
        candidate: Candidate,
        depth: u32,
        origin: Origin,
    ) -> Result<Option<NodeId>, Full> {
        self.replace(worker, &candidate, depth);
        let Candidate { key, partition, orbit } = candidate;
        let id = NodeId(self.nodes.len() as u32);
        let parent = origin.parent.map(|parent| StateId(parent.0));
        match self.shard.insert(&Request { state: &key, hash: hash(&key), parent }) {
            Insertion::New(number) => assert_eq!(number.0, id.0, "sets of one shard count without gaps"),
            Insertion::Old(_) => return Ok(None),
            Insertion::Full => return Err(Full),
        }
        let annotations = self.annotations.entry(orbit).or_default();
        match annotations.iter_mut().find(|annotation| annotation.partition == partition) {
            Some(annotation) => {
                if annotation.depth != depth {
                    annotation.depth = depth;
                    annotation.newest.clear();
                }
                annotation.newest.push(id);
            }
            None => {
                annotations.push(Annotation { partition, depth, newest: vec![id] });
                self.bytes += 2 * size_of::<Annotation>() as u64;
            }
        }
        self.bytes += size_of::<Node>() as u64 + origin.from.as_ref().map_or(0, |from| 8 * from.len() as u64 + 16);
        self.nodes.push(Node { partition, depth, origin, replaced: false });
        Ok(Some(id))
    }

    /// Marks the nodes of this depth that a new one subsumes. Those of lesser depth stay: what follows them is then
    /// found at its own depth.
    fn replace(&mut self, worker: &mut Worker<'_>, candidate: &Candidate, depth: u32) {
        let Some(annotations) = self.annotations.get(&candidate.orbit) else { return };
        let mut replaced = Vec::new();
        // Orbits within one partition are equal or disjoint, and equal ones are not stored twice.
        let others = annotations.iter().filter(|it| it.depth == depth && it.partition != candidate.partition);
        for Annotation { partition, newest, .. } in others {
            for &id in newest.iter().filter(|id| !self.get(**id).replaced) {
                let mut state = self.state(id);
                if worker.covers(candidate.partition, Orbit { state: &state, partition: *partition }) {
                    let cells = worker.partitions.get(candidate.partition);
                    worker.arranger.canonicalise(&cells.cells, &mut state);
                    if state == candidate.state() {
                        replaced.push(id);
                    }
                }
            }
        }
        for id in replaced {
            self.nodes[id.0 as usize].replaced = true;
        }
    }
}

impl Worker<'_> {
    /// A state as it is stored.
    pub(crate) fn candidate(&mut self, mut state: Vec<u64>, partition: PartitionId) -> Candidate {
        let partition = if self.setup.coarsens { self.coarsen(partition, &state) } else { partition };
        let orbit = self.arranger.orbit_hash(&state);
        state.push(0);
        self.canonicalise_key(partition, &mut state);
        Candidate { key: state, partition, orbit }
    }

    /// Makes a key canonical within a partition.
    fn canonicalise_key(&mut self, partition: PartitionId, key: &mut [u64]) {
        let cells = self.partitions.get(partition);
        let (last, state) = key.split_last_mut().expect("a key ends with a partition");
        self.arranger.canonicalise(&cells.cells, state);
        *last = u64::from(partition.0);
    }

    /// Whether each cell of an orbit's partition lies within a cell of `coarse` or consists of twins.
    fn covers(&mut self, coarse: PartitionId, orbit: Orbit<'_>) -> bool {
        let Orbit { state, partition } = orbit;
        if self.partitions.refines(partition, coarse) {
            return true;
        }
        let (coarse, own) = (self.partitions.get(coarse), self.partitions.get(partition));
        let cell_of = |point: u32| coarse.partition.cell_of(point as usize);
        own.cells.iter().all(|cell| {
            cell[1..].iter().all(|&point| cell_of(point) == cell_of(cell[0]))
                || cell[1..].iter().all(|&point| self.arranger.are_twins(state, cell[0], point))
        })
    }

    /// Merges cells all of whose points are twins of each other.
    ///
    // SOUND: permutations within the merged cell leave the state as it is, and commute with those of the other cells; so
    // the orbit stays the same.
    fn coarsen(&mut self, partition: PartitionId, state: &[u64]) -> PartitionId {
        let known = self.partitions.get(partition);
        let identities = &self.setup.identities;
        if known.partition.n_cells() == identities.classes().len() {
            return partition;
        }
        let mut uniform: Vec<(usize, u32)> = Vec::new();
        let mut keys: Vec<usize> = vec![0; identities.n_points()];
        let mut merged = false;
        for (number, cell) in known.cells.iter().enumerate() {
            let mut key = number;
            if cell[1..].iter().all(|&point| self.arranger.are_twins(state, cell[0], point)) {
                let class = |point: u32| identities.class_of(point as usize);
                let same = uniform.iter().find(|&&(_, leader)| {
                    class(leader) == class(cell[0]) && self.arranger.are_twins(state, leader, cell[0])
                });
                match same {
                    Some(&(other, _)) => {
                        key = other;
                        merged = true;
                    }
                    None => uniform.push((number, cell[0])),
                }
            }
            cell.iter().for_each(|&point| keys[point as usize] = key);
        }
        if merged { self.partitions.id(&Partition::from_keys(&keys)) } else { partition }
    }
}
