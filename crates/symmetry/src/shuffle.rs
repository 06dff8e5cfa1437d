//! Permutations of the bits of packed states, written out as operations on words.
//!
//! Which bits a permutation of vertices moves where does not depend on the state. A [`Program`] is made once for each
//! permutation that is met, from what [`Action::move_elements`] does with the numbers of the bits, and then applied to
//! every state that needs it: one rotation and one mask for all bits that go from one word to another by one distance.
//!
// SOUND: a program does what `move_elements` does with every state, since that moves bits regardless of their values: it is
// followed plane by plane, once for every binary digit of a bit's number.

use burnside_group::mix;

use crate::action::{Action, Scratch};

/// Places in the table of permutations, and most of them that are taken; further ones are applied by
/// [`Action::move_elements`].
const N_ROWS: usize = 1 << 11;
const MOST_ROWS: usize = N_ROWS / 2;

/// How often a permutation is met before a program pays.
const REPEATED: u32 = if cfg!(test) { 1 } else { 8 };

/// Bits of a vertex in the name of a permutation.
const NAME_BITS: u32 = 4;

/// A permutation of bits.
#[derive(Debug, Clone, Default)]
struct Program {
    /// The words that change.
    targets: Vec<Target>,
    /// What each of them is made of, one after the other.
    pieces: Vec<Piece>,
}

#[derive(Debug, Clone, Copy)]
struct Target {
    word: u32,
    /// Where its pieces end.
    end: u32,
}

/// Some bits of a word, moved by one distance.
#[derive(Debug, Clone, Copy)]
struct Piece {
    from: u32,
    rotation: u32,
    /// The bits where they go to.
    mask: u64,
}

/// The programs of one thread.
#[derive(Debug, Clone, Default)]
pub(crate) struct Programs {
    /// Permutations met, by open addressing.
    table: Vec<Row>,
    n_rows: usize,
    programs: Vec<Program>,
    /// The state before.
    before: Vec<u64>,
}

/// A permutation met; free if it never was.
#[derive(Debug, Clone, Copy, Default)]
struct Row {
    name: u64,
    n_met: u32,
    /// Once it was met often.
    program: u32,
}

impl Programs {
    /// Moves the elements of all arrays over classes outside multisets; false if there is no program for that.
    #[inline]
    pub(crate) fn apply(&mut self, action: &Action, images: &[u32], words: &mut [u64], scratch: &mut Scratch) -> bool {
        let Some(number) = self.find(action, images, scratch) else { return false };
        let Self { programs, before, .. } = self;
        before.clear();
        before.extend_from_slice(words);
        let Program { targets, pieces } = &programs[number];
        let mut begin = 0;
        for &Target { word, end } in targets {
            let mut moved = 0;
            for piece in &pieces[begin..end as usize] {
                moved |= before[piece.from as usize].rotate_left(piece.rotation) & piece.mask;
            }
            words[word as usize] = moved;
            begin = end as usize;
        }
        true
    }

    /// The program of a permutation, made if it pays.
    #[inline]
    fn find(&mut self, action: &Action, images: &[u32], scratch: &mut Scratch) -> Option<usize> {
        if images.len() as u32 * NAME_BITS > u64::BITS {
            return None;
        }
        let name = images.iter().fold(0, |name, &image| name << NAME_BITS | u64::from(image));
        if self.table.is_empty() {
            self.table.resize(N_ROWS, Row::default());
        }
        let mut at = mix(0, name) as usize % N_ROWS;
        while self.table[at].n_met > 0 && self.table[at].name != name {
            at = (at + 1) % N_ROWS;
        }
        let row = &mut self.table[at];
        if row.n_met < REPEATED {
            if row.n_met == 0 && self.n_rows == MOST_ROWS {
                return None;
            }
            self.n_rows += usize::from(row.n_met == 0);
            *row = Row { name, n_met: row.n_met + 1, program: self.programs.len() as u32 };
            if row.n_met < REPEATED {
                return None;
            }
            self.programs.push(Program::new(action, images, scratch));
        }
        Some(self.table[at].program as usize)
    }
}

