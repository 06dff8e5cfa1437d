//! The visited set: shards to insert into, one view of it all to read from.

use std::sync::Arc;

use crate::arena::{Appender, Arena};
use crate::index::{Glance, Index, Vacancy};
use crate::memory::Memory;
use crate::{Full, hash};

/// How many insertions ahead the table's cache line, and then (at half the distance) the cell's, is asked for.
// PERF: `benches/visited.rs`: 32 is no faster.
const LOOK_AHEAD: usize = 16;

/// Bytes of the parent's number at the end of each cell.
pub(crate) const PARENT_BYTES: usize = size_of::<u32>();

/// Chunks whose shape changes should be small, as the rest of their numbers is lost.
const SMALL_CHUNK_BITS: u32 = 14;

/// In place of a parent's number.
const NO_PARENT: u32 = u32::MAX;

/// The number of a stored state. In a set of one shard, numbers rise in the order of insertion; without gaps, unless the
/// set is compressed.
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

/// Whether a state can be written to cells of some shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fit {
    /// It can.
    Yes,
    /// It needs cells of another shape.
    No,
}

/// What a set keeps of each state: the content of its memory cell. A cell ends with [`PARENT_BYTES`] bytes that are not
/// the codec's, so that it may read, but not change, a few bytes more than its own.
pub trait Codec: Send + Sync + Sized {
    /// Whether states can be read back, and absence is certain.
    const IS_EXACT: bool;

    /// Whether there is more than one shape.
    const CHANGES_SHAPE: bool;

    /// How the content of some cells is to be read.
    type Shape: Send + Sync;

    /// What a shard needs to write cells.
    type Encoder: Send;

    /// A codec, and an encoder for each shard.
    fn open(config: &Config, memory: &Arc<Memory>) -> Result<(Self, Vec<Self::Encoder>), Full>;

    /// Most bytes that any cell may need.
    fn max_cell_bytes(&self) -> usize;

    /// The best shape for the states to come, and the bytes of a cell of this shape.
    fn shape(encoder: &mut Self::Encoder) -> (usize, Self::Shape);

