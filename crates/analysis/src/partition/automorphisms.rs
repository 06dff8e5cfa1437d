//! The permutations of points that commute with given tables.
//!
//! Tables are read as a coloured hypergraph whose vertices are the points, and its automorphisms are found as usual
//! (McKay, *Practical graph isomorphism*): colours are refined by how points are connected; points are singled out one
//! by one (the *base*) until refinement tells all apart; and from the last base point to the first, for each point that
//! has the base point's colour, an automorphism is searched that fixes the base points before and takes one to the other.
//! What is found generates the whole group.
//!
// SOUND: each permutation found is checked against every table, so colours and a search that is given up can only hide
// automorphisms.

use std::cell::Cell;

use burnside_group::{DisjointSets, Permutation, mix};

use super::identities::Identities;
use super::relation::{Fact, Relation};

/// How many ends of facts are looked at before the search is given up: a few hundredths of a second.
const PATIENCE: u64 = 1 << 24;

const SINGLE: u64 = 0x73_696e_676c;

/// A search for automorphisms.
pub(super) struct Search<'a> {
    identities: &'a Identities,
    relations: Vec<&'a Relation>,
    facts: Vec<Fact>,
    /// Before anything is singled out.
    colours: Vec<u64>,
    /// How much more may be done.
    patience: Cell<u64>,
}

/// What is singled out at some depth, and the colours before that.
struct Level {
    point: usize,
    colours: Vec<u64>,
}

impl<'a> Search<'a> {
    /// `is_fixed` tells the classes whose points may not move.
    pub(super) fn new(identities: &'a Identities, relations: Vec<&'a Relation>, is_fixed: &[bool]) -> Self {
        let colour = |point: usize| {
            let class = identities.class_of(point);
            mix(class as u64, if is_fixed[class] { point as u64 + 1 } else { 0 })
        };
        let numbered = relations.iter().enumerate();
        let facts = numbered.flat_map(|(number, relation)| {
            let mut facts = relation.facts(identities);
            facts.iter_mut().for_each(|fact| fact.label = mix(fact.label, number as u64));
            facts
        });
        let facts = facts.collect();
        let colours = (0..identities.n_points()).map(colour).collect();
        Self { identities, relations, facts, colours, patience: Cell::new(PATIENCE) }
    }

    /// Generators of the group, or of what was found of it.
    pub(super) fn generators(&self) -> Vec<Permutation> {
        let (levels, last) = self.base();
        let degree = self.colours.len();
        let mut generators: Vec<Permutation> = Vec::new();
        let mut orbits = DisjointSets::new(degree);
        for depth in (0..levels.len()).rev() {
            let Level { point, colours } = &levels[depth];
            // Points for which there is no automorphism, closed under those found at this depth.
            let mut failed: Vec<usize> = Vec::new();
            for other in (0..degree).filter(|other| colours[*other] == colours[*point] && other != point) {
                let orbit = orbits.find(other);
                if orbit == orbits.find(*point) || failed.iter().any(|&it| orbits.find(it) == orbit) {
                    continue;
                }
                let found = self.exchange(*point, other).or_else(|| {
                    let moved = self.single_out(colours, other);
                    self.extend(&levels, &last, depth + 1, &moved)
                });
                match found {
                    Some(found) => {
                        orbits.close_under(&found);
                        generators.push(found);
                    }
                    None => failed.push(other),
                }
            }
        }
        generators
    }

    /// Points to single out one after the other until all colours differ, and those colours.
    fn base(&self) -> (Vec<Level>, Vec<u64>) {
        let mut levels = Vec::new();
        let mut colours = self.refined(self.colours.clone());
        while let Some(point) = first_shared(&colours) {
            let next = self.single_out(&colours, point);
            levels.push(Level { point, colours: std::mem::replace(&mut colours, next) });
        }
        (levels, colours)
    }

    /// The exchange of two points, if that is an automorphism.
    fn exchange(&self, one: usize, other: usize) -> Option<Permutation> {
        let commutes = |relation: &&Relation| relation.commutes(self.identities, (one, other), &|_, _| true);
        self.relations.iter().all(commutes).then(|| Permutation::from_cycles(self.colours.len(), &[&[one, other]]))
    }

    /// An automorphism that takes the points singled out so far to those that were singled out in `moved`.
    fn extend(&self, levels: &[Level], last: &[u64], depth: usize, moved: &[u64]) -> Option<Permutation> {
        let colours = levels.get(depth).map_or(last, |level| &level.colours);
        if self.patience.get() == 0 || !same_colours(colours, moved) {
            return None;
        }
        let Some(level) = levels.get(depth) else { return self.read_off(colours, moved) };
        let mut images = (0..moved.len()).filter(|&image| moved[image] == colours[level.point]);
        images.find_map(|image| self.extend(levels, last, depth + 1, &self.single_out(moved, image)))
    }

    /// The permutation that takes each colour to where it is now, if it is an automorphism.
    fn read_off(&self, colours: &[u64], moved: &[u64]) -> Option<Permutation> {
        let image = |colour: &u64| moved.iter().position(|other| other == colour);
        let images: Vec<usize> = colours.iter().map(image).collect::<Option<_>>()?;
        let permutation = Permutation::from_images(&images)?;
        let images: Vec<u32> = images.iter().map(|&image| image as u32).collect();
        let keeps_class =
            |point: usize, image: u32| self.identities.class_of(point) == self.identities.class_of(image as usize);
        let keeps_classes = images.iter().enumerate().all(|(point, &image)| keeps_class(point, image));
        let commutes = |relation: &&Relation| relation.commutes_with(self.identities, &images);
        (keeps_classes && self.relations.iter().all(commutes)).then_some(permutation)
    }

    fn single_out(&self, colours: &[u64], point: usize) -> Vec<u64> {
        let mut colours = colours.to_vec();
        colours[point] = mix(colours[point], SINGLE);
        self.refined(colours)
    }

    /// Tells points apart by their connections until no more are.
    fn refined(&self, mut colours: Vec<u64>) -> Vec<u64> {
        let mut n_colours = n_different(&colours);
        loop {
            let mut sums = vec![0u64; colours.len()];
            for Fact { label, ends } in &self.facts {
                let hash = ends.iter().fold(*label, |hash, &(role, point)| mix(mix(hash, role), colours[point]));
                for &(role, point) in ends {
                    sums[point] = sums[point].wrapping_add(mix(hash, role));
                }
            }
            let n_ends = self.facts.iter().map(|fact| fact.ends.len() as u64).sum::<u64>();
            self.patience.set(self.patience.get().saturating_sub(n_ends + colours.len() as u64));
            colours.iter_mut().zip(sums).for_each(|(colour, sum)| *colour = mix(*colour, sum));
            let n_before = std::mem::replace(&mut n_colours, n_different(&colours));
            if n_colours == n_before {
                return colours;
            }
        }
    }
}

fn n_different(colours: &[u64]) -> usize {
    let mut sorted = colours.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    sorted.len()
}

fn same_colours(one: &[u64], other: &[u64]) -> bool {
    let sorted = |colours: &[u64]| {
        let mut sorted = colours.to_vec();
        sorted.sort_unstable();
        sorted
    };
    sorted(one) == sorted(other)
}

/// The first point whose colour another one has too.
fn first_shared(colours: &[u64]) -> Option<usize> {
    (0..colours.len()).find(|&point| colours.iter().filter(|&&colour| colour == colours[point]).count() > 1)
}
