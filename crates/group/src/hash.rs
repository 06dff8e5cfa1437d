//! Hashing of numbers.

/// Folds a number into a hash. Equal on every machine: representatives depend on it.
#[inline]
pub fn mix(hash: u64, number: u64) -> u64 {
    let product = u128::from(hash ^ 0x9e37_79b9_7f4a_7c15) * u128::from(number ^ 0xd6e8_feb8_6659_fd93);
    (product as u64) ^ (product >> 64) as u64 ^ number.rotate_left(32)
}
