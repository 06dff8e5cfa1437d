//! SHA-256 (FIPS 180-4), so that a certificate names the text it is about.

/// The hash of a text.
pub type Digest = [u8; 32];

/// The first 32 bits of the fractional parts of the cube (with `root` 3) or square roots of the first primes.
fn constants<const N: usize>(root: i32) -> [u32; N] {
    let primes = (2_u32..).filter(|n| (2..*n).all(|divisor| n % divisor != 0));
    let mut constants = [0; N];
    for (constant, prime) in constants.iter_mut().zip(primes) {
        *constant = fraction(u128::from(prime), root);
    }
    constants
}

/// The first 32 bits behind the point of a root: the greatest `r` with `r^root <= n * 2^(32 root)`, modulo 2^32.
fn fraction(n: u128, root: i32) -> u32 {
    let wanted = n << (32 * root);
    let (mut low, mut high) = (0_u128, 1 << 40);
    while high - low > 1 {
        let middle = (low + high) / 2;
        if middle.pow(root as u32) <= wanted { low = middle } else { high = middle }
    }
    low as u32
}

/// The SHA-256 hash of some bytes.
pub fn digest(bytes: &[u8]) -> Digest {
    let rounds: [u32; 64] = constants(3);
    let mut hash: [u32; 8] = constants(2);
    let mut padded = bytes.to_vec();
    padded.push(0x80);
    while padded.len() % 64 != 56 {
        padded.push(0);
    }
    padded.extend((bytes.len() as u64 * 8).to_be_bytes());
    for block in padded.chunks_exact(64) {
        compress(&mut hash, block, &rounds);
    }
    let mut digest = [0; 32];
    for (bytes, word) in digest.chunks_exact_mut(4).zip(hash) {
        bytes.copy_from_slice(&word.to_be_bytes());
    }
    digest
}

fn compress(hash: &mut [u32; 8], block: &[u8], rounds: &[u32; 64]) {
    let mut schedule = [0_u32; 64];
    for (word, bytes) in schedule.iter_mut().zip(block.chunks_exact(4)) {
        *word = u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    }
    for at in 16..64 {
        let (near, far) = (schedule[at - 2], schedule[at - 15]);
        let one = near.rotate_right(17) ^ near.rotate_right(19) ^ near >> 10;
        let zero = far.rotate_right(7) ^ far.rotate_right(18) ^ far >> 3;
        schedule[at] = schedule[at - 16].wrapping_add(zero).wrapping_add(schedule[at - 7]).wrapping_add(one);
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *hash;
    for (word, round) in schedule.iter().zip(rounds) {
        let one = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let choice = e & f ^ !e & g;
        let first = h.wrapping_add(one).wrapping_add(choice).wrapping_add(*round).wrapping_add(*word);
        let zero = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let majority = a & b ^ a & c ^ b & c;
        let second = zero.wrapping_add(majority);
        (h, g, f, e, d, c, b, a) = (g, f, e, d.wrapping_add(first), c, b, a, first.wrapping_add(second));
    }
    for (sum, word) in hash.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *sum = sum.wrapping_add(word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(bytes: &[u8]) -> String {
        digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    #[test]
    fn the_examples_of_the_standard_come_out() {
        assert_eq!(hex(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        assert_eq!(hex(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        let long = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
        assert_eq!(hex(long), "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    }
}
