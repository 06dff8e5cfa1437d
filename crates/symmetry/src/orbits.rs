//! Permutations within cells of identities, as they act on packed states, whether or not anything is invariant under them.

use burnside_group::mix;
use burnside_ir::{Layout, Model};

use crate::Permutations;
use crate::action::Action;
use crate::bits::Field;
use crate::cells::Cells;
use crate::facts::Facts;
use crate::picture::{Group, Pair};
use crate::refine::{Exchange, Refiner};

/// How permutations of some classes act on the states of a model. The members of all classes are numbered through as
/// vertices, in the order of the classes.
#[derive(Debug, Clone)]
pub struct Orbits {
    action: Action,
    facts: Facts,
    /// For each vertex what it is known by, if that is all there is to know.
    owned: Option<Vec<Vec<Field>>>,
}

impl Orbits {
    /// The action of these classes, which need not be proved.
    pub fn new(model: &Model, layout: &Layout, classes: &Permutations) -> Self {
        let action = Action::new(model, layout, classes);
        let facts = Facts::new(&action);
        let owned = facts.owned_fields();
        Self { action, facts, owned }
    }

    /// Number of vertices.
    pub fn n_vertices(&self) -> usize {
        self.action.n_vertices()
    }

    /// Whether vertices are known by what they own alone: nothing refers to one, nothing belongs to two.
    pub fn is_simple(&self) -> bool {
        self.owned.is_some()
    }

    /// What works with states, for one thread.
    pub fn arranger(&self) -> Arranger<'_> {
        let exchange = Exchange::new(self.n_vertices());
        Arranger { orbits: self, refiner: Refiner::new(&self.action, &self.facts), exchange }
    }
}

/// Permutes states and compares them up to permutations.
#[derive(Debug, Clone)]
pub struct Arranger<'a> {
    orbits: &'a Orbits,
    refiner: Refiner<'a>,
    exchange: Exchange,
}

impl Arranger<'_> {
    /// Puts in place of a state the one that stands for all its images under permutations within cells.
    ///
    // SOUND: whatever hashes collide, what stands for a state is one of these images (see `refine`); so two states with
    // the same representative are images of each other. Only the converse may fail by a collision.
    pub fn canonicalise(&mut self, cells: &Cells, state: &mut [u64]) {
        let (representative, _) = self.refiner.arrange(cells, state);
        state.copy_from_slice(representative);
    }

    /// Where each vertex goes when a state is canonicalised within cells.
    pub fn images(&mut self, cells: &Cells, state: &[u64]) -> &[u32] {
        self.refiner.arrange(cells, state).1
    }

    /// Applies a permutation that keeps classes: where each vertex goes.
    pub fn rename(&mut self, images: &[u32], state: &[u64], to: &mut Vec<u64>) {
        self.refiner.read(state);
        self.refiner.rename(images, to);
    }

    /// Whether exchanging two vertices of a class leaves a state as it is. Certain: hashes only tell when not to look.
    pub fn are_twins(&mut self, state: &[u64], one: u32, other: u32) -> bool {
        if one == other {
            return true;
        }
        if let Some(owned) = &self.orbits.owned {
            let (one, other) = (&owned[one as usize], &owned[other as usize]);
            return one.iter().zip(other).all(|(one, other)| one.read(state) == other.read(state));
        }
        self.exchange.fixes(&mut self.refiner, state, (one, other))
    }

    /// The vertices of a cell, twins together, each group ascending if the cell is, the groups by their first vertices.
    pub fn twins(&mut self, state: &[u64], cell: &[u32]) -> Vec<Vec<u32>> {
        let mut groups: Vec<Vec<u32>> = Vec::new();
        for &vertex in cell {
            match groups.iter_mut().find(|group| self.are_twins(state, group[0], vertex)) {
                Some(group) => group.push(vertex),
                None => groups.push(vec![vertex]),
            }
        }
        groups
    }

    /// A number that no permutation changes.
    pub fn orbit_hash(&mut self, state: &[u64]) -> u64 {
        let orbits = self.orbits;
        let picture = self.refiner.read(state);
        let shared = state.iter().enumerate().map(|(word, bits)| bits & orbits.facts.shared_bits(word));
        let mut hash = shared.fold(0x6f72_6269, mix);
        let colours = picture.colours();
        for (number, class) in orbits.action.classes().enumerate() {
            for vertex in class {
                hash = hash.wrapping_add(mix(colours[vertex as usize], number as u64));
            }
        }
        for &Pair { label, vertices: [from, to] } in picture.pairs() {
            hash = hash.wrapping_add(mix(mix(label, colours[from as usize]), colours[to as usize]));
        }
        for Group { label, ends } in picture.groups() {
            let sum = ends.iter().map(|end| mix(end.role, colours[end.vertex as usize])).fold(0, u64::wrapping_add);
            hash = hash.wrapping_add(mix(label, sum));
        }
        hash
    }
}
