//! Whole states, with each column of 32 bits replaced by the number of its value among those met in this column.
//!
//! A model has few values per column: a million states of a protocol share a few thousand. So a cell holds the numbers,
//! each in as many bits as the column's values need at the moment, and takes a third or less of the state. A value met
//! for the first time may need more bits than there are; then a chunk of wider cells is begun. (Dictionaries of parts
//! are the COLLAPSE mode of Holzmann, "State compression in SPIN", SPIN 1997. Tables of pairs of parts, as in Laarman,
//! van de Pol, Weber, "Parallel recursive state compression for free", SPIN 2011, make smaller cells but need so many
//! pairs that they lose on states of 50 to 100 bytes; `docs/internals/visited-set.md` has the figures.)
//!
//! A column with so many values that their numbers do not pay is kept as it is from then on, so that the set is never
//! much larger than an exact one. Each shard has its own numbers; the tables are too small for sharing to be worth it.

use std::sync::Arc;

use crate::Full;
use crate::column::{Column, Values};
use crate::memory::Memory;
use crate::set::{Codec, Config, Fit, PARENT_BYTES, Request};

/// Bits of the state in one column.
const COLUMN_BITS: u32 = u32::BITS;

/// Fields are read and written as part of a word.
const WORD_BYTES: usize = size_of::<u64>();

/// Below this many values a column's table is never given up: it may still be growing to its final size.
const FEW_VALUES: u32 = 1 << 10;

/// Keeps every state as the numbers of its columns.
#[derive(Debug)]
pub struct Compressed {
    n_bits: u32,
}

/// The numbers of one shard.
#[derive(Debug)]
pub struct Dictionary {
    columns: Vec<Column>,
    n_states: u64,
    /// What the cell of the state being written consists of.
    fields: Vec<u32>,
}

/// Where the columns are in a cell.
#[derive(Debug)]
pub struct Shape {
    fields: Vec<Field>,
}

/// One column in a cell.
#[derive(Debug)]
struct Field {
    /// The bytes of the cell that it is part of, a word long.
    byte: usize,
    /// Where it begins in this word.
    shift: u32,
    width: u32,
    /// Turns its number into its value; absent where the value itself is there.
    values: Option<Arc<Values>>,
}

impl Codec for Compressed {
    const IS_EXACT: bool = true;
    const CHANGES_SHAPE: bool = true;
    type Shape = Shape;
    type Encoder = Dictionary;

    fn open(config: &Config, memory: &Arc<Memory>) -> Result<(Self, Vec<Dictionary>), Full> {
        let n_columns = config.n_bits.div_ceil(COLUMN_BITS).max(1);
        let width = |at: u32| config.n_bits.saturating_sub(at * COLUMN_BITS).min(COLUMN_BITS);
        let dictionary = |_| Dictionary {
            columns: (0..n_columns).map(|at| Column::new(width(at), Arc::clone(memory))).collect(),
            n_states: 0,
            fields: vec![0; n_columns as usize],
        };
        Ok((Self { n_bits: config.n_bits }, (0..config.n_shards).map(dictionary).collect()))
    }

    fn max_cell_bytes(&self) -> usize {
        (self.n_bits.div_ceil(u8::BITS) as usize).max(WORD_BYTES - PARENT_BYTES)
    }

    fn shape(dictionary: &mut Dictionary) -> (usize, Shape) {
        let n_states = dictionary.n_states;
        dictionary.columns.iter_mut().for_each(|column| give_up_unless_paid(column, n_states));
        let widths = dictionary.columns.iter().map(Column::width);
        let n_bytes = (widths.sum::<u32>().div_ceil(u8::BITS) as usize).max(WORD_BYTES - PARENT_BYTES);
        let last_word = n_bytes + PARENT_BYTES - WORD_BYTES;
        let mut bit = 0;
        let field = |column: &Column| {
            // The word that begins with the field's first byte, or the last one of the cell if that would not fit.
            let byte = ((bit / u8::BITS) as usize).min(last_word);
            let field =
                Field { byte, shift: bit - byte as u32 * u8::BITS, width: column.width(), values: column.values() };
            bit += field.width;
            field
        };
        (n_bytes, Shape { fields: dictionary.columns.iter().map(field).collect() })
    }

    #[inline]
    fn encode(dictionary: &mut Dictionary, request: &Request<'_>, shape: &Shape) -> Result<Fit, Full> {
        let mut fit = Fit::Yes;
        let columns = dictionary.columns.iter_mut().zip(&mut dictionary.fields).zip(&shape.fields);
        for (at, ((column, content), field)) in columns.enumerate() {
            let value = column_of(request.state, at);
            *content = match &field.values {
                Some(_) => column.number(value)?,
                None => value,
            };
            if u64::from(*content) >> field.width != 0 {
                fit = Fit::No;
            }
        }
        dictionary.n_states += u64::from(fit == Fit::Yes);
        Ok(fit)
    }

    #[inline]
    fn write(dictionary: &Dictionary, _: &Request<'_>, cell: &mut [u8], shape: &Shape) {
        for (field, &content) in shape.fields.iter().zip(&dictionary.fields) {
            let word = &mut cell[field.byte..field.byte + WORD_BYTES];
            let with_field = word_of(word) | u64::from(content) << field.shift;
            word.copy_from_slice(&with_field.to_le_bytes());
        }
    }

    #[inline]
    fn is_same(request: &Request<'_>, cell: &[u8], shape: &Shape) -> bool {
        shape.fields.iter().enumerate().all(|(at, field)| field.value(cell) == column_of(request.state, at))
    }

    fn read(cell: &[u8], shape: &Shape, state: &mut [u64]) {
        for (word, fields) in state.iter_mut().zip(shape.fields.chunks(2)) {
            let value = |at: usize| fields.get(at).map_or(0, |field| u64::from(field.value(cell)));
            *word = value(0) | value(1) << COLUMN_BITS;
        }
    }
}

impl Field {
    /// The value of this column in a cell.
    #[inline]
    fn value(&self, cell: &[u8]) -> u32 {
        let word = word_of(&cell[self.byte..self.byte + WORD_BYTES]);
        let content = (word >> self.shift & ((1 << self.width) - 1)) as u32;
        self.values.as_ref().map_or(content, |values| values.get(content))
    }
}

/// Gives up a column's numbers if their tables take more memory than they have saved.
fn give_up_unless_paid(column: &mut Column, n_states: u64) {
    let saved = n_states * u64::from(column.full_width() - column.width()) / u64::from(u8::BITS);
    if column.n_values() > FEW_VALUES && column.bytes() as u64 > saved {
        column.give_up();
    }
}

#[inline]
fn column_of(state: &[u64], at: usize) -> u32 {
    (state[at / 2] >> (at as u32 % 2 * COLUMN_BITS)) as u32
}

#[inline]
fn word_of(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes.try_into().expect("a word"))
}
