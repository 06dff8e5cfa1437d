//! Numbered memory cells of equal size that are written once and never move.
//!
//! Cells come in chunks. A chunk belongs to the [`Appender`] that opened it, which alone writes to it, from front to
//! back; everybody may read the cells its owner has published. A number is the chunk (upper bits) and the position
//! in it (lower bits), so finding a cell takes two shifts and a multiplication. Cells are not aligned: a cell is exactly
//! as long as its content.
//!
//! Chunks set aside addresses, not memory: memory is taken as the appender moves on, in steps that grow up to a huge
//! page, so that small sets stay small and large ones use huge pages throughout.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use crate::Full;
use crate::memory::Memory;
use crate::prefetch::prefetch;
use crate::region::{HUGE_PAGE, Region};

/// With 2^21 cells, a chunk is made of whole huge pages whatever the size of a cell. Tests want to see many chunks.
const MAX_CHUNK_BITS: u32 = if cfg!(any(test, miri)) { 5 } else { 21 };

/// Addresses set aside for one chunk; a chunk of large cells has fewer of them.
const MAX_CHUNK_BYTES: usize = 64 << 20;

/// The directory of chunks is allocated in full, so it has to have a limit.
const MAX_CHUNKS: usize = 1 << 16;

/// The cells that matter for speed lie in at most two lines.
const CACHE_LINE: usize = 64;

/// How much memory an appender takes first.
const FIRST_STEP: usize = if cfg!(miri) { HUGE_PAGE } else { 1 << 16 };

/// Cells that any thread may read.
#[derive(Debug)]
pub(crate) struct Arena {
    cell_bytes: usize,
    chunk_bits: u32,
    /// Set one after the other, in the order of `n_chunks`.
    chunks: Box<[OnceLock<Chunk>]>,
    /// How many chunks appenders have claimed.
    n_chunks: AtomicU32,
    memory: Arc<Memory>,
}

#[derive(Debug)]
struct Chunk {
    /// Cells `0..published` are written and never change again; the others are touched by the chunk's appender only.
    region: Region,
    published: AtomicU32,
}

/// The right to add cells to an arena.
#[derive(Debug)]
pub(crate) struct Appender {
    arena: Arc<Arena>,
    /// The chunk being filled; only this appender writes to it. At first one that does not exist.
    chunk: usize,
    /// How many of its cells are written.
    n_cells: usize,
    /// How many bytes of it memory was taken for.
    n_bytes: usize,
}

impl Arena {
    /// An arena without cells. Numbers are less than `u32::MAX`.
    pub(crate) fn new(cell_bytes: usize, memory: Arc<Memory>) -> Self {
        assert!(cell_bytes > 0, "cells hold something");
        let fits = |bits: &u32| cell_bytes.checked_shl(*bits).is_some_and(|bytes| bytes <= MAX_CHUNK_BYTES);
        let chunk_bits = (0..=MAX_CHUNK_BITS).rev().find(fits).unwrap_or(0);
        let n_chunks = ((1 << (u32::BITS - chunk_bits)) - 1).min(MAX_CHUNKS);
        let chunks = (0..n_chunks).map(|_| OnceLock::new()).collect();
        Self { cell_bytes, chunk_bits, chunks, n_chunks: AtomicU32::new(0), memory }
    }

    /// A cell that was published and whose number has since reached this thread.
    #[inline]
    pub(crate) fn get(&self, number: u32) -> &[u8] {
        let (chunk, cell) = self.locate(number);
        let chunk = self.chunks[chunk].get().expect("the cell's chunk exists");
        assert!(cell < chunk.published.load(Ordering::Acquire) as usize, "cell {number} is not published");
        // SAFETY: the load above synchronises with the `Release` store by which the cell was published after it had
        // been written; it lies inside the region and is never written again.
        unsafe { chunk.cell(cell, self.cell_bytes) }
    }

    fn locate(&self, number: u32) -> (usize, usize) {
        let number = number as usize;
        (number >> self.chunk_bits, number & ((1 << self.chunk_bits) - 1))
    }

    /// Claims the next chunk.
    fn open_chunk(&self) -> Result<usize, Full> {
        let claim = |n: u32| ((n as usize) < self.chunks.len()).then_some(n + 1);
        let claimed = self.n_chunks.try_update(Ordering::AcqRel, Ordering::Relaxed, claim).map_err(|_| Full)?;
        let region = Region::new(self.cell_bytes << self.chunk_bits)?;
        let chunk = claimed as usize;
        let set = self.chunks[chunk].set(Chunk { region, published: AtomicU32::new(0) });
        assert!(set.is_ok(), "chunk {chunk} is claimed once");
        Ok(chunk)
    }
}

impl Chunk {
    /// # Safety
    ///
    /// The cell must lie inside the region and must not be written while the reference lives.
    unsafe fn cell(&self, cell: usize, cell_bytes: usize) -> &[u8] {
        // SAFETY: by the contract above the address is inside the region.
        let start = unsafe { self.region.base().add(cell * cell_bytes) };
        // SAFETY: by the contract above; the region was zeroed, so every byte is initialised.
        unsafe { std::slice::from_raw_parts(start.as_ptr(), cell_bytes) }
    }
}

impl Appender {
    pub(crate) fn new(arena: Arc<Arena>) -> Self {
        Self { arena, chunk: usize::MAX, n_cells: 0, n_bytes: 0 }
    }

