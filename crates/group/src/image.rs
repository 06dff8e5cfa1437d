//! Objects that permutations move, as the search for canonical images sees them.
//!
//! The search ([`ImageSearch`](crate::ImageSearch)) fixes step by step from where each position of the image takes its
//! contents. In between, a [`Coset`] of permutations is left, and an [`Image`] tells what all their images have in
//! common. Two kinds of objects are provided: [`Word`], where contents are letters that move, and [`Records`], where
//! contents also name points and are renamed with them.

use std::ops::Range;

use crate::{Partition, Permutation, mix};

/// An object on which permutations act, written `g(x)` below.
///
/// Canonical is the image whose views, from no choice made to all choices made, are the least in lexicographic order.
pub trait Image {
    /// The degree of the permutations that act on the object.
    fn degree(&self) -> usize;

    /// Appends to `view` what the images under the permutations of a coset have in common, and gives every point a
    /// colour; both slices come in as the caller left them, `colours` with one entry per point and `view` empty.
    ///
    /// Contract, for every permutation `g`:
    /// - `g(x)` has the same view at the coset moved by `g` as `x` at the coset, and there the point `g(p)` has the
    ///   colour of `p`;
    /// - where the coset is down to one permutation, this view and those of the cosets above it determine the image.
    ///
    /// The more the views tell apart, the less is searched. Points of the least colour are tried first, and alone.
    fn view(&self, coset: &Coset<'_>, colours: &mut [u64], view: &mut Vec<u64>);
}

/// A set of permutations from positions of an image to the points that their contents come from.
///
/// All of them are alike up to a subgroup that moves positions within cells, so each cell takes its contents from the
/// same set of points under all of them.
#[derive(Debug)]
pub struct Coset<'a> {
    pub(crate) sources: &'a Permutation,
    pub(crate) cells: &'a Partition,
    pub(crate) settled: Range<usize>,
    pub(crate) next: Option<usize>,
}

impl Coset<'_> {
    /// One of the permutations: from where each position takes its contents.
    pub fn sources(&self) -> &Permutation {
        self.sources
    }

    /// The cells of positions that the permutations do not tell apart.
    pub fn cells(&self) -> &Partition {
        self.cells
    }

    /// The positions whose sources became certain with the last choice. All positions before them are certain too.
    pub fn settled(&self) -> Range<usize> {
        self.settled.clone()
    }

    /// The least position whose source is not certain, the one to be chosen next; `None` if all are certain.
    pub fn next(&self) -> Option<usize> {
        self.next
    }
}

/// A vector of letters; a permutation moves the letter at point `i` to its image.
///
/// Its canonical image is the lexicographically least one.
#[derive(Debug, Clone, Copy)]
pub struct Word<'a>(pub &'a [u64]);

impl Image for Word<'_> {
    fn degree(&self) -> usize {
        self.0.len()
    }

    fn view(&self, coset: &Coset<'_>, colours: &mut [u64], view: &mut Vec<u64>) {
        colours.copy_from_slice(self.0);
        let letter = |position| self.0[coset.sources().image(position)];
        view.extend(coset.settled().map(letter));
        // The next position can take any letter of its cell, so the least one is certain already.
        if let Some(next) = coset.next() {
            let cell = coset.cells().cell_of(next);
            view.extend((next..self.degree()).filter(|&p| coset.cells().cell_of(p) == cell).map(letter).min());
        }
    }
}

/// One field of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Entry {
    /// A value that stays what it is.
    Letter(u64),
    /// The name of a point, renamed when the point moves.
    Point(usize),
}

/// A vector of records, one for each point; a permutation moves each record to the image of its point and renames the
/// points within it.
///
/// Values that belong to no moving point are put into the record of a point that the group fixes; points that occur only
/// as values have records of constant letters.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Records {
    degree: usize,
    /// The fields of the first point, then those of the second, and so on.
    entries: Vec<Entry>,
}

