//! Whole states, each in as many bytes as its bits need.

use std::sync::Arc;

use crate::Full;
use crate::memory::Memory;
use crate::set::{Codec, Config, Fit, PARENT_BYTES, Request};

/// Keeps every state as it is.
#[derive(Debug)]
pub struct Exact {
    n_bytes: usize,
}

impl Codec for Exact {
    const IS_EXACT: bool = true;
    const CHANGES_SHAPE: bool = false;
    type Shape = ();
    type Encoder = usize;

    fn open(config: &Config, _: &Arc<Memory>) -> Result<(Self, Vec<usize>), Full> {
        let n_bytes = config.n_bits.div_ceil(u8::BITS) as usize;
        Ok((Self { n_bytes }, vec![n_bytes; config.n_shards]))
    }

    fn max_cell_bytes(&self) -> usize {
        self.n_bytes
    }

    fn shape(n_bytes: &mut usize) -> (usize, ()) {
        (*n_bytes, ())
    }

    #[inline]
    fn encode(_: &mut usize, _: &Request<'_>, (): &()) -> Result<Fit, Full> {
        Ok(Fit::Yes)
    }

    #[inline]
    fn write(_: &usize, request: &Request<'_>, cell: &mut [u8], (): &()) {
        let n_bytes = cell.len() - PARENT_BYTES;
        let (words, rest) = cell[..n_bytes].as_chunks_mut();
        let mut state = request.state.iter();
        for (cell, word) in words.iter_mut().zip(&mut state) {
            *cell = word.to_le_bytes();
        }
        if let Some(word) = state.next() {
            rest.copy_from_slice(&word.to_le_bytes()[..rest.len()]);
        }
    }

    #[inline]
    fn is_same(request: &Request<'_>, cell: &[u8], (): &()) -> bool {
        let (words, rest) = cell[..cell.len() - PARENT_BYTES].as_chunks();
        let mut state = request.state.iter();
        words.iter().zip(&mut state).all(|(cell, word)| u64::from_le_bytes(*cell) == *word)
            && state.next().is_none_or(|word| load(rest) == *word)
    }

    fn read(cell: &[u8], (): &(), state: &mut [u64]) {
        let (words, rest) = cell[..cell.len() - PARENT_BYTES].as_chunks();
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

    fn request(state: &[u64]) -> Request<'_> {
        Request { state, hash: 0, parent: None }
    }

    #[test]
    fn states_of_every_length_come_back() {
        for n_bits in 0..=200_u32 {
            let mut state: Vec<u64> =
                (1..=u64::from(n_bits.div_ceil(64)).max(1)).map(|at| crate::hash(&[at])).collect();
            let unused = state.len() as u32 * 64 - n_bits;
            let last = state.last_mut().expect("not empty");
            *last = last.checked_shl(unused).unwrap_or(0).checked_shr(unused).unwrap_or(0);
            let n_bytes = n_bits.div_ceil(8) as usize;
            let mut cell = vec![0; n_bytes + PARENT_BYTES];
            Exact::write(&n_bytes, &request(&state), &mut cell, &());
            assert!(Exact::is_same(&request(&state), &cell, &()), "{n_bits} bits");
            let mut back = vec![u64::MAX; state.len()];
            Exact::read(&cell, &(), &mut back);
            assert_eq!(state, back, "{n_bits} bits");
            if n_bits > 0 {
                state[(n_bits as usize - 1) / 64] ^= 1 << ((n_bits - 1) % 64);
                assert!(!Exact::is_same(&request(&state), &cell, &()), "{n_bits} bits");
            }
        }
    }
}
