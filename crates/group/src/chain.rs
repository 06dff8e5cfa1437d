//! Stabiliser chains: a base and a strong generating set, completed by the Schreier–Sims method.
//!
//! A base is a list of points that only the identity fixes all. Level `i` of a [`Chain`] holds generators of the
//! subgroup that fixes the first `i` base points, and the orbit of the next one under them. Every element is then a
//! unique product of one orbit representative per level, deepest first, which gives the order and the test for
//! membership. Sims, *Computational methods in the study of permutation groups* (1970); Holt, Eick and O'Brien,
//! *Handbook of Computational Group Theory* (2005), sections 4.4.1 and 4.4.2.
//!
//! A chain is made for a fixed order of all points, its preference, of which those become base points that move when the
//! earlier ones are fixed. Base and basic orbits therefore depend on the group and the preference alone, not on the
//! generators or the method. While a chain is built every point has a level; [`Chain::finish`] drops the trivial ones.

use std::collections::BTreeSet;

use crate::orbit::{Labels, SchreierTree, Transversal};
use crate::{Natural, Permutation};

#[derive(Debug, Clone)]
pub(crate) struct Chain {
    degree: usize,
    labels: Labels,
    levels: Vec<Level>,
}

#[derive(Debug, Clone)]
struct Level {
    /// The orbit of the base point, which is the root.
    tree: SchreierTree,
    /// Labels of the generators of this level's group; all fix the earlier base points.
    generators: Vec<usize>,
    /// Labels the tree may use: the generators, and shortcuts that are products of them.
    usable: Vec<usize>,
    /// For each point of the orbit in its order, how many generators have a Schreier generator there that is known to
    /// lie in the next level's group. Shorter than the orbit where nothing was checked.
    n_checked: Vec<usize>,
}

/// What is left of a permutation after sifting, and the level at which it stuck: its number is that of all levels if
/// only the bottom was reached.
pub(crate) struct Residue {
    pub(crate) element: Permutation,
    pub(crate) level: usize,
}

impl Chain {
    /// The chain of the trivial group, with one level per point in the order of `preference`.
    pub(crate) fn new(preference: &[usize]) -> Self {
        let degree = preference.len();
        let level = |&point: &usize| Level::new(SchreierTree::new(degree, point));
        Chain { degree, labels: Labels::default(), levels: preference.iter().map(level).collect() }
    }

    pub(crate) fn degree(&self) -> usize {
        self.degree
    }

    pub(crate) fn n_levels(&self) -> usize {
        self.levels.len()
    }

