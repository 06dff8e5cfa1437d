//! Hash compaction: 64 bits of hash stand for the state (Wolper and Leroy, "Reliable hashing without collision
//! detection", CAV 1993).

use std::sync::Arc;

use crate::Full;
use crate::memory::Memory;
use crate::set::{Codec, Config, Fit, Request};

/// Bytes of a cell: half of the hash.
const HASH_BYTES: usize = size_of::<u32>();

/// Keeps the hash of every state: the upper half lies in the index, the lower half in the cell. Two states with equal
/// hashes are taken for one.
#[derive(Debug)]
pub struct Fingerprint;

impl Codec for Fingerprint {
    const IS_EXACT: bool = false;
    const CHANGES_SHAPE: bool = false;
    type Shape = ();
    type Encoder = ();

    fn open(config: &Config, _: &Arc<Memory>) -> Result<(Self, Vec<()>), Full> {
        Ok((Self, vec![(); config.n_shards]))
    }

    fn max_cell_bytes(&self) -> usize {
        HASH_BYTES
    }

    fn shape((): &mut ()) -> (usize, ()) {
        (HASH_BYTES, ())
    }

    #[inline]
    fn encode((): &mut (), _: &Request<'_>, (): &()) -> Result<Fit, Full> {
        Ok(Fit::Yes)
    }

    #[inline]
    fn write((): &(), request: &Request<'_>, cell: &mut [u8], (): &()) {
        cell[..HASH_BYTES].copy_from_slice(&(request.hash as u32).to_le_bytes());
    }

    #[inline]
    fn is_same(request: &Request<'_>, cell: &[u8], (): &()) -> bool {
        cell[..HASH_BYTES] == (request.hash as u32).to_le_bytes()
    }

    fn read(_: &[u8], (): &(), _: &mut [u64]) {
        panic!("a state cannot be read back from its fingerprint");
    }
}

/// A bound on the probability that some state was taken for another, if hashes are as good as random: each of the
/// pairs of states has equal hashes with probability 2^-64.
pub fn omission_probability(n_states: u64) -> f64 {
    let n = n_states as f64;
    (n * (n - 1.0) / 2.0 / 2_f64.powi(64)).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_probability_grows_with_the_square_of_the_states() {
        assert_eq!(omission_probability(0), 0.0);
        assert_eq!(omission_probability(1), 0.0);
        assert_eq!(omission_probability(2), 2_f64.powi(-64));
        let ratio = omission_probability(2_000_000) / omission_probability(1_000_000);
        assert!((ratio - 4.0).abs() < 1e-5);
        assert_eq!(omission_probability(u64::MAX), 1.0);
    }
}
