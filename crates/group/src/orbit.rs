//! Orbits of points under generators, and group elements that lead to each point of an orbit.
//!
//! [`orbits`] only says which points belong together. A [`Transversal`] holds for each point of one orbit an element
//! that takes the root there: a lookup, but `n` permutations. A [`SchreierTree`] holds one edge per point and multiplies
//! along the way; [`SchreierTree::shorten`] keeps that way logarithmic. Holt, Eick and O'Brien, *Handbook of
//! Computational Group Theory* (2005), section 4.1; Seress, *Permutation Group Algorithms* (2003), section 4.4.

use crate::partition::DisjointSets;
use crate::{Partition, Permutation};

/// The partition of the points into orbits of the group that the permutations generate.
pub fn orbits(degree: usize, generators: &[Permutation]) -> Partition {
    let mut sets = DisjointSets::new(degree);
    for generator in generators {
        sets.close_under(generator);
    }
    sets.to_partition()
}

/// A list of permutations with their inverses, to label the edges of Schreier trees with.
#[derive(Debug, Clone, Default)]
pub struct Labels {
    forward: Vec<Permutation>,
    /// The inverses of `forward`, in the same order.
    backward: Vec<Permutation>,
}

impl Labels {
    /// Appends a permutation and returns its number.
    pub fn push(&mut self, permutation: Permutation) -> usize {
        self.backward.push(permutation.inverse());
        self.forward.push(permutation);
        self.forward.len() - 1
    }

    /// The number of permutations.
    pub(crate) fn len(&self) -> usize {
        self.forward.len()
    }

    /// The permutation of that number.
    pub fn get(&self, label: usize) -> &Permutation {
        &self.forward[label]
    }
}

/// One orbit as a tree: each point but the root is the image of its parent under a label.
#[derive(Debug, Clone)]
pub struct SchreierTree {
    degree: usize,
    root: u32,
    /// The orbit in the order of discovery, the root first.
    orbit: Vec<u32>,
    /// For each point of the degree, the edge that leads to it. Empty while the orbit is the root alone, so that the
    /// many trivial levels of a long base cost nothing.
    edges: Vec<Edge>,
    depth: u32,
}

#[derive(Debug, Clone, Copy)]
struct Edge {
    label: u32,
    /// Steps from the root; `UNREACHED` outside the orbit.
    depth: u32,
}

const UNREACHED: u32 = u32::MAX;

impl SchreierTree {
    /// The orbit of `root` under nothing.
    pub fn new(degree: usize, root: usize) -> Self {
        SchreierTree { degree, root: root as u32, orbit: vec![root as u32], edges: Vec::new(), depth: 0 }
    }

    /// The point whose orbit this is.
    pub fn root(&self) -> usize {
        self.root as usize
    }

