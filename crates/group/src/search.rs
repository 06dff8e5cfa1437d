//! Canonical images under any group, by backtracking over the stabiliser chain.
//!
//! The image of `x` under `g` takes the contents of position `i` from the point `h(i)`, where `h` is the inverse of `g`.
//! The search chooses the images of the base points under `h` in ascending order: a node is a coset of one level of the
//! chain, and [`Image::view`] says what its images have in common. Three things keep it small:
//!
//! - *Order.* Of a node's children only those with the least view can lead to the canonical image; a node with a view
//!   greater than the best one of its depth is left (Linton, *Finding the smallest image of a set*, 2004).
//! - *Refinement.* Children are first told apart by the colours that the object gives its points at their parent.
//! - *Automorphisms.* Two leaves with the same views have the same image, so they differ by an element of the group that
//!   preserves the object. Such elements that fix the points chosen so far make children equivalent, of which one is
//!   searched; and on finding one the search returns at once to where the two leaves parted (McKay, *Practical graph
//!   isomorphism*, 1981).
//!
//! The automorphisms found generate the whole stabiliser of the object, and strongly so for the points chosen on the way
//! to the best leaf: of two children that the stabiliser makes equivalent and that could lead to the canonical image,
//! the one searched first holds the best leaf, and the other either is searched, which ends in an equal leaf, or is
//! skipped because known automorphisms join them.

use std::cmp::Ordering;
use std::ops::Range;

use crate::image::{Coset, Image};
use crate::orbit::Transversal;
use crate::{Group, Natural, Partition, Permutation, orbits};

/// A group prepared for the search for canonical images.
#[derive(Debug, Clone)]
pub struct ImageSearch {
    degree: usize,
    levels: Vec<Level>,
    /// What is settled when all choices are made.
    bottom: Stage,
}

#[derive(Debug, Clone)]
struct Level {
    transversal: Transversal,
    stage: Stage,
}

/// What does not depend on the choices made, only on their number.
#[derive(Debug, Clone)]
struct Stage {
    cells: Partition,
    settled: Range<usize>,
}

/// What the search for a canonical image found.
#[derive(Debug, Clone)]
pub struct CanonicalImage {
    /// An element of the group that takes the object to its canonical image.
    pub element: Permutation,
    /// Generators of the subgroup that preserves the object.
    pub automorphisms: Vec<Permutation>,
    /// The order of that subgroup. The group's order divided by it is the number of images.
    pub n_automorphisms: Natural,
}

impl ImageSearch {
    /// Prepares the group: representatives for all points of the basic orbits are made once.
    pub fn new(group: &Group) -> Self {
        let degree = group.degree();
        let chain = group.chain();
        let mut bounds: Vec<usize> = chain.base().collect();
        bounds.push(degree);
        let stage = |depth: usize| {
            let generators: Vec<Permutation> = chain.generators(depth).cloned().collect();
            let start = if depth == 0 { 0 } else { bounds[depth - 1] };
            Stage { cells: orbits(degree, &generators), settled: start..bounds[depth] }
        };
        let levels = chain.transversals().into_iter().enumerate();
        let levels = levels.map(|(depth, transversal)| Level { transversal, stage: stage(depth) }).collect();
        ImageSearch { degree, levels, bottom: stage(chain.n_levels()) }
    }

    /// Finds the canonical image of an object.
    ///
    /// # Panics
    /// If the object has another degree than the group.
    pub fn canonical<I: Image>(&self, object: &I) -> CanonicalImage {
        assert_eq!(self.degree, object.degree(), "an object of another degree");
        let mut run = Run::new(self, object);
        let root = Permutation::identity(self.degree);
        let view = run.look(0, &root);
        run.best_views.push(view);
        run.visit(0, &root);
        run.finish()
    }

    fn stage(&self, depth: usize) -> &Stage {
        self.levels.get(depth).map_or(&self.bottom, |level| &level.stage)
    }
}

/// One search.
struct Run<'a, I> {
    search: &'a ImageSearch,
    object: &'a I,
    /// The points chosen on the way to the current node.
    path: Vec<usize>,
    /// The least view seen at each depth, under the least views above it. Those up to the current depth are the views
    /// on the way to the current node.
    best_views: Vec<Vec<u64>>,
    /// The first leaf reached with the best views, and the points chosen for it.
    best: Option<(Permutation, Vec<usize>)>,
    automorphisms: Vec<Permutation>,
    /// The colours of the points at the node last looked at.
    colours: Vec<u64>,
}

/// The depth to return to: the search goes on with the next child of the node there.
struct ReturnTo(usize);

impl<'a, I: Image> Run<'a, I> {
    fn new(search: &'a ImageSearch, object: &'a I) -> Self {
        Run {
            search,
            object,
            path: Vec::new(),
            best_views: Vec::new(),
            best: None,
            automorphisms: Vec::new(),
            colours: vec![0; search.degree],
        }
    }

    /// Searches below a node that has just been looked at.
    fn visit(&mut self, depth: usize, sources: &Permutation) -> Option<ReturnTo> {
        let Some(level) = self.search.levels.get(depth) else { return self.reach_leaf(sources) };
        let children = self.children(level, sources);
        if self.best_views.len() == depth + 1 {
            let least = children.iter().map(|child| self.look(depth + 1, &child.then(sources))).min();
            self.best_views.extend(least);
        }
        let root = level.transversal.root();
        let mut tried = Tried::default();
        for child in children {
            let child = child.then(sources);
            let choice = child.image(root);
            if tried.covers(choice, &self.path, &self.automorphisms) {
                continue;
            }
            tried.points.push(choice);
            if !self.is_promising(depth + 1, &child) {
                continue;
            }
            self.path.push(choice);
            let jump = self.visit(depth + 1, &child);
            self.path.pop();
            if jump.as_ref().is_some_and(|&ReturnTo(target)| target < depth) {
                return jump;
            }
        }
        None
    }

