//! The hash of a packed state.

/// Odd constants with no structure: the first digits of pi's fraction.
const KEYS: [u64; 4] = [0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7345, 0xa409_3822_299f_31d1, 0x082e_fa98_ec4e_6c89];

/// A 64-bit hash of a packed state, the same on every machine and in every run.
///
/// Two words at a time go through a 64 by 64 bit multiplication whose two halves are added without carry, so that every
/// bit of the state reaches both halves of the hash: the upper half places a state within its shard, the lower half
/// chooses the shard, and [`Fingerprint`](crate::Fingerprint) relies on all 64 bits. (A plain multiplicative hash does
/// not do: states that differ in the upper bits of words only, which packed states often do, would get equal hashes.)
#[inline]
pub fn hash(state: &[u64]) -> u64 {
    let (pairs, rest) = state.as_chunks::<2>();
    let mut hash = KEYS[0];
    for &[first, second] in pairs {
        hash = fold(first ^ hash, second ^ KEYS[1]);
    }
    for &word in rest {
        hash = fold(word ^ hash, KEYS[2]);
    }
    fold(hash ^ KEYS[3], KEYS[1])
}

/// The two halves of the product, added without carry.
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Flips every pair of bits and counts how often each bit of the hash changes.
    #[test]
    fn every_bit_of_the_hash_depends_on_every_bit_of_the_state() {
        for n_words in 1..6 {
            let mut changes = [0_u32; 64];
            let n_bits = 64 * n_words;
            for bit in 0..n_bits {
                for sample in 0..64_u64 {
                    let mut state: Vec<u64> = (0..n_words as u64).map(|at| fold(sample + 1, KEYS[3] + at)).collect();
                    let before = hash(&state);
                    state[bit / 64] ^= 1 << (bit % 64);
                    let changed = before ^ hash(&state);
                    assert_ne!(changed, 0);
                    for (at, count) in changes.iter_mut().enumerate() {
                        *count += (changed >> at & 1) as u32;
                    }
                }
            }
            let half = n_bits as u32 * 64 / 2;
            assert!(changes.iter().all(|count| count.abs_diff(half) < half / 6), "{n_words} words: {changes:?}");
        }
    }

    #[test]
    fn states_that_differ_in_upper_bits_only_get_different_hashes() {
        let states = (0..16_u64).map(|code| [code << 63, (code >> 1) << 63, (code >> 2) << 63, (code >> 3) << 63]);
        let mut hashes: Vec<u64> = states.map(|state| hash(&state)).collect();
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), 16);
    }
}