    /// The points of the orbit in the order of discovery, the root first.
    pub fn orbit(&self) -> impl ExactSizeIterator<Item = usize> + '_ {
        self.orbit.iter().map(|&point| point as usize)
    }

    /// The size of the orbit.
    #[expect(clippy::len_without_is_empty, reason = "an orbit holds its root")]
    pub fn len(&self) -> usize {
        self.orbit.len()
    }

    /// The point discovered after `i` others.
    pub fn nth(&self, i: usize) -> usize {
        self.orbit[i] as usize
    }

    /// Whether `point` lies in the orbit.
    pub fn contains(&self, point: usize) -> bool {
        point == self.root() || self.edges.get(point).is_some_and(|edge| edge.depth != UNREACHED)
    }

    /// Closes the orbit under `usable`, of which all but the last were used before. Edges already there stay.
    pub fn extend(&mut self, labels: &Labels, usable: &[usize]) {
        let Some((&newest, _)) = usable.split_last() else { return };
        let n_closed = self.orbit.len();
        for i in 0..n_closed {
            self.reach(labels, newest, self.orbit[i]);
        }
        self.close(labels, usable, n_closed);
    }

    /// Builds the tree anew, breadth first.
    pub fn rebuild(&mut self, labels: &Labels, usable: &[usize]) {
        *self = Self::new(self.degree, self.root());
        self.close(labels, usable, 0);
    }

    /// The longest way from the root.
    pub fn depth(&self) -> usize {
        self.depth as usize
    }

    /// While some way is longer than about twice the logarithm of the orbit, appends the element that leads to the
    /// farthest point to the labels, adds it to `usable` and builds the tree anew: each such shortcut halves the ways
    /// along a generator's cycles (compare cube Schreier trees, Seress section 4.4.3). Returns whether any edge changed.
    pub fn shorten(&mut self, labels: &mut Labels, usable: &mut Vec<usize>) -> bool {
        let bound = 2 * (self.orbit.len().ilog2() as usize + 1);
        let mut n_left = bound;
        while self.depth() > bound && n_left > 0 {
            let farthest = self.orbit().max_by_key(|&point| self.edges[point].depth).unwrap_or(self.root());
            usable.push(labels.push(self.representative(labels, farthest)));
            self.rebuild(labels, usable);
            n_left -= 1;
        }
        n_left < bound
    }

    /// The element that takes the root to `point`, which must lie in the orbit.
    pub fn representative(&self, labels: &Labels, point: usize) -> Permutation {
        let mut back = Permutation::identity(self.degree);
        self.climb(labels, point, |step| back.append(step));
        back.inverse()
    }

    /// Multiplies `permutation` with the inverse of the representative of the root's image, after which it fixes the
    /// root. False, and nothing changed, if that image lies outside the orbit.
    pub fn strip(&self, labels: &Labels, permutation: &mut Permutation) -> bool {
        let point = permutation.image(self.root());
        if !self.contains(point) {
            return false;
        }
        self.climb(labels, point, |step| permutation.append(step));
        true
    }

    /// Whether the tree's own edge to the image of `point` under `label` is that very step.
    pub fn has_edge(&self, labels: &Labels, point: usize, label: usize) -> bool {
        let image = labels.get(label).image(point);
        image != self.root() && self.edges[image].label as usize == label
    }

    /// Calls `visit` with the inverse labels on the way from `point` to the root.
    pub(crate) fn climb(&self, labels: &Labels, mut point: usize, mut visit: impl FnMut(&Permutation)) {
        while point != self.root() {
            let step = &labels.backward[self.edges[point].label as usize];
            visit(step);
            point = step.image(point);
        }
    }

    /// Follows a new numbering of the labels.
    pub(crate) fn renumber(&mut self, number: impl Fn(usize) -> usize) {
        for edge in &mut self.edges {
            if edge.depth != UNREACHED && edge.depth > 0 {
                edge.label = number(edge.label as usize) as u32;
            }
        }
    }

    fn close(&mut self, labels: &Labels, usable: &[usize], mut next: usize) {
        while let Some(&point) = self.orbit.get(next) {
            for &label in usable {
                self.reach(labels, label, point);
            }
            next += 1;
        }
    }

    fn reach(&mut self, labels: &Labels, label: usize, from: u32) {
        let to = labels.get(label).image(from as usize);
        if self.contains(to) {
            return;
        }
        if self.edges.is_empty() {
            self.edges = vec![Edge { label: 0, depth: UNREACHED }; self.degree];
            self.edges[self.root as usize].depth = 0;
        }
        let depth = self.edges[from as usize].depth + 1;
        self.edges[to] = Edge { label: label as u32, depth };
        self.depth = self.depth.max(depth);
        self.orbit.push(to as u32);
    }
}

/// One orbit with an explicit element for each of its points.
#[derive(Debug, Clone)]
pub struct Transversal {
    root: usize,
    /// Sorted by point.
    representatives: Vec<(usize, Permutation)>,
}

