//! The normal form of multisets, on packed states: elements in descending order as numbers.
//!
//! The same order as [`Layout::normalise`], which works on unpacked states.

use std::ops::Range;

use burnside_ir::{Layout, MultisetRegion};

/// Where one multiset lies in the packed state.
struct Region {
    bit: usize,
    stride_bits: usize,
    capacity: usize,
}

impl Region {
    fn end(&self) -> usize {
        self.bit + self.capacity * self.stride_bits
    }

    /// The last element in which two states differ, if there is one.
    fn last_changed(&self, one: &[u64], other: &[u64]) -> Option<usize> {
        let (first, end) = (self.bit / 64, self.end());
        let last = (end - 1) / 64;
        (first..=last).rev().find_map(|word| {
            let below = if word == first { u64::MAX << (self.bit % 64) } else { u64::MAX };
            let above = if word == last { u64::MAX >> (63 - (end - 1) % 64) } else { u64::MAX };
            let changed = (one[word] ^ other[word]) & below & above;
            (changed != 0).then(|| (word * 64 + changed.ilog2() as usize - self.bit) / self.stride_bits)
        })
    }
}

/// Brings the multisets of packed states into normal form.
pub(crate) struct Normaliser {
    regions: Vec<Region>,
    /// The words in which multisets lie, each with their bits.
    masks: Vec<(usize, u64)>,
    /// For each bit of the state, the region it belongs to, if there is one.
    owners: Vec<u32>,
}

impl Normaliser {
    pub(crate) fn new(layout: &Layout) -> Self {
        let regions = layout.multisets().iter().filter(|region| region.capacity > 0);
        let regions: Vec<Region> = regions.map(|region| Self::region(layout, region)).collect();
        let mut masks = std::collections::BTreeMap::new();
        let mut owners = vec![u32::MAX; layout.n_words() * 64];
        for (number, region) in (0..).zip(&regions) {
            let bits = region.bit..region.end();
            owners[bits.clone()].fill(number);
            bits.for_each(|bit| *masks.entry(bit / 64).or_insert(0) |= 1 << (bit % 64));
        }
        Self { regions, masks: masks.into_iter().collect(), owners }
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
    // PERF: most steps leave most multisets alone. Only those are looked at that have a bit in which the states differ.
    pub(crate) fn apply(&self, source: &[u64], state: &mut [u64], elements: &mut Vec<u64>) {
        let mut done = 0;
        for &(word, mask) in &self.masks {
            let mut changed = (source[word] ^ state[word]) & mask;
            // What was put in order may differ from the source as it likes.
            if done / 64 == word {
                changed = changed >> (done % 64) << (done % 64);
            } else if done / 64 > word {
                continue;
            }
            while changed != 0 {
                let bit = word * 64 + changed.trailing_zeros() as usize;
                let region = &self.regions[self.owners[bit] as usize];
                let last_changed = region.last_changed(source, state).unwrap_or_default();
                if region.stride_bits <= 64 {
                    let first_changed = (bit - region.bit) / region.stride_bits;
                    sort_narrow(region, state, elements, [first_changed, last_changed]);
                } else {
                    sort_wide(region, state);
                }
                done = region.end();
                let kept = if done / 64 == word { u64::MAX << (done % 64) } else { 0 };
                changed &= kept;
            }
        }
    }
}

/// Puts elements in order, of which those in front of the first changed one and behind the last are still as they were in
/// a normal form.
fn sort_narrow(region: &Region, state: &mut [u64], elements: &mut Vec<u64>, [first, last]: [usize; 2]) {
    // A free slot in front is zero, and nothing belongs behind it.
    let most = first.checked_sub(1).map_or(u64::MAX, |slot| region.element(state, slot));
    let mut sorted = region.sort(state, elements, [first, last]);
    // PERF: what a step puts behind the others often belongs there, and what it takes out changes nothing in front.
    if elements.first().is_some_and(|&greatest| greatest > most) {
        sorted = region.sort(state, elements, [0, last]);
    }
    if sorted.is_in_order {
        return;
    }
    for (slot, at) in sorted.slots.zip(0..) {
        write(state, region.at(slot), region.stride_bits, elements.get(at).copied().unwrap_or(0));
    }
}

/// What was put in order aside.
struct Sorted {
    /// The slots that were read.
    slots: Range<usize>,
    /// Whether they have these elements already.
    is_in_order: bool,
}

impl Region {
    fn at(&self, slot: usize) -> usize {
        self.bit + slot * self.stride_bits
    }

    fn element(&self, state: &[u64], slot: usize) -> u64 {
        read(state, self.at(slot), self.stride_bits)
    }

    /// Puts the present elements from slot `first` on into `elements`, in order; those behind `last` are still as they were
    /// in a normal form.
    fn sort(&self, state: &[u64], elements: &mut Vec<u64>, [first, last]: [usize; 2]) -> Sorted {
        elements.clear();
        let mut slots = first..first;
        let mut is_in_order = true;
        while slots.end < self.capacity {
            let element = self.element(state, slots.end);
            slots.end += 1;
            if element & 1 == 0 {
                // Not zero if it was written through a reference to an element that had been taken out.
                is_in_order &= element == 0;
                // PERF: absent elements come last in a normal form, and most of a multiset is absent.
                if slots.end > last + 1 {
                    break;
                }
                continue;
            }
            let mut place = elements.len();
            is_in_order &= place + 1 == slots.len();
            elements.push(element);
            while place > 0 && elements[place - 1] < element {
                elements[place] = elements[place - 1];
                place -= 1;
                is_in_order = false;
            }
            elements[place] = element;
        }
        Sorted { slots, is_in_order }
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
