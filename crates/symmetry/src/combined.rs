//! The canonicaliser for groups that are not all permutations within cells: exact.
//!
//! The group is a direct product of the symmetric groups on cells, which `refine` treats, and of a rest: rotations of
//! rings, automorphisms of graphs. The representative is the least of what `refine` makes of the images under the
//! rest. Elements of the rest that cannot lead there are told by colours, which are cheap: only those are applied that
//! give the least sequence of colours. A rest of many elements is not listed but searched, along its chain of
//! stabilisers (`burnside_group::ImageSearch`).
//!
// SOUND: the result is an image of the state. That it is the same for all states of an orbit: let `r` be what `refine`
// makes of a state, the same for all states that permutations `k` within cells take to each other, and `x` a state. For
// elements `g` and `h` of the rest, `r(g k h x) = r(k g h x) = r(g h x)`, since `k` and `g` commute. As `g` runs through
// the rest, so does `g h`, so `k h x` has the same set of `r(g …)`, and the same least one. Colours name no vertex: the
// colour of vertex `v` in `x` is that of `h v` in `h x`. So the elements left over for `h x` are those left over for
// `x`, each multiplied by the inverse of `h`, and the set of images is again the same.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::BTreeSet;

use burnside_group::{Coset, Group, Image, ImageSearch, Permutation};

use crate::action::Action;
use crate::facts::Facts;
use crate::refine::Refiner;
use crate::strategies::Renamer;
use crate::strategy::Canonicaliser;

/// A rest with more elements is searched.
const MOST_LISTED: u128 = 512;

/// The part of a group that is no symmetric groups, prepared.
#[derive(Debug)]
pub(crate) struct Rest {
    /// How many elements it has, or the largest number there is.
    order: u128,
    /// The vertices that it moves.
    points: Vec<u32>,
    form: Form,
}

#[derive(Debug)]
enum Form {
    /// The identity first.
    Listed(Vec<Element>),
    Searched(ImageSearch),
}

#[derive(Debug)]
struct Element {
    /// Where each vertex goes.
    images: Vec<u32>,
    /// What comes to each of the points.
    sources: Vec<u32>,
}

impl Rest {
    /// Nothing if the group is trivial.
    pub(crate) fn new(group: &Group) -> Option<Self> {
        if group.is_trivial() {
            return None;
        }
        let points: Vec<u32> = group.support().iter().map(|&point| point as u32).collect();
        let order = group.order().to_u128().unwrap_or(u128::MAX);
        let form = if order <= MOST_LISTED {
            Form::Listed(group.elements().map(|element| Element::new(&element, &points)).collect())
        } else {
            Form::Searched(ImageSearch::new(group))
        };
        Some(Self { order, points, form })
    }
}

impl Element {
    fn new(permutation: &Permutation, points: &[u32]) -> Self {
        let inverse = permutation.inverse();
        let images = permutation.images().map(|image| image as u32).collect();
        let sources = points.iter().map(|&point| inverse.image(point as usize) as u32).collect();
        Self { images, sources }
    }
}

/// Canonicalises states under a whole group. Holds scratch memory; one per thread.
pub(crate) struct Combined<'a> {
    rest: &'a Rest,
    worker: Worker<'a>,
    /// Numbers of the elements that give the least sequence of colours.
    leading: Vec<u32>,
    least: Vec<u64>,
}

/// Makes images.
struct Worker<'a> {
    renamer: Renamer<'a>,
    /// For permutations within cells, if there are any.
    refiner: Option<Refiner<'a>>,
    image: Vec<u64>,
}

impl Worker<'_> {
    /// What `refine` makes of an image of the state read last.
    fn make(&mut self, images: &[u32]) {
        self.renamer.rename(images, &mut self.image);
        if let Some(refiner) = &mut self.refiner {
            refiner.canonicalise(&mut self.image);
        }
    }

    /// The same, and where `refine` then moves each vertex; nothing if it moves none.
    fn make_tracked(&mut self, images: &[u32]) -> Vec<u32> {
        self.renamer.rename(images, &mut self.image);
        let Some(refiner) = &mut self.refiner else { return Vec::new() };
        let (representative, within) = refiner.arrange(self.renamer.action.cells(), &self.image);
        self.image.copy_from_slice(representative);
        within.to_vec()
    }
}

impl<'a> Combined<'a> {
    pub(crate) fn new(action: &'a Action, facts: &'a Facts, rest: &'a Rest) -> Self {
        let refiner = (!action.cells().are_single()).then(|| Refiner::new(action, facts));
        let worker = Worker { renamer: Renamer::new(action, facts), refiner, image: Vec::new() };
        Self { rest, worker, leading: Vec::new(), least: Vec::new() }
    }

    /// How many elements the rest has, or the largest number there is.
    pub(crate) fn order(&self) -> u128 {
        self.rest.order
    }

