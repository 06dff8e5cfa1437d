//! The normal form of multisets, on packed states: elements in descending order as numbers.
//!
//! The same order as [`Layout::normalise`], which works on unpacked states.

use burnside_ir::{Layout, MultisetRegion};

/// Where one multiset lies in the packed state.
struct Region {
    bit: usize,
    stride_bits: usize,
    capacity: usize,
}

impl Region {
    /// Whether two states have the same multiset here, in the same order.
    fn is_same(&self, one: &[u64], other: &[u64]) -> bool {
        let (first, end) = (self.bit / 64, self.bit + self.capacity * self.stride_bits);
        let last = (end - 1) / 64;
        (first..=last).all(|word| {
            let below = if word == first { u64::MAX << (self.bit % 64) } else { u64::MAX };
            let above = if word == last { u64::MAX >> (63 - (end - 1) % 64) } else { u64::MAX };
            (one[word] ^ other[word]) & below & above == 0
        })
    }
}

/// Brings the multisets of packed states into normal form.
pub(crate) struct Normaliser {
    regions: Vec<Region>,
    /// The words in which multisets lie, each with their bits.
    masks: Vec<(usize, u64)>,
}

impl Normaliser {
    pub(crate) fn new(layout: &Layout) -> Self {
        let regions = layout.multisets().iter().filter(|region| region.capacity > 0);
        let regions: Vec<Region> = regions.map(|region| Self::region(layout, region)).collect();
        let mut masks = std::collections::BTreeMap::new();
        for bit in regions.iter().flat_map(|region| region.bit..region.bit + region.capacity * region.stride_bits) {
            *masks.entry(bit / 64).or_insert(0) |= 1 << (bit % 64);
        }
        Self { regions, masks: masks.into_iter().collect() }
    }

    fn region(layout: &Layout, region: &MultisetRegion) -> Region {
        let slots = &layout.slots()[region.first as usize..];
        let bit = slots[0].bit as usize;
        let last = &slots[region.stride as usize - 1];
        let stride_bits = (last.bit + last.width_bits) as usize - bit;
        Region { bit, stride_bits, capacity: region.capacity as usize }
    }

    /// Whether there is anything that may be out of order.
    pub(crate) fn is_needed(&self) -> bool {
        !self.regions.is_empty()
    }

    /// Normalises a successor of `source`, which is in normal form; `elements` is scratch memory.
    pub(crate) fn apply(&self, source: &[u64], state: &mut [u64], elements: &mut Vec<u64>) {
        // PERF: one look at all of them first; every other step sends no message and takes none.
        if self.masks.iter().fold(0, |seen, &(word, mask)| seen | (source[word] ^ state[word]) & mask) == 0 {
            return;
        }
        for region in &self.regions {
            // PERF: most steps leave most multisets alone, and comparing words is cheaper than taking elements apart.
            if region.is_same(source, state) {
                continue;
            }
            if region.stride_bits <= 64 {
                sort_narrow(region, state, elements);
            } else {
                sort_wide(region, state);
            }
        }
    }
}

fn sort_narrow(region: &Region, state: &mut [u64], elements: &mut Vec<u64>) {
    let at = |slot: usize| region.bit + slot * region.stride_bits;
    elements.clear();
    let mut forgotten = false;
    elements.extend((0..region.capacity).map(|slot| {
        let element = read(state, at(slot), region.stride_bits);
        // Written through a reference to an element that had been taken out.
        let is_stale = element & 1 == 0 && element != 0;
        forgotten |= is_stale;
        if is_stale { 0 } else { element }
    }));
    if !forgotten && elements.is_sorted_by(|a, b| a >= b) {
        return;
    }
    elements.sort_unstable_by(|a, b| b.cmp(a));
    for (slot, &element) in elements.iter().enumerate() {
        write(state, at(slot), region.stride_bits, element);
    }
}

/// Elements of more than a word, as rows of words with the most significant first.
fn sort_wide(region: &Region, state: &mut [u64]) {
    let chunks: Vec<(usize, usize)> =
        (0..region.stride_bits).step_by(64).map(|from| (from, 64.min(region.stride_bits - from))).rev().collect();
    let at = |slot: usize| region.bit + slot * region.stride_bits;
    let row = |slot: usize| chunks.iter().map(|&(from, n)| read(state, at(slot) + from, n)).collect::<Vec<u64>>();
    let mut rows: Vec<Vec<u64>> = (0..region.capacity).map(row).collect();
    let is_absent = |row: &&mut Vec<u64>| row.last().is_some_and(|low| low & 1 == 0);
    let mut forgotten = false;
    for row in rows.iter_mut().filter(is_absent) {
        forgotten |= row.iter().any(|word| *word != 0);
        row.fill(0);
    }
    if !forgotten && rows.is_sorted_by(|a, b| a >= b) {
        return;
    }
    rows.sort_unstable_by(|a, b| b.cmp(a));
    for (slot, row) in rows.iter().enumerate() {
        for (&(from, n), &word) in chunks.iter().zip(row) {
            write(state, at(slot) + from, n, word);
        }
    }
}

fn read(state: &[u64], bit: usize, n: usize) -> u64 {
    let (word, shift) = (bit / 64, bit % 64);
    let mut bits = state[word] >> shift;
    if shift + n > 64 {
        bits |= state[word + 1] << (64 - shift);
    }
    bits & mask(n)
}

fn write(state: &mut [u64], bit: usize, n: usize, value: u64) {
    let (word, shift) = (bit / 64, bit % 64);
    state[word] = state[word] & !(mask(n) << shift) | value << shift;
    if shift + n > 64 {
        let low = 64 - shift;
        state[word + 1] = state[word + 1] & !(mask(n) >> low) | value >> low;
    }
}

fn mask(n: usize) -> u64 {
    if n == 64 { u64::MAX } else { (1 << n) - 1 }
}
