//! Cells of raw memory, each known by a number, that never move.
//!
//! An arena is a directory of chunks, each a row of cells of the same length. A chunk belongs to the [`Appender`] that
//! opened it, which alone writes to it, from front to back; everybody may read the cells its owner has published. A
//! number is the chunk (upper bits) and the position in it (lower bits). Cells are not aligned: a cell is exactly as
//! long as its content. With each chunk goes what is needed to read it, its `shape`, so that an appender can change to
//! cells of another length whenever it likes: it leaves the rest of the chunk's numbers, but not of its memory, unused.
//!
//! Chunks lie one after the other in regions, which set aside addresses, not memory: memory is taken as the appender
//! moves on, in steps that grow up to a huge page, so that small sets stay small and large ones use huge pages.

use std::sync::Arc;

use crate::Full;
use crate::memory::Memory;
use crate::prefetch::prefetch;
use crate::region::{HUGE_PAGE, Region};
#[cfg(loom)]
use crate::sync::Witness;
use crate::sync::{AtomicU32, OnceLock, Ordering};

/// Most bits of a position in a chunk. Tests want to see many chunks.
const MAX_CHUNK_BITS: u32 = if cfg!(loom) {
    1
} else if cfg!(any(test, miri)) {
    5
} else {
    21
};

/// Addresses set aside at once.
const REGION_BYTES: usize = if cfg!(any(miri, loom)) { 1 << 12 } else { 64 << 20 };

/// The directory has two levels, so that a small set has a small one; this many chunks are in one part of it.
const GROUP_BITS: u32 = if cfg!(loom) { 1 } else { 8 };

/// The first level is allocated in full, so it has to have a limit.
const MAX_GROUP_BITS: u32 = if cfg!(loom) { 1 } else { 12 };

/// The cells that matter for speed lie in at most two lines.
const CACHE_LINE: usize = 64;

/// How much memory an appender takes first.
const FIRST_STEP: usize = if cfg!(any(miri, loom)) { HUGE_PAGE } else { 1 << 16 };

/// Cells that any thread may read.
#[derive(Debug)]
pub(crate) struct Arena<S> {
    chunk_bits: u32,
    /// Set one after the other, in the order of `n_chunks`.
    groups: Box<[Group<S>]>,
    /// How many chunks appenders have claimed.
    n_chunks: AtomicU32,
    memory: Arc<Memory>,
}

/// A part of the directory.
type Group<S> = OnceLock<Box<[OnceLock<Chunk<S>>]>>;

#[derive(Debug)]
struct Chunk<S> {
    /// Cells `0..published` are written and never change again; the others are touched by the chunk's appender only.
    region: Arc<Region>,
    /// Where in the region the cells begin.
    offset: usize,
    cell_bytes: usize,
    published: AtomicU32,
    shape: S,
    #[cfg(loom)]
    witnesses: Vec<Witness>,
}

/// A cell and what is needed to read it.
#[derive(Debug)]
pub(crate) struct Cell<'a, S> {
    pub(crate) bytes: &'a [u8],
    pub(crate) shape: &'a S,
}

/// The right to add cells to an arena.
#[derive(Debug)]
pub(crate) struct Appender<S> {
    arena: Arc<Arena<S>>,
    /// The chunk being filled; only this appender writes to it. At first one that does not exist.
    chunk: usize,
    /// How many of its cells are written, and how many it has.
    n_cells: usize,
    capacity: usize,
    /// The region that it lies in, and how many bytes of that memory was taken for.
    region: Option<Arc<Region>>,
    n_bytes: usize,
}

