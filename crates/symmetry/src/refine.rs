//! The canonicaliser `refine`: exact, and without factorials in practice.
//!
//! Vertices are coloured by what they own, by who refers to them and by the colours of the vertices they refer to,
//! again and again until no colour class splits any more (colour refinement). Vertices of equal colour that can be
//! exchanged without changing the state (*twins*) may come in any order. What then is still undecided is decided by
//! trying: one vertex of the first undecided class is singled out and refinement goes on (individualisation, McKay,
//! *Practical graph isomorphism*); the least state over all choices, one per group of twins, is the canonical one.
//!
// SOUND: colours are computed from the state up to renaming, so renaming a state renames its colouring; a state and
// its renamed copies have the same set of leaves, and hence the same least leaf. Exchanging twins leaves the state as
// it is, so leaving out all but one of them leaves out no leaf.

use crate::action::{Action, Renaming, mix};

/// Canonicalises states under all permutations of an [`Action`]'s classes. Holds scratch memory; one per thread.
#[derive(Debug, Clone)]
pub struct Refiner<'a> {
    action: &'a Action,
    values: Vec<i64>,
    renamed: Vec<i64>,
    swapped: Vec<i64>,
    sums: Vec<u64>,
    best: Vec<i64>,
    has_best: bool,
}

impl<'a> Refiner<'a> {
    /// A canonicaliser.
    pub fn new(action: &'a Action) -> Self {
        let n_slots = action.layout().slots().len();
        let slots = || vec![0; n_slots];
        Self {
            action,
            values: slots(),
            renamed: slots(),
            swapped: slots(),
            sums: vec![0; action.n_vertices()],
            best: slots(),
            has_best: false,
        }
    }

    /// Replaces a packed state by the canonical member of its orbit.
    pub fn canonicalise(&mut self, state: &mut [u64]) {
        let mut values = std::mem::take(&mut self.values);
        self.action.layout().unpack(state, &mut values);
        self.canonicalise_values(&values);
        self.values = values;
        self.action.layout().pack(&self.best, state);
    }

    fn canonicalise_values(&mut self, values: &[i64]) {
        self.has_best = false;
        let mut colours = vec![0; self.action.n_vertices()];
        for (number, class) in self.action.classes().enumerate() {
            for vertex in class {
                colours[vertex as usize] = mix(0x636c_6173, number as u64);
            }
        }
        self.search(values, colours);
    }

    /// Explores the choices below a colouring.
    fn search(&mut self, values: &[i64], mut colours: Vec<u64>) {
        self.refine(values, &mut colours);
        match self.undecided(values, &colours) {
            None => self.leaf(values, &colours),
            Some(choices) => {
                for vertex in choices {
                    let mut chosen = colours.clone();
                    chosen[vertex as usize] = mix(chosen[vertex as usize], 0x6f6e_6c79);
                    self.search(values, chosen);
                }
            }
        }
    }

    /// Refines until the number of colours stays the same.
    fn refine(&mut self, values: &[i64], colours: &mut [u64]) {
        let mut n_colours = count_distinct(colours);
        while n_colours < colours.len() {
            self.round(values, colours);
            let now = count_distinct(colours);
            if now == n_colours {
                return;
            }
            n_colours = now;
        }
    }

    fn round(&mut self, values: &[i64], colours: &mut [u64]) {
        self.sums.fill(0);
        for item in &self.action.items {
            if item.presence.is_some_and(|slot| values[slot as usize] == burnside_ir::UNDEFINED) {
                continue;
            }
            let mut hash = item.role;
            for &owner in &item.owners {
                hash = mix(hash, colours[owner as usize]);
            }
            let mut content: u64 = 0;
            for part in &item.parts {
                let mut part_hash = part.role;
                for &owner in &part.owners {
                    part_hash = mix(part_hash, colours[owner as usize]);
                }
                let value = values[part.slot as usize];
                let target = part.table.and_then(|table| self.action.target(table, value));
                part_hash = match target {
                    Some(vertex) => {
                        let own = item.owners.iter().position(|&owner| owner == vertex);
                        mix(mix(part_hash, colours[vertex as usize]), own.map_or(0, |at| at as u64 + 1))
                    }
                    None => mix(part_hash, value as u64),
                };
                content = content.wrapping_add(part_hash);
            }
            hash = mix(hash, content);
            for (at, &owner) in item.owners.iter().enumerate() {
                let sum = &mut self.sums[owner as usize];
                *sum = sum.wrapping_add(mix(hash, at as u64 + 1));
            }
            for part in &item.parts {
                for (at, &owner) in part.owners.iter().enumerate() {
                    let sum = &mut self.sums[owner as usize];
                    *sum = sum.wrapping_add(mix(mix(hash, part.role), at as u64 + 1));
                }
                let value = values[part.slot as usize];
                if let Some(vertex) = part.table.and_then(|table| self.action.target(table, value)) {
                    let sum = &mut self.sums[vertex as usize];
                    *sum = sum.wrapping_add(mix(hash, part.role));
                }
            }
        }
        for (colour, sum) in colours.iter_mut().zip(&self.sums) {
            *colour = mix(*colour, *sum);
        }
    }

    /// One vertex per group of twins of the first colour class that has more than one such group.
    fn undecided(&mut self, values: &[i64], colours: &[u64]) -> Option<Vec<u32>> {
        for class in self.action.classes() {
            let mut order: Vec<u32> = class.collect();
            order.sort_by_key(|&vertex| colours[vertex as usize]);
            for cell in order.chunk_by(|&a, &b| colours[a as usize] == colours[b as usize]) {
                if cell.len() == 1 {
                    continue;
                }
                let mut leaders: Vec<u32> = Vec::new();
                for &vertex in cell {
                    if !leaders.iter().any(|&leader| self.are_twins(values, leader, vertex)) {
                        leaders.push(vertex);
                    }
                }
                if leaders.len() > 1 {
                    return Some(leaders);
                }
            }
        }
        None
    }

    fn are_twins(&mut self, values: &[i64], one: u32, other: u32) -> bool {
        let mut swap: Vec<u32> = (0..self.action.n_vertices() as u32).collect();
        swap.swap(one as usize, other as usize);
        self.action.apply(&Renaming(swap), values, &mut self.swapped);
        self.swapped == values
    }

    /// Renames by colour and keeps the result if it is the least so far.
    fn leaf(&mut self, values: &[i64], colours: &[u64]) {
        let mut renaming = vec![0; colours.len()];
        for class in self.action.classes() {
            let mut order: Vec<u32> = class.clone().collect();
            order.sort_by_key(|&vertex| colours[vertex as usize]);
            for (to, vertex) in class.zip(order) {
                renaming[vertex as usize] = to;
            }
        }
        self.action.apply(&Renaming(renaming), values, &mut self.renamed);
        if !self.has_best || self.renamed < self.best {
            std::mem::swap(&mut self.best, &mut self.renamed);
            self.has_best = true;
        }
    }
}

fn count_distinct(colours: &[u64]) -> usize {
    let mut sorted = colours.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    sorted.len()
}