    pub(crate) fn base(&self) -> impl ExactSizeIterator<Item = usize> + '_ {
        self.levels.iter().map(|level| level.tree.root())
    }

    pub(crate) fn orbit_lengths(&self) -> impl ExactSizeIterator<Item = usize> + '_ {
        self.levels.iter().map(|level| level.tree.len())
    }

    /// The product of the lengths of the basic orbits: the group's order once the chain is complete, else a lower bound,
    /// because each orbit is one of a subgroup of the true stabiliser.
    pub(crate) fn order(&self) -> Natural {
        self.orbit_lengths().fold(Natural::one(), |mut order, length| {
            order *= length;
            order
        })
    }

    /// Generators of the subgroup that fixes the base points above `level`.
    pub(crate) fn generators(&self, level: usize) -> impl Iterator<Item = &Permutation> {
        self.levels
            .get(level)
            .into_iter()
            .flat_map(|level| level.generators.iter().map(|&label| self.labels.get(label)))
    }

    /// The generators of all levels, each once.
    pub(crate) fn strong_generators(&self) -> impl Iterator<Item = &Permutation> {
        let labels: BTreeSet<usize> = self.levels.iter().flat_map(|level| level.generators.iter().copied()).collect();
        labels.into_iter().map(|label| self.labels.get(label))
    }

    pub(crate) fn tree(&self, level: usize) -> &SchreierTree {
        &self.levels[level].tree
    }

    pub(crate) fn representative(&self, level: usize, point: usize) -> Permutation {
        self.tree(level).representative(&self.labels, point)
    }

    pub(crate) fn transversals(&self) -> Vec<Transversal> {
        self.levels.iter().map(|level| Transversal::from_tree(&level.tree, &self.labels)).collect()
    }

    /// Divides an element by orbit representatives from level `from` downwards, as far as that goes.
    pub(crate) fn sift(&self, mut element: Permutation, from: usize) -> Residue {
        for (i, level) in self.levels.iter().enumerate().skip(from) {
            if !level.tree.strip(&self.labels, &mut element) {
                return Residue { element, level: i };
            }
        }
        Residue { element, level: self.levels.len() }
    }

    /// Multiplies an element of a level's group so that it fixes the level's base point.
    pub(crate) fn strip(&self, level: usize, element: &mut Permutation) {
        let is_in_orbit = self.levels[level].tree.strip(&self.labels, element);
        debug_assert!(is_in_orbit, "elements of a level's group keep its orbit");
    }

    pub(crate) fn contains(&self, element: &Permutation) -> bool {
        self.sift(element.clone(), 0).element.is_identity()
    }

    /// An element drawn with equal chances, once the chain is complete.
    pub(crate) fn random(&self, rng: &mut fastrand::Rng) -> Permutation {
        // A product of inverse representatives, shallowest first: the inverse of a random element is as random.
        let mut element = Permutation::identity(self.degree);
        for level in &self.levels {
            let point = level.tree.nth(rng.usize(..level.tree.len()));
            level.tree.climb(&self.labels, point, |step| element.append(step));
        }
        element
    }

    /// Adds what sifting leaves of an element of the group; whether anything was left.
    pub(crate) fn absorb(&mut self, element: Permutation) -> bool {
        let residue = self.sift(element, 0);
        let is_new = !residue.element.is_identity();
        if is_new {
            self.add(residue, 0);
        }
        is_new
    }

    /// Adds an element that fixes the earlier base points to one level alone.
    pub(crate) fn add_to_level(&mut self, level: usize, element: Permutation) {
        let label = self.labels.push(element);
        self.levels[level].add(label, &mut self.labels);
    }

    /// Completes the chain: takes every Schreier generator of every level, deepest level first, and adds what sifting
    /// leaves of it until nothing is left of any (Handbook, section 4.4.2).
    pub(crate) fn complete(&mut self) {
        let mut level = self.levels.len();
        while level > 0 {
            level -= 1;
            if let Some(residue) = self.unsifted(level) {
                let deepest = residue.level;
                self.add(residue, level + 1);
                level = deepest + 1;
            }
        }
    }

    /// Drops generators that a complete chain does not need: of those that first move a level's base point, only the
    /// ones that enlarge its orbit stay. Trees are built anew.
    pub(crate) fn thin(&mut self) {
        let mut kept: Vec<usize> = Vec::new();
        for i in (0..self.levels.len()).rev() {
            let level = &mut self.levels[i];
            let target = level.tree.len();
            let root = level.tree.root();
            level.tree.rebuild(&self.labels, &kept);
            for &label in level.generators.iter().filter(|&&label| self.labels.get(label).image(root) != root) {
                if level.tree.len() == target {
                    break;
                }
                let image = |point| self.labels.get(label).image(point);
                if level.tree.orbit().any(|point| !level.tree.contains(image(point))) {
                    kept.push(label);
                    level.tree.rebuild(&self.labels, &kept);
                }
            }
            level.generators.clone_from(&kept);
            level.usable.clone_from(&kept);
            level.shorten(&mut self.labels);
            level.n_checked.clear();
        }
        self.compact();
    }

    /// Drops the levels whose base points are fixed by the levels above. No generators may be added afterwards.
    pub(crate) fn finish(&mut self) {
        self.levels.retain(|level| level.tree.len() > 1);
    }

    /// The chain of the subgroup that fixes the base points above `level`.
    pub(crate) fn tail(&self, level: usize) -> Chain {
        let mut tail =
            Chain { degree: self.degree, labels: self.labels.clone(), levels: self.levels[level..].to_vec() };
        tail.compact();
        tail
    }

    /// Adds a residue to the levels from `from` down to where it stuck.
    fn add(&mut self, residue: Residue, from: usize) {
        debug_assert!(residue.level < self.levels.len(), "an element that fixes every point is the identity");
        let label = self.labels.push(residue.element);
        for level in &mut self.levels[from..=residue.level] {
            level.add(label, &mut self.labels);
        }
    }

    /// What sifting leaves of the first Schreier generator of the level that is not in the next level's group.
    fn unsifted(&mut self, level: usize) -> Option<Residue> {
        let n_generators = self.levels[level].generators.len();
        for i in 0..self.levels[level].tree.len() {
            let n_checked = self.levels[level].n_checked.get(i).copied().unwrap_or(0);
            if n_checked == n_generators {
                continue;
            }
            let point = self.levels[level].tree.nth(i);
            let representative = self.representative(level, point);
            for k in n_checked..n_generators {
                let residue = self.sift_schreier_generator(level, point, &representative, k);
                self.levels[level].note_checked(i, k + 1);
                if residue.is_some() {
                    return residue;
                }
            }
        }
        None
    }

    /// What sifting leaves of `u s v⁻¹`, where `u` leads to `point`, `s` is generator `k` and `v` leads to its image.
    fn sift_schreier_generator(&self, level: usize, point: usize, u: &Permutation, k: usize) -> Option<Residue> {
        let Level { tree, generators, .. } = &self.levels[level];
        if tree.has_edge(&self.labels, point, generators[k]) {
            return None;
        }
        let residue = self.sift(u.then(self.labels.get(generators[k])), level);
        (!residue.element.is_identity()).then_some(residue)
    }

    /// Forgets labels that no level uses.
    fn compact(&mut self) {
        let mut renumbered = vec![None; self.labels.len()];
        let mut labels = Labels::default();
        for level in &mut self.levels {
            for label in level.usable.iter().chain(&level.generators) {
                renumbered[*label].get_or_insert_with(|| labels.push(self.labels.get(*label).clone()));
            }
            level.renumber(|label| renumbered[label].expect("a tree uses only usable labels"));
        }
        self.labels = labels;
    }
}

impl Level {
    fn new(tree: SchreierTree) -> Self {
        Level { tree, generators: Vec::new(), usable: Vec::new(), n_checked: Vec::new() }
    }

    fn add(&mut self, label: usize, labels: &mut Labels) {
        self.generators.push(label);
        self.usable.push(label);
        self.tree.extend(labels, &self.usable);
        self.shorten(labels);
    }

    /// Keeps the tree shallow. New edges mean other representatives, so other Schreier generators to check.
    fn shorten(&mut self, labels: &mut Labels) {
        if self.tree.shorten(labels, &mut self.usable) {
            self.n_checked.clear();
        }
    }

    fn note_checked(&mut self, i: usize, n_generators: usize) {
        if self.n_checked.len() <= i {
            self.n_checked.resize(i + 1, 0);
        }
        self.n_checked[i] = n_generators;
    }

    fn renumber(&mut self, number: impl Fn(usize) -> usize) {
        for label in self.generators.iter_mut().chain(&mut self.usable) {
            *label = number(*label);
        }
        self.tree.renumber(number);
    }
}