    /// Adds a cell, filled by `write` (zero before), and returns its number. Others cannot read it before
    /// [`publish`](Self::publish).
    pub(crate) fn push(&mut self, write: impl FnOnce(&mut [u8])) -> Result<u32, Full> {
        if self.chunk == usize::MAX || self.n_cells >> self.arena.chunk_bits > 0 {
            self.next_chunk()?;
        }
        let cell_bytes = self.arena.cell_bytes;
        if self.n_bytes < (self.n_cells + 1) * cell_bytes {
            self.take_memory()?;
        }
        // SAFETY: `n_cells` was found less than the cells of a chunk, so the address is inside the region.
        let start = unsafe { self.own_chunk().region.base().add(self.n_cells * cell_bytes) };
        // SAFETY: the bytes lie inside the region, which was zeroed. The cell is not published, so `Arena::get` gives
        // no reference to it, nor does `get` below, and no other appender has this chunk.
        write(unsafe { std::slice::from_raw_parts_mut(start.as_ptr(), cell_bytes) });
        let number = self.chunk << self.arena.chunk_bits | self.n_cells;
        self.n_cells += 1;
        Ok(number as u32)
    }

    /// Lets everybody read all cells added so far.
    pub(crate) fn publish(&self) {
        if self.chunk != usize::MAX {
            self.own_chunk().published.store(self.n_cells as u32, Ordering::Release);
        }
    }

    /// A cell of this appender, published or not, or a published one of another.
    #[inline]
    pub(crate) fn get(&self, number: u32) -> &[u8] {
        let (chunk, cell) = self.arena.locate(number);
        if chunk != self.chunk {
            return self.arena.get(number);
        }
        assert!(cell < self.n_cells, "cell {number} is not written");
        // SAFETY: the cell was written by this appender, which writes every cell once, so it never changes again.
        unsafe { self.own_chunk().cell(cell, self.arena.cell_bytes) }
    }

    /// Starts to load a cell into the cache.
    #[inline]
    pub(crate) fn prefetch(&self, number: u32) {
        let (chunk, cell) = self.arena.locate(number);
        if let Some(chunk) = self.arena.chunks.get(chunk).and_then(OnceLock::get) {
            let start = chunk.region.base().as_ptr().wrapping_add(cell * self.arena.cell_bytes);
            let last = start.wrapping_add(self.arena.cell_bytes - 1);
            prefetch(start);
            if (start.addr() ^ last.addr()) >= CACHE_LINE {
                prefetch(last);
            }
        }
    }

    fn own_chunk(&self) -> &Chunk {
        self.arena.chunks[self.chunk].get().expect("an appender's chunk exists")
    }

    fn next_chunk(&mut self) -> Result<(), Full> {
        self.publish();
        self.chunk = self.arena.open_chunk()?;
        self.n_cells = 0;
        self.n_bytes = 0;
        Ok(())
    }

    /// Takes memory for more cells of the chunk: twice as much as before, up to a huge page.
    fn take_memory(&mut self) -> Result<(), Full> {
        let region = &self.own_chunk().region;
        let wanted = self.n_bytes.clamp(FIRST_STEP, HUGE_PAGE).max(self.arena.cell_bytes);
        let end = (self.n_bytes + wanted).min(region.bytes());
        self.arena.memory.take(end - self.n_bytes)?;
        region.prefer_huge_pages(self.n_bytes..end);
        self.n_bytes = end;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arena(cell_bytes: usize, limit: u64) -> Arc<Arena> {
        Arc::new(Arena::new(cell_bytes, Arc::new(Memory::new(limit))))
    }

    #[test]
    fn cells_keep_their_content_and_numbers_are_dense_for_one_appender() {
        for cell_bytes in [1, 3, 8, 29] {
            let arena = arena(cell_bytes, u64::MAX);
            let mut appender = Appender::new(Arc::clone(&arena));
            for number in 0..1000_u32 {
                let pushed = appender.push(|cell| cell.fill(number as u8));
                assert_eq!(pushed, Ok(number));
                assert_eq!(appender.get(number / 2), vec![(number / 2) as u8; cell_bytes]);
            }
            appender.publish();
            assert_eq!(arena.get(999), vec![999_u32 as u8; cell_bytes]);
        }
    }

    #[test]
    fn appenders_do_not_meet() {
        let arena = arena(4, u64::MAX);
        let mut appenders = [(); 3].map(|()| Appender::new(Arc::clone(&arena)));
        let mut numbers = Vec::new();
        for round in 0..300_u32 {
            for (at, appender) in appenders.iter_mut().enumerate() {
                let content = round * 3 + at as u32;
                let number = appender.push(|cell| cell.copy_from_slice(&content.to_le_bytes())).expect("memory");
                numbers.push((number, content));
                appender.publish();
            }
        }
        assert!(numbers.iter().all(|&(number, content)| arena.get(number) == content.to_le_bytes()));
        numbers.sort_unstable();
        assert!(numbers.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }

    #[test]
    #[should_panic(expected = "cell 0 is not published")]
    fn unpublished_cells_cannot_be_read_by_others() {
        let arena = arena(4, u64::MAX);
        Appender::new(Arc::clone(&arena)).push(|_| ()).expect("memory");
        arena.get(0);
    }

    #[test]
    fn the_limit_is_kept() {
        let limit = 3 * FIRST_STEP as u64;
        let arena = arena(1 << 10, limit);
        let mut appender = Appender::new(Arc::clone(&arena));
        let n_cells = (0..).take_while(|_| appender.push(|_| ()).is_ok()).count() as u64;
        assert!(arena.memory.held() <= limit);
        assert!(n_cells << 10 <= arena.memory.held() && n_cells << 10 > limit / 2, "{n_cells} cells");
    }
}