    /// Prepares to write a state, which must be followed by [`write`](Self::write) unless it does not fit.
    fn encode(encoder: &mut Self::Encoder, request: &Request<'_>, shape: &Self::Shape) -> Result<Fit, Full>;

    /// Fills a cell, zero before, with the state just encoded.
    fn write(encoder: &Self::Encoder, request: &Request<'_>, cell: &mut [u8], shape: &Self::Shape);

    /// Whether a cell was written for this state.
    fn is_same(request: &Request<'_>, cell: &[u8], shape: &Self::Shape) -> bool;

    /// Restores the state from its cell. Only exact codecs can.
    fn read(cell: &[u8], shape: &Self::Shape, state: &mut [u64]);
}

/// The readable side of a set: everything that was inserted, from every thread.
#[derive(Debug)]
pub struct Set<C: Codec> {
    arena: Arc<Arena<C::Shape>>,
    memory: Arc<Memory>,
}

/// The part of a set to which states belong whose hash it [owns](shard_of). The owner of a shard inserts into it.
#[derive(Debug)]
pub struct Shard<C: Codec> {
    index: Index,
    cells: Appender<C::Shape>,
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
        let max_chunk_bits = C::CHANGES_SHAPE.then_some(SMALL_CHUNK_BITS);
        let arena = Arena::new(codec.max_cell_bytes() + PARENT_BYTES, max_chunk_bits, Arc::clone(&memory));
        let arena = Arc::new(arena);
        let shard = |encoder| {
            let cells = Appender::new(Arc::clone(&arena));
            Ok(Shard { index: Index::new(Arc::clone(&memory))?, cells, encoder })
        };
        let shards = encoders.into_iter().map(shard).collect::<Result<_, Full>>()?;
        Ok((Self { arena, memory }, shards))
    }

    /// Restores a state from its number. Only sets that keep whole states can.
    pub fn read(&self, id: StateId, state: &mut [u64]) {
        let cell = self.arena.get(id.0);
        C::read(cell.bytes, cell.shape, state);
    }

    /// From where a state was reached when it was inserted; `None` for a start state.
    pub fn parent(&self, id: StateId) -> Option<StateId> {
        let parent = self.arena.get(id.0).bytes.last_chunk().expect("every cell ends with a parent");
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
        self.locate(&Request { state, hash, parent: None }).ok().map(StateId)
    }

    /// Adds one state of this shard.
    pub fn insert(&mut self, request: &Request<'_>) -> Insertion {
        let insertion = self.add(request, Glance::Open);
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
        let mut glances = [Glance::Open; LOOK_AHEAD];
        if n <= LOOK_AHEAD {
            hashes.iter().for_each(|&hash| self.index.prefetch(hash));
            for (glance, &hash) in glances.iter_mut().zip(hashes) {
                *glance = self.glance(hash);
            }
            (0..n).for_each(|at| done(self.add(&request(at), glances[at])));
            return self.publish();
        }
        // At every moment, entries are on their way for `LOOK_AHEAD` states and cells for half as many.
        for at in 0..n + LOOK_AHEAD {
            if let Some(&hash) = hashes.get(at) {
                self.index.prefetch(hash);
            }
            if let Some(glanced) = at.checked_sub(LOOK_AHEAD / 2).filter(|&at| at < n) {
                glances[glanced % LOOK_AHEAD] = self.glance(hashes[glanced]);
            }
            if let Some(at) = at.checked_sub(LOOK_AHEAD) {
                done(self.add(&request(at), glances[at % LOOK_AHEAD]));
            }
        }
        self.publish();
    }

    #[inline]
    fn locate(&self, request: &Request<'_>) -> Result<u32, Vacancy> {
        self.index.find(request.hash, |number| self.is_at(number, request))
    }

    #[inline]
    fn is_at(&self, number: u32, request: &Request<'_>) -> bool {
        let cell = self.cells.get(number);
        C::is_same(request, cell.bytes, cell.shape)
    }

    /// Takes a first look for a state, and starts to load the cell that it may be in.
    #[inline]
    fn glance(&self, hash: u64) -> Glance {
        let glance = self.index.glance(hash);
        if let Glance::Candidate(number) = glance {
            self.cells.prefetch(number);
        }
        glance
    }

    /// Adds a state, for which the index was glanced at before.
    #[inline]
    fn add(&mut self, request: &Request<'_>, glance: Glance) -> Insertion {
        debug_assert_eq!(request.hash, hash(request.state));
        if let Glance::Candidate(number) = glance
            && self.is_at(number, request)
        {
            return Insertion::Old(StateId(number));
        }
        let vacancy = match self.index.still_absent(glance) {
            Some(vacancy) => vacancy,
            None => match self.locate(request) {
                Ok(number) => return Insertion::Old(StateId(number)),
                Err(vacancy) => vacancy,
            },
        };
        if !self.index.has_room() {
            return Insertion::Full;
        }
        let Ok(number) = self.store(request) else { return Insertion::Full };
        self.index.fill(vacancy, request.hash, number);
        Insertion::New(StateId(number))
    }

    /// Writes a cell, in a chunk of another shape if need be.
    #[inline]
    fn store(&mut self, request: &Request<'_>) -> Result<u32, Full> {
        let fit = match self.cells.shape() {
            Some(shape) if !self.cells.is_full() => C::encode(&mut self.encoder, request, shape)?,
            _ => Fit::No,
        };
        if fit == Fit::No {
            self.change_shape(request)?;
        }
        let (encoder, parent) = (&self.encoder, request.parent.map_or(NO_PARENT, |parent| parent.0));
        self.cells.push(|cell, shape| {
            C::write(encoder, request, cell, shape);
            *cell.last_chunk_mut().expect("every cell ends with a parent") = parent.to_le_bytes();
        })
    }

    /// Opens a chunk whose cells this state fits.
    #[cold]
    fn change_shape(&mut self, request: &Request<'_>) -> Result<(), Full> {
        loop {
            let (cell_bytes, shape) = C::shape(&mut self.encoder);
            // A state may bring values that the shape made before does not allow for, but only once.
            if C::encode(&mut self.encoder, request, &shape)? == Fit::Yes {
                return self.cells.open(cell_bytes + PARENT_BYTES, shape);
            }
        }
    }

    /// Lets other threads read what was added.
    fn publish(&self) {
        self.cells.publish();
    }
}

#[cfg(all(test, loom))]
mod orders;
#[cfg(all(test, not(loom)))]
mod tests;
