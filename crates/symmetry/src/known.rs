//! What elements of multisets say, remembered.

use burnside_group::mix;

use crate::picture::{End, Fact, shares};

/// What some elements of multisets say, one for each hash.
#[derive(Debug, Clone, Default)]
pub(crate) struct Known {
    rows: Vec<KnownElement>,
}

/// Rows of the table.
const N_KNOWN: usize = 1 << 9;

/// Most vertices of an element that is kept.
const MOST_SHARES: usize = 4;

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct KnownElement {
    /// Zero in a free row: what is absent is not kept.
    bits: u64,
    multiset: u32,
    n_shares: u8,
    pub(crate) is_edge: bool,
    shares: [(u32, u64); MOST_SHARES],
}

impl KnownElement {
    #[inline]
    pub(crate) fn shares(&self) -> &[(u32, u64)] {
        &self.shares[..usize::from(self.n_shares)]
    }
}

impl Known {
    fn row(multiset: u32, bits: u64) -> usize {
        mix(u64::from(multiset), bits) as usize % N_KNOWN
    }

    #[inline]
    pub(crate) fn get(&self, multiset: u32, bits: u64) -> Option<&KnownElement> {
        let known = self.rows.get(Self::row(multiset, bits))?;
        (known.bits == bits && known.multiset == multiset).then_some(known)
    }

    pub(crate) fn put(&mut self, multiset: u32, bits: u64, fact: Fact, ends: &[End]) {
        if self.rows.is_empty() {
            self.rows.resize(N_KNOWN, KnownElement::default());
        }
        let mut known = KnownElement { bits, multiset, ..KnownElement::default() };
        let mut n_shares = 0;
        known.is_edge = shares(fact, ends, |vertex, hash| {
            if let Some(share) = known.shares.get_mut(n_shares) {
                *share = (vertex, hash);
            }
            n_shares += 1;
        });
        known.n_shares = n_shares as u8;
        if n_shares <= MOST_SHARES {
            self.rows[Self::row(multiset, bits)] = known;
        }
    }
}