impl<S> Arena<S> {
    /// An arena without cells, which will have up to `cell_bytes` bytes. Chunks will have at most `max_chunk_bits` bits
    /// of numbers, where that matters: the fewer, the cheaper it is to leave one. Numbers are less than `u32::MAX`.
    pub(crate) fn new(cell_bytes: usize, max_chunk_bits: Option<u32>, memory: Arc<Memory>) -> Self {
        let fits = |bits: &u32| cell_bytes.checked_shl(*bits).is_some_and(|bytes| bytes <= REGION_BYTES);
        let max_bits = max_chunk_bits.map_or(MAX_CHUNK_BITS, |bits| bits.min(MAX_CHUNK_BITS));
        let chunk_bits = (0..=max_bits).rev().find(fits).unwrap_or(0);
        let n_group_bits = (u32::BITS - chunk_bits).saturating_sub(GROUP_BITS).min(MAX_GROUP_BITS);
        let groups = (0..1 << n_group_bits).map(|_| OnceLock::new()).collect();
        Self { chunk_bits, groups, n_chunks: AtomicU32::new(0), memory }
    }

    /// A cell that was published and whose number has since reached this thread.
    #[inline]
    pub(crate) fn get(&self, number: u32) -> Cell<'_, S> {
        self.find(number).unwrap_or_else(|| panic!("cell {number} is not published"))
    }

    /// A cell, if it was published.
    #[inline]
    fn find(&self, number: u32) -> Option<Cell<'_, S>> {
        let (chunk, cell) = self.locate(number);
        let chunk = self.chunk(chunk)?;
        if cell >= chunk.published.load(Ordering::Acquire) as usize {
            return None;
        }
        // SAFETY: the load above synchronises with the `Release` store by which the cell was published after it had
        // been written; it lies inside the region and is never written again.
        Some(unsafe { chunk.cell(cell) })
    }

    #[inline]
    fn locate(&self, number: u32) -> (usize, usize) {
        let number = number as usize;
        (number >> self.chunk_bits, number & ((1 << self.chunk_bits) - 1))
    }

    #[inline]
    fn chunk(&self, chunk: usize) -> Option<&Chunk<S>> {
        self.groups.get(chunk >> GROUP_BITS)?.get()?[chunk & ((1 << GROUP_BITS) - 1)].get()
    }

    /// Claims the next chunk for cells that begin at `offset` of a region.
    fn open_chunk(&self, region: Arc<Region>, offset: usize, cell_bytes: usize, shape: S) -> Result<usize, Full> {
        // The last number of all is no number.
        let n_chunks = ((1_u64 << (u32::BITS - self.chunk_bits)) - 1).min((self.groups.len() << GROUP_BITS) as u64);
        // Nothing else depends on this number, and what is in the chunk reaches others by way of its directory entry.
        let claimed = self.n_chunks.fetch_add(1, Ordering::Relaxed);
        if u64::from(claimed) >= n_chunks {
            self.n_chunks.fetch_sub(1, Ordering::Relaxed);
            return Err(Full);
        }
        let chunk = claimed as usize;
        let group =
            self.groups[chunk >> GROUP_BITS].get_or_init(|| (0..1 << GROUP_BITS).map(|_| OnceLock::new()).collect());
        let set = group[chunk & ((1 << GROUP_BITS) - 1)].set(Chunk {
            region,
            offset,
            cell_bytes,
            published: AtomicU32::new(0),
            shape,
            #[cfg(loom)]
            witnesses: (0..1 << self.chunk_bits).map(|_| Witness::new()).collect(),
        });
        assert!(set.is_ok(), "chunk {chunk} is claimed once");
        Ok(chunk)
    }
}

impl<S> Chunk<S> {
    #[inline]
    fn start_of(&self, cell: usize) -> *mut u8 {
        self.region.base().as_ptr().wrapping_add(self.offset + cell * self.cell_bytes)
    }

    /// # Safety
    ///
    /// The cell must lie inside the region and must not be written while the reference lives.
    #[inline]
    unsafe fn cell(&self, cell: usize) -> Cell<'_, S> {
        #[cfg(loom)]
        self.witnesses[cell].read();
        // SAFETY: by the contract above; the region was zeroed, so every byte is initialised.
        let bytes = unsafe { std::slice::from_raw_parts(self.start_of(cell), self.cell_bytes) };
        Cell { bytes, shape: &self.shape }
    }
}

