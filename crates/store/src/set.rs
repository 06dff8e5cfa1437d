//! The visited set: shards to insert into, one view of it all to read from.

use std::sync::Arc;

use crate::arena::{Appender, Arena};
use crate::index::{Index, Vacancy};
use crate::memory::Memory;
use crate::{Full, hash};

/// How many insertions ahead the table's cache line, and then (at half the distance) the cell's, is asked for.
// PERF: `benches/visited.rs`: 32 is no faster.
const LOOK_AHEAD: usize = 16;

/// Bytes of the parent's number at the end of each cell.
const PARENT_BYTES: usize = size_of::<u32>();

/// In place of a parent's number.
const NO_PARENT: u32 = u32::MAX;

/// The number of a stored state. In a set of one shard, numbers count the states from 0 in the order of insertion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StateId(pub u32);

impl StateId {
    /// The number as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a set is made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Config {
    /// Bits of a packed state; bits of its last word beyond these are zero.
    pub n_bits: u32,
    /// How many parts can be inserted into at the same time, at least one.
    pub n_shards: usize,
    /// Most bytes to hold.
    pub limit: Option<u64>,
}

/// A state to be inserted.
#[derive(Debug, Clone, Copy)]
pub struct Request<'s> {
    /// Its packed form.
    pub state: &'s [u64],
    /// The [`hash`](crate::hash()) of that.
    pub hash: u64,
    /// From where it was reached; `None` for a start state.
    pub parent: Option<StateId>,
}

/// What became of a state to be inserted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Insertion {
    /// It was absent and has this number now.
    New(StateId),
    /// It was there, under this number.
    Old(StateId),
    /// It was absent and there is no room for it.
    Full,
}

/// What a set keeps of each state: the content of its memory cell.
pub trait Codec: Send + Sync + Sized {
    /// Whether states can be read back, and absence is certain.
    const IS_EXACT: bool;

    /// What is compared in order to find out whether two states are the same.
    type Key<'s>: Copy;

    /// What a shard needs to make keys.
    type Encoder: Send;

    /// A codec, and an encoder for each shard.
    fn open(config: &Config, memory: &Arc<Memory>) -> Result<(Self, Vec<Self::Encoder>), Full>;

    /// Bytes of a cell.
    fn cell_bytes(&self) -> usize;