impl Program {
    fn new(action: &Action, images: &[u32], scratch: &mut Scratch) -> Self {
        let n_words = action.layout().n_words();
        let mut program = Self::default();
        // The numbers of all bits, one binary digit after the other, as they come to lie.
        let moved = |digit| {
            let mut words: Vec<u64> = (0..n_words).map(|word| plane(word, digit)).collect();
            action.move_elements(images, &mut words, scratch);
            words
        };
        let planes: Vec<Vec<u64>> = (0..usize::BITS - (n_words * 64 - 1).leading_zeros()).map(moved).collect();
        for word in 0..n_words {
            if (0..).zip(&planes).any(|(digit, moved)| moved[word] != plane(word, digit)) {
                let digits = planes.iter().map(|moved| moved[word]);
                program.add(word as u32, digits);
            }
        }
        program
    }

    /// Says where the bits of a word come from, by the binary digits of their numbers.
    fn add(&mut self, word: u32, digits: impl Iterator<Item = u64> + Clone) {
        let begin = self.pieces.len();
        let mut recent = begin;
        for bit in 0..64_u64 {
            let digits = (0..).zip(digits.clone());
            let source = digits.fold(0, |number, (digit, plane)| number | (plane >> bit & 1) << digit);
            let (from, rotation) = ((source / 64) as u32, (bit.wrapping_sub(source) % 64) as u32);
            let is_same = |piece: &Piece| piece.from == from && piece.rotation == rotation;
            // PERF: neighbours mostly come together.
            if !self.pieces.get(recent).is_some_and(is_same) {
                let known = self.pieces[begin..].iter().position(is_same);
                recent = known.map_or(self.pieces.len(), |at| begin + at);
                if known.is_none() {
                    self.pieces.push(Piece { from, rotation, mask: 0 });
                }
            }
            self.pieces[recent].mask |= 1 << bit;
        }
        self.targets.push(Target { word, end: self.pieces.len() as u32 });
    }
}

/// One binary digit of the numbers of a word's bits.
fn plane(word: usize, digit: u32) -> u64 {
    const WITHIN: [u64; 6] = [
        0xaaaa_aaaa_aaaa_aaaa,
        0xcccc_cccc_cccc_cccc,
        0xf0f0_f0f0_f0f0_f0f0,
        0xff00_ff00_ff00_ff00,
        0xffff_0000_ffff_0000,
        0xffff_ffff_0000_0000,
    ];
    match WITHIN.get(digit as usize) {
        Some(&plane) => plane,
        None => u64::from(word >> (digit - 6) & 1 == 1).wrapping_neg(),
    }
}

#[cfg(test)]
mod tests {
    use burnside_ir::{Layout, Type};
    use burnside_testkit::{Config, random_model};

    use super::*;
    use crate::Permutations;
    use crate::symmetry::SymmetricClass;

    /// Fails if a bit goes astray, on random permutations of random states of random models.
    #[test]
    fn programs_move_what_is_moved_element_by_element() {
        let mut n_moved = 0;
        for seed in 0..300_u64 {
            let model = random_model(seed, &Config::random(seed));
            let ids = model.types.iter().map(|(ty, _)| ty).filter(|&ty| matches!(model.types.get(ty), Type::Id(_)));
            let class = |ty| SymmetricClass {
                name: model.types.type_name(ty),
                types: vec![ty],
                size: model.types.shape(ty).cardinality() as u32,
            };
            let symmetry = Permutations::of_classes(ids.map(class).collect());
            let (Ok(layout), false) = (Layout::new(&model), symmetry.classes.is_empty()) else { continue };
            let action = Action::new(&model, &layout, &symmetry);
            let (mut programs, mut scratch) = (Programs::default(), Scratch::default());
            for round in 0..8 {
                let random = |number: usize| mix(mix(seed, round), number as u64);
                let mut images: Vec<u32> = (0..action.n_vertices() as u32).collect();
                for class in action.classes() {
                    let class = class.start as usize..class.end as usize;
                    images[class].sort_by_key(|&vertex| random(vertex as usize));
                }
                if !scratch.note_moves(&action, &images) {
                    continue;
                }
                let mut slow: Vec<u64> = (0..layout.n_words()).map(|word| random(1000 + word)).collect();
                let mut quick = slow.clone();
                action.move_elements(&images, &mut slow, &mut scratch);
                if programs.apply(&action, &images, &mut quick, &mut scratch) {
                    n_moved += 1;
                    assert_eq!(quick, slow, "seed {seed}, {images:?}");
                }
            }
        }
        assert!(n_moved > 500, "{n_moved}");
    }
}