impl<S> Appender<S> {
    /// Without a chunk, so [full](Self::is_full).
    pub(crate) fn new(arena: Arc<Arena<S>>) -> Self {
        Self { arena, chunk: usize::MAX, n_cells: 0, capacity: 0, region: None, n_bytes: 0 }
    }

    /// Whether the next cell needs another chunk.
    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.n_cells == self.capacity
    }

    /// The shape of the cells added from now on, if there is a chunk for them.
    #[inline]
    pub(crate) fn shape(&self) -> Option<&S> {
        self.arena.chunk(self.chunk).map(|chunk| &chunk.shape)
    }

    /// Leaves the chunk and opens the next one, for cells of this length.
    pub(crate) fn open(&mut self, cell_bytes: usize, shape: S) -> Result<(), Full> {
        assert!(cell_bytes > 0, "cells hold something");
        self.publish();
        let used = self.own_chunk().map_or(0, |chunk| chunk.offset + self.n_cells * chunk.cell_bytes);
        let left = self.region.as_ref().map_or(0, |region| region.bytes() - used);
        let (region, offset) = match &self.region {
            Some(region) if left >= cell_bytes => (Arc::clone(region), used),
            _ => {
                let region = Arc::new(Region::new(region_bytes(cell_bytes, self.arena.chunk_bits))?);
                self.n_bytes = 0;
                (Arc::clone(self.region.insert(region)), 0)
            }
        };
        let capacity = (region.bytes() - offset) / cell_bytes;
        self.chunk = self.arena.open_chunk(region, offset, cell_bytes, shape)?;
        self.n_cells = 0;
        self.capacity = capacity.min(1 << self.arena.chunk_bits);
        Ok(())
    }

    /// Adds a cell, filled by `write` (zero before), and returns its number. Others cannot read it before
    /// [`publish`](Self::publish). The chunk must not be [full](Self::is_full).
    #[inline]
    pub(crate) fn push(&mut self, write: impl FnOnce(&mut [u8], &S)) -> Result<u32, Full> {
        assert!(self.n_cells < self.capacity, "there is a chunk with room");
        let chunk = self.arena.chunk(self.chunk).expect("an appender's chunk exists");
        let end = chunk.offset + (self.n_cells + 1) * chunk.cell_bytes;
        if self.n_bytes < end {
            self.n_bytes = take_memory(&self.arena.memory, &chunk.region, self.n_bytes, end)?;
        }
        #[cfg(loom)]
        chunk.witnesses[self.n_cells].write();
        // SAFETY: `n_cells` was found less than `capacity`, so the bytes lie inside the region, which was zeroed. The
        // cell is not published, so `Arena::get` gives no reference to it, nor does `get` below, and no other appender
        // has this part of the region.
        let bytes = unsafe { std::slice::from_raw_parts_mut(chunk.start_of(self.n_cells), chunk.cell_bytes) };
        write(bytes, &chunk.shape);
        let number = self.chunk << self.arena.chunk_bits | self.n_cells;
        self.n_cells += 1;
        Ok(number as u32)
    }

    /// Lets everybody read all cells added so far.
    pub(crate) fn publish(&self) {
        if let Some(chunk) = self.own_chunk() {
            chunk.published.store(self.n_cells as u32, Ordering::Release);
        }
    }

    /// A cell of this appender, published or not, or a published one of another.
    #[inline]
    pub(crate) fn get(&self, number: u32) -> Cell<'_, S> {
        let (chunk, cell) = self.arena.locate(number);
        if chunk != self.chunk {
            return self.arena.get(number);
        }
        assert!(cell < self.n_cells, "cell {number} is not written");
        let chunk = self.own_chunk().expect("an appender's chunk exists");
        // SAFETY: the cell was written by this appender, which writes every cell once, so it never changes again.
        unsafe { chunk.cell(cell) }
    }

    /// Starts to load a cell into the cache.
    #[inline]
    pub(crate) fn prefetch(&self, number: u32) {
        let (chunk, cell) = self.arena.locate(number);
        if let Some(chunk) = self.arena.chunk(chunk) {
            let start = chunk.start_of(cell);
            let last = start.wrapping_add(chunk.cell_bytes - 1);
            prefetch(start);
            if (start.addr() ^ last.addr()) >= CACHE_LINE {
                prefetch(last);
            }
        }
    }

    fn own_chunk(&self) -> Option<&Chunk<S>> {
        self.arena.chunk(self.chunk)
    }
}

