//! From the hash of something stored to its number: an open-addressing table that does not hold the thing itself.
//!
//! An entry is the upper half of the hash and the number plus one; 0 is free. The place where the search for an entry
//! begins rises with the upper half of the hash, so the entries of a full table are nearly sorted by it. Growing is
//! therefore one pass from front to back over the old table and the new one, does not look at what is stored, and
//! works for any ratio of sizes: by a third, so that little is wasted, and the old table's pages are given back on the
//! way, so that both tables together never need more than the new one.

use std::sync::Arc;

use crate::Full;
use crate::memory::Memory;
use crate::prefetch::prefetch;
use crate::region::{HUGE_PAGE, PAGE, Region};

/// Entries of the first table.
const FIRST_SIZE: usize = if cfg!(any(test, miri)) { 8 } else { 1 << 10 };

/// Bytes of the old table that are moved before they are given back.
const MOVE_BYTES: usize = 4 * HUGE_PAGE;

/// Entries of a cache line.
const LINE: usize = 8;

/// What is seen at a glance.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Glance {
    /// There is an entry under the same upper half of the hash; its number.
    Candidate(u32),
    /// There is none, and so far this place is free, in a table of this size.
    Absent { place: usize, size: usize },
    /// One has to look closer.
    Open,
}

/// A free place, where a missing entry belongs until the index changes.
#[derive(Debug)]
pub(crate) struct Vacancy(usize);

#[derive(Debug)]
pub(crate) struct Index {
    table: Table,
    n_entries: usize,
    /// The table grows when it has this many entries.
    grow_at: usize,
    memory: Arc<Memory>,
}

impl Index {
    pub(crate) fn new(memory: Arc<Memory>) -> Result<Self, Full> {
        memory.take(Table::bytes_for(FIRST_SIZE))?;
        let table = Table::new(FIRST_SIZE)?;
        Ok(Self { grow_at: table.comfortable(), table, n_entries: 0, memory })
    }

    /// The number stored under `hash` that `is_same` accepts, or else where to put it.
    #[inline]
    pub(crate) fn find(&self, hash: u64, mut is_same: impl FnMut(u32) -> bool) -> Result<u32, Vacancy> {
        let (tag, entries) = (tag(hash), self.table.entries());
        let home = home(tag, entries.len());
        for (start, end) in [(home, entries.len()), (0, home)] {
            for (at, &entry) in entries[start..end].iter().enumerate() {
                if entry == 0 {
                    return Err(Vacancy(start + at));
                }
                if entry >> 32 == tag && is_same(number(entry)) {
                    return Ok(number(entry));
                }
            }
        }
        unreachable!("a table always has free places")
    }

    /// Whether there is room for one more entry.
    #[inline]
    pub(crate) fn has_room(&self) -> bool {
        self.n_entries < self.table.bearable()
    }

    /// Adds an entry where [`find`](Self::find) said, provided there [is room](Self::has_room).
    #[inline]
    pub(crate) fn fill(&mut self, vacancy: Vacancy, hash: u64, number: u32) {
        self.table.entries_mut()[vacancy.0] = tag(hash) << 32 | u64::from(number + 1);
        self.n_entries += 1;
        if self.n_entries >= self.grow_at && self.grow().is_err() {
            // There is no memory for a larger table, so this one is filled as far as it goes.
            self.grow_at = usize::MAX;
        }
    }

    /// Starts to load what [`glance`](Self::glance) looks at.
    #[inline]
    pub(crate) fn prefetch(&self, hash: u64) {
        let entries = self.table.entries();
        let home = home(tag(hash), entries.len());
        prefetch(&raw const entries[home]);
        prefetch(&raw const entries[(home + LINE).min(entries.len() - 1)]);
    }

    /// What the first entries tell that [`find`](Self::find) would look at.
    // PERF: a new state is looked for once and not twice, and while the memory for others is on its way.
    #[inline]
    pub(crate) fn glance(&self, hash: u64) -> Glance {
        let (tag, entries) = (tag(hash), self.table.entries());
        let start = home(tag, entries.len());
        let end = entries.len().min(start + 2 * LINE);
        for (place, &entry) in (start..).zip(&entries[start..end]) {
            if entry == 0 {
                return Glance::Absent { place, size: entries.len() };
            }
            if entry >> 32 == tag {
                return Glance::Candidate(number(entry));
            }
        }
        Glance::Open
    }

    /// The place where a hash is missing, if it was missing at a glance and still is.
    // SOUND: entries never go away. So between the place where the search for the hash begins and the free one that the glance
    // came to, none was or became free; whatever was added under the same upper half since would have come to that very
    // place. If the table has grown since, places are others, and sizes differ.
    #[inline]
    pub(crate) fn still_absent(&self, glance: Glance) -> Option<Vacancy> {
        let Glance::Absent { place, size } = glance else { return None };
        let entries = self.table.entries();
        (size == entries.len() && entries[place] == 0).then_some(Vacancy(place))
    }

    fn grow(&mut self) -> Result<(), Full> {
        let size = self.table.entries().len();
        let new_size = size + size.div_ceil(3);
        let (old_bytes, new_bytes) = (self.table.bytes(), Table::bytes_for(new_size));
        self.memory.take(new_bytes - old_bytes)?;
        let table = Table::new(new_size).inspect_err(|Full| self.memory.give_back(new_bytes - old_bytes))?;
        std::mem::replace(&mut self.table, table).move_to(&mut self.table);
        self.grow_at = self.table.comfortable();
        Ok(())
    }
}

impl Drop for Index {
    fn drop(&mut self) {
        self.memory.give_back(self.table.bytes());
    }
}

fn tag(hash: u64) -> u64 {
    hash >> 32
}

fn number(entry: u64) -> u32 {
    entry as u32 - 1
}