    /// How many different results `refine` has on the images under the rest.
    pub(crate) fn n_images(&mut self, state: &[u64]) -> u128 {
        self.worker.renamer.read(state);
        match &self.rest.form {
            Form::Listed(elements) => {
                let mut images = BTreeSet::new();
                for element in elements {
                    self.worker.make(&element.images);
                    images.insert(self.worker.image.clone());
                }
                images.len() as u128
            }
            Form::Searched(search) => {
                let seen = Seen { points: &self.rest.points, worker: RefCell::new(&mut self.worker) };
                let n_automorphisms = search.canonical(&seen).n_automorphisms;
                self.rest.order / n_automorphisms.to_u128().unwrap_or(self.rest.order)
            }
        }
    }

    fn find_leading(&mut self, elements: &[Element]) {
        let colours = self.worker.renamer.picture.colours();
        let colour = |source: &u32| colours[*source as usize];
        self.leading.clear();
        self.leading.push(0);
        let mut least = &elements[0].sources;
        for (number, element) in (1..).zip(&elements[1..]) {
            match element.sources.iter().map(colour).cmp(least.iter().map(colour)) {
                Ordering::Greater => {}
                Ordering::Equal => self.leading.push(number),
                Ordering::Less => {
                    self.leading.clear();
                    self.leading.push(number);
                    least = &element.sources;
                }
            }
        }
    }
}

impl Combined<'_> {
    /// Puts the representative in place of a state, and tells where each vertex goes.
    pub(crate) fn arrange(&mut self, state: &mut [u64], images: &mut Vec<u32>) {
        self.worker.renamer.read(state);
        self.least.clear();
        match &self.rest.form {
            Form::Listed(elements) => {
                self.find_leading(elements);
                for at in 0..self.leading.len() {
                    let element = &elements[self.leading[at] as usize].images;
                    let within = self.worker.make_tracked(element);
                    if self.least.is_empty() || self.worker.image < self.least {
                        std::mem::swap(&mut self.least, &mut self.worker.image);
                        images.clear();
                        images.extend(
                            element.iter().map(|&vertex| within.get(vertex as usize).copied().unwrap_or(vertex)),
                        );
                    }
                }
                state.copy_from_slice(&self.least);
            }
            Form::Searched(search) => {
                let seen = Seen { points: &self.rest.points, worker: RefCell::new(&mut self.worker) };
                let element = search.canonical(&seen).element;
                let element: Vec<u32> = element.images().map(|image| image as u32).collect();
                let within = self.worker.make_tracked(&element);
                images.clear();
                images.extend(element.iter().map(|&vertex| within.get(vertex as usize).copied().unwrap_or(vertex)));
                state.copy_from_slice(&self.worker.image);
            }
        }
    }
}

impl Canonicaliser for Combined<'_> {
    fn canonicalise(&mut self, state: &mut [u64]) {
        self.worker.renamer.read(state);
        match &self.rest.form {
            Form::Listed(elements) => {
                self.find_leading(elements);
                self.least.clear();
                for &number in &self.leading {
                    self.worker.make(&elements[number as usize].images);
                    if self.least.is_empty() || self.worker.image < self.least {
                        std::mem::swap(&mut self.least, &mut self.worker.image);
                    }
                }
                state.copy_from_slice(&self.least);
            }
            Form::Searched(search) => {
                let seen = Seen { points: &self.rest.points, worker: RefCell::new(&mut self.worker) };
                let element = search.canonical(&seen).element;
                let images: Vec<u32> = element.images().map(|image| image as u32).collect();
                self.worker.make(&images);
                state.copy_from_slice(&self.worker.image);
            }
        }
    }
}

/// The state read last, as the search for its canonical image sees it.
struct Seen<'w, 'a> {
    points: &'w [u32],
    worker: RefCell<&'w mut Worker<'a>>,
}

impl Image for Seen<'_, '_> {
    fn degree(&self) -> usize {
        self.worker.borrow().renamer.picture.colours().len()
    }

    /// Colours while there is a choice; what comes of it in the end.
    fn view(&self, coset: &Coset<'_>, colours: &mut [u64], view: &mut Vec<u64>) {
        let mut worker = self.worker.borrow_mut();
        let (sources, cells) = (coset.sources(), coset.cells());
        colours.copy_from_slice(worker.renamer.picture.colours());
        let colour = |position: usize| colours[sources.image(position)];
        let is_point = |position: &usize| self.points.binary_search(&(*position as u32)).is_ok();
        view.extend(coset.settled().filter(is_point).map(colour));
        match coset.next() {
            // The next position can take the contents of any vertex of its cell, so the least colour is certain.
            Some(next) => {
                let cell = cells.cell_of(next);
                view.extend(
                    (next..colours.len()).filter(|&position| cells.cell_of(position) == cell).map(colour).min(),
                );
            }
            None => {
                let mut images = vec![0; colours.len()];
                for (position, source) in sources.images().enumerate() {
                    images[source] = position as u32;
                }
                worker.make(&images);
                view.extend_from_slice(&worker.image);
            }
        }
    }
}