    /// The key of a state that is to be stored unless it is already.
    fn key<'s>(encoder: &mut Self::Encoder, request: &Request<'s>) -> Result<Self::Key<'s>, Full>;

    /// The key of a state, or `None` if it is certainly not stored.
    fn known_key<'s>(encoder: &Self::Encoder, request: &Request<'s>) -> Option<Self::Key<'s>>;

    /// Whether a cell was written for this key.
    fn is_same(key: Self::Key<'_>, cell: &[u8]) -> bool;

    /// Fills a cell.
    fn write(key: Self::Key<'_>, cell: &mut [u8]);

    /// Lets other threads read the cells written so far.
    fn publish(encoder: &Self::Encoder);

    /// Restores the state from its cell. Only exact codecs can.
    fn read(&self, cell: &[u8], state: &mut [u64]);
}

/// The readable side of a set: everything that was inserted, from every thread.
#[derive(Debug)]
pub struct Set<C> {
    codec: C,
    arena: Arc<Arena>,
    memory: Arc<Memory>,
}

/// The part of a set to which states belong whose hash it [owns](shard_of). The owner of a shard inserts into it.
#[derive(Debug)]
pub struct Shard<C: Codec> {
    index: Index,
    cells: Appender,
    encoder: C::Encoder,
}

/// Which of `n_shards` shards owns a hash. The lower half of the hash decides; the upper half is for use within.
#[inline]
pub fn shard_of(hash: u64, n_shards: usize) -> usize {
    ((u64::from(hash as u32) * n_shards as u64) >> 32) as usize
}

impl<C: Codec> Set<C> {
    /// An empty set and its shards, in order.
    pub fn open(config: Config) -> Result<(Self, Vec<Shard<C>>), Full> {
        let memory = Arc::new(Memory::new(config.limit.unwrap_or(u64::MAX)));
        let (codec, encoders) = C::open(&config, &memory)?;
        let arena = Arc::new(Arena::new(codec.cell_bytes() + PARENT_BYTES, Arc::clone(&memory)));
        let shard = |encoder| {
            let cells = Appender::new(Arc::clone(&arena));
            Ok(Shard { index: Index::new(Arc::clone(&memory))?, cells, encoder })
        };
        let shards = encoders.into_iter().map(shard).collect::<Result<_, Full>>()?;
        Ok((Self { codec, arena, memory }, shards))
    }

    /// Restores a state from its number. Only sets that keep whole states can.
    pub fn read(&self, id: StateId, state: &mut [u64]) {
        let (cell, _) = split_parent(self.arena.get(id.0));
        self.codec.read(cell, state);
    }

    /// From where a state was reached when it was inserted; `None` for a start state.
    pub fn parent(&self, id: StateId) -> Option<StateId> {
        let (_, parent) = split_parent(self.arena.get(id.0));
        let parent = u32::from_le_bytes(*parent);
        (parent != NO_PARENT).then_some(StateId(parent))
    }

    /// Memory held now.
    pub fn bytes(&self) -> u64 {
        self.memory.held()
    }

    /// Most memory ever held.
    pub fn peak_bytes(&self) -> u64 {
        self.memory.peak()
    }
}

impl<C: Codec> Shard<C> {
    /// The number of a state, if it is in this shard.
    pub fn find(&self, state: &[u64], hash: u64) -> Option<StateId> {
        let key = C::known_key(&self.encoder, &Request { state, hash, parent: None })?;
        self.locate(hash, key).ok().map(StateId)
    }

    /// Adds one state of this shard.
    pub fn insert(&mut self, request: &Request<'_>) -> Insertion {
        let insertion = self.add(request, None);
        self.publish();
        insertion
    }

    /// Adds states of this shard, given by their hashes and what `request` says about each, in that order. The same
    /// as one by one, but faster: the hashes tell well ahead which memory will be needed.
    pub fn insert_all<'s>(
        &mut self,
        hashes: &[u64],
        request: impl Fn(usize) -> Request<'s>,
        mut done: impl FnMut(Insertion),
    ) {
        let n = hashes.len();
        let mut guesses = [None; LOOK_AHEAD];
        // At every moment, entries are on their way for `LOOK_AHEAD` states and cells for half as many.
        for at in 0..n + LOOK_AHEAD {
            if let Some(&hash) = hashes.get(at) {
                self.index.prefetch(hash);
            }
            if let Some(guessed) = at.checked_sub(LOOK_AHEAD / 2).filter(|&at| at < n) {
                let guess = self.index.guess(hashes[guessed]);
                guesses[guessed % LOOK_AHEAD] = guess;
                guess.into_iter().for_each(|number| self.cells.prefetch(number));
            }
            if let Some(at) = at.checked_sub(LOOK_AHEAD) {
                done(self.add(&request(at), guesses[at % LOOK_AHEAD]));
            }
        }
        self.publish();
    }

    #[inline]
    fn locate(&self, hash: u64, key: C::Key<'_>) -> Result<u32, Vacancy> {
        self.index.find(hash, |number| self.is_at(number, key))
    }

    #[inline]
    fn is_at(&self, number: u32, key: C::Key<'_>) -> bool {
        C::is_same(key, split_parent(self.cells.get(number)).0)
    }

    /// Adds a state, of which the index has said where it might be.
    #[inline]
    fn add(&mut self, request: &Request<'_>, guess: Option<u32>) -> Insertion {
        debug_assert_eq!(request.hash, hash(request.state));
        let Ok(key) = C::key(&mut self.encoder, request) else { return Insertion::Full };
        if let Some(number) = guess.filter(|&number| self.is_at(number, key)) {
            return Insertion::Old(StateId(number));
        }
        let vacancy = match self.locate(request.hash, key) {
            Ok(number) => return Insertion::Old(StateId(number)),
            Err(vacancy) => vacancy,
        };
        let parent = request.parent.map_or(NO_PARENT, |parent| parent.0);
        let write = |cell: &mut [u8]| {
            let (cell, last) = cell.split_at_mut(cell.len() - PARENT_BYTES);
            C::write(key, cell);
            last.copy_from_slice(&parent.to_le_bytes());
        };
        if !self.index.has_room() {
            return Insertion::Full;
        }
        let Ok(number) = self.cells.push(write) else { return Insertion::Full };
        self.index.fill(vacancy, request.hash, number);
        Insertion::New(StateId(number))
    }

    /// Lets other threads read what was added. What a cell refers to comes first.
    fn publish(&self) {
        C::publish(&self.encoder);
        self.cells.publish();
    }
}

fn split_parent(cell: &[u8]) -> (&[u8], &[u8; PARENT_BYTES]) {
    cell.split_last_chunk().expect("every cell ends with a parent")
}

#[cfg(test)]
mod tests;
