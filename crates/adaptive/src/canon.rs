//! One state for each orbit within a partition.
//!
//! In simple models the points of each cell are sorted by their local slots. Otherwise points are coloured by what they
//! hold and by the colours of the points they are linked with, again and again until no colour splits any more; what is
//! then undecided is decided by trying (individualisation, McKay, *Practical graph isomorphism*).
//!
// SOUND: colours are computed from the state up to permutations within cells, so permuting a state permutes its
// colouring; a state and its permuted copies have the same set of leaves and hence the same least leaf. Exchanging twins
// leaves the state as it is, so leaving out all but one of them leaves out no leaf. Equal hashes of different things
// merge colours, alike in all copies; points of one colour that are no twins are then tried one by one.

use crate::action::{Action, mix};

/// A state and the permutation that led to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Canonical {
    pub(crate) state: Vec<i64>,
    /// Where each point of the original went.
    pub(crate) images: Vec<u32>,
}

/// The canonical state of an orbit.
pub(crate) fn canonicalise(action: &Action, cells: &[Vec<usize>], state: &[i64]) -> Canonical {
    let n_points = action.identities.n_points();
    if action.is_simple() {
        let mut images = vec![0; n_points];
        let mut order = Vec::new();
        for cell in cells {
            order.clone_from(cell);
            order.sort_by(|&one, &other| action.compare_local(state, one, other));
            for (&point, &to) in order.iter().zip(cell) {
                images[point] = to as u32;
            }
        }
        let mut sorted = Vec::with_capacity(state.len());
        action.apply(&images, state, &mut sorted);
        return Canonical { state: sorted, images };
    }
    let mut colours = vec![0; n_points];
    for (number, cell) in cells.iter().enumerate() {
        for &point in cell {
            colours[point] = mix(action.local_hash(state, point), number as u64);
        }
    }
    let mut search = Search { action, cells, state, best: None };
    search.run(colours);
    search.best.expect("every search has a leaf")
}

struct Search<'a> {
    action: &'a Action,
    cells: &'a [Vec<usize>],
    state: &'a [i64],
    best: Option<Canonical>,
}

impl Search<'_> {
    fn run(&mut self, mut colours: Vec<u64>) {
        self.refine(&mut colours);
        match self.undecided(&colours) {
            None => self.leaf(&colours),
            Some(choices) => {
                for point in choices {
                    let mut chosen = colours.clone();
                    chosen[point] = mix(chosen[point], 0x6f6e_6c79);
                    self.run(chosen);
                }
            }
        }
    }

    /// Refines until the number of colours stays the same.
    fn refine(&self, colours: &mut [u64]) {
        let mut n_colours = count_distinct(colours);
        while n_colours < colours.len() {
            let mut sums = vec![0_u64; colours.len()];
            for link in &self.action.linked {
                let hash = self.action.link_hash(link, self.state, colours);
                for (at, &(point, _)) in link.owners.iter().enumerate() {
                    let sum = &mut sums[point as usize];
                    *sum = sum.wrapping_add(mix(hash, at as u64 + 1));
                }
                let value = self.state[link.slot as usize];
                if let Some(point) = link.ty.and_then(|ty| self.action.identities.point(ty, value)) {
                    sums[point] = sums[point].wrapping_add(mix(hash, link.role));
                }
            }
            for (colour, sum) in colours.iter_mut().zip(sums) {
                *colour = mix(*colour, sum);
            }
            let now = count_distinct(colours);
            if now == n_colours {
                return;
            }
            n_colours = now;
        }
    }

    /// One point for each group of twins of the first colour that has more than one such group.
    fn undecided(&self, colours: &[u64]) -> Option<Vec<usize>> {
        for cell in self.cells {
            for same in self.by_colour(cell, colours).chunk_by(|&one, &other| colours[one] == colours[other]) {
                let groups = self.action.twins(self.state, same);
                if groups.len() > 1 {
                    return Some(groups.iter().map(|group| group[0]).collect());
                }
            }
        }
        None
    }

    fn by_colour(&self, cell: &[usize], colours: &[u64]) -> Vec<usize> {
        let mut order = cell.to_vec();
        order.sort_by_key(|&point| colours[point]);
        order
    }

    fn leaf(&mut self, colours: &[u64]) {
        let mut images = vec![0; colours.len()];
        for cell in self.cells {
            for (&point, &to) in self.by_colour(cell, colours).iter().zip(cell) {
                images[point] = to as u32;
            }
        }
        let mut state = Vec::with_capacity(self.state.len());
        self.action.apply(&images, self.state, &mut state);
        if self.best.as_ref().is_none_or(|best| state < best.state) {
            self.best = Some(Canonical { state, images });
        }
    }
}

fn count_distinct(colours: &[u64]) -> usize {
    let mut sorted = colours.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    sorted.len()
}