impl Records {
    /// Records of equally many fields, those of point 0 first.
    ///
    /// # Panics
    /// If the entries cannot be shared out evenly or name a point that is not below the degree.
    pub fn new(degree: usize, entries: Vec<Entry>) -> Self {
        let is_even = if degree == 0 { entries.is_empty() } else { entries.len().is_multiple_of(degree) };
        assert!(is_even, "every point has equally many fields");
        let names_point = |entry: &Entry| !matches!(entry, Entry::Point(point) if *point >= degree);
        assert!(entries.iter().all(names_point), "an entry names a point outside the degree");
        Records { degree, entries }
    }

    /// The fields, those of point 0 first.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The records after every point moved.
    #[must_use]
    pub fn permute(&self, by: &Permutation) -> Records {
        let back = by.inverse();
        let rename = |entry: &Entry| match *entry {
            Entry::Letter(letter) => Entry::Letter(letter),
            Entry::Point(point) => Entry::Point(by.image(point)),
        };
        let entries = back.images().flat_map(|source| self.record(source).iter().map(rename)).collect();
        Records { degree: self.degree, entries }
    }

    fn record(&self, point: usize) -> &[Entry] {
        let width = self.entries.len() / self.degree.max(1);
        &self.entries[point * width..(point + 1) * width]
    }

    /// The colours after one more round of refinement: each point's own colour, those of the points it names, field by
    /// field, and those of the points that name it, in no order.
    fn refine(&self, colours: &[u64]) -> Vec<u64> {
        let mut refined: Vec<u64> = colours.iter().map(|&colour| mix(colour, 0)).collect();
        for (source, &colour) in colours.iter().enumerate() {
            let mut own = 0;
            for (field, entry) in self.record(source).iter().enumerate() {
                if let Entry::Point(target) = *entry {
                    own = mix(mix(own, colours[target]), field as u64);
                    refined[target] = refined[target].wrapping_add(mix(mix(1, colour), field as u64));
                }
            }
            refined[source] = refined[source].wrapping_add(mix(own, 2));
        }
        refined
    }
}

impl Image for Records {
    fn degree(&self) -> usize {
        self.degree
    }

    /// Colours are hashes, refined until they tell no more points apart. A collision of hashes makes a view coarser and
    /// nothing else: views with all positions settled hold the whole image.
    fn view(&self, coset: &Coset<'_>, colours: &mut [u64], view: &mut Vec<u64>) {
        for position in 0..self.degree {
            let source = coset.sources().image(position);
            colours[source] = self.record(source).iter().fold(coset.cells().cell_of(position) as u64, hash_entry);
        }
        let mut n_distinct = count_distinct(colours);
        while n_distinct < self.degree {
            let refined = self.refine(colours);
            let n_refined = count_distinct(&refined);
            if n_refined <= n_distinct {
                break;
            }
            colours.copy_from_slice(&refined);
            n_distinct = n_refined;
        }
        let mut by_cell: Vec<(usize, u64)> =
            (0..self.degree).map(|p| (coset.cells().cell_of(p), colours[coset.sources().image(p)])).collect();
        by_cell.sort_unstable();
        view.extend(by_cell.into_iter().map(|(_, colour)| colour));
        if coset.next().is_none() {
            let image = self.permute(&coset.sources().inverse());
            view.extend(image.entries.iter().flat_map(|entry| match *entry {
                Entry::Letter(letter) => [0, letter],
                Entry::Point(point) => [1, point as u64],
            }));
        }
    }
}

fn hash_entry(hash: u64, entry: &Entry) -> u64 {
    match *entry {
        Entry::Letter(letter) => mix(mix(hash, 3), letter),
        Entry::Point(_) => mix(hash, 4),
    }
}

fn count_distinct(colours: &[u64]) -> usize {
    let mut sorted = colours.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    sorted.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_move_and_their_names_follow() {
        use Entry::{Letter, Point};
        let records = Records::new(3, vec![Letter(7), Point(1), Letter(8), Point(1), Letter(9), Letter(0)]);
        let by = Permutation::from_cycles(3, &[&[0, 1, 2]]);
        let moved = Records::new(3, vec![Letter(9), Letter(0), Letter(7), Point(2), Letter(8), Point(2)]);
        assert_eq!(records.permute(&by), moved);
        assert_eq!(records.permute(&by).permute(&by), records.permute(&by.then(&by)));
    }
}