/// Where the search for a tag begins. Rises with the tag.
fn home(tag: u64, size: usize) -> usize {
    ((tag * size as u64) >> 32) as usize
}

/// A row of entries.
#[derive(Debug)]
struct Table {
    region: Region,
    size: usize,
}

impl Table {
    fn bytes_for(size: usize) -> usize {
        (size * size_of::<u64>()).next_multiple_of(PAGE)
    }

    /// A table of free places.
    fn new(size: usize) -> Result<Self, Full> {
        if size as u64 > u64::from(u32::MAX) {
            return Err(Full);
        }
        let region = Region::new(Self::bytes_for(size))?;
        region.prefer_huge_pages(0..region.bytes());
        Ok(Self { region, size })
    }

    fn bytes(&self) -> usize {
        self.region.bytes()
    }

    /// How many entries are found quickly: at seven eighths, an absent one after 32 places on average.
    fn comfortable(&self) -> usize {
        self.size - self.size.div_ceil(8)
    }

    /// How many entries are tolerated if the table cannot grow. At least one place must stay free.
    fn bearable(&self) -> usize {
        self.size - self.size.div_ceil(32)
    }

    #[inline]
    fn entries(&self) -> &[u64] {
        // SAFETY: the region is aligned to pages, at least `size` words long, initialised (zero at first), and written
        // through `entries_mut` only.
        unsafe { std::slice::from_raw_parts(self.region.base().as_ptr().cast(), self.size) }
    }

    #[inline]
    fn entries_mut(&mut self) -> &mut [u64] {
        // SAFETY: as in `entries`; `&mut` makes this the only reference.
        unsafe { std::slice::from_raw_parts_mut(self.region.base().as_ptr().cast(), self.size) }
    }

    /// Moves all entries to a larger, empty table and gives back memory on the way.
    fn move_to(mut self, larger: &mut Self) {
        let words = MOVE_BYTES / size_of::<u64>();
        for start in (0..self.size).step_by(words) {
            let end = self.size.min(start + words);
            for &entry in self.entries()[start..end].iter().filter(|&&entry| entry != 0) {
                larger.put(entry);
            }
            let end_byte = self.bytes().min(end * size_of::<u64>());
            self.region.discard(start * size_of::<u64>()..end_byte.next_multiple_of(PAGE));
        }
    }

    /// Adds an entry known to be absent.
    fn put(&mut self, entry: u64) {
        let entries = self.entries_mut();
        let mut at = home(entry >> 32, entries.len());
        while entries[at] != 0 {
            at += 1;
            if at == entries.len() {
                at = 0;
            }
        }
        entries[at] = entry;
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn insert(index: &mut Index, hash: u64, number: u32) -> bool {
        match index.find(hash, |found| found == number) {
            Ok(_) => false,
            Err(vacancy) => {
                index.fill(vacancy, hash, number);
                true
            }
        }
    }

    #[test]
    fn entries_survive_growth_even_with_equal_hashes() {
        let memory = Arc::new(Memory::new(u64::MAX));
        let mut index = Index::new(Arc::clone(&memory)).expect("memory");
        let hash = |number: u32| crate::hash(&[u64::from(number) / 3]);
        for number in 0..3000 {
            assert!(insert(&mut index, hash(number), number));
        }
        for number in 0..3000 {
            assert_eq!(index.find(hash(number), |found| found == number).ok(), Some(number));
            let glance = index.glance(hash(number));
            assert!(index.still_absent(glance).is_none(), "{glance:?}");
            assert!(!matches!(glance, Glance::Candidate(guess) if guess >= 3000));
        }
        assert!(index.find(hash(3001), |_| true).is_err());
        assert_eq!(memory.held(), index.table.bytes() as u64);
        drop(index);
        assert_eq!(memory.held(), 0);
    }

    #[test]
    fn what_was_absent_at_a_glance_is_so_until_it_is_added_or_the_table_grows() {
        let mut index = Index::new(Arc::new(Memory::new(u64::MAX))).expect("memory");
        let hash = |number: u32| crate::hash(&[u64::from(number)]);
        let (mut n_absent, mut n_gone) = (0, 0);
        for number in 0..2000 {
            let early = index.glance(hash(number + 1));
            assert!(insert(&mut index, hash(number), number));
            match index.still_absent(early) {
                Some(Vacancy(place)) => {
                    let found = index.find(hash(number + 1), |_| false);
                    assert!(matches!(found, Err(Vacancy(it)) if it == place), "{early:?} {found:?}");
                    n_absent += 1;
                }
                None => n_gone += u32::from(matches!(early, Glance::Absent { .. })),
            }
            assert!(index.still_absent(index.glance(hash(number))).is_none());
        }
        assert!(n_absent > 0 && n_gone > 0, "{n_absent} {n_gone}");
    }

    #[test]
    fn the_last_places_wrap_to_the_first() {
        let mut index = Index::new(Arc::new(Memory::new(u64::MAX))).expect("memory");
        for number in 0..500 {
            assert!(insert(&mut index, u64::MAX, number));
            assert!(!insert(&mut index, u64::MAX, number / 2));
        }
    }

    #[test]
    fn a_table_that_cannot_grow_is_filled_up() {
        let limit = Table::bytes_for(FIRST_SIZE * 81) as u64;
        let mut index = Index::new(Arc::new(Memory::new(limit))).expect("memory");
        let mut number = 0;
        while index.has_room() {
            assert!(insert(&mut index, crate::hash(&[u64::from(number)]), number));
            number += 1;
        }
        assert!(number as usize > index.table.size / 10 * 9, "{number} of {}", index.table.size);
        assert!((0..number).all(|number| !insert(&mut index, crate::hash(&[u64::from(number)]), number)));
    }
}