    /// The representatives that lead to the children with the least colour.
    fn children(&self, level: &'a Level, sources: &Permutation) -> Vec<&'a Permutation> {
        let colour = |point| self.colours[sources.image(point)];
        let least = level.transversal.orbit().map(colour).min();
        level
            .transversal
            .iter()
            .filter(|&(point, _)| Some(colour(point)) == least)
            .map(|(_, element)| element)
            .collect()
    }

    /// The view of a node; colours are left for [`Run::children`].
    fn look(&mut self, depth: usize, sources: &Permutation) -> Vec<u64> {
        let Stage { cells, settled } = self.search.stage(depth);
        let next = self.search.levels.get(depth).map(|level| level.transversal.root());
        let mut view = Vec::new();
        let coset = Coset { sources, cells, settled: settled.clone(), next };
        self.object.view(&coset, &mut self.colours, &mut view);
        view
    }

    /// Looks at a node; whether its view is not greater than the best one of its depth. A lesser one becomes the best.
    fn is_promising(&mut self, depth: usize, sources: &Permutation) -> bool {
        let view = self.look(depth, sources);
        match view.cmp(&self.best_views[depth]) {
            Ordering::Greater => return false,
            Ordering::Equal => {}
            Ordering::Less => {
                self.best_views.truncate(depth);
                self.best_views.push(view);
                self.best = None;
            }
        }
        true
    }

    fn reach_leaf(&mut self, sources: &Permutation) -> Option<ReturnTo> {
        let Some((best, best_path)) = &self.best else {
            self.best = Some((sources.clone(), self.path.clone()));
            return None;
        };
        let n_common = self.path.iter().zip(best_path).take_while(|(a, b)| a == b).count();
        self.automorphisms.push(best.inverse().then(sources));
        Some(ReturnTo(n_common))
    }

    fn finish(self) -> CanonicalImage {
        let (sources, path) = self.best.expect("every search reaches a leaf");
        let mut n_automorphisms = Natural::one();
        for (depth, &point) in path.iter().enumerate() {
            let reached = orbits_fixing(&self.automorphisms, &path[..depth], self.search.degree);
            n_automorphisms *=
                (0..self.search.degree).filter(|&p| reached.cell_of(p) == reached.cell_of(point)).count();
        }
        CanonicalImage { element: sources.inverse(), automorphisms: self.automorphisms, n_automorphisms }
    }
}

/// The choices tried at a node, and the orbits of the automorphisms that preserve the node.
#[derive(Default)]
struct Tried {
    points: Vec<usize>,
    reached: Option<Partition>,
    n_automorphisms: usize,
}

impl Tried {
    /// Whether a choice is equivalent to one tried before.
    fn covers(&mut self, choice: usize, path: &[usize], automorphisms: &[Permutation]) -> bool {
        if self.points.is_empty() {
            return false;
        }
        if self.n_automorphisms < automorphisms.len() {
            self.reached = Some(orbits_fixing(automorphisms, path, automorphisms[0].degree()));
            self.n_automorphisms = automorphisms.len();
        }
        let Some(reached) = &self.reached else { return false };
        self.points.iter().any(|&point| reached.cell_of(point) == reached.cell_of(choice))
    }
}

/// The orbits of the permutations among the given ones that fix all the points.
fn orbits_fixing(permutations: &[Permutation], points: &[usize], degree: usize) -> Partition {
    let fixes = |permutation: &&Permutation| points.iter().all(|&point| permutation.image(point) == point);
    let fixing: Vec<Permutation> = permutations.iter().filter(fixes).cloned().collect();
    orbits(degree, &fixing)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Entry, Records, Word};

    #[test]
    fn under_the_symmetric_group_the_least_word_is_sorted() {
        let letters = [3, 1, 2, 1, 3, 3, 0];
        let found = ImageSearch::new(&Group::symmetric(7)).canonical(&Word(&letters));
        assert_eq!(found.element.permute(&letters), [0, 1, 1, 2, 3, 3, 3]);
        assert_eq!(found.n_automorphisms, Natural::from(12));
    }

    #[test]
    fn under_a_ring_it_is_the_least_rotation() {
        let letters = [2, 0, 1, 0, 2, 0, 1, 0];
        let found = ImageSearch::new(&Group::cyclic(8)).canonical(&Word(&letters));
        assert_eq!(found.element.permute(&letters), [0, 1, 0, 2, 0, 1, 0, 2]);
        assert_eq!(found.n_automorphisms, Natural::from(2));
    }

    #[test]
    fn equal_letters_under_a_large_group_need_no_enumeration() {
        let group = Group::symmetric(30);
        let found = ImageSearch::new(&group).canonical(&Word(&[5; 30]));
        assert_eq!(found.n_automorphisms, *group.order());
    }

    #[test]
    fn a_cycle_of_names_is_found_up_to_where_it_starts() {
        // Each point names the next one of a ring, laid out in two different ways.
        let ring = |order: &[usize]| {
            let mut entries = vec![Entry::Letter(0); 12];
            for (i, &point) in order.iter().enumerate() {
                entries[point] = Entry::Point(order[(i + 1) % order.len()]);
            }
            Records::new(12, entries)
        };
        let (a, b) = (ring(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]), ring(&[3, 9, 0, 11, 4, 1, 10, 2, 8, 5, 7, 6]));
        let search = ImageSearch::new(&Group::symmetric(12));
        let (found_a, found_b) = (search.canonical(&a), search.canonical(&b));
        assert_eq!(a.permute(&found_a.element), b.permute(&found_b.element));
        assert_eq!(found_a.n_automorphisms, Natural::from(12));
    }
}