/// As many whole chunks as are set aside at once, or one cell.
fn region_bytes(cell_bytes: usize, chunk_bits: u32) -> usize {
    let chunk_bytes = cell_bytes << chunk_bits;
    (REGION_BYTES / chunk_bytes * chunk_bytes).max(cell_bytes)
}

/// Takes memory for a region of which `n_bytes` have some: about a fifth more than before, up to a huge page at a time,
/// but as far as `end` at least. Returns how many bytes have memory then. Steps are powers of two of which `n_bytes` is
/// a multiple, so that huge pages find their place.
#[cold]
fn take_memory(memory: &Memory, region: &Region, n_bytes: usize, end: usize) -> Result<usize, Full> {
    let step = 1 << (n_bytes / 4).clamp(FIRST_STEP, HUGE_PAGE).ilog2();
    let until = (n_bytes + step).max(end).min(region.bytes());
    memory.take(until - n_bytes)?;
    region.prefer_huge_pages(n_bytes..until);
    Ok(until)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn arena(limit: u64) -> Arc<Arena<()>> {
        Arc::new(Arena::new(1, None, Arc::new(Memory::new(limit))))
    }

    /// Adds a cell and a chunk for it if need be.
    fn push(appender: &mut Appender<()>, cell_bytes: usize, write: impl FnOnce(&mut [u8])) -> Result<u32, Full> {
        if appender.is_full() {
            appender.open(cell_bytes, ())?;
        }
        appender.push(|bytes, ()| write(bytes))
    }

    #[test]
    fn cells_keep_their_content_and_numbers_are_dense_for_one_appender() {
        for cell_bytes in [1, 3, 8, 29] {
            let arena = arena(u64::MAX);
            let mut appender = Appender::new(Arc::clone(&arena));
            for number in 0..1000_u32 {
                let pushed = push(&mut appender, cell_bytes, |cell| cell.fill(number as u8));
                assert_eq!(pushed, Ok(number));
                assert_eq!(appender.get(number / 2).bytes, vec![(number / 2) as u8; cell_bytes]);
            }
            appender.publish();
            assert_eq!(arena.get(999).bytes, vec![999_u32 as u8; cell_bytes]);
        }
    }

    #[test]
    fn cells_of_different_lengths_follow_each_other_in_memory() {
        let arena = Arc::new(Arena::new(200, None, Arc::new(Memory::new(u64::MAX))));
        let mut appender = Appender::new(Arc::clone(&arena));
        let mut numbers = Vec::new();
        for cell_bytes in 1..200_usize {
            appender.open(cell_bytes, cell_bytes).expect("memory");
            for _ in 0..3 {
                numbers.push((appender.push(|cell, _| cell.fill(cell_bytes as u8)).expect("memory"), cell_bytes));
            }
        }
        appender.publish();
        for &(number, cell_bytes) in &numbers {
            let cell = arena.get(number);
            assert_eq!((cell.bytes, *cell.shape), (&vec![cell_bytes as u8; cell_bytes][..], cell_bytes));
        }
        let used: usize = numbers.iter().map(|&(_, cell_bytes)| cell_bytes).sum();
        assert!(arena.memory.held() <= (2 * used + FIRST_STEP) as u64, "{} for {used}", arena.memory.held());
    }

    /// The last chunk of a group of the directory is as good as the others.
    #[test]
    fn groups_of_chunks_are_filled() {
        let arena = arena(u64::MAX);
        let mut appender = Appender::new(Arc::clone(&arena));
        let mut numbers = Vec::new();
        for round in (0..2 << GROUP_BITS).map(|round| round as u8) {
            appender.open(8, ()).expect("memory");
            numbers.push((appender.push(|cell, ()| cell.fill(round)).expect("memory"), round));
        }
        appender.publish();
        assert!(numbers.iter().all(|&(number, round)| arena.get(number).bytes == [round; 8]));
    }

    #[test]
    fn appenders_do_not_meet() {
        let arena = arena(u64::MAX);
        let mut appenders = [(); 3].map(|()| Appender::new(Arc::clone(&arena)));
        let mut numbers = Vec::new();
        for round in 0..300_u32 {
            for (at, appender) in appenders.iter_mut().enumerate() {
                let content = round * 3 + at as u32;
                let number = push(appender, 4, |cell| cell.copy_from_slice(&content.to_le_bytes())).expect("memory");
                numbers.push((number, content));
                appender.publish();
            }
        }
        assert!(numbers.iter().all(|&(number, content)| arena.get(number).bytes == content.to_le_bytes()));
        numbers.sort_unstable();
        assert!(numbers.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }

    #[test]
    #[should_panic(expected = "cell 0 is not published")]
    fn unpublished_cells_cannot_be_read_by_others() {
        let arena = arena(u64::MAX);
        push(&mut Appender::new(Arc::clone(&arena)), 4, |_| ()).expect("memory");
        arena.get(0);
    }

    #[test]
    fn the_limit_is_kept() {
        let limit = 3 * FIRST_STEP as u64;
        let arena = arena(limit);
        let mut appender = Appender::new(Arc::clone(&arena));
        let n_cells = (0..).take_while(|_| push(&mut appender, 1 << 10, |_| ()).is_ok()).count() as u64;
        assert!(arena.memory.held() <= limit);
        assert!(n_cells << 10 <= arena.memory.held() && n_cells << 10 > limit / 2, "{n_cells} cells");
    }
}

/// Every order of events, as far as two threads and a few cells show it.
#[cfg(all(test, loom))]
mod orders {
    use super::*;

    /// An appender fills two chunks while another thread looks for the last of its cells, of which it has not heard.
    #[test]
    fn what_is_published_is_written() {
        let mut orders = loom::model::Builder::new();
        // Errors in the order of memory accesses show with few changes of thread; all of them would take hours.
        orders.preemption_bound = Some(2);
        orders.check(|| {
            let arena = Arc::new(Arena::<u32>::new(4, None, Arc::new(Memory::new(u64::MAX))));
            let mut appender = Appender::new(Arc::clone(&arena));
            let reader = loom::thread::spawn(move || {
                if let Some(cell) = arena.find(2) {
                    assert_eq!((cell.bytes, *cell.shape), (&2_u32.to_le_bytes()[..], 7));
                }
            });
            for number in 0..3_u32 {
                if appender.is_full() {
                    appender.open(4, 7).expect("memory");
                }
                appender.push(|cell, _| cell.copy_from_slice(&number.to_le_bytes())).expect("memory");
                appender.publish();
            }
            reader.join().expect("no panic");
        });
    }

    /// Two appenders claim chunks in the same part of the directory.
    #[test]
    fn appenders_do_not_meet() {
        loom::model(|| {
            let arena = Arc::new(Arena::<()>::new(4, None, Arc::new(Memory::new(u64::MAX))));
            let append = |arena: Arc<Arena<()>>, content: u32| {
                let mut appender = Appender::new(arena);
                appender.open(4, ()).expect("memory");
                let number = appender.push(|cell, ()| cell.copy_from_slice(&content.to_le_bytes()));
                appender.publish();
                number.expect("memory")
            };
            let other = Arc::clone(&arena);
            let other = loom::thread::spawn(move || append(other, 1));
            let numbers = [append(Arc::clone(&arena), 0), other.join().expect("no panic")];
            assert_ne!(numbers[0], numbers[1]);
            for (content, number) in (0_u32..).zip(numbers) {
                assert_eq!(arena.get(number).bytes, content.to_le_bytes());
            }
        });
    }
}
