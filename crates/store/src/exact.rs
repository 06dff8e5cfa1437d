//! Whole states, each in as many bytes as its bits need.

use std::sync::Arc;

use crate::Full;
use crate::memory::Memory;
use crate::set::{Codec, Config, Request};

/// Keeps every state as it is.
#[derive(Debug)]
pub struct Exact {
    n_bytes: usize,
}

impl Codec for Exact {
    const IS_EXACT: bool = true;
    type Key<'s> = &'s [u64];
    type Encoder = ();

    fn open(config: &Config, _: &Arc<Memory>) -> Result<(Self, Vec<()>), Full> {
        Ok((Self { n_bytes: config.n_bits.div_ceil(u8::BITS) as usize }, vec![(); config.n_shards]))
    }

    fn cell_bytes(&self) -> usize {
        self.n_bytes
    }

    #[inline]
    fn key<'s>((): &mut (), request: &Request<'s>) -> Result<&'s [u64], Full> {
        Ok(request.state)
    }

    fn known_key<'s>((): &(), request: &Request<'s>) -> Option<&'s [u64]> {
        Some(request.state)
    }

    #[inline]
    fn is_same(state: &[u64], cell: &[u8]) -> bool {
        let (words, rest) = cell.as_chunks();
        let mut state = state.iter();
        words.iter().zip(&mut state).all(|(cell, word)| u64::from_le_bytes(*cell) == *word)
            && state.next().is_none_or(|word| load(rest) == *word)
    }

    #[inline]
    fn write(state: &[u64], cell: &mut [u8]) {
        let (words, rest) = cell.as_chunks_mut();
        let mut state = state.iter();
        for (cell, word) in words.iter_mut().zip(&mut state) {
            *cell = word.to_le_bytes();
        }
        if let Some(word) = state.next() {
            rest.copy_from_slice(&word.to_le_bytes()[..rest.len()]);
        }
    }

    fn publish((): &()) {}

    fn read(&self, cell: &[u8], state: &mut [u64]) {
        let (words, rest) = cell.as_chunks();
        let mut state = state.iter_mut();
        for (cell, word) in words.iter().zip(&mut state) {
            *word = u64::from_le_bytes(*cell);
        }
        if let Some(word) = state.next() {
            *word = load(rest);
        }
    }
}

/// A little-endian number of fewer than 8 bytes.
#[inline]
fn load(mut bytes: &[u8]) -> u64 {
    let mut number = 0;
    let mut shift = 0;
    if let Some((head, rest)) = bytes.split_first_chunk::<4>() {
        number = u64::from(u32::from_le_bytes(*head));
        shift = 32;
        bytes = rest;
    }
    if let Some((head, rest)) = bytes.split_first_chunk::<2>() {
        number |= u64::from(u16::from_le_bytes(*head)) << shift;
        shift += 16;
        bytes = rest;
    }
    if let [last] = bytes {
        number |= u64::from(*last) << shift;
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_of_every_length_come_back() {
        for n_bits in 0..=200_u32 {
            let mut state: Vec<u64> =
                (1..=u64::from(n_bits.div_ceil(64)).max(1)).map(|at| crate::hash(&[at])).collect();
            let unused = state.len() as u32 * 64 - n_bits;
            let last = state.last_mut().expect("not empty");
            *last = last.checked_shl(unused).unwrap_or(0).checked_shr(unused).unwrap_or(0);
            let mut cell = vec![0; n_bits.div_ceil(8) as usize];
            Exact::write(&state, &mut cell);
            assert!(Exact::is_same(&state, &cell), "{n_bits} bits");
            let mut back = vec![u64::MAX; state.len()];
            Exact { n_bytes: cell.len() }.read(&cell, &mut back);
            assert_eq!(state, back, "{n_bits} bits");
            if n_bits > 0 {
                state[(n_bits as usize - 1) / 64] ^= 1 << ((n_bits - 1) % 64);
                assert!(!Exact::is_same(&state, &cell), "{n_bits} bits");
            }
        }
    }
}
