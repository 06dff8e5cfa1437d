//! The values of one column, numbered in the order in which they were met.
//!
//! [`Column`] is the owner's side, from values to numbers. [`Values`] is the way back, for everybody.

use std::sync::Arc;

use crate::Full;
use crate::memory::Memory;
use crate::sync::{AtomicU32, OnceLock, Ordering};

/// Numbers in the first part of [`Values`]; each further part has as many as all before it.
const FIRST_PART: usize = if cfg!(loom) { 1 } else { 16 };

/// Parts of [`Values`]: enough for all numbers.
const N_PARTS: usize = 1 + (u32::BITS - FIRST_PART.trailing_zeros()) as usize;

/// Numbers values as they are met.
#[derive(Debug)]
pub(crate) struct Column {
    full_width: u32,
    n_values: u32,
    /// By hash: the value (upper half) and its number plus one; 0 is free. At most three quarters full.
    table: Vec<u64>,
    values: Arc<Values>,
    is_given_up: bool,
    memory: Arc<Memory>,
}

/// From numbers to values.
#[derive(Debug)]
pub(crate) struct Values {
    parts: [OnceLock<Box<[AtomicU32]>>; N_PARTS],
}

impl Column {
    /// A column without values, which will have at most `full_width` bits.
    pub(crate) fn new(full_width: u32, memory: Arc<Memory>) -> Self {
        let values = Arc::new(Values { parts: std::array::from_fn(|_| OnceLock::new()) });
        Self { full_width, n_values: 0, table: Vec::new(), values, is_given_up: false, memory }
    }

    pub(crate) fn full_width(&self) -> u32 {
        self.full_width
    }

    pub(crate) fn n_values(&self) -> u32 {
        self.n_values
    }

    /// Bits for the number of every value met so far, or for any value once numbers were given up.
    pub(crate) fn width(&self) -> u32 {
        match self.is_given_up {
            true => self.full_width,
            false => u32::BITS - self.n_values.saturating_sub(1).leading_zeros(),
        }
    }

    /// What turns numbers into values, unless numbers were given up.
    pub(crate) fn values(&self) -> Option<Arc<Values>> {
        (!self.is_given_up).then(|| Arc::clone(&self.values))
    }

    /// Memory of the tables.
    pub(crate) fn bytes(&self) -> usize {
        self.table.len() * size_of::<u64>() + Values::bytes(self.n_values)
    }

    /// Leaves values as they are from now on. Those numbered before can still be read.
    pub(crate) fn give_up(&mut self) {
        self.is_given_up = true;
        self.memory.give_back(self.table.len() * size_of::<u64>());
        self.table = Vec::new();
    }

    /// The number of a value.
    #[inline]
    pub(crate) fn number(&mut self, value: u32) -> Result<u32, Full> {
        if !self.table.is_empty() {
            let entry = self.table[self.place_of(value)];
            if entry != 0 {
                return Ok(number_in(entry));
            }
        }
        self.add(value)
    }

    /// Where a value is in the table, or belongs. The table is not empty.
    #[inline]
    fn place_of(&self, value: u32) -> usize {
        let mask = self.table.len() - 1;
        let hash = u64::from(value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut at = (hash >> 32) as usize & mask;
        loop {
            let entry = self.table[at];
            if entry == 0 || (entry >> 32) as u32 == value {
                return at;
            }
            at = (at + 1) & mask;
        }
    }

    #[cold]
    fn add(&mut self, value: u32) -> Result<u32, Full> {
        let number = self.n_values;
        if number as usize >= self.table.len() / 4 * 3 {
            self.grow()?;
        }
        self.values.add(number, value, &self.memory)?;
        let place = self.place_of(value);
        self.table[place] = u64::from(value) << 32 | u64::from(number + 1);
        self.n_values += 1;
        Ok(number)
    }

    fn grow(&mut self) -> Result<(), Full> {
        let n_places = (2 * self.table.len()).max(FIRST_PART);
        self.memory.take(n_places * size_of::<u64>())?;
        let old = std::mem::replace(&mut self.table, vec![0; n_places]);
        for &entry in old.iter().filter(|&&entry| entry != 0) {
            let place = self.place_of((entry >> 32) as u32);
            self.table[place] = entry;
        }
        self.memory.give_back(old.len() * size_of::<u64>());
        Ok(())
    }
}

#[inline]
fn number_in(entry: u64) -> u32 {
    entry as u32 - 1
}

impl Values {
    /// The value of a number that some published cell holds.
    // A cell is published after its numbers were added, and read after it was published: no order is needed here.
    #[inline]
    pub(crate) fn get(&self, number: u32) -> u32 {
        let (part, at) = place(number);
        self.parts[part].get().expect("the number was added")[at].load(Ordering::Relaxed)
    }

    /// Adds the value of the next number.
    fn add(&self, number: u32, value: u32, memory: &Memory) -> Result<(), Full> {
        let (part, at) = place(number);
        if self.parts[part].get().is_none() {
            memory.take(part_len(part) * size_of::<AtomicU32>())?;
        }
        let values = self.parts[part].get_or_init(|| (0..part_len(part)).map(|_| AtomicU32::new(0)).collect());
        values[at].store(value, Ordering::Relaxed);
        Ok(())
    }

    /// Memory for so many values.
    fn bytes(n_values: u32) -> usize {
        let n_parts = if n_values == 0 { 0 } else { place(n_values - 1).0 + 1 };
        (0..n_parts).map(|part| part_len(part) * size_of::<AtomicU32>()).sum()
    }
}

fn part_len(part: usize) -> usize {
    FIRST_PART << part.saturating_sub(1)
}

/// The part in which a number lies, and where in it.
#[inline]
fn place(number: u32) -> (usize, usize) {
    let number = number as usize;
    let part = (number / FIRST_PART).checked_ilog2().map_or(0, |log| log as usize + 1);
    (part, if part == 0 { number } else { number - part_len(part) })
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn numbers_count_the_values_and_lead_back_to_them() {
        let memory = Arc::new(Memory::new(u64::MAX));
        let mut column = Column::new(32, Arc::clone(&memory));
        let value = |number: u32| number.wrapping_mul(0x0101_0101);
        for round in 0..2 {
            for number in 0..5000 {
                assert_eq!(column.number(value(number)), Ok(number));
                assert!(column.n_values() - 1 <= u32::MAX >> (32 - column.width().max(1)), "round {round}");
            }
        }
        let values = column.values().expect("not given up");
        assert!((0..5000).all(|number| values.get(number) == value(number)));
        assert_eq!(memory.held(), column.bytes() as u64);
        column.give_up();
        assert_eq!((column.width(), column.values().is_none()), (32, true));
        assert_eq!(memory.held(), Values::bytes(5000) as u64);
    }

    #[test]
    fn every_number_has_its_own_place() {
        let places: Vec<_> = (0..200).map(place).collect();
        assert!(places.iter().all(|&(part, at)| at < part_len(part)));
        assert!(places.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(place(u32::MAX).0, N_PARTS - 1);
    }

    #[test]
    fn the_limit_is_kept() {
        let memory = Arc::new(Memory::new(1 << 12));
        let mut column = Column::new(32, Arc::clone(&memory));
        let n_values = (0..).take_while(|&value| column.number(value).is_ok()).count();
        assert!(n_values > 50 && memory.peak() <= 1 << 12, "{n_values}");
        assert_eq!(column.number(7), Ok(7));
    }
}
