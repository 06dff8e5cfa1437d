//! The few functions that native code calls: operations on bit strings longer than a register, and odd arithmetic.
//!
//! A bit address is a byte address times eight plus a bit number. None of these functions unwinds or allocates.

use burnside_ir::UNDEFINED;

/// Largest number of bits moved at once: what an 8-byte access holds at any bit offset within a byte.
const CHUNK_BITS: u64 = 56;

/// Reads `n` bits, at most [`CHUNK_BITS`].
///
/// # Safety
/// The 8 bytes from the byte that holds the first bit must be readable.
unsafe fn read(address: u64, n: u64) -> u64 {
    let pointer = (address >> 3) as *const u64;
    // SAFETY: the caller grants 8 readable bytes; the access is unaligned.
    let word = unsafe { pointer.read_unaligned() };
    (word >> (address & 7)) & ((1 << n) - 1)
}

/// Writes `n` bits, at most [`CHUNK_BITS`].
///
/// # Safety
/// The 8 bytes from the byte that holds the first bit must be readable and writable.
unsafe fn write(address: u64, n: u64, bits: u64) {
    let pointer = (address >> 3) as *mut u64;
    let shift = address & 7;
    let mask = ((1 << n) - 1) << shift;
    // SAFETY: the caller grants 8 readable bytes; the access is unaligned.
    let word = unsafe { pointer.read_unaligned() };
    // SAFETY: the caller grants 8 writable bytes; the access is unaligned.
    unsafe { pointer.write_unaligned(word & !mask | bits << shift) };
}

/// Copies `n` bits between places that are equal or disjoint.
///
/// # Safety
/// Both ranges must lie in buffers with at least 8 accessible bytes from the byte of every bit.
pub(crate) unsafe extern "C" fn copy_bits(to: u64, from: u64, n: u64) {
    let mut done = 0;
    if (to | from) & 7 == 0 {
        // PERF: large variables lie at whole bytes.
        // SAFETY: the whole bytes of both ranges are accessible; the ranges are equal or disjoint.
        unsafe { std::ptr::copy((from >> 3) as *const u8, (to >> 3) as *mut u8, (n >> 3) as usize) };
        done = n & !7;
    }
    while done < n {
        let step = CHUNK_BITS.min(n - done);
        // SAFETY: the chunk lies in the source range.
        let bits = unsafe { read(from + done, step) };
        // SAFETY: the chunk lies in the target range.
        unsafe { write(to + done, step, bits) };
        done += step;
    }
}

/// Sets `n` bits to zero.
///
/// # Safety
/// As for [`copy_bits`].
pub(crate) unsafe extern "C" fn zero_bits(to: u64, n: u64) {
    let mut done = 0;
    if to & 7 == 0 {
        // SAFETY: the whole bytes of the range are accessible.
        unsafe { std::ptr::write_bytes((to >> 3) as *mut u8, 0, (n >> 3) as usize) };
        done = n & !7;
    }
    while done < n {
        let step = CHUNK_BITS.min(n - done);
        // SAFETY: the chunk lies in the range.
        unsafe { write(to + done, step, 0) };
        done += step;
    }
}

/// Whether two ranges of `n` bits are equal.
///
/// # Safety
/// As for [`copy_bits`].
pub(crate) unsafe extern "C" fn equal_bits(left: u64, right: u64, n: u64) -> u64 {
    let mut done = 0;
    while done < n {
        let step = CHUNK_BITS.min(n - done);
        // SAFETY: the chunk lies in the left range.
        let l = unsafe { read(left + done, step) };
        // SAFETY: the chunk lies in the right range.
        let r = unsafe { read(right + done, step) };
        if l != r {
            return 0;
        }
        done += step;
    }
    1
}

/// Ends everything: something that was proved of the model is not true. Called only in builds that check such facts.
pub(crate) extern "C" fn broken_fact() {
    panic!("a fact that native code was compiled with is not true of the model");
}

/// `value` shifted left by `distance`, or right if that is negative; the number that is no value if it does not fit.
pub(crate) extern "C" fn shift_left(value: i64, distance: i64) -> i64 {
    match distance {
        0..64 if value << distance >> distance == value => value << distance,
        64.. if value == 0 => 0,
        0.. => UNDEFINED,
        -63..0 => value >> -distance,
        _ => value >> 63,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bit_strings_move_between_any_offsets() {
        let source: Vec<u64> = (1..=8_u64).map(|word| word.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
        for (from, to, n) in [(0, 0, 1), (8, 64, 203), (3, 61, 200), (63, 1, 300), (7, 7, 57), (1, 2, 56)] {
            let mut target = vec![u64::MAX; 9];
            let bit = |words: &[u64], at: usize| words[at / 64] >> (at % 64) & 1;
            let address = |words: &[u64], at: usize| words.as_ptr() as u64 * 8 + at as u64;
            let mut from_words = source.clone();
            from_words.push(0);
            let (to_at, from_at) = (address(&target, to), address(&from_words, from));
            // SAFETY: both buffers end one word behind the last bit used.
            unsafe { copy_bits(to_at, from_at, n as u64) };
            // SAFETY: as above.
            assert_eq!(unsafe { equal_bits(to_at, from_at, n as u64) }, 1);
            for at in 0..512 {
                let expected = if (to..to + n).contains(&at) { bit(&from_words, at - to + from) } else { 1 };
                assert_eq!(bit(&target, at), expected, "bit {at} for {from} {to} {n}");
            }
            // SAFETY: as above.
            unsafe { zero_bits(to_at, n as u64) };
            assert!((to..to + n).all(|at| bit(&target, at) == 0));
            target.clear();
        }
    }
}
