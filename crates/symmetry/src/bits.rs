//! Fields of bits in packed states.

use burnside_ir::MAX_WIDTH_BITS;

/// Some consecutive bits of a packed state, at most [`MAX_WIDTH_BITS`] many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) bit: u32,
    pub(crate) width: u32,
}

impl Field {
    #[inline]
    pub(crate) fn read(self, words: &[u64]) -> u64 {
        let (word, shift) = (self.bit as usize / 64, self.bit % 64);
        let mut bits = words[word] >> shift;
        if shift + self.width > 64 {
            bits |= words[word + 1] << (64 - shift);
        }
        bits & self.mask()
    }

    #[inline]
    pub(crate) fn write(self, words: &mut [u64], bits: u64) {
        let (word, shift) = (self.bit as usize / 64, self.bit % 64);
        words[word] = words[word] & !(self.mask() << shift) | bits << shift;
        if shift + self.width > 64 {
            let rest = 64 - shift;
            words[word + 1] = words[word + 1] & !(self.mask() >> rest) | bits >> rest;
        }
    }

    /// The same field some bits further on.
    #[inline]
    pub(crate) fn moved_by(self, bits: u32) -> Self {
        Self { bit: self.bit + bits, ..self }
    }

    /// As many ones as the field is wide.
    #[inline]
    pub(crate) fn mask(self) -> u64 {
        (1 << self.width) - 1
    }
}

/// Cuts a stretch of bits into fields, from its first bit.
#[inline]
pub(crate) fn fields(mut bit: u32, width: u32) -> impl Iterator<Item = Field> {
    let end = bit + width;
    std::iter::from_fn(move || {
        let field = Field { bit, width: MAX_WIDTH_BITS.min(end - bit) };
        bit += field.width;
        (field.width > 0).then_some(field)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_across_two_words_is_read_as_it_was_written() {
        for bit in 0..=71 {
            for width in [1, 7, 56, 57] {
                let field = Field { bit, width };
                let mut words = [u64::MAX, 0, u64::MAX];
                let before = words;
                let bits = 0x0155_aa55_aa55_aa55 & ((1 << width) - 1);
                field.write(&mut words, bits);
                assert_eq!(field.read(&words), bits);
                let kept = field.read(&before);
                field.write(&mut words, kept);
                assert_eq!(words, before, "nothing else was touched");
            }
        }
    }

    #[test]
    fn a_stretch_is_covered_without_gaps() {
        for width in [1, 58, 115, 130] {
            let cut: Vec<Field> = fields(3, width).collect();
            assert_eq!(cut.iter().map(|field| field.width).sum::<u32>(), width);
            assert!(cut.windows(2).all(|pair| pair[0].bit + pair[0].width == pair[1].bit));
        }
    }
}