impl Transversal {
    /// The orbit of `root` under the generators.
    pub fn new(degree: usize, generators: &[Permutation], root: usize) -> Self {
        let mut reached = vec![None; degree];
        reached[root] = Some(Permutation::identity(degree));
        let mut frontier = vec![root];
        while let Some(point) = frontier.pop() {
            for generator in generators {
                let image = generator.image(point);
                if reached[image].is_none() {
                    reached[image] = reached[point].as_ref().map(|element| element.then(generator));
                    frontier.push(image);
                }
            }
        }
        let representatives =
            reached.into_iter().enumerate().filter_map(|(point, element)| Some((point, element?))).collect();
        Transversal { root, representatives }
    }

    pub(crate) fn from_tree(tree: &SchreierTree, labels: &Labels) -> Self {
        let mut representatives: Vec<_> =
            tree.orbit().map(|point| (point, tree.representative(labels, point))).collect();
        representatives.sort_unstable_by_key(|&(point, _)| point);
        Transversal { root: tree.root(), representatives }
    }

    /// The point whose orbit this is.
    pub fn root(&self) -> usize {
        self.root
    }

    /// The orbit, ascending.
    pub fn orbit(&self) -> impl ExactSizeIterator<Item = usize> + '_ {
        self.representatives.iter().map(|&(point, _)| point)
    }

    /// The element that takes the root to `point`, if the orbit holds it.
    pub fn representative(&self, point: usize) -> Option<&Permutation> {
        let i = self.representatives.binary_search_by_key(&point, |&(point, _)| point).ok()?;
        Some(&self.representatives[i].1)
    }

    /// The points of the orbit with their elements, ascending.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (usize, &Permutation)> {
        self.representatives.iter().map(|(point, element)| (*point, element))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring(n: usize) -> Permutation {
        Permutation::from_cycles(n, &[&(0..n).collect::<Vec<_>>()])
    }

    #[test]
    fn orbits_are_the_cells_joined_by_generators() {
        let generators =
            [Permutation::from_cycles(7, &[&[0, 1], &[3, 4]]), Permutation::from_cycles(7, &[&[1, 2], &[4, 5]])];
        assert_eq!(orbits(7, &generators).cells(), [vec![0, 1, 2], vec![3, 4, 5], vec![6]]);
        assert_eq!(orbits(3, &[]), Partition::discrete(3));
    }

    #[test]
    fn representatives_lead_from_the_root_to_their_points() {
        let generators = [Permutation::from_cycles(6, &[&[0, 2, 4]]), Permutation::from_cycles(6, &[&[1, 4], &[3, 5]])];
        let transversal = Transversal::new(6, &generators, 2);
        assert_eq!(transversal.orbit().collect::<Vec<_>>(), [0, 1, 2, 4]);
        assert!(transversal.iter().all(|(point, element)| element.image(2) == point));
        assert_eq!(transversal.representative(3), None);

        let mut labels = Labels::default();
        let usable: Vec<usize> = generators.map(|generator| labels.push(generator)).into();
        let mut tree = SchreierTree::new(6, 2);
        tree.rebuild(&labels, &usable);
        assert_eq!(tree.len(), 4);
        for point in tree.orbit() {
            let mut element = tree.representative(&labels, point);
            assert_eq!(element.image(2), point);
            assert!(tree.strip(&labels, &mut element));
            assert!(element.is_identity());
        }
    }

    #[test]
    fn shortcuts_keep_a_long_ring_shallow() {
        let mut labels = Labels::default();
        let mut usable = vec![labels.push(ring(1000))];
        let mut tree = SchreierTree::new(1000, 0);
        tree.extend(&labels, &usable);
        assert_eq!(tree.depth(), 999);
        assert!(tree.shorten(&mut labels, &mut usable));
        assert!(tree.depth() <= 20, "depth {}", tree.depth());
        assert!(tree.orbit().all(|point| tree.representative(&labels, point).image(0) == point));
    }
}
